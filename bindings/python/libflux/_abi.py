# SPDX-License-Identifier: Apache-2.0
"""What the headers under include/libflux say, for ctypes. Made by bindings/python/generate.py: do not edit."""
from __future__ import annotations

from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_uint8, c_uint32, c_uint64,
    c_void_p,
)
from typing import Any, Dict, Tuple

FLUX_LOG_ERROR = 1
FLUX_LOG_WARNING = 2
FLUX_LOG_INFO = 3
FLUX_LOG_DEBUG = 4
FLUX_OK = 0
FLUX_E_ARGUMENT = -1
FLUX_E_ABI = -2
FLUX_E_CYCLE = -100
FLUX_E_INFEASIBLE = -101
FLUX_E_OVERFLOW = -102
FLUX_E_FORMAT = -103
FLUX_E_MISMATCH = -104
FLUX_E_TOO_BIG = -105
FLUX_E_MEMORY = -200
FLUX_E_CANCELLED = -201
FLUX_E_BACKEND = -202
FLUX_E_IO = -203
FLUX_NONE = 4294967295
FLUX_BACKEND_ABI = 1
FLUX_COLUMN_CONTINUOUS = 0
FLUX_COLUMN_BINARY = 1
FLUX_MILP_LARGEST = 1000000000000000.0
FLUX_MILP_UNKNOWN = 0
FLUX_MILP_FEASIBLE = 1
FLUX_MILP_OPTIMAL = 2
FLUX_MILP_INFEASIBLE = 3
FLUX_MILP_UNBOUNDED = 4
FLUX_BACKEND_OPTIMAL = 1
FLUX_BACKEND_BOUND = 2
FLUX_BACKEND_START = 4
FLUX_BACKEND_CANCEL = 8
FLUX_BACKEND_DETERMINISTIC = 16
FLUX_BACKEND_SOLVES = 32
FLUX_ALL_SWITCHES = 4294967295
FLUX_ALL_GPUS = 4294967295
FLUX_SWITCHES_MAX = 1024
FLUX_RATE_DEFAULT = 800000000000
FLUX_RULE_PAPER = 0
FLUX_RULE_DUPLEX = 1
FLUX_RULE_SIMPLEX = 2
FLUX_BLOCKING_PORT = 0
FLUX_BLOCKING_SWITCH = 1
FLUX_PS = 1
FLUX_NS = 1000
FLUX_US = 1000000
FLUX_MS = 1000000000
FLUX_S = 1000000000000
FLUX_TIME_MAX = 4611686018427387904
FLUX_GPUS_MAX = 1048576
FLUX_LABEL_MAX = 4095
FLUX_CERTIFICATE_NONE = 0
FLUX_CERTIFICATE_CRITICAL_PATH = 1
FLUX_CERTIFICATE_PORT_LOAD = 2
FLUX_CERTIFICATE_PORT_EDGES = 3
FLUX_CERTIFICATE_LIFTED_PATH = 4
FLUX_CERTIFICATE_LIFTED_LOAD = 5
FLUX_CERTIFICATE_LIFTED_EDGES = 6
FLUX_CERTIFICATE_PORT_SEQUENCE = 7
FLUX_CERTIFICATE_PORT_SHARE = 8
FLUX_CERTIFICATE_LIFTED_SHARE = 9
FLUX_CERTIFICATE_SEARCH = 99
FLUX_CERTIFICATE_SOLVER = 100
FLUX_CERTIFICATE_SUBSET = 101
FLUX_SIDE_BOTH = 0
FLUX_SIDE_TRANSMIT = 1
FLUX_SIDE_RECEIVE = 2
FLUX_LIFT_HEAD = 0
FLUX_LIFT_TAIL = 1
FLUX_PHASE_BUILD = 1
FLUX_PHASE_BOUND = 2
FLUX_PHASE_CONSTRUCT = 3
FLUX_PHASE_IMPROVE = 4
FLUX_PHASE_EXACT = 5
FLUX_PHASE_CHECK = 6
FLUX_PHASE_SECOND = 7
FLUX_EXACT_AUTO = 0
FLUX_EXACT_NEVER = 1
FLUX_EXACT_ALWAYS = 2
FLUX_EXACT_ONLY = 3
FLUX_FORMULATION_TIGHT = 0
FLUX_FORMULATION_PAPER = 1
FLUX_OBJECTIVE_RECONFIGURATIONS = 1
FLUX_OBJECTIVE_MEMORY = 2
FLUX_OBJECTIVE_SLACK = 4
FLUX_OPTIMAL = 1
FLUX_FEASIBLE = 2
FLUX_SEARCH_NONE = 0
FLUX_SEARCH_LATEST_START = 1
FLUX_SEARCH_EARLIEST_START = 2
FLUX_SEARCH_APPEND = 3
FLUX_SEARCH_NON_DELAY = 4
FLUX_SEARCH_BACKWARD = 5
FLUX_SEARCH_IMPROVED = 6
FLUX_SEARCH_BACKEND = 7
FLUX_SEARCH_ROUNDS = 8
FLUX_STOPPED_DONE = 0
FLUX_STOPPED_BOUND = 1
FLUX_STOPPED_GAP = 2
FLUX_STOPPED_TIME = 3
FLUX_STOPPED_WORK = 4
FLUX_STOPPED_CANCEL = 5
FLUX_STOPPED_CALLBACK = 6
FLUX_REPLAY_CLOCK = 0
FLUX_REPLAY_ORDER = 1
FLUX_PPM = 1000000
FLUX_ROTOR_DIRECT = 0
FLUX_ROTOR_VLB = 1
FLUX_ROTOR_ALIGNED = 0
FLUX_ROTOR_STAGGERED = 1
FLUX_PACKET_SPRAY = 0
FLUX_PACKET_HASH = 1
FLUX_SCHEDULER_FLUX = 1
FLUX_SCHEDULER_RANDOM = 2
FLUX_SCHEDULER_PHASE = 3
FLUX_SCHEDULER_STATIC = 4
FLUX_SCHEDULER_ROTOR_DIRECT = 5
FLUX_SCHEDULER_ROTOR_DIRECT_STAGGERED = 6
FLUX_SCHEDULER_ROTOR_VLB = 7
FLUX_SCHEDULER_ROTOR_VLB_STAGGERED = 8
FLUX_SCHEDULER_BVN = 9
FLUX_SCHEDULER_SOLSTICE = 10
FLUX_SCHEDULER_ECLIPSE = 11
FLUX_SCHEDULER_SPECTRA = 12
FLUX_SCHEDULER_SUNFLOW = 13
FLUX_SCHEDULER_PACKET = 14
FLUX_SCHEDULER_MULTIPLANE = 15
FLUX_SCHEDULER_MULTIPLANE_FAILED = 16
FLUX_SCHEDULER_KIND_SCHEDULE = 1
FLUX_SCHEDULER_KIND_CYCLE = 2
FLUX_SCHEDULER_KIND_FORWARD = 3
FLUX_SCHEDULER_KIND_PACKET = 4
FLUX_DEMAND_PORTS_MAX = 4096
FLUX_DEMAND_BVN = 1
FLUX_DEMAND_BOTTLENECK = 2
FLUX_DEMAND_SOLSTICE = 3
FLUX_DEMAND_ECLIPSE = 4
FLUX_DEMAND_SPECTRA = 5
FLUX_DEMAND_FIRST_FIT = 6
FLUX_DEMAND_BEST = 7
FLUX_DEMAND_SUNFLOW = 8
FLUX_DEMAND_STANDARD = 1
FLUX_DEMAND_MOE_MULTINOMIAL = 2
FLUX_DEMAND_MOE_LOGNORMAL = 3
FLUX_DEMAND_MOE_PAIRS = 4
FLUX_FORMAT_LP = 0
FLUX_FORMAT_MPS = 1
FLUX_EVENT_END = 0
FLUX_EVENT_DOWN = 1
FLUX_EVENT_CHANGE = 2
FLUX_EVENT_UP = 3
FLUX_EVENT_START = 4
FLUX_EVENT_COMPUTE = 5
FLUX_REPLAN_SHIFTED = 0
FLUX_REPLAN_ORDER = 1
FLUX_REPLAN_SEARCH = 2
FLUX_UNITS_TEXT = 40
FLUX_VERSION_MAJOR = 0
FLUX_VERSION_MINOR = 1
FLUX_VERSION_PATCH = 0
FLUX_VERSION = 1000
FLUX_CAPABILITY_GLPK = 1
FLUX_CAPABILITY_CBC = 2
FLUX_DEPS_AUTO = 0
FLUX_DEPS_DATA = 1
FLUX_DEPS_DATA_CTRL = 2
FLUX_MISSING_ERROR = 0
FLUX_MISSING_WARN = 1
FLUX_ENDPOINTS_RANK = 0
FLUX_ENDPOINTS_NIC = 1
FLUX_ALGORITHM_DEFAULT = 0
FLUX_ALGORITHM_RING = 1
FLUX_ALGORITHM_DIRECT = 2
FLUX_ALGORITHM_HALVING_DOUBLING = 3
FLUX_ALGORITHM_BIDIRECTIONAL_RING = 4
FLUX_ALGORITHM_RECURSIVE_DOUBLING = 5
FLUX_ALGORITHM_BINOMIAL_TREE = 6
FLUX_ALGORITHM_DOUBLE_BINARY_TREE = 7
FLUX_ALGORITHM_HIERARCHICAL = 8
FLUX_PRECISION_BF16 = 0
FLUX_PRECISION_FP8 = 1
FLUX_PRECISION_TF32 = 2
FLUX_ROUTING_EXPECTED = 0
FLUX_ROUTING_MULTINOMIAL = 1
FLUX_ROUTING_LOGNORMAL = 2
FLUX_ROUTING_ZIPF = 3
FLUX_RECOMPUTE_NONE = 0
FLUX_RECOMPUTE_FULL = 1
FLUX_DOT_VERTICES_MAX = 2000
FLUX_DOT_EDGES_MAX = 10000
FLUX_SVG_WIDTH_MIN = 480
FLUX_SVG_WIDTH_MAX = 20000
FLUX_SVG_GPUS = 64


