#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the commands and filters on a page of the guide.

usage: commands.py --build DIR [--printed] PAGE      --printed: of its commands only those with their output

A block ```sh runs in a shell in the folder made as docs/README.md says, and must succeed. A block ```text after it is its
output, where a line `...` stands for any lines. A command whose program, or module of Python, is not installed is skipped. In tables with a
first column `filter`, each filter must compile, and match records of at least one capture.
Exit status 77: nothing could be run.
"""
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "test" / "tshark"))
import check  # noqa: E402
import npm  # noqa: E402
import pdu  # noqa: E402
import surfaces  # noqa: E402
from check import CAPTURES, Failure, require, run  # noqa: E402

OPENED = contextlib.ExitStack()  # every sharkd that runs
OURS = ["tshark", "capinfos", "editcap", "mergecap", "reordercap", "sharkd"]
OPTIONAL = ["parallel", "jq", "duckdb", "dot", "callgrind_annotate", "flamegraph.pl", "Rscript", "clang++", "clang"]
MODULES = ["pandas", "dask"]  # of Python
POLARS = "nodejs-polars"
DEBIAN_PYTHON = Path("/usr/bin/python3")
XRAY = "echo 'int main() {}' | clang++ -fxray-instrument -x c++ - -o /dev/null"
CAPTURES_OF = {
    "xray": ["xray/fdr-single.xray", "xray/fdr-args.xray", "xray/fdr-typed.xray", "xray/fdr-cpus.xray", "xray/fdr-tails-o2.xray",
             "xray/basic-args-deep.xray", "xray/fdr-bigevent.xray", "xray/fdr-cut-event.xray", "xray/fdr-left.xray"],
    "cacheray": ["cacheray/falseshare.trace", "cacheray/orders.trace", "cacheray/atomics.trace", "cacheray/arena.trace",
                 "cacheray/falseshare-torn.trace"],
    "ovni": ["ovni/v3-two-nodes", "ovni/v3-all-events", "ovni/v3-unsorted", "ovni/v3-hwc", "ovni/v3-flush-jumbo", "ovni/v3-unfinished"],
}


def blocks(text):
    """(language, text, number of its first line) of each fenced block."""
    found, language, kept, start = [], None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```") and language is None:
            language, kept, start = line[3:].strip(), [], number + 1
        elif line.startswith("```"):
            found.append((language, "\n".join(kept), start))
            language = None
        elif language is not None:
            kept.append(line)
    return found


def make_folder(scratch):
    """Makes the folder of the guide with the last commands of its first page; links to what they copy."""
    for name in ("captures", "docs", "tools"):
        (scratch / name).symlink_to(TOP / name)
    making = blocks((TOP / "docs" / "README.md").read_text(encoding="utf-8"))[-1][1]
    subprocess.run(["bash", "-euc", making], cwd=scratch, check=True)
    folder = scratch / "guide"
    pdu.net_capture(folder / "network.pcap", [3489164414000, 3489164431000])  # at the time of fdr-args.xray
    programs = scratch / "programs"
    programs.mkdir()
    for name in OURS:
        (programs / name).write_text(f"#!/bin/sh\nPATH='{os.environ['PATH']}' exec '{TOP}/tools/run' {name} \"$@\"\n")
        (programs / name).chmod(0o755)
    return folder, {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def add_readers(text, programs, environment):
    """What its commands read rows with, of npm and of Debian."""
    with contextlib.suppress(npm.Missing):
        if re.search(r"\bduckdb\b|tools/dataset", text):
            npm.make_duckdb(programs)
        if POLARS in text:
            environment["NODE_PATH"] = str(npm.folder_of(POLARS))
    if DEBIAN_PYTHON.exists() and any(has_module(DEBIAN_PYTHON, m) > has_module("python3", m) for m in MODULES if m in text):
        (programs / "python3").symlink_to(DEBIAN_PYTHON)


def same(want, got):
    want, got = (re.sub(" +", " ", text) for text in (want, got))  # columns of tables are wider in Wireshark 4.6
    pattern = "\n".join(re.escape(line.rstrip()) if line.strip() != "..." else "(?:.*\n?)*?" for line in want.split("\n"))
    pattern = pattern.replace("(?:.*\n?)*?\n", "(?:.*\n)*?")
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in got.strip("\n").split("\n"))) is not None


def succeeds(*command):
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


@functools.cache
def installed(program, path):
    return shutil.which(program, path=path) and (not program.startswith("clang") or succeeds("sh", "-c", XRAY))


@functools.cache
def has_module(python, name):
    return succeeds(python, "-c", f"import {name}")


def run_blocks(page, scratch, printed):
    (folder, environment), ran, left_out = make_folder(scratch), 0, []
    whole = page.read_text(encoding="utf-8")
    found, path = blocks(whole), environment["PATH"]
    add_readers(whole, scratch / "programs", environment)
    python = shutil.which("python3", path=path)
    for (language, text, line), following in zip(found, [*found[1:], ("", "", 0)]):
        if language != "sh" or (printed and following[0] != "text"):
            continue
        missing = [p for p in OPTIONAL if re.search(rf"(^|[|;&]\s*){re.escape(p)}(?!\w)", text, re.M) and not installed(p, path)]
        missing += [m for m in MODULES if re.search(rf"^import .*\b{m}\b", text, re.M) and not has_module(python, m)]
        missing += [POLARS] * (POLARS in text and "NODE_PATH" not in environment)
        if missing:
            left_out.append(f"line {line} ({missing[0]})")
            continue
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=600, check=False)
        require(done.returncode == 0, f"{page.name}:{line} ends with {done.returncode}:", done.stdout[-500:], done.stderr[-1000:])
        if following[0] == "text":
            require(same(following[1], done.stdout), f"{page.name}:{line} prints:\n{done.stdout[:3000]}")
        ran += 1
    return ran, left_out


def filters_of(text):
    """The first cells of tables whose first column is `filter`."""
    found, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("|"):
            inside = False
        elif re.match(r"\| filter \|", line):
            inside = True
        elif inside and (match := re.match(r"\| `(.+?)` \| (.*)\|", line)):
            found.append((number, match[1].replace("\\|", "|"), match[2]))
    return found


@functools.cache
def loaded(capture):
    """A sharkd that has read this capture, with what fields of programs and caches need."""
    options = {"xray.binary": f"{CAPTURES}/xray/calls.elf"} if capture == "xray/fdr-single.xray" else {}
    if capture in ("cacheray/falseshare.trace", "cacheray/orders.trace"):
        options = {"cacheray.binary": f"{CAPTURES}/{capture.replace('.trace', '.elf')}",
                   "cacheray.caches": f"{TOP}/test/tshark/simulator/small.json"}
    sharkd = OPENED.enter_context(surfaces.Sharkd())
    for name, value in options.items():
        sharkd.ask("setconf", name=name, value=value)
    sharkd.send("load", file=str(check.entry(CAPTURES / capture)))  # no answer to wait for: there is none for a file that is cut short
    return sharkd


def try_filter(page, number, text):
    protocols = [p for p in CAPTURES_OF if re.search(rf"\b{p}(\.|\b)", text)] or list(CAPTURES_OF)
    for capture in [c for p in protocols for c in CAPTURES_OF[p]]:
        try:
            if loaded(capture).ask("frames", filter=text, limit=1):
                return
        except Failure as failure:
            raise Failure(f"{page.name}:{number}: {text}: {failure}") from failure
    raise Failure(f"{page.name}:{number}: no capture has records for {text}")


def main():
    arguments = check.arguments(__doc__, __printed={"action": "store_true"}, page={"type": Path})
    filters = filters_of(arguments.page.read_text(encoding="utf-8"))
    with OPENED, tempfile.TemporaryDirectory() as scratch:
        try:
            ran, left_out = run_blocks(arguments.page, Path(scratch), arguments.printed)
            for number, text, _ in filters:
                try_filter(arguments.page, number, text)
        except (Failure, subprocess.TimeoutExpired) as failure:
            print(failure, file=sys.stderr)
            return 1
    print(f"{arguments.page.name}: {ran} commands, {len(filters)} filters; left out: {', '.join(left_out) or 'none'}")
    return 0 if ran or filters else 77


if __name__ == "__main__":
    sys.exit(main())
