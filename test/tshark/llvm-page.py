#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs each line of the table in docs/xray-statistics.md, "What llvm-xray does", with every llvm-xray installed, and compares what both say.

usage: llvm-page.py [--build DIR] [--log LOG --program PROGRAM --other LOG]

With --log, runs them on that log of a program of yours, and says which commands llvm-xray gave up; --other is a second log of the same
program, for graph-diff. Without llvm-xray the test is skipped (77).
"""
import json
import re
import shlex
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import calls  # noqa: E402
import check  # noqa: E402
from check import CAPTURES, TOP, csv_rows, printed, require, run  # noqa: E402
from llvm import installed, llvm, spelled  # noqa: E402

LOGS = [CAPTURES / "xray" / f"{name}.xray" for name in ("fdr-single", "llvm-fdr-log-version-3", "basic-threads")]
PLACES = {"OTHER": CAPTURES / "xray/fdr-args.xray", "PROGRAM": CAPTURES / "xray/calls.elf"}
COLUMNS = {"calls": "count", "min_ns": "min", "median_ns": "median", "p90_ns": "90%ile", "p99_ns": "99%ile", "max_ns": "max", "sum_ns": "sum"}


def ns(text):
    return float(text) * 1e9


def close(a, b):
    """Whole nanoseconds, and seven digits."""
    return abs(a - b) <= 1 + abs(b) * 1e-6


def accounts(theirs, ours):
    return [csv_rows(text) for text in (theirs, ours)]


def same_rows(theirs, ours, what):
    require([r["funcid"] for r in theirs] == [r["id"] for r in ours], what, "other functions:", [r["funcid"] for r in theirs], [r["id"] for r in ours])
    for want, got in zip(theirs, ours):
        for mine, its in COLUMNS.items():
            there = float(want[its]) if its == "count" else ns(want[its])
            require(close(float(got[mine]), there), what, want["funcid"], mine, "expected", there, "shown", got[mine])


def by_id(theirs, ours, what):
    theirs, ours = accounts(theirs, ours)
    same_rows(sorted(theirs, key=lambda r: int(r["funcid"])), sorted(ours, key=lambda r: int(r["id"])), what)
    return len(ours)


def by_key(theirs, ours, what):
    """Rows may be in another order where the key is the same: the keys are compared."""
    theirs, ours = accounts(theirs, ours)
    key = re.search("--sort=(\\S+)", what)[1]
    mine = dict(zip(KEYS["llvm-xray"], KEYS["here"]))[key]
    names = {"funcid": "funcid", "func": "function", "count": "count", "med": "median", "90p": "90%ile", "99p": "99%ile"}
    want, got = [r[names.get(key, key)] for r in theirs], [r.get(mine) or r[f"{mine}_ns"] for r in ours]
    if key == "func":  # llvm-xray sorts before it knows the names
        return len(got) == len(want) and got == sorted(got, key=str.encode, reverse="=dsc" in what)
    same = all(close(float(b), float(a) if key in ("funcid", "count") else ns(a)) for a, b in zip(want, got))
    require(len(want) == len(got) and same, what, "expected", want, "shown", got)
    return len(got)


def named(theirs, ours, what):
    theirs, ours = accounts(theirs, ours)
    want = {r["funcid"]: spelled(r["function"]) for r in theirs}
    require(want == {r["id"]: spelled(r["function"]) for r in ours}, what, want)
    return len(want)


def stacks(theirs, ours, what):
    want = {stack: int(n) for stack, n in re.findall(r"^(.+); (\d+)$", theirs, re.M) if n != "0"}
    require(want == {s: n for s, n in calls.stacks_table(ours.split("\n")).items() if n}, what, want)
    return len(want)


def graph(theirs, ours, what):
    number = lambda text: float(text) if "--edge-label=count" in what else ns(text)
    want = {(int(a), int(b)): number(n) for a, b, n in re.findall(r'F(\d+) -> F(\d+) \[label="([^"]*)"\]', theirs)}
    got = {(int(a), int(b)): float(n) for a, b, n in re.findall(r'^F(\d+) -> F(\d+) \[label="(\d+) \w+"\];$', ours, re.M)}
    want.update({int(f): number(n) for f, n in re.findall(r'^F(\d+) \[label="\{.*\|([^|]*)\}"\];$', theirs, re.M)})
    got.update({int(f): float(n) for f, n in re.findall(r'^F(\d+) \[label=".*\\n(\d+) \w+"\];$', ours, re.M)})
    want = {k: n for k, n in want.items() if n or k in got}  # entered but never left
    require(want.keys() == got.keys(), what, "other edges or functions:", want.keys() ^ got.keys())
    for key, n in want.items():
        require(close(got[key], n), what, key, "expected", n, "shown", got[key])
    return len(got)


def edges(theirs, ours, what):
    want = {tuple(pair.replace("F0", "(no caller)").split(" -> ")) for pair in re.findall(r'tooltip="([^"]* -> [^"]*)"', theirs)}
    rows = csv_rows(ours)
    require(want == {(r["caller"], r["function"]) for r in rows}, what, want ^ {(r["caller"], r["function"]) for r in rows})
    return len(rows)


def extracted(theirs, ours, what):
    """Names of the functions that are called are those that it lists."""
    names = dict(re.findall(r"^- \{ id: (\d+), .* function-name: '?(.*?)'?, version", theirs, re.M))
    rows = csv_rows(ours)
    got = {r["id"]: spelled(r["function"]) for r in rows if r["id"] in names}
    wrong = {f: (name, names[f]) for f, name in got.items() if spelled(names[f]) not in (name, ALIASES.get(f))}
    require(not wrong, what, "shown, expected:", wrong)
    return len(rows)


def timeline(theirs, ours, what):
    """Calls that have ended."""
    want = Counter(e["name"].lstrip("#") for e in json.loads(theirs)["traceEvents"] if e["ph"] == "E")
    got = Counter(e["name"].lstrip("#") for e in json.loads(ours)["traceEvents"] if e["ph"] == "X")
    require(want == got, what, want, got)
    return sum(got.values())


def records(theirs, ours, what):
    kinds = {"enter": "1", "enter-arg": "4", "exit": "2", "tail-exit": "3"}
    want = Counter((kinds[k], f, tsc) for f, k, tsc in re.findall(r"func-id: (\d+),.*kind: function-([a-z-]+), .*tsc: (\d+)", theirs))
    got = Counter(tuple(line.split(",")) for line in ours.split("\n"))
    got = Counter({row: n for row, n in got.items() if row[0] in kinds.values()})
    require(want == got, what, len(want), len(got), list((want - got).items())[:3], list((got - want).items())[:3])
    return len(got)


def dump(theirs, ours, what):
    """A line for each record; ours has one for the names of columns and one for the header of the file, too."""
    ours = ours.rstrip("\n").split("\n")
    require(len(theirs.rstrip("\n").split("\n")) + 2 == len(ours), what, len(ours))
    return len(ours)


def sound(_, ours, what):
    require(not ours, what, "finds damage in a log that is sound:", ours)
    return 1


ROWS = [  # beginning of the left cell
    ("account --format=csv --sort", by_key), ("account --format=csv --instr_map", named), ("account", by_id), ("stack --all-stacks", stacks),
    ("graph-diff", edges), ("graph", graph), ("extract", extracted),
    ("convert --output-format=trace_event", timeline), ("convert --output-format=yaml", records), ("fdr-dump --verify", sound), ("fdr-dump", dump),
]
KEYS = {}
ALIASES = {}  # of merged functions, of which llvm-xray may name another


def expand(theirs, ours):
    """One pair of commands for each name that KEY and STAT may be."""
    for word, first in (("KEY", 0), ("STAT", 2)):
        if word in theirs:
            return [(theirs.replace(word, a), ours.replace(word, b)) for a, b in list(zip(KEYS["llvm-xray"], KEYS["here"]))[first:]]
    return [(theirs, ours)]


def fill(command, log):
    for word, path in {"LOG": log, **PLACES}.items():
        command = re.sub(rf"\b{word}\b", str(path), command)
    return shlex.split(command)


def ask(ours, log):
    quiet = [] if re.search(r"-T|-P|-Y", ours) else ["-q"]
    return printed(log, *quiet, *fill(ours, log))


def main():
    path = {"type": Path}
    args = check.arguments(__doc__, __log=path, __program=path, __other=path)
    tools = installed()
    if not tools:
        print("there is no llvm-xray")
        sys.exit(77)
    logs = [args.log] if args.log else LOGS
    PLACES.update({word: given for word, given in (("OTHER", args.other), ("PROGRAM", args.program)) if given})
    if args.program:
        merged = run("tshark", "-n", "-r", args.log, "-o", f"xray.binary:{args.program}", "-Y", "xray.function.alias", "-T", "fields", "-e",
                     "xray.function.id", "-e", "xray.function.alias")[1]
        ALIASES.update(line.split("\t") for line in merged.splitlines())
    page = (TOP / "docs/xray-statistics.md").read_text(encoding="utf-8").split("## What llvm-xray does\n")[1].split("\n## ")[0]
    for line in page.split("\n"):
        cells = re.findall(r"`([^`]*)`", line)
        if len(cells) > 8:
            KEYS["here" if line.startswith("| here") else "llvm-xray"] = cells[1 if line.startswith("| `") else 0:]
    rows = re.findall(r"^\| `([a-z-]+ [^`]*)` \| `([^`]*)` \|$", page, re.M)
    require(len(rows) > 14 and len(KEYS["here"]) == len(KEYS["llvm-xray"]) == 9, "the table has", len(rows), "rows", KEYS)
    agreed, shown = Counter(), {}
    for theirs, ours in (pair for row in rows for pair in expand(*row)):
        compare = next(function for beginning, function in ROWS if theirs.startswith(beginning))
        for log in logs:
            if "--aggregate-threads" in theirs and log.stem == "basic-threads":
                continue  # 14 and 19 crash on more than one thread, or leave one out: which of both depends on the machine
            for tool in tools:
                text = llvm(tool, *fill(theirs, log))
                if text is None:  # it gives up
                    continue
                if (ours, log) not in shown:
                    shown[ours, log] = ask(ours, log)
                agreed[theirs] += compare(text, shown[ours, log], f"{log.name}, {Path(tool).name} {theirs}") > 0
        require(agreed[theirs] or args.log, "no llvm-xray has done:", theirs)
        if not agreed[theirs]:
            print("not done by any llvm-xray:", theirs)
    print(f"{len(agreed)} commands agree, {sum(agreed.values())} times")


if __name__ == "__main__":
    try:
        main()
    except check.Failure as failure:
        sys.exit(f"llvm-page: {failure}")
