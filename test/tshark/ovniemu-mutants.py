#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Change ovni traces at random and compare what the plugins say of them with what an installed ovniemu says.

usage: ovniemu-mutants.py [--build DIR] [--count N] [--first N] [--jobs N] [--keep DIR] [--written] [TRACE...]

Every mutant is opened in one pass and in two. ovni,lint must give the verdicts of `ovniemu` and `ovniemu -l`; of what ovniemu accepts,
ovni,paraver must write its files byte for byte, and ovni,cpus,breakdown the sums of `ovniemu -b`. A mutant depends on its number
alone: --first repeats one. --keep keeps those that differ. With --written, traces of MPI and nOS-V are changed that ovni's library beside
the program writes here (test/tshark/programs/ranks.c), with many equal clocks; unchanged, they must be accepted. Without TRACE, the captures of this era are changed. The program is
`ovniemu`, or what OVNIEMU names; without it, or another version than 1.14.0, the exit status is 77. What must differ stands in
docs/ovni-lint.md; such mutants are counted apart.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from bisect import bisect_right as bisect
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import HERE, TOP, arguments, entry, require, run  # noqa: E402
from ovniemu import check_breakdown, check_cpus  # noqa: E402

OVNIEMU = os.environ.get("OVNIEMU") or shutil.which("ovniemu")
FILES = [f"{side}.{suffix}" for side in ("thread", "cpu") for suffix in ("prv", "pcf", "row")]
JUMBO = 0x10
CODES = [code.encode() for code in (TOP / "common" / "ovni" / "events" / "event_tables.c").read_text().split('"') if re.fullmatch(r"[O6VDKMPT][!-~]{2}", code)]


# --- events -----------------------------------------------------------------------------------------------------------
def split(data):
    """The events of a stream; what is cut comes last."""
    events, at = [], 8
    while at + 12 <= len(data):
        size = data[at] & 15
        size = 12 + (size + 1 if size else 0)
        if data[at] & JUMBO and at + 16 <= len(data):
            size = 16 + int.from_bytes(data[at + 12:at + 16], "little")
        events.append(data[at:at + size])
        at += size
    return data[:8], events + ([data[at:]] if at < len(data) else [])


def set_clock(event, clock):
    return event[:4] + struct.pack("<Q", clock % 2 ** 64) + event[12:]


def clock_of(event):
    return int.from_bytes(event[4:12], "little")


def near(r, number):
    """A number that something may mean."""
    return r.choice([0, 1, 2, number + 1, number - 1, number ^ 1 << r.randrange(32), r.randrange(2 ** 32), 2 ** 32 - 1]) % 2 ** 32


