#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records programs with the recorders in tools/recorders, and looks at what the plugins show of them.

usage: recorders.py [--build DIR] xray|ring|cacheray

xray      calls are counted exactly, one by one and as a profile, also of threads, a child and a program that is interrupted; arguments; settings
ring      whether a log begins in the middle is reported, and only then: of XRay's own runtime with its default buffers, and of our recorder;
          whether the ends of buffers are
cacheray  C and C++ by each compiler that is installed: accesses, threads, sharing, regions; a child, a program that aborts
Exit status 77: skipped, a compiler or its XRay runtime is missing.
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, arguments, require, run, skip, tshark  # noqa: E402

RECORDERS, SOURCES = TOP / "tools" / "recorders", TOP / "test" / "recorded"
STRICT = ["-Wall", "-Wextra", "-Werror"]
INSTRUMENT = ["-fxray-instrument", "-fxray-instruction-threshold=1", "-fxray-modes=xray-basic,xray-fdr,xray-profiling"]
COMPILERS = ["clang", "gcc", *(f"clang-{n}" for n in range(15, 25))]  # with the one for C++ of the same name
MIDDLE = "The log begins in the middle"


def clangs():
    return [c for c in COMPILERS if c.startswith("clang") and shutil.which(c)]


def plus(compiler):
    return compiler.replace("clang", "clang++").replace("gcc", "g++")


def compilers():
    return [c for c in COMPILERS if shutil.which(c) and shutil.which(plus(c))] or skip("no compiler is installed")


def build(*command):
    """What the compiler prints; None: it has worked."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    return done.stdout if done.returncode else None


def must(*command):
    problem = build(*command)
    require(problem is None, *command, "fails:", problem)


def recorder(compiler, name, *options):
    """A recorder by this compiler, for all tests: it is compiled again if its sources or the compiler have changed."""
    folder = Path(os.environ["WIRETRACE_BUILD"]) / "recorders"
    found = folder / f"{''.join([name, compiler, *options]).replace('/', '_')}.o"
    if not found.exists() or found.stat().st_mtime < max(path.stat().st_mtime for path in (*RECORDERS.iterdir(), Path(shutil.which(compiler)).resolve())):
        folder.mkdir(exist_ok=True)
        made = folder / f"{os.getpid()}.o"  # another test may be making it
        must(compiler, *STRICT, "-O2", *options, "-c", RECORDERS / f"{name}.c", "-o", made)
        made.rename(found)
    return found


def recorded(program, *words, settings="", folder=None, code=0, environment=None):
    """What the program prints on standard error, without what XRay's runtime does. A file that is there would not be written."""
    for name in re.findall(r"\bfile=([^,]+)", settings) or [f"{program.name}.trace"]:
        for path in name, f"{name}.objects":
            (Path(folder or program.parent) / path).unlink(missing_ok=True)
    done = subprocess.run([program, *words], cwd=folder or program.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=300, check=False, env={**os.environ, "WIRETRACE_RECORD": settings, **(environment or {})})
    require(done.returncode == code, program.name, words, "ends with", done.returncode, done.stderr)
    return "".join(line for line in done.stderr.splitlines(True) if not line.startswith("=="))


# --- XRay --------------------------------------------------------------------------------------------------------------
def xray_program(clang, folder, linked=True):
    """The program, with the recorder or without."""
    folder.mkdir()
    program, ours = folder / "calls", recorder(clang, "xray", "-fxray-instrument")
    problem = build(plus(clang), *STRICT, "-std=c++17", "-O1", *INSTRUMENT, SOURCES / "calls.cpp", *[ours] * linked, "-o", program)
    if problem and re.search(r"libclang_rt\.xray|'xray/.*' file not found", problem):
        skip(f"{clang} has no XRay runtime here:", problem.strip()[-300:])
    require(problem is None, clang, problem)
    return program


