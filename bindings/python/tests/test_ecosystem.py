# SPDX-License-Identifier: Apache-2.0
"""NetworkX, pandas, Matplotlib and notebooks; and the sentence of each method where its package is missing."""
import random
import re
import unittest
import xml.dom.minidom

import libflux
from support import python
from test_shape import hard, two_sends


def there(name):
    try:
        return __import__(name)
    except ImportError:
        return None


networkx, pandas, matplotlib, numpy = map(there, ("networkx", "pandas", "matplotlib", "numpy"))


def mixed(seed=1, vertices=60, gpus=6):
    """Sends and computes at random, with releases, durations, labels and lags."""
    draw, graph = random.Random(seed), libflux.Graph(gpus)
    for v in range(vertices):
        if draw.random() < 0.3:
            graph.add_compute(draw.randrange(gpus), draw.randrange(10**8), release=draw.choice((0, 7)))
        else:
            src, dst = draw.sample(range(gpus), 2)
            graph.add_send(src, dst, 1 + draw.randrange(1 << 22), duration=draw.choice((0, 0, 10**7)))
        if v % 3 == 0:
            graph.set_label(v, "vertex %d \u00e9" % v)
        for before in draw.sample(range(v), min(v, 2)):
            graph.add_edge(before, v, draw.randrange(10**6))
    return graph, libflux.Fabric(gpus, 2, delay="10us")


def facts(graph):
    rows = [graph.send(v) if graph.is_send(v) else graph.compute(v) for v in range(len(graph))]
    return graph.gpus, rows, [graph.label(v) for v in range(len(graph))], sorted(graph.edges)


class Missing(unittest.TestCase):
    def test_each_method_says_what_to_install(self):
        names = ("numpy", "networkx", "pandas", "matplotlib")
        code = (
            "import sys\n"
            "for name in %r: sys.modules[name] = None\n"
            "import libflux\n"
            "graph = libflux.Graph(2)\n"
            "graph.add_send(0, 1, 5)\n"
            "schedule = libflux.schedule(graph, libflux.Fabric(2))\n"
            "for call in (lambda: libflux.Graph.from_networkx(None), graph.to_networkx, schedule.to_pandas,\n"
            "             schedule.plot, lambda: libflux.dtype('send')):\n"
            "    try:\n"
            "        call()\n"
            "    except ImportError as error:\n"
            "        print(type(error).__name__, error)\n"
            "print(len(schedule._repr_html_()) > 100)\n"
        ) % (names,)  # fmt: skip
        done = python(code)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        for line, method, extra in zip(lines, ("Graph.from_networkx()", "Graph.to_networkx()", "Schedule.to_pandas()",
                                               "Schedule.plot()", "dtype()"),
                                       ("networkx", "networkx", "pandas", "plot", "numpy")):
            self.assertRegex(line, r"^MissingPackageError %s needs \w+: pip install 'libflux\[%s\]'"
                             % (re.escape(method), extra))
        self.assertEqual((len(lines), lines[-1]), (6, "True"))

    def test_none_is_imported_by_the_package(self):
        done = python("import sys, libflux\nprint([m for m in ('numpy', 'networkx', 'pandas', 'matplotlib')"
                      " if m in sys.modules])")
        self.assertEqual(done.stdout, "[]\n", done.stderr)


