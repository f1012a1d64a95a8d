#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that each format in the lists is covered by all tests, and that shared files name no format.

usage: complete.py [--build DIR]

A format needs captures of each of its file types, each with a golden table, damaged copies with expected results, records in
exported form for each row of the list, seeds and a fuzz target, a unit test, two pages and a MIME type.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import formats  # noqa: E402
from formats import TOP, Failure, require  # noqa: E402

SHARED = [*[f"common/{room}/*.[ch]" for room in ("analysis", "containers", "core", "program", "util")], "plugins/compat.h", "plugins/wiretap/*.[ch]",
          *[f"plugins/epan/{room}/*.[ch]" for room in ("dissector", "host", "picture", "showing")], "test/formats/__init__.py",
          "test/formats/complete.py", "test/formats/edits.py", "test/formats/seeds.py", "test/bad/make.py", "test/fuzz/corpus.py",
          "test/fuzz/every_byte.c", "test/fuzz/fuzz.[ch]", "test/fuzz/fuzz_exported.c", "test/fuzz/reading.[ch]", "test/tshark/check.py",
          "test/tshark/native.py", "test/tshark/pdu.py", "test/tshark/elastic.py", "tools/elastic-mapping", "tools/fields", "tools/facts/__init__.py",
          "tools/packaging/mime.xml.in"]


def check_closed(names):
    """No shared file contains the name of a format."""
    found, looked_at = [], 0
    for pattern in SHARED:
        files = sorted(TOP.glob(pattern))
        require(files, "there is no", pattern)
        for file in files:
            lines = file.read_text(encoding="utf-8").split("\n")
            found += [f"{file.relative_to(TOP)}:{i + 1}: {line.strip()}" for i, line in enumerate(lines)
                      if re.search(rf"(?<![a-z])({'|'.join(names)})(?![a-z])", line, re.I)]
        looked_at += len(files)
    require(not found, "what all formats share names one:\n ", "\n  ".join(found))
    return looked_at


def check_list(names, rows):
    """Each row of the list of formats belongs to a protocol."""
    for row in rows:
        require(any(row == name or row.startswith(name + "_") for name in names), "no protocol shows", row)
    for name in names:
        require(any(row == name or row.startswith(name + "_") for row in rows), "no row of the list of formats is one of", name)


def check_captures(f, root):
    mine = [name for name in formats.captures() if formats.of(name) is f]
    require(mine, "there is no capture of", f.NAME)
    lacking = [name for name in mine if not (root / f"test/tshark/golden/{name}.tsv").exists()]
    require(not lacking, "nothing says what is to be shown of", *lacking)
    types = {formats.file_type(name) for name in mine}
    require(types == set(f.FILE_TYPES.values()), f.NAME, "has captures of", *types, "but the types", *f.FILE_TYPES.values())


def check_damaged(f, root):
    lines = (root / "test/bad/expected.tsv").read_text(encoding="utf-8").split("\n")[1:-1]
    mine = {line.split("\t")[0] for line in lines if formats.of(line) is f}
    require(f.CASES and mine == set(f.CASES), f"{f.NAME}: damaged copies", *mine ^ set(f.CASES), "are only made or only expected")


def check_fuzzed(f, root, rows):
    mine = [row for row in rows if row.startswith(f.NAME)]
    exported = {row for row, *_ in f.exported()}
    require(exported & set(mine), f.NAME, "has no record in exported form")
    require(exported <= set(rows), f.NAME, "has records of rows that are in no list:", *exported - set(rows))
    require((root / f"test/fuzz/fuzz_{f.NAME}.c").exists(), f.NAME, "is not fuzzed")
    files = (path for path in (root / "captures" / f.NAME).rglob("*") if path.is_file())
    require(any(target == f.NAME for path in files for target, _ in f.seeds(path, path.read_bytes())), f.NAME, "has no seeds")


def check_files(f, root):
    require(list((root / "test/unit").glob(f"test_{f.NAME}*.c")), f.NAME, "has no unit test")
    for file in (f"docs/{f.NAME}.md", f"docs/formats/{f.NAME}.md", f"tools/packaging/mime/{f.NAME}.xml"):
        require((root / file).exists(), "there is no", file)


def check_registered(f):
    """The plugins in use know its fields and file types: it does not help if a list has it, but the plugins were built
    without it."""
    shown = subprocess.run([TOP / "tools/run", "tshark", "-G", "fields"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    require(f"\t{f.NAME}.offset\t" in shown, "tshark knows no field of", f.NAME)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("WIRETRACE_BUILD") or TOP / "build")
    os.environ["WIRETRACE_BUILD"] = str(Path(parser.parse_args().build).resolve())
    all_of_them, rows = formats.formats(), formats.listed("common/formats.def", "FORMAT")
    try:
        looked_at = check_closed(all_of_them)
        missing = [f"test/formats/{name}.py" for name in formats.facts.names() if name not in all_of_them]
        require(not missing, "tests leave a format out: there is no", *missing)
        check_list(all_of_them, rows)
        for f in all_of_them.values():
            root = formats.root_of(f.NAME)
            check_captures(f, root)
            check_damaged(f, root)
            check_fuzzed(f, root, rows)
            check_files(f, root)
            check_registered(f)
    except Failure as failure:
        sys.exit(f"formats: {failure}")
    print(*all_of_them, f"are reached; {looked_at} files name none of them")


if __name__ == "__main__":
    main()
