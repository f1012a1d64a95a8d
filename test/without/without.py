#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds Wiretrace without each of its optional libraries, and without all of them: a message says what is lost, there are no
warnings, the tests of the replacements pass, and captures of all formats are shown completely except for that.

usage: without.py SOURCES BUILD COMPILER GENERATOR

BUILD is used for all of them in turn, so that only what depends on a library is compiled again. It may have been built with all
libraries.
"""
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from formats import Failure, require  # noqa: E402

# messages of CMake
JSON, ELF, DW, CXX = LIBRARIES = ("json-glib", "libelf", "libdw", "libsupc++")
WARNINGS = {
    JSON: "json-glib not found: ovni metadata files are shown, but process, thread and loom of ovni 1.11 and later stay unknown",
    ELF: "libelf not found: functions in XRay logs have numbers only, no names",
    DW: "libdw not found: accesses in Cacheray traces name no members of structs",
    CXX: "libsupc++ not found: names of C++ functions stay mangled",
}
# {libraries turned off: libraries not used then}: libdw is of no use without libelf
# Those without json-glib stand together: it has a folder of headers, which is an option of the compiler for all sources.
CASES = {(DW,): {DW}, (ELF,): {ELF, DW}, (CXX,): {CXX}, LIBRARIES: set(LIBRARIES), (JSON,): {JSON}}

# capture, records, preference, a field, the library that it needs, and the message in its place
HWC = "captures/ovni/v3-hwc/loom.vm.0/proc.10764/thread.10764/stream.json"
SHOWN = (
    ("captures/xray/fdr-args.xray", 433, "xray.binary:captures/xray/calls.elf", "xray.function.name", ELF,
     "There are no function names: built without libelf."),
    ("captures/cacheray/orders.trace", 958, "cacheray.binary:captures/cacheray/orders.elf", "cacheray.access.member", DW,
     "captures/cacheray/orders.elf: Wiretrace was built without libelf and libdw, so members and variables are not known"),
    (HWC, 15, None, "ovni.counter.name", JSON, None),
)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          check=False, **more)
    require(done.returncode == 0, *command, "\n", done.stdout[-8000:], done.stderr[-8000:])
    return done


def configure(sources, build, compiler, generator, off, lacking):
    done = run("cmake", "-S", sources, "-B", build, "-G", generator, f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None",
               "-DWIRETRACE_WERROR=ON", "-DWIRETRACE_TESTS=ON", "-DWIRETRACE_WITHOUT=" + ";".join(off))
    said = " ".join(done.stderr.split())
    for library, warning in WARNINGS.items():
        require((warning in said) == (library in lacking), "without", *off, "CMake says of", library, ":\n", done.stderr)


def compile_all(build, lacking):
    tests = [f"test_without_{library}" for library in sorted(lacking)]
    run("cmake", "--build", build, "--parallel", "2", "--target", "wiretrace", "wiretrace-files", *tests)
    return [build / "unit" / test for test in tests]


def linked(build):
    """Those of the optional libraries that the plugins use."""
    plugins = list((build / "plugins").glob("*/*/wiretrace*.so"))
    require(len(plugins) == 2, "there are", len(plugins), "plugins in", build)
    taken = "".join(run("objdump", "-p", plugin).stdout for plugin in plugins)
    names = {JSON: "libjson-glib-1.0.so", ELF: "libelf.so", DW: "libdw.so"}
    return {library for library, name in names.items() if name in taken}


def check_shown(sources, capture, records, option, field, library, words, lacking):
    tshark = [sources / "tools/run", "tshark", "-2", "-r", capture, "-T", "fields", "-e", "frame.number"]
    done = run(*tshark, cwd=sources)
    require(not done.stderr, capture, "is shown with the words", done.stderr)
    require(len(done.stdout.split()) == records, capture, "shows", len(done.stdout.split()), "records of", records)

    option = ["-o", option] if option else []
    rows = [row.split("\t") for row in run(*tshark, *option, "-e", field, "-e", "_ws.expert.message", cwd=sources).stdout.split("\n")[:-1]]
    values = [value for _, value, _ in rows if value]
    require(bool(values) == (library not in lacking), capture, "shows", len(values), "times", field)
    if words:
        told = any(words in message for _, _, message in rows)
        require(told == (library in lacking), capture, "is" if told else "is not", "shown with the words", words)
    if library == ELF and values:
        plain = "fib(int)" in " ".join(values)
        require(plain == (CXX not in lacking), "functions are named", *sorted(set(values)))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sources, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.environ["WIRETRACE_BUILD"] = str(build)
    if (build.parent / "wireshark-data").exists():  # of other tests, without names that take time to be read
        os.environ["WIRESHARK_DATA_DIR"] = str(build.parent / "wireshark-data")
    try:
        for off, lacking in CASES.items():
            configure(sources, build, *sys.argv[3:], off, lacking)
            tests = compile_all(build, lacking)
            require(not linked(build) & lacking, "without", *off, "the plugins take", *linked(build) & lacking)
            for test in tests:
                run(test, cwd=sources)
            for shown in SHOWN:
                check_shown(sources, *shown, lacking)
            print("without", *off, "-", len(tests), "tests pass,", len(SHOWN), "captures are shown")
    except Failure as failure:
        sys.exit(f"without: {failure}")


if __name__ == "__main__":
    main()
