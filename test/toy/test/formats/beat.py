# SPDX-License-Identifier: GPL-2.0-or-later
"""Beat logs."""
import struct

from formats import seeds as fuzz
from formats.edits import at, cut_inside, put_at


# --- fields -----------------------------------------------------------------------------------------------------------
NAMES = ("beat",)
OWN = "offset length byte_order kind truncated malformed clock id"
CONTEXT = "interval"
ANALYSED = "offset clock id interval"
PAIR = ("beat/two.beat", "beat/back.beat")
KIND = "beat.kind"
DETAILS = {"beat/back.beat": 4}

# --- saved ------------------------------------------------------------------------------------------------------------
FILE_TYPES = {"": "beat"}
HEADERS = NEEDED = {0}
PLACE = "offset interval malformed"
MERGED = {"captures": ["beat/two.beat"], "filter": "beat.kind == 1", "chosen": lambda n, k, t, f: k == 1,
          "half": "beat.id % 2 == {}"}


def parts(table):
    """A cut beat has the time of the previous one."""
    count = len(table.rows)
    return {"thirds": lambda n, k, t, f: n % 3 == 1 and k < 254,
            "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3 and k < 254,
            "beats": lambda n, k, t, f: k == 1}


def refusals(capture, _folder, out):
    two = capture("beat/two.beat")
    yield "has been changed", ["editcap", "-F", "beat", "-t", "1", two, out]
    yield "has been shortened", ["editcap", "-F", "beat", "-s", "4", two, out]


# --- damaged ----------------------------------------------------------------------------------------------------------
TWO = "beat/two.beat"
CASES = {
    "beat-magic": (TWO, put_at(at(7), 0, "c", b"2")),
    "beat-cut": (TWO, cut_inside(at(128), 5)),
    "beat-clock-back": (TWO, put_at(at(128), 0, "<Q", 5)),
}


# --- fuzzed -----------------------------------------------------------------------------------------------------------
def seeds(path, data):
    return fuzz.pieces("beat", data) if path.name.endswith(".beat") else []


def exported():
    """Row of the format, kind, its own numbers, record, fault."""
    for kind, data in ((0, b"BEATLOG1"), (1, struct.pack("<QI", 5, 7)), (254, b"BEAT")):
        yield "beat", kind, struct.pack("<Q", 4), data, b""
