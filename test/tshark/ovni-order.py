#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the order and times of the events in an ovni trace with those of ovni's emulator.

usage: ovni-order.py [--build DIR] TRACE LIST

LIST: number, nanoseconds since the first event, and code of each event, as processed by ovniemu 1.14.0 with clock offsets
applied.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import Failure, arguments, entry, require, tshark  # noqa: E402


def shown(trace):
    table = tshark(entry(trace), ["frame.time_epoch", "ovni.mcv", "ovni.kind"])
    require(table.verdict == "ok", table.verdict)
    events = [(int(time.replace(".", "")), code) for time, code, kind in table.rows if kind in ("1", "2")]
    return [(time - events[0][0], code) for time, code in events]


def main():
    args = arguments(__doc__, trace={"type": Path}, list={"type": Path})
    rows = [line.split("\t") for line in args.list.read_text().splitlines()[1:]]
    try:
        got, want = shown(args.trace), [(int(time), code) for _, time, code in rows]
        require(want, "the list is empty")
        for number, (ours, theirs) in enumerate(zip(got, want)):
            require(ours == theirs, f"event {number}: shown {ours}, the emulator had {theirs}")
        require(len(got) == len(want), len(got), "events shown, the emulator had", len(want))
    except Failure as failure:
        sys.exit(f"{args.trace}: {failure}")


if __name__ == "__main__":
    main()
