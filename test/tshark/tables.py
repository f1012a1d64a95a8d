#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The words that all tables of all formats take before the filter: csv, json, sort:COLUMN, top:N, ns, us, ticks.

usage: tables.py [--build DIR] TEST [FORMAT]

tests:
  words FORMAT     all forms of each table of a format have the same cells; rows are sorted by every column; units; what is refused
  terminal         tables are as wide as the terminal, and have 25 rows there
  others FORMAT    what a trace calls (others) is told from the sum
  hostile          names with characters that mean something in one of the forms
"""
import contextlib
import csv
import fcntl
import io
import json
import os
import pty
import re
import sqlite3
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import calls  # noqa: E402
import check  # noqa: E402
import formats  # noqa: E402
import memory  # noqa: E402
from check import CAPTURES, TOP, require, run, statistic, tshark  # noqa: E402

NAMES = [b"plain", b'quo"te', b'"', b"back\\slash", b"ends\\", b"a\\|b", b"bar|bar", b"operator||(X, Y)", b",", b"x, y", b"line\nfeed\r",
         b"\x1b[31mred\x07", b"\xff\xfe", b"cut \xe2\x82", "µ→".encode(), b"'", b"=1+1", b"<b>&", b" | 7 |", b"(others) not",
         b"nan", b"NA", b"null", b"NULL", b"None", b"inf", b"true", b"007", b"1e5", b"#N/A"]


def of_csv(text):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    require(all(len(row) == len(rows[0]) for row in rows), "rows of CSV differ in length")
    return rows[0], rows[1:]


def of_json(text):
    rows = json.loads(text, parse_float=str, parse_int=str)
    return [["" if cell is None else cell for cell in row.values()] for row in rows], [list(row) for row in rows]


def plain(text):
    """Without groups of digits and the width of columns."""
    return " ".join(re.sub(r"(?<=\d),(?=\d{3})|(?<=\d) %(?= |$)", "", text).split())


def of_text(text):
    """Headings and rows of the table that people read, which may end with a sum."""
    lines = [plain(line) for line in text.strip("\n").split("\n")]
    return lines[1], lines[2:]


def as_text(rows):
    return [plain(" ".join(row)) for row in rows]


def number(cell):
    return float(cell) if re.fullmatch(r"[+-]?\d+(\.\d+)?", cell) else None


def in_order(cells, numbers, rising):
    """Texts as bytes; cells without a number come last."""
    found = [c for c in cells if number(c) is not None] if numbers else cells
    keys = [number(c) for c in found] if numbers else [c.encode() for c in found]
    rest = cells[len(found):]
    return keys == sorted(keys, reverse=not rising) and cells[:len(found)] == found and all(number(c) is None for c in rest if numbers)


# Checks of one table are generators: each asks for a statistic with its words, and perhaps options, and is sent what tshark prints.
# Those of several tables go on together, so that one start of tshark answers all of them.
def together(path, checks):
    waiting = [(check, next(check)) for check in checks]
    while waiting:
        answers = {}
        for options in {tuple(asked[1:]) for _, asked in waiting}:
            taps = list(dict.fromkeys(asked[0] for _, asked in waiting if tuple(asked[1:]) == options))
            printed = tshark(path, ["frame.number"], *options, taps=taps).printed
            answers.update(((tap, *options), "\n".join(printed[tap])) for tap in taps)
        more = []
        for check, asked in waiting:
            with contextlib.suppress(StopIteration):
                more.append((check, check.send(answers[tuple(asked)])))
        waiting = more


def check_sorted(what, options, columns, rows, all_columns):
    """By all columns, or by the first and the last one: all tables are sorted by the same code."""
    every = list(enumerate(columns)) if all_columns else [(0, columns[0]), (len(columns) - 1, columns[-1])]
    for i, column in every:
        name, rising = re.sub("_ns$", "", column), i % 2 == 0
        kind = "csv" if i % 3 else "json"
        text = yield f"{what},{kind},sort:{'+' if rising else '-'}{name}", *options
        got = of_csv(text)[1] if kind == "csv" else of_json(text)[0]
        require(sorted(got) == sorted(rows), what, "sorted by", name, "has other rows")
        numbers = any(number(row[i]) is not None for row in rows) and name not in TEXTS
        cells = [row[i] for row in got if "(others)" not in row[0]]
        require(in_order(cells, numbers, rising), what, "is not sorted by", name, cells[:9])
    best = of_csv((yield f"{what},csv,sort:{name},top:2", *options))[1]
    usual = of_csv((yield f"{what},top:2,sort:{'-' if numbers else '+'}{name},csv", *options))[1]
    require(best == usual and len(best) == min(2, len(rows)), what, "top:2 is", best, usual)


TEXTS = {"function", "state", "label", "model", "group_name", "type", "member", "shared_by", "file", "caller", "seen", "note", "kind", "name"}


def in_us(ns):
    return f"{'-' * ns.startswith('-')}{abs(int(ns)) // 1000}.{abs(int(ns)) % 1000:03}" if ns else ""


def check_units(path, what, options, columns, rows):
    times = [i for i, c in enumerate(columns) if c.endswith("_ns")]
    if not times:
        require(run("tshark", "-q", "-r", path, "-z", f"{what},us")[0] == 1, what, "knows a unit without times")
        return
    first = f"sort:+{columns[0]}"  # not by times, whose order may be another one in ticks
    rows = of_csv((yield f"{what},csv,{first}", *options))[1]
    for unit in ("us", "ticks"):
        names, got = of_csv((yield f"{what},{unit},csv,{first}", *options))
        require(names == [re.sub("_ns$", f"_{unit}", c) for c in columns], what, unit, names)
        for row, ns in zip(got, rows):
            for i, cell in enumerate(row):
                want = in_us(ns[i]) if i in times and unit == "us" else ns[i]
                require(cell == want or (unit == "ticks" and (i in times or "ratio" in columns[i])), what, unit, columns[i], cell, "expected", want)
    titles, shown = of_text((yield f"{what},us,full,columns:all", *options))
    rows = of_csv((yield f"{what},us,csv", *options))[1]
    require(shown[:len(rows)] == as_text(rows) and titles.count("(us)") == len(times), what, "text in us", titles)


def check_own_words(what, options, known):
    """A word of its own means the same before a filter that all records pass."""
    for word in known:
        if re.fullmatch(r"[a-z]+(:[a-z]+)?", word) and word not in ("csv", "json", "ns", "us", "ticks", "all", "full"):
            alone = yield f"{what},{word},csv", *options
            filtered = yield f"{what},{word},csv,frame.number > 0", *options
            require(alone == filtered, what, word, "means something else before a filter:", alone[:400], filtered[:400])


def check_names(what, columns):
    """An SQL engine takes all names of columns as they are. This one is a part of Python; words that DuckDB reserves beyond its are few."""
    rows = f"SELECT {','.join(f'1 AS {c}' for c in columns)}"
    try:
        found = [c[0] for c in sqlite3.connect(":memory:").execute(f"SELECT {','.join(columns)} FROM ({rows})").description]
    except sqlite3.Error as error:
        raise check.Failure(f"{what}: an SQL engine reports: {error}") from error
    require(found == columns and not {"begin", "end", "offset"} & set(columns), what, "names of columns in SQL:", found)


def check_refused(path, what, columns):
    """The words that the last message offers."""
    names = ", ".join(re.sub("_ns$", "", c) for c in columns)
    for word, reason in (("sort:nothing", 'no column is called "nothing"'), ("top:0", '"top:0" needs a number'), ("top:", "needs a number"),
                         ("top:-1", "needs a number"), ("cvs", "cvs"), ("csv,jsno", "jsno"), ("sort:", 'no column is called ""')):
        code, out, error = run("tshark", "-q", "-r", path, "-z", f"{what},{word}")
        require(code == 1 and not out, what, word, "is not refused:", code, out[:200])
        require(reason in error and f"Columns: {names}." in error and "sort:COLUMN" in error, what, word, "says:", error)
    return re.search(r"Words before the filter: ([^.]*)\.", error)[1].split(", ")


def check_wordless(f, path):
    """Statistics that Wireshark prints take a filter only; `json`, which is one, would leave nothing to count in silence. Of names that are not
    there the nearest is shown."""
    for name in (name for name in f.STATISTICS if re.fullmatch(rf"{f.NAME},(?!srt)\w+", name)):
        for wrong in name.replace(",", ",~"), f"{name}~":
            if wrong == f"{f.NAME},tree~":  # Wireshark's
                continue
            code, out, error = run("tshark", "-q", "-r", path, "-z", f"{wrong},csv", prefix=["env"])  # a new one: asked at the start
            require(code == 1 and not out and error.startswith(f"There is no statistic {wrong}. Did you mean {name}"), code, out, error[:500])
    code, out, error = run("tshark", "-q", "-r", path, "-z", f"{f.NAME},somewhere", prefix=["env"])
    require(code == 1 and not out and f"There is no statistic {f.NAME},somewhere. tshark -z help lists all.\n" in error, code, error[:500])
    for name in (f"{f.NAME},tree", f"{f.NAME},srt", f"conv,{f.NAME}", f"endpoints,{f.NAME}"):
        if name not in f.STATISTICS:
            continue
        for word in ("json", "csv", "top:3", "json,frame.number > 0"):
            code, out, error = run("tshark", "-q", "-r", path, "-z", f"{name},{word}", prefix=["env"])  # a new one: asked at the start
            require(code == 1 and not out, name, word, "is not refused:", code, out[:200])
            require(f'{name} takes a filter, but no words such as "{word.split(",")[0]}". These take words: {f.NAME}' in error, name, word, error)
        require(run("tshark", "-q", "-r", path, "-z", f"{name},(json)", "-z", f"{name},frame.number > 0", prefix=["env"])[0] == 0, name, "refuses a filter")
    for output, word in (("stacks", "count"), ("graph", "label:max"), ("chrome", "records"), ("flame", "threads"), ("callgrind", "threads")):
        name = f"{f.NAME},{output}"
        for words in ("json", f"{word},json", "all,frame.number > 0", "top:3"):
            code, out, error = run("tshark", "-q", "-r", path, "-z", f"{name},{words}")
            known = f'"{words.removeprefix(word + ",").split(",")[0]}" is a word of tables only' in error
            require(name not in f.STATISTICS or (code == 1 and not out and known), name, words, "is not refused:", code, out[:200], error)
        require(name not in f.STATISTICS or run("tshark", "-q", "-r", path, "-z", f"{name},{word},(json)")[0] == 0, name, "refuses a filter")


LARGEST = ("xray,slowest", "xray,calls", "ovni,slowest", "cacheray,slowest")


def tables_of(f):
    for name, (kind, meaning) in f.STATISTICS.items():
        if kind == "table" and name.startswith(f"{f.NAME},") and not name.endswith(",srt"):
            example = re.search(rf"`({name},[^`]+)`", meaning)
            # those with the largest of all have other rows for each column, unless there are enough of them
            yield f"{name},top:9999" if name in LARGEST else formats.with_example(example[1], "") if example else name


CASES = {
    "xray": ("xray/fdr-wrap.xray", ["-o", f"xray.binary:{CAPTURES}/xray/calls.elf"]),
    "ovni": ("ovni/v3-two-nodes", []),
    "cacheray": ("cacheray/falseshare.trace", ["-o", f"cacheray.binary:{CAPTURES}/cacheray/falseshare.elf"]),
}


def check_table(protocol, path, what, options, first):
    columns, rows = of_csv((yield f"{what},csv", *options))
    require(len(rows) > 1, what, "has no rows")
    check_names(what, columns)
    unit = ",ns" if any(c.endswith("_ns") for c in columns) else ""
    shown = of_text((yield f"{what},full,columns:all{unit}", *options))[1]
    require(shown[:len(rows)] == as_text(rows) and len(shown) <= len(rows) + 1, what, "CSV and text differ")
    chosen = of_csv((yield f"{what},csv,columns:{columns[-1]},{columns[0]}", *options))
    require(chosen == ([columns[-1], columns[0]], [[row[-1], row[0]] for row in rows]), what, "columns:", chosen)
    cells, names = of_json((yield f"{what},json", *options))
    require(cells == rows and all(n == columns for n in names), what, "CSV and JSON differ")
    two = of_csv((yield f"{what},csv", *options, "-2"))[1]
    require(two == rows, what, "two passes differ")
    none = yield f"{what},json,{protocol}.offset == 1", *options
    require(of_json(none)[0] == [] or ",diff," in what, what, "without records:", none)
    yield from check_sorted(what, options, columns, rows, first)
    yield from check_units(path, what, options, columns, rows)
    yield from check_own_words(what, options, check_refused(path, what, columns))


def test_words(name):
    path, options = CASES[name]
    path = check.entry(CAPTURES / path)
    tables = list(tables_of(formats.formats()[name]))
    require(tables, "no tables of", name)
    check_wordless(formats.formats()[name], path)
    together(path, [check_table(name, path, what, options, what == tables[0]) for what in tables])
    if name == "ovni":
        check_rows(path, "ovni,cpus", "")
        check_rows(path, "ovni,cpus", ",breakdown")
        check_rows(path, "ovni,balance", "")
        check_rows(path, "ovni,at", ",0.000001")
        check_rows(check.entry(CAPTURES / "ovni/v3-unsorted"), "ovni,lint", "")
    if name == "cacheray":
        check_rows(path, "cacheray,whatif", ",within:9", *options)
    if name == "xray":
        check_ticks()
        for log in ("fdr-single", "fdr-left", "basic-threads"):
            check_callers(CAPTURES / f"xray/{log}.xray")


def check_rows(path, what, own, *options):
    """A text with rows is a table as well: with a word of tables, before or after its own, it has the same cells, which the text may not print."""
    names, rows = of_csv(statistic(path, f"{what},csv{own}", *options))
    require(names and rows and of_csv(statistic(path, f"{what}{own},csv", *options)) == (names, rows), what, names, rows)
    require(of_json(statistic(path, f"{what},json{own}", *options))[0] == rows, what, "JSON and CSV differ")
    check_names(what, names)
    unit = ",ns" if any(n.endswith("_ns") for n in names) else ",all"
    shown = of_text(statistic(path, f"{what}{unit},full,columns:all{own}", *options))[1]
    require(shown[:len(rows)] == as_text(rows), what, rows, "are not in the text", shown)
    best = of_csv(statistic(path, f"{what},csv{own},top:1,sort:{names[0]}", *options))[1]
    want = max(cells, key=int) if (cells := [row[0] for row in rows])[0].isdigit() else min(cells)
    require([row[0] for row in best] == [want], what, "the first row by", names[0], best)
    code, _, error = run("tshark", "-q", "-r", path, "-z", f"{what},sort:nothing{own}", *options)
    require(code == 1 and 'no column is called "nothing"' in error, what, code, error)


def check_ticks():
    """In ticks of a counter that is faster than a nanosecond, and source lines."""
    log = CAPTURES / "xray/llvm-fdr-log-version-3.xray"
    for path in (log, CAPTURES / "xray/fdr-tails-o2.xray"):
        ticks, ns = (of_csv(statistic(path, f"xray,account,csv,{unit}", "-o", "xray.frequency:2500000000"))[1] for unit in ("ticks", "ns"))
        for a, b in zip(ticks, ns):
            require(a[:3] == b[:3] and all(abs(int(y) - int(x) / 2.5) <= 1 for x, y in zip(a[3:10], b[3:10])), path, a, b)
        raw, known = of_csv(statistic(path, "xray,account,csv"))[1], {r[1]: r for r in ns}
        require(all(known[row[1]][0] == row[0] for row in raw), "other functions at another frequency")


def check_callers(log):
    """By caller, as in the call graph; the outermost of recursive calls, which is the first of its name on a stack."""
    lines = statistic(log, "xray,graph").split("\n")
    edges = {(b, a): numbers for (a, b), numbers in calls.graph_table(lines)[0].items()}
    names, rows = of_csv(statistic(log, "xray,account,graph,csv", "-2"))
    at = [names.index(n) for n in ("id", "caller", "calls", "sum_ns", "unwound")]
    got = {(int(r[at[0]]), 0 if r[at[1]] == "(no caller)" else int(r[at[1]].lstrip("#"))): tuple(int(r[i]) for i in at[2:]) for r in rows}
    require(len(got) == len(rows) and got == edges, log, "by caller:", set(got.items()) ^ set(edges.items()))
    want = Counter()
    for line in statistic(log, "xray,stacks,count").split("\n"):
        stack, _, count = line.rpartition(" ")
        *around, function = stack.replace(" [unwound]", "").split(";")
        if stack and function not in around:
            want[function] += int(count)
    for options in ([], ["-2"]):
        names, rows = of_csv(statistic(log, "xray,account,outermost,csv", *options))
        require({r[0]: int(r[names.index("calls")]) for r in rows} == dict(want), log, "outermost calls:", rows, want)
    for word in ("", ",label:p90"):  # a form of the rows by caller
        require(statistic(log, f"xray,account,graph,dot{word}") == statistic(log, f"xray,graph{word}"), log, "another graph with", word)
    require(" ticks" in statistic(log, "xray,account,graph,dot,ticks"), log, "has no ticks")


def shown(name):
    """As Cacheray's names of types are shown."""
    text = re.sub("\ufffd+", "\ufffd", name.decode("utf-8", "replace"))
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\a", "\\a").replace("\x1b", "\\033")


