#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Live capture: traces that are written while tshark shows them.

usage: live.py [--build DIR] TEST

  interfaces  what Wireshark is told; settings and filters that are refused
  pieces      traces of each format written piece by piece: all records are shown, and saved again the file is the same
  folder      an ovni trace whose streams come one by one: all records, in order of time
  begins      a file that is not there yet, and one that is cut or replaced while it is followed
  mapped      a file that has zeros where records are yet to come, as a recorder writes it
  stopped     stopped before the first record, and while records come: nothing but records is printed
  recorded    programs that are started: live, with names and their output, ended by the stop or left running
  memory      the program that captures needs the same memory, however long it runs
Exit status 77: skipped, a compiler is missing.
"""
import collections
import contextlib
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
import check  # noqa: E402
from check import CAPTURES, require, run  # noqa: E402
from recorders import must, recorder  # noqa: E402

WITHIN = 30  # seconds for what takes less than two on an idle machine
FOLLOW, RECORD = "wiretrace-follow", "wiretrace-record"


def program():
    return Path(os.environ["WIRETRACE_BUILD"]) / "extcap" / "wiretrace-live"


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as name:
        yield Path(name)


def environment():
    return {**os.environ, **check.environment(""), "WIRESHARK_EXTCAP_DIR": str(program().parent)}


class Capture:
    """A tshark that captures, and what it has shown so far: the Info column, by which records are counted."""

    def __init__(self, place, interface, *options, **settings):
        self.saved, self.shown, self.errors = place / "live.pcapng", place / "shown", place / "errors"
        words = [word for name, value in settings.items() for word in ("-o", f"extcap.{interface.replace('-', '_')}.{name}:{value}")]
        command = ["tshark", "-n", "-l", "-i", interface, *words, "-w", str(self.saved), "-P", *options]
        with open(self.shown, "wb") as out, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=environment())
        self.wait(lambda: "Capturing on" in self.errors.read_text(), "does not begin")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def lines(self):
        return self.shown.read_text(encoding="utf-8").splitlines()

    def wait(self, condition, *words):
        end = time.monotonic() + WITHIN
        while not condition():
            require(time.monotonic() < end, *words, f"{len(self.lines())} lines", self.errors.read_text())
            time.sleep(0.02)

    def expect(self, count):
        self.wait(lambda: len(self.lines()) >= count, "expected", count)
        require(len(self.lines()) == count, len(self.lines()), "lines instead of", count)

    def end(self, stop=True):
        """What was printed on standard error, without what each capture prints."""
        if stop:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(WITHIN)
        usual = r"Capturing on|Capture started|File: |^tshark: ?$|packets? captured|^$|xray.binary"
        return [line for line in self.errors.read_text().splitlines() if not re.search(usual, line)]


def count_in(path):
    """Records of a file, which may be cut."""
    return len(run("tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.number")[1].splitlines())


def entry(capture):
    return check.entry(capture) if capture.is_dir() else capture


def write_pieces(path, data, sizes):
    """Pieces that end anywhere in a record."""
    with open(path, "ab", buffering=0) as file:
        at = 0
        for size in sizes:
            file.write(data[at:at + size])
            at += size
            yield at
        file.write(data[at:])
        yield len(data)


# --- interfaces -----------------------------------------------------------------------------------------------------------
def ask(*words):
    done = subprocess.run([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


def test_interfaces():
    out = subprocess.run(["tshark", "-D"], env=environment(), stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    for name in FOLLOW, RECORD:
        require(f" {name} (Wiretrace: " in out, name, "is not in the list:", out)
        code, out2, error = ask("--extcap-interface", name, "--extcap-config")
        require(code == 0 and out2.startswith("arg {number=0}{call=--") and not error, out2, error)
        require(ask("--extcap-interface", name, "--extcap-dlts")[1].startswith("dlt {number=252}"), name)
        require("display filter" in ask("--extcap-interface", name, "--extcap-capture-filter", "port 1")[1], "a filter is taken")
        require(ask("--extcap-interface", name, "--extcap-capture-filter", "")[1] == "", "no filter is refused")
        for words in ([], ["--fifo", os.devnull], ["--fifo", os.devnull, "--trace", "x", "--program", "x", "--extcap-capture-filter", "port 1"]):
            code, out2, error = ask("--extcap-interface", name, "--capture", *words)
            require(code == 1 and not out2 and error.startswith("Wiretrace: "), words, out2, error)
    require(ask("--extcap-interface", "eth0", "--extcap-dlts")[0] == 1, "another interface is taken")
    require(ask("--version")[1].startswith("wiretrace-live ") and "--fifo" in ask("--help")[1], "no version or help")
    with folder() as place:
        done = subprocess.run(["tshark", "-i", FOLLOW, "-f", "port 1", "-o", f"extcap.wiretrace_follow.trace:{place}/x"], env=environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=WITHIN, check=False)
        require("display filter" in done.stderr, "tshark takes a capture filter:", done.stderr)
        with Capture(place, FOLLOW) as live:
            error = "\n".join(live.end(stop=False))
            require("not set (extcap.wiretrace_follow.trace)" in error, error)


# --- pieces ---------------------------------------------------------------------------------------------------------------
PIECES = {"cacheray/falseshare.trace": "cacheray", "xray/basic-threads.xray": "xray-basic", "xray/basic-args-deep.xray": "xray-basic",
          "ovni/v3-two-nodes/loom.node01.0/proc.20575/thread.20575/stream.obs": "ovni", "cacheray/orders-be64.trace": "cacheray"}


def test_pieces():
    for name, kind in PIECES.items():
        with folder() as place:
            source = CAPTURES / name
            data, want, path = source.read_bytes(), count_in(source), place / source.name
            steps = [len(data) // 3 + 5, 7, 1, len(data) // 4, 3, 30]
            with Capture(place, FOLLOW, trace=path) as live:
                shown = 0
                for at in write_pieces(path, data, steps):
                    (place / f"part.{source.name}").write_bytes(data[:at])
                    whole = count_in(place / f"part.{source.name}")
                    live.wait(lambda: len(live.lines()) >= max(whole - 1, 1), name, "at", at)  # one may be cut
                    require(len(live.lines()) <= whole, name, "shows a part of a record")
                    require(len(live.lines()) >= shown, name)
                    shown = len(live.lines())
                live.expect(want)
                require(live.end() == [], name, live.end())
            back = place / "back"
            run("editcap", "-F", kind, live.saved, back)
            require(back.read_bytes() == data, name, "is not the same when saved again")


# --- folder ---------------------------------------------------------------------------------------------------------------
def test_folder():
    source = CAPTURES / "ovni/v3-two-nodes"
    metadata = len(list(source.rglob("*.json")))
    want = count_in(check.entry(source)) - metadata
    with folder() as place:
        path = place / "ovni"
        with Capture(place, FOLLOW, trace=path) as live:
            files = sorted(source.rglob("stream.obs"))
            for at, file in enumerate(files):
                to = path / file.relative_to(source).parent
                to.mkdir(parents=True)
                shutil.copy(file.parent / "stream.json", to)
                data = file.read_bytes()
                for _ in write_pieces(to / "stream.obs", data, [len(data) // 2 + 3]):
                    time.sleep(0.05)
            live.expect(want)
            require(live.end() == [], live.end())
        fields = ["-T", "fields", "-e", "ovni.stream", "-e", "ovni.mcv", "-e", "ovni.rank"]
        rows = lambda path, *more: sorted(check.printed(path, *more, *fields).splitlines())  # noqa: E731
        got, expected = collections.Counter(rows(live.saved)), collections.Counter(rows(check.entry(source), "-Y", "ovni.kind != 3"))
        require(got == expected, "other streams, codes or ranks:", got - expected, expected - got)
        # as all of it was there before the second capture, it is in order
        with Capture(place, FOLLOW, trace=path, idle=2) as live:
            live.end(stop=False)
        require(in_order(live.saved), "not in order of time")
    require(any(streams_in_order(source, want) for _ in range(3)), "streams that are written at the same time are not in order")


def in_order(saved):
    times = [float(t) for t in check.printed(saved, "-Y", "ovni.mcv", "-T", "fields", "-e", "frame.time_epoch").splitlines()]
    require(len(times) > 1000, len(times))
    return times == sorted(times)


def streams_in_order(source, want):
    """Streams that grow in turn: what is later than what another may still write waits for it, for a second, which a busy
    machine may miss."""
    with folder() as place:
        path = place / "ovni"
        shutil.copytree(source, path)
        files = sorted(path.rglob("stream.obs"))
        pieces = [write_pieces(file, file.read_bytes(), [file.stat().st_size // 9] * 8) for file in files]
        for file, p in zip(files, pieces):
            file.write_bytes(b"")
            next(p)
        with Capture(place, FOLLOW, trace=path) as live:
            for p in 8 * pieces:
                next(p)
                time.sleep(0.03)
            live.expect(want)
            require(live.end() == [], live.end())
        return in_order(live.saved)


# --- begins ---------------------------------------------------------------------------------------------------------------
def test_begins():
    data = (CAPTURES / "cacheray/falseshare.trace").read_bytes()
    records = count_in(CAPTURES / "cacheray/falseshare.trace")
    log = (CAPTURES / "xray/basic-threads.xray").read_bytes()
    with folder() as place:
        path = place / "a.trace"
        with Capture(place, FOLLOW, trace=path) as live:
            path.write_bytes(data)
            live.expect(records)
            path.unlink()  # another one takes its name
            time.sleep(0.2)
            path.write_bytes(log)
            live.expect(records + 795)
            path.write_bytes(log[:32 + 32 * 10])  # cut, and written from its beginning
            live.expect(records + 795 + 11)
            require(live.end() == [], live.end())
        path.write_bytes(b"no trace " * 1000)
        with Capture(place, FOLLOW, trace=path) as live:
            error = "\n".join(live.end(stop=False))
            require("no format of Wiretrace begins like this" in error, error)


# --- mapped ---------------------------------------------------------------------------------------------------------------
def test_mapped():
    data = (CAPTURES / "cacheray/falseshare.trace").read_bytes()
    records = count_in(CAPTURES / "cacheray/falseshare.trace")
    half, hole = 15384, 28884  # where records begin; both have 18 bytes
    with folder() as place:
        path = place / "a.trace"
        with Capture(place, FOLLOW, trace=path) as live, open(path, "wb", buffering=0) as file:
            file.truncate(1 << 22)
            file.write(data[:half])
            live.wait(lambda: len(live.lines()) == 850, "before the zeros")
            for at in range(half, hole, 211):  # each ends within a record
                file.write(data[at:min(at + 211, hole)])
                time.sleep(0.01)
            file.seek(hole + 18)  # another thread is faster
            file.write(data[hole + 18:])
            file.seek(hole)
            file.write(data[hole:hole + 18])
            live.expect(records)
            file.truncate(len(data))
            require(live.end() == [], live.end())
        run("editcap", "-F", "cacheray", live.saved, place / "back")
        require((place / "back").read_bytes() == data, "is not the same when saved again")


# --- stopped --------------------------------------------------------------------------------------------------------------
def test_stopped():
    with folder() as place:
        with Capture(place, FOLLOW, trace=place / "never.trace") as live:
            time.sleep(0.5)
            require(live.end() == [] and live.lines() == [], live.end())
        shutil.copy(CAPTURES / "cacheray/falseshare.trace", place / "a.trace")
        os.mkfifo(place / "pipe")  # nobody reads any more, and nothing is there to be written
        follower = subprocess.Popen([program(), "--extcap-interface", FOLLOW, "--capture", "--fifo", place / "pipe", "--trace", place / "never"])
        with open(place / "pipe", "rb") as pipe:
            require(len(pipe.read(28)) == 28, "no section")
        require(follower.wait(WITHIN) == 0, "ends with", follower.returncode)
        with Capture(place, FOLLOW, trace=place / "never.trace") as live:  # is killed, and dumpcap with it
            live.wait(lambda: live.saved.exists() and live.saved.stat().st_size, "nothing has begun")
            live.process.kill()
            wait_for_end(place / "never.trace")
        # whoever has started it ends before somebody reads
        subprocess.run(["sh", "-c", '"$@" & sleep 0.5', "sh", program(), "--extcap-interface", FOLLOW, "--capture", "--fifo", place / "pipe",
                        "--trace", place / "never"], check=True)
        wait_for_end(place / "never")
        with Capture(place, FOLLOW, "-c", "10", trace=place / "a.trace") as live:
            require(live.end(stop=False) == [], live.end())
            require(len(live.lines()) == 10, live.lines())


def runs(path):
    return subprocess.run(["pgrep", "-f", str(path)], stdout=subprocess.DEVNULL, check=False).returncode == 0


def wait_for_end(path):
    end = time.monotonic() + WITHIN
    while runs(path):
        require(time.monotonic() < end, "goes on without who has started it")
        time.sleep(0.05)


# --- recorded -------------------------------------------------------------------------------------------------------------
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int seen[64];
__attribute__((noinline)) void work(int i) { for (int k = 0; k < 16; k++) seen[(i + k) % 64] += k; }
int main(int n, char **words)
{
    for (int i = 0; i < atoi(words[1]); i++) {
        work(i);
        usleep(20000);
    }
    printf("%d words, %s\\n", n, words[2]);
    fprintf(stderr, "an error\\n");
    return 3;
}
"""


