#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""XRay's recorder in programs that end in every way, fork, execute others, are interrupted, and close what is not theirs.

usage: xray_recorder.py [--build DIR] ends|children|names|snapshots|lost|crashes|linking

Each program is built without XRay, too: exit status and output must be equal. Logs are read by this script alone, which knows the numbers of
functions from their order in test/recorded/ends.c.

ends       by each way to end a program there is a log of all threads, and nothing else is changed
children   fork, vfork, exec, daemon: each process has its own log, with its own records and ids only
names      that no file is replaced; TRACE.objects; folders and users that change
snapshots  by a signal and by a call, while threads record, also with a threshold
lost       what is missing is reported, on the terminal and in TRACE.objects
crashes    at random moments, in one thread and in eight, twice at a time
linking    the program and the recorder are optimised when they are linked
Exit status 77: skipped, clang or its XRay runtime is missing.
"""
import collections
import itertools
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, require, skip  # noqa: E402
from recorders import RECORDERS, SOURCES, STRICT, build, clangs, must, recorder  # noqa: E402

LEAF, CHILD_LEAF, HANDLER_LEAF, OTHERS, WAITS, EXITS, DEEPER, DEEP, BRIEF, MAIN = range(1, 11)
COUNT = 5000
ENTER, EXIT, TAIL, ENTER_ARGUMENT = range(4)


# --- an independent reader ---------------------------------------------------------------------------------------------
def records_of(data, at, end):
    """(function, kind, counter) of each record of a buffer after its preamble."""
    counter = None
    while at < end:
        if data[at] == 0x05:
            counter, = struct.unpack_from("<Q", data, at + 3)
            at += 16
        else:
            head, since = struct.unpack_from("<II", data, at)
            require(head & 1 == 0 and head >> 1 & 7 <= ENTER_ARGUMENT and head >> 4, "no record:", hex(head))
            counter += since
            yield head >> 4, head >> 1 & 7, counter
            at += 8
    require(at == end, "a record is cut")


def read_log(path):
    """(process, thread) -> its records, in order of time."""
    data = path.read_bytes()
    require(len(data) >= 32 and struct.unpack_from("<HHI", data) == (5, 1, 3), path, "has no header")
    buffers, at = collections.defaultdict(list), 32
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at + 1)
        thread, process = (struct.unpack_from("<i", data, at + offset)[0] for offset in (17, 49))
        require([data[at + i] for i in (0, 16, 32, 48)] == [0x0f, 1, 9, 0x13] and at + 16 + size <= len(data), path, "is damaged at", at)
        buffers[process, thread].append(list(records_of(data, at + 64, at + 16 + size)))
        at += 16 + size
    ordered = {key: list(itertools.chain(*sorted(several, key=lambda b: b[0][2]))) for key, several in buffers.items()}
    for key, records in ordered.items():
        require(all(a[2] <= b[2] for a, b in zip(records, records[1:])), path, key, "goes back in time")
    return ordered


def calls_of(records, jumps=False):
    """How many calls of each function have ended, and the functions that are open; exits that fit to no entry: only where it `jumps`."""
    calls, open_calls = collections.Counter(), []
    for function, kind, _ in records:
        if kind in (ENTER, ENTER_ARGUMENT):
            open_calls.append(function)
        elif open_calls and open_calls[-1] == function:
            calls[open_calls.pop()] += 1
        else:
            require(jumps, "an exit of", function, "in", open_calls[-5:])
    return calls, open_calls


def calls_in(path, **options):
    """(process, thread) -> its ended calls, and those that are open."""
    return {key: calls_of(records, **options) for key, records in read_log(path).items()}


# --- programs ----------------------------------------------------------------------------------------------------------
class Program:
    """One of test/recorded, by a compiler, with the recorder and without XRay."""

    def __init__(self, clang, scratch, *options):
        self.clang, self.folder = clang, scratch / clang
        self.folder.mkdir()
        self.path, self.plain = self.folder / "ends", self.folder / "plain"
        common = [clang, *STRICT, "-O1", *options, f"-I{RECORDERS}", SOURCES / "ends.c", "-lpthread"]
        must(*common, "-o", self.plain)
        problem = build(*common, "-fxray-instrument", "-fxray-instruction-threshold=1", recorder(clang, "xray", *options), "-o", self.path)
        if problem and "libclang_rt.xray" in problem:
            skip(f"{clang} has no XRay runtime here:", problem.strip()[-300:])
        require(problem is None, clang, problem)
        self.runs = 0

    def empty(self):
        self.runs += 1
        folder = self.folder / str(self.runs)
        folder.mkdir()
        return folder

    def run(self, *words, settings="", path=None, folder=None, **options):
        """Returns its exit status, output, messages, and the folder where it ran."""
        folder = folder or self.empty()
        done = subprocess.run([path or self.path, *(str(word) for word in words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", timeout=60, check=False, env={**os.environ, "WIRETRACE_RECORD": settings}, **options)
        return done.returncode, done.stdout, done.stderr, folder

    def same(self, threads, how, settings="", log=None, **options):
        """Runs it as the plain program runs. Returns the folder and the messages."""
        plain = self.run(threads, COUNT, how, path=self.plain)
        code, out, error, folder = self.run(threads, COUNT, how, settings=settings, **options)
        require((code, out) == plain[:2], how, "ends with", code, out, error, "and else with", plain[:2])
        others = {path.name for path in folder.iterdir() if not path.name.startswith(("xray-log.", log or "xray-log."))}
        require(others == {path.name for path in plain[3].iterdir()}, how, "writes", others)
        return folder, error


def logs_of(folder):
    """The logs by what follows `xray-log.ends.`, each of which has its objects."""
    logs = {path.name[len("xray-log.ends."):]: path for path in folder.glob("xray-log.ends.*") if path.suffix != ".objects"}
    require(all(path.with_name(path.name + ".objects").exists() for path in logs.values()), folder, "lacks objects:", logs)
    return logs


def only_log(folder):
    logs = logs_of(folder)
    require(len(logs) == 1, folder, "has", logs)
    return next(iter(logs.values()))


def main_thread(path, calls, open_calls, **options):
    """What the first thread has called, of how many."""
    found = calls_in(path, **options)
    first = [found[key] for key in found if key[0] == key[1]]
    require(len(first) == 1 and dict(first[0][0]) == calls and first[0][1] == open_calls, path, "has", first, "not", calls, open_calls)
    return found


# --- tests -------------------------------------------------------------------------------------------------------------
def test_ends(program):
    signals = "hup int quit term usr1 usr2 pipe alrm xcpu bus trap sys segv ill fpe abort".split()
    for threads, how in itertools.product((1, 4), [*signals, "handled", "_exit", "quick_exit", "small"]):
        if (threads, how) != (4, "small"):
            folder, _ = program.same(threads, how)
            ended = {MAIN: 1} if how == "small" else {}
            found = main_thread(only_log(folder), {LEAF: COUNT, **ended}, [] if ended else [MAIN])
            require(len(found) <= threads and all(opened[:1] in ([], [MAIN], [OTHERS]) for _, opened in found.values()), how, found)
    for how, calls in ("ignored", {MAIN: 1}), ("main-ends", {}), ("", {MAIN: 1}):
        main_thread(only_log(program.same(1, how)[0]), {LEAF: COUNT, **calls}, [] if calls else [MAIN])
    overflown(program)
    for how in "thread-exits", "all-exit":
        for _ in range(5):
            found = main_thread(only_log(program.same(1, how)[0]), {LEAF: COUNT}, [MAIN])
            require(how == "all-exit" or any((dict(calls), opened) == ({LEAF: 1}, [EXITS]) for calls, opened in found.values()), how, found)
    found = main_thread(only_log(program.same(4, "waits")[0]), {LEAF: COUNT, MAIN: 1}, [])
    require(sum((dict(calls), opened) == ({LEAF: 1}, [WAITS]) for calls, opened in found.values()) == 3, "threads that wait:", found)
    for how in "closes", "locks":
        main_thread(only_log(program.same(1, how)[0]), {LEAF: COUNT, MAIN: 1}, [])
    interrupted(program)


def overflown(program):
    log = only_log(program.same(1, "overflow")[0])
    calls, opened = calls_in(log).popitem()[1]
    require(calls[LEAF] == COUNT and opened[:2] == [MAIN, DEEP] and set(opened[2:]) == {DEEPER} and len(opened) > 100, "overflow:", calls)
    found = main_thread(only_log(program.same(1, "thread-overflow")[0]), {LEAF: COUNT}, [MAIN])
    require(any(opened[:1] == [DEEP] and len(opened) > 100 for _, opened in found.values()), "overflow of a thread:", found)


def interrupted(program):
    """Handlers that interrupt the recorder are recorded, also if they never come back."""
    calls, _ = calls_in(only_log(program.same(1, "interrupted")[0])).popitem()[1]
    require(calls[LEAF] == COUNT + 1000000 and calls[HANDLER_LEAF] >= 5 and calls[MAIN] == 1, "interrupted:", calls)
    calls, _ = calls_in(only_log(program.same(1, "jumps")[0]), jumps=True).popitem()[1]
    require(calls[LEAF] > COUNT and calls[HANDLER_LEAF] >= 300, "jumps:", calls)


def test_children(program):
    for threads, how in itertools.product((1, 4), [f"exec{i}" for i in range(5)]):
        logs = logs_of(execute(program, threads, how))
        first, second = sorted(logs)
        require(second == f"{first}.{first}", how, logs)
        main_thread(logs[first], {LEAF: COUNT}, [MAIN])
        main_thread(logs[second], {CHILD_LEAF: 7, MAIN: 1}, [])
    logs = logs_of(execute(program, 1, "below"))
    require(len(logs) == 3, "children:", logs)
    found = sorted(sum(([int(name), *key, dict(calls)] for key, (calls, _) in calls_in(log).items()), []) for name, log in logs.items())
    require(all(row[:3] == [row[0]] * 3 for row in found), "ids of others:", found)
    calls = sorted((row[3] for row in found), key=str)
    require(calls == [{LEAF: COUNT, MAIN: 1}, {CHILD_LEAF: 3}, {CHILD_LEAF: 7, MAIN: 1}], "children:", calls)
    folder, _ = program.same(1, "daemon")
    time.sleep(0.5)
    logs = logs_of(folder)
    child, = (name for name in logs if LEAF not in calls_of(read_log(logs[name]).popitem()[1], jumps=True)[0])
    parent, = set(logs) - {child}
    main_thread(logs[parent], {LEAF: COUNT}, [MAIN])
    require(dict(calls_of(read_log(logs[child]).popitem()[1], jumps=True)[0]) == {CHILD_LEAF: 1}, "the daemon")


def execute(program, threads, how):
    """The plain program executes its like."""
    os.environ["ENDS_PROGRAM"] = str(program.plain)
    plain = program.run(threads, COUNT, how, path=program.plain)
    os.environ["ENDS_PROGRAM"] = str(program.path)
    code, out, error, folder = program.run(threads, COUNT, how)
    require((code, out) == plain[:2], how, "ends with", code, out, error)
    return folder


def build_id(path):
    text = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    found = re.search(r"Build ID: (\w+)", text)
    return found[1] if found else "-"


def test_names(program):
    folder, os.environ["ENDS_PROGRAM"] = program.empty(), str(program.path)
    log, objects = folder / "own.xray", folder / "own.xray.objects"
    _, _, text, _ = program.run(1, 10, folder=folder, settings="file=own.xray")
    require(re.fullmatch(r"own.xray: \d+ bytes, in 1 of 32768 buffers. To open it: wireshark own.xray\n", text), text)
    lines = objects.read_text(encoding="utf-8").splitlines()
    require(lines[0] == "# objects 1" and re.fullmatch(rf"0 0x[0-9a-f]+ {build_id(program.path)} {re.escape(str(program.path))}", lines[1]), lines)
    _, _, text, _ = program.run(1, 20, folder=folder, settings="file=own.xray")
    second = re.match(r"own\.xray is there already: this process records into (own\.xray\.\d+)\n", text)
    require(second, "an earlier log is there, which is not reported:", text)
    main_thread(log, {LEAF: 10, MAIN: 1}, [])
    main_thread(folder / second[1], {LEAF: 20, MAIN: 1}, [])
    for name, content in (("own.xray", log), ("own.xray.objects", objects)):  # not ours
        foreign(program, name, content)
    folder = program.empty()  # inherited
    program.run(1, 30, "exec1", folder=folder, settings="file=own.xray")
    one, two = sorted((path for path in folder.iterdir() if path.suffix != ".objects"), key=lambda path: len(path.name))
    main_thread(one, {LEAF: 30}, [MAIN])
    main_thread(two, {CHILD_LEAF: 7, MAIN: 1}, [])
    require(re.fullmatch(r"own\.xray\.\d+", two.name), two)
    used_twice(program)
    main_thread(only_log(program.same(1, "moves")[0]), {LEAF: COUNT, MAIN: 1}, [])
    code, out, text, folder = program.run(1, 5, settings="file=nowhere/own.xray")
    require((code, out) == (0, "5\n") and "nothing is recorded: No such file or directory" in text, text)
    code, _, text, _ = program.run(1, 5, settings="signal=NOTHING")
    require(code == 2 and '"NOTHING" is not a signal' in text, text)
    if os.getuid() == 0:
        main_thread(only_log(program.same(1, "setuid")[0]), {LEAF: COUNT, MAIN: 1}, [])


def foreign(program, name, like):
    folder = program.empty()
    mine = folder / name
    mine.write_bytes(b"mine, and as long as " + like.name.encode())
    before = mine.read_bytes()
    text = program.run(1, 10, folder=folder, settings="file=own.xray")[2]
    others = sorted(path.name for path in folder.iterdir() if path != mine)
    require(mine.read_bytes() == before and len(others) == 2 and re.fullmatch(r"own\.xray\.\d+", others[0]) and others[0] in text, name, others, text)


def used_twice(program):
    """Two processes at a time, of which neither knows the other."""
    folder = program.empty()
    environment = {**os.environ, "WIRETRACE_RECORD": "file=own.xray,quiet=1"}
    several = [subprocess.Popen([program.path, "1", "300000"], cwd=folder, stdout=subprocess.DEVNULL, env=environment) for _ in range(4)]
    require([p.wait(60) for p in several] == [0] * 4, "several fail")
    logs = [path for path in folder.iterdir() if path.suffix != ".objects"]
    require(len(logs) == 4, "several share", logs)
    for log in logs:
        main_thread(log, {LEAF: 300000, MAIN: 1}, [])


def test_snapshots(program):
    folder, _ = program.same(1, "snapshots")
    logs = logs_of(folder)
    for (_, log), calls, opened in zip(sorted(logs.items()), ({MAIN: 1}, {}, {}), ([], [MAIN], [MAIN])):
        number = log.suffix[1:]
        main_thread(log, {LEAF: COUNT + (int(number) if len(number) == 1 else 2), **calls}, opened)
    for settings in "signal=USR1,quiet=1", "signal=SIGUSR1,quiet=1,threshold=50", "signal=USR1,quiet=1,buffer_max=20,buffer_size=1024":
        by_signal(program, settings)


def forever(program, threads, folder, settings):
    """A program that has begun to run, and does not end by itself."""
    running = subprocess.Popen([program.path, threads, "10000000000", "forever"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "WIRETRACE_RECORD": settings})
    require(running.stdout.readline() == b"ready\n", "it does not run")
    return running


def by_signal(program, settings):
    folder = program.empty()
    running = forever(program, "4", folder, settings)
    for _ in range(6):
        time.sleep(0.005)
        running.send_signal(signal.SIGUSR1)
    running.terminate()
    require(running.wait(60) == -signal.SIGTERM, "it ends with", running.returncode)
    text = running.stderr.read().decode()
    require(("overwritten" in text) == ("buffer_max" in settings), settings, text)
    logs = logs_of(folder)
    require(3 <= len(logs) <= 7, settings, logs)
    for log in logs.values():
        found = calls_in(log, jumps="buffer_max" in settings)
        require(found and ("threshold" not in settings or sum(calls[LEAF] for calls, _ in found.values()) < 3000), settings, log, found)


def test_lost(program):
    text = program.run(1, COUNT, "brief", settings="buffer_max=100")[2]
    require("all 100 buffers are in use, few of them are full" in text and "set a smaller buffer_size" in text, text)
    _, _, text, folder = program.run(1, COUNT, "brief")
    require("are in use" not in text and len(read_log(only_log(folder))) == 301, "threads are lost:", text)
    _, _, text, folder = program.run(1, COUNT, settings="buffer_max=4,buffer_size=4096")
    require("all 4 buffers of 4096 bytes are full: the oldest records were overwritten" in text, text)
    log = only_log(folder)
    require("\n# all 4 buffers" in log.with_name(log.name + ".objects").read_text(encoding="utf-8"), "objects do not report it")
    code, _, text, folder = program.run(4, COUNT, "waits", settings="buffer_max=2,buffer_size=1024")
    require(code == 0 and "records were lost: all buffers were held by threads" in text, text)
    code, out, text, folder = program.run(1, 50000, "small")
    require((code, out) == (0, "50000\n") and "the log ends early: File too large" in text, code, text)
    calls, opened = calls_in(only_log(folder)).popitem()[1]
    require(1000 < calls[LEAF] < 50000 and opened[:1] == [MAIN], "what fits:", calls)
    for settings in "buffer_size=9", "buffer_size=many", "buffer_max=1":
        require(program.run(1, 1, settings=settings)[0] == 2, settings, "is accepted")
    closed = subprocess.run(f"cd {program.empty()} && {program.path} 1 5 2>&- >out; echo $?", shell=True, stdout=subprocess.PIPE, check=True)
    require(closed.stdout == b"0\n", "without standard error:", closed.stdout)


def test_crashes(program, times=12):
    random.seed(1)
    numbers = [signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGHUP, signal.SIGQUIT]
    for i in range(times):
        folder = program.empty()
        running = forever(program, "18"[i % 2], folder, "quiet=1")
        time.sleep(random.uniform(0, 0.004))
        for _ in range(1 + i % 3):
            running.send_signal(random.choice(numbers))
            time.sleep(random.uniform(0, 0.003))
        require(-running.wait(30) in numbers, "it ends with", running.returncode)
        require(calls_in(only_log(folder)), "no records")
        shutil.rmtree(folder)


def test_linking(program):
    with tempfile.TemporaryDirectory() as scratch:
        linked = Program(program.clang, Path(scratch), "-flto")
        for threads, how in itertools.product((1, 4), ("segv", "_exit", "thread-exits", "locks")):
            folder, _ = linked.same(threads, how)
            found = calls_in(only_log(folder))
            first, = (calls for (process, thread), (calls, _) in found.items() if process == thread)
            require(first[LEAF] == COUNT, how, found)


def main():
    tests = {name[len("test_"):]: test for name, test in globals().items() if name.startswith("test_")}
    chosen = arguments(__doc__, what={"choices": list(tests)})
    with tempfile.TemporaryDirectory() as scratch:
        for clang in clangs() or skip("clang is not installed"):
            tests[chosen.what](Program(clang, Path(scratch)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
