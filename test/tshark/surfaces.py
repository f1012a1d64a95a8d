#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Interfaces to other programs: sharkd, and tshark's machine-readable formats.

usage: surfaces.py [--build DIR] TEST [CAPTURE...]

  formats CAPTURE  tshark -T json, pdml and ek are valid and contain every record; fields are in byte order, every byte has one, and
                   those that stand in another are within it
  sharkd CAPTURE   the rows and the details are those of tshark
  tables CAPTURE   sharkd's tables have the rows that tshark prints; those that need words have none
  session          wrong requests between loads end nothing
  descriptors      sharkd opens many traces one after the other: only Wireshark's own descriptor of each stays open
  loads            sharkd keeps little more of small traces that it opens one after the other than of a pcap file
  rows             the filter of every row of Conversations and Endpoints is valid, and shows what the row counts
  names            names that are not UTF-8, or contain what JSON and XML must escape, anywhere in a trace: the same,
                   and -T fields with all fields is text with one row per record
  hostile          names that would control a terminal, forge a row or change the text direction have no effect, in any
                   output of tshark and any statistic; what programs read is valid, and has the columns that it should
  texts            the same outputs, and exported records, have as many lines and cells as with harmless names: names of 64 KB, with NUL,
                   new lines, quotes, what printf() or HTML would act on, or no UTF-8, are each distinguished from the others
  long             functions whose names have the first 600 bytes in common are distinguished in -z xray,tree; needs a clang
                   with XRay
  told             a file chosen by the user that cannot be used is reported at the first record, whatever that is

