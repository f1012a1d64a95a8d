#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run Wireshark's programs with the built plugins over the captures and compare what they show.

usage: check.py [--build DIR] [--update] CHECK [NAME]

  loaded           the plugins of the build are the ones that run
  golden CAPTURE   one pass and two passes show what golden/ says; every byte is in exactly one record; capinfos agrees
  copies CAPTURE   gzip'ed, from a pipe, copied by editcap: the same records
  big CAPTURE      rewritten in the other byte order: the same records
  streams CAPTURE  ovni: each stream opened alone shows its records of the whole trace
  bad CASE         a damaged capture shows the damage where it is, and all the rest as before (test/bad/expected.tsv)
  experts          ovni: -z expert counts the same without trees as is shown with them
  foreign          files of other formats are opened as if the plugins were not there
  environment      what the environment says stands until the preference for the same says otherwise
  progress         Wireshark's progress bar goes with the records, also in a trace of many files
  temporary        a temporary file that cannot be made is named with its folder
  rights           root reads the files of others; others run what root has built

CAPTURE is a path below captures/, for an ovni trace its directory; without one, all of them. --update (of golden)
writes golden/ anew: look at the difference.
Exit status 77: skipped. Knows the fields by name only; how they come about is the business of the unit tests.
"""
import argparse
import csv
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
CAPTURES, GOLDEN, BAD = TOP / "captures", HERE / "golden", TOP / "test" / "bad"
sys.path.insert(0, str(BAD))
import make  # noqa: E402  test/bad/make.py
OVNI_METADATA, OVNI_MISSING = 3, 4  # ovni.kind
SHOWN = 8  # differences printed
KEPT_FIRST, KEPT_LAST = 100, 25  # rows of a golden table

# Fields of the records' own bytes, and of their context. Both are the same in one pass, in two and in every copy.
OWN = {
    "xray": """offset length byte_order kind truncated malformed header.version header.type header.constant_tsc
        header.nonstop_tsc header.cycle_frequency header.buffer_size discriminant function.action function.id
        function.tsc_delta metadata.kind wall_clock.seconds wall_clock.microseconds argument event.size event.type
        event.tsc_delta event.data event.text buffer.extent""",
    "cacheray": """offset length byte_order event truncated malformed type layout atomic unaligned address size thread
        rtta.elem_size rtta.elem_count rtta.typename""",
    "ovni": """offset length byte_order kind truncated malformed header.version flags jumbo payload_size mcv model
        category value clock payload jumbo.size jumbo.data arg.cpu arg.tid arg.tag arg.value arg.type arg.taskid
        arg.typeid arg.label arg.bodyid""",
}
CONTEXT = {
    "xray": "thread process cpu tsc argument.index",
    "cacheray": "",
    "ovni": "stream loom process thread rank app clock.offset description",
}
FRAME = ["frame.time_epoch", "frame.interface_name"]
INFO = "_ws.col.Info"
# What analysis adds, compared in two passes only and in a file of its own.
ANALYSIS = {
    "xray": "",
    "cacheray": """access.typename access.variable access.member access.index access.offset access.rtta rtta.add rtta.remove unannotated overlap unmatched
        line line.split line.sharing line.reuse""",
    "ovni": """state left.state left.duration thread.state cpu unsorted region.depth region.duration region.begin region.end unmatched unsure
        task.id task.type task.label task.duration task.created task.begun task.ended mark.title mark.label counter.name
        metadata.require metadata.cpu metadata.cpu.system metadata.finished metadata.ranks metadata.library""",
}
# Captures whose records are also kept as tshark prints them in full: the first so many.
DETAILS = {"xray/fdr-args.xray": 12, "xray/fdr-cpus.xray": 16, "cacheray/orders.trace": 12, "ovni/v3-hwc": 8}
BOOLEANS = {"xray.header.constant_tsc", "xray.header.nonstop_tsc", "cacheray.atomic", "cacheray.unaligned",
            "cacheray.line.split", "ovni.jumbo", "ovni.unsorted", "ovni.metadata.finished"}
BYTES = {"xray.event.data", "ovni.payload", "ovni.jumbo.data"}
# File types of which editcap makes a native copy.
NATIVE = {"cacheray": "cacheray", "ovni": "ovni"}


class Failure(Exception):
    pass


def require(condition, *words):
    if not condition:
        raise Failure(" ".join(str(w) for w in words))


# --- starting -----------------------------------------------------------------------------------------------------------
def arguments(text, **options):
    """The arguments of a test, of which all have --build; sets what the programs are run with."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("WIRETRACE_BUILD") or TOP / "build")
    for name, settings in options.items():
        parser.add_argument(name.replace("__", "--"), **settings)
    args = parser.parse_args()
    os.environ.update(WIRETRACE_BUILD=str(Path(args.build).resolve()), LC_ALL="C.UTF-8", TZ="UTC")
    return args


