# SPDX-License-Identifier: Apache-2.0
"""Calls every public function that returns a code with NULL for one pointer after the other, all else being good; or,
with the argument "future", with structs of options that are larger than this library knows.

Prints a line per call, before it: the function, the pointer; and after it what came back. test_null.py reads them, so
that a crash is seen as a line without an answer.
"""
import ctypes
import os
import re
import sys

import libflux
from libflux import _abi, _library

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import generate

NO_CODE = {"flux_graph_is_send", "flux_cancel_requested", "flux_schedule_status"}  # they return something else


def objects(folder):
    """An object of each opaque type, by the type's name."""
    graph, fabric = libflux.Graph(4), libflux.Fabric(4, 2, delay="10us")
    graph.add_sends([(0, 1, 1000), (1, 2, 1000)])
    graph.add_compute(0, 5)
    graph.add_edge(0, 1)
    schedule = libflux.schedule(graph, fabric)
    replay = libflux.Replay(schedule)
    replay.run()
    plan, cancel = libflux.demand.schedule([[0, 1], [1, 0]]), libflux.Cancel()
    path = os.path.join(folder, "all.yaml")
    schedule.write_document(path)
    made = {"flux_graph": graph, "flux_fabric": fabric, "flux_schedule": schedule, "flux_replay": replay,
            "flux_demand_plan": plan, "flux_cancel": cancel}
    held = {name: thing._pointer._as_parameter_ for name, thing in made.items()}
    core, io = _library.core.held, _library.io().held
    error = _abi.flux_error()
    for name, call in (
        ("flux_certificate", lambda out: core.flux_bound(held["flux_graph"], held["flux_fabric"], out, error)),
        ("flux_comparison", lambda out: core.flux_compare(held["flux_graph"], held["flux_fabric"], 1, None, out, error)),
        ("flux_import", lambda out: io.flux_import(None, os.fsencode(path), None, out, error)),
        ("flux_names", lambda out: io.flux_names_new(None, held["flux_graph"], out)),
        ("flux_program", lambda out: core.flux_program_new(held["flux_graph"], held["flux_fabric"],
                                                           held["flux_schedule"], out, error)),
    ):  # fmt: skip
        if not hasattr(_abi, name) or (name == "flux_program" and "flux_program_new" not in _abi.CORE):
            continue
        pointer = ctypes.POINTER(getattr(_abi, name))()
        if call(ctypes.byref(pointer)):
            sys.exit("null_calls: no %s: %s" % (name, error.text.decode()))
        held[name] = pointer
    held["slots"] = schedule.slots._pointer
    made["spare graph"], made["spare fabric"] = libflux.Graph(4), libflux.Fabric(4, 2)
    made["spare graph"].add_sends([(0, 1, 1000), (1, 2, 1000)])
    return held, made, path


# What a row must have to be good, by its type and member; the rest is 0.
ROWS = {
    "flux_send": {"dst": 1, "bytes": 5}, "flux_edge": {"to": 1}, "flux_cycle_state": {"circuits": 2, "duration": 10**9},
    "flux_rotor_options": {"duty_ppm": 900000}, "flux_packet_options": {"planes": 1},
    "flux_demand_generator": {"kind": 1, "ports": 4},
}  # fmt: skip
SLOTS = {"flux_check", "flux_schedule_from_slots", "flux_replay_new"}  # they take two of them
TEXTS = {"flux_time_parse": b"1us", "flux_bytes_parse": b"1B", "flux_rate_parse": b"1bps"}


