#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the plugins show of Cacheray traces with independent counts over the bytes of the trace.

usage: cacheray.py [--build DIR] [--update] CHECK [NAME...]

  lines CAPTURE     cacheray.line* of every access, and -z cacheray,lines: golden/CAPTURE.lines.tsv
  tree phases       -z cacheray,tree for a trace with bursts: counts, and what Wireshark says of bursts
  busiest crowd     -z cacheray,lines for a trace with more lines than rows
  threads random    cacheray.line*, -z cacheray,lines and cacheray,lines,offsets for traces in which 2 to 8 threads take turns by chance
  members CAPTURE   cacheray.access.* of every access: golden/CAPTURE.members.tsv
  caches CAPTURE:DESCRIPTION
                    cacheray.cache.* of every access, and -z cacheray,types: simulator/DESCRIPTION.json; where
                    simulator/CAPTURE.DESCRIPTION.txt is a report of Cacheray's simulator, that as well
  tables CAPTURE    -z cacheray,types and cacheray,types,elements; -z cacheray,lines,offsets
  covers chance     accesses of all sizes to structs: cacheray.access.member, -z cacheray,types and cacheray,types,elements
  regions CAPTURE   -z cacheray,regions and cacheray,regions,by:type, with caches
  whatif CAPTURE    with files for cacheray.remap: cacheray.line*, cacheray.cache.level, -z cacheray,whatif; and its proposals
  types PROGRAM:COMPILER:DWARF:LINK
                    every byte of the types in programs/PROGRAM, compiled like this: types.c:gcc:5:pie
  machines TARGET:DWARF
                    every byte of a struct and of a variable on another machine; needs clang and lld
  unwritten CAPTURE places between the records, and after them, that were not written: no damage, the same statistics, saved as they are
  experts           -z expert counts the same in one pass without trees as with them
  settings          invalid settings are reported once
  lacks PROGRAM:COMPILER:DWARF:HOW
                    the message for a program compiled without types: split, lines, none; or with its debug
                    information in another file: shared

