#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records XRay logs with clang's own runtime and compares what the plugins show of calls with llvm-xray.

usage: llvm.py [--build DIR] [--keep DIR] calls|threads|args|tails|events|cpus|left

Builds one of the programs in captures/src/xray and records logs in flight data recorder and in basic mode. Every log is
compared with the independent count of calls.py, and with every llvm-xray installed if it can read the log: convert (the
timeline), account (count, minimum, median, percentiles, maximum, sum), graph (edges, and the same statistics for threads),
stack. If there are calls without an exit, account with -k -d, which counts them up to the exit of a call around them, is compared with a
count that does the same. Then compares names and source lines of the functions, from the preference xray.binary and from the program
beside the log.
--keep keeps the logs in a folder. Exit status 77: skipped, clang, its XRay runtime or llvm-xray is missing.
"""
import collections
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import calls  # noqa: E402
from check import CAPTURES, Failure, arguments, csv_rows, require, run, skip, tshark  # noqa: E402

SOURCE = CAPTURES / "src" / "xray"
INSTRUMENT = "-g -fno-omit-frame-pointer -fxray-instrument -fxray-instruction-threshold=1".split()
# clang 14 cannot compile custom events with optimisation
BUILD = {"events": "-O0 -no-pie", "tails": "-O2 -fPIE -pie"}
BUILD_MOST = "-O1 -no-pie"

# Per program: mode, options of the mode, last argument of the program, and what llvm-xray must be able to read of the
# log. With small buffers a thread has more than 16 of them: account and stack shuffle them, graph sorts all records.
MOST, WHOLE = "buffer_max=2000", "buffer_max=2000 buffer_size=65536"
SMALL, TINY, RING = MOST + " buffer_size=256", MOST + " buffer_size=128", "buffer_max=10 buffer_size=512"
ALL, LEFT = "account convert graph stack", "left"
RUNS = {
    "calls": [("fdr", WHOLE, "", ALL), ("fdr", MOST + " buffer_size=1024", "", ALL), ("fdr", SMALL, "", "graph"),
              ("fdr", RING, "", ""), ("basic", "thread_buffer_size=64", "", ALL)],
    "threads": [("fdr", WHOLE, "", "graph stack"), ("fdr", TINY, "", "graph"), ("fdr", RING, "", ""),
                ("basic", "thread_buffer_size=64", "", "graph")],
    "args": [("fdr", WHOLE, "", ALL), ("fdr", SMALL, "deep", "graph"), ("basic", "", "", ALL),
             ("basic", "", "deep", "")],
    "tails": [("fdr", WHOLE, "", ALL), ("fdr", SMALL, "", "graph"), ("basic", "", "", ALL)],
    "events": [("fdr", WHOLE, "", ALL), ("fdr", SMALL, "", "graph"), ("fdr", WHOLE, "empty", ""),
               ("fdr", MOST + " buffer_size=2048", "typed", "")],
    "left": [("fdr", WHOLE, "", LEFT), ("fdr", SMALL, "", ""), ("basic", "", "", LEFT)],
    "cpus": [("fdr", MOST + " buffer_size=512", "", ALL)],
}
OTHER_FREQUENCY = 2596120000  # so that ticks are not nanoseconds, whatever the counter of this machine


# --- recording --------------------------------------------------------------------------------------------------------
def compile_program(name, folder, source=SOURCE):
    options = BUILD.get(name, BUILD_MOST).split() + INSTRUMENT
    command = ["clang++", *options, source / f"{name}.cpp", "-o", folder / name, "-lpthread"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, "TMPDIR": str(folder)})
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode and re.search(r"libclang_rt\.xray|'xray/.*' file not found|unsupported option", said):
        skip("clang has no XRay runtime here:", said.strip()[-300:])
    require(done.returncode == 0, "clang++ failed:", said[:3000])
    return folder / name


def record(program, folder, mode, options, argument):
    """Runs the program, which writes its log beside itself."""
    folder.mkdir()
    copy = Path(shutil.copy(program, folder))
    options = "func_duration_threshold_us=0 " + options
    environment, how = dict(os.environ), f"xray-{mode}"
    if mode == "basic":  # its main thread is written only if the runtime has set it up itself
        environment["XRAY_OPTIONS"], how = "patch_premain=true xray_mode=xray-basic", "env"
        environment["XRAY_BASIC_OPTIONS"] = options
    done = subprocess.run([copy, how, options, folder / "map", argument], cwd=folder, env=environment, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    logs = list(folder.glob(f"xray-log.{copy.name}.*"))
    require(done.returncode == 0 and len(logs) == 1, copy, "left", len(logs), "logs:", done.stdout)
    return logs[0]


def with_frequency(log, frequency, path):
    data = bytearray(log.read_bytes())
    data[8:16] = frequency.to_bytes(8, "little")
    path.write_bytes(data)
    return path


# --- llvm-xray --------------------------------------------------------------------------------------------------------
def installed():
    """Every llvm-xray installed, each once: Debian has llvm-xray-14 and so on, and llvm-xray is a link to one of them."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(":")]
    found = [path for folder in folders for path in sorted(folder.glob("llvm-xray*")) if os.access(path, os.X_OK)]
    return sorted({path.resolve(): path for path in reversed(found)}.values())


