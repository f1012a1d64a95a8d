#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Follow Stream, as `tshark -z follow,PROTOCOL,ascii,N`: every stream of a capture as text, compared with the fields of
its records.

usage: follow.py --build DIR
"""
import sys
from decimal import Decimal

sys.dont_write_bytecode = True
import check  # noqa: E402
from check import TOP  # noqa: E402

UNITS = ((10**9, 9, "s"), (10**6, 6, "ms"), (10**3, 3, "us"))
XRAY = ["xray/fdr-args.xray", "xray/fdr-left.xray", "xray/fdr-tails-o2.xray", "xray/basic-threads.xray", "xray/fdr-wrap.xray",
        "xray/fdr-cut.xray", "search/xray-log.search.before"]
OVNI = ["ovni/v3-two-nodes/loom.node01.0/proc.20575/thread.20575/stream.json", "ovni/v2-1.10.0-marks"]


def table(capture, fields):
    """Rows of texts; if a field occurs more than once, its first value."""
    chosen = [word for field in fields for word in ("-e", field)]
    out = check.printed(capture, "-2", "-T", "fields", "-E", "occurrence=f", *chosen)
    return [line.split("\t") for line in out.split("\n")[:-1]]


def text_of(capture, protocol, stream):
    out = check.statistic(capture, f"follow,{protocol},ascii,{stream}")
    lines = out.split("\n")
    assert lines[2:4] == [f"Follow: {protocol},ascii", f"Filter: {protocol}.stream.number == {stream}"], lines[:5]
    return [line for line in lines[7:] if line and not line.startswith("=====")]  # [6] is the length


def duration(seconds):
    ns = int(Decimal(seconds) * 10**9)
    for unit, digits, name in UNITS:
        if ns >= unit:
            return f"{ns // unit}.{ns % unit:0{digits}} {name}"
    return f"{ns} ns"


class Text:
    def __init__(self):
        self.lines, self.before = [], None

    def begin(self, frame, depth, name):
        self.lines.append("  " * depth + f"{name} {{")
        self.before = frame

    def end(self, frame, depth, begin, name, how):
        alone = begin and begin == self.before
        if alone:
            self.lines.pop()
        self.lines.append("  " * depth + ("" if alone else "} ") + f"{name}  {how}")
        self.before = frame

    def note(self, frame, line):
        self.lines.append(line)
        self.before = frame


def xray_texts(capture):
    """Stream -> expected text."""
    fields = "xray.stream.number frame.number xray.kind xray.call.depth xray.function.short xray.function.id".split()
    rows = table(capture, fields + ["xray.call.entry", "xray.call.duration", "xray.call.exit", "xray.repeated",
                                    "xray.call.caller", "xray.call.unwound"])
    known = {row[1]: row for row in rows}
    for row in rows:  # where the outermost calls are not known, those of the log have no indentation
        caller = known.get(row[10])
        row[3] = row[3] or str(int(caller[3]) + 1 if caller else 0)
    left, texts = {}, {}
    for row in rows:  # calls without an exit: the exit of the first call around them that has one shows it
        if row[2] in ("1", "4") and row[11]:
            around = row
            while around[11]:
                around = known[around[10]]
            left.setdefault(around[8], []).insert(0, row)
    for stream, frame, kind, depth, name, number, entry, time, _, repeated, *_ in rows:
        text = texts.setdefault(stream, Text())
        name = name or f"#{number}"
        if repeated:
            continue
        if kind in ("1", "4"):
            text.begin(frame, int(depth), name)
        if kind in ("2", "3"):
            for inner in left.get(frame, []):
                text.end(frame, int(inner[3]), inner[1], inner[4] or f"#{inner[5]}",
                         duration(inner[7]) + ", no exit")
            text.end(frame, int(depth or 0), entry, name, duration(time) if time else "no duration" if entry else
                     "not entered in this log")
    return texts


def ovni_texts(capture):
    fields = "ovni.stream.number frame.number ovni.state ovni.region.depth ovni.region.begin ovni.region.duration".split()
    rows = table(capture, fields + ["ovni.left.state", "ovni.left.duration", "ovni.unmatched", "ovni.mark.title"])
    texts = {}
    for stream, frame, state, depth, begin, time, left, held, unmatched, title in rows:
        text = texts.setdefault(stream, Text())
        state = f"{title}: {state}" if title and state else state
        if left:
            text.note(frame, f"= {state}  after {duration(held)} in {left}")
        elif begin or (unmatched and not depth):
            text.end(frame, int(depth or 0), begin, state, duration(time) if time else "no duration" if begin else
                     "not entered in this stream")
        elif depth:
            text.begin(frame, int(depth), state)
        elif state and not state.startswith("("):
            text.note(frame, f"= {state}")
    return texts


def main():
    check.arguments(__doc__)
    bad = lines = 0
    # tshark writes a dot for each byte that is not ASCII
    dots = lambda line: line and "".join(c if c.isascii() else "." * len(c.encode()) for c in line)  # noqa: E731
    for protocol, captures, model in (("xray", XRAY, xray_texts), ("ovni", OVNI, ovni_texts)):
        for name in captures:
            path = TOP / "captures" / name
            path = path if path.is_file() else sorted(path.rglob("metadata.json"))[0]
            for stream, want in model(path).items():
                if not want.lines:
                    continue
                got = text_of(path, protocol, stream)
                lines += len(got)
                for i, (g, w) in enumerate(zip(got + [None], want.lines + [None])):
                    if g != dots(w):
                        print(f"{name}, stream {stream}, line {i + 1}: {g!r}, expected {w!r}")
                        bad += 1
                        break
    print(f"{lines} lines")
    return bad > 0 or lines < 1000


if __name__ == "__main__":
    sys.exit(main())
