# SPDX-License-Identifier: Apache-2.0
"""What people type, and what they read back."""
import os
import shutil
import tempfile
import threading
import time
import unittest

import libflux
from support import ROOT, python

LLAMA = os.path.join(ROOT, "tests", "data", "stage-generated", "llama3-8b_L8_tp4dp2", "workload")


def two_sends():
    graph = libflux.Graph(4)
    a = graph.add_send(0, 1, 64 << 20)
    b = graph.add_send(1, 2, 64 << 20)
    graph.add_edge(a, b, "10us")
    return graph, libflux.Fabric(4, switches=2, rate="800Gbps", delay="10us")


def hard(gpus=12, sends=400, seed=1):
    """Sends at random over slow switches, far from their bound."""
    graph, state = libflux.Graph(gpus), seed
    for i in range(sends):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        src = (state >> 33) % gpus
        dst = (src + 1 + (state >> 45) % (gpus - 1)) % gpus
        vertex = graph.add_send(src, dst, 1 + (state >> 20) % (1 << 22))
        if i >= gpus:
            graph.add_edge(vertex - 1 - (state >> 50) % gpus, vertex, (state >> 40) % 10**7)
    return graph, libflux.Fabric(gpus, 2, delay="20us")


# A solver works on hard(*LONG) for minutes.
LONG = {"gpus": 8, "sends": 90}
needs_solver = unittest.skipUnless("glpk" in libflux.backends(), "no GLPK in this build")


class Example(unittest.TestCase):
    def test_ten_lines(self):
        schedule = libflux.schedule(*two_sends(), time_limit="10s")
        self.assertEqual((schedule.status, schedule.makespan, schedule.bound, schedule.gap),
                         ("optimal", 1352177280, 1352177280, 0.0))

    def test_docstring_is_the_example(self):
        code = [line[4:] for line in libflux.__doc__.splitlines() if line.startswith("    ")]
        done = python("\n".join(code) + "\nprint(schedule.status, schedule.makespan)")
        self.assertEqual(done.stdout, "optimal 1352177280\n", done.stderr)

    def test_module_as_a_command(self):
        done = python("import runpy; runpy.run_module('libflux', run_name='__main__')")
        self.assertRegex(done.stdout, r"(?m)^libflux +0\.1\.0, /.*libflux\.so\.0.* \(LIBFLUX_LIBRARY\)$")
        self.assertRegex(done.stdout, r"(?m)^backends .*none")

    def test_module_as_a_command_without_a_library(self):
        done = python("import runpy; runpy.run_module('libflux', run_name='__main__')", LIBFLUX_LIBRARY="/nowhere")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/nowhere", done.stderr)


