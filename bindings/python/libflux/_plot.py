# SPDX-License-Identifier: Apache-2.0
"""Pictures of a schedule on Matplotlib: who does what when, how busy the ports are, what waits in the NICs."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Tuple

from . import _lanes, _values
from ._errors import ArgumentError
from ._extras import package
from ._values import Time

if TYPE_CHECKING:
    from ._schedule import Schedule

PANELS = ("timeline", "utilisation", "memory")
_WHAT = "Schedule.plot()"
_COLUMNS = 3000  # bars are merged below one part in so many of the picture's width
_GPUS = 16
_UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns"), (1, "ps"))


class _Picture:
    """What the panels share: the schedule, the window, and the unit of time that fits it."""

    def __init__(self, schedule: Schedule, begin: int, end: int, gpus: List[int]) -> None:
        self.schedule, self.begin, self.end, self.gpus = schedule, begin, end, gpus
        self.numpy = package("numpy", _WHAT)
        self.unit, self.unit_name = next(((u, n) for u, n in _UNITS if end - begin >= 2 * u), (1, "ps"))
        bars = list(_lanes.bars(schedule))
        self.bars = self.numpy.array(bars, "int64").reshape(len(bars), 6)
        changes = list(_lanes.changes(schedule))
        self.changes = self.numpy.array(changes, "int64").reshape(len(changes), 4)

    def at(self, times: Any) -> Any:
        """Times as the axis has them."""
        return times / self.unit

    def count_over_time(self, begins: Any, ends: Any, weights: Any) -> Tuple[Any, Any]:
        """The sum of the weights that are under way, as steps: from each time on, that much."""
        times = self.numpy.concatenate([begins, ends])
        steps = self.numpy.concatenate([weights, -weights])
        times, place = self.numpy.unique(times, return_inverse=True)
        level = self.numpy.zeros(len(times), steps.dtype)
        self.numpy.add.at(level, place, steps)
        return times, self.numpy.cumsum(level)


def _merged(picture: _Picture, lanes: Any, begins: Any, ends: Any, kinds: Any) -> List[Tuple[int, float, float, int]]:
    """Bars (lane, begin, end, kind) inside the window, those that nobody could tell apart made one."""
    numpy, span = picture.numpy, picture.end - picture.begin
    inside = (ends > picture.begin) & (begins < picture.end)
    lanes, kinds = lanes[inside], kinds[inside]
    begins, ends = begins[inside].clip(min=picture.begin), ends[inside].clip(max=picture.end)
    order = numpy.lexsort((begins, kinds, lanes))
    merged: List[Tuple[int, float, float, int]] = []
    near = span / _COLUMNS
    for lane, begin, end, kind in zip(lanes[order].tolist(), begins[order].tolist(), ends[order].tolist(),
                                      kinds[order].tolist()):
        if merged and merged[-1][0] == lane and merged[-1][3] == kind and begin - merged[-1][2] < near and (
            end - begin < near or merged[-1][2] - merged[-1][1] < near
        ):
            merged[-1] = lane, merged[-1][1], max(end, merged[-1][2]), kind
        else:
            merged.append((lane, begin, end, kind))
    return merged


def _timeline(picture: _Picture, axes: Any) -> None:
    numpy, gpus, switches = picture.numpy, picture.gpus, picture.schedule.fabric.switches
    collections = package("matplotlib.collections", _WHAT)
    lane_of = numpy.full(max(gpus) + 1, -1)
    lane_of[gpus] = numpy.arange(len(gpus)) * switches

    def boxes(rows: Any, ends: Any, kinds: Any) -> Any:
        seen = (rows[:, 0] <= max(gpus)) & (lane_of[rows[:, 0].clip(max=max(gpus))] >= 0)
        rows, ends, kinds = rows[seen], ends[seen], kinds[seen]
        return _merged(picture, lane_of[rows[:, 0]] + rows[:, 1], rows[:, 2], ends, kinds)

    def corners(lane: int, begin: float, end: float) -> List[Tuple[float, float]]:
        low, high, left, right = lane + 0.08, lane + 0.92, picture.at(begin), picture.at(end)
        return [(left, low), (left, high), (right, high), (right, low)]

    for i in range(0, len(gpus), 2):
        axes.axhspan(i * switches, (i + 1) * switches, color=_lanes.BAND, zorder=0)
    bars = boxes(picture.bars, picture.bars[:, 3], picture.bars[:, 4] % 8 + 8 * (1 - picture.bars[:, 5]))
    colours = _lanes.FULL + _lanes.PALE
    axes.add_collection(collections.PolyCollection(
        [corners(lane, begin, end) for lane, begin, end, _ in bars],
        facecolors=[colours[kind] for *_, kind in bars], edgecolors="none", zorder=2))
    dark = boxes(picture.changes, picture.changes[:, 3], picture.changes[:, 0] * 0)
    axes.add_collection(collections.PolyCollection(
        [corners(lane, begin, end) for lane, begin, end, _ in dark],
        facecolors=_lanes.CHANGE, edgecolors="none", zorder=3))
    axes.set_ylim(len(gpus) * switches, 0)
    axes.set_yticks([(i + 0.5) * switches for i in range(len(gpus))], ["GPU %d" % gpu for gpu in gpus])
    axes.tick_params(axis="y", length=0)
    schedule = picture.schedule
    axes.set_title("makespan %s, %s" % (_lanes.short(schedule.makespan), _lanes.verdict(schedule)), loc="left",
                   fontsize="medium")
    _legend(picture, axes, bool(dark))


def _legend(picture: _Picture, axes: Any, dark: bool) -> None:
    patch = package("matplotlib.patches", _WHAT).Patch
    gpus = picture.schedule.fabric.gpus
    signs = [patch(color=_lanes.FULL[i], label="%d%s" % (i, ", %d…" % (i + 8) if i + 8 < gpus else ""))
             for i in range(min(8, gpus))]
    if dark:
        signs.append(patch(color=_lanes.CHANGE, label="changing"))
    axes.legend(handles=signs, title="sends to (pale: receives from)", ncol=len(signs), loc="lower right",
                bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="x-small", title_fontsize="x-small",
                handlelength=1.0, columnspacing=1.0, borderaxespad=0.1)  # fmt: skip


def _utilisation(picture: _Picture, axes: Any) -> None:
    numpy, fabric, bars, changes = picture.numpy, picture.schedule.fabric, picture.bars, picture.changes
    if not len(bars):
        return
    one = 100.0 / (fabric.gpus * fabric.switches)  # of a port; a direction is half of one where they are apart
    busy = numpy.full(len(bars), one if fabric.rule == "paper" else one / 2)
    dark = numpy.full(len(changes), one)
    if len(changes):
        times, level = picture.count_over_time(
            numpy.concatenate([bars[:, 2], changes[:, 2]]), numpy.concatenate([bars[:, 3], changes[:, 3]]),
            numpy.concatenate([busy, dark]),
        )  # fmt: skip
        axes.fill_between(picture.at(times), level, step="post", color=_lanes.CHANGE, linewidth=0, label="changing")
    times, level = picture.count_over_time(bars[:, 2], bars[:, 3], busy)
    axes.fill_between(picture.at(times), level, step="post", color=_lanes.FULL[0], linewidth=0,
                      label="sending or receiving")
    axes.set_ylim(0, 103)
    axes.set_ylabel("% of ports")
    _key(axes)


def _key(axes: Any) -> None:
    """A legend above the panel, where it covers nothing."""
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=3, fontsize="x-small", frameon=False,
                borderaxespad=0.1)  # fmt: skip


def _memory(picture: _Picture, axes: Any) -> None:
    from ._replay import Replay

    numpy, schedule = picture.numpy, picture.schedule
    with Replay(schedule) as replay:
        replay.run()
        ready = replay.ready
    slots = numpy.asarray(schedule.slots)
    sends = _lanes.sends_of(schedule)
    begins = numpy.array([ready[v] for v in slots["send"].tolist()], "int64")
    sizes = numpy.array([float(s.bytes) for s in sends])
    sources = numpy.array([s.src for s in sends], "int64")
    power, unit = next(((p, u) for p, u in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")) if sizes.sum() >= 4 * p),
                       (1, "B"))
    if len(sends):
        times, level = picture.count_over_time(begins, slots["end"], sizes / power)
        axes.fill_between(picture.at(times), level.clip(min=0), step="post", color=_lanes.BAND, linewidth=0)
        axes.step(picture.at(times), level.clip(min=0), where="post", color=_lanes.INK, linewidth=1.2, label="all GPUs")
    for gpu in picture.gpus:
        mine = sources == gpu
        if mine.any():
            times, level = picture.count_over_time(begins[mine], slots["end"][mine], sizes[mine] / power)
            axes.step(picture.at(times), level.clip(min=0), where="post", color=_lanes.FULL[gpu % 8], linewidth=0.9,
                      label="each GPU" if gpu == picture.gpus[0] else None)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("%s ready,\nnot yet sent" % unit)
    if len(sends):
        _key(axes)


def _chosen(schedule: Schedule, gpus: Optional[Iterable[int]]) -> List[int]:
    if gpus is None:
        return list(range(min(_GPUS, schedule.fabric.gpus)))
    if isinstance(gpus, (str, bytes)) or not hasattr(gpus, "__iter__"):
        raise TypeError("gpus are numbers of GPUs, not %r" % (gpus,))
    chosen = [_values.whole(gpu, "gpu", 0, schedule.fabric.gpus - 1) for gpu in gpus]
    if not chosen or len(set(chosen)) < len(chosen):
        raise ArgumentError("gpus are one or more GPUs, each once, not %r" % (chosen,))
    return chosen


def plot(
    schedule: Schedule, panels: Iterable[str], begin: Time, end: Optional[Time], gpus: Optional[Iterable[int]],
    figure: Any,
) -> Any:  # fmt: skip
    """The work of Schedule.plot()."""
    module = package("matplotlib.figure", _WHAT)
    wanted = [panels] if isinstance(panels, str) else list(panels)
    for name in wanted:
        _values.word(name, "panel", dict.fromkeys(PANELS, 0))
    if not wanted:
        raise ArgumentError("panels are one or more of %s" % ", ".join(PANELS))
    first = _values.time(begin, "begin")
    last = max(schedule.makespan, 1) if end is None else _values.time(end, "end")
    if last <= first:
        raise ArgumentError("end is %d, and comes after begin, %d" % (last, first))
    picture = _Picture(schedule, first, last, _chosen(schedule, gpus))
    lanes = len(picture.gpus) * schedule.fabric.switches
    heights = [max(1.6, min(8.0, 0.16 * lanes + 0.5)) if name == "timeline" else 1.5 for name in wanted]
    if figure is None:
        if "matplotlib.pyplot" in sys.modules:  # a notebook or a script that shows figures
            figure = package("matplotlib.pyplot", _WHAT).figure(figsize=(10, sum(heights) + 0.9), layout="constrained")
        else:
            figure = module.Figure(figsize=(10, sum(heights) + 0.9), layout="constrained")
    all_axes = figure.subplots(len(wanted), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    for name, axes in zip(wanted, all_axes):
        {"timeline": _timeline, "utilisation": _utilisation, "memory": _memory}[name](picture, axes)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.axvline(picture.at(schedule.makespan), color=_lanes.INK, linewidth=1.0, zorder=4)
        if not schedule.optimal:
            axes.axvline(picture.at(schedule.bound), color=_lanes.INK, linewidth=1.0, linestyle="--", zorder=4)
    all_axes[-1].set_xlim(picture.at(first), picture.at(last + (last - first) / 200))
    all_axes[-1].set_xlabel("time (%s)" % picture.unit_name)
    return figure