def llvm(tool, *command):
    """Its output; None if it refuses the log."""
    done = subprocess.run([tool, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return None if done.returncode or done.stderr else done.stdout.decode()


def spelled(name):
    """Makes the spelling of nested templates the same for all versions."""
    return re.sub("> (?=>)", ">", name)


def seconds(model, ticks):
    """A time in the form that llvm-xray prints."""
    return f"{ticks / model.frequency:.6e}"


ANSWERS = ("xray,account,csv", "xray,graph", "xray,stacks,threads,time", "xray,stacks,threads,count")


@functools.cache
def answers(log, *options):
    """The answers of the plugins, asked once for all versions of llvm-xray."""
    return tshark(log, ["frame.number"], *options, taps=ANSWERS).printed


def compare_account(tool, log, model):
    text = llvm(tool, "account", "-f", "csv", log)
    return text is not None and compare_rows(tool, log, model, text)


def until_outer_exits(model):
    """Function -> sorted durations, where a call without an exit ends at the exit of the call around it that has one."""
    stacks, durations = collections.defaultdict(list), collections.defaultdict(list)
    for record in model.records:
        stack = stacks[record.stack()]
        if record.kind in calls.ENTRIES:
            stack.append(record)
        elif record.kind in calls.EXITS and any(r.function == record.function for r in stack):
            found = None
            while found != record.function:
                found = stack[-1].function
                durations[found].append(record.tsc - stack.pop().tsc)
    return {f: sorted(d) for f, d in durations.items()}


def compare_left(tool, log, model):
    """With -d it ends the calls above one that ends, with -k it continues after exits without an entry."""
    done = subprocess.run([tool, "account", "-k", "-d", "-f", "csv", log], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        compare_durations(tool, log, model, done.stdout.decode(), until_outer_exits(model))
    return done.returncode == 0


def compare_durations(tool, log, model, text, durations):
    """Returns what llvm-xray counts: function -> count and times."""
    rows = csv_rows(text)
    columns = ("min", "median", "90%ile", "99%ile", "max", "sum")
    want = {int(row["funcid"]): (int(row["count"]), *(row[c] for c in columns)) for row in rows}
    got = {f: (len(d), *(seconds(model, ticks) for ticks in calls.statistics(d))) for f, d in durations.items()}
    calls.differences(f"{log.name}, {tool.name} account, per record", want, got)
    return want


def compare_rows(tool, log, model, text):
    want = compare_durations(tool, log, model, text, {f: d for f, (d, *_) in model.account().items()})
    table = calls.account_table(answers(log)["xray,account,csv"])
    require(set(table) == set(want), log.name, tool.name, "account knows other functions:", set(table) ^ set(want))
    for function, row in want.items():  # the table has whole nanoseconds, llvm-xray seven digits
        for llvm_says, shown in zip(row[1:], table[function][2:]):
            exact = float(llvm_says) * 1e9
            require(exact * (1 - 1e-6) - 0.5 <= int(shown) <= exact * (1 + 1e-6) + 0.5,
                    f"{log.name}, {tool.name} account: function {function}: expected {llvm_says} s, shown {shown} ns")
    return True


def compare_graph(tool, log, model):
    """Edges, and the statistics of account for every function: llvm-xray graph reads logs that account refuses."""
    durations = {f: d for f, (d, *_) in model.account().items()}
    shown = calls.graph_table(answers(log)["xray,graph"])[0]
    for at, what in enumerate(("min", "med", "90p", "99p", "max", "sum")):
        text = llvm(tool, "graph", "-e", "count", "-v", what, log)
        if text is None:
            return False
        edges = {(int(a), int(b)): int(n) for a, b, n in re.findall(r'F(\d+) -> F(\d+) \[label="(\d+)"\]', text)}
        calls.differences(f"{log.name}, {tool.name} graph", edges, {edge: count for edge, (count, *_) in shown.items()})
        want = {int(f): value for f, value in re.findall(r'^F(\d+) \[label="\{.*\|([^|]*)\}"\];$', text, re.M)}
        never = {f: "0.000000e+00" for f in want if f not in durations}  # entered but never left
        got = {f: seconds(model, calls.statistics(d)[at]) for f, d in durations.items()}
        calls.differences(f"{log.name}, {tool.name} graph -v {what}", want, {**got, **never})
    return True


def compare_stacks(tool, log, *program):
    """llvm-xray ends every stack with a ';' and has only stacks per thread. `program`: where the names come from."""
    options = [word for path in program for word in ("-m", path)]
    preferences = [word for path in program for word in ("-o", f"xray.binary:{path}")]
    for by in ("time", "count"):
        text = llvm(tool, "stack", "-all-stacks", "-stack-format=flame", f"-aggregation-type={by}", *options, log)
        if text is None:
            return False
        want = {spelled(stack): int(n) for stack, n in re.findall(r"^(.+); (\d+)$", text, re.M) if n != "0"}
        got = calls.stacks_table(answers(log, *preferences)[f"xray,stacks,threads,{by}"])
        calls.differences(f"{log.name}, {tool.name} stack, {by}", want, {spelled(s): n for s, n in got.items() if n})
    return True


def moments(events, named, time):
    """Times at which each function in each thread begins and ends, relative to the first."""
    found = collections.defaultdict(list)
    for phase, event in events:
        found[phase, str(event["tid"]), named(event["name"])].append(time(event, phase))
    first = min(min(times) for times in found.values())
    return {key: [t - first for t in sorted(times)] for key, times in found.items()}


def compare_convert(tool, log):
    """The timeline, event by event, for logs in which all calls have both ends: others are represented differently."""
    text = llvm(tool, "convert", "--output-format=trace_event", log, "-o", "-")
    theirs = [(e["ph"], e) for e in json.loads(text)["traceEvents"]] if text else []
    spans = [e for e in json.loads(run("tshark", "-q", "-r", log, "-z", "xray,chrome")[1])["traceEvents"] if e["ph"] == "X"]
    if not theirs or len(theirs) != 2 * len(spans) or any("unwound" in e["cat"] for e in spans):
        return False
    ours = [(phase, e) for e in spans for phase in "BE"]
    want = moments(theirs, lambda name: name, lambda e, _: float(e["ts"]))
    got = moments(ours, lambda name: name[1:], lambda e, phase: e["ts"] + (e["dur"] if phase == "E" else 0))
    require(want.keys() == got.keys(), log.name, tool.name, "convert has other events:", want.keys() ^ got.keys())
    # theirs are floating-point numbers since the clock's zero, with this many digits
    exact = 0.003 + 2 * math.ulp(max(float(e["ts"]) for _, e in theirs))
    for key, times in want.items():
        far = [pair for pair in zip(times, got[key]) if abs(pair[0] - pair[1]) > exact]
        require(len(times) == len(got[key]) and not far, f"{log.name}, {tool.name} convert, {key}: microseconds", far[:3])
    return True


def most_buffers(model):
    """The most buffers of one thread."""
    threads = [r.thread for r in model.records if r.kind == calls.NEW_BUFFER]
    return max(map(threads.count, threads), default=0)


def is_in_order(model):
    """llvm-xray account and stack read the records of a thread in file order."""
    last = {}
    for record in sorted(model.records, key=lambda r: r.offset):
        if record.tsc is not None and record.tsc < last.get(record.thread, 0):
            return False
        last[record.thread] = record.tsc or 0
    return True


def check_against(tool, log, model, expected):
    read = {"graph": compare_graph(tool, log, model)}
    if any(call.left for call in model.finished):
        read = {"left": most_buffers(model) <= 16 and is_in_order(model) and compare_left(tool, log, model)}
    elif most_buffers(model) <= 16 and is_in_order(model):
        read.update(account=compare_account(tool, log, model), stack=compare_stacks(tool, log))
    read["convert"] = compare_convert(tool, log)
    done = sorted(what for what, was_read in read.items() if was_read)
    print(f"{log.name}, {tool.name}:", *(["agrees:", *done] if done else ["refuses it"]))
    missing = set(expected.split()) - set(done)
    require(not missing, f"{log.name}: {tool.name} was expected to read it for", *missing)


def check_calls(tools, log, expected):
    model = calls.check_log(log)
    require(model.finished, log.name, "has no finished call")
    print(f"{log.name}: {len(model.finished)} calls as counted")
    for tool in tools:
        check_against(tool, log, model, expected)
    return most_buffers(model)


# --- names ------------------------------------------------------------------------------------------------------------
def names_by_symbols(program, functions):
    """Names from the addresses reported by the runtime, and the symbol table."""
    done = subprocess.run(["nm", "--demangle", "--defined-only", program], stdout=subprocess.PIPE, check=True)
    symbols = {}
    for line in done.stdout.decode().splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwW":
            symbols[int(address, 16)] = name
    return {int(f): symbols[int(address, 16)] for f, address in functions}


def names_by_llvm(tool, program, log):
    """Name, file and line of the functions that it has counted; it continues if records are not in order."""
    done = subprocess.run([tool, "account", "-k", "-f", "csv", "-m", program, log], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    rows = csv_rows(done.stdout.decode())
    return {int(row["funcid"]): (row["function"], *row["debug"].split(":")[:2]) for row in rows}


def shown_names(log, *options):
    names = ["xray.function.id", "xray.function.name", "xray.function.source"]
    columns = [word for name in names for word in ("-e", name)]
    code, out, error = run("tshark", "-n", "-r", log, "-Y", "xray.function.action", "-T", "fields", *columns, *options)
    require(code == 0, log.name, "names:", error)
    return {int(function): (name, place) for function, name, place in (line.split("\t") for line in out.splitlines())}


def check_source(name, place):
    """The line contains the name of the function."""
    file, line = place.rsplit(":", 1)
    text = (SOURCE / os.path.basename(file)).read_text().splitlines()[int(line) - 1]
    word = re.sub(r"<.*|\(.*", "", name).split("::")[-1].split(" ")[-1]
    require(re.search(re.escape(word) + r"(<\d+>)?\(", text), f"{place} is shown as the source of {name}, but is: {text}")


def check_names_against(tool, program, log, named):
    of_llvm = names_by_llvm(tool, program, log)
    require(of_llvm, tool.name, "has no names for", log.name)
    want, got = {f: spelled(row[0]) for f, row in of_llvm.items()}, {f: spelled(named[f][0]) for f in of_llvm}
    calls.differences(f"{log.name}, {tool.name} names", want, got)
    for function, (_, file, line) in of_llvm.items():  # line 0: it has chosen the wrong one of two rows for an address
        place = named[function][1]
        require(place.endswith("/" + file + ":" + line) or (line == "0" and file + ":" in place),
                f"{log.name}: source of function {function}: expected {file}:{line}, shown {place}")


def check_extracted(tool, program, log, named):
    """The same names from the map that it extracts, mangled or not; that has no source lines."""
    for options in (["--symbolize"], ["--symbolize", "--no-demangle"]):
        extracted = log.parent / "map.yaml"
        extracted.write_text(llvm(tool, "extract", *options, program), encoding="utf-8")
        got = shown_names(log, "-o", f"xray.binary:{extracted}")
        calls.differences(f"{log.name}, {tool.name} extract {options}", {f: spelled(row[0]) for f, row in named.items()},
                          {f: spelled(row[0]) for f, row in got.items()})
        require(not any(place for _, place in got.values()), "source lines of a map")


def check_names(tools, program, log, expected, typed_sleds):
    """llvm-xray cannot read a program with typed events."""
    unnamed = Path(shutil.copy(log, log.parent / "unnamed.xray"))
    require(not any("".join(row) for row in shown_names(unnamed).values()), "names without a program")
    named = shown_names(unnamed, "-o", f"xray.binary:{program}")
    by_symbols = names_by_symbols(program, [x.split("\t") for x in (log.parent / "map").read_text().splitlines()])
    want, got = {f: by_symbols[f] for f in named}, {f: row[0] for f, row in named.items()}
    calls.differences(f"{log.name}, names by symbols", want, got)
    calls.differences(f"{log.name}, program beside the log", named, shown_names(log))
    for name, place in named.values():
        if f"/{program.name}.cpp:" in place:
            check_source(name, place)
    in_table = {f: row[0] for f, row in calls.account_table(answers(log)["xray,account,csv"]).items()}
    calls.differences(f"{log.name}, names in xray,account", {f: named[f][0] for f in in_table}, in_table)
    for tool in [] if typed_sleds else tools:
        check_names_against(tool, program, log, named)
        check_extracted(tool, program, unnamed, named)
        if expected != LEFT:
            require(compare_stacks(tool, log, program), tool.name, "stack refuses", log.name)


def check_program(tools, name, folder):
    program = compile_program(name, folder)
    buffers = 0
    for number, (mode, options, argument, expected) in enumerate(RUNS[name]):
        log = record(program, folder / f"{name}-{number}", mode, options, argument)
        unnamed = Path(shutil.copy(log, folder / f"{name}-{number}-{mode}.xray"))
        buffers = max(buffers, check_calls(tools, unnamed, expected))
        if number == 0:
            other = with_frequency(log, OTHER_FREQUENCY, folder / f"{name}-{number}-frequency.xray")
            check_calls(tools, other, expected)
            check_names(tools, program, log, expected, name == "events")
    require(buffers > 16 or name == "cpus", "no thread has more than 16 buffers")


def main():
    args = arguments(__doc__, __keep={"type": Path}, program={"choices": sorted(RUNS)})
    for variable in [v for v in os.environ if v.startswith("XRAY_")]:
        del os.environ[variable]
    tools = installed()
    for name, there in {"llvm-xray": tools, **{name: shutil.which(name) for name in ("clang++", "nm")}}.items():
        if not there:
            skip(name, "is not installed (Debian: tools/packages checks)")
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        try:
            check_program(tools, args.program, Path(folder))
        except Failure as failure:
            sys.exit(f"{args.program}: {failure}")
        finally:
            if args.keep:
                shutil.copytree(folder, args.keep, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
