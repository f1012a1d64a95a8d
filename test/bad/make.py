#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damage captures in known ways.

usage: make.py OUT [CASE...]

Makes OUT/CASE/..., a copy of a capture with one fault, for every case of every format (CASES in test/formats), or the given ones.
The expected results are in expected.tsv. Edits find their place by walking through the records of the intact capture, so they
say what they change. Knows nothing of the plugins.
"""
import os
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import formats  # noqa: E402


def cases():
    return [case for f in formats.formats().values() for case in f.CASES]


def source(case):
    """The capture to be damaged."""
    return formats.of(case).CASES[case][0]


def make(case, out):
    name, edits = formats.of(case).CASES[case]
    folder, intact = out / case, formats.capture(name)
    shutil.rmtree(folder, ignore_errors=True)
    if not isinstance(edits, dict):
        folder.mkdir(parents=True)
        target = folder / os.path.basename(name)
        target.write_bytes(edits(intact.read_bytes()))
        return
    shutil.copytree(intact, folder)
    for file, edit in edits.items():
        if edit is None:
            (folder / file).unlink()
        else:
            (folder / file).write_bytes(edit((folder / file).read_bytes()))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for wanted in sys.argv[2:] or cases():
        make(wanted, Path(sys.argv[1]))
