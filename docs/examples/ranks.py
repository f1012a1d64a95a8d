#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes an ovni trace whose answers are known: four MPI ranks on two nodes, of which one is late in most collective calls.

usage: ranks.py FOLDER

Each rank has a thread that calls MPI, and one that runs tasks of nOS-V and reads two hardware counters around each of them. Prints
who enters each collective call last.
"""
import json
import random
import struct
import sys
from pathlib import Path

EPOCH = 5 * 10 ** 12  # clock of the first event, ns
OFFSETS = {"node1": 0, "node2": -250_000_000}  # to add to the clocks of a node
COUNTERS = ["PAPI_TOT_INS", "PAPI_TOT_CYC"]
TYPES = {1: ("solve", 2.0), 2: ("halo", 0.5)}  # name, instructions per cycle
PHASES = {1: "setup", 2: "compute", 3: "output"}
CODES = {"MPI_Init": ("MUi", "MUI"), "MPI_Allreduce": ("MAr", "MAR"), "MPI_Barrier": ("MCb", "MCB"), "MPI_Bcast": ("MDb", "MDB"),
         "MPI_Finalize": ("MUf", "MUF")}


class Stream:
    """The events of a thread, in order of time."""
    def __init__(self, rank, thread, offset):
        self.rank, self.thread, self.offset, self.data = rank, thread, offset, bytearray(b"ovni\1\0\0\0")

    def event(self, code, time, form="", *values):
        payload = struct.pack("<" + form, *values)
        self.data += struct.pack("<B3sQ", max(len(payload) - 1, 0), code.encode(), EPOCH + time - self.offset) + payload

    def jumbo(self, code, time, payload):
        self.data += struct.pack("<B3sQI", 0x13, code.encode(), EPOCH + time - self.offset, len(payload)) + payload


class Program:
    """What the ranks do. `calls`: (function, rank, entered, left) of each call of MPI, in ns since the first event; `bodies`: (type,
    begin, end) of the tasks of each rank."""
    def __init__(self, seed=1, ranks=4, steps=12):
        self.random, self.steps, self.calls, self.late, self.tasks = random.Random(seed), steps, [], [], 0
        self.main, self.worker, self.now, self.hungry = [], [], [0] * ranks, [False] * ranks
        self.bodies = [[] for _ in range(ranks)]
        for rank in range(ranks):
            offset = OFFSETS["node1" if rank < ranks // 2 else "node2"]
            self.main.append(Stream(rank, 0, offset))
            self.worker.append(Stream(rank, 1, offset))
        self.run()

    def between(self, least, most):
        return least + int(self.random.random() * (most - least))

    def together(self, function, leave):
        """All ranks call it; `leave` has the time when a rank leaves it, of its own arrival and that of the last one."""
        arrived = list(self.now)
        last = max(arrived)
        for rank, at in enumerate(arrived):
            self.now[rank] = leave(rank, at, last)
            enters, leaves = CODES[function]
            self.main[rank].event(enters, at)
            self.main[rank].event(leaves, self.now[rank])
            self.calls.append((function, rank, at, self.now[rank]))
        self.late.append((function, arrived.index(last)))

    def task(self, rank, kind, begin, length):
        """With its counters: what was counted before it belongs to the runtime."""
        self.tasks += 1
        w, cycles = self.worker[rank], length * 3
        if self.hungry[rank]:
            w.event("VSf", begin - 3)
        self.main[rank].event("VTc", begin - 5, "II", self.tasks, kind)
        self.bodies[rank].append((kind, begin, begin + length))
        self.count(rank, begin - 2, 100, 400)
        w.event("VTx", begin, "II", self.tasks, 0)
        w.event("VTe", begin + length, "II", self.tasks, 0)
        self.count(rank, begin + length + 2, int(cycles * TYPES[kind][1]), cycles)
        w.event("VSh", begin + length + 3)
        self.hungry[rank] = True

    def count(self, rank, time, *values):
        self.worker[rank].jumbo("VWC", time, struct.pack("<2q", *values))

    def begin(self):
        for rank, (main, worker) in enumerate(zip(self.main, self.worker)):
            main.event("OHx", rank, "iiQ", 0, -1, 0)
            for kind, (name, _) in TYPES.items():
                main.jumbo("VYc", rank + kind, struct.pack("<I", kind) + name.encode() + b"\0")
            worker.event("OHx", rank + 10, "iiQ", 1, -1, 0)
            main.event("OM[", rank + 20, "qi", 1, 7)
            self.count(rank, rank + 30, 0, 0)
            self.now[rank] = 1000 + rank

    def enter_phase(self, phase):
        for rank, main in enumerate(self.main):
            main.event("OM]", self.now[rank], "qi", phase - 1, 7)
            main.event("OM[", self.now[rank], "qi", phase, 7)

    def step(self, number):
        late = 1 if number % 5 == 4 else 2  # who has twice the work
        for rank in range(len(self.main)):
            work = self.between(40_000, 50_000) * (2 if rank == late else 1)
            for part, kind in ((0.6, 1), (0.3, 2)):
                self.task(rank, kind, self.now[rank] + 100, int(work * part))
                self.now[rank] += int(work * part) + 200
        self.together("MPI_Allreduce", lambda rank, at, last: last + self.between(1000, 2000))
        if number % 4 == 3:  # its root does not wait
            self.together("MPI_Bcast", lambda rank, at, last: max(at, self.now[0]) + self.between(300, 500))

    def run(self):
        self.begin()
        self.together("MPI_Init", lambda rank, at, last: last + 500)
        for number in range(self.steps):
            if number in (1, self.steps - 1):
                self.enter_phase(2 if number == 1 else 3)
            self.step(number)
        self.together("MPI_Barrier", lambda rank, at, last: last + self.between(500, 900))
        self.together("MPI_Finalize", lambda rank, at, last: last + self.between(5000, 6000))
        for main, worker, now in zip(self.main, self.worker, self.now):
            main.event("OM]", now + 10, "qi", 3, 7)
            worker.event("VSf", now + 15)
            worker.event("OHe", now + 20)
            main.event("OHe", now + 30)

    def write(self, folder):
        for stream in [*self.main, *self.worker]:
            node = "node1" if stream.rank < len(self.main) // 2 else "node2"
            process, loom = 100 + 10 * stream.rank, f"{node}.nosv-u0-p{100 + 10 * stream.rank}"
            about = {"lib": {"version": "1.14.0", "commit": "none"}, "part": "thread", "tid": process + stream.thread, "pid": process,
                     "loom": loom, "app_id": 1, "rank": stream.rank, "nranks": len(self.main), "finished": 1,
                     "require": {"ovni": "1.1.0", "nosv": "2.7.0", "mpi": "1.0.0"}}
            if stream.thread == 0:
                about["loom_cpus"] = [{"index": i, "phyid": stream.rank * 2 + i} for i in range(2)]
                about["mark"] = {"7": {"title": "Phase", "chan_type": "stack", "labels": {str(n): name for n, name in PHASES.items()}}}
            nosv = {"can_breakdown": True, "lib_version": "4.1.0", "hwc": {str(i): {"name": n} for i, n in enumerate(COUNTERS)}}
            place = Path(folder) / f"loom.{loom}" / f"proc.{process}" / f"thread.{process + stream.thread}"
            place.mkdir(parents=True)
            (place / "stream.obs").write_bytes(stream.data)
            (place / "stream.json").write_text(json.dumps({"version": 3, "ovni": about, "nosv": nosv}))
        rows = [f"{i} {node} {offset} {offset}.0 1.0" for i, (node, offset) in enumerate(OFFSETS.items())]
        (Path(folder) / "clock-offsets.txt").write_text("\n".join(["rank hostname offset_median offset_mean offset_std", *rows]) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Program()
    program.write(sys.argv[1])
    for name, last in program.late:
        print(name, last)
