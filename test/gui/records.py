# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark shows, to compare windows with."""
import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "test/tshark"))
os.environ.setdefault("WIRETRACE_BUILD", str(TOP / "build"))
import check  # noqa: E402


def tshark(capture, *options, program="tshark"):
    return check.printed(capture, *options, program=program)


def frames(capture, display_filter, program="tshark"):
    return tshark(capture, "-2", "-Y", display_filter, "-T", "fields", "-e", "frame.number", program=program).split()
