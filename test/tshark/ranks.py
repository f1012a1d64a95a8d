#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is asked of MPI ranks, on traces whose answers are known (docs/examples/ranks.py).

usage: ranks.py [--build DIR] TEST

tests:
  queries   the queries of docs/ranks.md: who is late, the critical path, states of ranks, efficiencies, counters of tasks
  marks     ovni,states, ovni,tasks and ovni,balance within a mark, against a count from the bytes of the event files; ovni,cpus by node
"""
import csv
import importlib.util
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import npm  # noqa: E402
from calls import differences  # noqa: E402
from check import CAPTURES, TOP, arguments, entry, require, run, skip  # noqa: E402

spec = importlib.util.spec_from_file_location("made_ranks", TOP / "docs" / "examples" / "ranks.py")
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)

TOGETHER = {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allgather"}
MEETING = {"MPI_Allreduce", "MPI_Barrier"}
made.CODES.update({"MPI_Reduce": ("ME[", "ME]"), "MPI_Allgather": ("MAg", "MAG"), "MPI_Recv": ("MR[", "MR]")})


class Odd(made.Program):
    """With calls that do not belong to all ranks, and a mark of one value that is set in each step."""
    def alone(self, function, ranks, length):
        for rank in ranks:
            at = self.now[rank]
            self.now[rank] += self.between(length, 2 * length)
            for code, time in zip(made.CODES[function], (at, self.now[rank])):
                self.main[rank].event(code, time)
            self.calls.append((function, rank, at, self.now[rank]))

    def task(self, rank, kind, begin, length):
        """One type of tasks is paused for a third of the time, as by nosv_pause()."""
        if kind == 2:
            super().task(rank, kind, begin, length)
            return
        w, third = self.worker[rank], length // 3
        self.tasks += 1
        self.main[rank].event("VTc", begin - 5, "II", self.tasks, kind)
        if self.hungry[rank]:
            w.event("VSf", begin - 3)
        self.count(rank, begin - 2, 100, 400)
        for code, time in (("VTx", begin), ("VAp", begin + third)):
            w.event(code, time, *("II", self.tasks, 0) * (code[1] == "T"))
        self.count(rank, begin + third + 1, 6 * third, 3 * third)
        w.event("VTp", begin + third + 2, "II", self.tasks, 0)
        self.count(rank, begin + 2 * third - 1, 100, 400)
        w.event("VTr", begin + 2 * third, "II", self.tasks, 0)
        w.event("VAP", begin + 2 * third + 1)
        w.event("VTe", begin + length, "II", self.tasks, 0)
        self.count(rank, begin + length + 2, 6 * third, 3 * third)
        w.event("VSh", begin + length + 3)
        self.hungry[rank] = True
        self.bodies[rank].append((kind, begin + third - 2, begin + length))  # as long as it ran

    def step(self, number):
        for rank, main in enumerate(self.main):
            main.event("OM=", self.now[rank], "qi", number % 3 + 1, 8)
        self.alone("MPI_Recv", [rank for rank in range(len(self.main)) if self.between(0, 2)], 7000)
        super().step(number)
        if number % 3 == 1:
            self.alone("MPI_Allgather", range(len(self.main) // 2), 500)  # a communicator of half the ranks
        self.alone("MPI_Reduce", [0] * (number % 2) + list(range(len(self.main))), 300)  # the first rank calls it more often


# --- queries ----------------------------------------------------------------------------------------------------------
def section():
    """(commands, whether they print something) of the page, but for those that make the trace."""
    text = (TOP / "docs" / "ranks.md").read_text(encoding="utf-8")
    return [block.split("\n", 1)[1] if "examples/ranks.py" in block else block for block in re.findall(r"```sh\n(.*?)```", text, re.S)]


def answers(folder):
    """The rows that each block prints."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "tshark").write_text(f"#!/bin/sh\nPATH='{os.environ['PATH']}' exec '{TOP}/tools/run' tshark \"$@\"\n")
    (programs / "tshark").chmod(0o755)
    npm.make_duckdb(programs)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    found = []
    for block in section():
        done = subprocess.run(["bash", "-euc", block], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
        require(done.returncode == 0, block, done.stdout, done.stderr)
        found.append(list(csv.DictReader(done.stdout.splitlines())))
    return found


def numbered(program):
    """function -> rank -> its calls in order"""
    found = defaultdict(lambda: defaultdict(list))
    for function, rank, entered, left in program.calls:
        found[function][rank].append((entered, left))
    return found


def collective(program):
    """A row of late.csv for each call that all ranks share."""
    for function, ranks in numbered(program).items():
        counts = {len(calls) for calls in ranks.values()}
        if function in TOGETHER and len(ranks) == len(program.main) and len(counts) == 1:
            for number in range(counts.pop()):
                calls = {rank: own[number] for rank, own in ranks.items()}
                last = max(calls, key=lambda rank: calls[rank][0])
                came, before = sorted((call[0] for call in calls.values()), reverse=True)[:2]
                waited = sum(min(came, left) - entered for entered, left in calls.values())
                yield {"function": function, "call": number + 1, "last": last, "came_ns": came, "waited_ns": waited, "alone_ns": came - before}


def inside_mpi(program, rank, since, until):
    found = Counter()
    for function, whose, entered, left in program.calls:
        if whose == rank and min(left, until) > max(entered, since):
            found[function] += min(left, until) - max(entered, since)
    return found


def critical(program, late):
    """(rank, function or type of task) -> ns, walked from the end."""
    meetings = sorted((row["came_ns"], row["last"]) for row in late if row["function"] in MEETING)
    until, rank = max((left, rank) for _, rank, _, left in program.calls)
    path = Counter()
    while until:
        since, before = meetings.pop() if meetings else (0, None)
        own = inside_mpi(program, rank, since, until)
        path.update({(rank, function): ns for function, ns in own.items()})
        path[rank, "(outside MPI)"] += until - since - sum(own.values())
        for kind, begin, end in program.bodies[rank]:
            path[rank, made.TYPES[kind][0]] += max(0, min(end, until) - max(begin, since))
        until, rank = since, before
    return path


def efficiencies(program, late):
    calls = numbered(program)
    since = max(left for own in calls["MPI_Init"].values() for _, left in own)
    until = min(entered for own in calls["MPI_Finalize"].values() for entered, _ in own)
    shared = {row["function"] for row in late} & MEETING
    useful, steps = Counter(), defaultdict(Counter)
    for rank in range(len(program.main)):
        at, step = since, 0
        for function, entered, left in sorted(((f, a, b) for f, who, a, b in program.calls if who == rank), key=lambda call: call[1]):
            spent = max(0, min(entered, until) - max(at, since))
            useful[rank] += spent
            steps[step][rank] += spent
            at, step = left, step + (function in shared)
    whole, ideal, longest = until - since, sum(max(one.values()) for one in steps.values()), max(useful.values())
    mean = sum(useful.values()) / len(program.main)
    return {"parallel": mean / whole, "load_balance": mean / longest, "communication": longest / whole,
            "serialisation": longest / ideal, "transfer": ideal / whole}


def check_queries(program, what, folder):
    program.write(folder / "ranks")
    _, _, by_rank, dearest, _, path, tasks, uneven, pop, counters = answers(folder)
    late = list(collective(program))
    with open(folder / "late.csv", encoding="utf-8", newline="") as file:
        got = [{key: value if key == "function" else int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    require(sorted(got, key=str) == sorted(late, key=str), what, "calls in which ranks are late:", got[:5], late[:5])
    planted = [(name, last) for name, last in program.late if name in TOGETHER]
    require([(row["function"], row["last"]) for row in sorted(late, key=lambda row: row["came_ns"])] == planted, what, "is not what was planted")
    sums = Counter()
    for row in late:
        sums[row["last"], row["function"]] += row["waited_ns"]
    differences(f"{what}, waiting by rank", dict(sums), {(int(row["rank"]), row["function"]): int(row["waited_ns"]) for row in by_rank})
    require([int(row["waited_ns"]) for row in dearest] == sorted((row["waited_ns"] for row in late), reverse=True)[:3], what, dearest)
    want = {key: ns for key, ns in critical(program, late).items() if ns > 0}
    differences(f"{what}, critical path", want, {(int(row["rank"]), row.get("function") or row["label"]): int(row["ns"]) for row in [*path, *tasks]})
    for row in uneven:
        if row["state"].startswith("MPI_"):
            ranks = [sum(b - a for a, b in numbered(program)[row["state"]][rank]) for rank in range(len(program.main))]
            require((int(row["least"]), int(row["mean"]), int(row["largest"])) == (min(ranks), sum(ranks) // len(ranks), max(ranks)), what, row, ranks)
    require(any(row["state"].startswith("MPI_") for row in uneven), what, "no function is uneven", uneven)
    for name, value in efficiencies(program, late).items():
        require(abs(float(pop[0][name]) - value) < 0.00051, what, name, value, pop)
    ipc = {row["what"]: float(row["ipc"]) for row in counters}
    paused = {"API: Pause": 0.25} if isinstance(program, Odd) else {}
    require(ipc == {"solve": 2.0, "halo": 0.5, "Scheduler: Hungry": 0.25, "(before)": 0.25, **paused}, what, "instructions per cycle:", counters)


def test_queries(folder):
    try:
        for number, program in enumerate([made.Program(), made.Program(5, 6, 9), Odd(2), Odd(3, 2, 7), Odd(4, 5, 20)]):
            place = folder / str(number)
            place.mkdir()
            check_queries(program, f"trace {number}", place)
    except npm.Missing as missing:
        skip(missing)


# --- marks ------------------------------------------------------------------------------------------------------------
PAIRS = [*((*codes, name) for name, codes in made.CODES.items()), ("VTx", "VTe", "Task: In body"), ("VAp", "VAP", "API: Pause"),
         ("VSh", "VSf", "Scheduler: Hungry"), ("OHx", "OHe", "Running")]
STATES = {code: name for *codes, name in PAIRS for code in codes}
BEGINS = {begins for begins, _, _ in PAIRS}


def events(data):
    at = 8
    while at < len(data):
        flags, code, clock = struct.unpack_from("<B3sQ", data, at)
        size = 16 + struct.unpack_from("<I", data, at + 12)[0] if flags & 16 else 12 + (flags & 15) + ((flags & 15) > 0)
        yield code.decode(), clock, data[at + 12:at + size]
        at += size


def spans(stream):
    """(name, begin, end), and those of marks as ("mark", type, value)."""
    found, opened, single = [], {}, {}
    for code, clock, payload in events(bytes(stream.data)):
        time = clock + stream.offset - made.EPOCH
        if code in ("OM[", "OM=", "OM]"):
            value, kind = struct.unpack_from("<qi", payload)
            if code == "OM=":
                if kind in single:
                    found.append((("mark", kind, single[kind][0]), single[kind][1], time))
                single[kind] = value, time
            elif code == "OM[":
                opened["mark", kind, value] = time
            else:
                found.append((("mark", kind, value), opened.pop(("mark", kind, value)), time))
        if code in ("VTx", "VTr"):
            opened["(task)"] = time
        elif code in ("VTp", "VTe"):
            found.append(("(task)", opened.pop("(task)"), time))
        if code in BEGINS:
            opened[STATES[code]] = time
        elif code in STATES:
            found.append((STATES[code], opened.pop(STATES[code]), time))
        if code == "OHx":
            opened["Progressing"] = time  # the metadata require nOS-V
        if code == "OHe":
            found += [("Dead", time, 1 << 62), ("Progressing", opened.pop("Progressing"), time)]
            found += [(("mark", kind, value), since, time) for kind, (value, since) in single.items()]
    return found


def overlap(one, periods):
    return sum(max(0, min(one[1], until) - max(one[0], since)) for since, until in periods)


def called(name, phases):
    if name[0] != "mark":
        return name
    return f"Phase: {phases[name[2]]}" if name[1] == 7 else f"Mark {name[1]}: {name[2]}"


def want_of(program, mark):
    """(rank, state) -> ns inside the mark of its rank."""
    found = Counter()
    for main, worker in zip(program.main, program.worker):
        own = [(called(name, made.PHASES), begin, end) for stream in (main, worker) for name, begin, end in spans(stream)]
        periods = [(begin, end) for name, begin, end in own if name == mark]
        for name, begin, end in own:
            found[f"rank {main.rank}", name] += overlap((begin, end), periods)
    return Counter({key: ns for key, ns in found.items() if ns})


def table(path, *taps):
    _, out, error = run("tshark", "-q", "-r", path, *(word for tap in taps for word in ("-z", tap)))
    require(out.startswith(("state,", "rank,", "label,", "cpu,", "node,")), taps, out, error)
    return list(csv.DictReader(out.strip().splitlines()))


def check_mark(path, program, mark):
    word = "within:" + mark.replace(": ", "=")
    want = want_of(program, mark)
    bodies = {f"rank {main.rank}": want.pop((f"rank {main.rank}", "(task)"), 0) for main in program.main}
    got = {(row["group_name"], row["state"]): int(row["sum_ns"]) for row in table(path, f"ovni,states,{word},by:rank,csv") if int(row["sum_ns"])}
    differences(f"states within {mark}", dict(want), got)
    tasks = {row["group_name"]: 0 for row in table(path, "ovni,states,by:rank,csv")}
    for row in table(path, f"ovni,tasks,by:rank,{word},csv"):
        tasks[row["group_name"]] += int(row["sum_ns"])
    differences(f"tasks within {mark}", bodies, tasks)
    for row in table(path, f"ovni,balance,{word},csv"):
        mpi = sum(ns for (rank, name), ns in want.items() if rank == row["rank"] and name.startswith("MPI_"))
        require((int(row["running_ns"]), int(row["mpi_ns"]), int(row["tasks_ns"])) == (want[row["rank"], "Running"], mpi, bodies[row["rank"]]), mark, row, want)


def check_nodes(path, program):
    """The CPUs of each node are those of its looms, which are in order of ranks."""
    for words in ("", ",breakdown"):
        want, got = Counter(), Counter()
        for key, by, found in (("cpu", "", want), ("node", ",by:node", got)):
            for row in table(path, f"ovni,cpus{words}{by},csv"):
                name = row[key] if by else "node1" if int(re.search(r"CPU (\d+)\.", row[key])[1]) < len(program.main) // 2 else "node2"
                for column in row:
                    if column.endswith("_ns"):
                        found[name, row.get("does"), row.get("what"), column] += int(row[column])
        differences(f"ovni,cpus{words} by node", dict(want), dict(got))
        require({name for name, *_ in got} == {"node1", "node2"} and sum(got.values()), got)


def test_marks(folder):
    for number, program in enumerate([made.Program(), Odd(7, 5, 10)]):
        program.write(folder / str(number))
        path = next((folder / str(number)).rglob("stream.json"))
        for mark in [f"Phase: {name}" for name in made.PHASES.values()] + [f"Mark 8: {value}" for value in (1, 2, 3)] * number:
            check_mark(path, program, mark)
        check_nodes(path, program)
    two_nodes = entry(CAPTURES / "ovni" / "v3-two-nodes")
    code, out, error = run("tshark", "-q", "-r", two_nodes, "-z", "ovni,states,within:compute")
    require(code == 1 and "two times in seconds" in error, code, out, error)
    for statistic in ("states", "tasks", "balance"):
        _, out, error = run("tshark", "-q", "-r", two_nodes, "-z", f"ovni,{statistic},within:Phase=nonsense")
        require('no event sets the mark "Phase=nonsense"' in out, out, error)
    _, out, _ = run("tshark", "-q", "-r", two_nodes, "-z", 'ovni,states,within:"Phase=compute",csv,ovni.rank == 2')
    require("Phase: compute" in out, "a filter after the word, and quotation marks:", out)


def main():
    args = arguments(__doc__, test={"choices": ["queries", "marks"]})
    with tempfile.TemporaryDirectory() as folder:
        {"queries": test_queries, "marks": test_marks}[args.test](Path(folder))


if __name__ == "__main__":
    main()
