#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The names of tools/wiretrace are those of statistics, and ask what docs/cookbook.md asks.

usage: asked.py

Where the cookbook has a command with the statistic of a name, one of the questions with such a command is that of the name. Names for all
formats have the statistic of each. The summary of each format has three answers, beside those that are in place of an empty one.
"""
import collections
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tools"))
import facts  # noqa: E402

WIRESHARK = {"expert"}  # its own statistics


def listed():
    out = subprocess.run([TOP / "tools" / "wiretrace", "--list"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def cookbook():
    """(question, what follows -z in its command) of each."""
    page = (TOP / "docs" / "cookbook.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*(.+?\?)\*\*(?:(?!^\*\*)[^`]|`[^`]+`)*?```sh\n(?:(?!```)[^\0])*?-z[\s\\]+'?([\w.,:]+)", page, re.M)


def begins(statistic, command):
    return re.match(rf"{re.escape(statistic)}(,|$)", command) is not None


def problems_of(name, protocol, statistic, question, questions, known):
    found = [f"{name}: there is no statistic {statistic}"] if not any(begins(s, statistic) for s in known) else []
    asked = [q for q, command in questions if begins(statistic, command)]
    if asked and question not in asked:
        found.append(f"{name} ({protocol}): {question}; the cookbook asks: {' '.join(asked)}")
    return found


def main():
    questions, formats = cookbook(), {name: facts.of(name) for name in facts.names()}
    known = {s for f in formats.values() for s in f.STATISTICS} | WIRESHARK
    wrong, summary = [], collections.Counter()
    for name, protocol, statistic, shown, question in listed():
        summary[protocol] += shown != "-" and not shown.startswith("none,")
        statistic = re.sub(",[^,]*==.*", "", statistic)  # without its filter
        every = list(formats) if "@" in statistic else [protocol]
        for of in every * (statistic != "-"):
            wrong += problems_of(name, of, statistic.replace("@", of), question, questions, known)
    wrong += [f"the summary of {name} has {summary[name]} answers" for name in formats if summary[name] != 3]
    print("\n".join(wrong) or f"{len(listed())} names, {len(questions)} questions of the cookbook")
    return 1 if wrong or len(questions) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
