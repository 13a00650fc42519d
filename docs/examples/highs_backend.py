# SPDX-License-Identifier: Apache-2.0
"""A solver backend in Python: HiGHS, through its own package highspy.

    pip install highspy
    python3 docs/examples/highs_backend.py          # or: from highs_backend import Highs

libflux knows nothing of it. It gives columns and rows to the class below and checks what comes back.
"""
import re

import highspy
import numpy

import libflux

DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?")


class Quiet(highspy.Highs):
    """The first solver of a process prints its name when it sets up its callbacks, unless it was silenced before."""

    def enableCallbacks(self):
        """What highspy calls when it makes a solver."""
        self.silent()
        super().enableCallbacks()


class Highs(libflux.Backend):
    """HiGHS as a backend: branch and cut, with bounds and points on the way."""

    name = "highs"
    capabilities = ("solves", "optimal", "bound", "deterministic")
    parameters = (
        libflux.BackendParameter("mip_gap", "0 .. 1", "0", "stop at this relative gap"),
        libflux.BackendParameter("presolve", "on | off", "on", "make the program smaller first"),
    )

    def __init__(self):
        self.gap, self.presolve = 0.0, "on"

    @classmethod
    def version(cls):
        """HiGHS's own version."""
        return "%d.%d.%d" % (highspy.HIGHS_VERSION_MAJOR, highspy.HIGHS_VERSION_MINOR, highspy.HIGHS_VERSION_PATCH)

    def set(self, key, value):
        """A parameter; what is not understood is refused with a sentence."""
        if key == "mip_gap" and DECIMAL.fullmatch(value) and float(value) <= 1:
            self.gap = float(value)
        elif key == "presolve" and value in ("on", "off"):
            self.presolve = value
        elif key in ("mip_gap", "presolve"):
            raise ValueError("highs.%s cannot be %r" % (key, value))
        else:
            raise ValueError("highs has no parameter %s: it has mip_gap and presolve" % key)

    def solve(self, program, run):
        """One program: handed over, solved, and read back."""
        solver = self.solver_of(program)
        if run.remaining is not None:
            solver.setOptionValue("time_limit", max(run.remaining, 0.0))
        if run.stop():
            return libflux.Solution("unknown")
        empty = numpy.diff(numpy.array(program.row_first)) == 0  # HiGHS takes a program without columns for solved
        if numpy.any(empty & ((numpy.array(program.row_lower) > 0) | (numpy.array(program.row_upper) < 0))):
            return libflux.Solution("infeasible")

        def ask(event):
            event.data_in.user_interrupt = run.stop()

        for event in (solver.cbMipInterrupt, solver.cbSimplexInterrupt):
            event.subscribe(ask)
        solver.cbMipImprovingSolution.subscribe(
            lambda event: run.incumbent(event.data_out.mip_solution, event.data_out.objective_function_value))
        solver.solve()
        return self.solution_of(solver, program)

    def solver_of(self, program):
        """A solver that holds the program: nothing is printed, one thread, every gap closed."""
        solver = Quiet()
        for option, value in (("threads", 1), ("mip_rel_gap", self.gap), ("mip_abs_gap", 0.0),
                              ("presolve", self.presolve), ("mip_feasibility_tolerance", 1e-9)):
            solver.setOptionValue(option, value)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = program.columns, program.rows
        model.col_cost_ = numpy.array(program.cost)
        model.col_lower_, model.col_upper_ = numpy.array(program.column_lower), numpy.array(program.column_upper)
        model.row_lower_, model.row_upper_ = numpy.array(program.row_lower), numpy.array(program.row_upper)
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[kind] for kind in program.binary]
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.num_col_, model.a_matrix_.num_row_ = program.columns, program.rows
        model.a_matrix_.start_ = numpy.array(program.row_first, numpy.int32)
        model.a_matrix_.index_ = numpy.array(program.entry_column, numpy.int32)
        model.a_matrix_.value_ = numpy.array(program.entry_value)
        if solver.passModel(model) == highspy.HighsStatus.kError:
            raise RuntimeError("HiGHS does not take the program")
        return solver

    def solution_of(self, solver, program):
        """What HiGHS says, in libflux's words."""
        ends, state, figures = highspy.HighsModelStatus, solver.getModelStatus(), solver.getInfo()
        if state == ends.kInfeasible:
            return libflux.Solution("infeasible")
        if state == ends.kUnbounded:
            return libflux.Solution("unbounded")
        binary, nodes = numpy.array(program.binary) == 1, max(0, figures.mip_node_count)
        bound = float(figures.mip_dual_bound) if binary.any() else -numpy.inf
        if not numpy.isfinite(bound):
            bound = -numpy.inf
        if state != ends.kModelEmpty and figures.primal_solution_status != highspy.kSolutionStatusFeasible:
            return libflux.Solution("unknown", bound=bound, nodes=nodes)
        values = numpy.array(solver.getSolution().col_value)
        values[binary] = numpy.round(values[binary])
        cost = float(numpy.dot(program.cost, values))
        proven = state in (ends.kOptimal, ends.kModelEmpty) and self.gap == 0
        if max(bound, cost if proven else bound) >= program.cutoff - 1e-9 * (1 + abs(program.cutoff)):
            return libflux.Solution("infeasible", nodes=nodes)
        return libflux.Solution("optimal" if proven else "feasible", values, cost, cost if proven else bound, nodes)


def main():
    """Two rings over one slow switch, by HiGHS alone."""
    graph = libflux.Graph(4)
    for ring in range(2):
        last = [graph.add_send(gpu, (gpu + 1) % 4, "8MiB") for gpu in range(4)]
        graph.add_edges(before=last, after=[graph.add_send(gpu, (gpu + 2) % 4, "4MiB") for gpu in range(4)], lag=ring)
    fabric = libflux.Fabric(4, switches=2, delay="20us")
    schedule = libflux.schedule(graph, fabric, exact="only", backend=Highs, time_limit="20s")
    print("highs", Highs.version(), schedule)


if __name__ == "__main__":
    main()
