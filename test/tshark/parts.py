#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""WIRETRACE_TIME and WIRETRACE_STREAMS open what a filter on the whole trace would show.

usage: parts.py [--build DIR] CAPTURE...
       parts.py [--build DIR] [--count N] statistics CAPTURE...
       parts.py [--build DIR] settings|unknown|tails

Of each capture: a span of time, a share of the streams, and both, in two passes, so that all records are also read again. What
is known of a call must be right or missing. The part is also saved in its own format and read back.

statistics: N parts of each capture, chosen at random but always the same, are asked for every statistic. It must be equal to what the
statistic shows of the whole trace under a filter for the part, or say that it is unknown.
"""
import gzip
import itertools
import json
import os
import random
import re
import struct
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, Failure, arguments, entry, fields, formats, require, run, tshark  # noqa: E402

FRAME = ["frame.time_relative", "frame.time_epoch", "frame.interface_name", "frame.interface_id", "frame.len"]
# Kinds of records that stay before a part, and those of interfaces that always stay.
STAYS = {"xray": {"0"}, "ovni": {"0", "3"}, "cacheray": {"2", "3"}, "beat": set()}
ALWAYS = {"xray": lambda row: row[2] == "file", "ovni": lambda row: row[-1] == "3"}
DURATIONS = {"xray": "call.ticks", "ovni": "region.duration"}
FOREVER = Decimal("Infinity")


def opened(path, names, time="", streams="", *options):
    """A part in two passes."""
    wanted = {"WIRETRACE_TIME": time, "WIRETRACE_STREAMS": streams}
    os.environ.update(wanted)
    table = tshark(path, names, "-2", *options)
    for name in wanted:
        del os.environ[name]
    return table


class Whole:
    def __init__(self, name):
        self.path, self.format = entry(formats.capture(name)), formats.of(name)
        p = self.format.NAME
        self.known = [f"{p}.{DURATIONS[p]}"] if p in DURATIONS else []
        self.names = FRAME + fields(p, f"{self.format.OWN} {self.format.CONTEXT}") + [self.format.KIND]
        self.table = tshark(self.path, self.names + self.known, "-2")
        always = ALWAYS.get(p, lambda row: False)
        self.rows = [row[:len(self.names)] for row in self.table.rows]
        ids = {}
        for row in self.rows:
            ids[row[2]] = (int(row[3]), always(row))
        first = max((i for i, framing in ids.values() if framing), default=-1) + 1
        self.number = {stream: None if framing else i - first for stream, (i, framing) in ids.items()}
        self.known_at = {tuple(row[2:len(self.names)]): row[len(self.names):] for row in self.table.rows}
        self.end = max({row[2]: Decimal(row[0]) for row in self.rows}.values())  # of the last records of all streams

    def expected(self, time, has_stream):
        rows = []
        for row in self.rows:
            number = self.number[row[2]]
            stays = row[-1] in STAYS[self.format.NAME] if time and Decimal(row[0]) < time[0] else not time or Decimal(row[0]) < time[1]
            if stays and (number is None or has_stream(number, row[2])):
                rows.append(row)
        return rows

    def before_end(self, time):
        """The same span of time, counted from the end."""
        return ",".join(f"-{self.end - t:f}" for t in time if t <= self.end)

    def check(self, time, streams="", has_stream=lambda number, name: True, text=None):
        text = text or (f"{time[0]},{time[1]}" if time else "")
        got = opened(self.path, self.names + self.known, text, streams)
        where = f"{self.path}, '{text}', '{streams}':"
        want = self.expected(time, has_stream)
        shown = [row[:len(self.names)] for row in got.rows]
        # a part whose first record is not that of the trace counts from its own
        begin = 0 if shown and shown[0] == self.rows[0] else 1
        require([row[begin:] for row in shown] == [row[begin:] for row in want], where, len(shown), "records instead of", len(want),
                [pair for pair in zip(want, shown) if pair[0][begin:] != pair[1][begin:]][:1])
        require(not shown or got.verdict in ("ok", self.table.verdict), where, got.verdict)
        for row in got.rows:
            known, right = row[len(self.names):], self.known_at[tuple(row[2:len(self.names)])]
            require(all(a in ("", b) for a, b in zip(known, right)), where, row[:5], "is known as", known, "and is", right)
        return shown

    def check_saved(self, time, want):
        """The part is a valid file with the same events."""
        kind, f = formats.file_type(str(formats.name_of(self.path))), self.format
        with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
            out = Path(folder) / ("part" + self.path.suffix)
            os.environ["WIRETRACE_TIME"] = f"{time[0]},{time[1]}"
            code, _, error = run("tshark", "-r", self.path, "-F", kind, "-w", out)
            del os.environ["WIRETRACE_TIME"]
            require(code == 0, self.path, "is not saved:", error)
            saved = tshark(out, [f.KIND, f"{f.NAME}.malformed"])
            counted = {"xray": set("1234"), "ovni": set("12"), "cacheray": set("0123")}[f.NAME]
            require([row[0] for row in saved.rows if row[0] in counted] == [row[-1] for row in want if row[-1] in counted],
                    self.path, "the saved part has other records")
            require(saved.verdict == "ok" and not any(row[1] for row in saved.rows), self.path, "the saved part:", saved.verdict)


def check_capture(name):
    whole = Whole(name)
    times = sorted(Decimal(row[0]) for row in whole.rows)
    thirds = (max(times[len(times) // 3], 0), times[2 * len(times) // 3])
    require(thirds[0] < thirds[1], name, "has no span of time")
    part = whole.check(thirds)
    require(0 < len(part) < len(whole.rows), name, "the part has", len(part), "of", len(whole.rows), "records")
    if not formats.capture(name).is_dir() and whole.table.verdict == "ok":  # a trace of many files cannot be saved
        whole.check_saved(thirds, part)
    chosen = {name: number for name, number in whole.number.items() if number is not None}
    for share in (1, 2):
        whole.check(None, f"{share}/2", lambda number, _, share=share: number % 2 == share - 1)
    one = min(chosen, key=chosen.get)
    whole.check(thirds, f"{one},", lambda _, name: name == one)
    last = (thirds[1], FOREVER)
    for time in (thirds, last):
        whole.check(time, text=whole.before_end(time))
        whole.check(time, f"{one},", lambda _, name: name == one, whole.before_end(time))
    require(whole.check((whole.end, FOREVER), text="-0"), name, "has no last record")


# --- statistics -------------------------------------------------------------------------------------------------------
# Those with more words; {} is the path of the trace, a moment, a record of the part, a stream.
WORDS = {
    "xray,account": ["", ",csv,graph"], "xray,diff": [",csv,{path}"], "xray,call": [",csv,{record}"], "xray,gaps": [",csv"],
    "xray,calls": [",csv"], "cacheray,slowest": [",csv"], "ovni,slowest": [",csv,top:99999", ",csv,every,top:99999"],
    "xray,stacks": ["", ",time"], "xray,graph": ["", ",label:sum"], "follow,xray": [",ascii,{stream}"], "follow,ovni": [",ascii,{stream}"],
    "cacheray,types": [",csv"], "cacheray,types,layout": [",csv"], "cacheray,diff": [",csv,{path}"], "cacheray,lines": [",csv"], "cacheray,lines,offsets": [",csv"],
    "cacheray,regions": [",csv", ",csv,by:type"], "cacheray,reuse": [",csv,every", ",csv,by:type"], "ovni,states": [",csv", ",csv,by:thread"], "ovni,tasks": [",csv", ",csv,by:cpu"],
    "ovni,diff": [",csv,{path}"], "ovni,cpus": ["", ",breakdown"], "ovni,lint": ["", ",csv"], "ovni,at": [",{before}", ",{inside}", ",{after}"],
    "ovni,stacks": ["", ",active"],
}
SKIPPED = {"ovni,paraver",  # see check_paraver()
           "xray,slowest",  # another name of xray,calls
           "xray,records", "xray,calls,each", "cacheray,records", "ovni,events", "ovni,states,each", "ovni,tasks,each"}  # numbers of records
# Wireshark has one table for all that ask for a statistic, so these need a run of their own.
ALONE = {"ovni,slowest,csv,every,top:99999", "xray,account,csv,graph", "cacheray,regions,csv,by:type", "cacheray,reuse,csv,by:type", "ovni,states,csv,by:thread", "ovni,tasks,csv,by:cpu"}
UNKNOWN = re.compile(r"^(?:unknown|verdict: not judged): ", re.M)
UNNAMED = re.compile(r"^type \d+ \(label unknown\)$|^\(type not known\)$")


class Part:
    """A part, and a filter that shows the same records of the whole trace."""

    def __init__(self, whole, chance, timed, shared, before_end):
        self.variables, self.time, self.lacks, conditions = {}, None, False, []
        f, times = whole.format, sorted({Decimal(row[0]) for row in whole.rows})
        if timed:
            self.time = [f"{t:f}" for t in sorted(chance.sample([t for t in times if t >= 0] + [times[-1] + 1], 2))]
            self.variables["WIRETRACE_TIME"] = whole.before_end([Decimal(t) for t in self.time]) if before_end else ",".join(self.time)
            inside = f"frame.time_relative >= {self.time[0]} && frame.time_relative < {self.time[1]}"
            kinds = " || ".join(f"{f.KIND} == {kind}" for kind in sorted(STAYS[f.NAME]))  # a comma would end the filter
            conditions.append(f"({inside}) || (({kinds}) && frame.time_relative < {self.time[0]})" if kinds else inside)
        if shared:
            shares = chance.choice((2, 3))
            share = chance.randint(1, shares)
            self.variables["WIRETRACE_STREAMS"] = f"{share}/{shares}"
            chosen = {number for number in whole.number.values() if number is not None and number % shares == share - 1}
            names = [name for name, number in whole.number.items() if number is None or number in chosen]
            self.lacks = len(names) < len(whole.number)
            conditions.append(" || ".join(f'frame.interface_name == "{name}"' for name in names) or "frame.number == 0")
        self.filter = " && ".join(f"({c})" for c in conditions)
        self.rows = whole.expected([Decimal(t) for t in self.time or ()], lambda number, _: not shared or number in chosen)

    def tshark(self, path, names, *options, taps=()):
        os.environ.update(self.variables)
        table = tshark(path, names, *options, taps=taps)
        for name in self.variables:
            del os.environ[name]
        return table


NUMBERED = {"entry", "exit", "last record", "record", "begin", "end", "begin_record", "end_record"}


class Asked:
    """What the statistics show of a part, and of the whole trace under its filter."""

    def __init__(self, whole, part, two_passes):
        self.whole, self.part, self.format = whole, part, whole.format
        self.options = ["-2"] if two_passes else []
        if self.format.NAME == "cacheray":
            self.options += ["-o", f"cacheray.caches:{Path(__file__).parent / 'simulator/threads.json'}", "-o", "cacheray.coherence:TRUE"]
        rows = [self.place(row) for row in part.rows]
        originals = {row: str(i) for i, row in enumerate(map(self.place, whole.rows), 1)}
        self.to_part = {originals[row]: str(i) for i, row in enumerate(rows, 1)}
        times = [Decimal(row[0]) for row in part.rows]
        self.shift = Decimal(0) if not rows or rows[0] == self.place(whole.rows[0]) else times[0]  # its times count from another record
        self.last = times[-1] - self.shift if times else Decimal(0)
        self.streams = {row[0] for row in rows}

    def place(self, row):
        return row[3], row[self.whole.names.index(f"{self.format.NAME}.offset")]

    def words(self, statistic, chance):
        time = [Decimal(t) for t in self.part.time or (0, self.last)]
        first = max(Decimal(0), time[0])
        values = {"path": self.whole.path, "before": f"{first / 2:f}", "inside": f"{(first + min(self.last, time[1])) / 2:f}", "after": f"{self.last + 1:f}",
                  "stream": chance.choice(sorted(self.streams) or ["0"]),
                  "record": chance.choice(sorted(self.to_part) or ["1"])}
        return [(word.format(**values), values) for word in WORDS.get(statistic, [""])]

    def translated(self, name, lines):
        """With the numbers of the part's records for those of the whole trace."""
        column = {"xray,call": "record", "xray,gaps": "record", "xray,calls": ("entry", "end_record"), "ovni,slowest": ("begin_record", "end_record"),
                  "cacheray,slowest": ("first",), "ovni,lint": ("record",), "cacheray,regions": ("added", "removed")}.get(",".join(name.split(",")[:2]))
        if not column or not lines or "," not in "".join(lines):
            return lines
        filled = [line for line in lines if "," in line]
        at = [i for i, title in enumerate(filled[0].split(",")) if title in column]
        translated = [filled[0]]
        for line in filled[1:]:
            cells = self.cells(line)
            for i in at:
                cells[i] = self.to_part.get(cells[i], "")
            if name.startswith("xray,calls"):  # counts from another record; what began before has begun there
                i = filled[0].split(",").index("at_ns")
                cells[i] = str(max(0, int(cells[i]) - int(self.shift * 10**9)))
            translated.append(",".join(cells))
        return translated

    @staticmethod
    def plain(lines):
        """Without the filter."""
        return [re.sub(r", filter: .*", "", line) for line in lines if not re.match(r"Filter\b", line) and line.strip()]

    @staticmethod
    def cells(line):
        return re.findall(r'(?:^|,)("(?:[^"]|"")*"|[^,]*)', line)

    @staticmethod
    def like(got, want):
        """What is expected, but unknown where that is shown, if the text cells tell which row it is."""
        shown = {tuple(row[:3]): row for row in got}
        return [["unknown" if cell == "unknown" else right for cell, right in zip(shown.get(tuple(row[:3]), row), row)] for row in want]

    @staticmethod
    def ends(lines):
        """Of a thread as text, the calls or states that end, with their depths."""
        return [line.replace("} ", "") for line in lines[5:] if not line.endswith("{") and not line.startswith("=")]

    def picture(self, name):
        def data(text):
            if not text.startswith("{"):
                return text
            events = json.loads(text)["traceEvents"]
            for event in events:
                event.update((key, round(event[key] * 1000)) for key in ("ts", "dur") if key in event)
                event.get("args", {}).pop("detail", None)  # repeats the others; see pictures.py
            return sorted(json.dumps(event) for event in events)

        def translated(event):
            event = json.loads(event)
            args = {key: int(self.to_part[str(value)]) if key in NUMBERED and str(value) in self.to_part else value
                    for key, value in event.get("args", {}).items() if key not in NUMBERED or str(value) in self.to_part}
            event.update({"args": args} if "args" in event else {})
            if "ts" in event:
                event["ts"] -= int(self.shift * 10**9)
            return json.dumps(event)
        os.environ.update(self.part.variables)
        got = run("tshark", "-n", "-r", self.whole.path, *self.options, "-q", "-z", name)
        for variable in self.part.variables:
            del os.environ[variable]
        want = run("tshark", "-n", "-r", self.whole.path, *self.options, "-q", "-z", f"{name},{self.part.filter}")
        require(got[0] in (0, want[0]), self.whole.path, name, got, want)
        got, want = data(got[1]), data(want[1])
        if isinstance(got, list):
            want = sorted(map(translated, want))
            if self.part.lacks:  # names of tasks may be those of other threads
                got, want = ([event for event in events if '"task"' not in event] for events in (got, want))
        require(got == want, self.whole.path, self.part.variables, self.options, name, len(got), "instead of", len(want),
                [pair for pair in zip(got, want) if pair[0] != pair[1]][:2] if isinstance(got, list) else "")

    def check(self, asked, alone):
        """asked: (for the part, for the whole, may be unknown). alone: also those that need a run of their own."""
        for group in filter(None, [[a for a in asked if a[0] not in ALONE], [a for a in asked if a[0] in ALONE and alone]]):
            got = self.part.tshark(self.whole.path, ["frame.number"], *self.options, taps=[a[0] for a in group])
            want = tshark(self.whole.path, ["frame.number"], *self.options, taps=[a[1] for a in group])
            for own, other, unknown in group:
                self.compare(own, self.plain(got.printed[own]), self.plain(self.translated(own, want.printed[other])), unknown)

    def compare(self, name, got, want, unknown):
        where = f"{self.whole.path}, {self.part.variables}, {self.options}, -z {name}:"
        if name.startswith("follow"):
            got, want = Counter(self.ends(got)), Counter(self.ends(want))
            require(got <= want, where, "has lines of its own:", got - want)
            return
        if ",diff" in name:
            titles = self.cells(got[0])
            for row in map(self.cells, got[1:]):
                pairs = {(row[i], row[i + 1]) for i, title in enumerate(titles) if "_before" in title}
                require(all(a == b for a, b in pairs), where, "compared with itself:", row)
            got, want = ([[cell for cell, title in zip(row, titles) if "_before" not in title and "_after" in title or title in titles[:2]]
                          for row in map(self.cells, lines)] for lines in (got, want))
            if self.part.lacks:
                got = [row for row in got if "unknown" not in row]
                want = [row for row in want if row in got]
            want = [row for row in want if any(cell not in ("", "0") for cell in row[2:])]  # what is in the part
            require(sorted(got) == sorted(want), where, [row for row in got if row not in want], "instead of", [row for row in want if row not in got])
            return
        if unknown and (UNKNOWN.search("\n".join(got)) or (",csv" in name and not got)):
            return
        if name == "ovni,balance" and self.part.lacks:  # other processes may be more or less busy
            require(all("unknown, as not all streams are read" in line for line in got if line.startswith("balance")), where, got)
            got, want = ([line for line in lines if not line.startswith("balance")] for lines in (got, want))
        if name == "ovni,lint":  # its rows are those of the CSV
            require(not (self.part.time or self.part.lacks) or UNKNOWN.match(got[-1]), where, "is judged:", got[-1])
            return
        if name == "ovni,lint,csv" and (self.part.time or self.part.lacks):
            want = [line for line in want if not line.startswith(",")]
        if ",csv" in name:
            got, want = (sorted(map(self.cells, lines)) for lines in (got, want))
            if name.startswith("ovni,slowest") and self.part.lacks:  # neither what is open at the end is known, nor all labels
                got, want = ([row[:8] + row[9:] for row in rows] for rows in (got, want))
                want = sorted(row for row in want if row[6] or row in got)
                got.sort()
            want = self.like(got, want)
            if any(UNNAMED.search(row[0]) for row in got):  # who names it is left out; others of its name may have theirs
                got, want = ([sum(int(row[3]) for row in rows if row[3].isdigit())] for rows in (got, want))
        if name == "ovni,srt" and any("(unknown)" in line for line in got):  # only the states; tasks come last
            got, want = (list(itertools.takewhile(lambda line: not re.match("Index +Task", line), lines)) for lines in (got, want))
        if name.startswith("conv,") and self.shift:  # when each began
            got, want = ([line[:-34] for line in lines] for lines in (got, want))
        require(got == want, where, len(got), "lines instead of", len(want), [pair for pair in zip(want + [""] * len(got), got + [""] * len(want))
                                                                            if pair[0] != pair[1]][:3])


