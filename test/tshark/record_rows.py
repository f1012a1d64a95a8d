#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables with a row for each record have what -T fields prints of the same fields, whichever way the records come.

usage: record_rows.py [--build DIR] NAME...
       record_rows.py [--build DIR] words|spans|sorted|streams|columns

NAME is a path below captures/, for a trace of many files its directory: counted directly, dissected, under a filter, in two passes,
compressed, from a pipe and exported, its table has the same rows. words: what a table can be asked for. spans: the tables of calls, states and
runs of tasks have what the slowest and the sums have, and what -T fields prints of the records that end them. sorted: those that are first by
a column are what sorting all rows gives. streams: threads that write rows
of one stream each write the same ones. columns: prints those of all
tables, for golden/columns.csv.
"""
import ast
import csv
import gzip
import io
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import traces  # noqa: E402
from check import CAPTURES, HERE, arguments, compare, csv_rows, direct_form, entry, for_each, formats, require, run  # noqa: E402

COMMANDS = {"xray": "xray,records", "cacheray": "cacheray,records", "ovni": "ovni,events", "beat": None}


def table(path, command, *options, stdin=None):
    code, out, error = run("tshark", "-n", "-q", "-r", path, "-z", command, *options, stdin=stdin)
    require(code == 0 or "cut short" in error or "damaged" in error, command, "ends with", code, error[-500:])
    return out


def columns_of(command):
    _, out, _ = run("tshark", "-q", "-r", entry(CAPTURES / "cacheray/orders.trace"), "-z", f"{command},types")
    return list(csv.reader(io.StringIO(out)))[1:]


def from_field(kind, name, value):
    """A value of -T fields as the table has it."""
    if kind in ("BOOLEAN",):
        return {"1": "true", "0": "false", "True": "true", "False": "false"}[value]
    if name.endswith("_ns"):
        return str(int(Decimal(value).scaleb(9)))
    if kind.endswith("INT") or kind.endswith("INTEGER"):
        return str(int(value, 0))
    return value


def expected(path, columns, *options):
    """From -T fields; None for what has no field, or fields that print otherwise."""
    named = [(name, kind, field) for name, kind, field in columns if field]
    words = [word for _, _, field in named for word in ("-e", field)]
    _, out, _ = run("tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;",
                    *words, *options)
    for line in out.split("\n")[:-1]:
        row = {}
        for (name, kind, field), cell in zip(named, line.split("\t")):
            values = cell.split(";") if kind != "VARCHAR" else [cell]
            row[name] = ",".join(from_field(kind, name, value) for value in values) if cell else ""
        yield row


def code_of(character):
    """Of one that is not printed; -T fields has '\\x97', '\\0', '\\n'."""
    try:
        value = ast.literal_eval(character)
    except (SyntaxError, ValueError):
        return None
    return f"\\x{ord(value):02x}" if isinstance(value, str) and len(value) == 1 else None


def is_same(name, kind, got, want):
    if got == want:
        return True
    if kind == "VARCHAR":  # several values; characters; bytes
        plain = want.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r")
        return got == want.replace(";", ",") or got == plain or want == f"'{got}'" or got == code_of(want) or got == want.replace(":", "")
    return False


def check_capture(name):
    protocol = formats.of(name).NAME
    command, path = COMMANDS[protocol], entry(formats.capture(name))
    if not command:
        return
    columns = columns_of(command)
    for options in ((), ("-2",)):
        out = table(path, f"{command},csv" + (",frame" if options else ""), *options)
        got = csv_rows(out)
        want = list(expected(path, columns, *options))
        require(len(got) == len(want), name, options, len(got), "rows for", len(want), "records")
        kinds = {column: kind for column, kind, _ in columns}
        for g, w in zip(got, want):
            for column, value in w.items():
                require(is_same(column, kinds[column], g[column], value), name, options, "record", g["record"], column, "is", repr(g[column]),
                        "instead of", repr(value))
    whole = table(path, f"{command},csv")
    require(table(path, f"{command},csv,frame") == whole, name, "dissected it has other rows")
    if formats.capture(name).is_file() and protocol != "ovni":
        data = path.read_bytes()
        if protocol != "xray":  # which a pipe cannot sort
            require(table("-", f"{command},csv", stdin=data) == whole, name, "from a pipe it has other rows")
        with tempfile.TemporaryDirectory() as folder:
            packed = Path(folder) / (path.name + ".gz")
            packed.write_bytes(gzip.compress(data))
            if "fdr-left" not in name:  # missing exits of a compressed log are found only when it is read
                require(table(packed, f"{command},csv") == whole, name, "compressed it has other rows")
    with direct_form(), tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / "exported.pcapng"
        code, _, error = run("tshark", "-r", path, "-w", exported)
        if code == 0:
            rows = csv_rows(table(exported, f"{command},csv"))
            mine = csv_rows(whole)
            require(len(rows) == len(mine), name, "exported it has", len(rows), "rows instead of", len(mine))


def check_units():
    """What has no ticks stays ns, and is called so."""
    path = CAPTURES / "xray/fdr-args.xray"
    ns, ticks = (table(path, f"xray,calls,each,{unit},csv,columns:time,epoch,duration").splitlines() for unit in ("ns", "ticks"))
    require(ticks[0] == "time_ns,epoch_ns,duration_ticks", ticks[0])
    for a, b in zip(ns[1:], ticks[1:]):
        require(a.split(",")[:2] == b.split(",")[:2] and (a == b) == a.endswith(",0"), "in ns", a, "in ticks", b)
    ns, ticks = (table(path, f"xray,records,{unit},csv,columns:record,epoch,duration,idle") for unit in ("ns", "ticks"))
    require(ns == ticks, "fields in ns are called ticks", ticks[:100])
    kinds = dict(row[:2] for row in columns_of("ovni,events"))
    require(kinds["arg_value"] == "VARCHAR", "a cell with several numbers has the type of one:", kinds["arg_value"])


def check_words():
    columns = all_columns()
    compare("columns", (HERE / "golden/columns.csv").read_text(), columns)
    twice = [name for name, n in Counter(tuple(line.split(",")[:3]) for line in columns.splitlines()).items() if n > 1]
    require(not twice, "columns with the same name:", twice)
    path = entry(CAPTURES / "cacheray/orders.trace")
    some = table(path, "cacheray,records,columns:record,time,address,size")
    rows = list(csv.reader(io.StringIO(some)))
    require(rows[0] == ["record", "time_ns", "address", "size"], rows[0])
    plain = [row for row in rows[1:] if row[2]][0]
    hexed = [row for row in csv.reader(io.StringIO(table(path, "cacheray,records,columns:record,time,address,size,hex"))) if row[2]][1]
    require(plain[2].isdigit() and hexed[2] == f"0x{int(plain[2]):x}", plain, hexed)
    lines = table(path, "cacheray,records,json,columns:record,atomic,address,access_typename").splitlines()
    require(len(lines) == len(rows) - 1, "an object a line")
    for line, row in zip(map(json.loads, lines), rows[1:]):
        require(line["record"] == int(row[0]) and (line["address"] is None) == (row[2] == ""), line, row)
    require(len(table(path, "cacheray,records,top:3").splitlines()) == 4, "top:3")
    check_units()
    trace = (CAPTURES / "cacheray/falseshare.trace").read_bytes()  # what came before cannot be known, but the records are there
    os.environ["WIRETRACE_TIME"] = "0.0005,0.0006"
    code, out, error = run("tshark", "-q", "-r", "-", "-z", "cacheray,records,csv,columns:address,line", stdin=trace)
    del os.environ["WIRETRACE_TIME"]
    require(code == 2 and "not known" in error and len(out.splitlines()) > 50 and "unknown" not in out, code, out[:200], error)
    names = {name for command in COMMANDS.values() if command for name, _, _ in columns_of(command)}
    for name in ("function_id", "duration_ns", "address", "time_ns", "epoch_ns", "record", "description", "access_typename", "member"):
        require(name in names, name, "is not a column")


def rows_of(path, command, *options):
    return csv_rows(table(path, command, *options))


def check_spans():
    for name in ("xray/fdr-args.xray", "xray/fdr-tails-o2.xray", "xray/basic-args-deep.xray", "xray/fdr-cpus.xray"):
        path = CAPTURES / name
        each = rows_of(path, "xray,calls,each,csv")
        slowest = rows_of(path, "xray,calls,csv,top:99999999")
        key = lambda row: (row["begin_record"] if "begin_record" in row else row["entry"], row["duration_ns"], row["self_ns"])  # noqa: E731
        timed = sorted(key(row) for row in each if row["duration_ns"])
        require(timed and timed == sorted(key(row) for row in slowest), name, len(timed), "calls are not the", len(slowest), "of xray,calls")
        at = {row["entry"]: row["at_ns"] for row in slowest}
        require(all(at[row["begin_record"]] == row["time_ns"] for row in each if row["duration_ns"]), name, "begins differ")
        dissected = rows_of(path, "xray,calls,each,csv,frame")
        require(dissected == each, name, "dissected it has other calls")
        exits = {row["end_record"] for row in each if row["unwound"] == "false"}
        records = rows_of(path, "xray,records,csv,columns:record,duration,entry")
        require(exits == {row["record"] for row in records if row["duration_ns"] and row["entry"]}, name, "exits differ")
    open_calls = 0
    for name in ("xray/fdr-left.xray", "xray/fdr-cut-event.xray", "xray/fdr-args.xray", "xray/llvm-fdr-log-version-1.xray"):
        path = CAPTURES / name
        each = rows_of(path, "xray,calls,each,csv")
        known = ("time_ns", "thread", "process", "function_id", "caller_id")
        entries = {row["record"]: row for row in rows_of(path, f"xray,records,csv,columns:record,kind,time,{','.join(known[1:])}")
                   if row["kind"] in ("1", "4")}
        require({row["begin_record"] for row in each} == set(entries), name, "a row for each call, also if it is open at the end")
        for row in each:
            if not row["end_record"]:
                open_calls += 1
                require(all(row[k] == entries[row["begin_record"]][k] for k in known), name, row, entries[row["begin_record"]])
                require(not any(row[k] for k in ("duration_ns", "self_ns", "unwound", "unsure")), name, "has an end:", row)
        require(rows_of(path, "xray,calls,each,csv,frame") == [row for row in each if row["end_record"]], name, "a filter has other rows")
    require(open_calls > 5, "no call is open at the end of a log")
    with tempfile.TemporaryDirectory() as folder:
        cut = Path(folder) / "cut"  # in the middle of tasks
        shutil.copytree(CAPTURES / "ovni/v3-nanos6", cut)
        for stream in cut.rglob("*.obs"):
            os.truncate(stream, stream.stat().st_size * 2 // 3)
        check_open_states([*(CAPTURES / "ovni" / name for name in ("v3-two-nodes", "v3-unfinished", "v3-nanos6")), cut])


def check_open_states(traces_):
    open_rows = Counter()
    for folder, (what, column) in itertools.product(traces_, (("states", "state"), ("tasks", "label"))):
        name, path = folder.name, entry(folder)
        each = rows_of(path, f"ovni,{what},each,csv")
        sums, active = Counter(), Counter()
        for row in each:
            sums[row[column], row["model"]] += int(row["duration_ns"])
            active[row[column], row["model"]] += int(row["active_ns"]) if row[column] != "Dead" else 0  # which sums do not call active
            open_rows[what] += not row["end_record"]
        told = rows_of(path, f"ovni,{what},csv")
        for which, got in ("sum_ns", sums), ("active_ns", active):
            want = {(row.get("state") or row["label"], row["model"]): int(row[which]) for row in told}
            require(want == got, name, what, which, "of rows are", got, "instead of", want)
        require(rows_of(path, f"ovni,{what},each,csv,frame") == each, name, what, "differ if dissected")
        chosen = rows_of(path, f'ovni,{what},each,csv,ovni.model == "ovni"')
        require([row for row in chosen if row["model"] == "ovni"] == [row for row in each if row["model"] == "ovni"] and
                {row["state"] for row in chosen if row["model"] != "ovni"} <= {"Progressing"},  # which begins with the thread
                name, what, "a filter has other rows")
        if what == "states":  # a row begins when the thread came into the state
            times = {row["record"]: int(row["time_ns"]) for row in rows_of(path, "ovni,events,csv,columns:record,time")}
            require(all(times[row["begin_record"]] == int(row["time_ns"]) for row in each if not row["end_record"]), name, "begins of open states differ")
            slow = [row for row in rows_of(path, "ovni,slowest,csv,every,all") if row["kind"] != "task"]
            require(Counter((row["begin_record"], row["end_record"], row["duration_ns"], row["name"], row["thread"]) for row in slow) ==
                    Counter((row["begin_record"], row["end_record"], row["duration_ns"], row["state"], row["thread"]) for row in each),
                    name, "ovni,slowest has other states")
    require(open_rows["states"] > 20 and open_rows["tasks"] > 0, "nothing is open at the end:", open_rows)


SORTED = {"xray/fdr-cpus.xray": ("xray,calls,each", "xray,records"), "xray/fdr-left.xray": ("xray,calls,each", "xray,records"),
          "xray/basic-args-deep.xray": ("xray,calls,each",), "cacheray/orders.trace": ("cacheray,records",),
          "ovni/v3-nanos6": ("ovni,states,each", "ovni,tasks,each", "ovni,events"), "ovni/v3-unsorted": ("ovni,events",)}


def in_order(rows, column, falling, texts=False):
    """Rows without a number come last, and equal ones stay in their order."""
    if texts:
        return sorted(rows, reverse=falling, key=lambda row: row[column].encode())
    return sorted((row for row in rows if row[column]), reverse=falling, key=lambda row: int(row[column])) + [row for row in rows if not row[column]]


def check_sorted():
    for name, commands in SORTED.items():
        path = entry(CAPTURES / name)
        for command, passes in itertools.product(commands, ((), ("-2",))):
            rows = rows_of(path, f"{command},csv", *passes)
            columns = [(name, kind == "VARCHAR") for name, kind, _ in columns_of(command) if kind != "BOOLEAN"]
            for number, (column, texts) in enumerate(columns[bool(passes)::3]):
                falling, top = number % 2 == 0, 1 + number % 7
                word = f"sort:{'-' if falling else '+'}{column},top:{top}"
                want = in_order(rows, column, falling, texts)[:top]
                few = ",columns:" + columns[0][0] if number % 3 == 2 else ""  # whether the column is printed makes no difference
                got = rows_of(path, f"{command},csv,{word}{few}", *passes)
                require(got == [{key: row[key] for key in got[0]} for row in want], name, command, word, few, passes, "has", got, "instead of", want)
    path = CAPTURES / "xray/fdr-cpus.xray"
    want = in_order(rows_of(path, "xray,calls,each,csv"), "duration_ns", True)[:3]
    out = table(path, "xray,calls,each,json,sort:duration,top:3,columns:duration")
    require([json.loads(line)["duration_ns"] for line in out.splitlines()] == [int(row["duration_ns"]) for row in want], out, want)
    require([row["begin_record"] for row in rows_of(path, "xray,calls,each,csv,sort:duration,top:3,frame")] == [row["begin_record"] for row in want],
            "dissected other calls take longest")


ORDERED = {"xray,calls,each": {"begin_record", "end_record"}, "xray,records": {"record", "entry", "exit", "caller", "within", "missing", "idle_ns"}}
CHOSEN = {"xray,calls,each": (["duration_ns"], ["function_id", "thread", "time_ns"], ["self_ns", "unwound"]),
          "xray,records": (["kind", "function_name", "function_tsc_delta", "thread"], ["epoch_ns", "depth", "self_ns", "caller_id", "stack", "offset"])}


def damaged(path, folder, count):
    """Copies with some bytes changed, and one that is cut."""
    data, choice = path.read_bytes(), random.Random(7)
    for number in range(count):
        copy = bytearray(data)
        for _ in range(3):
            copy[choice.randrange(64, len(copy))] = choice.randrange(256)
        at = Path(folder) / f"{number}-{path.name}"
        at.write_bytes(copy[:choice.randrange(len(copy) // 2, len(copy))] if number == 0 else copy)
        yield at


def check_threads(path, command, form):
    """Returns whether threads have written the rows."""
    want = table(path, command)
    _, got, log = run("tshark", "-n", "-q", "-o", "wiretrace.threads:3", "--log-level=info", "--log-domains=Wiretrace", "-r", path,
                      "-z", f"{command},order:stream")
    title = form == "csv"
    require(got.split("\n")[:title] == want.split("\n")[:title] and sorted(got.split("\n")) == sorted(want.split("\n")), path.name, command,
            "threads write other rows")
    threads = "directly in" in log
    require(threads != ("order:stream changes nothing" in log), path.name, "it must be reported where threads write no rows", log)
    return threads


def check_streams():
    in_threads = {}
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.xray"  # rows of many blocks, which end anywhere
        traces.make_xray(large, 60_000, 5)
        data, repeated = large.read_bytes(), Path(folder) / "repeated.xray"
        repeated.write_bytes(data + data[32:32 + 16 + int.from_bytes(data[33:41], "little")])  # its first buffer
        paths = [*sorted((CAPTURES / "xray").glob("*.xray")), *(CAPTURES / "search").glob("xray-log.*"), large, repeated,
                 *damaged(CAPTURES / "xray/fdr-cpus.xray", folder, 12)]
        names = {command: [row[0] for row in columns_of(command) if row[0] not in ORDERED[command]] for command in CHOSEN}
        for (number, path), command in itertools.product(enumerate(paths), CHOSEN):
            forms = list(itertools.product((names[command], *CHOSEN[command]), ("csv", "json")))
            # all columns as CSV, and another of the forms
            for columns, form in forms if path.name in ("large.xray", "repeated.xray", "fdr-left.xray") else (forms[0], forms[1:][number % len(forms[1:])]):
                threads = check_threads(path, f"{command},{form},columns:{','.join(columns)}", form)
                in_threads.setdefault((path.name, command), []).append(threads)
    every = {key for key, values in in_threads.items() if all(values)}
    require(len(every) >= 20 and {(name, c) for name in ("large.xray", "repeated.xray") for c in CHOSEN} <= every, in_threads)
    require(any(key[0].startswith(f"{n}-") for n in range(1, 12) for key in every), "no damaged copy is read by threads", in_threads)
    calls, records = (in_threads["fdr-left.xray", c] for c in CHOSEN)  # where its calls end depends on all of it, what its records have does not
    require(not any(calls) and any(records) and not all(records), calls, records)
    for table_, ordered in ORDERED.items():
        for words, why in (("order:stream", "order of all records"), ("order:stream,columns:thread,top:3", "all rows"),
                           ("order:stream,columns:thread,sort:thread,top:3", "all rows"),
                           *((f"order:stream,columns:thread,{name}", "order of all records") for name in ordered)):
            code, out, error = run("tshark", "-q", "-r", CAPTURES / "xray/fdr-cpus.xray", "-z", f"{table_},csv,{words}")
            require(code == 1 and not out and why in error, words, code, error)
    for path, command in (("cacheray/orders.trace", "cacheray,records"), ("ovni/v3-two-nodes", "ovni,events"),
                          ("ovni/v3-two-nodes", "ovni,states,each"), ("ovni/v3-two-nodes", "ovni,tasks,each")):
        code, out, error = run("tshark", "-q", "-r", entry(CAPTURES / path), "-z", f"{command},order:stream")
        require(code == 1 and not out and "not possible" in error, code, error)


def all_columns():
    """Names, types and fields of all tables: an interface, like the names of fields. A new field must not rename other columns."""
    return "".join(f"{command},{','.join(column)}\n" for command in sorted(filter(None, COMMANDS.values())) for column in columns_of(command))


SPECIAL = {"words": check_words, "spans": check_spans, "sorted": check_sorted, "streams": check_streams}


def main():
    args = arguments(__doc__, names={"nargs": "+"})
    if args.names == ["columns"]:  # > test/tshark/golden/columns.csv
        print(all_columns(), end="")
    elif args.names[0] in SPECIAL:
        SPECIAL[args.names[0]]()
    else:
        for_each(check_capture, args.names)


if __name__ == "__main__":
    main()
