# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # What a slow switch costs: the reconfiguration delay against everybody
#
# The delay of a circuit switch ranges from a microsecond to many milliseconds. The same iteration as in
# `look_at_a_trace.py`, by schedulers that know the graph and by fixed cycles that do not, for each delay: the paper's
# Figure 2 in small. Run it from the top of the source tree; `make figure2` makes all of it. It needs
# `pip install 'libflux[all]'`.

# %%
import matplotlib.pyplot as pyplot
import pandas

import libflux

TRACE = "tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload"
DELAYS = ["1us", "10us", "100us", "1ms"]
SCHEDULERS = {"flux": "C0", "random": "C7", "phase": "C2", "rotor-direct": "C3", "rotor-vlb": "C1", "bvn": "C4",
              "solstice": "C5"}
graph = libflux.load_chakra(TRACE, size_scale=2).graph

# %%
rows = []
for delay in DELAYS:
    fabric = libflux.Fabric(graph.gpus, switches=2, delay=delay)
    for result in libflux.compare(graph, fabric, SCHEDULERS, exact="never", work_limit=50000):
        rows.append({"delay": libflux.parse_time(delay), **result._asdict()})
table = pandas.DataFrame(rows)
iterations = table.pivot(index="delay", columns="scheduler", values="iteration")[list(SCHEDULERS)]
(iterations / 1e9).round(1)

# %% [markdown]
# How many times longer than ours?

# %%
iterations.div(iterations["flux"], axis=0).round(2)

# %%
figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
memory = table.pivot(index="delay", columns="scheduler", values="memory")
for name, colour in SCHEDULERS.items():
    heavy = {"color": colour, "marker": "o", "linewidth": 2.5 if name == "flux" else 1.3, "markersize": 4}
    left.plot(iterations.index / 1e6, iterations[name] / 1e9, label=name, **heavy)
    right.plot(memory.index / 1e6, memory[name].astype(float) / 2**30, **heavy)
bound = table[table["scheduler"] == "flux"].set_index("delay")["bound"]
left.plot(bound.index / 1e6, bound / 1e9, color="black", linestyle="--", linewidth=1, label="lower bound")
for axes, title in ((left, "iteration time (ms)"), (right, "peak NIC memory of a GPU (GiB)")):
    axes.set_xscale("log")
    axes.set_xlabel("reconfiguration delay (µs)")
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
right.legend(*left.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
left.set_yscale("log")
right.set_ylim(bottom=0)
figure

# %% [markdown]
# Whoever knows the graph changes circuits before they are needed, so that even a slow switch costs little. Cycles that do
# not know it pay the delay in every slot.
