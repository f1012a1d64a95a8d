#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Self times of functions in a program with exceptions, longjmp and coroutines (programs/unwinding.cpp), as -z xray,account shows them
and as the program has measured them itself.

usage: unwinding.py [--build DIR]

Exit status 77: skipped, clang or its XRay runtime is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import llvm  # noqa: E402
from check import Failure, arguments, require, statistic  # noqa: E402
from tables import of_csv  # noqa: E402

NAMES = {"through5<1>": "last5", **{f"through5<{n}>": "odd5" if n % 2 else "even5" for n in range(2, 6)}}
SLACK_NS = 40000  # for what the kernel and the unwinder take
STACKS = ("catcher2;after2", "catcher1;thrower1 [unwound]", "catcher2;thrower2 [unwound?];inner2", "catcher5;after5", "outer3;after2", "outer3;middle3 [unwound?];cleanup",
          "outer3;middle3 [unwound];inner3 [unwound]", "outer3;middle3 [unwound?];inner3 [unwound?];inner2", "setter;after5",
          "setter;between [unwound];after2", "setter;between [unwound?];jumper [unwound?];inner2", "reader;parser [unwound?];token",
          "resume;generator [unwound?];yields [unwound?];inner2", "catcher6;thrower6 [unwound?];once")
SURE = {"catcher1", "thrower1"}  # nothing that could be the catcher's was called before the exception


def short(name):
    name, mark = re.fullmatch(r"(?:void )?(.*?)(?:\([^)]*\))?( \[unwound\??\])?", name).groups()
    return NAMES.get(name, name) + (mark or "")


def run_program(folder, *how):
    """Returns the log, and name -> self time measured, None where a log cannot tell."""
    done = subprocess.run([folder / "unwinding", *how, folder / "map"], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True)
    logs = list(folder.glob("xray-log.unwinding.*"))
    require(len(logs) == 1, "logs:", logs)
    measured = dict(line.split() for line in done.stdout.splitlines())
    return logs[0], {name: None if ns == "?" else int(ns) for name, ns in measured.items()}


def check_times(what, rows, measured):
    shown, unsure = defaultdict(int), set()
    for row in rows:
        shown[short(row["function"])] += int(row["self_ns"])
        if int(row["unsure"]):
            unsure.add(short(row["function"]))
    for name, want in measured.items():
        if want is None:
            require(name in unsure, what, "self time of", name, "is unsure, and not marked")
        else:
            require(abs(shown[name] - want) <= want / 10 + SLACK_NS, what, "self time of", name, "is", shown[name], "instead of", want)
    left = {short(row["function"]): int(row["unwound"]) for row in rows if int(row["unwound"])}
    require(left.get("thrower1") == 5 and left.get("last5") == 2 and left.get("parser") == 1 and "catcher1" not in left,
            what, "calls without an exit:", left)
    require(not unsure & SURE, what, "unsure:", unsure)


def check_log(what, log, program, measured):
    options = ["-o", f"xray.binary:{program}"]
    tables = []
    for passes in ([], ["-2"]):
        names, rows = of_csv(statistic(log, "xray,account,csv", *options, *passes))
        tables.append([dict(zip(names, row)) for row in rows])
        stacks = statistic(log, "xray,stacks", *options, *passes)
        found = {";".join(short(f) for f in re.sub(r" \d+$", "", line).split(";")) for line in stacks.splitlines()}
        require(set(STACKS) <= found, what, passes, "stacks that are missing:", set(STACKS) - found)
    require(tables[0] == tables[1], what, "one pass and two differ")
    check_times(what, tables[0], measured)


def main():
    arguments(__doc__)
    if not shutil.which("clang++"):
        llvm.skip("clang++ is not installed (Debian: tools/packages checks)")
    os.environ["XRAY_OPTIONS"] = "patch_premain=false"
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        program = llvm.compile_program("unwinding", Path(folder), Path(__file__).resolve().parent / "programs")
        for attempt in range(3):  # another process may take the time of a function
            try:
                for log in Path(folder).glob("xray-log.*"):
                    log.unlink()
                log, measured = run_program(Path(folder), "xray-fdr", "func_duration_threshold_us=0 buffer_max=2000 buffer_size=65536")
                check_log("FDR", log, program, measured)
                return
            except Failure as failure:
                if attempt == 2:
                    sys.exit(f"unwinding: {failure}")


if __name__ == "__main__":
    main()
