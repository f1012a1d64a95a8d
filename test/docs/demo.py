#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/demo prints its commands, and after each exactly what this command prints.

usage: demo.py
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def printed_by(command):
    return subprocess.run(["bash", "-c", command], cwd=TOP, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


def main():
    demo = printed_by("tools/demo")
    found = re.split(r"^== (.*)\n\$ (.*)\n", demo, flags=re.M)[1:]
    asked = list(zip(found[::3], found[1::3], found[2::3]))
    for question, command, after in asked:
        want = printed_by(command)
        if not want or not after.startswith(want) or not re.match(r"So .*\d.*\n$", after[len(want):].split("\n\n")[0].rstrip("\n") + "\n"):
            print(f"{question}\n{command}\nprints:\n{want}\nthe demo:\n{after}")
            return 1
    print(f"{len(asked)} questions")
    return 0 if {re.match(r"\w+", question)[0] for question, _, _ in asked} == {"XRay", "Cacheray", "ovni"} else 1


if __name__ == "__main__":
    sys.exit(main())
