#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is left when a run fails, and what several outputs of one run do to each other. Lists what was tried.

usage: outputs.py [--build DIR] TEST

  files      an export for Paraver that fails for any reason leaves the files that were there, and no others; symbolic links are not
             followed; other statistics of the run print
  dataset    the same for tools/dataset, with another program in the place of DuckDB
  fields     what is printed of a field does not depend on which others are printed
  names      long names are whole in all that programs read, and end with … where a text for people cuts them
"""
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import memory  # noqa: E402
import surfaces  # noqa: E402
from check import CAPTURES, TOP, Failure, entry, require, run  # noqa: E402
from pdu import folder  # noqa: E402

LOG, TRACE, OLD = CAPTURES / "xray/fdr-args.xray", entry(CAPTURES / "ovni/v3-hwc"), entry(CAPTURES / "ovni/v1-1.4.1-mpi")


def content(place):
    return {path.name: path.read_bytes() for path in place.iterdir()}


def small_files():
    """A disk that is soon full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_files():
    with folder() as place:
        out, linked = place / "out", place / "linked"
        export = ["-z", f"ovni,paraver,replace,{out}"]
        code, _, error = run("tshark", "-q", "-r", TRACE, *export)
        require(code == 0 and len(content(out)) == 6, "no export:", error)
        before = content(out)
        failing = {
            "a file that there is not": ["-r", place / "nothing", *export],
            "a later option": ["-r", TRACE, *export, "-z", "no,such,statistic"],
            "a filter of another statistic": ["-r", TRACE, *export, "-z", "ovni,states,no.such.field"],
            "its own filter": ["-r", TRACE, "-z", f"{export[1]},no.such.field"],
            "a display filter": ["-r", TRACE, *export, "-Y", "no.such.field"],
            "no metadata": ["-r", OLD, *export],
            "no replace": ["-r", TRACE, "-z", f"ovni,paraver,{out}"],
        }
        for what, words in failing.items():
            code, printed, error = run("tshark", "-q", *words, "-z", "ovni,states") if what == "no metadata" else run("tshark", "-q", *words)
            require(code != 0 and error, what, "is no failure:", code)
            require(content(out) == before, what, "has changed what was there:", sorted(content(out)), error)
            require(what != "no metadata" or (code == 2 and "ovni States" in printed), "other statistics do not print:", code, printed, error)
            print(f"{what}: status {code}, {error.strip().splitlines()[-1][:120]}")
        done = subprocess.run([TOP / "tools/run", "tshark", "-q", "-r", TRACE, *export, "-z", "ovni,states"], preexec_fn=small_files,
                              capture_output=True, check=False)
        require(done.returncode == 2 and b"cannot be written: File too large" in done.stderr and b"ovni States" in done.stdout, "a full disk:", done)
        require(content(out) == before, "a full disk has changed what was there")
        for printed in ("xray,chrome", "xray,flame", "xray,callgrind", "xray,account", "xray,stacks", "xray,graph", "xray,tree", "xray.calls,tree"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TOP / "tools/run", "tshark", "-q", "-r", CAPTURES / "search/xray-log.search.before", "-z", printed], stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            require(done.returncode == 2 and b"No space left on device" in done.stderr, printed, "to a full disk:", done.returncode, done.stderr)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TOP / "tools/run", "tshark", "-q", "-r", TRACE, *export, "-z", "ovni,states"], stdout=full, check=False)
        require(done.returncode == 2 and content(out) == before, "a full standard output:", done.returncode)
        shutil.copytree(out, linked)
        (linked / "thread.prv").unlink()
        (linked / "thread.prv").symlink_to(place / "mine")
        (place / "mine").write_text("mine")
        code, _, error = run("tshark", "-q", "-r", TRACE, "-z", f"ovni,paraver,replace,{linked}")
        require(code == 0 and content(linked) == before and not (linked / "thread.prv").is_symlink(), "a link is not replaced:", error)
        require((place / "mine").read_text() == "mine", "the target of a link was written to")
        print("a full disk, a full standard output, a symbolic link: as they should")


