# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Schedule a trace, and look at it
#
# One iteration of Llama 3 8B, 8 layers, on 8 GPUs (tensor parallel 4 by data parallel 2), as Chakra traces. Run this from
# the top of the source tree, cell by cell in an editor that knows `# %%`, or as a script. It needs
# `pip install 'libflux[all]'`.

# %%
import libflux

TRACE = "tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload"
loaded = libflux.load_chakra(TRACE, size_scale=2)
graph = loaded.graph
print(graph)
print("\n".join(loaded.notes))

# %% [markdown]
# Two optical switches, 800 Gbps per port, 1 ms to change a circuit.

# %%
fabric = libflux.Fabric(graph.gpus, switches=2, rate="800Gbps", delay="1ms")
schedule = libflux.schedule(graph, fabric, time_limit="10s", exact="never")
schedule

# %% [markdown]
# Every GPU has a port on each switch: two lanes. Full bars are what it sends, pale ones what it receives, grey is a port
# that changes. Below: how many ports are at work, and what waits in the NICs.

# %%
schedule.plot()

# %% [markdown]
# A closer look at the first tenth, on two of the GPUs.

# %%
schedule.plot("timeline", end=schedule.makespan // 10, gpus=[0, 1, 4])

# %% [markdown]
# The circuit program, as a table: which pairs have circuits how often, and for how long.

# %%
frames = schedule.to_pandas()
states = frames.states.assign(ms=(frames.states["down"] - frames.states["up"]) / 1e9)
busiest = states.groupby(["src", "dst"]).agg(times=("ms", "size"), sends=("sends", "sum"), ms=("ms", "sum"))
busiest.sort_values("sends", ascending=False).head(8)

# %% [markdown]
# Why can it not be faster? The certificate of the bound says: these sends, at this GPU.

# %%
certificate = schedule.certificate
print(certificate, "at GPU", certificate.gpu, "with", len(certificate.vertices), "sends; the schedule is",
      "%.2f %% above it" % (100 * schedule.gap))

# %% [markdown]
# And when compute is not as planned? The same schedule, run 50 times with compute off by up to 5 %, its order kept.

# %%
replay = libflux.Replay(schedule)
runs = sorted(replay.run(mode="order", jitter=0.05, seed=seed).iteration for seed in range(50))
print("planned %.2f ms, median %.2f ms, worst %.2f ms" % (schedule.makespan / 1e9, runs[25] / 1e9, runs[-1] / 1e9))
