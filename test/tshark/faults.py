#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls that fail while a trace is opened, read or saved: the result is right, or it is said and the exit status is not 0.

usage: faults.py [--build DIR] [--sample N] [CASE...]

Without CASE all of them. Every call that has to do with a file of the case fails once with each error that it may have; also, from
each call on, all fail. --sample: at most about N faults of each case. What counts:

  right   the output, and the file that was saved, are those without a fault. Half a read or a write must always end so
  said    the terminal or a notice at a record gives the reason, and the exit status is not 0. Where all records are there and only
          something beside them lacks (debug information, a table of clocks), a notice is enough, but not where a preference names the
          file, such as a program or a description of caches. Only a program
          of which a single read fails may be called damaged instead of unreadable: libelf does not tell

Prints for each case how many calls there were, how many faults, and how they ended. Exit status 77: skipped.
"""
import errno
import gzip
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, HERE, TOP, Failure, arguments, entry, fields, forgetful, formats, raw_fields  # noqa: E402

SHORT = 0
READING, WRITING = (errno.EIO, errno.EINTR, SHORT), (errno.ENOSPC, errno.EIO, errno.EINTR, SHORT)
ERRORS = {
    "open": (errno.EIO, errno.EMFILE, errno.ENOMEM, errno.EACCES, errno.EINTR), "read": READING, "pread": READING, "write": WRITING,
    "pwrite": WRITING, "close": (errno.EIO, errno.EINTR), "mmap": (errno.ENOMEM,), "stat": (errno.EIO, errno.ENOMEM),
}
OTHER_ERRORS = (errno.EIO,)
CACHES = '{"seed": 1, "caches": [{"cache_size": 12, "block_size": 6, "set_assoc": 2, "rep_policy": 0}]}'
MAP = "---\n- { id: 1, address: 0x10, function: 0x10, kind: function-enter, always-instrument: true, function-name: one, version: 2 }\n...\n"
SAVED = "saved"  # what a command writes, in the folder of the case


# --- cases ----------------------------------------------------------------------------------------------------------------
def shown(protocol, file, *options):
    """All fields of every record, with all notices."""
    f = formats.formats()[protocol]
    names = [*raw_fields(protocol), *fields(protocol, f.ANALYSIS), *NAMES.get(protocol, ()), "_ws.expert.message"]
    return ["tshark", "-n", "-r", file, *options, "-T", "fields", *(word for name in dict.fromkeys(names) for word in ("-e", name))]


NAMES = {"xray": ("xray.function.name", "xray.function.source"), "cacheray": ("cacheray.cache.level",)}
PROGRAM, TYPES = "xray.binary:{t}/calls.elf", "cacheray.binary:{t}/orders.elf"
# Name -> the captures (with .gz: compressed), and the command; {t} is the folder, {e} the file to open of the first capture.
CASES = {
    "xray": (["xray/fdr-cpus.xray"], shown("xray", "{e}")),
    "xray-two-passes": (["xray/fdr-typed.xray"], shown("xray", "{e}", "-2")),
    "xray-basic": (["xray/basic-threads.xray"], shown("xray", "{e}")),
    "xray-gz": (["xray/fdr-cpus.xray.gz"], shown("xray", "{e}")),
    "xray-program": (["xray/fdr-single.xray", "xray/calls.elf"], shown("xray", "{e}", "-o", PROGRAM)),
    "xray-map": (["xray/fdr-single.xray"], shown("xray", "{e}", "-o", "xray.binary:{t}/map.yaml")),
    "xray-diff": (["xray/fdr-single.xray", "xray/fdr-left.xray"],
                  ["tshark", "-q", "-r", "{e}", "-z", "xray,diff,{t}/fdr-left.xray,csv"]),
    "xray-save": (["xray/fdr-cpus.xray"], ["tshark", "-r", "{e}", "-F", "xray-fdr", "-w", "{t}/" + SAVED]),
    "xray-capinfos": (["xray/fdr-cpus.xray"], ["capinfos", "-c", "-k", "-a", "-e", "{e}"]),
    "xray-picture": (["xray/fdr-args.xray"], ["tshark", "-q", "-r", "{e}", "-z", "xray,chrome"]),
    "xray-table": (["xray/fdr-args.xray"], ["tshark", "-q", "-r", "{e}", "-z", "xray,account,csv"]),
    "xray-stacks": (["xray/fdr-args.xray"], ["tshark", "-q", "-r", "{e}", "-z", "xray,stacks"]),
    "cacheray": (["cacheray/orders.trace"], shown("cacheray", "{e}")),
    "cacheray-gz": (["cacheray/orders.trace.gz"], shown("cacheray", "{e}", "-2")),
    "cacheray-program": (["cacheray/orders.trace", "cacheray/orders.elf"], shown("cacheray", "{e}", "-o", TYPES)),
    "cacheray-types": (["cacheray/orders.trace"], shown("cacheray", "{e}", "-o", "cacheray.binary:{t}/types.json")),
    "cacheray-moved": (["cacheray/orders.trace", "cacheray/orders.elf"],
                       shown("cacheray", "{e}", "-o", TYPES, "-o", "cacheray.remap:{t}/remap", "-o", "cacheray.caches:{t}/caches.json")),
    "cacheray-diff": (["cacheray/orders.trace", "cacheray/falseshare.trace"],
                      ["tshark", "-q", "-r", "{e}", "-z", "cacheray,diff,{t}/falseshare.trace,csv"]),
    "cacheray-save": (["cacheray/orders.trace"], ["tshark", "-r", "{e}", "-F", "cacheray", "-w", "{t}/" + SAVED]),
    "ovni": (["ovni/v3-two-nodes"], shown("ovni", "{e}")),
    "ovni-old": (["ovni/v2-1.10.0-marks"], shown("ovni", "{e}")),
    "ovni-first": (["ovni/v1-1.4.1-mpi"], shown("ovni", "{e}", "-2")),
    "ovni-stream": (["ovni/v3-two-nodes"], shown("ovni", "{s}")),
    "ovni-diff": (["ovni/v3-hwc", "ovni/v3-nanos6"], ["tshark", "-q", "-r", "{e}", "-z", "ovni,diff,{b},csv"]),
    "ovni-paraver": (["ovni/v3-hwc"], ["tshark", "-q", "-r", "{e}", "-z", "ovni,paraver,{t}/" + SAVED]),
    "ovni-save": (["ovni/v3-two-nodes"], ["tshark", "-r", "{s}", "-F", "ovni", "-w", "{t}/" + SAVED]),
    "ovni-export": (["ovni/v3-hwc"], ["WIRETRACE_PDU=1", "tshark", "-r", "{e}", "-w", "{t}/" + SAVED]),
    "ovni-capinfos": (["ovni/v3-two-nodes"], ["capinfos", "-c", "-k", "{e}"]),
    "ovni-rules": (["ovni/v3-nanos6"], ["tshark", "-q", "-r", "{e}", "-z", "ovni,lint"]),
}


class Case:
    def __init__(self, name, place):
        self.name, self.folder, self.results = name, place / "t", place / "results"
        self.folder.mkdir()
        captures, words = CASES[name]
        paths = [self.copy(capture) for capture in captures]
        for file, text in (("map.yaml", MAP), ("caches.json", CACHES), ("remap", "struct money=units,4;cents,0\n"), ("types.json", TYPE_FILE)):
            if any(file in word for word in words):
                (self.folder / file).write_text(text)
        places = {"t": self.folder, "e": entry(paths[0]), "s": next(self.folder.rglob("*.obs"), ""), "b": entry(paths[-1])}
        words = [word.format(**places) for word in words]
        variables = [word for word in words[:1] if "=" in word]
        self.command = ["env", *variables, TOP / "tools/run", *words[len(variables):]]
        self.plan = place / "plan"
        self.environment = {"FAILING_ROOTS": str(self.folder), "FAILING_PLAN": str(self.plan), "FAILING_RESULTS": str(self.results),
                            "FAILING_SAVED": str(self.folder / SAVED), "TMPDIR": str(self.folder)}
        if "-z" in words:  # printed by us, not by Wireshark
            self.environment["FAILING_OUTPUT"] = "1"

    def copy(self, capture):
        source = CAPTURES / capture.removesuffix(".gz")
        target = self.folder / Path(capture).name
        if capture.endswith(".gz"):
            target.write_bytes(gzip.compress(source.read_bytes(), mtime=0))
            return target
        return Path((shutil.copytree if source.is_dir() else shutil.copy)(source, target))

    def run(self, shim, lines):
        """The results of these lines of a plan: (call, sign, errno)."""
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir()
        self.plan.write_text("".join(f"{call} {sign} {error}\n" for call, sign, error in lines))
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        done = subprocess.run(["env", f"LD_PRELOAD={shim}", *variables, *self.command], stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
        if done.returncode == 77:
            print(done.stderr.decode())
            sys.exit(77)
        if done.returncode != 0 or not (self.results / f"{len(lines) - 1}.status").exists():
            raise Failure(f"{self.name}: ends with {done.returncode}: {done.stderr.decode()[-2000:]}")
        return [Result(self.results, i) for i in range(len(lines))]


class Result:
    def __init__(self, folder, i):
        path = lambda suffix: folder / f"{i}.{suffix}"  # noqa: E731
        self.out, self.error = path("out").read_bytes(), path("err").read_text("utf-8", "replace")
        self.status = os.waitstatus_to_exitcode(int(path("status").read_text()))
        self.calls = [line.split("\t", 1) for line in path("calls").read_text("utf-8", "surrogateescape").split("\n")[:-1]]
        self.saved = content(path("saved"))

    def same(self, other):
        return (self.out, self.saved) == (other.out, other.saved)


def content(path):
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir()}
    return path.read_bytes() if path.exists() else None


def faults(calls):
    for number, (name, path) in enumerate(calls, 1):
        if name == "lseek" and path.endswith("/" + SAVED):
            continue  # Wireshark looks whether it can seek there, and does not look whether it could seek back
        for error in ERRORS.get(name, OTHER_ERRORS):
            yield number, "=", error
        yield number, "+", errno.ENOSPC if name in ("write", "pwrite") else errno.EIO


# --- judging --------------------------------------------------------------------------------------------------------------
FORGOTTEN = []  # what stands in place of a reason
OTHER_WORDS = ("cut short", "You don't have permission", "out of swap space", "no space left on the file system",  # Wireshark's own
               "parts of this trace are missing or cannot be read")  # of a trace beside this one


# of a file that a preference names
UNUSABLE = "cannot be used for function names", "are not known", "no caches are simulated", "nothing is moved"


def notices(out):
    """The last column of each record."""
    return [line.rsplit(b"\t", 1)[-1] for line in out.split(b"\n") if b"\t" in line]


def judge(want, got, fault, path):
    """How a fault ended; with a blank if that is wrong."""
    _, sign, error = fault
    if got.status < 0:
        return "it hangs" if got.status == -signal.SIGALRM else f"it ends by {signal.Signals(-got.status).name}"
    if got.same(want):
        return "right"
    if error == SHORT:
        return "half of a read or a write is taken for all"
    added = got.error.replace(want.error, "") if want.error else got.error
    notice = set(notices(got.out)) - set(notices(want.out))
    if not added.strip() and not notice:
        return "nothing is said"
    if got.status == 0 and not (notice and len(notices(got.out)) == len(notices(want.out))):
        return "the exit status is 0"
    if got.status == 0 and any(words in added for words in UNUSABLE):
        return "the exit status is 0"
    reasons = (os.strerror(error), *OTHER_WORDS, *FORGOTTEN)
    if not any(text in added or text.encode() in got.out for text in reasons) and not (path.endswith(".elf") and sign == "="):
        return "it does not say why"
    return "said" if got.status else "noticed"


def check(name, shim, sample):
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as place:
        case = Case(name, Path(place))
        want, = case.run(shim, [(0, "=", 0)])
        if want.status != 0 or len(want.calls) < 10:
            raise Failure(f"{name}: without a fault: {want.status}, {len(want.calls)} calls: {want.error}")
        plan = list(faults(want.calls))
        plan = plan[::max(1, len(plan) // sample)] if sample else plan
        ends = Counter()
        for fault, got in zip(plan, case.run(shim, plan)):
            call, sign, error = fault
            what, path = want.calls[call - 1]
            end = judge(want, got, fault, path)
            ends[end] += 1
            if " " in end:
                print(f"{name}: call {call}{sign}, {what} of {path.replace(place, '')}, {os.strerror(error) if error else 'half'}: {end}: "
                      f"exit status {got.status}: {got.error[-300:]}")
        print(f"{name}: {len(want.calls)} calls, {len(plan)} faults:", ", ".join(f"{n} {end}" for end, n in sorted(ends.items())))
        return len(plan), sum(n for end, n in ends.items() if " " in end)


def main():
    args = arguments(__doc__, __sample={"type": int, "default": 0}, case={"nargs": "*", "default": list(CASES)})
    if forgetful():
        FORGOTTEN.append("An error occurred while writing")
    compiler = shutil.which("cc")
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        shim = Path(folder) / "failing.so"
        if not compiler or subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", shim, HERE / "programs/failing.c", "-ldl"],
                                          check=False).returncode != 0:
            print("no compiler, or the registers of this processor are not known")
            sys.exit(77)
        found = [check(name, shim, args.sample) for name in args.case]
    print(f"{sum(n for n, _ in found)} faults, {sum(bad for _, bad in found)} wrong")
    sys.exit(1 if any(bad for _, bad in found) else 0)


TYPE_FILE = """{"version": 4, "structs": [{"name": "struct order", "id": 1, "members": [
    {"memberName": "price", "name": "long", "id": 2, "offset": 0, "size": 8}]}], "unions": [], "typedefs": []}"""

if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
