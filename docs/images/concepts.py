#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/concepts.md. Every timeline is a schedule that the library's checker accepted, and every
bound in them is asked of the library.

    LIBFLUX_LIBRARY=build/gcc PYTHONPATH=bindings/python docs/images/concepts.py [--check]

With --check nothing is written: the files must be what would be.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), "bindings", "python")]
sys.dont_write_bytecode = True

import libflux  # noqa: E402
from lanes import COLOURS, FAINT, INK, LEFT, US, Case, Picture, bar, panel  # noqa: E402


def rules():
    picture = Picture("The same four sends on a switch under the rules paper, duplex and simplex: 300, 220 and 140 us")
    about = {
        "paper": "A port carries one circuit, in one direction.",
        "duplex": "A circuit carries both directions of its pair: upper half out, lower half in.",
        "simplex": "Every GPU has a port out (upper half) and a port in (lower half), with a circuit each.",
    }
    starts = {"paper": (0, 80, 160, 240), "duplex": (0, 0, 80, 160), "simplex": (0, 0, 80, 80)}
    for rule, times in starts.items():
        case = Case(3, rule=rule)
        for (src, dst), start in zip(((0, 1), (1, 0), (1, 2), (2, 0)), times):
            case.send(src, dst, 60, start)
        assert libflux.schedule(case.graph, case.fabric).makespan == case.schedule().makespan  # none is shorter
        picture.title(rule, about[rule])
        panel(picture, case, [(gpu, 0) for gpu in range(3)], end=310)
    return picture


def hidden():
    picture = Picture("A change of circuits in the way, behind compute, and behind another switch")
    picture.title("In the way", "One switch. GPU 0 has data for GPU 2 at once, and waits for its port: 20 us are lost.")
    case = Case(3)
    first = case.send(0, 1, 60, 0)
    case.send(0, 2, 60, 80, after=[first])
    panel(picture, case, [(0, 0)], end=200)
    picture.title("Behind compute",
                  "The next send waits for compute anyway. The port changes meanwhile: nothing is lost.")
    case = Case(3)
    first = case.send(0, 1, 60, 0)
    think = case.compute(0, 40, [first])
    case.send(0, 2, 60, 100, after=[think])
    panel(picture, case, [(0, 0), (0, None)], end=200)
    picture.title("Behind another switch", "Two switches take turns: one carries, the other changes. Nothing is lost.")
    case = Case(4, switches=2)
    first = case.send(0, 1, 60, 0)
    second = case.send(0, 2, 60, 60, 1, [first])
    case.send(0, 3, 60, 120, 0, [second])
    panel(picture, case, [(0, 0), (0, 1)], end=200)
    return picture


def parameters():
    picture = Picture("What blocking, dwell, initial circuits and propagation do to one switch")
    for blocking, start, words in (
        ("port", 80, "Only the ports of the new circuit go dark; the other pair goes on."),
        ("switch", 160, "The whole switch goes dark: the change waits until nothing is under way."),
    ):
        picture.title("blocking: %s" % blocking, words)
        case = Case(4, blocking=blocking)
        first = case.send(0, 1, 60, 0)
        case.send(2, 3, 140, 0)
        case.send(1, 0, 60, start, after=[first])
        panel(picture, case, [(0, 0), (1, 0), (2, 0)], end=240)
    picture.title("dwell: 100us",
                  "A change begins at 60 us. The next may begin then, too, or 100 us later: at 160, not at 90.")
    case = Case(4, dwell="100us")
    case.send(0, 1, 60, 0)
    case.send(1, 0, 60, 80)
    case.send(2, 3, 90, 0)
    case.send(3, 2, 60, 180)
    panel(picture, case, [(0, 0), (2, 0)], end=240)
    picture.title("initial: [[0, 0, 2]]",
                  "The circuit from GPU 0 to GPU 2 is up at first. Any other one at these ports needs a change.")
    case = Case(3, initial=[(0, 0, 2)])
    case.send(0, 1, 60, 20)
    panel(picture, case, [(0, 0), (1, 0)], end=240)
    picture.title("propagation: 30us",
                  "What arrives arrives later, so compute at GPU 1 waits. The port is free as soon as all has left.")
    case = Case(2, propagation="30us")
    first = case.send(0, 1, 60, 0)
    case.send(0, 1, 60, 60)
    case.compute(1, 60, [first])
    panel(picture, case, [(0, 0), (1, None)], end=240)
    return picture