def write_names(path):
    """A Cacheray trace with types of these names, the first of which is accessed once, the second twice, and so on."""
    out = b""
    for i, name in enumerate(NAMES):
        out += struct.pack("<BQQIII", 2, 0x7f0000001000 + 64 * i, 1, 8, 4, len(name)) + name
        out += struct.pack("<BQBQ", 0, 0x7f0000001000 + 64 * i, 8, 1) * (i + 1)
    path.write_bytes(out)


def test_hostile():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "names.trace"
        write_names(path)
        want = [[shown(name), str(i + 1)] for i, name in enumerate(NAMES)]
        for form, read in (("csv", lambda text: of_csv(text)[1]), ("json", lambda text: of_json(text)[0])):
            rows = [[re.sub("\ufffd+", "\ufffd", row[0]), row[2]] for row in read(statistic(path, f"cacheray,types,{form},sort:+reads"))]
            require(sorted(rows) == sorted(want), form, [p for p in zip(rows, want) if p[0] != p[1]][:3])
        text = [re.sub("\ufffd+", "\ufffd", row) for row in of_text(statistic(path, "cacheray,types,columns:type,reads,full"))[1]]
        require(sorted(text) == sorted(as_text(want)), "text", text)


SYMBOLS = """_RNvCs9zvTZcadg7j_1w3fib _RNvXNtCsbsFkZsjFIc5_1w8spellingINtB2_4WraphKj7_ENtB2_5Shape4area
_RNvXNtCsbsFkZsjFIc5_1w8spellingINtB2_4WrapmKj4_ENtB2_5Shape4area _RNvXs0_NtCsbsFkZsjFIc5_1w8spellingReNtB5_5Shape4area
_RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner11finish_growCs6O6TnIPaRGP_6object
_RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner11finish_growCsduwmD7cSIQq_5gimli
_D4core6thread8osthread20createLowLevelThreadFNbNiDFNbZvkQhZm _D3std4conv__T2toTAyaZ__TQlTPaZQrFNaNbQkZQx _Dmain
_ZN3foo3barEi.llvm.1234567 _ZN3foo3barEd.llvm.7654321 _ZN3foo3runEv.cold _ZN3foo3runEv _ZN4lsst4meas7calcmomEv.constprop.747
_ZN8CppCheck5checkERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE _ZN8CppCheck5checkEii plain.cold""".split()
OTHERS = ["-[MyClass init]", "+[MyClass(Extra) make:with:]", "arr1 i32", "order at shop.c:12"]  # no symbols of these languages
SHORT = ["w::fib", "<w::spelling::Wrap<u8, 7> as w::spelling::Shape>::area", "<alloc::raw_vec::RawVecInner>::finish_grow #5", "foo::bar(int)",
         "foo::bar(double)", "foo::run [.cold]", "foo::run", "lsst::meas::calcmom", "std.conv.to!(…).to!(…).to", "plain", *OTHERS]


