#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Structs whose members are moved, of programs that are compiled and recorded here: by each compiler that is installed.

usage: moved.py [--build DIR] diff|proposals

diff       the struct has changed between two builds: cacheray,diff with the program of each, at fixed addresses and position-independent
proposals  of cacheray,whatif: each line is accepted, gains what it promises, and is the layout that the compiler makes of that order
Exit status 77: skipped, no compiler is installed.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, require, run  # noqa: E402
from recorders import RECORDERS, SOURCES, STRICT, compilers, must, plus, recorder  # noqa: E402
from tables import of_csv  # noqa: E402


def linked(compiler, folder, source, *options, pie=False):
    """The program, linked with the recorder."""
    folder.mkdir(parents=True)
    program = folder / source.stem
    command = plus(compiler) if source.suffix == ".cpp" else compiler
    must(command, *STRICT, "-g", "-O0", "-fPIE", "-fsanitize=thread", f"-I{RECORDERS}", *options, "-c", source, "-o", folder / "program.o")
    must(command, "-pie" if pie else "-no-pie", "-rdynamic", folder / "program.o", recorder(compiler, "cacheray"), "-o", program)
    return program


def trace_of(program):
    """The trace of a run, and what it has printed."""
    done = subprocess.run([program], cwd=program.parent, capture_output=True, encoding="utf-8", timeout=60, check=False)
    require(done.returncode == 0, program, "ends with", done.returncode, done.stderr)
    return program.with_suffix(".trace"), done.stdout.strip()


# --- comparisons -------------------------------------------------------------------------------------------------------
BOTH, BIASES = "cacheray.binary is used for both traces", "cacheray.load_bias is used for both traces"


def compared(trace, words, *options, status=0):
    """(type, member) -> accesses before and after, and what is on the terminal."""
    code, out, error = run("tshark", "-n", "-q", "-r", trace, *options, "-z", f"cacheray,diff,csv,{words}")
    require(code == status, words, "ends with", code, error)
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
            wanted = ((("struct.thing", "hot"), ("1000", "1000")), (("struct.thing", "cold"), ("1", "1")),
                      (("variable one", "hot"), ("1000", "1000")), (("variable one", "cold"), ("1", "1")), (("variable table", ""), ("1", "1")))
            found, error = compared(after, before)  # their objects are beside them
            require(all(found.get(key) == want for key, want in wanted) and not error, compiler, "PIE" if pie else "", "has", found, error)
            for trace in before, after:
                trace.with_name(f"{trace.name}.objects").unlink()
            options = ["-o", f"cacheray.binary:{new}", *(["-o", f"cacheray.load_bias:{new_bias}"] if pie else [])]
            own_bias = f"load_bias:{bias}," if pie else ""
            found, error = compared(after, f"binary:{old},{own_bias}{before}", *options)
            for key, want in wanted:
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
                found, error = compared(after, f"binary:{old},load_bias:1000,{before}", *options, status=2)
                require(found["variable one", "hot"] == ("1000", "1000") and "the load bias is not used" in error, found, error)
    found, error = compared(after, f"binary:{scratch / 'none'},{before}", *options, status=2)
    require(f"{scratch / 'none'}: No such file or directory, so members and variables are not known" in error and BOTH not in error, error)
    found, error = compared(after, f"load_bias:1000,{before}")
    require("load_bias:HEX is not used" in error and BOTH not in error, error)
    print("compared, each with its program")


# --- proposals ---------------------------------------------------------------------------------------------------------
MEASURES = {"contended accesses": "contended", "missed level 1": "missed_level_1", "missed all levels": "missed_all_levels"}
NEEDED = {"derived": "struct base { virtual ~base() = default; int b1 = 0; };"}


def what_if(trace, *options):
    """What is printed, and the sums of the table by column."""
    code, text, error = run("tshark", "-n", "-q", "-r", trace, *options, "-z", "cacheray,whatif")
    require(code == 0 and not error, error)
    _, table, _ = run("tshark", "-n", "-q", "-r", trace, *options, "-z", "cacheray,whatif,csv")
    names, rows = of_csv(table)
    return text, dict(zip(names, rows[-1]))


def proposed(text):
    """(struct, member -> offset, comments, line)"""
    for block in text.split("Proposals, as a file for cacheray.remap:\n")[1].split("\n\n"):
        line = re.search("^struct (.*)=(.*)$", block, re.M)
        if line:
            yield line[1], {k: int(v) for k, v in (item.split(",") for item in line[2].split(";"))}, block[:line.start()], line[0]