def check_statistics(name, count):
    whole, chance = Whole(name), random.Random(name)
    kinds = [(True, False), (True, True), (True, False), (False, True)]  # whether there is a span of time, and a share of the streams
    for number in range(count):
        timed, shared = kinds[number % len(kinds)]
        part = Part(whole, chance, timed, shared, number % 3 == 2)
        asked = Asked(whole, part, number % 3 == 1)
        taps = []
        for statistic, (kind, _) in whole.format.STATISTICS.items():
            if kind == "file" or statistic in SKIPPED:
                continue
            for words, values in asked.words(statistic, chance):
                own, other = statistic + words, statistic + words
                if statistic == "xray,call":
                    own = own.replace(values["record"], asked.to_part.get(values["record"], "1"))
                emulated = statistic in ("ovni,cpus", "ovni,lint", "ovni,at")
                late = statistic == "ovni,at" and Decimal(words[1:]) > asked.last
                filtered = other if statistic.startswith("follow") else f"{other},{part.filter}"
                taps.append((own, filtered, (emulated and part.lacks) or (late and timed)))
        asked.check(taps, alone=number % 2 == 1)
        pictures = [statistic for statistic, (kind, _) in whole.format.STATISTICS.items() if kind == "file"]
        asked.picture(pictures[number % len(pictures)].replace("chrome", "chrome,records"))


