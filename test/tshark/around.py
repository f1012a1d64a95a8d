#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything but the records: settings, rights, temporary files, the progress bar, counts of expert infos.

usage: around.py [--build DIR] CHECK

  environment  an environment variable is effective until its preference is changed
  temporary    a temporary file that cannot be made is reported with its folder
  overlay      tools/run builds again what has changed in the overlay folder of its build directory
  folders      tools/run opens a folder that is a link to an ovni trace, has links to looms, or is above folders of nodes
  rights       root can read the files of others; others can run what root has built
  profile      tools/run has our profiles for programs without windows, where no window was opened before
  libraries    functions of libraries that are not listed are reported
  experts      ovni: -z expert counts without trees what is shown with them
  progress     Wireshark's progress bar follows the records, also in a trace of many files

Exit status 77: skipped.
"""
import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, Failure, arguments, entry, forgetful, make, require, run, tshark  # noqa: E402


def check_environment():
    """An environment variable is effective until its own preference changes, and no other one."""
    path = CAPTURES / "xray/fdr-single.xray"

    def seconds(*options):
        return float(run("tshark", "-n", "-r", path, *options, "-Y", "frame.number == 100", "-T", "fields", "-e",
                         "frame.time_relative")[1])

    of_header, other = seconds(), ("-o", "xray.calls:FALSE")
    os.environ["WIRETRACE_XRAY_FREQUENCY"] = "1000000000"
    billion = seconds()
    require(billion > of_header > 0, f"{billion} {of_header}")
    require(seconds(*other) == billion, "another preference undoes the environment")
    require(seconds("-o", "xray.frequency:2000000000") < billion, "the preference does not take the environment's place")
    del os.environ["WIRETRACE_XRAY_FREQUENCY"]
    for log, other, used in (("fdr-single", "profile_frequency", "frequency"), ("profile-calls", "frequency", "profile_frequency")):
        for name, said in ((other, 1), (used, 0)):
            _, fields, error = run("tshark", "-n", "-r", CAPTURES / f"xray/{log}.xray", "-o", f"xray.{name}:1000000", "-c", "1", "-T", "fields", "-e",
                                   "xray.settings.unused")
            require(error.count("frequency is not used: ") == bool(fields.strip()) == said, log, name, "is reported as", error, fields)


def check_temporary():
    """The trace, or the file being written, is not blamed for a temporary file that cannot be made."""
    sys.path.insert(0, str(TOP / "test" / "bench"))
    import traces  # pylint: disable=import-outside-toplevel,import-error
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        packed, large, missing = Path(folder) / "log.xray.gz", Path(folder) / "large.xray", Path(folder) / "missing"
        packed.write_bytes(gzip.compress((CAPTURES / "xray/fdr-args.xray").read_bytes()))
        traces.make_xray(large, 2_400_000)  # more than fits into memory
        for command in (["tshark", "-r", packed], ["capinfos", packed],
                        ["editcap", "-F", "xray-fdr", large, Path(folder) / "copy"],
                        ["tshark", "-r", large, "-F", "xray-fdr", "-w", Path(folder) / "copy"]):
            code, _, error = run(*command, prefix=["env", f"TMPDIR={missing}"])
            found = re.search(rf"temporary file wiretrace-\w+ in {re.escape(str(missing))} cannot be made", error)
            said = found and error.count("temporary file") == 1
            if "-w" in command and forgetful():
                said = "An error occurred while writing" in error
            require(code != 0 and said, *command, "exit", code, error)
            require(not (Path(folder) / "copy").exists(), *command, "leaves a file behind")
            code, _, error = run(*command)
            require(code == 0, *command, "exit", code, error)


def check_overlay():
    with tempfile.TemporaryDirectory() as folder:
        build, overlay = Path(folder) / "build", Path(folder) / "overlay"
        for built in ("plugins/4.0/wiretap/wiretrace-files.so", "plugins/4.0/epan/wiretrace.so", "extcap/wiretrace-live"):
            (build / built).parent.mkdir(parents=True)
            (build / built).touch()
        source = overlay / "common/beat/beat.h"
        source.parent.mkdir(parents=True)
        source.touch()
        shutil.copy(Path(os.environ["WIRETRACE_BUILD"]) / "unprivileged.so", build)
        (build / "CMakeCache.txt").write_text(f"WIRETRACE_OVERLAY:PATH={overlay}\n")
        (build / ".plugins-built").touch()

        def code():
            return subprocess.run([TOP / "tools/run", "true"], env={**os.environ, "WIRETRACE_BUILD": str(build)}, check=False,
                                  stderr=subprocess.DEVNULL).returncode

        require(code() == 0, "it builds again what has not changed")
        source.write_text("changed")
        require(code() == 125, "it uses plugins that are older than the overlay")  # this cannot be built


def check_folders():
    source = (CAPTURES / "ovni/v3-two-nodes").resolve()
    looms = sorted(source.glob("loom.*"))
    with tempfile.TemporaryDirectory(suffix=" [a]") as folder:
        root = Path(folder)
        (root / "link").symlink_to(source)
        for i, loom in enumerate(looms):
            (root / f"nodes/n{i}/ovni").mkdir(parents=True)
            shutil.copytree(loom, root / f"nodes/n{i}/ovni" / loom.name)
            (root / "links").mkdir(exist_ok=True)
            (root / "links" / loom.name).symlink_to(root / f"nodes/n{i}/ovni" / loom.name)
        (root / "links/loom.same").symlink_to(root / "links" / looms[1].name)
        want = run("tshark", "-q", "-r", source, "-z", "ovni,states,csv,by:rank")[1]
        require("rank 1" in want, want)
        os.environ["WIRETRACE_OVNI_CLOCK_OFFSETS"] = str(source / "clock-offsets.txt")
        for name in ("link", "nodes", "links"):
            code, out, error = run("tshark", "-q", "-r", root / name, "-z", "ovni,states,csv,by:rank")
            require((code, out) == (0, want), name, code, error)
            require("Problems" not in error, name, error)
        del os.environ["WIRETRACE_OVNI_CLOCK_OFFSETS"]
        shutil.rmtree(root / f"nodes/n{len(looms) - 1}")
        code, out, error = run("tshark", "-r", root / "nodes", "-Y", "ovni.rank.missing", "-T", "fields", "-e", "_ws.expert.message")
        require(re.fullmatch(r"(?=.*of (\d+) ranks)\d+ of \1 ranks are in the trace\n", out) and out.strip() in error, code, out, error)


def check_rights():
    if os.geteuid() != 0:
        print("only for root")
        sys.exit(77)
    source = CAPTURES / "xray/fdr-cpus.xray"
    want = tshark(source, ["xray.offset"]).rows
    nobody = 65534
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "private.xray"
        shutil.copy(source, path)
        path.chmod(0o600)
        os.chown(path, nobody, nobody)
        os.chmod(folder, 0o700)
        os.chown(folder, nobody, nobody)
        require(tshark(path, ["xray.offset"]).rows == want, "root cannot read the file of another user")
        reach = subprocess.run(["setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", "test", "-r",
                                os.environ["WIRETRACE_BUILD"] + "/CMakeCache.txt"], check=False)
        if reach.returncode == 0:
            as_nobody = ("setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", "env", f"HOME={folder}")
            code, out, error = run("tshark", "-r", path, "-T", "fields", "-e", "xray.offset", prefix=as_nobody)
            shown = [[line] for line in out.split("\n")[:-1]]
            require(code == 0 and shown == want, "another user cannot run it:", code, error)


def check_profile():
    """A folder that has been built, but in which nothing has been run yet."""
    build = Path(os.environ["WIRETRACE_BUILD"]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("plugins", "extcap", "unprivileged.so"):
            (Path(folder) / name).symlink_to(build / name)
        (Path(folder) / ".plugins-built").touch()
        fresh = ("env", "-u", "WIRESHARK_CONFIG_DIR", f"WIRETRACE_BUILD={folder}")
        for profile, column in (("XRay", "Self, us"), ("ovni", "Thread")):
            code, out, error = run("tshark", "-C", profile, "-c", 1, "-T", "psml", "-r", CAPTURES / "xray/fdr-single.xray", prefix=fresh)
            require(code == 0 and f"<section>{column}</section>" in out, profile, "is not there:", code, out, error)


def check_experts():
    seen = set()
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        cases = ["ovni-short-payload", "ovni-clock-falls", "ovni-no-events", "ovni-bad-clock-table", "ovni-unused-metadata"]
        for case in cases:
            make.make(case, Path(folder))
        for path in [*(Path(folder) / case for case in cases), *sorted((CAPTURES / "ovni").glob("*"))]:
            _, out, _ = run("tshark", "-q", "-n", "-r", entry(path), "-z", "expert,chat")
            rows = re.findall(r"^ +(\d+) +\S+ +ovni +(.*)$", out, re.M)
            shown = [cell for row in tshark(entry(path), ["_ws.expert.message"], "-E", "aggregator=|").rows
                     for cell in row[0].split("|") if cell]
            require(sum(int(times) for times, _ in rows) == len(shown), f"{path.name}: counted {rows}, shown {len(shown)}")
            seen.update(summary.split()[0] for _, summary in rows)
    require(len(seen) > 4, "too little to count:", seen)


def check_progress():
    """A table of what the progress bar shows and what has been read, in thousandths."""
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        root = Path(folder)
        for tid in range(1, 6):
            stream = root / f"loom.a/proc.1/thread.{tid}"
            stream.mkdir(parents=True)
            (stream / "stream.json").write_text('{"version": 3, "ovni": {"tid": %d, "pid": 1}}' % tid)
            events = b"".join(b"\0VSh" + clock.to_bytes(8, "little") for clock in range(tid, 300000, 5))
            (stream / "stream.obs").write_bytes(b"ovni\1\0\0\0" + events)
        log = root / "cacheray.trace"
        log.write_bytes(b"".join(b"\0" + (1 << 40 | i << 3).to_bytes(8, "little") + b"\4" + bytes(8) for i in range(100000)))
        for path in (entry(root / "loom.a"), root / "loom.a/proc.1/thread.1/stream.obs", log):
            code, out, error = run(Path(os.environ["WIRETRACE_BUILD"]) / "progress", path)
            require(code == 0, path, code, error)
            rows = [tuple(map(int, line.split())) for line in out.split("\n")[:-1]]
            require(len(rows) > 5 and rows[-1][1] == 1000, f"{path}: {len(rows)} rows, the last is {rows[-1:]}")
            small = max(path.stat().st_size, 1)  # the bar has no more steps than the opened file has bytes
            apart = max(abs(shown - read) for shown, read in rows)
            limit = 1000 / small + 1000 * (128 << 10) / (5 * 720008 if path.suffix == ".json" else small) + 2
            require(apart <= limit, f"{path}: the bar is {apart} parts of a thousand away, {limit:.0f} are expected")


def check_libraries():
    """Functions of libraries that are not listed are reported, with the numbers of these."""
    record, calls = struct.Struct("<HBBiQII8x"), [(number << 24 | 5, 100 * number) for number in (1, 3, 40)] + [(5, 5000)]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.xray"
        log.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 10**9) +
                        b"".join(record.pack(0, 0, what, function, at + what, 7, 7) for function, at in calls for what in (0, 1)))
        for options in ((), ("-o", "wiretrace.threads:2")):
            _, out, error = run("tshark", "-n", "-q", "-r", log, "-o", f"xray.binary:{CAPTURES / 'xray/calls.elf'}", *options, "-z", "xray,account,csv", "-z", "xray,stacks")
            require(error.count("after the program: 1, 3, 31+") == 1 and "#16777221" in out, options, out, error)


CHECKS = {"libraries": check_libraries, "environment": check_environment, "temporary": check_temporary,
          "overlay": check_overlay, "folders": check_folders, "rights": check_rights, "profile": check_profile, "experts": check_experts,
          "progress": check_progress}


def main():
    args = arguments(__doc__, check={"choices": CHECKS})
    try:
        CHECKS[args.check]()
    except Failure as failure:
        sys.exit(f"{args.check}: {failure}")


if __name__ == "__main__":
    main()