def port_load():
    picture = Picture("A port load bound: compute, then four sends of GPU 0 over two links, then compute: 300 us")
    case = Case(5, switches=2, delay=10)
    first = case.compute(0, 50)
    sends = [case.send(*pair, 100, start, switch, [first]) for pair, start, switch in (
        ((0, 1), 50, 0), ((0, 2), 50, 1), ((0, 3), 160, 0), ((4, 0), 160, 1))]  # fmt: skip
    last = case.graph.add_compute(0, "40us")
    for send in sends:
        case.graph.add_edge(send, last)
    why = libflux.bound(case.graph, case.fabric)
    assert (why.kind, why.bound, why.gpu, why.head, why.tail) == ("port-load", 300 * US, 0, 50 * US, 40 * US), (
        why.kind, why.bound, why.head, why.tail)
    picture.title("A schedule, and why none is shorter",
                  "GPU 0, two switches that take 10 us: 50 + (4 × 100 + 2 × 10) / 2 + 40 = 300")
    panel(picture, case, [(0, 0), (0, 1), (0, None)], end=320,
          marks=[(50, "head 50", True), (260, "tail 40", True), (300, "300", False)])
    return picture


def lifted():
    picture = Picture("Three bounds for the same problem: longest path 1200, port load 1310, lifted 1420")
    graph = libflux.Graph(6)
    pairs = ((0, 1), (0, 2), (0, 3), (4, 0)), ((5, 1), (5, 2), (5, 3), (4, 5))
    before = [graph.add_send(src, dst, 1) for src, dst in pairs[0]]
    barrier = graph.add_compute(5, "1000us")
    after = [graph.add_send(src, dst, 1) for src, dst in pairs[1]]
    for send in before + after:
        graph.set_duration(send, "100us")
        graph.add_edge(*((send, barrier) if send in before else (barrier, send)))
    fabric = libflux.Fabric(6, switches=2, delay="10us")
    schedule = libflux.schedule(graph, fabric)
    assert (schedule.bound, schedule.status) == (1420 * US, "optimal"), (schedule.bound, schedule.status)
    assert schedule.certificate.kind.startswith("lifted"), schedule.certificate.kind
    assert libflux.bound(graph, fabric).bound == 1310 * US
    picture.title("Four sends at GPU 0, then compute, then four sends at GPU 5",
                  "Two switches, each send 100 us, a change 10 us, compute 1000 us (not to scale)")
    rows = (("longest path", 100, 100, "one send and another: the links are forgotten"),
            ("port load", 210, 100, "all four of one GPU, and a path through the other"),
            ("lifted", 210, 210, "compute cannot begin before both links have carried all four"))  # fmt: skip
    wide = 0.75
    for name, left, right, words in rows:
        y = picture.y + 4
        picture.text(LEFT - 10, y + 17, name, "end", 12.5, FAINT)
        x = LEFT
        grey = ("#c9d0d8", "", "#8a949e")
        for length, colour, text in ((left * wide, COLOURS[0], "%d" % left), (160, grey, "compute, 1000"),
                                     (right * wide, COLOURS[1], "%d" % right)):  # fmt: skip
            bar(picture, x, x + length, y, 26, colour[0], colour[2], text)
            x += length
        picture.text(x + 12, y + 17, "%d" % (left + 1000 + right), weight="bold")
        picture.text(LEFT, y + 42, words, size=12, colour=FAINT)
        picture.y = y + 50
    return picture


def port_sequence():
    picture = Picture("Two circuits in turn on one port need three changes: 500 us, where a sum over the port says 300")
    case = Case(3, delay=100)
    previous, start = [], 0
    for dst in (1, 2, 1, 2):
        previous = [case.send(0, dst, 50, start, after=previous)]
        start += 150
    schedule = libflux.schedule(case.graph, case.fabric)
    kind = schedule.certificate.kind
    assert (kind, schedule.bound) == ("port-sequence", 500 * US), (kind, schedule.bound)
    assert libflux.bound(case.graph, case.fabric).bound == 300 * US
    picture.title("Each send waits for the one before",
                  "GPU 0 on one switch that takes 100 us: load 4 × 50, and at least one change: 300. In this order it takes three.")
    panel(picture, case, [(0, 0)], end=520, marks=[(300, "port load 300", True), (500, "port sequence 500", False)])
    return picture


