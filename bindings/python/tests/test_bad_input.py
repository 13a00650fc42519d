# SPDX-License-Identifier: Apache-2.0
"""Whatever comes in: a clear error, an object that is as it was, and never a crash."""
import copy
import ctypes
import inspect
import os
import pickle
import threading
import unittest

import libflux
from libflux import _abi, _errors, _library
from support import at_once, python
from test_shape import hard, two_sends

NAN, INF = float("nan"), float("inf")
NO_NUMBERS = (None, 1.0, NAN, INF, b"1", [], {}, object(), 1j, True)


class Calls(unittest.TestCase):
    def setUp(self):
        self.graph, self.fabric = two_sends()

    def refused(self, kind, call, *arguments, **keywords):
        with self.assertRaises(kind, msg="%r %r" % (arguments, keywords)) as caught:
            call(*arguments, **keywords)
        self.assertGreater(len(str(caught.exception)), 10)
        self.assertEqual((len(self.graph), self.graph.edges), (2, [(0, 1, 10**7)]))

    def test_wrong_types(self):
        for value in NO_NUMBERS + ("1",):
            self.refused(TypeError, libflux.Graph, value)
            self.refused(TypeError, libflux.Fabric, 4, value)
            self.refused(TypeError, self.graph.add_send, value, 1, 5)
            self.refused(TypeError, self.graph.add_send, 0, value, 5)
            self.refused(TypeError, self.graph.add_edge, value, 1)
            self.refused(TypeError, self.graph.set_release, value, 1)
            self.refused(TypeError, self.fabric.rate, value, 0)
            self.refused(TypeError, libflux.schedule, self.graph, self.fabric, seed=value)
        for value in NO_NUMBERS:
            self.refused(TypeError, self.graph.add_send, 0, 1, value)
            self.refused(TypeError, self.graph.add_send, 0, 1, 5, release=value)
            self.refused(TypeError, self.graph.add_compute, 0, value)
            self.refused(TypeError, self.graph.add_edge, 0, 1, value)
            self.refused(TypeError, self.graph.set_duration, 0, value)
            self.refused(TypeError, self.fabric.set_delay, value)
            self.refused(TypeError, self.fabric.set_rate, value)
            if value is not None:
                self.refused(TypeError, libflux.schedule, self.graph, self.fabric, time_limit=value)
                self.refused(TypeError, self.graph.add_send, 0, 1, 5, label=value)
        self.refused(TypeError, self.graph.add_send, 0, 1, 5, label=3)

    def test_out_of_range(self):
        for value in (-1, 2**32, 2**64, -(2**70), 10**30):
            self.refused(libflux.ArgumentError, libflux.Graph, value)
            self.refused(libflux.ArgumentError, libflux.Fabric, 4, value)
            self.refused(libflux.ArgumentError, self.graph.add_send, value, 1, 5)
            self.refused(libflux.ArgumentError, self.graph.add_edge, 0, value)
            self.refused(libflux.ArgumentError, self.graph.label, value)
            self.refused(libflux.ArgumentError, self.fabric.set_delay, 5, value)
            self.refused(libflux.ArgumentError, self.fabric.dead, value, 0)
        for value in (-1, 2**62 + 1, 2**63, 2**64, "-1us", "1.5ps", "9999999999s", "10", "", "us", "1e3us", "10 parsecs"):
            self.refused(libflux.ArgumentError, self.graph.add_compute, 0, value)
            self.refused(libflux.ArgumentError, self.graph.add_edge, 0, 1, value)
            self.refused(libflux.ArgumentError, self.fabric.set_dwell, value)
            self.refused(libflux.ArgumentError, libflux.schedule, self.graph, self.fabric, time_limit=value)
        for value in (-1, 2**64, "1.5B", "64", "1GiBi", "\0", "1\0GB", "\ud800"):
            self.refused(libflux.ArgumentError, self.graph.add_send, 0, 1, value)
        for value in (0, -1, 2**64, "0Gbps", "1"):
            self.refused(libflux.ArgumentError, self.fabric.set_rate, value)
        self.refused(libflux.ArgumentError, self.graph.add_send, 1, 1, 5)
        self.refused(libflux.ArgumentError, self.graph.add_send, 0, 4, 5)
        self.refused(libflux.ArgumentError, self.graph.add_send, 0, 1)
        self.refused(libflux.ArgumentError, self.graph.add_edge, 0, 0)
        self.refused(libflux.ArgumentError, self.graph.add_edge, 0, 2)
        self.refused(libflux.ArgumentError, self.graph.send, 2)
        self.refused(libflux.ArgumentError, self.graph.compute, 0)
        self.refused(libflux.ArgumentError, self.graph.add_send, 0, 1, 5, label="x" * 4096)
        self.refused(libflux.ArgumentError, self.graph.add_send, 0, 1, 5, label="a\0b")
        self.refused(libflux.ArgumentError, self.graph.set_label, 0, "\udfff")
        self.refused(libflux.ArgumentError, self.fabric.duration, 0, 0, 9, 5)
        self.refused(libflux.TimeOverflowError, self.fabric.duration, 0, 0, 1, 2**63)
        self.refused(libflux.ArgumentError, self.fabric.set_forbidden, 0, 1, 1)

    def test_words_and_fractions(self):
        for value in ("Paper", "", "papers"):
            self.refused(libflux.ArgumentError, self.fabric.set_rule, value)
            self.refused(libflux.ArgumentError, self.fabric.set_blocking, value)
            self.refused(libflux.ArgumentError, libflux.schedule, self.graph, self.fabric, exact=value)
        self.refused(TypeError, self.fabric.set_rule, 0)
        for value in (NAN, INF, -0.5, 5000, 10**400):
            self.refused(libflux.ArgumentError, libflux.schedule, self.graph, self.fabric, gap=value)
        for value in ("0.1", None, b"1", True, []):
            self.refused(TypeError, libflux.schedule, self.graph, self.fabric, gap=value)
        for value in (1.5, NAN, None, True, []):
            self.refused(TypeError, libflux.load, "x", size_scale=value)
        for value in (0, -1, "1/0", "two", 2**70):
            self.refused(libflux.ArgumentError, libflux.load, "x", size_scale=value)
        for value in (NAN, INF, 0, -1):
            self.refused(libflux.ArgumentError, libflux.load, "x", peak_flops=value)

    def test_objects_of_another_kind(self):
        for graph, fabric in ((self.fabric, self.graph), (None, self.fabric), (self.graph, None), ("graph", self.fabric),
                              (self.graph, 4), (libflux.Graph, self.fabric)):
            self.refused(TypeError, libflux.schedule, graph, fabric)
            self.refused(TypeError, libflux.bound, graph, fabric)
            self.refused(TypeError, libflux.check, graph, fabric, [])
            self.refused(TypeError, libflux.Schedule.from_slots, graph, fabric, [])
        self.refused(TypeError, libflux.schedule, self.graph, self.fabric, progress=3)
        self.refused(TypeError, libflux.schedule, self.graph, self.fabric, cancel=True)
        self.refused(TypeError, libflux.schedule, self.graph, self.fabric, parameters=[("a", "b")])
        self.refused(TypeError, libflux.schedule, self.graph, self.fabric, parameters={1: "b"})
        self.refused(TypeError, libflux.schedule, self.graph, self.fabric, backend=b"glpk")
        self.refused(TypeError, libflux.write_document, "x", self.fabric)
        self.refused(TypeError, libflux.write_csv, "x", None)
        for function in (libflux.write_chakra, libflux.write_goal, libflux.write_dot, libflux.write_networkx):
            self.refused(TypeError, function, "x", self.fabric)
            self.refused(TypeError, function, 3, self.graph)
            self.refused(libflux.ArgumentError, function, "a\0b", self.graph)
        self.refused(TypeError, libflux.write_chakra, "x", self.graph, self.fabric)
        self.refused(TypeError, libflux.names, self.fabric)
        self.refused(TypeError, libflux.write_comparisons, "x", [self.graph])
        self.refused(TypeError, libflux.demand.write_plans, "x", [self.graph])
        self.refused(TypeError, libflux.load, 3)
        self.refused(libflux.ArgumentError, libflux.load, "a\0b")
        self.refused(libflux.MismatchError, libflux.schedule, self.graph, libflux.Fabric(5))

    def test_rows(self):
        for rows in (3, "abc", b"abc", [1], ["abc"], [(0, 1)], [(0, 1, 2, 3, 4, 5)], [None], {0: 1}):
            self.refused(TypeError, self.graph.add_sends, rows)
        for row in ((0, 1, 5.0), (0, "1", 5), (None, 1, 5), (0, 1, NAN)):
            self.refused(TypeError, self.graph.add_sends, [row])
        for row in ((0, 1, -5), (0, 4, 5), (0, 1, 2**64), (0, 1, 5, 2**63), (2**32, 1, 5)):
            self.refused(libflux.ArgumentError, self.graph.add_sends, [row])
        self.refused(TypeError, self.graph.add_sends)
        self.refused(TypeError, self.graph.add_sends, [(0, 1, 5)], src=[0])
        self.refused(TypeError, self.graph.add_sends, src=[0], dst=[1])
        self.refused(TypeError, self.graph.add_sends, src=0, dst=1, bytes=5)
        self.refused(TypeError, self.graph.add_sends, src=[0], dst=[1], bytes=b"abc")
        self.refused(libflux.ArgumentError, self.graph.add_sends, src=[0, 1], dst=[1], bytes=5)
        self.refused(TypeError, libflux.check, self.graph, self.fabric, None)
        self.refused(libflux.MismatchError, libflux.check, self.graph, self.fabric, [])
        self.refused(libflux.MismatchError, libflux.check, self.graph, self.fabric, [(0, 0, 0, 1)] * 2)