def counted(log):
    """Function -> number of calls that have ended, as the statistic prints them; and what is on the terminal."""
    code, out, error = run("tshark", "-q", "-r", log, "-z", "xray,account,csv")
    require(code == 0, log, error)
    rows = [line.split(",") for line in out.splitlines() if line and not line.startswith("=")]
    head = next(row for row in rows if "function" in row)
    calls, name = head.index("calls"), head.index("function")
    counts = collections.Counter({row[name].strip('"').split("(")[0]: int(row[calls]) for row in rows if row is not head and len(row) == len(head)})
    return counts, error


def one_log(folder, pattern):
    logs = [path for path in folder.glob(pattern) if path.suffix not in (".o", ".objects")]
    require(len(logs) == 1, folder, "has", logs)
    return logs[0]


def wants(log, threads, count, more=0):
    counts, error = counted(log)
    require((counts["leaf"], counts["pair"], counts["work"], counts["main"]) == (2 * threads * count + 2 * more, threads * count + more, threads, 1),
            log, "has", counts)
    require(MIDDLE not in error, log, error)


def rested(log, ran, statistic, columns, *options):
    """The columns of rest(), which are self times, of 60 ms at least, and no longer than the program ran."""
    code, out, error = run("tshark", "-q", "-r", log, "-z", f"{statistic},csv,ns,columns:{columns},function", *options)
    require(code == 0, log, error)
    rows = [line.split(",") for line in out.splitlines() if re.search(r",rest(\(\))?$", line)]
    require("_ns,function" in out and len(rows) == 1 and all(0.06 <= int(time) / 1e9 <= ran for time in rows[0][:-1]), log, "has", out, ran)


def has_rested(program, folder):
    """In each mode, and compared. The counter of a profile may not be known to the recorder, and may be another one than that of a log."""
    logs = [folder / f"xray-log.calls.{mode}" for mode in ("fdr", "profiling")]
    begun = time.monotonic()
    recorded(program, "1", "10", "rest", settings=f"file={logs[0].name}")
    text = recorded(program, "1", "10", "rest", settings=f"mode=profiling,file={logs[1].name}")
    ran, frequency = time.monotonic() - begun, re.search(r"xray\.profile_frequency:\d+", text)
    rested(logs[0], ran, "xray,account", "self", "-o", "xray.profile_frequency:5")
    if frequency:
        rested(logs[1], ran, "xray,account", "self", "-o", frequency[0])
        rested(logs[1], ran, f'xray,diff,"{logs[0]}"', "self_before,self_after", "-o", frequency[0])


def test_xray(scratch):
    for clang in clangs() or skip("clang is not installed"):
        folder = scratch / clang
        program = xray_program(clang, folder)
        must(plus(clang), *STRICT, "-x", "c++", "-O0", *INSTRUMENT, "-c", RECORDERS / "xray.c", "-o", folder / "as-c++.o")
        for threads in (1, 4):
            text = recorded(program, str(threads), "20000", settings="buffer_size=65536")
            log = one_log(folder, "xray-log.calls.*")  # its program is found beside it
            require(re.fullmatch(rf"{log.name}: {log.stat().st_size} bytes, in \d+ of 32768 buffers. To open it: wireshark {log.name}\n", text), text)
            wants(log, threads, 20000)
            log.unlink()
            text = recorded(program, str(threads), "20000", settings="mode=profiling")
            log = one_log(folder, "xray-log.calls.*")
            require(re.fullmatch(rf"{log.name}: a profile of {log.stat().st_size} bytes. To see it: tshark -q -r {log.name} "
                                 r"(-o xray.profile_frequency:\d+ )?-z xray,account\n", text), text)
            wants(log, threads, 20000)
            log.unlink()
        many_paths(program, folder / "xray-log.calls.many")
        require(recorded(program, "1", "10", "fork", settings="file=xray-log.calls.x,quiet=1") == "", "it is not quiet")
        wants(folder / "xray-log.calls.x", 1, 10)
        child, _ = counted(one_log(folder, "xray-log.calls.x.*"))
        require(child == {"leaf": 2, "pair": 1}, "a child has calls of its parent:", child)
        rows = tshark(folder / "xray-log.calls.x", ["xray.function.name", "xray.argument"]).rows
        require([row[1] for row in rows if row[1]] == ["0x00000000000003e8", "0x00000000000003e9", "0x00000000000003ea"], "arguments:", rows)
        interrupted(program, folder / "xray-log.calls.wait")
        has_rested(program, folder)
        counts, _ = counted_after(program, folder, "threshold=1000000")
        require(not counts["leaf"], "short calls are there:", counts)
        wrong_settings(program)
        require("mode is fdr or profiling" in recorded(program, "1", "1", settings="mode=basic", code=2), "any mode is accepted")
    print("calls as counted")