def asked(*command, stdin=None, **wanted):
    os.environ.update(wanted)
    done = run(*command, stdin=stdin)
    for name in wanted:
        del os.environ[name]
    return done


def check_unknown():
    """What cannot be read again, or has been read only in part, does not pretend to be known."""
    part = {"WIRETRACE_TIME": "0.00001,0.0006"}
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for name, taps, field in (("xray/basic-threads.xray", ["xray,account,csv", "xray,stacks", "xray,gaps"], "xray.call.depth"),
                                  ("cacheray/orders.trace", ["cacheray,types,csv"], "cacheray.line.sharing"),
                                  ("ovni/v3-two-nodes/loom.node02.0/proc.20574/thread.20574/stream.obs",
                                   ["ovni,states,csv", "ovni,cpus", "ovni,at,0.0001"], None)):
            log = CAPTURES / name
            copy = Path(folder) / f"{log.name}.gz"
            copy.write_bytes(gzip.compress(log.read_bytes()))
            unpacked = name.startswith("xray")  # into a file that can be read again
            for where, stdin in ((copy, None), ("-", log.read_bytes()))[unpacked:]:
                for tap in taps:
                    code, out, error = asked("tshark", "-n", "-r", where, "-q", "-z", tap, stdin=stdin, **part)
                    said = not out if tap.endswith(",csv") else out.startswith("unknown: ")
                    require(code == 2 and said and error.count("before the part is not known") == 1, where, tap, code, out, error)
            code, out, error = asked("tshark", "-n", "-r", log, "-q", "-z", taps[0], WIRETRACE_PDU="1", **part)
            require(code == 2 and not out and "unknown: " in error, "exported:", log, code, out, error)
            for tap in taps if unpacked else []:
                own, packed = (asked("tshark", "-n", "-r", path, "-q", "-z", tap, **part) for path in (log, copy))
                require(own[:2] == packed[:2] and "unknown" not in own[1], copy, tap, packed, "expected", own)
            rows = asked("tshark", "-n", "-r", copy, "-2", "-T", "fields", "-e", field, **part) if field and not unpacked else None
            require(not rows or rows[0] == 0 and rows[1].strip() == "" and len(rows[1].split("\n")) > 100, copy, field, rows)
            code, out, _ = asked("tshark", "-n", "-r", copy, "-q", "-z", taps[0])
            require(code == 0 and "unknown" not in out, copy, "the whole:", code, out)
        trace = entry(CAPTURES / "ovni/v3-two-nodes")
        files = Path(folder) / "paraver"
        for options, wanted in (([], part), ([], {"WIRETRACE_STREAMS": "1/2"}), (["-c", "100"], {})):
            code, out, error = asked("tshark", "-n", "-r", trace, "-q", *options, "-z", f"ovni,paraver,{files}", **wanted)
            require(code != 0 and "nothing is written" in error and not files.exists(), options, wanted, code, out, error)
            _, out, _ = asked("tshark", "-n", "-r", trace, "-q", *options, "-z", "ovni,lint", **wanted)
            require(out.split("\n")[-2].startswith("verdict: not judged: ") and "\n        " not in out, options, wanted, out)
        code, out, error = asked("tshark", "-n", "-r", trace, "-q", "-z", f"ovni,paraver,{files}")
        require(code == 0 and len(list(files.iterdir())) == 6, code, error)
        count = len(tshark(trace, ["frame.number"]).rows)
        rows = [asked("tshark", "-n", "-r", trace, "-q", "-c", str(n), "-z", "ovni,states,csv")[1] for n in (count - 1, count)]
        require("unknown" in rows[0] and "unknown" not in rows[1], "states that are open after -c", rows)
        require(asked("tshark", "-n", "-r", trace, "-q", "-c", "100", "-z", "ovni,at,1000")[1].startswith("unknown: "), "ovni,at after -c")


