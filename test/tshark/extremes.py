#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces whose times no 64-bit sum holds: no statistic prints a sum that has wrapped, and all that fit are right.

usage: extremes.py [--build DIR] [FORMAT...]
"""
import json
import re
import struct
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import check  # noqa: E402
import memory  # noqa: E402
from check import require, run  # noqa: E402
from tables import of_csv  # noqa: E402

LONG, SHORT, THREADS = (1 << 62) + 1_234_567, 5_000_003, 9  # ns
FULL = 2**64 - 1
NOTE = "add up to more than 64 bits hold"


def wrapped():
    """What sums would be if they wrapped: of several long durations, with some short ones."""
    return {f"{(n * LONG + m * SHORT) % 2**64}" for n in range(4, 4 * THREADS) for m in range(2 * THREADS + 2)}


def digits(text):
    return set(re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)))


# --- traces -----------------------------------------------------------------------------------------------------------
def at_counter(counter):
    return struct.pack("<BQ7x", 3 << 1 | 1, counter)


def leave(function):
    return struct.pack("<II", function << 4 | 2, 0)


def xray(folder):
    """In each thread a long call of 7 and, inside it, a short one of 8, then one of 9 that has only a long call of 7 inside it."""
    def enter(function):
        return struct.pack("<II", function << 4, 0)

    def thread():
        return b"".join([enter(7), at_counter(1000 + LONG - SHORT), enter(8), at_counter(1000 + LONG), leave(8), leave(7),
                         enter(9), enter(7), at_counter(1000 + 2 * LONG), leave(7), leave(9)])
    path = folder / "log.xray"
    path.write_bytes(memory.xray((n, 1000, thread()) for n in range(1, THREADS + 1)))
    return path, ["-o", "xray.frequency:1000000000"]


def ovni(folder):
    for n in range(1, THREADS + 1):
        event, states = memory.event, []
        start = struct.pack("<iiQ", n - 1, -1, 0)
        states = [event(b"OHx", 1000, start), event(b"VHw", 1000), event(b"VAs", 1000 + LONG - SHORT), event(b"VAS", 1000 + LONG), event(b"VHW", 1000 + LONG),
                  event(b"MS[", 1000 + LONG), event(b"MS]", 1001 + LONG), event(b"OHe", 1001 + LONG)]
        memory.ovni(folder / "trace", n, b"".join(states),
                    {"app_id": 1, "require": {"ovni": "1.1.0", "nosv": "2.0.0", "mpi": "1.0.0"}, "rank": n - 1, "nranks": THREADS,
                     "loom_cpus": [{"index": cpu, "phyid": cpu} for cpu in range(THREADS)]})
    return check.entry(folder / "trace"), []


ROWS = {"xray": ["account", "account,graph", "calls", "gaps", "diff,{path}", "call,{call}", "calls,tree", "time,tree", "self,tree"],
        "ovni": ["states", "states,by:rank", "states,within:0,999999999", "tasks", "slowest", "balance", "cpus", "diff,{path}", "states,tree",
                 "time,tree", "self,tree"]}
TEXTS = {"xray": ["stacks", "stacks,time", "stacks,threads", "graph", "tree", "srt", "chrome", "flame", "callgrind"],
         "ovni": ["lint", "cpus,breakdown", "at,999999999", "stacks", "stacks,time", "tree", "srt", "chrome", "flame", "callgrind"]}


def command(name, words):
    return f"{name}.{words}" if re.match(r"\w+,tree", words) else f"{name},{words}"


def printed(path, options, statistic, status=0):
    code, out, error = run("tshark", "-n", "-q", "-r", path, *options, "-z", statistic)
    out = out.decode() if isinstance(out, bytes) else out
    require(code == (status or 2 * (NOTE in error)), statistic, "ends with", code, error)
    return out, error


def check_format(name, folder):
    path, options = globals()[name](folder)
    call = check.tshark(path, ["frame.number"], "-Y", "xray.call.exit", "-2", *options).rows[0][0] if name == "xray" else 0
    bad = wrapped()
    for words in ROWS[name]:
        statistic = command(name, words.format(path=path, call=call))
        for passes in ([], ["-2"]):
            for form in ("csv", "json", ""):
                if form and ("," + form) in statistic:
                    continue
                at = f"{statistic},{form}".rstrip(",") if "{path}" not in words else statistic.replace(f",{path}", f",{form},{path}" if form else f",{path}")
                out, _ = printed(path, [*options, *passes], at)
                found = digits(out)
                require(not found & bad and str(FULL) not in found and "213,503 d" not in out, at, "prints a sum that has wrapped, or its limit:",
                        found & (bad | {str(FULL)}), out[:3000])
                if form == "json":
                    json.loads(out)
    for words in TEXTS[name]:
        statistic = command(name, words)
        out, error = printed(path, options, statistic)
        require(not digits(out) & bad, statistic, "prints a sum that has wrapped:", digits(out) & bad)
        require((str(FULL) in digits(out)) == (NOTE in error), statistic, "is silent about a limit, or reports one that is not there:", error, out[-2000:])
    return path, options


def rows_of(path, options, statistic, key):
    names, rows = of_csv(printed(path, options, statistic)[0])
    return {row[names.index(key)]: dict(zip(names, row)) for row in rows}


def check_xray(folder):
    path, options = check_format("xray", folder)
    rows = rows_of(path, options, "xray,account,csv", "function")
    want = {"#7": ("unknown", "unknown", LONG), "#8": (THREADS * SHORT, THREADS * SHORT, SHORT), "#9": ("unknown", 0, LONG)}
    for function, (total, own, longest) in want.items():
        row = rows[function]
        require((row["sum_ns"], row["self_ns"], row["max_ns"]) == tuple(map(str, (total, own, longest))), function, row)
    out, _ = printed(path, options, "xray,account")
    require(re.search(r"unknown.*\(total\)", out), "the total is", out)
    out, error = printed(path, options, "xray,stacks")
    require(out.splitlines()[-4:] == [f"#7 {FULL}", f"#7;#8 {THREADS * SHORT}", "#9 0", f"#9;#7 {FULL}"] and NOTE in error, "stacks are", out, error)
    # ticks that fit, but not as nanoseconds
    rows = rows_of(path, ["-o", "xray.frequency:1"], "xray,calls,csv,top:1", "function")
    require((rows["#7"]["duration_ns"], rows["#7"]["at_ns"]) == ("unknown", "unknown"), rows)
    rows = rows_of(path, ["-o", "xray.frequency:1000000"], "xray,account,csv", "function")
    require((rows["#8"]["sum_ns"], rows["#7"]["max_ns"]) == (str(1000 * THREADS * SHORT), "unknown"), rows)


def check_ovni(folder):
    path, options = check_format("ovni", folder)
    rows = rows_of(path, options, "ovni,states,csv", "state")
    for state, average, total in (("Thread: Worker", "unknown", "unknown"), ("API: Submit", str(SHORT), str(THREADS * SHORT))):
        require((rows[state]["average_ns"], rows[state]["sum_ns"]) == (average, total), rows[state])
    rows = rows_of(path, options, "ovni,states,by:rank,csv", "state")
    require(rows["Thread: Worker"]["sum_ns"] == str(LONG), rows)
    rows = rows_of(path, options, "ovni,states,within:0,999999999,csv", "state")
    require(rows["Thread: Worker"]["sum_ns"] == str(THREADS * 999_999_999 * 10**9), rows)
    out, _ = printed(path, options, "ovni,balance")
    require("balance: unknown, as the times add up to more than fits" in out, out)


def main():
    args = check.arguments(__doc__, formats={"nargs": "*"})
    for name in args.formats or ("xray", "ovni"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                globals()[f"check_{name}"](Path(folder))
            except check.Failure as failure:
                sys.exit(f"{name}: {failure}")


if __name__ == "__main__":
    main()
