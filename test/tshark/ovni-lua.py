#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unknown events are passed to a dissector registered for their code in the dissector table ovni.mcv: the example
docs/examples/ovni-events.lua decodes the payload of each size in captures/ovni/v3-flush-jumbo, and nothing else.

usage: ovni-lua.py [--build DIR]

Exit status 77: this Wireshark has no Lua.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, Failure, arguments, entry, require, run, tshark  # noqa: E402

EXAMPLE = TOP / "docs" / "examples" / "ovni-events.lua"
SIZES = [*range(2, 17), 0]  # of the payloads, in the order of the trace; they count from 0


def check_example():
    names = ["ovni.mcv", "probe.size", "probe.last", "_ws.col.Info"]
    trace = entry(CAPTURES / "ovni" / "v3-flush-jumbo")
    for passes in ([], ["-2"]):
        table = tshark(trace, names, "-X", f"lua_script:{EXAMPLE}", *passes)
        require(table.verdict == "ok" and not table.error, table.verdict, table.error)
        got = [row for row in table.rows if row[0] == "Ozz" or any(row[1:3])]
        want = [["Ozz", str(n), f"0x{n - 1:02x}" if n else "", f"Probe of {n} bytes"] for n in SIZES]
        require(got == want, "shown", got, "expected", want)
    plain = tshark(trace, ["ovni.mcv", "_ws.col.Info"])
    require(["Ozz", "Ozz  unknown event"] in plain.rows, "without the example the event is not unknown")


def main():
    arguments(__doc__)
    try:
        if "with Lua" not in run("tshark", "-v")[1].replace("\n", " "):
            print("this tshark has no Lua")
            sys.exit(77)
        check_example()
    except Failure as failure:
        sys.exit(f"{EXAMPLE.name}: {failure}")


if __name__ == "__main__":
    main()
