#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What other programs read in the pictures and texts of statistics: Speedscope.

usage: readers.py [--build DIR] TEST [CAPTURE...]

  timelines         Speedscope's importer nests all spans of all captures, with the right depth and sums, without a warning
  made              the same for logs that are made, whose counters have odd frequencies, and whose calls often begin or end at once

Exit status 77: skipped, the reader is missing.
"""
import functools
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import pictures  # noqa: E402
from check import formats, protocol_of, require, run  # noqa: E402
from pdu import folder, opened  # noqa: E402

SPEEDSCOPE = "1.25.0"


def skip(*reason):
    print(*reason)
    sys.exit(77)


@functools.cache
def speedscope_package():
    """The folder of Speedscope's package in the build directory."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(program, "is not installed, so Speedscope cannot be either")
    place = Path(os.environ["WIRETRACE_BUILD"]) / "npm"
    package = place / "node_modules/speedscope"
    done = None
    if not package.is_dir() or json.loads((package / "package.json").read_text())["version"] != SPEEDSCOPE:
        done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", place,
                               f"speedscope@{SPEEDSCOPE}"], capture_output=True, check=False, text=True)
    if not package.is_dir():
        skip("npm cannot install Speedscope:", (done.stderr + done.stdout).strip()[-200:])
    return package


def speedscope(*files):
    """What Speedscope's importer makes of each file (speedscope.mjs)."""
    done = subprocess.run(["node", Path(__file__).with_name("speedscope.mjs"), speedscope_package(), *files],
                          capture_output=True, check=False, text=True)
    require(done.returncode == 0, "Speedscope's importer:", done.stderr[-1000:])
    return [json.loads(line) for line in done.stdout.splitlines()]


# --- timelines --------------------------------------------------------------------------------------------------------
def of_spans(spans):
    """(depth, sum of the outermost ones, sum by name, and without those inside) of spans (begin, end, name) that nest, in ns and by end."""
    around, depth, total, sums, selves = [], 0, 0, defaultdict(int), defaultdict(int)
    for begin, end, name in sorted(reversed(spans), key=lambda s: (s[0], -s[1])):
        while around and around[-1][0] <= begin:
            around.pop()
        require(not around or end <= around[-1][0], f"{name} at {begin} overlaps")
        if around:
            selves[around[-1][1]] -= end - begin
        else:
            total += end - begin
        around.append((end, name))
        depth = max(depth, len(around))
        sums[name] += end - begin
        selves[name] += end - begin
    return depth, total, sums, selves


def compare(where, shown, spans):
    """A profile of Speedscope with spans in ns. It adds up in doubles, and each span is 2^-15 us shorter."""
    depth, total, *sums = of_spans(spans)
    near = lambda us, ns: abs(us - ns / 1000) <= len(spans) * 2**-14
    require(shown["depth"] == depth, where, "has the depth", shown["depth"], "expected", depth)
    require(near(shown["total"], total), where, "takes", shown["total"], "expected", total / 1000)
    for what, by_name in zip(("spans", "selves"), sums):
        require(shown[what].keys() == by_name.keys(), where, "shows", shown[what].keys() ^ by_name.keys())
        for name, us in shown[what].items():
            require(near(us, by_name[name]), where, f"{name} takes", us, "expected", by_name[name] / 1000, what)


def check_timeline(where, text, shown):
    require(not shown["warnings"], where, "Speedscope:", shown["warnings"][:3])
    lanes, names = defaultdict(list), {}
    for event in json.loads(text, parse_float=str)["traceEvents"]:
        lane = str(event["pid"]), str(event["tid"])
        if event["ph"] == "X":
            begin = pictures.nanoseconds(event["ts"])
            lanes[lane].append((begin, begin + pictures.nanoseconds(event["dur"]), event["name"]))
        elif event["name"] == "thread_name":
            names[lane] = event["args"]["name"]
    of = {re.search(r"\(pid (\d+)\), .*\(tid (\d+)\)$", p["name"]).groups(): p for p in shown["profiles"]}
    require(of.keys() == lanes.keys(), where, "has the lanes", of.keys() ^ lanes.keys())
    require(len(names) == len({(lane[0], name) for lane, name in names.items()}), where, "has lanes of one name:", sorted(names.values()))
    for lane, spans in lanes.items():  # of two at the same time the outer one is written first
        compare(f"{where}, lane {lane}", of[lane], spans[::-1])
    return len(lanes)


def test_timelines(_name=""):
    seen = 0
    with folder() as place:
        for name in formats.captures():
            with opened(name) as path:
                text = pictures.picture(path, f"{protocol_of(name)},chrome")
            (place / "timeline.json").write_text(text)
            seen += check_timeline(name, text, speedscope(place / "timeline.json")[0])
    require(seen > 50, "only", seen, "lanes have been compared")


def make_log(path, seed, frequency, start, calls=13000):
    """A log of basic mode, and its calls (begin, end, name), in ns: three functions, five deep, many in the same tick."""
    r = random.Random(seed)
    record, tsc, stack, spans, out = struct.Struct("<HBBiQII8x"), start, [], [], struct.pack("<HHIQ16x", 3, 0, 3, frequency)
    origin = None
    while calls or stack:
        tsc += r.choice((0, 0, 0, 1, 1, 2, 7, r.randrange(3000)))
        ns = tsc * 10**9 // frequency
        origin = ns if origin is None else origin
        enter = calls and len(stack) < 5 and (not stack or r.random() < 0.5)
        if enter:
            calls -= 1
            stack.append((ns - origin, r.randrange(1, 4)))
        function = stack[-1][1]
        out += record.pack(0, 0, 0 if enter else 1, function, tsc, 7, 7)
        if not enter:
            begin, _ = stack.pop()
            spans.append((begin, ns - origin, f"#{function}"))
    path.write_bytes(out)
    return [span for span in spans if span[0] < span[1]]


def test_made(_name=""):
    with folder() as place:
        day = 86400
        for seed, (frequency, days) in enumerate(((2596120000, 0), (3333333333, 40), (999999937, 1), (10**9, 400), (19200000, 0),
                                                  (1000003, 3), (1500007, 1))):
            log, timeline = place / "made.xray", place / "made.json"
            spans = make_log(log, seed, frequency, frequency * day * days)
            timeline.write_text(pictures.picture(log, "xray,chrome"))
            shown, = speedscope(timeline)
            require(not shown["warnings"], frequency, "Hz, Speedscope:", shown["warnings"][:3])
            compare(f"{frequency} Hz", shown["profiles"][0], spans)
            # of two calls of one function that end at once it may take the numbers of the other one, with a warning
            timeline.write_text(pictures.picture(log, "xray,chrome,records"))
            shown, = speedscope(timeline)
            require(all(w.endswith(" instead.") and "Doing nothing" not in w for w in shown["warnings"]), frequency, shown["warnings"])
            require(shown["profiles"][0]["depth"] == of_spans(spans)[0], frequency, "Hz: another depth with numbers of records")


TESTS = {"timelines": test_timelines, "made": test_made}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(TESTS[args.test], args.captures or [""])


if __name__ == "__main__":
    main()