class Closed(unittest.TestCase):
    def test_every_method_of_a_closed_object(self):
        graph, fabric = two_sends()
        schedule, cancel = libflux.schedule(graph, fabric), libflux.Cancel()
        replay, plan = libflux.Replay(schedule), libflux.demand.schedule([[0, 1], [1, 0]])
        program = libflux.Program(schedule)
        other_graph, other_fabric = two_sends()
        calls = []
        for thing, arguments in (
            (graph, {"add_send": (0, 1, 5), "add_compute": (0, 5), "add_edge": (0, 1), "add_sends": ([(0, 1, 5)],),
                     "add_computes": ([],), "add_edges": ([],), "reserve": (1,), "set_duration": (0, 1),
                     "set_release": (0, 1), "set_label": (0, "x"), "is_send": (0,), "send": (0,), "compute": (0,),
                     "label": (0,)}),
            (fabric, {"set_rule": ("paper",), "set_rate": (5,), "set_delay": (5,), "set_blocking": ("port",),
                      "set_dwell": (5,), "set_dead": (0,), "set_forbidden": (0, 0, 1), "add_initial": (0, 0, 1),
                      "set_propagation": (5,), "rate": (0, 0), "delay": (0,), "blocking": (0,), "dwell": (0,),
                      "dead": (0, 0), "is_forbidden": (0, 0, 1), "propagation": (0, 1), "duration": (0, 0, 1, 5)}),
            (schedule, {"write_document": ("x",), "write_csv": ("x",), "write_perfetto": ("x",), "write_svg": ("x",)}),
            (cancel, {}), (plan, {}),
            (replay, {"write_csv": ("x", other_graph), "write_memory": ("x",),
                      "write_perfetto": ("x", other_graph, other_fabric)}),
            (program, {"circuit_of": (0,), "seek": (0,), "up": (0,), "done": (libflux.Event("start", 0, 0, 0, 0), 5)}),
        ):  # fmt: skip
            for name in dir(type(thing)):
                skipped = name.startswith("_") or name in ("close", "closed", "interrupted", "optimal")
                makes = isinstance(inspect.getattr_static(thing, name), classmethod)
                if skipped or makes or (thing is schedule and name in ("graph", "fabric")):
                    continue
                calls.append((thing, name, arguments.get(name, ())))
        for thing in (graph, fabric, schedule, cancel, replay, plan, program):
            thing.close()
            thing.close()
            self.assertTrue(thing.closed)
            repr(thing)
            with self.assertRaises(libflux.ClosedError), thing:
                pass
        self.assertGreater(len(calls), 50)
        for thing, name, arguments in calls:
            with self.assertRaises(libflux.ClosedError, msg=name):
                attribute = getattr(thing, name)
                attribute(*arguments)
        for graph_, fabric_ in ((graph, other_fabric), (other_graph, fabric)):
            for function in (libflux.schedule, libflux.bound, lambda g, f: libflux.check(g, f, [])):
                self.assertRaises(libflux.ClosedError, function, graph_, fabric_)
        self.assertRaises(libflux.ClosedError, libflux.schedule, other_graph, other_fabric, cancel=cancel)
        self.assertRaises(libflux.ClosedError, libflux.write_document, "x", graph)
        self.assertRaises(libflux.ClosedError, libflux.write_chakra, "x", other_graph, schedule)
        for function in (libflux.write_chakra, libflux.write_goal, libflux.write_dot, libflux.write_networkx):
            self.assertRaises(libflux.ClosedError, function, "x", graph)
        self.assertRaises(libflux.ClosedError, libflux.names, graph)
        self.assertRaises(libflux.ClosedError, libflux.demand.write_plans, "x", [plan])

    def test_from_a_progress_callback(self):
        graph, fabric = hard()
        caught = []

        def progress(told):
            for change in (lambda: graph.add_compute(0, 5), graph.close, fabric.close, lambda: fabric.set_delay(5)):
                try:
                    change()
                except libflux.BusyError as error:
                    caught.append(str(error))
            return True

        libflux.schedule(graph, fabric, exact="never", progress=progress)
        self.assertGreaterEqual(len(caught), 4)
        self.assertIn("while another call uses it", caught[0])
        graph.add_compute(0, 5)

    def test_from_many_threads(self):
        graph, fabric = hard(sends=100)

        def work(seed):
            for i in range(30):
                try:
                    if seed % 2:
                        libflux.schedule(graph, fabric, work_limit=200, exact="never")
                    else:
                        graph.add_send(i % 12, (i + 1) % 12, 1000)
                        graph.edges, graph.label(0)
                        graph.add_edges(before=[0] * 50, after=range(1, 51))
                except libflux.BusyError:
                    pass

        self.assertEqual(at_once(work), [])

    def test_closed_by_another_thread(self):
        for _ in range(200):
            graph, _fabric = two_sends()
            thread = threading.Thread(target=graph.close)
            thread.start()
            try:
                for _ in range(20):
                    graph.send(0), graph.edges
            except libflux.ClosedError:
                pass
            thread.join()
            self.assertTrue(graph.closed or graph.close() is None)

    def test_a_replay_and_a_program_from_many_threads(self):
        schedule = libflux.schedule(*hard(sends=100), work_limit=200, exact="never")
        replay, program = libflux.Replay(schedule), libflux.Program(schedule)

        def work(seed):
            for i in range(100):
                try:
                    replay.run(mode="order", jitter=0.1, seed=seed)
                    replay.times, replay.ready, replay.gpus
                    program.seek(i * schedule.makespan // 100)
                    program.up(0), program.peek(), next(program, None)
                except libflux.BusyError:
                    pass

        self.assertEqual(at_once(work), [])
        self.assertEqual(replay.run().iteration, schedule.makespan)

    def test_an_interpreter_that_ends_while_python_solves(self):
        code = (
            "import sys; sys.path[:0] = [%r]\n"
            "import threading, time, libflux, test_shape\n"
            "solving = threading.Event()\n"
            "class Slow(libflux.Backend):\n"
            "    name, capabilities = 'slow', ('solves',)\n"
            "    def solve(self, program, run):\n"
            "        print('solving', flush=True)\n"
            "        solving.set()\n"
            "        while not run.stop():\n"
            "            time.sleep(0.001)\n"
            "        return libflux.Solution('unknown')\n"
            "graph, fabric = test_shape.hard(4, 8)\n"
            "def run():\n"
            "    libflux.schedule(graph, fabric, exact='only', backend=Slow, time_limit='30s')\n"
            "threading.Thread(target=run, daemon=True).start()\n"
            "solving.wait(20)\n"
            "print('ending', flush=True)\n"
        ) % os.path.dirname(os.path.abspath(__file__))  # fmt: skip
        done = python(code, limit=25)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "solving\nending\n", ""))

    def test_slots_of_the_wrong_kind(self):
        graph, fabric = two_sends()
        for slots in ([(0, 0, 0.0, 1)], [("0", 0, 0, 1)], [(0, 0)], 3, "slots", [None]):
            self.assertRaises(TypeError, libflux.check, graph, fabric, slots)
            self.assertRaises(TypeError, libflux.Schedule.from_slots, graph, fabric, slots)
        for slots in ([(0, 0, -1, 1)], [(2**32, 0, 0, 1)], [(0, 0, 0, 2**63)]):
            self.assertRaises(libflux.ArgumentError, libflux.check, graph, fabric, slots)

    def test_no_copies(self):
        for thing in two_sends():
            self.assertRaises(TypeError, copy.copy, thing)
            self.assertRaises(TypeError, copy.deepcopy, thing)
            self.assertRaises(TypeError, pickle.dumps, thing)