@unittest.skipIf(networkx is None, "no networkx here")
class NetworkX(unittest.TestCase):
    def test_there_and_back(self):
        for seed in range(20):
            graph, _ = mixed(seed)
            back = libflux.Graph.from_networkx(graph.to_networkx())
            self.assertEqual(facts(back), facts(graph))

    def test_written_by_hand(self):
        digraph = networkx.DiGraph()
        digraph.add_node("send a", src=0, dst=1, bytes="64MiB")
        digraph.add_node("think", gpu=1, duration="5us", release=3)
        digraph.add_node(("b", 7), src=1, dst=2, duration="1us", label="the last")
        digraph.add_edge("send a", "think")
        digraph.add_edge("think", ("b", 7), lag="3ns")
        graph = libflux.Graph.from_networkx(digraph)
        self.assertEqual(facts(graph), (3, [(0, 1, 64 << 20, 0, 0), (1, 5000000, 3), (1, 2, 0, 1000000, 0)],
                                        ["send a", "think", "the last"], [(0, 1, 0), (1, 2, 3000)]))
        self.assertEqual(libflux.Graph.from_networkx(digraph, gpus=9).gpus, 9)
        digraph.graph["gpus"] = 5
        self.assertEqual(libflux.Graph.from_networkx(digraph).gpus, 5)
        self.assertEqual(facts(libflux.Graph.from_networkx(networkx.DiGraph(gpus=2))), (2, [], [], []))

    def test_of_repeated_edges_the_longest_counts(self):
        graph, _ = two_sends()
        graph.add_edge(0, 1, "20us")
        graph.add_edge(0, 1, "5us")
        digraph = graph.to_networkx()
        self.assertEqual(list(digraph.edges(data=True)), [(0, 1, {"lag": 20000000})])
        many = networkx.MultiDiGraph(digraph)
        many.add_edge(0, 1, lag=7)
        self.assertEqual(len(libflux.Graph.from_networkx(many).edges), 2)

    def test_what_is_wrong_is_named(self):
        def node(**given):
            digraph = networkx.DiGraph()
            digraph.add_node("bad", **given)
            return digraph

        for kind, digraph, text in (
            (TypeError, networkx.Graph(), "undirected"), (TypeError, {}, "DiGraph"), (TypeError, None, "DiGraph"),
            (libflux.ArgumentError, node(), "'bad'.*'src'"), (libflux.ArgumentError, node(src=0), "'bad'.*'dst'"),
            (libflux.ArgumentError, node(gpu=0), "'bad'.*'duration'"),
            (libflux.ArgumentError, node(src=0, dst=0, bytes=1), "'bad'.*itself"),
            (libflux.ArgumentError, node(src=0, dst=1), "'bad'.*neither"),
            (libflux.ArgumentError, node(src=0, dst=-1, bytes=1), "dst of node 'bad'"),
            (TypeError, node(src=0, dst=1, bytes=1.5), "bytes of node 'bad'"),
            (TypeError, node(src="0", dst=1, bytes=1), "src of node 'bad'"),
            (libflux.ArgumentError, node(kind="recv", src=0, dst=1), "'recv'"),
            (libflux.ArgumentError, node(gpu=0, duration="1 week"), "duration of node 'bad'"),
            (TypeError, node(gpu=0, duration=1, label=3), "label"),
        ):  # fmt: skip
            with self.assertRaisesRegex(kind, text):
                libflux.Graph.from_networkx(digraph)
        loop = node(gpu=0, duration=1)
        loop.add_edge("bad", "bad")
        with self.assertRaisesRegex(libflux.ArgumentError, "waits for itself"):
            libflux.Graph.from_networkx(loop)
        loop = node(gpu=0, duration=1)
        loop.add_node("b", gpu=0, duration=1)
        loop.add_edge("bad", "b", lag=1.5)
        with self.assertRaisesRegex(TypeError, "lag of the edge 'bad', 'b'"):
            libflux.Graph.from_networkx(loop)
        with self.assertRaisesRegex(libflux.ArgumentError, "src of node|dst of node"):
            libflux.Graph.from_networkx(node(src=0, dst=7, bytes=1), gpus=4)