def programs(place):
    """Programs with a recorder, and one that clang's runtime alone records: where its trace is, and what each round writes."""
    source, cacheray = place / "program.c", place / "program.o"
    source.write_text(SOURCE)
    xray = ["clang", "-O1", "-fxray-instrument", "-fxray-instruction-threshold=1", source]
    must("clang", "-g", "-O1", "-fsanitize=thread", "-c", source, "-o", cacheray)
    must("clang", "-no-pie", "-rdynamic", cacheray, recorder("clang", "cacheray"), "-o", place / "accesses")
    must(*xray, "-o", place / "calls")
    must(*xray, recorder("clang", "xray"), "-o", place / "flight")
    return {"accesses": ("cacheray.event in {0, 1}", 10), "calls": ("xray.function.id == 1", 2), "flight": ("xray.function.id == 1", 2)}


def end_all(path):
    subprocess.run(["pkill", "-f", str(path)], check=False)


def test_recorded():
    if not shutil.which("clang"):
        check.skip("clang is not installed")
    with folder() as place:
        for name, (chosen, each) in programs(place).items():
            trace = place / f"{name}.trace"
            with Capture(place, RECORD, program=place / name, arguments="100 'two words'", file=trace) as live:
                if name != "flight":
                    live.wait(lambda: live.lines(), name, "shows nothing")
                    require(runs(place / name), name, "is not shown as it runs")
                require(live.end(stop=False) == [], name, live.end())
            out = Path(f"{trace}.output").read_text()
            require("3 words, two words\n" in out and "an error\n" in out, name, "prints", out)
            found = len(check.printed(live.saved, "-Y", chosen, "-T", "fields", "-e", "frame.number").splitlines())
            names = check.printed(live.saved, "-2", "-Y", "xray.function.name == work or cacheray.access.variable == seen", "-T", "fields", "-e", "frame.number")
            require(len(names.splitlines()) >= 100, name, "has no names")
            require(found >= 100 * each and (found == 100 * each or name == "accesses"), name, found, "records instead of", 100 * each)
        with Capture(place, RECORD, program="/bin/sh", arguments=f"-c '{place}/accesses 20 x; {place}/accesses 10 x'", file=place / "two") as live:
            require(live.end(stop=False) == [], live.end())
            traces = [count_in(path) for path in place.glob("two*") if path.suffix not in (".output", ".objects")]
            require(len(traces) == 2 and len(live.lines()) == sum(traces), "of a script:", traces, len(live.lines()))
        for leave in "false", "true":
            with Capture(place, RECORD, program=place / "accesses", arguments="100000 x", file=place / f"left.{leave}", leave=leave) as live:
                live.wait(lambda: live.lines(), "shows nothing")
                require(live.end() == [], live.end())
            time.sleep(0.3)
            require(runs(place / "accesses") == (leave == "true"), "goes on after the stop" if leave == "false" else "is ended")
        end_all(place / "accesses")
        with Capture(place, RECORD, program=place / "calls", arguments="1 x", file=trace) as live:
            error = "\n".join(live.end(stop=False))
            require("is there already" in error, error)
        with Capture(place, RECORD, program="/bin/true", file=place / "none.trace") as live:
            error = "\n".join(live.end(stop=False))
            require("no trace was written" in error, error)


