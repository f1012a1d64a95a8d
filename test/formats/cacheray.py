# SPDX-License-Identifier: GPL-2.0-or-later
"""Cacheray memory traces."""
import struct

from formats import seeds as fuzz
from formats.edits import cut_inside, put_at, zeros_at


# --- fields -----------------------------------------------------------------------------------------------------------
BASELINE = "cacheray/orders.trace"  # for comparisons
NAMES = ("cacheray",)
OWN = """offset length byte_order event truncated malformed type layout atomic unaligned address size thread
    rtta.elem_size rtta.elem_count rtta.typename"""
ANALYSIS = """access.typename access.variable access.member access.index access.offset access.rtta rtta.add rtta.remove
    unannotated overlap unmatched line line.split line.sharing line.reuse"""
MISTYPED = ["cacheray_cacheray_address"]
KIND = "cacheray.event"
DETAILS = {"cacheray/orders.trace": 12}
TIME_CUT = False  # they are record numbers
OPTIONS = {".elf": "cacheray.binary"}

# --- saved ------------------------------------------------------------------------------------------------------------
FILE_TYPES = {"": "cacheray"}
PLACE = "offset"
LOOSE = {"frame.number", "frame.time_epoch"}


def parts(table):
    """Unknown bytes may be a single byte after others."""
    count = len(table.rows)
    return {"thirds": lambda n, k, t, f: n % 3 == 1 and k < 254,
            "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3 and k < 254,
            "annotations": lambda n, k, t, f: k in (2, 3)}


def refusals(capture, _folder, out):
    orders, write = capture("cacheray/orders.trace"), ["-F", "cacheray"]
    yield "has been shortened", ["editcap", *write, "-s", "4", orders, out]
    yield "different layouts", ["mergecap", *write, "-w", out, orders, capture("cacheray/orders-be64.trace")]


# --- damaged ----------------------------------------------------------------------------------------------------------
READ, WRITE, ADD, REMOVE = range(4)
ORDERS = "cacheray/orders.trace"


def places(data):
    """(offset, tag) of every record of a le64 trace."""
    at = 0
    while at < len(data):
        yield at, data[at]
        kind = data[at] & 0x3f
        at += 18 if kind < 2 else 17 if kind == 3 else 29 + struct.unpack_from("<I", data, at + 25)[0]


def record(kind, nth):
    return lambda data: [at for at, tag in places(data) if tag == kind][nth]


CASES = {
    "cacheray-cut-access": (ORDERS, cut_inside(record(READ, -1), 10)),
    "cacheray-cut-name": (ORDERS, cut_inside(record(ADD, -1), 33)),
    "cacheray-zeroed": (ORDERS, zeros_at(record(READ, 100), 100)),
    "cacheray-flags": (ORDERS, put_at(record(ADD, 3), 0, "B", 0x42)),
    "cacheray-size": (ORDERS, put_at(record(WRITE, 100), 9, "B", 3)),
    "cacheray-thread": (ORDERS, put_at(record(WRITE, 100), 10, "<Q", 0xdead << 48)),
    "cacheray-address": (ORDERS, put_at(record(READ, 100), 1, "<Q", 0x1234 << 48 | 0x1000)),
    "cacheray-name-length": (ORDERS, put_at(record(ADD, 3), 25, "<I", 0xffffffff)),
    "cacheray-unknown-tag": (ORDERS, put_at(record(READ, 100), 0, "B", 0x3f)),
}

# --- fuzzed -----------------------------------------------------------------------------------------------------------
TEXTS = {"cacheray_caches": [
    '{"caches":[{"cache_size":15,"block_size":6,"set_assoc":8,"rep_policy":0},'
    '{"cache_size":20,"block_size":6,"set_assoc":0,"rep_policy":1,"private":true}],"seed":7}',
    '{"caches":[{"cache_size":8,"block_size":4,"set_assoc":4,"rep_policy":4}]}',
], "cacheray_remap": [
    "# moved\nstruct S=a,16;b,0x0;sizeof,32;alignof,64\n\nclass ns::T=c,8\n",
    "S=a,010;c,12;sizeof,1048576",
]}
NOISE = ["cacheray_analysis"]


def seeds(path, data):
    if path.name.endswith(".trace"):
        yield from fuzz.pieces("cacheray", data)
    elif path.name in ("orders.elf", "falseshare.elf"):
        yield "cacheray_members", data


def program_seeds(elf, _options, _work):
    yield "cacheray_members", elf.read_bytes()


def exported():
    """Row of the format, kind, its own numbers, record, fault."""
    for kind, data in ((0, b"\0" + bytes(17)), (2, b"\2" + bytes(20) + b"\10\0\0\0\1\0\0\0\1\0\0\0n")):
        yield "cacheray", kind, struct.pack("<QB", 1, 0), data, b""