def many_paths(program, log):
    """By default LLVM's runtime keeps 85 paths of a thread, of 32 threads at a time, and loses others in silence. A profile that has these
    numbers is reported."""
    for settings, lost in ("", False), (",paths=100", True):
        text = recorded(program, "64", "10", "deep", settings=f"mode=profiling,quiet=1,file={log.name}{settings}")
        require(("all 100 paths of a thread are in use: calls are missing" in text, text == "") == (lost, not lost), text)
        counts, _ = counted(log)
        require((counts["leaf"], counts["dive"] == 300) == (2 * 64 * 10, not lost), log, "has", counts)
        require("may be missing" not in run("capinfos", "-k", log)[1], log, "is reported to be too small")
    recorded(program, "64", "10", "deep", settings=f"mode=profiling,quiet=1,file={log.name},paths=85,threads=32")
    comment = run("capinfos", "-k", log)[1]
    require("the profile has 85 paths of 1 thread," in comment and "the profile has 32 blocks," in comment, comment)
    require("if more than 20 threads ran at a time, some are missing" in recorded(
        program, "64", "10", settings=f"mode=profiling,quiet=1,file={log.name},threads=20"), "nothing is reported of threads")


def counted_after(program, folder, settings):
    recorded(program, "1", "10", settings=f"{settings},file=xray-log.calls.y,quiet=1", folder=folder)
    return counted(folder / "xray-log.calls.y")


