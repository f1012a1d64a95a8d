# SPDX-License-Identifier: GPL-2.0-or-later
"""LLVM XRay logs in flight data recorder and basic mode, and profiles."""
import os
import platform
import re
import shutil
import struct
import subprocess
from collections import Counter

from formats import require
from formats import seeds as fuzz
from formats.edits import at, cut_inside, insert, put, put_at

BASELINE = "xray/fdr-single.xray"  # for comparisons

# --- fields -----------------------------------------------------------------------------------------------------------
NAMES = ("xray", "basic", "profile")
OWN = """offset length byte_order kind truncated malformed header.version header.type header.constant_tsc
    header.nonstop_tsc header.cycle_frequency header.buffer_size discriminant function.action function.id
    function.tsc_delta metadata.kind wall_clock.seconds wall_clock.microseconds argument event.size event.type
    event.tsc_delta event.data event.text buffer.extent profile.magic profile.format_version profile.started profile.size
    profile.block profile.function profile.calls profile.sum"""
CONTEXT = "thread process cpu tsc argument.index"
ANALYSED = "offset thread call.depth call.duration call.self call.caller_id call.stack unmatched"
PAIR = ("xray/fdr-args.xray", "xray/fdr-cpus.xray")
MISTYPED = ["xray_xray_call_duration"]
KIND, THREAD, FUNCTION = "xray.kind", "xray.thread", "xray.function.id"
DETAILS = {"xray/fdr-args.xray": 12, "xray/fdr-cpus.xray": 16, "xray/profile-calls.xray": 6}
NUMBERS = "call.entry call.exit call.caller call.within"
big_endian = fuzz.endian.big_endian

# --- saved ------------------------------------------------------------------------------------------------------------
FILE_TYPES = {"profile": "xray-profile", "basic|naive": "xray-basic", "": "xray-fdr"}
READ_ONLY = {"xray-profile": "xray/profile-calls.xray"}
CALLS = {1: "enter", 2: "exit", 3: "tail-exit", 4: "enter"}
HEADERS = {0}
NEEDED = {0, 16, 17, 18, 19, 20, 23, 25, 253}
PLACE = """offset buffer.extent function.tsc_delta event.tsc_delta header.buffer_size header.version header.type
    header.constant_tsc header.nonstop_tsc header.cycle_frequency malformed"""
MERGED = {"captures": [f"xray/{name}.xray" for name in ("fdr-wrap", "fdr-cpus", "fdr-cpus-v1", "basic-threads")],
          "filter": "xray.kind in {1, 2, 3, 4}", "chosen": lambda n, k, t, f: k in CALLS,
          "half": "xray.function.id % 2 == {}"}


def parts(table):
    count = len(table.rows)
    thread = Counter(t for t in table.column(THREAD) if t).most_common(1)
    calls = zip(table.column(FUNCTION), table.numbers(KIND))
    function = Counter(f for f, k in calls if k in CALLS).most_common()[-1:]
    alone = lambda k: k != 22 and k < 253  # noqa: E731  what needs no record before it
    found = {
        "calls": lambda n, k, t, f: k in CALLS,
        "thirds": lambda n, k, t, f: n % 3 == 1 and alone(k),
        "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3 and alone(k),
        "no first records": lambda n, k, t, f: k not in (0, 16, 18, 20, 23, 25) and alone(k),
        "first records": lambda n, k, t, f: k in (16, 20, 23),
        "events": lambda n, k, t, f: k in (21, 24),
        "damage": lambda n, k, t, f: k in (1, 2, 3, 254),
        "a thread": lambda n, k, t, f: thread and t == thread[0][0] and k < 253,
        "a function": lambda n, k, t, f: function and f == function[0][0] and k in CALLS,
    }
    for kind in (0, 16, 18, 20, 23):
        found[f"all but kind {kind}"] = lambda n, k, t, f, kind=kind: k != kind and alone(k)
    return found