class Graph(unittest.TestCase):
    def test_everything_reads_back(self):
        with libflux.Graph(5) as graph:
            a = graph.add_send(0, 1, "64MiB", release="1us", label="first")
            b = graph.add_compute(1, "5us", release=7, label="thinking \u00e9")
            c = graph.add_send(1, 2, duration=12)
            graph.add_edge(a, b)
            graph.add_edge(b, c, "3ns")
            self.assertEqual((a, b, c, len(graph), graph.vertices, graph.sends, graph.gpus), (0, 1, 2, 3, 3, 2, 5))
            self.assertEqual(graph.send(a), (0, 1, 64 << 20, 0, 1000000))
            self.assertEqual(graph.compute(b), libflux.Compute(1, 5000000, 7))
            self.assertEqual(graph.send(c).duration, 12)
            self.assertEqual(graph.edges, [(0, 1, 0), (1, 2, 3000)])
            self.assertEqual([graph.label(v) for v in range(3)], ["first", "thinking \u00e9", ""])
            self.assertEqual([graph.is_send(v) for v in range(3)], [True, False, True])
            graph.set_label(a, None)
            graph.set_duration(b, "1ms")
            graph.set_release(c, 9)
            self.assertEqual((graph.label(a), graph.compute(b).duration, graph.send(c).release), ("", 10**9, 9))
            graph.check()

    def test_bulk_without_numpy(self):
        graph = libflux.Graph(4)
        self.assertEqual(graph.add_sends([(0, 1, 5), libflux.Send(1, 2, 6, 0, 3), [2, 3, "1kB"]]), range(0, 3))
        self.assertEqual(graph.add_sends(src=[0, 1], dst=range(1, 3), bytes="2kB", release=["1us", 0]), range(3, 5))
        self.assertEqual(graph.add_sends(src=0, dst=[1, 2], duration="1us"), range(5, 7))
        self.assertEqual(graph.add_computes(gpu=[0, 3], duration="1us"), range(7, 9))
        self.assertEqual(graph.add_computes([]), range(9, 9))
        graph.add_edges([(0, 1), (1, 2, "4us")])
        graph.add_edges(before=[2, 3], after=[3, 4], lag=7)
        self.assertEqual([graph.send(v) for v in range(7)], [
            (0, 1, 5, 0, 0), (1, 2, 6, 0, 3), (2, 3, 1000, 0, 0), (0, 1, 2000, 0, 1000000), (1, 2, 2000, 0, 0),
            (0, 1, 0, 1000000, 0), (0, 2, 0, 1000000, 0)])  # fmt: skip
        self.assertEqual(graph.compute(8), (3, 1000000, 0))
        self.assertEqual(graph.edges, [(0, 1, 0), (1, 2, 4000000), (2, 3, 7), (3, 4, 7)])

    def test_a_bad_row_leaves_the_graph_as_it_was(self):
        graph = libflux.Graph(4)
        for rows in ([(0, 1, 5), (1, 1, 5)], [(0, 1, 5), (1, 9, 5)], [(0, 1, 5), (1, 2, -5)]):
            with self.assertRaisesRegex(libflux.ArgumentError, "row 1|1"):
                graph.add_sends(rows)
            self.assertEqual(len(graph), 0)

    def test_cycle(self):
        graph = libflux.Graph(2)
        graph.add_computes(gpu=0, duration=[1, 1])
        graph.add_edges([(0, 1), (1, 0)])
        for call in (graph.check, lambda: libflux.schedule(graph, libflux.Fabric(2))):
            with self.assertRaises(libflux.CycleError) as caught:
                call()
            self.assertEqual((caught.exception.code, caught.exception.name), (-100, "cycle"))
            self.assertIsInstance(caught.exception, libflux.ProblemError)
            self.assertIn("0", str(caught.exception))


class Fabric(unittest.TestCase):
    def everything(self):
        fabric = libflux.Fabric(4, 3, rate="400Gbps", delay="10us", rule="duplex", blocking="switch", dwell="1us",
                                propagation="5ns")
        fabric.set_rate("100Gbps", gpu=1, switch=2)
        fabric.set_rate(7, gpu=2)
        fabric.set_delay(0, switch=1)
        fabric.set_blocking("port", 2)
        fabric.set_dwell(5, 0)
        fabric.set_dead(3, 0)
        fabric.set_forbidden(1, 0, 2)
        fabric.add_initial(2, 0, 1)
        fabric.set_propagation("1us", src=0)
        fabric.set_propagation(3, 1, 2)
        return fabric

    def facts(self, fabric):
        gpus, switches = range(fabric.gpus), range(fabric.switches)
        return (
            fabric.rule, [fabric.delay(k) for k in switches], [fabric.blocking(k) for k in switches],
            [fabric.dwell(k) for k in switches], [fabric.rate(g, k) for g in gpus for k in switches],
            [fabric.dead(g, k) for g in gpus for k in switches], fabric.forbidden, fabric.initial,
            [fabric.propagation(a, b) for a in gpus for b in gpus if a != b],
        )  # fmt: skip

    def test_everything_reads_back(self):
        fabric = self.everything()
        self.assertEqual((fabric.rule, fabric.delay(0), fabric.delay(1)), ("duplex", 10**7, 0))
        self.assertEqual((fabric.blocking(1), fabric.blocking(2), fabric.dwell(0), fabric.dwell(1)),
                         ("switch", "port", 5, 10**6))
        self.assertEqual([fabric.rate(g, 2) for g in range(4)], [4 * 10**11, 10**11, 7, 4 * 10**11])
        self.assertEqual((fabric.dead(3, 0), fabric.dead(3, 1)), (True, False))
        self.assertTrue(fabric.is_forbidden(1, 0, 2) and fabric.is_forbidden(1, 2, 0))
        self.assertEqual(fabric.initial, [(2, 0, 1)])
        self.assertEqual([fabric.propagation(0, 2), fabric.propagation(1, 2), fabric.propagation(2, 1)],
                         [10**6, 3, 5000])
        self.assertEqual(fabric.duration(0, 0, 1, "50kB"), 10**6)

    def test_copy_is_the_same_and_its_own(self):
        fabric = self.everything()
        copy = fabric.copy()
        self.assertEqual(self.facts(copy), self.facts(fabric))
        copy.set_delay("1s")
        self.assertEqual(fabric.delay(0), 10**7)


