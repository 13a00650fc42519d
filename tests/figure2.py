#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures from the comparisons that figure2.sh made: figure2.py FOLDER.

FOLDER/RULE-L8.csv and RULE-L16.csv, and beside each of them RULE-L8-random.csv with many more random orders and
RULE-L8-floor.csv with flux when changes take no time, become FOLDER/figure2.md and FOLDER/figure2-RULE.png and .svg;
those of the rule paper are also figure2.png and figure2.svg.
"""
import csv
import math
import os
import shutil
import sys

RULES = ("paper", "duplex", "simplex")
LAYERS = (8, 16)
FIGURES = (  # column, heading, unit, what a number is divided by
    ("iteration_ps", "Iteration time", "ms", 1e9),
    ("nic_memory_bytes", "Peak NIC memory of a GPU", "MiB", 2.0**20),
    ("reconfigurations", "Reconfigurations", "", 1),
    ("nic_waiting_mean_bytes", "Not in the paper: mean of what waits in a NIC", "MiB", 2.0**20),
)
HEIGHTS = (1.35, 0.7, 1, 1)  # of their panels
BLUE, ORANGE, RED, PURPLE, GREEN, GREY = "#1f5fa8", "#e08214", "#c0392b", "#7b4ea3", "#2e8b57", "#7f7f7f"
STYLES = {  # one hue for a family, dashes within it
    "flux": (BLUE, "-", "o", 2.6),
    "random": (GREY, "-", "x", 1.2),
    "phase": ("#17a2b8", "-", "D", 1.4),
    "static": ("#8c6d31", "-", "s", 1.4),
    "rotor-direct": (RED, "-", "v", 1.4),
    "rotor-direct-staggered": (RED, ":", None, 1.4),
    "rotor-vlb": (ORANGE, "-", "^", 1.4),
    "rotor-vlb-staggered": (ORANGE, ":", None, 1.4),
    "bvn": (PURPLE, "-", "P", 1.4),
    "solstice": ("#a67fc7", "--", None, 1.2),
    "eclipse": ("#a67fc7", "-.", None, 1.2),
    "spectra": ("#a67fc7", ":", "*", 1.2),
    "sunflow": ("#d16ba5", "-", "h", 1.2),
}


def style(name):
    if name in STYLES:
        return STYLES[name]
    return (GREEN, {"packet": "-", "multiplane": "--"}.get(name, ":"), None, 1.4)


def read(path):
    """{scheduler: {delay: row}}, in the order of the file."""
    table = {}
    with open(path, encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            table.setdefault(row["scheduler"], {})[int(row["delay_ps"])] = row
    return table


def delay_text(delay):
    return "%g us" % (delay / 1e6) if delay < 1e9 else "%g ms" % (delay / 1e9)


# ---- the table


def factor(row, flux, column="iteration_ps"):
    return "%.2f" % (int(row[column]) / int(flux["iteration_ps"])) if row[column] else "-"


def factors(table, control, floor):
    delays = list(table["flux"])
    flux = table["flux"]
    lines = ["| | " + " | ".join(delay_text(d) for d in delays) + " |", "|---|" + "---:|" * len(delays)]

    def add(name, cells):
        lines.append("| %s | %s |" % (name, " | ".join(cells)))

    add("`flux`, ms", ["%.3f" % (int(flux[d]["iteration_ps"]) / 1e9) for d in delays])
    add("lower bound, ms", ["%.3f" % (int(flux[d]["bound_ps"]) / 1e9) for d in delays])
    for name, rows in table.items():
        if name == "packet":
            add("lower bound if changes took no time",
                ["%.4f" % (floor / int(flux[d]["iteration_ps"])) for d in delays])  # fmt: skip
        if name != "flux":
            add("`%s`" % name, [factor(rows[d], flux[d]) for d in delays])
        if name == "random":
            many = control["random"]
            add("the same, median of %s" % many[delays[0]]["constructions"],
                [factor(many[d], flux[d]) for d in delays])  # fmt: skip
            add("the same, best of %s" % many[delays[0]]["constructions"],
                [factor(many[d], flux[d], "best_ps") for d in delays])  # fmt: skip
    return lines


def figures(table, column, divisor, digits):
    delays = list(table["flux"])
    lines = ["| | " + " | ".join(delay_text(d) for d in delays) + " |", "|---|" + "---:|" * len(delays)]
    for name, rows in table.items():
        cells = ["%.*f" % (digits, int(rows[d][column]) / divisor) if rows[d][column] else "-" for d in delays]
        lines.append("| `%s` | %s |" % (name, " | ".join(cells)))
    return lines


def remarks(table):
    lines = []
    for name, rows in table.items():
        for note in dict.fromkeys(row["note"] for row in rows.values() if not row["iteration_ps"]):
            lines.append("`%s` does not apply: %s." % (name, note))
    return lines


def write_table(folder, tables, controls, floors):
    with open(os.path.join(folder, "figure2.md"), "w", encoding="utf-8") as out:
        for rule in RULES:
            for layers in LAYERS:
                table = tables[rule, layers]
                where = "%d layers, rule %s" % (layers, rule)
                parts = (
                    ("Iteration, as a multiple of `flux`: " + where,
                     factors(table, controls[rule, layers], floors[rule, layers])),  # fmt: skip
                    ("Peak NIC memory of a GPU, MiB: " + where, figures(table, "nic_memory_bytes", 2.0**20, 1)),
                    ("Peak of what waits there, MiB: " + where, figures(table, "nic_waiting_bytes", 2.0**20, 1)),
                    ("Mean of what waits there, MiB: " + where, figures(table, "nic_waiting_mean_bytes", 2.0**20, 3)),
                    ("Reconfigurations: " + where, figures(table, "reconfigurations", 1, 0)),
                )
                for heading, lines in parts:
                    out.write("%s\n\n%s\n\n" % (heading, "\n".join(lines)))
                for line in remarks(table):
                    out.write(line + "\n\n")


# ---- the picture


def spread(places, least):
    """Moves numbers, in ascending order, apart until they are `least` from one another, no further than needed."""
    groups = [[place, 1] for place in places]  # middle and size of runs that touch
    merged = True
    while merged:
        merged = False
        for i in range(len(groups) - 1):
            (a, m), (b, n) = groups[i], groups[i + 1]
            if b - a < least * (m + n) / 2 - 1e-12:
                groups[i : i + 2] = [[(a * m + b * n) / (m + n), m + n]]
                merged = True
                break
    return [middle + (i - (size - 1) / 2) * least for middle, size in groups for i in range(size)]


def short(name):
    return name.replace("staggered", "stag.")


def label_ends(axes, ends, least):
    """Names at the right of their lines' ends; lines that end together share one."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    groups = []
    for name, value in sorted(ends.items(), key=lambda item: (item[1], item[0] != "flux")):
        place = (math.log10(value) - low) / (high - low)
        if groups and place - groups[-1][0] < 0.012:
            groups[-1][1].append(name)
        else:
            groups.append((place, [name]))
    apart = spread([place for place, _ in groups], least)
    shift = min(0, 1.02 - apart[-1]) if apart else 0
    for (place, names), at in zip(groups, apart):
        names.sort(key=lambda name: name != "flux")
        lines, rest = [], [short(name) for name in names]
        while rest:
            line = rest.pop(0)
            while rest and len(line) + len(rest[0]) < 34:
                line += ", " + rest.pop(0)
            lines.append(line)
        text = "%s and %d others" % (short(names[0]), len(names) - 1) if len(names) > 4 else "\n".join(lines)
        colour = style(names[0])[0]
        axes.annotate(text, (1, place), (1.035, at + shift), xycoords="axes fraction", textcoords="axes fraction",
                      fontsize=7.5, color=colour, va="center", annotation_clip=False,
                      fontweight="bold" if "flux" in names else "normal",
                      arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 0, "shrinkB": 0})  # fmt: skip