def test_names():
    """Symbols are demangled as c++filt does, and short names differ, also at a width where they are cut."""
    with tempfile.TemporaryDirectory() as folder:
        log, names, out = Path(folder) / "names.xray", Path(folder) / "names.yaml", struct.pack("<HHIQ16x", 3, 0, 3, 10**9)
        row = "- {{ id: {0}, address: {0}, function: {0}, kind: function-enter, always-instrument: true, function-name: '{1}', version: 2 }}\n"
        for i, _ in enumerate(SYMBOLS + OTHERS, 1):
            out += b"".join(struct.pack("<HBBiQII8x", 0, 0, kind, i, 200 * i + 100 * kind, 1, 1) for kind in (0, 1))
        log.write_bytes(out)
        names.write_text("---\n" + "".join(row.format(i, name) for i, name in enumerate(SYMBOLS + OTHERS, 1)) + "...\n")
        options = ["-o", f"xray.binary:{names}"]
        found = tshark(log, ["xray.function.name", "xray.function.short"], *options).rows
        full, short = {row[0] for row in found if row[0]}, {row[1] for row in found if row[1]}
        missing = [name for name in SHORT if name not in short and name not in full]
        require(not missing, "no short names", missing, "but", sorted(short | full))
        for columns in ("80", "50", "40"):
            os.environ["COLUMNS"] = columns
            lines = statistic(log, "xray,account,all,columns:calls,function", *options).split("\n")
            cells = [line.strip().split("  ", 1)[1] for line in lines if re.match(r" *1  ", line)]
            require(len(cells) == len(SYMBOLS + OTHERS), columns, "columns:", len(cells), "rows")
            require(len(set(cells)) == len(cells), columns, "columns: equal names", sorted(cells))
            require("CppCheck::check" in "".join(cells), columns, "columns: the class is cut", cells)
        if not shutil.which("c++filt"):
            print("c++filt is not installed (Debian: binutils)")
            sys.exit(77)
        for symbol in SYMBOLS:
            language = ["-s", "dlang"] if symbol.startswith("_D") else []
            name = subprocess.run(["c++filt", "--no-verbose", *language, symbol], capture_output=True, text=True, check=True).stdout.strip()
            require(name in full, "c++filt:", name, "but", sorted(full))


