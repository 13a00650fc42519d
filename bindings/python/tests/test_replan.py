# SPDX-License-Identifier: Apache-2.0
"""Iterations planned anew from where they stand."""
import unittest

import libflux
from test_ecosystem import mixed


class Replans(unittest.TestCase):
    def schedule(self, seed=1):
        return libflux.schedule(*mixed(seed), work_limit=500, exact="never")

    def test_as_planned(self):
        for seed in range(5):
            old = self.schedule(seed)
            now = old.makespan // 2
            with libflux.replan(old, now) as new:
                self.assertEqual(new.summary.shifted, old.makespan)
                self.assertLessEqual(new.summary.makespan, old.makespan)
                self.assertLessEqual(new.summary.bound, new.summary.makespan)
                self.assertEqual(new.summary.done + new.summary.under_way + new.summary.left, old.graph.sends)
                for before, after in zip(old.times, new.times):
                    if before.start < now:
                        self.assertEqual(before, after)
                    else:
                        self.assertGreaterEqual(after.start, now)
                self.assertEqual(libflux.check(old.graph, old.fabric, new.slots), new.summary.makespan)
                rest = new.rest
                self.assertEqual(libflux.check(rest.graph, rest.fabric, rest.slots), rest.makespan)
                self.assertLessEqual(rest.bound, rest.makespan)
            self.assertEqual(len(rest.slots), rest.graph.sends)  # it lives as long as one looks at it

    def test_a_dead_port_again_and_again(self):
        for seed in range(5):
            old = self.schedule(seed)
            fabric, now = old.fabric.copy(), old.makespan // 3
            fabric.set_dead(0, 0)
            new = libflux.replan(old, now, fabric=fabric)
            again = libflux.replan(new, now + now // 2, fabric=fabric, factors={1: 2.0}, time_limit="1s")
            for plan in (new, again):
                for slot in plan.slots:
                    send = old.graph.send(slot.send)
                    if slot.start >= now and slot.switch == 0:
                        self.assertNotIn(0, (send.src, send.dst))
                self.assertLessEqual(plan.summary.makespan, plan.summary.shifted)
            for before, after in zip(new.times, again.times):
                if before.start < now + now // 2:
                    self.assertEqual(before, after)

    def test_what_really_happened(self):
        old = self.schedule()
        now = old.makespan // 2
        slot = next(slot for slot in old.slots if slot.start < now < slot.end)
        late = libflux.replan(old, now, ran={slot.send: (slot.start, slot.end + 10**9)})
        self.assertEqual(late.times[slot.send], (slot.start, slot.end + 10**9))
        unknown = libflux.replan(old, now, ran={slot.send: (slot.start, None)})
        self.assertEqual(unknown.times[slot.send].end, slot.end)
        again = libflux.replan(old, now, ran={slot.send: None}, releases={slot.send: now + 5})
        self.assertGreaterEqual(again.times[slot.send].start, now + 5)
        with self.assertRaises(libflux.MismatchError):
            libflux.replan(old, now, ran={slot.send: (now + 1, None)})

    def test_bad_input(self):
        old = self.schedule()
        with self.assertRaises(TypeError):
            libflux.replan(old.graph, 0)
        for given in ({"ran": [1]}, {"factors": [1.0]}, {"releases": "x"}, {"fabric": old.graph}, {"seed": 0.5}):
            self.assertRaises(TypeError, libflux.replan, old, 0, **given)
        for given in ({"ran": {10**6: None}}, {"factors": {99: 1.0}}, {"releases": {0: -1}}, {"work_limit": 0}):
            self.assertRaises(libflux.ArgumentError, libflux.replan, old, 0, **given)
        new = libflux.replan(old, 0)
        self.assertIn("sends left", repr(new))
        new.close()
        self.assertEqual(repr(new), "<libflux.Replan, closed>")
        self.assertRaises(libflux.ClosedError, lambda: new.slots)


if __name__ == "__main__":
    unittest.main()