def comment(path, **wanted):
    code, out, error = run("capinfos", "-k", path, prefix=["env", *(f"{k}={v}" for k, v in wanted.items())])
    require(code == 0, "capinfos", wanted, error)
    return out, error


def refused(path, words, *options, **wanted):
    """The file does not open, and the terminal says why."""
    for program in (["tshark"], *([] if options else [["capinfos", "-c"]])):
        code, out, error = asked(*program, *(["-r"] if program == ["tshark"] else []), path, *options, **wanted)
        require(code != 0 and words in error and "packets:" not in out and "→" not in out, wanted, options, "is not refused:", code, out[:500], error)
    print("refused:", *options, *wanted.items(), error.strip().splitlines()[-1])


def check_ignored(log):
    """Exported records are no trace."""
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        exported = Path(folder) / "exported.pcapng"
        require(run("tshark", "-r", log, "-U", "Wiretrace", "-w", exported)[0] == 0, "cannot be exported")
        for options in ([], ["-q", "-z", "expert"], ["-T", "fields", "-e", "_ws.expert.message"]):
            _, out, error = asked("tshark", "-r", exported, *options, WIRETRACE_TIME="0,0.000001")
            require(error.count("has no effect on exported records") == 1, options, "the terminal says", error)
            require(not options or out.count("has no effect on exported records") == 1, options, "the first record says", out[:500])
        require("WIRETRACE_TIME" in out.splitlines()[0], "the first record says", out.splitlines()[0])
        require("no effect" not in str(run("tshark", "-r", exported, "-V", "-c", "1")), "said without reason")
        require("no effect" not in asked("tshark", "-r", log, WIRETRACE_TIME="0,1", WIRETRACE_PDU="1")[2], "a part that is exported")


