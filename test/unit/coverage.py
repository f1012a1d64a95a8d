#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the lines of common/ that the unit tests ran.

usage: test/unit/coverage.py BUILD [--least PERCENT] [--lines]

BUILD: a build folder with WIRETRACE_COVERAGE whose unit tests have just run. Prints for each file of common/ how many of
its lines ran, those with the fewest first; --lines: which did not. The exit status is 1 if a file is below PERCENT (95).
Inline functions of a header count once, whoever includes it. Files that replace a missing library are not built here.
"""
import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

COMMON = Path(__file__).resolve().parent.parent.parent / "common"


def count(build):
    """file -> line -> how often it ran"""
    ran = defaultdict(lambda: defaultdict(int))
    notes = sorted(map(str, build.glob("test/CMakeFiles/*/**/common/**/*.gcno")))
    notes += sorted(map(str, build.glob("test/CMakeFiles/test_*.dir/unit/*.gcno")))  # they include headers, too
    result = subprocess.run(["gcov", "--json-format", "--stdout", *notes], capture_output=True, text=True)
    for line in result.stdout.splitlines():
        part = json.loads(line)
        for file in part["files"]:
            path = (Path(part["current_working_directory"]) / file["file"]).resolve()
            if COMMON in path.parents:
                for row in file["lines"]:
                    ran[path.relative_to(COMMON.parent)][row["line_number"]] += row["count"]
    return ran


def spans(numbers):
    """1-3,7"""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("--lines", action="store_true")
    args = parser.parse_args()
    rows, low = [], 0
    for path, lines in count(args.build).items():
        missed = sorted(number for number, times in lines.items() if not times)
        rows.append((100 * (len(lines) - len(missed)) / len(lines), len(lines), path, missed))
    if not rows:
        sys.exit("coverage.py: nothing was counted")
    for percent, lines, path, missed in sorted(rows):
        low += percent < args.least
        print(f"{path}: {percent:.1f} % of {lines} lines{' BELOW' if percent < args.least else ''}"
              f"{'; not ' + spans(missed) if args.lines and missed else ''}")
    total = sum(lines for _, lines, _, _ in rows)
    missed = sum(len(missed) for *_, missed in rows)
    print(f"common: {100 * (total - missed) / total:.1f} % of {total} lines in {len(rows)} files")
    sys.exit(low > 0)


if __name__ == "__main__":
    main()
