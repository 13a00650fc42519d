# SPDX-License-Identifier: Apache-2.0
"""Small timelines as SVG, for docs/concepts.md: a lane per port, drawn from a schedule that the checker accepted.

Times are whole microseconds here, and a picture is as wide as its longest panel.
"""
import libflux

LEFT, RIGHT, LANE, GAP = 118, 24, 26, 5
INK, FAINT, GRID = "#1f2933", "#5c6773", "#d5dae0"
# full, pale, edge: the colours of the library's own pictures, by number of the partner
COLOURS = [("#77aadd", "#d6e6f5", "#3f74aa"), ("#ee8866", "#fadbd1", "#b3502d"), ("#eedd88", "#faf5db", "#a8943a"),
           ("#ffaabb", "#ffe5ea", "#c25f74"), ("#99ddff", "#e0f5ff", "#4a9cc4"), ("#44bb99", "#c7ebe0", "#22785f"),
           ("#bbcc33", "#ebf0c2", "#78851a"), ("#aaaa00", "#e6e6b3", "#6b6b00")]  # fmt: skip
US = 1000000


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Picture:
    """An SVG that grows downwards. `describe` is read out by screen readers."""

    def __init__(self, describe, width=760):
        self.describe, self.width, self.y, self.parts = describe, width, 14, []

    def rect(self, x, y, width, height, fill, edge=None, radius=3):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%g" fill="%s"%s/>' % (
            x, y, max(width, 0.5), height, radius, fill, ' stroke="%s"' % edge if edge else ""))

    def line(self, x1, y1, x2, y2, colour=INK, width=1, dash=None, arrow=False):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"%s%s/>' % (
            x1, y1, x2, y2, colour, width, ' stroke-dasharray="%s"' % dash if dash else "",
            ' marker-end="url(#tip)"' if arrow else ""))

    def text(self, x, y, text, anchor="start", size=13, colour=INK, weight=None, style=None):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%g" fill="%s"%s%s>%s</text>' % (
            x, y, anchor, size, colour, ' font-weight="%s"' % weight if weight else "",
            ' font-style="%s"' % style if style else "", escape(text)))

    def title(self, text, more=""):
        self.y += 14
        self.text(14, self.y, text, size=14, weight="bold")
        if more:
            self.text(14, self.y + 17, more, size=12.5, colour=FAINT)
            self.y += 17
        self.y += 10

    def svg(self):
        height = self.y + 12
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
            'font-family="Helvetica, Arial, sans-serif">\n<title>%s</title>\n'
            '<defs><pattern id="change" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)">'
            '<rect width="6" height="6" fill="#ffffff"/><rect width="2.4" height="6" fill="#8a949e"/></pattern>'
            '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="10" markerHeight="10" '
            'markerUnits="userSpaceOnUse" orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="%s"/></marker></defs>\n'
            '<rect width="%d" height="%d" fill="#ffffff"/>\n%s\n</svg>\n'
            % (self.width, height, self.width, height, escape(self.describe), INK, self.width, height,
               "\n".join(self.parts))
        )  # fmt: skip


class Case:
    """A little problem and a schedule of it, in microseconds."""

    def __init__(self, gpus, switches=1, delay=20, **fabric):
        initial = fabric.pop("initial", [])
        self.graph = libflux.Graph(gpus)
        self.fabric = libflux.Fabric(gpus, switches=switches, delay="%dus" % delay, **fabric)
        for switch, src, dst in initial:
            self.fabric.add_initial(switch, src, dst)
        self.rule = fabric.get("rule", "paper")
        self.slots = []

    def send(self, src, dst, time, start, switch=0, after=()):
        send = self.graph.add_send(src, dst, 1)
        self.graph.set_duration(send, "%dus" % time)
        for before in after:
            self.graph.add_edge(before, send)
        self.slots.append((send, switch, start * US, (start + time) * US))
        return send

    def compute(self, gpu, time, after=()):
        vertex = self.graph.add_compute(gpu, "%dus" % time)
        for before in after:
            self.graph.add_edge(before, vertex)
        return vertex

    def schedule(self):
        """Checked: a picture of what is no schedule cannot be drawn."""
        return libflux.Schedule.from_slots(self.graph, self.fabric, self.slots)


