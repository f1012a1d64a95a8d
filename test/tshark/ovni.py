#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the plugins show of states and tasks in ovni traces with an independent count over the raw fields.

usage: ovni.py [--build DIR] TRACE...

TRACE is a directory with a trace, or "label": a label that becomes known late, or "made": traces of random events with strays, missing ends, pauses, bodies of
parallel tasks, tasks that run again, threads moved by others and clocks that go back.
Compares state and CPU of the thread, depth, duration and partner of every state, id, type, label, life and running
time of every task, in one pass and in two, and the tables of -z ovni,states, tasks, tree and stacks.

The rules (docs/ovni.md): an end closes the innermost open state of its kind on its stack, and states open above it
without a duration; an end without an open state is stray. A value that is set lasts until the next one. If the clock went
back there is no duration. The running time of a task is from start to end without pauses. Active is the time in which
ovniemu shows a state: the thread runs, or for most of them also cools or warms. What goes on at the end ends with its thread
or the trace. States open when a stream is damaged (a clock that goes back outside OU[ OU], an impossible code) have no
duration.
Reads which codes enter and leave which states from docs/ovni-events.md; knows only code, clock, arguments and thread of
the records; shares no code with the plugins.
"""
import csv
import json
import os
import random
import re
import struct
import sys
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from calls import differences, stacks_table, tap  # noqa: E402
from check import TOP, arguments, entry, for_each, require, run, tidy, tshark  # noqa: E402

ARGUMENTS = ["cpu", "tid", "value", "type", "taskid", "typeid", "bodyid", "label"]
RAW = ["frame.number", "ovni.kind", "ovni.stream", "ovni.loom", "ovni.process", "ovni.thread", "ovni.mcv", "ovni.clock",
       "ovni.payload_size", "ovni.clock.offset"] + [f"ovni.arg.{name}" for name in ARGUMENTS]
SHOWN = ["thread.state", "cpu", "unsorted", "left.state", "left.duration", "left.active", "region.depth", "region.duration",
         "region.active", "region.begin", "region.end", "task.id", "task.type", "task.label", "task.duration", "task.active",
         "task.on_cpu", "task.created", "task.begun", "task.ended", "unmatched", "unsure"]
STATES = {"x": "running", "r": "running", "p": "paused", "c": "cooling", "w": "warming", "e": "dead"}
EVENTS = (1, 2)
UNPRINTABLE = re.compile(r"\\{1,2}([0-7]{3}|x..)|\\.|[^!-~]")  # as it is, or in the form of newer releases


COUNTED = {"run": {"running"}, "active": {"running", "cooling", "warming"}}


class Table:
    """Roles and states of the codes, from the documentation, where begin and end of a state have a row or are adjacent."""

    def __init__(self):
        self.today, self.old, self.models, before = {}, {}, {}, None
        for section, cells in documented_rows():
            codes, state = re.findall("`(.*?)`", cells[0]), re.fullmatch(r"(push, pop|push|pop|set)\b ?(.*)|.*", cells[2])
            when = cells[5] if len(cells) > 5 else None
            for code, role in zip(codes, state[1].split(", ") if state[1] else [""] * len(codes), strict=True):
                row = {"code": code, "role": role, "state": state[2] or "", "begin": None, "when": when}
                row["begin"] = row if role == "push" else before if role == "pop" else None
                before = row
                (self.today if when is None else self.old)[code] = row
                if when is None:
                    self.models[code[0]] = section

    def find(self, record):
        old = self.old.get(record.mcv)
        plain = re.search(r"thread\.\d+$", record.stream) and not record.suffix
        if old and (record.mcv not in self.today or ("thread.N" in old["when"] and plain) or
                    ("4 bytes" in old["when"] and record.payload == 4)):
            return old
        return self.today.get(record.mcv)


def documented_rows():
    """(section, cells) of each row with an event."""
    section = None
    for line in (TOP / "docs" / "ovni-events.md").read_text("utf-8").split("\n"):
        if line.startswith("## "):
            section = line[3:].split(":")[0]
        elif section and line.startswith("| `"):
            yield section, [cell.strip() for cell in line.strip("|").replace("\\|", "/").split("|")]


TABLE = Table()


def channel(code):
    if code[0] == "O":
        return code[:2]
    if code[:2] in ("6H", "PP", "PQ"):
        return "6H" if code[0] == "6" else "label"
    if code in ("6Tb", "6Tu"):
        return "task"
    return "mode" if code[0] in "MT" and code[2] in "[]" and old_mode(code) else ""


def track(row):
    """When time in a state counts as active: None: always; "run": while the thread runs; "active": also cooling, warming."""
    code = row["code"]
    if code[:2] in ("OH", "OF", "OU", "KC", "6H") and not row["when"]:
        return None
    if code[:2] in ("VP", "6P", "6T") and row["role"] == "set" or code in ("6Tb", "6Tu"):
        return "run"
    return "run" if code[0] == "M" and not row["when"] else "active"


def old_mode(code):
    return code not in TABLE.today


class Record:
    def __init__(self, row, suffix):
        number = lambda text: int(text, 0) if text else None
        self.frame, self.kind = int(row[0]), int(row[1])
        self.stream, self.loom, self.mcv, self.suffix = row[2], row[3], row[6], suffix
        self.process, self.thread, self.clock, self.payload = (number(row[i]) for i in (4, 5, 7, 8))
        if self.clock is not None and self.clock >= 2**63:
            self.clock -= 2**64
        self.offset = int(row[9] or 0)
        first = lambda text: text if text == row[-1] else text.split(";")[0]
        self.argument = {name: first(text) for name, text in zip(ARGUMENTS, row[10:])}
        self.row = TABLE.find(self) if self.kind in EVENTS else None
        self.region = self.task = self.state = self.cpu = self.left = None
        self.unsorted = self.stray = False
        self.losses = 0
        self.away, self.switched = {None: 0}, False  # ns so far that did not count

    def of(self, name):
        text = self.argument[name]
        return int(text, 0) if text else None


class Now(dict):
    """A thread at a record."""

    def ran(self, begin, end):
        """How long it was running between two clocks, as far back as clocks do not fall."""
        total, until = 0, float("inf")
        for since, running in [(self["since"], self["state"] == "running"), *reversed(self["ran"])]:
            if since > until:
                break
            total += max(min(end, until) - max(begin, since), 0) if running else 0
            until = since
        return total

    def off(self, begin, end, frame):
        """Without a CPU between two clocks: how much less its runs are on one."""
        whole = None
        for run in reversed(self["running"]):
            late = whole is None and run.since.clock > begin
            whole = whole if late else self.ran(begin, end)
            run.off.append((frame, self.ran(max(begin, run.since.clock), end) if late else whole))
        for run, since, last in reversed(self["parts"]):
            if last.clock <= begin or last.losses != self["losses"]:
                break
            run.off.append((frame, self.ran(max(begin, since.clock), min(end, last.clock))))


class Region:
    def __init__(self, record, what, outer):
        self.begin, self.what, self.depth = record, what, outer.depth + 1 if outer else 0
        self.outer, self.end, self.ns, self.closed, self.within, self.self = outer, None, None, False, 0, 0
        self.away = self.away_within = self.self_away = 0

    def finish(self, end, losses):
        how = track(self.begin.row)
        if end.clock < self.begin.clock or losses != self.begin.losses:
            return
        self.ns = end.clock - self.begin.clock
        self.away = away(self.begin, end, how)
        self.self = self.ns - self.within if self.within <= self.ns else 0
        self.self_away = min(max(self.away - self.away_within, 0), self.self)

    def path(self):
        return (self.outer.path() if self.outer else []) + [self.what]


def away(begin, end, how):
    """How much of the time between two moments did not count."""
    return min(max(end.away[how] - begin.away[how], 0), end.clock - begin.clock)


class Run:
    def __init__(self, record):
        self.begun, self.ended, self.running, self.since, self.first = record.frame, None, 0, record, record
        self.active = self.own = 0  # None: unknown
        self.off, self.unswitched = [], False  # of active: frame from which it is known, ns without a CPU
        self.alone = record  # since when no task runs inside

    def pause_own(self, record):
        if self.since and self.alone:
            self.own = self.plus(self.own, self.alone, record, "run")
        self.alone = None

    @staticmethod
    def plus(total, since, record, how):
        if total is None or since.stream != record.stream:
            return None
        return total + max(record.clock - since.clock - away(since, record, how), 0)

    def pause(self, record, sure):
        if self.since is None or self.running is None:
            return
        self.pause_own(record)
        if not sure:
            self.running = None
            return
        self.running += record.clock - self.since.clock
        self.active = self.plus(self.active, self.since, record, "run")
        self.unswitched |= not record.switched
        if self.since.stream == record.stream:
            record.now["parts"].append((self, self.since, record))

    def times(self, frame=float("inf")):
        """What is known at a frame."""
        if None in (self.active, self.own):
            return self.running, None, None, None
        off = sum(ns for known, ns in self.off if known <= frame)
        known = off or not self.unswitched
        return self.running, self.active, self.own, max(self.active - off, 0) if known else None


class Task:
    def __init__(self):
        self.type = self.created = None
        self.runs = defaultdict(list)  # body -> runs


class Model:
    def __init__(self, path):
        table = tshark(entry(path), RAW)
        suffix = any(path.rglob("*.obs")) or any(path.rglob("*.ovnistream"))
        self.records = [Record(row, suffix) for row in table.only(RAW)]
        self.open, self.threads = defaultdict(list), {}
        self.tasks, self.labels, self.marks = defaultdict(Task), {}, marks_of(path)
        self.now = defaultdict(lambda: Now({"state": None, "cpu": None, "unsorted": False, "clock": None, "depth": 0,
                                            "losses": 0, "since": 0, "time": dict.fromkeys(COUNTED, 0), "out": None,
                                            "switched": False, "changes": [], "last": None, "ran": [], "running": [], "parts": []}))
        self.values = {}  # value -> the record that set it
        self.nests = defaultdict(list)  # stream and model -> runs that were started
        self.required = required_models(path)
        for record in self.records:
            if record.kind != 3:
                self.threads.setdefault((record.loom, record.process, record.thread), record.stream)
                self.threads.setdefault((record.loom, record.thread), record.stream)
            if record.kind in EVENTS:
                self.follow(record)
        self.events = [r for r in self.records if r.kind in EVENTS]
        self.rest, self.rest_tasks = list(self.rest_of_states()), list(self.rest_of_tasks())

    def follow(self, record):
        now, mcv = self.now[record.stream], record.mcv
        falls = now["clock"] is not None and record.clock < now["clock"] and now["depth"] == 0
        now["clock"], damaged = record.clock, falls or UNPRINTABLE.search(mcv) is not None
        now["losses"] += damaged
        record.losses = now["losses"]
        if now["out"] and now["out"][1] != now["losses"]:
            now["out"] = None
        if record.row and mcv in ("KCO", "KCI"):
            self.switch(now, record)
        if mcv[:2] == "OH" and mcv[2] in STATES:
            now["ran"].append((now["since"], now["state"] == "running"))
            self.count_time(now, record.clock)
            now["state"], now["since_dead"] = STATES[mcv[2]], record.clock
        if mcv in ("OHx", "OAs"):
            now["cpu"] = record.of("cpu")
        elif mcv == "OAr":
            tid = record.of("tid")
            other = self.threads.get((record.loom, record.process, tid)) or self.threads.get((record.loom, tid))
            if other:
                self.now[other]["cpu"] = record.of("cpu")
                self.note_change(self.now[other], record)
        if mcv in ("OU[", "OU]"):
            now["unsorted"] = mcv == "OU["
            now["depth"] = now["depth"] + 1 if now["unsorted"] else max(now["depth"] - 1, 0)
        if mcv[:2] == "OH" and mcv[2] in STATES or mcv in ("OAs", "OU[", "OU]"):
            self.note_change(now, record)
        record.state, record.cpu, record.unsorted = now["state"], now["cpu"], now["unsorted"]
        if record.unsorted and now["changes"] and record.clock < now["changes"][-1][0]:
            then = bisect_right([change[0] for change in now["changes"]], record.clock)
            record.state, record.cpu = now["changes"][then - 1][1:] if then else (None, None)
        record.away.update({how: record.clock - self.time_at(now, how, record.clock) for how in COUNTED})
        record.switched, now["last"], record.now = now["switched"], record, now
        if record.argument["taskid"] or record.argument["typeid"]:
            self.follow_task(record)
        if record.row and record.row["role"] in ("push", "pop"):
            self.follow_region(record)
        if mcv == "OM=" or mcv[:2] in ("VP", "6P") or (mcv[:2] == "OH" and mcv[2] in STATES):
            self.follow_value(record)
        now["losses"] += damaged

    @staticmethod
    def switch(now, record):
        """Notes when the thread is off its CPU; a range in which the stream is damaged is none."""
        if record.mcv == "KCO":
            now["out"] = now["out"] or (record.clock, now["losses"])
        elif now["out"]:
            now.off(now["out"][0], record.clock, record.frame)
            now["out"] = None
        now["switched"] = True

    @staticmethod
    def time_at(now, how, clock):
        counts = now["state"] in COUNTED[how]
        return now["time"][how] + (max(clock - now["since"], 0) if counts else 0)

    def count_time(self, now, clock):
        now["time"] = {how: self.time_at(now, how, clock) for how in COUNTED}
        now["since"] = clock

    @staticmethod
    def note_change(now, record):
        now["changes"].append((record.clock, now["state"], now["cpu"]))

    def follow_value(self, record):
        for code in self.required if record.mcv == "OHx" else ():
            if (record.stream, code[:2], None) not in self.values:
                self.values[record.stream, code[:2], None] = Implied(record, code)
        kind = record.of("type") if record.mcv == "OM=" else None
        before = self.values.get((record.stream, record.mcv[:2], kind))
        self.values[record.stream, record.mcv[:2], kind] = record
        if before:
            known = record.clock >= before.clock and record.losses == before.losses
            record.left = (before, record.clock - before.clock if known else None,
                           away(before, record, track(before.row)) if known else None)

    def follow_task(self, record):
        process, model, does = (record.loom, record.process), record.mcv[0], record.mcv[2]
        number, kind = record.of("taskid"), record.of("typeid")
        if number is None:
            record.task = (None, None)
            if record.mcv[1:] in ("Yc", "Oc"):
                self.labels.setdefault((process, model, kind), record.argument["label"] or f"(unlabeled task type {kind})")
            return
        now = record.now
        if now["out"] and now["out"][0] < record.clock:
            now.off(now["out"][0], record.clock, record.frame)
            now["out"] = (record.clock, now["losses"])
        task = self.tasks[process, model, number]
        if kind is not None and task.created is None:
            task.created, task.type = record.frame, kind
        runs = task.runs[record.of("bodyid") or 0]
        nest = self.nests[record.stream, model]
        if does == "x":
            around = self.innermost(nest)
            if around:
                around.pause_own(record)
            if runs:
                runs[-1].replaced = True
                self.stop(runs[-1])
            runs.append(Run(record))
            nest.append(runs[-1])
            now["running"].append(runs[-1])
        run = runs[-1] if runs else None
        record.task = (task, run or runs)
        if not run or run.ended or does not in "rpe":
            return
        if does == "r" and run.since is None:
            run.since = run.alone = record
            now["running"].append(run)
        elif does in "pe":
            run.pause(record, run.since and self.sure(run.since, record))
            self.stop(run)
            run.since = None
            run.ended = record.frame if does == "e" else None
            around = self.innermost(nest) if does == "e" else None
            if around and around.since and not around.alone:
                around.alone = record

    @staticmethod
    def stop(run):
        if run.since and run in run.since.now["running"]:
            run.since.now["running"].remove(run)

    @staticmethod
    def innermost(nest):
        while nest and (nest[-1].ended or getattr(nest[-1], "replaced", False)):
            nest.pop()
        return nest[-1] if nest else None

    @staticmethod
    def sure(since, record):
        same = record.stream != since.stream or record.losses == since.losses
        return same and record.clock >= since.clock

    def follow_region(self, record):
        begin, model = record.row["begin"], record.mcv[0]
        if record.mcv in ("OM[", "OM]"):
            what = ("mark", record.of("type"), record.of("value"))
        elif channel(record.mcv) == "label":
            what = (begin["code"], record.loom, record.process, record.of("taskid") or record.of("typeid"))
        else:
            what = (begin["code"], begin["when"])
        stack = self.open[record.stream, model, channel(record.mcv), what[1] if what[0] == "mark" else None]
        if record.row["role"] == "push":
            record.region = Region(record, what, stack[-1] if stack else None)
            stack.append(record.region)
        elif any(region.what == what for region in stack):
            while stack[-1].what != what:
                stack[-1].closed = True
                self.leave(stack)
            region = record.region = stack[-1]
            region.end = record
            region.finish(record, record.losses)
            self.leave(stack)
        else:
            record.stray = True

    @staticmethod
    def leave(stack):
        region = stack.pop()
        if stack:
            stack[-1].within += region.within if region.ns is None else region.ns
            stack[-1].away_within += region.away_within if region.ns is None else region.away

    # --- what should be shown
    def label(self, record, kind):
        return self.labels.get(((record.loom, record.process), record.mcv[0], kind))

    def shown(self, record, passes):
        cells = dict.fromkeys(SHOWN, "")
        cells["thread.state"], cells["cpu"] = record.state or "", "" if record.cpu is None else str(record.cpu)
        cells["unsorted"] = "1" if record.unsorted else ""
        region, ends = record.region, record.row and record.row["role"] == "pop"
        if region:
            cells["region.depth"] = str(region.depth)
            if region.ns is not None and (ends or passes == 2):
                cells["region.duration"] = seconds(region.ns)
                cells["region.active"] = seconds(region.ns - region.away)
            if ends:
                cells["region.begin"] = str(region.begin.frame)
                cells["unsure"] = "marked" if region.ns is None else ""
            elif region.end and passes == 2:
                cells["region.end"] = str(region.end.frame)
        if record.left:
            cells["left.state"] = self.value_name(record.left[0])
            cells["left.duration"] = "" if record.left[1] is None else seconds(record.left[1])
            cells["left.active"] = "" if record.left[1] is None else seconds(record.left[1] - record.left[2])
            cells["unsure"] = "marked" if record.left[1] is None else ""
        if record.stray or (region and not ends and not region.end and passes == 2):
            cells["unmatched"] = "marked"
        if record.task:
            self.show_task(record, passes, cells)
        return list(cells.values())

    def show_task(self, record, passes, cells):
        task, run = record.task
        known = lambda frame: frame and (passes == 2 or frame <= record.frame)
        kind = record.of("typeid")
        if task:
            cells["task.id"] = str(record.of("taskid"))
            kind = task.type if kind is None and (known(task.created)) else kind
            run = (run[0] if run else None) if isinstance(run, list) else run
            if run and not known(run.begun):
                run = None
            if known(task.created):
                cells["task.created"] = str(task.created)
        cells["task.type"] = "" if kind is None else str(kind)
        if kind is not None and (passes == 2 or self.labelled(record, kind)):
            cells["task.label"] = self.label(record, kind) or ""
        if task and run:
            cells["task.begun"] = str(run.begun)
            if known(run.ended):
                cells["task.ended"] = str(run.ended)
                times = dict(zip(("duration", "active", "own", "on_cpu"), run.times(record.frame if passes == 1 else float("inf")) if run.running is not None else 4 * [None]))
                for name in ("duration", "active", "on_cpu"):
                    cells[f"task.{name}"] = "" if times[name] is None else seconds(times[name])

    def labelled(self, record, kind):
        return any(r.frame <= record.frame and r.mcv[1:] in ("Yc", "Oc") and r.of("typeid") == kind and
                   (r.loom, r.process, r.mcv[0]) == (record.loom, record.process, record.mcv[0]) for r in self.events)

    def value_name(self, record):
        if record.mcv == "OM=":
            return self.name(("mark", record.of("type"), record.of("value")), record)
        return record.row["state"]

    # --- what the tables should contain
    def name(self, what, record):
        if what[0] == "mark":
            _, kind, value = what
            title, labels = self.marks[0].get(kind), self.marks[1]
            return f"{title or f'Mark {kind}'}: {labels.get((kind, value), value)}"
        if channel(what[0]) == "label":
            task = what[0] == "PPx"
            kind = self.tasks[(what[1], what[2]), "P", what[3]].type if task else what[3]
            return self.label(record, kind) or (f"task {what[3]}" if kind is None else f"type {kind}")
        row = TABLE.today[what[0]] if what[1] is None else TABLE.old[what[0]]
        return row["state"] or row["code"]

    def ended(self, wanted):
        return [r for r in self.events if wanted(r) and r.region and r.region.end is r and r.region.ns is not None]

    def states(self, wanted, rest=None):
        found = defaultdict(list)
        for record in self.ended(wanted):
            region = record.region
            times = region.ns, region.ns - region.away, region.self - region.self_away
            found[self.name(region.what, record), TABLE.models[record.mcv[0]]].append(times)
        for record in filter(wanted, self.events):
            if record.left and record.left[1] is not None:
                times = record.left[1], record.left[1] - record.left[2], record.left[1] - record.left[2]
                found[self.value_name(record.left[0]), TABLE.models[record.left[0].mcv[0]]].append(times)
        for begin, name, model, times in self.rest if rest is None else rest:
            if wanted(begin):
                found[name, TABLE.models[model]].append(times)
        for key in found.keys() & {("Dead", "ovni")}:  # ended threads are not active
            found[key] = [(ns, 0, 0) for ns, *_ in found[key]]
        return {key: statistics(values) for key, values in found.items()}

    def moment(self, stream, how):
        """When open states of a stream are assumed to end."""
        now = self.now[stream]
        last = max(r.clock + r.offset for r in self.events) - now["last"].offset
        end = Record.__new__(Record)
        end.stream, end.switched, end.losses, end.now = stream, now["switched"], now["losses"], now
        end.clock = now["since_dead"] if how and now["state"] == "dead" else last
        end.away = {None: 0, **{how: end.clock - self.time_at(now, how, end.clock) for how in COUNTED}}
        return end

    def rest_of_states(self):
        """What is open at the end: the event that began it, its name, model and times."""
        for (stream, *_), value in self.values.items():
            how = track(value.row)
            end = self.moment(stream, how)
            if value.losses == end.losses and end.clock >= value.clock:
                active = end.clock - value.clock - away(value, end, how)
                yield value, self.value_name(value), value.mcv[0], (end.clock - value.clock, active, active)
        for (stream, model, *_), stack in self.open.items():
            while stack:
                region = stack[-1]
                end = self.moment(stream, track(region.begin.row))
                region.finish(end, end.losses)
                times = region.ns, (region.ns or 0) - region.away, region.self - region.self_away
                if region.ns is not None:
                    yield region.begin, self.name(region.what, region.begin), model, times
                self.leave(stack)
                region.ns = None  # it has not ended

    def rest_of_tasks(self):
        for task in self.tasks.values():
            for runs in task.runs.values():
                if runs and not runs[-1].ended:
                    run, since = runs[-1], runs[-1].since
                    if since:
                        end = self.moment(since.stream, "run")
                        run.pause(end, self.sure(since, end))
                        if end.now["out"] and end.now["out"][1] == end.losses:
                            run.off.append((0, end.now.ran(max(end.now["out"][0], since.clock), end.clock)))
                    if run.running is not None:
                        yield run.first, self.type_name(run.first, task), run.first.mcv[0], self.task_times(run)

    def task_types(self, wanted):
        found = defaultdict(list)
        for record in filter(wanted, self.events):
            task, run = record.task or (None, None)
            if isinstance(run, Run) and run.ended == record.frame and run.running is not None:
                found[self.type_name(record, task), TABLE.models[record.mcv[0]]].append(self.task_times(run))
        for begin, name, model, times in self.rest_tasks:
            if wanted(begin):
                found[name, TABLE.models[model]].append(times)
        return {key: statistics(values) for key, values in found.items()}

    @staticmethod
    def task_times(run):
        running, active, own, on_cpu = run.times()
        return running, active or 0, own or 0, (active or 0) if on_cpu is None else on_cpu

    def type_name(self, record, task):
        return "(type not known)" if task.type is None else self.label(record, task.type) or f"type {task.type}"

    def stacks(self, value, threads):
        sums = Counter()
        for record in self.ended(lambda r: True):
            names = [self.name(what, record).replace(";", ",") for what in record.region.path()]
            path = [record.stream] * threads + [TABLE.models[record.mcv[0]]] + names
            sums[";".join(path)] += value(record.region)
        return dict(sums)

    def tree(self):
        codes = Counter((TABLE.models.get(r.mcv[0], "(unknown)"), UNPRINTABLE.sub(".", r.mcv)) for r in self.events)
        return codes + Counter(("Streams", r.stream) for r in self.events)


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"


class Implied:
    """The value of a thread from its start on, without an event that sets it."""

    def __init__(self, record, code):
        self.mcv, self.row, self.frame, self.clock = code, TABLE.today[code], record.frame, record.clock
        self.losses, self.away, self.stream, self.thread = record.losses, record.away, record.stream, record.thread


def statistics(values):
    """Of (duration, further times...): count, minimum, average, maximum, and all sums."""
    all_ns = [value[0] for value in values]
    average = (2 * sum(all_ns) + len(values)) // (2 * len(values))
    numbers = len(values), min(all_ns), average, max(all_ns), *map(sum, zip(*values))
    return tuple(str(number) for number in numbers)


def required_models(path):
    """The events that set "progressing", of models that any metadata require."""
    asked = set()
    for file in path.rglob("*.json"):
        asked |= set(json.loads(file.read_text()).get("ovni", {}).get("require", {}))
    return [code for name, code in (("nosv", "VPp"), ("nanos6", "6Pp")) if name in asked]


def marks_of(path):
    titles, labels = {}, {}
    for file in sorted(path.rglob("*.json"), key=lambda p: os.fsencode(str(p))):
        for kind, mark in json.loads(file.read_text()).get("ovni", {}).get("mark", {}).items():
            titles.setdefault(int(kind), mark.get("title"))
            for value, label in mark.get("labels", {}).items():
                labels.setdefault((int(kind), int(value)), label)
    return titles, labels


# --- comparing --------------------------------------------------------------------------------------------------------
def check_fields(path, model, passes, taps):
    table = tshark(entry(path), ["frame.number"] + [f"ovni.{name}" for name in SHOWN], *["-2"][:passes - 1], taps=taps)
    # a state without an end is reported when its stack is left, so in one pass only strays are certain
    mark = lambda row: row[:-2] + ["marked" if cell else "" for cell in row[-2:]]
    got = {int(row[0]): mark(row[1:]) for row in table.rows}
    differences(f"{path.name}, {passes} passes, {' '.join(SHOWN)}",
                {r.frame: model.shown(r, passes) for r in model.events}, {r.frame: got[r.frame] for r in model.events})
    return table.printed


def sums_table(lines, columns):
    found = {}
    for cells in csv.reader(lines):
        if len(cells) == columns + 3 and cells[3].isdigit():
            require((tidy("label", cells[0]), cells[1]) not in found, "two rows for one name:", cells)
            found[tidy("label", cells[0]), cells[1]] = tuple(cells[3:])
    return found


def tree_table(lines):
    """(branch, item) -> count of the innermost items"""
    found, branch = {}, None
    for line in lines:
        match = re.match(r"( *)(\S.*?) +(\d+) .*\d% ", line)
        if match and int(match[3]):
            depth, name = len(match[1]), match[2]
            branch = name if depth == 0 or (depth == 1 and branch != "Streams") else branch
            if depth == 2 or (depth == 1 and branch == "Streams"):
                found[branch, name] = int(match[3])
    return found


STACKS = {"ovni,stacks": (lambda r: r.self, False), "ovni,stacks,self": (lambda r: r.self, False),
          "ovni,stacks,time": (lambda r: r.ns, False), "ovni,stacks,time,active": (lambda r: r.ns - r.away, False),
          "ovni,stacks,threads,active": (lambda r: r.self - r.self_away, True),
          "ovni,stacks,threads,count,ovni.kind >= 1": (lambda r: 1, True)}


def tables(model):
    """Statistics, their expected rows, and how many columns of numbers they have."""
    return ("states", model.states, 7), ("tasks", model.task_types, 8)


def check_tables(where, model, printed):
    for name, want, columns in tables(model):
        differences(f"{where} ovni,{name}", want(lambda r: True), sums_table(printed[f"ovni,{name},csv"], columns))
    differences(f"{where} ovni,tree", dict(model.tree()), tree_table(printed["ovni,tree"]))


def check_stacks(where, model, printed):
    for what, (value, threads) in STACKS.items():
        differences(f"{where} {what}", model.stacks(value, threads), stacks_table(printed[what]))


def check_thread(path, model):
    """In separate runs: Wireshark adds up all tables of the same kind."""
    thread = model.events[-1].thread
    for name, want, columns in tables(model):
        got = sums_table(tap(entry(path), ["-2"], f"ovni,{name},csv,ovni.thread == {thread}"), columns)
        differences(f"{path.name}, ovni,{name} of one thread", want(lambda r: r.thread == thread), got)


def check_off(path):
    names = [f"ovni.{name}" for name in SHOWN]
    table = tshark(entry(path), names, "-o", "ovni.states:FALSE")
    require(not any(any(row) for row in table.rows), f"{path.name}: states are followed although that is off")
    require(not sums_table(tap(entry(path), ["-o", "ovni.states:FALSE"], "ovni,states,csv"), 7), "states are counted, too")


def check_trace(path, passes=(1, 2)):
    model, tables = Model(path), ("ovni,states,csv", "ovni,tasks,csv", "ovni,tree")
    for count in (1, 2):
        counted, stacks = count in passes, count == 2
        printed = check_fields(path, model, count, tables * counted + tuple(STACKS) * stacks)
        where = f"{path.name}, {count} passes,"
        if counted:
            check_tables(where, model, printed)
        if stacks:
            check_stacks(where, model, printed)
    check_thread(path, model)
    return model


# --- generated traces -------------------------------------------------------------------------------------------------
class Maker:
    """A trace of release 1.11 or later with random events, in either byte order."""

    PAIRS = ["VAsVAS", "VMaVMA", "VU[VU]", "DC[DC]", "MS[MS]", "KCOKCI", "PBbPBB", "6S[6S]", "6Hw6HW", "OU[OU]",
             "TTcTTC"]

    def __init__(self, seed, order):
        self.random, self.order, self.clock = random.Random(seed), order, 10**9
        self.streams = [(f"node{n}.0", 100 + p, 100 * p + t) for n in (1, 2) for p in (1, 2) for t in (1, 2)]
        self.bytes = {s: b"ovni" + struct.pack(order + "I", 1) for s in self.streams}

    def event(self, stream, code, layout="", *values, text=None):
        r = self.random
        self.clock += r.choice((0, 1, 9, 1000, r.randrange(10**6)))
        clock = self.clock - (r.randrange(min(10**8, self.clock)) if r.random() < 0.03 else 0)
        payload = struct.pack(self.order + layout, *values)
        if text is not None:
            payload += text + b"\0"
            head = bytes([0x13]) + code.encode() + struct.pack(self.order + "QI", clock, len(payload))
        else:
            head = bytes([len(payload) - 1 if payload else 0]) + code.encode() + struct.pack(self.order + "Q", clock)
        self.bytes[stream] += head + payload

    def rare_event(self, stream):
        """Progress of the thread; rarely unknown bytes in place of an event."""
        code = "V\x02S" if self.random.random() < 0.05 else self.random.choice("V6") + "P" + self.random.choice("pra")
        self.event(stream, code)

    def any_event(self, stream):
        r = self.random
        kind, task, body = r.randrange(12), r.randrange(1, 6), r.randrange(3)
        if kind < 4:
            pair = r.choice(self.PAIRS)
            self.event(stream, r.choice((pair[:3], pair[3:])))
        elif kind == 4:
            self.event(stream, "OH" + r.choice("prcw"))
        elif kind == 5:
            if r.random() < 0.5:
                self.event(stream, "OAs", "i", r.randrange(-1, 4))
            else:
                self.event(stream, "OAr", "ii", r.randrange(4), r.choice(self.streams)[2])
        elif kind == 6:
            self.event(stream, "OM" + r.choice("[[]]="), "qi", r.choice((-1, 1, 2, 2**40)), r.choice((1, 7, 50)))
        elif kind == 7:
            self.event(stream, "VT" + r.choice("xxeepr"), "II", task, body)
        elif kind == 8:
            self.event(stream, "6T" + r.choice("xxeepr"), "I", task)
        elif kind == 11:
            self.rare_event(stream)
        elif kind == 9:
            self.event(stream, "P" + r.choice(("Px", "Pe", "Qx", "Qe")), "I", task)
        else:
            self.type_event(stream, task)

    def type_event(self, stream, task):
        r, model, kind = self.random, self.random.choice("V6P"), self.random.randrange(1, 4)
        if r.random() < 0.4:
            self.name_type(stream, model, kind)
        else:
            self.event(stream, {"V": "VTc", "6": "6Tc", "P": "PPc"}[model], "II", task, kind)

    def name_type(self, stream, model, kind):
        label = self.random.choice(("täsk;a", "b", "loop over x"))
        self.event(stream, {"V": "VYc", "6": "6Yc", "P": "POc"}[model], "I", kind, text=label.encode())

    def early(self):
        """Puts the events about types and tasks at the beginning, so that one pass knows as much as two."""
        self.type_event = lambda stream, task: None
        for stream in self.streams[::2]:
            for model in "V6P":
                self.name_type(stream, model, 1)
                for task in range(1, 5):
                    self.event(stream, {"V": "VTc", "6": "6Tc", "P": "PPc"}[model], "II", task, task % 2 + 1)

    def write(self, folder, events, early):
        for stream in self.streams:
            self.event(stream, "OHx", "iiQ", self.random.randrange(4), -1, 0)
        if early:
            self.early()
        for _ in range(events):
            self.any_event(self.random.choice(self.streams))
        marks = {"1": {"title": "Iteration", "chan_type": "single"},
                 "7": {"title": "Phase", "chan_type": "stack", "labels": {"1": "setup", "2": "run; fast"}}}
        for n, (stream, data) in enumerate(self.bytes.items()):
            loom, process, thread = stream
            place = folder / f"loom.{loom}" / f"proc.{process}" / f"thread.{thread}"
            place.mkdir(parents=True)
            (place / "stream.obs").write_bytes(data)
            about = {"version": 3, "ovni": {"part": "thread", "loom": loom, "pid": process, "tid": thread, "app_id": 1}}
            about["ovni"]["mark"] = marks if n == 3 else {}
            (place / "stream.json").write_text(json.dumps(about))


def check_made():
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for seed, order, early in ((1, "<", True), (2, ">", False)):
            path = Path(folder) / f"made-{seed}"
            Maker(seed, order).write(path, 6000, early)
            model = check_trace(path, (1, 2) if early else (2,))
            regions = [r.region for r in model.events if r.region]
            runs = [r.task[1] for r in model.events if r.task and isinstance(r.task[1], Run)]
            require(any(r.stray for r in model.events) and any(region.closed for region in regions), "nothing is stray")
            require(any(region.end and region.ns is None and region.end.clock >= region.begin.clock
                        for region in regions), "nothing is damaged")
            require(any(r.left and r.left[1] for r in model.events), "no value is known")
            require(any(region.end and region.ns is None for region in regions), "no clock went back")
            require(any(run.ended and run.running is None for run in runs), "no clock went back in a task")
            require(any(r.task and r.task[0] and len(r.task[0].runs[0]) > 1 for r in model.events), "no task ran again")
        check_off(path)


def check_late_label():
    """A label holds from where it becomes known: in folded stacks as in the table of states."""
    about = {"version": 3, "ovni": {"part": "thread", "loom": "a", "pid": 1, "tid": 2, "app_id": 1}}
    worksharing = [(b"PQx", struct.pack("<I", 5)), (b"PQe", struct.pack("<I", 5))]
    data = b"ovni" + struct.pack("<I", 1)
    for clock, (code, payload) in enumerate([*worksharing, (b"POc", b""), *worksharing], 1):
        label = struct.pack("<II", 9, 5) + b"loop\0" if code == b"POc" else payload
        data += struct.pack("<B3sQ", 0x13 if code == b"POc" else len(payload) - 1, code, 100 * clock) + label
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        thread = Path(folder) / "loom.a" / "proc.1" / "thread.2"
        thread.mkdir(parents=True)
        (thread / "stream.json").write_text(json.dumps(about))
        (thread / "stream.obs").write_bytes(data)
        for how in ([], ["-Y", "frame"]):
            _, text, _ = run("tshark", "-q", *how, "-r", thread / "stream.json", "-z", "ovni,stacks")
            require(text.split("\n")[:2] == ["openmp;loop 100", "openmp;type\xa05 100"], "a label that comes late:", how, text)


def main():
    args = arguments(__doc__, traces={"nargs": "+", "metavar": "TRACE"})
    made = {"made": check_made, "label": check_late_label}
    for_each(lambda trace: made[trace]() if trace in made else check_trace(Path(trace)), args.traces)


if __name__ == "__main__":
    main()
