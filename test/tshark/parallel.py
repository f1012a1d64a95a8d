#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/parallel prints what a single run prints, byte for byte, or says why it cannot.

usage: parallel.py [--build DIR] (PROTOCOL | refused)

Of each capture that has several parts: every field that is not refused, in two passes, and another form in turn. A capture
with one part is a single run.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, Failure, arguments, entry, formats, require, run  # noqa: E402

COLUMNS = [f"_ws.col.{name}" for name in ("Info", "Protocol", "Source", "Destination")]
FRAME = "number time_epoch time_relative len cap_len interface_id interface_name protocols".split()
ODD = ["-E", "header=y", "-E", "quote=d", "-E", "separator=,", "-E", "occurrence=a", "-E", "aggregator=;"]
ONE_FUNCTION = """---
- { id: 1, address: 0x4233D0, function: 0x4233D0, kind: function-enter, always-instrument: true, function-name: one }
...
"""


def parallel(*words, **environment):
    at = words.index("tshark")
    words = [TOP / "tools" / "parallel", *words[:at], "--jobs", "2", *words[at:]]
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "replace")


def same(path, *words):
    want, got = run("tshark", "-n", "-r", path, *words), parallel("tshark", "-n", "-r", path, *words)
    lines = zip(want[1].split("\n"), got[1].split("\n"))
    where = next((n for n, pair in enumerate(lines, 1) if pair[0] != pair[1]), "the end")
    require(want[:2] == got[:2], path, *words, "ends with", got[0], "instead of", want[0], "and differs at", where, got[2])
    require(want[1], path, *words, "prints nothing")


def same_table(f, path):
    """But for the columns that are left out. Where the order of rows is not known, it says so."""
    for name, table in f.TABLES.items():
        lost = [f"{column}_{table['unit']}" for column in table["lost"]]
        for words in ("", ",sort:id", f",sort:+{table['texts'][0]},top:3", f",{table['flags'][-1]},sort:{table['sorted']},{f.KIND} > 0"):
            options = ["tshark", "-n", "-q", "-r", path, "-z", f"{name},csv,{table['unit']}{words}"]
            want = list(csv.DictReader(run(*options)[1].splitlines()))
            code, out, error = parallel("--without", ",".join(table["lost"]), *options)
            got = list(csv.DictReader(out.splitlines()))
            column = f"{table['sorted']}_{table['unit']}"
            if code == 65 and "their order is not known" in error and len({row[column] for row in want}) < len(want):
                continue
            kept = [[(column, cell) for column, cell in row.items() if column not in lost] for row in want]
            require(code in (0, 2) and want and [list(row.items()) for row in got] == kept, path, words, "is", out[:500], error)


def fields_of(f):
    lines = [line.split("\t") for line in run("tshark", "-G", "fields")[1].split("\n")]
    kinds = {parts[2]: parts[3] for parts in lines if parts[0] == "F" and parts[4] == f.NAME}
    numbers = {name for name, kind in kinds.items() if kind == "FT_FRAMENUM"}
    require(numbers == {f"{f.NAME}.{word}" for word in f.NUMBERS.split()}, "numbers of records are", *sorted(numbers))
    return list(kinds)


def refused(path, words, *options, status=64, **environment):
    code, out, error = parallel("tshark", "-n", "-r", path, *options, **environment)
    require(code == status and words in error and (status == 65 or not out), *options, "ends with", code, out[:200], error)


def streams(path):
    program = Path(os.environ["WIRETRACE_BUILD"]) / "stream-order"
    done = subprocess.run([program, "streams", path], stdout=subprocess.PIPE, check=True)
    words = done.stdout.decode().split("\0")[1:-1]
    return [(name, loom) for framing, _, name, loom in zip(*(iter(words),) * 4) if framing == "0"]


def with_e(fields):
    return [word for name in fields for word in ("-e", name)]


def check_protocol(name):
    f, number = formats.formats()[name], 0
    every = fields_of(f)
    told = parallel("tshark", "-r", entry(formats.capture(f.PAIR[0])), "-T", "fields", *with_e(every))
    require(told[0] == 64, "no field is refused")
    kept = [field for field in every if not re.fullmatch(rf"{name}\.({f.WHOLE})", field)]
    own = [field for field in kept if field.partition(".")[2] in f"{f.OWN} {f.CONTEXT}".split()]
    frame = [f"frame.{word}" for word in FRAME]
    filtered = ["-Y", f"{f.KIND} == 1", "-2", "-T"]
    stacks = f.SUMMED[0]
    turns = [
        ["-q", "-z", stacks], [*filtered, "fields", *ODD, *with_e([*kept, "frame.number"])], ["-T", "json"],
        [*filtered, "json", *with_e([kept[-1], *kept[:9]])], ["-T", "fields", *with_e(["frame.number", *own, COLUMNS[0]])],
        ["-q", "-z", f"{stacks},count,threads,{f.KIND} != 0"],
        ["-Y", f"{f.KIND} in {{1, 2}}", "-T", "json", *with_e(["frame.number", *own])],
    ]
    for capture in formats.captures():
        path = entry(formats.capture(capture))
        if formats.of(capture) is not f or len(streams(path)) < 2:
            continue
        divided = len({f.belongs(*stream, kept, "fields") for stream in streams(path)}) > 1
        same(path, "-2", "-T", "fields", *with_e([*frame, *([*kept, *COLUMNS] if divided else own)]))
        turn = turns[number % len(turns)]
        same(path, *(turn if turn != ["-T", "json"] or not f.WHOLE_ALWAYS else turns[3]))
        if number == 0:
            same_table(f, path)
        number += 1
    require(number > 3, "only", number, "captures have parts")


