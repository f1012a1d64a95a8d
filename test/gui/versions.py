#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where entries are in the menus of each version of Wireshark that the tests drive. In another version they are skipped: look at
its menus and windows first, then give it a row here.

test/gui/versions.py                   for scripts: prints the version, e.g. 4.0; 77: skipped, as it is not known
test/gui/versions.py PROTOCOL NUMBER   the keys that open a table
"""
import subprocess
import sys
from collections import namedtuple

# up: our submenus in Statistics, counted from its bottom. trees: entries in them before the first table, those of XRay and
# ovni; 4.0 has submenus of their own for trees. flow_graph: entries in Statistics before it.
# tree: like up, the submenu whose first entry is a tree of Cacheray's records.
Places = namedtuple("Places", "version up trees flow_graph tree")
QT5 = Places("4.0", {"xray": 3, "ovni": 1}, 0, 16, 9)
QT6 = Places("4.4", {"xray": 2, "ovni": 1}, 4, 16, 6)
KNOWN = {"Wireshark 4.0": QT5, "Wireshark 4.4": QT6, "Wireshark 4.6": QT6._replace(version="4.6", flow_graph=17, tree=7),
         "Stratoshark 0.9": QT6._replace(version="0.9")}


def places(program="wireshark"):
    """Those of the installed program. Ends the test as skipped where they are not known."""
    out = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    name = ".".join(" ".join(out.split()[:2]).split(".")[:2])
    if name not in KNOWN:
        print(f"menus of {name} are not known: see test/gui/versions.py")
        sys.exit(77)
    return KNOWN[name]


def table(protocol, number):
    """Keys that open a table of a protocol: the first one, 0, is that of its functions or states."""
    here = places()
    return ["alt+s", *["Up"] * here.up[protocol], "Right", *["Down"] * (here.trees + number), "Return"]


if __name__ == "__main__":
    print(" ".join(table(sys.argv[1], int(sys.argv[2]))) if sys.argv[1:] else places().version)
