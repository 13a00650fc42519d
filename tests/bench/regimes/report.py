#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.py FOLDER: FOLDER/results.jsonl as a table (regimes.md, regimes.csv) and, where there is Matplotlib, a picture of the
gap over time (gap.png)."""
import csv
import json
import math
import os
import sys


def gap(makespan, bound):
    return (makespan - bound) / bound if bound else 0.0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def proven(told):
    """A peer's status, with its seconds where it has a proof."""
    status = told.get("status", "")
    return "proven, %.1f s" % told["seconds"] if status == "optimal" else status


class Row:
    """One problem, with all that the columns need; None where there is nothing to tell."""

    def __init__(self, told):
        ours, cpsat, highs = told["ours"], told.get("cpsat") or {}, told.get("highs") or {}
        self.regime, self.name, self.ours, self.cpsat, self.highs = told["regime"], told["name"], ours, cpsat, highs
        self.jobshop = told.get("jobshop") or {}
        self.makespan, self.bound, self.sends = ours["makespan"], ours["bound"], ours["sends"]
        self.gap = gap(self.makespan, self.bound)
        self.best = next(at for at, makespan, _ in ours["steps"] if makespan == self.makespan)
        self.proof = next((at for at, makespan, bound in ours["steps"] if makespan == bound), None)
        self.random = ours["random"] / self.makespan if ours.get("random") else None
        its = [makespan for makespan in (cpsat.get("makespan_ps"), cpsat.get("dispatch_ps")) if makespan]
        self.its = min(its) if its else None
        self.its_own = bool(cpsat.get("steps"))  # it found a schedule, not only the one it was given
        self.ratio = None  # its time to its best over ours to one as good
        if self.its_own:
            reached = [at for at, makespan, _ in ours["steps"] if makespan <= self.its]
            took = next(at for at, makespan in cpsat["steps"] if makespan == cpsat["steps"][-1][1])
            self.ratio = took / max(reached[0], 1e-6) if reached else None

    def cells(self):
        percent = lambda value: "" if value is None else "%.2f" % (100 * value)  # noqa: E731
        seconds = lambda value: "" if value is None else "%.3g" % value  # noqa: E731
        return [self.regime, self.name, self.sends, "%.6f" % (self.makespan / 1e9), "%.6f" % (self.bound / 1e9), percent(self.gap),
                self.ours["kind"], seconds(self.best), seconds(self.proof),
                "" if self.its is None else "%+.2f" % (100 * (self.its / self.makespan - 1)), self.cpsat_status(),
                "" if self.ratio is None else "%.0f" % self.ratio, self.jobshop_status(), proven(self.highs),
                "" if self.random is None else "%+.1f" % (100 * (self.random - 1))]

    def cpsat_status(self):
        return proven(self.cpsat).replace("unknown", "its start only")

    def jobshop_status(self):
        found = self.jobshop.get("makespan_ps")
        if found and self.jobshop["status"] != "optimal":
            return "%+.2f" % (100 * (found / self.makespan - 1))
        return proven(self.jobshop).replace("time_limit", "its start only")


HEADER = ("regime", "problem", "sends", "makespan ms", "bound ms", "gap %", "bound by", "best s", "proof s", "CP-SAT %",
          "CP-SAT", "its time / ours", "PyJobShop", "HiGHS", "random %")


def summary(rows):
    closed = [row for row in rows if row.gap == 0]
    peers = [row for row in rows if row.its is not None]
    yield "%d problems, %d proven optimal; mean gap %.2f %%, largest %.2f %%." % (
        len(rows), len(closed), 100 * sum(row.gap for row in rows) / len(rows), 100 * max(row.gap for row in rows))
    if peers:
        yield "Against CP-SAT on %d problems: %d better, %d equal, %d worse; its makespan is %.3f times ours (geometric mean)." % (
            len(peers), sum(row.makespan < row.its for row in peers), sum(row.makespan == row.its for row in peers),
            sum(row.makespan > row.its for row in peers), geometric_mean([row.its / row.makespan for row in peers]))
    shops = [row for row in rows if row.jobshop.get("makespan_ps")]
    if shops:
        yield "Where PyJobShop found a schedule of its own (%d problems), %d are worse than ours, %d equal, %d better." % (
            len(shops), sum(row.makespan < row.jobshop["makespan_ps"] for row in shops),
            sum(row.makespan == row.jobshop["makespan_ps"] for row in shops),
            sum(row.makespan > row.jobshop["makespan_ps"] for row in shops))
    ratios = [row.ratio for row in rows if row.ratio]
    if ratios:
        yield "Where CP-SAT found a schedule of its own (%d problems that we reach), it took %.0f times as long as we for one as " \
            "good (geometric mean; least %.1f)." % (len(ratios), geometric_mean(ratios), min(ratios))
    randoms = [row.random for row in rows if row.random]
    if randoms:
        yield "The median random order is %.3f times our makespan (geometric mean)." % geometric_mean(randoms)
    regimes = {}
    for row in rows:
        regimes.setdefault(row.regime, []).append(row)
    yield "By regime, mean gap: " + "; ".join("%s %.2f %%" % (name, 100 * sum(row.gap for row in some) / len(some))
                                              for name, some in regimes.items()) + "."


def picture(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    regimes = list(dict.fromkeys(row.regime for row in rows))
    wide = 4
    figure, axes = pyplot.subplots(-(-len(regimes) // wide), wide, figsize=(16, 3 * -(-len(regimes) // wide)), squeeze=False,
                                   sharex=True, sharey=True)
    for axis, regime in zip(axes.flat, regimes):
        for row in [row for row in rows if row.regime == regime]:
            steps = [(at, gap(makespan, bound)) for at, makespan, bound in row.ours["steps"] if bound]
            for style, colour, line in (("-", "C0", steps),
                                        ("--", "C1", [(at, gap(m, row.bound)) for at, m in row.cpsat.get("steps", [])])):
                if line:
                    line = [(max(at, 1e-4), 100 * value) for at, value in line + [(max(60, line[-1][0]), line[-1][1])]]
                    axis.step(*zip(*line), style, color=colour, where="post", linewidth=1, alpha=0.8)
                    axis.plot(*line[0], ".", color=colour, markersize=4)
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=0.01)
        axis.set_ylim(-0.003, 2000)
        axis.set_title(regime, fontsize=10)
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(regimes):]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("gap, %")
    for axis in axes.flat[max(0, len(regimes) - wide):len(regimes)]:
        axis.set_xlabel("seconds")
        axis.tick_params(labelbottom=True)
    figure.suptitle("Gap over time: libflux against its own bound (blue), CP-SAT against our final bound (orange, dashed)")
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def write(folder):
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as file:
        rows = [Row(json.loads(line)) for line in file]
    with open(os.path.join(folder, "regimes.md"), "w", encoding="utf-8") as out:
        for cells in (HEADER, ["---"] * len(HEADER), *(row.cells() for row in rows)):
            out.write("| " + " | ".join(map(str, cells)) + " |\n")
        out.write("\n" + "".join("- %s\n" % line for line in summary(rows)))
    with open(os.path.join(folder, "regimes.csv"), "w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([HEADER, *(row.cells() for row in rows)])
    return rows


def main(folder):
    rows = write(folder)
    print("\n".join(summary(rows)))
    try:
        picture(rows, os.path.join(folder, "gap.png"))
    except ImportError:
        print("no picture: this Python has no Matplotlib")


if __name__ == "__main__":
    main(sys.argv[1])