Implements the rules of docs/cacheray.md the slow way: lists of annotations, sets of bytes, lists of lines. Members come
from hand-written tables. --update writes the tables in golden/ from the counts, never from what is shown. Shares no code
with the plugins. Exit status 77: all skipped, a compiler is missing.
"""
import csv
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, GOLDEN, HERE, arguments, compare, for_each, require, run, statistic, tidy, tshark  # noqa: E402

READ, WRITE, ADD, REMOVE = range(4)
LINE = 64
BASE = 1 << 40
SHARING = {0: "private", 1: "read-only", 2: "true", 3: "false", 4: "true and false"}
PADDING = "<padding>"

Record = namedtuple("Record", "number kind atomic unaligned address size thread elements name")


class Skipped(Exception):
    pass


# --- the trace --------------------------------------------------------------------------------------------------------
def records(data):
    """The records of an undamaged le64 trace."""
    at, number = 0, 0
    while at < len(data):
        number, tag, kind = number + 1, data[at], data[at] & 0x3f
        address, = struct.unpack_from("<Q", data, at + 1)
        size, elements, name = 0, (0, 0), ""
        if kind in (READ, WRITE):
            size, thread = struct.unpack_from("<BQ", data, at + 9)
            at += 18
        elif kind == REMOVE:
            thread, = struct.unpack_from("<Q", data, at + 9)
            at += 17
        else:
            thread, *elements, length = struct.unpack_from("<QIII", data, at + 9)
            name = data[at + 29:at + 29 + length].decode()
            at += 29 + length
        yield Record(number, kind, bool(tag & 0x40), bool(tag & 0x80), address, size, thread, tuple(elements), name)


def access(address, kind=READ, size=1, thread=0):
    return struct.pack("<BQBQ", kind, address, size, thread)


def add(address, elem_size, count, name):
    return struct.pack("<BQQIII", ADD, address, 0, elem_size, count, len(name)) + name.encode()


def remove(address):
    return struct.pack("<BQQ", REMOVE, address, 0)


# What is printed of a file that was named and is not used; then the exit status is 2.
UNUSED = re.compile(r", so (members|no caches|nothing is moved|this line is not used|variables are unknown)|the load bias is not used")


def shown(path, names, *options):
    """Record number -> values of these fields."""
    table = tshark(path, ["frame.number", *names], *options)
    require(table.verdict == "ok" or (table.verdict.startswith("exit 2:") and UNUSED.search(table.verdict)), table.verdict)
    return {int(row[0]): row[1:] for row in table.rows}


def numbers(cells):
    return [int(c, 0) if c else None for c in cells]


# --- lines ------------------------------------------------------------------------------------------------------------
class Line:
    def __init__(self):
        self.reads = self.writes = self.atomics = self.contended = self.last = 0
        self.copies, self.writer = set(), None  # threads with a copy, and that which wrote last
        self.touched, self.written = {}, {}

    def touch(self, r, span):
        self.reads += r.kind == READ
        self.writes += r.kind == WRITE
        self.atomics += r.atomic
        moved = self.copies - {r.thread} if r.kind == WRITE else r.thread not in self.copies and self.writer not in (None, r.thread)
        self.contended += bool(moved)
        self.copies = {r.thread} if r.kind == WRITE else self.copies | {r.thread}
        self.writer = r.thread if r.kind == WRITE else self.writer
        self.touched.setdefault(r.thread, set()).update(span)
        if r.kind == WRITE:
            self.written.setdefault(r.thread, set()).update(span)

    def sharing(self):
        if len(self.touched) == 1:
            return 0
        pairs = {bool(written & touched) for w, written in self.written.items()
                 for t, touched in self.touched.items() if w != t}
        return {frozenset(): 1, frozenset([True]): 2, frozenset([False]): 3}.get(frozenset(pairs), 4)


def count_lines(data):
    """(line, split, sharing, reuse, contended) per access, and all lines."""
    lines, found = {}, {}
    for r in records(data):
        if r.kind > WRITE:
            continue
        span = range(r.address, r.address + max(r.size, 1))
        touched = sorted({byte // LINE * LINE for byte in span})
        first = lines.setdefault(touched[0], Line())
        before, contended = first.last, 0
        for address in touched:
            line = lines.setdefault(address, Line())
            contended -= line.contended
            line.touch(r, [byte for byte in span if byte // LINE * LINE == address])
            contended += line.contended
            line.last = r.number
        found[r.number] = [touched[0], len(touched) > 1, first.sharing(), r.number - before if before else None, contended > 0]
    return found, lines


LINES_HEAD = ["line", "reads", "writes", "atomics", "contended", "threads", "sharing"]


def lines_text(lines):
    rows = [LINES_HEAD]
    for address, line in sorted(lines.items()):
        who = ",".join(f"{t}*" if t in line.written else str(t) for t in sorted(line.touched))
        counts = [line.reads, line.writes, line.atomics, line.contended]
        rows.append([f"{address:#x}", *map(str, counts), who, SHARING[line.sharing()]])
    return "".join("\t".join(row) + "\n" for row in rows)


def statistics(path, what, *options):
    """A table of -z: head and rows."""
    name = re.match("cacheray,(lines,offsets|[a-z]+)", what)[0]
    _, out, _ = run("tshark", "-n", "-q", "-r", path, "-z", f"{name},csv{what[len(name):]}", *options)
    head, *body = filter(None, csv.reader(out.split("\n")))
    return [name.replace("_", " ").capitalize() for name in head], body


def line_rows(path):
    """The rows of -z cacheray,lines, with the columns of LINES_HEAD."""
    head, body = statistics(path, "cacheray,lines")
    at = [head.index(n) for n in ("Line", "Reads", "Writes", "Atomic", "Contended", "Shared by", "Sharing")]
    rows = [[row[i] for i in at] for row in body]
    order = [(int(row[4]), int(row[1]) + int(row[2])) for row in rows if row[0] != "(others)"]
    require(order == sorted(order, reverse=True), "the lines are not ordered by contended accesses, then by accesses")
    return rows


def check_total(path):
    """The total of -z cacheray,lines has the sums of all numbers that add up."""
    _, out, _ = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,lines,columns:sharing,reads,writes,atomic,contended")
    rows = line_rows(path)
    found = re.search(r"^ *\(total\b.*?\) +([\d ,]+)$", out, re.M)
    require(bool(found) == (len(rows) > 1), "there is", found)
    if found:
        total = [int(number.replace(",", "")) for number in found[1].split()]
        require(total == [sum(int(row[i]) for row in rows) for i in range(1, 5)], "the total is", total)


def shown_lines(path):
    """The table of -z cacheray,lines, in the form of lines_text()."""
    rows = [LINES_HEAD, *sorted(line_rows(path), key=lambda row: int(row[0], 16))]
    return "".join("\t".join(row) + "\n" for row in rows)


def check_lines(name, update):
    path = CAPTURES / name
    found, lines = count_lines(path.read_bytes())
    golden(name + ".lines.tsv", lines_text(lines), shown_lines(path), update)
    check_total(path)
    check_fields(path, found)


def check_fields(path, found):
    fields = [f"cacheray.{f}" for f in ("line", "line.split", "line.sharing", "line.reuse", "line.contended")]
    for options in ([], ["-2"]):
        table = shown(path, fields, "-Y", "cacheray.size", *options)
        require(table.keys() == found.keys(), "other accesses are shown")
        for number, want in found.items():
            require(numbers(table[number]) == want, f"record {number}: expected {want}, shown {table[number]}")


def crowd():
    """Accesses to very many lines, each now and then; three of them become busy or contended late."""
    chance = random.Random(1)
    line = [LINE * chance.randrange(60_000) for _ in range(90_000)]
    some = [access(BASE + at + 8 * chance.randrange(8), chance.randrange(2), chance.choice((1, 8, 16))) for at in line]
    late = [access(BASE + LINE * 100_000, WRITE, 8, 1 + i % 2) for i in range(4)]
    late += [access(BASE + LINE * (100_001 + i % 2), READ, 8) for i in range(40)]
    return b"".join(some + late)


def check_busiest(_name, _update):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd.trace"
        path.write_bytes(crowd())
        rows = line_rows(path)
    found = lines_text(count_lines(crowd())[1]).split("\n")[1:-1]
    found = {row.split("\t")[0]: row.split("\t") for row in found}
    others = rows.pop()
    require(others[0] == "(others)" and len(rows) < 40_000 < len(found), len(rows), "rows of", len(found), others)
    for row in rows:
        require(found.pop(row[0], None) == row, row, "is shown")
    left = [list(map(int, row[1:5])) for row in found.values()]
    require(list(map(str, map(sum, zip(*left)))) == others[1:5], "the others are", others)
    worth = [int(row[1]) + int(row[2]) + 64 * int(row[4]) for row in rows]
    require(max(reads + writes + 64 * contended for reads, writes, _, contended in left) <= min(worth),
            "one of the others is worth more than a row")
    late = {row[0] for row in rows} & {hex(BASE + LINE * (100_000 + i)) for i in range(3)}
    require(len(late) == 3, "of the busy lines only", late)


def check_threads(_name, _update):
    with tempfile.TemporaryDirectory() as folder:
        for threads in range(2, 9):
            chance, path = random.Random(threads), Path(folder) / "threads.trace"
            writes = chance.choice((0.1, 0.5, 0.9))
            path.write_bytes(b"".join(access(BASE + chance.randrange(12 * LINE), (chance.random() < writes) | 0x80, chance.choice((1, 2, 4, 8, 16)),
                                             chance.randrange(threads)) for _ in range(3000)))
            found, lines = count_lines(path.read_bytes())
            compare(f"{threads} threads", lines_text(lines), shown_lines(path))
            require(any(line.contended for line in lines.values()), "no line is contended")
            check_fields(path, found)
            check_offsets(path, [], [])


def golden(name, counted, got, update):
    """The table in golden/ agrees with what is counted and what is shown."""
    path = GOLDEN / name
    if update:
        path.write_text(counted, encoding="utf-8", newline="")
    text = path.read_text(encoding="utf-8")
    compare(f"{name}, counted", text, counted)
    compare(f"{name}, shown", text, got)


# --- tree -------------------------------------------------------------------------------------------------------------
INTERVAL, WINDOW = 5, 20  # of Wireshark's search for bursts: milliseconds, and how many of these


def phases():
    """Threads that are busy at different times, and one that comes late."""
    chance = random.Random(2)
    for at in range(230_000):
        thread = 1 if at < 30_000 else chance.choice((1, 2, 2, 2) if at < 140_000 else (2, 3, 3)) if at % 3 else 4
        yield thread if at != 229_000 else 5


class Ticks:
    """A node as Wireshark counts it, tick by tick: buckets of (number, count, first time)."""

    def __init__(self):
        self.count = self.now = self.most = 0
        self.buckets, self.start = [[0, 0, 0.0]], -1.0

    def tick(self, time):
        self.count += 1
        bucket = int(time // INTERVAL)
        if bucket > self.buckets[-1][0]:
            self.buckets.append([bucket, 0, time])
        self.buckets[-1][1] += 1
        self.now += 1
        while bucket >= self.buckets[0][0] + WINDOW:
            self.now -= self.buckets.pop(0)[1]
        if self.now > self.most:
            self.most, self.start = self.now, self.buckets[0][2]


def check_tree(_name, _update):
    nodes = {}
    for number, thread in enumerate(phases()):
        for name in ("Kinds", "Write" if thread == 2 else "Read", "Threads", str(thread), "Accesses by type", "(not annotated)"):
            nodes.setdefault(name, Ticks()).tick(number / 1000)
    want = {name: (n.count, f"{n.most / (INTERVAL * WINDOW):.4f}", f"{n.start / 1000:.3f}") for name, n in nodes.items()}
    require(len({start for _, _, start in want.values()}) > 2, "all bursts are at the beginning")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "phases.trace"
        path.write_bytes(b"".join(access(BASE + 8 * thread, WRITE if thread == 2 else READ, 8, thread) for thread in phases()))
        for passes in ([], ["-2"]):
            _, out, _ = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,tree", *passes)
            rows = re.findall(r"^ *(\S.*?) +(\d+) +[\d.]+ +[\d.]+% +([\d.]+) +([\d.]+) *$", out, re.M)
            got = {name: (int(count), rate, start) for name, count, rate, start in rows}
            require(got == want, "cacheray,tree: expected", want, "shown", got)


# --- types and members ------------------------------------------------------------------------------------------------
def array(name, count, size, at, inner=("",)):
    """Rows of an array: `inner` is the members of an element as (suffix, offset, size), or a single one for all of it."""
    inner = [("", 0, size)] if inner == ("",) else inner
    return [(f"{name}[{i}]{suffix}", at + i * size + offset, length)
            for i in range(count) for suffix, offset, length in inner]


# The structs of captures/src/cacheray: size, members with offset and size.
LAYOUTS = {
    "struct.order": (32, [("id", 0, 8), ("price.units", 8, 4), ("price.cents", 12, 2), *array("tag", 6, 1, 16),
                          ("side", 22, 1), ("next", 24, 8)]),
    "struct.money": (8, [("units", 0, 4), ("cents", 4, 2)]),
    "struct.item": (24, [("kind", 0, 2), *array("qty", 3, 4, 4), ("pos.x", 16, 4), ("pos.y", 20, 4)]),
    "struct.packed_ctr": (16, [("hits", 0, 8), ("misses", 8, 8)]),
    "struct.padded_ctr": (128, [("hits", 0, 8), ("misses", 8, 8), *array("pad", 112, 1, 16)]),
    "struct.shared_hdr": (24, [("started", 0, 4), ("total", 4, 4), ("label", 8, 8), ("limit", 16, 4)]),
}


def member(name, offset):
    """What is at an offset of an element; "" if the type is not a struct. An element may be an array of structs."""
    size, rows = LAYOUTS.get(name, (0, None))
    if not size:
        return ""
    return "|".join(n for n, at, length in rows if at <= offset % size < at + length) or PADDING


def count_members(data):
    """Type, element, offset, member, number of the add, for each access; nothing if there is no annotation."""
    live, found = [], {}
    for r in records(data):
        if r.kind == ADD:
            live.insert(0, r)
        elif r.kind == REMOVE:
            ended = next((a for a in live if a.address == r.address), None)
            live = [a for a in live if a is not ended]
        else:
            found[r.number] = None
            for a in live:
                if a.address <= r.address < a.address + a.elements[0] * a.elements[1]:
                    index, offset = divmod(r.address - a.address, a.elements[0])
                    found[r.number] = [a.name, str(index), str(offset), member(a.name, offset), str(a.number)]
                    break
    return found


def check_members(name, update):
    path = CAPTURES / name
    head = "record\ttype\telement\toffset\tmember\tannotation\n"
    text = lambda rows: head + "".join("\t".join([str(n), *row]) + "\n" for n, row in rows.items() if row and any(row))
    fields = [f"cacheray.access.{f}" for f in ("typename", "index", "offset", "member", "rtta")]
    options = ["-o", f"cacheray.binary:{path.with_suffix('.elf')}", "-Y", "cacheray.access.typename"]
    counted = text(count_members(path.read_bytes()))
    for passes in ([], ["-2"]):
        golden(name + ".members.tsv", counted, text(shown(path, fields, *options, *passes)), update)


# --- caches -----------------------------------------------------------------------------------------------------------
LRU, FIFO = 0, 1


class Cache:
    """Lists of lines, with the next one to be evicted at the end."""

    def __init__(self, level):
        blocks = level.get("bytes", 1 << level.get("cache_size", 0)) >> level["block_size"]
        self.bits, self.ways, self.policy = level["block_size"], level["set_assoc"] or blocks, level["rep_policy"]
        self.sets = [[] for _ in range(blocks // self.ways)]

    def set_of(self, address):
        line = address >> self.bits
        return self.sets[line % len(self.sets)], line

    def remove(self, address):
        """Whether the line was there."""
        lines, line = self.set_of(address)
        there = line in lines
        if there:
            lines.remove(line)
        return there

    def look_up(self, address, load=True):
        """Whether the line is there, and the address of the evicted one."""
        lines, line = self.set_of(address)
        hit = line in lines
        if not hit and not load:
            return False, None
        if hit and self.policy == LRU:
            lines.remove(line)
        if not hit or self.policy == LRU:
            lines.insert(0, line)
        return hit, lines.pop() << self.bits if len(lines) > self.ways else None

    def put(self, address):
        """What Cacheray's simulator does for a write."""
        lines, line = self.set_of(address)
        lines.insert(0, line)
        del lines[self.ways:]