def refusals(capture, folder, out):
    fdr, basic, cpus = (capture(f"xray/{name}.xray") for name in ("fdr-args", "basic-args-deep", "fdr-cpus"))
    big, write, write_basic = folder / "big.xray", ["-F", "xray-fdr"], ["-F", "xray-basic"]
    big.write_bytes(big_endian(fdr.read_bytes()))
    yield "has been changed", ["editcap", *write, "-t", "1", fdr, out]
    yield "has been changed", ["editcap", *write_basic, "-t", "-0.000001", basic, out]
    yield "has been shortened", ["editcap", *write, "-s", "4", fdr, out]
    yield "save it with -F xray-basic", ["tshark", "-r", basic, *write, "-w", out]
    yield "save it with -F xray-fdr", ["tshark", "-r", fdr, *write_basic, "-w", out]
    yield "byte orders", ["mergecap", *write, "-w", out, fdr, big]
    yield "the XRay versions", ["mergecap", *write, "-w", out, cpus, capture("xray/fdr-cpus-v3.xray")]
    yield "different headers or clocks", ["mergecap", *write, "-w", out, fdr, capture("xray/fdr-single.xray")]
    yield "belongs to the entry before it", ["tshark", "-r", fdr, "-Y", "xray.kind == 22", *write, "-w", out]
    yield "belongs to the entry before it", ["tshark", "-r", capture("xray/llvm-naive-with-arg1-entries.xray"), "-Y",
                                            "xray.kind == 22", *write_basic, "-w", out]