@unittest.skipIf(pandas is None, "no pandas here")
class Pandas(unittest.TestCase):
    def test_tables_are_the_schedule(self):
        for seed in range(5):
            graph, fabric = mixed(seed)
            schedule = libflux.schedule(graph, fabric, work_limit=1000, exact="never")
            frames = schedule.to_pandas()
            self.assertEqual(list(zip(frames.sends.index, frames.sends["switch"], frames.sends["start"],
                                      frames.sends["end"])), [tuple(slot) for slot in schedule.slots])
            for vertex, row in frames.sends.iterrows():
                self.assertEqual((row["src"], row["dst"], row["bytes"]), graph.send(vertex)[:3])
                self.assertEqual(row["label"], graph.label(vertex))
            self.assertEqual([tuple(row) for row in frames.states[["switch", "src", "dst", "sends", "changed", "begin",
                                                                   "up", "down"]].itertuples(index=False)],
                             [tuple(circuit) for circuit in schedule.circuits])
            self.assertEqual(frames.states["changed"].sum(), schedule.reconfigurations)
            lines = frames.timelines
            self.assertEqual(len(lines), len(graph))
            self.assertTrue(lines["start"].is_monotonic_increasing)
            self.assertEqual(lines["end"].max(), schedule.makespan)
            for vertex, row in lines.iterrows():
                self.assertEqual((row["start"], row["end"]), schedule.times[vertex])
                if graph.is_send(vertex):
                    self.assertEqual((row["kind"], row["gpu"], row["partner"]), ("send", *graph.send(vertex)[:2]))
                else:
                    self.assertEqual((row["kind"], row["gpu"], row["partner"], row["switch"]),
                                     ("compute", graph.compute(vertex).gpu, -1, -1))

    def test_tables_outlive_the_schedule(self):
        schedule = libflux.schedule(*two_sends())
        frames = schedule.to_pandas()
        schedule.graph.close(), schedule.fabric.close(), schedule.close()
        del schedule
        self.assertEqual(frames.sends["end"].tolist(), [671088640, 1352177280])
        self.assertEqual(frames.timelines["start"].tolist(), [0, 681088640])

    def test_nothing_to_send(self):
        graph = libflux.Graph(2)
        graph.add_compute(1, 5)
        frames = libflux.schedule(graph, libflux.Fabric(2)).to_pandas()
        self.assertEqual((len(frames.sends), len(frames.states), frames.timelines["gpu"].tolist()), (0, 0, [1]))


@unittest.skipIf(matplotlib is None, "no matplotlib here")
class Plot(unittest.TestCase):
    def rectangles(self, axes):
        """Corners of the boxes of a timeline: left, top, right, bottom."""
        boxes = []
        for collection in axes.collections:
            for path in collection.get_paths():
                xs, ys = path.vertices[:, 0], path.vertices[:, 1]
                boxes.append((xs.min(), ys.min(), xs.max(), ys.max()))
        return boxes

    def test_timeline_has_each_transfer_at_both_ports_and_each_change(self):
        graph, fabric = hard(gpus=5, sends=40)
        schedule = libflux.schedule(graph, fabric, work_limit=100, exact="never")
        figure = schedule.plot(["timeline"])
        axes, unit = figure.axes[0], 10**6
        wanted = []
        for slot in schedule.slots:
            send = graph.send(slot.send)
            wanted += [(gpu * 2 + slot.switch, slot.start, slot.end) for gpu in send[:2]]
        for circuit in schedule.circuits:
            if circuit.changed:
                wanted += [(gpu * 2 + circuit.switch, circuit.begin, circuit.up) for gpu in circuit[1:3]]
        drawn = sorted((int(top), round(left * unit), round(right * unit))
                       for left, top, right, _ in self.rectangles(axes))
        self.assertEqual(drawn, sorted(wanted))
        self.assertEqual(axes.get_xlabel(), "time (\u00b5s)")
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["GPU %d" % i for i in range(5)])

    def test_a_window_of_some_gpus(self):
        graph, fabric = hard(gpus=5, sends=40)
        schedule = libflux.schedule(graph, fabric, work_limit=100, exact="never")
        half = schedule.makespan // 2
        figure = schedule.plot("timeline", begin=half, gpus=[3, 1])
        for left, top, right, bottom in self.rectangles(figure.axes[0]):
            self.assertGreaterEqual(left * 10**6, half - 1)
            self.assertTrue(0 <= top < bottom <= 4)
        self.assertEqual([label.get_text() for label in figure.axes[0].get_yticklabels()], ["GPU 3", "GPU 1"])

    def test_memory_is_that_of_a_replay(self):
        for seed in range(3):
            graph, fabric = mixed(seed)
            schedule = libflux.schedule(graph, fabric, work_limit=500, exact="never")
            axes = schedule.plot("memory", gpus=range(6)).axes[0]
            lines = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
            scale = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1}[axes.get_ylabel().split()[0]]
            run = libflux.Replay(schedule).run()
            self.assertAlmostEqual(max(lines[0].get_ydata()) * scale, run.memory, delta=1)
            self.assertAlmostEqual(max(max(l.get_ydata()) for l in lines[1:]) * scale, run.memory_of_gpu, delta=1)

    def test_utilisation_is_that_of_a_replay(self):
        for rule in ("paper", "duplex", "simplex"):
            graph, fabric = hard(gpus=5, sends=40)
            fabric.set_rule(rule)
            schedule = libflux.schedule(graph, fabric, work_limit=500, exact="never")
            axes = schedule.plot("utilisation").axes[0]
            path = axes.collections[-1].get_paths()[0].vertices  # around the area: its surface is what was carried
            xs, ys = path[:, 0], path[:, 1]
            surface = abs(((xs[1:] - xs[:-1]) * (ys[1:] + ys[:-1]) / 2).sum())
            share = libflux.Replay(schedule).run().port_share
            self.assertAlmostEqual(surface / (schedule.makespan / 10**6), 100 * share, delta=0.01)

    def test_it_is_drawn(self):
        import io

        for graph, fabric in (hard(gpus=20, sends=300), two_sends()):
            schedule = libflux.schedule(graph, fabric, work_limit=1, exact="never")
            file = io.BytesIO()
            schedule.plot().savefig(file)
            self.assertTrue(file.getvalue().startswith(b"\x89PNG"))
        nothing = libflux.schedule(libflux.Graph(2), libflux.Fabric(2))
        nothing.plot().savefig(io.BytesIO())

    def test_into_a_figure_of_ones_own(self):
        from matplotlib.figure import Figure

        mine = Figure()
        self.assertIs(libflux.schedule(*two_sends()).plot("utilisation", figure=mine), mine)
        self.assertEqual(len(mine.axes), 1)

    def test_bad_input(self):
        schedule = libflux.schedule(*two_sends())
        for kind, given in (
            (libflux.ArgumentError, {"panels": "pie"}), (libflux.ArgumentError, {"panels": []}),
            (TypeError, {"panels": [3]}), (libflux.ArgumentError, {"begin": -1}), (TypeError, {"end": 1.5}),
            (libflux.ArgumentError, {"begin": 5, "end": 5}), (libflux.ArgumentError, {"gpus": [4]}),
            (libflux.ArgumentError, {"gpus": [1, 1]}), (libflux.ArgumentError, {"gpus": []}),
            (TypeError, {"gpus": 3}), (TypeError, {"gpus": "01"}), (TypeError, {"gpus": [1.0]}),
        ):  # fmt: skip
            with self.assertRaises(kind, msg=repr(given)):
                schedule.plot(**given)