class Schedule(unittest.TestCase):
    def test_rows(self):
        schedule = libflux.schedule(*two_sends())
        self.assertEqual(list(schedule.slots), [(0, 0, 0, 671088640), (1, 1, 681088640, 1352177280)])
        self.assertEqual(schedule.slots[-1].end, 1352177280)
        self.assertEqual(schedule.slots[::-1][0].send, 1)
        self.assertEqual(schedule.times, [(0, 671088640), (681088640, 1352177280)])
        self.assertEqual([c.sends for c in schedule.circuits], [1, 1])
        self.assertEqual(schedule.reconfigurations, 0)
        self.assertEqual(schedule.statistics.stopped, "bound met")
        self.assertRaises(IndexError, lambda: schedule.slots[2])

    def test_certificate(self):
        graph, fabric = two_sends()
        for certificate in (libflux.schedule(graph, fabric).certificate, libflux.bound(graph, fabric)):
            self.assertEqual((certificate.kind, certificate.bound, certificate.gpu, certificate.side,
                              certificate.vertices), ("critical-path", 1352177280, None, "both", [0, 1]))
            self.assertEqual(certificate.check(graph, fabric), 1352177280)
            with self.assertRaises(libflux.MismatchError):
                certificate.check(graph, libflux.Fabric(4, rate="900Gbps"))

    def test_check_and_from_slots(self):
        graph, fabric = two_sends()
        good = libflux.schedule(graph, fabric).slots
        self.assertEqual(libflux.check(graph, fabric, good), 1352177280)
        self.assertEqual(libflux.check(graph, fabric, list(good)[::-1]), 1352177280)
        self.assertEqual(libflux.Schedule.from_slots(graph, fabric, list(good)).slots, good)
        late = [good[0], good[1]._replace(start=680000000, end=1351088640)]
        for call in (libflux.check, libflux.Schedule.from_slots):
            with self.assertRaises(libflux.MismatchError):
                call(graph, fabric, late)

    def test_infeasible_names_the_send(self):
        graph, fabric = two_sends()
        fabric.set_dead(2)
        with self.assertRaises(libflux.InfeasibleError) as caught:
            libflux.schedule(graph, fabric)
        self.assertEqual((caught.exception.vertex, caught.exception.code), (1, -101))

    def test_options_reach_the_library(self):
        graph, fabric = hard()
        first = libflux.schedule(graph, fabric, work_limit=1, exact="never")
        self.assertEqual(first.statistics.stopped, "work limit")
        more = libflux.schedule(graph, fabric, work_limit=200000, exact="never")
        again = libflux.schedule(graph, fabric, work_limit=200000, exact="never")
        self.assertLess(first.statistics.constructions, more.statistics.constructions)
        self.assertLessEqual(more.makespan, first.makespan)
        self.assertEqual(more.slots, again.slots)
        begin = time.monotonic()
        libflux.schedule(graph, fabric, time_limit=1, exact="never")
        self.assertLess(time.monotonic() - begin, 5)
        loose = libflux.schedule(graph, fabric, gap=10.0, exact="never")
        self.assertEqual(loose.statistics.stopped, "gap reached")
        with self.assertRaisesRegex(libflux.Error, "no_such"):
            libflux.schedule(graph, fabric, backend="no_such")

    @needs_solver
    def test_solver(self):
        graph, fabric = hard(**LONG)
        begin = time.monotonic()
        timed = libflux.schedule(graph, fabric, time_limit="2s", exact="always", backend="glpk")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual((timed.statistics.stopped, timed.statistics.backend_used), ("time limit", True))
        small, fabric = hard(4, 6)  # alone: together with our engines it is not asked
        solved = libflux.schedule(small, fabric, exact="only", parameters={"glpk.mip_gap": 0.5}, time_limit="20s")
        self.assertTrue(solved.statistics.backend_used)
        with self.assertRaisesRegex(libflux.Error, "no_such_key"):
            libflux.schedule(small, fabric, exact="always", backend="glpk", parameters={"glpk.no_such_key": 1})

    def test_results_outlive_what_made_them(self):
        graph, fabric = two_sends()
        schedule = libflux.schedule(graph, fabric)
        graph.close(), fabric.close()
        slots, certificate = schedule.slots, schedule.certificate
        schedule.close()
        self.assertEqual((slots[1].end, certificate.bound), (1352177280, 1352177280))

    def test_progress(self):
        news = []
        schedule = libflux.schedule(*hard(), work_limit=100000, exact="never", progress=news.append)
        self.assertTrue(news)
        self.assertEqual(news[-1].bound, schedule.bound)
        self.assertTrue({n.phase for n in news} <= {"build", "bound", "construct", "improve", "exact", "check"})
        self.assertTrue(all(n.makespan is None or n.gap >= 0 for n in news))

    def test_progress_ends_the_search(self):
        schedule = libflux.schedule(*hard(), exact="never", progress=lambda p: p.makespan is not None)
        self.assertEqual(schedule.status, "feasible")
        self.assertFalse(schedule.interrupted)

    def test_what_progress_raises_comes_out(self):
        for kind in (ZeroDivisionError, KeyboardInterrupt, SystemExit):
            calls = []

            def progress(told):
                calls.append(told)
                raise kind("in the middle")

            with self.assertRaisesRegex(kind, "in the middle"):
                libflux.schedule(*hard(), exact="never", progress=progress)
            self.assertEqual(len(calls), 1)

    @needs_solver
    def test_cancel_from_another_thread(self):
        graph, fabric = hard(**LONG)
        with libflux.Cancel() as cancel:
            timer = threading.Timer(0.2, cancel.request)
            timer.start()
            begin = time.monotonic()
            schedule = libflux.schedule(graph, fabric, exact="always", time_limit="30s", cancel=cancel)
            self.assertLess(time.monotonic() - begin, 15)
            self.assertTrue(cancel.requested)
            self.assertEqual(schedule.statistics.stopped, "cancelled")
            cancel.reset()
            self.assertFalse(cancel.requested)

    @needs_solver
    def test_other_threads_run_during_a_solve(self):
        graph, fabric = hard(**LONG)
        done, ticks = threading.Event(), []

        def tick():
            while not done.wait(0.005):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        try:
            begin = time.monotonic()
            libflux.schedule(graph, fabric, exact="always", time_limit="500ms")
            end = time.monotonic()
        finally:
            done.set()
            thread.join()
        self.assertGreater(sum(begin < t < end for t in ticks), 10)

    @needs_solver
    def test_ctrl_c_returns_the_best_so_far(self):
        code = (
            "import sys; sys.path.insert(0, %r)\n"
            "import os, signal, threading, time, libflux, test_shape\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in tests that run in the background
            "graph, fabric = test_shape.hard(**test_shape.LONG)\n"
            "for _ in range(2):\n"
            "    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "    begin = time.monotonic()\n"
            "    schedule = libflux.schedule(graph, fabric, exact='always', time_limit='30s')\n"
            "    assert schedule.interrupted and time.monotonic() - begin < 15\n"
            "    assert schedule.check() == schedule.makespan\n"
            "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
            "try:\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    time.sleep(1)\n"
            "except KeyboardInterrupt:\n"
            "    print('as before')\n"
        ) % os.path.dirname(os.path.abspath(__file__))  # fmt: skip
        done = python(code)
        self.assertEqual((done.returncode, done.stdout), (0, "as before\n"), done.stderr)

    @needs_solver
    def test_an_interpreter_that_ends_during_a_solve(self):
        code = (
            "import sys; sys.path.insert(0, %r)\n"
            "import threading, time, libflux, test_shape\n"
            "graph, fabric = test_shape.hard(**test_shape.LONG)\n"
            "def run():\n"
            "    libflux.schedule(graph, fabric, exact='always', time_limit='30s', progress=lambda p: print('', end=''))\n"
            "threading.Thread(target=run, daemon=True).start()\n"
            "time.sleep(0.3)\n"
            "print('ending')\n"
        ) % os.path.dirname(os.path.abspath(__file__))  # fmt: skip
        done = python(code, limit=25)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ending\n", ""))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_document_and_back(self):
        graph, fabric = two_sends()
        schedule = libflux.schedule(graph, fabric)
        for name in ("all.yaml", "all.json", "\u00e9.yaml"):
            schedule.write_document(self.path(name))
            loaded = libflux.load(self.path(name))
            self.assertEqual((loaded.format, loaded.counts["makespan"]), ("native", 1352177280))
            self.assertEqual(loaded.slots, schedule.slots)
            self.assertEqual(loaded.schedule().makespan, 1352177280)
            self.assertEqual((loaded.fabric.delay(1), loaded.graph.edges), (10**7, graph.edges))
        libflux.write_document(self.path("fabric.yaml"), fabric=fabric)
        loaded = libflux.load(self.path("fabric.yaml"), graph=graph)
        self.assertIsNone(loaded.graph)
        self.assertEqual(loaded.fabric.switches, 2)
        with self.assertRaises(libflux.MismatchError):
            loaded.schedule()

    def test_pictures_and_tables(self):
        schedule = libflux.schedule(*two_sends())
        schedule.write_csv(self.path("a.csv"))
        schedule.write_perfetto(self.path("a.json"))
        schedule.write_svg(self.path("a.svg"), begin="1us", end="1ms", width=800, gpu_first=1, gpu_count=2)
        for name, begin in (("a.csv", "send,"), ("a.json", "{"), ("a.svg", "<")):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertTrue(file.read().startswith(begin), name)

    def test_chakra(self):
        loaded = libflux.load_chakra(LLAMA, size_scale=2)
        self.assertEqual((loaded.format, loaded.graph.gpus, loaded.graph.sends), ("chakra", 8, 2176))
        schedule = libflux.schedule(loaded.graph, libflux.Fabric(8, 2, delay="10us"))
        self.assertEqual((schedule.status, schedule.makespan), ("optimal", 220554313778))
        half = libflux.load(LLAMA, size_scale="1/2")
        self.assertEqual(half.counts["bytes"] * 4, loaded.counts["bytes"])
        with self.assertRaises(libflux.TooBigError):
            libflux.load(LLAMA, vertices_max=10)

    def test_other_formats_and_their_options(self):
        names = [kind.name for kind in libflux.formats()]
        self.assertLessEqual({"native", "chakra", "goal", "matrix"}, set(names))
        with open(self.path("a.csv"), "w", encoding="utf-8") as file:
            file.write("0,3\n5,0\n")
        graph = libflux.load(self.path("a.csv"), unit="MiB").graph
        self.assertEqual([graph.send(v) for v in range(2)], [(0, 1, 3 << 20, 0, 0), (1, 0, 5 << 20, 0, 0)])
        with open(self.path("a.goal"), "w", encoding="utf-8") as file:
            file.write("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 1\n}\nrank 1 {\nl1: recv 8b from 0 tag 1\n}\n")
        loaded = libflux.load(self.path("a.goal"), endpoints="rank", compute_unit="1ns", fold=False)
        self.assertEqual((loaded.format, loaded.graph.sends), ("goal", 1))
        doubling = libflux.load(LLAMA, all_reduce="recursive-doubling", chunks=2, node=4)
        self.assertNotEqual(doubling.graph.sends, libflux.load(LLAMA).graph.sends)
        for given in ({"endpoints": "both"}, {"broadcast": "ringg"}, {"node": 0}, {"compute_unit": -1},
                      {"collective_bytes": "1"}, {"unit": "a\0"}, {"algorithms": ["a\0"]}):
            self.assertRaises(libflux.ArgumentError, libflux.load, LLAMA, **given)
        for given in ({"endpoints": 0}, {"node": 4.0}, {"unit": 3}, {"algorithms": "a.xml"}, {"algorithms": [3]},
                      {"collectives": 3}, {"step_compute": 1.5}):
            self.assertRaises(TypeError, libflux.load, LLAMA, **given)
        with self.assertRaises(libflux.FileError):
            libflux.load(LLAMA, algorithms=[self.path("nowhere.xml")])

    def test_generated(self):
        given = {"tensor": 2, "data": 2, "layers": 2, "sequence": 512, "all_reduce": "ring", "bucket": "50MB"}
        loaded = libflux.generate("llama3-8b", **given)
        self.assertEqual((loaded.format, loaded.graph.gpus), ("generated", 4))
        self.assertEqual(libflux.generate("llama3-8b", **given).graph.edges, loaded.graph.edges)
        self.assertGreater(libflux.generate("llama3-8b", **given, micro_batches=2).graph.sends, loaded.graph.sends)
        for wrong in ({"tensor": 0}, {"zero": 4}, {"routing": "random"}, {"skew": 17}, {"layers": -1}, {"tensor": 3}):
            self.assertRaises(libflux.ArgumentError, libflux.generate, "llama3-8b", **wrong)
        for wrong in ({"tensor": 2.0}, {"gpu": 1}, {"precision": 16}, {"skew": "1"}, {"models": 3}):
            self.assertRaises(TypeError, libflux.generate, "llama3-8b", **wrong)
        self.assertRaises(libflux.ArgumentError, libflux.generate, "no such model")
        self.assertRaises(TypeError, libflux.generate, None)

    def test_errors_say_where(self):
        with self.assertRaises(libflux.FileError) as caught:
            libflux.load(self.path("nowhere.yaml"))
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("nowhere.yaml", str(caught.exception))
        with open(self.path("bad.yaml"), "w", encoding="utf-8") as file:
            file.write("flux: 1\nworkload:\n  gpus: none\n")
        with self.assertRaises(libflux.FormatError) as caught:
            libflux.load(self.path("bad.yaml"))
        self.assertEqual(caught.exception.line, 3)
        libflux.write_document(self.path("x.yaml"), libflux.Graph(2))
        with self.assertRaises(libflux.FormatError):
            libflux.load_chakra(self.path("x.yaml"))
        with self.assertRaises(libflux.FileError):
            libflux.write_document(self.path("no/such/folder.yaml"), libflux.Graph(2))


class Units(unittest.TestCase):
    def test_texts(self):
        self.assertEqual(libflux.parse_time("1.5us"), 1500000)
        self.assertEqual(libflux.parse_time(12), 12)
        self.assertEqual(libflux.parse_size("64MiB"), 64 << 20)
        self.assertEqual(libflux.parse_rate("800Gbps"), 8 * 10**11)
        self.assertEqual([libflux.format_time("1500ns"), libflux.format_size(64 << 20), libflux.format_rate(10**11)],
                         ["1.5us", "64MiB", "100Gbps"])
