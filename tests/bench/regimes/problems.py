# SPDX-License-Identifier: Apache-2.0
"""The fixed set of problems by which the schedulers are measured: public traces, iterations like Llama's, single
collectives, random DAGs, from 12 sends to a million. Each has a name, a regime, and a document that is written where it is
asked for. The set is never trimmed to fit: what is too much for a solver is a row that says so.
"""
import itertools
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import synthetic  # noqa: E402

TRACES = os.path.join(HERE, "..", "..", "data", "stage-generated")
MS = 10**9  # ps


class Problem:
    def __init__(self, regime, name, switches, delay, rule="paper", short=False, peers=True):
        self.regime, self.switches, self.delay, self.rule, self.short, self.peers = \
            regime, switches, delay, rule, short, peers  # fmt: skip
        self.name = "%s, S=%d, %s" % (name, switches, delay) + ("" if rule == "paper" else ", " + rule)

    def fabric(self):
        return ["--switches", str(self.switches), "--delay", self.delay, "--rule", self.rule]

    def source(self, command, folder):
        """A file that flux-ocs reads, and the options that make it what it is."""
        raise NotImplementedError

    def write(self, command, path):
        """The native document, fabric and all."""
        source, options = self.source(command, os.path.dirname(path))
        subprocess.run([command, "convert", source, *options, *self.fabric(), "-o", path, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)


class Trace(Problem):
    def __init__(self, regime, name, folder, *rest, **more):
        super().__init__(regime, name, *rest, **more)
        self.folder = folder

    def source(self, command, folder):
        return os.path.join(TRACES, self.folder, "workload"), ["--size-scale", "2"]


class Generated(Problem):
    """What flux-ocs generates for a model."""

    def __init__(self, regime, name, arguments, *rest, **more):
        super().__init__(regime, name, *rest, **more)
        self.arguments = arguments

    def source(self, command, folder):
        path = os.path.join(folder, "made.yaml")
        subprocess.run([command, "generate", *self.arguments, "-o", path, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return path, []


class Made(Problem):
    """From a function that makes a synthetic.Iteration for a number of GPUs."""

    def __init__(self, regime, name, gpus, make, *rest, **more):
        super().__init__(regime, name, *rest, **more)
        self.gpus, self.make = gpus, make

    def source(self, command, folder):
        path = os.path.join(folder, "made.yaml")
        with open(path, "w", encoding="utf-8") as out:
            synthetic.write(self.make(), self.gpus, self.switches, self.delay, out)
        return path, []


def llama(layers, tp, dp):
    return lambda: synthetic.build(layers, tp, dp, 2048, 800 * 10**9, 0.5)


def ring(gpus):
    def make():
        it = synthetic.Iteration(10**12)
        it.ring_all_reduce(list(range(gpus)), gpus * 10**8, {g: ([], 0) for g in range(gpus)})
        return it
    return make


def each_to_each(gpus):
    def make():
        it = synthetic.Iteration(1)
        it.sends = [(a, b, MS) for a, b in itertools.permutations(range(gpus), 2)]
        return it
    return make


def random_dag(count, gpus, seed):
    def make():
        dice, it = random.Random(seed), synthetic.Iteration(1)
        for v in range(count):
            it.sends.append((*dice.sample(range(gpus), 2), dice.randint(50, 500) * 10**6))
            for u in sorted({dice.randrange(max(0, v - 10), v) for _ in range(dice.randint(0, 2)) if v}):
                it.edges.append((u, v, dice.randint(0, 300) * 10**6))
        return it
    return make


def experts(gpus, layers):
    """Mixture of experts, one layer after another: compute, each to each, compute, each to each back."""
    def make():
        it = synthetic.Iteration(1)
        last = {g: [] for g in range(gpus)}
        for _ in range(2 * layers):
            now = {g: [] for g in range(gpus)}
            for a, b in itertools.permutations(range(gpus), 2):
                v = len(it.sends)
                it.sends.append((a, b, MS // 10))
                it.edges += [(u, v, MS) for u in last[a]]
                if not last[a]:
                    it.release[v] = MS
                now[b].append(v)
                now[a].append(v)
            last = now
        return it
    return make


def stage():
    for delay in ("1us", "10us", "100us", "1ms", "10ms"):
        yield Trace("STAGE", "L8 TP4 DP2", "llama3-8b_L8_tp4dp2", 2, delay, short=delay in ("10us", "10ms"))
    for name, folder, delays in (
        ("L16 TP4 DP2", "llama3-8b_L16_tp4dp2", ("1us", "1ms", "10ms")),
        ("L2, 2 micro batches", "llama3-8b_L2_tp4dp2_mb2", ("10us", "1ms", "10ms")),
        ("L2, no sequence parallel", "llama3-8b_L2_tp4dp2_nosp", ("1ms", "10ms")),
        ("L2, FSDP 4", "llama3-8b_L2_fsdp4", ("1ms", "10ms")),
    ):
        for delay in delays:
            yield Trace("STAGE", name, folder, 2, delay, short=name.startswith("L2,") and delay == "1ms")
    for delay in ("10us", "100us", "1ms", "10ms"):
        yield Trace("pipeline", "L4 TP2 DP2 PP2", "llama3-8b_L4_tp2dp2pp2_mb2", 2, delay, short=delay == "10us")
    for delay in ("1us", "10us", "100us", "1ms", "10ms"):
        yield Trace("MoE", "8 experts, EP4", "moe8e_L2_ep4", 2, delay, short=delay in ("10us", "1ms"))
    for delay in ("10us", "1ms", "10ms"):
        yield Generated("MoE", "Mixtral, 2 layers, EP8 DP8", ["mixtral-8x7b", "--ep", "8", "--dp", "8", "--layers", "2"], 2,
                        delay, short=delay == "10us")
    for switches, delay in ((1, "10us"), (1, "1ms"), (4, "10us"), (4, "1ms")):
        yield Trace("STAGE, S=%d" % switches, "L8 TP4 DP2", "llama3-8b_L8_tp4dp2", switches, delay)


def synthetics():
    for shape, delays in (((2, 4, 2), ("100us", "1ms")), ((8, 4, 2), ("30us", "100us", "300us", "1ms", "3ms", "10ms")),
                          ((16, 4, 2), ("1ms",)), ((8, 8, 2), ("100us", "1ms", "10ms")), ((4, 4, 4), ("300us", "1ms")),
                          ((8, 2, 4), ("1ms", "3ms"))):  # fmt: skip
        for delay in delays:
            yield Made("Llama, S=2", "Llama %d x (%d,%d)" % shape, shape[1] * shape[2], llama(*shape), 2, delay,
                       short=shape[0] == 2)
    for switches, shape, delay in ((3, (2, 4, 2), "1ms"), (3, (8, 4, 2), "100us"), (3, (8, 4, 2), "1ms"),
                                   (4, (8, 4, 2), "1ms"), (4, (4, 4, 4), "10ms"), (1, (2, 4, 2), "1ms"),
                                   (1, (8, 4, 2), "100us")):  # fmt: skip
        yield Made("Llama, S=%d" % switches, "Llama %d x (%d,%d)" % shape, shape[1] * shape[2], llama(*shape), switches,
                   delay, short=shape[0] == 2)


def collectives():
    for gpus, switches in ((4, 1), (8, 1), (8, 2), (16, 1), (16, 4)):
        yield Made("ring", "ring of %d" % gpus, gpus, ring(gpus), switches, "100us", short=gpus < 16)
    for gpus, switches in ((4, 1), (4, 2), (8, 1), (8, 2), (8, 4), (16, 2), (16, 4)):
        yield Made("all-to-all", "all to all of %d" % gpus, gpus, each_to_each(gpus), switches, "100us",
                   short=gpus == 4)
    yield Made("MoE", "8 GPUs, EP8, 4 layers", 8, experts(8, 4), 2, "100us")


def others():
    for rule in ("duplex", "simplex"):
        yield Trace(rule, "L8 TP4 DP2", "llama3-8b_L8_tp4dp2", 2, "1ms", rule=rule)
        yield Made(rule, "Llama 2 x (4,2)", 8, llama(2, 4, 2), 1, "1ms", rule=rule, short=True)
    for count, gpus in ((12, 4), (48, 8), (200, 8)):
        yield Made("random DAG", "random DAG of %d" % count, gpus, random_dag(count, gpus, count), 2, "100us",
                   short=count < 200)


def large():
    for delay in ("1us", "10us", "100us"):
        yield Made("scale", "Llama 3 x (8,128)", 1024, llama(3, 8, 128), 2, delay, peers=False)


def all_problems(short=False):
    rows = [p for p in itertools.chain(stage(), synthetics(), collectives(), others(), large()) if p.short or not short]
    assert len({p.name for p in rows}) == len(rows)
    return rows


if __name__ == "__main__":
    for each in all_problems():
        print(each.regime, each.name, sep="\t")