def simulate(data, levels, coherent=False, allocate=True, removed=None):
    """[level, evicted line] per access; `removed` becomes how many copies each write removes."""
    caches, found = {}, {}
    for r in records(data):
        if r.kind > WRITE:
            continue
        size, level, evicted = 1 << levels[0]["block_size"], 0, None
        if removed is not None:
            removed[r.number] = 0
        for line in sorted({byte // size * size for byte in (r.address, r.address + max(r.size, 1) - 1)}):
            byte = max(line, r.address)
            for (i, owner), cache in caches.items() if coherent and r.kind == WRITE else ():
                if levels[i].get("private") and owner != r.thread:
                    removed[r.number] += cache.remove(byte)
            for i, description in enumerate(levels):
                owner = r.thread if description.get("private") else None
                cache = caches.setdefault((i, owner), Cache(description))
                hit, gone = cache.look_up(line, allocate or r.kind == READ)
                if i == 0 and evicted is None:
                    evicted = gone
                if hit:
                    break
            else:
                i = len(levels)
            level = max(level, i)
        found[r.number] = [level + 1 if level < len(levels) else 0, evicted]
    return found


def simulate_as_cacheray(data, levels):
    """Hits and misses of each level, counted like Cacheray's simulator."""
    caches, counts = [Cache(level) for level in levels], [[0, 0] for _ in levels]
    for r in records(data):
        if r.kind == WRITE:
            caches[0].put(r.address)
        for cache, count in zip(caches, counts) if r.kind == READ else ():
            hit, _ = cache.look_up(r.address)
            count[0 if hit else 1] += 1
            if hit:
                break
    return counts


def check_report(report, data, levels, found):
    text = report.read_text(encoding="utf-8")
    told = [[int(x) for x in pair] for pair in re.findall(r"^(\d+) hits\..*\n(\d+) misses\.", text, re.M)]
    require(len(told) == len(levels), "no report in", report)
    require(simulate_as_cacheray(data, levels) == told, report.name, "reports", told)
    reads = [found[r.number][0] for r in records(data) if r.kind == READ]
    ours = [reads.count(1), len(reads) - reads.count(1)]
    writes_twice = report.name.startswith("orders")  # so the report is wrong
    require((ours == told[0]) != writes_twice, "reads that hit and miss the first level:", ours, report.name, told[0])


def type_rows(data, found):
    """The rows expected of -z cacheray,types: counts of reads, writes, levels 1 to 4 and misses per type."""
    resolved, rows = count_members(data), {}
    for r in records(data):
        if r.kind <= WRITE:
            row = rows.setdefault(resolved[r.number][0] if resolved[r.number] else "(not annotated)", [0] * 7)
            row[r.kind] += 1
            row[{0: 6}.get(found[r.number][0], found[r.number][0] + 1)] += 1
    return rows


def check_writes(path, data, levels, options):
    """Coherent caches, and writes that load nothing."""
    private = any(level.get("private") for level in levels)
    for allocate in (True, False):
        removed = {}
        found = simulate(data, levels, private, allocate, removed)
        fields = ["cacheray.cache.level", "cacheray.cache.evicted", "cacheray.cache.invalidated", "cacheray.event"]
        more = [*options, "-o", f"cacheray.write_allocate:{str(allocate).upper()}", "-o", f"cacheray.coherence:{str(private).upper()}"]
        for passes in ([], ["-2"]):
            for number, cells in shown(path, fields, "-Y", "cacheray.size", *more, *passes).items():
                copies = removed[number] if private and int(cells[3]) == WRITE else None
                require(numbers(cells[:3]) == [*found[number], copies], f"record {number}: expected {found[number]}, {copies}, shown {cells}")
        head, body = statistics(path, "cacheray,types", *more)
        cells = [row[head.index("Invalidations")].strip() for row in body if row[1] != "*"]
        want = sum(removed.values())
        require(sum(map(int, cells)) == want if private else set(cells) == {""}, "Invalidations:", cells, "expected", want)
        require(not private or want > 0 or len({r.thread for r in records(data)}) == 1, "nothing is invalidated")


def check_caches(what, _update):
    name, description = what.split(":")
    path, file = CAPTURES / name, HERE / "simulator" / f"{description}.json"
    data, levels = path.read_bytes(), json.loads(file.read_text(encoding="utf-8"))["caches"]
    found, options = simulate(data, levels), ["-o", f"cacheray.caches:{file}"]
    require(len({tuple(cells) for cells in found.values()}) > 1, "nothing happens in these caches")
    for passes in ([], ["-2"]):
        table = shown(path, ["cacheray.cache.level", "cacheray.cache.evicted"], "-Y", "cacheray.size", *options, *passes)
        for number, want in found.items():
            require(numbers(table[number]) == want, f"record {number}: expected {want}, shown {table[number]}")
    head, body = statistics(path, "cacheray,types", *options)
    at = [head.index(n) for n in ("Reads", "Writes", "Level 1", "Level 2", "Level 3", "Level 4", "Misses")]
    got = {row[0]: [int(row[i]) for i in at] for row in body}
    require(got == type_rows(data, found), "cacheray,types: expected", type_rows(data, found), "shown", got)
    head, body = statistics(path, "cacheray,types")
    empty = {row[i].strip() for row in body for i in range(head.index("Level 1"), head.index("Misses") + 1)}
    require(empty == {""}, "cacheray,types: without caches their columns are", empty)
    accesses = [got[row[0]][0] + got[row[0]][1] for row in body]
    require(accesses == sorted(accesses, reverse=True), "the types are not ordered by accesses")
    check_writes(path, data, levels, options)
    report = HERE / "simulator" / f"{path.stem}.{description}.txt"
    if report.exists():
        check_report(report, data, levels, found)


# --- tables by type and by offset -------------------------------------------------------------------------------------
def data_of(path):
    """(type, element, member) of each access as a table names it; None: nothing is known here about its variable."""
    data, binary = path.read_bytes(), path.with_suffix(".elf")
    resolved = count_members(data)
    variables = {}
    if binary.exists():
        fields = [f"cacheray.access.{f}" for f in ("variable", "index", "member")]
        variables = shown(path, fields, "-o", f"cacheray.binary:{binary}", "-Y", "cacheray.access.variable")
    many = {}
    for r in records(data):
        many[r.number] = r.kind == ADD and r.elements[1] > 1
        if r.kind > WRITE:
            continue
        if resolved[r.number]:
            name, index, _, what, added = resolved[r.number]
            yield r, name, f"[{index}]" if many[int(added)] else "", what if binary.exists() else ""
        elif r.number in variables:
            name, index, what = variables[r.number]
            yield r, f"variable {name}", f"[{index}]" if index != "0" else None, what
        else:
            yield r, "(not annotated)", "", ""


def folded_rows(path, elements):
    """The rows of cacheray,types: (type, member) -> reads, writes, atomic, unaligned, threads."""
    def cover(r, name, what, added):
        """The members at the bytes of an access, or what is at the first one."""
        if not what or name.startswith("variable ") or name not in LAYOUTS:
            return [what]
        size, start, end = LAYOUTS[name][0], added.address, added.address + added.elements[0] * added.elements[1]
        found = [member(name, (byte - start) % size) for byte in range(r.address, min(r.address + max(r.size, 1), end))]
        return list(dict.fromkeys(w for w in found if w != PADDING)) or [PADDING]

    def add_to(key, r):
        row = rows.setdefault(key, [0, 0, 0, 0, set()])
        row[r.kind] += 1
        row[2] += r.atomic
        row[3] += r.unaligned
        row[4].add(r.thread)

    rows, parts = {}, {}
    adds = {r.number: r for r in records(path.read_bytes()) if r.kind == ADD}
    resolved = count_members(path.read_bytes())
    for r, name, _, first in data_of(path):
        keys = set()
        for what in cover(r, name, first, adds[int(resolved[r.number][4])] if resolved[r.number] else None):
            folded = re.sub(r"\[\d+\]", "[]", what)
            top, own = folded.partition(".")[0], what if elements else folded
            require("|" not in what, "a union is not folded here")
            keys.add((name, own))
            for key in {(name, "*"), (name, top if top == folded else f"{top}.*")} - {(name, own)}:
                keys.add(key)
                parts.setdefault(key, set()).add(own)
        for key in keys:
            add_to(key, r)
    return {key: (*row[:4], len(row[4])) for key, row in rows.items() if len(parts.get(key, "xx")) > 1}


def offset_lines(path):
    """The lines of cacheray,lines,offsets: address -> [contended, accesses, rows]; a row is offset, data, thread, counts."""
    past, lines, cells, fights = {}, {}, {}, {}  # past: (cell, kind) of all accesses to a line
    for r, name, index, what in data_of(path):
        span = range(r.address, r.address + max(r.size, 1))
        for address in sorted({byte // LINE * LINE for byte in span}):
            line = lines.setdefault(address, Line())
            contended = line.contended
            line.touch(r, [byte for byte in span if byte // LINE * LINE == address])
            cell = address, max(r.address - address, 0), name + ("?" if index is None else index) + ("." + what if what else ""), r.thread
            counts = cells.setdefault(cell, [0, 0, 0, 0])
            counts[r.kind] += 1
            counts[3] += r.atomic
            earlier = past.setdefault(address, [])
            if line.contended > contended:
                counts[2] += 1
                rival = next(c for c, kind in reversed(earlier) if (c[3] != r.thread if r.kind == WRITE else kind == WRITE))
                for pair in {(cell, rival), (rival, cell)}:
                    fights[pair] = fights.get(pair, 0) + 1
            earlier.append((cell, r.kind))
    return lines, cells, fights


def check_folded(path, options, passes):
    for word, elements in (("", False), (",elements", True)):
        want = folded_rows(path, elements)
        head, body = statistics(path, "cacheray,types" + word, *options, *passes)
        at = [head.index(n) for n in ("Reads", "Writes", "Atomic", "Unaligned", "Threads")]
        got = {(row[0], row[1]): tuple(int(row[i]) for i in at) for row in body}
        require(len(got) == len(body), "a row appears twice in cacheray,types" + word)
        require(got == want, f"cacheray,types{word}: expected", sorted(want.items()), "shown", sorted(got.items()))


def check_offsets(path, options, passes):
    lines, cells, fights = offset_lines(path)
    head, body = statistics(path, "cacheray,lines,offsets", *options, *passes)
    at = {n: head.index(n) for n in head}
    numbers_of = lambda row: [int(row[at[n]]) for n in ("Reads", "Writes", "Contended", "Atomic")]
    above, order, seen = None, [], set()
    for row in body:
        line, who, times = int(row[0], 16), row[at["Shared by"]], int(row[at["Times"]])
        if row[at["Sharing"]]:
            want = lines.pop(line)
            require(numbers_of(row) == [want.reads, want.writes, want.contended, want.atomics], hex(line), "is", row)
            require(SHARING[want.sharing()] == row[at["Sharing"]], hex(line), "is", row)
            above = line
            order.append((-want.contended, -want.reads - want.writes))
            most = max((n for (a, _), n in fights.items() if a[0] == line), default=0)
            fighters = [fighter(row[at[n]]) for n in ("Data", "Against")]
            below = []
        else:
            thread = int(who.rstrip("*"))
            cell = next((c for c in cells if c[0] == line == above and c[1] == int(row[at["Byte offset"]]) and same_data(c[2], row[at["Data"]])
                         and c[3] == thread), None)
            require(cell and cell not in seen, "nobody has accessed", row)
            seen.add(cell)
            require(numbers_of(row) == cells[cell] and who.endswith("*") == (cells[cell][1] > 0), row, "should be", cells[cell])
            most = max((n for (a, _), n in fights.items() if a == cell), default=0)
            fighters = [(row[at["Data"]], thread), fighter(row[at["Against"]])]
            below.append((-cells[cell][2], -cells[cell][0] - cells[cell][1]))
            require(below == sorted(below), "rows below", hex(line), "are not in order")
        require(times == most, row, "should fight", most, "times")
        named = [n for (a, b), n in fights.items() if a[0] == line and fighters[1] and a[3] == fighters[0][1] and b[3] == fighters[1][1]
                 and same_data(a[2], fighters[0][0]) and same_data(b[2], fighters[1][0])]
        require(most in named if most else not fighters[1], row, "fights somebody else")
    require(not lines and seen == cells.keys() and order == sorted(order), "lines are missing or not in order")


def fighter(text):
    data, _, thread = text.removesuffix(")").rpartition(" (thread ")
    return (data, int(thread)) if text else None


def same_data(known, shown_):
    """An element 0 of a variable may be that of an array or not."""
    return known == shown_ or known.replace("?", "[0]", 1) == shown_ or known.replace("?", "", 1) == shown_


def check_tables(name, _update):
    path = CAPTURES / name
    binary = path.with_suffix(".elf")
    options = ["-o", f"cacheray.binary:{binary}"] if binary.exists() else []
    for passes in ([], ["-2"]):
        check_folded(path, options, passes)
        check_offsets(path, options, passes)


def check_covers(_name, _update):
    """What is copied as a whole counts for each member."""
    chance, binary = random.Random(3), CAPTURES / "cacheray/orders.elf"
    names = ("struct.order", "struct.money", "struct.item")
    data = b"".join(add(BASE + 4096 * i, LAYOUTS[name][0], 4, name) for i, name in enumerate(names))
    for _ in range(2000):
        i = chance.randrange(len(names))
        at = chance.randrange(4 * LAYOUTS[names[i]][0])
        data += access(BASE + 4096 * i + at, chance.randrange(2) | 0x80, chance.choice((1, 2, 4, 8, 16)), chance.randrange(3))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "covers.trace"
        trace.write_bytes(data)
        shutil.copy(binary, trace.with_suffix(".elf"))
        check_folded(trace, ["-o", f"cacheray.binary:{trace.with_suffix('.elf')}"], [])


# --- regions ----------------------------------------------------------------------------------------------------------
REGIONS_HEAD = ["Type", "Added", "Added by", "Address", "Regions", "Bytes", "Reads", "Writes", "Threads", "Level 1", "Misses", "Removed", "Lifetime"]


def region_rows(data, found):
    """The rows of cacheray,regions in the columns of REGIONS_HEAD."""
    resolved, live, rows = count_members(data), [], {}
    for r in records(data):
        if r.kind == ADD:
            live.insert(0, r)
            rows[r.number] = [r.name, r.number, r.thread, f"{r.address:#x}", 1, r.elements[0] * r.elements[1], 0, 0, set(), 0, 0, "", ""]
        elif r.kind == REMOVE:
            ended = next((a for a in live if a.address == r.address), None)
            live = [a for a in live if a is not ended]
            if ended:
                rows[ended.number][11:] = [r.number, r.number - ended.number]
        else:
            number = int(resolved[r.number][4]) if resolved[r.number] else 0
            row = rows.setdefault(number, ["(not annotated)", "", "", "", 0, "", 0, 0, set(), 0, 0, "", ""])
            row[6 + r.kind] += 1
            row[8].add(r.thread)
            row[9] += found[r.number][0] == 1
            row[10] += found[r.number][0] == 0
    return [[*row[:8], len(row[8]), *row[9:]] for row in rows.values()], {row[0]: row for row in by_type(rows.values())}


def by_type(rows):
    types = {}
    for row in rows:
        types.setdefault(row[0], []).append(row)
    for name, all_ in types.items():
        lives = [row[12] for row in all_ if row[12] != ""]
        total = [sum(row[i] for row in all_) if i != 5 or all_[0][4] else "" for i in (4, 5, 6, 7)]
        yield [name, "", "", "", *total, len(set.union(*(row[8] for row in all_))), sum(row[9] for row in all_), sum(row[10] for row in all_),
               "", sum(lives) // len(lives) if lives else ""]


def check_regions(name, _update):
    path, description = CAPTURES / name, HERE / "simulator/threads.json"
    data = path.read_bytes()
    each, types = region_rows(data, simulate(data, json.loads(description.read_text(encoding="utf-8"))["caches"]))
    for passes in ([], ["-2"]):
        for word, want in (("", each), (",by:type", list(types.values()))):
            head, body = statistics(path, "cacheray,regions" + word, "-o", f"cacheray.caches:{description}", *passes)
            got = [[row[head.index(n)] for n in REGIONS_HEAD] for row in body]
            want = [list(map(str, row)) for row in want]
            require(sorted(got) == sorted(want), f"cacheray,regions{word}: expected", sorted(want), "shown", sorted(got))
            accesses = [int(row[6]) + int(row[7]) for row in got]
            require(accesses == sorted(accesses, reverse=True), "the regions are not ordered by accesses")


# --- what if ----------------------------------------------------------------------------------------------------------
# Capture -> files for cacheray.remap, with the same by hand: type -> new size, alignment, new offset by old offset.
ORDER = {**{at: at + 16 for at in range(8)}, **{at: at - 8 for at in range(8, 14)}, **{at: at - 8 for at in range(16, 22)},
         22: 14, **{at: at + 8 for at in range(24, 32)}}
REMAPS = {
    "orders": [
        ("struct money=units,4;cents,0\n", {"struct.money": (8, 1, {0: 4, 1: 5, 2: 6, 3: 7, 4: 0, 5: 1})}),
        ("struct order=id,16;price,0;tag,0x8;side,016;next,32;sizeof,40\n# money stays\n", {"struct.order": (40, 1, ORDER)}),
    ],
    "falseshare": [
        ("packed_ctr=sizeof,64;alignof,64\n", {"struct.packed_ctr": (64, 64, {})}),
        ("struct packed_ctr=hits,8;misses,0\nstruct shared_hdr=limit,64;sizeof,72\n",
         {"struct.packed_ctr": (16, 1, {at: at ^ 8 for at in range(16)}),
          "struct.shared_hdr": (72, 1, {at: at + 48 for at in range(16, 20)})}),
    ],
}


def moved(data, remap):
    """The trace with accesses where they would be. A region whose size changes, or that is not aligned, lies behind those
    before it, from 2^60 on; an address that comes back with the same size lies where it was."""
    live, places, following, out = [], {}, 1 << 60, b""
    for r in records(data):
        if r.kind == ADD:
            size, align, _ = remap.get(r.name, (0, 1, None))
            start, length = r.address, r.elements[0] * r.elements[1] // (LAYOUTS[r.name][0] if size else 1) * size
            if size and (size != LAYOUTS[r.name][0] or start % align):
                if (start, length) not in places:
                    step = max(align, 16)
                    places[start, length] = -(-following // step) * step
                    following = places[start, length] + length + 16
                start = places[start, length]
            live.insert(0, (r, start))
            out += add(r.address, *r.elements, r.name)
        elif r.kind == REMOVE:
            ended = next((a for a in live if a[0].address == r.address), None)
            live = [a for a in live if a is not ended]
            out += remove(r.address)
        else:
            address = r.address
            for a, start in live:
                if a.address <= address < a.address + a.elements[0] * a.elements[1]:
                    if a.name in remap:
                        size, _, offsets = remap[a.name]
                        item, offset = divmod(address - a.address, LAYOUTS[a.name][0])
                        address = start + item * size + offsets.get(offset, offset)
                    break
            out += struct.pack("<BQBQ", r.kind | r.atomic << 6 | r.unaligned << 7, address, r.size, r.thread)
    return out


def sides(data, resolved, levels):
    """Type -> accesses, contended, misses of the first level and of all."""
    lines, rows, found = {}, {}, simulate(data, levels)
    for r in records(data):
        if r.kind > WRITE:
            continue
        row = rows.setdefault(resolved[r.number][0] if resolved[r.number] else "", [0, 0, 0, 0])
        span = range(r.address, r.address + max(r.size, 1))
        for address in sorted({byte // LINE * LINE for byte in span}):
            line = lines.setdefault(address, Line())
            before = line.contended
            line.touch(r, [byte for byte in span if byte // LINE * LINE == address])
            row[1] += line.contended - before
        level = found[r.number][0]
        for i, more in ((0, 1), (2, level != 1), (3, level == 0)):
            row[i] += more
    return rows


def whatif(path, *options):
    """The rows of -z cacheray,whatif, and its proposals."""
    _, out, _ = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,whatif", *options)
    _, table, _ = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,whatif,csv", *options)
    rows = list(csv.reader(table.split("\n")))[1:-1]
    return {row[0]: [int(n or 0) for n in row[1:]] for row in rows}, re.findall("^struct .*=.*$", out, re.M)


def summed(rows):
    """Variables count like data without an annotation."""
    total = {}
    for name, numbers_ in rows.items():
        key = "" if name == "(not annotated)" or name.startswith("variable ") else name
        total[key] = [a + b for a, b in zip(total.get(key, [0] * 7), numbers_)]
    return total


def check_whatif(name, _update):
    path = CAPTURES / name
    data, description = path.read_bytes(), HERE / "simulator/threads.json"
    resolved, levels = count_members(data), json.loads(description.read_text(encoding="utf-8"))["caches"]
    options = ["-o", f"cacheray.binary:{path.with_suffix('.elf')}", "-o", f"cacheray.caches:{description}"]
    before = sides(data, resolved, levels)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "remap"
        for text, remap in REMAPS[path.stem]:
            file.write_text(text)
            changed = moved(data, remap)
            require(changed != data, "nothing is moved by", text)
            after, with_file = sides(changed, resolved, levels), [*options, "-o", f"cacheray.remap:{file}"]
            want = {n: [row[0], row[1], after[n][1], row[2], after[n][2], row[3], after[n][3]] for n, row in before.items()}
            all_ = [sum(column) for column in zip(*want.values())]
            lines, cached = count_lines(changed)[0], simulate(changed, levels)
            fields = [f"cacheray.{f}" for f in ("line", "line.split", "line.sharing", "line.reuse", "line.contended", "cache.level", "cache.evicted")]
            for passes in ([], ["-2"]):
                got, _ = whatif(path, *with_file, *passes)
                require(got.pop("(all)") == all_, "the sum is not", all_)
                require(summed(got) == want, text, "expected", want, "shown", got)
                for number, cells in shown(path, fields, "-Y", "cacheray.size", *with_file, *passes).items():
                    require(numbers(cells) == lines[number] + cached[number], text, "record", number, "is", cells)
        got, proposals = whatif(path, *options)
        require(all(row[1] == row[2] and row[3] == row[4] and row[5] == row[6] for row in got.values()), "not the same:", got)
        options = options[:2]  # small caches miss more if each thread has its own line
        got, proposals = whatif(path, *options)
        if path.stem == "falseshare":
            require("struct packed_ctr=hits,0;misses,8;sizeof,64;alignof,64" in proposals, "proposed is", proposals)
            file.write_text("\n".join(proposals))
            got, _ = whatif(path, *options, "-o", f"cacheray.remap:{file}")
            require(got["(all)"][2] * 3 < got["(all)"][1], "the proposals are of no use:", got["(all)"])


# --- types of programs compiled now -----------------------------------------------------------------------------------
BIAS = 0x555555554000
Expected = namedtuple("Expected", "name count members")


def expectations(source):
    """Types and variables with the member at every byte of an element, from the comments in a program."""
    text = re.sub(r"\n \*", " ", source.read_text(encoding="utf-8"))
    pattern = r"/\* ((?:struct|union|class|variable)[. ][\w:()<>*. ]+?) (?:(\d+)\*)?(\d+): (.*?) \*/"
    for name, count, size, spans in re.findall(pattern, text):
        members = [PADDING] * int(size)
        for span in re.split(r",\s+", spans):
            first, _, last, what = re.fullmatch(r"(\d+)(-(\d+))? (\S+)", span).groups()
            for byte in range(int(first), int(last or first) + 1):
                members[byte] = "" if what == "-" else what
        yield Expected(name, int(count or 0), members)


def compiled(source, compiler, dwarf, link, folder):
    if struct.calcsize("P") != 8:
        raise Skipped("these programs say how types lie on 64 bits; machines.c is for other processors")
    command = {("gcc", ".c"): "gcc", ("gcc", ".cpp"): "g++", ("clang", ".c"): "clang",
               ("clang", ".cpp"): "clang++"}[compiler, source.suffix]
    if not shutil.which(command):
        raise Skipped(f"{command} is not there")
    program = Path(folder) / "program"
    options = {"pie": ["-fPIE", "-pie"], "fixed": ["-fno-pie", "-no-pie"],
               "units": ["-fPIE", "-pie", "-fdebug-types-section"], "split": ["-no-pie", "-gsplit-dwarf"],
               "lines": ["-no-pie", "-g1"], "none": ["-no-pie", "-g0"], "shared": ["-no-pie"]}[link]
    subprocess.run([command, f"-gdwarf-{dwarf}", "-O0", *options, "-o", program, source], check=True, cwd=folder)
    return program


def address_of(program, name):
    """The address of a variable as linked, from the symbols. A variable inside a function has a longer name."""
    out = subprocess.run(["nm", "-C", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    local = "_of_".join(reversed(name.split("::")))  # the symbol that types.c gives to a local one
    found = re.search(rf"^([0-9a-f]+) [BbDd] (?:(?:\w+\.)?{re.escape(name)}(?:\.\d+)?|{re.escape(local)})$", out, re.M)
    require(found, "no symbol", name)
    return int(found[1], 16)


def type_accesses(expected):
    """An annotation of two elements for each type; every byte of the second one is read."""
    base = 0x10000000
    for e in expected:
        size = len(e.members)
        yield add(base, size, 2, e.name), None
        for byte, member_ in enumerate(e.members):
            yield access(base + size + byte), [e.name, "", "1", str(byte), member_]
        yield remove(base), None


def variable_accesses(expected, program, bias):
    for e in expected:
        name = e.name.partition(" ")[2]
        start = address_of(program, name) + bias
        for byte in range(e.count * len(e.members)):
            index, offset = divmod(byte, len(e.members))
            yield access(start + byte), ["", name, str(index), str(offset), e.members[offset]]
    yield access(0x1000), ["", "", "", "", ""]


def without_class(rows):
    """Compilers name the pointer to the virtual functions differently: _vptr.Left, _vptr$Left."""
    return {n: [re.sub(r"_vptr[.$]\w+", "vptr", cell) for cell in row] for n, row in rows.items()}


def check_types(what, _update):
    name, compiler, dwarf, link = what.split(":")
    source, bias = HERE / "programs" / name, 0 if link == "fixed" else BIAS
    expected = list(expectations(source))
    variables = [e for e in expected if e.count]
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        program, trace = compiled(source, compiler, dwarf, link, folder), Path(folder) / "types.trace"
        typed = list(type_accesses([e for e in expected if not e.count]))
        made = typed + list(variable_accesses(variables, program, bias))
        require(len(variables) > 2 and len(typed) > 60, "nothing expected of", source)
        trace.write_bytes(b"".join(data for data, _ in made))
        want = {n: row for n, (_, row) in enumerate(made, 1) if row}
        fields = [f"cacheray.access.{f}" for f in ("typename", "variable", "index", "offset", "member")]
        options = ["-o", f"cacheray.binary:{program}", "-Y", "cacheray.size"]
        for passes in ([], ["-2"]):
            same(want, without_class(shown(trace, fields, *options, *passes, *(["-o", f"cacheray.load_bias:{bias:#x}"] if bias else []))))
        if bias:  # nothing is guessed if the load address is unknown
            unknown = {n: row if row[0] else [""] * 5 for n, row in want.items()}
            same(unknown, without_class(shown(trace, fields, *options)))


# Target -> layout of traces, size of a pointer, alignment of long long.
MACHINES = {
    "i386-linux-gnu": ("le32", 4, 4),
    "arm-linux-gnueabi": ("le32", 4, 8),
    "powerpc-linux-gnu": ("be32", 4, 8),
    "powerpc64-linux-gnu": ("be64", 8, 8),
}


def layout_on(pointer, alignment):
    """The member at every byte of struct layout in programs/machines.c."""
    union = 8 + pointer
    pairs = -(-(union + 4) // alignment) * alignment
    step = alignment + 8
    rows = [("a", 0, 1), ("b", 0, 2), ("c", 1, 2), ("d", 2, 2), ("e", 4, 1), ("f", 6, 2), ("pointer", 8, pointer),
            ("whole", union, 4), *array("parts", 4, 1, union),
            *array("pairs", 2, step, pairs, [(".first", 0, 1), (".second", alignment, 8)])]
    return ["|".join(n for n, at, size in rows if at <= byte < at + size) or PADDING
            for byte in range(pairs + 2 * step)]


def check_machines(what, _update):
    target, dwarf = what.split(":")
    layout, pointer, alignment = MACHINES[target]
    if not shutil.which("clang") or not shutil.which("ld.lld"):
        raise Skipped("clang or lld is not there")
    order = "><"[layout.startswith("le")] + "B" + ("Q" if pointer == 8 else "I")
    members = layout_on(pointer, alignment)
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        program, trace = Path(folder) / "program", Path(folder) / "machines.trace"
        subprocess.run(["clang", f"--target={target}", f"-gdwarf-{dwarf}", "-ffreestanding", "-nostdlib", "-static",
                        "-fuse-ld=lld", "-o", program, HERE / "programs" / "machines.c"],
                       check=True, stderr=subprocess.DEVNULL)
        base, known, name = 0x10000000, address_of(program, "known"), b"struct.layout"
        data = struct.pack(order + "QIII", ADD, base, 0, len(members), 2, len(name)) + name
        want = {}
        for i, byte in [(i, byte) for i in range(2) for byte in range(len(members))]:
            data += struct.pack(order + "BQ", READ, base + i * len(members) + byte, 1, 0)
            data += struct.pack(order + "BQ", WRITE, known + i * len(members) + byte, 1, 0)
            at = 2 + 2 * (i * len(members) + byte)
            want[at] = [name.decode(), "", str(i), str(byte), members[byte]]
            want[at + 1] = ["", "known", str(i), str(byte), members[byte]]
        trace.write_bytes(data)
        fields = [f"cacheray.access.{f}" for f in ("typename", "variable", "index", "offset", "member")]
        same(want, shown(trace, fields, "-o", f"cacheray.binary:{program}", "-Y", "cacheray.size"))


# How a program was compiled -> the message about it.
LACKS = {
    "split": "it was built with -gsplit-dwarf: types in .dwo files are not read",
    "lines": "it has no type information (compile with -g, not -g1)",
    "none": "it has no debug information (compile with -g)",
    "shared": "dwz has moved some of its debug information to another file, which is not read",
}


def share(program, folder):
    """Pretends that dwz has moved types to another file; this one is a pipe, so whoever opens it waits forever."""
    pipe, section = Path(folder) / "pipe", Path(folder) / "section"
    os.mkfifo(pipe)
    section.write_bytes(bytes(pipe) + b"\0" + bytes(range(20)))
    subprocess.run(["objcopy", "--add-section", f".gnu_debugaltlink={section}", program], check=True)


def check_lacks(what, _update):
    name, compiler, dwarf, how = what.split(":")
    source = HERE / "programs" / name
    expected = list(expectations(source))
    typed, variable = next(e for e in expected if not e.count), next(e for e in expected if e.count)
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        program, trace = compiled(source, compiler, dwarf, how, folder), Path(folder) / "lacks.trace"
        if how == "shared":
            share(program, folder)
        at, known = 0x10000000, variable.name.partition(" ")[2]
        trace.write_bytes(add(at, len(typed.members), 1, typed.name) + access(at) + access(address_of(program, known)))
        lost = "members and variables" if how == "shared" else "members"
        want = {1: [tidy("message", f"{program}: {LACKS[how]}, so {lost} are not known"), "", "", ""], 2: ["", typed.name, "", ""],
                3: ["", "", known if how != "shared" else "", ""]}
        fields = ["_ws.expert.message", *(f"cacheray.access.{f}" for f in ("typename", "variable", "member"))]
        got = shown(trace, fields, "-o", f"cacheray.binary:{program}")
        same(want, {n: [cells[0].replace("Access outside any annotation", ""), *cells[1:]] for n, cells in got.items()})


def same(want, got):
    text = lambda rows: "".join("\t".join([str(n), *row]) + "\n" for n, row in sorted(rows.items()))
    compare("accesses", text(want), text(got))


# --- messages ---------------------------------------------------------------------------------------------------------
def counted(trace, *options):
    """-z expert: {(protocol, summary): count}."""
    code, out, error = run("tshark", "-q", "-n", "-r", trace, "-z", "expert,chat", *options)
    require(code == (2 if UNUSED.search(error) else 0), code, error)
    rows = re.findall(r"^ +(\d+) +\S+ +Cacheray +(.*)$", out, re.M)
    return {summary: int(times) for times, summary in rows}, error


def check_experts(_name, _update):
    seen = set()
    for trace in sorted((CAPTURES / "cacheray").glob("*.trace")):
        one, two = counted(trace)[0], counted(trace, "-2")[0]
        # known when all records have been read
        unnumbered = two.pop(next((words for words in two if words.startswith("All accesses are of thread 0")), None), 0)
        threads = {row[0] for row in tshark(trace, ["cacheray.thread"], "-Y", "cacheray.event < 2").rows}
        error = run("tshark", "-q", "-r", trace, "-z", "cacheray,lines")[2]
        require((unnumbered, "All accesses are of thread 0" in error) == (int(threads == {"0"}), threads == {"0"}), trace.name, threads, unnumbered, error)
        table = tshark(trace, ["_ws.expert.message", "cacheray.unannotated", "cacheray.overlap", "cacheray.unmatched", "cacheray.malformed", "cacheray.low",
                               "cacheray.truncated"], "-V")
        shown_there = sum(len([cell for cell in row[1:] if cell]) for row in table.rows)
        require(one == two and sum(one.values()) == shown_there, f"{trace.name}: one pass {one}, two {two}, shown {shown_there}")
        seen.update(one)
    require({"Access outside any annotation", "Nothing is annotated at this address"} <= seen, "captures have only", seen)
    check_flags()
    check_nested()


def check_nested(count=1500):
    """Of very many nested regions the ones near the top are found. Further below, it is reported that they overlap."""
    data = b"".join(add(BASE + 16 * n, 32 * (count - n), 1, f"struct.t{n}") for n in range(count))
    data += b"".join(access(BASE + 16 * n) for n in (count - 1, count - 900, 1, 0)) + access(BASE - 1)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "nested.trace"
        trace.write_bytes(data)
        for passes in ([], ["-2"]):
            table = tshark(trace, ["cacheray.access.typename", "cacheray.overlap.many", "cacheray.unannotated"], *passes, "-Y", "cacheray.event == 0")
            rows = [(row[0], bool(row[1]), bool(row[2])) for row in table.rows]
            require(rows == [(f"struct.t{count - 1}", False, False), (f"struct.t{count - 900}", False, False),
                             ("", True, False), ("", True, False), ("", False, True)], passes, rows)


def check_flags():
    """An annotation cannot be atomic or unaligned: where its flag is set, it is shown."""
    at, data = 771, bytearray((CAPTURES / "cacheray/orders.trace").read_bytes())
    require(data[at] == ADD, "no annotation is there")
    data[at] |= 0x40
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        trace = Path(folder) / "flags.trace"
        trace.write_bytes(data)
        shown = tshark(trace, ["cacheray.offset"], "-Y", f"cacheray.event == {ADD} && cacheray.atomic == 1").column("cacheray.offset")
    require(shown == [str(at)], "annotations with a flag are shown at", shown)


def said_once(trace, words, *options, at="1"):
    found, error = counted(trace, *options)
    require(sum(words in summary for summary in found) == 1 and all(n == 1 for summary, n in found.items() if words in summary),
            words, "is not said once:", found)
    for passes in ((), ("-2",)):  # statistics show no expert information
        _, _, error = run("tshark", "-q", "-n", "-r", trace, "-z", "cacheray,types", *passes, *options)
        require(error.count(words) == 1, words, "on the terminal:", error)
    rows = tshark(trace, ["frame.number", "_ws.expert.message"], *options).rows
    require([row[0] for row in rows if words in row[1]] == [at], words, "is not said at record", at)


def check_settings(_name, _update):
    trace = CAPTURES / "cacheray/orders.trace"
    said_once(trace, "cacheray.line_size is '48', but may be 16, 32, 64, 128, 256: lines have 64 bytes", "-o", "cacheray.line_size:48")
    said_once(trace, "/nonexistent: No such file or directory, so members and variables are not known", "-o",
              "cacheray.binary:/nonexistent")
    said_once(trace, "/nonexistent: No such file or directory, so no caches are simulated", "-o", "cacheray.caches:/nonexistent")
    small = ["-o", f"cacheray.caches:{HERE}/simulator/small.json"]
    said_once(trace, "cacheray.coherence changes nothing: no cache is \"private\" in", *small, "-o", "cacheray.coherence:TRUE")
    words = "cacheray.coherence and cacheray.write_allocate are not used without cacheray.caches"
    said_once(trace, words, "-o", "cacheray.coherence:TRUE")
    said_once(trace, words, "-o", "cacheray.write_allocate:FALSE")
    said_once(trace, "cacheray.remap is not used without cacheray.binary", "-o", "cacheray.remap:/nonexistent")
    binary = ["-o", f"cacheray.binary:{CAPTURES}/cacheray/orders.elf"]
    said_once(trace, "/nonexistent: No such file or directory, so nothing is moved", *binary, "-o", "cacheray.remap:/nonexistent")
    said_once(trace, "cacheray.remap moves variables only without cacheray.annotations", *binary, "-o",
              "cacheray.remap:/nonexistent", "-o", "cacheray.annotations:FALSE")
    with tempfile.TemporaryDirectory() as folder:
        remap = Path(folder) / "remap"
        for text, words in (("order=id,8", "line 1: struct order: 'price' would overlap 'id', so this line is not used"),
                            ("order=who,8", "line 1: struct order: it has no member 'who', so"),
                            ("\nnobody=id,8", "line 2: struct nobody: the program has no such struct, so"),
                            ("order=id,", "line 1: 'id,' needs a number of at most 1048576 bytes, so")):
            remap.write_text(text)
            said_once(trace, f"{remap}: {words}", *binary, "-o", f"cacheray.remap:{remap}")
    said_once(trace, "cacheray.load_bias is not used without cacheray.binary", "-o", "cacheray.load_bias:0x1000")
    said_once(trace, "the load bias is not a hexadecimal number", "-o", f"cacheray.binary:{CAPTURES}/cacheray/orders.elf", "-o",
              "cacheray.load_bias:many")
    other = CAPTURES / "cacheray/falseshare.elf"
    first = next(str(r.number) for r in records(trace.read_bytes()) if r.kind == ADD and r.name.startswith("struct."))
    said_once(trace, f"{other}: it does not know struct.", "-o", f"cacheray.binary:{other}", at=first)
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:  # unknown bytes come first
        junk = Path(folder) / "junk.trace"
        junk.write_bytes(b"\xff" * 100 + trace.read_bytes())
        said_once(junk, "cacheray.line_size is '48'", "-o", "cacheray.line_size:48", "-o", "cacheray.layout:le64")
    for good in ("128", "128 bytes"):  # as saved by 0.1
        found, error = counted(trace, "-o", f"cacheray.line_size:{good}")
        lines = [int(row[0], 0) for row in tshark(trace, ["cacheray.line"], "-o", f"cacheray.line_size:{good}").rows if row[0]]
        require(not any("line_size" in summary for summary in found) and "line_size" not in error, good, found, error)
        require(lines and all(line % 128 == 0 for line in lines), good, "is not used")
    for good in ("le64", "Little-endian, 64-bit addresses", "auto", ""):
        found, error = counted(trace, "-o", f"cacheray.layout:{good}")
        require(not any("LAYOUT" in summary for summary in found) and not error, good, found, error)


# --- places that were not written -------------------------------------------------------------------------------------
def with_places(data, seed):
    """The trace with places of all sizes that nobody has written, from the first record on, and zeros at the end."""
    choose = random.Random(seed)
    holes = [bytes(18), bytes(17), bytes(29 + 20), bytes(18 * 3), access(0, WRITE, 0), access(BASE, READ, 0, 3),
             access(BASE + 1, WRITE | 0x40, 0)]
    made, at = [choose.choice(holes)], 0
    for r in records(data):
        length = 18 if r.kind <= WRITE else 17 if r.kind == REMOVE else 29 + len(r.name)
        made += [data[at:at + length], *([choose.choice(holes)] if choose.random() < 0.02 else [])]
        at += length
    return b"".join(made) + bytes(70000)


def check_unwritten(name, _update):
    whole = CAPTURES / name
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(3):
            path, copy = Path(folder) / "holes.trace", Path(folder) / "copy.trace"
            path.write_bytes(with_places(whole.read_bytes(), seed))
            errors = tshark(path, ["frame.number"], "-Y", "_ws.expert.severity >= 0x600000")  # warnings
            require(errors.verdict == "ok" and not errors.rows, f"{errors.verdict} {errors.rows[:3]}")
            require(shown_accesses(path, "cacheray.size > 0") == shown_accesses(whole, "cacheray.size > 0"), "accesses differ")
            for table in ("cacheray,types,csv", "cacheray,lines,csv", "cacheray,lines,offsets,csv"):
                want, got = (statistic(p, table) for p in (whole, path))
                require(want == got, f"{table} differs")
            run("tshark", "-r", str(path), "-F", "cacheray", "-w", str(copy))
            require(copy.read_bytes() == path.read_bytes(), "saved, it differs")


def shown_accesses(path, where):
    return tshark(path, ["cacheray.event", "cacheray.address", "cacheray.size", "cacheray.access.typename"], "-Y", where).rows


# --- main -------------------------------------------------------------------------------------------------------------
CHECKS = {"lines": check_lines, "busiest": check_busiest, "threads": check_threads, "members": check_members, "caches": check_caches,
          "tree": check_tree, "tables": check_tables, "covers": check_covers, "regions": check_regions, "whatif": check_whatif, "types": check_types, "unwritten": check_unwritten, "experts": check_experts, "settings": check_settings, "machines": check_machines, "lacks": check_lacks}


def main():
    args = arguments(__doc__, __update={"action": "store_true"}, check={"choices": CHECKS}, names={"nargs": "*", "metavar": "NAME"})
    skipped = []

    def test(name):
        try:
            CHECKS[args.check](name, args.update)
        except Skipped as why:
            skipped.append(name)
            print(f"{name}: skipped: {why}")

    names = args.names or [""]
    for_each(test, names)
    sys.exit(77 if skipped == names else 0)


if __name__ == "__main__":
    main()