class flux_fabric(Structure):
    pass


class flux_graph(Structure):
    pass


class flux_certificate(Structure):
    pass


class flux_schedule(Structure):
    pass


class flux_cancel(Structure):
    pass


class flux_replay(Structure):
    pass


class flux_comparison(Structure):
    pass


class flux_demand_plan(Structure):
    pass


class flux_program(Structure):
    pass


class flux_replan(Structure):
    pass


class flux_import(Structure):
    pass


class flux_matrices(Structure):
    pass


class flux_names(Structure):
    pass


class flux_env(Structure):
    size: int
    alloc: Any
    resize: Any
    release: Any
    log: Any
    now_ns: Any
    user: Any
    _fields_ = (
        ("size", c_uint64),
        ("alloc", CFUNCTYPE(c_void_p, c_void_p, c_uint64)),
        ("resize", CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_uint64, c_uint64)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p, c_uint64)),
        ("log", CFUNCTYPE(None, c_void_p, c_int32, POINTER(c_char))),
        ("now_ns", CFUNCTYPE(c_uint64, c_void_p)),
        ("user", c_void_p),
    )


class flux_error(Structure):
    code: int
    vertex: int
    line: int
    column: int
    offset: int
    text: bytes
    _fields_ = (
        ("code", c_int32),
        ("vertex", c_uint32),
        ("line", c_uint32),
        ("column", c_uint32),
        ("offset", c_uint64),
        ("text", c_char * 488),
    )


class flux_milp(Structure):
    size: int
    columns: int
    rows: int
    entries: int
    column_lower: Any
    column_upper: Any
    cost: Any
    column_kind: Any
    row_lower: Any
    row_upper: Any
    row_first: Any
    entry_column: Any
    entry_value: Any
    start: Any
    cutoff: float
    _fields_ = (
        ("size", c_uint64),
        ("columns", c_uint32),
        ("rows", c_uint32),
        ("entries", c_uint64),
        ("column_lower", POINTER(c_double)),
        ("column_upper", POINTER(c_double)),
        ("cost", POINTER(c_double)),
        ("column_kind", POINTER(c_uint8)),
        ("row_lower", POINTER(c_double)),
        ("row_upper", POINTER(c_double)),
        ("row_first", POINTER(c_uint64)),
        ("entry_column", POINTER(c_uint32)),
        ("entry_value", POINTER(c_double)),
        ("start", POINTER(c_double)),
        ("cutoff", c_double),
    )


class flux_milp_result(Structure):
    size: int
    status: int
    reserved: int
    objective: float
    bound: float
    nodes: int
    values: Any
    _fields_ = (
        ("size", c_uint64),
        ("status", c_uint32),
        ("reserved", c_uint32),
        ("objective", c_double),
        ("bound", c_double),
        ("nodes", c_uint64),
        ("values", POINTER(c_double)),
    )


class flux_milp_run(Structure):
    size: int
    stop: Any
    incumbent: Any
    user: Any
    remaining_ns: int
    _fields_ = (
        ("size", c_uint64),
        ("stop", CFUNCTYPE(c_int, c_void_p)),
        ("incumbent", CFUNCTYPE(None, c_void_p, POINTER(c_double), c_double)),
        ("user", c_void_p),
        ("remaining_ns", c_uint64),
    )


