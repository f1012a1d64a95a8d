#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the plugins against the signatures of Wireshark's next version, with warnings as errors. No package of it is needed: what
has changed is declared over the headers of the version before it, signatures.h. With other headers this is skipped (77).

compile.py BUILD WIRESHARK-VERSION
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

build, version = sys.argv[1:]
if version != "4.6":
    print(f"skipped: signatures.h is written for the headers of Wireshark 4.6, and these are those of {version}")
    sys.exit(77)
signatures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "signatures.h")
top = os.path.dirname(os.path.dirname(os.path.dirname(signatures)))
with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
    commands = {entry["file"]: entry for entry in json.load(file) if re.search(r"/wiretrace(-files)?\.dir/plugins/", entry["command"])}


def check(entry):
    """What the compiler prints about a source."""
    words = shlex.split(entry["command"])
    words[words.index("-o"):words.index("-o") + 2] = ["-Werror", "-fsyntax-only", "-include", signatures]
    return subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)


sources = [entry for name, entry in sorted(commands.items()) if name.startswith(top + "/plugins/")]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, sources))
failed = [result.stderr for result in results if result.returncode]
print("".join(failed), end="")
print(f"{len(sources) - len(failed)} of {len(sources)} sources of the plugins fit the next version")
sys.exit(bool(failed) or len(sources) < 50)
