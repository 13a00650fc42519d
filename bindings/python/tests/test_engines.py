# SPDX-License-Identifier: Apache-2.0
"""Replays, demands over parallel switches, models as text, and other schedulers."""
import csv
import os
import pickle
import random
import re
import tempfile
import unittest

import libflux
from test_ecosystem import mixed, numpy
from test_shape import hard, two_sends

NO_FRACTIONS = (None, "0.1", b"1", True, [])


class Replays(unittest.TestCase):
    def schedule(self, seed=1):
        return libflux.schedule(*mixed(seed), work_limit=500, exact="never")

    def test_as_planned(self):
        for seed in range(5):
            schedule = self.schedule(seed)
            with libflux.Replay(schedule) as replay:
                run = replay.run()
                self.assertEqual((run.iteration, run.planned, run.missed, run.done, run.reconfigurations),
                                 (schedule.makespan, schedule.makespan, 0, True, schedule.reconfigurations))
                self.assertEqual(replay.times, list(schedule.times))
                self.assertEqual(replay.summary, run)
                self.assertTrue(all(0 <= ready <= span.start for ready, span in zip(replay.ready, replay.times)))
                self.assertEqual(max(gpu.memory for gpu in replay.gpus), run.memory_of_gpu)
                self.assertLessEqual(replay.run(mode="order").iteration, schedule.makespan)

    def test_jitter_and_stragglers(self):
        schedule = self.schedule()
        replay = libflux.Replay(schedule)
        runs = [replay.run(mode="order", jitter=0.2, seed=seed) for seed in range(20)]
        self.assertGreater(len({run.iteration for run in runs}), 1)
        self.assertEqual(runs[7], replay.run(mode="order", jitter=0.2, seed=7))
        slow = replay.run(mode="order", factors={0: 50.0})
        self.assertEqual(slow, replay.run(mode="order", factors=[50.0] + [1] * 5))
        self.assertGreater(slow.iteration, schedule.makespan)
        for vertex, span in enumerate(replay.times):
            if not schedule.graph.is_send(vertex):
                compute = schedule.graph.compute(vertex)
                self.assertEqual(span.end - span.start, compute.duration * (50 if compute.gpu == 0 else 1))

    def test_it_outlives_what_it_was_made_of(self):
        schedule = self.schedule()
        makespan, replay = schedule.makespan, libflux.Replay(schedule)
        schedule.graph.close(), schedule.fabric.close(), schedule.close()
        self.assertEqual(replay.run().iteration, makespan)

    def test_cycles(self):
        graph, fabric = two_sends()
        states = [(0, "1ms", [(0, 1)]), (0, "1ms", [(1, 2)]), (1, "5us", [])]
        run = libflux.Replay.cycle(graph, fabric, states).run()
        self.assertEqual(run.iteration, 10**9 + 10**7 + 671088640)
        rotor = libflux.Replay.rotor(graph, fabric, duty=0.9).run()
        self.assertTrue(rotor.done)
        self.assertGreater(rotor.iteration, 1352177280)
        vlb = libflux.Replay.rotor(*hard(6, 40), routing="vlb", phase="staggered").run()
        self.assertTrue(vlb.done)
        with libflux.Cancel() as cancel:
            cancel.request()
            long = libflux.Replay.rotor(hard(6, 40)[0], libflux.Fabric(6, 2, delay="1ns"))
            self.assertRaises(libflux.CancelledError, long.run, cancel=cancel)
        with self.assertRaises(libflux.InfeasibleError) as caught:
            libflux.Replay.cycle(graph, fabric, states[:1])
        self.assertEqual(caught.exception.vertex, 1)

    def test_memory_and_parts(self):
        graph, fabric = hard(6, 40)
        schedule = libflux.schedule(graph, fabric, exact="never", work_limit=500)
        for replay in (libflux.Replay(schedule), libflux.Replay.rotor(graph, fabric)):
            self.assertRaises(libflux.ArgumentError, lambda: replay.memory)
            self.assertEqual(replay.parts, [])
            run = replay.run()
            held, most = [0] * 6, [0] * 6
            for row in replay.memory:
                held[row.gpu] = row.bytes
                most[row.gpu] = max(most[row.gpu], row.bytes)
            self.assertEqual((held, most), ([0] * 6, [gpu.memory for gpu in replay.gpus]))
            self.assertEqual([row.time for row in replay.memory], sorted(row.time for row in replay.memory))
            carried = [graph.send(v).bytes for v in range(len(graph))]
            self.assertEqual((run.delivered, run.forwarded), (sum(carried), 0))
        for part in replay.parts:
            self.assertEqual((part.src, part.dst), graph.send(part.send)[:2])
            self.assertLess(part.start, part.end)
            carried[part.send] -= part.bytes
        self.assertEqual(set(carried), {0})

    def test_packets(self):
        graph, fabric = two_sends()
        whole = libflux.Replay.packet(graph, fabric).run().iteration
        self.assertEqual(whole, 2 * 671088640 // 2 + 10**7)  # both links of a GPU carry a send together
        self.assertGreater(libflux.Replay.packet(graph, fabric, planes=4, failed=1).run().iteration, whole)
        one = libflux.Replay.packet(graph, fabric, planes=2, spread="hash", seed=3).run().iteration
        self.assertEqual(one, 2 * 671088640 + 10**7)

    def test_bad_input(self):
        schedule = libflux.schedule(*two_sends())
        graph, fabric, replay = schedule.graph, schedule.fabric, libflux.Replay(schedule)
        with self.assertRaisesRegex(libflux.ArgumentError, "not run yet"):
            _ = replay.summary
        self.assertEqual((replay.times, replay.ready, replay.gpus), ([], [], []))
        for value in (None, graph, "schedule", 3):
            self.assertRaises(TypeError, libflux.Replay, value)
        for value in NO_FRACTIONS:
            self.assertRaises(TypeError, replay.run, jitter=value)
            self.assertRaises(TypeError, replay.run, factors=[value] * 4)
            self.assertRaises(TypeError, libflux.Replay.rotor, graph, fabric, value)
        for value in (-0.1, 1.1, float("nan"), float("inf"), 10**400):
            self.assertRaises(libflux.ArgumentError, replay.run, jitter=value)
            self.assertRaises(libflux.ArgumentError, libflux.Replay.rotor, graph, fabric, value)
        for value in (0.0, 1.0):
            self.assertRaises(libflux.ArgumentError, libflux.Replay.rotor, graph, fabric, value)
        for value in ([1, 1], {4: 1.0}, {-1: 1.0}, [float("nan")] * 4, [-1] * 4, [5000] * 4):
            self.assertRaises(libflux.ArgumentError, replay.run, factors=value)
        for value in (3, "1111", {0.5: 1.0}):
            self.assertRaises(TypeError, replay.run, factors=value)
        self.assertRaises(libflux.ArgumentError, replay.run, mode="fast")
        self.assertRaises(TypeError, replay.run, mode=0)
        self.assertRaises(TypeError, replay.run, seed=1.0)
        for states in ([(0, 1, [(0, 9)])], [(9, 1, [])], [(0, 0, [(0, 1)])], [(0, 1, [(0, 1), (0, 2)])], []):
            self.assertRaises(libflux.Error, libflux.Replay.cycle, graph, fabric, states)
        for states in ([(0, 1.5, [(0, 1)])], [("0", 1, [])], [(0, 1, [(None, 1)])]):
            self.assertRaises(TypeError, libflux.Replay.cycle, graph, fabric, states)
        for given in ({"planes": 0}, {"planes": 2, "failed": 2}, {"spread": "thin"}):
            self.assertRaises(libflux.ArgumentError, libflux.Replay.packet, graph, fabric, **given)
        for given in ({"routing": "fast"}, {"phase": "new"}):
            self.assertRaises(libflux.ArgumentError, libflux.Replay.rotor, graph, fabric, **given)
        self.assertRaises(TypeError, libflux.Replay.packet, graph, fabric, planes=1.0)
        self.assertRaises(TypeError, libflux.Replay.cycle, fabric, graph, [(0, 1, [(0, 1)])])


class SecondObjectives(unittest.TestCase):
    def crowd(self):
        """Sends to and fro between four GPUs with long pauses: there is slack for any order."""
        graph = libflux.Graph(4)
        for i in range(24):
            send = graph.add_send(i % 4, (i + 1 + i % 3) % 4, 1000 * (1 + i % 5))
            graph.set_release(send, i * 1_000_000)
        return graph, libflux.Fabric(4, 2, delay="1us")

    def test_never_worse(self):
        graph, fabric = self.crowd()
        plain = libflux.schedule(graph, fabric)
        names = ("reconfigurations", "memory", "slack")
        for second in [*names, names, names[::-1], []]:
            made = libflux.schedule(graph, fabric, second=second)
            found = made.statistics
            self.assertEqual(made.makespan, plain.makespan)
            if second:
                self.assertEqual(found.reconfigurations_before, plain.reconfigurations)
                self.assertEqual(found.reconfigurations, made.reconfigurations)
            if "reconfigurations" in second:
                self.assertLessEqual(found.reconfigurations, found.reconfigurations_before)
            elif second == "memory":
                self.assertLessEqual(found.memory, found.memory_before)
            elif second == "slack":
                self.assertGreaterEqual(found.slack, found.slack_before)
            else:
                self.assertEqual((found.second > 0, found.reconfigurations, found.slack), (False, 0, 0))

    def test_bad_input(self):
        graph, fabric = self.crowd()
        with self.assertRaisesRegex(libflux.ArgumentError, "second is one of 'reconfigurations'"):
            libflux.schedule(graph, fabric, second=["beauty"])
        with self.assertRaises(TypeError):
            libflux.schedule(graph, fabric, second=[1])


class Programs(unittest.TestCase):
    def test_by_the_clock(self):
        for seed in range(4):
            schedule = libflux.schedule(*mixed(seed), work_limit=300, exact="never")
            program = libflux.Program(schedule)
            events = list(program)
            self.assertEqual([e.time for e in events], sorted(e.time for e in events))
            self.assertEqual({(e.item, e.time, e.time + e.duration) for e in events if e.kind == "start"},
                             {(s.send, s.start, s.end) for s in schedule.slots})
            self.assertEqual({(e.item, e.time) for e in events if e.kind == "end"},
                             {(s.send, s.end) for s in schedule.slots})
            self.assertEqual(program.circuits, schedule.circuits)
            for slot in schedule.slots:
                circuit = program.circuits[program.circuit_of(slot.send)]
                self.assertEqual(circuit.switch, slot.switch)
                self.assertTrue(circuit.up <= slot.start and slot.end <= circuit.down)
                program.seek(slot.start)
                self.assertIn(program.circuit_of(slot.send), program.up(slot.switch))
            program.rewind()
            self.assertEqual(program.peek(), events[0])
            changes = [e.time for e in events if e.kind in ("change", "up", "down")]
            self.assertEqual(program.next_change(), min(changes, default=None))
            program.seek(schedule.makespan)
            self.assertIsNone(program.peek())

    def test_in_order(self):
        schedule = libflux.schedule(*mixed(2), work_limit=300, exact="never")
        with libflux.Program(schedule) as program:
            for slower in (1, 3):
                program.restart()
                under_way, now, last = [], 0, 0
                while program.left:
                    while action := program.take():
                        begin = max(now, action.time)
                        longer = slower if action.kind == "compute" else 1
                        under_way.append((begin + action.duration * longer, len(under_way), action))
                    now, _, action = min(under_way)
                    under_way.remove((now, _, action))
                    program.done(action, now)
                    last = max(last, now)
                self.assertTrue(last <= schedule.makespan if slower == 1 else last > schedule.makespan)

    def test_bad_input(self):
        schedule = libflux.schedule(*two_sends())
        program = libflux.Program(schedule)
        for value in (None, "schedule", schedule.graph):
            self.assertRaises(TypeError, libflux.Program, value)
        for value in (-1, 2**63, "1"):
            self.assertRaises(libflux.ArgumentError, program.seek, value)
        self.assertRaises(TypeError, program.seek, 1.0)
        self.assertRaises(TypeError, program.done, 3, 0)
        self.assertEqual((program.up(99), program.circuit_of(99)), ([], None))
        action = program.take()
        self.assertRaises(libflux.ArgumentError, program.done, action._replace(item=1), 5)
        self.assertRaises(libflux.ArgumentError, program.done, action._replace(kind="explode"), 5)
        self.assertRaises(TypeError, program.done, action, 1.5)
        program.done(action, action.duration)
        self.assertRaises(libflux.ArgumentError, program.done, action, action.duration)


class Demand(unittest.TestCase):
    def matrix(self, ports, seed):
        draw = random.Random(seed)
        return [[0 if i == j or draw.random() < 0.5 else draw.randrange(1, 10**7) for j in range(ports)]
                for i in range(ports)]

    def test_every_plan_serves_its_demand(self):
        self.assertLessEqual({"bvn", "spectra", "best"}, set(libflux.demand.ALGORITHMS))
        for seed, algorithm in enumerate(libflux.demand.ALGORITHMS):
            matrix, delay = self.matrix(7, seed), 10**6
            plan = libflux.demand.schedule(matrix, 2, delay, algorithm)
            served = [[0] * 7 for _ in matrix]
            busy, ends = {}, []
            steps = [(s.switch, s.start, s.time, s.circuits, "all") for s in plan.states]
            steps += [(c.switch, c.start, c.time, ((c.src, c.dst),), "ports") for c in plan.circuits]
            for switch, start, time, circuits, dark in sorted(steps, key=lambda step: step[1]):
                for side in zip(*circuits):
                    self.assertEqual(len(set(side)), len(side))
                for i, j in circuits:
                    served[i][j] += time
                ports = [()] if dark == "all" else [("from", circuits[0][0]), ("to", circuits[0][1])]
                for port in ports:
                    self.assertGreaterEqual(start, busy.get((switch, port), 0))
                    busy[switch, port] = start + delay + time
                ends.append(start + delay + time)
            self.assertTrue(all(served[i][j] >= matrix[i][j] for i in range(7) for j in range(7)))
            self.assertEqual(max(ends), plan.makespan)
            self.assertLessEqual(plan.bound, plan.makespan)
            self.assertIn(plan.algorithm, libflux.demand.ALGORITHMS)
            self.assertEqual(bool(plan.circuits), algorithm == "sunflow")
            self.assertTrue({s.circuits for s in plan.states} <= set(plan.matchings))

    def test_texts_and_arrays(self):
        plan = libflux.demand.schedule([[0, "3us"], ["5us", 0]], 1, "1us")
        self.assertEqual((plan.makespan, plan.gap), (6000000, 0.0))
        if numpy:
            array = numpy.array([[0, 3000000], [5000000, 0]])
            for same in (array, array.astype(">u4"), numpy.asfortranarray(array), array.astype(object)):
                self.assertEqual(libflux.demand.schedule(same, 1, "1us").states, plan.states)

    def test_bad_input(self):
        good = [[0, 1], [1, 0]]
        for matrix in (None, 3, "ab", [3, 4], [[0, 1.0], [1, 0]], [[0, None], [1, 0]], [[0, True], [1, 0]]):
            self.assertRaises(TypeError, libflux.demand.schedule, matrix)
        for matrix in ([], [[0, 1]], [[0, 1], [1]], [[0, -1], [1, 0]], [[0, 2**51], [1, 0]], [[0, 2**70], [1, 0]],
                       [[1, 1], [1, 0]], [[0, "1 week"], [1, 0]]):
            self.assertRaises(libflux.ArgumentError, libflux.demand.schedule, matrix)
        for given in ({"switches": 0}, {"switches": 10**6}, {"delay": -1}, {"algorithm": "worst"}):
            self.assertRaises(libflux.ArgumentError, libflux.demand.schedule, good, **given)
        for given in ({"switches": 1.0}, {"delay": 1.0}, {"algorithm": 7}, {"algorithm": None}):
            self.assertRaises(TypeError, libflux.demand.schedule, good, **given)
        self.assertRaises(TypeError, libflux.demand.write, "x", [[0, 1.0], [1, 0]])
        self.assertRaises(libflux.ArgumentError, libflux.demand.write, "x", [[0, 1]])
        for given in ({"kind": "random"}, {"ports": 0}, {"ports": 10**6}, {"line": 0}, {"heavy": 0}, {"heavy_share": 2},
                      {"noise": -1}, {"top_k": 0}, {"sigma": float("nan")}, {"seed": -1}):
            self.assertRaises(libflux.ArgumentError, libflux.demand.generate, **given)
        for given in ({"kind": 1}, {"ports": 4.0}, {"line": 1.5}, {"tokens": "4096"}, {"noise": "0.1"}):
            self.assertRaises(TypeError, libflux.demand.generate, **given)
        if numpy:
            for array in (numpy.zeros((2, 2)), numpy.zeros((2, 2), bool), numpy.array([["1", "2"], ["3", "4"]], "S1")):
                self.assertRaises(TypeError, libflux.demand.schedule, array)
            for array in (numpy.zeros(4, int), numpy.zeros((2, 3), int), numpy.zeros((0, 0), int)):
                self.assertRaises(libflux.ArgumentError, libflux.demand.schedule, array)

    def test_matrices_of_the_literature(self):
        for kind in libflux.demand.KINDS:
            matrix = libflux.demand.generate(kind, 8, seed=7, line="10us", tokens=512)
            self.assertEqual(matrix, libflux.demand.generate(kind, 8, seed=7, line="10us", tokens=512))
            self.assertNotEqual(matrix, libflux.demand.generate(kind, 8, seed=8, line="10us", tokens=512))
            self.assertEqual(([len(row) for row in matrix], [matrix[i][i] for i in range(8)]), ([8] * 8, [0] * 8))
            self.assertTrue(0 < sum(map(sum, matrix)) < 8 * 12 * 10**6)
        for given in ({"heavy": 1}, {"light": 1}, {"heavy_share": 0.2}, {"noise": 0.05}):
            self.assertNotEqual(libflux.demand.generate(ports=8), libflux.demand.generate(ports=8, **given))
        for given in ({"top_k": 4}, {"sigma": 2.0}, {"tokens": 64}):
            self.assertNotEqual(libflux.demand.generate("moe-pairs", 8), libflux.demand.generate("moe-pairs", 8, **given))

    def test_matrices_in_files(self):
        matrix = self.matrix(5, 1)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.csv", "a.mtx"):
                libflux.demand.write(os.path.join(folder, name), matrix)
                read = libflux.demand.load(os.path.join(folder, name))
                self.assertEqual((len(read), read.ports, read.are_times, read.times()), (1, 5, True, matrix))
                self.assertEqual(list(read[0]), [(i, j, matrix[i][j]) for i in range(5) for j in range(5) if matrix[i][j]])
                self.assertEqual([list(rows) for rows in read], [list(read[-1])])
                self.assertRaises(IndexError, lambda: read[1])
            with open(os.path.join(folder, "b.csv"), "w", encoding="utf-8") as file:
                file.write("0,3\n5,0\n\n0,1\n0,0\n")
            read = libflux.demand.load(os.path.join(folder, "b.csv"), unit="kB")
            self.assertEqual((len(read), read.are_times), (2, False))
            self.assertEqual(read.times(rate="7bps"), [[0, -(-24 * 10**15 // 7)], [-(-40 * 10**15 // 7), 0]])
            self.assertEqual(read.times(1), [[0, 10000], [0, 0]])
            self.assertRaises(libflux.ArgumentError, read.times, 0, "0bps")
            if numpy:
                self.assertEqual(numpy.asarray(read[0])["value"].tolist(), [3000, 5000])
            with self.assertRaises(libflux.FileError):
                libflux.demand.load(os.path.join(folder, "c.csv"))
            with self.assertRaises(libflux.FormatError):
                libflux.demand.load(__file__)
            plans = [libflux.demand.schedule(matrix, 2, "1us", name) for name in ("bvn", "sunflow", "best")]
            libflux.demand.write_plans(os.path.join(folder, "c.csv"), plans, per_matrix=3)
            with open(os.path.join(folder, "c.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([(row["matrix"], row["algorithm"], int(row["makespan_ps"]), int(row["configurations"]))
                              for row in rows], [("0", p.requested, p.makespan, p.configurations) for p in plans])
            self.assertEqual([p.configurations for p in plans], [len(p.states) or len(p.circuits) for p in plans])


class Models(unittest.TestCase):
    def test_sizes_are_those_of_the_text(self):
        graph, fabric = hard(4, 6)
        for formulation in ("tight", "paper"):
            text = libflux.model(graph, fabric, formulation=formulation, format="mps")
            self.assertTrue(text.text.rstrip().endswith("ENDATA"))
            names = set(re.findall(r"(?m)^ +[EGL] +(\S+)$", text.text))
            self.assertEqual(len(names), text.rows)
            lp = libflux.model(graph, fabric, formulation=formulation)
            self.assertEqual((lp.columns, lp.rows, lp.entries, lp.step), text[1:])
            self.assertIn("Minimize", lp.text)

    def test_bad_input(self):
        graph, fabric = two_sends()
        self.assertRaises(libflux.ArgumentError, libflux.model, graph, fabric, format="xml")
        self.assertRaises(libflux.ArgumentError, libflux.model, graph, fabric, formulation="loose")
        self.assertRaises(TypeError, libflux.model, fabric, graph)
        self.assertRaises(libflux.MismatchError, libflux.model, graph, libflux.Fabric(3))
        graph.close()
        self.assertRaises(libflux.ClosedError, libflux.model, graph, fabric)


class Compare(unittest.TestCase):
    def test_all_of_them(self):
        graph, fabric = hard(6, 40)
        found = {row.scheduler: row for row in libflux.compare(graph, fabric, work_limit=500, exact="never")}
        self.assertEqual(list(found), list(libflux.schedulers()))
        schedule = libflux.schedule(graph, fabric, work_limit=500, exact="never")
        self.assertEqual((found["flux"].iteration, found["flux"].bound), (schedule.makespan, schedule.bound))
        self.assertEqual(found["flux"].memory, libflux.Replay(schedule).run().memory_of_gpu)
        self.assertLessEqual({"schedule", "cycle"}, {row.kind for row in found.values()})
        for row in found.values():
            self.assertEqual(row.applies, row.iteration is not None)
            if row.applies and row.kind == "schedule":
                self.assertGreaterEqual(row.best, row.bound)
        self.assertTrue(all(libflux.schedulers().values()))

    def test_what_was_made_is_there(self):
        graph, fabric = hard(6, 40)
        rows = libflux.compare(graph, fabric, work_limit=500, exact="never", repeats=2, planes=2)
        for row in rows:
            self.assertEqual(row.schedule is not None, row.kind == "schedule" and row.scheduler != "static")
            if row.schedule:
                self.assertEqual((row.schedule.check(), row.schedule.makespan), (row.iteration, row.iteration))
            if row.applies:
                self.assertEqual((len(row.times), max(row.times, key=lambda span: span.end).end), (len(graph), row.iteration))
        self.assertEqual({row.repeats for row in rows if row.repeats}, {2})
        copy = pickle.loads(pickle.dumps(rows[0]))
        self.assertEqual((copy, copy.schedule, copy.times), (rows[0], None, []))
        self.assertRaises(libflux.ArgumentError, libflux.write_comparisons, "x", [copy])
        with tempfile.TemporaryDirectory() as folder:
            libflux.write_comparisons(os.path.join(folder, "a.csv"), rows)
            with open(os.path.join(folder, "a.csv"), encoding="utf-8", newline="") as file:
                told = list(csv.DictReader(file))
        self.assertEqual([row["scheduler"] for row in told], [row.scheduler for row in rows])
        self.assertEqual([row["iteration_ps"] for row in told],
                         ["" if row.iteration is None else str(row.iteration) for row in rows])
        self.assertEqual({row["delay_ps"] for row in told}, {str(fabric.delay(0))})
        made = rows[0].schedule
        del rows
        self.assertEqual(made.check(), made.makespan)  # it keeps the comparison

    def test_one_that_does_not_apply_says_why(self):
        graph = libflux.Graph(3)
        graph.add_send(0, 1, "1MiB")
        row, = libflux.compare(graph, libflux.Fabric(3, delay="1us"), "rotor-direct")
        self.assertEqual((row.applies, row.iteration, row.memory), (False, None, None))
        self.assertTrue(row.note)

    def test_bad_input(self):
        graph, fabric = two_sends()
        for given in ({"schedulers": ["fluxx"]}, {"schedulers": ""}, {"duty": 0}, {"duty": 1}, {"duty": float("nan")},
                      {"seed": -1}, {"constructions": 0}, {"repeats": 0}, {"planes": 0}, {"exact": "maybe"}, {"work_limit": 0}):
            self.assertRaises(libflux.ArgumentError, libflux.compare, graph, fabric, **given)
        for given in ({"schedulers": 3}, {"schedulers": [3]}, {"seed": 1.0}, {"duty": "0.9"}, {"cancel": True}):
            self.assertRaises(TypeError, libflux.compare, graph, fabric, **given)
        self.assertRaises(TypeError, libflux.compare, fabric, graph)
        with libflux.Cancel() as cancel:
            cancel.request()
            with self.assertRaises(libflux.CancelledError):
                libflux.compare(*hard(6, 40), ["random", "bvn", "eclipse"], cancel=cancel)
        graph.close()
        self.assertRaises(libflux.ClosedError, libflux.compare, graph, fabric)