class flux_backend_parameter(Structure):
    key: bytes | None
    values: bytes | None
    preset: bytes | None
    about: bytes | None
    _fields_ = (
        ("key", c_char_p),
        ("values", c_char_p),
        ("preset", c_char_p),
        ("about", c_char_p),
    )


class flux_backend(Structure):
    abi: int
    reserved: int
    size: int
    name: bytes | None
    capabilities: int
    version: Any
    describe: Any
    open: Any
    set: Any
    solve: Any
    close: Any
    _fields_ = (
        ("abi", c_uint32),
        ("reserved", c_uint32),
        ("size", c_uint64),
        ("name", c_char_p),
        ("capabilities", c_uint64),
        ("version", CFUNCTYPE(c_void_p)),
        ("describe", CFUNCTYPE(c_void_p, c_uint32)),
        ("open", CFUNCTYPE(c_int, POINTER(flux_env), POINTER(c_void_p), POINTER(flux_error))),
        ("set", CFUNCTYPE(c_int, c_void_p, POINTER(c_char), POINTER(c_char), POINTER(flux_error))),
        ("solve", CFUNCTYPE(c_int, c_void_p, POINTER(flux_milp), POINTER(flux_milp_run), POINTER(flux_milp_result),
            POINTER(flux_error))),
        ("close", CFUNCTYPE(None, c_void_p)),
    )


class flux_circuit_name(Structure):
    switch_index: int
    src: int
    dst: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("src", c_uint32),
        ("dst", c_uint32),
    )


class flux_propagation(Structure):
    src: int
    dst: int
    time: int
    _fields_ = (
        ("src", c_uint32),
        ("dst", c_uint32),
        ("time", c_int64),
    )


class flux_send(Structure):
    src: int
    dst: int
    bytes: int
    duration: int
    release: int
    _fields_ = (
        ("src", c_uint32),
        ("dst", c_uint32),
        ("bytes", c_uint64),
        ("duration", c_int64),
        ("release", c_int64),
    )


class flux_compute(Structure):
    gpu: int
    reserved: int
    duration: int
    release: int
    _fields_ = (
        ("gpu", c_uint32),
        ("reserved", c_uint32),
        ("duration", c_int64),
        ("release", c_int64),
    )


class flux_edge(Structure):
    from_: int
    to: int
    lag: int
    _fields_ = (
        ("from_", c_uint32),
        ("to", c_uint32),
        ("lag", c_int64),
    )


class flux_lift(Structure):
    vertex: int
    gpu: int
    side: int
    end: int
    edge: int
    lag: int
    _fields_ = (
        ("vertex", c_uint32),
        ("gpu", c_uint32),
        ("side", c_uint32),
        ("end", c_uint32),
        ("edge", c_int64),
        ("lag", c_int64),
    )


class flux_certificate_parts(Structure):
    size: int
    kind: int
    gpu: int
    side: int
    reserved: int
    bound: int
    head: int
    tail: int
    vertices: Any
    vertex_count: int
    lifts: Any
    lift_count: int
    _fields_ = (
        ("size", c_uint64),
        ("kind", c_uint32),
        ("gpu", c_uint32),
        ("side", c_uint32),
        ("reserved", c_uint32),
        ("bound", c_int64),
        ("head", c_int64),
        ("tail", c_int64),
        ("vertices", POINTER(c_uint32)),
        ("vertex_count", c_uint64),
        ("lifts", POINTER(flux_lift)),
        ("lift_count", c_uint64),
    )


class flux_progress(Structure):
    size: int
    phase: int
    reserved: int
    makespan: int
    bound: int
    work: int
    elapsed_ns: int
    _fields_ = (
        ("size", c_uint64),
        ("phase", c_uint32),
        ("reserved", c_uint32),
        ("makespan", c_int64),
        ("bound", c_int64),
        ("work", c_uint64),
        ("elapsed_ns", c_uint64),
    )


class flux_parameter(Structure):
    key: bytes | None
    value: bytes | None
    _fields_ = (
        ("key", c_char_p),
        ("value", c_char_p),
    )


class flux_options(Structure):
    size: int
    time_limit_ns: int
    work_limit: int
    seed: int
    gap_ppm: int
    threads: int
    exact: int
    formulation: int
    backend_name: bytes | None
    backend: Any
    parameters: Any
    parameter_count: int
    progress: Any
    progress_user: Any
    cancel: Any
    objectives: int
    reserved: int
    _fields_ = (
        ("size", c_uint64),
        ("time_limit_ns", c_uint64),
        ("work_limit", c_uint64),
        ("seed", c_uint64),
        ("gap_ppm", c_uint32),
        ("threads", c_uint32),
        ("exact", c_uint32),
        ("formulation", c_uint32),
        ("backend_name", c_char_p),
        ("backend", POINTER(flux_backend)),
        ("parameters", POINTER(flux_parameter)),
        ("parameter_count", c_uint64),
        ("progress", CFUNCTYPE(c_int, c_void_p, POINTER(flux_progress))),
        ("progress_user", c_void_p),
        ("cancel", POINTER(flux_cancel)),
        ("objectives", c_uint32),
        ("reserved", c_uint32),
    )


class flux_slot(Structure):
    send: int
    switch_index: int
    start: int
    end: int
    _fields_ = (
        ("send", c_uint32),
        ("switch_index", c_uint32),
        ("start", c_int64),
        ("end", c_int64),
    )


class flux_circuit(Structure):
    switch_index: int
    src: int
    dst: int
    sends: int
    changed: int
    reserved: int
    begin: int
    up: int
    down: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("src", c_uint32),
        ("dst", c_uint32),
        ("sends", c_uint32),
        ("changed", c_uint32),
        ("reserved", c_uint32),
        ("begin", c_int64),
        ("up", c_int64),
        ("down", c_int64),
    )


class flux_time(Structure):
    start: int
    end: int
    _fields_ = (
        ("start", c_int64),
        ("end", c_int64),
    )


class flux_statistics(Structure):
    size: int
    build_ns: int
    bound_ns: int
    construct_ns: int
    improve_ns: int
    exact_ns: int
    check_ns: int
    work: int
    constructions: int
    rule: int
    stopped: int
    backend_used: int
    backend_disbelieved: int
    second_ns: int
    reconfigurations_before: int
    reconfigurations: int
    memory_before: int
    memory: int
    slack_before: int
    slack: int
    _fields_ = (
        ("size", c_uint64),
        ("build_ns", c_uint64),
        ("bound_ns", c_uint64),
        ("construct_ns", c_uint64),
        ("improve_ns", c_uint64),
        ("exact_ns", c_uint64),
        ("check_ns", c_uint64),
        ("work", c_uint64),
        ("constructions", c_uint64),
        ("rule", c_uint32),
        ("stopped", c_uint32),
        ("backend_used", c_uint32),
        ("backend_disbelieved", c_uint32),
        ("second_ns", c_uint64),
        ("reconfigurations_before", c_uint64),
        ("reconfigurations", c_uint64),
        ("memory_before", c_uint64),
        ("memory", c_uint64),
        ("slack_before", c_int64),
        ("slack", c_int64),
    )