def changes_of(schedule, switch, gpu, side):
    """When this port changes its circuit: [(begin, up)]. Its first circuit is free unless one was up at time 0."""
    fabric, found, previous = schedule.fabric, [], None
    for row in fabric.initial if hasattr(fabric, "initial") else []:
        if row.switch == switch and gpu in (row.src, row.dst):
            previous = frozenset((row.src, row.dst)) if fabric.rule == "duplex" else (row.src, row.dst)
    rows = [c for c in schedule.circuits if c.switch == switch and (
        gpu in (c.src, c.dst) if side == "both" else gpu == (c.src if side == "transmit" else c.dst))]
    for row in sorted(rows, key=lambda c: c.up):
        circuit = frozenset((row.src, row.dst)) if fabric.rule == "duplex" else (row.src, row.dst)
        if previous not in (None, circuit):
            found.append((row.begin, row.up))
        previous = circuit
    return found


def panel(picture, case, lanes, end=None, computes=(), marks=(), names=None):
    """Lanes are (gpu, switch), or (gpu, None) for the compute of a GPU. `marks` are (time, text, dashed)."""
    schedule = case.schedule()
    end = end or -(-schedule.makespan // US)
    scale = (picture.width - LEFT - RIGHT) / end
    top = picture.y + (16 if marks else 0)
    at = lambda time: LEFT + time / US * scale  # noqa: E731
    y = top
    for gpu, switch in lanes:
        height = LANE if switch is not None else 20
        label = "GPU %d" % gpu if case.fabric.switches == 1 and switch is not None else (
            "GPU %d, switch %d" % (gpu, switch) if switch is not None else "compute, GPU %d" % gpu)
        picture.text(LEFT - 10, y + height / 2 + 4.5, label, "end", 12.5, FAINT)
        picture.rect(LEFT, y, end * scale, height, "#f3f5f7", radius=2)
        if switch is None:
            draw_compute(picture, schedule, gpu, y, height, at)
        elif case.rule != "paper":
            if case.rule == "duplex":
                draw_changes(picture, schedule, gpu, switch, "both", y, height, at)
            picture.line(LEFT, y + height / 2, LEFT + end * scale, y + height / 2, "#ffffff", 1.5)
            draw_port(picture, schedule, gpu, switch, "transmit", y, height / 2, at)
            draw_port(picture, schedule, gpu, switch, "receive", y + height / 2, height / 2, at)
        else:
            draw_port(picture, schedule, gpu, switch, "both", y, height, at)
        y += height + GAP
    for time, text, dashed in marks:
        picture.line(at(time * US), top - 4, at(time * US), y, INK, 1.2, "4 3" if dashed else None)
        anchor = "end" if time > end * 0.8 else "middle" if time > end * 0.1 else "start"
        shift = {"middle": 0, "end": 4, "start": -2}[anchor]
        picture.text(at(time * US) + shift, top - 8, text, anchor, 12)
    axis(picture, y, end, scale)
    return schedule


def axis(picture, y, end, scale):
    step = next(s for s in (10, 20, 50, 100, 200, 500) if s * scale >= 52)
    for time in range(0, end + 1, step):
        x = LEFT + time * scale
        picture.line(x, y - GAP + 1, x, y, GRID)
        picture.text(x, y + 12, "%d" % time if time else "0 us", "middle", 11, FAINT)
    picture.y = y + 22


def bar(picture, x1, x2, y, height, fill, edge, text):
    picture.rect(x1, y + 1, x2 - x1, height - 2, fill, edge)
    if text and x2 - x1 > 7 * len(text):
        down, size = (4.5, 12.5) if height > 15 else (3.6, 10.5)
        picture.text((x1 + x2) / 2, y + height / 2 + down, text, "middle", size)


def draw_changes(picture, schedule, gpu, switch, side, y, height, at):
    for begin, up in changes_of(schedule, switch, gpu, side):
        bar(picture, at(begin), at(up), y, height, "url(#change)", "#8a949e", "")


def draw_port(picture, schedule, gpu, switch, side, y, height, at):
    if schedule.fabric.rule != "duplex":
        draw_changes(picture, schedule, gpu, switch, side, y, height, at)
    for slot in schedule.slots:
        src, dst = schedule.graph.send(slot.send)[:2]
        if slot.switch != switch:
            continue
        if gpu == src and side != "receive":
            full, _, edge = COLOURS[dst % 8]
            bar(picture, at(slot.start), at(slot.end), y, height, full, edge, "→ %d" % dst)
        elif gpu == dst and side != "transmit":
            _, pale, edge = COLOURS[src % 8]
            bar(picture, at(slot.start), at(slot.end), y, height, pale, edge, "← %d" % src)


def draw_compute(picture, schedule, gpu, y, height, at):
    sends = {slot.send for slot in schedule.slots}
    for vertex, span in enumerate(schedule.times):
        if vertex not in sends and schedule.graph.compute(vertex).gpu == gpu and span.end > span.start:
            bar(picture, at(span.start), at(span.end), y, height, "#c9d0d8", "#8a949e", "compute")
