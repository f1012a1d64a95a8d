#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics and pictures of traces with more names than they keep (docs/security.md, "Limits").

usage: bounds.py [--build DIR] FORMAT

What has no room counts in (others). Each row with a name of its own counts all that it would count without the limit, and the sum
of all rows is as without it. Prints how far each output went over its bound.
"""
import csv
import io
import itertools
import json
import re
import struct
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import memory  # noqa: E402
import pictures  # noqa: E402
import surfaces  # noqa: E402
import windows  # noqa: E402
from check import Failure, require, run  # noqa: E402
from pdu import folder  # noqa: E402

OTHERS = "(others)"


# --- readers: what each row counts, by its name ----------------------------------------------------------------------------
def cells(*columns):
    """Of CSV: the columns of the name, and of the count."""
    def read(text):
        names, *rows = csv.reader(io.StringIO(text.strip("\n")))
        *key, count = map(names.index, columns)
        return ([row[i] for i in key] + [row[count]] for row in rows)
    return read


def lines(pattern):
    return lambda text: re.findall(pattern, text, re.M)


def below(node):
    """Of a tree: the children of a node."""
    def read(text):
        children = re.search(rf"^( *){re.escape(node)}  .*\n((?:\1 .*\n)+)", text, re.M)
        return re.findall(rf"^ {{{len(children[1]) + 1}}}(\S.*?) {{2,}}(\d+) ", children[2], re.M)
    return read


def flame(column):
    return lambda text: ((";".join(path), values[column]) for path, values in pictures.paths_of(pictures.data_of(text)["stacks"]))


def functions(column):
    return lambda text: ((name, costs[column]) for (_, name), costs in pictures.profile_of(text)[1].items())


def called(text):
    calls = Counter()
    for (_, callee), (n, _) in pictures.profile_of(text)[2].items():
        calls[callee[1]] += n
    return calls.items()


def edges(text):
    return ((caller[1], callee[1], n) for (caller, callee), (n, _) in pictures.profile_of(text)[2].items())


folded, responses = lines(r"^(.*) (\d+)$"), lines(r"^ *\d+  (.+?) +(\d+) +\d+\.\d+ ")
endpoints, conversations = lines(r"^((?:thread|CPU|line|type|\().*?) {2,}(\d+) "), lines(r"^(\S.*?) +<-> (.*?) {2,}.* (\d+) \S+ \S+ +\S+ +\S+$")


def indented(nodes):
    return ((" " * (len(path) - 1), path[-1], node["count"]) for path, node in windows.nodes_below((), nodes) if path != ("All",))


def check_windows(path, expected):
    """`expected`: (tree, what its nodes count, by indentation and name). Wireshark's trees have a bound that programs do not need."""
    with surfaces.Sharkd() as sharkd:
        sharkd.send("load", file=str(path))
        answer = sharkd.ask("tap", **{f"tap{n}": f"stat:{tree}" for n, (tree, _) in enumerate(expected)})
    shown = {tap["tap"].removeprefix("stats:"): tap["stats"] for tap in answer["taps"]}
    for tree, want in expected:
        compared(tree, indented, shown[tree], want)


def check_printed(path, expected, *options):
    """`expected`: (tree, column of its CSV, what its rows count), all of them."""
    for tree, column, want in expected:
        got = Counter()
        printed = run("tshark", "-n", "-q", "-r", path, *options, "-z", f"{tree},tree,csv,us")[1]
        for depth, name, count in cells("depth", "name", column)(printed):
            got[" " * int(depth), name] += int(float(count)) if count and int(depth) else 0
        require(+got == Counter(want), tree, "prints", len(got), "rows:", list((got - Counter(want)).items())[:3])