def gap():
    picture = Picture("The best schedule lies between the bound and the makespan found; the gap is their distance")
    for title, bound, makespan in (("feasible: a gap of 25 %", 400, 500), ("optimal: no gap", 400, 400)):
        picture.title(title)
        y, scale = picture.y + 34, (picture.width - 2 * 40) / 620
        at = lambda time: 40 + time * scale  # noqa: E731
        picture.rect(at(0), y - 9, bound * scale, 18, "#eceff3")
        picture.text(at(bound / 2), y + 4.5, "impossible: proven by the certificate", "middle", 12, FAINT)
        if makespan > bound:
            picture.rect(at(bound), y - 9, (makespan - bound) * scale, 18, "#faf5db", "#a8943a", 0)
            picture.text(at((bound + makespan) / 2), y + 4.5, "the best is here", "middle", 11.5)
        picture.rect(at(makespan), y - 9, (600 - makespan) * scale, 18, COLOURS[5][1])
        words = "possible" if makespan > bound else "possible: the schedule is one"
        picture.text(at((makespan + 600) / 2), y + 4.5, words, "middle", 12)
        picture.line(at(0), y + 16, at(605), y + 16, INK, 1.2, arrow=True)
        picture.text(at(612), y + 20, "time", size=11.5, colour=FAINT)
        apart = ((bound, "bound"), (makespan, "makespan"))
        for time, text in apart if makespan > bound else ((bound, "bound = makespan"),):
            picture.line(at(time), y - 16, at(time), y + 16, INK, 1.6)
            picture.text(at(time), y - 20, text, "middle", 12.5, weight="bold")
        picture.y = y + 26
    return picture


def fabric():
    picture = Picture("Four GPUs, each with a link to each of two optical circuit switches, whose ports circuits join")
    top = picture.y + 8
    for switch in range(2):
        x = 70 + switch * 360
        picture.rect(x, top, 260, 92, "#f3f5f7", "#8a949e", 8)
        picture.text(x + 130, top + 22, "switch %d" % switch, "middle", 13.5, weight="bold")
    ports = lambda gpu, switch: (100 + switch * 360 + gpu * 66.7, top + 92)  # noqa: E731
    for switch, pairs in ((0, ((0, 1), (2, 3))), (1, ((1, 2), (3, 0)))):
        for src, dst in pairs:
            (x1, y), (x2, _) = ports(src, switch), ports(dst, switch)
            height = 24 + 11 * (abs(src - dst) > 1)
            high = y - 2.2 * height
            picture.parts.append('<path d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s" '
                                 'stroke-width="3" marker-end="url(#tip)"/>'
                                 % (x1, y - 7, x1, high, x2, high, x2, y - 7, COLOURS[dst][2]))  # fmt: skip
    bottom = top + 178
    for gpu in range(4):
        x = 95 + gpu * 170
        for switch in range(2):
            px, py = ports(gpu, switch)
            picture.line(x + 30, bottom, px, py, "#9aa5b1", 1.4)
            picture.rect(px - 6, py - 6, 12, 12, "#ffffff", INK, 2)
        picture.rect(x - 12, bottom, 84, 34, COLOURS[gpu][1], COLOURS[gpu][2], 6)
        picture.text(x + 30, bottom + 22, "GPU %d" % gpu, "middle", 13.5)
    picture.text(picture.width / 2, bottom + 60,
                 "A square is a port. A circuit joins two ports of one switch; light passes it unchanged.", "middle", 12.5, FAINT)
    picture.y = bottom + 64
    return picture


PICTURES = {"fabric": fabric, "rules": rules, "hidden": hidden, "parameters": parameters, "port-load": port_load,
            "lifted": lifted, "port-sequence": port_sequence, "gap": gap}  # fmt: skip


def main():
    status = 0
    for name, draw in PICTURES.items():
        path, svg = os.path.join(HERE, "concept-%s.svg" % name), draw().svg()
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                same = file.read() == svg
            print("%s the picture concept-%s.svg is what is drawn" % ("ok" if same else "not ok", name))
            status |= not same
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
    return status


if __name__ == "__main__":
    sys.exit(main())