def interrupted(program, log):
    """A program that is ended by a signal writes its log, and is seen to have been ended by it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        log.unlink(missing_ok=True)
        running = subprocess.Popen([program, "2", "10", "wait"], cwd=log.parent, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "WIRETRACE_RECORD": f"file={log.name}"})
        time.sleep(1)
        running.send_signal(number)
        require(running.wait(60) == -number, "it ends with", running.returncode)
        counts, _ = counted(log)
        require(counts["pair"] == 20, log, counts)


def wrong_settings(program):
    for wrong in ("nothing=1", "file", "nothing", "quiet=1,file"):
        require("is not a setting" in recorded(program, "1", "1", settings=wrong, code=2), wrong, "is accepted")
    text = recorded(program, settings="help")
    names = re.findall(r"^  (\w+) ", text, re.M)
    require("file" in names and "quiet" in names and len(names) >= 4, text)


def reported(log, threads):
    """The log begins in the middle for at most so many threads (0: it does not), which is said wherever it must be. Of a thread that has
    ended early nothing may be left."""
    words = rf"the oldest records of ([1-{max(threads, 1)}]) threads? were overwritten"
    for what, text in (("the terminal", counted(log)[1]), ("the comment", run("capinfos", "-k", log)[1]),
                       ("the first record", run("tshark", "-r", log, "-c", "1", "-V")[1])):
        require((MIDDLE in text, re.search(words, text) is not None) == (threads > 0, threads > 0), log, what, "for", threads, "threads:", text[-1500:])
    compared = run("tshark", "-q", "-r", log, "-z", f"xray,diff,{log}")[2]
    require((f"The baseline, {log}: {MIDDLE}" in compared) == (threads > 0), log, "as a baseline:", compared[-1500:])
    for options in ([], ["-2"]):
        depths = [row[0] for row in tshark(log, ["xray.call.depth"], *options, "-Y", "xray.call.self", "-c", "3000").rows]
        require(depths and all(depths) if threads == 0 else "" in depths, log, "has depths", set(depths))


def test_ring(scratch):
    typed_events()
    for clang in clangs() or skip("clang is not installed"):
        program = xray_program(clang, scratch / clang, linked=False)
        all_calls = "func_duration_threshold_us=0"
        for i, (threads, lost, count, how, options) in enumerate((
                (1, 0, 1000, "begin", all_calls), (4, 0, 5000, "begin", all_calls), (4, 0, 20000, "begin", all_calls + " buffer_max=2000"),
                (1, 1, 60000, "begin", all_calls), (4, 4, 60000, "begin", all_calls), (4, 0, 1000, "late", all_calls),
                (1, 0, 1000, "late", all_calls), (4, 0, 60000, "begin", "func_duration_threshold_us=1000"))):
            folder = scratch / clang / str(i)
            folder.mkdir()
            copy = Path(shutil.copy(program, folder))
            recorded(copy, str(threads), str(count), how, options)
            reported(one_log(folder, "xray-log.*"), lost)
        folder = scratch / clang / "basic"
        folder.mkdir()
        recorded(Path(shutil.copy(program, folder)), "4", "60000", environment={
            "XRAY_OPTIONS": "patch_premain=true xray_mode=xray-basic", "XRAY_BASIC_OPTIONS": "func_duration_threshold_us=0"})
        reported(one_log(folder, "xray-log.*"), 0)
        small_ring(clang, scratch / f"{clang}-small")
    print("reported where the log begins in the middle")


def typed_events():
    """Ends of buffers that LLVM's runtime leaves out are reported once, by statistics of calls and of records, and in both passes."""
    words = "The ends of buffers are missing"
    for name, typed in (("fdr-typed", 1), ("fdr-bigevent", 0), ("fdr-cpus-v3", 0)):
        log = CAPTURES / "xray" / f"{name}.xray"
        for taps in (["xray,account"], ["xray,tree"], ["xray,account", "xray,stacks"]):
            for threads in ("1", "4"):
                _, out, error = run("tshark", "-q", "-r", log, "-o", f"wiretrace.threads:{threads}", *(word for tap in taps for word in ("-z", tap)))
                require((out + error).count(words) == typed, name, taps, threads, "threads:", error)
        require((f"The baseline, {log}: {words}" in run("tshark", "-q", "-r", log, "-z", f"xray,diff,{log}")[2]) == bool(typed), name, "as a baseline")
        for options in ([], ["-2"]):
            shown = [row[0] for row in tshark(log, ["xray.kind"], *options, "-Y", "xray.buffer.uncounted").rows]
            require(shown == ["24"] * typed, name, options, shown)


def small_ring(clang, folder):
    """Our recorder reports it, too; and the log does, unless its ring has gone round exactly."""
    program, found = xray_program(clang, folder), 0
    for count in range(2000, 2600, 100):
        text = recorded(program, "1", str(count), settings="buffer_max=7,buffer_size=4096,file=xray-log.calls.small")
        require("all 7 buffers of 4096 bytes are full: the oldest records were overwritten" in text, text)
        found += MIDDLE in counted(folder / "xray-log.calls.small")[1]
    require(found >= 3, "only", found, "logs of 6 say so")


# --- Cacheray ----------------------------------------------------------------------------------------------------------
def cacheray_program(compiler, folder, source, optimised):
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program"
    command = plus(compiler) if source.suffix == ".cpp" else compiler
    standard = ["-std=c++17"] if source.suffix == ".cpp" else []
    must(command, "-g", optimised, *standard, "-fsanitize=thread", f"-I{RECORDERS}", "-c", source, "-o", folder / "program.o")
    must(command, "-no-pie", "-rdynamic", folder / "program.o", recorder(compiler, "cacheray"), "-o", program)
    return program


ACCESS = ["cacheray.event", "cacheray.thread", "cacheray.atomic", "cacheray.unaligned", "cacheray.size", "cacheray.access.variable",
          "cacheray.access.typename", "cacheray.rtta.typename", "cacheray.line.sharing", "cacheray.access.member"]


