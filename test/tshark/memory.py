#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Peak memory for traces designed to need much of it.

usage: memory.py [--build DIR] CASE

A program may need at most 64 MiB plus four times the size of the trace more than for an empty capture: capinfos, tshark and
tshark -2 -V, or the statistics listed below, some in two passes. One pass over very many records that leave nothing open
may need FLAT more than without their analysis. None may take more than SECONDS of CPU time, which quadratic time would
exceed. CASE is one of the functions below; the meaning of the traces does not matter.
"""
import functools
import itertools
import json
import os
import random
import struct
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import Failure, arguments, entry, require, run  # noqa: E402

PROGRAMS = (["capinfos"], ["tshark", "-n", "-r"], ["tshark", "-n", "-2", "-V", "-r"])
STATISTICS = {
    "pairs": ("conv,xray", "endpoints,xray"),
    "path_of_calls": ("xray,records", "xray,account", "xray,stacks", "xray,flame", "xray.calls,tree"),
    "functions": ("xray,account", "xray,account,graph", "xray,stacks", "xray,graph", "xray,graph,label:max", "xray,graph,label:99_percent", "xray,tree", "xray,srt", "xray.calls,tree", "xray.time,tree"),
    "stacks": ("xray.calls,tree", "xray,stacks"),
    "accesses": ("cacheray,types", "cacheray,tree", "endpoints,cacheray", "conv,cacheray"),
    "lines": ("cacheray,lines", "cacheray,types", "cacheray,types,layout", "cacheray,reuse", "cacheray,lines,cacheray.line.reuse > 100"),
    "split": ("cacheray,lines",),
    "lanes": ("ovni,chrome",),
    "codes": ("ovni,tree", "ovni,states", "ovni,srt", "ovni.time,tree"),
}
TWO_PASSES = {"kept": ("cacheray,lines",)}
ONE_PASS = ("returned", "touched", "ended")  # with 300,000 records, and again with 1,200,000
MIB = 1 << 20
NO_ANALYSIS = ("-o", "xray.calls:FALSE", "-o", "cacheray.annotations:FALSE", "-o", "ovni.states:FALSE")
FLAT = 2 * MIB  # two passes keep 17 bytes per call or state, and 3 per such access
SECONDS = 60
# Prints the peak memory of a program in KiB. Both need their own process, since a program counts what it was before it
# began.
PEAK = """import os, subprocess, sys
null = subprocess.DEVNULL
process = subprocess.Popen(sys.argv[1:], stdout=null, stderr=null)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, usage.ru_utime + usage.ru_stime)"""


# --- XRay -------------------------------------------------------------------------------------------------------------
def xray(buffers):
    """A log of version 5 with buffers of (thread, counter, records). Their size is not stated, as they are not full."""
    log = [struct.pack("<HHIQQ8x", 5, 1, 3, 10**9, 0)]
    for thread, counter, records in buffers:
        body = struct.pack("<Bi11x", 1, thread) + struct.pack("<BQI3x", 4 << 1 | 1, 7, 0)
        body += struct.pack("<Bi11x", 9 << 1 | 1, 100) + struct.pack("<BHQ5x", 2 << 1 | 1, 0, counter) + records
        log.append(struct.pack("<BQ7x", 7 << 1 | 1, len(body)) + body)
    return b"".join(log)


def enter(function):
    return struct.pack("<II", function << 4, 5)


def threads(path):
    path.write_bytes(xray((thread, thread, b"") for thread in range(1, 40_000)))


def buffers(path):
    path.write_bytes(xray((5, at, b"") for at in range(20_000)))


def pairs(path):
    """A CPU for each record of several threads."""
    cpus = b"".join(struct.pack("<BHQ5x", 2 << 1 | 1, at, at) for at in range(65_536))
    path.write_bytes(xray((thread, 1, cpus) for thread in range(7)))


def basic(path):
    """A thread for each record. Wireshark 4.4 itself needs more memory per interface than 4.0."""
    head = struct.pack("<HHIQQ8x", 3, 0, 3, 10**9, 0)
    path.write_bytes(head + b"".join(struct.pack("<HBBiQII8x", 0, 0, 0, 5, at, at, 77) for at in range(1, 50_000)))


def depth(path):
    """Calls of as many functions, none of which returns."""
    path.write_bytes(xray([(5, 1, b"".join(map(enter, range(1, 100_000))))]))


def path_of_calls(path):
    """A profile with a path of very many functions."""
    body = struct.pack("<100000I", *range(1, 100_001)) + struct.pack("<IQQ", 0, 1, 9)
    path.write_bytes(struct.pack("<QQQQ", 0x7872617970726f66, 0x20180424, 1, 7) + struct.pack("<IIQ", 16 + len(body), 0, 5) + body)


def functions(path):
    """A deep stack with very many functions called once."""
    outer = b"".join(enter(1 << 27 | n) for n in range(63))
    calls = b"".join(struct.pack("<IIII", n << 4, 1, n << 4 | 1 << 1, 1) for n in range(1 << 26, (1 << 26) + 200_000))
    path.write_bytes(xray([(5, 1, outer + calls)]))


def stacks(path):
    """Each call has a stack of its own, much longer than the names in it."""
    choice, calls, row = random.Random(1), b"", "- {{ id: {0}, address: {0}, function: {0}, kind: function-enter, function-name: {1} }}\n"
    for _ in range(160):
        outer = [choice.randrange(1, 61) for _ in range(55)]
        calls += b"".join(map(enter, outer)) + b"".join(struct.pack("<II", n << 4 | 1 << 1, 1) for n in reversed(outer))
    path.write_bytes(xray([(5, 1, calls)]))
    names_of(path).write_text("---\n" + "".join(row.format(n, f"f{n}{'x' * 250}") for n in range(1, 61)) + "...\n", encoding="ascii")


def names_of(path):
    return path.with_suffix(".yaml")


def returned(path, pairs=150_000):
    """Calls that return."""
    path.write_bytes(xray([(5, 1, struct.pack("<IIII", 7 << 4, 1, 7 << 4 | 1 << 1, 1) * pairs)]))


# --- Cacheray ---------------------------------------------------------------------------------------------------------
def types(path):
    """A type, a region, a cache line and a thread for each access."""
    def region(at):
        name = b"type %d" % at
        return struct.pack("<BQQIII", 2, at, at, 8, 4, len(name)) + name + struct.pack("<BQBQ", at // 64 & 1, at, 8, at)
    path.write_bytes(b"".join(region(1 << 40 | at << 12) for at in range(1, 50_000)))


def accesses(path):
    """A type for each of very many accesses, and a thread."""
    def access(at):
        name = b"t%d" % at
        region = struct.pack("<BQQIII", 2, 1 << 44, at, 8, 1, len(name)) + name
        return region + struct.pack("<BQBQBQQ", 0, 1 << 44, 8, at, 3, 1 << 44, at)
    path.write_bytes(b"".join(map(access, range(1, 250_000))))


def lines(path):
    """A cache line for each access."""
    path.write_bytes(b"".join(struct.pack("<BQBQ", 1, 1 << 40 | at << 6, 8, 1) for at in range(1_000_000)))


def kept(path):
    """The same with fewer accesses: in two passes Wireshark itself keeps 84 bytes of each, 4.4 some more."""
    path.write_bytes(b"".join(struct.pack("<BQBQ", 1, 1 << 40 | at << 6, 8, 1) for at in range(800_000)))


def split(path):
    """Two cache lines for each access, each used by two threads."""
    path.write_bytes(b"".join(struct.pack("<BQBQ", 0x81, (1 << 40 | at << 6) - 4, 8, at & 1) for at in range(900_000)))


def touched(path, pairs=600_000):
    """Accesses to two lines of a region by two threads."""
    some = struct.pack("<BQQIII", 2, 1 << 40, 1, 8, 16, 3) + b"row"
    path.write_bytes(some + struct.pack("<BQBQBQBQ", 0, 1 << 40, 8, 1, 1, 1 << 40 | 64, 8, 2) * pairs)


def typename(path):
    """A type name of a megabyte, and accesses to its region."""
    at, name = 1 << 44, b"n" * MIB
    some = b"".join(struct.pack("<BQBQ", 0, at + 8 * (i % 8), 8, 1) for i in range(60_000))
    path.write_bytes(some[:18 * 400] + struct.pack("<BQQIII", 2, at, 1, 64, 1, len(name)) + name + some)


def alike(path):
    """Many type names with the same hash in GLib, where each character counts 33 times the next."""
    pairs = (b"BY", b"Az", b"C8")
    names = map(b"".join, itertools.product(pairs, repeat=10))
    path.write_bytes(b"".join(struct.pack("<BQQIII", 2, 1 << 44, 1, 8, 8, len(name)) + name for name in names))


# --- ovni -------------------------------------------------------------------------------------------------------------
def event(code, clock, payload=b""):
    return struct.pack("<B3sQ", len(payload) - 1 if payload else 0, code, clock) + payload


def ovni(path, number, events, more=None):
    place = path / "loom.node" / f"proc.{number}" / f"thread.{number}"
    place.mkdir(parents=True)
    (place / "stream.obs").write_bytes(b"ovni" + struct.pack("<I", 1) + events)
    about = {"version": 3, "ovni": {"part": "thread", "loom": "node", "pid": number, "tid": number, **(more or {})}}
    (place / "stream.json").write_text(json.dumps(about))


def ended(path, pairs=150_000):
    """States that end."""
    ovni(path, 1, b"".join(event(b"VS[", at) + event(b"VS]", at) for at in range(pairs)))


def streams(path):
    for number in range(1, 4_000):
        ovni(path, number, event(b"OHp", number))


def siblings(path):
    """Very many threads of one process, with an event each, as before version 3."""
    place = path / "loom.node" / "proc.1"
    place.mkdir(parents=True)
    (place / "metadata.json").write_text('{"version": 1, "app_id": 1}')
    for number in range(1, 27_000):
        (place / f"thread.{number}.obs").write_bytes(b"ovni" + struct.pack("<I", 1) + event(b"OHp", number))


def lanes(path):
    """Very many threads that say one number: each has lanes of its own in a timeline."""
    for number in range(1, 15_000):
        place = path / "loom.node" / "proc.1" / f"thread.{number}"
        place.mkdir(parents=True)
        (place / "stream.json").write_text('{"version": 3, "ovni": {"tid": 1, "pid": 1, "loom": "node"}}')
        begins, ends = event(b"OHx", number, struct.pack("<iiQ", 0, -1, 0)), event(b"OHe", number + 1)
        (place / "stream.obs").write_bytes(b"ovni" + struct.pack("<I", 1) + begins + ends)


def tasks(path):
    """Types, tasks and states that never end."""
    clocks = range(1, 30_000)
    one = b"".join(event(b"VTc", at, struct.pack("<II", at, 1)) + event(b"VU[", at) for at in clocks)
    ovni(path, 1, one)


def metadata(path):
    """As much as is parsed, and as much again that is not."""
    ovni(path, 1, event(b"OHp", 1), {"mark": {str(n): {"title": "", "labels": {}} for n in range(12_000)}})
    ovni(path, 2, event(b"OHp", 1), {"numbers": [1] * 500_000})


def tree(path):
    """As much as is shown as a tree."""
    ovni(path, 1, event(b"OHp", 1), {"numbers": [1] * 10_800})


def codes(path):
    """Very many codes, and marks with as many values."""
    marks = b"".join(event(code, 1, struct.pack("<qi", n, 1)) for n in range(200_000) for code in (b"OM[", b"OM]"))
    unknown = b"".join(event(bytes([33 + n % 94, 33 + n // 94 % 94, 33 + n // 94 // 94]), 1) for n in range(400_000))
    ovni(path, 1, marks + unknown)


def label(path):
    """A task type with a label of a megabyte, whose task runs again and again."""
    text = b"n" * MIB + b"\0"
    begin = struct.pack("<B3sQII", 0x10, b"VYc", 1, 4 + len(text), 1) + text + event(b"VTc", 1, struct.pack("<II", 1, 1))
    ovni(path, 1, begin + b"".join(event(code, 2, struct.pack("<II", 1, 0)) for code in (b"VTx", b"VTe")) * 30_000)


def title(path):
    """Metadata that consists of titles and labels."""
    mark = {"mark": {"1": {"title": "t" * 200_000, "labels": {"1": "l" * 200_000}}}}
    ovni(path, 1, b"".join(event(b"OM=", at, struct.pack("<qi", 1, 1)) for at in range(60_000)), mark)


def repeated(path):
    """Metadata that repeats the last member of an object."""
    ovni(path, 1, event(b"OHp", 1))
    members = [f'"{i:x}":1' for i in range(29_000)] + ['"zz":1'] * 37_000
    next(path.rglob("stream.json")).write_text('{"version":3,' + ",".join(members) + "}")


CASES = {make.__name__: make for make in (threads, buffers, pairs, basic, depth, types, streams, tasks, metadata,
                                        tree, path_of_calls, functions, stacks, accesses, lines, split, typename, codes, label, title, alike,
                                        repeated, siblings, lanes, kept, returned, touched, ended)}


# --- measuring --------------------------------------------------------------------------------------------------------
def peak(command):
    """In bytes. The time is CPU time, as the machine may be busy."""
    _, out, error = run(sys.executable, "-c", PEAK, *command)
    code, kib, taken = map(float, out.split())
    require(code == 0, *command, "ended with", code, error)
    require(taken < SECONDS, *command, "takes", taken, "seconds")
    return int(kib) * 1024


@functools.cache
def at_least(program, empty):
    """Options make no difference for an empty capture that counts here."""
    return peak([program, *(["-n", "-r"] if program == "tshark" else []), empty])


def check_case(path, empty):
    CASES[path.name](path)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    size, opened = sum(file.stat().st_size for file in files), path if path.is_file() else entry(path)
    named = ["-o", f"xray.binary:{names_of(path)}"] if names_of(path).exists() else []
    statistics = [["tshark", "-n", *named, "-q", "-z", name, "-r"] for name in STATISTICS.get(path.name, ())]
    statistics += [["tshark", "-n", "-2", "-q", "-z", name, "-r"] for name in TWO_PASSES.get(path.name, ())]
    if path.name in ONE_PASS:
        check_flat(opened)
        return
    for program in statistics or PROGRAMS:
        above, allowed = peak([*program, opened]) - at_least(program[0], empty), 64 * MIB + 4 * size
        print(*(word for word in program if word != "-r"), f"{above / MIB:.1f} of {allowed / MIB:.1f} MiB")
        require(above <= allowed, *program, "takes", above, "bytes more than for an empty capture; allowed", allowed)


def check_flat(opened):
    above = peak(["tshark", "-n", "-r", opened]) - peak(["tshark", "-n", *NO_ANALYSIS, "-r", opened])
    print(f"tshark -n {above / MIB:.1f} of {FLAT / MIB:.1f} MiB")
    require(above <= FLAT, "tshark takes", above, "bytes more than without the analysis; allowed", FLAT)


def main():
    args = arguments(__doc__, case={"choices": CASES})
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        empty = Path(folder) / "empty.pcap"
        empty.write_bytes(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        try:
            check_case(Path(folder) / args.case, empty)
        except Failure as failure:
            sys.exit(f"{args.case}: {failure}")


if __name__ == "__main__":
    main()
