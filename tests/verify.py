#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify.py DOCUMENT.json ...: does the schedule keep every rule, and does the certificate show its bound? Written from
docs/formats.md, docs/rules.md and docs/certificates.md alone. Status 0: yes; 1: a sentence names what is wrong."""
import json, re, sys, verify_sequence, verify_share, verify_subset  # noqa: E401
from fractions import Fraction

UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
UNITS.update({more + unit: 1000**i for unit in ("B", "bps") for i, more in enumerate(["", "k", "M", "G", "T"])})
UNITS.update({more + "iB": 1024**i for i, more in enumerate("KMGT", 1)})

class Fault(Exception): pass  # what is wrong, in a sentence

def need(good, *words):
    if not good:
        raise Fault(" ".join(map(str, words)))

def number(text):
    digits, unit = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]+)", text).groups()
    need((Fraction(digits) * UNITS[unit]).denominator == 1, text, "is finer than 1 ps, byte or bit/s")
    return int(Fraction(digits) * UNITS[unit])

class Problem:
    """Workload and fabric; vertices by their number in the document, `way` is None for compute."""
    def __init__(self, work, fabric):
        rows, self.gpus, self.switches = work["vertices"], work["gpus"], fabric["switches"]
        need(fabric.get("gpus", self.gpus) == self.gpus, "workload and fabric differ in GPUs")
        self.ids = [row["id"] for row in rows]
        self.number = {name: v for v, name in enumerate(self.ids)}
        need(len(self.number) == len(rows), "an id names two vertices")
        self.way = [tuple(row["send"]) if "send" in row else None for row in rows]
        self.release = [number(row.get("release", "0ps")) for row in rows]
        each = lambda key, usual: fabric[key] if isinstance(fabric.get(key), list) \
            else [fabric.get(key, usual)] * self.switches  # noqa: E731
        rates, own = each("rate", "800Gbps"), {(g, k): rate for g, k, rate in fabric.get("port_rate", [])}
        rate = lambda g, k: number(own.get((g, k), rates[k]))  # noqa: E731
        self.delay, self.dwell = ([number(time) for time in each(key, "0ps")] for key in ("delay", "dwell"))
        self.stops, rule = [word == "switch" for word in each("blocking", "port")], fabric.get("rule")
        self.duplex, self.sides = rule == "duplex", ("transmit", "receive") if rule == "simplex" else ("both",)
        dead = {tuple(row) for row in fabric.get("dead", [])}
        forbidden = {(k, *self.circuit(way)) for k, *way in fabric.get("forbidden", [])}
        self.initial = [[(a, b) for i, a, b in fabric.get("initial", []) if i == k] for k in range(self.switches)]
        need(not any(self.clash(a, b) for ways in self.initial for a in ways for b in ways), "initial circuits compete")
        pairs = fabric.get("propagation", [])
        travels = sorted((-(a != "all") - (b != "all"), -i, a, b, number(t)) for i, (a, b, t) in enumerate(
            pairs if isinstance(pairs, list) else [("all", "all", pairs)]))
        self.able, self.before, self.after = [], [[] for _ in rows], [[] for _ in rows]  # able: switch -> duration
        for v, row in enumerate(rows):
            time, bits, way = number(row.get("time", "0ps")), number(row.get("size", "0B")) * 8 * 10**12, self.way[v]
            self.able.append({k: time or max(1, -(-bits // min(rate(g, k) for g in way))) for k in range(self.switches)
                              if (k, *self.circuit(way)) not in forbidden and not dead & {(g, k) for g in way}}
                             if way else {None: time})
            need(self.able[v], "no switch can carry", self.ids[v])
        self.shortest = [min(able.values()) for able in self.able]
        for u, v, *lag in work["edges"]:
            u, v = self.number[u], self.number[v]
            at = self.way[v][0] if self.way[v] else rows[v]["compute"]  # where v happens
            src, dst = self.way[u] if self.way[u] and at != self.way[u][0] else (-1, -1)  # then light travels
            far = [t for _, _, a, b, t in travels if src >= 0 and a in (src, "all") and b in (dst, "all")]
            lag = sum(map(number, lag)) + (far + [0])[0]
            self.before[v].append((u, lag))
            self.after[u].append((v, lag))
        waits, self.order = list(map(len, self.before)), [v for v, edges in enumerate(self.before) if not edges]
        for u in self.order:  # it grows
            for v, _ in self.after[u]:
                waits[v] -= 1
                self.order += [v] * (waits[v] == 0)
        need(len(self.order) == len(rows), "the edges close a cycle")

    def circuit(self, way):
        return tuple(sorted(way)) if self.duplex else tuple(way)
    def ports(self, way):
        return [(way[0], self.sides[0]), (way[1], self.sides[-1])] if way else []
    def clash(self, one, two):
        """Two circuits that share a port, so that a change lies between them."""
        return set(self.ports(one)) & set(self.ports(two)) and self.circuit(one) != self.circuit(two)

def check_schedule(p, slots):
    start, end, users = {}, {}, [[] for _ in range(p.switches)]
    for slot in slots:
        v, k = p.number.get(slot["id"]), slot["switch"]
        need(v is not None and p.way[v] and v not in start, slot["id"], "is no send, or is scheduled twice")
        need(k in p.able[v], "switch", k, "cannot carry", slot["id"])
        start[v], end[v] = number(slot["start"]), number(slot["end"])
        need(end[v] - start[v] == p.able[v][k], slot["id"], "takes", end[v] - start[v], "ps, not", p.able[v][k])
        users[k].append(v)
    for v in p.order:
        need(v in start or not p.way[v], p.ids[v], "has no slot")
        ready = max([p.release[v]] + [end[u] + lag for u, lag in p.before[v]])
        need(start.setdefault(v, ready) >= ready, p.ids[v], "starts", ready - start[v], "ps before it may")
        end.setdefault(v, ready + p.shortest[v])
    for k, here in enumerate(users):
        check_switch(p, k, sorted(here, key=start.get), start, end)
    return max(end.values(), default=0)

def check_switch(p, k, users, start, end):
    # By port: its circuit, when other ones ended, and when this one did in each direction.
    last, windows = {port: (p.circuit(way), None, {way: 0}) for way in p.initial[k] for port in p.ports(way)}, []
    for v in users:
        way, lows = p.way[v], []
        for port in p.ports(way):
            circuit, others, ends = last.get(port, (p.circuit(way), None, {}))
            if circuit != p.circuit(way):
                others, ends = max([others or 0, *ends.values()]), {}
                lows.append(others)
            need(start[v] >= ends.get(way, 0), p.ids[v], "starts while another send holds its circuit")
            need(others is None or start[v] >= others + p.delay[k], p.ids[v], "starts before its circuit can be up")
            last[port] = (p.circuit(way), others, {**ends, way: end[v]})
        windows += [(max(lows), start[v] - p.delay[k])] if lows else []
    idle, allowed = 0, []  # when a change may begin, on a switch that stops as a whole
    for v in users if p.stops[k] and p.delay[k] else []:
        allowed += [(idle, start[v] - p.delay[k])] if start[v] - idle >= p.delay[k] else []
        idle = max(idle, end[v])
    allowed.append((idle, float("inf")))

    def following(time):
        return next(max(time, low) for low, high in allowed if high >= time)
    need(all(following(low) <= high for low, high in windows), "switch", k, "never idles long enough for a change")
    lows = sorted({low for low, _ in windows if p.dwell[k]})  # classes of time; the points must meet every window
    limit = [min([high for low, high in windows if low >= lows[c]]) for c in range(len(lows))] + [float("inf")]
    earliest, c = [-p.dwell[k]], 0  # of each class; no point after one of class c is later than limit[c]
    for n, low in enumerate(lows):
        while c <= n and (earliest[c] is None or following(max(low, earliest[c] + p.dwell[k])) > limit[c]):
            c += 1
        need(c <= n, "the changes of switch", k, "crowd each other out")
        point = following(max(low, earliest[c] + p.dwell[k]))
        earliest.append(point if n + 1 == len(lows) or point < lows[n + 1] else None)

def window(p, outside, sends, inside=()):
    """What the sends of one port say of the time from the first to the last, by links, load and changes."""
    links, loads = {k for v in sends for k in p.able[v]}, {}
    for v in sends:
        loads.setdefault(p.circuit(p.way[v]), {}).setdefault(p.way[v], []).append(p.shortest[v])
    load = sum(max(sum(times) for times in ways.values()) for ways in loads.values())
    load += min(p.delay[k] for k in links) * max(0, len(loads) - len(links))
    need(not inside or len(sends) >= len(links), "the certificate has fewer sends than links")
    load += sum(sum(sorted(times[v] for v in sends)[:len(links)]) for times in inside)
    return outside - -load // len(links)

def lengthen(p, times, order, nearer, lifts):
    """Heads, or with all turned round tails: longest paths, raised by the lifts."""
    for i, v in enumerate(order):
        times[v] = max([times[v]] + [times[u] + p.shortest[u] + lag for u, lag in nearer[v]])
        for port, edge, least in lifts.get(v, []):
            far = {v: -p.shortest[v]}  # the longest time between u and v
            for x in order[i::-1]:
                for u, lag in nearer[x] if x in far else []:
                    if times[u] >= edge:
                        far[u] = max(far.get(u, 0), far[x] + p.shortest[x] + lag)
            sends = [u for u in far if u != v and far[u] >= least and port in p.ports(p.way[u])]
            times[v] = max(times[v], verify_share.least(p, sends, edge + least, window(p, edge + least, sends)) if sends else 0)
    return times

def lengths(p, told):
    """Heads and tails, raised by the lifts of the certificate."""
    lifts = {"head": {}, "tail": {}}
    for lift in told.get("lifts", []):
        need(lift.get("side", "both") in p.sides and 0 <= lift["gpu"] < p.gpus, "a lift's port is not there")
        lifts[lift["end"]].setdefault(p.number[lift["vertex"]], []).append(
            ((lift["gpu"], lift.get("side", "both")), number(lift["edge"]), number(lift["lag"])))
    heads = [max(p.release[v], min(p.delay[k] * any(p.clash(way, p.way[v]) for way in p.initial[k]) for k in able)
                 if p.way[v] else 0) for v, able in enumerate(p.able)]
    heads = lengthen(p, heads, p.order, p.before, lifts["head"])
    return heads, lengthen(p, [0] * len(heads), p.order[::-1], p.after, lifts["tail"])

def check_certificate(p, claimed, told):
    kind, (heads, tails) = told["kind"], lengths(p, told)
    if kind in ("critical-path", "lifted-path"):
        found = max(map(sum, zip(heads, p.shortest, tails)), default=0)
    elif re.fullmatch("(port|lifted)-(load|edges|share)|port-sequence", kind):
        port, sends = (told["gpu"], told.get("side", "both")), [p.number[name] for name in told.get("sends", [])]
        a, b = number(told["head"]), number(told["tail"])
        need(sends and len(set(sends)) == len(sends), "the certificate has no sends, or one twice")
        for v in sends:
            need(port in p.ports(p.way[v]) and heads[v] >= a and tails[v] >= b, p.ids[v], "is not of the window")
        found = {"load": lambda: window(p, a + b, sends), "edges": lambda: window(p, 0, sends, (heads, tails)),
                 "share": lambda: verify_share.confirms(p, sends, a + b, claimed, need),
                 "sequence": lambda: verify_sequence.confirms(p, sends, heads, tails, claimed, need)}[kind.split("-")[1]]()
    elif kind == "subset":
        sends = [p.number[name] for name in told.get("sends") or told["vertices"]]
        found = verify_subset.confirms(p, sends, heads, tails, claimed, need)
    else:
        found = need(kind == "none", "a certificate of kind", kind, "cannot be recomputed") or 0
    need(found >= claimed, "the certificate gives", found, "ps, not the", claimed, "ps that the schedule claims")
    return found

def verify(document):
    p, schedule = Problem(document["workload"], document["fabric"]), document["schedule"]
    makespan, claimed = check_schedule(p, schedule["sends"]), number(schedule.get("bound", "0ps"))
    need(number(schedule.get("makespan", "%dps" % makespan)) == makespan, "the makespan is", makespan, "ps")
    bound = check_certificate(p, claimed, schedule.get("certificate", {"kind": "none"}))
    need(schedule.get("status") != "optimal" or bound == makespan, "called optimal, but the bound is", bound)
    return makespan, bound

def main(paths):
    bad = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                print("%s: valid, makespan %d ps, bound %d ps" % (path, *verify(json.load(file))))
        except (Fault, OSError, ValueError, KeyError, TypeError, IndexError) as fault:
            print("%s: %s" % (path, fault if isinstance(fault, Fault) else "no such document: %r" % fault))
            bad = 1
    return bad

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
