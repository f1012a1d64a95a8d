#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rooms are in order: no include goes up (tools/rooms.cmake), no files include each other in a circle (a source file and its header
count as one; the recorders are one room), no source files call each other in one, docs/architecture.md has each room, and each
dissector the files that it names.
"""
import graphlib
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
ROOTS = [TOP / "tools/recorders", TOP / "common", TOP / "plugins/epan", TOP / "plugins/wiretap", TOP / "plugins/extcap", TOP / "plugins"]


DEFINITION = re.compile(r"^(?!static|typedef)\w[\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
NO_CODE = re.compile(r'^#[^\n]*|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S | re.M)


def files(pattern):
    return [path for folder in ("common", "plugins", "tools/recorders") for path in (TOP / folder).rglob(pattern)]


def includes():
    """What each file includes, both without their ending."""
    graph = {}
    for file in files("*.[ch]"):
        own = graph.setdefault(file.with_suffix(""), set())
        for name in re.findall(r'^#include "(.+)"', file.read_text(encoding="utf-8"), re.M):
            own |= {(root / name).with_suffix("") for root in ROOTS if (root / name).exists()} - {file.with_suffix("")}
    return graph


def calls():
    """The source files whose functions each source file names."""
    texts = {file: NO_CODE.sub(" ", file.read_text(encoding="utf-8")) for file in files("*.c")}
    owners = {name: file for file, text in texts.items() for name in DEFINITION.findall(text)}
    return {file: {owners[name] for name in set(re.findall(r"\w+", text)) & set(owners)} - {file} for file, text in texts.items()}


def main():
    subprocess.run(["cmake", "-P", TOP / "tools/rooms.cmake"], check=True)
    for graph in (includes(), calls()):
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            sys.exit("a circle: " + " -> ".join(str(path.relative_to(TOP)) for path in reversed(error.args[1])))
    page = (TOP / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r'set\(WIRETRACE_ROOMS_\S+ (.+)\)', (TOP / "tools/rooms.cmake").read_text(encoding="utf-8"))
    missing = [room for row in rooms for room in row.replace('"', "").split() if room != "." and not re.search(rf"^ +{room}/ ", page, re.M)]
    if missing:
        sys.exit(f"docs/architecture.md does not name {' '.join(missing)}")
    table = page.partition("### The files of a dissector")[2].partition("| --- |")[2].partition("\n\n")[0]
    own = [name for row in re.findall(r"^\| (`.+?`) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)]
    wanted = [folder / f"{name}.c" for folder in (TOP / "plugins/epan").glob("*_dissector") for name in own]
    missing = [str(path.relative_to(TOP)) for path in wanted if not path.exists()]
    if missing or not wanted:
        sys.exit(f"files of a dissector that docs/architecture.md names: {' '.join(missing) or 'none'}")


if __name__ == "__main__":
    main()