# --- llvm-xray reads saved parts: the same calls. Every llvm-xray reads the calls alone, one of them also other parts
def llvm_calls(program, log):
    """The calls as llvm-xray sees them; None if it refuses the log."""
    done = subprocess.run([program, "convert", "-f", "yaml", log], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        return None
    calls = Counter()
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        m = re.search(r"func-id: (-?\d+),.* cpu: (\d+), thread: (\d+),.*kind: function-([a-z-]+), .*tsc: (\d+)", line)
        if m and m[4] in ("enter", "exit", "tail-exit", "enter-arg"):
            calls[m[1], m[2], m[3], m[4].replace("-arg", ""), m[5]] += 1
    return calls


def calls_of(names, rows):
    where = [names.index(f"xray.{n}") for n in ("function.id", "cpu", "thread", "kind", "tsc")]
    calls = ([row[i] for i in where] for row in rows)
    return Counter((f, cpu, thread, CALLS[int(kind)], tsc) for f, cpu, thread, kind, tsc in calls if int(kind) in CALLS)


def check_llvm(path, names, rows, what, copy, program):
    """llvm-xray reads the same calls. It may refuse a part if it refuses the original (damage, empty events). It never
    refuses calls alone, except in flight data recorder logs in the other byte order."""
    calls = calls_of(names, rows)
    if not calls or path.name.startswith("big-"):
        return 0
    got = llvm_calls(program, copy)
    if got is None and what != "calls" and llvm_calls(program, path) is None:
        return 0
    require(got == calls, f"{path.name}, {what}: {program} reads", None if got is None else
            f"{sum(got.values())} calls, missing {list(calls - got)[:3]}, too many {list(got - calls)[:3]}")
    return 1


def llvm_programs():
    found = [shutil.which(p) for p in ["llvm-xray", *(f"llvm-xray-{n}" for n in range(11, 40))]]
    return sorted({os.path.realpath(p) for p in found if p})


def also_read(file, names, saved):
    """How many of these saved parts (name -> (rows, copy)) each other program has read."""
    programs, read = llvm_programs(), Counter()
    for i, (what, (rows, copy)) in enumerate(saved.items()):
        for program in programs if what == "calls" else programs[i % max(len(programs), 1):][:1]:
            read[program] += check_llvm(file, names, rows, what, copy, program)
    return read


# --- damaged ----------------------------------------------------------------------------------------------------------
NEW_BUFFER, END_OF_BUFFER, NEW_CPU, WRAP, WALL_CLOCK, CUSTOM, ARGUMENT, EXTENTS, TYPED, PROCESS = range(10)
FUNCTION_RECORD = -1


def places(data):
    """(offset, metadata kind or FUNCTION_RECORD, length) of every record of an FDR log with extents."""
    where, end = 32, len(data)
    while where < len(data):
        length = fuzz.endian.fdr_length(data, where, end)
        kind = data[where] >> 1 if data[where] & 1 else FUNCTION_RECORD
        yield where, kind, length
        where += length
        if kind == EXTENTS:
            end = min(where + struct.unpack_from("<Q", data, where - 15)[0], len(data))
        if where >= end:
            end = len(data)


def place(data, kind, nth=0):
    return [where for where, k, _ in places(data) if k == kind][nth]


def record(kind, nth=0):
    return lambda data: place(data, kind, nth)


def extents(nth, change):
    def edit(data):
        where = place(data, EXTENTS, nth)
        return put(data, where + 1, struct.pack("<Q", change(struct.unpack_from("<Q", data, where + 1)[0])))
    return edit


def function_action(nth, action):
    def edit(data):
        where = place(data, FUNCTION_RECORD, nth)
        word = struct.unpack_from("<I", data, where)[0]
        return put(data, where, struct.pack("<I", word & ~0xe | action << 1))
    return edit


def zero_buffer(nth):
    """A complete buffer with its extents becomes zeros."""
    def edit(data):
        where = place(data, EXTENTS, nth)
        return put(data, where, bytes(16 + struct.unpack_from("<Q", data, where + 1)[0]))
    return edit


FDR, MARKERS, V1 = "xray/fdr-wrap.xray", "xray/fdr-cpus.xray", "xray/fdr-cpus-v1.xray"
BASIC = "xray/basic-threads.xray"
PROFILE = "xray/profile-calls.xray"  # two blocks, of 436 and 388 bytes
CASES = {
    "xray-short": (FDR, lambda d: d[:31]),
    "xray-version": (FDR, put_at(at(0), 0, "<H", 9)),
    "xray-cut-function": (FDR, cut_inside(record(FUNCTION_RECORD, -1), 5)),
    "xray-cut-metadata": (FDR, cut_inside(record(NEW_CPU, -1), 9)),
    "xray-cut-marker": (MARKERS, cut_inside(record(CUSTOM, 4), 11)),
    "xray-cut-payload": (MARKERS, cut_inside(record(CUSTOM, 4), 18)),
    "xray-zeroed-buffer": (FDR, zero_buffer(3)),
    "xray-zeros-between": (FDR, insert(record(EXTENTS, 4), bytes(40))),
    "xray-extents-small": (FDR, extents(2, lambda n: n - 12)),
    "xray-extents-large": (FDR, extents(2, lambda n: n + 40)),
    "xray-extents-huge": (FDR, extents(2, lambda n: (1 << 64) - 1)),
    "xray-extents-zero": (FDR, extents(2, lambda n: 0)),
    "xray-unknown-kind": (FDR, put_at(record(FUNCTION_RECORD, 60), 0, "B", 10 << 1 | 1)),
    "xray-negative-event": (MARKERS, put_at(record(CUSTOM, 4), 1, "<i", -2)),
    "xray-event-past-buffer": (MARKERS, put_at(record(CUSTOM, 4), 1, "<i", 1 << 30)),
    "xray-bad-action": (FDR, function_action(70, 5)),
    "xray-end-of-buffer": (MARKERS, put_at(record(WRAP), 0, "B", END_OF_BUFFER << 1 | 1)),
    "xray-no-new-buffer": (MARKERS, put_at(record(NEW_BUFFER), 0, "B", WALL_CLOCK << 1 | 1)),
    "xray-kind-of-later-version": (V1, put_at(at(32 + 16), 0, "B", PROCESS << 1 | 1)),
    "xray-repeated": (FDR, lambda d: d + d[place(d, EXTENTS, -1):]),
    "xray-buffer-short": (FDR, cut_inside(record(FUNCTION_RECORD, -1), 0)),
    "xray-frequency-zero": (MARKERS, put_at(at(8), 0, "<Q", 0)),
    "basic-version": (BASIC, put_at(at(0), 0, "<H", 4)),
    "basic-cut": (BASIC, lambda d: d[:-13]),
    "basic-bad-type": (BASIC, put_at(at(32 + 32 * 9), 0, "<H", 7)),
    "basic-bad-action": (BASIC, put_at(at(32 + 32 * 9), 3, "B", 9)),
    "profile-short": (PROFILE, lambda d: d[:31]),
    "profile-magic": (PROFILE, put_at(at(0), 0, "B", 0)),
    "profile-version": (PROFILE, put_at(at(8), 0, "<Q", 0x20180425)),
    "profile-cut-block": (PROFILE, lambda d: d[:32 + 9]),
    "profile-cut-path": (PROFILE, lambda d: d[:-5]),
    "profile-size-small": (PROFILE, put_at(at(32), 0, "<I", 40)),
    "profile-size-large": (PROFILE, put_at(at(32), 0, "<I", 1 << 30)),
    "profile-size-zero": (PROFILE, put_at(at(32), 0, "<I", 0)),
    "profile-empty-path": (PROFILE, put_at(at(32 + 16), 0, "<I", 0)),
}

# --- fuzzed -----------------------------------------------------------------------------------------------------------
COMPILE = ["-fxray-instrument", "-fxray-instruction-threshold=1"]
if platform.machine() in ("i386", "i686"):  # clang has no XRay for these
    COMPILE.append("--target=x86_64-linux-gnu")
BUILDS = [["-O0", "-fno-xray-function-index", "-gdwarf-5"]]
TEXTS = {"demangle": [
    "main", "_ZN2ns5innerEi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
    "_ZZN3foo3barEvENKUlvE_clEv", "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "_ZTV4node",
    "_ZGVZ1fvE1x",
    "_ZN1AIXadL_Z1fvEEE1gEv", "_RNvC6_123foo3bar", "_RNvXNtCsbsFkZsjFIc5_1w8spellingINtB2_4WraphKj7_ENtB2_5Shape4area",
    "_RNvMFG_EuCs1234_7mycrate3foo.llvm.1", "_RNqCs4_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
    "_D4core6thread8osthread20createLowLevelThreadFNbNiDFNbZvkQhZm", "_D3std4conv__T2toTAyaZ__TQlTPaZQrFNaNbQkZQx", "_Z1fDTcl1gfp_EE", "_ZN9_$LT$T$GT$3foo17h0123456789abcdefE",
], "xray_functions": [
    "---\n- { id: 1, address: 0x4233D0, function: 0x4233D0, kind: function-enter, always-instrument: true, function-name: 'f(int)', version: 2 }\n"
    "- { id: 2, address: 0x42345C, function: 0x423420, kind: function-exit, always-instrument: true, function-name: \"\\x41\\u00e9\" }\n...\n",
]}


def seeds(path, data):
    return fuzz.both("xray", data) if path.name.endswith(".xray") else []


def section(elf, name, out):
    subprocess.run(["objcopy", "-O", "binary", "-j", name, "--set-section-flags", name + "=alloc", elf, out],
                   check=False, stderr=subprocess.DEVNULL)
    return out.read_bytes() if out.exists() else b""


def line_seed(table, strings):
    """Two bytes of options, the strings, the table (see fuzz_xray_lines.c)."""
    for share in range(128):
        rest = len(strings) + len(table)
        while rest * share // 256 < len(strings) and rest < 2 * (len(strings) + len(table)):
            rest += 1
        if rest * share // 256 == len(strings):
            return bytes([0, share]) + strings + table.ljust(rest - len(strings), b"\0")
    return bytes([0, 0]) + table


def program_seeds(elf, options, work):
    yield "xray_functions", elf.read_bytes()
    table = b"" if "-gz" in options else section(elf, ".debug_line", work / f"{elf.stem}.line")
    if table:
        yield "xray_lines", line_seed(table, section(elf, ".debug_line_str", work / f"{elf.stem}.str"))


def exported():
    """Row of the format, kind, its own numbers, record, fault."""
    own = struct.pack("<QQIIIHHHBB", 9, 10**9, 1, 2, 0, 5, 1, 3, 15, 1)
    function, metadata, header = bytes(8), b"\x0b" + bytes(15) + b"text", b"\5\0\1\0\3" + bytes(27)
    for kind, data in ((1, function), (21, metadata), (0, header), (254, function[:5])):
        yield "xray_fdr", kind, own, data, b"FAULT_XRAY_ORDER"
    own = struct.pack("<QQIIIHH", 0, 10**9, 1, 2, 0, 0, 2)
    for kind, data in ((32, struct.pack("<IIQ", 44, 0, 7)), (33, struct.pack("<IIIQQ", 2, 1, 0, 3, 500))):
        yield "xray_profile", kind, own, data, b"FAULT_XRAY_BLOCK_SIZE"
