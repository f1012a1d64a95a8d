#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z xray,call,FRAME and xray,gaps against a count from the fields of each record, in one pass and in two.

usage: inside.py [--build DIR] TEST

tests:
  call      what a call consists of, for the calls with most in them of several logs
  gaps      what lies between the outermost calls of each thread
  within    xray.call.within of every record, and filters by it
  deep      the innermost 4096 of them if somebody names the field, as -e does, and how many are missing; in some records
  idle      xray.idle and ovni.idle of every record
"""
import gzip
import struct
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
import check  # noqa: E402
import memory  # noqa: E402
from check import CAPTURES, csv_rows, require, run, statistic, tshark  # noqa: E402
from tables import of_csv  # noqa: E402

LOGS = [CAPTURES / "xray" / f"{name}.xray" for name in ("fdr-single", "fdr-cpus", "fdr-typed", "fdr-left", "fdr-tails-o2", "basic-threads", "fdr-wrap")]
WITHIN = ["frame.number", "xray.call.within", "xray.call.within.missing"]
NAMES = ["frame.number", "xray.kind", "xray.process", "xray.thread", "xray.cpu", "xray.tsc", "xray.function.id", "xray.call.entry", "xray.call.exit",
         "xray.call.caller", "xray.call.depth", "xray.call.ticks", "xray.event.type", "xray.call.unwound"]
ENTRIES, EXITS, CUSTOM, TYPED = (1, 4), (2, 3), 21, 24


class Log:
    def __init__(self, path):
        rows = tshark(path, NAMES, "-2").rows
        self.records = [dict(zip((n.split(".", 1)[1] for n in NAMES), ([*row[:-1], row[-1]]))) for row in rows]
        for r in self.records:
            for key, value in r.items():
                r[key] = bool(value) if key == "call.unwound" else int(value) if value else None  # at an entry: it has no exit
        self.by_number = {r["number"]: r for r in self.records}
        self.entries = [r for r in self.records if r["kind"] in ENTRIES]
        self.children = defaultdict(list)
        for r in self.entries:
            if r["call.caller"]:
                self.children[r["call.caller"]].append(r)

    def end_of(self, entry):
        """When a call ended: without an exit, when it had surely not ended yet."""
        return entry["tsc"] + entry["call.ticks"]


def add(pieces, kind, what, at, record, took=None, unwound=False):
    """Count, sum, longest; where the longest is, or the first; how many calls have no exit."""
    p = pieces.setdefault((what, kind), [0, 0, 0, at, record, 0])
    p[0] += 1
    p[5] += unwound
    if took is not None:
        p[1] += took
        if took > p[2]:
            p[2:5] = [took, at, record]


def inside(log, entry):
    """All pieces of a call, as the rows of the table."""
    end, begin, name = log.end_of(entry), entry["tsc"], lambda r: f"#{r['function.id']}"
    pieces = {}
    add(pieces, "this call", name(entry), 0, entry["number"], entry["call.ticks"], entry["call.unwound"])
    last, record, before = begin, entry["number"], "(entry)"

    def gap(now, after):
        if now > last:
            add(pieces, "self time", f"{before} → {after}", last - begin, record, now - last)
    for child in log.children[entry["number"]]:
        if child["tsc"] > end:
            break
        gap(child["tsc"], name(child))
        stop = log.end_of(child)
        add(pieces, "call", name(child), child["tsc"] - begin, child["number"], child["call.ticks"], child["call.unwound"])
        last, record, before = stop, child["call.exit"], name(child)
    gap(end, "(exit)")
    cpu = None
    for r in log.records[entry["number"] - 1:entry["call.exit"]]:
        if r["tsc"] is not None and r["tsc"] > end or (r["process"], r["thread"]) != (entry["process"], entry["thread"]):
            continue
        if r["cpu"] is not None and cpu not in (None, r["cpu"]):
            add(pieces, "move", f"CPU {cpu} → CPU {r['cpu']}", r["tsc"] - begin, r["number"])
        cpu = cpu if r["cpu"] is None else r["cpu"]
        if r["kind"] in (CUSTOM, TYPED):
            what = "custom event" if r["kind"] == CUSTOM else f"type {r['event.type']}"
            add(pieces, "event", what, r["tsc"] - begin, r["number"])
    return pieces


def table(path, what, *options):
    names, rows = of_csv(statistic(path, what, *options))
    at = {name: i for i, name in enumerate(names)}
    found = {}
    for row in rows:
        key = tuple(row[:2])
        require(key not in found, what, "two rows for", key)
        found[key] = [int(row[at[n]] or 0) if n in at else 0 for n in ("count", "sum_ticks", "longest_ticks", "at_ticks", "record", "unwound")]
    return found, {tuple(row[:2]): row[at["part_percent"]] for row in rows}


def same(where, want, got):
    wrong = [(key, want.get(key), got.get(key)) for key in want.keys() | got.keys() if want.get(key) != got.get(key)]
    require(not wrong, where, "row, expected, shown:", wrong[:4])


def check_call(path, log, entry, options):
    want = inside(log, entry)
    got, parts = table(path, f"xray,call,{entry['number']},csv,ticks", *options)
    same(f"{path.name}, call in {entry['number']}, {options}", want, got)
    total = entry["call.ticks"]
    for key, part in parts.items():
        require(part == ("" if key[1] in ("move", "event") or not total else f"{100 * want[key][1] / total:.1f}"), path.name, key, "part", part)
    own = sum(p[1] for (_, kind), p in got.items() if kind == "self time")
    below = sum(p[1] for (_, kind), p in got.items() if kind == "call")
    require(own + below == total, path.name, entry["number"], "own time and calls are not the whole:", own, below, total)
    return Counter(kind for _, kind in got)


def step(function, *inside):
    """A call; without an exit if the function is negative."""
    enter, leave = (struct.pack("<II", abs(function) << 4 | end, 1) for end in (0, 2))
    return enter + b"".join(inside) + (leave if function > 0 else b"")


def with_left_calls(path):
    """Function 1 calls 2, 3 and 5; then exceptions leave some of them, and it goes on."""
    path.write_bytes(memory.xray([(5, 1, step(1, step(3), step(2), step(5, step(4)))
                                   + step(1, step(-2), step(3), step(3), step(-5, step(4), step(4)), step(3), step(-2)))]))
    check_late(path)
    return path


def check_late(path):
    """Where a log cannot be read in advance, as from a pipe, that is reported. A packed one can be."""
    packed = path.with_suffix(".xray.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    entry = max((r for r in Log(path).entries if r["function.id"] == 1), key=lambda r: r["number"])["number"]
    for what, options in ((path, []), (packed, ["-2"]), (packed, []), ("-", [])):
        piped = what == "-"
        code, _, error = run("tshark", "-q", "-r", what, "-z", f"xray,call,{entry}", *options, stdin=path.read_bytes() if piped else None)
        require(code == (2 if piped else 0) and ("found too late" in error) == piped, what, options, "says:", code, error)


def test_call():
    with tempfile.TemporaryDirectory() as folder:
        check_calls([*LOGS, with_left_calls(Path(folder) / "left.xray")])


def check_calls(logs):
    kinds, left = Counter(), 0
    for path in logs:
        log = Log(path)
        left += any(a["call.unwound"] for siblings in log.children.values() for a in siblings[:-1])
        whole = [r for r in log.entries if r["call.ticks"] is not None and all(c["call.ticks"] is not None for c in log.children[r["number"]])]
        whole.sort(key=lambda r: (len(log.children[r["number"]]), r["call.exit"] - r["number"]), reverse=True)
        for i, entry in enumerate(whole[:3]):
            kinds += check_call(path, log, entry, ["-2"] if i else [])
        each = table(path, f"xray,call,{whole[0]['number']},csv,ticks,each,sort:+count,top:1")[0]
        require(all(row[0] == 1 for row in each.values()), path.name, "each:", each)
    require(all(kinds[k] for k in ("this call", "call", "self time", "move", "event")), "nothing of a kind was tested:", kinds)
    require(left > 1, "logs in which calls follow one without an exit:", left)
    check_words(LOGS[0])
    for path in LOGS[0], LOGS[1]:
        check_rows(path)


def check_rows(path):
    """Rows of calls, under a filter, have the same calls: those one deeper are its own."""
    entry = max((r for r in Log(path).entries if r["call.exit"] and r["call.ticks"]), key=lambda r: r["call.exit"] - r["number"])
    asked = lambda words: csv_rows(statistic(path, words))
    sums = Counter()
    for row in asked(f"xray,calls,each,csv,ticks,sort:duration,top:9999,xray.call.within == {entry['number']}"):
        if int(row["depth"]) == entry["call.depth"] + 1 and int(row["end_record"]) < entry["call.exit"]:
            sums[row["function"]] += int(row["duration_ticks"])
    inside = {r["what"]: int(r["sum_ticks"]) for r in asked(f"xray,call,{entry['number']},csv,ticks") if r["kind"] == "call"}
    require(inside and inside == dict(sums), path.name, "calls inside:", sums, "instead of", inside)


def check_words(path):
    """An exit stands for its call once all records are known; what is no call says so."""
    entry = next(r for r in Log(path).entries if r["call.exit"])
    exits = table(path, f"xray,call,{entry['call.exit']},csv,ticks", "-2")[0]
    require(exits == table(path, f"xray,call,{entry['number']},csv,ticks")[0], "asked for an exit:", exits)
    for word, options, told in ((entry["call.exit"], [], f"its call begins at record {entry['number']}"), (1, [], "belongs to no call"),
                                (10**6, [], "There is no record 1000000"), (entry["number"], ["-Y", "xray"], ""),
                                (f"{entry['number']},xray.kind == 1", [], "does not end in this log, or the filter")):
        code, _, error = run("tshark", "-q", "-r", path, "-o", f"xray.binary:{CAPTURES}/xray/calls.elf", "-z", f"xray,call,{word}", *options)
        none = told.startswith(("its call", "belongs", "There is no"))  # nothing of the call is there
        require(code == (2 if none else 0) and (told in error if told else not error), word, "says:", code, error)
    for word in ("", ",0", ",x", ",4294967296", ",-1"):
        code, out, error = run("tshark", "-q", "-r", path, "-z", f"xray,call{word}")
        require(code == 1 and not out and "FRAME" in error, word, "gives", code, error)


def test_gaps():
    rows = 0
    for path in LOGS:
        log, threads, pieces = Log(path), {}, {}
        for r in log.records:
            who = (r["process"], r["thread"])
            entry = r if r["kind"] in ENTRIES else log.by_number.get(r["call.entry"]) if r["kind"] in EXITS else None
            if not entry or entry["call.caller"] is not None:
                continue
            name = f"#{entry['function.id']}"
            if r is entry and who not in threads:
                threads[who] = [r["tsc"], None, None, None]
            first, last, record, before = threads[who]
            if r is not entry:
                threads[who][1:] = [r["tsc"], r["number"], name]
            elif last is not None and r["tsc"] > last:
                add(pieces, f"{'?' if who[0] is None else who[0]}/{who[1]}", f"{before} → {name}", last - first, record, r["tsc"] - last)
        for options in ([], ["-2"]):
            same(f"{path.name}, gaps", pieces, table(path, "xray,gaps,csv,ticks", *options)[0])
        check_gaps_of_rows(path)
        rows += len(pieces)
    require(rows > 3, "there are", rows, "gaps only")


def check_gaps_of_rows(path):
    """Rows of calls, taken from one to the next, have the same, unless depths are unknown; its times are rounded to nanoseconds."""
    asked = lambda words: csv_rows(statistic(path, f"{words},csv"))
    latest, sums = {}, {}
    for row in sorted((r for r in asked("xray,calls,each") if r["depth"] == "0"), key=lambda r: int(r["begin_record"])):
        who = f"{row['process'] or '?'}/{row['thread']}"
        since, until = latest.get(who, (None, None))
        if until is not None and int(row["time_ns"]) > until:
            sums.setdefault((f"{since} → {row['function']}", who), []).append(int(row["time_ns"]) - until)
        latest[who] = (row["function"], int(row["time_ns"]) + int(row["duration_ns"]) if row["duration_ns"] else None)
    table_ = {(r["gap"], r["thread"]): r for r in asked("xray,gaps")}
    if path.stem == "fdr-wrap":  # begins in the middle of calls
        require(table_ and not sums, path.name, "has depths:", sums)
        return
    require(set(sums) == set(table_), path.name, "gaps of rows:", set(sums) ^ set(table_))
    for key, ns in sums.items():
        row = table_[key]
        require(len(ns) == int(row["count"]) and abs(sum(ns) - int(row["sum_ns"])) <= len(ns) and abs(max(ns) - int(row["longest_ns"])) <= 1,
                path.name, key, ns, row)


def enclosing(log):
    """Record -> the entries of the calls around it, by looking at all calls."""
    last = lambda r: log.by_number.get(r["call.exit"])
    own = lambda r: last(r) and last(r)["call.entry"] == r["number"] and last(r)["kind"] in EXITS
    ends = {r["number"]: (r["call.exit"] or len(log.records)) + (0 if own(r) else 1) for r in log.entries}  # the first record after it
    found = {}
    for r in log.records:
        around = [e["number"] for e in log.entries if e["number"] < r["number"] < ends[e["number"]]
                  and (e["process"], e["thread"]) == (r["process"], r["thread"])]
        stray = r["kind"] in EXITS and not r["call.entry"]  # belongs to no call of this log
        found[r["number"]] = [] if stray or r["thread"] is None else around
    return found


def test_within():
    kinds = Counter()
    for path in LOGS:
        log = Log(path)
        want = enclosing(log)
        kinds += Counter(log.by_number[n]["kind"] for n, around in want.items() if around)
        for options in ([], ["-2"]):
            got = {int(row[0]): [int(n) for n in row[1].split(";") if n] for row in tshark(path, WITHIN, *options).rows}
            same(f"{path.name}, within, {options}", want, got)
        most = max(log.entries, key=lambda r: sum(r["number"] in around for around in want.values()))["number"]
        for options in ([], ["-2"]):
            rows = tshark(path, WITHIN, "-Y", f"xray.call.within == {most}", *options).rows
            require([int(r[0]) for r in rows] == [n for n, around in want.items() if most in around], path.name, "filter", most, options)
    require(len(kinds) > 7, "kinds of records within calls:", kinds)
    check_deep([], ["-2"])


def test_deep():
    """Options besides -e, which names the field."""
    check_deep(["-Y", "frame.number in {3, 66, 67, 4098, 4099, 4201, 4202, 4203, 8399}"],
               ["-Y", "frame.number in {3, 66, 67, 4098, 4099, 4201, 4202} && (xray.call.within || xray)"],
               ["-2", "-Y", "frame.number in {2, 3, 67, 4099, 4201, 4202} && !(xray.call.within == 1)"])


def check_deep(*ways):
    deep, record = 4200, struct.Struct("<HBBiQII8x")
    calls = [(0, 1)] * deep + [(1, 1)] * deep
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deep.xray"
        path.write_bytes(struct.pack("<HHIQ16x", 3, 0, 3, 10**9)
                         + b"".join(record.pack(0, 0, end, function, 100 + n, 7, 7) for n, (end, function) in enumerate(calls)))
        for options in ways:
            check_innermost(path, deep, 4096, options)


def check_innermost(path, deep, limit, options):
    out = run("tshark", "-n", "-r", path, "-T", "fields", "-E", "aggregator=;", *[word for n in WITHIN for word in ("-e", n)], *options)[1]
    rows = [line.split("\t") for line in out.split("\n")[:-1]]
    require(len(rows) > 3, "rows:", rows)
    for number, around, missing in rows:
        n = min(int(number), 2 * deep + 3 - int(number))  # exits are around the same calls as entries
        full = list(range(2, n))
        require([int(r) for r in around.split(";") if r] == full[-limit:] and missing == (str(len(full) - limit) if full[limit:] else ""), "deep:",
                number, around[-99:], missing, "of", len(full))


def test_idle():
    for path, field, who in (*((log, "xray.idle", ["xray.process", "xray.thread"]) for log in LOGS),
                             *((check.entry(CAPTURES / "ovni" / name), "ovni.idle", ["ovni.stream"]) for name in
                               ("v3-two-nodes", "v3-unsorted", "v1-1.4.1-mpi"))):
        kind = f"{field.split('.')[0]}.kind"
        for options in ([], ["-2"]):
            last, shown = {}, 0
            for time, kind_of, got, *thread in tshark(path, ["frame.time_epoch", kind, field, *who], *options).rows:
                seconds, fraction = time.split(".")
                now, thread = int(seconds) * 10**9 + int(fraction), tuple(thread)
                counts = thread[-1] != "" if field == "xray.idle" else kind_of in ("1", "2")
                want = now - last[thread] if counts and thread in last and now >= last[thread] else None
                last.update({thread: now} if counts else {})
                require(got == ("" if want is None else f"{want // 10**9}.{want % 10**9:09}"), path.name, options, time, thread, "expected", want, "shown", got)
                shown += want is not None
            require(shown > 20, path.name, "shows", shown)
        rows = tshark(path, [field], "-Y", f"{field} > 0.0001").rows
        require(all(float(row[0]) > 0.0001 for row in rows), path.name, "filter")


def main():
    args = check.arguments(__doc__, test={"choices": ("call", "gaps", "within", "deep", "idle")})
    try:
        globals()[f"test_{args.test}"]()
    except check.Failure as failure:
        sys.exit(f"{args.test}: {failure}")


if __name__ == "__main__":
    main()
