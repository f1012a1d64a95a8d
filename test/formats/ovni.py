# SPDX-License-Identifier: GPL-2.0-or-later
"""ovni traces: a folder of streams of events, and metadata beside them."""
import os
import re
import struct
from pathlib import Path

from formats import seeds as fuzz
from formats.edits import at, only, put, put_at


# --- fields -----------------------------------------------------------------------------------------------------------
BASELINE = "ovni/v3-nanos6"  # for comparisons
NAMES = ("ovni",)
OWN = """offset length byte_order kind truncated malformed header.version flags jumbo payload_size mcv model
    category value clock payload jumbo.size jumbo.data arg.cpu arg.tid arg.tag arg.value arg.type arg.taskid
    arg.typeid arg.label arg.bodyid"""
CONTEXT = "stream loom process thread rank app clock.offset description"
ANALYSIS = """state left.state left.duration left.active thread.state cpu unsorted region.depth region.duration region.active
    region.begin region.end unmatched unsure task.id task.type task.label task.duration task.active task.on_cpu task.created task.begun task.ended mark.title mark.label
    counter.name metadata.require metadata.cpu metadata.cpu.system metadata.finished metadata.ranks metadata.library
    metadata.library.commit metadata.part metadata.nosv metadata.breakdown"""
ANALYSED = """offset stream state thread.state cpu region.depth region.duration unmatched task.id task.type task.label
    task.duration mark.title counter.name"""
PAIR = ("ovni/v3-nanos6", "ovni/v3-openmp-emulated")
MISTYPED = ["ovni_ovni_payload"]
KIND, STREAM = "ovni.kind", "ovni.stream"
PLAIN, ABSENT, EVENTS = {3}, {4}, {1, 2, 254, 255}  # metadata, a missing file, events
# A header has the time of the first event, of the trace or only of its stream. The rank may be in another thread's
# metadata.
ALONE = "rank app"
NUMBERS = "region.begin region.end task.created task.begun task.ended"
WHOLE, WHOLE_ALWAYS = r"lint(\..*)?|cpu\..*|state\.number", True  # of ovniemu; numbered as they are met
DETAILS = {"ovni/v3-hwc": 8}
UNSWAPPED = {"ovni.payload", "ovni.jumbo.data"}
NAMED = {"ovni/pre10-headerless": "thread.1"}
big_endian = fuzz.endian.big_endian


def streams(folder):
    """The event files of a trace, in byte order of their paths."""
    found = [p for p in Path(folder).rglob("*") if p.is_file() and
             re.fullmatch(r"stream\.obs|thread\.\d+(\.obs)?", p.name)]
    return sorted(found, key=lambda p: os.fsencode(str(p)))


def stream_name(folder, file):
    return re.sub(r"/stream\.obs$|\.obs$", "", str(file.relative_to(folder)))


def files(folder):
    """All files with records, by their values of STREAM."""
    return {stream_name(folder, file): file for file in [*streams(folder), *folder.rglob("*.json")]}


def entry(folder):
    """The file to open: the first metadata file."""
    metadata = [p for p in folder.rglob("*.json") if p.name in ("stream.json", "metadata.json")]
    return min(metadata, key=lambda p: os.fsencode(str(p)), default=None)


# --- saved ------------------------------------------------------------------------------------------------------------
FILE_TYPES = {"": "ovni"}
READ_ONLY = {"ovni-trace": "ovni/v3-two-nodes"}
HEADERS = NEEDED = {0}
PLACE = "offset stream loom process thread rank app clock.offset"
LOOSE = {"frame.number", "frame.time_epoch", "frame.interface_name"}  # times depend on the node, names on the path


def move(folder, nanoseconds):
    """Corrects the clocks of a trace of two nodes, so that all times are later."""
    rows = "".join(f"{rank} {node} {nanoseconds} {nanoseconds} 0\n" for rank, node in enumerate(("node01", "node02")))
    (folder / "clock-offsets.txt").write_text("rank host median mean deviation\n" + rows)


def parts(table):
    count = len(table.rows)
    return {"thirds": lambda n, k, t, f: n % 3 == 1,
            "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3,
            "events": lambda n, k, t, f: k in (1, 2)}


def refusals(capture, _folder, out):
    nodes, write = entry(capture("ovni/v3-two-nodes")), ["-F", "ovni", "-w", out]
    yield "cannot contain metadata", ["tshark", "-r", nodes, *write]
    yield "events of one thread", ["tshark", "-r", nodes, "-Y", "ovni.kind in {1, 2}", *write]