def compared(what, read, text, want):
    """`want`: what each row would count, by its name or names."""
    named, others = Counter(), 0
    for *name, count in read(text):
        if any(OTHERS in part.split(";") for part in name):
            others += int(count)
        else:
            named[name[0] if len(name) == 1 else tuple(name)] += int(count)
    named = +named
    require(others and named, what, "is not over its bound:", len(named), "rows,", others, "others", str(text)[-300:])
    wrong = {name: (n, want.get(name, 0)) for name, n in named.items() if want.get(name, 0) != n}
    require(not wrong, what, "has", len(wrong), "rows that do not count all, or too much:", dict(itertools.islice(wrong.items(), 3)))
    total = sum(want.values())
    require(sum(named.values()) + others == total, what, "adds up to", sum(named.values()) + others, "expected", total)
    print(f"{what}: {len(named)} of {len(+Counter(want))} rows, {others} of {total} in {OTHERS}")


def check_whole(path, what, read, want, *options):
    """A picture that has all rows: a long name takes room once, however many rows have it."""
    got = Counter()
    for *name, count in read(pictures.picture(path, what, *options)):
        got[tuple(name)] += int(count)
    require(got == Counter(want), what, "has", len(got), "rows, expected", len(want), list((Counter(want) - got).items())[:1])


def check_all(path, expected, *options):
    """`expected`: (output, reader, what each row counts). Pictures are alone on standard output."""
    asked = list(dict.fromkeys(what for what, *_ in expected))
    alone = [what for what in asked if re.search(r",(chrome|flame|callgrind)\b", what)]
    taps = [what for what in asked if what not in alone]
    marked = [word for n, what in enumerate(taps) for word in ("-z", f"{check.MARK}{n}", "-z", what)]
    out = check.printed(path, "-q", *options, *marked, "-z", f"{check.MARK}{len(taps)}")
    printed = {what: "\n".join(text) + "\n" for what, text in check.printed_lines(out, taps)[1].items()}
    printed.update((what, pictures.picture(path, what, *options)) for what in alone)
    for what, read, want in expected:
        compared(what, read, printed[what], want)


# --- XRay -------------------------------------------------------------------------------------------------------------
def call(function, inside=b"", took=1):
    return struct.pack("<II", function << 4, 1) + inside + struct.pack("<II", function << 4 | 2, took)


def number(n):
    return f"#{n}"


def many_functions(path):
    """As callees of one function, and then three times by themselves."""
    ids = range(2, 36_000)
    names, flat = [number(n) for n in ids], b"".join(map(call, ids))
    path.write_bytes(memory.xray([(5, 1, call(1, flat) + 3 * flat)]))
    all_of = {"#1": 1, **dict.fromkeys(names, 4)}
    edges_of = {("#1", "(no caller)"): 1, **dict.fromkeys(((n, "#1") for n in names), 1), **dict.fromkeys(((n, "(no caller)") for n in names), 3)}
    gaps = dict.fromkeys(zip(names, names[1:]), 3) | {("#1", names[0]): 1, (names[-1], names[0]): 2}
    inside = {("#1", "this call"): 1, **dict.fromkeys(((n, "call") for n in names), 1),
              **dict.fromkeys(((f"{a} → {b}", "self time") for a, b in zip(["(entry)", *names], [*names, "(exit)"])), 1)}
    check_all(path, [
        ("xray,account,csv", cells("function", "calls"), all_of),
        ("xray,call,7,csv", cells("what", "kind", "count"), inside),
        ("xray,gaps,csv", cells("gap", "count"), {f"{a} → {b}": n for (a, b), n in gaps.items()}),
        ("xray,srt", responses, all_of),
        ("xray,tree", below("Functions entered"), all_of),
        (f"xray,diff,{path},csv", cells("function", "calls_before"), all_of),
        (f"xray,diff,{path},csv", cells("function", "calls_after"), all_of),
    ])
    check_all(path, [("xray,account,graph,csv", cells("function", "caller", "calls"), edges_of),
                     ("xray,call,7,each,csv", cells("what", "kind", "count"), inside)])
    inner = {("  ", n): 1 for n in names} | {(" ", n): 3 for n in names}
    check_windows(path, [("xray.calls", {(" ", "#1"): 1} | inner)])
    check_printed(path, [("xray.calls", "calls", {(" ", "#1"): 1} | inner), ("xray.time", "time_us", {(" ", "#1"): 2 * len(names) + 1} | inner),
                         ("xray.self", "self_us", {(" ", n): c for n, c in {**all_of, "#1": len(names) + 1}.items()})], "-o", "xray.frequency:1000000")


