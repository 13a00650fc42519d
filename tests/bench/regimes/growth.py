#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""growth.py BENCH_SCHEDULE FOLDER [MOST]: seconds of CPU by number of sends, from a thousand to MOST, a million unless said, as a
table on standard output and, where there is Matplotlib, a picture, FOLDER/growth.svg. The program times itself, with one thread:
ring all-reduces on 64 GPUs, 1,024 from 100,000 sends on, 4,096 from a million on; 2 switches, 10 us."""
import json
import os
import subprocess
import sys

PARTS = ("build", "bound", "construct", "check")


def measure(program, sends):
    gpus = 4096 if sends >= 10**6 else 1024 if sends >= 10**5 else 64
    return json.loads(subprocess.run([program, str(sends), str(gpus)], stdout=subprocess.PIPE, check=True).stdout)


def picture(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(7, 4.5))
    sends = [row["sends"] for row in rows]
    for part in PARTS:
        axis.plot(sends, [max(row[part + "_s"], 1e-6) for row in rows], "o-", markersize=3, label=part)
    axis.plot(sends, [row["total_s"] for row in rows], "ko-", markersize=3, label="all")
    axis.plot(sends, [rows[0]["total_s"] * n / sends[0] for n in sends], ":", color="grey", label="linear")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("sends")
    axis.set_ylabel("seconds of CPU")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main(program, folder, most=10**6):
    sizes = [digit * 10**power for power in range(3, 9) for digit in (1, 3)]
    rows = [measure(program, sends) for sends in sizes if sends <= int(most)]
    print("| sends | GPUs | " + " | ".join(PARTS) + " | all, s | us per send | peak MiB |\n|" + " --- |" * (len(PARTS) + 5))
    for row in rows:
        print("| %d | %d | " % (row["sends"], row["gpus"]) + " | ".join("%.4f" % row[part + "_s"] for part in PARTS) +
              " | %.3f | %.2f | %d |" % (row["total_s"], 1e6 * row["total_s"] / row["sends"], row["peak_mib"]))
    try:
        picture(rows, os.path.join(folder, "growth.svg"))
    except ImportError:
        print("no picture: this Python has no Matplotlib")


if __name__ == "__main__":
    main(*sys.argv[1:])
