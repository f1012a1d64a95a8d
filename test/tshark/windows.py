#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares statistics for Wireshark's windows with those for programs: trees of calls with folded stacks, tables of response
times with our own tables, endpoints with the fields of the accesses; and checks Decode As.

usage: windows.py --build DIR
"""
import csv
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
import check  # noqa: E402
import surfaces  # noqa: E402

OVNI = "ovni/v3-two-nodes/loom.node01.0/proc.20575/thread.20575/stream.json"
XRAY = ["xray/fdr-args.xray", "xray/fdr-left.xray", "xray/basic-threads.xray", "xray/fdr-tails-o2.xray"]
CACHERAY = ["cacheray/atomics.trace", "cacheray/orders.trace"]


def tshark(name, *options):
    return check.printed(check.entry(check.CAPTURES / name), *options).split("\n")


def statistic(name, which):
    return tshark(name, "-q", "-z", which)


def nodes_below(above, nodes):
    for node in nodes:
        yield (*above, node["name"]), node
        yield from nodes_below((*above, node["name"]), node.get("sub", ()))


def trees(name, *which):
    """Of each tree in sharkd, which are those of Wireshark's windows: path of names -> node."""
    with surfaces.Sharkd() as sharkd:
        sharkd.send("load", file=str(check.entry(check.CAPTURES / name)))
        answer = sharkd.ask("tap", **{f"tap{i}": f"stat:{tree}" for i, tree in enumerate(which)})
    found = {tap["tap"]: {path[1:]: node for path, node in nodes_below((), tap["stats"])} for tap in answer["taps"]}
    return [found[f"stats:{tree}"] for tree in which]


def printed_tree(name, which):
    """Of a tree that tshark prints: path of names -> row."""
    found, path = {}, []
    for row in csv.DictReader(statistic(name, f"{which},tree,csv")):
        path[int(row["depth"]):] = [row["name"]]
        found[tuple(path[1:])] = row
    return found


def stacks(name, which):
    rows = (line.rsplit(" ", 1) for line in statistic(name, which) if line)
    return {tuple(stack.split(";")): int(number) for stack, number in rows}