def many_medians(path, count=22_000):
    """A median is of all calls of a function: were the first not counted, it would be 1."""
    ids = range(1, count + 1)
    path.write_bytes(memory.xray([(5, 1, b"".join(call(n, took=took) for took in (9, 1, 9, 1) for n in ids))]))
    text = check.statistic(path, "xray,graph,label:median")
    for what, pattern in (("functions", r'^F\d+ \[label="(.*?)\\n(\d+) ns'), ("edges", r'^F0 -> F(\d+) \[label="(\d+) ns')):
        found = dict(re.findall(pattern, text, re.M))
        others = found.pop(OTHERS if what == "functions" else str(2**32 - 1), None)
        require(len(found) < count and (others or what == "edges"), "medians of", what, "are not over their bound:", len(found))
        require(found and set(found.values()) == {"9"}, "medians of", what, "are", Counter(found.values()))
        print(f"xray,graph,label:median: {len(found)} of {count} {what}")


def many_threads(path, count=36_000):
    """Each with one call, on the same CPU."""
    every = range(1, count + 1)
    path.write_bytes(memory.xray((n, 1, call(2)) for n in every))
    check_all(path, [("endpoints,xray", endpoints, {"CPU 0": 3 * count} | {f"thread {n}": 3 for n in every}),
                     ("conv,xray", conversations, {(f"thread {n}", "CPU 0"): 3 for n in every}),
                     ("xray,tree", below("Threads"), {f"100/{n}": 7 for n in every})])


def very_many_functions(path):
    ids = range(2, 360_000)
    path.write_bytes(memory.xray([(5, 1, call(1, b"".join(map(call, ids))))]))
    all_of = dict.fromkeys(map(number, [1, *ids]), 1)
    stacks = {"#1": 1, **{f"#1;#{n}": 1 for n in ids}}
    check_all(path, [("xray,graph", lines(r'^F\d+ \[label="(.*?)\\n(\d+) call'), all_of),
                     ("xray,callgrind", called, all_of),
                     ("xray,stacks,count", folded, stacks), ("xray,flame", flame(-1), stacks)])


def long_names(path):
    """Each of some functions with long names calls each of them, twice."""
    ids, row = range(1, 81), "- {{ id: {0}, address: {0}, function: {0}, kind: function-enter, function-name: {1} }}\n"
    names = [f"f{n}".ljust(4000, "x") for n in ids]
    path.write_bytes(memory.xray([(5, 1, 2 * b"".join(call(a, call(b)) for a in ids for b in ids))]))
    memory.names_of(path).write_text("---\n" + "".join(row.format(*pair) for pair in zip(ids, names)) + "...\n", encoding="ascii")
    pairs = {(a, b): 2 for a in names for b in names} | {("(no caller)", a): 2 * len(names) for a in names}
    check_whole(path, "xray,callgrind", edges, pairs, "-o", f"xray.binary:{memory.names_of(path)}")


# --- Cacheray ---------------------------------------------------------------------------------------------------------
def regions(count, name):
    """Adds a region for each number, in a line of its own."""
    made = [(1 << 40 | n << 12, name(n).encode()) for n in range(1, count + 1)]
    return b"".join(struct.pack("<BQQIII", 2, at, n, 8, 4, len(text)) + text for n, (at, text) in enumerate(made, 1))


