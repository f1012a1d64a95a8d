#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics are counted as the reader gives out the records, without Wireshark dissecting them, if they have no filter, or one of fields
that are known without (filtered.py). Output, messages and exit status are the same in either way.

usage: direct.py [--build DIR] [--damaged N] NAME...
       direct.py [--build DIR] bad|options|several|indirect|threads|threadless [FORMAT...]

NAME is a path below captures/, for a trace of many files its directory. All statistics of its format are asked for in one run. Pictures
need standard output for themselves: each capture has the next one of them. --damaged: also of N copies with changed bytes.
bad: all damaged cases (test/bad). options: words, -c, pipes, compressed files, parts, the wrong format. several: a statistic more than once
in one run. indirect: where nothing may be counted directly. threads: several count as one does. threadless: the system
makes fewer threads, or none (programs/threadless.c).

An export of objects of a protocol that no trace has makes Wireshark dissect every record, and prints nothing.
"""
import contextlib
import functools
import gzip
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
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import make  # noqa: E402  test/bad/make.py
from check import HERE, arguments, compare, direct_form, entry, for_each, formats, require, run, without_shortcuts  # noqa: E402

NOT_COUNTED = re.compile(r"conv,|endpoints,|follow,|.*,srt$")  # they belong to Wireshark, and have it dissect
ALONE = re.compile(r".*,(chrome|flame|callgrind|records|events|each)$")
WORDS = {"xray,call": ",2", "ovni,at": ",0.001", "ovni,paraver": ",replace,{out}", "diff": ",{baseline}"}
STAMP = re.compile(r"^ \*\* \(\w+:\d+\) [\d:.]+ ", re.M)
COUNTED = re.compile(r"^\[Wiretrace INFO\].*?(\d+) records were counted directly( in \d+ threads)?\n", re.M)
OPTIONS = ["-n", "-q", "--log-level=info", "--log-domains=Wiretrace"]


@functools.cache
def listed():
    """All statistics, which are those of every trace."""
    return run("tshark", "-z", "help")[2]


class Bench:
    """A trace, and a folder for what is written."""

    def __init__(self, path, protocol, folder):
        self.path, self.protocol, self.folder = path, protocol, Path(folder)
        self.out = self.folder / "out"
        self.known = {}  # numbers of records

    def statistics(self):
        """Of the format, with the words that they need."""
        for name in re.findall(rf"^ +({self.protocol}[.,]\S+)$", listed(), re.M):
            if not NOT_COUNTED.match(name):
                words = WORDS.get(name) or WORDS.get(name.rpartition(",")[2], "")
                yield name, name + words.format(out=self.out, baseline=self.path)

    def run(self, statistics, *options, stdin=None):
        """What is printed, the messages, the status, the files; and how many records have been counted directly. `threads` notes whether
        several have counted."""
        shutil.rmtree(self.out, ignore_errors=True)
        asked = [word for statistic in statistics for word in ("-z", statistic)]
        path = "-" if stdin is not None else self.path
        code, out, error = run("tshark", *OPTIONS, "-r", path, *asked, *options, stdin=stdin)
        error = STAMP.sub("", error)
        counted = [int(n) for n, _ in COUNTED.findall(error)]
        self.threads = any(threads for _, threads in COUNTED.findall(error))
        files = {file.name: file.read_bytes() for file in sorted(self.out.glob("*"))}
        return (code, out, COUNTED.sub("", error), files), sum(counted)

    def dissect(self, statistics, *options, stdin=None):
        shown, counted = self.run(statistics, "--export-objects", f"imf,{self.folder}", *options, stdin=stdin)
        require(counted == 0, "records were counted directly although Wireshark dissected them")
        return shown

    def records(self, *options, stdin=None):
        asked = (*options, stdin, os.environ.get("WIRETRACE_STREAMS"))
        path = "-" if stdin is not None else self.path
        if asked not in self.known:
            if options or stdin is not None:
                _, out, _ = run("tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.number", *options, stdin=stdin)
                self.known[asked] = out.count("\n")
            else:
                _, out, _ = run("capinfos", "-T", "-r", "-M", "-t", "-c", path)
                cells = out.rstrip("\n").split("\t")  # none of a file that cannot be opened, or that another reader takes
                self.known[asked] = int(cells[-1]) if len(cells) > 2 and self.protocol in cells[1].lower() else 0
        return self.known[asked]

    def check(self, what, statistics, *options, stdin=None, records=None):
        """`records`: which options decide how many there are; None: all of them."""
        direct, counted = self.run(statistics, *options, stdin=stdin)
        same(what, self.dissect(statistics, *options, stdin=stdin), direct)
        records = self.records(*(options if records is None else records), stdin=stdin)
        require(counted == records, what, *statistics, *options, "counted", counted, "of", records, "records directly")

    def together(self):
        """All statistics but pictures and tables of rows, which need standard output for themselves."""
        return [words for name, words in self.statistics() if not ALONE.match(name)]

    def pictures(self):
        return [words for name, words in self.statistics() if ALONE.match(name)]

    def check_all(self, what, *options):
        self.check(what, self.together(), *options)
        for words in self.pictures():
            self.check(what, [words], *options)


def same(what, want, got):
    for kind, one, other in zip(("status", "output", "messages"), want, got):
        compare(f"{what}: {kind}", str(one), str(other))
    require(want[3] == got[3], what, "different files:", *(name for name in {*want[3], *got[3]} if want[3].get(name) != got[3].get(name)))


@contextlib.contextmanager
def bench(path, protocol):
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        yield Bench(entry(path), protocol, folder)


@contextlib.contextmanager
def environment(**variables):
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


# --- traces -------------------------------------------------------------------------------------------------------------
def change(path, at, choice):
    """Makes a copy with some bytes changed, or cut."""
    data = bytearray(path.read_bytes())
    for _ in range(choice.choice((1, 1, 3, 10))):
        data[choice.randrange(len(data))] = choice.randrange(256)
    if choice.random() < 0.2:
        del data[choice.randrange(len(data)):]
    at.write_bytes(data)


def test_trace(name, damaged, picture):
    """All statistics together, and one of the pictures: the number `picture` of them, round and round."""
    path = formats.capture(name)
    with bench(path, check.protocol_of(name)) as b:
        b.check(name, b.together())
        b.check(name, [b.pictures()[picture % len(b.pictures())]])
        files = [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path]
        choice = random.Random(name)
        for i in range(damaged):
            file = choice.choice(files)
            copy = b.folder / "copy" / (path.name if path.is_dir() else "")
            shutil.rmtree(b.folder / "copy", ignore_errors=True)
            shutil.copytree(path, copy) if path.is_dir() else copy.mkdir()
            target = copy / (file.relative_to(path) if path.is_dir() else file.name)
            change(file, target, choice)
            damage = Bench(entry(copy if path.is_dir() else target), b.protocol, b.folder)
            damage.check(f"{name}, damaged copy {i}", damage.together())


def test_bad(case):
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        make.make(case, Path(folder))
        with bench(Path(folder) / case / check.expected(case)["open"], check.protocol_of(case)) as b:
            b.check(case, b.together())


# --- options ------------------------------------------------------------------------------------------------------------
EXAMPLES = {"xray": "xray/fdr-wrap.xray", "cacheray": "cacheray/falseshare.trace", "ovni": "ovni/v3-two-nodes"}
WITH_WORDS = {
    "xray": ["xray,account,csv,top:3", "xray,account,sort:calls", "xray,gaps,json", "xray,calls,csv,top:9", "xray,stacks,active"],
    "cacheray": ["cacheray,types,elements", "cacheray,types,layout,csv", "cacheray,lines,csv", "cacheray,regions,by:type", "cacheray,slowest,elements", "cacheray,whatif,within:4",
                 "cacheray,reuse,fine,csv"],
    "ovni": ["ovni,states,by:thread", "ovni,tasks,csv", "ovni,cpus,breakdown", "ovni,slowest,every,csv", "ovni,states,nonsense=="],
}


SEVERAL = {
    "xray": ["xray,account", "xray,account,recursive", "xray,account,graph,csv", "xray,account,xray.thread == 1", "xray,calls,sort:self",
             "xray,calls", "xray,call,2", "xray,call,4,each", "xray,stacks,time", "xray,stacks,threads", "xray,graph,label:max", "xray,graph",
             "xray.calls,tree", "xray.calls,tree,ticks", "xray,diff,{baseline}", "xray,diff,graph,{baseline},xray.thread == 1"],
    "cacheray": ["cacheray,types", "cacheray,types,elements,json", "cacheray,types,layout", "cacheray,types,cacheray.event == 1", "cacheray,lines", "cacheray,lines",
                 "cacheray,regions,by:type", "cacheray,regions", "cacheray,whatif,within:4", "cacheray,whatif", "cacheray,diff,{baseline}",
                 "cacheray,diff,{baseline},cacheray.event == 1", "cacheray,reuse", "cacheray,reuse,by:type,block:4096"],
    "ovni": ["ovni,states,by:rank", "ovni,states,by:thread", "ovni,states,ovni.model == \"mpi\"", "ovni,tasks", "ovni,tasks,by:cpu",
             "ovni,at,0.001", "ovni,at,0.002", "ovni,cpus", "ovni,cpus,breakdown", "ovni,slowest", "ovni,slowest,every", "ovni,balance",
             "ovni,balance,ovni.thread == 20579", "ovni,lint", "ovni,lint"],
}


def test_several(protocol):
    """Each prints in a run with others what it prints alone: Wireshark draws the last first."""
    with bench(formats.capture(EXAMPLES[protocol]), protocol) as b:
        statistics = [words.format(baseline=b.path) for words in SEVERAL[protocol]]
        alone = [b.run([words])[0][1] for words in statistics]
        require(all(alone), "a statistic prints nothing")
        compare(f"{protocol}: several", "".join(reversed(alone)), b.run(statistics)[0][1])
        unfiltered = [i for i, words in enumerate(statistics) if "==" not in words]
        b.check("several", [statistics[i] for i in unfiltered])


def test_options(protocol):
    name = EXAMPLES[protocol]
    with bench(formats.capture(name), protocol) as b:
        for statistic in WITH_WORDS[protocol]:
            direct, _ = b.run([statistic])
            same(statistic, b.dissect([statistic]), direct)
        for count in ("1", "2"):
            b.check(f"{name}, -c {count}", b.together(), "-c", count)
        b.check_all(f"{name}, -c 17", "-c", "17")
        for other in sorted({*EXAMPLES} - {protocol}):  # the statistic of another format
            b.check(f"{name}, of {other}", [f"{other},tree", f"{other},{dict(xray='account', cacheray='types', ovni='states')[other]}"])
        with environment(WIRETRACE_STREAMS="1/2"):
            b.check_all(f"{name}, half of the streams")
        for text in ("frame.number == 2", "ip && frame[0] == 1"):  # which decides what is printed, and nothing is
            b.check(f"{name}, -Y {text}", b.together(), "-Y", text, records=[])
        same(f"{name}, -Y and -c", b.run(b.together(), "-c", "17")[0], b.run(b.together(), "-Y", "frame", "-c", "17")[0])
        if b.path.is_file() and protocol != "ovni":
            data = b.path.read_bytes()
            counted = [words for words in b.together() if "diff" not in words]
            b.check(f"{name}, from a pipe", counted, stdin=data)
            b.check(f"{name}, compressed, from a pipe", counted, stdin=gzip.compress(data))
            packed = b.folder / (b.path.name + ".gz")
            packed.write_bytes(gzip.compress(data))
            Bench(packed, protocol, b.folder).check(f"{name}, compressed", counted)


# Filters that need a dissected record, and hold for all.
EVERY = ["frame", "not ip", "not _ws.expert.severity == 1", "frame.cap_len > 0 || frame.cap_len == 0", "frame.number == 1 || not eth.src[0:1] == 1"]
INDIRECT = {"xray": [*EVERY, "xray", "not xray.unmatched || xray", "not xray.event.data[0:1] == 7"],
            "cacheray": [*EVERY, "cacheray", "not cacheray.low || cacheray"],
            "ovni": [*EVERY, "ovni", "ovni.metadata || ovni", "not ovni.payload[0] == 7 || ovni"]}


def test_indirect(protocol):
    """Wireshark dissects, so nothing is counted directly; or the trace is given in another way."""
    with bench(formats.capture(EXAMPLES[protocol]), protocol) as b:
        statistic = dict(b.statistics())[f"{protocol},tree"]
        plain, counted = b.run([statistic])
        require(counted, protocol, "is not counted directly")
        for options in (["-2"], ["-2", "-R", "frame"], ["-Y", "frame", "-z", "io,stat,0"],
                        *(["-z", f"{statistic},{text}"] for text in INDIRECT[protocol])):
            shown, counted = b.run([statistic], *options)
            require(counted == 0, *options, "counted", counted, "records directly")
            require(plain[1] in shown[1], *options, "shows other numbers:", shown[1])
        for option in ("-V", "-P"):
            _, counted = b.run([statistic], option)
            require(counted == 0, option, "counted", counted, "records directly")
        with environment(WIRETRACE_TIME="0,0.0001"):
            direct, counted = b.run([statistic])
            require(counted == 0, "a span of time was counted directly")
            same("a span of time", b.dissect([statistic]), direct)
        with without_shortcuts():
            shown, counted = b.run([statistic])
            require(counted == 0, "records were counted directly without shortcuts")
            same("without shortcuts", plain, shown)
        with direct_form():
            require(b.run([statistic])[1] == 0, "exported records were counted directly")
        shown, counted = b.run([statistic], "--disable-protocol", protocol)
        require(counted == 0, "a disabled protocol was counted")
        same("a disabled protocol", b.dissect([statistic], "--disable-protocol", protocol), shown)


THREADS = {"xray": (["xray,account", "xray,stacks"], ["xray,account,graph,csv", "xray,stacks,threads"],
                    ["xray,account,recursive,ticks", "xray,stacks,time"], ["xray,account,outermost", "xray,stacks,count"],
                    ["xray,graph", "xray,graph,label:median", "xray.calls,tree,ticks"], ["xray.time,tree,full", "xray.self,tree"])}
ORDERED = {"xray": ("xray,gaps", "xray,account,xray.idle > 0.000001")}


def xray_log(*buffers):
    """A log of buffers: a thread, a counter, and a letter for each record. `a` enters a function, `A` leaves it, `2` says that what follows
    is of thread 2."""
    def metadata(kind, layout, *values):
        return struct.pack(layout, kind << 1 | 1, *values).ljust(16, b"\0")

    def records(letters):
        for letter in letters:
            number = ord(letter.lower())
            yield metadata(0, "<Bi", int(letter)) if letter.isdigit() else struct.pack("<II", number << 4 | letter.isupper() << 1, 3)

    data = struct.pack("<HHIQQ8x", 5, 1, 3, 10**9, 1 << 20)
    for thread, counter, letters in buffers:
        inside = (metadata(0, "<Bi", thread) + metadata(4, "<BQI", 1, 0) + metadata(9, "<Bi", 5) + metadata(2, "<BHQ", 1, counter) +
                  b"".join(records(letters)))
        data += metadata(7, "<BQ", len(inside)) + inside
    return data


# A call of thread 2 that ends in a buffer of thread 1: among its own calls, or alone.
MIXED = {"xray": [xray_log((1, 2000, "aA2C"), (2, 1000, "bBc")), xray_log((1, 2000, "2C"), (2, 1000, "bBc"))]}


def check_threads(b, what, statistics):
    one, counted = b.run(statistics, "-o", "wiretrace.threads:1")
    require(not b.threads, what, *statistics, "was counted by several threads, but one was asked for")
    several, same_number = b.run(statistics, "-o", "wiretrace.threads:3")
    same(what, one, several)
    require(counted == same_number, what, *statistics, "one thread counted", counted, "records, several", same_number)
    return b.threads


def test_threads(protocol):
    """All captures and damaged cases: what several threads count is what one does. At least one capture of three, as others have one
    stream only, or calls without an exit."""
    names = [name for name in formats.captures() if check.protocol_of(name) == protocol]
    used = 0
    for name in names:
        with bench(formats.capture(name), protocol) as b:
            with_threads = all([check_threads(b, name, statistics) for statistics in THREADS[protocol]])
            if with_threads and not used:
                alone = [[statistic] for statistic in ORDERED[protocol]]
                for statistics in (*alone, [ORDERED[protocol][0], *THREADS[protocol][0]]):
                    require(not check_threads(b, name, statistics), *statistics, "were counted by threads")
            used += with_threads
    require(used * 3 >= len(names), "threads were used for", used, "of", len(names), "captures only")
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for i, data in enumerate(MIXED[protocol]):
            mixed = Bench(Path(folder) / f"mixed{i}", protocol, folder)
            mixed.path.write_bytes(data)
            require(not check_threads(mixed, f"mixed{i}", THREADS[protocol][0]), "threads counted calls of one stack in two streams")
    for case in make.cases():
        if check.protocol_of(case) == protocol:
            with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
                make.make(case, Path(folder))
                with bench(Path(folder) / case / check.expected(case)["open"], protocol) as b:
                    check_threads(b, case, THREADS[protocol][1])


KILLED_AFTER = "60"  # seconds of what takes less than one


def test_threadless(left):
    """The same output with so many threads; SIGTERM ends tshark at that moment, without a table."""
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        b = Bench(Path(folder) / "long.xray", "xray", folder)
        b.path.write_bytes(xray_log(*((thread, 1000 * thread, "aA" * 4000) for thread in range(1, 7))))  # Wireshark sees each 4096th record
        library = b.folder / "threadless.so"
        compiler = shutil.which("cc")
        if not compiler or subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "programs/threadless.c", "-ldl"],
                                          check=False).returncode != 0:
            print("no compiler")
            sys.exit(77)
        def counted(*variables):
            command = ["tshark", *OPTIONS, "-r", b.path, "-o", "wiretrace.threads:3", "-z", "xray,account"]
            return run(*command, prefix=["timeout", "-s", "KILL", KILLED_AFTER, "env", *variables])

        code, want, error = counted()
        require(code == 0 and "in 3 threads" in error, "threads are not used:", code, error)
        variables = f"LD_PRELOAD={library}", f"THREADLESS_LEFT={left}"
        code, out, error = counted(*variables)
        (records, threads), = COUNTED.findall(STAMP.sub("", error))
        require(code == 0 and out == want and int(records) == b.records(), left, "threads:", code, records, "records", error)
        require(bool(threads) == bool(left), left, "threads, but it was counted", threads, error)
        if not left:
            code, out, error = counted(*variables, f"THREADLESS_SIGNAL={int(signal.SIGTERM)}")
            require(not out and all(int(n) < b.records() for n, _ in COUNTED.findall(STAMP.sub("", error))), "SIGTERM does not end it:", code, out, error)


def main():
    args = arguments(__doc__, __damaged={"type": int, "default": 0}, names={"nargs": "+", "metavar": "NAME"})
    tests = {"bad": (test_bad, make.cases()), "options": (test_options, EXAMPLES),
             "several": (test_several, EXAMPLES), "indirect": (test_indirect, EXAMPLES),
             "threads": (test_threads, THREADS), "threadless": (test_threadless, (0, 1, 2))}
    if args.names[0] in tests:
        test, of = tests[args.names[0]]
        for_each(test, args.names[1:] or of)
    else:
        for_each(lambda name: test_trace(name, args.damaged, args.names.index(name)), args.names)


if __name__ == "__main__":
    main()