def accesses(program, trace):
    table = tshark(trace, ACCESS, "-o", f"cacheray.binary:{program}")
    broken = tshark(trace, ["cacheray.offset"], "-Y", "cacheray.malformed || cacheray.event > 253 || cacheray.unmatched || cacheray.overlap").rows
    require(not broken, trace, "is broken at", broken[:5])
    return [dict(zip((name.split(".", 1)[1] for name in ACCESS), row)) for row in table.rows]


def count_rows(rows, **wanted):
    return sum(all(row[name.replace("__", ".")] == value for name, value in wanted.items()) for row in rows)


def test_cacheray(scratch):
    found = [c for c in COMPILERS if shutil.which(c) and shutil.which(plus(c))]
    for compiler in found or skip("no compiler is installed"):
        for optimised in ("-O0", "-O2"):
            check_c_plus_plus(cacheray_program(compiler, scratch / compiler / optimised, SOURCES / "memory.cpp", optimised), optimised)
            check_c(cacheray_program(compiler, scratch / compiler / f"c{optimised}", SOURCES / "memory.c", optimised))
    print("recorded with", ", ".join(found))


def check_c_plus_plus(program, optimised):
    text = recorded(program, settings="")
    rows = accesses(program, program.with_suffix(".trace"))
    require(re.fullmatch(rf"program\.trace: {len(rows)} records of 3 threads\. To open it: wireshark program\.trace\n", text), text, len(rows))
    require({row["thread"] for row in rows} == {"0", "1", "2"}, "threads", {row["thread"] for row in rows})
    for thread in "12":
        require(count_rows(rows, event="1", access__variable="hits", thread=thread) == 500, program, "hits of", thread)
        atomic = count_rows(rows, event="1", access__variable="total", thread=thread, atomic="1", size="4")
        require(atomic == 500, program, "updates of total by", thread, atomic)
        for name, size in (("byte", "1"), ("two", "2")):
            require(count_rows(rows, event="1", access__variable=name, thread=thread, size=size, atomic="1") == 500, program, name)
    exchanged = count_rows(rows, event="1", access__variable="eight", size="8", atomic="1")
    require(exchanged == 3, program, "eight is written", exchanged, "times")
    require(count_rows(rows, access__variable="hits", line__sharing="3") > 100, program, "hits is not falsely shared")
    require(count_rows(rows, access__variable="total", line__sharing="2") > 100, program, "total is not truly shared")
    names = [row["rtta.typename"] for row in rows if row["event"] == "2"]
    for word in ("new in ", "new[] in main+0x", *["malloc in main+0x", "realloc in main+0x"] * (optimised == "-O0")):
        require(any(name.startswith(word) for name in names), program, "has no", word, set(names))
    require("order" in names, program, names)
    if optimised == "-O0":  # otherwise what is not read need not be written
        require(count_rows(rows, event="1", access__typename="order", access__member="price") == 1, program, "price of order")


def check_c(program):
    """A structure that is copied; what the child of a fork writes is not in the trace; an abort loses nothing."""
    for how, code in ((), 0), (("fork",), 0), (("abort",), -signal.SIGABRT):
        recorded(program, *how, settings="quiet=1", code=code)
        rows = accesses(program, program.with_suffix(".trace"))
        require(count_rows(rows, event="1", access__variable="written") == 1, program, how, "writes")  # shortly before it ends
        require(sum(int(row["size"]) for row in rows if row["access.variable"] == "b" and row["event"] == "1") == 320, program, "b is copied")
        require(count_rows(rows, event="1", access__typename="struct.large", access__member="values[7]") >= 1, program, "values[7]")
        require(count_rows(rows, event="1", unaligned="1", access__variable="p", access__member="four") == 1, program, "an unaligned write")
    text = recorded(program, settings="limit=1,heap=0,file=other.trace")
    rows = accesses(program, program.with_name("other.trace"))
    require("other.trace: " in text and not any(row["rtta.typename"].startswith("calloc") for row in rows), text)
    wrong_settings(program)


def main():
    chosen = arguments(__doc__, what={"choices": ["xray", "ring", "cacheray"]})
    with tempfile.TemporaryDirectory() as scratch:
        globals()[f"test_{chosen.what}"](Path(scratch))
    return 0


if __name__ == "__main__":
    sys.exit(main())
