# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of a schedule: its figures in a line, and a small timeline as inline SVG."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Dict, List, Tuple

from . import _lanes, _values

if TYPE_CHECKING:
    from ._schedule import Schedule

_GPUS = 16  # shown
_SENDS = 50000  # more would keep a notebook waiting
_LEFT, _WIDTH, _HEAD = 52, 708, 6  # pixels

Lanes = Dict[Tuple[int, int], List[Tuple[int, int, str, str]]]


def _lanes_of(schedule: Schedule, gpus: int) -> Lanes:
    """By GPU and switch: begin, end, colour and words of each bar."""
    lanes: Lanes = {(gpu, k): [] for gpu in range(gpus) for k in range(schedule.fabric.switches)}
    for gpu, k, begin, end, partner, out in _lanes.bars(schedule):
        if gpu < gpus:
            colour = (_lanes.FULL if out else _lanes.PALE)[partner % 8]
            lanes[gpu, k].append((begin, end, colour, "%s GPU %d" % ("to" if out else "from", partner)))
    for gpu, k, begin, end in _lanes.changes(schedule):
        if gpu < gpus:
            lanes[gpu, k].append((begin, end, _lanes.CHANGE, "changing"))
    return lanes


def _row(bars: List[Tuple[int, int, str, str]], scale: float, y: float, height: float) -> List[str]:
    """A lane; what begins in the same half pixel is one bar."""
    drawn: List[str] = []
    filled = -1.0
    for begin, end, colour, words in sorted(bars):
        left, right = begin * scale, end * scale
        if right - filled < 0.5:
            continue
        left = max(left, filled) if left < filled else left
        right = max(right, left + 0.5)
        drawn.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s, %s to %s</title></rect>'
                     % (_LEFT + left, y, right - left, height, colour, words, _values.format_time(begin),
                        _values.format_time(end)))  # fmt: skip
        filled = right
    return drawn


def _svg(schedule: Schedule) -> str:
    gpus, switches = min(_GPUS, schedule.fabric.gpus), schedule.fabric.switches
    height = max(3.0, min(9.0, 200.0 / (gpus * switches)))
    band = switches * height + 4
    scale = _WIDTH / max(1, schedule.makespan)
    lanes = _lanes_of(schedule, gpus)
    bottom = _HEAD + gpus * band
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="780" height="%.0f" viewBox="0 0 780 %.0f" role="img" '
           'font-family="sans-serif" font-size="10" style="max-width:100%%;background:#ffffff">'
           % (bottom + 20, bottom + 20)]  # fmt: skip
    for gpu in range(gpus):
        top = _HEAD + gpu * band
        out.append('<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="%s"/>'
                   % (_LEFT, top + 1, _WIDTH, band - 2, _lanes.BAND))
        if band >= 10 or gpu % 2 == 0:
            out.append('<text x="%d" y="%.1f" text-anchor="end" fill="%s">GPU %d</text>'
                       % (_LEFT - 6, top + band / 2 + 3.5, _lanes.INK, gpu))
        for k in range(switches):
            out += _row(lanes[gpu, k], scale, top + 2 + k * height, max(1.0, height - 0.6))
    for time, dash in ((schedule.makespan, ""), (schedule.bound, ' stroke-dasharray="3 2"')):
        if time == schedule.makespan or not schedule.optimal:
            out.append('<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:.1f}" stroke="{3}"{4}/>'.format(
                _LEFT + time * scale, _HEAD - 4, bottom + 3, _lanes.INK, dash))
    for part in range(5):
        time = schedule.makespan * part // 4
        out.append('<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>'
                   % (_LEFT + time * scale, bottom + 15, "start" if not part else "end" if part == 4 else "middle",
                      _lanes.GREY, _lanes.short(time)))  # fmt: skip
    return "".join(out) + "</svg>"


def html(schedule: Schedule) -> str:
    """The work of Schedule._repr_html_()."""
    if schedule.closed:
        return escape(repr(schedule))
    figures = (
        ("makespan", "%s, %s" % (_lanes.short(schedule.makespan), _lanes.verdict(schedule))),
        ("bound", "%s (%s)" % (_lanes.short(schedule.bound), schedule.certificate.kind)),
        ("sends", format(len(schedule.slots), ",")),
        ("reconfigurations", format(schedule.reconfigurations, ",")),
    )
    head = " &nbsp; ".join("<b>%s</b> %s" % (name, escape(value)) for name, value in figures)
    if schedule.graph.closed or schedule.fabric.closed:
        return "<div>%s</div>" % head
    notes = []
    if len(schedule.slots) > _SENDS:
        notes.append("too many sends for a picture here: plot(begin=, end=) or write_svg() draw a part of it")
    elif schedule.fabric.gpus > _GPUS:
        notes.append("GPUs 0 to %d of %d are shown; plot(gpus=) shows others" % (_GPUS - 1, schedule.fabric.gpus))
    picture = _svg(schedule) if len(schedule.slots) <= _SENDS and schedule.makespan else ""
    note = "".join('<div style="color:%s;font-size:smaller">%s</div>' % (_lanes.GREY, text) for text in notes)
    return '<div style="font-size:13px"><div>%s</div>%s%s</div>' % (head, picture, note)
