#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python costs over C: a million sends from NumPy, and a schedule() call, with the ratio to the same in C."""
import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SENDS, GPUS, CALLS, REPEATS = 10**6, 1024, 20000, 7


def least(work):
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def fill(libflux, *rows, **columns):
    with libflux.Graph(GPUS) as graph:
        assert len(graph.add_sends(*rows, **columns)) == SENDS


def call(libflux, **options):
    """Seconds of one schedule() of two sends."""
    graph = libflux.Graph(4)
    a, b = graph.add_send(0, 1, 64 << 20), graph.add_send(1, 2, 64 << 20)
    graph.add_edge(a, b, "10us")
    fabric, begin = libflux.Fabric(4, 2, delay="10us"), time.perf_counter()
    for _ in range(CALLS):
        libflux.schedule(graph, fabric, **options)
    return (time.perf_counter() - begin) / CALLS


def main():
    arg = argparse.ArgumentParser(description=__doc__)
    arg.add_argument("--build", required=True, help="where libflux.so.0 and tests/bench/bench_calls are")
    build = os.path.abspath(arg.parse_args().build)
    os.environ["LIBFLUX_LIBRARY"] = build
    sys.path.insert(0, os.path.join(HERE, "..", "..", "bindings", "python"))
    import libflux
    import numpy

    c = json.loads(subprocess.run([os.path.join(build, "tests", "bench", "bench_calls")], stdout=subprocess.PIPE,
                                  check=True).stdout)
    number = numpy.arange(SENDS)
    src, dst, size = number % GPUS, (number + 1) % GPUS, 1000 + number
    rows = numpy.zeros(SENDS, libflux.dtype("send"))
    rows["src"], rows["dst"], rows["bytes"] = src, dst, size
    narrow = {"src": src.astype("u4"), "dst": dst.astype("u4"), "bytes": size.astype("u8")}
    print("\n## Python over C: 10^6 sends, ms\n")
    print("| from | C | Python | ratio |\n| --- | --- | --- | --- |")
    for name, there, here in (
        ("rows (libflux.dtype)", c["rows_s"], least(lambda: fill(libflux, rows))),
        ("columns, as the library has them", c["columns_s"], least(lambda: fill(libflux, **narrow))),
        ("columns of 64-bit integers", c["columns_s"], least(lambda: fill(libflux, src=src, dst=dst, bytes=size))),
        ("columns, against one by one in C", c["one_by_one_s"],
         least(lambda: fill(libflux, src=src, dst=dst, bytes=size))),
    ):  # fmt: skip
        print("| %s | %.1f | %.1f | %.2f |" % (name, there * 1e3, here * 1e3, here / there), flush=True)
    print("\n## Python over C: schedule() of two sends, us\n")
    print("| call | C | Python | more |\n| --- | --- | --- | --- |")
    for name, options in (("schedule(graph, fabric)", {}), ("with a time limit", {"time_limit": "10s"}),
                          ("with progress", {"progress": lambda told: None})):
        here = call(libflux, **options)
        print("| %s | %.1f | %.1f | %.1f |" % (name, c["schedule_s"] * 1e6, here * 1e6, (here - c["schedule_s"]) * 1e6))


if __name__ == "__main__":
    main()