REAL = "(others)"


def named_xray(folder):
    """Functions of this name and of another one."""
    log, names = folder / "log.xray", folder / "names.yaml"
    row = "- {{ id: {0}, address: {0}, function: {0}, kind: function-enter, always-instrument: true, function-name: '{1}', version: 2 }}\n"
    names.write_text("---\n" + row.format(1, REAL) + row.format(2, "z") + row.format(3, "(others)::f") + "...\n")
    calls_ = [(0, 1), (0, 2), (1, 2), (1, 1), (0, 2), (0, 1), (1, 1), (1, 2), (0, 3), (1, 3)]  # each also inside the other
    log.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 10**9) +
                    b"".join(struct.pack("<HBBiQII8x", 0, 0, kind, function, 100 * n, 1, 1) for n, (kind, function) in enumerate(calls_, 1)))
    return log, ["-o", f"xray.binary:{names}"]


def named_cacheray(folder):
    trace, out = folder / "names.trace", b""
    for i, name in enumerate((REAL.encode(), b"z", b"(others)::t")):
        out += struct.pack("<BQQIII", 2, 0x7f0000001000 + 64 * i, 1, 8, 4, len(name)) + name
        out += b"".join(struct.pack("<BQBQ", 1, 0x7f0000001000 + 64 * i, 8, 1 + n % 2) for n in range(10))
    trace.write_bytes(out)
    return trace, []


