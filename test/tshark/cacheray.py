#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what the plugins say about Cacheray traces with independent counts over the bytes of the trace.

usage: cacheray.py [--build DIR] [--update] CHECK [NAME]

  lines CAPTURE     cacheray.line* of every access, and -z cacheray,lines: golden/CAPTURE.lines.tsv
  members CAPTURE   cacheray.access.* of every access: golden/CAPTURE.members.tsv
  types PROGRAM:COMPILER:DWARF:LINK
                    every byte of the types in programs/PROGRAM, compiled so: types.c:gcc:5:pie

The rules are those of docs/cacheray.md, done the slow way: lists of annotations, sets of bytes, lists of lines. Members
come from tables written by hand. --update writes the tables in golden/ from the count, never from what is shown. Shares
no code with the plugins. Exit status 77: skipped, a compiler is missing.
"""
import argparse
import os
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
from check import CAPTURES, GOLDEN, HERE, Failure, compare, require, run, tshark  # noqa: E402

READ, WRITE, ADD, REMOVE = range(4)
LINE = 64
SHARING = {0: "private", 1: "read-only", 2: "true", 3: "false", 4: "true and false"}
PADDING = "<padding>"

Record = namedtuple("Record", "number kind atomic unaligned address size thread elements name")


class Skipped(Exception):
    pass


# --- the trace --------------------------------------------------------------------------------------------------------
def records(data):
    """The records of a sound le64 trace."""
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


def shown(path, names, *options):
    """Record number -> values of these fields."""
    table = tshark(path, ["frame.number", *names], *options)
    require(table.verdict == "ok", table.verdict)
    return {int(row[0]): row[1:] for row in table.rows}


def numbers(cells):
    return [int(c, 0) if c else None for c in cells]


# --- lines ------------------------------------------------------------------------------------------------------------
class Line:
    def __init__(self):
        self.reads = self.writes = self.atomics = self.last = 0
        self.touched, self.written = {}, {}

    def touch(self, r, span):
        self.reads += r.kind == READ
        self.writes += r.kind == WRITE
        self.atomics += r.atomic
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
    """Per access (line, split, sharing, reuse), and all lines."""
    lines, found = {}, {}
    for r in records(data):
        if r.kind > WRITE:
            continue
        span = range(r.address, r.address + max(r.size, 1))
        touched = sorted({byte // LINE * LINE for byte in span})
        first = lines.setdefault(touched[0], Line())
        before = first.last
        for address in touched:
            line = lines.setdefault(address, Line())
            line.touch(r, [byte for byte in span if byte // LINE * LINE == address])
            line.last = r.number
        found[r.number] = [touched[0], len(touched) > 1, first.sharing(), r.number - before if before else None]
    return found, lines


def lines_text(lines):
    rows = ["line\treads\twrites\tatomics\tthreads\tsharing"]
    for address, line in sorted(lines.items()):
        who = ",".join(map(str, sorted(line.touched)))
        rows.append(f"{address:#x}\t{line.reads}\t{line.writes}\t{line.atomics}\t{who}\t{SHARING[line.sharing()]}")
    return "\n".join(rows) + "\n"


def shown_lines(path):
    """The table of -z cacheray,lines, as lines_text() has it."""
    _, out, _ = run("tshark", "-n", "-q", "-r", path, "-z", "cacheray,lines")
    head, *body = [[cell.strip() for cell in row.split("|")] for row in out.split("\n") if re.match(r"Line |0x", row)]
    at = [head.index(name) for name in ("Line", "Reads", "Writes", "Atomic", "Shared by", "Sharing")]
    rows = sorted(([row[i] for i in at] for row in body), key=lambda row: int(row[0], 16))
    return "\n".join("\t".join(row) for row in [["line", "reads", "writes", "atomics", "threads", "sharing"], *rows]) + "\n"


def check_lines(name, update):
    path = CAPTURES / name
    found, lines = count_lines(path.read_bytes())
    golden(name + ".lines.tsv", lines_text(lines), shown_lines(path), update)
    fields = [f"cacheray.{f}" for f in ("line", "line.split", "line.sharing", "line.reuse")]
    for options in ([], ["-2"]):
        table = shown(path, fields, "-Y", "cacheray.size", *options)
        require(table.keys() == found.keys(), "other accesses are shown")
        for number, want in found.items():
            require(numbers(table[number]) == want, f"record {number}: expected {want}, shown {table[number]}")


def golden(name, counted, got, update):
    """The table in golden/ is what is counted and what is shown."""
    path = GOLDEN / name
    if update:
        path.write_text(counted, encoding="utf-8", newline="")
    text = path.read_text(encoding="utf-8")
    compare(f"{name}, counted", text, counted)
    compare(f"{name}, shown", text, got)


# --- types and members ------------------------------------------------------------------------------------------------
def array(name, count, size, at, inner=("",)):
    """Rows of an array: inner is the members of an element as (suffix, offset, size), or one that is all of it."""
    inner = [("", 0, size)] if inner == ("",) else inner
    return [(f"{name}[{i}]{suffix}", at + i * size + offset, length)
            for i in range(count) for suffix, offset, length in inner]


# The structs of captures/src/cacheray: bytes, members with offset and size.
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
    """What lies at an offset of an element, "" where the type is no struct. An element may hold many structs."""
    size, rows = LAYOUTS.get(name, (0, None))
    if not size:
        return ""
    return "|".join(n for n, at, length in rows if at <= offset % size < at + length) or PADDING


def count_members(data):
    """Per access: type, element, offset, member, number of the add; nothing where no annotation covers it."""
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


# --- types of programs that are compiled now --------------------------------------------------------------------------
Expected = namedtuple("Expected", "name size members")


def expectations(source):
    """Types and variables with the member at every byte, from the comments of a program."""
    text = re.sub(r"\n \*", " ", source.read_text(encoding="utf-8"))
    for name, size, spans in re.findall(r"/\* ((?:struct|union|class|variable)[. ][\w:() ]+?) (\d+): (.*?) \*/", text):
        members = [PADDING] * int(size)
        for span in re.split(r",\s+", spans):
            first, _, last, what = re.fullmatch(r"(\d+)(-(\d+))? (\S+)", span).groups()
            for byte in range(int(first), int(last or first) + 1):
                members[byte] = "" if what == "-" else what
        yield Expected(name, int(size), members)


def compiled(source, compiler, dwarf, link, folder):
    command = {("gcc", ".c"): "gcc", ("gcc", ".cpp"): "g++", ("clang", ".c"): "clang",
               ("clang", ".cpp"): "clang++"}[compiler, source.suffix]
    if not shutil.which(command):
        raise Skipped(f"{command} is not there")
    program = Path(folder) / "program"
    options = {"pie": ["-fPIE", "-pie"], "fixed": ["-fno-pie", "-no-pie"]}[link]
    subprocess.run([command, f"-gdwarf-{dwarf}", "-O0", *options, "-o", program, source], check=True)
    return program


def check_types(what, _update):
    name, compiler, dwarf, link = what.split(":")
    source = HERE / "programs" / name
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        program = compiled(source, compiler, dwarf, link, folder)
        data, want = b"", {}
        number, address = 0, 0x10000000
        for e in expectations(source):
            if e.name.startswith("variable"):
                continue
            data += add(address, e.size, 2, e.name)
            number += 1
            for byte in range(e.size):
                number += 1
                data += access(address + e.size + byte)
                want[number] = [e.name, "1", str(byte), e.members[byte]]
            data += remove(address)
            number += 1
        require(len(want) > 40, "no types in", source)
        trace = Path(folder) / "types.trace"
        trace.write_bytes(data)
        fields = [f"cacheray.access.{f}" for f in ("typename", "index", "offset", "member")]
        got = shown(trace, fields, "-o", f"cacheray.binary:{program}", "-Y", "cacheray.size")
    same(want, got)


def same(want, got):
    text = lambda rows: "".join("\t".join([str(n), *row]) + "\n" for n, row in sorted(rows.items()))
    compare("accesses", text(want), text(got))


# --- main -------------------------------------------------------------------------------------------------------------
CHECKS = {"lines": check_lines, "members": check_members, "types": check_types}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("WIRETRACE_BUILD") or HERE.parent.parent / "build")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("name", nargs="?")
    args = parser.parse_args()
    os.environ["WIRETRACE_BUILD"] = str(Path(args.build).resolve())
    try:
        CHECKS[args.check](args.name, args.update)
    except Skipped as why:
        print(f"skipped: {why}")
        sys.exit(77)
    except Failure as failure:
        sys.exit(f"cacheray.py {args.check} {args.name}: {failure}")


if __name__ == "__main__":
    main()
