# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools and pages must know about a format that the program does not tell: one module for each, named like its protocol. The formats
are those in the list of protocols; a build with an overlay folder (WIRETRACE_OVERLAY in CMakeLists.txt) also has those of that folder.

  TITLE                      as pages call it
  STATISTICS, EXAMPLES       its statistics for -z: {name: (kind, meaning)}; examples of Wireshark's own for it

A format without a module has its name as title, and no statistics.
"""
import functools
import importlib
import os
import re
from pathlib import Path
from types import SimpleNamespace

TOP = Path(__file__).resolve().parent.parent.parent
DEFAULTS = {"STATISTICS": {}, "EXAMPLES": {}}


@functools.cache
def roots():
    """The tree, and the overlay folder of the build in use."""
    cache = Path(os.environ.get("WIRETRACE_BUILD") or TOP / "build") / "CMakeCache.txt"
    found = re.search(r"^WIRETRACE_OVERLAY:PATH=(.+)$", cache.read_text(), re.M) if cache.exists() else None
    return [TOP, TOP / found[1]] if found else [TOP]


def listed(path, word):
    """The names in a list of the C code."""
    rows = [re.findall(rf"^{word}\((\w+)\)", (root / path).read_text(), re.M) for root in roots()]
    return [name for names in rows for name in names]


def names():
    """All formats, in the order of the list of protocols."""
    return listed("plugins/epan/protocols.def", "PROTOCOL")


@functools.cache
def of(name):
    """The facts of one, with its NAME."""
    __path__[1:] = [str(root / "tools/facts") for root in roots()[1:]]
    there = any((Path(path) / f"{name}.py").exists() for path in __path__)
    module = importlib.import_module(f"{__name__}.{name}") if there else SimpleNamespace()
    for attribute, value in {**DEFAULTS, "TITLE": name, "NAME": name}.items():
        vars(module).setdefault(attribute, value)
    return module