# --- running ----------------------------------------------------------------------------------------------------------
def run(*command, stdin=None, prefix=()):
    done = subprocess.run([*prefix, str(TOP / "tools" / "run"), *map(str, command)], input=stdin, timeout=900,
                          stdin=subprocess.DEVNULL if stdin is None else None, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    error = done.stderr.decode("utf-8", "replace")
    require(done.returncode != 125, "tools/run failed:", error[-2000:])
    require(done.returncode >= 0 and "AddressSanitizer" not in error and "runtime error:" not in error,
            " ".join(map(str, command)), "crashed:", done.returncode, error[-4000:])
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape"), error


def outcome(code, error):
    """What a program says about the file: ok, cut short, or whatever else."""
    if code == 0:
        return "ok"
    return "cut short" if "cut short" in error else f"exit {code}: {error.strip()}"


def checksum(text):
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def tidy(name, value):
    """One spelling for all versions of Wireshark, and nothing longer than a line can bear."""
    if name in BOOLEANS:
        return {"True": "1", "False": "0"}.get(value, value)
    if name in BYTES:
        value = value.replace(":", "")
    if len(value) > 160:
        return f"{value[:120]}...{len(value)} characters, crc {checksum(value)}"
    return value


def in_seconds(line):
    """Short durations in the details of a record: Wireshark 4.6 prints them in smaller units."""
    digits = {"milli": 3, "micro": 6, "nano": 9}
    return re.sub(r"([0-9.]+) (milli|micro|nano)seconds?\b",
                  lambda m: f"{Decimal(m[1]).scaleb(-digits[m[2]]):.9f} seconds", line)


class Table:
    """What tshark shows: one row per record, columns by field name."""

    def __init__(self, names, rows, verdict, error=""):
        self.names, self.rows, self.verdict, self.error = names, rows, verdict, error

    def column(self, name):
        at = self.names.index(name)
        return [row[at] for row in self.rows]

    def numbers(self, name):
        return [int(v, 0) if v else None for v in self.column(name)]

    def only(self, names):
        at = [self.names.index(n) for n in names]
        return [[row[i] for i in at] for row in self.rows]

    def text(self):
        """Columns that are empty everywhere are left out; one that is the same everywhere is said once."""
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


def tshark(path, names, *options, stdin=None):
    command = ["tshark", "-n", "-r", path, "-T", "fields"]
    command += ["-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"]
    for name in names:
        command += ["-e", name]
    code, out, error = run(*command, *options, stdin=stdin)
    # only '\n' ends a record: splitlines() would also split at other characters of a label
    rows = [line.split("\t") for line in out.split("\n")[:-1]]
    for row in rows:
        require(len(row) == len(names), "a row of", len(row), "cells for", len(names), "fields:", row)
    rows = [[tidy(n, v) for n, v in zip(names, row)] for row in rows]
    return Table(list(names), rows, outcome(code, error), error)


# --- captures ---------------------------------------------------------------------------------------------------------
def protocol_of(name):
    return name.split("/", 1)[0].split("-", 1)[0].replace("basic", "xray")


def fields(protocol, which):
    return [f"{protocol}.{n}" for n in which[protocol].split()]


def raw_fields(protocol):
    return FRAME + fields(protocol, OWN) + fields(protocol, CONTEXT) + [INFO]


def event_files(folder):
    """The streams of an ovni trace in byte order of their paths."""
    found = [p for p in Path(folder).rglob("*") if p.is_file() and
             re.fullmatch(r"stream\.obs|thread\.\d+(\.obs)?", p.name)]
    return sorted(found, key=lambda p: os.fsencode(str(p)))


def all_captures():
    found = [*CAPTURES.glob("xray/*.xray"), *CAPTURES.glob("cacheray/*.trace"), *CAPTURES.glob("ovni/*")]
    return sorted(str(path.relative_to(CAPTURES)) for path in found)


def stream_name(folder, file):
    return re.sub(r"/stream\.obs$|\.obs$", "", str(file.relative_to(folder)))


def entry(path):
    """The file to open: of a directory the first metadata file."""
    if not path.is_dir():
        return path
    metadata = [p for p in path.rglob("*.json") if p.name in ("stream.json", "metadata.json")]
    return min(metadata, key=lambda p: os.fsencode(str(p)))


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
    """Long tables keep their first and last rows and the checksum of those between."""
    lines = text.split("\n")
    between = lines[KEPT_FIRST:-KEPT_LAST]
    if len(between) < 2:
        return text
    digest = f"# {len(between)} rows, crc {checksum(chr(10).join(between))}"
    return "\n".join([*lines[:KEPT_FIRST], digest, *lines[-KEPT_LAST:]])


def time_max():
    """The last time that the programs can show, seconds: None where it never comes."""
    try:
        time.gmtime(2**31)
    except OverflowError:
        return Decimal("2147483647.999999999")
    return None


def with_cut_times(text, most):
    """A golden table as it is where times end: frame.time_epoch is its first column."""
    head = [line for line in text.split("\n") if line.startswith("# ")]
    names, *rows = [line.split("\t") for line in text.split("\n")[len(head):-1]]
    if names[0] != "frame.time_epoch":
        return text
    rows = [[str(min(Decimal(row[0]), most)), *row[1:]] for row in rows]
    again = Table(names, rows, head[0][2:]).text().split("\n")
    return "\n".join([line for line in again if line.startswith("# ")] + head[1:] +
                     [line for line in again if not line.startswith("# ")])


def against_golden(name, text, update):
    path, text = GOLDEN / name, shortened(text) if name.endswith(".tsv") else text
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    require(path.exists(), "no golden file", path)
    want, most = path.read_text(encoding="utf-8", errors="surrogateescape"), time_max()
    if most and re.search(r"^\d{10,}\.\d{9}\t", want, re.M):
        want = with_cut_times(want, most)
    compare(path.relative_to(TOP), want, text)


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
    stream, kind = table.names.index("ovni.stream"), table.names.index("ovni.kind")
    table = Table(table.names, [row for row in table.rows if row[kind] != str(OVNI_MISSING)], "")
    names = {stream_name(path, file): file for file in event_files(path)}
    names.update((str(file.relative_to(path)), file) for file in path.rglob("*.json"))
    for name, file in names.items():
        rows = [row for row in table.rows if row[stream] == name]
        require(rows or not file.stat().st_size, f"{name} has no record")
        tiles(Table(table.names, rows, ""), protocol, file.stat().st_size, name)
    require({row[stream] for row in table.rows} <= set(names), "records of unknown streams")


def check_length(table, protocol, path):
    """Wireshark's windows take the end of the last record for the length of the file, which is that of all its records."""
    names = ["frame.file_off", "frame.cap_len"]
    last = tshark(path, names, "-o", "frame.show_file_off:TRUE").rows[-1]
    end, bytes_of_all = sum(map(int, last)), sum(table.numbers(f"{protocol}.length"))
    require(end == bytes_of_all, f"the last record ends at {end}, but all records are {bytes_of_all} bytes")


def check_cut_times(protocol, path):
    """What is not the record's own time says so; where all times fit, nothing does."""
    if protocol == "cacheray":
        return
    table, most = tshark(path, ["frame.time_epoch", f"{protocol}.time_cut"]), time_max()
    for at, cut in table.rows:
        require(bool(cut) == (most is not None and Decimal(at) >= most), "time", at, "is said to be cut:", bool(cut))


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
    path, protocol = CAPTURES / name, protocol_of(name)
    table = tshark(entry(path), raw_fields(protocol))
    against_golden(name + ".tsv", table.text(), update)
    compare("two passes", table.text(), tshark(entry(path), raw_fields(protocol), "-2").text())
    check_tiles(table, protocol, path)
    check_length(table, protocol, entry(path))
    check_cut_times(protocol, entry(path))
    if ANALYSIS[protocol]:
        names = fields(protocol, OWN)[:1] + fields(protocol, ANALYSIS)
        binary = path.with_suffix(".elf")
        options = ["-o", f"cacheray.binary:{binary}"] if binary.exists() else []
        against_golden(name + ".analysis.tsv", tshark(entry(path), names, "-2", *options).text(), update)
    if name in DETAILS:
        _, out, _ = run("tshark", "-n", "-r", entry(path), "-O", protocol, "-c", DETAILS[name])
        lines = [in_seconds(line) for line in out.split("\n") if not line.startswith("Frame ")]
        against_golden(name + ".details.txt", "\n".join(lines), update)
    code, out, error = run("capinfos", "-T", "-r", "-m", "-Q", "-t", "-c", entry(path))
    require(outcome(code, error) == table.verdict, "capinfos:", outcome(code, error), "tshark:", table.verdict)
    require(str(len(table.rows)) in next(csv.reader([out])), "capinfos does not count", len(table.rows), "but:", out)


def same_records(what, names, want, got, protocol):
    """The same values of these fields, whatever the order of the records."""
    require(want.verdict == got.verdict, f"{what}: expected {want.verdict}, but: {got.verdict}")
    order = lambda t: sorted(t.only(names), key=lambda r: int(r[names.index(f"{protocol}.offset")], 0))
    compare(what, Table(names, order(want), want.verdict).text(), Table(names, order(got), got.verdict).text())


def check_copies(name, _update):
    protocol = protocol_of(name)
    path = CAPTURES / name
    if path.is_dir():
        path = event_files(path)[0]
    table = tshark(path, raw_fields(protocol))
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        # at the same place in a trace: an ovni stream learns its names from its path and the metadata beside it
        if (CAPTURES / name).is_dir():
            packed = Path(shutil.copytree(CAPTURES / name, Path(folder) / "packed")) / path.relative_to(CAPTURES / name)
        else:
            packed = Path(folder) / path.name
        packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        compare("gzip'ed", table.text(), tshark(packed, raw_fields(protocol), "-2").text())
        if protocol in NATIVE:
            copy = Path(folder) / "copy"
            code, _, error = run("editcap", "-F", NATIVE[protocol], path, copy)
            require(code == 0 and copy.exists(), "editcap:", code, error)
            require(copy.read_bytes() == path.read_bytes(), "the copy made by editcap is not the same")
    if "headerless" not in name:  # recognised by its name only
        names = fields(protocol, OWN)
        same_records("from a pipe", names, table, tshark("-", names, stdin=path.read_bytes()), protocol)


def check_big(name, _update):
    protocol, path = protocol_of(name), CAPTURES / name
    names = [n for n in raw_fields(protocol) if n != f"{protocol}.byte_order"]
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        copy = Path(folder) / path.name
        if path.is_dir():
            shutil.copytree(path, copy)
        else:
            shutil.copy(path, copy)
        for file in event_files(copy) if path.is_dir() else [copy]:
            file.write_bytes(make.fdr.big_endian(file.read_bytes()))
        got = tshark(entry(copy), names + [f"{protocol}.byte_order"])
        order = got.column(f"{protocol}.byte_order")
    raw = {"ovni.payload", "ovni.jumbo.data"}  # shown as they stand
    names = [n for n in names if n not in raw]
    want = tshark(entry(path), names)
    compare("big-endian", want.text(), Table(names, got.only(names), got.verdict).text())
    kinds = got.numbers(f"{protocol}.kind")
    binary = [o for o, k in zip(order, kinds) if protocol != "ovni" or k != OVNI_METADATA]
    require(set(binary) == {"1"}, "byte order is not shown as big-endian")


def check_streams(name, _update):
    """A header has the time of the first event: of the trace or of the stream alone, so it is left out here. So is the
    rank, which another thread's metadata may have."""
    path = CAPTURES / name
    names = [n for n in raw_fields("ovni") if n not in ("ovni.rank", "ovni.app")]
    stream, kind, event = names.index("ovni.stream"), names.index("ovni.kind"), ("1", "2", "254", "255")
    whole = tshark(entry(path), names)
    for file in event_files(path):
        alone = tshark(file, names)
        tiles(alone, "ovni", file.stat().st_size, file.name)
        own = stream_name(path, file)
        want = [row for row in whole.rows if row[stream] == own and row[kind] in event]
        got = [row for row in alone.rows if row[kind] in event]
        compare(own, Table(names, want, "ok").text(), Table(names, got, alone.verdict).text())


def expected(case):
    with open(BAD / "expected.tsv", encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["case"] == case)


def message_at(path, protocol, offset, message, stream):
    """The record at an offset carries the message as expert information."""
    names = [f"{protocol}.offset", "_ws.expert.message"] + (["ovni.stream"] if protocol == "ovni" else [])
    table = tshark(path, names)
    found = [row for row in table.rows if row[0] == offset and (not stream or row[2] == stream)]
    require(any(message in row[1] for row in found), f"record at {offset}: expected {message!r}, shown {found}")


def check_bad(case, _update):
    row, protocol = expected(case), protocol_of(case)
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        make.make(case, Path(folder))
        path = Path(folder) / case / row["open"]
        names = raw_fields(protocol)
        table = tshark(entry(path), names)
        if row["status"] not in ("ok", "cut short"):
            require(row["status"] in table.verdict and not table.rows, "expected", row["status"], "but:", table.verdict)
            return
        require(table.verdict == row["status"], "expected", row["status"], "but:", table.verdict)
        compare("two passes", table.text(), tshark(entry(path), names, "-2").text())
        check_tiles(table, protocol, path)
        if row["message"] != "-":
            check_message(entry(path), protocol, row)
    check_rest(protocol, make.CASES[case][0], row, table)


def check_message(path, protocol, row):
    names = [f"{protocol}.offset", "_ws.expert.message"] + (["ovni.stream"] if protocol == "ovni" else [])
    at = [r for r in tshark(path, names).rows if r[0] == row["at"] and r[2:] == [row["stream"]][:len(r) - 2]]
    require(any(row["message"] in r[1] for r in at), f"record at {row['at']}: expected {row['message']!r}, shown {at}")


def check_rest(protocol, source, row, table):
    """Records outside of the damage are those of the intact capture."""
    spans = [[int(x) for x in span.split("-")] for span in row["lost"].split(",")]
    names = fields(protocol, OWN) + (["ovni.stream"] if protocol == "ovni" else [])

    def intact(record):
        begin, end = int(record[0]), int(record[0]) + int(record[1])
        hit = protocol != "ovni" or record[-1] == row["stream"]
        return not hit or all(begin < end <= low or begin >= high for low, high in spans)

    want = tshark(entry(CAPTURES / source), names)
    rest = lambda t: Table(names, sorted(filter(intact, t.only(names))), "").text()
    compare("records outside of the damage", rest(want), rest(table))


def check_foreign(_name, _update):
    head = bytes.fromhex("d4c3b2a1020004000000000000000000ffff00000100000000000000000000000400000004000000") + b"ping"
    samples = {"a.pcap": head, "empty": b"", "one": b"\0", "zeros.obs": bytes(5000), "text.trace": b"plain text\n" * 50,
               "data.json": b'{"version": 3, "values": [1, 2]}', "stream.json": b'{"version": 3}',
               "page.xray": b"<html></html>\n" * 9, "program": Path("/proc/self/exe").read_bytes()[:20000],
               "counts.trace": b"".join(i.to_bytes(4, "little") for i in range(2000)), "thread.12": b"\x01\x02" * 3000}
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for name, data in samples.items():
            path = Path(folder) / name
            path.write_bytes(data)
            command = ["capinfos", "-t", "-c", str(path)]
            plain = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                   env={**os.environ, "WIRESHARK_PLUGIN_DIR": folder, "HOME": folder})
            code, out, error = run(*command)
            require((plain.returncode, plain.stdout.decode()) == (code, out), f"{name}: {code} {out} {error}")


