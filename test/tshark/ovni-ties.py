#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the order of events with equal clocks with that of a binary heap of the streams, as ovni's programs have it.

usage: ovni-ties.py [--build DIR] [--seeds N] [STREAMS...]

Makes traces with so many streams (2 to 1,000) whose clocks are often equal, and lists them in one pass, in two, and a part of their
time. Where ovni 1.14.0 is installed, the list must also be that of ovnidump, and the files for Paraver those of ovniemu. OVNIEMU and
OVNIDUMP name the programs if they are not in the path.
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, entry, printed, require, statistic  # noqa: E402

COUNTS = [2, 3, 4, 5, 7, 8, 16, 33, 100, 1000]
OVNIDUMP = os.environ.get("OVNIDUMP") or shutil.which("ovnidump")
OVNIEMU = os.environ.get("OVNIEMU") or shutil.which("ovniemu")
FILES = [f"{side}.{suffix}" for side in ("thread", "cpu") for suffix in ("prv", "pcf", "row")]


# --- traces -----------------------------------------------------------------------------------------------------------
def event(code, clock, payload=b""):
    return bytes([max(len(payload) - 1, 0)]) + code + struct.pack("<Q", clock) + payload


def name_of(number):
    """Paths whose order is that of neither the numbers nor the paths of the files: "thread.1" is before "thread.1-x"."""
    return f"loom.node{number % 3}.0/proc.{number % 3 + 1}/thread.{number // 6}" + ("-x" if number // 3 % 2 else "")


def write(folder, count, r):
    """Name of each stream -> its clocks. Each thread has a CPU, which the first one of its loom knows: lists in all of them take most of the time."""
    made, cpus = {}, -(-count // 3)
    for number in range(count):
        clock = 1000 + r.choice([0, 0, 1, r.randrange(4)])
        clocks = [clock]
        for _ in range(r.choice([1, 5, 30] if count > 100 else [40, 90, 120])):
            clock += r.choice([0, 0, 0, 1, 1, r.randrange(5)])
            clocks.append(clock)
        place = folder / name_of(number)
        place.mkdir(parents=True)
        loom = number % 3
        about = {"part": "thread", "loom": f"node{loom}.0", "pid": loom + 1, "tid": 10 + number, "app_id": 1, "finished": 1,
                 "require": {"ovni": "1.1.0"}, "lib": {"version": "1.14.0", "commit": "none"}}
        if number < 3:
            about["loom_cpus"] = [{"index": i, "phyid": i} for i in range(cpus)]
        (place / "stream.json").write_text(json.dumps({"version": 3, "ovni": about}))
        begin = event(b"OHx", clocks[0], struct.pack("<iiQ", number // 3, -1, 0))
        rest = [event(b"OB.", at) for at in clocks[1:-1]] + [event(b"OHe", clocks[-1])]
        (place / "stream.obs").write_bytes(b"ovni\1\0\0\0" + begin + b"".join(rest))
        made[name_of(number)] = clocks
    return made


# --- the heap ---------------------------------------------------------------------------------------------------------
def heap_order(made):
    """(stream, clock) as a heap has them that is filled in the order of names. Removing swaps with the lower child, the left one of
    equals; inserting swaps with a greater parent."""
    heap, at, found = [], dict.fromkeys(made, 0), []

    def key(i):
        return made[heap[i]][at[heap[i]]]

    def insert(name):
        heap.append(name)
        i = len(heap) - 1
        while i and key(i) < key((i - 1) // 2):
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2

    def remove():
        heap[0], heap[-1] = heap[-1], heap[0]
        name, i = heap.pop(), 0
        while True:
            lowest = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < len(heap) and key(child) < key(lowest):
                    lowest = child
            if lowest == i:
                return name
            heap[i], heap[lowest] = heap[lowest], heap[i]
            i = lowest

    for name in sorted(made, key=os.fsencode):
        insert(name)
    while heap:
        name = remove()
        found.append((name, made[name][at[name]]))
        at[name] += 1
        if at[name] < len(made[name]):
            insert(name)
    return found


# --- comparing --------------------------------------------------------------------------------------------------------
def listed(path, *options):
    out = printed(path, *options, "-Y", "ovni.mcv", "-T", "fields", "-e", "ovni.stream", "-e", "ovni.clock")
    rows = [line.split("\t") for line in out.splitlines()]
    return [(name, int(clock)) for name, clock in rows]


def same(what, want, got):
    first = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    require(want == got, what, "event", first, want[first:first + 3], got[first:first + 3], len(want), len(got))


def peers(folder, want, empty):
    """What ovni's own programs make of the trace. How many were asked."""
    asked = 0
    if OVNIDUMP:
        done = subprocess.run([OVNIDUMP, folder], capture_output=True, text=True, check=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        same("ovnidump", [(row[2], int(row[0])) for row in rows], want)
        asked += 1
    if OVNIEMU:
        done = subprocess.run([OVNIEMU, folder], env={**os.environ, "OVNI_CONFIG_DIR": str(empty)}, capture_output=True, text=True, check=False)
        require(done.returncode == 0, done.stderr[-500:])
        files = {name: (folder / name).read_bytes() for name in FILES}
        out = folder.with_name("paraver")
        statistic(entry(folder), f"ovni,paraver,{out}")
        for name, data in files.items():
            require((out / name).read_bytes() == data, name, "is not what ovniemu writes")
        asked += 1
    return asked


def check(count, seed):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "cfg").mkdir()
        made = write(folder / "trace", count, random.Random(seed * 10007 + count))
        want, path = heap_order(made), entry(folder / "trace")
        require(want != sorted(want, key=lambda row: (row[1], row[0])), "this is the order of paths:", count, seed)
        require([clock for _, clock in want] == sorted(clock for _, clock in want), "the heap does not sort")
        same("one pass", want, listed(path))
        same("two passes", want, listed(path, "-2"))
        os.environ["WIRETRACE_TIME"] = "0.000000002,1"
        same("a part", [row for row in want if row[1] >= want[0][1] + 2], listed(path))
        del os.environ["WIRETRACE_TIME"]
        return peers(folder / "trace", want, folder / "cfg")


def main():
    args = arguments(__doc__, __seeds={"type": int, "default": 1}, streams={"type": int, "nargs": "*"})
    asked = sum(check(count, seed) for count in args.streams or COUNTS for seed in range(args.seeds))
    print(f"{len(args.streams or COUNTS) * args.seeds} traces in the order of the heap, {asked} comparisons with ovni's programs")


if __name__ == "__main__":
    main()