def check_ends(log, trace, stream):
    """The end is found in compressed files as well, and never in a pipe; without records there is none."""
    part = {"WIRETRACE_TIME": "-0.0001"}
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        for original in (log, trace, stream):
            path = Path(folder) / original.name
            path.write_bytes(original.read_bytes())
            copy = path.with_name(f"{path.name}.gz")
            copy.write_bytes(gzip.compress(path.read_bytes()))
            options = ["-o", "xray.calls:FALSE", "-o", "ovni.states:FALSE", "-o", "ovni.lint:FALSE", "-T", "fields",
                       "-e", "frame.time_epoch", "-e", "frame.protocols", "-e", "frame.len"]
            own, packed = (asked("tshark", "-n", "-r", file, *options, **part) for file in (path, copy))
            require(own[1] == packed[1] and own[1].count("\n") > 1, path, "compressed has", packed, "instead of", own)
            for file in (path, copy):
                code, out, error = asked("tshark", "-n", "-r", "-", stdin=file.read_bytes(), **part)
                require(code != 0 and not out and "WIRETRACE_TIME counts from the end of the trace" in error, file, "from a pipe:", code, out, error)
        empty = Path(folder) / "empty.xray"
        empty.write_bytes((CAPTURES / "xray/basic-empty.xray").read_bytes()[:32])
        require(asked("tshark", "-n", "-r", empty, "-T", "fields", "-e", "xray.kind", **part)[1] == "0\n", "a header alone is not its own end")
    out, error = comment(log, **part)
    require("records from 0.000100000 seconds before its end on." in out, out, error)
    require(len(tshark(trace, ["frame.number"], "-o", "cacheray.time_range:-0.0001").rows) == 101 +
            len([row for row in tshark(trace, ["cacheray.event"]).rows[:-101] if row[0] in ("2", "3")]), "cacheray.time_range:-0.0001")