def check_environment(_name, _update):
    """What the environment says stands until the preference for the same says otherwise, not just any other one."""
    path = CAPTURES / "xray/fdr-single.xray"

    def seconds(*options):
        return float(run("tshark", "-n", "-r", path, *options, "-Y", "frame.number == 100", "-T", "fields", "-e",
                         "frame.time_relative")[1])

    of_header, other = seconds(), ("-o", "xray.calls:FALSE")
    os.environ["WIRETRACE_XRAY_FREQUENCY"] = "1000000000"
    billion = seconds()
    require(billion > of_header > 0, f"{billion} {of_header}")
    require(seconds(*other) == billion, "another preference undoes the environment")
    require(seconds("-o", "xray.frequency:2000000000") < billion, "the preference does not take the environment's place")


def check_temporary(_name, _update):
    """A temporary file that cannot be made is neither the trace's fault nor that of the file that is written."""
    sys.path.insert(0, str(TOP / "test" / "bench"))
    import traces  # pylint: disable=import-outside-toplevel,import-error
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        packed, large, missing = Path(folder) / "log.xray.gz", Path(folder) / "large.xray", Path(folder) / "missing"
        packed.write_bytes(gzip.compress((CAPTURES / "xray/fdr-args.xray").read_bytes()))
        traces.make_xray(large, 2_400_000)  # more than is put together in memory
        for command in (["tshark", "-r", packed], ["capinfos", packed],
                        ["editcap", "-F", "xray-fdr", large, Path(folder) / "copy"],
                        ["tshark", "-r", large, "-F", "xray-fdr", "-w", Path(folder) / "copy"]):
            code, _, error = run(*command, prefix=["env", f"TMPDIR={missing}"])
            found = re.search(rf"temporary file wiretrace-\w+ in {re.escape(str(missing))} cannot be made", error)
            require(code != 0 and found and error.count("temporary file") == 1, *command, "exit", code, error)
            code, _, error = run(*command)
            require(code == 0, *command, "exit", code, error)


