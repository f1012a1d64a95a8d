#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what the plugins say of ovni traces with what ovniemu of ovni 1.14.0 has written for them (test/tshark/ovniemu).

usage: ovniemu.py [--build DIR]

For each capture that ovniemu accepts: the files of ovni,paraver are the same byte for byte, own active times in ovni,states and
ovni,tasks are the sums of thread.prv, times of ovni,cpus those of cpu.prv and of `ovniemu -b`. ovni,lint says what ovniemu says of all captures and of
changed copies, and why; where ovniemu is installed (or OVNIEMU names it), also where it stops. No file is overwritten.
"""
import csv
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from calls import differences  # noqa: E402
from check import TOP, arguments, csv_rows, entry, require, run  # noqa: E402

CAPTURES = TOP / "captures" / "ovni"
OVNIEMU = os.environ.get("OVNIEMU") or shutil.which("ovniemu")
MODELS = {4: "ovni", 7: "ovni", 11: "nosv", 13: "nosv", 16: "nosv", 20: "tampi", 25: "mpi", 30: "nodes", 36: "nanos6",
          37: "nanos6", 39: "nanos6", 40: "nanos6", 45: "kernel", 50: "openmp", 51: "openmp"}
TASK_TYPES, MARKS = (11, 36), range(100, 200)
# What ovniemu says of these, and why it does so of the refused ones (rules of common/ovni/emulator/lint.def).
VERDICTS = {"v3-flush-jumbo": {"type", "event"}, "v3-unfinished": {"unfinished"}, "v3-unsorted": {"order"}}


def statistics(path, *names):
    taps = [word for name in names for word in ("-z", name)]
    code, out, error = run("tshark", "-q", "-r", entry(path), *taps)
    return code, out.decode() if isinstance(out, bytes) else out, error


# --- Paraver's files --------------------------------------------------------------------------------------------------
def labels(text):
    """Type -> (title, {value: label})"""
    found, values = {}, None
    for line in text.split("\n"):
        kind, value = re.match(r"0 (\d+) +(.*)", line), re.match(r"(-?\d+) +(.*)", line)
        if kind:
            values = {}
            found[int(kind[1])] = kind[2], values
        elif value and values is not None:
            values[int(value[1])] = value[2]
    return found


def sums(text):
    """(row, type, value) -> ns"""
    head, *lines = text.rstrip("\n").split("\n")
    end, at, found = int(re.search(r":(\d+)_ns", head)[1]), {}, Counter()
    for line in lines:
        row, time, kind, value = map(int, line.split(":")[4:])
        if (row, kind) in at:
            since, before = at[row, kind]
            found[row, kind, before] += time - since
        at[row, kind] = time, value
    for (row, kind), (since, value) in at.items():
        found[row, kind, value] += end - since
    return found, end


def table(text, first):
    """(model, name) -> own active time, of the table whose first column is this."""
    found, head = Counter(), None
    for cells in csv.reader(text.split("\n")):
        if cells and cells[0] in ("state", "label"):
            head = cells if cells[0] == first else None
        elif head and len(cells) == len(head):
            found[cells[1], cells[0]] += int(cells[head.index("own_active_ns")])
    return found


def check_sums(name, files, printed):
    words, states, tasks = labels(files["thread.pcf"]), Counter(), Counter()
    for (_, kind, value), ns in sums(files["thread.prv"])[0].items():
        title, values = words.get(kind, ("", {}))
        if value and kind in TASK_TYPES:
            tasks[MODELS[kind], values[value]] += ns
        elif value and kind in MODELS:
            states[MODELS[kind], values[value]] += ns
        elif value and kind in MARKS:
            states["ovni", f"{title}: {values.get(value, value)}"] += ns
    got = {key: ns for key, ns in table(printed, "state").items() if key[1] != "(unsorted region)"}
    require(got.pop(("ovni", "Dead"), 0) == 0, name, "ended threads are active")
    del states["ovni", "Dead"]
    differences(f"{name}, states", dict(states), got)
    got = {key: ns for key, ns in table(printed, "label").items() if key[0] != "openmp"}
    differences(f"{name}, tasks", dict(tasks), got)


def check_cpus(name, files, printed):
    running, end = sums(files["cpu.prv"])
    rows = re.findall(r"^(v?CPU [\d.*]+),(\d+),(\d+),(\d+)", printed, re.M)
    want, got = {}, {}
    for i, line in enumerate(rows):
        busy = running[i + 1, 3, 1]
        crowded = sum(ns for (row, kind, value), ns in running.items() if (row, kind) == (i + 1, 3) and value > 1)
        want[i] = [busy, end - busy - crowded, crowded]
        got[i] = [int(cell) for cell in line[1:]]
    require(len(rows) == int(re.search(r"1\((\d+):1\)", files["cpu.prv"])[1]), name, "has other CPUs:", rows)
    differences(f"{name}, CPUs", want, got)


def check_breakdown(name, files, printed, has_times=True):
    """All physical CPUs together: ovniemu sorts their values by time."""
    for file in [file for file in files if file.endswith("-breakdown.prv")]:
        model, want, got = file.split("-")[0], Counter(), Counter()
        (_, words), = labels(files[file.replace(".prv", ".pcf")]).values()
        for (_, _, value), ns in sums(files[file])[0].items():
            if value and ns:
                want[words[value].rstrip("?")] += ns
        for row in re.findall(r"^CPU [^,]+,([^,]+),(?:task|runtime|rest),(.*),(\d+)$", printed, re.M):
            if row[0] == model:
                got[row[1].rstrip("?")] += int(row[2])  # a line feed ends the label in the .pcf
        require(want or not has_times, name, file, "has no times")
        differences(f"{name}, breakdown of {model}", dict(want), dict(got))


def check_capture(archive, folder):
    name = archive.name.split(".")[0]
    with tarfile.open(archive) as tar:
        files = {member.name: tar.extractfile(member).read().decode() for member in tar.getmembers()}
    out = folder / name
    code, printed, error = statistics(CAPTURES / name, f"ovni,paraver,breakdown,{out}", "ovni,states,csv", "ovni,tasks,csv", "ovni,cpus,csv", "ovni,cpus,breakdown,csv")
    require(code == 0, name, error)
    for file, text in files.items():
        require((out / file).read_text() == text, f"{name}: {file} is not what ovniemu writes")
    if any("breakdown" in file for file in files):
        require({file.name for file in out.glob("*.prv")} == {file for file in files if file.endswith(".prv")}, name, "has others than", files.keys())
    check_sums(name, files, printed)
    check_cpus(name, files, printed)
    check_breakdown(name, files, printed)
    code, _, error = statistics(CAPTURES / name, f"ovni,paraver,{out}")
    require(code == 1 and "File exists" in str(error), "files are overwritten:", error)
    code, _, error = statistics(CAPTURES / name, f"ovni,paraver,{out / 'usual'}")
    require(code == 0 and len(list((out / "usual").iterdir())) == 6, name, "has files that nobody asked for:", error)
    code, _, error = statistics(CAPTURES / name, f"ovni,paraver,replace,{out},ovni.thread == 1")
    require(code == 0 and (out / "thread.prv").read_text().count("\n") == 1, "a filter leaves everything:", error)


# --- lint -------------------------------------------------------------------------------------------------------------
def lint(path):
    """The last line, and rules that were broken."""
    code, printed, error = statistics(path, "ovni,lint")
    last = printed.rstrip("\n").split("\n")[-1]
    require(code == 0 and last.startswith("verdict: "), path, code, error)
    _, rows, _ = statistics(path, "ovni,lint,csv")
    rules = [line.split(",")[2] for line in rows.rstrip("\n").split("\n")[1:]]
    require(len(rules) == printed.count("\n") - 4, path, "has other rows in text:", printed, rows)
    return last[9:], set(rules)


def changed(folder, name, pattern, edit):
    """A copy of a capture, one file of which is changed."""
    copy = folder / f"changed-{len(list(folder.iterdir()))}"
    shutil.copytree(CAPTURES / name, copy)
    file = min(copy.rglob(pattern), key=str)
    file.write_bytes(edit(file.read_bytes()))
    return copy


def put_code(code, new):
    return lambda data: data.replace(code, new, 1)


def add_types(*labels):
    """Names types of tasks, at the time when the first one is named."""
    def edit(data):
        at = data.index(b"\x13VYc")
        types = [struct.pack("<I", 900 + i) + label + b"\0" for i, label in enumerate(labels)]
        return data[:at] + b"".join(data[at:at + 12] + struct.pack("<I", len(t)) + t for t in types) + data[at:]
    return edit


# Each is refused by ovniemu 1.14.0 (seen), but for those of -l.
CHANGES = [
    ("v3-hwc", "stream.json", put_code(b'"finished": 1', b'"finished": 0'), "unfinished"),
    ("v3-hwc", "stream.json", put_code(b'"nosv": "', b'"nosw": "'), "require"),
    ("v3-hwc", "stream.json", put_code(b'"nosv": "2.', b'"nosv": "3.'), "require"),
    ("v3-hwc", "stream.json", put_code(b'"app_id": 1', b'"app_id": 0'), "metadata"),
    ("v3-hwc", "stream.json", put_code(b'"index": 0', b'"index": 9'), "cpus"),
    ("v3-nanos6", "stream.obs", put_code(b"6Te", b"6Tx"), "task"),
    ("v3-nanos6", "stream.obs", put_code(b"6Yc", b"6Yd"), "event"),
    ("v3-hwc", "stream.obs", put_code(b"OHe", b"OHr"), "state"),
    ("v3-two-nodes", "stream.obs", put_code(b"MUT", b"MUt"), "nesting"),
    ("v3-two-nodes", "stream.obs", put_code(b"OHe", b"OHp"), "alive"),
    ("v3-hwc", "stream.obs", put_code(b"OHx", b"OB."), "outside"),
    ("v3-two-nodes", "stream.json", put_code(b'"chan_type": "single"', b'"chan_type": "stack"'), "mark"),
    ("v3-two-nodes", "stream.json", put_code(b'"chan_type": "single"', b'"kind": "single"'), "mark"),
    ("v3-two-nodes", "stream.json", put_code(b'"title"', b'"name"'), "mark"),
    ("v3-two-nodes", "clock-offsets.txt", lambda data: data + b"2 node03 0 0 0\n", "clocks"),
    ("v3-two-nodes", "stream.obs", add_types(b"task 76653", b"task 69849"), "type"),  # Paraver's numbers of both are the same
]


def check_lint(folder):
    for path in sorted(CAPTURES.glob("v3-*")):
        verdict, rules = lint(path)
        want = VERDICTS.get(path.name, set())
        require(verdict == ("refused by ovniemu" if want else "accepted by ovniemu"), path.name, verdict, rules)
        require(want <= rules, path.name, "is refused for", rules, "and not for", want)
    for name, pattern, edit, rule in CHANGES:
        verdict, rules = lint(changed(folder, name, pattern, edit))
        require(verdict == "refused by ovniemu" and rule in rules, name, rule, verdict, rules)
    verdict, rules = lint(changed(folder, "v3-two-nodes", "stream.obs", add_types(b"task 1", b"task 2")))
    require(verdict == "accepted by ovniemu", verdict, rules)
    alive = changed(folder, "v3-two-nodes", "stream.obs", put_code(b"OHe", b"OHp"))
    code, out, error = run("tshark", "-2", "-r", entry(alive), "-Y", "ovni.lint.alive", "-T", "fields", "-e", "ovni.mcv", "-e",
                           "ovni.lint")
    require(code == 0 and str(out).startswith("OHp\tthread "), "where a thread stops:", out, error)
    for file in (unrequired := changed(folder, "v3-nanos6", "stream.json", lambda data: data)).rglob("stream.json"):
        file.write_bytes(file.read_bytes().replace(b'"nanos6": "', b'"nosw": "'))
    code, printed, error = statistics(unrequired, "ovni,lint", "ovni,lint,models:all", f"ovni,paraver,models:all,{folder / 'all'}")  # ovniemu -a (seen)
    verdicts = [line for line in printed.split("\n") if line.startswith("verdict")]
    require(code == 0 and sorted(verdicts) == ["verdict: accepted by ovniemu", "verdict: refused by ovniemu"], code, verdicts, error)
    _, _, error = statistics(CAPTURES / "v3-nanos6", f"ovni,paraver,{folder / 'usual'}")
    added = set((folder / "all" / "thread.prv").read_text().split("\n")) - set((folder / "usual" / "thread.prv").read_text().split("\n"))
    require(added and all(line.split(":")[6] == "16" or line.endswith(":0") for line in added), "models:all adds more than idle nOS-V:", added, error)
    for word, does in (("false", "makes no breakdown of it"), ("1", "refuses the trace")):  # as `ovniemu -b` does (seen)
        copy = changed(folder, "v3-two-nodes", "stream.json", put_code(b'"can_breakdown": true', b'"can_breakdown": ' + word.encode()))
        code, printed, error = statistics(copy, "ovni,cpus", "ovni,cpus,csv", "ovni,cpus,breakdown,csv")
        last = next(line for line in printed.split("\n") if line.startswith("waiting of nOS-V"))
        require(code == 0 and "by 11 of 12 threads" in last and f"ovniemu -b {does}. Record with ovni.level = 3" in last, last, error)
        require(re.search(r"^CPU .*,unknown$", printed, re.M) and ",nosv,runtime or rest,API" in printed, "rest:", printed)
        require(",nosv,runtime," not in printed, "runtime without rest:", printed)
        code, _, error = statistics(copy, f"ovni,paraver,breakdown,{folder / word}")
        require(code == 0 and f"no nosv-breakdown is written, as ovniemu -b {does}" in error and not list((folder / word).glob("*-*")), code, error)
    _, printed, _ = statistics(CAPTURES / "v3-two-nodes", "ovni,cpus", "ovni,cpus,breakdown,csv")
    require("waiting" not in printed and "unknown" not in printed and ",nosv,runtime," in printed, "rest that is known:", printed)
    verdict, _ = lint(CAPTURES / "v2-1.10.0-marks")
    require(verdict.startswith("not judged"), verdict)


def check_open(folder):
    """A state is open when its thread ends, and a later event is broken: the event is what ovniemu -l stops at (docs/ovni-lint.md)."""
    def without_last(copy, thread, code, other):
        file, = copy.rglob(f"thread.{thread}/stream.obs")
        head, _, end = file.read_bytes().rpartition(code)
        file.write_bytes(head + other + end)

    trace = shutil.copytree(CAPTURES / "v3-two-nodes", folder / "open")
    without_last(trace, 20742, b"VHW", b"VHw")  # a second one inside the first
    verdict, _ = lint(trace)
    require(verdict == "refused by ovniemu -l", "only an open state:", verdict)
    alone = emulated(trace)
    without_last(trace, 20748, b"VHW", b"V~~")
    _, rows, _ = statistics(trace, "ovni,lint,csv")
    rules = [row["rule"] for row in csv_rows(rows)]
    require(rules[:2] == ["open", "event"], "an open state, then an event:", rows)
    both = emulated(trace)
    if alone:
        require("end_lint: thread 20742" in alone[0] and "process_ev" in both[0], "ovniemu -l stops elsewhere:", alone, both)


def emulated(trace):
    """The errors of an installed `ovniemu -l`."""
    if not OVNIEMU:
        return []
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([OVNIEMU, "-l", trace], env={**os.environ, "OVNI_CONFIG_DIR": empty}, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "ERROR" in line]
    require(errors, "ovniemu -l accepts", trace)
    return errors


def check_asked():
    """One pass plays the trace only if somebody asks, in whatever way."""
    path = entry(CAPTURES / "v3-unsorted")
    _, out, _ = run("tshark", "-2", "-r", path, "-Y", "ovni.lint.order", "-T", "fields", "-e", "frame.number")
    want = out.split()
    require(want, "nothing is out of order")
    def shown(*words):
        return [line.split()[0] for line in run("tshark", "-r", path, *words)[1].split("\n") if line]

    # without -T fields, which makes every field
    for asked in ('ovni.lint contains "goes back"', "ovni.lint.order", '_ws.expert.message contains "goes back"'):
        require(shown("-Y", asked) == want, asked, shown("-Y", asked))
    require(shown("-Y", "ovni.cpu.running == 1"), "ovni.cpu.running")
    _, out, _ = run("tshark", "-r", path, "-o", 'gui.column.format:"N","%m","E","%a"')
    require([line.split()[0] for line in out.split("\n") if "Warning" in line] == want, "a column of severities:", out)
    _, out, _ = run("tshark", "-q", "-r", path, "-z", "expert")
    require(out.count("ovniemu: the clock goes back") == len(want), "-z expert:", out)
    _, out, _ = run("tshark", "-r", path, "-V")
    require(out.count("Refused by ovniemu: the clock goes back") == len(want), "-V:", out.count("Refused by ovniemu"))


def check_others():
    nodes = CAPTURES / "v3-two-nodes"
    code, out, error = run("tshark", "-r", nodes)
    require(code == 0 and out == run("tshark", "-r", entry(nodes))[1] and "is a folder" in error, "a folder:", code, error)
    code, out, error = run("tshark", "-n", "-C", nodes, "-r", entry(nodes), "-c", 1)
    require("is a folder" not in error, "a value that is the name of a folder:", code, error)
    _, printed, _ = statistics(nodes, "ovni,at,0.01", "ovni,balance", "ovni,balance,csv")
    line = next(line for line in printed.split("\n") if line.startswith("node01.0/20575/20743"))
    require(line.split()[1:4] == ["running", "CPU", "0.1"] and "Thread: Worker > Task: In body" in line, line)
    os.environ["COLUMNS"] = "80"
    _, narrow, _ = statistics(nodes, "ovni,at,0.01")
    del os.environ["COLUMNS"]
    require(max(map(len, narrow.split("\n"))) <= 80 and line.split(None, 4)[4] in re.sub(r"\n +", " ", narrow), "at, narrow:", narrow)
    code, _, error = statistics(nodes, "ovni,at,-1")
    require(code == 1 and "a time in seconds since the first record" in error, "at, before the trace:", code, error)
    _, printed_late, _ = statistics(nodes, "ovni,at,99999")
    require(printed_late == "unknown: the moment is after the last record of the trace\n", "at, after the trace:", printed_late)
    os.environ["WIRETRACE_STREAMS"] = "1/2"
    _, share, _ = statistics(nodes, "ovni,balance", "ovni,balance,csv")
    del os.environ["WIRETRACE_STREAMS"]
    require("balance: unknown, as not all streams are read\n" in share and share.count(",unknown,unknown\n") == share.count("\nrank ") / 2, share)
    ranks = [[int(n) for n in row] for row in re.findall(r"^rank (\d+),(\d+),(\d+),(\d+),\d+,0.746,0.498$", printed, re.M)]
    mpi = {row[0]: row[2] for row in ranks}  # as docs/ovni-statistics.md has it
    require(mpi == {0: 5489861, 1: 2081779, 2: 1795647, 3: 4810480}, mpi)
    outside = [row[3] for row in ranks]
    require(f"{int(1000 * sum(outside) / len(outside) / max(outside)) / 1000:.3f}" in printed.split("balance: ")[1], printed)


def main():
    arguments(__doc__)
    archives = sorted((Path(__file__).resolve().parent / "ovniemu").glob("*.tar.xz"))
    require(archives, "there is nothing to compare with")
    with tempfile.TemporaryDirectory() as folder:
        for archive in archives:
            check_capture(archive, Path(folder))
        check_lint(Path(folder))
        check_open(Path(folder))
    check_asked()
    check_others()
    print(f"{len(archives)} captures as ovniemu, {len(CHANGES)} changed ones refused")


if __name__ == "__main__":
    sys.exit(main())