def declarations(source, name):
    """The lines of a struct: what is before its members, and the text of each member by all names in it."""
    head, body = re.search(rf"^struct ([^\n;]*\b{name}\b[^\n;]*) \{{\n(.*?)^\}}", source, re.S | re.M).groups()
    members, depth, whole = {}, 0, ""
    for line in body.splitlines():
        whole, depth = whole + line + "\n", depth + line.count("{") - line.count("}") - 2 * line.count("{}")  # of "= {}"
        depth += line.count("{}") * 2
        if depth == 0:
            for word in re.findall(r"(\w+)(?:\[\d+\])?(?: : \d+)?(?: = [^;]*)?;", whole):
                members[word] = whole
            whole = ""
    return head, members


def by_compiler(compiler, folder, source, name, offsets, comments):
    """The offsets that the compiler gives the members in the order that is proposed."""
    head, members = declarations(source, name.split("::")[-1])
    whole, order = re.search(r"^# (?:with alignas\((\d+)\), )?in this order: (.*)$", comments, re.M).groups()
    text, written = "", set()
    for item in order.split(", "):
        align, names = re.fullmatch(r"(alignas\(\d+\) )?(\S+)", item).groups()
        for word in names.split("|"):
            if members[word] not in written:
                text += (align or "") + members[word]
                written.add(members[word])
                align = None
    checks = "".join(f"static_assert(offsetof(s, {member}) == {at}, \"{member}\");\n" for member, at in offsets.items()
                     if member not in ("sizeof", "alignof") and " : " not in members[member])
    file = folder / "order.cpp"
    head = re.sub(rf"\b{name.split('::')[-1]}\b", "s", head)
    file.write_text(f"#include <cstddef>\n{NEEDED.get(name, '')}\nstruct __attribute__((aligned({whole or 1}))) {head} {{\n{text}}};\n{checks}"
                    f"static_assert(sizeof(s) == {offsets['sizeof']}, \"size\");\n"
                    + (f"static_assert(alignof(s) == {offsets['alignof']}, \"alignment\");\n" if "alignof" in offsets else ""), encoding="utf-8")
    must(plus(compiler), "-std=c++17", "-Wno-invalid-offsetof", "-Wno-return-type", "-c", file, "-o", folder / "order.o")


def check_proposals(compiler, scratch, name, options, least):
    source = SOURCES / name
    program = linked(compiler, scratch, source, "-std=c++17", "-pthread")
    trace, _ = trace_of(program)
    options = ["-o", f"cacheray.binary:{program}", *options]
    text, before = what_if(trace, *options)
    found, file, last = list(proposed(text)), scratch / "remap", None
    structs = {struct for struct, *_ in found}
    require(structs >= least and len(structs) == len(found), compiler, "proposes", structs, text)
    require(not any(struct.startswith("std::") for struct in structs), structs)
    for struct, offsets, comments, line in found:
        file.write_text(line + "\n", encoding="utf-8")
        _, after = what_if(trace, *options, "-o", f"cacheray.remap:{file}")
        gain = 0
        for words, column in MEASURES.items():
            was, now = before[f"{column}_before"], after[f"{column}_after"]
            told = re.search(rf"^# {words}: (\d+) instead of (\d+)$", comments, re.M)
            require(told and (told[1], told[2]) == (now, was) if was != now else not told, compiler, struct, words, was, now, "in", comments)
            gain += int(was or 0) - int(now or 0)
        lines = re.search(r"^# cache lines: (\d+) instead of (\d+)$", comments, re.M)
        gain += int(lines[2]) - int(lines[1]) if lines else 0
        require(gain > 0 and (last is None or gain <= last), compiler, struct, "gains", gain, "after", last)
        last = gain
        by_compiler(compiler, scratch, source.read_text(encoding="utf-8"), struct, offsets, comments)
    file.write_text("\n".join(line for *_, line in found) + "\nstruct nobody=a,1\n", encoding="utf-8")  # all, and a wrong line
    code, _, error = run("tshark", "-n", "-q", "-r", trace, *options, "-o", f"cacheray.remap:{file}", "-z", "cacheray,whatif")
    require(code == 2 and error.count("this line is not used") == 1 and f"line {len(found) + 1}: struct nobody" in error, error)
    return structs, text


def test_proposals(scratch):
    caches = ["-o", f"cacheray.caches:{Path(__file__).parent / 'simulator/threads.json'}"]
    for compiler in compilers():
        all_ = set()
        for i, options in enumerate(([], caches)):
            structs, text = check_proposals(compiler, scratch / f"{compiler}{i}", "shapes.cpp", options, {"gaps"})
            require("types of the C++ or C library" in text, text)
            all_ |= structs
        require(all_ >= {"gaps", "flags", "nested", "dense"} and ("derived" in all_ or "clang" in compiler), compiler, all_)
        require(check_proposals(compiler, scratch / f"{compiler}n", "names.cpp", [], {"shop::book"})[0] == {"shop::book"}, "the name is wrong")
    print("proposed, accepted and compiled")


def main():
    args = arguments(__doc__, test={"choices": ("diff", "proposals")})
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"test_{args.test}"](Path(folder))


if __name__ == "__main__":
    main()