def named_ovni(folder):
    """A type of tasks, a mark, a thread's loom and a state of this name."""
    types = b"".join(memory.event(b"VYc", 2)[:0] + bytes([0x13]) + b"VYc" + struct.pack("<QI", 2, 5 + len(name)) + struct.pack("<I", n) + name + b"\0"
                     for n, name in enumerate((REAL.encode(), b"z"), 1))
    tasks = b"".join(memory.event(code, 10 * n + at, struct.pack("<II", n, second)) for n in (1, 2)
                     for at, code, second in ((1, b"VTc", n), (2, b"VTx", 0), (5, b"VTe", 0)))
    marks = b"".join(memory.event(code, at, struct.pack("<qi", value, 1)) for at, code, value in ((40, b"OM[", 1), (50, b"OM]", 1), (60, b"OM[", 2), (70, b"OM]", 2)))
    memory.ovni(folder / "trace", 1, memory.event(b"OHx", 1, struct.pack("<iiQ", 0, -1, 0)) + types + tasks + marks + memory.event(b"OHe", 90),
                {"app_id": 1, "require": {"ovni": "1.1.0", "nosv": "2.0.0"}, "loom_cpus": [{"index": 0, "phyid": 0}],
                 "mark": {"1": {"title": "phase", "chan_type": "stack", "labels": {"1": REAL, "2": "z"}}}})
    return check.entry(folder / "trace"), []


