#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""WIRETRACE_TIME and WIRETRACE_STREAMS open what a filter on the whole trace would show.

usage: parts.py [--build DIR] CAPTURE...
       parts.py [--build DIR] settings

Of each capture: a span of time, a share of the streams, and both, in two passes, so that all records are also read again. What
is known of a call must be right or missing. The part is also saved in its own format and read back.
"""
import os
import sys
import tempfile
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

    def expected(self, time, has_stream):
        rows = []
        for row in self.rows:
            number = self.number[row[2]]
            stays = row[-1] in STAYS[self.format.NAME] if time and Decimal(row[0]) < time[0] else not time or Decimal(row[0]) < time[1]
            if stays and (number is None or has_stream(number, row[2])):
                rows.append(row)
        return rows

    def check(self, time, streams="", has_stream=lambda number, name: True):
        text = f"{time[0]},{time[1]}" if time else ""
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


def comment(path, **wanted):
    code, out, error = run("capinfos", "-k", path, prefix=["env", *(f"{k}={v}" for k, v in wanted.items())])
    require(code == 0, "capinfos", wanted, error)
    return out, error


def asked(*command, **wanted):
    os.environ.update(wanted)
    done = run(*command)
    for name in wanted:
        del os.environ[name]
    return done


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
        require(out.splitlines()[0].startswith("WIRETRACE_TIME"), "the first record says", out.splitlines()[0])
        require("no effect" not in str(run("tshark", "-r", exported, "-V", "-c", "1")), "said without reason")
        require("no effect" not in asked("tshark", "-r", log, WIRETRACE_TIME="0,1", WIRETRACE_PDU="1")[2], "a part that is exported")


def check_settings():
    """With a value that cannot be used nothing opens, and preferences do the same as variables, for their own format."""
    log, trace = CAPTURES / "xray/basic-threads.xray", CAPTURES / "cacheray/orders.trace"
    stream = next((CAPTURES / "ovni/v3-two-nodes").rglob("*.obs"))
    count = {path: len(tshark(path, ["frame.number"]).rows) for path in (log, trace)}
    times = "must be two times in seconds"
    for bad in ("1", "1,", ",1", "2,1", "1,1", "a,b", "nan,1", "1,2,3", "-1,1", "1e3,2e3", "0.0000000001,1", " 1,2", "1,99999999999"):
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
    refused(stream, "may be 0, 1", WIRETRACE_OVNI_CLOCK_OFFSETS="no")
    refused(log, "must be a whole number", "-o", "xray.frequency:abc")
    check_ignored(log)
    require("share 2/4)" in comment(log, WIRETRACE_STREAMS="2/4")[0], "the share is not in the comment")
    out, error = comment(trace, WIRETRACE_STREAMS="2/2", WIRETRACE_TIME="0,0.0001")
    require("from 0.000000000 to before 0.000100000 seconds" in out and "has no streams" in error, out, error)
    os.environ["WIRETRACE_TIME"] = "0,0.0001"
    require(len(tshark(trace, ["frame.number"]).rows) == 100, "a hundred microseconds of a Cacheray trace are not a hundred records")
    require(len(tshark(trace, ["frame.number"], "-o", "cacheray.time_range:0,0.0002").rows) == 200, "the preference does not come first")
    require(len(tshark(trace, ["frame.number"], "-o", "xray.time_range:0,0.0002").rows) == 100, "another format's preference counts")
    del os.environ["WIRETRACE_TIME"]
    require(len(tshark(log, ["frame.number"], "-o", "xray.streams:1/5").rows) < count[log], "xray.streams does nothing")
    require(len(tshark(log, ["frame.number"], "-o", "ovni.streams:1/5").rows) == count[log], "ovni.streams counts for XRay")


def main():
    args = arguments(__doc__, what={"nargs": "+"})
    try:
        for what in args.what:
            check_settings() if what == "settings" else check_capture(what)
    except Failure as failure:
        sys.exit(f"parts: {failure}")


if __name__ == "__main__":
    main()
