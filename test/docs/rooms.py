#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rooms are in order: no include goes up (tools/rooms.cmake), no files include each other in a circle, and docs/architecture.md has each.

The recorders are one room. A source file and its header count as one.
"""
import graphlib
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
ROOTS = [TOP / "tools/recorders", TOP / "common", TOP / "plugins/epan", TOP / "plugins/wiretap", TOP / "plugins"]


def includes():
    """What each file includes, both without their ending."""
    graph = {}
    for file in (path for folder in ("common", "plugins", "tools/recorders") for path in (TOP / folder).rglob("*.[ch]")):
        own = graph.setdefault(file.with_suffix(""), set())
        for name in re.findall(r'^#include "(.+)"', file.read_text(encoding="utf-8"), re.M):
            own |= {(root / name).with_suffix("") for root in ROOTS if (root / name).exists()} - {file.with_suffix("")}
    return graph


def main():
    subprocess.run(["cmake", "-P", TOP / "tools/rooms.cmake"], check=True)
    try:
        graphlib.TopologicalSorter(includes()).prepare()
    except graphlib.CycleError as error:
        sys.exit("a circle: " + " -> ".join(str(path.relative_to(TOP)) for path in reversed(error.args[1])))
    page = (TOP / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r'set\(WIRETRACE_ROOMS_\S+ (.+)\)', (TOP / "tools/rooms.cmake").read_text(encoding="utf-8"))
    missing = [room for row in rooms for room in row.replace('"', "").split() if room != "." and not re.search(rf"^ +{room}/ ", page, re.M)]
    if missing:
        sys.exit(f"docs/architecture.md does not name {' '.join(missing)}")


if __name__ == "__main__":
    main()
