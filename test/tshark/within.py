#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts traces into parts of the time with the word within: and adds the sums of all parts, which must be those of the whole.

usage: within.py [--build DIR] CAPTURE...

Of ovni,states, ovni,tasks and ovni,balance, in one pass and in two, under a filter, and by node; the parts begin at events and between them.
"""
import csv
import random
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from calls import differences  # noqa: E402
from check import TOP, arguments, entry, printed, require, run  # noqa: E402

TIMES = ("sum_ns", "active_ns", "own_active_ns", "running_ns", "mpi_ns", "tasks_ns")
NAMES = ("state", "label", "model", "group_name", "rank")


def tables(path, words, *options):
    """A table for each of these, as (name, column) -> ns."""
    taps = [word for one in words for word in ("-z", one)]
    out = printed(path, "-q", *options, *taps)
    found, head = [], None
    for cells in csv.reader(out.split("\n")):
        if not cells:
            continue
        if cells[0] in NAMES:
            head = cells
            found.append(Counter())
            continue
        row = dict(zip(head, cells))
        for column in TIMES:
            if row.get(column):
                found[-1][tuple(row.get(name, "") for name in NAMES) + (column,)] += int(row[column])
    require(len(found) == len(words), path, words, "tables are missing:", out)
    return found[::-1]  # the last one that was asked for is printed first


def moments(path, r):
    _, out, _ = run("tshark", "-n", "-r", path, "-Y", "ovni.mcv", "-T", "fields", "-e", "frame.time_relative")
    times = sorted({Decimal(line) for line in out.split()})
    at = set(r.sample(times[1:-1], min(3, len(times) - 2))) if len(times) > 2 else set()
    at |= {Decimal(r.randrange(1, max(int(times[-1] * 10 ** 9), 2))).scaleb(-9) for _ in range(3)}
    return [Decimal(0), *sorted(at - {0}), times[-1] + 1]


def check(name, seed):
    path, r = entry(TOP / "captures" / name), random.Random(f"{name} {seed}")
    at = moments(path, r)
    for statistic, more, options in (("ovni,states", "", ()), ("ovni,tasks", "", ()), ("ovni,states", ",by:node", ("-2",)), ("ovni,tasks", ",by:node", ("-2",)),
                                     ("ovni,balance", "", ()), ("ovni,balance", ",by:node", ("-2",))):
        # all the time, as ovni,balance without a window does not count what has not ended
        whole, *parts = tables(path, [f"{statistic},within:{a},{b}{more},csv" for a, b in [(0, at[-1]), *zip(at, at[1:])]], *options)
        added = sum(parts, Counter())
        differences(f"{name}, {statistic}{more} cut at {at}", {key: ns for key, ns in whole.items() if ns}, {key: ns for key, ns in added.items() if ns})
        usual = tables(path, [f"{statistic}{more},csv"], *options)[0]
        if statistic != "ovni,balance":
            differences(f"{name}, {statistic}{more}, all the time", dict(usual), dict(whole))
        else:
            require(all(whole[key] >= ns for key, ns in usual.items()), name, "balance of all the time", usual, whole)


def check_words():
    path = entry(TOP / "captures" / "ovni" / "v3-two-nodes")
    for words in ("within:1", "within:2,1", "within:-1,1", "within:a,b", "within:,", "within:1,2x"):
        code, _, error = run("tshark", "-q", "-r", path, "-z", f"ovni,states,{words}")
        require(code == 1 and "two times in seconds" in error, words, code, error)
    _, out, _ = run("tshark", "-q", "-r", path, "-z", "ovni,states,within:0.005,0.01,csv,ovni.rank == 0")
    require("Running" in out, "a filter after the word:", out)
    # one long state that began before and ends after is all there is of its thread
    _, out, _ = run("tshark", "-q", "-r", path, "-z", 'ovni,states,within:0.0100001,0.0100002,csv,columns:count,sum,max,state')
    rows = [line.split(",") for line in out.splitlines() if line.endswith(",Running")]
    require(len(rows) == 1 and int(rows[0][1]) == 100 * int(rows[0][0]) and rows[0][2] == "100", "states that last longer than the part:", out)


def main():
    args = arguments(__doc__, captures={"nargs": "+"})
    for name in args.captures:
        check(name, 0)
    check_words()


if __name__ == "__main__":
    main()