def check_trees(name, protocol, calls_tree, groups, per_ns):
    """`groups`: names on a stack that are no calls; they and the root have the sum of the outermost calls."""
    calls, times = stacks(name, f"{protocol},stacks,count"), stacks(name, f"{protocol},stacks,time")
    want = Counter(calls), Counter(times)
    for of, numbers in zip(want, (calls, times)):
        for stack, number in numbers.items():
            for above in range(groups + 1) if len(stack) == groups + 1 else ():
                of[stack[:above]] += number
    counted, timed, selves = trees(name, calls_tree, f"{protocol}.time", f"{protocol}.self")
    got = {path: node["count"] for path, node in counted.items() if node["count"]}
    assert got == dict(want[0]), (name, Counter(got) - want[0], want[0] - Counter(got))
    assert timed.keys() == counted.keys()  # calls that are never left are there as well, with nothing counted
    rows = printed_tree(name, calls_tree)
    assert rows.keys() == counted.keys() and rows == printed_tree(name, f"{protocol}.time"), name
    assert {path: int(row["calls"]) for path, row in rows.items() if row["calls"] != "0"} == got, name
    if per_ns:
        assert all(timed[path]["count"] == want[1][path] // 1000 for path in got), name
        for path in got:
            mean = counted[path]["avg"]
            assert abs(mean - want[1][path] / want[0][path] / 1000) < 0.006 + mean * 1e-6, (name, path, mean)
            assert int(rows[path]["time_ns"]) == want[1][path], (name, path, rows[path])
            assert int(rows[path]["average_ns"]) == want[1][path] // want[0][path], (name, path, rows[path])
    if per_ns:
        own = Counter()
        for stack, ns in stacks(name, f"{protocol},stacks").items():
            own[stack[-1:]] += ns
            own[()] += ns
        assert {path: node["count"] for path, node in selves.items()} == {path: ns // 1000 for path, ns in own.items()}, name
        for path, node in selves.items():
            assert not path or abs(node["perc"] - 100 * node["count"] / selves[()]["count"]) < 0.006, (path, node)
        rows = printed_tree(name, f"{protocol}.self")
        assert {path: int(row["self_ns"]) for path, row in rows.items()} == dict(own), name
        assert list(rows) == sorted(rows, key=lambda path: (-own[path], path)), (name, "is not sorted by self time")
        assert all(row["share_percent"] == f"{(own[path] * 2000 + own[()]) // (2 * own[()]) / 10:.1f}" for path, row in rows.items()), name
    return len(got)


def response_times(name, protocol):
    """Name -> count, and name -> sum in seconds, over all tables."""
    found, sums = Counter(), Counter()
    for line in statistic(name, f"{protocol},srt"):
        m = re.match(r" *\d+  (.*?) +(\d+) +\d+\.\d{6} +\d+\.\d{6} +\d+\.\d{6} +(\d+\.\d{6})$", line)
        if m:
            name_of_row = m[1].rstrip().removesuffix(" [unwound]")  # calls without an exit have rows of their own
            found[name_of_row] += int(m[2])
            sums[name_of_row] += float(m[3])
    return found, sums


def table(name, which, count):
    found = Counter()
    for row in list(filter(None, csv.reader(statistic(name, f"{which},csv"))))[1:]:
        found[row[0]] += int(row[count])
    return found


def check_endpoints(name):
    want = {}
    fields = "cacheray.event cacheray.thread cacheray.line cacheray.access.typename cacheray.size cacheray.endpoint".split()
    for event, thread, line, kind, size, ends in (row.split("\t") for row in
                                            tshark(name, "-T", "fields", *(w for f in fields for w in ("-e", f)))[:-1]):
        if event not in ("0", "1"):
            continue
        # printed though nothing else names the field
        assert ends.startswith(f"thread {thread},line {int(line, 16):#x}"), (name, ends)
        writes, size = event == "1", int(size)
        for which, sends in ((f"thread {thread}", writes), (f"line {int(line, 16):#x}", not writes),
                             (f"type {kind}" if kind else None, not writes)):
            row = want.setdefault(which, [0, 0, 0, 0, 0, 0])
            for i in (0, 2 if sends else 4):
                row[i] += 1
                row[i + 1] += size
    want.pop(None, None)
    bytes_of = r"(\d+)(?: bytes)?"  # the unit is shown since Wireshark 4.4
    cells = r" +".join([r"(\d+)", bytes_of] * 3)
    rows = (re.match(rf"(\S.*?) +{cells} *$", line.replace(" kB", "000")) for line in statistic(name, "endpoints,cacheray"))
    got = {m[1]: [int(n) for n in m.groups()[1:]] for m in rows if m}
    for of, row in got.items():  # of large numbers only the first digits are shown there
        row[:] = [w if n == w // 1000 * 1000 and n > 9000 else n for n, w in zip(row, want.get(of, row))]
    assert got == want, (name, {k: (got.get(k), want.get(k)) for k in got.keys() | want.keys() if got.get(k) != want.get(k)})
    return len(got)


def check_decode_as(name, rule, wanted, field):
    """The dissector gets the contents of exactly those records that the rule names."""
    rows = tshark(name, "-d", rule, "-Y", "data", "-T", "fields", "-e", "frame.number", "-e", "data.data")[:-1]
    want = tshark(name, "-Y", wanted, "-T", "fields", "-e", "frame.number", "-e", field)[:-1]
    assert rows and rows == want, (name, rule, rows[:3], want[:3])
    assert tshark(name, "-Y", "data") == [""], name


def main():
    check.arguments(__doc__)
    nodes = sum(check_trees(name, "xray", "xray.calls", 0, False) for name in XRAY)
    nodes += check_trees(OVNI, "ovni", "ovni.states", 1, True)
    for name in XRAY:
        counted, sums = response_times(name, "xray")
        assert counted == table(name, "xray,account", 2), name
        for function, ns in table(name, "xray,account", 8).items():
            # rounded to µs in at most two rows
            assert abs(sums[function] * 1e9 - ns) < 1001, (name, function, sums[function], ns)
    # the table also counts what is open at the end
    times, counted = response_times(OVNI, "ovni")[0], table(OVNI, "ovni,states", 3) + table(OVNI, "ovni,tasks", 3)
    assert not times - counted and set(counted - times) == {"Dead", "Iteration: 4", "Progressing", "Resting"}, OVNI
    check_decode_as("xray/fdr-typed.xray", "xray.event.type==7,data", "xray.event.type == 7", "xray.event.data")
    check_decode_as(OVNI, "ovni.mcv==VTc,data", 'ovni.mcv == "VTc"', "ovni.payload")
    ends = sum(check_endpoints(name) for name in CACHERAY)
    print(f"{nodes} nodes, {ends} endpoints")
    return nodes < 100 or ends < 20


if __name__ == "__main__":
    sys.exit(main())