SAME_NAME = {
    "xray": ["xray,account", "xray,account,graph", "xray,calls", "xray,gaps", "xray,call,2", "xray.calls,tree", "xray.self,tree", "xray,graph", "xray,stacks",
             "xray,callgrind", "xray,flame", "xray,tree", "xray,srt"],
    "cacheray": ["cacheray,types", "cacheray,lines,offsets", "cacheray,regions", "cacheray,regions,by:type", "cacheray,slowest", "cacheray,whatif", "cacheray,tree",
                 "cacheray,callgrind", "cacheray,flame", "endpoints,cacheray"],
    "ovni": ["ovni,states", "ovni,tasks", "ovni,slowest", "ovni.states,tree", "ovni.self,tree", "ovni,stacks", "ovni,callgrind", "ovni,flame", "ovni,srt"],
}


def test_others(name):
    """What a trace calls (others) is in quotation marks: it is not the sum of what has no row of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path, options = globals()[f"named_{name}"](Path(folder))
        found = 0
        for what in SAME_NAME[name]:
            out = statistic(path, what, *options)
            for at in re.finditer(re.escape(REAL) + r"(?!::)", out):
                found += 1
                around = out[max(at.start() - 2, 0):at.end() + 2]
                require(re.fullmatch(r'(.|\n)?"%s"(.|\n)?|(.|\n)?”%s”(.|\n)?|\\"%s\\"' % ((re.escape(REAL),) * 3), around), what, "has it as", repr(around))
        require(found >= len(SAME_NAME[name]) - 4, name, "has this name only", found, "times")
        empty = {"xray": "xray.function.id == 9", "cacheray": 'cacheray.access.typename == "z"', "ovni": 'ovni.mcv == "OHe"'}[name]
        names, rows = of_csv(statistic(path, f"{name},diff,csv,{path},{empty}", *options))
        require(rows and not {row[names.index("seen")] for row in rows} & {"unknown"}, "what is gone is taken for one of the sum:", rows)


def on_terminal(columns, what, *options):
    """What is printed on a terminal of this width."""
    with contextlib.ExitStack() as opened:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with tempfile.TemporaryFile() as errors:
            done = subprocess.Popen([TOP / "tools/run", "tshark", "-n", "-q", *options, "-z", what], stdout=theirs, stderr=errors)
            os.close(theirs)
            out = opened.enter_context(open(ours, "rb", buffering=0))
            text = b""
            with contextlib.suppress(OSError):  # EIO: the other end is closed
                while more := out.read(65536):
                    text += more
            require(done.wait() == 0, what, "on a terminal failed")
    return text.decode().replace("\r\n", "\n").strip("\n").split("\n")


def test_terminal():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        print("there are no terminals here, as in a chroot")
        sys.exit(77)
    log = ["-r", CAPTURES / "search/xray-log.search.before"]
    rows = of_csv(statistic(log[1], "xray,account,csv"))[1]
    for columns in (60, 80, 132):
        lines = on_terminal(columns, "xray,account", *log)
        require(max(map(len, lines)) <= columns, columns, "columns:", max(lines, key=len))
        require(f"25 of {len(rows)} rows. All of them: -z xray,account,all" in lines, columns, "columns: no note", lines[-3:])
        require(sum(re.match(r" *[\d.]+ (ns|us|ms) ", line) is not None for line in lines) == 26, columns, "columns: not 25 rows and a sum", lines)
    require(len(on_terminal(80, "xray,account,all", *log)) >= len(rows) + 3, "the word all")
    require(len(on_terminal(80, "xray,account,top:3", *log)) < 11, "the word top")


def main():
    args = check.arguments(__doc__, test={"choices": ("words", "hostile", "terminal", "names", "others")}, format={"nargs": "?", "default": ""})
    try:
        globals()[f"test_{args.test}"](*[args.format] if args.format else [])
    except check.Failure as failure:
        sys.exit(f"{args.test} {args.format}: {failure}")


if __name__ == "__main__":
    main()
