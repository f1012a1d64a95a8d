#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what tshark shows of XRay profiles with a reader that shares no code with it: every path, count and sum, and what statistics make
of them: by function, path and caller, in parts, exported, and compared with itself. Statistics of single calls have none, and report it.

usage: profile_reader.py [--build DIR] PROFILE...
"""
import os
import re
import struct
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, csv_rows, run  # noqa: E402


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


def tshark(path, *words, status=0):
    code, out, _ = run("tshark", "-n", "-r", path, *words)
    if code != status:
        sys.exit(f"{path}: {words} ended with {code}, expected {status}")
    return out


def shown(path):
    fields = "process thread profile.function profile.calls profile.sum".split()
    text = tshark(path, "-Y", "xray.kind == 33", "-T", "fields", *(w for name in fields for w in ("-e", f"xray.{name}")))
    for line in text.splitlines():
        process, thread, functions, calls, ticks = line.split("\t")
        yield int(process), int(thread), tuple(int(f) for f in reversed(functions.split(","))), int(calls), int(ticks)


def self_times(paths):
    """Sums without those of the paths directly inside; below 0: 0."""
    known = {}
    for number, (_, thread, functions, _, ticks) in enumerate(paths):
        known[thread, functions] = number
    left = [ticks if ticks < 1 << 63 else 0 for *_, ticks in paths]
    for _, thread, functions, _, ticks in paths:
        around = known.get((thread, functions[:-1]))
        if around is not None and ticks < 1 << 63:
            left[around] -= min(left[around], ticks)
    return left


def rows_of(path, statistic, *options, status=0):
    return csv_rows(tshark(path, *options, "-q", "-z", statistic, status=status))


def summed(keys, *columns):
    """Key -> the sums of its numbers."""
    sums = defaultdict(lambda: [0] * len(columns))
    for key, *numbers in zip(keys, *columns):
        sums[key] = [a + b for a, b in zip(sums[key], numbers)]
    return dict(sums)


def same(path, what, got, want):
    if got != want:
        sys.exit(f"{path}: {what} has {got}, expected {want}")


def check_sums(path, paths):
    functions, calls = [functions for _, _, functions, _, _ in paths], [calls for *_, calls, _ in paths]
    ticks, own = [ticks if ticks < 1 << 63 else 0 for *_, ticks in paths], self_times(paths)
    by_function = summed((f[-1] for f in functions), calls, ticks, own)
    callers = [(f[-2] if len(f) > 1 else 0, f[-1]) for f in functions]
    account = "xray,account,csv,ticks,all,columns:id,calls,sum,self"
    same(path, "xray,account", {int(r["id"]): [int(r[c]) for c in ("calls", "sum_ticks", "self_ticks")] for r in rows_of(path, account)}, by_function)
    edges = re.findall(r'^F(\d+) -> F(\d+) \[label="(\d+) calls?\\n(\d+) ticks', tshark(path, "-q", "-z", "xray,graph"), re.M)
    same(path, "xray,graph", {(int(a), int(b)): [int(n), int(t)] for a, b, n, t in edges}, summed(callers, calls, ticks))
    folded = dict(line.rsplit(" ", 1) for line in tshark(path, "-q", "-z", "xray,stacks").splitlines())
    names = [";".join(f"#{one}" for one in f) for f in functions]
    same(path, "xray,stacks", {name: [int(t)] for name, t in folded.items()}, summed(names, own))
    around, tree = [], {}
    for row in rows_of(path, "xray.calls,tree,csv,all")[1:]:
        around[int(row["depth"]) - 1:] = [row["name"]]
        tree[";".join(around)] = [int(row["calls"]), int(row["time_ticks"]), int(row["self_ticks"])]
    same(path, "xray.calls,tree", tree, summed(names, calls, ticks, own))
    written = tshark(path, "-q", "-z", "xray,callgrind")
    same(path, "xray,callgrind", sum(map(int, re.findall(r"^calls=(\d+) ", written, re.M))), sum(calls))
    same(path, "xray,callgrind", "events: ticks\n" in written, True)
    columns = [f"{what}_{side}" for what in ("calls", "self") for side in ("before", "after")]
    both = {int(r["function"][1:]): [int(r[c]) for c in ("calls_before", "calls_after", "self_before_ticks", "self_after_ticks")]
            for r in rows_of(path, f'xray,diff,"{path}",csv,all,columns:function,{",".join(columns)}')}
    same(path, "xray,diff", both, {f: [n, n, own_of, own_of] for f, (n, _, own_of) in by_function.items()})


def check_ways(path, paths):
    """In parts, and exported."""
    parts = []
    for part in ("1/2", "2/2"):
        os.environ["WIRETRACE_STREAMS"] = part
        parts += list(shown(path))
    del os.environ["WIRETRACE_STREAMS"]
    same(path, "parts of it", sorted(parts), sorted(paths))
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / "exported.pcapng"
        os.environ["WIRETRACE_PDU"] = "1"
        tshark(path, "-w", exported)
        del os.environ["WIRETRACE_PDU"]
        same(path, "exported", list(shown(exported)), paths)
        same(path, "self times of it", {row["self_ticks"] for row in rows_of(exported, "xray,account,csv,all", status=2)}, {"unknown"})


def check_single(path):
    """What needs single calls reports that there is none."""
    words = "a profile has sums of calls and no single call"
    for statistic in ("xray,calls", "xray,gaps", "xray,call,5", "xray,account,outermost", "xray,account,recursive", "xray,graph,label:p99"):
        same(path, statistic, words in tshark(path, "-q", "-z", statistic), True)
    for statistic, wanted in ("xray,srt", True), ("xray,calls,each", True), ("xray,chrome", True), ("follow,xray,ascii,1", True), \
            ("xray,account", False), ("xray,stacks", False), ("xray,tree", False):
        code, out, error = run("tshark", "-n", "-r", path, "-q", "-z", statistic)
        same(path, statistic, (code, "A profile has sums of calls and no single call" in out + error), (0, wanted))


def check(path):
    """Returns how many paths there are, or exits."""
    paths = list(read(path.read_bytes()))
    if list(shown(path)) != paths:
        sys.exit(f"{path}: other paths, counts or sums")
    check_sums(path, [one for one in paths if one[3]])
    check_ways(path, paths)
    check_single(path)
    return len(paths)


if __name__ == "__main__":
    profiles = arguments(__doc__, profiles={"nargs": "+", "type": Path}).profiles
    print(*(f"{path.name}: {check(path)} paths" for path in profiles), sep="\n")
