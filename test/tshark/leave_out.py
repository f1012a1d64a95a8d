#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/examples/leave-out.sql takes for a waste is what was planted, and without it the log is as much smaller as it says.

usage: leave_out.py [--build DIR]

test/recorded/tiny.cpp is recorded by each clang, built again with the list of functions that it prints, and recorded again. The records of both logs
are counted by the reader of xray_recorder.py. Exit status 77: skipped, clang, its XRay runtime or DuckDB is missing.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import npm  # noqa: E402
from check import TOP, Failure, arguments, require, run, skip  # noqa: E402
from recorders import SOURCES, build, clangs, plus, recorded, recorder  # noqa: E402
from xray_recorder import read_log  # noqa: E402

THREADS, COUNT = 2, 20000
STEPS = THREADS * COUNT
# How often each of the tiny ones is called in a step; clang links a constructor by either of two names
TINY = {"plain": 1, "_ZL6hiddenl": 1, "_ZN12_GLOBAL__N_18namelessEl": 1, "_Z7of_typeIsEvT_": 1, "_ZN4pairC{}Ell": 1, "_ZN5pointC{}El": 2, "_ZN5pointD{}Ev": 2,
        "_ZNK5point3getEv": 1, "_ZNK5pointltERKS_": 1, "_ZNK3$_0clEl": 1}
INSTRUMENT = ["-std=c++17", "-O1", "-fxray-instrument", "-fxray-instruction-threshold=1"]


def made(clang, folder, *options):
    """The log of a run."""
    program = folder / "tiny"
    problem = build(plus(clang), *INSTRUMENT, *options, SOURCES / "tiny.cpp", recorder(clang, "xray"), "-lpthread", "-o", program)
    if problem and "libclang_rt.xray" in problem:
        skip(f"{clang} has no XRay runtime here:", problem.strip()[-300:])
    require(problem is None, clang, problem)
    log = folder / f"xray-log.tiny.{len(options)}"
    recorded(program, str(THREADS), str(COUNT), settings=f"file={log.name}")
    return log


def counted(log):
    """Records of calls, without what begins a buffer, as the file has them."""
    return sum(len(records) for records in read_log(log).values())


def listed(log, folder, programs):
    """The table that DuckDB prints, the functions of its list, and how many records that leaves; the commands are those of docs/questions.md."""
    code, out, error = run("tshark", "-q", "-r", log, "-o", f"xray.binary:{folder / 'tiny'}", "-o", "xray.names:mangled", "-z",
                           "xray,account,csv,columns:function,calls,median,self,unwound")
    require(code == 0, log, error)
    (folder / "account.csv").write_text(out, encoding="utf-8")
    done = subprocess.run(["duckdb", "-csv", "-c", (TOP / "docs/examples/leave-out.sql").read_text(encoding="utf-8")], cwd=folder, check=False,
                          env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, capture_output=True, text=True)
    require(done.returncode == 0, "duckdb:", done.stderr)
    lines = (folder / "never.txt").read_text(encoding="utf-8").splitlines()
    foretold = re.fullmatch(r"# leaves (\d+) of (\d+) records of calls", lines[0])
    require(foretold and lines[1] == "[never]", lines)
    names = [line.removeprefix("fun:") for line in lines[2:] if not line.startswith("#")]
    return list(csv.DictReader(io.StringIO(done.stdout))), names, int(foretold[1])


def check_table(rows):
    """What was planted, and nothing else."""
    planted = {name.format(variant): 2 * STEPS * times for name, times in TINY.items() for variant in (1, 2)}
    for row in rows:
        require((row["never"] == "true") == (row["function"] in planted), "planted is", planted, "and found", row)
        require(int(row["records"]) == planted.get(row["function"], int(row["records"])), "records are", planted, "and found", row)
    require(sum(int(row["records"]) for row in rows if row["never"] == "true") == 2 * STEPS * sum(TINY.values()), rows)


def check(clang, folder, programs):
    folder.mkdir()
    before = made(clang, folder)
    rows, names, foretold = listed(before, folder, programs)
    check_table(rows)
    wanted = {name.replace("$", "*").format(variant) for name in TINY for variant in (1, 2)}
    require(set(names) == wanted, "listed are", names, "instead of", wanted)
    after = made(clang, folder, f"-fxray-attr-list={folder / 'never.txt'}")
    records, left = counted(before), counted(after)
    require(left == foretold == records - 2 * STEPS * sum(TINY.values()), clang, "has", left, "records instead of", foretold, "of", records)
    bytes_foretold = before.stat().st_size * foretold / records
    require(abs(after.stat().st_size - bytes_foretold) < 0.1 * bytes_foretold, clang, "has", after.stat().st_size, "bytes instead of", bytes_foretold)
    print(f"{clang}: {records} records, then {left}, foretold {foretold}; {before.stat().st_size} bytes, then {after.stat().st_size}")


def main():
    arguments(__doc__)
    if not clangs():
        skip("clang is not installed")
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as scratch:
        programs = Path(scratch) / "programs"
        programs.mkdir()
        try:
            npm.make_duckdb(programs)
        except npm.Missing as missing:
            skip(missing)
        try:
            for clang in clangs():
                check(clang, Path(scratch) / clang, programs)
        except Failure as failure:
            sys.exit(f"leave_out: {failure}")


if __name__ == "__main__":
    main()
