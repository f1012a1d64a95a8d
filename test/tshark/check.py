#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs Wireshark's programs with the plugins on the captures and compares what they show.

usage: check.py [--build DIR] [--update] CHECK[,CHECK...] [NAME...]

  loaded           the plugins in use are those of the build
  golden CAPTURE   one pass and two passes show the tables in golden/; every byte is in exactly one record; capinfos agrees
  plain CAPTURE    golden without shortcuts (plugins/epan/host/shortcuts.h)
  copies CAPTURE   gzip'ed, from a pipe, copied by editcap: the same records
  big CAPTURE      rewritten in the other byte order: the same records
  streams CAPTURE  of many files: each stream opened alone shows the same records as in the whole trace
  bad CASE         a damaged capture shows the damage where it is, and everything else as before (test/bad/expected.tsv)
  foreign          files of other formats are opened as if the plugins were not there

CAPTURE is a path below captures/, for a trace of many files its directory; without one, all of them. --update (of golden)
writes golden/ again: look at the difference.
Details of each format are in test/formats; how its fields are computed is left to the unit tests.
"""
import argparse
import atexit
import contextlib
import csv
import functools
import gzip
import io
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
CAPTURES, GOLDEN, BAD = TOP / "captures", HERE / "golden", TOP / "test" / "bad"
sys.path[:0] = [str(BAD), str(TOP / "test")]
import formats  # noqa: E402
import make  # noqa: E402  test/bad/make.py
from formats import Failure, require  # noqa: E402

SHOWN = 8  # differences printed
KEPT_FIRST, KEPT_LAST = 100, 25  # rows of a golden table

FRAME = ["frame.time_epoch", "frame.interface_name"]
ADDRESSES = ["_ws.col.Source", "_ws.col.Destination"]
INFO = "_ws.col.Info"
# variables that tools/run reads or sets
RUN_NAMES = ("WIRETRACE_BUILD", "WIRESHARK_PLUGIN_DIR", "WIRESHARK_CONFIG_DIR", "STRATOSHARK_PLUGIN_DIR", "STRATOSHARK_CONFIG_DIR",
             "LD_PRELOAD", "LD_LIBRARY_PATH")
RUN_SECONDS, CPU_SECONDS = 240, 60  # limits for a program, the first one for a busy machine
ARGUMENTS_BYTES = 100_000  # room for those of a command
# of tshark: with these a program of its own is started, as they are for what happens before protocols are registered
EARLY_OPTIONS = ("-C", "-X", "-v", "-h", "--")
LATE_OPTIONS = ("--export-objects", "--log-level", "--log-domains")  # none of these
NETWORK_NAMES = {"dtds", "enterprises", "enterprises.tsv", "manuf", "services", "wka"}


# --- starting -----------------------------------------------------------------------------------------------------------
def arguments(text, **options):
    """Parses the arguments of a test, which always include --build, and sets the environment for the programs."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("WIRETRACE_BUILD") or TOP / "build")
    for name, settings in options.items():
        parser.add_argument(name.replace("__", "--"), **settings)
    args = parser.parse_args()
    os.environ.update(WIRETRACE_BUILD=str(Path(args.build).resolve()), LC_ALL="C.UTF-8", TZ="UTC")
    os.environ.pop("COLUMNS", None)  # tables would be as wide
    os.environ["WIRESHARK_DATA_DIR"] = str(data_folder(Path(os.environ["WIRETRACE_BUILD"]) / "wireshark-data"))
    return args


def data_folder(place):
    """A copy of Wireshark's data folder without the names of network vendors, ports and the like. Reading those takes a
    third of the time to start a program, and the tests start thousands."""
    if place.exists():
        return place
    _, out, _ = run("tshark", "-G", "folders")
    installed = Path(re.search(r"^Global configuration:\s*(.+)$", out, re.M)[1])
    with tempfile.TemporaryDirectory(dir=place.parent) as made:
        for file in installed.iterdir():
            if file.name not in NETWORK_NAMES:
                (Path(made) / "data" / file.name).parent.mkdir(exist_ok=True)
                (Path(made) / "data" / file.name).symlink_to(file)
        with contextlib.suppress(OSError):  # another test was faster
            (Path(made) / "data").rename(place)
    return place


