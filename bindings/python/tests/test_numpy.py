# SPDX-License-Identifier: Apache-2.0
"""Rows and columns from NumPy, and arrays on the memory of a schedule."""
import unittest

import libflux
from support import python
from test_shape import two_sends

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "no numpy here")


class WithoutNumpy(unittest.TestCase):
    def test_it_is_never_imported_by_the_package(self):
        done = python("import sys, libflux\ngraph = libflux.Graph(3)\ngraph.add_sends(src=[0], dst=[1], bytes=[5])\n"
                      "libflux.schedule(graph, libflux.Fabric(3)).slots[0]\nprint('numpy' in sys.modules)")
        self.assertEqual(done.stdout, "False\n", done.stderr)


@needs_numpy
class Numpy(unittest.TestCase):
    def setUp(self):
        self.graph = libflux.Graph(4)

    def sends(self):
        return [tuple(self.graph.send(v)) for v in range(len(self.graph))]

    def test_rows_are_those_of_the_library(self):
        from libflux import _rows

        for table in _rows.TABLES.values():
            self.assertEqual(libflux.dtype(table.name).itemsize, table.size)
        self.assertRaises(libflux.ArgumentError, libflux.dtype, "sends")

    def test_structured_rows_without_a_copy(self):
        from libflux import _rows

        wide = numpy.dtype([("id", "<i8"), ("src", "<u4"), ("dst", "<u4"), ("bytes", "<u8"), ("duration", "<i8"),
                            ("release", "<i8"), ("note", "<f8")])
        for kind in (libflux.dtype("send"), wide):
            rows = numpy.zeros(6, kind)
            rows["src"], rows["dst"], rows["bytes"], rows["release"] = 0, [1, 2, 3, 1, 2, 3], 5, range(6)
            for part in (rows, rows[::2], rows[3:]):
                memory = _rows.memory_of(_rows.SEND, part)
                self.assertIs(memory.keep, part)
                self.assertEqual(memory.stride, part.strides[0])
                begin = len(self.graph)
                self.graph.add_sends(part)
                self.assertEqual(self.sends()[begin:], [(0, r["dst"], 5, 0, r["release"]) for r in part])

    def test_structured_rows_of_another_layout(self):
        kind = numpy.dtype([("bytes", ">u4"), ("dst", "i1"), ("src", "<u8")])
        rows = numpy.array([(5, 1, 0), (6, 3, 2)], kind)
        self.graph.add_sends(rows)
        self.graph.add_sends(rows[::-1])
        self.assertEqual(self.sends(), [(0, 1, 5, 0, 0), (2, 3, 6, 0, 0), (2, 3, 6, 0, 0), (0, 1, 5, 0, 0)])
        backwards = numpy.zeros(2, libflux.dtype("send"))
        backwards["dst"], backwards["bytes"] = [1, 2], [7, 8]
        self.graph.add_sends(backwards[::-1])
        self.assertEqual(self.sends()[-2:], [(0, 2, 8, 0, 0), (0, 1, 7, 0, 0)])

    def test_columns(self):
        vertices = self.graph.add_sends(src=numpy.array([0, 1], "i2"), dst=numpy.arange(4)[1:3], bytes="1kB",
                                        duration=numpy.uint8(0), release=numpy.array(["1us", "2ps"]))
        self.assertEqual(vertices, range(0, 2))
        self.assertEqual(self.sends(), [(0, 1, 1000, 0, 1000000), (1, 2, 1000, 0, 2)])
        self.graph.add_computes(gpu=[0, 1], duration=numpy.array([5, 6]))
        self.graph.add_edges(before=numpy.array([0, 1]), after=numpy.array([2, 3], ">u8"), lag=[4, "1ns"])
        self.graph.add_edges(numpy.array([(0, 3, 1)], libflux.dtype("edge")))
        self.assertEqual(self.graph.edges, [(0, 2, 4), (1, 3, 1000), (0, 3, 1)])
        self.assertEqual(self.graph.compute(3), (1, 6, 0))
        self.assertEqual(self.graph.add_sends(src=numpy.array([]), dst=[], bytes=[]), range(4, 4))
        large = numpy.array([2**64 - 1], "u8")
        self.graph.add_sends(src=[0], dst=[1], bytes=large)
        self.assertEqual(self.graph.send(4).bytes, 2**64 - 1)

    def test_scalars(self):
        vertex = self.graph.add_send(numpy.int32(0), numpy.uint8(1), numpy.int64(5), release=numpy.int64(7))
        self.assertEqual(self.graph.send(numpy.int64(vertex)), (0, 1, 5, 0, 7))

    def test_bad_arrays(self):
        one = numpy.array([1])
        for column in (numpy.array([1.0]), numpy.array([numpy.nan]), numpy.array([True]), numpy.array([1j]),
                       numpy.array([[1]]), numpy.array([b"1"]), numpy.array(["2020-01-01"], "M8[s]"),
                       numpy.array([None]), numpy.array([1.5], object), numpy.float64(1)):  # fmt: skip
            with self.assertRaises(TypeError, msg=repr(column)):
                self.graph.add_sends(src=[0], dst=one, bytes=column)
        for column, text in ((numpy.array([5, -1]), "bytes of row 1 is -1"), (numpy.array([1, 2, 3]), "lengths"),
                             (numpy.array([0, 5]), "row 0"), (numpy.array([2**70, 1], object), "bytes of row 0")):
            with self.assertRaisesRegex(libflux.ArgumentError, text):
                self.graph.add_sends(src=[0, 0], dst=numpy.array([1, 1]), bytes=column)
        with self.assertRaisesRegex(libflux.ArgumentError, "src of row 0 is 4294967296"):
            self.graph.add_sends(src=numpy.array([2**32]), dst=one, bytes=one)
        with self.assertRaisesRegex(libflux.ArgumentError, "release of row 0 is"):
            self.graph.add_sends(src=[0], dst=one, bytes=one, release=numpy.array([2**62 + 1]))
        with self.assertRaisesRegex(TypeError, "whole numbers"):
            self.graph.add_sends(src=numpy.array([0.0]), dst=one, bytes=one)
        for rows in (numpy.zeros(3), numpy.zeros((2, 3), int), numpy.zeros((2, 2), libflux.dtype("send")),
                     numpy.zeros(2, [("src", "u4"), ("to", "u4")])):
            self.assertRaises(TypeError, self.graph.add_sends, rows)
        graph, fabric = two_sends()
        for slots in (numpy.zeros(2), numpy.zeros((2, 4), int), numpy.zeros(2, [("send", "u4"), ("start", "f8")]),
                      numpy.zeros(2, [("send", "u4"), ("switch", "u4"), ("start", "f8"), ("end", "i8")])):
            self.assertRaises(TypeError, libflux.check, graph, fabric, slots)
        self.assertRaises(TypeError, self.graph.add_send, numpy.float64(0), 1, 5)
        self.assertRaises(TypeError, self.graph.add_send, numpy.bool_(False), 1, 5)
        self.assertEqual(len(self.graph), 0)

    def test_views_of_a_schedule(self):
        graph, fabric = two_sends()
        schedule = libflux.schedule(graph, fabric)
        slots, circuits, times = map(numpy.asarray, (schedule.slots, schedule.circuits, schedule.times))
        self.assertEqual(slots["end"].tolist(), [671088640, 1352177280])
        self.assertEqual(slots.__array_interface__["data"][0], numpy.asarray(schedule.slots).ctypes.data)
        self.assertEqual(circuits["dst"].tolist(), [1, 2])
        self.assertEqual(times["start"].tolist(), [0, 681088640])
        self.assertFalse(slots.flags.writeable)
        self.assertEqual(libflux.check(graph, fabric, slots), 1352177280)
        self.assertEqual(libflux.check(graph, fabric, slots[::-1]), 1352177280)
        every_other = numpy.zeros(4, slots.dtype)
        every_other[::2] = slots
        self.assertEqual(libflux.check(graph, fabric, every_other[::2]), 1352177280)
        wide = numpy.zeros(2, [("send", "<u4"), ("switch", "<u4"), ("start", "<i8"), ("end", "<i8"), ("x", "<i8")])
        for name in slots.dtype.names:
            wide[name] = slots[name]
        self.assertEqual(libflux.Schedule.from_slots(graph, fabric, wide).slots, schedule.slots)
        before = slots.tolist()
        schedule.close()
        del schedule, graph, fabric
        self.assertEqual(slots.tolist(), before)

    def test_no_rows(self):
        graph = libflux.Graph(2)
        graph.add_compute(0, 5)
        schedule = libflux.schedule(graph, libflux.Fabric(2))
        self.assertEqual((len(schedule.slots), numpy.asarray(schedule.slots).shape), (0, (0,)))
        self.assertEqual(numpy.asarray(schedule.circuits).tolist(), [])
