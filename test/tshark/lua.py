#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Lua example of docs/xray.md decodes the events of captures/xray as the page says.

usage: lua.py [--build DIR]

Exit status 77: skipped, this tshark has no Lua.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, Failure, arguments, require, run  # noqa: E402

EXAMPLE = TOP / "docs" / "examples" / "xray-events.lua"
COLUMNS = ["xray.kind", "xray.event.type", "xray.event.size", "xray.event.text", "note.text", "order.size"]
CUSTOM, TYPED, NOTE = "21", "24", "7"


def rows(capture, passes):
    columns = [word for name in [*COLUMNS, "_ws.col.Info"] for word in ("-e", name)]
    code, out, error = run("tshark", "-n", *passes, "-X", f"lua_script:{EXAMPLE}", "-r", CAPTURES / "xray" / capture,
                           "-Y", f"xray.kind in {{{CUSTOM}, {TYPED}}}", "-T", "fields", *columns)
    error = "".join(line for line in error.splitlines() if line and "Functions have numbers instead of names" not in line)
    require(code == 0 and not error, capture, "with the Lua example:", error)
    return [line.split("\t") for line in out.splitlines()]


def check(capture, passes):
    """Returns the numbers of notes and orders."""
    notes = orders = 0
    for kind, number, size, text, note, order, info in rows(capture, passes):
        is_note = kind == TYPED and number == NOTE and size != "0"
        is_order = kind == CUSTOM and size != "0"
        require(note == (text if is_note else ""), capture, "note of an event of type", number, "is", repr(note))
        require(info.startswith(f"Note: {text}") == is_note, capture, "Info is", repr(info))
        require(order == (size if is_order else ""), capture, "order of", size, "bytes is", repr(order))
        notes, orders = notes + is_note, orders + is_order
    return notes, orders


def main():
    arguments(__doc__)
    if "with Lua" not in run("tshark", "--version")[1].replace("\n", " "):
        print("this tshark has no Lua")
        sys.exit(77)
    try:
        for passes in ([], ["-2"]):
            found = {capture: check(capture, passes) for capture in ("fdr-typed.xray", "fdr-cpus.xray")}
            require(found["fdr-typed.xray"][0] and found["fdr-cpus.xray"][1], "no note or no order:", found)
            print(*passes, found)
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