# --- running ----------------------------------------------------------------------------------------------------------
@functools.cache
def environment(_values):
    """What tools/run, which builds the plugins if need be, sets for a program in these circumstances."""
    done = subprocess.run([TOP / "tools" / "run", "env", "-0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    require(done.returncode == 0, "tools/run failed:", done.stderr.decode("utf-8", "replace")[-2000:])
    found = dict(word.split("=", 1) for word in os.fsdecode(done.stdout).split("\0")[:-1])
    return {name: found[name] for name in RUN_NAMES if name in found}


def piped(data):
    """The end of a pipe from which this is read, as long as somebody does."""
    def write():
        with contextlib.suppress(BrokenPipeError), open(begin, "wb") as file:
            file.write(data)

    end, begin = os.pipe()
    threading.Thread(target=write, daemon=True).start()
    return open(end, "rb")


class Started:
    """A tshark that has registered its protocols and runs any number of command lines from there (programs/started.c), with the
    environment that it was started with, and variables of each command line."""

    def __init__(self, library, env):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            env = {**env, "LD_PRELOAD": f"{library}:{env['LD_PRELOAD']}"}
            limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))  # noqa: E731
            self.process = subprocess.Popen(["tshark", "-r", os.devnull, "x" * ARGUMENTS_BYTES], stdin=theirs, env=env,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
        self.socket.settimeout(RUN_SECONDS)
        self.lock = threading.Lock()  # one command line at a time, whatever thread asks
        self.ready = self.answer() == self.process.pid
        atexit.register(self.end)

    def end(self):
        self.socket.close()
        self.process.wait(RUN_SECONDS)

    def answer(self):
        """A number; None if it has ended."""
        data = self.socket.recv(4)
        return int.from_bytes(data, sys.byteorder, signed=True) if data else None

    def run(self, words, stdin=None, variables=()):
        with self.lock, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
            request = b"".join(os.fsencode(word) + b"\0" for word in [os.getcwd(), *variables, "", *words])
            with open(os.devnull, "rb") if stdin is None else piped(stdin) as given:
                socket.send_fds(self.socket, [request], [file.fileno() for file in (given, out, error)])
            child = self.answer()
            require(child, "a started tshark does not answer:", *words)
            try:
                status = self.answer()
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise Failure(" ".join(words), "takes more than", RUN_SECONDS, "seconds") from None
            require(status is not None, "a started tshark has ended:", *words)
            out.seek(0)
            error.seek(0)
            return os.waitstatus_to_exitcode(status), out.read(), error.read()


@functools.cache
def started(variables):
    """The one with this environment; None where its library cannot be compiled or loaded."""
    library = Path(os.environ["WIRETRACE_BUILD"]) / "started.so"
    source = HERE / "programs" / "started.c"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        made = library.with_name(f"started.{os.getpid()}.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=False)
        if not made.exists():
            return None
        made.rename(library)
    server = Started(library, dict(variables))
    return server if server.ready else None


ALWAYS = []  # options of each tshark but -G, which must be the first one


def run(*command, stdin=None, prefix=()):
    """As with tools/run, but without the time that this takes, where only the environment is needed."""
    command, env = list(map(str, command)), None
    command[1:1] = ALWAYS if command[0] == "tshark" and command[1:2] != ["-G"] else []
    if prefix or any(map(os.path.isdir, command)):
        command = [str(TOP / "tools" / "run"), *command]
    else:
        env = {**os.environ, **environment(tuple(os.environ.get(name) for name in RUN_NAMES))}
    early = any(word.startswith(EARLY_OPTIONS) and not word.startswith(LATE_OPTIONS) for word in command)
    # the plugins read their variables when they open a trace
    own = {name: value for name, value in (env or {}).items() if name.startswith("WIRETRACE_")}
    if env and command[0] == "tshark" and not early and (server := started(frozenset(env.items() - own.items()))):
        code, out, error = server.run(command, stdin, [f"{name}={value}" for name, value in own.items()])
    else:
        done = subprocess.run([*prefix, *command], input=stdin, timeout=RUN_SECONDS, env=env,
                              stdin=subprocess.DEVNULL if stdin is None else None, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        code, out, error = done.returncode, done.stdout, done.stderr
    error = error.decode("utf-8", "replace")
    require(code != 125, "tools/run failed:", error[-2000:])
    require(code >= 0 and "AddressSanitizer" not in error and "runtime error:" not in error,
            " ".join(map(str, command)), "crashed:", code, error[-4000:])
    return code, out.decode("utf-8", "surrogateescape"), error


@contextlib.contextmanager
def direct_form():
    """Programs read records in the form in which they are exported."""
    os.environ["WIRETRACE_PDU"] = "1"
    try:
        yield
    finally:
        del os.environ["WIRETRACE_PDU"]


@contextlib.contextmanager
def without_shortcuts():
    ALWAYS[:] = ["-o", "wiretrace.shortcuts:FALSE"]
    shown.cache_clear()
    try:
        yield
    finally:
        ALWAYS.clear()
        shown.cache_clear()


def outcome(code, error):
    """What a program says about the file: ok, cut short, or anything else."""
    if code == 0:
        return "ok"
    return "cut short" if "cut short" in error else f"exit {code}: {error.strip()}"


def printed(path, *options, program="tshark"):
    """What a program prints of a trace; it must succeed."""
    code, out, error = run(program, "-n", "-r", path, *options)
    require(code == 0, program, *options, "of", path, "failed:", code, error[:1000])
    return out


def statistic(path, what, *options):
    return printed(path, "-q", *options, "-z", what)


def csv_rows(text):
    """Rows of CSV, each by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def skip(*why):
    """Ends the test as one that has been skipped."""
    print(*why)
    sys.exit(77)


def checksum(text):
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


@functools.cache
def field_types():
    """The type of each field of our formats."""
    rows = (line.split("\t") for line in run("tshark", "-G", "fields")[1].split("\n") if line.startswith("F\t"))
    types = {row[2]: row[3] for row in rows if row[4] in formats.formats()}
    require(types, "tshark lists no field of ours")
    return types


def tidy(name, value):
    """Makes the spelling independent of the version of Wireshark, and shortens what is too long for a line."""
    kind = field_types().get(name)
    if kind == "FT_BOOLEAN":
        return {"True": "1", "False": "0"}.get(value, value)
    if kind == "FT_BYTES":
        value = value.replace(":", "")
    if len(value) > 160:
        return f"{value[:120]}...{len(value)} characters, crc {checksum(value)}"
    return value


@functools.cache
def wireshark_version():
    """(4, 0), for example."""
    version = re.search(r" (\d+)\.(\d+)\.", run("tshark", "--version")[1])
    return int(version[1]), int(version[2])


def has_units():
    """Whether Wireshark itself prints durations in units that fit. Otherwise the details have those in brackets."""
    return wireshark_version() >= (4, 6)


def in_seconds(line):
    """Converts short durations in the details of a record: Wireshark 4.6 prints them in smaller units."""
    digits = {"milli": 3, "micro": 6, "nano": 9}
    return re.sub(r"([0-9.]+) (milli|micro|nano)seconds?\b",
                  lambda m: f"{Decimal(m[1]).scaleb(-digits[m[2]]):.9f} seconds", line)


class Table:
    """The output of tshark: one row per record, columns by field name."""

    def __init__(self, names, rows, verdict, error="", printed=None):
        self.names, self.rows, self.verdict, self.error = names, rows, verdict, error
        self.printed = printed or {}  # statistic -> its lines

    def column(self, name):
        at = self.names.index(name)
        return [row[at] for row in self.rows]

    def numbers(self, name):
        return [int(v, 0) if v else None for v in self.column(name)]

    def only(self, names):
        at = [self.names.index(n) for n in names]
        return [[row[i] for i in at] for row in self.rows]

    def text(self):
        """Omits columns that are empty, and prints a column with a single value only once."""
        lines, kept = [f"# {self.verdict}"], []
        for i, name in enumerate(self.names):
            values = {row[i] for row in self.rows}
            if len(values) == 1 and len(self.rows) > 1:
                if values != {""}:
                    lines.append(f"# {name} = {values.pop()}")
            elif values != {""}:
                kept.append(i)
        lines.append("\t".join(self.names[i] for i in kept))
        lines += ["\t".join(row[i] for i in kept) for row in self.rows]
        return "\n".join(lines) + "\n"


# A statistic printed before, between and after those asked for: it counts no record and has a number.
MARK = "io,phs,frame.number == 0 && frame.number != "
MARKED = re.compile(r"\n=+\nProtocol Hierarchy Statistics\nFilter: frame\.number == 0 && frame\.number != (\d+)\n\n=+\n")


def printed_lines(text, taps):
    """The rows before the statistics, and the lines of each statistic, which tshark prints in any order."""
    rows, *parts = MARKED.split(text)
    numbers, parts = [int(n) for n in parts[::2]], parts[1::2]
    require(sorted(numbers) == list(range(len(taps) + 1)), "statistics are missing:", taps, text[-1000:])
    return rows, {taps[min(pair)]: part.split("\n") for part, pair in zip(parts, zip(numbers, numbers[1:]))}


@functools.cache
def forgetful():
    """tshark 4.6 continues after a record that a writer refuses, in any format, and the next record clears the reason.
    Its other programs report it."""
    return "(Wireshark) 4.6." in run("tshark", "--version")[1]


def tshark(path, names, *options, stdin=None, taps=()):
    """These fields of every record, and these statistics from the same run."""
    command = ["tshark", "-n", "-r", path, "-T", "fields"]
    command += ["-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"]
    for name in names:
        command += ["-e", name]
    for number, what in enumerate(taps):
        command += ["-z", f"{MARK}{number}", "-z", what]
    code, out, error = run(*command, *(["-z", f"{MARK}{len(taps)}"] if taps else []), *options, stdin=stdin)
    out, printed = printed_lines(out, taps) if taps else (out, {})
    # only '\n' ends a record: splitlines() would also split at other characters of a label
    rows = [line.split("\t") for line in out.split("\n")[:-1]]
    for row in rows:
        require(len(row) == len(names), "a row of", len(row), "cells for", len(names), "fields:", row)
    rows = [[v and tidy(n, v) for n, v in zip(names, row)] for row in rows]
    return Table(list(names), rows, outcome(code, error), error, printed)


not_asked = set()


def asked(program, package):
    """Whether a reader is installed. If not, the rest of the test is done, which then counts as skipped."""
    if not shutil.which(program):
        not_asked.add(f"{program} is not installed (Debian: {package})")
    return shutil.which(program)


def for_each(test, names):
    """Tries each of these names; the test ends with what is wrong with all of them."""
    failed = False
    for name in names:
        try:
            test(name)
        except Failure as failure:
            failed = True
            print(f"{name}: {failure}", file=sys.stderr)
        except Exception:
            failed = True
            print(f"{name}: {traceback.format_exc()}", file=sys.stderr)
    print(*sorted(not_asked), sep="\n", end="\n" if not_asked else "")
    if failed or not_asked:
        sys.exit(1 if failed else 77)


# --- captures ---------------------------------------------------------------------------------------------------------
def protocol_of(name):
    return formats.of(name).NAME


def fields(protocol, words):
    return [f"{protocol}.{word}" for word in words.split()]


def raw_fields(protocol):
    f = formats.formats()[protocol]
    return FRAME + fields(protocol, f.OWN) + fields(protocol, f.CONTEXT) + ADDRESSES + [INFO]


def event_files(path):
    """The streams of a trace of many files; a single file is its own stream."""
    if not path.is_dir():
        return [path]
    return next(found for f in formats.formats().values() if (found := f.streams(path)))


def entry(path):
    """The file to open: for a directory the one that its format chooses."""
    if not path.is_dir():
        return path
    return next(found for f in formats.formats().values() if (found := f.entry(path)))


def compare(what, want, got):
    if want == got:
        return
    want, got = want.split("\n"), got.split("\n")
    bad = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
    lines = [f"{what}: {len(bad)} lines differ"]
    for i in bad[:SHOWN]:
        lines += [f"  line {i + 1}", f"    expected {''.join(want[i:i + 1])}", f"    shown    {''.join(got[i:i + 1])}"]
    raise Failure("\n".join(lines))


def shortened(text):
    """Of long tables, keeps the first and last rows and a checksum of those between."""
    lines = text.split("\n")
    between = lines[KEPT_FIRST:-KEPT_LAST]
    if len(between) < 2:
        return text
    digest = f"# {len(between)} rows, crc {checksum(chr(10).join(between))}"
    return "\n".join([*lines[:KEPT_FIRST], digest, *lines[-KEPT_LAST:]])


def time_max():
    """The latest time that the programs can show, in seconds; None if there is no limit."""
    try:
        time.gmtime(2**31)
    except OverflowError:
        return Decimal("2147483647.999999999")
    return None


def with_cut_times(text, most):
    """A golden table as it should be where times are limited: frame.time_epoch is its first column."""
    head = [line for line in text.split("\n") if line.startswith("# ")]
    names, *rows = [line.split("\t") for line in text.split("\n")[len(head):-1]]
    if names[0] != "frame.time_epoch":
        return text
    rows = [[str(min(Decimal(row[0]), most)), *row[1:]] for row in rows]
    again = Table(names, rows, head[0][2:]).text().split("\n")
    return "\n".join([line for line in again if line.startswith("# ")] + head[1:] +
                     [line for line in again if not line.startswith("# ")])


def against_golden(name, text, update):
    path = formats.root_of(name) / "test/tshark/golden" / name
    text = shortened(text) if name.endswith(".tsv") else text
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    require(path.exists(), "no golden file", path)
    want, most = path.read_text(encoding="utf-8", errors="surrogateescape"), time_max()
    if most and re.search(r"^\d{10,}\.\d{9}\t", want, re.M):
        want = with_cut_times(want, most)
    if name.endswith(".details.txt") and has_units():
        want = re.sub(r" seconds \([0-9.]+ [num]?s\)", " seconds", want)
    compare(f"golden {name}", want, text)


def tiles(table, protocol, size, where):
    """Every byte of a file is in exactly one of these records."""
    at = 0
    spans = sorted(zip(table.numbers(f"{protocol}.offset"), table.numbers(f"{protocol}.length")))
    for offset, length in spans:
        require(offset == at and length > 0, f"{where}: record of {length} bytes at {offset}, expected one at {at}")
        at += length
    require(at == size, f"{where}: records cover {at} of {size} bytes")


def check_tiles(table, protocol, path):
    if not path.is_dir():
        tiles(table, protocol, path.stat().st_size, path.name)
        return
    f = formats.formats()[protocol]
    stream, kind = table.names.index(f.STREAM), table.numbers(f.KIND)
    table = Table(table.names, [row for row, k in zip(table.rows, kind) if k not in f.ABSENT], "")
    names = f.files(path)
    for name, file in names.items():
        rows = [row for row in table.rows if row[stream] == name]
        require(rows or not file.stat().st_size, f"{name} has no record")
        tiles(Table(table.names, rows, ""), protocol, file.stat().st_size, name)
    require({row[stream] for row in table.rows} <= set(names), "records of unknown streams")


PLACE = ["frame.file_off", "frame.cap_len"]  # shown if the preference frame.show_file_off is set


def check_length(table, protocol):
    """Wireshark's windows show the end of the last record as the length of the file, which must be that of all records."""
    last = table.only(PLACE)[-1]
    end, bytes_of_all = sum(map(int, last)), sum(table.numbers(f"{protocol}.length"))
    require(end == bytes_of_all, f"the last record ends at {end}, but all records are {bytes_of_all} bytes")


def check_cut_times(table, protocol):
    """A time that is not the record's own is marked; where all times fit, nothing is."""
    if not formats.formats()[protocol].TIME_CUT:
        return
    most = time_max()
    for at, cut in table.only(["frame.time_epoch", f"{protocol}.time_cut"]):
        require(bool(cut) == (most is not None and Decimal(at) >= most), "time", at, "is said to be cut:", bool(cut))


def columns(table, names):
    return Table(names, table.only(names), table.verdict, table.error)


@functools.cache
def shown(name):
    """All that tshark shows of a capture in one pass, and where."""
    f = formats.of(name)
    names = dict.fromkeys([*raw_fields(f.NAME), *PLACE, *fields(f.NAME, "time_cut" if f.TIME_CUT else "")])
    return tshark(entry(formats.capture(name)), list(names), "-o", "frame.show_file_off:TRUE")


# --- the checks -------------------------------------------------------------------------------------------------------
def check_loaded(_name, _update):
    _, out, _ = run("tshark", "-G", "plugins")
    build = os.path.realpath(os.environ["WIRETRACE_BUILD"])
    for plugin in ("wiretrace.so", "wiretrace-files.so"):
        line = next((x for x in out.split("\n") if x.startswith(plugin)), "")
        path = os.path.realpath(line.rsplit("\t", 1)[-1])
        require(line and path.startswith(build + os.sep), f"{plugin} of {build} is not loaded: {line or 'not listed'}")
    bundled = subprocess.run(["pkg-config", "--variable=plugindir", "wireshark"], stdout=subprocess.PIPE, check=True)
    for file in Path(bundled.stdout.decode().strip()).rglob("*.so"):
        require(f"{file.name}" in out, "Wireshark's own plugin", file.name, "is missing")


def check_golden(name, update):
    f, path = formats.of(name), formats.capture(name)
    protocol, raw = f.NAME, raw_fields(f.NAME)
    beside = {preference: path.with_suffix(ending) for ending, preference in f.OPTIONS.items()}
    options = [word for preference, file in beside.items() if file.exists() for word in ("-o", f"{preference}:{file}")]
    analysis = fields(protocol, f.OWN)[:1] + fields(protocol, f.ANALYSIS) if f.ANALYSIS else []
    once = shown(name)
    twice = tshark(entry(path), list(dict.fromkeys(raw + ([] if options else analysis))), "-2")
    table = columns(once, raw)
    against_golden(name + ".tsv", table.text(), update)
    compare("two passes", table.text(), columns(twice, raw).text())
    check_tiles(table, protocol, path)
    check_length(once, protocol)
    check_cut_times(once, protocol)
    if analysis:
        found = tshark(entry(path), analysis, "-2", *options) if options else columns(twice, analysis)
        against_golden(name + ".analysis.tsv", found.text(), update)
    if name in f.DETAILS:
        _, out, _ = run("tshark", "-n", "-r", entry(path), "-O", protocol, "-c", f.DETAILS[name])
        lines = [in_seconds(line) for line in out.split("\n") if not line.startswith("Frame ")]
        against_golden(name + ".details.txt", "\n".join(lines), update)
    code, out, error = run("capinfos", "-T", "-r", "-m", "-Q", "-t", "-c", entry(path))
    require(outcome(code, error) == table.verdict, "capinfos:", outcome(code, error), "tshark:", table.verdict)
    require(str(len(table.rows)) in next(csv.reader([out])), "capinfos does not count", len(table.rows), "but:", out)


def check_plain(name, update):
    require(not update, "goldens are written with shortcuts")
    with without_shortcuts():
        check_golden(name, False)


def tree_of(packet, protocol):
    """The protocol's visible fields of a record, its layers in PDML, as (name, begin, end, number of the parent field)."""
    rows = []
    proto = packet[protocol]
    pending = [(child, -1) for child in reversed(proto)]
    while pending:
        field, parent = pending.pop()
        if field.get("hide") == "yes":
            continue
        at, size = int(field.get("pos")), int(field.get("size"))
        rows.append((field.get("name"), at, at + size, parent))
        pending += [(child, len(rows) - 1) for child in reversed(field)]
    return rows, int(proto.get("size"))


def check_fields(packets, protocol):
    """Fields with bytes of their own are in byte order and leave none out; a field with children contains their bytes."""
    for number, packet in enumerate(packets, 1):
        rows, size = tree_of(packet, protocol)
        begins = [begin for _, begin, end, above in rows if above < 0 and end > begin]
        require(begins == sorted(begins), "record", number, "is not in the order of bytes:", rows)
        bare = set(range(size)).difference(*(range(begin, end) for _, begin, end, _ in rows))
        require(not bare, "record", number, "has no field for the bytes", sorted(bare)[:SHOWN], rows)
        for what, begin, end, above in rows:
            require(above < 0 or end == begin or rows[above][1] <= begin < end <= rows[above][2],
                    "record", number, what, "is outside of the field that contains it:", rows)


def same_records(what, names, want, got, protocol):
    """Requires the same values of these fields, whatever the order of the records."""
    require(want.verdict == got.verdict, f"{what}: expected {want.verdict}, but: {got.verdict}")
    order = lambda t: sorted(t.only(names), key=lambda r: int(r[names.index(f"{protocol}.offset")], 0))
    compare(what, Table(names, order(want), want.verdict).text(), Table(names, order(got), got.verdict).text())


def check_copies(name, _update):
    f, whole = formats.of(name), formats.capture(name)
    protocol, path = f.NAME, event_files(whole)[0]
    table = tshark(path, raw_fields(protocol)) if whole.is_dir() else columns(shown(name), raw_fields(protocol))
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        # at the same place in a trace, as a stream may take names from its path and from the files beside it
        if whole.is_dir():
            packed = Path(shutil.copytree(whole, Path(folder) / "packed")) / path.relative_to(whole)
        else:
            packed = Path(folder) / path.name
        packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        compare("gzip'ed", table.text(), tshark(packed, raw_fields(protocol), "-2").text())
        if formats.file_type(name) not in f.READ_ONLY:
            copy = Path(folder) / "copy"
            code, _, error = run("editcap", "-F", formats.file_type(name), path, copy)
            require(code == 0 and copy.exists(), "editcap:", code, error)
            require(copy.read_bytes() == path.read_bytes(), "the copy made by editcap is not the same")
    if name not in f.NAMED:
        names = fields(protocol, f.OWN)
        same_records("from a pipe", names, table, tshark("-", names, stdin=path.read_bytes()), protocol)


def check_big(name, _update):
    f, path = formats.of(name), formats.capture(name)
    protocol = f.NAME
    names = [n for n in raw_fields(protocol) if n != f"{protocol}.byte_order"]
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        copy = Path(folder) / path.name
        if path.is_dir():
            shutil.copytree(path, copy)
        else:
            shutil.copy(path, copy)
        for file in event_files(copy):
            file.write_bytes(f.big_endian(file.read_bytes()))
        got = tshark(entry(copy), names + [f"{protocol}.byte_order"])
        order = got.column(f"{protocol}.byte_order")
    names = [n for n in names if n not in f.UNSWAPPED]
    want = columns(shown(name), names)
    compare("big-endian", want.text(), Table(names, got.only(names), got.verdict).text())
    binary = [o for o, k in zip(order, got.numbers(f.KIND)) if k not in f.PLAIN]
    require(set(binary) == {"1"}, "byte order is not shown as big-endian")


def check_streams(name, _update):
    """The events of each stream; fields that differ if a stream is opened alone are ignored."""
    f, path = formats.of(name), formats.capture(name)
    # names and CPUs may be known from other streams
    names = [n for n in raw_fields(f.NAME) if n not in [*fields(f.NAME, f.ALONE), *ADDRESSES, INFO]]
    stream, kind = names.index(f.STREAM), names.index(f.KIND)
    whole = columns(shown(name), names)
    for own, file in f.files(path).items():
        if file not in event_files(path):
            continue
        alone = tshark(file, names)
        tiles(alone, f.NAME, file.stat().st_size, file.name)
        want = [row for row in whole.rows if row[stream] == own and int(row[kind]) in f.EVENTS]
        got = [row for row in alone.rows if int(row[kind]) in f.EVENTS]
        compare(own, Table(names, want, "ok").text(), Table(names, got, alone.verdict).text())


def expected(case):
    with open(formats.root_of(case) / "test/bad/expected.tsv", encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["case"] == case)


def check_bad(case, _update):
    row, protocol = expected(case), protocol_of(case)
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        make.make(case, Path(folder))
        path = Path(folder) / case / row["open"]
        names, marks = raw_fields(protocol), message_fields(protocol)
        table = tshark(entry(path), names)
        if row["status"] not in ("ok", "cut short"):
            require(row["status"] in table.verdict and not table.rows, "expected", row["status"], "but:", table.verdict)
            return
        require(table.verdict == row["status"], "expected", row["status"], "but:", table.verdict)
        twice = tshark(entry(path), list(dict.fromkeys(names + marks)), "-2")
        compare("two passes", table.text(), columns(twice, names).text())
        check_tiles(table, protocol, path)
        if row["message"] != "-":
            check_message(twice.only(marks), row)
    check_rest(protocol, make.source(case), row, table)


def stream_field(protocol):
    stream = formats.formats()[protocol].STREAM
    return [stream] if stream else []


def message_fields(protocol):
    return [f"{protocol}.offset", "_ws.expert.message", *stream_field(protocol)]


def check_message(rows, row):
    """The record at an offset has the message as expert info."""
    at = [r for r in rows if r[0] == row["at"] and r[2:] == [row["stream"]][:len(r) - 2]]
    require(any(row["message"] in r[1] for r in at), f"record at {row['at']}: expected {row['message']!r}, shown {at}")


def check_rest(protocol, source, row, table):
    """Records outside of the damage are those of the intact capture."""
    spans = [[int(x) for x in span.split("-")] for span in row["lost"].split(",")]
    stream = stream_field(protocol)
    names = fields(protocol, formats.formats()[protocol].OWN) + stream

    def intact(record):
        begin, end = int(record[0]), int(record[0]) + int(record[1])
        hit = not stream or record[-1] == row["stream"]
        return not hit or all(begin < end <= low or begin >= high for low, high in spans)

    want = columns(shown(source), names)
    rest = lambda t: Table(names, sorted(filter(intact, t.only(names))), "").text()
    compare("records outside of the damage", rest(want), rest(table))


def check_foreign(_name, _update):
    head = bytes.fromhex("d4c3b2a1020004000000000000000000ffff00000100000000000000000000000400000004000000") + b"ping"
    samples = {"a.pcap": head, "empty": b"", "one": b"\0", "zeros.obs": bytes(5000), "text.trace": b"plain text\n" * 50,
               "data.json": b'{"version": 3, "values": [1, 2]}', "stream.json": b'{"version": 3}',
               "program": Path("/proc/self/exe").read_bytes()[:20000],
               "counts.trace": b"".join(i.to_bytes(4, "little") for i in range(2000)), "thread.12": b"\x01\x02" * 3000}
    samples.update((f"page{Path(name).suffix}", b"<html></html>\n" * 9) for name in formats.captures())
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for name, data in samples.items():
            path = Path(folder) / name
            path.write_bytes(data)
            command = ["capinfos", "-t", "-c", str(path)]
            plain = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                   env={**os.environ, "WIRESHARK_PLUGIN_DIR": folder, "HOME": folder})
            code, out, error = run(*command)
            require((plain.returncode, plain.stdout.decode()) == (code, out), f"{name}: {code} {out} {error}")


CHECKS_BY_NAME = {
    # for every capture
    "golden": check_golden, "plain": check_plain, "copies": check_copies, "big": check_big, "streams": check_streams,
    # for a single damaged case, and for none
    "bad": check_bad, "loaded": check_loaded, "foreign": check_foreign,
}
CHECKS = list(CHECKS_BY_NAME)


def main():
    args = arguments(__doc__, __update={"action": "store_true"}, checks={"metavar": "CHECK[,CHECK...]"}, names={"nargs": "*", "metavar": "NAME"})
    for check in args.checks.split(","):
        names = [name.rstrip("/") for name in args.names] or [""]
        if check in CHECKS[:5] and not args.names:
            names = [n for n in formats.captures() if check != "streams" or formats.of(n).STREAM]
        for name in names:
            try:
                CHECKS_BY_NAME[check](name, args.update)
            except Failure as failure:
                sys.exit(f"{check} {name}: {failure}")


if __name__ == "__main__":
    main()
