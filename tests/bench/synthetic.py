#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A transformer-like training iteration of any size as a native document, for benchmarks.

Tensor-parallel groups all-reduce activations twice per layer and direction over a ring; data-parallel groups
all-reduce each layer's gradients over a ring while the backward pass goes on. Compute times come from a flat roofline
of an A100 (312 TFLOP/s BF16) at an efficiency; shapes are those of Llama 3 8B.
"""
import argparse
import sys

HIDDEN, FFN, KV = 4096, 14336, 1024  # Llama 3 8B: model width, feed-forward width, key/value width
PEAK = 312 * 10**12                  # FLOP/s


class Iteration:
    """Sends and edges of one iteration; `front[g]` is what the next operation of GPU g waits for."""

    def __init__(self, rate):
        self.rate = rate
        self.sends, self.edges, self.release = [], [], {}
        self.front = {}

    def transfer(self, size):
        return -(-size * 8 * 10**12 // self.rate)

    def compute(self, gpu, time):
        waits, lag = self.front[gpu]
        self.front[gpu] = (waits, lag + time)

    def start(self, send, wait):
        waits, lag = wait
        if not waits and lag:
            self.release[send] = lag
        self.edges += [(before, send, lag) for before in waits]

    def ring_all_reduce(self, group, size, waits):
        """2 (n - 1) rounds; in each, every member passes a piece of 1/n on to the next. Returns the last receives."""
        n, before = len(group), None
        if n < 2:
            return {g: waits[g] for g in group}
        time = self.transfer(size // n)
        for _ in range(2 * (n - 1)):
            now = {}
            for i, gpu in enumerate(group):
                send = len(self.sends)
                self.sends.append((gpu, group[(i + 1) % n], time))
                now[gpu] = send
                if before is None:
                    self.start(send, waits[gpu])
                else:
                    self.edges += [(v, send, 0) for v in sorted({before[group[i - 1]], before[gpu]})]
            before = now
        return {g: (sorted({before[group[i - 1]], before[g]}), 0) for i, g in enumerate(group)}


def build(layers, tp, dp, seq, rate, efficiency):
    attention_weights, mlp_weights = 2 * HIDDEN * HIDDEN + 2 * HIDDEN * KV, 3 * HIDDEN * FFN
    speed = PEAK * efficiency
    attention = round((2 * seq * attention_weights + 4 * seq * seq * HIDDEN) / tp / speed * 10**12)
    mlp = round(2 * seq * mlp_weights / tp / speed * 10**12)
    activation, gradient = seq * HIDDEN * 2, (attention_weights + mlp_weights) * 2 // tp
    rows = [[d * tp + t for t in range(tp)] for d in range(dp)]
    columns = [[d * tp + t for d in range(dp)] for t in range(tp)]
    it = Iteration(rate)
    it.front = {g: ([], 0) for g in range(tp * dp)}

    def step(time):
        for gpu in it.front:
            it.compute(gpu, time)
        for group in rows:
            it.front.update(it.ring_all_reduce(group, activation, it.front))

    for _ in range(layers):
        step(attention)
        step(mlp)
    for _ in range(layers):
        step(2 * mlp)
        for gpu in it.front:
            it.compute(gpu, 2 * attention)
        gradients = dict(it.front)
        for group in rows:
            it.front.update(it.ring_all_reduce(group, activation, it.front))
        for group in columns:
            it.ring_all_reduce(group, gradient, gradients)
    return it


def write(it, gpus, switches, delay, out):
    out.write("flux: 1\nworkload:\n  gpus: %d\n  vertices:\n" % gpus)
    for v, (src, dst, time) in enumerate(it.sends):
        release = ", release: %dps" % it.release[v] if v in it.release else ""
        out.write("    - {id: s%d, send: [%d, %d], time: %dps%s}\n" % (v, src, dst, time, release))
    if it.edges:
        out.write("  edges:\n")
    for before, after, lag in it.edges:
        out.write("    - [s%d, s%d%s]\n" % (before, after, ", %dps" % lag if lag else ""))
    out.write("fabric:\n  switches: %d\n  delay: %s\n" % (switches, delay))


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--layers", type=int, default=8)
    arg.add_argument("--tp", type=int, default=4)
    arg.add_argument("--dp", type=int, default=2)
    arg.add_argument("--seq", type=int, default=2048)
    arg.add_argument("--gbps", type=int, default=800)
    arg.add_argument("--efficiency", type=float, default=0.5)
    arg.add_argument("--switches", type=int, default=2)
    arg.add_argument("--delay", default="10us")
    a = arg.parse_args()
    write(build(a.layers, a.tp, a.dp, a.seq, a.gbps * 10**9, a.efficiency), a.tp * a.dp, a.switches, a.delay,
          sys.stdout)


if __name__ == "__main__":
    main()
