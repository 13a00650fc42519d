#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify_subset.py DOCUMENT.json ...: is the number of a subset certificate right? The problem of its sends alone, made from the
document and docs/certificates.md, and a search that must find no end before the bound: one here for what is easy, CP-SAT
where OR-Tools is installed for the rest. Status 0: confirmed; 1: a sentence says why not; 77: not settled here."""
import json
import sys

import verify
import verify_sequence

STEPS = 1000  # of the search here
SECONDS = 300  # of CP-SAT


class Piece:
    """The sends alone, by their place in the certificate: the longest paths between them, and what each pair asks for."""

    def __init__(self, p, sends, heads, tails, limit):
        self.able, self.n, self.limit = [p.able[v] for v in sends], len(sends), limit
        wait = lambda v, k: p.delay[k] * any(p.clash(way, p.way[v]) for way in p.initial[k])  # noqa: E731
        self.head = [{k: max(heads[v], wait(v, k)) for k in p.able[v]} for v in sends]
        self.tail, self.least = [tails[v] for v in sends], [p.shortest[v] for v in sends]
        between, place = verify_sequence.starts_between(p, sends), {v: i for i, v in enumerate(sends)}
        # From the end of u to the start of v, where no path through another send is as long.
        self.lags = {(place[u], place[v]): time - p.shortest[u] for (u, v), time in between.items()
                     if not any(between.get((u, x), -1) >= 0 and between.get((x, v), -1) >= 0
                                and between[u, x] + between[x, v] >= time for x in sends)}
        self.apart = {}  # by pair: by switch, from the end of one to the start of the other
        for i, u in enumerate(sends):
            for j in range(i + 1, self.n):
                one, two = p.way[u], p.way[sends[j]]
                same = p.circuit(one) == p.circuit(two)
                meet = one == two if same else bool(p.clash(one, two))
                shared = set(self.able[i]) & set(self.able[j])
                if meet and shared:
                    self.apart[i, j] = {k: 0 if same else p.delay[k] for k in shared}
        fixed = any(p.initial) or any(len(set(able.values())) > 1 or len(able) < p.switches for able in self.able)
        self.alike = not fixed and len(set(p.delay)) == 1


class Search:
    """Depth first. By send: the switches left, the earliest and the latest start."""

    def __init__(self, piece):
        self.piece, self.steps = piece, 0
        self.out = [[] for _ in range(piece.n)]
        for (u, v), lag in piece.lags.items():
            self.out[u].append((v, lag))

    def settle(self, left, first, last, order):
        """What follows; False where nothing is left. `order`: pairs (u, v) on one switch of which u is first, and the gap."""
        piece, changed = self.piece, True
        while changed:
            changed = False
            for u in range(piece.n):
                low = max(first[u], min(piece.head[u][k] for k in left[u]))
                time = min(piece.able[u][k] for k in left[u])
                high = min(last[u], piece.limit - piece.tail[u] - time)
                for v, lag in self.out[u] + order[u]:
                    if first[v] < low + time + lag:
                        first[v], changed = low + time + lag, True
                    high = min(high, last[v] - lag - time)
                changed |= (low, high) != (first[u], last[u])
                first[u], last[u] = low, high
                if low > high:
                    return False
            for (u, v), gaps in piece.apart.items():
                for k in list(set(gaps) & left[u] & left[v]):
                    after = [first[a] + piece.able[a][k] + gaps[k] <= last[b] for a, b in ((u, v), (v, u))]
                    ready = len(left[u]) == 1 and len(left[v]) == 1
                    if not any(after):
                        if ready:
                            return False
                        for one, other in ((u, v), (v, u)):
                            if len(left[one]) == 1 and k in left[other]:
                                left[other] = left[other] - {k}
                                changed = True
                    elif ready and not all(after):
                        a, b = (u, v) if after[0] else (v, u)
                        if (b, gaps[k]) not in order[a]:
                            order[a] = order[a] + [(b, gaps[k])]
                            changed = True
            if any(not ks for ks in left):
                return False
        return True

    def clash(self, left, first):
        """The first two sends of one switch that overlap as things are."""
        pairs = [(max(first[u], first[v]), u, v, gaps[k]) for (u, v), gaps in self.piece.apart.items()
                 for k in left[u] & left[v] if len(left[u]) == 1 and len(left[v]) == 1
                 and first[u] + self.piece.able[u][k] + gaps[k] > first[v]
                 and first[v] + self.piece.able[v][k] + gaps[k] > first[u]]
        return min(pairs, default=None)

    def ends_in_time(self, left, first, last, order):
        self.steps += 1
        if self.steps > STEPS:
            raise TimeoutError
        if not self.settle(left, first, last, order):
            return False
        found = self.clash(left, first)
        if found:
            _, u, v, gap = found
            for a, b in ((u, v), (v, u)):
                more = list(order)
                more[a] = more[a] + [(b, gap)]
                if self.ends_in_time(list(left), list(first), list(last), more):
                    return True
            return False
        open_ = [u for u in range(self.piece.n) if len(left[u]) > 1]
        if not open_:
            return True
        u = min(open_, key=lambda u: (first[u], u))
        used = {k for ks in left if len(ks) == 1 for k in ks}
        tries = sorted(left[u])
        if self.piece.alike:  # of switches that nothing tells apart, one that is not used yet is enough
            tries = [k for k in tries if k in used] + [k for k in tries if k not in used][:1]
        return any(self.ends_in_time([*left[:u], {k}, *left[u + 1:]], list(first), list(last), list(order)) for k in tries)

    def run(self):
        n = self.piece.n
        left = [set(able) for able in self.piece.able]
        return self.ends_in_time(left, [0] * n, [self.piece.limit] * n, [[] for _ in range(n)])


def by_cpsat(piece):
    """None where it does not know, or is not there."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return None
    model, on, start, end = cp_model.CpModel(), [], [], []
    for u in range(piece.n):
        on.append({k: model.new_bool_var("") for k in piece.able[u]})
        model.add_exactly_one(on[u].values())
        start.append(model.new_int_var(min(piece.head[u].values()), piece.limit, ""))
        end.append(model.new_int_var(0, piece.limit - piece.tail[u], ""))
        for k, x in on[u].items():
            model.add(start[u] >= piece.head[u][k]).only_enforce_if(x)
            model.add(end[u] == start[u] + piece.able[u][k]).only_enforce_if(x)
    for (u, v), lag in piece.lags.items():
        model.add(start[v] >= end[u] + lag)
    for (u, v), gaps in piece.apart.items():
        first = model.new_bool_var("")
        for k, gap in gaps.items():
            model.add(start[v] >= end[u] + gap).only_enforce_if([on[u][k], on[v][k], first])
            model.add(start[u] >= end[v] + gap).only_enforce_if([on[u][k], on[v][k], first.negated()])
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = SECONDS
    solver.parameters.num_workers = 2
    status = solver.solve(model)
    return {cp_model.INFEASIBLE: False, cp_model.FEASIBLE: True, cp_model.OPTIMAL: True}.get(status)


