#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages name fields, preferences, statistics and values as the program has them.

usage: words.py --build DIR

Each name in backticks that begins with a protocol of ours must be a field, a preference, a statistic, or a table or list of
dissectors. A table whose first column is headed by a field, and the second by `number`, must have all values of that field.
"""
import argparse
import functools
import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "test"))
import formats  # noqa: E402


def tshark(*arguments):
    return subprocess.run([TOP / "tools/run", "tshark", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", check=True).stdout


@functools.cache
def report(name):
    """`tshark -G name` as rows of cells."""
    return [line.split("\t") for line in tshark("-G", name).split("\n")]


def known_names():
    names = {row[2] for row in report("fields") if len(row) > 2}
    names |= {row[0] for row in report("dissector-tables")}
    for source in (TOP / "plugins" / "epan").rglob("*.c"):  # lists without a dissector are not reported
        names |= set(re.findall(r'register_heur_dissector_list\w*\("([^"]+)"', source.read_text(encoding="utf-8")))
    names |= {m[1] for row in report("currentprefs") if (m := re.match(r"#?([a-z_]+\.[\w.]+):", row[0]))}
    return names | set(re.split(r"[,\s]+", tshark("-z", "help")))


def values_of(field):
    return {(row[3], row[2]) for row in report("values") if row[0] == "V" and row[1] == field}


def names_in(text, protocols):
    """Names of ours in backticks, but for those of files."""
    for code in re.findall(r"`([^`\n]+)`", text):
        for name in re.findall(rf"(?<![\w./-])((?:{protocols})\.[a-z_]+(?:\.[a-z_]+)*)(?![\w*/(-]|\.[A-Z*<])", code):
            if not re.search(rf"{re.escape(name)}(?:(?<=\.so)|\.(md|c|h|py|xray|trace|def|xml|lua|elf)\b)", code):
                yield name


def without_messages(text):
    """The page without the first column of tables of messages, which docs.messages looks at."""
    def rest(m):
        return m[1] + re.sub(r"^\|(?:[^|\\]|\\.)*", "|", m[2], flags=re.M)
    return re.sub(r"^(\| message \|.*\n\|[- |]+\n)((?:\|.*\n)+)", rest, text, flags=re.M)


def tables(text):
    """(field, its rows of word and number) of each table of values."""
    for m in re.finditer(r"^\| `([\w.]+)` \| number \|.*\n\|[- |:]+\n((?:\|.*\n)+)", text, re.M):
        yield m[1], set(re.findall(r"^\| `([^`]+)` \| (\d+) \|", m[2], re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    os.environ["WIRETRACE_BUILD"] = str(Path(parser.parse_args().build).resolve())
    protocols = "|".join([*formats.formats(), "wiretrace"])
    known, wrong, seen = known_names(), [], 0
    for page in [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))]:
        text = without_messages(page.read_text(encoding="utf-8"))
        names = set(names_in(text, protocols))
        wrong += [f"{page.relative_to(TOP)}: tshark knows no {name}" for name in sorted(names - known)]
        for field, rows in tables(text):
            if rows != (values := values_of(field)):
                wrong.append(f"{page.relative_to(TOP)}: values of {field}: {sorted(rows ^ values)} differ")
            seen += len(rows)
        seen += len(names)
    print("\n".join(wrong) or f"{seen} names and values")
    return 1 if wrong or seen < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
