# SPDX-License-Identifier: Apache-2.0
"""Chakra's messages (schema 0.0.4) for protobuf's own Python, without a compiler: a stranger to our reader.

    import chakra_schema
    for message in chakra_schema.read("trace.0.et"):    # GlobalMetadata, then Nodes
    chakra_schema.to_json("trace.0.et", "trace.0.json") # what chakra_jsonizer writes
"""
import gzip
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

KINDS = ["double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
         "sfixed64", "bool", "string", "bytes"]
TYPES = ["INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE",
         "COMM_RECV_NODE", "COMM_COLL_NODE"]
FIELD = descriptor_pb2.FieldDescriptorProto


def _field(message, name, number, kind, label=FIELD.LABEL_OPTIONAL, oneof=None):
    field = message.field.add(name=name, number=number, label=label)
    if kind.startswith("."):
        field.type = FIELD.TYPE_ENUM if kind == ".Chakra.NodeType" else FIELD.TYPE_MESSAGE
        field.type_name = kind
    else:
        field.type = getattr(FIELD, "TYPE_" + kind.upper())
    if oneof is not None:
        field.oneof_index = oneof


def _file():
    file = descriptor_pb2.FileDescriptorProto(name="chakra.proto", package="Chakra", syntax="proto3")
    types = file.enum_type.add(name="NodeType")
    for number, name in enumerate(TYPES):
        types.value.add(name=name, number=number)
    for kind in KINDS:
        _field(file.message_type.add(name=kind.title() + "List"), "values", 1, kind, FIELD.LABEL_REPEATED)
    attribute = file.message_type.add(name="AttributeProto")
    attribute.oneof_decl.add(name="value")
    _field(attribute, "name", 1, "string")
    _field(attribute, "doc_string", 2, "string")
    for i, kind in enumerate(KINDS):
        _field(attribute, kind + "_val", 3 + 2 * i, kind, oneof=0)
        _field(attribute, kind + "_list", 4 + 2 * i, ".Chakra." + kind.title() + "List", oneof=0)
    info = file.message_type.add(name="IOInfo")
    for number, name in enumerate(("values", "shapes", "types"), 1):
        _field(info, name, number, "string")
    metadata = file.message_type.add(name="GlobalMetadata")
    _field(metadata, "version", 1, "string")
    _field(metadata, "attr", 2, ".Chakra.AttributeProto", FIELD.LABEL_REPEATED)
    node = file.message_type.add(name="Node")
    _field(node, "id", 1, "uint64")
    _field(node, "name", 2, "string")
    _field(node, "type", 3, ".Chakra.NodeType")
    _field(node, "ctrl_deps", 4, "uint64", FIELD.LABEL_REPEATED)
    _field(node, "data_deps", 5, "uint64", FIELD.LABEL_REPEATED)
    _field(node, "start_time_micros", 6, "uint64")
    _field(node, "duration_micros", 7, "uint64")
    _field(node, "inputs", 8, ".Chakra.IOInfo")
    _field(node, "outputs", 9, ".Chakra.IOInfo")
    _field(node, "attr", 10, ".Chakra.AttributeProto", FIELD.LABEL_REPEATED)
    return file


def _classes():
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file()) if hasattr(pool, "Add") else pool.AddSerializedFile(_file().SerializeToString())
    found = [pool.FindMessageTypeByName("Chakra." + name) for name in ("GlobalMetadata", "Node")]
    if hasattr(message_factory, "GetMessageClass"):
        return [message_factory.GetMessageClass(one) for one in found]
    factory = message_factory.MessageFactory(pool)
    return [factory.GetPrototype(one) for one in found]


GlobalMetadata, Node = _classes()


def frames(path):
    """The bytes of each message."""
    with open(path, "rb") as raw:
        data = raw.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    at = 0
    while at < len(data):
        length = shift = 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        yield data[at:at + length]
        at += length


def read(path):
    kind = GlobalMetadata
    for frame in frames(path):
        yield kind.FromString(frame)
        kind = Node


def to_json(source, target):
    with open(target, "w", encoding="utf-8") as out:
        for message in read(source):
            out.write(json_format.MessageToJson(message))


if __name__ == "__main__":
    to_json(sys.argv[1], sys.argv[2])
