#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chakra_protobuf.py PREFIX: reads a set of Chakra traces with Google's protobuf and prints, as one JSON object, how many
ranks, nodes, sends and bytes there are. An assertion fails where stock ASTRA-sim would stumble.

The schema (0.0.4) is told to protobuf here: field numbers, names and types are its format.
"""
import glob
import json
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.decoder import _DecodeVarint

KINDS = descriptor_pb2.FieldDescriptorProto
FIELDS = {
    "GlobalMetadata": [(1, "version", KINDS.TYPE_STRING)],
    "Attribute": [(1, "name", KINDS.TYPE_STRING), (7, "int32_val", KINDS.TYPE_INT32),
                  (9, "int64_val", KINDS.TYPE_INT64), (27, "bool_val", KINDS.TYPE_BOOL)],
    "Node": [(1, "id", KINDS.TYPE_UINT64), (2, "name", KINDS.TYPE_STRING), (3, "type", KINDS.TYPE_INT32),
             (5, "data_deps", KINDS.TYPE_UINT64), (7, "duration_micros", KINDS.TYPE_UINT64),
             (10, "attr", KINDS.TYPE_MESSAGE)],
}
REPEATED = ("data_deps", "attr")
COMP, SEND, RECV = 4, 5, 6


def schema():
    file = descriptor_pb2.FileDescriptorProto(name="et.proto", package="et", syntax="proto3")
    for message, fields in FIELDS.items():
        told = file.message_type.add(name=message)
        for number, name, kind in fields:
            field = told.field.add(number=number, name=name, type=kind)
            field.label = KINDS.LABEL_REPEATED if name in REPEATED else KINDS.LABEL_OPTIONAL
            if kind == KINDS.TYPE_MESSAGE:
                field.type_name = ".et.Attribute"
            if message == "Attribute" and number > 1:
                field.oneof_index = 0
        if message == "Attribute":
            told.oneof_decl.add(name="value")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName("et." + name)) for name in FIELDS}


def frames(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size, at = _DecodeVarint(data, at)
        yield data[at:at + size]
        at += size
    assert at == len(data), path


def attributes(node):
    kinds = {"is_cpu_op": "bool_val", "comm_size": "int64_val", "comm_src": "int32_val", "comm_dst": "int32_val",
             "comm_tag": "int32_val", "num_ops": "int64_val"}
    for attribute in node.attr:
        assert attribute.WhichOneof("value") == kinds[attribute.name], attribute
    return {attribute.name: getattr(attribute, kinds[attribute.name]) for attribute in node.attr}


def main(prefix):
    classes = schema()
    ranks = len(glob.glob(prefix + ".*.et"))
    told = {"ranks": ranks, "nodes": 0, "sends": 0, "bytes": 0, "micros": 0}
    ends = {SEND: {}, RECV: {}}
    for rank in range(ranks):
        first, *nodes = frames("%s.%d.et" % (prefix, rank))
        assert classes["GlobalMetadata"].FromString(first).version == "0.0.4"
        assert nodes
        free, told["nodes"] = 0, told["nodes"] + len(nodes)
        for number, frame in enumerate(nodes):
            node = classes["Node"].FromString(frame)
            assert node.SerializeToString() == frame or node.ByteSize() == len(frame), "fields that the schema lacks"
            assert node.id == number and all(dep < number for dep in node.data_deps)
            assert len(set(node.data_deps)) == len(node.data_deps)
            free += not node.data_deps
            has = attributes(node)
            assert has["is_cpu_op"] is False and node.type in (COMP, SEND, RECV)
            told["micros"] += node.duration_micros
            if node.type == COMP:
                continue
            assert rank == has["comm_src" if node.type == SEND else "comm_dst"] and 0 <= has["comm_tag"] < 500000000
            key = (has["comm_src"], has["comm_dst"], has["comm_tag"])
            assert key not in ends[node.type]
            ends[node.type][key] = has["comm_size"]
        assert free
    assert ends[SEND] == ends[RECV]
    told["sends"], told["bytes"] = len(ends[SEND]), sum(ends[SEND].values())
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