# --- damaged ----------------------------------------------------------------------------------------------------------
def places(data):
    """(offset, code) of every event of a stream with a header."""
    where = 8
    while where < len(data):
        yield where, data[where + 1:where + 4].decode("latin-1")
        size = data[where] & 15
        where += 16 + struct.unpack_from("<I", data, where + 12)[0] if data[where] & 16 else 13 + size if size else 12


def place(data, nth, code=None):
    return [where for where, c in places(data) if code in (None, c)][nth]


def event(nth, code=None):
    return lambda data: place(data, nth, code)


def payload_of_four(nth, code):
    """An event with today's payload of eight bytes loses the second half of it."""
    def edit(data):
        where = place(data, nth, code)
        return data[:where] + bytes([data[where] & 0xf0 | 3]) + data[where + 1:where + 16] + data[where + 20:]
    return edit


NODES, HWC, MARKS, HEADERLESS = "ovni/v3-two-nodes", "ovni/v3-hwc", "ovni/v2-1.10.0-marks", "ovni/pre10-headerless"
FIRST = "loom.node01.0/proc.20575/thread.20575/"
SECOND = "loom.node01.0/proc.20575/thread.20743/"
SINGLE = "loom.vm.0/proc.10764/thread.10764/"
CASES = {
    "ovni-cut-event": (HWC, {SINGLE + "stream.obs": lambda d: d[:-7]}),
    "ovni-cut-header": (HWC, {SINGLE + "stream.obs": lambda d: d[:5]}),
    "ovni-cut-stream-of-trace": (NODES, {FIRST + "stream.obs": lambda d: d[:place(d, 20) + 9]}),
    "ovni-jumbo-past-end": (HWC, {SINGLE + "stream.obs": put_at(event(2, "VWC"), 12, "<I", 0xfffffff0)}),
    "ovni-clock-falls": (HWC, {SINGLE + "stream.obs": put_at(event(5), 4, "<Q", 688000000000)}),
    "ovni-version": (HWC, {SINGLE + "stream.obs": put_at(at(4), 0, "<I", 900)}),
    "ovni-version-2": (HWC, {SINGLE + "stream.obs": put_at(at(4), 0, "<I", 2)}),
    "ovni-repeated-header": (HWC, {SINGLE + "stream.obs": lambda d: d[:8] + d}),
    "ovni-headerless-cut": (HEADERLESS, {"loom.vm/proc.7692/thread.7692": lambda d: d[:28 + 9]}),
    "ovni-headerless-claims": (HEADERLESS, {"loom.vm/proc.7692/thread.7692": lambda d: put(d, 40, b"\xf0\xff\xff\xff")[:58]}),
    "ovni-no-header": (HWC, {SINGLE + "stream.obs": put_at(at(0), 0, "4s", b"mess")}),
    "ovni-empty-stream": (HWC, {SINGLE + "stream.obs": only(b"")}),
    "ovni-no-events": (NODES, {SECOND + "stream.obs": None}),
    "ovni-short-payload": ("ovni/v3-all-events",
                           {"loom.node.1/proc.17603/thread.17603/stream.obs": payload_of_four(0, "OAr")}),
    "ovni-bad-json": (HWC, {SINGLE + "stream.json": lambda d: d[:200]}),
    "ovni-unused-metadata": (HWC, {SINGLE + "stream.json": lambda d: d.replace(b'"finished": 1', b'"finished": "1"')}),
    "ovni-repeated-metadata": (HWC, {SINGLE + "stream.json": lambda d: d.replace(b'"rank": 0', b'"rank": 0, "rank": 0')}),
    "ovni-deep-json": (HWC, {SINGLE + "stream.json": only(b'{"a":' * 5000 + b"1" + b"}" * 5000)}),
    "ovni-json-is-a-number": (HWC, {SINGLE + "stream.json": only(b"12\n")}),
    "ovni-bad-clock-table": (NODES, {"clock-offsets.txt": only(b"rank hostname median\n0 node01\nx node02 - - -\n")}),
    "ovni-bad-metadata": (MARKS, {"loom.vm.0/proc.30808/metadata.json": only(b"\0" * 64)}),
}

