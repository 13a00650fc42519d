# SPDX-License-Identifier: Apache-2.0
"""verify_share.py: is the number of a port-share or lifted-share certificate right? The second half of verify.py, from
docs/certificates.md alone: sends, never split, are counted on equal links."""


def fits(durations, circuits, links, delay, time):
    """Can `links` links take as many sends and circuits within `time`, each with the shortest sends that there are?"""
    sums, ways = [0], []
    for duration in sorted(durations):
        sums.append(sums[-1] + duration)
    for j in range(1, circuits + 1):  # circuits on one link, and the most sends with them
        sends = max((n for n, load in enumerate(sums) if load + delay * (j - 1) <= time), default=0)
        ways += [(j, sends)] if sends >= j else []
    most = {0: 0}  # by circuits on some links: sends there
    for _ in range(links):
        for had, sends in sorted(most.items(), reverse=True):
            for j, more in ways:
                total = min(circuits, had + j)
                most[total] = max(most.get(total, 0), sends + more)
    return most.get(circuits, -1) >= len(durations)


def least(p, sends, outside, low):
    """The number of a lift's sends: `low`, or more by counting those of at least some duration as if they took just that."""
    if p.duplex:
        return low
    links = {k for v in sends for k in p.able[v]}
    delay = min(p.delay[k] for k in links)
    for time in {p.shortest[v] for v in sends}:
        long = [v for v in sends if p.shortest[v] >= time]
        what = [time] * len(long), len({p.way[v] for v in long}), len(links), delay
        if len(long) <= len(links) or fits(*what, low - outside):
            continue
        high = low + (time + delay) * len(long)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(*what, middle - outside) else (middle, high)
        low = high
    return low


def confirms(p, sends, outside, claimed, need):
    """`claimed`, where the sends do not fit into a picosecond less. They are of one GPU side and window, as the caller has
    checked; `outside` is head plus tail."""
    ways, links = {p.way[v] for v in sends}, {k for v in sends for k in p.able[v]}
    circuits = {p.circuit(way) for way in ways}
    need(len(ways) == len(circuits), "both directions of a pair are counted")
    need(not fits([p.shortest[v] for v in sends], len(circuits), len(links), min(p.delay[k] for k in links),
                  claimed - 1 - outside), "the certificate's sends fit on their links before", claimed, "ps")
    return claimed
