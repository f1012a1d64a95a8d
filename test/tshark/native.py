#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Save captures, whole and in part, in their own format, and read them again.

usage: native.py [--build DIR] whole|parts CAPTURE...
       native.py [--build DIR] refused|merged

  whole    saved by tshark, editcap, mergecap and reordercap, into a pipe, and by way of pcapng: the same bytes
  parts    some of the records: the same values again, but for what says where a record stands; records beside them only
           where the format needs them; saved once more, the same bytes; the same calls in llvm-xray, the calls alone in
           every one that is found, other parts in one of them
  refused  what cannot be saved is refused, and the message says why
  merged   logs cut into pieces and merged again

Knows fields by name only; how records are rebuilt is the business of the unit tests.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import (CAPTURES, CONTEXT, FRAME, OWN, TOP, Failure, arguments, entry, event_files, fields,  # noqa: E402
                   make, protocol_of, require, run, tshark)

EDITCAP_RANGES = 500  # it takes 512
# Records that stand in a saved log because others need them: kinds.
NEEDED = {"xray": {0, 16, 17, 18, 19, 20, 23, 25, 253}, "cacheray": set(), "ovni": {0}}
# Fields that say where a record stands, or how it counts on from the record before it.
PLACE = {"xray": "offset buffer.extent function.tsc_delta event.tsc_delta header.buffer_size header.version header.type "
                 "header.constant_tsc header.nonstop_tsc header.cycle_frequency malformed",
         "cacheray": "offset", "ovni": "offset stream loom process thread rank app clock.offset"}
OTHER_ORDER = {"calls", "a window", "first records", "annotations", "events"}  # parts of copies in the other byte order
# The same of a frame: Cacheray's times are record numbers, ovni's have the offset of a node, and a stream the name of its path.
LOOSE = {"xray": {"frame.number"}, "cacheray": {"frame.number", "frame.time_epoch"},
         "ovni": {"frame.number", "frame.time_epoch", "frame.interface_name"}}
KIND = {"xray": "xray.kind", "cacheray": "cacheray.event", "ovni": "ovni.kind"}
CALLS = {1: "enter", 2: "exit", 3: "tail-exit", 4: "enter"}


def type_of(path):
    protocol = protocol_of(str(path.relative_to(CAPTURES)))
    if protocol != "xray":
        return protocol
    return "xray-basic" if re.search("basic|naive", path.name) else "xray-fdr"