# --- fuzzed -----------------------------------------------------------------------------------------------------------
METADATA = [
    '{"version":3,"ovni":{"lib":{"version":"1.14.0"},"part":"thread","loom":"node01.1","pid":1,"tid":2,"app_id":1,'
    '"rank":0,"nranks":2,"finished":1,"loom_cpus":[{"index":0,"phyid":3}],"require":{"ovni":"1.1.0"},'
    '"mark":{"1":{"title":"T","chan_type":"stack","labels":{"1":"one","-2":"\\u00e9"}}}},'
    '"nosv":{"hwc":{"0":{"name":"cycles"}}}}',
    '{ /* a comment */ "version": 1.0e0, "app_id": 1, // another\n "rank": -1, "cpus": [{"index":1,"phyid":1}]} rest',
]
PATHS = [
    "loom.node01.1/proc.12/thread.34/stream.obs", "loom.node01.1/proc.12/thread.34.obs", "loom.x/proc.1/thread.2",
    "proc.1/metadata.json", "a/loom.b/loom.c/proc.-1/thread.99999999999.json", "stream.json.gz",
    "thread.1.ovnistream.zst",
]
CLOCKS = ["rank       hostname             offset_median       offset_mean          offset_std\n"
          "0          node01               0                   0.000000             0.000000\n"
          "1          node02               -1234567.5          1.5e3                0x1p3\n",
          "\n0 a 1 1 1\n0 a 2 2 2\nx\n"]
TEXTS = {"ovni_metadata": METADATA, "ovni_paths": PATHS, "ovni_clocks": CLOCKS}


def event_seeds(data):
    """One seed per code: a byte of options and the event."""
    where, seen = 8 if data[:4] == b"ovni" else 0, set()
    while where + 12 <= len(data) and len(seen) < 500:
        size = 12 + (data[where] & 15) + (1 if data[where] & 15 else 0)
        if data[where] & 16:
            size = 16 + int.from_bytes(data[where + 12:where + 16], "little")
        if data[where + 1:where + 4] not in seen and size < 200:
            yield "ovni_describe", b"\xfe" + data[where:where + size]
        seen.add(data[where + 1:where + 4])
        where += size


def seeds(path, data):
    name = path.name
    if name.endswith(".obs") or (name.startswith("thread.") and "." not in name[7:]):
        yield from fuzz.both("ovni", data)
        yield from fuzz.both("ovni_states", data)
        yield from fuzz.both("ovni_emulator", data)
        yield from event_seeds(data)
    elif name.endswith(".json"):
        yield "ovni_metadata", data
    elif name == "clock-offsets.txt":
        yield "ovni_clocks", data


def trace_seed(folder, opened):
    """A whole trace (see fuzz_ovni_trace.c); `opened`: which of the first four files is opened."""
    found = {}

    def keep(letters, data, most):
        free = [letter for letter in letters if letter not in found]
        if free:
            found[free[0]] = data[:most]

    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.name
        if name == "clock-offsets.txt":
            keep("M", path.read_bytes(), 400)
        elif name == "stream.json" and (path.parent / "stream.obs").exists():
            if "A" not in found or "F" not in found:
                keep("AF", path.read_bytes(), 700)
                keep("EG", (path.parent / "stream.obs").read_bytes(), 150)
        elif name == "metadata.json":
            keep("BJ" if opened == 1 else "DJ", path.read_bytes(), 500)
        elif name.startswith("thread.") and name.endswith(".json"):
            keep("C", path.read_bytes(), 500)
        elif name.startswith("thread.") and name.endswith(".obs"):
            keep("LK", path.read_bytes(), 150)
        elif name.startswith("thread.") and name[7:].isdigit():
            keep("HI", path.read_bytes(), 150)
    seed = b"".join(b"@@" + letter.encode() + data for letter, data in found.items())
    return b"x" * ((opened - len(seed)) % 4) + seed if "ABCD"[opened] in found else None


def trace_seeds(folder):
    found = (trace_seed(folder, opened) for opened in range(4))
    return [("ovni_trace", seed) for seed in found if seed]


def exported():
    """Row of the format, kind, its own numbers, record, fault."""
    own, data = struct.pack("<qiiiiBB", -5, 1, 2, 3, 4, 5, 31), b"\x0bOAs" + struct.pack("<QIQ", 1000, 3, 7)
    for kind, of in ((1, data), (0, b"ovni\1\0\0\0"), (3, METADATA[0].encode()), (255, data)):
        yield "ovni", kind, own, of, b""