def check_settings():
    """With a value that cannot be used nothing opens, and preferences do the same as variables, for their own format."""
    log, trace = CAPTURES / "xray/basic-threads.xray", CAPTURES / "cacheray/orders.trace"
    stream = next((CAPTURES / "ovni/v3-two-nodes").rglob("*.obs"))
    count = {path: len(tshark(path, ["frame.number"]).rows) for path in (log, trace)}
    times = "must be two times in seconds"
    for bad in ("1", "1,", ",1", "2,1", "1,1", "a,b", "nan,1", "1,2,3", "-1,1", "1e3,2e3", "0.0000000001,1", " 1,2", "1,99999999999",
                "-", "-1,", "-1,-2", "1,-1"):
        refused(log, times, WIRETRACE_TIME=bad)
    refused(trace, times, WIRETRACE_TIME="x")
    refused(stream, times, WIRETRACE_TIME="x")
    refused(trace, times, "-o", "cacheray.time_range:2,1")
    refused(log, "must be a share such as 1/8", WIRETRACE_STREAMS=",")
    for bad, missing in (("0/2", "0/2"), (" 1/2", " 1/2"), ("2/1", "2/1"), (",1", "1"), ("nobody,10209/10211", "nobody")):
        refused(log, f"asks for the stream '{missing}', which is not", WIRETRACE_STREAMS=bad)
    refused(log, "asks for 2 streams that are not in this trace, such as ", WIRETRACE_STREAMS="a,b")
    refused(trace, "the stream '3/2'", "-o", "cacheray.streams:3/2")
    refused(log, "may be 0, 1", WIRETRACE_PDU="yes")
    refused(trace, "may be auto, le64", "-o", "cacheray.layout:le46")
    refused(stream, "must be 0, 1 or a table of clock offsets that is there", WIRETRACE_OVNI_CLOCK_OFFSETS="no")
    refused(log, "must be a whole number", "-o", "xray.frequency:abc")
    check_ignored(log)
    require("share 2/4)" in comment(log, WIRETRACE_STREAMS="2/4")[0], "the share is not in the comment")
    out, error = comment(trace, WIRETRACE_STREAMS="2/2", WIRETRACE_TIME="0,0.0001")
    require("from 0.000000000 to before 0.000100000 seconds" in out and "has no streams" in error, out, error)
    check_ends(log, trace, stream)
    os.environ["WIRETRACE_TIME"] = "0,0.0001"
    require(len(tshark(trace, ["frame.number"]).rows) == 100, "a hundred microseconds of a Cacheray trace are not a hundred records")
    require(len(tshark(trace, ["frame.number"], "-o", "cacheray.time_range:0,0.0002").rows) == 200, "the preference does not come first")
    require(len(tshark(trace, ["frame.number"], "-o", "xray.time_range:0,0.0002").rows) == 100, "another format's preference counts")
    del os.environ["WIRETRACE_TIME"]
    require(len(tshark(log, ["frame.number"], "-o", "xray.streams:1/5").rows) < count[log], "xray.streams does nothing")
    require(len(tshark(log, ["frame.number"], "-o", "ovni.streams:1/5").rows) == count[log], "ovni.streams counts for XRay")