def change_payload(r, event):
    body = bytearray(event)
    if len(body) >= 16 and r.random() < 0.7:
        at = 12 + 4 * r.randrange((len(body) - 12) // 4)
        body[at:at + 4] = struct.pack("<I", near(r, int.from_bytes(body[at:at + 4], "little")))
    elif len(body) > 12:
        body[r.randrange(12, len(body))] = r.choice([0, 10, 27, 128, 195, 255, r.randrange(256)])
    return bytes(body)


def resize(r, event):
    """A payload of another size, or a normal event as jumbo event."""
    size = r.randrange(1, 16)
    payload = event[12:12 + size + 1].ljust(size + 1, b"\0")
    if r.random() < 0.3:
        return bytes([0x13]) + event[1:12] + struct.pack("<I", len(payload)) + payload
    return bytes([size]) + event[1:12] + payload


def change_events(r, file, others):
    head, events = split(file.read_bytes())
    at = r.randrange(len(events)) if events else 0
    one = events[at] if events else b""
    does = r.choice(["drop", "twice", "swap", "move", "code", "letter", "payload", "payload", "size", "clock", "clock", "equal", "cut", "byte",
                     "other", "new", "none", "tie", "ties", "coarse"])
    if not events or len(one) < 12:
        does = r.choice(["cut", "none"])
    if does == "drop":
        del events[at]
    elif does == "twice":
        events.insert(at, one)
    elif does == "swap":
        to = min(at + 1, len(events) - 1)
        a, b = clock_of(one), clock_of(events[to].ljust(12))
        events[at], events[to] = set_clock(events[to], a) if r.random() < 0.7 else events[to], set_clock(one, b) if r.random() < 0.7 else one
    elif does == "move":
        to = r.randrange(len(events))
        del events[at]
        events.insert(to, set_clock(one, clock_of(events[min(to, len(events) - 1)].ljust(12))) if events and r.random() < 0.8 else one)
    elif does == "code":
        code = r.choice([other[1:4] for other in events] + CODES)
        events[at] = one[:1] + code + one[4:]
    elif does == "letter":
        letter = r.randrange(1, 4)
        events[at] = one[:letter] + bytes([r.choice(b"O6VDKMPT[]<>=xepcrwabCSs!~\x80")]) + one[letter + 1:]
    elif does == "payload":
        with_payload = [i for i, event in enumerate(events) if len(event) > 12]
        if with_payload:
            at = r.choice(with_payload)
            events[at] = change_payload(r, events[at])
    elif does == "size":
        events[at] = resize(r, one)
    elif does == "clock":
        step = r.choice([1, -1, 1000, -1000, 10 ** 6, -10 ** 6, 3600 * 10 ** 9 + 1, -3600 * 10 ** 9 - 1, 2 ** 62, 2 ** 63])
        every = r.random() < 0.3
        events = [set_clock(event, clock_of(event) + step) if i == at or (every and i > at) and len(event) >= 12 else event
                  for i, event in enumerate(events)]
    elif does == "equal":
        events[at] = set_clock(one, clock_of(events[max(at - 1, 0)]))
    elif does in ("tie", "ties", "coarse"):  # clocks that are equal in several streams
        clocks = sorted({clock_of(event) for other in others for event in split(other.read_bytes())[1] if len(event) >= 12})
        if does == "coarse":  # all of them
            for other in others:
                top, found = split(other.read_bytes())
                other.write_bytes(top + b"".join(set_clock(event, clock_of(event) // 4096 * 4096) if len(event) >= 12 else event for event in found))
            return does
        for i in range(len(events) - 1 if does == "ties" else at, -1 if does == "ties" else at - 1, -1):  # the next clock of any stream
            if len(events[i]) >= 12:
                own, last = clock_of(events[i]), clock_of(events[i + 1]) if i + 1 < len(events) and len(events[i + 1]) >= 12 else 2 ** 64
                later = [clock for clock in clocks[bisect(clocks, own):bisect(clocks, own) + 1] if clock <= last]
                events[i] = set_clock(events[i], later[0] if later else own)
    elif does == "cut":
        data = head + b"".join(events)
        file.write_bytes(data[:r.choice([0, 7, 8, r.randrange(len(data) + 1), len(data) - 1])])
        return does
    elif does == "byte":
        data = bytearray(head + b"".join(events))
        data[r.randrange(len(data))] = r.randrange(256)
        file.write_bytes(data)
        return does
    elif does == "other":
        other = r.choice(others)
        _, found = split(other.read_bytes())
        if found:
            events.insert(at, set_clock(r.choice(found).ljust(12, b"\0"), clock_of(one)))
    elif does == "new":
        payload = bytes(r.choice([0, 1, 2, 3, 255]) if i % 4 == 0 else 0 for i in range(r.choice([0, 4, 8, 12])))
        events.insert(at, bytes([max(len(payload) - 1, 0)]) + r.choice(CODES) + one[4:12] + payload)
    else:
        events = []
    file.write_bytes(head + b"".join(events))
    return does


# --- metadata ---------------------------------------------------------------------------------------------------------
VALUES = ["0", "1", "-1", "2", "1.5", "0.5", "-0.5", "03", ".5", "-.5", "0x5", "1e999", "1e2", "-0", "00", "0e1", "2147483648", "-2147483649",
          "4294967297", "1e-999", "null", "true", "false", "nul", "{}", "[]", "[1]", "{\"a\": 1}", '""', '"5"', '"thread"', '"foo"', '"a/b"',
          '"a\tb"', '"\\x"', '"\\u00e9\\n"', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\x7f\\u001b[31m"', '"1.0.0"', '"1.1.0x"',
          '"1.-1.0"', '"1..0.0"', '"1.0.0-rc"', '" 1.1.0"', '"9.0.0"', '"1.9.0"', '"1.1"', '"single"', '"stack"',
          '"' + "x" * 600 + '"', '"' + "y" * 511 + '"', '"' + "z" * 240 + '"', '"' + "w" * 5000 + '"', "\"\udcff\udcc3\"", "1 2", "",
          "/* a */ 1", "1 // b\n", "[" * 70 + "]" * 70, "[" * 2100 + "]" * 2100]
KEYS = ['"0"', '"1"', '" 1"', '"1 "', '"+1"', '"0x5"', '"-1"', '"99"', '"100"', '"4294967297"', '"99999999999999999999"', '"title"', '"name"',
        '"\\u0000"', '"tid"', '"x"', "x", "'x'", '"\udcfe"']
MARKS = ['{"1": {"title": "Phase", "chan_type": "single", "labels": {"1": "one", "2": "tw\\u00f6\\t"}}}',
         '{"2": {"title": "B", "chan_type": "stack"}, "1": {"title": "Phase", "chan_type": "single", "labels": {"2": "tw\\u00f6\\t"}}}',
         '{"2": {"title": "B", "chan_type": "stack", "labels": null}}', '{" 5": {"title": "\udcff", "chan_type": "single"}}', '{"7": 1}', "{}"]
COUNTERS = ['{"0": {"name": "A"}}', '{"0": {"name": "A"}, "1": {"name": "B\\u0001"}}', '{"0": {}}', '{"x": {"name": "A"}}', '{"1": {"name": "A"}}',
            '{" 0": {"name": "A"}, "0": {"name": "A"}}', "{}", "[]", '{"0": {"name": "' + "n" * 600 + '"}}', '{"0": {"name": "' + "n" * 300 + '"}}']
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|\s+|.', re.S)


def objects(value, path=()):
    """Paths of all objects in a parsed text."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def place(text, value):
    """Parsed metadata as text, in which marks for raw text are replaced."""
    return re.sub(r'"@(\d+)@"', lambda found: value[int(found[1])], text)


def change_members(r, text):
    """Members are added, dropped, given another value, or stand twice."""
    root = json.loads(text)
    raw, ovni = [], root.get("ovni") if isinstance(root, dict) else None
    if not isinstance(ovni, dict):
        raise ValueError

    def odd(word):
        raw.append(word)
        return f"@{len(raw) - 1}@"

    does = r.choice(["drop", "value", "value", "value", "twice", "key", "marks", "marks", "counters", "rank", "require", "cpus", "part"])
    where = r.choice([found for found in objects(root) if found] or [root])
    if does == "drop" and where:
        del where[r.choice(list(where))]
    elif does == "value" and where:
        where[r.choice(list(where))] = odd(r.choice(VALUES))
    elif does == "twice" and where:
        key = r.choice(list(where))
        where[odd(f"{json.dumps(key)}: {json.dumps(where[key])}, {json.dumps(key)}")] = where[key]
    elif does == "key" and where:
        where[odd(r.choice(KEYS))] = where.pop(r.choice(list(where)))
    elif does == "marks":
        ovni["mark"] = odd(r.choice(MARKS))
    elif does == "counters":
        root["nosv"] = {"can_breakdown": True, "hwc": odd(r.choice(COUNTERS))}
    elif does == "rank":
        ovni.update({name: odd(r.choice(["0", "1", "2", "3", '"x"', "null", "2147483648", "1.9"])) for name in ("rank", "nranks")})
    elif does == "require":
        had = ovni.get("require")
        ovni["require"] = {**(had if isinstance(had, dict) else {}), r.choice(["ovni", "nosv", "mpi", "nothing"]): odd(r.choice(VALUES))}
    elif does == "cpus":
        cpus = ovni.get("loom_cpus") if isinstance(ovni.get("loom_cpus"), list) else []
        cpus.insert(r.randrange(len(cpus) + 1), odd(r.choice(["{}", "null", '{"index": null}', '{"phyid": 7}', '{"index": 2147483648, "phyid": 9}',
                                                               '{"index": 1, "phyid": 9}', '{"index": 0, "phyid": "x"}', "3"])))
        ovni["loom_cpus"] = cpus
    else:
        ovni["part"] = r.choice(["foo", "thread", "loom"])
    return does, place(json.dumps(root, indent=1), raw)


def change_tokens(r, text):
    """One word of the text is dropped, written twice or replaced."""
    tokens = TOKEN.findall(text) or [""]
    at = r.choice([i for i, token in enumerate(tokens) if not token.isspace()] or [len(tokens) - 1])
    tokens[at] = r.choice(["", tokens[at] * 2, r.choice(VALUES), r.choice(list("{}[],:\"'/\\\t\v\0#")), tokens[at] + ","])
    return "token", "".join(tokens)


def change_metadata(r, file):
    data = file.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    does = r.random()
    if does < 0.08 and data:
        at = r.randrange(len(data))
        file.write_bytes(data[:at] + bytes([r.choice([0, 9, 11, 34, 39, 92, 128, 255, r.randrange(256)])]) + data[at + r.randrange(2):])
        return "byte"
    try:
        what, text = change_tokens(r, text) if does < 0.35 else change_members(r, text)
    except (ValueError, RecursionError):  # it has been broken before
        what, text = change_tokens(r, text)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return what


def change_clocks(r, trace):
    looms = sorted({folder.name[5:] for folder in trace.glob("loom.*")})
    rows = [f"{i} {loom.split('.')[0]} {offset} {offset} 0" for i, (loom, offset) in
            enumerate((r.choice([*looms, "nobody"]), r.choice([0, 1, -5000, 10 ** 7, 10 ** 14])) for _ in range(r.randrange(3)))]
    (trace / "clock-offsets.txt").write_text("\n".join(["rank hostname offset_median offset_mean offset_std", *rows, ""]))
    return "offsets"


def change_files(r, file):
    does = r.choice(["no json", "no obs", "empty json", "empty obs"])
    file = file.with_name("stream" + (".json" if "json" in does else ".obs"))
    if "empty" in does:
        file.write_bytes(b"")
    elif file.exists():
        file.unlink()
    return does


def mutate(number, base, copy):
    """Changes a copy of a trace, and tells how."""
    r = random.Random(number)
    shutil.copytree(base, copy, ignore=shutil.ignore_patterns("*.prv", "*.pcf", "*.row", "cfg"))
    changes = []
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        streams = sorted(copy.rglob("stream.obs"))
        texts = sorted(copy.rglob("stream.json"))
        kind = r.random()
        if kind < 0.55 and streams:
            file = r.choice(streams)
            changes.append(f"{change_events(r, file, streams)} of {file.relative_to(copy)}")
        elif kind < 0.93 and texts:
            file = r.choice(texts)
            changes.append(f"{change_metadata(r, file)} of {file.relative_to(copy)}")
        elif kind < 0.96:
            changes.append(change_clocks(r, copy))
        elif texts:
            changes.append(f"{change_files(r, r.choice(texts))}")
    return ", ".join(changes)


# --- comparing --------------------------------------------------------------------------------------------------------
def emulate(trace, empty, *words):
    done = subprocess.run([OVNIEMU, *words, trace], env={**os.environ, "OVNI_CONFIG_DIR": str(empty)}, capture_output=True, timeout=300,
                          check=False)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def verdict_of_ovniemu(trace, empty):
    strict, _ = emulate(trace, empty, "-l")
    code, error = emulate(trace, empty)
    return "accepted by ovniemu" if (code, strict) == (0, 0) else "refused by ovniemu" if code else "refused by ovniemu -l", error


def reads_beyond(trace):
    """Whether ovniemu reads bytes of the next event, which docs/ovni-lint.md names: of what must be jumbo events, or a label without its 0."""
    for file in trace.rglob("stream.obs"):
        for event in split(file.read_bytes())[1]:
            code, jumbo = event[1:4], event[:1] and event[0] & JUMBO
            if code in (b"VYc", b"6Yc", b"POc") and not (jumbo and b"\0" in event[20:]) or code == b"VWC" and not jumbo:
                return True
    return False


def ties_beside_unnamed(trace):
    """Whether streams have equal clocks beside one without stream.json, which ovniemu does not have in its heap: docs/ovni-lint.md."""
    files = list(trace.rglob("stream.obs"))
    clocks = Counter(clock for file in files for clock in {clock_of(event) for event in split(file.read_bytes())[1] if len(event) >= 12})
    return any(not file.with_name("stream.json").exists() for file in files) and max(clocks.values(), default=0) > 1


def clean(text):
    """Without what tables do not show as it is, in runs."""
    return re.sub(r"[^ -~\n]+|\?+", "?", text)


def compare(trace, empty, folder):
    """What differs, or None; and the verdict."""
    texts = sorted(trace.rglob("stream.json"))
    if not texts:
        return None, "nothing to open"
    want, error = verdict_of_ovniemu(trace, empty)
    accepted = want != "refused by ovniemu"
    files = {name: (trace / name).read_bytes() for name in FILES} if accepted else {}
    for passes in ([], ["-2"]):
        out = folder / f"out{len(passes)}"
        statistics = ["-z", "ovni,lint"] + (["-z", f"ovni,paraver,breakdown,{out}", "-z", "ovni,cpus,csv", "-z", "ovni,cpus,breakdown,csv", "-z", "ovni,cpus"] if accepted else [])
        code, printed, problem = run("tshark", "-n", "-q", *passes, "-r", texts[0], *statistics)
        found = re.search(r"^verdict: (.*)$", printed, re.M)
        if not found:
            return f"no verdict: {code} {problem[-300:]}", want
        got = found[1]
        if got.startswith("not judged, as") and "open a stream.json" not in got:
            return None, "not judged"
        if got != want:
            last = [line for line in error.split("\n") if "ERROR" in line and "@@" not in line][:3]
            return f"{got}, but {want}:\n" + "\n".join(printed.split("\n")[-6:-2] + last), want
        for name in files:
            if (out / name).read_bytes() != files[name]:
                return f"{name} is another one", want
    if not accepted:
        return None, want
    code, error = emulate(trace, empty, "-b")
    made = "refuses the trace" if code else "makes no breakdown of it" if "cannot enable breakdown for nOS-V" in error else None
    told = re.search(r"^waiting of nOS-V .* ovniemu -b (.*?)\.", printed, re.M)
    if (told and told[1]) != made:
        return f"ovniemu -b {made}: {error[-300:]}, but {told and told[1]}", want
    texts = {name: data.decode("utf-8", "surrogateescape") for name, data in files.items()}
    if any(not file.with_name("stream.json").exists() for file in trace.rglob("stream.obs")):
        return None, want  # time of CPUs counts up to the last event of these, too: docs/ovni-lint.md
    check_cpus(trace.name, texts, printed)
    for file in trace.glob("*-breakdown.p*"):
        texts[file.name] = clean(file.read_bytes().decode("utf-8", "surrogateescape"))
    if code == 0:
        check_breakdown(trace.name, texts, clean(printed), False)
        for passes in ("0", "1"):
            got, made = ({file.name: file.read_bytes() for file in place.glob("*-breakdown.*")} for place in (folder / f"out{passes}", trace))
            if got != made:
                return f"{[name for name in got.keys() | made.keys() if got.get(name) != made.get(name)]} are others", want
    return None, want


def written(folder):
    """Traces that the library writes: of one to four ranks, with and without a breakdown. None: there is no library, or no compiler."""
    prefix, program = Path(OVNIEMU).resolve().parent.parent, folder / "ranks"
    if not (prefix / "include" / "ovni.h").exists() or not shutil.which("cc"):
        return None
    subprocess.run(["cc", "-o", program, HERE / "programs" / "ranks.c", f"-I{prefix / 'include'}", f"-L{prefix / 'lib'}", "-lovni",
                    f"-Wl,-rpath,{prefix / 'lib'}", "-pthread"], check=True)
    for n in range(6):
        ranks, threads, steps = 1 + n % 4, 1 + n % 5, (40, 400)[n % 2]
        subprocess.run([program, *map(str, (ranks, threads, steps, n, n % 3))], env={**os.environ, "OVNI_TRACEDIR": str(folder / f"written{n}")}, check=True)
    traces = sorted(folder.glob("written*"))
    (folder / "cfg").mkdir()
    for trace in traces:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "trace"
            shutil.copytree(trace, copy)
            difference, verdict = compare(copy, folder / "cfg", Path(scratch))
        require(not difference and verdict == "accepted by ovniemu", trace.name, "is", verdict, difference)
    return traces


def main():
    args = arguments(__doc__, __count={"type": int, "default": 40}, __first={"type": int, "default": 0}, __jobs={"type": int, "default": 2},
                     __keep={"type": Path}, __written={"action": "store_true"}, traces={"nargs": "*", "type": Path})
    if not OVNIEMU:
        print("ovniemu is not installed, so there is nothing to compare with")
        return 77
    version = re.search(r"version (\S+)", subprocess.run([OVNIEMU, "-h"], capture_output=True, text=True, check=False).stderr)
    if not version or version[1] != "1.14.0":
        print("another version of ovniemu than 1.14.0 is installed:", version and version[1])
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        bases = written(Path(scratch)) if args.written else args.traces or sorted((TOP / "captures" / "ovni").glob("v3-*"))
        if not bases:
            print("ovni's library is not installed beside ovniemu, or no compiler is")
            return 77
        return compare_mutants(bases, args)


def compare_mutants(bases, args):
    results, differ = Counter(), []

    def judge(number):
        base = bases[number % len(bases)]
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            empty, trace = folder / "cfg", folder / "trace"
            empty.mkdir()
            changes = mutate(number, base, trace)
            try:
                difference, verdict = compare(trace, empty, folder)
            except Exception as problem:  # of a check
                difference, verdict = f"{type(problem).__name__}: {problem}", "accepted by ovniemu"
            if difference and (reads_beyond(trace) or ties_beside_unnamed(trace)):
                return None, "as docs/ovni-lint.md has it"
            if difference and args.keep:
                kept = args.keep / f"{number}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(trace, kept, ignore=shutil.ignore_patterns("cfg"))
            return f"mutant {number} of {base.name} ({changes}): {difference}" if difference else None, verdict

    with ThreadPoolExecutor(args.jobs) as pool:
        for difference, verdict in pool.map(judge, range(args.first, args.first + args.count)):
            results[verdict] += 1
            if difference:
                differ.append(difference)
                print(difference, flush=True)
    print(f"{args.count} mutants of {len(bases)} traces:", ", ".join(f"{n} {name}" for name, n in results.most_common()))
    require(not differ, len(differ), "differ")
    require(results["accepted by ovniemu"] and results["refused by ovniemu"], "one of the verdicts never came")
    return 0


if __name__ == "__main__":
    sys.exit(main())
