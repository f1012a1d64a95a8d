#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of ovni traces that cannot be read, or are missing, are reported: by a record, on the terminal and by the exit status.

usage: unreadable.py [--build DIR] CHECK

  rights   files and folders that the user may not read (only if root can become another user)
  absent   missing files, of which some are optional
  descriptors  too few of them

The records of everything that can be read are those of the intact trace. Exit status 77: skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, Failure, arguments, entry, event_files, formats, outcome, require, run  # noqa: E402

NODES, OLD = CAPTURES / "ovni/v3-two-nodes", CAPTURES / "ovni/v2-1.10.0-marks"
MISSING, ERROR = "4", str(0x800000)  # ovni.kind, PI_ERROR
FIELDS = ["ovni.kind", "ovni.stream", "ovni.offset", "ovni.length", "ovni.mcv", "ovni.clock", "ovni.missing", "_ws.expert.message",
          "_ws.expert.severity"]
RECORD = 6  # the first of these are what a record itself contains
NOBODY = 65534


def shown(path, prefix=(), options=()):
    command = ["tshark", "-n", "-r", path, "-T", "fields", *options]
    for name in FIELDS:
        command += ["-e", name]
    code, out, error = run(*command, prefix=prefix)
    return [line.split("\t") for line in out.split("\n")[:-1]], outcome(code, error), error


def records(rows, without=()):
    return [row[:RECORD] for row in rows if row[0] != MISSING and row[1] not in without]


def check_shown(what, path, intact, missing, lost, prefix=()):
    """`missing`: name -> words; `lost`: streams without records."""
    for options in ((), ("-2",)):
        rows, verdict, error = shown(path, prefix, options)
        first = rows[:len(missing)]
        require({row[1] for row in first} == set(missing) and all(row[0] == MISSING for row in first),
                what, "should be missing at the beginning:", sorted(missing), "but:", first)
        for row in first:
            require(missing[row[1]] in row[7] and row[8] == ERROR and row[6] and row[3] == "0", what, "row:", row)
        require(records(rows) == records(intact, lost), what, "other records differ", len(rows), len(intact))
        require(verdict == ("cut short" if missing else "ok"), what, "ends with", verdict)
        require(all(f"{name}: " in error for name in list(missing)[:8]), what, "the terminal says", error)
    code, out, error = run("capinfos", "-c", "-k", path, prefix=prefix)
    require((code != 0) == bool(missing) and "Number of packets" in out, what, "capinfos:", code, out, error)
    _, out, _ = run("tshark", "-q", "-r", path, "-z", "expert,ovni.missing", prefix=prefix)
    require(("Errors (%d)" % len(missing) in out) == bool(missing), what, "-z expert counts", out)


def copy(source, folder):
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.geteuid() and not path.stat().st_mode & 1 and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o55)
    return Path(shutil.copytree(source, folder / "trace"))


# --- rights -------------------------------------------------------------------------------------------------------------
def check_rights(folder):
    prefix = ()
    if os.geteuid() == 0:
        prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", f"HOME={folder}")
        reach = subprocess.run([*prefix, "test", "-r", os.environ["WIRETRACE_BUILD"] + "/CMakeCache.txt"], check=False)
        if reach.returncode != 0:
            print("another user cannot run the build")
            sys.exit(77)
    trace = copy(NODES, folder)
    intact, verdict, _ = shown(entry(trace), prefix)
    require(verdict == "ok" and len(intact) > 1000, "intact:", verdict, len(intact))
    denied, streams = "Permission denied", event_files(trace)

    def barred(what, paths, missing, lost):
        modes = [path.stat().st_mode for path in paths]
        for path in paths:
            path.chmod(0)
        check_shown(what, entry(trace), intact, missing, lost, prefix)
        for path, mode in zip(paths, modes):
            path.chmod(mode)

    names = [formats.formats()["ovni"].stream_name(trace, file) for file in streams[1::2]]
    barred("every second stream", streams[1::2], {name: denied for name in names}, names)
    json = streams[1].parent / "stream.json"
    name = str(json.relative_to(trace))
    barred("metadata", [json], {name: denied}, [name])
    name = formats.formats()["ovni"].stream_name(trace, streams[1])
    barred("a folder", [streams[1].parent], {name: denied}, [name, name + "/stream.json"])
    table = trace / "clock-offsets.txt"
    table.chmod(0)
    rows, verdict, error = shown(entry(trace), prefix)
    table.chmod(0o644)
    require(f"clock-offsets.txt cannot be read: {denied}" in rows[0][7] and verdict == "cut short", "clock table:", rows[0], verdict)
    said = [row[7] for row in rows if "clock-offsets" in row[7]]
    require(denied in error and len(said) == 2 and said[1] == f"ovniemu: {said[0]}", "clock table is not said once, and in the verdict:", said)
    # the stream can be read, but not its metadata
    json.chmod(0)
    rows, verdict, error = shown(streams[1], prefix)
    json.chmod(0o644)
    require(verdict == "ok" and f"metadata of this stream cannot be read: {denied}" in rows[0][7], "alone:", rows[0], error)