def buffer(thread, counter, records):
    """A buffer of an FDR log, version 5: (action, function, ticks since the last one) of each record."""
    metadata = b"".join(bytes([kind << 1 | 1]) + body.ljust(15, b"\0")
                        for kind, body in ((0, struct.pack("<i", thread)), (4, struct.pack("<QI", 1000, 0)), (9, struct.pack("<i", thread)),
                                           (2, struct.pack("<HQ", 0, counter))))
    functions = b"".join(struct.pack("<II", function << 4 | action << 1, ticks) for action, function, ticks in records)
    return bytes([7 << 1 | 1]) + struct.pack("<Q", len(metadata + functions)).ljust(15, b"\0") + metadata + functions


def check_tails():
    """Whether a tail exit was taken shows later in the log, after a part as well, whose records show it nevertheless."""
    ENTRY, EXIT, TAIL = 0, 1, 2
    second, outer, inner = 1000, 1, 2
    log = struct.pack("<HHIQQ8x", 5, 1, 3, second, 0)
    log += buffer(7, 1000 * second, [(ENTRY, outer, 0), (ENTRY, inner, second)])
    log += buffer(7, 1010 * second, [(ENTRY, 3, 0), (EXIT, 3, second)])
    log += buffer(7, 1020 * second, [(TAIL, inner, 0)])
    log += buffer(7, 1030 * second, [(EXIT, inner, second), (EXIT, outer, second)])
    names = ["xray.kind", "frame.time_relative", "_ws.col.Info"]
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        path = Path(folder) / "tail.xray"
        path.write_bytes(log)
        tail = next(row for row in tshark(path, names).rows if row[0] == str(TAIL + 1))
        at = float(tail[1])
        require("not taken" in tail[2], tail)
        for time in (f"0,{at + 0.5}", f"{at - 1},{at + 0.5}", f"{at - 1},{at + 100}"):
            part = [row[2] for row in opened(path, names, time).rows if row[0] == tail[0]]
            require(part == [tail[2]], time, part, tail)


