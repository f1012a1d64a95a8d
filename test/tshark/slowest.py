#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z xray,calls, ovni,slowest and cacheray,slowest against lists made from the fields of each record, in one pass and in two.

usage: slowest.py [--build DIR] NAME...

NAME is a path below captures/.
"""
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
import check  # noqa: E402
import formats  # noqa: E402
from check import arguments, csv_rows, entry, for_each, require, statistic, tshark  # noqa: E402

MANY, LINE = 10**6, 64


def table(path, what, *options):
    return csv_rows(statistic(path, what, *options))


def records(path, names, *options):
    """Durations that are also there in microseconds (FIELD.us) must be the same."""
    for row in tshark(path, names, *options).rows:
        r = dict(zip(names, row))
        for name in names:
            if name.endswith(".us"):
                seconds = r[name.removesuffix(".us")]
                require(r[name] == "" if seconds == "" else Decimal(r[name]) == Decimal(seconds) * 10**6, name, r[name], seconds)
        yield r


def ns(seconds):
    return int(Decimal(seconds) * 10**9)


# --- what is expected: (value to be sorted by, record that begins it, cells) ------------------------------------------------
XRAY = ["frame.number", "frame.time_relative", "xray.kind", "xray.function.id", "xray.thread", "xray.call.entry", "xray.call.exit", "xray.call.duration",
        "xray.call.self", "xray.call.duration.us", "xray.call.self.us", "xray.call.depth", "xray.call.caller_id", "xray.call.unwound"]


def of_xray(path):
    """Calls with an exit from the exit, the others from the entry, which with two passes knows where they ended."""
    for r in records(path, XRAY, "-2"):
        if not r["xray.call.duration"]:
            continue
        leaves = r["xray.call.entry"] and not r["xray.call.exit"]
        unwound = not leaves and r["xray.call.unwound"]
        if leaves or unwound:
            entry_record, end = (r["xray.call.entry"], r["frame.number"]) if leaves else (r["frame.number"], r["xray.call.exit"])
            yield {"duration_ns": ns(r["xray.call.duration"]), "thread": r["xray.thread"], "entry": entry_record, "end_record": end,
                   "depth": r["xray.call.depth"] or "unknown", "note": "unwound" if unwound else ""}


OVNI = ["frame.number", "ovni.thread", "ovni.region.begin", "ovni.region.duration", "ovni.region.duration.us", "ovni.left.duration", "ovni.task.begun",
        "ovni.task.ended", "ovni.task.duration"]


def of_ovni(path):
    """Everything that has an end."""
    for r in records(path, OVNI, "-2"):
        here = {"thread": r["ovni.thread"], "end_record": r["frame.number"]}
        if r["ovni.region.duration"] and r["ovni.region.begin"]:
            yield {"duration_ns": ns(r["ovni.region.duration"]), "begin_record": r["ovni.region.begin"], "kind": "state", **here}
        if r["ovni.left.duration"]:
            yield {"duration_ns": ns(r["ovni.left.duration"]), "kind": "value", **here}
        if r["ovni.task.duration"] and r["ovni.task.ended"] == r["frame.number"]:
            yield {"duration_ns": ns(r["ovni.task.duration"]), "begin_record": r["ovni.task.begun"], "kind": "task", **here}


CACHERAY = ["frame.number", "cacheray.event", "cacheray.address", "cacheray.size", "cacheray.thread", "cacheray.access.typename", "cacheray.access.variable",
            "cacheray.cache.level", "cacheray.truncated"]


def of_cacheray(path, *options):
    """By type: how many accesses missed, how many were contended, and how many either. A line knows who has a copy."""
    copies, written, sums, first = defaultdict(set), set(), defaultdict(Counter), {}
    for r in records(path, CACHERAY, *options):
        if r["cacheray.event"] not in ("0", "1") or r["cacheray.truncated"] or r["cacheray.size"] == "0":
            continue
        address, size, writes = int(r["cacheray.address"], 16), int(r["cacheray.size"]), r["cacheray.event"] == "1"
        contended = False
        for line in {address // LINE, min((address + size - 1) // LINE, address // LINE + 1)}:
            thread = {r["cacheray.thread"]}
            contended |= bool(copies[line] - thread) if writes else line in written and not thread & copies[line]
            copies[line] = thread if writes else copies[line] | thread
            written |= {line} if writes else set()
        missed = r["cacheray.cache.level"] == "0"
        variable = r["cacheray.access.variable"]
        name = f"variable {variable}" if variable else r["cacheray.access.typename"] or "(not annotated)"
        sums[name] += Counter(accesses=1, missed=missed, contended=contended, slow=missed or contended)
        if missed or contended:
            first.setdefault(name, r["frame.number"])
    return {name: {**{key: str(s[key]) for key in ("slow", "missed", "contended", "accesses")}, "first": first[name]}
            for name, s in sums.items() if s["slow"]}


# --- comparisons --------------------------------------------------------------------------------------------------------
def expect_rows(what, want, got):
    """Each expected row is there, with the cells that are known, and no others."""
    keys = sorted({key for row in want for key in row})
    def cells(row):
        return tuple(str(row.get(key, "")) for key in keys)
    left = Counter(map(cells, got)) - Counter(map(cells, want))
    lacking = Counter(map(cells, want)) - Counter(map(cells, got))
    require(not left and not lacking, what, keys, "has", list(left)[:3], "instead of", list(lacking)[:3])


def expect_order(what, rows, shorter):
    """The longest first; a shorter list is the beginning of the long one."""
    durations = [int(row["duration_ns"]) for row in rows]
    require(durations == sorted(durations, reverse=True), what, "is not sorted")
    require(shorter == rows[:len(shorter)], what, "begins with other rows if there are fewer")


def test_xray(path, *options):
    every = table(path, f"xray,calls,csv,top:{MANY}", *options)
    want = list(of_xray(path))
    got = [{**row, "duration_ns": row["duration_ns"], "note": row["note"].split(",")[0].replace("unsure", "")} for row in every]
    expect_rows(f"{path}: xray,calls", want, got)
    expect_order(f"{path}: xray,calls", every, table(path, "xray,calls,csv", *options))
    depths = {row["begin_record"]: row["depth"] for row in table(path, "xray,calls,each,csv", *options)}
    require(all(depths[row["entry"]] == row["depth"].replace("unknown", "") for row in want), path, "each call has another depth")
    by_self = table(path, "xray,calls,csv,sort:self,top:7", *options)
    best = sorted((int(row["self_ns"]) for row in every if row["self_ns"]), reverse=True)[:7]
    require([int(row["self_ns"]) for row in by_self if row["self_ns"]] == best, path, "by self time:", by_self)


def test_ovni(path, *options):
    rows = table(path, f"ovni,slowest,csv,every,top:{MANY}", *options)
    want = list(of_ovni(path))
    for kind in ("state", "value", "task"):
        got = [row for row in rows if row["kind"] == kind and row["end_record"]]
        expect_rows(f"{path}: {kind}", [row for row in want if row["kind"] == kind], got)
    expect_order(f"{path}: ovni,slowest", rows, table(path, "ovni,slowest,csv,every", *options))
    few = table(path, f"ovni,slowest,csv,top:{MANY}", *options)
    kept = {(row["begin_record"], row["kind"], row["thread"]) for row in few}
    hidden = {row["name"] for row in rows if (row["begin_record"], row["kind"], row["thread"]) not in kept}
    require(not hidden & {"Paused", "Cooling", "Warming"} and not {row["name"] for row in few} & {"Running", "Dead", "Resting", "Progressing"},
            path, "leaves out", hidden)


def test_cacheray(path, *options):
    caches = ["-o", f"cacheray.caches:{Path(__file__).parent / 'simulator/threads.json'}"]
    for setting in ([], caches):
        rows = table(path, f"cacheray,slowest,csv,top:{MANY}", *setting, *options)
        want = of_cacheray(path, *setting)
        all_slow = sum(int(one["slow"]) for one in want.values())
        got = defaultdict(Counter)
        for row in rows:
            require(row["share"] == f"{(2000 * int(row['slow']) + all_slow) // (2 * all_slow) / 10:.1f}", path, "has another share:", row)
            require((row["missed"] == "") == (not setting), path, "without caches:", row)
            got[row["type"]] += Counter({key: int(row[key] or 0) for key in ("slow", "missed", "contended", "accesses")})
        require({name: {key: str(s[key]) for key in ("slow", "missed", "contended", "accesses")} for name, s in got.items()} ==
                {name: {key: one[key] for key in ("slow", "missed", "contended", "accesses")} for name, one in want.items()},
                path, dict(got), "instead of", want)
        for name, one in want.items():
            require(min((int(row["first"]) for row in rows if row["type"] == name)) == int(one["first"]), path, name, one)


def test(name):
    path = entry(formats.capture(name))
    for options in ([], ["-2"]):
        {"xray": test_xray, "ovni": test_ovni, "cacheray": test_cacheray}[check.protocol_of(name)](path, *options)


def main():
    for_each(test, arguments(__doc__, names={"nargs": "+", "metavar": "NAME"}).names)


if __name__ == "__main__":
    main()
