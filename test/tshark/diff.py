#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z xray,diff,BASELINE, ovni,diff and cacheray,diff: each side is what xray,account, xray,graph, ovni,states and cacheray,types say of that
trace alone, in one pass and in two.

usage: diff.py [--build DIR] TEST

tests:
  functions     logs of both modes, with calls that were left, with other counters; filters; names and ids
  builds        what recorders list beside logs: functions without a name are not matched if the builds differ
  states        ovni traces of all kinds, with states that are open at the end; filters
  types         Cacheray traces, with members, variables and caches
  noise         what a few calls decide is not first
  polling       what is only read more often is not before what became slower
"""
import math
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import calls  # noqa: E402
import check  # noqa: E402
import memory  # noqa: E402
from check import CAPTURES, TOP, require, run, statistic  # noqa: E402
from tables import of_csv  # noqa: E402

LOGS = CAPTURES / "xray"
MEASURES = ("calls", "sum", "self", "mean", "median", "p99", "unwound")
COUNTED = ("calls", "sum", "self", "unwound")  # 0 where there are no calls; others are empty


def named(name):
    return ["-o", f"xray.binary:{LOGS / name}"] if name else []


def account(path, *options, wanted=""):
    """Function -> the measures, of one log. Functions of one name count together, which no capture has."""
    names, rows = of_csv(statistic(path, f"xray,account,csv{wanted}", *options))
    at = [names.index(n) for n in ("calls", "sum_ns", "self_ns", "median_ns", "p99_ns", "unwound")]
    found = {row[0]: [int(row[i]) for i in at] for row in rows}
    return {name: (n, total, own, total // n, median, most, left) for name, (n, total, own, median, most, left) in found.items()}


def edges(path, *options):
    """(function, caller) -> the measures that the graph has, the others None."""
    lines = statistic(path, "xray,graph", *options, "-o", "xray.names:full").split("\n")
    found, nodes = calls.graph_table(lines)
    callers = dict(re.findall(r'^F(\d+) \[label="([^"\\]*)"\];$', "\n".join(lines), re.M))  # none of their calls have ended
    require(not callers.keys() & set(map(str, nodes)), path, "two nodes for one function:", callers)
    name = lambda f: nodes[f][0] if f in nodes else callers[str(f)]
    return {(name(b), name(a) if a else "(no caller)"): (n, total, None, total // n, None, None, left) for (a, b), (n, total, left) in found.items()}


def close(a, b):
    """Ticks are added up before they become nanoseconds, and a mean is rounded twice."""
    return abs(int(a) - b) <= 2


def check_row(what, row, before, after):
    seen = "both" if before and after else "gone" if before else "new"
    require(row["seen"] == seen, what, "is", row["seen"], "instead of", seen)
    for i, m in enumerate(MEASURES):
        unit = "" if m in ("calls", "unwound") else "_ns"
        for side, want in (("before", before), ("after", after)):
            cell = row[f"{m}_{side}{unit}"]
            right = cell == ("0" if m in COUNTED else "") if want is None else want[i] is None or close(cell, want[i]) if unit else cell == str(want[i])
            require(right, what, m, side, cell, want)
        cells = [row[f"{m}_{side}{unit}"] for side in ("before", "after")]
        change, ratio = row[f"{m}_difference{unit}"], row[f"{m}_ratio"]
        require(change == (str(int(cells[1]) - int(cells[0])) if all(cells) else ""), what, m, cells, "difference", change)
        know = all(cells) and int(cells[0])
        require(math.isclose(float(ratio), int(cells[1]) / int(cells[0]), abs_tol=0.000501) if know and int(cells[0]) > 1000 else
                (ratio != "") == bool(know), what, m, cells, "ratio", ratio)


def check_pair(before, after, programs, wanted="", passes=(), frequency=()):
    """`programs`: of the baseline and of the other log, or None."""
    paths = LOGS / before, LOGS / after
    options = [*named(programs[1]), *passes, *frequency]
    words = f",binary:{LOGS / programs[0]}" if programs[0] else ""
    alone = [*named(programs[0] or programs[1]), *frequency], [*named(programs[1] or programs[0]), *frequency]
    limit = f",{wanted}" if wanted else ""
    for kind, key, one in (("", ("function",), account), (",graph", ("function", "caller"), edges)):
        if kind and wanted:
            continue
        names, rows = of_csv(statistic(paths[1], f"xray,diff,csv{kind}{words},{paths[0]}{limit}", *options))
        found = {tuple(r[k] for k in key): r for r in (dict(zip(names, row)) for row in rows)}
        require(len(found) == len(rows), before, after, "two rows for one function")
        want = [{k if kind else (k,): v for k, v in of.items()} for of in
                (one(paths[0], *alone[0]), one(paths[1], *alone[1], **({"wanted": limit} if wanted else {})))]
        require(set(found) == set(want[0]) | set(want[1]), before, after, kind, "rows:", set(found) ^ (set(want[0]) | set(want[1])))
        for name, row in found.items():
            check_row(f"{before} -> {after}{kind} {name}", row, want[0].get(name), want[1].get(name))
        changes = [[abs(int(row[names.index(f"{m}_difference_ns")] or 0)) for m in ("typical_self", "self")] for row in rows]
        require(changes == sorted(changes, reverse=True), before, after, "is not sorted by what has changed most:", changes)


def test_functions():
    check_pair("fdr-args.xray", "fdr-single.xray", (None, None))
    check_pair("fdr-single.xray", "fdr-left.xray", (None, "calls.elf"), passes=["-2"])
    check_pair("basic-threads.xray", "fdr-left.xray", ("calls.elf", None))
    check_pair("llvm-fdr-log-version-3.xray", "fdr-tails-o2.xray", ("llvm-pie-v0.elf", "tails-pie.elf"))
    check_pair("fdr-left.xray", "basic-threads.xray", ("tails-pie.elf", "calls.elf"), wanted="xray.function.id < 4")
    check_pair("fdr-cpus.xray", "fdr-wrap.xray", (None, None), frequency=["-o", "xray.frequency:2500000001"])
    check_pair("fdr-args.xray", "fdr-single.xray", (None, None), frequency=["-o", "xray.frequency:24000000"])  # ticks of 41.7 ns
    check_pair("fdr-single.xray", "fdr-single.xray", ("tails-pie.elf", "calls.elf"))  # as if ids had changed
    gone = of_csv(statistic(LOGS / "fdr-args.xray", f"xray,diff,{LOGS / 'fdr-single.xray'},csv,xray.offset == 1"))[1]
    require(gone and all(row[2] == "gone" for row in gone), "a filter that nothing passes:", gone)
    for baseline, binary, told in (("", "", False), (f",binary:{LOGS / 'calls.elf'}", "", True), ("", "calls.elf", True),
                                   (f",binary:{LOGS / 'calls.elf'}", "calls.elf", False)):
        code, _, error = run("tshark", "-n", "-q", "-r", LOGS / "fdr-args.xray", *named(binary), "-z",
                             f"xray,diff,{LOGS / 'fdr-single.xray'}{baseline}")
        require(code == 0 and ("matched by their ids" in error) == told, baseline, binary, "says:", error)
    code, out, error = run("tshark", "-n", "-q", "-r", LOGS / "fdr-args.xray", "-z", f"xray,diff,{LOGS / 'fdr-single.xray'},binary:{LOGS}")
    require(code == 2 and out and "cannot be used for function names: it is not a regular file" in error, "a folder as program of the baseline:", code, error)


def with_objects(folder, log, program, copied):
    """A copy of a log beside which an object is listed: the program of the captures, or only its build id. `copied`: the program is there."""
    folder.mkdir()
    path = folder / log
    shutil.copy(LOGS / log, path)
    build = subprocess.run(["readelf", "-n", LOGS / program], capture_output=True, encoding="utf-8", check=True).stdout if "." in program else ""
    build = re.search(r"Build ID: (\w+)", build)[1] if build else program
    path.with_name(f"{log}.objects").write_text(f"# objects 1\n0 0x0 {build} /nowhere/{program}\n", encoding="utf-8")
    if copied:
        shutil.copy(LOGS / program, folder)
    return path


def test_builds():
    old, new = "fdr-single.xray", "fdr-args.xray"
    program, library = "calls.elf", "tails-pie.elf"
    with tempfile.TemporaryDirectory() as folder:
        for i, (before, after, words, nameless) in enumerate((
                ((program, True), (library, True), "", None), ((program, False), (library, True), "", "the baseline"),
                ((program, True), (library, False), "", "this log"), ((program, False), (library, False), "", "both logs"),
                (("abcdef", False), ("abcd", False), "", "both logs"), ((program, False), (program, True), "", None),
                ((program, False), (program, False), "", None), ((program, False), (library, True), f",binary:{LOGS / program}", None))):
            paths = [with_objects(Path(folder) / f"{side}{i}", log, *of) for side, log, of in (("old", old, before), ("new", new, after))]
            code, out, error = run("tshark", "-n", "-q", "-r", paths[1], "-z", f"xray,diff,{paths[0]},csv{words}")
            rows = of_csv(out)[1]
            told = f"of different builds, and functions of {nameless} have no names" in error
            require((code, told, len(rows) > 0) == ((2, True, False) if nameless else (0, False, True)), before, after, words, "says:", code, error, rows)
            alike = nameless is None and words == "" and before[0] == after[0]
            require(not alike or "both" in {row[2] for row in rows}, before, after, "has", rows)


def states(path, wanted="", *options):
    names, rows = of_csv(statistic(path, f"ovni,states,csv{wanted}", *options))
    at = [names.index(n) for n in ("count", "sum_ns", "average_ns", "active_ns")]
    return {(row[0], row[1]): [int(row[i]) for i in at] for row in rows}


def check_states(before, after, wanted="", passes=()):
    paths = [check.entry(CAPTURES / "ovni" / name) for name in (before, after)]
    sides = states(paths[0]), states(paths[1], wanted, *passes)
    names, rows = of_csv(statistic(paths[1], f"ovni,diff,csv,{paths[0]}{wanted}", *passes))
    found = {(row[0], row[1]): dict(zip(names, row)) for row in rows}
    require(len(found) == len(rows) and set(found) == set(sides[0]) | set(sides[1]), before, after, "rows:", set(found) ^ (set(sides[0]) | set(sides[1])))
    for key, row in found.items():
        for side, of in zip(("before", "after"), sides):
            got = [row[f"{m}_{side}{unit}"] for m, unit in (("count", ""), ("sum", "_ns"), ("average", "_ns"), ("active", "_ns"))]
            want = of.get(key)
            require(all(abs(int(g) - w) <= 1 for g, w in zip(got, want)) if want else got == ["0", "0", "", "0"], before, after, key, side, got, want)
        require(row["seen"] == ("both" if key in sides[0] and key in sides[1] else "gone" if key in sides[0] else "new"), key, "is", row["seen"])
        require(int(row["sum_difference_ns"]) == int(row["sum_after_ns"]) - int(row["sum_before_ns"]), key, row)
    changes = [[abs(int(row[names.index(f"{m}_difference_ns")] or 0)) for m in ("typical", "sum")] for row in rows]
    require(changes == sorted(changes, reverse=True), before, after, "is not sorted by what changed most:", changes)
    return Counter(row["seen"] for row in found.values())


def test_states():
    seen = check_states("v3-nanos6", "v3-two-nodes") + check_states("v3-two-nodes", "v3-unfinished", passes=["-2"])
    seen += check_states("v3-unfinished", "v3-all-events") + check_states("v1-1.4.1-mpi", "v2-1.10.0-marks", passes=["-2"])
    seen += check_states("v3-unfinished", "v3-unfinished", ',ovni.model == "nosv"') + check_states("v3-unsorted", "v3-openmp-emulated")
    require(all(seen[word] for word in ("both", "new", "gone")), "rows are", seen)


def types(path, wanted, options):
    names, rows = of_csv(statistic(path, f"cacheray,types,csv{wanted}", *options))
    at = [names.index(n) for n in ("reads", "writes", "misses")]
    return {(row[0], row[1]): [row[i] for i in at] for row in rows}


def check_types(before, after, options, wanted="", alone=None):
    """`alone`: options of the baseline alone, if the program cannot be that of its machine."""
    paths = [CAPTURES / "cacheray" / f"{name}.trace" for name in (before, after)]
    of = types(paths[0], "", options if alone is None else alone), types(paths[1], wanted, options)
    names, rows = of_csv(statistic(paths[1], f"cacheray,diff,csv,{paths[0]}{wanted}", *options))
    found = {(row[0], row[1]): dict(zip(names, row)) for row in rows}
    require(len(found) == len(rows), before, after, "two rows for one member")
    for side, want, path, limit in (("before", of[0], paths[0], ""), ("after", of[1], paths[1], wanted.replace(",", " && ", 1))):
        for key, row in found.items():
            got = [row[f"{m}_{side}"] for m in ("reads", "writes", "misses")]
            there = want.get(key, ["0", "0", "0" if any(r[2] for r in want.values()) else ""])
            require(got == there and int(row[f"accesses_{side}"]) == int(got[0]) + int(got[1]), before, after, key, side, "expected", there, got)
        count = len(check.tshark(path, ["frame.number"], "-Y", f"cacheray.event in {{0, 1}} && cacheray.size > 0 && cacheray.address{limit}").rows)
        require(sum(int(row[f"accesses_{side}"]) for row in found.values()) == count, before, after, side, "lacks accesses of", count)
    return len(found)


def test_types():
    elf = lambda name: ["-o", f"cacheray.binary:{CAPTURES}/cacheray/{name}.elf"]
    caches = ["-o", f"cacheray.caches:{TOP}/test/tshark/simulator/small.json"]
    found = check_types("falseshare-torn", "falseshare", elf("falseshare")) + check_types("orders", "falseshare", ["-2"])
    found += check_types("orders-be64", "orders", elf("orders") + caches, alone=caches)
    found += check_types("orders-le32", "orders", [*elf("orders"), "-2"], ",cacheray.thread == 1", alone=["-2"])
    found += check_types("upstream-structs", "arena", caches)
    require(found > 30, "there are only", found, "rows")


def noisy_log(path, functions, chance, planted):
    """Functions around an outermost one, and the planted one; one call in three hundred is interrupted for up to 20 ms."""
    calls_of = [(n, length) for n, length, count in functions for _ in range(count)] + [(42, 900.0)] * 4000
    chance.shuffle(calls_of)
    body = [memory.enter(1)]
    for function, length in calls_of:
        took = length * chance.lognormvariate(0, 0.2) * (planted if function == 42 else 1) + (chance.random() < 1 / 300) * chance.uniform(1e6, 2e7)
        body += [memory.enter(function), struct.pack("<II", function << 4 | 2, int(took))]
    path.write_bytes(memory.xray([(5, 1, b"".join([*body, struct.pack("<II", 1 << 4 | 2, 9)]))]))


def test_noise():
    """The function that became 1.35 times slower is the first, whatever single calls took: in nine of ten runs at least."""
    first = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(10):
            place, chance = Path(folder), random.Random(seed)
            functions = [(n, 10 ** chance.uniform(2.5, 4.5), chance.choice([3, 40, 300, 3000])) for n in range(2, 42)]
            for name, planted in (("before", 1), ("after", 1.35)):
                noisy_log(place / name, functions, chance, planted)
            names, rows = of_csv(statistic(place / "after", f"xray,diff,{place / 'before'},csv,top:2"))
            first.append(rows[0][0])
    require(first.count("#42") >= 9, "the first rows are", first)


def noisy_trace(path, chance, contended, threads=2):
    """Types with a line each; `contended` accesses to the planted one come right after one of another thread, those to others by chance."""
    at = lambda n: 0x1000000 + 4096 * n
    access = lambda n, thread: struct.pack("<BQBQ", chance.randrange(2), at(n), 8, thread)
    body = [struct.pack("<BQQIII", 2, at(n), 1, 64, 1, 6) + b"type%02d" % n for n in range(20)]
    for n in range(20):
        accesses = [access(n, 1 + (chance.random() < 0.02) * (threads > 1)) for _ in range(chance.randint(1000, 6000))]  # how often something polls
        if n == 10:
            accesses = [struct.pack("<BQBQ", 1, at(n), 8, 1 + (i < contended and i % 2) * (threads > 1)) for i in range(3000)]
        body += accesses
    path.write_bytes(b"".join(body))


def test_polling():
    """Accesses that contend more come first, not those that only became more: how often a program polls differs from run to run."""
    first, alone = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(10):
            place, chance = Path(folder), random.Random(seed)
            for threads, to in ((2, first), (1, alone)):
                noisy_trace(place / "before", chance, 200, threads)
                noisy_trace(place / "after", chance, 600, threads)
                names, rows = of_csv(statistic(place / "after", f"cacheray,diff,{place / 'before'},csv"))
                row = dict(zip(names, rows[0]))
                to.append(row["type"])
                most = max(abs(int(r[names.index("accesses_difference")])) for r in rows)
                require(threads > 1 or abs(int(row["accesses_difference"])) == most, "with one thread the first row is", row)
                if threads > 1 and row["type"] == "type10":
                    require((row["accesses_difference"], row["contended_before"], row["contended_after"]) == ("0", "200", "600"), row)
    require(first.count("type10") >= 9 and alone.count("type10") == 0, "the first rows are", first, alone)


def main():
    args = check.arguments(__doc__, test={"choices": ("functions", "builds", "states", "types", "noise", "polling")})
    try:
        globals()[f"test_{args.test}"]()
    except check.Failure as failure:
        sys.exit(f"{args.test}: {failure}")


if __name__ == "__main__":
    main()