def check_packed():
    """A packed log is read in advance as well, so calls without an exit end where they do in the log itself. From a pipe that is too late."""
    log = CAPTURES / "search/xray-log.search.before"
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as folder:
        copy = Path(folder) / f"{log.name}.gz"
        copy.write_bytes(gzip.compress(log.read_bytes()))
        for tap in ("xray,account,csv", "xray,stacks", "xray,calls,each,csv"):
            own, packed, piped = (asked("tshark", "-n", "-r", path, "-o", f"xray.binary:{log.parent / 'search'}", "-q", "-z", tap, stdin=stdin)
                                  for path, stdin in ((log, None), (copy, None), ("-", log.read_bytes())))
            require(own[:2] == packed[:2] and "too late" not in own[2] + packed[2], copy, tap, packed, "expected", own)
            require(piped[0] == 2 and piped[2].count("too late") == 1, "from a pipe:", tap, piped)


CHECKS = {"packed": check_packed, "settings": check_settings, "unknown": check_unknown, "tails": check_tails}


def main():
    args = arguments(__doc__, what={"nargs": "+"}, __count={"type": int, "default": 3})
    try:
        if args.what[0] == "statistics":
            for name in args.what[1:]:
                check_statistics(name, args.count)
            return
        for what in args.what:
            CHECKS.get(what, lambda what=what: check_capture(what))()
    except Failure as failure:
        sys.exit(f"parts: {failure}")


if __name__ == "__main__":
    main()
