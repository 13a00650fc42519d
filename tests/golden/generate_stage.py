# SPDX-License-Identifier: Apache-2.0
"""Compares the generator with the STAGE traces of the tests: collectives by kind, group and bytes; compute of a GPU.

    generate_stage.py FLUX_OCS DATA [--table]     the table is that of docs/generate.md
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys

KINDS = {0: "all_reduce", 2: "all_gather", 7: "reduce_scatter"}
PEAK, MEMORY = 312e12, 2.039e12
MODEL = ["stage-llama3-8b", "--layers", "8", "--tp", "4", "--dp", "2", "--seq", "4096", "--batch", "4",
         "--sequence-parallel", "--bucket", "64MB", "--gpu", "stage-a100"]


def varint(data, at):
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def trace(path):
    """The nodes of one rank: type, name and attributes."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    at = first = 0
    while at < len(data):
        size, at = varint(data, at)
        message, at = data[at:at + size], at + size
        if first:
            node = {"type": 0, "name": ""}
            for field, value in fields(message):
                if field == 2:
                    node["name"] = value.decode()
                elif field == 3:
                    node["type"] = value
                elif field == 10:
                    parts = list(fields(value))
                    if len(parts) > 1:
                        node[parts[0][1].decode()] = parts[1][1]
            yield node
        first = 1


def ours(flux, arguments):
    subprocess.run([flux, "generate", *arguments, "--quiet", "-o", "generated.json"], check=True)
    with open("generated.json", encoding="utf-8") as file:
        return json.load(file)["workload"]


def our_collectives(workload):
    """Kind, group's size and bytes of each collective: read back from the ids and sizes of its sends. A ring all-reduce
    or reduce-scatter cuts what a member brings, an all-gather does not."""
    sends = {}
    for vertex in workload["vertices"]:
        found = re.match(r"r\d+/\d+/(all_reduce|all_gather|reduce_scatter)@(tp|dp)(\d+)#(\d+)/s(\d+)-r\d+$", vertex["id"])
        if found and "send" in vertex:
            key = found[1], found[2] + found[3], int(found[4])
            sends.setdefault(key, [0, 0, set()])
            sends[key][0] += size(vertex["size"])
            sends[key][1] += 1
            sends[key][2].update(vertex["send"])
    rows = collections.Counter()
    for (kind, _, _), (total, _, members) in sends.items():
        n = len(members)
        rows[kind, n, total // (n * (n - 1) if kind == "all_gather" else n - 1 if kind == "reduce_scatter" else
                                2 * (n - 1))] += 1
    return rows


def size(text):
    units = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    found = re.match(r"([0-9.]+)([kKMGi]*B)$", text)
    whole, _, rest = found[1].partition(".")
    return int(whole + rest) * units[found[2]] // 10**len(rest)


def their_collectives(folder):
    with open(os.path.join(folder, "comm_group.json"), encoding="utf-8") as file:
        groups = json.load(file)
    calls = collections.Counter()
    for path in glob.glob(os.path.join(folder, "workload.*.et*")):
        for node in trace(path):
            if node["type"] == 7:
                group = node["pg_name"].decode()
                n = len(groups[group])
                calls[KINDS[node["comm_type"]], group, n, node["comm_size"] * 2] += 1
    rows = collections.Counter()
    for (kind, _, n, size_), count in calls.items():
        if n > 1:
            rows[kind, n, size_] += count // n
    return rows


def category(name):
    """(what, phase) of a node of STAGE."""
    part = name.partition("@")[0]
    if re.search(r"mha\.(qkv|o1)$|ffn\.(xgate|xdown1)$", part):
        return "products of layers, forward"
    if re.search(r"mha\.(dx1|dattn)$|ffn\.(dxgate|dx000)$", part):
        return "products of layers, to inputs"
    if re.search(r"mha\.(dwqkv|dwo)$|ffn\.(dwgate|dwdown)$", part):
        return "products of layers, to weights"
    if "out_emb." in part and part.startswith("mb0"):
        return "head"
    if "in_emb." in part and part.startswith("mb0"):
        return "embedding"
    return "attention itself" if "attn_kernel" in part else "the rest"


def their_compute(folder):
    rows = collections.defaultdict(lambda: [0, 0.0])
    for node in trace(glob.glob(os.path.join(folder, "workload.0.et*"))[0]):
        if node["type"] == 4:
            row = rows[category(node["name"])]
            row[0] += node["num_ops"]
            row[1] += max(node["num_ops"] / PEAK, 2 * node["tensor_size"] / MEMORY)
    return rows


def our_compute(flux, arguments):
    text = subprocess.run([flux, "generate", *arguments, "--operations"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    phases = {"forward": "forward", "input": "to inputs", "weight": "to weights"}
    rows = collections.defaultdict(lambda: [0, 0.0])
    for line in text.splitlines()[1:]:
        name, phase, layers, flops, _, time = line.split(",")
        what = {"head": "head", "embedding": "embedding", "core": "attention itself"}.get(name, "the rest")
        if name in ("qkv", "projection", "up", "down"):
            what = "products of layers, " + phases[phase]
        times = int(layers) * (2 if name == "norm" else 1)
        rows[what][0] += times * int(flops)
        rows[what][1] += times * int(time) / 1e12
    return rows


def main():
    flux, data = sys.argv[1:3]
    folder = os.path.join(data, "stage-generated", "llama3-8b_L8_tp4dp2")
    arguments = MODEL + ["--models", os.path.join(data, "generate", "stage.yaml")]
    theirs, mine = their_collectives(folder), our_collectives(ours(flux, arguments))
    operations, computed = their_compute(folder), our_compute(flux, arguments)
    if "--table" in sys.argv:
        for key in sorted(set(theirs) | set(mine)):
            print("| %s of %d | %d | %d | %d |" % (key[0], key[1], key[2], theirs[key], mine[key]))
        for key in sorted(set(operations) | set(computed)):
            print("| %s | %.3f | %.3f | %.2f | %.2f |" % (key, 2 * operations[key][0] / 1e12, computed[key][0] / 1e12,
                                                      operations[key][1] * 1e3, computed[key][1] * 1e3))
        return 0
    failed = 0

    def verdict(name, good, why):
        nonlocal failed
        print("ok %s" % name if good else "not ok %s: %s" % (name, why))
        failed |= not good

    verdict("collectives: kind, members, bytes and number", theirs == mine, "%s, %s" % (theirs - mine, mine - theirs))
    verdict("there are 204 of them", sum(mine.values()) == 204, sum(mine.values()))
    for key in operations:
        if key.startswith("products"):
            verdict("%s: operations" % key, 2 * operations[key][0] == computed[key][0],
                    (2 * operations[key][0], computed[key][0]))
            verdict("%s: time within 15 %%" % key, abs(computed[key][1] / operations[key][1] - 1) <= 0.15,
                    (operations[key][1], computed[key][1]))
    verdict("head: operations", 2 * operations["head"][0] == computed["head"][0], computed["head"])
    verdict("head: time within 15 %", abs(computed["head"][1] / operations["head"][1] - 1) <= 0.15, computed["head"])
    return failed


sys.exit(main())
