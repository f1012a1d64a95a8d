# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers that only the npm registry has, in the build directory. They are installed when a test first needs them."""
import fcntl
import functools
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

from check import TOP

VERSIONS = {"speedscope": "1.25.0", "@duckdb/node-api": "1.5.6-r.1", "nodejs-polars": "0.26.1"}
NATIVE = {"nodejs-polars": "nodejs-polars-linux-x64-gnu"}  # which it does not ask for


class Missing(Exception):
    """A package cannot be installed, and why."""


@functools.cache
def folder_of(name):
    """The node_modules that has a package."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise Missing(f"{program} is not installed, so {name} cannot be either")
    if name in NATIVE and platform.machine() != "x86_64":
        raise Missing(f"{name} has no package for this processor")
    place = Path(os.environ["WIRETRACE_BUILD"]) / "npm" / name.replace("/", "-")
    manifest = place / "node_modules" / name / "package.json"
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = None
        if not manifest.is_file() or json.loads(manifest.read_text())["version"] != VERSIONS[name]:
            wanted = [f"{n}@{VERSIONS[name]}" for n in (name, NATIVE.get(name)) if n]
            done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", place, *wanted],
                                  capture_output=True, check=False, text=True)
    if not manifest.is_file():
        raise Missing(f"npm cannot install {name}: {(done.stderr + done.stdout).strip()[-200:]}")
    return manifest.parents[name.count("/") + 1]


def make_duckdb(folder):
    """Makes a program `duckdb` in a folder, unless there is one."""
    if not shutil.which("duckdb"):
        program = folder / "duckdb"
        program.write_text(f'#!/bin/sh\nNODE_PATH="{folder_of("@duckdb/node-api")}" exec "{TOP}/tools/duckdb" "$@"\n', encoding="utf-8")
        program.chmod(0o755)