def check_rights(_name, _update):
    if os.geteuid() != 0:
        print("only for root")
        sys.exit(77)
    source = CAPTURES / "xray/fdr-cpus.xray"
    want = tshark(source, ["xray.offset"]).rows
    nobody = 65534
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "private.xray"
        shutil.copy(source, path)
        path.chmod(0o600)
        os.chown(path, nobody, nobody)
        os.chmod(folder, 0o700)
        os.chown(folder, nobody, nobody)
        require(tshark(path, ["xray.offset"]).rows == want, "root cannot read the file of another user")
        reach = subprocess.run(["setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", "test", "-r",
                                os.environ["WIRETRACE_BUILD"] + "/CMakeCache.txt"], check=False)
        if reach.returncode == 0:
            as_nobody = ("setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", "env", f"HOME={folder}")
            code, out, error = run("tshark", "-r", path, "-T", "fields", "-e", "xray.offset", prefix=as_nobody)
            shown = [[line] for line in out.split("\n")[:-1]]
            require(code == 0 and shown == want, "another user cannot run it:", code, error)


def check_experts(_name, _update):
    seen = set()
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        cases = ["ovni-short-payload", "ovni-clock-falls", "ovni-no-events", "ovni-bad-clock-table", "ovni-unused-metadata"]
        for case in cases:
            make.make(case, Path(folder))
        for path in [*(Path(folder) / case for case in cases), *sorted((CAPTURES / "ovni").glob("*"))]:
            _, out, _ = run("tshark", "-q", "-n", "-r", entry(path), "-z", "expert,chat")
            rows = re.findall(r"^ +(\d+) +\S+ +ovni +(.*)$", out, re.M)
            shown = [cell for row in tshark(entry(path), ["_ws.expert.message"], "-E", "aggregator=|").rows
                     for cell in row[0].split("|") if cell]
            require(sum(int(times) for times, _ in rows) == len(shown), f"{path.name}: counted {rows}, shown {len(shown)}")
            seen.update(summary.split()[0] for _, summary in rows)
    require(len(seen) > 4, "too little to count:", seen)