def ends_before(p, sends, heads, tails, claimed):
    """Can the sends alone end before `claimed`? None: not settled."""
    piece = Piece(p, sends, heads, tails, claimed - 1)
    if any(min(piece.head[u].values()) + piece.least[u] + piece.tail[u] > piece.limit for u in range(piece.n)):
        return False
    try:
        return Search(piece).run()
    except TimeoutError:
        return by_cpsat(piece)


def confirms(p, sends, heads, tails, claimed, need):
    need(sends and len(set(sends)) == len(sends), "the certificate has no sends, or one twice")
    need(all(p.way[v] for v in sends), "the certificate names what is no send")
    early = ends_before(p, sends, heads, tails, claimed)
    need(early is not None, "whether the certificate's sends can end sooner is not settled without OR-Tools")
    need(not early, "the certificate's sends can end before", claimed, "ps")
    return claimed


def check(document):
    told, p = document["schedule"].get("certificate", {}), verify.Problem(document["workload"], document["fabric"])
    claimed = verify.number(document["schedule"]["bound"])
    verify.need(told.get("kind") == "subset", "the certificate is of another kind")
    sends = [p.number[name] for name in told.get("sends") or told.get("vertices", [])]
    verify.need(sends and len(set(sends)) == len(sends), "the certificate has no sends, or one twice")
    verify.need(all(p.way[v] for v in sends), "the certificate names what is no send")
    heads, tails = verify.lengths(p, told)
    return sends, claimed, ends_before(p, sends, heads, tails, claimed)


def main(paths):
    worst = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                sends, claimed, early = check(json.load(file))
            verify.need(not early, "the certificate's sends can end before", claimed, "ps")
            if early is None:
                print("%s: not settled here; install OR-Tools (pip install ortools), whose CP-SAT goes further" % path)
                worst = worst or 77
            else:
                print("%s: confirmed, %d sends by themselves do not end before %d ps" % (path, len(sends), claimed))
        except verify.Fault as fault:
            print("%s: %s" % (path, fault))
            worst = 1
    return worst


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    sys.exit(main(sys.argv[1:]))