def draw_panel(axes, table, column, divisor, unit):
    ends = {}
    for name, rows in table.items():
        points = [(delay, int(row[column]) / divisor) for delay, row in rows.items() if row[column]]
        points = [(delay, value) for delay, value in points if value > 0]
        if not points:
            continue
        colour, dashes, marker, width = style(name)
        axes.plot(*zip(*points), color=colour, linestyle=dashes, marker=marker, linewidth=width, markersize=4,
                  label=name, zorder=5 if name == "flux" else 3)  # fmt: skip
        if points[-1][0] == max(rows):
            ends[name] = points[-1][1]
    axes.set_xscale("log")
    axes.set_yscale("log")
    delays = list(table["flux"])
    axes.set_xticks(delays)
    axes.set_xticklabels([delay_text(d) for d in delays], fontsize=8)
    axes.minorticks_off()
    axes.set_xlim(delays[0] / 1.15, delays[-1] * 1.15)
    axes.yaxis.set_major_formatter(lambda value, _: "{:,.10g}".format(value) + (" " + unit if unit else ""))
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return ends


def set_limits(axes, tables, column, divisor):
    """The same for both sides of a row; at least a decade, where lines are nearly flat."""
    from matplotlib.ticker import LogLocator

    values = [int(row[column]) / divisor for table in tables for rows in table.values() for row in rows.values()
              if row[column] and int(row[column]) > 0]  # fmt: skip
    low, high = min(values) / 1.25, max(values) * 1.25
    if high / low < 10:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(10), middle * math.sqrt(10)
    axes.set_ylim(low, high)
    if high / low < 100:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))


