#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All that is asked of every capture and of every damaged copy, in one process, since starting programs takes most of the time.

usage: capture.py [--build DIR] NAME...

NAME is a path below captures/, for a trace of many files its directory: golden, copies, streams and big of check.py, whole and parts
of native.py, same of pdu.py, formats of surfaces.py. Or it is a damaged case (test/bad): bad of check.py, and formats if it can be opened.
WIRETRACE_CAPTURE names some of these, as in "golden copies"; without it all are asked.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import native  # noqa: E402
import pdu  # noqa: E402
import surfaces  # noqa: E402
from check import formats  # noqa: E402


def saved(test):
    def run(name):
        with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
            test(formats.capture(name), Path(folder))
    return run


def tests_of(name):
    if not formats.capture(name).exists():
        yield "bad", lambda case: check.check_bad(case, False)
        if check.expected(name)["status"] in ("ok", "cut short"):  # the others cannot be opened
            yield "formats", surfaces.test_formats
        return
    f = formats.of(name)
    yield "golden", lambda name: check.check_golden(name, False)
    if f.STREAM:
        yield "streams", lambda name: check.check_streams(name, False)
    if f.big_endian and name not in f.NAMED:
        yield "big", lambda name: check.check_big(name, False)
    yield "copies", lambda name: check.check_copies(name, False)
    if formats.file_type(name) not in f.READ_ONLY:
        yield "whole", saved(native.check_whole)
        yield "parts", saved(native.check_parts)
    yield "same", pdu.test_same
    yield "formats", surfaces.test_formats


def main():
    args = check.arguments(__doc__, names={"nargs": "+", "metavar": "NAME"})
    chosen = os.environ.get("WIRETRACE_CAPTURE", "").split()
    tests = {f"{what} {name}": (test, name) for name in args.names for what, test in tests_of(name) if not chosen or what in chosen}
    check.for_each(lambda which: tests[which][0](tests[which][1]), tests)


if __name__ == "__main__":
    main()
