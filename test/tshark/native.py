#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Saves captures, completely and in parts, in their own format, and reads them again.

usage: native.py [--build DIR] whole|parts CAPTURE...
       native.py [--build DIR] refused|merged [FORMAT]

  whole    saved by tshark, editcap, mergecap and reordercap, into a pipe, and by way of pcapng: the same bytes
  parts    some of the records: the same values again, except positions; other records only if the format needs them;
           saved once more, the same bytes; other programs read them, if there are any
  refused  what cannot be saved is refused, and the message says why
  merged   traces cut into pieces and merged again

Details of each format are in test/formats; how records are rebuilt is left to the unit tests.
"""
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import FRAME, TOP, Failure, arguments, direct_form, event_files, fields, forgetful, formats, require, run, tshark  # noqa: E402

EDITCAP_RANGES = 500  # the limit is 512
OTHER_ORDER = {"calls", "a window", "first records", "annotations", "events"}  # parts also saved in the other byte order


def kept_fields(f):
    names = ["frame.number", *FRAME, *fields(f.NAME, f.OWN), *fields(f.NAME, f.CONTEXT)]
    return [n for n in dict.fromkeys(names) if n not in fields(f.NAME, f.PLACE)]


def save(path, out, kind, *select):
    code, _, error = run("tshark", "-n", "-r", path, *select, "-F", kind, "-w", out)
    return code, error


def by_thread(rows, names, f):
    """Rows without their numbers, by thread: the order of threads is undefined if times are equal."""
    threads = defaultdict(list)
    for row in rows:
        threads[row[names.index(f.THREAD)] if f.THREAD else ""].append(tuple(v for n, v in zip(names, row) if n not in f.LOOSE))
    return threads


def check_part(path, f, table, what, chosen, rows):
    """All chosen records are among these rows, in order, and everything else is needed."""
    kind = table.names.index(f.KIND)
    want = by_thread([r for r in chosen if int(r[kind], 0) not in f.HEADERS], table.names, f)
    shown = by_thread(rows, table.names, f)
    at = [n for n in table.names if n not in f.LOOSE]
    kind = at.index(f.KIND)
    for thread, rows in want.items():
        left = iter(rows)
        expected = next(left, None)
        for row in shown[thread]:
            if row == expected:
                expected = next(left, None)
            else:
                require(int(row[kind], 0) in f.NEEDED, f"{path.name}, {what}: unexpected record\n  {row}\n"
                        f"  expected {expected}\n  fields   {at}")
        require(expected is None, f"{path.name}, {what}: record is missing, or not as it was:\n  {expected}\n"
                f"  among {shown[thread][:4]}\n  fields {at}")


def selected(table, f, wanted):
    """The rows accepted by a predicate of number, kind, thread and function, and their numbers as ranges."""
    column = lambda name: table.column(name) if name else [""] * len(table.rows)  # noqa: E731
    cells = zip(table.rows, table.numbers(f.KIND), column(f.THREAD), column(f.FUNCTION))
    rows = [row for row, kind, thread, function in cells if wanted(int(row[0]), kind, thread, function)]
    numbers, ranges = [int(row[0]) for row in rows], []
    for n in numbers:
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    return rows, ranges


def save_part(file, out, kind, ranges):
    """With editcap, which starts ten times as fast as tshark; with tshark if there are too many ranges."""
    if len(ranges) < EDITCAP_RANGES:
        code, _, error = run("editcap", "-F", kind, "-r", file, out, *(f"{a}-{b}" for a, b in ranges))
        return code, error
    return save_filtered(file, out, kind, ranges)


def save_filtered(file, out, kind, ranges):
    return save(file, out, kind, "-Y", "frame.number in {" + ", ".join(f"{a}..{b}" for a, b in ranges) + "}")


def rows_of(copies, names, folder):
    """What tshark shows of each file. Most are read by a single tshark, as exported records in one file (pdu.py compares those with
    what tshark shows directly); files whose end cannot be read are read one by one."""
    _, out, error = run("capinfos", "-T", "-r", "-M", "-c", *copies)
    rows = (line.split("\t") for line in out.split("\n") if line)
    counts = {Path(path): int(count) for path, count in rows if f'"{path}"' not in error}
    shown = {copy: tshark(copy, names).rows for copy in copies if copy not in counts}
    if counts:
        together = folder / "together.pcapng"
        with direct_form():
            code, _, error = run("mergecap", "-a", "-F", "pcapng", "-w", together, *counts)
        require(code == 0, error)
        rows = tshark(together, names).rows
        require(len(rows) == sum(counts.values()), f"{len(rows)} records in the copies together, {sum(counts.values())} one by one")
        for copy, count in counts.items():
            shown[copy], rows = rows[:count], rows[count:]
    return shown


def inputs(path, folder):
    """The capture, and its copy in the other byte order; for a trace of many files a single stream."""
    swap = formats.of(formats.name_of(path)).big_endian
    if path.is_dir() or not swap:
        return event_files(path)[:1]
    big = folder / f"big-{path.name}"
    big.write_bytes(swap(path.read_bytes()))
    return [path, big]


# --- the checks -------------------------------------------------------------------------------------------------------
def check_whole(path, folder):
    kind = formats.file_type(formats.name_of(path))
    for file in inputs(path, folder):
        want = file.read_bytes()
        for program in ("tshark", "editcap", "mergecap", "reordercap", "pipe", "bridge"):
            copy = folder / f"copy-{program}"
            if program == "pipe":
                code, out, error = run("tshark", "-r", file, "-F", kind, "-w", "-")
                copy.write_bytes(out.encode("utf-8", "surrogateescape"))
            elif program == "tshark":
                code, error = save(file, copy, kind, "-2")
            elif program == "reordercap":
                _, out, _ = run("capinfos", "-o", "-T", "-r", file)
                if "False" in out:  # times go back, so reordercap would change the order
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


def save_parts(path, file, folder):
    """Parts of the file by name: their rows, and the copy. Saving a copy again does not change it."""
    name = formats.name_of(path)
    kind, f = formats.file_type(name), formats.of(name)
    table, saved = tshark(file, kept_fields(f)), {}
    for what, wanted in f.parts(table).items():
        chosen, ranges = selected(table, f, wanted)
        if not chosen or (file.name.startswith("big-") and what not in OTHER_ORDER):
            continue
        place = folder / f"{file.name}-{len(saved)}"
        place.mkdir()
        copy, twice, filtered = place / f.NAMED.get(name, "part"), place / "twice", place / "filtered"
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
    f = formats.of(formats.name_of(path))
    for file in inputs(path, folder):
        table, saved = save_parts(path, file, folder)
        require(saved or len(table.rows) < 3, file.name, "has none of the parts that are saved")
        rows = rows_of([copy for _, copy in saved.values()], table.names, folder)
        for what, (chosen, copy) in saved.items():
            check_part(file, f, table, what, chosen, rows[copy])
        read = f.also_read(file, table.names, saved)
        print(file.name, len(saved), "parts", *(f"{count} read by {program}" for program, count in read.items()))


def says_why(reason, *command):
    code, _, error = run(*command)
    if forgetful() and command[0] == "tshark":
        reason = "An error occurred while writing"
    require(code != 0 and reason in error, " ".join(map(str, command)), "should say:", reason, "but:", code, error)


def chosen_formats(name):
    return [f for f in formats.formats().values() if name in ("", f.NAME)]


def check_refused(name, folder):
    out = folder / "out"
    for f in chosen_formats(name):
        refused = 0
        for reason, command in f.refusals(formats.capture, folder, out):
            says_why(reason, *command)
            require(not out.exists(), " ".join(map(str, command)), "leaves a file of", out.exists() and out.stat().st_size, "bytes")
            if command[0] == "tshark":
                check_redirected(command, folder)
            refused += 1
        for kind, name in f.READ_ONLY.items():
            code, _, error = run("editcap", "-F", kind, event_files(formats.capture(name))[0], out)
            require(code != 0 and "doesn't support writing" in error, f"{kind} can be written:", code, error)
            refused += 1
        require(refused > 0, f.NAME, "refuses nothing")


def check_redirected(command, folder):
    """A file made by the shell is not removed."""
    with open(folder / "redirected", "wb") as redirected:
        subprocess.run([str(TOP / "tools" / "run"), *map(str, command[:-1]), "-"], check=False, stdout=redirected,
                       stderr=subprocess.DEVNULL)
    require((folder / "redirected").exists(), "the file of standard output is gone")


def check_merged(name, folder):
    for f in chosen_formats(name):
        for capture in f.MERGED["captures"] if f.MERGED else []:
            check_merged_again(f, formats.capture(capture), formats.file_type(capture), folder)


def check_merged_again(f, path, kind, folder):
    table, some = tshark(path, kept_fields(f)), f.MERGED["filter"]
    chosen = selected(table, f, f.MERGED["chosen"])[0]
    for how in ("pieces", "halves"):
        for part in folder.glob("part*"):
            part.unlink()
        if how == "pieces":  # one after the other in time
            run("tshark", "-r", path, "-Y", some, "-F", kind, "-w", folder / "some")
            run("editcap", "-F", kind, "-c", "10", folder / "some", folder / "part")
        else:  # at the same time
            for rest in (0, 1):
                code, error = save(path, folder / f"part{rest}", kind, "-Y", f"{some} && {f.MERGED['half'].format(rest)}")
                require(code == 0, error)
        parts = sorted(p for p in folder.glob("part*") if p.stat().st_size)
        code, _, error = run("mergecap", "-F", kind, "-w", folder / "merged", *parts)
        require(code == 0, f"{path.name}, {how}:", error)
        check_part(path, f, table, f"merged from {len(parts)} {how}", chosen, tshark(folder / "merged", table.names).rows)


CHECKS = {"whole": check_whole, "parts": check_parts, "refused": check_refused, "merged": check_merged}


def main():
    args = arguments(__doc__, check={"choices": CHECKS}, captures={"nargs": "*", "help": "below captures/, or a format"})
    try:
        for name in args.captures or [""]:
            with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
                CHECKS[args.check](formats.capture(name) if "/" in name else name, Path(folder))
    except Failure as failure:
        sys.exit(f"{args.check}: {failure}")


if __name__ == "__main__":
    main()
