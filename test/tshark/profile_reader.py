#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what tshark shows of XRay profiles with a reader that shares no code with it: every path, count and sum, and the sums of
xray,account.

usage: profile_reader.py [--build DIR] PROFILE...
"""
import argparse
import csv
import os
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import TOP  # noqa: E402


def read(data):
    """(process, thread, functions from the outermost to the innermost, calls, ticks) of each path."""
    order = "<" if data[:8] == b"forpyarx" else ">"
    process, at = struct.unpack_from(order + "Q", data, 24)[0], 32
    while at < len(data):
        size, _, thread = struct.unpack_from(order + "IIQ", data, at)
        where = at + 16
        while where < at + size:
            functions = []
            while function := struct.unpack_from(order + "i", data, where)[0]:
                functions.insert(0, function)
                where += 4
            calls, ticks = struct.unpack_from(order + "QQ", data, where + 4)
            where += 20
            yield process, thread, tuple(functions), calls, ticks
        at += size


def tshark(path, *words):
    done = subprocess.run([TOP / "tools/run", "tshark", "-n", "-r", path, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8", check=True)
    return done.stdout


def shown(path):
    fields = "process thread profile.function profile.calls profile.sum".split()
    text = tshark(path, "-Y", "xray.kind == 33", "-T", "fields", *(w for name in fields for w in ("-e", f"xray.{name}")))
    for line in text.splitlines():
        process, thread, functions, calls, ticks = line.split("\t")
        yield int(process), int(thread), tuple(int(f) for f in reversed(functions.split(","))), int(calls), int(ticks)


def check(path):
    """Returns how many paths there are, or exits."""
    paths = list(read(path.read_bytes()))
    if list(shown(path)) != paths:
        sys.exit(f"{path}: other paths, counts or sums")
    want = defaultdict(lambda: [0, 0])
    for _, _, functions, calls, ticks in (path for path in paths if path[3]):
        want[functions[-1]][0] += calls
        want[functions[-1]][1] += ticks if ticks < 1 << 63 else 0
    table = tshark(path, "-q", "-z", "xray,account,csv,ticks,all,columns:id,calls,sum")
    got = {int(row[0]): [int(row[1]), int(row[2])] for row in list(csv.reader(table.strip().split("\n")))[1:]}
    if got != dict(want):
        sys.exit(f"{path}: xray,account has {got}, expected {dict(want)}")
    return len(paths)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("WIRETRACE_BUILD") or TOP / "build")
    parser.add_argument("profiles", nargs="+", type=Path)
    arguments = parser.parse_args()
    os.environ["WIRETRACE_BUILD"] = str(Path(arguments.build).resolve())
    print(*(f"{path.name}: {check(path)} paths" for path in arguments.profiles), sep="\n")