CAPTURE is a path below captures/, for an ovni trace its directory, or the name of a damaged case (test/bad).
"""
import contextlib
import itertools
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import threading
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import CAPTURES, protocol_of, require, run  # noqa: E402
from pdu import folder, opened  # noqa: E402
from tables import of_csv  # noqa: E402

RECORDS = 1000  # at most this many of a capture
ANSWER_SECONDS = 60  # to wait for an answer of sharkd
REQUEST = 2046  # bytes of a request: sharkd takes a longer one for two
# A log and the program that wrote it.
ODD_LOG = ("xray/fdr-single.xray", "xray/calls.elf")
# Bytes that are not UTF-8, and characters with a meaning in JSON, XML and C.
ODD = b'odd\xff\xfe "<&>\\\x01\x7f\xc3'
# Colours, a new row, text direction, 8-bit control characters, line separators.
HOSTILE = "evil\x1b[31m\r\nforged 1\u202eturned\u2066\u2028\u2029\u200f\u061c\x9b2J\x07\x08end</script>\"',;{$(id)}&%s\\".encode()
# Control characters other than tab and new line, and what changes the direction of text or begins a line.
STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


# --- formats ----------------------------------------------------------------------------------------------------------
def output(path, *options):
    """PDML contains the name of the file as it was given: without its directories."""
    with contextlib.chdir(path.parent):
        code, out, error = run("tshark", "-n", "-2", "-r", path.name, "-c", str(RECORDS), *options)
    require(code == 0 or "cut short" in error, "tshark", *options, code, error)
    return out.encode("utf-8", "surrogateescape")


def valid(what, read, data):
    try:
        return read(data)
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        raise check.Failure(f"{what}: {error}") from error


def of_json(data):
    return [packet["_source"]["layers"] for packet in json.loads(data.decode("utf-8"))]


def of_ek(data):
    lines = [json.loads(line) for line in data.decode("utf-8").split("\n") if line]
    return [line["layers"] for line in lines if "layers" in line]


def of_pdml(data):
    return [{p.get("name"): p for p in packet} for packet in xml.etree.ElementTree.fromstring(data)]


def check_formats(path, protocol):
    """The packets in each of the formats. In PDML every byte has its field."""
    _, out, _ = run("capinfos", "-T", "-r", "-M", "-c", path)
    count = int(out.rstrip("\n").split("\t")[-1])
    found = {}
    for form, read in (("json", of_json), ("ek", of_ek), ("pdml", of_pdml)):
        packets = found[form] = valid(f"-T {form}", read, output(path, "-T", form))
        require(len(packets) == min(count, RECORDS), f"-T {form}:", len(packets), "records of", count)
        missing = [i for i, layers in enumerate(packets) if protocol not in layers]
        require(not missing, f"-T {form}: no {protocol} in record", missing[:5])
    check.check_fields(found["pdml"], protocol)
    return found


def test_formats(name):
    with opened(name) as path:
        check_formats(path, protocol_of(name))


# --- sharkd -------------------------------------------------------------------------------------------------------------
class Sharkd:
    def __enter__(self):
        self.process = subprocess.Popen([check.TOP / "tools" / "run", "sharkd", "-"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        return self

    def __exit__(self, failed, *_):
        self.process.stdin.close()
        status = self.process.wait(ANSWER_SECONDS)
        self.process.stdout.close()
        require(failed or status == 0, "sharkd ended with", status)

    def send(self, method, **params):
        self.number += 1
        request = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode()
        require(len(request) < REQUEST, method, "is longer than a request that sharkd reads:", len(request), "bytes")
        self.process.stdin.write(request + b"\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        limit = threading.Timer(ANSWER_SECONDS, self.process.kill)
        limit.start()
        try:
            self.send(method, **params)
            while True:
                line = self.process.stdout.readline()
                require(line, "sharkd ended, or gave no answer in", ANSWER_SECONDS, "seconds, after", method, params)
                answer = json.loads(line.decode("utf-8"))
                if answer.get("id") == self.number:
                    require("result" in answer, method, answer)
                    return answer["result"]
        finally:
            limit.cancel()


def labels(tree):
    for node in tree:
        yield node["l"]
        yield from labels(node.get("n", []))


def test_sharkd(name):
    protocol, layer = protocol_of(name), {"xray": "LLVM XRay", "cacheray": "Cacheray", "ovni": "ovni"}
    with opened(name) as path, Sharkd() as sharkd:
        code, out, error = run("tshark", "-n", "-2", "-r", path, "-T", "tabs")
        want = [line.strip().split("\t") for line in out.split("\n") if line]
        sharkd.send("load", file=str(path))  # no answer to wait for: sharkd sends none for a file that is cut short
        rows = sharkd.ask("frames")
        got = [[text.strip() for text in row["c"]] for row in rows]
        want = [[text.strip() for text in row[:3] + row[4:]] for row in want]  # tshark has an arrow between addresses
        require(code == 0 or "cut short" in error, code, error)
        check.compare("rows", "\n".join(map("\t".join, want)), "\n".join(map("\t".join, got)))
        for number in {1, len(rows) // 2 + 1, len(rows)}:
            shown = list(labels(sharkd.ask("frame", frame=number, proto=True)["tree"]))
            _, out, _ = run("tshark", "-n", "-2", "-r", path, "-Y", f"frame.number == {number}", "-O", protocol)
            own = [line.strip() for line in out.split("\n") if line.strip()]
            begin = next(i for i, line in enumerate(own) if line.startswith(layer[protocol]))
            follow = sharkd.ask("frame", frame=number).get("fol", [])  # asked for even without details
            require(all(what is None or ".stream.number == " in what for _, what in follow), "Follow of record", number, follow)
            missing = [line for line in own[begin:] if line not in shown and line[1:-1] not in shown]  # [generated]
            require(not missing, "record", number, "has in tshark only:", missing[:5])


RENAMED = {"begin": "begin_record", "end": "end_record", "group": "group_name", "in": "in_states", "offset": "byte_offset"}


def column_name(title):
    name = re.sub(r"^(\d+) %", r"p\1", title.lower()).replace("%", "percent")
    return RENAMED.get(name, re.sub(r"[^a-z0-9]+", "_", name).strip("_"))


def table_rows(sharkd, tap):
    answer = sharkd.ask("tap", tap0=tap)["taps"][0]
    names = [column_name(field["c"]) for field in answer["fields"]][1:]
    for row in answer["tables"][0]["i"]:
        yield dict(zip(names, row[1:]))


def same_cell(shown, printed):
    """Numbers of Wireshark's tables are texts with blanks, or 0 if there are none."""
    if isinstance(printed, str):
        return shown == printed or shown.strip() == printed
    return float(str(shown).strip() or 0) == (printed or 0)


NAMES_FIRST = {"cacheray,lines,offsets": ["data", "against"]}  # a window has no room for numbers before two names


def check_table(path, sharkd, tap):
    command = tap.partition(":")[2]
    rows = list(table_rows(sharkd, tap))
    _, printed, wrong = run("tshark", "-q", "-r", path, "-z", f"{command},json")
    if "missing:" in wrong:
        require(not rows, command, "has rows without the words that it needs")
        return False
    wanted = json.loads(printed)
    if rows and command in NAMES_FIRST:
        require(list(rows[0])[:2] == NAMES_FIRST[command], command, "begins with", list(rows[0])[:2])
    require(len(rows) == len(wanted), command, len(rows), "rows in sharkd,", len(wanted), "in tshark")
    for number, (row, other) in enumerate(zip(rows, wanted)):
        require(row.keys() == other.keys() and all(same_cell(row[name], other[name]) for name in row), command, "row", number, row, other)
    return bool(rows)


def test_tables(name):
    with opened(name) as path, Sharkd() as sharkd:
        sharkd.send("load", file=str(path))
        prefix = f"nstat:{protocol_of(name)},"
        taps = [table["tap"] for table in sharkd.ask("info")["nstat"] if table["tap"].startswith(prefix)]
        filled = [tap for tap in taps if check_table(path, sharkd, tap)]
        require(len(filled) >= 2, "only these have rows:", filled)


