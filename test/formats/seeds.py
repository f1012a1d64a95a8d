# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds of fuzz targets: pairs of a target and bytes. They are kept short, since most mutations of a long file change
nothing important."""
import contextlib
import importlib.util
from pathlib import Path

LONGEST = 4096
TOP = Path(__file__).resolve().parent.parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


endian = load(TOP / "captures/make-big-endian.py")


def pieces(target, data):
    yield target, data[:LONGEST]
    yield target, data[:LONGEST // 8]


def both(target, data):
    """In both byte orders."""
    yield from pieces(target, data)
    with contextlib.suppress(Exception):  # a damaged file may not be convertible to the other byte order
        yield from pieces(target, endian.big_endian(data))
