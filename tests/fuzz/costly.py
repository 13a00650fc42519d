#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are made to be costly, in every format: ten times the file may cost little more than ten times the work, and
memory goes with the file. Work is counted in instructions by Valgrind, never timed.

    costly.py COMMAND [SHAPE...]     COMMAND is a flux-ocs; without shapes all of them, chains a million deep
"""
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

FEW, MANY, HUGE, DEEP = 400, 4000, 200000, 1000000
MOST = 14.0  # a sort adds some to 10
FREE = 128 << 20  # address space that it may have whatever the file; most of it is libraries
PER_BYTE = 120


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """A field of protobuf: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    return field(10, field(1, name.encode()) + field(INT64, value))


def node(number, name, kind, deps=(), **attributes):
    body = field(1, number) + field(2, name.encode()) + field(3, kind)
    if deps:
        body += field(5, b"".join(map(varint, deps)))
    return framed(body + b"".join(attribute(*pair) for pair in attributes.items()))


def framed(body):
    return varint(len(body)) + body


HEAD = framed(field(1, b"0.0.4"))
COMP, SEND, RECV = 4, 5, 6
INT64 = 9


def document(vertices, edges):
    return "flux: 1\nworkload:\n  gpus: 2\n  vertices:\n%s  edges:\n%s" % (
        "".join("    - {id: %s, compute: 0, time: 1us}\n" % name for name in vertices),
        "".join("    - [%s, %s]\n" % edge for edge in edges))


def goal(*ranks):
    return "num_ranks %d\n" % len(ranks) + "".join("rank %d {\n%s}\n" % pair for pair in enumerate(ranks))


def goal_binary(count):
    """One rank, in which each operation lets the next one start."""
    nodes = b"".join(struct.pack("<IBIQIBBIIII", i > 0, 3, 0, 1, 0, 0, 0, i < count - 1, i, 0, 0) for i in range(count))
    block = struct.pack("<III", count, 1, 0) + nodes + b"".join(struct.pack("<I", i + 1) for i in range(count - 1))
    return struct.pack("<QIBBQQ", 4223, 1, 0, 0, 22, 22 + len(block)) + block


def simai(layers):
    head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2 checkpoints: 0"
    return "%s\n%d\n" % (head, layers) + "layer -1 1 ALLREDUCE 64 1 NONE 0 1 NONE 0 1\n" * layers


def msccl(body, more=""):
    return "<algo name='x' coll='allgather' ngpus='2' nchunksperloop='2' %s>\n%s</algo>\n" % (more, body)


def msccl_steps(count):
    gpus = ""
    for gpu in range(2):
        steps = "".join("<step s='%d' type='%s' srcoff='0' dstoff='0' cnt='1' depid='-1' deps='-1'/>\n"
                        % (i, "sr"[(i + gpu) % 2]) for i in range(count))
        gpus += "<gpu id='%d'><tb id='0' send='%d' recv='%d' chan='0'>\n%s</tb></gpu>\n" % (gpu, 1 - gpu, 1 - gpu, steps)
    return msccl(gpus)


def msccl_blocks(count):
    """As many thread blocks, each waiting for the last one."""
    blocks = "".join("<tb id='%d' send='-1' recv='-1' chan='0'><step s='0' type='nop' srcoff='0' dstoff='0' cnt='0' "
                     "depid='%d' deps='0'/></tb>\n" % (i, count) for i in range(count))
    last = "<tb id='%d' send='-1' recv='-1' chan='0'><step s='0' type='nop' srcoff='0' dstoff='0' cnt='0' depid='-1' "
    return msccl("<gpu id='0'>%s%sdeps='-1'/></tb></gpu><gpu id='1'></gpu>\n" % (blocks, last % count))


LAUGHS = "<!DOCTYPE x [<!ENTITY a0 'ha'>%s]>"