def test_descriptors():
    """One descriptor of each is Wireshark's, which closes none; the last trace has one of ours."""
    paths = [check.entry(CAPTURES / name) for name in ("xray/fdr-cpus.xray", "cacheray/orders.trace", "ovni/v3-two-nodes", "ovni/v3-hwc")] * 3
    with Sharkd() as sharkd:
        opened_now = lambda: len(os.listdir(f"/proc/{sharkd.process.pid}/fd"))  # noqa: E731
        sharkd.ask("status")
        before = opened_now()
        for path in paths:
            sharkd.send("load", file=str(path))
            count = sharkd.ask("status")["frames"]
            sharkd.ask("frame", frame=count, proto=True)
        require(opened_now() - before <= len(paths) + 1, opened_now() - before, "descriptors for", len(paths), "traces")


LOADS, LOADS_BEFORE = 50, 10
KEPT = 64 << 10  # bytes of a load more than of a pcap file; a trace of ovni has more files


def pcap_like(path, like):
    """With as many records as a trace, and as many bytes where records have more than a header of pcap."""
    count = int(run("capinfos", "-T", "-r", "-M", "-c", like)[1].split("\t")[-1])
    length = max(1, (like.stat().st_size - 24) // count - 16)
    path.write_bytes(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 147)
                     + b"".join(struct.pack("<IIII", i, 0, length, length) + bytes(length) for i in range(count)))
    return path


def kept_of(path):
    """Bytes of memory for each load, after the first ones. sharkd closes no file, and each has 480 KiB of Wireshark's buffers that are hardly
    used. They count where they take memory that was used before: a trace must not use much and free it."""
    def resident():
        sharkd.ask("status")
        return 1024 * int(re.search(r"^Private_Dirty: +(\d+) kB", Path(f"/proc/{sharkd.process.pid}/smaps_rollup").read_text(), re.M)[1])

    def load(times):
        for _ in range(times):
            sharkd.send("load", file=str(path))
            count = sharkd.ask("status")["frames"]
            sharkd.ask("frame", frame=count, proto=True)

    with Sharkd() as sharkd:
        load(LOADS_BEFORE)
        before = resident()
        load(LOADS)
        return (resident() - before) / LOADS


def test_loads():
    with folder() as place:
        for name in ("xray/fdr-args.xray", "cacheray/orders.trace", "ovni/v3-two-nodes"):
            path = check.entry(CAPTURES / name)
            pcap, kept = kept_of(pcap_like(place / "like.pcap", path)), kept_of(path)
            print(f"{name}: {kept / 1024:.0f} KiB of each load are kept, of a pcap file {pcap / 1024:.0f}")
            require(kept - pcap <= KEPT, name, kept, "bytes of each load are kept, of a pcap file", pcap)


def requests_of(sharkd, chance):
    """Requests of a session: all kinds of taps, some of them beside a wrong one, after which sharkd keeps the others."""
    info = sharkd.ask("info")
    taps = [tap["tap"] for kind in ("taps", "nstat", "srt", "convs", "stats", "follow") for tap in info.get(kind, []) if "tap" in tap]
    taps += [f"stat:{tree['tap'].removeprefix('stat:')}" for tree in info["stats"]]
    ours = sorted({tap for tap in taps if re.search(r"xray|cacheray|ovni", tap)})
    require(len(ours) > 15, "few taps of ours:", ours)
    while True:
        chosen = chance.sample(ours, 3)
        wrong = chance.choice(["stat:nonsense", "nstat:nonsense", "nonsense", "srt:nonsense", f"{chosen[0]},no.such.field"])
        yield "tap", {f"tap{n}": tap for n, tap in enumerate([*chosen, wrong] if chance.random() < .7 else chosen)}
        protocol = chance.choice(["xray", "cacheray", "ovni"])
        yield chance.choice([("iograph", {"graph0": "frames", "filter0": protocol}), ("frames", {"filter": f"{protocol}.length > 9"}),
                             ("tap", {"tap0": f"conv:{protocol}"}), ("status", {}), ("tap", {"tap0": chance.choice(ours)})])


def test_session():
    """sharkd keeps what it has registered before a wrong request, and goes on with it when the next file is loaded."""
    chance = random.Random(1)
    paths = [check.entry(CAPTURES / name) for name in ("xray/fdr-args.xray", "cacheray/falseshare.trace", "ovni/v3-hwc", "xray/fdr-left.xray", "xray/profile-calls.xray")]
    with Sharkd() as sharkd:
        sharkd.send("load", file=str(paths[0]))
        for number, (method, words) in enumerate(itertools.islice(requests_of(sharkd, chance), 120)):
            sharkd.send(method, **words)
            if number % 5 == 4:
                sharkd.send("load", file=str(chance.choice(paths)))
        require(sharkd.ask("status")["frames"] > 0, "no answer at the end")