def check_refused():
    log, trace = CAPTURES / "xray/basic-threads.xray", CAPTURES / "cacheray/orders.trace"
    nodes = entry(CAPTURES / "ovni/v3-two-nodes")
    fields = ["-T", "fields", "-e"]
    refused(trace, "have one stream", *fields, "cacheray.address")
    refused(log, "not known to be the same", *fields, "frame.time_delta")
    refused(log, "not known to be the same", *fields, "_ws.col.No.")
    refused(log, "not known to be the same", *fields, "xray.tsc", "-Y", "xray.function.unnamed")
    refused(log, "would be those of a part", *fields, "xray.tsc", "-Y", "xray.call.entry > 7 && xray.cpu")
    refused(log, "macros", *fields, "xray.tsc", "-Y", "${one}")
    refused(log, "needs fields", "-T", "json", "-Y", "xray.cpu")
    refused(log, "parts can be put together of", "-T", "ek")
    refused(log, "parts can be put together of", "-q")
    refused(log, "only the options", *fields, "xray.tsc", "-c", "5")
    refused(log, "only xray,stacks, xray,account can be summed", "-q", "-z", "xray,diff,nothing")
    refused(log, "only as xray,account,csv,ticks", "-q", "-z", "xray,account,csv")
    refused(log, "with --without median,90_percent,99_percent", "-q", "-z", "xray,account,csv,ticks")
    refused(log, "json cannot be used", "-q", "-z", "xray,account,csv,ticks,json")
    refused(log, "graph cannot be used", "-q", "-z", "xray,account,csv,graph,ticks")
    refused(log, "asked for twice", *fields, "xray.tsc", "-e", "xray.tsc")
    refused(log, "bom=y", *fields, "xray.tsc", "-E", "bom=y")
    refused(log, "set the variable", *fields, "xray.tsc", "-o", "xray.time_range:0,1")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "preferences").write_text("ovni.clock_offsets: FALSE\n", encoding="ascii")
        refused(nodes, "the preference ovni.clock_offsets is set", *fields, "ovni.clock", WIRESHARK_CONFIG_DIR=folder)
    refused(log, "not known to be the same", "-q", "-z", "xray,stacks,frame.time_relative > 0.1")
    refused(log, "WIRETRACE_STREAMS is set", *fields, "xray.tsc", WIRETRACE_STREAMS="1/2")
    refused(nodes, "some of its fields", "-T", "json")
    code, out, error = parallel("--without", "median,90_percent,99_percent", "tshark", "-q", "-r", log, "-z",
                                "xray,account,csv,ticks,sort:calls")
    require(code == 65 and not out and "several rows have the same calls" in error, "rows in any order:", code, out, error)
    refused(nodes, "not known to be the same", *fields, "ovni.lint.cpu")
    refused(nodes, "only ovni,stacks can be summed", "-q", "-z", "ovni,states,csv")
    refused(CAPTURES, "not a trace", *fields, "xray.tsc")
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "functions"
        binary.write_text(ONE_FUNCTION, encoding="ascii")
        refused(log, "xray.function.unnamed is not the same", "-T", "json", "-o", f"xray.binary:{binary}", status=65)
        same(log, "-T", "fields", "-e", "xray.call.stack", "-o", f"xray.binary:{binary}")
    # an error of tshark is its own
    code, out, error = parallel("tshark", "-r", log, *fields, "xray.nothing")
    require(code == 65 and not out and error.count("xray.nothing") == 1, "a field that does not exist:", code, error)
    # numbers of records alone, and before other fields
    same(log, *fields, "frame.number", "-Y", "xray.call.duration")
    for options in ([], ["-Y", "xray.cpu == 1"], [*ODD, "-Y", "xray.cpu == 1"]):
        same(log, *fields, "frame.number", "-e", "xray.tsc", *options)
    # a part of the time, of which there are parts
    os.environ["WIRETRACE_TIME"] = "0,1"
    same(log, "-2", "-T", "fields", "-e", "frame.number", "-e", "xray.tsc", "-e", "xray.call.exit")
    same(log, *fields, "xray.tsc", "-Y", 'xray.endpoint != "a.name"')
    del os.environ["WIRETRACE_TIME"]
    with subprocess.Popen([TOP / "tools" / "parallel", "tshark", "-r", log, *fields, "xray.tsc"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdout.close()
        require(b"Traceback" not in process.stderr.read(), "a closed pipe is a surprise")


def main():
    args = arguments(__doc__, what={})
    try:
        check_refused() if args.what == "refused" else check_protocol(args.what)
    except Failure as failure:
        sys.exit(f"parallel: {failure}")


if __name__ == "__main__":
    main()