def draw(folder, rule, tables):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "figure2"
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["font.family"] = ["DejaVu Sans", "sans-serif"]
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(len(FIGURES), len(LAYERS), figsize=(13.5, 16), sharey="row", squeeze=False,
                                gridspec_kw={"height_ratios": HEIGHTS})  # fmt: skip
    ends = {}
    for i, (column, heading, unit, divisor) in enumerate(FIGURES):
        for j, layers in enumerate(LAYERS):
            axes = grid[i][j]
            ends[i, j] = draw_panel(axes, tables[rule, layers], column, divisor, unit)
            axes.set_title("%s, %d layers" % (heading, layers), fontsize=10, loc="left")
            if i == len(FIGURES) - 1:
                axes.set_xlabel("time to change a circuit", fontsize=9)
    for i, (column, _, _, divisor) in enumerate(FIGURES):
        set_limits(grid[i][0], [tables[rule, layers] for layers in LAYERS], column, divisor)
    for i, j in ends:
        label_ends(grid[i][j], ends[i, j], 0.066 / HEIGHTS[i])
    handles, names = grid[0][0].get_legend_handles_labels()
    for name_, handle in zip(*reversed(grid[2][0].get_legend_handles_labels())):
        if name_ not in names:
            handles.append(handle)
            names.append(name_)
    figure.legend(handles, names, loc="lower center", ncol=6, fontsize=8.5, frameon=False)
    figure.suptitle("Llama 3 8B, TP 4 x DP 2, 8 GPUs, 2 switches, 800 Gbps per port, rule %s" % rule, fontsize=12)
    figure.subplots_adjust(left=0.075, right=0.86, top=0.945, bottom=0.095, wspace=0.5, hspace=0.27)
    for kind in ("png", "svg"):
        path = os.path.join(folder, "figure2-%s.%s" % (rule, kind))
        figure.savefig(path, dpi=150, metadata={"Date": None} if kind == "svg" else None)
        if rule == RULES[0]:
            shutil.copyfile(path, os.path.join(folder, "figure2." + kind))
    plt.close(figure)


def main():
    folder = sys.argv[1]
    tables, controls, floors = {}, {}, {}
    for rule in RULES:
        for layers in LAYERS:
            tables[rule, layers] = read(os.path.join(folder, "%s-L%d.csv" % (rule, layers)))
            controls[rule, layers] = read(os.path.join(folder, "%s-L%d-random.csv" % (rule, layers)))
            floor = read(os.path.join(folder, "%s-L%d-floor.csv" % (rule, layers)))
            floors[rule, layers] = int(floor["flux"][0]["bound_ps"])
    write_table(folder, tables, controls, floors)
    for layers in LAYERS:
        where = "paper", layers
        print("\n".join(factors(tables[where], controls[where], floors[where])) + "\n")
    print("Iteration time as a multiple of flux: 8 layers, then 16. Everything is in %s/figure2.md." % folder)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        sys.exit("figure2: no Matplotlib for this Python, so no picture: `make setup` installs it")
    for rule in RULES:
        draw(folder, rule, tables)
    print("Pictures: %s/figure2.png and .svg; those of other rules beside them." % folder)


if __name__ == "__main__":
    main()