def good(function, name, kind, type_, held, path):
    """A value that the argument of that name may have."""
    base = (kind.base or "").replace("struct ", "")
    if kind.arguments is not None:
        return type_(lambda *unused: 0)
    if kind.stars == 1 and base in held:
        return held[base]
    if kind.stars == 1 and base == "char" and kind.const:
        if name in ("path", "prefix"):
            return os.fsencode(path if function == "flux_import" else path + ".out")
        return TEXTS.get(function, b"flux")
    if type_ is ctypes.c_char_p:
        return b"flux"
    if type_ is ctypes.c_void_p:
        return None
    if kind.stars == 1:
        if hasattr(type_._type_, "__mro__") and issubclass(type_._type_, ctypes.Structure) and not hasattr(
                type_._type_, "_fields_"):
            raise LookupError(base)  # an object that is not made above
        one = (type_._type_ * 16)()
        struct = one[0]
        if hasattr(struct, "size"):
            struct.size = ctypes.sizeof(struct)
        for member, value in ROWS.get(base, {}).items():
            if hasattr(struct, member):
                setattr(struct, member, value)
        if base == "flux_circuit_name":
            struct.dst, one[1].src, one[1].dst = 1, 2, 3
        if name == "slots":
            return held["slots"]
        return ctypes.cast(one, type_)
    if kind.stars == 2:
        return ctypes.pointer(type_._type_())
    return {"gpus": 4, "switches": 2, "count": 2 if function in SLOTS else 1, "stride": 32, "dst": 1, "to": 1, "duration": 5, "bytes": 5, "ports": 2,
            "rate": 1, "algorithm": 1, "scheduler": 1, "state_count": 1, "circuit_count": 2,
            "vertex": 2 if function == "flux_graph_get_compute" else 0}.get(name, 0)


def call(library, function, name, values):
    """The code of a call; what it made is freed."""
    code, out = function(*values), [v for v in values if hasattr(v, "contents")]
    for pointer in out:
        made = pointer.contents
        free = getattr(library.held, type(made)._type_.__name__ + "_free", None) if hasattr(made, "_type_") and not \
            isinstance(made, ctypes.Array) and hasattr(type(made)._type_, "__name__") else None
        if free is not None and made:
            free(made)
    return code


def each(folder):
    """Library, function, its name, the names and kinds of its arguments, and a way to make good values for them."""
    held, made, path = objects(folder)
    spare = {"flux_graph": made["spare graph"]._pointer._as_parameter_,
             "flux_fabric": made["spare fabric"]._pointer._as_parameter_}
    headers = generate.Headers()
    for library, functions in ((_library.core, headers.functions["core"]), (_library.io(), headers.functions["io"])):
        for name, (result, arguments) in sorted(functions.items()):
            if result.base != "int" or result.stars or name in NO_CODE:
                continue
            function = getattr(library.free, name)
            own = {**held, **spare} if re.match("flux_(graph|fabric)_(add|set|reserve)", name) else held

            def values(name=name, arguments=arguments, function=function, own=own):
                return [good(name, n, k, t, own, path) for (n, k), t in zip(arguments, function.argtypes)]

            try:
                values()
            except LookupError:
                continue
            yield library, function, name, arguments, values


def with_null(folder):
    """Each pointer NULL: function, argument, the code with a good value, the code with NULL."""
    for library, function, name, arguments, values in each(folder):
        for i, (argument, kind) in enumerate(arguments):
            if not kind.stars and kind.arguments is None:
                continue
            given = values()
            baseline = call(library, function, name, given)
            given[i] = None if kind.arguments is None else function.argtypes[i]()
            print("%s %s %d" % (name, argument, baseline), end="", flush=True)
            print(" %d" % call(library, function, name, given), flush=True)


def of_the_future(folder):
    """Each size-first struct that is read, 64 bytes larger: function, argument, the code with a good value, the code
    where what is new is 0, and where it is not; and with sizes that no version has."""
    for library, function, name, arguments, values in each(folder):
        for i, (argument, kind) in enumerate(arguments):
            struct = getattr(function.argtypes[i], "_type_", None)
            fields = [field[0] for field in getattr(struct, "_fields_", ())]
            if kind.stars != 1 or not kind.const or fields[:1] != ["size"]:
                continue
            given = values()
            codes, small = [call(library, function, name, given)], bytes(given[i].contents)
            for tail, size in ((0, len(small) + 64), (1, len(small) + 64), (0, 0), (0, 9), (0, 2**63), (0, 2**64 - 1)):
                larger = ctypes.create_string_buffer(small + b"\0" * 63 + bytes([tail]), 4096)
                ctypes.c_uint64.from_buffer(larger).value = size
                given[i] = ctypes.cast(larger, function.argtypes[i])
                print("%s %s size %d" % (name, argument, size), file=sys.stderr, flush=True)
                codes.append(call(library, function, name, given))
            print(name, argument, *codes, flush=True)


if __name__ == "__main__":
    of_the_future(sys.argv[1]) if "future" in sys.argv else with_null(sys.argv[1])