class flux_cycle_state(Structure):
    switch_index: int
    circuits: int
    duration: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("circuits", c_uint32),
        ("duration", c_int64),
    )


class flux_rotor_options(Structure):
    size: int
    duty_ppm: int
    routing: int
    phase: int
    padding: int
    _fields_ = (
        ("size", c_uint64),
        ("duty_ppm", c_uint32),
        ("routing", c_uint32),
        ("phase", c_uint32),
        ("padding", c_uint32),
    )


class flux_packet_options(Structure):
    size: int
    planes: int
    failed: int
    spread: int
    padding: int
    seed: int
    _fields_ = (
        ("size", c_uint64),
        ("planes", c_uint32),
        ("failed", c_uint32),
        ("spread", c_uint32),
        ("padding", c_uint32),
        ("seed", c_uint64),
    )


class flux_replay_options(Structure):
    size: int
    mode: int
    jitter_ppm: int
    seed: int
    factors_ppm: Any
    factor_count: int
    cancel: Any
    _fields_ = (
        ("size", c_uint64),
        ("mode", c_uint32),
        ("jitter_ppm", c_uint32),
        ("seed", c_uint64),
        ("factors_ppm", POINTER(c_uint32)),
        ("factor_count", c_uint64),
        ("cancel", POINTER(flux_cancel)),
    )


class flux_replay_summary(Structure):
    size: int
    iteration: int
    planned: int
    late: int
    latest: int
    missed: int
    stranded: int
    memory: int
    memory_of_gpu: int
    reconfigurations: int
    waiting: int
    circuit_ppm: int
    port_ppm: int
    delivered: int
    forwarded: int
    _fields_ = (
        ("size", c_uint64),
        ("iteration", c_int64),
        ("planned", c_int64),
        ("late", c_uint64),
        ("latest", c_int64),
        ("missed", c_uint64),
        ("stranded", c_uint64),
        ("memory", c_uint64),
        ("memory_of_gpu", c_uint64),
        ("reconfigurations", c_uint64),
        ("waiting", c_int64),
        ("circuit_ppm", c_uint32),
        ("port_ppm", c_uint32),
        ("delivered", c_uint64),
        ("forwarded", c_uint64),
    )


class flux_replay_gpu(Structure):
    memory: int
    computing: int
    waiting: int
    _fields_ = (
        ("memory", c_uint64),
        ("computing", c_int64),
        ("waiting", c_int64),
    )


class flux_replay_part(Structure):
    start: int
    end: int
    bytes: int
    send: int
    switch_index: int
    src: int
    dst: int
    _fields_ = (
        ("start", c_int64),
        ("end", c_int64),
        ("bytes", c_uint64),
        ("send", c_uint32),
        ("switch_index", c_uint32),
        ("src", c_uint32),
        ("dst", c_uint32),
    )


class flux_replay_held(Structure):
    time: int
    bytes: int
    gpu: int
    padding: int
    _fields_ = (
        ("time", c_int64),
        ("bytes", c_uint64),
        ("gpu", c_uint32),
        ("padding", c_uint32),
    )


class flux_compare_options(Structure):
    size: int
    schedule: Any
    seed: int
    constructions: int
    duty_ppm: int
    repeats: int
    planes: int
    _fields_ = (
        ("size", c_uint64),
        ("schedule", POINTER(flux_options)),
        ("seed", c_uint64),
        ("constructions", c_uint32),
        ("duty_ppm", c_uint32),
        ("repeats", c_uint32),
        ("planes", c_uint32),
    )


class flux_comparison_summary(Structure):
    size: int
    scheduler: int
    applies: int
    iteration: int
    best: int
    bound: int
    memory: int
    memory_of_all: int
    waiting: int
    reconfigurations: int
    repeats: int
    constructions: int
    waiting_mean: int
    _fields_ = (
        ("size", c_uint64),
        ("scheduler", c_uint32),
        ("applies", c_uint32),
        ("iteration", c_int64),
        ("best", c_int64),
        ("bound", c_int64),
        ("memory", c_uint64),
        ("memory_of_all", c_uint64),
        ("waiting", c_uint64),
        ("reconfigurations", c_uint64),
        ("repeats", c_uint32),
        ("constructions", c_uint32),
        ("waiting_mean", c_uint64),
    )


class flux_demand_state(Structure):
    switch_index: int
    matching: int
    start: int
    time: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("matching", c_uint32),
        ("start", c_int64),
        ("time", c_int64),
    )


class flux_demand_circuit(Structure):
    switch_index: int
    src: int
    dst: int
    reserved: int
    start: int
    time: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("src", c_uint32),
        ("dst", c_uint32),
        ("reserved", c_uint32),
        ("start", c_int64),
        ("time", c_int64),
    )


class flux_demand_generator(Structure):
    size: int
    kind: int
    ports: int
    seed: int
    line: int
    heavy: int
    light: int
    heavy_ppm: int
    noise_ppm: int
    tokens: int
    top_k: int
    sigma_ppm: int
    reserved: int
    _fields_ = (
        ("size", c_uint64),
        ("kind", c_uint32),
        ("ports", c_uint32),
        ("seed", c_uint64),
        ("line", c_int64),
        ("heavy", c_uint32),
        ("light", c_uint32),
        ("heavy_ppm", c_uint32),
        ("noise_ppm", c_uint32),
        ("tokens", c_uint32),
        ("top_k", c_uint32),
        ("sigma_ppm", c_uint32),
        ("reserved", c_uint32),
    )


class flux_formulation_summary(Structure):
    size: int
    columns: int
    rows: int
    entries: int
    step: int
    _fields_ = (
        ("size", c_uint64),
        ("columns", c_uint64),
        ("rows", c_uint64),
        ("entries", c_uint64),
        ("step", c_int64),
    )


class flux_event(Structure):
    time: int
    duration: int
    kind: int
    item: int
    switch_index: int
    reserved: int
    _fields_ = (
        ("time", c_int64),
        ("duration", c_int64),
        ("kind", c_uint32),
        ("item", c_uint32),
        ("switch_index", c_uint32),
        ("reserved", c_uint32),
    )


