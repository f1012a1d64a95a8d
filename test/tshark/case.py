#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands and compares what they print with what is kept: the rows of cases/GROUP.txt.

usage: case.py [--build DIR] [--update] GROUP...          --update writes golden/cases/GROUP again: look at the difference

A group runs in a folder of its own with the captures: xray/, cacheray/, ovni/, search/; tools/, docs/ and test/ of the tree; and build/. Its lines:

  NAME STATUS WHAT COMMAND...    a case; STATUS is the exit status (!: any but 0), WHAT one of
                                   =        it prints golden/cases/GROUP/NAME; lines of standard error begin with "! " there
                                   =CASE    it prints what that case does
                                   =FILE    on standard output it prints this file of the tree, as docs/fields.md
                                   ~REGEX   this is found on standard output
                                   TEXT     this is on standard error, once; with another status than 0 nothing is on standard output
                                   -TEXT    this is not on standard error
  WORD: COMMAND...               at the beginning of a command, WORD stands for these words
  $ COMMAND...                   a shell makes files that the cases after it read
  needs lua                      skipped (77) with a tshark without it

Words are those of a shell, without its variables. A word that names the folder of a trace stands for the file to open. A golden NAME@VERSION, as in
NAME@4.6, is that of one version of Wireshark.
"""
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import CAPTURES, GOLDEN, HERE, TOP, compare, require, run  # noqa: E402


def expanded(words, known):
    words = [*known.get(words[0], words[:1]), *words[1:]]
    return [check.entry(Path(word)) if re.match("ovni/", word) and Path(word).is_dir() else word for word in words]


def kept(group, name, text, update):
    """The golden of this version of Wireshark, written again if so asked."""
    path = GOLDEN / "cases" / group / name
    own = path.with_name(f"{name}@{'.'.join(map(str, check.wireshark_version()))}")
    path = own if own.exists() else path
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    require(path.exists(), "no golden file", path)
    return path.read_text(encoding="utf-8", errors="surrogateescape")


STAMP = re.compile(r"^ \*\* \(\w+:\d+\) [\d:.]+ ")  # program, process and time of a warning


def as_golden(out, error):
    return check.shortened(out + "".join(f"! {STAMP.sub('', line)}\n" for line in error.splitlines() if line))


def check_case(group, name, status, what, command, update):
    code, out, error = run(*command)
    require(code != 0 if status == "!" else code == int(status), "ends with", code, "instead of", status, error[-1000:])
    if what[0] == "=" and "/" in what:
        compare(what, (TOP / what[1:]).read_text(encoding="utf-8"), out)
    elif what[0] == "=":
        text = as_golden(out, error)
        compare("golden", kept(group, what[1:] or name, text, update and what == "="), text)
    elif what[0] == "~":
        require(re.search(what[1:], out), "does not print", what[1:], "but", out[-2000:])
    elif what[0] == "-":
        require(what[1:] not in error, "says:", error)
    else:
        require(error.count(what) == 1 and what not in out and (code == 0 or not out), "should say once:", what, "but:", error[-2000:], "and prints:", out[:200])


def links(folder):
    for place in (*(CAPTURES / name for name in ("xray", "cacheray", "ovni", "search")), TOP / "tools", TOP / "docs", TOP / "test"):
        (folder / place.name).symlink_to(place)
    (folder / "build").symlink_to(os.environ["WIRETRACE_BUILD"])


def rows(group):
    """(name, status, what, command) of each case; what stands between them is done on the way."""
    known = {}
    for line in (HERE / "cases" / f"{group}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            subprocess.run(["bash", "-euc", line[2:]], check=True)
        elif line == "needs lua":
            if "with Lua" not in run("tshark", "--version")[1].replace("\n", " "):
                check.skip("this tshark has no Lua")
        elif short := re.match(r"(\w+): (.+)", line):
            known[short[1]] = shlex.split(short[2])
        elif line and not line.startswith("#"):
            name, status, what, *command = shlex.split(line)
            yield name, status, what, expanded(command, known)


def check_group(group, update):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        links(Path(folder))
        names, failed = set(), []
        for name, status, what, command in rows(group):
            require(name not in names, "two cases are called", name)
            names.add(name)
            try:
                check_case(group, name, status, what, command, update)
            except check.Failure as failure:
                failed.append(f"{name}: {' '.join(map(str, command))} {failure}")
        require(names and not failed, len(names), "cases,", len(failed), "of them fail:\n" + "\n".join(failed))
    golden = {path.name.split("@")[0] for path in (GOLDEN / "cases" / group).glob("*")}
    require(golden <= names, "goldens without a case:", golden - names)
    print(f"{group}: {len(names)} cases")


def main():
    args = check.arguments(__doc__, __update={"action": "store_true"}, groups={"nargs": "+", "metavar": "GROUP"})
    check.for_each(lambda group: check_group(group, args.update), args.groups)


if __name__ == "__main__":
    main()