# --- memory ---------------------------------------------------------------------------------------------------------------
def peak_of(records):
    """Kilobytes, of a capture into nothing."""
    with folder() as place:
        data = (CAPTURES / "cacheray/falseshare.trace").read_bytes()[:18 * 50]
        (place / "a.trace").write_bytes(data * (records // 50))
        begin = time.monotonic()
        done = subprocess.Popen([program(), "--extcap-interface", FOLLOW, "--capture", "--fifo", place / "out", "--trace", place / "a.trace",
                                 "--idle", "1"])
        peak = 0
        while done.poll() is None:
            with contextlib.suppress(OSError, TypeError):
                peak = int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{done.pid}/status").read_text())[1])
            time.sleep(0.01)
        require(done.returncode == 0, "ends with", done.returncode)
        size = (place / "out").stat().st_size
        require(size > records * 120, size, "bytes")
        print(f"{records} records: {peak} kB, {records / max(time.monotonic() - begin - 1, 0.1):.0f} records/s")
        return peak


def test_memory():
    few, many = peak_of(10_000), peak_of(600_000)
    require(many < few + 2000, "grows from", few, "to", many)


TESTS = {name[5:]: test for name, test in list(globals().items()) if name.startswith("test_")}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS})
    with folder() as place:
        os.environ["XDG_RUNTIME_DIR"] = str(place)  # what live captures note there
        TESTS[args.test]()


if __name__ == "__main__":
    main()