class flux_circuit_state(Structure):
    switch_index: int
    src: int
    dst: int
    changed: int
    begin: int
    up: int
    _fields_ = (
        ("switch_index", c_uint32),
        ("src", c_uint32),
        ("dst", c_uint32),
        ("changed", c_uint32),
        ("begin", c_int64),
        ("up", c_int64),
    )


class flux_replan_options(Structure):
    size: int
    now: int
    times: Any
    time_count: int
    circuits: Any
    circuit_count: int
    factors_ppm: Any
    factor_count: int
    releases: Any
    release_count: int
    time_limit_ns: int
    work_limit: int
    seed: int
    cancel: Any
    _fields_ = (
        ("size", c_uint64),
        ("now", c_int64),
        ("times", POINTER(flux_time)),
        ("time_count", c_uint64),
        ("circuits", POINTER(flux_circuit_state)),
        ("circuit_count", c_uint64),
        ("factors_ppm", POINTER(c_uint32)),
        ("factor_count", c_uint64),
        ("releases", POINTER(c_int64)),
        ("release_count", c_uint64),
        ("time_limit_ns", c_uint64),
        ("work_limit", c_uint64),
        ("seed", c_uint64),
        ("cancel", POINTER(flux_cancel)),
    )


class flux_replan_summary(Structure):
    size: int
    begin: int
    makespan: int
    shifted: int
    bound: int
    done: int
    under_way: int
    left: int
    constructions: int
    elapsed_ns: int
    found: int
    stopped: int
    _fields_ = (
        ("size", c_uint64),
        ("begin", c_int64),
        ("makespan", c_int64),
        ("shifted", c_int64),
        ("bound", c_int64),
        ("done", c_uint64),
        ("under_way", c_uint64),
        ("left", c_uint64),
        ("constructions", c_uint64),
        ("elapsed_ns", c_uint64),
        ("found", c_uint32),
        ("stopped", c_uint32),
    )


class flux_import_options(Structure):
    size: int
    deps: int
    missing_parent: int
    strict: int
    ranks: int
    scale_num: int
    scale_den: int
    groups_path: bytes | None
    peak_flops: float
    memory_rate: float
    overlap_compute: int
    chunks: int
    all_reduce: int
    all_gather: int
    reduce_scatter: int
    all_to_all: int
    vertices_max: int
    graph: Any
    collectives_path: bytes | None
    broadcast: int
    node: int
    endpoints: int
    fold: int
    compute_unit: int
    algorithms: Any
    algorithm_count: int
    reserved: int
    collective_bytes: int
    unit: bytes | None
    step_compute: int
    _fields_ = (
        ("size", c_uint64),
        ("deps", c_uint32),
        ("missing_parent", c_uint32),
        ("strict", c_uint32),
        ("ranks", c_uint32),
        ("scale_num", c_uint64),
        ("scale_den", c_uint64),
        ("groups_path", c_char_p),
        ("peak_flops", c_double),
        ("memory_rate", c_double),
        ("overlap_compute", c_uint32),
        ("chunks", c_uint32),
        ("all_reduce", c_uint32),
        ("all_gather", c_uint32),
        ("reduce_scatter", c_uint32),
        ("all_to_all", c_uint32),
        ("vertices_max", c_uint64),
        ("graph", POINTER(flux_graph)),
        ("collectives_path", c_char_p),
        ("broadcast", c_uint32),
        ("node", c_uint32),
        ("endpoints", c_uint32),
        ("fold", c_uint32),
        ("compute_unit", c_int64),
        ("algorithms", POINTER(c_char_p)),
        ("algorithm_count", c_uint32),
        ("reserved", c_uint32),
        ("collective_bytes", c_uint64),
        ("unit", c_char_p),
        ("step_compute", c_int64),
    )


class flux_format(Structure):
    name: bytes | None
    about: bytes | None
    recognised: bytes | None
    options: bytes | None
    _fields_ = (
        ("name", c_char_p),
        ("about", c_char_p),
        ("recognised", c_char_p),
        ("options", c_char_p),
    )


class flux_generate_options(Structure):
    size: int
    model: bytes | None
    gpu: bytes | None
    models_path: bytes | None
    times_path: bytes | None
    tensor: int
    context: int
    data: int
    pipeline: int
    expert: int
    interleave: int
    layers: int
    sequence: int
    micro_batches: int
    batch: int
    sequence_parallel: int
    zero: int
    recompute: int
    precision: int
    routing: int
    repeat: int
    skew: float
    seed: int
    bucket: int
    gradient_bytes: int
    reserved: int
    import_: Any
    routing_path: bytes | None
    _fields_ = (
        ("size", c_uint64),
        ("model", c_char_p),
        ("gpu", c_char_p),
        ("models_path", c_char_p),
        ("times_path", c_char_p),
        ("tensor", c_uint32),
        ("context", c_uint32),
        ("data", c_uint32),
        ("pipeline", c_uint32),
        ("expert", c_uint32),
        ("interleave", c_uint32),
        ("layers", c_uint32),
        ("sequence", c_uint32),
        ("micro_batches", c_uint32),
        ("batch", c_uint32),
        ("sequence_parallel", c_uint32),
        ("zero", c_uint32),
        ("recompute", c_uint32),
        ("precision", c_uint32),
        ("routing", c_uint32),
        ("repeat", c_uint32),
        ("skew", c_double),
        ("seed", c_uint64),
        ("bucket", c_uint64),
        ("gradient_bytes", c_uint32),
        ("reserved", c_uint32),
        ("import_", POINTER(flux_import_options)),
        ("routing_path", c_char_p),
    )


class flux_operation(Structure):
    name: bytes | None
    phase: int
    layers: int
    flops: int
    bytes: int
    time: int
    _fields_ = (
        ("name", c_char_p),
        ("phase", c_uint32),
        ("layers", c_uint32),
        ("flops", c_uint64),
        ("bytes", c_uint64),
        ("time", c_int64),
    )


class flux_matrix_options(Structure):
    size: int
    unit: bytes | None
    _fields_ = (
        ("size", c_uint64),
        ("unit", c_char_p),
    )


class flux_matrix_entry(Structure):
    src: int
    dst: int
    value: int
    _fields_ = (
        ("src", c_uint32),
        ("dst", c_uint32),
        ("value", c_int64),
    )


class flux_compared(Structure):
    comparison: Any
    delay: int
    bound: int
    _fields_ = (
        ("comparison", POINTER(flux_comparison)),
        ("delay", c_int64),
        ("bound", c_int64),
    )


class flux_svg_options(Structure):
    size: int
    from_: int
    to: int
    width: int
    gpu_first: int
    gpu_count: int
    reserved: int
    _fields_ = (
        ("size", c_uint64),
        ("from_", c_int64),
        ("to", c_int64),
        ("width", c_uint32),
        ("gpu_first", c_uint32),
        ("gpu_count", c_uint32),
        ("reserved", c_uint32),
    )