DUCKDB = """#!/usr/bin/env python3
import os, pathlib, sys
if "SELECT 1" == sys.argv[2]:
    sys.exit(0)
if sys.stdin.buffer.read().count(b"\\n") > 1:
    made = pathlib.Path("made/stream=s")
    made.mkdir(parents=True)
    (made / "data_0.csv").write_text(os.environ["MADE"])
sys.exit(os.environ["MADE"] == "failing")
"""


def test_dataset():
    with folder() as place:
        os.chdir(place)
        (place / "duckdb").write_text(DUCKDB)
        (place / "duckdb").chmod(0o755)
        for name in "abc":
            shutil.copy(LOG, place / f"{name}.xray")

        def made(text, *traces):
            done = subprocess.run([TOP / "tools/dataset", "--csv", "out", "xray,records,columns:kind,epoch,thread,process", "--", *traces], stderr=subprocess.PIPE, check=False,
                                  env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}", "MADE": text})
            found = {path.relative_to("out").parts[0][6]: path.read_text() for path in Path("out").rglob("*.csv")}
            require(sorted(os.listdir("out")) == [f"trace={name}.xray" for name in sorted(found)], text, "leaves", os.listdir("out"))
            print(f"{text}, of {' '.join(traces)}: status {done.returncode}, there are {found}")
            return done.returncode, found

        all_of = ["a.xray", "b.xray", "c.xray"]
        require(made("one", *all_of) == (0, dict.fromkeys("abc", "one")), "no data set")
        require(made("failing", *all_of) == (1, dict.fromkeys("abc", "one")), "what was there is lost")
        (place / "b.xray").unlink()
        status, found = made("two", *all_of[:2])  # that of tshark, which depends on its version
        require(status and found == {"a": "two", "b": "one", "c": "one"}, "a trace that cannot be read has lost what was there")
        (place / "outside").mkdir()
        shutil.rmtree("out/trace=a.xray")
        Path("out/trace=a.xray").symlink_to(place / "outside")
        require(made("three", "a.xray") == (0, {"a": "three", "b": "one", "c": "one"}), "a link is not replaced")
        require(not list((place / "outside").iterdir()), "a link was followed")


def test_fields():
    """With a protocol among them, Wireshark 4.0 has all trees made in full; without, only what is printed is made."""
    traces = {"xray": LOG, "cacheray": CAPTURES / "cacheray/falseshare.trace", "ovni": entry(CAPTURES / "ovni/v3-two-nodes")}
    for protocol, path in traces.items():

        def printed(names):
            options = [word for name in names for word in ("-e", name)]
            return [line.split("\t") for line in run("tshark", "-n", "-r", path, "-T", "fields", *options)[1].split("\n")[:-1]]

        names = [name for name in surfaces.all_fields(protocol) if check.field_types()[name] != "FT_NONE"]
        whole = [cells[:-1] for cells in printed([*names, protocol])]
        filled = sum(any(column) for column in zip(*whole))
        require(len(whole) > 20 and filled > 12, path, "shows few fields:", len(whole), filled)
        for first, step in ((0, 1), (0, 3), (1, 3), (2, 3)):
            want, got = [cells[first::step] for cells in whole], printed(["frame.number", *names[first::step]])
            wrong = next(((a, b[1:]) for a, b in zip(want, got) if a != b[1:]), len(want) != len(got))
            require(not wrong, path, "fields", first, step, "differ:", wrong)
        print(f"{path.name}: {len(names)} fields, {filled} filled, of {len(whole)} records")


LENGTH, OF_TYPES = 3900, 9000


def long_name(n, length=LENGTH):
    return f"f{n}{'x' * length}e{n}"


def long_functions(place):
    log, names = place / "log.xray", place / "log.yaml"
    call = lambda n, inside=b"": struct.pack("<II", n << 4, 9) + inside + struct.pack("<II", n << 4 | 2, 9)  # noqa: E731
    log.write_bytes(memory.xray([(5, 1, 2 * (call(1, call(2) + call(3)) + call(4)))]))
    row = "- {{ id: {0}, address: {0}, function: {0}, kind: function-enter, function-name: {1} }}\n"
    names.write_text("---\n" + "".join(row.format(n, long_name(n)) for n in range(1, 5)) + "...\n")
    return log, ["-o", f"xray.binary:{names}"], ["xray,call,7"]


