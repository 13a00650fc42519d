#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formats.py [--build FOLDER] [--nodes N]: what reading N nodes of each format costs, beside protobuf's own Python
reader on the same Chakra trace (where python3-protobuf is there). Every figure is of this run on this machine."""
import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

RANKS = 64
HERE = os.path.dirname(os.path.abspath(__file__))


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def chakra(folder, nodes):
    """A chain per rank: three computes and an all-reduce over all, again and again."""
    def attribute(name, value):
        return field(10, field(1, name) + varint(9 << 3) + varint(value))
    for rank in range(RANKS):
        with open("%s/t.%d.et" % (folder, rank), "wb") as out:
            out.write(field(1, b"0.0.4").join([b"\x07", b""]))
            for i in range(nodes // RANKS):
                body = b"\x08" + varint(i) + field(2, b"layer")
                if i % 64 == 63:
                    body += b"\x18\x07" + attribute(b"comm_type", 0) + attribute(b"comm_size", 1 << 20)
                else:
                    body += b"\x18\x04" + b"\x38\x0a" + attribute(b"num_ops", 1000)
                if i:
                    body += field(5, varint(i - 1))
                out.write(varint(len(body)) + body)
    return folder + "/t"


def goal(folder, nodes):
    path = folder + "/t.goal"
    with open(path, "w", encoding="ascii") as out:
        out.write("num_ranks %d\n" % RANKS)
        for rank in range(RANKS):
            out.write("rank %d {\n" % rank)
            for i in range(0, nodes // RANKS, 4):
                out.write("a%d: calc 1000\nb%d: send 65536b to %d tag %d\nc%d: recv 65536b from %d tag %d\nd%d: calc 0\n"
                          "b%d requires a%d\nd%d requires b%d\nd%d requires c%d\n" % (
                              i, i, (rank + 1) % RANKS, i, i, (rank - 1) % RANKS, i, i, i, i, i, i, i, i))
                if i:
                    out.write("a%d requires d%d\nc%d requires d%d\n" % (i, i - 4, i, i - 4))
            out.write("}\n")
    return path


def goal_binary(folder, nodes):
    """The same, as txt2bin packs it."""
    blocks = []
    for rank in range(RANKS):
        count, pool, ops = nodes // RANKS // 4 * 4, bytearray(), bytearray()
        for i in range(0, count, 4):
            later = i + 4 < count
            for kind, peer, size, waits, degree in (
                    (3, 0, 1000, [i + 1], bool(i)), (1, (rank + 1) % RANKS, 65536, [i + 3], 1),
                    (2, (rank - 1) % RANKS, 65536, [i + 3], bool(i)), (3, 0, 0, [i + 4, i + 6] if later else [], 2)):
                ops += struct.pack("<IBIQIBBIIII", degree, kind, peer, size, i, 0, 0, len(waits), len(pool) // 4, 0, 0)
                pool += b"".join(struct.pack("<I", one) for one in waits)
        blocks.append(struct.pack("<II", count, 0) + ops + pool)
    path, at, table = folder + "/t.bin", 6 + 16 * RANKS, b""
    for block in blocks:
        table += struct.pack("<QQ", at, at + len(block))
        at += len(block)
    with open(path, "wb") as out:
        out.write(struct.pack("<QIBB", 4223, RANKS, 0, 0) + table + b"".join(blocks))
    return path


def simai(folder, nodes):
    rows = nodes // RANKS // 4
    path = folder + "/t.txt"
    with open(path, "w", encoding="ascii") as out:
        out.write("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: %d "
                  "checkpoints: 0 checkpoint_initiates: 0\n%d\n" % (RANKS, rows))
        for _ in range(rows):
            out.write("layer -1 1000 ALLREDUCE 65536 1000 NONE 0 1000 NONE 0 0\n")
    return path


def msccl(folder, nodes):
    path = folder + "/t.xml"
    with open(path, "w", encoding="ascii") as out:
        out.write('<algo name="x" coll="allreduce" ngpus="%d" nchunksperloop="64">\n' % RANKS)
        for gpu in range(RANKS):
            out.write('<gpu id="%d"><tb id="0" send="%d" recv="%d" chan="0">\n' % (gpu, (gpu + 1) % RANKS,
                                                                                (gpu - 1) % RANKS))
            for i in range(nodes // RANKS // 2 * 2):
                out.write('<step s="%d" type="%s" srcbuf="i" srcoff="%d" dstbuf="i" dstoff="%d" cnt="1" depid="-1" '
                          'deps="-1" hasdep="0"/>\n' % (i, "sr"[i % 2], i % 64, i % 64))
            out.write("</tb></gpu>\n")
        out.write("</algo>\n")
    return path


def interpreter():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import google.protobuf"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return python
    return None


def measure(name, command):
    before = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    took = time.perf_counter() - before
    if process.returncode:
        sys.exit("formats: %s: %s" % (name, err.decode()))
    return out, took


def report(name, nodes, took, cpu, peak, size):
    print("%-22s %9d nodes  %7.3f s  %7.3f s of CPU  %5s MiB peak  %6.1f MiB file" % (
        name, nodes, took, cpu, peak, size / 2**20), flush=True)


READ = "import sys; sys.path.insert(0, %r); import chakra_schema as c; n = sum(1 for r in range(%d) for m in " \
       "c.read('%s.%%d.et' %% r)); import resource; u = resource.getrusage(resource.RUSAGE_SELF); print(n - %d, u.ru_maxrss, u.ru_utime + u.ru_stime)"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/gcc")
    parser.add_argument("--nodes", type=int, default=1000000)
    args = parser.parse_args()
    bench = os.path.join(args.build, "tests/bench/bench_read")
    folder = tempfile.mkdtemp()
    python = interpreter()
    try:
        makers = [("chakra", chakra), ("goal", goal), ("goal-binary", goal_binary), ("simai", simai), ("msccl", msccl)]
        for name, make in makers:
            path = make(folder, args.nodes)
            files = [path] if os.path.exists(path) else ["%s.%d.et" % (path, r) for r in range(RANKS)]
            row = json.loads(measure(name, [bench, path])[0])
            report(name, row["nodes"], row["import_s"], row["cpu_s"], row["peak_mib"], sum(os.path.getsize(f) for f in files))
            if name == "chakra" and python:
                support = os.path.join(HERE, "..", "support")
                out, took = measure("protobuf", [python, "-c", READ % (support, RANKS, path, RANKS)])
                count, peak, cpu = out.split()
                report("  protobuf for Python", int(count), took, float(cpu), int(peak) // 1024,
                       sum(os.path.getsize(f) for f in files))
                for f in files:
                    measure("json", [python, os.path.join(support, "chakra_schema.py"), f, f[:-3] + ".json"])
                    os.remove(f)
                row = json.loads(measure("chakra-json", [bench, path])[0])
                files = [f[:-3] + ".json" for f in files]
                report("chakra-json", row["nodes"], row["import_s"], row["cpu_s"], row["peak_mib"],
                       sum(os.path.getsize(f) for f in files))
            for f in files:
                os.remove(f)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