class Html(unittest.TestCase):
    def parsed(self, schedule):
        return xml.dom.minidom.parseString(schedule._repr_html_().replace("&nbsp;", " "))

    def test_each_transfer_is_seen(self):
        graph, fabric = hard(gpus=5, sends=40)
        schedule = libflux.schedule(graph, fabric, work_limit=100, exact="never")
        rectangles = self.parsed(schedule).getElementsByTagName("rect")
        titles = [r.firstChild.firstChild.data for r in rectangles if r.firstChild]
        changes = sum(c.up > c.begin for c in schedule.circuits)
        self.assertEqual(len(titles), 2 * (40 + changes))
        slot = schedule.slots[7]
        send = graph.send(slot.send)
        when = "%s to %s" % (libflux.format_time(slot.start), libflux.format_time(slot.end))
        self.assertIn("to GPU %d, %s" % (send.dst, when), titles)
        self.assertIn("from GPU %d, %s" % (send.src, when), titles)

    def test_it_stays_small_and_inside(self):
        graph, fabric = hard(gpus=40, sends=5000)
        text = (schedule := libflux.schedule(graph, fabric, work_limit=1, exact="never"))._repr_html_()
        self.assertLess(len(text), 3000000)
        self.assertIn("GPUs 0 to 15 of 40 are shown", text)
        svg = self.parsed(schedule).getElementsByTagName("svg")[0]
        for r in svg.getElementsByTagName("rect"):
            x, width = float(r.getAttribute("x")), float(r.getAttribute("width"))
            self.assertTrue(0 <= x and x + width <= 780, (x, width))

    def test_nothing_to_show(self):
        schedule = libflux.schedule(*two_sends())
        schedule.graph.close()
        self.assertIn("makespan", schedule._repr_html_())
        schedule.close()
        self.assertIn("closed", schedule._repr_html_())
        self.assertIn("makespan", libflux.schedule(libflux.Graph(2), libflux.Fabric(2))._repr_html_())
