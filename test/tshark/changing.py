#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces that change while they are open, and frame numbers reused because of a read filter.

usage: changing.py [--build DIR] TEST [CAPTURE...]

  changed CAPTURE  sharkd has loaded the trace; then bytes change, or it is cut, emptied, made longer, removed: any record can be asked for
  annotation       an empty annotation becomes an access
  filtered         -R with call stacks, when records with the same number belong to several threads

The results are meaningless, but the programs must continue. CAPTURE is a path below captures/, for an ovni trace its directory.
"""
import random
import shutil
import struct
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import require, run  # noqa: E402
from memory import xray  # noqa: E402
from pdu import folder  # noqa: E402
from surfaces import Sharkd  # noqa: E402

FRAMES = 60  # asked for after each change
ROUNDS = 20


# --- changed ------------------------------------------------------------------------------------------------------------
def change(data, choice, what):
    if what == "cut":
        return data[:choice.randrange(len(data))]
    if what == "empty":
        return b""
    if what == "longer":
        return data + data
    changed = bytearray(data)
    for _ in range(choice.choice([1, 4, 64])):
        changed[choice.randrange(len(data))] = choice.choice([0, 1, 2, 3, 0x10, 0x7f, 0x80, 0xff, choice.randrange(256)])
    return bytes(changed)


def ask_for_all(sharkd, frames):
    """Some versions do not answer for what can no longer be read, but they do for the status."""
    for number in frames:
        sharkd.send("frame", frame=number, proto=True, columns=True)
        sharkd.ask("status")


def test_changed(name):
    choice = random.Random(name)
    with folder() as place:
        source = check.formats.capture(name)
        target = Path(shutil.copytree(source, place / source.name) if source.is_dir() else shutil.copy(source, place))
        files = [target] if target.is_file() else sorted(file for file in target.rglob("*") if file.is_file())
        original = {file: file.read_bytes() for file in files}
        with Sharkd() as sharkd:
            for at in range(ROUNDS):
                sharkd.send("load", file=str(target if target.is_file() else check.entry(target)))
                count, file = sharkd.ask("status")["frames"], choice.choice(files)
                what = ["bytes", "bytes", "cut", "longer", "empty", "gone"][at % 6]
                file.write_bytes(change(original[file], choice, what)) if what != "gone" else file.unlink()
                ask_for_all(sharkd, choice.sample(range(1, count + 1), min(FRAMES, count)))
                file.write_bytes(original[file])


# --- annotation ---------------------------------------------------------------------------------------------------------
def test_annotation():
    """Elements without size, which cannot be counted."""
    at = 0x7f1234561000
    accesses = b"".join(struct.pack("<BQBQ", 0, at + 8 * (i % 100), 8, 1) for i in range(300))
    nothing = struct.pack("<BQQIII", 2, at, 1, 0, 7, 4) + b"name"
    with folder() as place, Sharkd() as sharkd:
        path = place / "nothing.trace"
        path.write_bytes(accesses + nothing + accesses)
        sharkd.send("load", file=str(path))
        require(sharkd.ask("status")["frames"] == 601, "other records than expected")
        path.write_bytes(accesses + accesses[:18] + nothing[18:] + accesses)
        ask_for_all(sharkd, range(300, 303))


# --- filtered -----------------------------------------------------------------------------------------------------------
def function(number, leave=False):
    return struct.pack("<II", number << 4 | leave << 1, 1)


def test_filtered():
    """The exit of a long call gets the number of an entry in another thread that the filter drops."""
    begin, end = 10**12, 10**12 + (5 * 10**7 << 32)
    log = xray([(2, begin, function(9)), (1, begin + 100, function(1) + function(2)), (2, end, function(9, True)),
                (1, end + 100, function(3) + function(4) + function(4, True))])
    with folder() as place:
        path = place / "threads.xray"
        path.write_bytes(log)
        names = ["xray.function.id", "xray.call.stack"]
        _, out, _ = run("tshark", "-n", "-2", "-r", path, "-R", "xray.call.stack && xray.function.id != 2", "-T", "fields",
                        *[word for name in names for word in ("-e", name)])
        got = [line.split("\t")[0] for line in out.split("\n")[:-1]]
        require(got == list("919344"), "other records than expected:", got)
        _, out, _ = run("tshark", "-n", "-2", "-r", path, "-R", 'xray.call.stack == "#1;#2;#3;#4" && xray.call.caller_id == 3')
        require(len(out.splitlines()) == 2, "the filter does not see the stack of the open calls:", out)


TESTS = {"changed": test_changed, "annotation": test_annotation, "filtered": test_filtered}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(lambda name: TESTS[args.test](*[name] if name else []), args.captures or [""])


if __name__ == "__main__":
    main()
