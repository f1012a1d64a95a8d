#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damage captures in known ways.

usage: make.py OUT [CASE...]

Makes OUT/CASE/..., a copy of a capture with one fault, for every row of CASES (or the named ones). What must be
shown of each stands in expected.tsv. Places are found by walking the intact capture record by record, so the edits say
what they hit. Knows nothing of what the plugins make of it.
"""
import importlib.util
import os
import shutil
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parent.parent / "captures"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
fdr = load(CAPTURES / "make-big-endian.py")

# --- where the records are --------------------------------------------------------------------------------------------
NEW_BUFFER, END_OF_BUFFER, NEW_CPU, WRAP, WALL_CLOCK, CUSTOM, ARGUMENT, EXTENTS, TYPED, PROCESS = range(10)
FUNCTION = -1


def fdr_places(data):
    """(offset, metadata kind or FUNCTION, length) of every record of an FDR log with extents."""
    at, end = 32, len(data)
    while at < len(data):
        length = fdr.fdr_length(data, at, end)
        kind = data[at] >> 1 if data[at] & 1 else FUNCTION
        yield at, kind, length
        at += length
        if kind == EXTENTS:
            end = min(at + struct.unpack_from("<Q", data, at - 15)[0], len(data))
        if at >= end:
            end = len(data)


def fdr_place(data, kind, nth=0):
    return [at for at, k, _ in fdr_places(data) if k == kind][nth]


def cacheray_places(data):
    """(offset, tag) of every record of a le64 trace."""
    at = 0
    while at < len(data):
        yield at, data[at]
        kind = data[at] & 0x3f
        at += 18 if kind < 2 else 17 if kind == 3 else 29 + struct.unpack_from("<I", data, at + 25)[0]


def cacheray_place(data, kind, nth):
    return [at for at, tag in cacheray_places(data) if tag == kind][nth]


def ovni_places(data):
    """(offset, code) of every event of a stream with a header."""
    at = 8
    while at < len(data):
        yield at, data[at + 1:at + 4].decode("latin-1")
        size = data[at] & 15
        at += 16 + struct.unpack_from("<I", data, at + 12)[0] if data[at] & 16 else 13 + size if size else 12


def ovni_place(data, nth, code=None):
    return [at for at, c in ovni_places(data) if code in (None, c)][nth]


# --- edits: each takes the bytes of a file and returns new ones -------------------------------------------------------
def put(data, at, new):
    return data[:at] + new + data[at + len(new):]


def cut_inside(place, keep):
    """The file ends `keep` bytes after the beginning of a record."""
    return lambda data: data[:place(data) + keep]


def put_at(place, delta, fmt, *values):
    return lambda data: put(data, place(data) + delta, struct.pack(fmt, *values))


def zeros_at(place, length):
    return lambda data: put(data, place(data), bytes(length))


def insert(place, new):
    return lambda data: data[:place(data)] + new + data[place(data):]


def extents(nth, change):
    def edit(data):
        at = fdr_place(data, EXTENTS, nth)
        return put(data, at + 1, struct.pack("<Q", change(struct.unpack_from("<Q", data, at + 1)[0])))
    return edit


def function_action(nth, action):
    def edit(data):
        at = fdr_place(data, FUNCTION, nth)
        word = struct.unpack_from("<I", data, at)[0]
        return put(data, at, struct.pack("<I", word & ~0xe | action << 1))
    return edit


def zero_buffer(nth):
    """A whole buffer with its extents becomes zeros."""
    def edit(data):
        at = fdr_place(data, EXTENTS, nth)
        return put(data, at, bytes(16 + struct.unpack_from("<Q", data, at + 1)[0]))
    return edit


def fdr_at(kind, nth=0):
    return lambda data: fdr_place(data, kind, nth)


def cacheray_at(kind, nth):
    return lambda data: cacheray_place(data, kind, nth)


def ovni_at(nth, code=None):
    return lambda data: ovni_place(data, nth, code)


def at(offset):
    return lambda data: offset


def payload_of_four(nth, code):
    """An event of today loses the second half of its payload of eight bytes."""
    def edit(data):
        place = ovni_place(data, nth, code)
        return data[:place] + bytes([data[place] & 0xf0 | 3]) + data[place + 1:place + 16] + data[place + 20:]
    return edit


def only(content):
    return lambda data: content


# --- the cases: name: (capture, {file of the capture: edit or None to delete it}) -------------------------------------
FDR, EVENTS, V1 = "xray/fdr-wrap.xray", "xray/fdr-cpus.xray", "xray/fdr-cpus-v1.xray"
BASIC, ORDERS = "xray/basic-threads.xray", "cacheray/orders.trace"
NODES, HWC, MARKS = "ovni/v3-two-nodes", "ovni/v3-hwc", "ovni/v2-1.10.0-marks"
PLAIN = "ovni/pre10-headerless"
FIRST = "loom.node01.0/proc.20575/thread.20575/"
SECOND = "loom.node01.0/proc.20575/thread.20743/"
ALONE = "loom.vm.0/proc.10764/thread.10764/"
READ, WRITE, ADD, REMOVE = range(4)

CASES = {
    "xray-short": (FDR, lambda d: d[:31]),
    "xray-version": (FDR, put_at(at(0), 0, "<H", 9)),
    "xray-cut-function": (FDR, cut_inside(fdr_at(FUNCTION, -1), 5)),
    "xray-cut-metadata": (FDR, cut_inside(fdr_at(NEW_CPU, -1), 9)),
    "xray-cut-marker": (EVENTS, cut_inside(fdr_at(CUSTOM, 4), 11)),
    "xray-cut-payload": (EVENTS, cut_inside(fdr_at(CUSTOM, 4), 18)),
    "xray-zeroed-buffer": (FDR, zero_buffer(3)),
    "xray-zeros-between": (FDR, insert(fdr_at(EXTENTS, 4), bytes(40))),
    "xray-extents-small": (FDR, extents(2, lambda n: n - 12)),
    "xray-extents-large": (FDR, extents(2, lambda n: n + 40)),
    "xray-extents-huge": (FDR, extents(2, lambda n: (1 << 64) - 1)),
    "xray-extents-zero": (FDR, extents(2, lambda n: 0)),
    "xray-unknown-kind": (FDR, put_at(fdr_at(FUNCTION, 60), 0, "B", 10 << 1 | 1)),
    "xray-negative-event": (EVENTS, put_at(fdr_at(CUSTOM, 4), 1, "<i", -2)),
    "xray-event-past-buffer": (EVENTS, put_at(fdr_at(CUSTOM, 4), 1, "<i", 1 << 30)),
    "xray-bad-action": (FDR, function_action(70, 5)),
    "xray-end-of-buffer": (EVENTS, put_at(fdr_at(WRAP), 0, "B", END_OF_BUFFER << 1 | 1)),
    "xray-no-new-buffer": (EVENTS, put_at(fdr_at(NEW_BUFFER), 0, "B", WALL_CLOCK << 1 | 1)),
    "xray-kind-of-later-version": (V1, put_at(at(32 + 16), 0, "B", PROCESS << 1 | 1)),
    "xray-repeated": (FDR, lambda d: d + d[fdr_place(d, EXTENTS, -1):]),
    "xray-buffer-short": (FDR, cut_inside(fdr_at(FUNCTION, -1), 0)),
    "xray-frequency-zero": (EVENTS, put_at(at(8), 0, "<Q", 0)),
    "basic-version": (BASIC, put_at(at(0), 0, "<H", 4)),
    "basic-cut": (BASIC, lambda d: d[:-13]),
    "basic-bad-type": (BASIC, put_at(at(32 + 32 * 9), 0, "<H", 7)),
    "basic-bad-action": (BASIC, put_at(at(32 + 32 * 9), 3, "B", 9)),

    "cacheray-cut-access": (ORDERS, cut_inside(cacheray_at(READ, -1), 10)),
    "cacheray-cut-name": (ORDERS, cut_inside(cacheray_at(ADD, -1), 33)),
    "cacheray-zeroed": (ORDERS, zeros_at(cacheray_at(READ, 100), 100)),
    "cacheray-flags": (ORDERS, put_at(cacheray_at(ADD, 3), 0, "B", 0x42)),
    "cacheray-size": (ORDERS, put_at(cacheray_at(WRITE, 100), 9, "B", 3)),
    "cacheray-thread": (ORDERS, put_at(cacheray_at(WRITE, 100), 10, "<Q", 0xdead << 48)),
    "cacheray-address": (ORDERS, put_at(cacheray_at(READ, 100), 1, "<Q", 0x1234 << 48 | 0x1000)),
    "cacheray-name-length": (ORDERS, put_at(cacheray_at(ADD, 3), 25, "<I", 0xffffffff)),
    "cacheray-unknown-tag": (ORDERS, put_at(cacheray_at(READ, 100), 0, "B", 0x3f)),

    "ovni-cut-event": (HWC, {ALONE + "stream.obs": lambda d: d[:-7]}),
    "ovni-cut-header": (HWC, {ALONE + "stream.obs": lambda d: d[:5]}),
    "ovni-cut-stream-of-trace": (NODES, {FIRST + "stream.obs": lambda d: d[:ovni_place(d, 20) + 9]}),
    "ovni-jumbo-past-end": (HWC, {ALONE + "stream.obs": put_at(ovni_at(2, "VWC"), 12, "<I", 0xfffffff0)}),
    "ovni-clock-falls": (HWC, {ALONE + "stream.obs": put_at(ovni_at(5), 4, "<Q", 688000000000)}),
    "ovni-version": (HWC, {ALONE + "stream.obs": put_at(at(4), 0, "<I", 900)}),
    "ovni-version-2": (HWC, {ALONE + "stream.obs": put_at(at(4), 0, "<I", 2)}),
    "ovni-repeated-header": (HWC, {ALONE + "stream.obs": lambda d: d[:8] + d}),
    "ovni-headerless-cut": (PLAIN, {"loom.vm/proc.7692/thread.7692": lambda d: d[:28 + 9]}),
    "ovni-headerless-claims": (PLAIN, {"loom.vm/proc.7692/thread.7692": lambda d: put(d, 40, b"\xf0\xff\xff\xff")[:58]}),
    "ovni-no-header": (HWC, {ALONE + "stream.obs": put_at(at(0), 0, "4s", b"mess")}),
    "ovni-empty-stream": (HWC, {ALONE + "stream.obs": only(b"")}),
    "ovni-no-events": (NODES, {SECOND + "stream.obs": None}),
    "ovni-short-payload": ("ovni/v3-all-events",
                           {"loom.node.1/proc.17603/thread.17603/stream.obs": payload_of_four(0, "OAr")}),
    "ovni-bad-json": (HWC, {ALONE + "stream.json": lambda d: d[:200]}),
    "ovni-unused-metadata": (HWC, {ALONE + "stream.json": lambda d: d.replace(b'"finished": 1', b'"finished": "1"')}),
    "ovni-repeated-metadata": (HWC, {ALONE + "stream.json": lambda d: d.replace(b'"rank": 0', b'"rank": 0, "rank": 0')}),
    "ovni-deep-json": (HWC, {ALONE + "stream.json": only(b'{"a":' * 5000 + b"1" + b"}" * 5000)}),
    "ovni-json-is-a-number": (HWC, {ALONE + "stream.json": only(b"12\n")}),
    "ovni-bad-clock-table": (NODES, {"clock-offsets.txt": only(b"rank hostname median\n0 node01\nx node02 - - -\n")}),
    "ovni-bad-metadata": (MARKS, {"loom.vm.0/proc.30808/metadata.json": only(b"\0" * 64)}),
}


def make(case, out):
    source, edits = CASES[case]
    folder = out / case
    shutil.rmtree(folder, ignore_errors=True)
    if not isinstance(edits, dict):
        folder.mkdir(parents=True)
        target = folder / os.path.basename(source)
        target.write_bytes(edits((CAPTURES / source).read_bytes()))
        return
    shutil.copytree(CAPTURES / source, folder)
    for name, edit in edits.items():
        file = folder / name
        if edit is None:
            file.unlink()
        else:
            file.write_bytes(edit(file.read_bytes()))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for name in sys.argv[2:] or CASES:
        make(name, Path(sys.argv[1]))
