#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace of two nodes with another table of clock offsets, as `ovniemu -c` takes one: times, order and Paraver's files.

usage: ovni-clocks.py [--build DIR]

Times are the clock plus the offset of the node, and the records are in that order. Where ovniemu 1.14.0 is installed (or OVNIEMU names it), the
files for Paraver are also those of `ovniemu -c`. A file that is not a table, or is not there, is reported, with its status.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, arguments, entry, require, run, statistic, tshark  # noqa: E402

OVNIEMU = os.environ.get("OVNIEMU") or shutil.which("ovniemu")
FILES = [f"{side}.{suffix}" for side in ("thread", "cpu") for suffix in ("prv", "pcf", "row")]
TRACE = CAPTURES / "ovni/v3-two-nodes"
HEAD = "rank hostname offset_median offset_mean offset_std\n"
# Node 2 is shifted to the middle of node 1, to before it, and to where it is by itself; an offset has a fraction, which is cut off.
TABLES = [{"node01": "0", "node02": "-36990000007"}, {"node01": "5000000.9", "node02": "-38000000000"}, {"node01": "-7", "node02": "-36999999998"}]
PREFERENCE = "ovni.clock_offsets"


def records(path, *options):
    """(node, clock, time in ns since the first record) of every event."""
    table = tshark(path, ["ovni.loom", "ovni.clock", "frame.time_relative"], *options)
    require(table.verdict == "ok", options, table.error)
    return [(loom.split(".")[0], int(clock), round(float(time) * 1e9)) for loom, clock, time in table.rows if clock]


def check_table(offsets, place, raw):
    path, table = entry(TRACE), place / "other table.txt"
    table.write_text(HEAD + "".join(f"{rank} {node} {offset} {offset} 0.5\n" for rank, (node, offset) in enumerate(offsets.items())))
    chosen = ("-o", f"{PREFERENCE}:{table}")
    shifted = sorted((clock + int(offsets[node].split(".")[0]), node) for node, clock, _ in raw)
    want = [time - shifted[0][0] for time, _ in shifted]
    for passes in ([], ["-2"]):
        got = records(path, *chosen, *passes)
        require([time for _, _, time in got] == want, offsets, passes, "times:", [time for _, _, time in got][:5], want[:5])
        require(sorted((clock + int(offsets[node].split(".")[0]), node) for node, clock, _ in got) == shifted, offsets, passes, "other records")
        require(all(time == clock + int(offsets[node].split(".")[0]) - shifted[0][0] for node, clock, time in got), "the offset of another node")
    out = place / "paraver"
    shutil.rmtree(out, ignore_errors=True)
    statistic(path, f"ovni,paraver,{out}", *chosen)
    os.environ["WIRETRACE_OVNI_CLOCK_OFFSETS"] = str(table)
    _, comment, _ = run("capinfos", "-k", path)
    del os.environ["WIRETRACE_OVNI_CLOCK_OFFSETS"]
    require("from other table.txt are applied" in comment, "the file comment:", comment)
    return out, table


def emulate(table, place):
    copy = place / "trace"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(TRACE, copy)
    (place / "cfg").mkdir(exist_ok=True)
    return subprocess.run([OVNIEMU, "-c", table, copy], env={**os.environ, "OVNI_CONFIG_DIR": str(place / "cfg")}, capture_output=True,
                          text=True, check=False)


def check_peer(out, table, place):
    """Paraver's files, as `ovniemu -c` writes them into the trace."""
    done = emulate(table, place)
    require(done.returncode == 0, "ovniemu -c:", done.stderr[-500:])
    for name in FILES:
        require((out / name).read_bytes() == (place / "trace" / name).read_bytes(), name, "is not what ovniemu -c writes with", table.read_text())


def check_refused(place):
    """As by `ovniemu -c`: a file without rows, one with a bad row, and none."""
    wrong, path = place / "no-table", entry(TRACE)
    for text in ("not a table\nof offsets\n", "", HEAD, HEAD + "0 node01 0 0 0\n1 node02 many 0 0\n", None):
        wrong.unlink(missing_ok=True)
        if text is not None:
            wrong.write_text(text)
        code, out, error = run("tshark", "-r", path, "-o", f"{PREFERENCE}:{wrong}")
        reason = f"(preference {PREFERENCE}) is '{wrong}', but must be 0, 1 or a table of clock offsets that is there"
        require(code == 2 and not out and reason in error, repr(text), code, out[:200], error)
        if OVNIEMU:
            require(emulate(wrong, place).returncode != 0, "ovniemu -c accepts", repr(text))


def check_late_rank(place):
    """Three ranks, of which the last is two seconds late in each MPI_Allreduce, or in none: one of them is reported."""
    for late in (0, 2 * 10 ** 9):
        for rank in range(3):
            thread = place / f"late-{late}" / f"loom.node{rank}" / "proc.1" / "thread.1"
            thread.mkdir(parents=True)
            clocks = [10 ** 9 * call + 100 * rank + late * (rank == 2) for call in range(1, 21)]
            events = [(b"OHx", clocks[0] - 1, struct.pack("<iiQ", 0, -1, 0))] + [event for clock in clocks for event in ((b"MAr", clock, b""), (b"MAR", clock + 1000, b""))]
            (thread / "stream.obs").write_bytes(b"ovni" + struct.pack("<I", 1) + b"".join(
                struct.pack("<B3sQ", max(len(more) - 1, 0), code, clock) + more for code, clock, more in events))
            about = {"part": "thread", "loom": f"node{rank}", "pid": 1, "tid": 1, "app_id": 1, "rank": rank, "nranks": 3, "require": {"ovni": "1.1.0", "mpi": "1.0.0"}}
            (thread / "stream.json").write_text(json.dumps({"version": 3, "ovni": about}))
        for options in ([], ["-2"]):
            _, text, _ = run("tshark", "-q", *options, "-r", thread / "stream.json", "-z", "ovni,balance")
            require(("Rank 2 enters each of 20 calls of MPI_Allreduce after all other ranks" in text) == bool(late), late, text)


def main():
    arguments(__doc__)
    raw, asked = records(entry(TRACE), "-o", f"{PREFERENCE}:FALSE"), 0
    require(len({node for node, _, _ in raw}) == 2, "not two nodes")
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as place:
        place = Path(place)
        for offsets in TABLES:
            out, table = check_table(offsets, place, raw)
            if OVNIEMU:
                check_peer(out, table, place)
                asked += 1
        check_refused(place)
        check_late_rank(place)
    print(f"{len(TABLES)} tables of clock offsets, {asked} compared with ovniemu -c")


if __name__ == "__main__":
    main()