def reads(count, thread):
    return b"".join(struct.pack("<BQBQ", 0, 1 << 40 | n << 12, 8, thread or n) for n in range(1, count + 1))


def short(n):
    return f"t{n}"


def long(n):
    return f"t{n}".ljust(4000, "x")


def line(n):
    return f"line {(1 << 40 | n << 12):#x}"


def many_types(path, count=36_000):
    """Each with a region, a line and a thread, and four accesses."""
    every = range(1, count + 1)
    path.write_bytes(regions(count, short) + 4 * reads(count, 0))
    types, by_line = {short(n): 4 for n in every}, {line(n).split()[1]: 4 for n in every}
    check_all(path, [
        ("cacheray,types,csv", cells("type", "reads"), types),
        ("cacheray,regions,csv", cells("type", "reads"), types),
        ("cacheray,lines,csv", cells("line", "reads"), by_line),
        (f"cacheray,diff,{path},csv", cells("type", "accesses_before"), types),
        (f"cacheray,diff,{path},csv", cells("type", "accesses_after"), types),
        ("cacheray,whatif,csv", lines(r"^(t\d+|\(others\)),(\d+),"), types),
        ("cacheray,reuse,csv,by:type", lambda text: ((row[0], row[2]) for row in cells("type", "lines", "misses")(text) if row[1] == "1"), types),
        ("cacheray,tree", below("Threads"), {str(n): 5 for n in every}),
        ("endpoints,cacheray", endpoints, {f"type {name}": n for name, n in types.items()} |
         {line(n): 4 for n in every} | {f"thread {n}": 4 for n in every}),
        ("conv,cacheray", conversations, {(line(n), f"thread {n}"): 4 for n in every}),
    ])
    check_all(path, [("cacheray,lines,offsets,csv", lambda text: ((row[0], row[3]) for row in cells("line", "byte_offset", "data", "reads")(text) if not row[1] and not row[2]), by_line)])


def long_types(path, count=10_900):
    path.write_bytes(regions(count, long) + 2 * reads(count, 1))
    types = {long(n): 2 for n in range(1, count + 1)}
    check_all(path, [("cacheray,flame", flame(0), types), ("cacheray,callgrind", functions(0), types)])


def lanes(text):
    """Accesses by lane; further lanes are one without a name."""
    events = json.loads(text)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return ((names.get((e["pid"], e["tid"]), OTHERS), 1) for e in events if e["ph"] == "i")


def regions_of(text):
    """The last value of each counter."""
    return {e["name"]: e["args"]["misses"] for e in json.loads(text)["traceEvents"] if e["ph"] == "C"}.items()


def many_lanes(path, count=100_100):
    every = range(1, count + 1)
    path.write_bytes(regions(count, short) + reads(count, 0))
    check_all(path, [("cacheray,chrome", lanes, {f"Thread {n}": 1 for n in every}),
                     ("cacheray,chrome", regions_of, {f"{short(n)} of record {n}": 1 for n in every})], "-o", f"cacheray.caches:{pictures.CACHES}")


# --- ovni -------------------------------------------------------------------------------------------------------------
def marks(pairs, step=1):
    """One inside the other, an event every so many ns."""
    at = itertools.count(step, step)
    return b"".join(memory.event(code, next(at), struct.pack("<qi", n, 1)) for a, b in pairs
                    for code, n in ((b"OM[", a), (b"OM[", b), (b"OM]", b), (b"OM]", a)))


def long_marks(path):
    """States with long names, each in each, twice."""
    values = range(1, 111)
    labels = {n: f"m{n}".ljust(4000, "x") for n in values}
    about = {"mark": {"1": {"title": "t", "chan_type": "stack", "labels": {str(n): label for n, label in labels.items()}}}}
    memory.ovni(path, 1, marks([(a, b) for a in values for b in values] * 2), about)
    names = [f"t: {label}" for label in labels.values()]
    pairs = {(a, b): 2 for a in names for b in names} | {("(no caller)", a): 2 * len(names) for a in names}
    check_whole(check.entry(path), "ovni,callgrind", edges, pairs)


