#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What other programs read in pictures, texts and tables of statistics: Speedscope, callgrind_annotate, Graphviz, flamegraph.pl, data frames.

usage: readers.py [--build DIR] TEST [CAPTURE...]

  timelines         Speedscope's importer nests all spans of all captures, with the right depth and sums, without a warning
  made              the same for logs that are made, whose counters have odd frequencies, and whose calls often begin or end at once
  stacks CAPTURE    Speedscope adds up folded stacks to the self time of all calls, and to the duration of the outermost ones
  profiles CAPTURE  Speedscope adds up a profile to its total
  tables READER     DuckDB, polars, pandas or R takes the names of all columns of all tables as they are, and reads the cells as they are written
  names             names of functions with quotes, semicolons, backslashes and the like are the same for all readers

Exit status 77: skipped, the reader is missing.
"""
import html
import json
import math
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
import calls  # noqa: E402
import check  # noqa: E402
import npm  # noqa: E402
import ovni  # noqa: E402
import pictures  # noqa: E402
import tables  # noqa: E402
from check import csv_rows, formats, protocol_of, require, skip, statistic  # noqa: E402
from pdu import folder, opened  # noqa: E402


def speedscope_package():
    try:
        return npm.folder_of("speedscope") / "speedscope"
    except npm.Missing as reason:
        skip(reason)


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


def compare(where, shown, spans, unit=2**-15):
    """A profile of Speedscope with spans in ns. It adds up in doubles, and each span is a unit shorter, which is so many us."""
    depth, total, *sums = of_spans(spans)
    near = lambda us, ns: abs(us - ns / 1000) <= len(spans) * 2 * unit
    require(shown["depth"] == depth, where, "has the depth", shown["depth"], "expected", depth)
    require(near(shown["total"], total), where, "takes", shown["total"], "expected", total / 1000)
    for what, by_name in zip(("spans", "selves"), sums):
        shown[what] = {name: us for name, us in shown[what].items() if us or name in by_name}  # what is open where its lane ends takes no time
        require(shown[what].keys() == by_name.keys(), where, "shows", shown[what].keys() ^ by_name.keys())
        for name, us in shown[what].items():
            require(near(us, by_name[name]), where, f"{name} takes", us, "expected", by_name[name] / 1000, what)


def check_timeline(where, text, shown):
    lanes, names, left = defaultdict(list), {}, []
    for event in json.loads(text, parse_float=str)["traceEvents"]:
        lane = str(event["pid"]), str(event["tid"])
        if event["ph"] == "X":
            begin = pictures.nanoseconds(event["ts"])
            lanes[lane].append((begin, begin + pictures.nanoseconds(event["dur"]), event["name"]))
        elif event["name"] == "thread_name":
            names[lane] = event["args"]["name"]
        elif event["ph"] == "B":
            left.append((lane, event))
    for lane, event in left:  # ends with its lane
        lanes[lane].append((pictures.nanoseconds(event["ts"]), 0, event["name"]))
    for lane, spans in lanes.items():
        end = max(max(span[:2]) for span in spans)
        count = sum(of == lane for of, _ in left)
        lanes[lane] = [(begin, end, name) for begin, _, name in spans[len(spans) - count:] if begin < end] + spans[:len(spans) - count]
    open_at_end = [f'Frame "{event["name"]}" was still open at end of profile. Closing automatically.' for _, event in left]
    require(sorted(shown["warnings"]) == sorted(open_at_end), where, "Speedscope:", shown["warnings"][:3])
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


def make_log(path, seed, frequency, start, gap, calls=13000):
    """A log of basic mode, and its calls (begin, end, name), in ns: three functions, five deep, many in the same tick; all but the
    first begin after a gap."""
    r = random.Random(seed)
    record, tsc, stack, spans, out = struct.Struct("<HBBiQII8x"), max(start, 1), [], [], struct.pack("<HHIQ16x", 3, 0, 3, frequency)
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
            if not stack and gap:
                tsc, gap = tsc + gap, 0
    path.write_bytes(out)
    return [span for span in spans if span[0] < span[1]]


def test_made(_name=""):
    with folder() as place:
        day = 86400
        for seed, (frequency, days, gap, unit) in enumerate((
                (2596120000, 0, 0, 2**-15), (3333333333, 40, 0, 2**-15), (999999937, 1, 3, 2**-15), (10**9, 400, 4, 2**-14),
                (2596120000, 0, 49, 2**-11), (19200000, 0, 0, 2**-15), (1000003, 3, 0, 2**-15), (1500007, 1, 49, 2**-11),
                (24000000, 2000000, 0, 2**-15))):  # 5,500 years, which 64 bits do not hold in ns
            log, timeline = place / "made.xray", place / "made.json"
            spans = make_log(log, seed, frequency, frequency * day * days, frequency * day * gap)
            timeline.write_text(pictures.picture(log, "xray,chrome"))
            shown, = speedscope(timeline)
            require(not shown["warnings"], frequency, "Hz, Speedscope:", shown["warnings"][:3])
            compare(f"{frequency} Hz", shown["profiles"][0], spans, unit)
            # of two calls of one function that end at once it may take the numbers of the other one, with a warning
            timeline.write_text(pictures.picture(log, "xray,chrome,records"))
            shown, = speedscope(timeline)
            require(all(w.endswith(" instead.") and "Doing nothing" not in w for w in shown["warnings"]), frequency, shown["warnings"])
            require(shown["profiles"][0]["depth"] == of_spans(spans)[0], frequency, "Hz: another depth with numbers of records")


# --- folded stacks and profiles -----------------------------------------------------------------------------------------
def imported(text, name="text"):
    with folder() as place:
        (place / name).write_text(text)
        shown, = speedscope(place / name)
    require(not shown["warnings"], "Speedscope:", shown["warnings"][:3])
    return shown["profiles"]


def drawn_flames(text):
    """Name -> the sum of its bars in what flamegraph.pl draws."""
    program = next((path for path in (shutil.which("flamegraph.pl"), "/usr/share/perl5/Devel/NYTProf/flamegraph.pl") if path and Path(path).exists()), None)
    if not program:
        skip("flamegraph.pl is not installed (Debian: tools/packages readers)")
    done = subprocess.run(["perl", program, "--minwidth=0"], input=text, capture_output=True, check=False, text=True)
    require(done.returncode == 0 and not done.stderr, "flamegraph.pl:", done.stderr)
    sums = defaultdict(int)
    for name, n in re.findall(r"<title>(.*) \(([\d,]+) samples", done.stdout):
        sums[html.unescape(name)] += int(n.replace(",", ""))
    require(sums.pop("all") == sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line), "flamegraph.pl adds up to another sum")
    return sums


def test_stacks(name):
    path, protocol = check.entry(formats.capture(name)), protocol_of(name)
    if protocol == "xray":
        model = calls.Model(check.tshark(path, calls.RAW))
        want = sum(call.self or 0 for call in model.finished)
    else:
        want = sum(ovni.Model(formats.capture(name)).stacks(lambda r: r.self, False).values())
    profile, = imported(pictures.picture(path, f"{protocol},stacks"))
    require(profile["total"] == want > 0, "Speedscope adds up to", profile["total"], "expected", want)
    outermost = {}
    for stack, n in calls.stacks_table(calls.tap(path, [], f"{protocol},stacks,time")).items():
        if stack.count(";") == (protocol == "ovni"):
            outermost[stack.split(";")[0]] = outermost.get(stack.split(";")[0], 0) + n
    shown = {n: profile["outermost"].get(n) for n in outermost}
    calls.differences("outermost calls", outermost, shown)


def test_profiles(name):
    path, protocol = check.entry(formats.capture(name)), protocol_of(name)
    text = pictures.picture(path, f"{protocol},callgrind")
    totals = [int(n) for n in re.search(r"^summary: (.*)$", text, re.M)[1].split()]
    for total, profile in zip(totals, imported(text), strict=True):  # it rounds what each call takes
        require(abs(profile["total"] - total) <= text.count("calls="), profile["name"], "adds up to", profile["total"], "expected", total)


# by number of the function; those in capital letters are not called
NAMES = [b"Profile", b"semi;colon", b'quo"te', b"back\\slash", b"FIVE", b"new\nline", b"SEVEN", b"EIGHT", b"(2) number", b"TEN",
         b" {brace}|bar 5"]


def odd_program(place):
    """A program whose functions have these names."""
    source, program = place / "odd.c", place / "odd"
    width = max(map(len, NAMES))
    functions = "".join(f"__attribute__((xray_always_instrument, noinline)) void {'f' * (width - 2)}{i:02}(void) {{}}\n" for i in range(len(NAMES)))
    source.write_text(f"{functions}int main(void) {{ return 0; }}\n")
    if not shutil.which("clang") or subprocess.run(["clang", "-fxray-instrument", source, "-o", program], capture_output=True, check=False).returncode:
        skip("clang is not installed (Debian: tools/packages checks)")
    data = program.read_bytes()
    for i, name in enumerate(NAMES):
        data = data.replace(b"f" * (width - 2) + b"%02d\0" % i, name.ljust(width, b"\0") + b"\0")
    program.write_bytes(data)
    return program


def test_names(_name=""):
    with folder() as place:
        options = ["-o", f"xray.binary:{odd_program(place)}"]
        made = lambda what: pictures.picture(formats.capture("xray/fdr-single.xray"), what, *options)
        want = {row["function"] for row in csv_rows(made("xray,account,csv,columns:function,calls"))}
        odd = {name for name in want if not re.fullmatch(r"#\d+|\w+", name)}
        require(len(odd) >= 6, "names are", want)
        events = json.loads(made("xray,chrome"))["traceEvents"]
        shown = {e["name"] for e in events if e["ph"] == "X"}
        require("Profile()" in shown and "Profile" not in shown, "the Firefox Profiler opens nothing with", shown)
        short = {name.replace("Profile()", "Profile") for name in shown}
        require(len(short) == len(want), "a timeline has the names", short)
        for what, expected in (("xray,chrome", shown), ("xray,callgrind", {name.strip() for name in short} | {"(no caller)"}),
                               ("xray,stacks", folded := {re.sub(r" (?=\d+$)", "\xa0", name.replace(";", ",")) for name in want})):
            shown = {name for profile in imported(made(what)) for name in profile["spans"]}
            require(shown == expected, what, "in Speedscope has the names", shown ^ expected)
        shown = drawn_flames(made("xray,stacks,count"))
        require(shown.keys() == folded, "flamegraph.pl draws", shown.keys() ^ folded)
        if check.asked("callgrind_annotate", "valgrind"):
            (place / "profile").write_text(made("xray,callgrind"))
            _, rows = pictures.annotated(place / "profile", "--inclusive=yes")
            shown = {name.split(":", 1)[1] for name in rows}
            want = {name.strip() for name in short}  # blanks around a name are not a part of it in this format
            require(shown - {"(no caller)"} == want, "callgrind_annotate has the names", shown ^ want)
        if check.asked("dot", "graphviz"):
            done = subprocess.run(["dot", "-Tjson"], input=made("xray,graph"), capture_output=True, check=False, text=True)
            require(done.returncode == 0 and not done.stderr, "dot:", done.stderr)
            drawn = {next(op["text"] for op in node["_ldraw_"] if op["op"] == "T") for node in json.loads(done.stdout)["objects"]}
            require(drawn == short | {"(no caller)"}, "dot draws", drawn ^ short)


# --- tables -----------------------------------------------------------------------------------------------------------
def written(place):
    """Writes all tables of all formats to files; those of rows too, and one of odd names. Returns their names of columns and cells by file."""
    tables.write_names(place / "names")
    printed = {("names", form): statistic(place / "names", f"cacheray,types,{form}") for form in ("csv", "json")}
    for f in formats.formats().values():
        if f.NAME not in tables.CASES:
            continue
        path, options = tables.CASES[f.NAME]
        path, wanted = check.entry(formats.capture(path)), list(tables.tables_of(f))
        taps = [f"{what},{form}" for what in wanted for form in ("csv", "json")]
        for tap, lines in check.tshark(path, ["frame.number"], *options, taps=taps).printed.items():
            printed[tuple(tap.rsplit(",", 1))] = "\n".join(lines)
        for what in (name for name, (kind, _) in f.STATISTICS.items() if kind == "rows"):
            printed.update({(what, form): statistic(path, f"{what},{form}", *options) for form in ("csv", "json")})
    found = {}
    for (what, form), text in printed.items():
        file = place / f"{re.sub('[^a-z0-9]+', '-', what[:40])}-{len(found)}.{form}"
        file.write_text(text)
        found[file] = tables.of_csv(printed[what, "csv"])
    require(len(found) > 40, "only", len(found), "tables")
    return found


def ask_duckdb(found, place):
    npm.make_duckdb(place)
    one = "COPY (SELECT {} FROM read_{}('{}')) TO '{}.out' (FORMAT csv, HEADER);\n"
    sql = "".join(one.format(", ".join(names), "csv" if file.suffix == ".csv" else "json", file, file) for file, (names, _) in found.items())
    program = shutil.which("duckdb") or place / "duckdb"
    return subprocess.run([program], input=sql, capture_output=True, check=False, text=True)


POLARS = """const polars = require("nodejs-polars"), fs = require("fs");
for (const [file, names] of Object.entries(JSON.parse(fs.readFileSync(0))))
    if (file.endsWith(".csv")) polars.readCSV(file).select(...names).writeCSV(file + ".out");"""
PANDAS = """import json, pandas, sys
for file, names in json.load(sys.stdin).items():
    if file.endswith(".csv"):
        data = pandas.read_csv(file, keep_default_na=False, na_values=[""], low_memory=False)
    else:
        with open(file) as text:
            begins = text.read(1)
        data = pandas.read_json(file, lines=begins == "{", dtype=False, convert_dates=False)
    data.query(" and ".join(f"{name} == {name}" for name in names))
    data[names].to_csv(file + ".out", index=False)"""
R = """for (file in list.files(".", "[.]csv$")) {
    names <- sub("^function$", "function.", strsplit(readLines(file, 1), ",")[[1]])
    data <- read.csv(file, na.strings = "", colClasses = "character")
    chosen <- as.data.frame(lapply(names, function(name) eval(parse(text = name), data)))
    write.table(setNames(chosen, sub("[.]$", "", names)), paste0(file, ".out"), sep = ",", qmethod = "double", na = "", row.names = FALSE)
}"""


def ask_script(found, place, *command, env=None):
    asked = json.dumps({str(file): names for file, (names, _) in found.items()})
    return subprocess.run(command, input=asked, capture_output=True, check=False, text=True, cwd=place, env={**os.environ, **(env or {})})


def ask_polars(found, place):
    return ask_script(found, place, "node", "-e", POLARS, env={"NODE_PATH": str(npm.folder_of("nodejs-polars"))})


def ask_pandas(found, place):
    python = next((p for p in (sys.executable, "/usr/bin/python3") if not subprocess.run([p, "-c", "import pandas"], capture_output=True, check=False).returncode), None)
    return ask_script(found, place, python, "-c", PANDAS) if python else skip("pandas is not installed (Debian: tools/packages readers)")


def ask_r(found, place):
    return ask_script(found, place, "Rscript", "-e", R) if shutil.which("Rscript") else skip("R is not installed (Debian: tools/packages readers)")


def same_cell(got, want):
    """Readers write numbers and truths in other ways, and nothing else."""
    if got == want or got.lower() == want:
        return True
    if re.fullmatch("0x[0-9a-f]+", want):
        return got.isdigit() and int(got) == int(want, 16)
    return None not in (pair := (tables.number(got), tables.number(want))) and math.isclose(*pair, rel_tol=1e-14)


def test_tables(reader):
    with folder() as place:
        found = written(place)
        try:
            done = {"duckdb": ask_duckdb, "polars": ask_polars, "pandas": ask_pandas, "R": ask_r}[reader](found, place)
        except npm.Missing as reason:
            skip(reason)
        require(done.returncode == 0, reader, "reports:", done.stderr[-1000:])
        outs = list(place.glob("*.out"))
        for out in outs:
            names, rows = found[out.with_suffix("")]
            columns, cells = tables.of_csv(out.read_text())
            require(columns == names and len(cells) == len(rows), reader, out.name, "has", columns, len(cells), "expected", names, len(rows))
            for row, want in zip(cells, rows):
                wrong = [(name, *pair) for name, *pair in zip(names, row, want) if not same_cell(*pair)]
                require(not wrong, reader, out.name, "reads", wrong[:2])
        require(len(outs) >= len(found) // 2, reader, "has read only", len(outs), "tables")


TESTS = {"tables": test_tables, "stacks": test_stacks, "profiles": test_profiles, "names": test_names, "timelines": test_timelines, "made": test_made}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(TESTS[args.test], args.captures or [""])


if __name__ == "__main__":
    main()
