#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify_sequence.py DOCUMENT.json ...: is the number of a port-sequence certificate right? The queues and lags of its sends,
and a search that must find no sequence that ends sooner; from docs/certificates.md alone. verify.py asks it where it meets
this kind. Status 0: confirmed; 1: a sentence says why not."""
import functools
import itertools
import json
import sys


def starts_between(p, sends):
    """D(u, w) of all u and w of the sends with a path from u to w: the longest time between their starts."""
    place, wanted, found = {v: i for i, v in enumerate(p.order)}, set(sends), {}
    for u in sends:
        far = {u: 0}
        for v in p.order[place[u]:]:
            for x, lag in p.after[v] if v in far else []:
                far[x] = max(far.get(x, 0), far[v] + p.shortest[v] + lag)
        found.update(((u, w), time) for w, time in far.items() if w != u and w in wanted)
    return found


class Queue:
    def __init__(self, circuit, sends, chain, p, heads, tails):
        self.circuit, self.sends, self.chain, self.size = circuit, sends, chain, len(sends)
        self.duration = [p.shortest[v] for v in sends]
        self.head = [heads[v] for v in sends]  # they are in order of head
        self.tail = [tails[v] for v in sends] if chain else sorted((tails[v] for v in sends), reverse=True)


def queues_of(p, sends, heads, tails, between):
    circuits = {}
    for v in sorted(sends, key=lambda v: (heads[v], v)):
        circuits.setdefault(p.way[v], []).append(v)
    chain = lambda row: all(pair in between for pair in zip(row, row[1:]))  # noqa: E731
    queues = []
    for circuit, row in circuits.items():
        times = sorted({p.shortest[v] for v in row})
        rows = [row] if chain(row) else [[v for v in row if p.shortest[v] == time] for time in times]
        queues += [Queue(circuit, row, chain(row), p, heads, tails) for row in rows]
    return queues


def lags_between(q, r, between):
    """lags[i][j]: from the start of position i of q to that of position j of r; None where there is none."""
    to_send = []  # by send of r, then position of q
    for w in r.sends:
        lags = [between.get((u, w)) for u in q.sends]
        to_send.append(lags if q.chain else sorted(lags, key=lambda lag: -1 if lag is None else lag, reverse=True))
    if not r.chain:  # the least of all later ones
        for j in range(r.size - 2, -1, -1):
            to_send[j] = [None if a is None or b is None else min(a, b) for a, b in zip(to_send[j], to_send[j + 1])]
    return [list(row) for row in zip(*to_send)]


class Waste:
    """Time that the links must leave unused between rounds of some queues, which all have one size and different circuits."""

    def __init__(self, queues, lags, links, delay, chosen):
        self.queues, self.lags, self.links, self.delay, self.chosen = queues, lags, links, delay, chosen
        self.circuits = {queues[q].circuit for q in chosen}
        size, self.places = queues[chosen[0]].size, []
        for i in range(size):  # the first place, and the next one that all waits for the place before
            if not self.places or self.pause(self.places[-1], i) is not None:
                self.places.append(i)
        beside = [0 if i in self.places else sum(queues[q].duration[i] for q in chosen) for i in range(size)]
        self.beside = [sum(beside[before + 1:]) for before in [-1] + self.places]  # these may fill what is unused
        self.least = functools.lru_cache(maxsize=None)(self.least)
        for round in range(len(self.places), -1, -1):  # from the end, so that no call goes deep
            for home, missing in itertools.product(range(links + 1), range(4)):
                self.least(round, self.ages(home), missing)

    def ages(self, home):
        return tuple(sorted([0] * home + [None] * (self.links - home), key=str))

    def pause(self, i, j):
        """The least time from the end of a send at place i to the start of one at place j; None where some may overlap."""
        rows = [(self.lags[p][q][i][j], self.queues[p].duration[i]) for p in self.chosen for q in self.chosen]
        return None if any(lag is None or lag < time for lag, time in rows) else min(lag - time for lag, time in rows)

    def join(self, round, ages, missing):
        """What links may do in a round: a row of (unused time, how long ago each was in a round, circuits still missing).
        Ages: 0, with a circuit of a round from the start; None, with another; else rounds since the last it was in."""
        rows = [(0, (), missing)]
        for age in ages:
            ways = [(0, age and min(age + 1, 3), 0)]  # stays out
            if age is None or age == 0:
                ways.append((0 if age == 0 else self.delay, 1, 0))
            else:
                pauses = [self.pause(self.places[round - back], self.places[round]) for back in range(1, min(age, round) + 1)]
                ways.append((min(max(t for t in pauses if t is not None), 2 * self.delay), 1, 0))
                ways.append((self.delay, 1, 1))  # fetches a missing circuit, whose own setup is counted apart
            rows = [(unused + cost, done + (new,), left - fetched) for unused, done, left in rows
                    for cost, new, fetched in ways if left >= fetched]
        return rows

    def least(self, round, ages, missing):
        if round == len(self.places):
            return 0
        best = float("inf")
        for unused, after, left in self.join(round, ages, missing):
            joined = sum(age == 1 for age in after)
            if 1 <= joined <= len(self.chosen):
                after = tuple(sorted(after, key=str))
                best = min(best, unused + (len(self.chosen) - joined) * self.delay + self.least(round + 1, after, left))
        return best

    def of(self, gone, ports):
        """From the first round of which nothing has begun, with the circuits that other queues miss."""
        round = sum(place < max(gone[q] for q in self.chosen) for place in self.places)
        up = [circuit for circuit, _ in ports]
        fresh = up.count("")
        missing = {queue.circuit for q, queue in enumerate(self.queues) if gone[q] < queue.size} - self.circuits - set(up)
        missing = min(3, max(0, len(missing) - fresh))
        home = fresh + sum(circuit in self.circuits for circuit in up)
        filled = sum(sum(queue.duration[gone[q]:]) for q, queue in enumerate(self.queues)
                     if q not in self.chosen and queue.circuit in self.circuits)
        return max(0, self.least(round, self.ages(home), missing) - filled + missing * self.delay - self.beside[round])


def most_wasted(queues, lags, links, delay):
    """The Waste of the queues that waste most; None where there is none."""
    found, shapes = [], [(queue.circuit, queue.size) for queue in queues]
    for size in sorted({queue.size for queue in queues}) if links <= 4 else []:
        chosen = [q for q, shape in enumerate(shapes) if shape[1] == size and shapes.count(shape) == 1]
        if not chosen:
            continue
        waste = Waste(queues, lags, links, delay, chosen)
        found.append((waste.of([0] * len(queues), [("", 0)] * links), waste))
    return max(found, key=lambda row: row[0])[1] if found else None


class Search:
    """Is there a sequence that ends by `limit`? A state: how many of each queue have started; by port, sorted, the circuit and
    since when it is free; by queue, when its next may start at the earliest."""

    def __init__(self, queues, lags, links, delay, limit):
        self.queues, self.lags, self.links, self.delay, self.limit = queues, lags, links, delay, limit
        self.range, self.states = range(len(queues)), 0
        self.left = []  # by queue and position: the load from it on, and the least tail
        for q in queues:
            rows = [(0, float("inf"))]
            for time, tail in zip(reversed(q.duration), reversed(q.tail)):
                rows.append((rows[-1][0] + time, min(rows[-1][1], tail)))
            self.left.append(rows[::-1])
        windows = sorted((self.window(head) for head in {head for q in queues for head in q.head}),
                         key=lambda window: window[0] + window[2], reverse=True)
        self.windows = windows[:3]
        self.waste = most_wasted(queues, lags, links, delay)

    def window(self, head):
        """The sends with at least this head: the first position of each queue, and from the first start to the end."""
        first = [sum(h < head for h in q.head) for q in self.queues]
        load, tail, setups = self.rest(first, self.range)
        return head, first, -(-(load + self.delay * max(0, setups - self.links)) // self.links) + tail

    def rest(self, gone, chosen):
        """Of what is left of the chosen queues: load, least tail, circuits."""
        rows = [self.left[q][gone[q]] for q in chosen]
        return (sum(load for load, _ in rows), min((tail for _, tail in rows), default=0),
                len({self.queues[q].circuit for q in chosen if gone[q] < self.queues[q].size}))

    def lag(self, q, gone, r, j):
        return self.lags[q][r][gone[q]][j] if gone[q] < self.queues[q].size else None

    def room(self, ports, since, tail):
        return sum(max(0, self.limit - tail - max(since, free)) for _, free in ports)

    def setup(self, circuit, q):
        return 0 if circuit in ("", self.queues[q].circuit) else self.delay

    def is_late(self, gone, ports, soon):
        """Something that is left cannot end in time."""
        waiting = [q for q in self.range if gone[q] < self.queues[q].size]
        for q in waiting:  # the next one, and those that start no sooner than it
            start = max(soon[q], min(free + self.setup(circuit, q) for circuit, free in ports))
            if start + self.queues[q].duration[gone[q]] + self.queues[q].tail[gone[q]] > self.limit:
                return True
            load, tail, circuits = self.rest(gone, [r for r in waiting if soon[r] >= soon[q]])
            if load + self.delay * max(0, circuits - self.links) > self.room(ports, soon[q], tail):
                return True
        for _, first, span in self.windows:
            if any(gone[q] > first[q] for q in self.range):
                continue
            starts = [float("inf")]
            for r in self.range:
                if first[r] < self.queues[r].size:
                    lags = [(q, self.lag(q, gone, r, first[r])) for q in waiting]
                    own = soon[r] if gone[r] == first[r] else self.queues[r].head[first[r]]
                    starts.append(max([own] + [soon[q] + lag for q, lag in lags if lag is not None]))
            if min(starts) != float("inf") and min(starts) + span > self.limit:
                return True
        load, tail, _ = self.rest(gone, waiting)
        missing = {self.queues[q].circuit for q in waiting} - {circuit for circuit, _ in ports}
        setups = max(0, len(missing) - sum(circuit == "" for circuit, _ in ports))
        if waiting and self.waste and load + self.waste.of(gone, ports) > self.room(ports, 0, tail):
            return True
        return bool(waiting) and load + self.delay * setups > self.room(ports, 0, tail)

    def after(self, gone, ports, soon, q, x):
        """The state when the next of q has started on port x; None where that, or what is left, ends too late."""
        circuit, free = ports[x]
        start, i = max(soon[q], free + self.setup(circuit, q)), gone[q]
        queue = self.queues[q]
        if start + queue.duration[i] + queue.tail[i] > self.limit:
            return None
        gone, soon = gone[:q] + (i + 1,) + gone[q + 1:], list(soon)
        ports = [*ports[:x], (queue.circuit, start + queue.duration[i]), *ports[x + 1:]]
        waiting = [r for r in self.range if gone[r] < self.queues[r].size]
        for r in self.range:
            own = self.queues[r].head[gone[r]] if r == q and r in waiting else soon[r]
            lag = self.lags[q][r][i][gone[r]] if r in waiting else None
            soon[r] = max(own, start, start + (lag or 0)) if r in waiting else 0
        for r in waiting:  # those that must start before the next of r
            for s in waiting:
                lag = self.lag(s, gone, r, gone[r])
                soon[r] = max(soon[r], soon[s] + lag if lag is not None and s != r else 0)
        # A port that is free before anything can use it is as good as one that becomes free just then.
        ports = [(c, max(free, min((soon[r] - self.setup(c, r) for r in waiting), default=free))) for c, free in ports]
        ports.sort(key=lambda port: (port[0] != "", port))
        return None if self.is_late(gone, ports, soon) else (gone, tuple(ports), tuple(soon))

    def must_wait(self, gone, r):
        return any(q != r and self.lag(q, gone, r, gone[r]) is not None for q in self.range)

    def ends_in_time(self):
        states = [(tuple(0 for _ in self.range), (("", -self.delay),) * self.links, tuple(q.head[0] for q in self.queues))]
        for _ in range(sum(q.size for q in self.queues)):
            kept = {}  # by counts and circuits: times that none of the others is nowhere later than
            for gone, ports, soon in states:
                for q in self.range:
                    if gone[q] == self.queues[q].size or self.must_wait(gone, q):
                        continue
                    for x in range(self.links):
                        if ports[x] not in ports[:x]:
                            self.keep(kept, self.after(gone, ports, soon, q, x))
            states = [state for rows in kept.values() for _, state in rows]
            self.states += len(states)
            if not states:
                return False
        return True

    @staticmethod
    def keep(kept, state):
        if not state:
            return
        gone, ports, soon = state
        times = [free for _, free in ports] + list(soon)
        rows = kept.setdefault((gone, tuple(circuit for circuit, _ in ports)), [])
        covers = lambda a, b: all(x <= y for x, y in zip(a, b))  # noqa: E731
        if not any(covers(row, times) for row, _ in rows):
            rows[:] = [row for row in rows if not covers(times, row[0])] + [(times, state)]


def search_for(p, sends, heads, tails, limit):
    """The finished search for a sequence of the sends that ends by `limit`, and whether there is one."""
    between, links = starts_between(p, sends), {k for v in sends for k in p.able[v]}
    queues = queues_of(p, sends, heads, tails, between)
    lags = [[lags_between(q, r, between) for r in queues] for q in queues]
    search = Search(queues, lags, len(links), min(p.delay[k] for k in links), limit)
    return search, search.ends_in_time()


def confirms(p, sends, heads, tails, claimed, need):
    """`claimed`, where no sequence of the sends ends before it. They are of one GPU side, as the caller has checked."""
    need(not p.duplex or not {p.way[v] for v in sends} & {p.way[v][::-1] for v in sends}, "both directions of a pair are counted")
    need(not search_for(p, sends, heads, tails, claimed - 1)[1], "the certificate's sends can end before", claimed, "ps")
    return claimed


def main(paths):
    import verify
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        told = document["schedule"].get("certificate", {})
        try:
            verify.need(told.get("kind") == "port-sequence", "the certificate is of another kind")
            p, claimed = verify.Problem(document["workload"], document["fabric"]), verify.number(document["schedule"]["bound"])
            verify.check_certificate(p, claimed, told)
            print("%s: confirmed, no sequence of %d sends at GPU %d ends before %d ps"
                  % (path, len(told["sends"]), told["gpu"], claimed))
        except verify.Fault as fault:
            print("%s: %s" % (path, fault))
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