def many_marks(path, count=36_000):
    """Each state by itself, four times, and as many codes."""
    values = range(1, count + 1)
    codes = b"".join(memory.event(bytes([33 + n % 94, 33 + n // 94 % 94, 33 + n // 94 // 94]), 1 << 40) for n in range(count))
    memory.ovni(path, 1, marks([(n, count + 1) for n in values] * 4) + codes)
    opened, states = check.entry(path), {f"Mark 1: {n}": 4 for n in values} | {f"Mark 1: {count + 1}": 4 * count}
    check_all(opened, [
        ("ovni,states,csv", cells("state", "count"), states),
        (f"ovni,diff,{opened},csv", cells("state", "count_before"), states),
        (f"ovni,diff,{opened},csv", cells("state", "count_after"), states),
        ("ovni,srt", responses, states),
    ])


def very_many_marks(path, count=185_000):
    """Each a stack of its own."""
    values = range(1, count + 1)
    memory.ovni(path, 1, b"".join(memory.event(code, n, struct.pack("<qi", n, 1)) for n in values for code in (b"OM[", b"OM]")))
    stacks, lines_of = ({f"ovni;Mark 1:{blank}{n}": 1 for n in values} for blank in " \xa0")  # common/statistics/stack_tree.h
    check_all(check.entry(path), [("ovni,stacks,count", folded, lines_of), ("ovni,flame", flame(-1), stacks)])


def many_states(path, count=12_000):
    """Each twice in another one, and as many codes."""
    values, outer = range(1, count + 1), f"Mark 1: {count + 1}"
    codes = [bytes([33 + n % 94, 33 + n // 94 % 94, 33 + n // 94 // 94]) for n in range(count)]
    memory.ovni(path, 1, marks([(count + 1, n) for n in values] * 2, 1000) + b"".join(memory.event(code, 1 << 40) for code in codes))
    within = lambda whole, inner: {(" ", "ovni"): whole, ("  ", outer): whole} | {("   ", f"Mark 1: {n}"): inner for n in values}
    check_all(check.entry(path), [
        ("ovni,tree", lines(r"^  (\S.*?) {2,}(\d+) "), {"OM[": 4 * count, "OM]": 4 * count} | {code.decode(): 1 for code in codes}),
    ])
    trees = [("ovni.states", "calls", within(2 * count, 2)), ("ovni.time", "time_us", within(6 * count, 2)),
             ("ovni.self", "self_us", {(" ", outer): 4 * count} | {(" ", f"Mark 1: {n}"): 2 for n in values})]
    check_windows(check.entry(path), [(tree, want) for tree, _, want in trees])
    check_printed(check.entry(path), trees)


def long_record(path, size=3 << 20):
    """A frame has the first 2 MiB of a record, and says how long it is."""
    event = bytes([0x13]) + b"OU[" + struct.pack("<QI", 10, size) + bytes(size)
    memory.ovni(path, 1, event)
    shown = check.tshark(check.entry(path), ["frame.len", "frame.cap_len", "ovni.length"], "-Y", "ovni.jumbo == 1").rows
    require(shown == [[str(16 + size), str(2 << 20), str(16 + size)]], "a long record is shown as", shown)


FORMATS = {"xray": (many_functions, very_many_functions, many_medians, many_threads, long_names), "cacheray": (many_types, long_types, many_lanes), "ovni": (many_marks, very_many_marks, many_states, long_marks, long_record)}


def main():
    args = check.arguments(__doc__, format={"choices": FORMATS})
    for case in FORMATS[args.format]:
        with folder() as place:
            try:
                case(place / f"{case.__name__}.trace")
            except Failure as failure:
                sys.exit(f"{case.__name__}: {failure}")


if __name__ == "__main__":
    main()