# --- rows of conversations and endpoints --------------------------------------------------------------------------------
# Names of types with characters that are special in filters, or longer than a row.
TYPES = ['a"b', "a\\b", "end\\", "tab\tx", "it's", "std::map<int, char>", "%s%n", "\x1b[31m", "é" * 200, "z" * 5000]


def types_trace(place):
    path, at = place / "types.trace", 0x7f0000001000
    out = (CAPTURES / "cacheray/orders.trace").read_bytes()
    for number, name in enumerate(name.encode() for name in TYPES):
        out += struct.pack("<BQQIII", 2, at + 64 * number, 1, 8, 4, len(name)) + name
        out += struct.pack("<BQBQ", 0, at + 64 * number, 8, 1)
    path.write_bytes(out)
    return path


def check_rows(path, table):
    """Those of Cacheray have a direction, too."""
    def check_shown(sharkd, row, want, condition):
        if len(json.dumps(condition)) < REQUEST - 200:
            shown = len(sharkd.ask("frames", filter=condition))
        else:
            shown = run("tshark", "-r", path, "-Y", condition)[1].count("\n")
        require(shown == want, row, "but the filter", condition, "shows", shown)

    with Sharkd() as sharkd:
        sharkd.send("load", file=str(path))
        rows = [row for kind, key in (("conv", "convs"), ("endpt", "hosts"))
                for tap in sharkd.ask("tap", tap0=f"{kind}:{table}")["taps"] for row in tap[key]]
        for row in rows:
            check_shown(sharkd, row, row["txf"] + row["rxf"], row["filter"])
            if table == "Cacheray" and "saddr" in row:
                to = 'cacheray.endpoint.source == "{}" && cacheray.endpoint.destination == "{}"'
                check_shown(sharkd, row, row["txf"], to.format(row["saddr"], row["daddr"]))
                check_shown(sharkd, row, row["rxf"], to.format(row["daddr"], row["saddr"]))
    return rows


def test_rows():
    require(check_rows(CAPTURES / "xray/fdr-cpus.xray", "XRay"), "no rows")
    require(check_rows(CAPTURES / "xray/basic-threads.xray", "XRay"), "no rows")
    with folder() as place:
        hosts = [row["host"] for row in check_rows(types_trace(place), "Cacheray") if "host" in row]
    require(len([host for host in hosts if host.startswith("type ")]) > len(TYPES), "rows are missing:", hosts)


# --- names --------------------------------------------------------------------------------------------------------------
def odd_cacheray(place, odd=ODD):
    """Annotations of a type with an odd name, and an access to it."""
    path, at = place / "odd.trace", 0x7f0000001000
    out = b""
    for i in range(40):
        out += struct.pack("<BQQIII", 2, at + 64 * i, 1, 8, 4, len(odd)) + odd
        out += struct.pack("<BQBQ", 0, at + 64 * i, 8, 1)
    path.write_bytes(out)
    return path, "cacheray"


def odd_ovni(place, odd=ODD):
    """A trace whose directories, metadata and task labels have odd names."""
    root = place / "odd"
    shutil.copytree(CAPTURES / "ovni/v3-nanos6", root)
    changed = 0
    for file in check.event_files(root):
        data = file.read_bytes()
        for offset, code in list(check.formats.formats()["ovni"].places(data)):
            if data[offset] & 16 and code == "6Yc":
                size = struct.unpack_from("<I", data, offset + 12)[0]
                text = (odd * size)[:size - 5] + b"\0"
                data = data[:offset + 20] + text + data[offset + 16 + size:]
                changed += 1
        file.write_bytes(data)
    for file in root.rglob("*.json"):
        file.write_bytes(file.read_bytes().replace(b'"loom": "', b'"loom": "\xff\xfe'))
    require(changed, "no labels of task types in this trace")
    for loom in root.glob("loom.*"):
        os.rename(os.fsencode(loom), os.fsencode(loom) + b"-\xff<&\"")
    return check.entry(root), "ovni"


def odd_xray(place):
    """A log whose executable, found beside it, has functions with odd names."""
    path = place / "xray-log.odd.AbCdEf"
    shutil.copy(CAPTURES / ODD_LOG[0], path)
    data = (CAPTURES / ODD_LOG[1]).read_bytes()
    require(b"\0_Z" in data, "no names of C++ functions in", ODD_LOG[1])
    (place / "odd").write_bytes(data.replace(b"\0_Z", b"\0\xff\x01"))
    return path, "xray"


