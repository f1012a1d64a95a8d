#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Structs whose members are moved, of programs that are compiled and recorded here: by each compiler that is installed.

usage: moved.py [--build DIR] diff

diff       the struct has changed between two builds: cacheray,diff with the program of each, at fixed addresses and position-independent
Exit status 77: skipped, no compiler is installed.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, require, run  # noqa: E402
from recorders import COMPILERS, RECORDERS, SOURCES, STRICT, must, plus, skip  # noqa: E402
from tables import of_csv  # noqa: E402


def compilers():
    return [c for c in COMPILERS if shutil.which(c) and shutil.which(plus(c))] or skip("no compiler is installed")


def linked(compiler, folder, source, *options, pie=False):
    """The program, linked with the recorder."""
    folder.mkdir(parents=True)
    recorder, program = folder / "recorder.o", folder / source.stem
    must(compiler, "-O2", "-c", RECORDERS / "cacheray.c", "-o", recorder)
    command = plus(compiler) if source.suffix == ".cpp" else compiler
    must(command, *STRICT, "-g", "-O0", "-fPIE", "-fsanitize=thread", f"-I{RECORDERS}", *options, "-c", source, "-o", folder / "program.o")
    must(command, "-pie" if pie else "-no-pie", "-rdynamic", folder / "program.o", recorder, "-o", program)
    return program


def trace_of(program):
    """The trace of a run, and what it has printed."""
    done = subprocess.run([program], cwd=program.parent, capture_output=True, encoding="utf-8", timeout=60, check=False)
    require(done.returncode == 0, program, "ends with", done.returncode, done.stderr)
    return program.with_suffix(".trace"), done.stdout.strip()


# --- comparisons -------------------------------------------------------------------------------------------------------
BOTH, BIASES = "cacheray.binary is used for both traces", "cacheray.load_bias is used for both traces"


def compared(trace, words, *options):
    """(type, member) -> accesses before and after, and what is on the terminal."""
    code, out, error = run("tshark", "-n", "-q", "-r", trace, *options, "-z", f"cacheray,diff,csv,{words}")
    require(code == 0, words, error)
    names, rows = of_csv(out)
    at = [names.index(name) for name in ("type", "member", "accesses_before", "accesses_after")]
    return {(row[at[0]], row[at[1]]): (row[at[2]], row[at[3]]) for row in rows}, error


def test_diff(scratch):
    for compiler in compilers():
        for pie in (False, True):
            sides = []
            for moved in ([], ["-DMOVED"]):
                program = linked(compiler, scratch / f"{compiler}{pie}{len(moved)}", SOURCES / "hot.c", *moved, pie=pie)
                sides.append((program, *trace_of(program)))
            (old, before, bias), (new, after, new_bias) = sides
            options = ["-o", f"cacheray.binary:{new}", *(["-o", f"cacheray.load_bias:{new_bias}"] if pie else [])]
            own_bias = f"load_bias:{bias}," if pie else ""
            found, error = compared(after, f"binary:{old},{own_bias}{before}", *options)
            for key, want in ((("struct.thing", "hot"), ("1000", "1000")), (("struct.thing", "cold"), ("1", "1")),
                              (("variable one", "hot"), ("1000", "1000")), (("variable one", "cold"), ("1", "1")),
                              (("variable table", ""), ("1", "1"))):
                require(found.get(key) == want, compiler, "PIE" if pie else "", key, "is", found.get(key), "in", found)
            require(not error, error)
            found, error = compared(after, before, *options)  # one program for both is reported
            require(found["struct.thing", "hot"] == ("1", "1000") and BOTH in error and (BIASES not in error or pie), found, error)
            if pie:
                found, error = compared(after, f"binary:{old},{before}", *options)
                require("variable one" not in {k[0] for k, v in found.items() if v[0] != "0"} and "without load_bias:HEX" in error, found, error)
                found, error = compared(before, before, "-o", f"cacheray.binary:{old}", "-o", f"cacheray.load_bias:{bias}")
                require(BOTH in error and BIASES in error, error)
            else:
                found, error = compared(after, f"binary:{old},load_bias:1000,{before}", *options)
                require(found["variable one", "hot"] == ("1000", "1000") and "the load bias is not used" in error, found, error)
    found, error = compared(after, f"binary:{scratch / 'none'},{before}", *options)
    require(f"{scratch / 'none'}: No such file or directory, so members and variables are not known" in error and BOTH not in error, error)
    found, error = compared(after, f"load_bias:1000,{before}")
    require("load_bias:HEX is not used" in error and BOTH not in error, error)
    print("compared, each with its program")


def main():
    args = arguments(__doc__, test={"choices": ("diff",)})
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"test_{args.test}"](Path(folder))


if __name__ == "__main__":
    main()