class Library(unittest.TestCase):
    def test_structs_of_a_future_version(self):
        graph, fabric = two_sends()
        core = _library.core.held
        pointer, error = ctypes.POINTER(_abi.flux_schedule)(), _abi.flux_error()

        class Future(ctypes.Structure):
            _fields_ = [("now", _abi.flux_options), ("later", ctypes.c_uint64)]

        future = Future()
        future.now.size = ctypes.sizeof(future)
        options = ctypes.cast(ctypes.byref(future), ctypes.POINTER(_abi.flux_options))
        call = (graph._pointer, fabric._pointer, options, ctypes.byref(pointer), ctypes.byref(error))
        self.assertEqual(core.flux_schedule(*call), 0)
        core.flux_schedule_free(pointer)
        future.later = 1
        self.assertEqual(core.flux_schedule(*call), _abi.FLUX_E_ABI)
        with self.assertRaises(libflux.AbiError) as caught:
            _errors.raise_for(_abi.FLUX_E_ABI, error)
        self.assertTrue(str(caught.exception))

    def test_codes_that_are_newer_than_this_package(self):
        for code, kind in ((-50, libflux.CallError), (-150, libflux.ProblemError), (-250, libflux.RunError),
                           (-999, libflux.Error)):
            with self.assertRaises(kind) as caught:
                _errors.raise_for(code, text="something new")
            self.assertIs(type(caught.exception), kind)
            self.assertEqual((caught.exception.code, str(caught.exception)), (code, "something new"))

    def test_each_code_has_its_class(self):
        codes = {name: value for name, value in vars(_abi).items() if name.startswith("FLUX_E_")}
        self.assertGreater(len(codes), 10)
        kinds = {_errors.class_of(code) for code in codes.values()}
        self.assertEqual(len(kinds), len(codes))
        self.assertTrue(kinds.isdisjoint({libflux.CallError, libflux.ProblemError, libflux.RunError, libflux.Error}))

    def test_wrong_pointers_do_not_reach_the_library(self):
        core, (graph, fabric) = _library.core.held, two_sends()
        for value in (3, "x", object(), fabric._pointer):
            with self.assertRaises(ctypes.ArgumentError):
                core.flux_graph_vertices(value)
        for name in ("flux_graph_vertices", "flux_graph_gpus", "flux_graph_sends"):
            self.assertEqual(getattr(core, name)(None), 0)


class FastPaths(unittest.TestCase):
    def test_the_common_case_and_the_rest_agree(self):
        one, other = libflux.Graph(3), libflux.Graph(3)
        for graph, number in ((one, int), (other, str)):
            convert = (lambda value: "%dB" % value) if number is str else int
            for src, dst, size in ((0, 1, 5), (1, 2, 2**64 - 1), (2, 0, 1)):
                graph.add_send(src, dst, convert(size))
            graph.add_edge(0, 1, 7 if number is int else "7ps")
        self.assertEqual([one.send(v) for v in range(3)], [other.send(v) for v in range(3)])
        self.assertEqual(one.edges, other.edges)
        for arguments in ((0, 0, 5), (0, 3, 5), (-1, 1, 5), (0, 1, 0), (0, 1, 2**64), (2**32, 1, 5)):
            with self.assertRaises(libflux.ArgumentError):
                one.add_send(*arguments)
        for arguments in ((0, 0, 0), (0, 3, 5), (0, 1, 2**62 + 1), (0, -1, 5)):
            with self.assertRaises(libflux.ArgumentError):
                one.add_edge(*arguments)
        self.assertEqual((len(one), len(one.edges)), (3, 1))
