# SPDX-License-Identifier: Apache-2.0
"""Programs of generated GPUs: their computes are a chain, and add up to what --operations says of them."""
import csv
import io
import json
import subprocess
import sys

FLUX = sys.argv[1]
CASES = ["llama3-8b --tp 2 --layers 4 --micro-batches 3",
         "llama3-8b --tp 2 --dp 2 --layers 2 --micro-batches 2 --sequence-parallel --repeat 2",
         "mixtral-8x7b --dp 4 --ep 4 --layers 2",
         "llama3-8b --cp 2 --dp 2 --layers 2 --zero 3"]
CHAINS = CASES + ["llama3-8b --tp 2 --pp 2 --layers 4 --micro-batches 4 --interleave 2 --zero 1 --dp 2",
                  "mixtral-8x7b --tp 2 --sequence-parallel --dp 2 --ep 4 --layers 2 --routing zipf --repeat 2",
                  "llama3-8b --dp 4 --zero 3 --layers 3 --micro-batches 2 --recompute full",
                  "gpt3-175b --tp 2 --pp 4 --layers 4 --micro-batches 3"]
UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}


def picoseconds(text):
    number = text.rstrip("munps")
    whole, _, rest = number.partition(".")
    return int(whole + rest) * UNITS[text[len(number):]] // 10**len(rest)


def workload(case):
    subprocess.run([FLUX, "generate", *case.split(), "--quiet", "-o", "made.json"], check=True)
    with open("made.json", encoding="utf-8") as file:
        return json.load(file)["workload"]


def computes(made):
    rows = {}
    for vertex in made["vertices"]:
        if "compute" in vertex and picoseconds(vertex["time"]):
            rows.setdefault(vertex["compute"], []).append(vertex)
    for row in rows.values():
        row.sort(key=lambda vertex: int(vertex["id"].split("/")[1]))
    return rows


def waits(parents, first, then):
    """Is there a way from `first` to `then`?"""
    seen, todo = set(), [then]
    while todo:
        for parent in parents.get(todo.pop(), ()):
            if parent == first:
                return True
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return False


def is_chain(made):
    parents = {}
    for edge in made["edges"]:
        parents.setdefault(edge[1], []).append(edge[0])
    return all(waits(parents, a["id"], b["id"])
               for row in computes(made).values() for a, b in zip(row, row[1:]))


def promised(case):
    """Time of one GPU without the optimizer: a layer has two norms, and the head one more."""
    words = case.split()
    text = subprocess.run([FLUX, "generate", *words, "--operations"], check=True, stdout=subprocess.PIPE, text=True)
    total = 0
    for row in csv.DictReader(io.StringIO(text.stdout)):
        times = int(row["layers"])
        total += (2 * times + 1 if row["operation"] == "norm" else times) * int(row["time_ps"])
    for option in ("--micro-batches", "--repeat"):
        total *= int(words[words.index(option) + 1]) if option in words else 1
    return total


failed = 0
for case in CHAINS:
    made = workload(case)
    good = is_chain(made)
    print("%s one compute after the other: %s" % ("ok" if good else "not ok", case))
    failed |= not good
    if case in CASES:
        sums = {gpu: sum(picoseconds(v["time"]) for v in row if not v["id"].endswith("optimizer"))
                for gpu, row in computes(made).items()}
        good = set(sums.values()) == {promised(case)}
        print("%s as much as its operations: %s%s" % ("ok" if good else "not ok", case,
                                                     "" if good else ": %s, not %d" % (sums, promised(case))))
        failed |= not good
sys.exit(failed)
