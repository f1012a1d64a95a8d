#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what statistics print in locales with a decimal comma, and with another dotless i, with what they print in C.UTF-8.

usage: locales.py [--build DIR] CAPTURE...

Wireshark prints trees and response times itself, with a comma. The locales are made in a temporary folder by localedef; without it or its sources (Debian: `locales`) the exit status is 77.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import TOP, arguments, entry, require, run  # noqa: E402

LOCALES = ["de_DE", "tr_TR", "ja_JP"]
STATISTICS = {
    "xray": ["account", "account,csv", "account,sort:p99,us", "calls", "gaps", "graph", "stacks", "chrome"],
    "cacheray": ["types", "types,csv", "lines", "regions", "slowest", "chrome"],
    "ovni": ["states", "states,csv,us", "states,within:0.0001,0.5,csv", "tasks", "balance", "balance,json", "cpus", "at,0.0005", "lint", "slowest,us,csv",
             "stacks", "chrome"],
}


def printed(path, protocol, locale):
    os.environ["LC_ALL"] = locale
    found = {}
    for words in STATISTICS[protocol]:
        code, out, error = run("tshark", "-n", "-q", "-r", path, "-z", f"{protocol},{words}")
        require(code == 0 and out.strip(), protocol, words, locale, code, error)
        found[words] = out
    return found


def main():
    args = arguments(__doc__, captures={"nargs": "+"})
    if not shutil.which("localedef") or not Path("/usr/share/i18n/locales/de_DE").exists():
        print("localedef or its sources are not installed (Debian: locales)")
        return 77
    usual = os.environ["LC_ALL"]
    with tempfile.TemporaryDirectory() as folder:
        for locale in LOCALES:
            subprocess.run(["localedef", "-i", locale, "-f", "UTF-8", f"{folder}/{locale}.UTF-8"], check=True, capture_output=True)
        os.environ["LOCPATH"] = folder
        comma = subprocess.run(["printf", "%.1f", "0"], env={**os.environ, "LC_ALL": "de_DE.UTF-8"}, capture_output=True, text=True, check=True).stdout
        require(comma == "0,0", "the locale is not used:", comma)
        for name in args.captures:
            protocol, path = name.split("/")[0], entry(TOP / "captures" / name)
            want = printed(path, protocol, usual)
            for locale in LOCALES:
                got = printed(path, protocol, f"{locale}.UTF-8")
                for words, text in want.items():
                    require(got[words] == text, f"{protocol},{words} in {locale}:", got[words][:300], text[:300])
        del os.environ["LOCPATH"]
    return 0


if __name__ == "__main__":
    sys.exit(main())