def parts_of(protocol, table):
    """Which records, by name: a predicate of number and kind, thread and function where there are any."""
    count = len(table.rows)
    parts = {"thirds": lambda n, k, t, f: n % 3 == 1,
             "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3}
    if protocol == "cacheray":  # bytes that are no record may be one behind other bytes
        parts = {what: lambda n, k, t, f, wanted=wanted: k < 254 and wanted(n, k, t, f) for what, wanted in parts.items()}
        return {**parts, "annotations": lambda n, k, t, f: k in (2, 3)}
    if protocol == "ovni":
        return {**parts, "events": lambda n, k, t, f: k in (1, 2)}
    thread = Counter(t for t in table.column("xray.thread") if t).most_common(1)
    calls = zip(table.column("xray.function.id"), table.numbers("xray.kind"))
    function = Counter(f for f, k in calls if k in CALLS).most_common()[-1:]
    alone = lambda k: k != 22 and k < 253  # noqa: E731  what needs no record before it
    parts = {
        "calls": lambda n, k, t, f: k in CALLS,
        "thirds": lambda n, k, t, f: n % 3 == 1 and alone(k),
        "a window": lambda n, k, t, f: count // 3 < n < 2 * count // 3 and alone(k),
        "no first records": lambda n, k, t, f: k not in (0, 16, 18, 20, 23, 25) and alone(k),
        "first records": lambda n, k, t, f: k in (16, 20, 23),
        "events": lambda n, k, t, f: k in (21, 24),
        "damage": lambda n, k, t, f: k in (1, 2, 3, 254),
        "a thread": lambda n, k, t, f: thread and t == thread[0][0] and k < 253,
        "a function": lambda n, k, t, f: function and f == function[0][0] and k in CALLS,
    }
    for kind in (0, 16, 18, 20, 23):
        parts[f"all but kind {kind}"] = lambda n, k, t, f, kind=kind: k != kind and alone(k)
    return parts


def kept_fields(protocol):
    names = ["frame.number", *FRAME, *fields(protocol, OWN), *fields(protocol, CONTEXT)]
    return [n for n in dict.fromkeys(names) if n.split(".", 1)[1] not in PLACE[protocol].split()]


def save(path, out, kind, *select):
    code, _, error = run("tshark", "-n", "-r", path, *select, "-F", kind, "-w", out)
    return code, error


def by_thread(rows, names, protocol):
    """Rows without their numbers, thread by thread: their order among threads is not said where times are equal."""
    where = names.index(f"{protocol}.thread") if protocol == "xray" else names.index(KIND[protocol])
    threads = defaultdict(list)
    for row in rows:
        threads[row[where] if protocol == "xray" else ""].append(
            tuple(v for n, v in zip(names, row) if n not in LOOSE[protocol]))
    return threads


def check_part(path, protocol, table, what, chosen, rows):
    """All chosen records are among these rows, in their order, and what else is there is needed."""
    kind = table.names.index(KIND[protocol])
    want = by_thread([r for r in chosen if int(r[kind], 0) != 0 or protocol == "cacheray"], table.names, protocol)
    shown = by_thread(rows, table.names, protocol)
    at = [n for n in table.names if n not in LOOSE[protocol]]
    kind = at.index(KIND[protocol])
    for thread, rows in want.items():
        left = iter(rows)
        expected = next(left, None)
        for row in shown[thread]:
            if row == expected:
                expected = next(left, None)
            else:
                require(int(row[kind], 0) in NEEDED[protocol], f"{path.name}, {what}: unexpected record\n  {row}\n"
                        f"  expected {expected}\n  fields   {at}")
        require(expected is None, f"{path.name}, {what}: record is missing, or not as it was:\n  {expected}\n"
                f"  among {shown[thread][:4]}\n  fields {at}")


def selected(table, protocol, wanted):
    """The rows, and their numbers as ranges."""
    column = lambda name: table.column(name) if name in table.names else [""] * len(table.rows)  # noqa: E731
    cells = zip(table.rows, table.numbers(KIND[protocol]), column("xray.thread"), column("xray.function.id"))
    rows = [row for row, kind, thread, function in cells if wanted(int(row[0]), kind, thread, function)]
    numbers, ranges = [int(row[0]) for row in rows], []
    for n in numbers:
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    return rows, ranges


def save_part(file, out, kind, ranges):
    """By editcap, as it starts ten times as fast as tshark, which is asked where the ranges are too many for it."""
    if len(ranges) < EDITCAP_RANGES:
        code, _, error = run("editcap", "-F", kind, "-r", file, out, *(f"{a}-{b}" for a, b in ranges))
        return code, error
    return save_filtered(file, out, kind, ranges)


def save_filtered(file, out, kind, ranges):
    return save(file, out, kind, "-Y", "frame.number in {" + ", ".join(f"{a}..{b}" for a, b in ranges) + "}")


def rows_of(copies, names, folder):
    """What tshark shows of each file. Most go through one tshark, as exported records of one file (tshark.pdu compares
    those with what tshark shows directly); files with an end that cannot be read one by one."""
    shown, whole, counts = {}, [], []
    for copy in copies:
        code, out, _ = run("capinfos", "-T", "-r", "-M", "-c", copy)
        if code == 0:
            whole.append(copy)
            counts.append(int(out.rstrip("\n").split("\t")[-1]))
        else:
            shown[copy] = tshark(copy, names).rows
    if whole:
        together = folder / "together.pcapng"
        code, _, error = run("mergecap", "-a", "-F", "pcapng", "-w", together, *whole, prefix=("env", "WIRETRACE_PDU=1"))
        require(code == 0, error)
        rows = tshark(together, names).rows
        require(len(rows) == sum(counts), f"{len(rows)} records in the copies together, {sum(counts)} one by one")
        for copy, count in zip(whole, counts):
            shown[copy], rows = rows[:count], rows[count:]
    return shown


def inputs(path, folder):
    """The capture and its copy in the other byte order; of an ovni trace one stream."""
    if path.is_dir():
        file = event_files(path)[0]
        return [file]
    if protocol_of(str(path.relative_to(CAPTURES))) != "xray":
        return [path]
    big = folder / f"big-{path.name}"
    big.write_bytes(make.fdr.big_endian(path.read_bytes()))
    return [path, big]


# --- the checks -------------------------------------------------------------------------------------------------------
def check_whole(path, folder):
    kind = type_of(path)
    for file in inputs(path, folder):
        want = file.read_bytes()
        for program in ("tshark", "editcap", "mergecap", "reordercap", "pipe", "bridge"):
            copy = folder / f"copy-{program}"
            if program == "pipe":
                with open(copy, "wb") as out:
                    done = subprocess.run([CAPTURES.parent / "tools" / "run", "tshark", "-r", file, "-F", kind, "-w", "-"],
                                          stdout=out, stderr=subprocess.DEVNULL, timeout=900, check=False)
                code, error = done.returncode, ""
            elif program == "tshark":
                code, error = save(file, copy, kind, "-2")
            elif program == "reordercap":
                _, out, _ = run("capinfos", "-o", "-T", "-r", file)
                if "False" in out:  # times that go back: another order
                    continue
                code, _, error = run("reordercap", file, copy)
            elif program == "bridge":  # as exported records in pcapng, and back
                run("tshark", "-n", "-r", file, "-U", "Wiretrace", "-w", folder / "bridge.pcapng")
                code, error = save(folder / "bridge.pcapng", copy, kind)
            elif program == "mergecap":
                code, _, error = run("mergecap", "-F", kind, "-w", copy, file)
            else:
                code, _, error = run("editcap", "-F", kind, file, copy)
            require(copy.exists() and copy.read_bytes() == want, f"{file.name}: saved by {program}, not the same", code, error)


def llvm_calls(program, log):
    """The calls as llvm-xray sees them, None when it refuses the log."""
    done = subprocess.run([program, "convert", "-f", "yaml", log], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        return None
    calls = Counter()
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        m = re.search(r"func-id: (-?\d+),.* cpu: (\d+), thread: (\d+),.*kind: function-([a-z-]+), .*tsc: (\d+)", line)
        if m and m[4] in ("enter", "exit", "tail-exit", "enter-arg"):
            calls[m[1], m[2], m[3], m[4].replace("-arg", ""), m[5]] += 1
    return calls


def calls_of(names, rows):
    at = [names.index(f"xray.{n}") for n in ("function.id", "cpu", "thread", "kind", "tsc")]
    calls = ([row[i] for i in at] for row in rows)
    return Counter((f, cpu, thread, CALLS[int(kind)], tsc) for f, cpu, thread, kind, tsc in calls if int(kind) in CALLS)


def check_llvm(path, names, rows, what, copy, program):
    """llvm-xray reads the same calls; what it refuses of the original (damage, empty events) it may refuse of a part. Of
    calls alone it refuses nothing, but for the other byte order of flight data recorder logs."""
    calls = calls_of(names, rows)
    if not calls or path.name.startswith("big-"):
        return 0
    got = llvm_calls(program, copy)
    if got is None and what != "calls" and llvm_calls(program, path) is None:
        return 0
    require(got == calls, f"{path.name}, {what}: {program} reads", None if got is None else
            f"{sum(got.values())} calls, missing {list(calls - got)[:3]}, too many {list(got - calls)[:3]}")
    return 1


def llvm_programs():
    found = [shutil.which(p) for p in ["llvm-xray", *(f"llvm-xray-{n}" for n in range(11, 40))]]
    return sorted({os.path.realpath(p) for p in found if p})


def save_parts(path, file, folder):
    """Parts of the file by name: the rows that are in it, and the copy. Saved twice, it stays the same."""
    kind, protocol = type_of(path), protocol_of(str(path.relative_to(CAPTURES)))
    table, saved = tshark(file, kept_fields(protocol)), {}
    for what, wanted in parts_of(protocol, table).items():
        chosen, ranges = selected(table, protocol, wanted)
        if not chosen or (file.name.startswith("big-") and what not in OTHER_ORDER):
            continue
        place = folder / f"{file.name}-{len(saved)}"
        place.mkdir()
        copy, twice, filtered = place / ("thread.1" if "headerless" in str(path) else "part"), place / "twice", place / "filtered"
        code, error = save_part(file, copy, kind, ranges)
        require("can't be saved" not in error and copy.exists(), f"{file.name}, {what}: {code} {error}")
        run("editcap", "-F", kind, copy, twice)
        require(twice.read_bytes() == copy.read_bytes(), f"{file.name}, {what}: saved twice, not the same")
        if not saved:
            save_filtered(file, filtered, kind, ranges)
            require(filtered.read_bytes() == copy.read_bytes(), f"{file.name}, {what}: saved by tshark, not the same")
        saved[what] = chosen, copy
    return table, saved


def check_parts(path, folder):
    protocol = protocol_of(str(path.relative_to(CAPTURES)))
    programs = llvm_programs() if protocol == "xray" else []
    read = Counter()
    for file in inputs(path, folder):
        table, saved = save_parts(path, file, folder)
        rows = rows_of([copy for _, copy in saved.values()], table.names, folder)
        for i, (what, (chosen, copy)) in enumerate(saved.items()):
            check_part(file, protocol, table, what, chosen, rows[copy])
            for program in programs if what == "calls" else programs[i % max(len(programs), 1):][:1]:
                read[program] += check_llvm(file, table.names, chosen, what, copy, program)
    print(path.name, *(f"{count} parts read by {program}" for program, count in read.items()))


@functools.cache
def forgetful():
    """tshark 4.6 reads on after a record that a writer refuses, of any format, and the next one that it reads clears the
    reason. Its other programs know it."""
    return "(Wireshark) 4.6." in run("tshark", "--version")[1]


def says_why(reason, *command):
    code, _, error = run(*command)
    if forgetful() and command[0] == "tshark":
        reason = "An error occurred while writing"
    require(code != 0 and reason in error, " ".join(map(str, command)), "should say:", reason, "but:", code, error)


def check_refused(_path, folder):
    fdr, basic, ovni = CAPTURES / "xray/fdr-args.xray", CAPTURES / "xray/basic-args-deep.xray", CAPTURES / "ovni/v3-two-nodes"
    cpus, out = CAPTURES / "xray/fdr-cpus.xray", folder / "out"
    big = folder / "big.xray"
    big.write_bytes(make.fdr.big_endian(fdr.read_bytes()))
    write = ["-F", "xray-fdr"]
    def expect_refusal(reason, *command):
        """Nothing is left of what cannot be saved."""
        says_why(reason, *command)
        require(not out.exists(), " ".join(map(str, command)), "leaves a file of", out.exists() and out.stat().st_size, "bytes")

    expect_refusal("has been changed", "editcap", *write, "-t", "1", fdr, out)
    expect_refusal("has been changed", "editcap", "-F", "xray-basic", "-t", "-0.000001", basic, out)
    expect_refusal("has been shortened", "editcap", *write, "-s", "4", fdr, out)
    expect_refusal("has been shortened", "editcap", "-F", "cacheray", "-s", "4", CAPTURES / "cacheray/orders.trace", out)
    expect_refusal("save it with -F xray-basic", "tshark", "-r", basic, *write, "-w", out)
    expect_refusal("save it with -F xray-fdr", "tshark", "-r", fdr, "-F", "xray-basic", "-w", out)
    expect_refusal("byte orders", "mergecap", *write, "-w", out, fdr, big)
    expect_refusal("the XRay versions", "mergecap", *write, "-w", out, cpus, CAPTURES / "xray/fdr-cpus-v3.xray")
    expect_refusal("different headers or clocks", "mergecap", *write, "-w", out, fdr, CAPTURES / "xray/fdr-single.xray")
    expect_refusal("goes with the entry before it", "tshark", "-r", fdr, "-Y", "xray.kind == 22", *write, "-w", out)
    expect_refusal("goes with the entry before it", "tshark", "-r", CAPTURES / "xray/llvm-naive-with-arg1-entries.xray",
                   "-Y", "xray.kind == 22", "-F", "xray-basic", "-w", out)
    expect_refusal("no room for metadata", "tshark", "-r", entry(ovni), "-F", "ovni", "-w", out)
    expect_refusal("events of one thread", "tshark", "-r", entry(ovni), "-Y", "ovni.kind in {1, 2}", "-F", "ovni", "-w", out)
    with open(folder / "redirected", "wb") as redirected:  # by the shell, whose file it is
        subprocess.run([str(TOP / "tools" / "run"), "tshark", "-r", str(entry(ovni)), "-F", "ovni", "-w", "-"], check=False,
                       stdout=redirected, stderr=subprocess.DEVNULL)
    require((folder / "redirected").exists(), "the file of standard output is gone")
    expect_refusal("different layouts", "mergecap", "-F", "cacheray", "-w", out, CAPTURES / "cacheray/orders.trace",
                   CAPTURES / "cacheray/orders-be64.trace")
    code, _, error = run("editcap", "-F", "ovni-trace", entry(ovni), out)
    require(code != 0 and "doesn't support writing" in error, "ovni-trace can be written:", code, error)


def check_merged(_path, folder):
    for name in ("fdr-wrap", "fdr-cpus", "fdr-cpus-v1", "basic-threads"):
        path = CAPTURES / "xray" / f"{name}.xray"
        kind = type_of(path)
        table = tshark(path, kept_fields("xray"))
        calls = "xray.kind in {1, 2, 3, 4}"
        chosen = selected(table, "xray", lambda n, k, t, f: k in CALLS)[0]
        for how in ("pieces", "functions"):
            parts = sorted(folder.glob("part*"))
            for part in parts:
                part.unlink()
            if how == "pieces":  # one after the other in time
                run("tshark", "-r", path, "-Y", calls, "-F", kind, "-w", folder / "calls")
                run("editcap", "-F", kind, "-c", "10", folder / "calls", folder / "part")
            else:  # at the same time
                for rest in (0, 1):
                    code, error = save(path, folder / f"part{rest}", kind, "-Y", f"{calls} && xray.function.id % 2 == {rest}")
                    require(code == 0, error)
            parts = sorted(p for p in folder.glob("part*") if p.stat().st_size)
            code, _, error = run("mergecap", "-F", kind, "-w", folder / "merged", *parts)
            require(code == 0, f"{name}, {how}:", error)
            check_part(path, "xray", table, f"merged from {len(parts)} {how}", chosen,
                       tshark(folder / "merged", table.names).rows)


CHECKS = {"whole": check_whole, "parts": check_parts, "refused": check_refused, "merged": check_merged}


def main():
    args = arguments(__doc__, check={"choices": CHECKS}, captures={"nargs": "*", "help": "below captures/"})
    try:
        for name in args.captures or [""]:
            with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
                CHECKS[args.check](CAPTURES / name, Path(folder))
    except Failure as failure:
        sys.exit(f"{args.check}: {failure}")


if __name__ == "__main__":
    main()