# name: (result, arguments)
CORE: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "flux_backend_builtin": (POINTER(flux_backend), (c_uint32,)),
    "flux_backend_find": (POINTER(flux_backend), (c_char_p,)),
    "flux_bound": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(POINTER(flux_certificate)),
        POINTER(flux_error))),
    "flux_bytes_format": (c_char_p, (c_uint64, c_char_p, c_uint64)),
    "flux_bytes_parse": (c_int, (c_char_p, POINTER(c_uint64), POINTER(flux_error))),
    "flux_cancel_free": (None, (POINTER(flux_cancel),)),
    "flux_cancel_new": (c_int, (POINTER(flux_env), POINTER(POINTER(flux_cancel)))),
    "flux_cancel_request": (None, (POINTER(flux_cancel),)),
    "flux_cancel_requested": (c_int, (POINTER(flux_cancel),)),
    "flux_cancel_reset": (None, (POINTER(flux_cancel),)),
    "flux_capabilities": (c_uint64, ()),
    "flux_certificate_bound": (c_int64, (POINTER(flux_certificate),)),
    "flux_certificate_check": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_certificate),
        POINTER(c_int64), POINTER(flux_error))),
    "flux_certificate_free": (None, (POINTER(flux_certificate),)),
    "flux_certificate_gpu": (c_uint32, (POINTER(flux_certificate),)),
    "flux_certificate_head": (c_int64, (POINTER(flux_certificate),)),
    "flux_certificate_kind": (c_uint32, (POINTER(flux_certificate),)),
    "flux_certificate_kind_name": (c_char_p, (c_uint32,)),
    "flux_certificate_lifts": (POINTER(flux_lift), (POINTER(flux_certificate), POINTER(c_uint64))),
    "flux_certificate_new": (c_int, (POINTER(flux_env), POINTER(flux_certificate_parts),
        POINTER(POINTER(flux_certificate)), POINTER(flux_error))),
    "flux_certificate_side": (c_uint32, (POINTER(flux_certificate),)),
    "flux_certificate_tail": (c_int64, (POINTER(flux_certificate),)),
    "flux_certificate_vertices": (POINTER(c_uint32), (POINTER(flux_certificate), POINTER(c_uint64))),
    "flux_check": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_slot), c_uint64, POINTER(c_int64),
        POINTER(flux_error))),
    "flux_compare": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), c_uint32, POINTER(flux_compare_options),
        POINTER(POINTER(flux_comparison)), POINTER(flux_error))),
    "flux_comparison_free": (None, (POINTER(flux_comparison),)),
    "flux_comparison_note": (c_char_p, (POINTER(flux_comparison),)),
    "flux_comparison_replay": (POINTER(flux_replay), (POINTER(flux_comparison),)),
    "flux_comparison_schedule": (POINTER(flux_schedule), (POINTER(flux_comparison),)),
    "flux_comparison_summary": (c_int, (POINTER(flux_comparison), POINTER(flux_comparison_summary))),
    "flux_demand_find": (c_uint32, (c_char_p,)),
    "flux_demand_generate": (c_int, (POINTER(flux_env), POINTER(flux_demand_generator), POINTER(c_int64),
        POINTER(flux_error))),
    "flux_demand_name": (c_char_p, (c_uint32,)),
    "flux_demand_plan_algorithm": (c_uint32, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_bound": (c_int64, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_circuits": (POINTER(flux_demand_circuit), (POINTER(flux_demand_plan), POINTER(c_uint64))),
    "flux_demand_plan_configurations": (c_uint64, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_free": (None, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_makespan": (c_int64, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_matching": (POINTER(c_uint32), (POINTER(flux_demand_plan), c_uint64)),
    "flux_demand_plan_matchings": (c_uint64, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_requested": (c_uint32, (POINTER(flux_demand_plan),)),
    "flux_demand_plan_states": (POINTER(flux_demand_state), (POINTER(flux_demand_plan), POINTER(c_uint64))),
    "flux_demand_schedule": (c_int, (POINTER(flux_env), c_uint32, POINTER(c_int64), c_uint32, c_int64, c_uint32,
        POINTER(POINTER(flux_demand_plan)), POINTER(flux_error))),
    "flux_error_name": (c_char_p, (c_int,)),
    "flux_fabric_add_initial": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint32)),
    "flux_fabric_blocking": (c_uint32, (POINTER(flux_fabric), c_uint32)),
    "flux_fabric_dead": (c_uint32, (POINTER(flux_fabric), c_uint32, c_uint32)),
    "flux_fabric_delay": (c_int64, (POINTER(flux_fabric), c_uint32)),
    "flux_fabric_duration": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint32, c_uint64, POINTER(c_int64))),
    "flux_fabric_dwell": (c_int64, (POINTER(flux_fabric), c_uint32)),
    "flux_fabric_forbidden": (POINTER(flux_circuit_name), (POINTER(flux_fabric), POINTER(c_uint64))),
    "flux_fabric_free": (None, (POINTER(flux_fabric),)),
    "flux_fabric_gpus": (c_uint32, (POINTER(flux_fabric),)),
    "flux_fabric_initial": (POINTER(flux_circuit_name), (POINTER(flux_fabric), POINTER(c_uint64))),
    "flux_fabric_is_forbidden": (c_uint32, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint32)),
    "flux_fabric_new": (c_int, (POINTER(flux_env), c_uint32, c_uint32, POINTER(POINTER(flux_fabric)))),
    "flux_fabric_propagation": (c_int64, (POINTER(flux_fabric), c_uint32, c_uint32)),
    "flux_fabric_propagation_rule": (c_int, (POINTER(flux_fabric), c_uint64, POINTER(flux_propagation))),
    "flux_fabric_propagation_rules": (c_uint64, (POINTER(flux_fabric),)),
    "flux_fabric_rate": (c_uint64, (POINTER(flux_fabric), c_uint32, c_uint32)),
    "flux_fabric_rule": (c_uint32, (POINTER(flux_fabric),)),
    "flux_fabric_set_blocking": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32)),
    "flux_fabric_set_dead": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint32)),
    "flux_fabric_set_delay": (c_int, (POINTER(flux_fabric), c_uint32, c_int64)),
    "flux_fabric_set_dwell": (c_int, (POINTER(flux_fabric), c_uint32, c_int64)),
    "flux_fabric_set_forbidden": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint32, c_uint32)),
    "flux_fabric_set_propagation": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_int64)),
    "flux_fabric_set_rate": (c_int, (POINTER(flux_fabric), c_uint32, c_uint32, c_uint64)),
    "flux_fabric_set_rule": (c_int, (POINTER(flux_fabric), c_uint32)),
    "flux_fabric_switches": (c_uint32, (POINTER(flux_fabric),)),
    "flux_formulation_write": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), c_uint32, c_uint32, CFUNCTYPE(c_int,
        c_void_p, POINTER(c_char), c_uint64), c_void_p, POINTER(flux_formulation_summary), POINTER(flux_error))),
    "flux_graph_add_compute": (c_int, (POINTER(flux_graph), c_uint32, c_int64, POINTER(c_uint32))),
    "flux_graph_add_computes": (c_int, (POINTER(flux_graph), POINTER(flux_compute), c_uint64, c_uint64,
        POINTER(c_uint32), POINTER(flux_error))),
    "flux_graph_add_edge": (c_int, (POINTER(flux_graph), c_uint32, c_uint32, c_int64)),
    "flux_graph_add_edges": (c_int, (POINTER(flux_graph), POINTER(flux_edge), c_uint64, c_uint64,
        POINTER(flux_error))),
    "flux_graph_add_send": (c_int, (POINTER(flux_graph), c_uint32, c_uint32, c_uint64, POINTER(c_uint32))),
    "flux_graph_add_sends": (c_int, (POINTER(flux_graph), POINTER(flux_send), c_uint64, c_uint64, POINTER(c_uint32),
        POINTER(flux_error))),
    "flux_graph_check": (c_int, (POINTER(flux_graph), POINTER(flux_error))),
    "flux_graph_edges": (POINTER(flux_edge), (POINTER(flux_graph), POINTER(c_uint64))),
    "flux_graph_free": (None, (POINTER(flux_graph),)),
    "flux_graph_get_compute": (c_int, (POINTER(flux_graph), c_uint32, POINTER(flux_compute))),
    "flux_graph_get_send": (c_int, (POINTER(flux_graph), c_uint32, POINTER(flux_send))),
    "flux_graph_gpus": (c_uint32, (POINTER(flux_graph),)),
    "flux_graph_is_send": (c_int, (POINTER(flux_graph), c_uint32)),
    "flux_graph_label": (c_char_p, (POINTER(flux_graph), c_uint32)),
    "flux_graph_new": (c_int, (POINTER(flux_env), c_uint32, POINTER(POINTER(flux_graph)))),
    "flux_graph_reserve": (c_int, (POINTER(flux_graph), c_uint64, c_uint64)),
    "flux_graph_sends": (c_uint32, (POINTER(flux_graph),)),
    "flux_graph_set_duration": (c_int, (POINTER(flux_graph), c_uint32, c_int64)),
    "flux_graph_set_label": (c_int, (POINTER(flux_graph), c_uint32, c_char_p)),
    "flux_graph_set_release": (c_int, (POINTER(flux_graph), c_uint32, c_int64)),
    "flux_graph_vertices": (c_uint32, (POINTER(flux_graph),)),
    "flux_phase_name": (c_char_p, (c_uint32,)),
    "flux_program_circuit_of": (c_uint32, (POINTER(flux_program), c_uint32)),
    "flux_program_circuits": (POINTER(flux_circuit), (POINTER(flux_program), POINTER(c_uint64))),
    "flux_program_done": (c_int, (POINTER(flux_program), c_uint32, c_uint32, c_int64)),
    "flux_program_free": (None, (POINTER(flux_program),)),
    "flux_program_left": (c_uint64, (POINTER(flux_program),)),
    "flux_program_new": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_schedule),
        POINTER(POINTER(flux_program)), POINTER(flux_error))),
    "flux_program_next_change": (c_int64, (POINTER(flux_program), c_uint32)),
    "flux_program_peek": (c_int, (POINTER(flux_program), POINTER(flux_event))),
    "flux_program_restart": (None, (POINTER(flux_program),)),
    "flux_program_seek": (c_int, (POINTER(flux_program), c_int64)),
    "flux_program_step": (c_int, (POINTER(flux_program), POINTER(flux_event))),
    "flux_program_take": (c_int, (POINTER(flux_program), POINTER(flux_event))),
    "flux_program_up": (POINTER(c_uint32), (POINTER(flux_program), c_uint32, POINTER(c_uint32))),
    "flux_rate_format": (c_char_p, (c_uint64, c_char_p, c_uint64)),
    "flux_rate_parse": (c_int, (c_char_p, POINTER(c_uint64), POINTER(flux_error))),
    "flux_replan": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_slot), c_uint64,
        POINTER(flux_replan_options), POINTER(POINTER(flux_replan)), POINTER(flux_error))),
    "flux_replan_fabric": (POINTER(flux_fabric), (POINTER(flux_replan),)),
    "flux_replan_free": (None, (POINTER(flux_replan),)),
    "flux_replan_graph": (POINTER(flux_graph), (POINTER(flux_replan),)),
    "flux_replan_schedule": (POINTER(flux_schedule), (POINTER(flux_replan),)),
    "flux_replan_slots": (POINTER(flux_slot), (POINTER(flux_replan), POINTER(c_uint64))),
    "flux_replan_summary": (c_int, (POINTER(flux_replan), POINTER(flux_replan_summary))),
    "flux_replan_times": (POINTER(flux_time), (POINTER(flux_replan), POINTER(c_uint64))),
    "flux_replay_free": (None, (POINTER(flux_replay),)),
    "flux_replay_gpus": (POINTER(flux_replay_gpu), (POINTER(flux_replay), POINTER(c_uint64))),
    "flux_replay_memory": (c_int, (POINTER(flux_replay), POINTER(POINTER(flux_replay_held)), POINTER(c_uint64),
        POINTER(flux_error))),
    "flux_replay_new": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_slot), c_uint64,
        POINTER(POINTER(flux_replay)), POINTER(flux_error))),
    "flux_replay_new_cycle": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_cycle_state), c_uint64,
        POINTER(flux_circuit_name), c_uint64, POINTER(POINTER(flux_replay)), POINTER(flux_error))),
    "flux_replay_new_packet": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_packet_options),
        POINTER(POINTER(flux_replay)), POINTER(flux_error))),
    "flux_replay_new_rotor": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_rotor_options),
        POINTER(POINTER(flux_replay)), POINTER(flux_error))),
    "flux_replay_parts": (POINTER(flux_replay_part), (POINTER(flux_replay), POINTER(c_uint64))),
    "flux_replay_ready": (POINTER(c_int64), (POINTER(flux_replay), POINTER(c_uint64))),
    "flux_replay_run": (c_int, (POINTER(flux_replay), POINTER(flux_replay_options), POINTER(flux_error))),
    "flux_replay_summary": (c_int, (POINTER(flux_replay), POINTER(flux_replay_summary))),
    "flux_replay_times": (POINTER(flux_time), (POINTER(flux_replay), POINTER(c_uint64))),
    "flux_schedule": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_options),
        POINTER(POINTER(flux_schedule)), POINTER(flux_error))),
    "flux_schedule_bound": (c_int64, (POINTER(flux_schedule),)),
    "flux_schedule_certificate": (POINTER(flux_certificate), (POINTER(flux_schedule),)),
    "flux_schedule_circuits": (POINTER(flux_circuit), (POINTER(flux_schedule), POINTER(c_uint64))),
    "flux_schedule_free": (None, (POINTER(flux_schedule),)),
    "flux_schedule_from_slots": (c_int, (POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_slot), c_uint64,
        POINTER(POINTER(flux_schedule)), POINTER(flux_error))),
    "flux_schedule_makespan": (c_int64, (POINTER(flux_schedule),)),
    "flux_schedule_reconfigurations": (c_uint64, (POINTER(flux_schedule),)),
    "flux_schedule_slots": (POINTER(flux_slot), (POINTER(flux_schedule), POINTER(c_uint64))),
    "flux_schedule_state": (c_int, (POINTER(flux_schedule), POINTER(flux_fabric), c_int64, POINTER(flux_time),
        POINTER(flux_circuit_state), POINTER(c_uint64))),
    "flux_schedule_statistics": (c_int, (POINTER(flux_schedule), POINTER(flux_statistics))),
    "flux_schedule_status": (c_int, (POINTER(flux_schedule),)),
    "flux_schedule_times": (POINTER(flux_time), (POINTER(flux_schedule), POINTER(c_uint64))),
    "flux_scheduler_count": (c_uint32, ()),
    "flux_scheduler_find": (c_uint32, (c_char_p,)),
    "flux_scheduler_kind": (c_uint32, (c_uint32,)),
    "flux_scheduler_name": (c_char_p, (c_uint32,)),
    "flux_scheduler_source": (c_char_p, (c_uint32,)),
    "flux_search_name": (c_char_p, (c_uint32,)),
    "flux_stopped_name": (c_char_p, (c_uint32,)),
    "flux_time_format": (c_char_p, (c_int64, c_char_p, c_uint64)),
    "flux_time_parse": (c_int, (c_char_p, POINTER(c_int64), POINTER(flux_error))),
    "flux_version": (c_uint32, ()),
    "flux_version_text": (c_char_p, ()),
}