# Each gives the file (text or bytes; a list: those of several ranks) for a size.
SHAPES = {
    "native-chain": lambda n: document(["v%d" % i for i in range(n)], [("v%d" % (i + 1), "v%d" % i) for i in range(n - 1)]),
    "native-equal-edges": lambda n: document("ab", [("a", "b")] * n),
    "native-equal-ids": lambda n: document(["a"] * n, []),
    "native-underscores": lambda n: document(["v0" + "_" * (i % 50) + str(i) for i in range(n)], []),
    "native-one-line": lambda n: '{"flux": 1, "workload": {"gpus": 2, "vertices": [%s]}}' % ", ".join(
        '{"id": "v%d", "send": [0, 1], "size": "1B"}' % i for i in range(n)),
    "native-deep": lambda n: "flux: 1\nworkload: " + "[" * n,
    "native-aliases": lambda n: "flux: 1\nworkload: &a\n  gpus: *a\n" + "# a\n" * n,
    "chakra-chain": lambda n: HEAD + b"".join(node(i, "a", COMP, [i + 1] if i < n else []) for i in range(1, n + 1)),
    "chakra-many-deps": lambda n: HEAD + b"".join(node(i, "a", COMP) for i in range(1, n + 1)) +
    node(n + 1, "b", COMP, range(1, n + 1)),
    "chakra-equal-deps": lambda n: HEAD + node(1, "a", COMP) + node(2, "b", COMP, [1] * n),
    "chakra-equal-ids": lambda n: HEAD + node(1, "a", COMP) * n,
    "chakra-equal-tags": lambda n: [
        HEAD + b"".join(node(i + 1, "m", kind, comm_size=8, comm_src=0, comm_dst=1, comm_tag=7) for i in range(n))
        for kind in (SEND, RECV)],
    "chakra-json-chain": lambda n: '{"version": "0.0.4"}' + "".join(
        '{"id": "%d", "name": "a", "type": "COMP_NODE", "dataDeps": [%s]}' % (i, i + 1 if i < n else "")
        for i in range(1, n + 1)),
    "chakra-json-deep": lambda n: '{"version": "0.0.4"}{"a": ' + '{"a":' * n,
    "chakra-json-equal-keys": lambda n: '{"version": "0.0.4"}{%s}' % ", ".join(['"name": "a"'] * n),
    "goal-chain": lambda n: goal("".join("l%d: calc 1 cpu 1\n" % i for i in range(n)) +
                                 "".join("l%d requires l%d\n" % (i, i + 1) for i in range(n - 1))),
    "goal-star": lambda n: goal("".join("l%d: calc 1\n" % i for i in range(n)) +
                                "".join("l0 irequires l%d\n" % i for i in range(1, n))),
    "goal-equal-edges": lambda n: goal("a: calc 1\nb: calc 1\n" + "b requires a\n" * n),
    "goal-equal-tags": lambda n: goal("send 8b to 1\n" * n, "recv 8b from 0\n" * n),
    "goal-equal-labels": lambda n: goal("a: calc 1\n" * n),
    "goal-cycle": lambda n: goal("".join("l%d: calc 1 cpu 1\n" % i for i in range(n)) +
                                 "".join("l%d requires l%d\n" % (i, (i + 1) % n) for i in range(n))),
    "goal-comment": lambda n: "/*" * n,
    "goal-many-ranks": lambda n: goal(*["calc 1\n"] * n),
    "goal-binary-chain": goal_binary,
    "simai-layers": simai,
    "aicb-calls": lambda n: "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count\n" + "a,b,1\n" * n,
    "msccl-steps": msccl_steps,
    "msccl-blocks": msccl_blocks,
    "msccl-deep": lambda n: msccl("<gpu id='0'>" * n),
    "msccl-attributes": lambda n: msccl("", " ".join("a%d='1'" % i for i in range(n))),
    "msccl-laughs": lambda n: LAUGHS % "".join("<!ENTITY a%d '&a%d;&a%d;'>" % (i + 1, i, i) for i in range(n)) + msccl("&a9;"),
    "matrix-sequence": lambda n: "0,1\n1,0\n\n" * n,
    "matrix-one-row": lambda n: ",".join(["1"] * n) + "\n",
    "matrix-comments": lambda n: "0,1\n" + "# unit: us\n" * n + "1,0\n",
    "market-entries": lambda n: "%%%%MatrixMarket matrix coordinate real general\n2000 2000 %d\n" % n + "".join(
        "%d %d 1\n" % (2000 - i % 2000, 1999 - i // 2000 - i % 2000 if i % 2000 < 1990 else i % 1000 + 1) for i in range(n)),
    "market-long-number": lambda n: "%%MatrixMarket matrix array real general\n2 2\n0\n1" + "0" * n + "e-9\n1\n0\n",
}  # fmt: skip


def write(folder, made):
    """The file, its path, its size."""
    if isinstance(made, list):
        for rank, part in enumerate(made):
            write_one(os.path.join(folder, "input.%d.et" % rank), part)
        return os.path.join(folder, "input"), sum(map(len, made))
    path = os.path.join(folder, "input.0.et" if isinstance(made, bytes) and made.startswith(HEAD) else "input")
    write_one(path, made)
    return path, len(made)


def write_one(path, made):
    with open(path, "wb") as file:
        file.write(made if isinstance(made, bytes) else made.encode())


def instructions(command, path):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", command, "info", "-q", path],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = run.stderr.decode("utf-8", "replace")
    if run.returncode not in (0, 3):
        sys.exit("costly.py: %s ends with %d: %s" % (path, run.returncode, said[-300:]))
    return int(re.search(r"Collected : (\d+)", said).group(1))


def told(command, path, kilobytes):
    """What it says where it may have so much memory."""
    run = subprocess.run(["sh", "-c", "ulimit -v %d; exec \"$0\" info -q \"$1\"" % kilobytes, command, path],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return run.returncode, run.stderr.decode("utf-8", "replace").strip()


def verdict(good, name, figures):
    print("%s %s%s" % ("ok" if good else "not ok", name, "" if good else ": " + figures), flush=True)
    return good


def main():
    command = os.path.abspath(sys.argv[1])
    deep = DEEP if len(sys.argv) == 2 else HUGE
    good = True
    with tempfile.TemporaryDirectory() as folder:
        nothing = instructions(command, write(folder, SHAPES["goal-chain"](1))[0])
    for name in sys.argv[2:] or SHAPES:
        work = [nothing]
        with tempfile.TemporaryDirectory() as folder:
            for size in (FEW, MANY):
                path, _ = write(folder, SHAPES[name](size))
                work.append(instructions(command, path))
            ratio = (work[2] - work[0]) / max(work[1] - work[0], 200000)
            figures = "%d, %d and %d instructions: %.1f times" % (*work, ratio)
            good &= verdict(ratio < MOST, "work goes with the file: %s" % name, figures)
            path, size = write(folder, SHAPES[name](deep if name.endswith("chain") else HUGE))
            status, said = told(command, path, (FREE + PER_BYTE * size) // 1024)
            good &= verdict(status in (0, 3) and "memory" not in said, "memory goes with the file: %s" % name,
                            "%d bytes of file, status %d: %s" % (size, status, said[:300]))
    sys.exit(not good)


if __name__ == "__main__":
    main()
