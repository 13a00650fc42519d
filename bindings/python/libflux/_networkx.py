# SPDX-License-Identifier: Apache-2.0
"""Graphs from NetworkX, and back."""
from __future__ import annotations

from ctypes import byref
from itertools import groupby
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _abi, _values
from ._errors import ArgumentError
from ._extras import package
from ._library import core

if TYPE_CHECKING:
    from ._graph import Graph

SEND = frozenset(("src", "dst", "bytes", "duration", "release", "label", "kind"))
COMPUTE = frozenset(("gpu", "duration", "release", "label", "kind"))


def _kind(node: Any, given: Dict[str, Any]) -> str:
    """Whether a node is a send or compute: what it says, else what it has."""
    kind = given.get("kind")
    if kind is None:
        kind = "compute" if "gpu" in given else "send"
    if kind not in ("send", "compute"):
        raise ArgumentError("node %r: kind is 'send' or 'compute', not %r" % (node, kind))
    needed = ("src", "dst") if kind == "send" else ("gpu", "duration")
    for name in needed:
        if name not in given:
            raise ArgumentError("node %r: a %s has the attribute %r, and this one has %s"
                                % (node, kind, name, ", ".join(map(repr, given)) or "none"))
    return str(kind)


def _row(node: Any, kind: str, given: Dict[str, Any], gpus: int) -> Tuple[int, ...]:
    """A node's attributes as numbers, each checked under the node's own name."""

    def gpu(name: str) -> int:
        return _values.whole(given[name], "%s of node %r" % (name, node), 0, gpus - 1)

    def span(name: str) -> int:
        return _values.time(given.get(name, 0), "%s of node %r" % (name, node))

    if kind == "compute":
        return gpu("gpu"), span("duration"), span("release")
    row = gpu("src"), gpu("dst"), _values.size(given.get("bytes", 0), "bytes of node %r" % (node,)), \
        span("duration"), span("release")
    if row[0] == row[1]:
        raise ArgumentError("node %r sends from GPU %d to itself" % (node, row[0]))
    if row[2] == 0 and row[3] == 0:
        raise ArgumentError("node %r has neither bytes nor a duration" % (node,))
    return row


def _gpus(digraph: Any, kinds: List[str], gpus: Optional[int]) -> int:
    """How many GPUs: what the caller says, else what the graph says, else one more than the largest that is named."""
    if gpus is None:
        gpus = digraph.graph.get("gpus")
    if gpus is not None:
        return _values.whole(gpus, "gpus", 1, _abi.FLUX_GPUS_MAX)
    most = 0
    for (node, given), kind in zip(digraph.nodes(data=True), kinds):
        for name in ("src", "dst") if kind == "send" else ("gpu",):
            most = max(most, _values.whole(given[name], "%s of node %r" % (name, node), 0, _abi.FLUX_GPUS_MAX - 1))
    return most + 1


def from_networkx(kind_of_graph: Any, digraph: Any, gpus: Optional[int]) -> Graph:
    """The work of Graph.from_networkx()."""
    networkx = package("networkx", "Graph.from_networkx()")
    if not isinstance(digraph, networkx.Graph):
        raise TypeError("from_networkx() takes a networkx.DiGraph, not %r of type %s"
                        % (digraph, type(digraph).__name__))
    if not digraph.is_directed():
        raise TypeError("the graph is undirected: an edge of a workload leads from what comes first to what waits")
    nodes = list(digraph.nodes(data=True))
    kinds = [_kind(node, given) for node, given in nodes]
    count = _gpus(digraph, kinds, gpus)
    graph: Graph = kind_of_graph(count)
    graph.reserve(len(nodes), digraph.number_of_edges())
    for kind, run in groupby(zip(kinds, nodes), key=lambda pair: pair[0]):  # vertices are numbered as nodes come
        rows = [_row(node, kind, given, count) for _, (node, given) in run]
        if kind == "send":
            graph.add_sends(rows)
        else:
            graph.add_computes(rows)
    for vertex, (node, given) in enumerate(nodes):
        label = given.get("label", node if isinstance(node, str) else None)
        if label is not None:
            graph.set_label(vertex, label)
    number = {node: vertex for vertex, (node, _) in enumerate(nodes)}
    edges = []
    for before, after, given in digraph.edges(data=True):
        lag = _values.time(given.get("lag", 0), "lag of the edge %r, %r" % (before, after))
        if before == after:
            raise ArgumentError("node %r waits for itself" % (before,))
        edges.append((number[before], number[after], lag))
    graph.add_edges(edges)
    return graph


def to_networkx(graph: Graph) -> Any:
    """The work of Graph.to_networkx()."""
    networkx = package("networkx", "Graph.to_networkx()")
    digraph = networkx.DiGraph(gpus=graph.gpus)
    held, pointer = core.held, graph._pointer
    send, compute = _abi.flux_send(), _abi.flux_compute()
    for vertex in range(len(graph)):
        given: Dict[str, Any]
        if held.flux_graph_get_send(pointer, vertex, byref(send)) == 0:
            given = {"kind": "send", "src": send.src, "dst": send.dst, "bytes": send.bytes,
                     "duration": send.duration, "release": send.release}  # fmt: skip
        else:
            held.flux_graph_get_compute(pointer, vertex, byref(compute))
            given = {"kind": "compute", "gpu": compute.gpu, "duration": compute.duration, "release": compute.release}
        if label := graph.label(vertex):
            given["label"] = label
        digraph.add_node(vertex, **given)
    for before, after, lag in graph.edges:
        if digraph.has_edge(before, after):
            lag = max(lag, digraph[before][after]["lag"])
        digraph.add_edge(before, after, lag=lag)
    return digraph
