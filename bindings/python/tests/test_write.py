# SPDX-License-Identifier: Apache-2.0
"""What is written for others reads back, and certificates go there and back."""
import json
import os
import re
import tempfile
import unittest

import libflux
from test_ecosystem import networkx
from test_shape import hard


class Written(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        self.graph, self.fabric = hard(6, 40)
        self.graph.add_edge(self.graph.add_compute(3, "1500ns"), self.graph.add_send(3, 4, "1MiB", label="last"))

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def sends(self, graph):
        return sorted(graph.send(v)[:3] for v in range(len(graph)) if graph.is_send(v) and graph.send(v).bytes)

    def test_chakra(self):
        graph = libflux.Graph(6)
        for gpu in range(6):
            graph.add_edge(graph.add_compute(gpu, "1500ns"), graph.add_send(gpu, (gpu + 1) % 6, "1MiB"))
            graph.add_send(gpu, (gpu + 2) % 6, 1000 + gpu)
        schedule = libflux.schedule(graph, self.fabric)
        self.assertEqual(libflux.write_chakra(self.path("plain"), graph), 6 * 500000)
        libflux.write_chakra(self.path("planned"), graph, schedule)
        found = [libflux.load_chakra(self.path(name)).graph for name in ("plain", "planned")]
        self.assertEqual([self.sends(each) for each in found], [self.sends(graph)] * 2)
        self.assertGreater(len(found[1].edges), len(found[0].edges))  # the order at each port
        other = libflux.Graph(2)
        other.add_send(0, 1, duration=5)
        with self.assertRaises(libflux.MismatchError):
            libflux.write_chakra(self.path("other"), other)

    def test_goal(self):
        self.assertGreater(libflux.write_goal(self.path("a.goal"), self.graph), 0)
        loaded = libflux.load(self.path("a.goal"))
        self.assertEqual((loaded.format, self.sends(loaded.graph)), ("goal", self.sends(self.graph)))

    def test_dot(self):
        libflux.write_dot(self.path("a.dot"), self.graph)
        text = self.text("a.dot")
        self.assertTrue(text.startswith("digraph"))
        self.assertEqual(len(re.findall(r"(?m)^ *v\d+ -> v\d+", text)), len(set(edge[:2] for edge in self.graph.edges)))
        large = libflux.Graph(2)
        large.add_sends([(0, 1, 5)] * 2001)
        self.assertRaises(libflux.TooBigError, libflux.write_dot, self.path("b.dot"), large)
        self.assertFalse(os.path.exists(self.path("b.dot")))

    def test_networkx(self):
        libflux.write_networkx(self.path("a.json"), self.graph)
        told = json.loads(self.text("a.json"))
        self.assertEqual(len(told["nodes"]), len(self.graph))
        if networkx:
            digraph = networkx.DiGraph()
            digraph.add_nodes_from((node["id"], node) for node in told["nodes"])
            digraph.add_edges_from((edge["source"], edge["target"], edge) for edge in told["edges"])
            again = libflux.Graph.from_networkx(digraph, gpus=6)
            self.assertEqual([again.send(v) for v in range(40)], [self.graph.send(v) for v in range(40)])

    def test_names(self):
        names = libflux.names(self.graph)
        self.assertEqual((names[:2], names[-1], len(names)), (["v0", "v1"], "last", len(self.graph)))
        self.graph.set_label(0, "v1")
        schedule = libflux.schedule(self.graph, self.fabric, exact="never", work_limit=500)
        schedule.write_csv(self.path("a.csv"))
        told = [line.split(",")[0] for line in self.text("a.csv").splitlines()[1:]]
        names = libflux.names(self.graph)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(sorted(told), sorted(names[slot.send] for slot in schedule.slots))

    def test_runs(self):
        for replay in (libflux.Replay(libflux.schedule(self.graph, self.fabric, exact="never", work_limit=500)),
                       libflux.Replay.rotor(self.graph, self.fabric)):
            self.assertRaises(libflux.ArgumentError, replay.write_csv, self.path("a.csv"), self.graph)
            replay.run()
            replay.write_csv(self.path("a.csv"), self.graph)
            replay.write_memory(self.path("b.csv"))
            replay.write_perfetto(self.path("c.json"), self.graph, self.fabric)
            rows = [line.split(",") for line in self.text("a.csv").splitlines()]
            self.assertEqual((rows[0][0], len(rows) - 1), ("send", self.graph.sends))
            times = {name: span for name, span in zip(libflux.names(self.graph), replay.times)}
            for row in rows[1:]:
                self.assertEqual((int(row[5]), int(row[6])), times[row[0]])
            self.assertEqual([tuple(map(int, line.split(","))) for line in self.text("b.csv").splitlines()[1:]],
                             [(row.time, row.gpu, row.bytes) for row in replay.memory])
            self.assertIn("traceEvents", json.loads(self.text("c.json")))
            self.assertRaises(TypeError, replay.write_csv, self.path("a.csv"), self.fabric)
            self.assertRaises(libflux.MismatchError, replay.write_csv, self.path("a.csv"), libflux.Graph(6))
            self.assertRaises(libflux.FileError, replay.write_memory, self.path("no/such/folder.csv"))


class Certificates(unittest.TestCase):
    def test_there_and_back(self):
        graph, fabric = hard(6, 40)
        schedule = libflux.schedule(graph, fabric, exact="never", work_limit=1)
        for one in (libflux.bound(graph, fabric), schedule.certificate):
            parts = {name: getattr(one, name) for name in ("gpu", "side", "head", "tail", "vertices", "lifts")}
            same = libflux.Certificate.of(one.kind, one.bound, **parts)
            self.assertEqual({name: getattr(same, name) for name in parts}, parts)
            self.assertEqual((same.kind, same.bound), (one.kind, one.bound))
            self.assertGreaterEqual(same.check(graph, fabric), one.bound)
            with self.assertRaises(libflux.MismatchError):
                libflux.Certificate.of(one.kind, 10 * one.bound, **parts).check(graph, fabric)
        with tempfile.TemporaryDirectory() as folder:
            schedule.write_document(os.path.join(folder, "a.yaml"))
            loaded = libflux.load(os.path.join(folder, "a.yaml"))
        self.assertEqual((loaded.certificate.kind, loaded.certificate.bound), (schedule.certificate.kind, schedule.bound))
        self.assertGreaterEqual(loaded.certificate.check(loaded.graph, loaded.fabric), schedule.bound)

    def test_bad_input(self):
        of = libflux.Certificate.of
        for arguments in (("none such", 5), ("port-load", -1), ("port-load", "5 parsecs")):
            self.assertRaises(libflux.ArgumentError, of, *arguments)
        lift = libflux.Lift(0, 0, "both", True, 0, 0)
        for given in ({"gpu": -1}, {"side": "left"}, {"vertices": [-1]}, {"lifts": [lift._replace(side="left")]}):
            self.assertRaises(libflux.ArgumentError, of, "port-load", 5, **given)
        for given in ({"gpu": 1.0}, {"side": 1}, {"head": 1.0}, {"vertices": [None]}, {"vertices": 3},
                      {"lifts": [(0, 0, "both", True, 0, 0)]}):
            self.assertRaises(TypeError, of, "port-load", 5, **given)


class Operations(unittest.TestCase):
    def test_they_are_those_of_the_model(self):
        rows = libflux.operations("llama3-8b", tensor=2, layers=4)
        self.assertEqual({row.phase for row in rows}, {"forward", "input", "weight"})
        self.assertLessEqual({row.layers for row in rows}, {1, 4})
        half = {row[:2]: row.flops for row in libflux.operations("llama3-8b", tensor=4, layers=4)}
        self.assertEqual(half["qkv", "forward"] * 2, {row[:2]: row.flops for row in rows}["qkv", "forward"])
        self.assertRaises(TypeError, libflux.operations, "llama3-8b", tensr=2)
        self.assertRaises(libflux.ArgumentError, libflux.operations, "no such model")
        self.assertRaises(libflux.ArgumentError, libflux.operations, "llama3-8b", tensor=3)

    def test_routing_of_ones_own(self):
        given = {"data": 2, "expert": 2, "layers": 1}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("0,8192\n24576,0\n")
            graph = libflux.generate("mixtral-8x7b", routing_matrix=path, **given).graph
        self.assertLessEqual({(0, 1, 8192), (1, 0, 24576)}, {graph.send(v)[:3] for v in range(len(graph)) if graph.is_send(v)})
        self.assertRaises(libflux.FileError, libflux.generate, "mixtral-8x7b", routing_matrix="nowhere.csv", **given)
