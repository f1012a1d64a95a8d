#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z cacheray,types,layout for structs that are compiled here, which print their own layout, and for accesses whose counts are known
before: against counts over the bytes of the trace.

usage: layouts.py [--build DIR] COMPILER...

COMPILER compiles programs/layouts.c: gcc, g++, clang, clang++. Exit status 77: none of them is installed, or it is for 32 bits.
"""
import csv
import io
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from cacheray import BASE, LINE, READ, WRITE, Line, access, add, records, simulate  # noqa: E402
from check import HERE, arguments, for_each, require, run  # noqa: E402

HOT = 90  # percent


def compiled(compiler, folder):
    program = folder / "program"
    language = ["-x", "c++"] if compiler.endswith("++") else []
    subprocess.run([compiler, *language, "-g", "-O0", "-o", program, HERE / "programs/layouts.c"], check=True)
    return program


def structs(program):
    """Type -> size, and its members by offset: name, offset, size."""
    found = {}
    for line in subprocess.run([program], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines():
        name, *numbers = line.split()
        if len(numbers) == 1:
            found[name] = (int(numbers[0]), [])
        else:
            found[next(reversed(found))][1].append((name, *map(int, numbers)))
    return found


def segments(size, members):
    """Members and the bytes between them."""
    at, rows = 0, []
    for name, offset, length in members:
        rows += [("(hole)", at, offset - at)] * (offset > at) + [(name, offset, length)]
        at = offset + length
    return rows + [("(padding)", at, size - at)] * (size > at)


# --- traces: what is accessed is known before ------------------------------------------------------------------------------
def planted(types, chance):
    """Accesses to elements of each struct; the second region begins in the middle of a line."""
    starts, out = {}, b""
    for i, (name, (size, _)) in enumerate(types.items()):
        starts[name] = BASE + (i << 16) + (16 if name == "account" else 0)
        out += add(starts[name], size, 1 if name == "account" else 6, f"struct.{name}")
    members = dict(types["account"][1:][0][i][:2] for i in range(len(types["account"][1])))
    for turn in range(400):  # two members are hot, one is cold, all others are never touched
        out += access(starts["account"] + members["id"], READ, 8, turn % 2)
        out += access(starts["account"] + members["balance"], turn % 3 == 0, 8, turn % 2)
        out += access(starts["account"] + members["kind"], WRITE, 2, 0) if turn % 100 == 0 else b""
    for _ in range(3000):
        name = chance.choice([name for name in types if name != "account"])
        size = types[name][0]
        at = chance.randrange(6) * size + min(int(chance.expovariate(0.1)), size - 1)
        out += access(starts[name] + at, chance.randrange(2) | 0x80, chance.choice((1, 2, 4, 8)), chance.randrange(3))
    return out + access(BASE - 4096)


def expected(data, types, levels):
    """Type -> whole and rows: reads, writes, threads, missed level 1, missed all levels, contended; and where accessed elements begin."""
    live, lines, found, cached = [], {}, {}, simulate(data, levels) if levels else {}
    for r in records(data):
        if r.kind > WRITE:
            live.append(r)
            continue
        span = range(r.address, r.address + r.size)
        contended = 0
        for address in sorted({byte // LINE * LINE for byte in span}):
            line = lines.setdefault(address, Line())
            contended -= line.contended
            line.touch(r, [byte for byte in span if byte // LINE * LINE == address])
            contended += line.contended
        region = next((a for a in live if a.address <= r.address < a.address + a.elements[0] * a.elements[1]), None)
        if not region:
            continue
        name = region.name.removeprefix("struct.")
        size, members = types[name]
        within = (r.address - region.address) % size
        rows = segments(size, members)
        covered = [row for row in rows if row[1] < within + r.size and within < row[1] + row[2]]
        covered = [row for row in covered if row[0][0] != "("] or covered
        level = cached[r.number][0] if levels else None
        for row in ["*", *covered]:
            counts = found.setdefault(name, {}).setdefault(row, [0, 0, set(), 0, 0, 0])
            counts[r.kind] += 1
            counts[2].add(r.thread)
            counts[3] += level is not None and level != 1
            counts[4] += level == 0
            counts[5] += contended > 0
        found[name].setdefault("begins", []).append((r.address - within) % LINE)
    return found


def heats(rows):
    """Row -> hot, cold or never: the fewest members that have most of the accesses are hot, and those with as many as one of them."""
    accesses = {row: counts[0] + counts[1] for row, counts in rows.items() if row[0][0] != "("}
    part, hot = 0, 1
    for n in sorted(accesses.values(), reverse=True):
        part, hot = part + n, max(n, 1)
        if part >= sum(accesses.values()) * HOT // 100:
            break
    return {row: "never" if not n else "hot" if n >= hot else "cold" for row, n in accesses.items()}


def lines_text(begin, offset, size):
    first, last = (begin + offset) // LINE, (begin + offset + size - 1) // LINE
    return str(first) if first == last else f"{first}-{last}"


def cells(counts, whole, cached):
    share = (2000 * (counts[0] + counts[1]) + whole) // (2 * whole) / 10
    return [f"{share:.1f}", counts[0], counts[1], len(counts[2]), *(counts[3:5] if cached else ("", "")), counts[5]]


def table(found, types, cached):
    """The rows of the table, without new offsets."""
    order = sorted(found, key=lambda name: (-sum(found[name]["*"][:2]), name))
    for name in order:
        size, members = types[name]
        begins = found[name].pop("begins")
        begin = next((byte for byte in range(LINE) if 2 * begins.count(byte) > len(begins)), 0)
        whole, rows = found[name]["*"], segments(size, members)
        yield name, "", size, lines_text(begin, 0, size), begin or "", "*", "", *cells(whole, sum(whole[:2]), cached)
        counts = {row: found[name].get(row, [0, 0, set(), 0, 0, 0]) for row in rows}
        heat = heats(counts)
        for row in rows:
            shown = row in heat or sum(counts[row][:2])
            yield (name, row[1], row[2], lines_text(begin, row[1], row[2]), "", row[0], heat.get(row, ""),
                   *(cells(counts[row], sum(whole[:2]), cached) if shown else [""] * 7))


# --- the program ------------------------------------------------------------------------------------------------------------
COLUMNS = ["type", "byte_offset", "bytes", "line", "begins", "member", "heat", "share", "reads", "writes", "threads", "missed_level_1",
           "missed_all_levels", "contended"]


def shown(path, *options):
    code, out, error = run("tshark", "-n", "-q", "-r", path, *options, "-z", "cacheray,types,layout,csv")
    require(code == 0, "ends with", code, error)
    return list(csv.DictReader(io.StringIO(out))), error


def check_table(path, types, levels, *options):
    want = [tuple(map(str, row)) for row in table(expected(path.read_bytes(), types, levels), types, bool(levels))]
    for passes in ([], ["-2"]):
        got = [tuple(row[name] for name in COLUMNS) for row in shown(path, *options, *passes)[0]]
        require(len(got) == len(want), "rows:", len(got), "expected", len(want), got)
        for row, other in zip(got, want):
            require(row == other, "expected", other, "shown", row)
    return want


def used_lines(rows, offsets, begin, heat):
    return len({(begin + offsets[row["member"]] + byte) // LINE for row in rows if row["heat"] in heat for byte in range(int(row["bytes"]))})


def check_orders(path, *options):
    """What is proposed is accepted as a file for cacheray.remap, agrees with the table, and needs the lines that it promises."""
    rows, _ = shown(path, *options)
    _, text, _ = run("tshark", "-n", "-q", "-r", path, *options, "-z", "cacheray,types,layout")
    proposed = re.findall(r"^(?:# cache lines of hot members: (\d+) instead of (\d+)\n)?(?:# cache lines of accessed members: (\d+) instead of (\d+)\n)?"
                          r"((?:# .*\n)*)struct (\w+)=(.*)$", text, re.M)
    require({name for *_, name, _ in proposed} == {row["type"] for row in rows if row["new_offset"]}, "orders of", proposed)
    for hot, hot_before, touched, touched_before, _, name, line in proposed:
        own = [row for row in rows if row["type"] == name and row["heat"]]
        begin = int(next(row["begins"] for row in rows if row["type"] == name and row["member"] == "*") or 0)
        before, after = ({row["member"]: int(row[column]) for row in own} for column in ("byte_offset", "new_offset"))
        given = {member: int(offset) for member, offset in re.findall(r"(\w+),(\d+)", line)}
        require(all(given[member.split("|")[0]] == offset for member, offset in after.items()), name, given, "in the table", after)
        require(given["sizeof"] <= int(next(row["bytes"] for row in rows if row["type"] == name)), name, "is larger")
        for heat, is_, was in ((("hot",), hot, hot_before), (("hot", "cold"), touched, touched_before)):
            counts = used_lines(own, after, 0 if "alignof" in given else begin, heat), used_lines(own, before, begin, heat)
            require(counts == (int(is_), int(was)) if is_ else counts[0] == counts[1], name, heat, "needs", counts, "lines, promised", is_, was)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "remap"
            file.write_text(f"struct {name}={line}\n")
            code, _, error = run("tshark", "-n", "-q", "-r", path, *options, "-o", f"cacheray.remap:{file}", "-z", "cacheray,whatif,csv")
            require(code == 0 and "not used" not in error, "the line is refused:", error)
    return {name: line for *_, name, line in proposed}


def check_picture(path, *options):
    """Each member is as wide as it has bytes, in as many pieces as it is in lines."""
    code, out, error = run("tshark", "-n", "-q", "-r", path, *options, "-z", "cacheray,types,layout,svg")
    require(code == 0, "svg ends with", code, error)
    pieces, space = {}, "{http://www.w3.org/2000/svg}"
    for element in ElementTree.fromstring(out).iter(f"{space}rect"):
        tip = element.find(f"{space}title")
        if tip is not None:
            pieces.setdefault(tip.text, []).append(int(element.get("width")))
    rows = [row for row in shown(path, *options)[0] if row["member"] != "*"]
    require(sum(map(len, pieces.values())) == sum(len(row["line"].split("-")) for row in rows), "pieces:", pieces)
    for row in rows:
        begin = f"{row['member']}: offset {row['byte_offset']}, {row['bytes']} bytes"
        wide = [sum(widths) for text, widths in pieces.items() if text.startswith(begin)]
        require(int(row["bytes"]) * 768 // LINE in wide, row, "is drawn as", wide)


def test(compiler):
    if not shutil.which(compiler) or struct.calcsize("P") != 8:
        return False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program, path = compiled(compiler, folder), folder / "planted.trace"
        types = structs(program)
        path.write_bytes(planted(types, random.Random(5)))
        binary, caches = ["-o", f"cacheray.binary:{program}"], HERE / "simulator/threads.json"
        want = check_table(path, types, None, *binary)
        check_table(path, types, json.loads(caches.read_text(encoding="utf-8"))["caches"], *binary, "-o", f"cacheray.caches:{caches}")
        heat = {row[5]: row[6] for row in want if row[0] == "account"}
        require([member for member in heat if heat[member] == "hot"] == ["id", "balance"] and heat["kind"] == "cold" and heat["name"] == "never",
                "planted are other heats:", heat)
        check_picture(path, *binary)
        orders = check_orders(path, *binary)
        require(orders.keys() == {"account", "gaps"}, "planted are orders for account and gaps, not for", orders)
        require("sizeof,24" in orders["gaps"], "gaps needs", orders["gaps"])
        rows, error = shown(path)
        require({row["member"] for row in rows} == {"(not known)"} and len(rows) == len(types) and "cacheray.binary must be" in error,
                "without a program:", rows, error)
    return True


def main():
    names, done = arguments(__doc__, names={"nargs": "+", "metavar": "COMPILER"}).names, []
    for_each(lambda name: done.append(test(name)), names)
    sys.exit(0 if any(done) else 77)


if __name__ == "__main__":
    main()