# name: (result, arguments)
IO: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "flux_generate": (c_int, (POINTER(flux_env), POINTER(flux_generate_options), POINTER(POINTER(flux_import)),
        POINTER(flux_error))),
    "flux_generate_operation": (c_int, (POINTER(flux_generate_options), c_uint32, POINTER(flux_operation),
        POINTER(flux_error))),
    "flux_import": (c_int, (POINTER(flux_env), c_char_p, POINTER(flux_import_options), POINTER(POINTER(flux_import)),
        POINTER(flux_error))),
    "flux_import_certificate": (POINTER(flux_certificate), (POINTER(flux_import),)),
    "flux_import_count": (c_uint64, (POINTER(flux_import), c_char_p)),
    "flux_import_fabric": (POINTER(flux_fabric), (POINTER(flux_import),)),
    "flux_import_format": (c_char_p, (POINTER(flux_import),)),
    "flux_import_formats": (POINTER(flux_format), (c_uint32,)),
    "flux_import_free": (None, (POINTER(flux_import),)),
    "flux_import_graph": (POINTER(flux_graph), (POINTER(flux_import),)),
    "flux_import_note": (c_char_p, (POINTER(flux_import), c_uint64)),
    "flux_import_notes": (c_uint64, (POINTER(flux_import),)),
    "flux_import_slots": (POINTER(flux_slot), (POINTER(flux_import), POINTER(c_uint64))),
    "flux_import_take_graph": (POINTER(flux_graph), (POINTER(flux_import),)),
    "flux_import_warning": (c_char_p, (POINTER(flux_import), c_uint64)),
    "flux_import_warnings": (c_uint64, (POINTER(flux_import),)),
    "flux_matrices_are_times": (c_int, (POINTER(flux_matrices),)),
    "flux_matrices_count": (c_uint64, (POINTER(flux_matrices),)),
    "flux_matrices_entries": (POINTER(flux_matrix_entry), (POINTER(flux_matrices), c_uint64, POINTER(c_uint64))),
    "flux_matrices_free": (None, (POINTER(flux_matrices),)),
    "flux_matrices_ports": (c_uint32, (POINTER(flux_matrices),)),
    "flux_matrices_read": (c_int, (POINTER(flux_env), c_char_p, POINTER(flux_matrix_options),
        POINTER(POINTER(flux_matrices)), POINTER(flux_error))),
    "flux_names_find": (c_uint32, (POINTER(flux_names), c_char_p)),
    "flux_names_free": (None, (POINTER(flux_names),)),
    "flux_names_new": (c_int, (POINTER(flux_env), POINTER(flux_graph), POINTER(POINTER(flux_names)))),
    "flux_names_of": (c_char_p, (POINTER(flux_names), c_uint32)),
    "flux_write_chakra": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_schedule), POINTER(c_int64),
        POINTER(flux_error))),
    "flux_write_comparisons": (c_int, (c_char_p, POINTER(flux_compared), c_uint64, POINTER(flux_error))),
    "flux_write_csv": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_schedule), POINTER(flux_error))),
    "flux_write_demand": (c_int, (c_char_p, POINTER(POINTER(flux_demand_plan)), c_uint64, c_uint64,
        POINTER(flux_error))),
    "flux_write_document": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_schedule),
        POINTER(flux_error))),
    "flux_write_dot": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_error))),
    "flux_write_goal": (c_int, (c_char_p, POINTER(flux_graph), POINTER(c_int64), POINTER(flux_error))),
    "flux_write_matrix": (c_int, (c_char_p, c_uint32, POINTER(c_int64), POINTER(flux_error))),
    "flux_write_model": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_fabric), c_uint32, c_uint32,
        POINTER(flux_formulation_summary), POINTER(flux_error))),
    "flux_write_networkx": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_error))),
    "flux_write_perfetto": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_schedule),
        POINTER(flux_error))),
    "flux_write_replay": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_replay), POINTER(flux_error))),
    "flux_write_replay_memory": (c_int, (c_char_p, POINTER(flux_replay), POINTER(flux_error))),
    "flux_write_replay_perfetto": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_replay),
        POINTER(flux_error))),
    "flux_write_svg": (c_int, (c_char_p, POINTER(flux_graph), POINTER(flux_fabric), POINTER(flux_schedule),
        POINTER(flux_svg_options), POINTER(flux_error))),
}
