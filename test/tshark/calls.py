#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the plugins show of XRay calls with an independent count over the raw fields.

usage: calls.py [--build DIR] LOG...

LOG is an XRay log, or "made": logs of random calls with strays, missing exits, counters that go back and cut records.
Compares depth, duration, self time, partner, caller and stack of every record in one pass and in two, and the tables of
-z xray,account, tree, stacks and graph.

The rules (docs/xray.md): buffers of a thread are in order of their first counter. An exit closes the innermost open
call of its function; calls open above it have no exit (an exception, longjmp): they ended at the last record inside them, which may
be before calls that seem to be inside them (Unwinding); an exit without an open call is stray, unless a tail exit was not taken (not_taken). If the counter went back there is no duration, or an unsure one. Knows only kind, function,
process, thread and counter of the records; shares no code with the plugins.
"""
import csv
import os
import random
import re
import shutil
import struct
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, SHOWN, arguments, for_each, require, run, tidy, tshark  # noqa: E402

RAW = ["frame.number", "xray.offset", "xray.kind", "xray.function.id", "xray.process", "xray.thread", "xray.tsc",
       "xray.header.cycle_frequency"]
CALL = ["depth", "ticks", "duration", "self", "entry", "exit", "caller", "caller_id", "stack"]
MARKS = ["xray.unmatched", "xray.unsure", "xray.call.unwound", "xray.call.unsure"]
LISTED, OUTSIDE = 64, 64  # functions of a call, and calls around it, that are looked at
ENTRIES, EXITS, EVENTS, CUT = (1, 4), (2, 3), (21, 24), (254, 255)
TAIL_EXIT, TYPED = 3, 24
NEW_BUFFER, NEW_CPU, TSC_WRAP, ARGUMENT, EXTENTS = 16, 18, 19, 22, 23
KINDS = {0: "File header", 1: "Function entry", 2: "Function exit", 3: "Function tail exit",
         4: "Function entry with arguments", 16: "New buffer", 17: "End of buffer", 18: "New CPU id", 19: "TSC wrap",
         20: "Wall-clock time", 21: "Custom event", 22: "Call argument", 23: "Buffer extents", 24: "Typed event",
         25: "Process id", 253: "Padding", 254: "Cut record", 255: "Unknown"}
STACK_END = 32  # functions that a field shows at either end of a deep stack


class Record:
    def __init__(self, row):
        number = lambda text: int(text, 0) if text else None
        self.frame, self.offset, self.kind, self.function, self.process, self.thread, self.tsc, _ = map(number, row)
        self.ended = []  # calls that it ends: its own, and those without an exit
        self.call = self.buffer = None  # for an argument: its call; for an event: the call in which it happened

    def stack(self):
        return ("buffer", self.buffer) if self.thread is None else (self.process, self.thread)


class Call:
    """From entry to exit. `children`: the calls inside, with whether they were known to be made by such a call."""

    def __init__(self, entry, outer):
        self.entry, self.caller, self.function, self.exit = entry, outer, entry.function, None
        self.ticks, self.self, self.left, self.unsure, self.unattributed = None, None, False, False, False
        self.children, self.events = [], []

    def depth(self):
        return self.caller.depth() + 1 if self.caller else 0

    def functions(self):
        return [call.function for call in self.stack()]

    def stack(self):
        at, found = self, []
        while at:
            found.append(at)
            at = at.caller
        return found[::-1]

    def marked(self, inner=None):
        """Its name where statistics show calls without an exit on their own, in the stack of a call inside, which it may not have made."""
        perhaps = inner and self.left and inner.entry.frame > self.sure[0]
        return f"#{self.function}" + (" [unwound?]" if perhaps else " [unwound]" * self.left)

    def inside(self):
        return sum(child.total() for child, _ in self.children)

    def last(self):
        """The last record inside, with the time of the latest one that has a time."""
        last, tsc = self.entry, self.entry.tsc
        for frame, time in sorted([(e.frame, e.tsc) for e in self.events] + [child.over for child, _ in self.children]):
            last, tsc = frame, tsc if time is None else time
        return (last.frame if last is self.entry else last), tsc

    def last_sure(self):
        """The last record that can only be inside: of this call or of one left with it, the entry, an argument or a tail exit that was
        not taken. With its time, and that of the calls inside until then."""
        latest, inside = (self.entry.frame, self.entry.tsc, 0), 0
        for record in self.events:
            if record.kind not in EVENTS:
                before = sum(child.total() for child, _ in self.children if child.over[0] < record.frame)
                latest = max(latest, (record.frame, latest[1] if record.tsc is None else record.tsc, before), key=lambda sure: sure[0])
        for child, _ in self.children:
            if child.left and child.sure[0] > latest[0]:
                latest = child.sure[0], child.sure[1], inside + (child.ticks or 0)
            inside += child.total()
        return latest

    def end(self, frame, tsc):
        self.over = frame, tsc
        self.measure(tsc, self.inside())

    def leave(self):
        self.left, self.over, self.sure = True, self.last(), self.last_sure()
        self.measure(*self.sure[1:])

    def measure(self, tsc, inside):
        if None not in (tsc, self.entry.tsc) and tsc >= self.entry.tsc:
            self.ticks = tsc - self.entry.tsc
            if inside <= self.ticks:
                self.self = self.ticks - inside

    def total(self):
        if self.left:
            return self.inside() + (self.self or 0)
        return self.inside() if self.ticks is None else self.ticks


class Unwinding:
    """Where calls without an exit ended. What such a call seems to have called last was called by one around it if functions like
    that are known to call it, and functions like this one are not: from calls that had exits, up to then."""

    def __init__(self):
        self.pairs = set()

    def known(self, caller, function):
        return (caller.function, function) in self.pairs

    def add(self, caller, child):
        caller.children.append((child, self.known(caller, child.function)))

    def learn(self, call):
        self.pairs |= {(call.function, child.function) for child, _ in self.listed(call)}

    @staticmethod
    def listed(call):
        functions = []
        for child, known in call.children:
            if not known and child.function not in functions:
                functions.append(child.function)
        return [(child, known) for child, known in call.children if child.function in functions[:LISTED]]

    @staticmethod
    def own(call):
        """How many of its children it has surely called: up to the last one that is known, or had been called before a known one."""
        own = 0
        for i, (child, known) in enumerate(call.children):
            if known or child.function in {c.function for c, _ in call.children[:own]}:
                own = i + 1
        return own

    def unwind(self, call, stack):
        """`stack`: the calls around it, outwards to the one that ends."""
        around = stack[:OUTSIDE] + stack[-1:]
        outside = lambda function: any(self.known(outer, function) for outer in around)
        own, split = self.own(call), len(call.children)
        too_many = len({child.function for child, known in call.children if not known}) > LISTED
        for i in range(len(call.children) - 1, own - 1, -1):
            if too_many or not outside(call.children[i][0].function):
                break
            after = {child.function for child, _ in call.children[i:]}
            if not after & {child.function for child, _ in call.children[own:i]}:
                split = i
        moved, call.children = call.children[split:], call.children[:split]
        call.leave()
        call.unattributed |= too_many or call.over[0] > call.sure[0]
        stack[0].unattributed |= call.unattributed
        self.add(stack[0], call)
        for child, _ in moved:
            child.caller = stack[0]
            self.add(stack[0], child)


def buffers_of(records):
    """The records of every buffer, in the order of the file."""
    buffers, last = [[]], None
    for record in sorted(records, key=lambda r: r.offset):
        if record.kind == EXTENTS or (record.kind == NEW_BUFFER and last != EXTENTS):
            buffers.append([])
        record.buffer = len(buffers)
        buffers[-1].append(record)
        last = record.kind
    return buffers


def in_order(records):
    """The records of every thread in order of time."""
    buffers = buffers_of(records)
    buffers.sort(key=lambda b: next((r.tsc for r in b if r.tsc is not None), 0))
    return [record for buffer in buffers for record in buffer]


def overwritten(records):
    """Threads whose first buffers were overwritten. Threads release their buffers, which are in the file in that order, when they begin the
    next one: if one was released before another one that precedes it had begun, the ring has gone round."""
    begins = [(next(r.stack() for r in buffer if r.tsc is not None), next(r.tsc for r in buffer if r.tsc is not None))
              for buffer in buffers_of(records) if len(buffer) > 1 and any(r.tsc is not None and r.thread is not None for r in buffer)]
    released = lambda one: min((tsc for stack, tsc in begins if stack == one[0] and tsc > one[1]), default=None)
    gone = [released(one) for i, one in enumerate(begins) if released(one) is not None and any(released(one) <= tsc for _, tsc in begins[:i])]
    return {stack for stack, tsc in begins if gone and tsc == min(t for s, t in begins if s == stack) and tsc <= min(gone)}


def not_taken(records):
    """Frames of the tail exits of a thread after which the function went on, since it had another exit (docs/formats/xray.md)."""
    found, levels = set(), [(None, [])]  # a function that was entered, and the calls inside it that tail exits have left
    for record in records:
        if record.kind in CUT or record.kind == TYPED:
            levels = [(None, [])]
        elif record.kind in ENTRIES:
            levels.append((record.function, []))
        elif record.kind in EXITS:
            functions = [function for function, _ in levels]
            if record.function in functions:
                at = max(i for i, function in enumerate(functions) if function == record.function)
                gone = [left for _, all_left in levels[at:] for left in all_left if left.function == record.function]
                del levels[at:]
                levels[-1][1].extend(gone)
            else:
                gone = levels[-1][1]
                last = max((i for i, left in enumerate(gone) if left.function == record.function), default=None)
                if last is not None:
                    found.add(gone[last].frame)
                    del gone[last:]
            if record.kind == TAIL_EXIT:
                levels[-1][1].append(record)
                if len(levels[-1][1]) > 64:
                    del levels[-1][1][:32]
    return found


class Model:
    """What should be known about the calls of a log."""

    def __init__(self, table):
        self.records = [Record(row) for row in table.only(RAW)]
        frequencies = [int(f) for f in table.column("xray.header.cycle_frequency") if f]
        self.frequency = frequencies[0] if frequencies else 0
        self.open, self.last, self.clock = defaultdict(list), {}, {}
        self.unwinding = Unwinding()
        self.overwritten = overwritten(self.records)
        threads = defaultdict(list)
        for record in in_order(self.records):
            threads[record.stack()].append(record)
        self.not_taken = {frame for thread in threads.values() for frame in not_taken(thread)}
        threads = {stack: [record.frame for record in thread] for stack, thread in threads.items()}
        require(all(frames == sorted(frames) for frames in threads.values()), "the records of a thread are not in order of time")
        for record in sorted(self.records, key=lambda r: r.frame):  # what a thread learns of callers, others know
            self.follow(record)
        ended = [call for r in self.records for call in r.ended]
        self.finished = [call for call in ended if call.ticks is not None]

    def follow(self, record):
        stack = self.open[record.stack()]
        if record.kind in CUT or self.went_back(record):
            for call in stack:
                call.unsure = True
        if record.kind in ENTRIES:
            record.call = Call(record, stack[-1] if stack else None)
            stack.append(record.call)
        elif record.frame in self.not_taken:
            record.call = stack[-1] if stack else None  # the unwinding may have ended its call
            if stack:
                stack[-1].events.append(record)
        elif record.kind in EXITS and any(call.function == record.function for call in stack):
            while stack[-1].function != record.function:
                call = stack.pop()
                call.exit = record
                until = next(i for i in range(len(stack) - 1, -1, -1) if stack[i].function == record.function)
                self.unwinding.unwind(call, stack[until:][::-1])
                record.ended.append(call)
            record.call = stack.pop()
            record.call.exit = record
            record.call.end(record.frame, record.tsc)
            record.ended.append(record.call)
            self.unwinding.learn(record.call)
            if stack:
                self.unwinding.add(stack[-1], record.call)
        elif record.kind == ARGUMENT:
            record.call = self.call_of_argument(record)
            if record.call:
                record.call.events.append(record)
        elif record.kind in EVENTS:
            record.call = stack[-1] if stack else None
            if stack:
                stack[-1].events.append(record)
        self.last[record.stack()] = record

    def went_back(self, record):
        """Whether the counter of its thread went back."""
        if record.tsc is None or record.kind not in (*ENTRIES, *EXITS, NEW_CPU, TSC_WRAP):
            return False
        before, self.clock[record.stack()] = self.clock.get(record.stack(), 0), record.tsc
        return record.tsc < before

    def call_of_argument(self, record):
        """The call of the entry directly before. Basic mode logs one argument per call, even for calls that it drops."""
        last = self.last.get(record.stack())
        if not last or not last.call or last.kind not in (*ENTRIES, ARGUMENT):
            return None
        dropped = record.function is not None and (last.kind == ARGUMENT or last.function != record.function)
        return None if dropped else last.call

    def nanoseconds(self, ticks):
        return min((ticks * 2 * 10**9 // self.frequency + 1) // 2 if self.frequency else ticks, 2**64 - 1)

    def time(self, ticks):
        ns = self.nanoseconds(ticks)
        return f"{ns // 10**9}.{ns % 10**9:09d}"

    def shown(self, record, passes):
        """The cells of CALL and MARKS."""
        call, cells = record.call, dict.fromkeys(CALL + MARKS, "")
        if record.kind not in ENTRIES + EXITS or record.frame in self.not_taken:
            if call and record.kind == ARGUMENT:
                cells["entry"] = str(call.entry.frame)
            elif call:
                cells["caller"], cells["caller_id"] = str(call.entry.frame), str(call.function)
            return list(cells.values())
        ends = record.kind in EXITS
        if call:
            cells["depth"] = "" if record.stack() in self.overwritten else str(call.depth())
            cells["stack"] = tidy("stack", stack_text(call.functions()))
            if call.caller:
                cells["caller"], cells["caller_id"] = str(call.caller.entry.frame), str(call.caller.function)
            if call.ticks is not None and (ends or passes == 2):
                cells["ticks"], cells["duration"] = str(call.ticks), self.time(call.ticks)
        if call and ends:
            cells["entry"] = str(call.entry.frame)
            cells["xray.call.unwound"] = str(len(record.ended) - 1)
        elif call and call.exit and passes == 2:
            cells["exit"] = str(call.over[0])
            cells["xray.call.unwound"] = "1" if call.left else ""
        if call and (ends or (call.left and passes == 2)):
            cells["self"] = "" if call.self is None else self.time(call.self)
            cells["xray.unsure"] = "marked" if call.ticks is None or call.unsure else ""
            cells["xray.call.unsure"] = "marked" if call.unattributed else ""
        if not call or (not ends and not call.exit and passes == 2):
            cells["xray.unmatched"] = "marked"
        return ["" if cell == "0" and name == "xray.call.unwound" else cell for name, cell in cells.items()]

    # what the tables should contain
    def account(self, wanted=lambda _: True):
        """For every function: the sorted durations and the sum of the self times, in ticks, how many calls have no exit, and of how
        many the self time is unsure."""
        durations, selves, left, unsure = defaultdict(list), Counter(), Counter(), Counter()
        for call in self.finished:
            if wanted(call.exit):
                durations[call.function].append(call.ticks)
                selves[call.function] += call.self or 0
                left[call.function] += call.left
                unsure[call.function] += call.unattributed
        return {f: (sorted(d), selves[f], left[f], unsure[f]) for f, d in durations.items()}

    def stacks(self, value, threads):
        sums = Counter()
        for call in self.finished:
            prefix = f"thread_{call.entry.thread or 0};" if threads else ""
            sums[prefix + ";".join(outer.marked(call) for outer in call.stack())] += value(call)
        return sums

    def edges(self):
        """Count, ticks, and how many have no exit, for every caller (0: none) and callee."""
        counts, ticks, left = Counter(), Counter(), Counter()
        for call in self.finished:
            edge = (call.caller.function if call.caller else 0, call.function)
            counts[edge] += 1
            ticks[edge] += call.ticks
            left[edge] += call.left
        return counts, ticks, left


def stack_text(functions):
    names = [f"#{f}" for f in functions]
    if len(names) > 2 * STACK_END:
        names[STACK_END:-STACK_END] = ["..."]
    return ";".join(names)


def statistics(durations):
    """min, median, 90th and 99th percentile, max, sum"""
    middle = [durations[len(durations) * percent // 100] for percent in (50, 90, 99)]
    return [durations[0], *middle, durations[-1], sum(durations)]


def differences(what, want, got):
    """Requires two dictionaries to be equal."""
    keys = sorted(k for k in {*want, *got} if want.get(k) != got.get(k))
    lines = [f"  {k}: expected {want.get(k)}, shown {got.get(k)}" for k in keys[:SHOWN]]
    require(not keys, "\n".join([f"{what}: {len(keys)} differ", *lines]))


# --- what tshark shows ------------------------------------------------------------------------------------------------
def tap(path, options, *taps):
    """The lines that statistics print."""
    words = [word for what in taps for word in ("-z", what)]
    code, out, error = run("tshark", "-n", "-q", "-r", path, *words, *options)
    require(code == 0 or "cut short" in error, *taps, "of", path, "failed:", code, error[:1000])
    return out.split("\n")


def account_table(lines):
    """Function id -> name and the numbers of the row. File, line and caller come after them."""
    found = {}
    for row in csv.reader(lines):
        if len(row) == 15 and row[1].isdigit():
            require(int(row[1]) not in found, "two rows for one function:", row)
            found[int(row[1])] = (row[0], *row[2:12])
    return found


def stacks_table(lines):
    """Folded stack -> value. The last blank of a name that ends with a number is not one (common/statistics/stack_tree.h)."""
    pairs = [re.sub(r"\xa0(?=\d+[; ])", " ", line).rsplit(" ", 1) for line in lines if line]
    require(pairs == sorted(pairs, key=lambda pair: pair[0].encode().split(b";")), "stacks are not sorted")
    return {stack: int(value) for stack, value in pairs}


def graph_table(lines):
    """Edges and functions with count, nanoseconds, and how many have no exit."""
    require("}" in lines, "no graph among", lines[:3])
    text = "\n".join(lines)
    label = r'(\d+) calls?\\n(\d+) ns(?:\\n(\d+) without an exit)?"\];$'
    edges = re.findall(r'^F(\d+) -> F(\d+) \[label="' + label, text, re.M)
    nodes = re.findall(r'^F(\d+) \[label="(.*)\\n' + label, text, re.M)
    return ({(int(a), int(b)): (int(count), int(ns), int(left or 0)) for a, b, count, ns, left in edges},
            {int(a): (name, int(count), int(ns), int(left or 0)) for a, name, count, ns, left in nodes})


def tree_table(lines):
    """(branch, item) -> count; the branch itself has the item ''."""
    found, branch = {}, None
    for line in lines:
        match = re.match(r"( ?)(\S.*?) +(\d+) .*\d% ", line)
        if match:
            indent, name, count = match.groups()
            branch = branch if indent else name
            found[(branch, name if indent else "")] = int(count)
    return found


# --- comparing --------------------------------------------------------------------------------------------------------
def call_cells(table):
    """What is shown of CALL and MARKS, record by record."""
    rows = table.only([f"xray.call.{n}" for n in CALL])
    for row, unmatched, unsure, left, unattributed in zip(rows, *map(table.column, MARKS)):
        row.append("marked" if unmatched else "")
        row.append("marked" if unsure else "")
        row.append(str(len(left.split(";"))) if left else "")
        row.append("marked" if unattributed else "")
    return rows


def check_fields(path, passes, taps):
    names = RAW + [f"xray.call.{n}" for n in CALL] + MARKS
    table = tshark(path, names, *["-2"][:passes - 1], taps=taps)
    require(table.rows and table.verdict in ("ok", "cut short"), path, table.verdict)
    model = Model(table)
    want = {r.frame: model.shown(r, passes) for r in model.records}
    got = {r.frame: cells for r, cells in zip(model.records, call_cells(table))}
    differences(f"{path.name}, {passes} passes, {' '.join(CALL)}", want, got)
    return model, table.printed


def check_read_filter(path, model):
    """A record dropped by a read filter gives its frame number to the next one: links cannot be shown, but nothing else
    may be wrong."""
    known = {r.offset: model.shown(r, 2) for r in model.records}
    links = [CALL.index(name) for name in ("entry", "exit", "caller")]
    names = ["xray.offset"] + [f"xray.call.{n}" for n in CALL] + MARKS
    # also a single record, whose number goes to a record without calls
    alone = next(r for r, after in zip(model.records, model.records[1:]) if r.kind in ENTRIES and after.kind == NEW_CPU)
    wanted = [f"xray.kind in {{{kinds}}}" for kinds in ("1", "2", "2,3,4,22", "1,21,24")]
    for what in (*wanted, f"xray.offset != {alone.offset}"):
        table = tshark(path, names, "-2", "-R", what)
        require(table.rows and table.verdict == "ok", "-R", what, table.verdict)
        for offset, cells in zip(table.numbers("xray.offset"), call_cells(table)):
            want = known[offset]
            wrong = [i for i, cell in enumerate(cells) if i not in links and cell not in ("", want[i])]
            require(not wrong, f"{path.name}, -R {what}, offset {offset}: expected {want}, shown {cells}")


def account_want(model, wanted=lambda _: True):
    text = lambda ticks: f"{float(model.nanoseconds(ticks)):.0f}"
    return {f: (f"#{f}", str(len(durations)), *map(text, statistics(durations)), text(selves), str(left), str(unsure))
            for f, (durations, selves, left, unsure) in model.account(wanted).items()}


def graph_want(model):
    counts, ticks, left = model.edges()
    return ({edge: (count, model.nanoseconds(ticks[edge]), left[edge]) for edge, count in counts.items()},
            {f: (f"#{f}", len(d), model.nanoseconds(sum(d)), unwound) for f, (d, _, unwound, _) in model.account().items()})


def tree_want(model):
    want = Counter()
    for record in model.records:
        branches = [("Kinds", KINDS[record.kind])]
        if record.thread is not None:
            branches.append(("Threads", f"{'?' if record.process is None else record.process}/{record.thread}"))
        if record.kind in ENTRIES:
            branches.append(("Functions entered", f"#{record.function}"))
        for branch, item in branches:
            want[branch, item] += 1
            want[branch, ""] += 1
    return dict(want)


TABLES = ("xray,account,csv", "xray,graph", "xray,tree", "xray,srt", "xray.self,tree,csv", "xray.calls,tree,csv")
STACKS = {"xray,stacks": (lambda c: c.self or 0, False), "xray,stacks,self": (lambda c: c.self or 0, False),
          "xray,stacks,threads,time": (lambda c: c.ticks, True),
          "xray,stacks,threads,count,xray.offset >= 0": (lambda c: 1, True)}


RESPONSE = re.compile(r"^ *\d+  (.+?) +(\d+) +\d+\.\d+ ")


def check_tables(where, model, printed):
    differences(f"{where} xray,account", account_want(model), account_table(printed["xray,account,csv"]))
    for want, got in zip(graph_want(model), graph_table(printed["xray,graph"])):
        differences(f"{where} xray,graph", want, got)
    shown = {key: n for key, n in tree_table(printed["xray,tree"]).items() if n}
    differences(f"{where} xray,tree", tree_want(model), shown)
    by_name = Counter(call.marked() for call in model.finished)
    differences(f"{where} xray,srt", by_name, {name: int(n) for line in printed["xray,srt"] for name, n in RESPONSE.findall(line)})
    nodes = lambda what: [(int(row["depth"]), row["name"], int(row["calls"])) for row in csv.DictReader(printed[what]) if row["depth"] != "0"]
    selves = Counter((1, call.marked()) for call in model.finished if call.self is not None)
    differences(f"{where} xray.self,tree", selves, Counter({(depth, name): n for depth, name, n in nodes("xray.self,tree,csv")}))
    depths = Counter((call.depth() + 1, call.marked()) for call in model.finished)
    if all(depth <= LISTED for depth, _ in depths):  # of deeper stacks the middle is left out
        got = Counter()
        for depth, name, n in nodes("xray.calls,tree,csv"):
            got[depth, name] += n
        differences(f"{where} xray.calls,tree", depths, +got)
    for what in STACKS.keys() & printed.keys():
        value, threads = STACKS[what]
        differences(f"{where} {what}", dict(model.stacks(value, threads)), stacks_table(printed[what]))


def check_off(path):
    table = tshark(path, [f"xray.call.{n}" for n in CALL], "-o", "xray.calls:FALSE")
    require(table.rows and table.verdict == "ok", path, table.verdict)
    require(not any(any(row) for row in table.rows), f"{path.name}: calls are analysed although that is off")
    lines = tap(path, ["-o", "xray.calls:FALSE"], "xray,account,csv")
    require(not account_table(lines), f"{path.name}: calls are counted although that is off")


def check_rows(path):
    """The filters of docs/data-frames.md: each call is one row, in one pass of those that have an exit."""
    functions = list(csv.DictReader(tap(path, (), "xray,account,csv")))
    calls, unwound = (sum(int(row[column]) for row in functions) for column in ("calls", "unwound"))
    rows = lambda what, *options: tshark(path, ["xray.call.ticks"], "-Y", what, *options).numbers("xray.call.ticks")
    exits, every = rows("xray.call.duration"), rows("xray.call.duration && !xray.call.entry", "-2")
    left = rows("xray.call.unwound && xray.call.exit && xray.call.duration", "-2")
    require(len(exits) == calls - unwound, f"{path.name}: {len(exits)} exits with a duration, {calls} calls, {unwound} without an exit")
    require(len(every) == calls, f"{path.name}: {len(every)} rows, {calls} calls")
    require(len(left) == unwound, f"{path.name}: {len(left)} rows without an exit, {unwound} such calls")
    require(Counter(every) == Counter(exits) + Counter(left), f"{path.name}: other durations in one pass and in two")


def check_log(path):
    model, printed = check_fields(path, 2, (*TABLES, *list(STACKS)[-1:]))
    check_tables(f"{path.name}, 2 passes,", model, printed)
    model, printed = check_fields(path, 1, (*TABLES, *list(STACKS)[:-1]))
    check_tables(f"{path.name}, 1 passes,", model, printed)
    threads = sorted({call.exit.thread for call in model.finished if call.exit.thread})
    if len(threads) > 1:  # in a separate run: Wireshark adds up all tables of the same kind
        what = f"xray,account,csv,xray.thread == {threads[-1]}"
        want = account_want(model, lambda r: r.thread == threads[-1])
        differences(f"{path.name}, {what}", want, account_table(tap(path, [], what)))
    check_rows(path)
    return model


# --- generated logs ---------------------------------------------------------------------------------------------------
class Maker:
    """A flight data recorder log of version 5 with random calls."""

    FUNCTIONS = 7

    def __init__(self, seed, frequency):
        self.random, self.frequency = random.Random(seed), frequency
        self.clock = {thread: self.random.randrange(10**8, 2 * 10**8) for thread in range(101, 104)}
        self.open = {thread: [] for thread in self.clock}

    def function(self, thread, deep):
        r, stack = self.random, self.open[thread]
        delta = r.choice((0, 1, 7, 1000, r.randrange(10**6)))
        self.clock[thread] += delta
        if not stack or r.random() < (0.7 if deep else 0.55):
            stack.append(r.randrange(1, self.FUNCTIONS))
            action, function = r.choice((0, 0, 0, 3)), stack[-1]
        elif r.random() < 0.9:
            action, function = r.choice((1, 1, 1, 2)), stack.pop()
        else:  # of an outer function, or of none
            action, function = 1, r.choice([*stack[-3:], self.FUNCTIONS])
            while function in stack and stack.pop() != function:
                pass
        record = struct.pack("<II", action << 1 | function << 4, delta)
        return record + (struct.pack("<BQ7x", 6 << 1 | 1, r.randrange(2**64)) if action == 3 else b"")

    def record(self, thread, deep):
        r = self.random
        if r.random() < 0.02:  # another CPU, whose counter may be behind
            self.clock[thread] += r.randrange(-10**6, 10**4)
            return struct.pack("<BHQ5x", 2 << 1 | 1, r.randrange(4), self.clock[thread])
        if r.random() < 0.01:
            self.clock[thread] += 5
            return struct.pack("<BiiB6x", 5 << 1 | 1, 4, 5, 0) + b"text"
        return self.function(thread, deep)

    def buffer(self, thread, deep):
        self.clock[thread] += 1
        body = struct.pack("<Bi11x", 1, thread) + struct.pack("<BQI3x", 4 << 1 | 1, 7, 0)
        body += struct.pack("<Bi11x", 9 << 1 | 1, 100) + struct.pack("<BHQ5x", 2 << 1 | 1, 0, self.clock[thread])
        for _ in range(self.random.randrange(60)):
            body += self.record(thread, deep)
        if self.random.random() < 0.1:  # an event that does not fit
            body += struct.pack("<BiiB6x", 5 << 1 | 1, 400, 0, 0)
        return struct.pack("<BQ7x", 7 << 1 | 1, len(body)) + body

    def log(self, buffers, deep):
        made = [self.buffer(self.random.choice(list(self.clock)), deep) for _ in range(buffers)]
        self.random.shuffle(made)
        return struct.pack("<HHIQQ8x", 5, 1, 3, self.frequency, 0) + b"".join(made)


def check_coverage(model, deep):
    """Whether a generated log contains what it is for."""
    calls = [r.call for r in model.records if r.call and r.kind in ENTRIES]
    require(any(call.left for call in calls), "no call is without an exit")
    require(any(call.left and not call.unattributed for call in calls), "all calls without an exit are unsure")
    require(any(call.unsure for call in calls), "no record was lost")
    require(any(call.exit and call.ticks is None for call in calls), "no counter went back")
    require(any(record.kind in EXITS and not record.call for record in model.records), "no exit is stray")
    require(not deep or max(call.depth() for call in calls) > 2 * STACK_END, "no stack is deep")


def check_far(path):
    """Records so many years apart that Wireshark cannot look for bursts."""
    record = struct.Struct("<HBBiQII8x")
    path.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 1)
                     + b"".join(record.pack(0, 0, i % 2, 1, tsc, 7, 7) for i, tsc in enumerate((1, 2, 2**60, 2**60 + 5))))
    kinds = tree_table(tap(path, (), "xray,tree"))
    require(kinds.get(("Kinds", "Function exit")) == 2, "times far apart: the tree is", kinds)


def check_deep(path):
    """Stacks that differ only in the middle are different ones, also where a field leaves the middle out."""
    record = struct.Struct("<HBBiQII8x")
    calls = [call for leaf in (11, 12) for call in
             [(0, 1)] * 200 + [(0, leaf)] + [(0, 1)] * 200 + [(1, 1)] * 200 + [(1, leaf)] + [(1, 1)] * 200]
    path.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 1)
                     + b"".join(record.pack(0, 0, end, function, 100 + n, 7, 7) for n, (end, function) in enumerate(calls)))
    stacks = stacks_table(tap(path, (), "xray,stacks,count"))
    require(len(stacks) == 200 + 2 * 201 and max(stack.count(";") for stack in stacks) == 400, "deep stacks:", len(stacks))


def check_repeated(path):
    """A buffer that is in a log twice counts once; one with other bytes counts again."""
    data = path.read_bytes()
    at = [m.start() for m in re.finditer(b"\x0f.{15}\x01", data, re.S)][-1]
    other = bytearray(data[at:])
    other[-4] ^= 1  # the ticks of the last function
    again = path.with_name("again.xray")
    for options in ([], ["-2"]):
        tables = lambda: tap(again, options, "xray,account", "xray,tree", "xray,graph") + tap(again, options, "xray,stacks")
        for copy in (b"", data[at:], bytes(other)):
            again.write_bytes(data + copy)
            shown = [line for line in tables() if again.name not in line]
            want = want if copy else shown
            require((shown == want) == (copy != other), "a buffer that stands in the log twice: tables of", options, shown[:99])


def check_made():
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        check_far(Path(folder) / "far.xray")
        check_deep(Path(folder) / "deep.xray")
        check_repeated(Path(shutil.copy(CAPTURES / "xray" / "fdr-wrap.xray", folder)))
        for seed, (frequency, deep) in enumerate(((10**9, False), (2596120000, True), (1, False), (0, True))):
            path = Path(folder) / f"made-{seed}.xray"
            path.write_bytes(Maker(seed, frequency).log(40, deep))
            model = check_log(path)
            check_coverage(model, deep)
            check_read_filter(path, model)
        check_off(path)


def main():
    args = arguments(__doc__, logs={"nargs": "+", "metavar": "LOG"})
    for_each(lambda log: check_made() if log == "made" else check_log(Path(log)), args.logs)


if __name__ == "__main__":
    main()