# --- hostile names ------------------------------------------------------------------------------------------------------
def hostile_json(value, key=""):
    """The same metadata with a hostile text in every string, except those that say what the metadata is."""
    if isinstance(value, dict):
        return {k: hostile_json(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile_json(v, key) for v in value]
    return HOSTILE.decode() + key if isinstance(value, str) and key not in ("part", "chan_type") else value


def hostile_ovni(place):
    root = place / "hostile"
    shutil.copytree(CAPTURES / "ovni/v3-all-events", root)
    for file in check.event_files(root):
        data = file.read_bytes()
        for offset, code in list(check.formats.formats()["ovni"].places(data)):
            if data[offset] & 16 and code[1] in "YO":
                size = struct.unpack_from("<I", data, offset + 12)[0]
                data = data[:offset + 20] + (HOSTILE * size)[:size - 5] + b"\0" + data[offset + 16 + size:]
        file.write_bytes(data)
    for file in root.rglob("*.json"):
        file.write_text(json.dumps(hostile_json(json.loads(file.read_text()))))
    for loom in root.glob("loom.*"):
        os.rename(os.fsencode(loom), os.fsencode(loom) + HOSTILE.replace(b"/", b"-"))
    return check.entry(root), []


def hostile_cacheray(place):
    """Types, and members of a program described by a type file."""
    path, name = odd_cacheray(place, HOSTILE)[0], HOSTILE.decode()
    member = {"memberName": name, "name": "long", "id": 2, "offset": 0, "size": 8}
    types = {"version": 4, "structs": [{"name": f"struct {name}", "id": 1, "members": [member]}], "unions": [], "typedefs": []}
    (place / "types.json").write_text(json.dumps(types))
    return path, ["-o", f"cacheray.binary:{place / 'types.json'}"]


def hostile_events(place):
    """Events with text, as far as it may contain such characters and still be text."""
    path, log = place / "hostile.xray", CAPTURES / "xray/fdr-typed.xray"
    data, text = log.read_bytes(), HOSTILE.replace(b"\x1b", b"").replace(b"\x9b", b"").replace(b"\x07\x08", b"")
    _, out, _ = run("tshark", "-r", log, "-Y", "xray.event.text", "-T", "fields", "-e", "xray.offset", "-e", "xray.event.size")
    events = [tuple(map(int, line.split())) for line in out.split("\n")[:-1]]
    require(len(events) > 1, "no events of text")
    for offset, size in events:
        shown = (text * size)[:size].decode("utf-8", "ignore").encode().ljust(size, b".")
        data = data[:offset + 16] + shown + data[offset + 16 + size:]
    path.write_bytes(data)
    return path, []


def hostile_functions(place):
    log, program = CAPTURES / ODD_LOG[0], place / "program"
    shape = (CAPTURES / ODD_LOG[1]).read_bytes()
    named = re.sub(rb"(?<=\0)_Z\w{5,}(?=\0)", lambda m: (HOSTILE * len(m[0]))[:len(m[0])], shape)
    require(named != shape, "no names in", ODD_LOG[1])
    program.write_bytes(named)
    return log, ["-o", f"xray.binary:{program}"]


def statistics(protocol, place):
    """Our statistics for -z, from the page of statistics; those that need an argument stand there with one."""
    page = (check.TOP / "docs/statistics.md").read_text("utf-8")
    rows = re.findall(rf"^\| `((?:{protocol}[,.]|\w+,{protocol}\b)[^`]*)`(.*)", page, re.M)
    for name, words in rows:
        example = re.search(rf"`({name},[^`]+)`", words)
        if check.formats.formats()[protocol].STATISTICS.get(name, [""])[0] == "rows":  # written while records are read: see record_rows.py
            continue
        yield f"{name},ascii,1" if name.startswith("follow,") else check.formats.with_example(example[1], str(place)) if example else name


def steering(text):
    """Characters that are more than text for a terminal or a reader."""
    return STEERING.findall(text)


def read_tabs(data):
    rows = data.decode("utf-8").split("\n")[:-1]
    require(len({row.count("\t") for row in rows}) == 1, "rows of", {row.count("\t") for row in rows}, "tabs")


def read_dot(data):
    """Each line is a node, an edge or an option; in quotes only what DOT takes as text."""
    quoted = rb'"(?:[^"\\\n]|\\.)*"'
    bad = [line for line in re.sub(quoted, b'""', data).split(b"\n") if line.count(b'"') % 2]
    require(data.count(b"{") >= 1 and not bad and not re.search(rb"<(?!-)|&(?!\w+;)", re.sub(quoted, b'""', data)), "DOT:", bad[:3])


def read_page(data):
    """Texts of a file must not end the script that holds them: all elements are those of the page."""
    require(data.lower().count(b"<script") == data.lower().count(b"</script"), "the page has a forged end of a script")


READERS = {"json": json.loads, "jsonraw": json.loads, "ek": of_ek, "pdml": of_pdml, "psml": xml.etree.ElementTree.fromstring,
           "chrome": json.loads, "flame": read_page, "graph": read_dot, "tabs": read_tabs, "fields": read_tabs}


def forms_of_tables(protocol, place):
    """Our tables for programs, alternately in both forms."""
    tables = [name for name, what in check.formats.formats()[protocol].STATISTICS.items()
              if what[0] == "table" and name.startswith(f"{protocol},") and not name.endswith(",srt")]
    asked = [what for what in statistics(protocol, place) if any(re.match(rf"{table}(,|$)", what) for table in tables)]
    for number, what in enumerate(asked):
        yield f"{what},{('csv', 'json')[number % 2]}"


def printed(path, options, taps):
    """What each statistic prints. One start of tshark answers several, but not two of one kind, and one whose output is a file."""
    files = {name for f in check.formats.formats().values() for name, what in f.STATISTICS.items() if what[0] == "file"}
    kind = lambda tap: ",".join(tap.split(",")[:2])  # noqa: E731
    for tap in [tap for tap in taps if kind(tap) in files]:
        yield ["-q", "-z", tap], output(path, *options, "-q", "-z", tap)
    taps = [tap for tap in taps if kind(tap) not in files]
    while taps:
        now = list({kind(tap): tap for tap in reversed(taps)}.values())
        taps = [tap for tap in taps if tap not in now]
        marked = [word for number, tap in enumerate(now) for word in ("-z", f"{check.MARK}{number}", "-z", tap)]
        data = output(path, *options, "-q", *marked, "-z", f"{check.MARK}{len(now)}").decode("utf-8", "surrogateescape")
        for tap, lines in check.printed_lines(data, now)[1].items():
            yield ["-q", "-z", tap], "\n".join(lines).encode("utf-8", "surrogateescape")


def reader_of(form):
    form = form or [""]
    if form[-1].endswith(",csv"):
        return lambda data: of_csv(data.decode("utf-8"))
    if form[-1].endswith(",json"):
        return json.loads
    return READERS.get(form[1] if form[:1] == ["-T"] else form[-1].partition(",")[2] if form[:1] == ["-q"] else None)


def test_hostile():
    forms = [[], ["-V"], ["-P", "-V"], *(["-T", form] for form in ("json", "jsonraw", "ek", "pdml", "psml", "tabs"))]
    for protocol, make in (("ovni", hostile_ovni), ("cacheray", hostile_cacheray), ("xray", hostile_events),
                           ("xray", hostile_functions)):
        with folder() as place:
            path, options = make(place)
            names = [*all_fields(protocol), "frame.interface_name", "frame.interface_description", "frame.comment", check.INFO]
            fields = ["-T", "fields", *[word for name in names for word in ("-e", name)]]
            seen = 0
            taps = [*statistics(protocol, place / "made"), "expert", *forms_of_tables(protocol, place / "made")]
            for form, data in [*((form, output(path, *options, *form)) for form in [*forms, fields]), *printed(path, options, taps)]:
                if reader := reader_of(form):
                    valid(f"{make.__name__} {' '.join(form)[:60]}", reader, data)
                text = data.decode("utf-8")
                made = [file for file in (place / "made").glob("*") if file.suffix not in (".prv", ".pcf", ".row")]  # labels byte for byte
                text += "".join(file.read_text("utf-8") for file in made)
                found = steering(text)
                require(not found, protocol, " ".join(form)[:60], "lets through:", sorted(set(map(repr, found))),
                        [line for line in text.split("\n") if steering(line)][:3])
                forged = [line for line in text.split("\n") if line.lstrip(' "').startswith("forged")]
                require(not forged, protocol, " ".join(form)[:60], "has forged rows:", forged[:3])
                seen += "evil" in text
            require(seen > 3, make.__name__, "shows the names in", seen, "outputs only")


def all_fields(protocol):
    return [name for name in check.field_types() if name.startswith(f"{protocol}.")]


def check_fields(path, protocol, records):
    names = all_fields(protocol) + ["frame.interface_name", "frame.comment", check.INFO, "_ws.expert.message"]
    data = output(path, "-T", "fields", *[word for name in names for word in ("-e", name)])
    rows = valid("-T fields", lambda text: text.decode("utf-8"), data).split("\n")[:-1]
    require(len(names) > 20 and len(rows) == records, "-T fields:", len(rows), "rows of", records)
    bad = [row for row in rows if row.count("\t") != len(names) - 1]
    require(not bad, "-T fields: other than", len(names), "cells:", bad[:3])


def test_names():
    for make, field in ((odd_cacheray, "cacheray.rtta.typename"), (odd_ovni, "ovni.task.label"),
                        (odd_xray, "xray.function.name")):
        with folder() as place:
            path, protocol = make(place)
            found = check_formats(path, protocol)
            check_fields(path, protocol, len(found["json"]))
            shown = [layers for layers in found["json"] if "\ufffd" in json.dumps(layers.get(field.split(".")[0]), ensure_ascii=False)]
            require(any(field in json.dumps(layers) for layers in shown), field, "does not show the odd names")


# --- texts that could break the form of an output ------------------------------------------------------------------------
LONG = 65530
TEXTS = [b"new\nline\r\nforged;1 2\x0b\xe2\x80\xa8", b"nul\0a", b"nul\0b", b"\xff\xfe\xed\xa0\x80", b"\"'`\\ \\\"\",", b"%n%s%1$n",
         b"\xff\x1b<&" * (LONG // 4), b"</script>]]>&amp;", b"=1+1\t|", b"(1) a;b 5", b"\n" * LONG, b"c" * LONG]
HARMLESS = [b"harmless%d" % i for i in range(len(TEXTS))]


def cacheray_of(texts, place):
    path, at, out = place / "texts.trace", 0x7f0000001000, b""
    for i, name in enumerate(texts):
        out += struct.pack("<BQQIII", 2, at + 64 * i, 1, 8, 4, len(name)) + name
        out += struct.pack("<BQBQ", 0, at + 64 * i, 8, 1) * (i % 4 + 1)
    path.write_bytes(out)
    return path, []


def xray_of(texts, place):
    """Names as llvm-xray extract prints them."""
    row = b'- { id: %d, address: 0x%x, function: 0x%x, kind: function-enter, always-instrument: true, function-name: "%s", version: 2 }\n'
    escaped = [re.sub(rb'[\0-\x1f\\"]', lambda m: b"\\x%02x" % m[0][0], name) for name in texts]
    path = place / "names.yaml"
    path.write_bytes(b"---\n" + b"".join(row % (i, i, i, name) for i, name in enumerate(escaped, 1)) + b"...\n")
    return CAPTURES / ODD_LOG[0], ["-o", f"xray.binary:{path}"]


def ovni_of(texts, place):
    """Labels of types of tasks."""
    root, labels = place / "texts", itertools.cycle(name.replace(b"\0", b"0") + b"\0" for name in texts)
    shutil.copytree(CAPTURES / "ovni/v3-nanos6", root)
    for file in check.event_files(root):
        data, out, at = file.read_bytes(), b"", 0
        for offset, code in check.formats.formats()["ovni"].places(data):
            if data[offset] & 16 and code == "6Yc":
                size, label = struct.unpack_from("<I", data, offset + 12)[0], next(labels)
                out += data[at:offset + 12] + struct.pack("<I", 4 + len(label)) + data[offset + 16:offset + 20] + label
                at = offset + 16 + size
        file.write_bytes(out + data[at:])
    return check.entry(root), []


def shape(protocol, place, path, options):
    """The number of lines of each output; what has a reader is also read."""
    tables = [what for what in statistics(protocol, place / "made") if not re.search(r",(chrome|flame|callgrind|paraver)\b", what)]
    forms = {what: ["-q", "-z", f"{protocol},{what}"] for what in ("chrome", "flame", "callgrind")}
    forms |= {"details": ["-V"], "json": ["-T", "json"], "ek": ["-T", "ek"], "csv": ["-q", "-z", f"{TABLE_OF_NAMES[protocol]},csv"]}
    files = {"": path, "exported ": place / "exported.pcapng"}
    output(path, *options, "-U", "Wiretrace", "-w", files["exported "])
    lines = {}
    for kind, file in files.items():
        for name, form in forms.items():
            data = output(file, *options, *form)
            if reader := reader_of(form):
                valid(f"{kind}{name}", reader, data)
            found = steering(data.decode("utf-8"))
            require(not found, kind, name, "lets through:", sorted(set(map(repr, found))))
            lines[f"{kind}{name}"] = data.count(b"\n") - data.count(b"[Short name")  # not for names that are short
        table = check.tshark(file, ["frame.number", check.INFO, *all_fields(protocol)], "-2", *options, taps=[*tables, "expert"])
        lines |= {f"{kind}{what}": len(text) for what, text in table.printed.items()} | {f"{kind}rows": len(table.rows)}
    return lines


TABLE_OF_NAMES = {"cacheray": "cacheray,types", "xray": "xray,account", "ovni": "ovni,tasks"}


def test_texts():
    for protocol, make in (("cacheray", cacheray_of), ("xray", xray_of), ("ovni", ovni_of)):
        with folder() as place, folder() as other:
            want, got = (shape(protocol, where, *make(texts, where)) for texts, where in ((HARMLESS, place), (TEXTS, other)))
            differ = {what: (lines, got.get(what)) for what, lines in want.items() if got.get(what) != lines}
            require(not differ, protocol, "lines with harmless names, and with others:", differ)


# --- long names -------------------------------------------------------------------------------------------------------
def test_long():
    text = 'void g{0}(void) __asm__("n{1}{0}");\n__attribute__((xray_always_instrument, noinline)) void g{0}(void) {{}}\n'
    with folder() as place:
        source, program = place / "long.c", place / "long"
        source.write_text("".join(text.format(i, "é" * 300) for i in range(1, 13)) + "int main(void) { return 0; }\n", encoding="utf-8")
        try:
            subprocess.run(["clang", "-fxray-instrument", source, "-o", program], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            print("clang cannot build programs with XRay here")
            sys.exit(77)
        log = CAPTURES / ODD_LOG[0]
        _, ids, _ = run("tshark", "-r", log, "-Y", "xray.kind == 1", "-T", "fields", "-e", "xray.function.id")
        _, out, _ = run("tshark", "-q", "-r", log, "-o", f"xray.binary:{program}", "-z", "xray,tree")
        counted = [line for line in out.split("\n") if "n" + "é" * 200 in line]
        require(len(counted) == len(set(ids.split())) > 1, len(counted), "functions are counted")


# --- messages that appear once ----------------------------------------------------------------------------------------
def check_told(path, field, *options):
    code, out, error = run("tshark", "-n", "-r", path, *options, "-Y", field, "-T", "fields", "-e", "frame.number")
    require(code == (2 if field.endswith(".unusable") else 0) and len(out.split()) == 1, field, "stands at the records", out.split(), error)


LATER = """local p = Proto("later", "Changes a preference while a file is read")
function p.dissector(_, pinfo)
    if not pinfo.visited and pinfo.number == 2 then
        set_preference("xray.frequency", "1000")
        apply_preferences()
    end
end
register_postdissector(p)
"""


def check_frequency(place):
    """A change while a file is open is reported at the first record."""
    log, script = CAPTURES / "xray/fdr-single.xray", place / "later.lua"
    code, out, _ = run("tshark", "-r", log, "-o", "xray.frequency:2000000000", "-Y", "xray.settings.unusable")
    require(code == 0 and not out, "a frequency that can be used:", out)
    script.write_text(LATER, encoding="utf-8")
    code, _, error = run("tshark", "-r", log, "-c", "1", "-X", f"lua_script:{script}")
    if code == 0 and not error:  # there is Lua
        os.environ["WIRESHARK_CONFIG_DIR"] = str(place)  # where it saves
        check_told(log, "xray.settings.unusable", "-2", "-X", f"lua_script:{script}")
        del os.environ["WIRESHARK_CONFIG_DIR"]


def test_told():
    """Also if a trace begins with unknown bytes, or the header of a log was left out."""
    with folder() as place:
        trace, part = place / "late.trace", place / "part.pcapng"
        trace.write_bytes(b"\x7f" * 10 + (CAPTURES / "cacheray/orders.trace").read_bytes())
        run("tshark", "-r", CAPTURES / "xray/fdr-args.xray", "-Y", "xray.kind in {1, 2}", "-U", "Wiretrace", "-w", part)
        os.environ["WIRETRACE_CACHERAY_LAYOUT"] = "le64"
        nothing = place / "nothing"
        for path, field, preference in ((trace, "cacheray.binary.unusable", "cacheray.binary"),
                                        (trace, "cacheray.caches.unusable", "cacheray.caches"),
                                        (part, "xray.binary.unusable", "xray.binary"),
                                        (CAPTURES / "xray/fdr-args.xray", "xray.binary.unusable", "xray.binary")):
            check_told(path, field, "-o", f"{preference}:{nothing}")
            check_told(path, field, "-o", f"{preference}:{nothing}", "-2")
            require(preference != "xray.binary" or "cannot be used" in run("tshark", "-q", "-r", path, "-o", f"{preference}:{nothing}",
                                                                          "-z", "xray,account")[2], "the terminal says nothing")
        check_frequency(place)
        check_told(CAPTURES / "xray/fdr-single.xray", "xray.function.unnamed", "-o",
                   f"xray.binary:{CAPTURES}/xray/llvm-sample-o2.elf")


TESTS = {"formats": test_formats, "sharkd": test_sharkd, "tables": test_tables, "descriptors": test_descriptors, "loads": test_loads, "session": test_session, "rows": test_rows, "names": test_names, "hostile": test_hostile, "texts": test_texts,
         "long": test_long, "told": test_told}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(lambda name: TESTS[args.test](*[name] if name else []), args.captures or [""])


if __name__ == "__main__":
    main()
