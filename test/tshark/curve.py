#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z cacheray,reuse against a list of lines that is searched for each access, and against simulated caches of ten sizes.

usage: curve.py [--build DIR] NAME...

NAME is a path below captures/, or `planted` for traces whose misses are known before they are made, or `part` for one with more
lines than are kept.
"""
import csv
import io
import json
import random
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from cacheray import BASE, WRITE, access, add, count_members, records  # noqa: E402
from check import CAPTURES, arguments, for_each, require, run  # noqa: E402

NEVER = None


def table(path, words, *options):
    code, out, error = run("tshark", "-n", "-q", "-r", path, *options, "-z", f"cacheray,reuse,csv{words}")
    require(code == 0, words, "ends with", code, error)
    return list(csv.DictReader(io.StringIO(out)))


def sizes():
    """1, 2, 3, then four for each power of two."""
    yield from (1, 2, 3)
    for power in range(40):
        yield from ((4 + part) << power for part in range(4))


# --- the slow reader ----------------------------------------------------------------------------------------------------
def distances(data, line_size):
    """(type, distance) of each access: how many other lines were used since, of two lines that of the later one."""
    used, resolved = [], count_members(data)
    for r in records(data):
        if r.kind > WRITE:
            continue
        found = []
        for line in dict.fromkeys(byte // line_size for byte in (r.address, r.address + max(r.size, 1) - 1)):
            found.append(used.index(line) if line in used else NEVER)
            if found[-1] is not NEVER:
                used.remove(line)
            used.insert(0, line)
        what = resolved[r.number][0] if resolved[r.number] else "(not annotated)"
        yield what, NEVER if NEVER in found else max(found)


def misses(found, lines):
    return sum(distance is NEVER or distance >= lines for distance in found)


def expected(found, line_size, asked):
    """Rows up to the first size with which only first accesses miss. `asked`: whether a size has a row."""
    rows, last = [], found.count(NEVER)
    for lines in filter(asked, sizes()):
        missed = misses(found, lines)
        rows.append({"size": str(lines * line_size), "lines": str(lines), "misses": str(missed), "hits": str(len(found) - missed),
                     "miss_ratio": f"{(2000 * missed + len(found)) // (2 * len(found)) / 10:.1f}", "error": "", "type": ""})
        if missed == last:
            return rows
    return None


def same(what, want, got):
    require(len(want) == len(got), what, "has", len(got), "rows, expected", len(want))
    for row, other in zip(want, got):
        require(row == other, what, "expected", row, "shown", other)


def check_curve(path, line_size, words, *options):
    of_types = list(distances(path.read_bytes(), line_size))
    found = [distance for _, distance in of_types]
    powers = lambda lines: lines & (lines - 1) == 0
    for passes in ([], ["-2"]):
        same(f"{path.name}{words}", expected(found, line_size, powers), table(path, words, *options, *passes))
    same(f"{path.name}{words},fine", expected(found, line_size, lambda lines: True), table(path, f",fine{words}", *options))
    changes = {1, *(distance + 1 for distance in found if distance is not NEVER)}
    got = table(path, f",every{words}", *options)
    require([int(row["lines"]) for row in got] == sorted(changes), words, "every has", len(got), "sizes, expected", len(changes))
    for row in got:
        require(int(row["misses"]) == misses(found, int(row["lines"])), words, "every:", row)
    by_type = []
    for name in dict.fromkeys(name for name, _ in of_types):
        own = [distance for other, distance in of_types if other == name]
        by_type += [{**row, "type": name} for row in expected(own, line_size, powers)]
    same(f"{path.name}{words},by:type", by_type, table(path, f"{words},by:type", *options))
    return found


def check_caches(path, block_bits, found, words):
    """Ten sizes, by the caches that cacheray.caches describes."""
    most = max((distance for distance in found if distance is not NEVER), default=0) + 2
    chosen = sorted({max(1, most * part // 9) for part in range(10)} | {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    rows = {int(row["lines"]): row for row in table(path, f",every{words}")}
    with tempfile.TemporaryDirectory() as folder:
        for lines in chosen if len(chosen) < 20 else chosen[:5] + chosen[-5:]:
            file = Path(folder) / "caches.json"
            file.write_text(json.dumps({"caches": [{"bytes": lines << block_bits, "block_size": block_bits, "set_assoc": 0, "rep_policy": 0}]}))
            _, out, _ = run("tshark", "-n", "-q", "-r", path, "-o", f"cacheray.caches:{file}", "-z", "cacheray,types,csv")
            simulated = sum(int(row["misses"]) for row in csv.DictReader(io.StringIO(out)))
            row = rows[max(size for size in rows if size <= lines)]
            require(int(row["misses"]) == simulated, path.name, lines, "lines: the curve has", row["misses"], "a cache", simulated)
    return len(chosen)


def check_picture(path, words):
    """The steps of the picture are the rows: a curve for each type, or one."""
    code, out, error = run("tshark", "-n", "-q", "-r", path, "-z", f"cacheray,reuse,svg{words}")
    require(code == 0, words, "svg ends with", code, error)
    drawn = [element.get("d") for element in ElementTree.fromstring(out).iter("{http://www.w3.org/2000/svg}path")]
    rows = table(path, f",fine{words}")
    names = list(dict.fromkeys(row["type"] for row in rows))
    require(len(drawn) == min(len(names), 8), words, "there are", len(drawn), "curves of", names)
    for name, line in zip(names, drawn):
        own = [row for row in rows if row["type"] == name]
        heights = [410 - int(int(row["misses"]) * 360 / (int(row["misses"]) + int(row["hits"])) + 0.5) for row in own]
        points = [tuple(map(int, point.split())) for point in line[1:].split(" L")]
        require([y for _, y in points[::2]] == heights, words, name, "is drawn as", points, "expected", heights)
        require(all(a <= b for (a, _), (b, _) in zip(points, points[1:])), words, name, "goes back:", points)


def check_capture(path):
    found = check_curve(path, 64, "")
    check_curve(path, 16, "", "-o", "cacheray.line_size:16")
    pages = check_curve(path, 4096, ",block:4096")
    require(check_caches(path, 6, found, "") >= 10, "there are fewer than ten sizes")
    check_caches(path, 12, pages, ",block:4096")
    for words in ("", ",by:type", ",block:4096"):
        check_picture(path, words)


# --- traces made for this ---------------------------------------------------------------------------------------------------
def loop(lines, times, size=64, begin=BASE):
    return b"".join(access(begin + size * line) for _ in range(times) for line in range(lines))


def check_misses(path, want, words="", *options):
    """`want`: lines -> misses, at the largest size that is not larger."""
    rows = table(path, f",every{words}", *options)
    for lines, missed in want.items():
        row = [row for row in rows if int(row["lines"]) <= lines][-1]
        require(int(row["misses"]) == missed, path.name, words, lines, "lines: expected", missed, "shown", row)


def check_planted(folder):
    path = folder / "planted.trace"
    path.write_bytes(loop(1000, 5))  # all or nothing: 1,000 lines, five times
    check_misses(path, {1: 5000, 999: 5000, 1000: 1000, 10_000: 1000})
    check_misses(path, {1: 5 * 16, 15: 5 * 16, 16: 16}, ",block:4096")  # 62.5 pages; neighbours share them
    check_curve(path, 64, "")
    path.write_bytes(loop(100, 4) + loop(2000, 3, begin=BASE + (1 << 30)) + loop(100, 2))  # two loops, the first one again
    check_misses(path, {1: 6600, 99: 6600, 100: 6600 - 300 - 100, 1999: 6200, 2000: 6200 - 4000, 2099: 2200, 2100: 2100})
    order = [*range(300)] + [*range(299, -1, -1)]  # there and back: distances 0, 1, 2 ... once each
    path.write_bytes(b"".join(access(BASE + 64 * line, 1, 8, line % 3) for line in order))
    check_misses(path, {lines: 600 - lines for lines in (1, 2, 7, 150, 299, 300)})
    regions = add(BASE, 64, 10, "struct.hot") + add(BASE + (1 << 20), 64, 500, "struct.stream")
    path.write_bytes(regions + b"".join(loop(10, 1) + loop(50, 1, begin=BASE + (1 << 20) + 3200 * part) for part in range(10)))
    types = table(path, ",by:type,fine")
    at = {(row["type"], int(row["lines"])): int(row["misses"]) for row in types}
    require(at["struct.hot", 56] == 100 and at["struct.hot", 64] == 10 and at["struct.stream", 1] == 500, "by:type:", at)
    alone = table(path, ',cacheray.access.typename == "struct.hot"')
    require([row["misses"] for row in alone if int(row["lines"]) == 16] == ["10"], "alone the hot type has", alone)
    print("planted: all as made")


def check_part(folder):
    """More lines than are kept: how far off the misses are, and whether that is what the table promises."""
    path, chance = folder / "part.trace", random.Random(4)
    near = [access(BASE + 64 * int(chance.paretovariate(0.6)) % (64 * 60_000), chance.randrange(2), 8) for _ in range(150_000)]
    path.write_bytes(b"".join(near) + loop(20_000, 4, begin=BASE + (1 << 32)))
    exact = {row["lines"]: row for row in table(path, ",fine")}
    for kept in (1024, 4096, 16384):
        rows, outside, worst = table(path, f",fine,keep:{kept}"), [], 0
        require(rows == table(path, f",keep:{kept},fine"), "two runs differ")
        for row in rows:
            is_, about, error = int(exact.get(row["lines"], {"misses": row["misses"]})["misses"]), int(row["misses"]), int(row["error"])
            if abs(is_ - about) > error:
                outside.append(row["lines"])
            worst = max(worst, abs(is_ - about)) if error < 0.05 * len(near) else worst
        print(f"keep:{kept}: {len(rows)} sizes, outside their error {outside}, worst of those that promise 5 %: {worst / 230_000:.4f}")
        require(len(outside) <= len(rows) // 20, "outside of their error are", outside)
        require(kept < 16384 or sum(int(row["error"]) < 11_500 for row in rows) > len(rows) // 2, "no size is known well")
    code, out, error = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,reuse,keep:1024")
    require(code == 0 and "Misses are estimated from one of" in out, "the table does not say that it is an estimate:", out, error)
    require("estimated" not in run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,reuse")[1], "all lines are kept")


def test(name):
    if name in ("planted", "part"):
        with tempfile.TemporaryDirectory() as folder:
            {"planted": check_planted, "part": check_part}[name](Path(folder))
    else:
        check_capture(CAPTURES / name)


def main():
    for_each(test, arguments(__doc__, names={"nargs": "+", "metavar": "NAME"}).names)


if __name__ == "__main__":
    main()