def long_types(place):
    trace, names = place / "log.trace", [long_name(n, OF_TYPES).encode() for n in range(1, 5)]
    trace.write_bytes(b"".join(struct.pack("<BQQIII", 2, n << 12, n, 8, 4, len(name)) + name for n, name in enumerate(names, 1))
                      + b"".join(struct.pack("<BQBQ", n & 1, n << 12, 8, n) for n in range(1, 5)) * 9)
    return trace, ["-o", f"cacheray.caches:{check.HERE}/simulator/threads.json"], []


def long_labels(place):
    labels = {str(n): long_name(n) for n in (1, 2)}
    about = {"mark": {"1": {"title": long_name(5), "chan_type": "stack", "labels": labels},
                      "2": {"title": long_name(6), "chan_type": "single", "labels": labels}}}
    kinds = b"".join(memory.event(b"OM" + how, at, struct.pack("<qi", n, kind)) for at, (how, n, kind) in
                     enumerate(((b"[", 1, 1), (b"[", 2, 1), (b"]", 2, 1), (b"]", 1, 1), (b"=", 1, 2), (b"=", 2, 2), (b"=", 1, 2)), 10))
    label = long_name(3).encode() + b"\0"
    tasks = struct.pack("<B3sQII", 0x10, b"VYc", 20, 4 + len(label), 1) + label + memory.event(b"VTc", 21, struct.pack("<II", 1, 1))
    runs = b"".join(memory.event(code, at, struct.pack("<II", 1, 0)) for at, code in enumerate((b"VTx", b"VTe"), 22))
    memory.ovni(place, 1, kinds + tasks + runs, about)
    return entry(place), [], []


def test_names():
    whole, any_of = re.compile("f([1-9])x{%d,}e\\1" % LENGTH), re.compile("x{30,}(e[1-9])?(\\\\u2026|…|\\.\\.\\.)?")
    for protocol, make in (("xray", long_functions), ("cacheray", long_types), ("ovni", long_labels)):
        with folder() as place:
            path, options, more = make(place)
            fields = ["-T", "fields", *(word for name in surfaces.all_fields(protocol) for word in ("-e", name))]
            taps = [*surfaces.statistics(protocol, place / "made"), *surfaces.forms_of_tables(protocol, place / "made"),
                    *more, *(f"{what},csv" for what in more), *(f"follow,{protocol},ascii,{n}" for n in (0, 1) if protocol != "cacheray")]
            outputs = [(fields, surfaces.output(path, *options, *fields)), (["-T", "json"], surfaces.output(path, *options, "-T", "json"))]
            tried = []
            for form, data in [*outputs, *surfaces.printed(path, options, taps)]:
                text = data.decode()
                what = " ".join(form)[:60].replace(str(place), "")
                cut = [found for found in any_of.finditer(text) if not found[1]]
                cut = [found for found in cut if form[0] != "-T" or found[2] != "..."]  # ovni.description is a sentence
                program = form[0] == "-T" or re.search(r",(csv|json|chrome|flame|callgrind|stacks|graph)\b", form[-1])
                require(not program or not cut, protocol, what, "cuts names:", len(cut), cut and text[cut[0].start() - 30:cut[0].end() + 9][:200])
                require(all(found[2] for found in cut), protocol, what, "cuts names without a mark")
                tried += [f"{what} ({len(whole.findall(text))} whole, {len(cut)} cut)"] if whole.search(text) or cut else []
            require(len(tried) > 9, protocol, "shows no names:", tried)
            print(f"{protocol}: {'; '.join(tried)}")


TESTS = {"fields": test_fields, "names": test_names, "files": test_files, "dataset": test_dataset}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS})
    try:
        TESTS[args.test]()
    except Failure as failure:
        sys.exit(f"{args.test}: {failure}")


if __name__ == "__main__":
    main()