# --- absent -------------------------------------------------------------------------------------------------------------
def check_absent(folder):
    trace = copy(NODES, folder)
    intact, _, _ = shown(entry(trace))
    file = event_files(trace)[1]
    name, data = formats.formats()["ovni"].stream_name(trace, file), file.read_bytes()
    file.unlink()
    check_shown("no event file", entry(trace), intact, {name: "the event file of this stream is missing"}, [name])
    code, _, error = run("tshark", "-r", entry(trace), "-Y", "ovni.missing", "-F", "ovni", "-w", folder / "saved")
    require(code != 0 and not (folder / "saved").exists(), "what is missing can be saved:", code, error)
    run("editcap", "-F", "pcapng", entry(trace), folder / "pdu.pcapng", prefix=("env", "WIRETRACE_PDU=1"))
    rows, _, _ = shown(folder / "pdu.pcapng")
    require((rows[0][0], rows[0][1]) == (MISSING, name) and "is missing" in rows[0][7], "exported:", rows[0])
    file.write_bytes(data)
    (file.parent / "stream.json").unlink()
    rows, verdict, error = shown(entry(trace))
    said = [row for row in rows if "there is no stream.json" in row[7]]
    require(verdict == "ok" and [(row[0], row[1]) for row in said] == [("0", name)] and f"{name}: there is no stream.json" in error,
            "no stream.json:", verdict, said, error)
    require(len(rows) == len(intact) - 1, "no stream.json: other records are gone")
    # nothing is counted of it, with the file or without
    tables = [word for table in ("states", "tasks", "lint,columns:stream,rule,finding", "tree", "cpus") for word in ("-z", f"ovni,{table}")]
    there = run("tshark", "-q", "-r", entry(trace), *tables)[1]
    file.rename(folder / "away")
    require(there == run("tshark", "-q", "-r", entry(trace), *tables)[1], "without stream.json, but counted:", there)
    (folder / "away").rename(file)
    rows, verdict, _ = shown(file)
    require(verdict == "ok" and "there is no stream.json" in rows[0][7] and not any("stream.json" in row[7] for row in rows[1:]),
            "alone:", rows[:2])
    # a process that did not end normally leaves no metadata.json, and only some files contain looms and clocks
    shutil.rmtree(trace)
    trace = copy(OLD, folder)
    opened = next(trace.rglob("thread.*.json"))
    for path in trace.rglob("metadata.json"):
        path.unlink()
    rows, verdict, error = shown(opened)
    require(verdict == "ok" and not error and not any(row[0] == MISSING for row in rows), "metadata.json:", verdict, error)


# --- descriptors --------------------------------------------------------------------------------------------------------
def check_descriptors(_):
    """With too few of them the last message is that of the call that failed, not one about the trace; more are enough."""
    few, verdicts = "Too many open files", set()
    for most in range(5, 16):
        code, _, error = run("prlimit", f"--nofile={most}", "tshark", "-q", "-r", entry(NODES), "-z", "ovni,states,csv")
        errors = [line for line in error.split("\n") if not line.startswith("tshark: The file")]  # Wireshark's own
        require(code == 0 or few in errors[-2], most, "descriptors:", code, errors)
        require("cut short" not in error and "is missing" not in error, most, "descriptors:", error)
        verdicts.add(code != 0)
    require(verdicts == {True, False}, "there were always or never enough:", verdicts)


CHECKS = {"rights": check_rights, "absent": check_absent, "descriptors": check_descriptors}


def main():
    args = arguments(__doc__, check={"choices": list(CHECKS)})
    try:
        with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
            CHECKS[args.check](Path(folder))
    except Failure as failure:
        sys.exit(f"{args.check}: {failure}")


if __name__ == "__main__":
    main()