def check_progress(_name, _update):
    """A table of what the progress bar shows and of what has been read, in parts of a thousand."""
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        root = Path(folder)
        for tid in range(1, 6):
            stream = root / f"loom.a/proc.1/thread.{tid}"
            stream.mkdir(parents=True)
            (stream / "stream.json").write_text('{"version": 3, "ovni": {"tid": %d, "pid": 1}}' % tid)
            events = b"".join(b"\0VSh" + clock.to_bytes(8, "little") for clock in range(tid, 300000, 5))
            (stream / "stream.obs").write_bytes(b"ovni\1\0\0\0" + events)
        log = root / "cacheray.trace"
        log.write_bytes(b"".join(b"\0" + (1 << 40 | i << 3).to_bytes(8, "little") + b"\4" + bytes(8) for i in range(100000)))
        for path in (entry(root / "loom.a"), root / "loom.a/proc.1/thread.1/stream.obs", log):
            code, out, error = run(Path(os.environ["WIRETRACE_BUILD"]) / "progress", path)
            require(code == 0, path, code, error)
            rows = [tuple(map(int, line.split())) for line in out.split("\n")[:-1]]
            require(len(rows) > 5 and rows[-1][1] == 1000, f"{path}: {len(rows)} rows, the last is {rows[-1:]}")
            small = max(path.stat().st_size, 1)  # the bar has no more steps than the opened file has bytes
            apart = max(abs(shown - read) for shown, read in rows)
            limit = 1000 / small + 1000 * (128 << 10) / (5 * 720008 if path.suffix == ".json" else small) + 2
            require(apart <= limit, f"{path}: the bar is {apart} parts of a thousand away, {limit:.0f} are expected")


CHECKS_BY_NAME = {
    # of every capture
    "golden": check_golden, "copies": check_copies, "big": check_big, "streams": check_streams,
    # of one damaged case, and of none
    "bad": check_bad, "loaded": check_loaded, "foreign": check_foreign, "rights": check_rights,
    "environment": check_environment, "temporary": check_temporary, "progress": check_progress, "experts": check_experts,
}
CHECKS = list(CHECKS_BY_NAME)


def main():
    args = arguments(__doc__, __update={"action": "store_true"}, check={"choices": CHECKS},
                     name={"nargs": "?", "default": ""})
    names = [args.name.rstrip("/")]
    if args.check in CHECKS[:4] and not args.name:
        names = [n for n in all_captures() if args.check != "streams" or n.startswith("ovni/")]
    try:
        for name in names:
            CHECKS_BY_NAME[args.check](name, args.update)
    except Failure as failure:
        sys.exit(f"{args.check} {name}: {failure}")


if __name__ == "__main__":
    main()
