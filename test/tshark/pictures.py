#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of traces: timelines, flame graphs, profiles (-z FORMAT,chrome, flame, callgrind).

usage: pictures.py [--build DIR] TEST [CAPTURE...]

  valid FORMAT       timelines of all captures and damaged cases are JSON, with nested spans in each lane
  chrome CAPTURE     the spans, instants and counters agree with fields and tables, also with a filter
  flame CAPTURE      the stacks are those of -z FORMAT,stacks, and the filter of each selects its records
  callgrind CAPTURE  the sums are those of the tables; callgrind_annotate can read it, if installed
  names              callgrind_annotate tells types apart whose names it could take for something else; files and lines of functions;
                     filters of a flame graph have such names as they are
  browser CAPTURE    Chromium and Firefox draw the flame graph, a real pointer and the keyboard zoom into what they are on, sums are right in
                     every zoom, the search works, and nothing is loaded from the network
  merged             two XRay logs with different clocks in one file of exported records look as each of them alone
  one                words have no order; a wrong filter and write errors are reported

CAPTURE is a path below captures/. Exit status 77: a reader or browser is missing, which the last lines name; the rest of the test has been done.
"""
import csv
import json
import os
import re
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browsers  # noqa: E402
import calls  # noqa: E402
import check  # noqa: E402
import ovni  # noqa: E402
import surfaces  # noqa: E402
from check import CAPTURES, Failure, entry, formats, protocol_of, require, run, tshark  # noqa: E402
from pdu import folder, opened  # noqa: E402

CACHES = CAPTURES.parent / "test/tshark/simulator/threads.json"


def picture(path, what, *options):
    code, out, error = run("tshark", "-n", "-q", "-r", path, "-z", what, *options)
    require(code == 0 or "cut short" in error, what, "of", path, "failed:", code, error[:1000])
    return out


def events_of(path, what, *options):
    """The events by phase."""
    found = defaultdict(list)
    for event in json.loads(picture(path, what, *options), parse_float=str)["traceEvents"]:
        found[event["ph"]].append(event)
    return found


def nanoseconds(text):
    """Nanoseconds from microseconds, rounded as Perfetto does. As a double the text must be exact."""
    require(Fraction(float(text)) == Fraction(text) and Fraction(text) * 2**15 % 1 == 0, "a time that is not exact in binary:", text)
    return round(Fraction(text) * 1000)


def check_nested(where, spans):
    """The spans of a lane are nested or do not overlap."""
    lanes = defaultdict(list)
    for span in spans:
        begin = nanoseconds(span["ts"])
        lanes[span["pid"], span["tid"]].append((begin, -begin - nanoseconds(span["dur"]), span["name"]))
    for lane, all_of in lanes.items():
        open_ends = []
        for begin, end, name in sorted(all_of):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            require(not open_ends or -end <= open_ends[-1], f"{where}, lane {lane}: {name} at {begin} overlaps")
            open_ends.append(-end)


def check_rows(where, events):
    """Rows have positions from 1, by process and thread, in 32 bits. Perfetto takes a thread 0 for the one that has the number of its process."""
    of = {(e["pid"], e["tid"]): int(e["args"]["sort_index"]) for e in events if e["name"] == "thread_sort_index"}
    names = {(e["pid"], e["tid"]): int(re.match(r"Thread (\d+)", e["args"]["name"])[1]) for e in events if e["name"] == "thread_name"}
    require(of.keys() == names.keys() and sorted(of.values()) == list(range(1, len(names) + 1)), where, "has the positions", of)
    ordered = [(lane[0], names[lane]) for lane in sorted(of, key=of.get)]
    require(ordered == sorted(ordered), where, "has its rows in the order", ordered)
    for process, thread in ordered:
        require(thread or (process, process) not in names, where, "thread 0 is process", process)


# --- validity ---------------------------------------------------------------------------------------------------------
def test_valid(protocol):
    f, seen = formats.formats()[protocol], 0
    cases = [case for case in f.CASES if check.expected(case)["status"] in ("ok", "cut short")]
    for name in [*(n for n in formats.captures() if formats.of(n) is f), *cases]:
        with opened(name) as path:
            text = picture(path, f"{protocol},chrome")
            try:
                events = json.loads(text, parse_float=str)["traceEvents"]
            except ValueError as error:
                raise Failure(f"{name}: {error}: {text[:200]}") from error
            lanes = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
            for event in events:
                require((event["pid"], event["tid"]) in lanes, name, "has a lane without a name:", event)
            check_rows(name, events)
            if protocol != "ovni":  # its clocks may go back inside a sort region
                check_nested(name, [e for e in events if e["ph"] == "X"])
            seen += len(events)
    require(seen > 100, "timelines are empty")


# --- timelines --------------------------------------------------------------------------------------------------------
def check_xray(path):
    table = tshark(path, [*calls.RAW, "frame.time_relative"], "-2")
    model, times = calls.Model(table), table.column("frame.time_relative")
    for what, wanted in (("xray,chrome,records", lambda r: True), ("xray,chrome,records,xray.function.id == 1", lambda r: r.function == 1)):
        found = events_of(path, what)
        check_nested(what, found["X"])
        # what began and ended in one nanosecond has no width
        at_once = [e for e in found["i"] if e["cat"].startswith("call") and "fault" not in e["args"]]
        found["X"] += [{**e, "dur": 0} for e in at_once]
        mine = [call for call in model.finished if wanted(call.exit)]
        want = Counter((f"#{c.function}", c.exit.thread, c.entry.frame, c.over[0]) for c in mine)
        number = lambda e: e["args"].get("exit") or e["args"]["last record"]
        got = Counter((e["name"], e["tid"], e["args"]["entry"], number(e)) for e in found["X"])
        require(want == got, what, "expected", want - got, "shown", got - want)
        require(sum(call.left for call in mine) == sum("unwound" in e["cat"] for e in found["X"]), "calls without an exit")
        require(sum(call.left and call.unattributed for call in mine) == sum("unsure" in e["cat"] for e in found["X"]), "unsure calls")
        of = {call.entry.frame: call for call in mine}
        for event in found["X"]:
            call = of[event["args"]["entry"]]
            end = nanoseconds(event["ts"]) + nanoseconds(event["dur"])
            require(abs(nanoseconds(event["dur"]) - model.nanoseconds(call.ticks)) <= 1, "duration of", event, call.ticks)
            at, place = (nanoseconds(event["ts"]), call.entry.frame) if call.left else (end, call.over[0])  # its end is a lower bound
            require(abs(at - int(times[place - 1].replace(".", ""))) <= 1, "time of", event, times[place - 1])
        left = [] if "==" in what else [call for stack in model.open.values() for call in stack]
        require([(e["name"], e["args"]["entry"]) for e in found["B"]] == [(f"#{c.function}", c.entry.frame) for c in left], what, "shows as open", found["B"])
        for event, call in zip(found["B"], left):
            require(abs(nanoseconds(event["ts"]) - int(times[call.entry.frame - 1].replace(".", ""))) <= 1, "begin of", event)
        if what.endswith("records"):
            events = Counter(e["name"] == "argument" for e in found["i"] if e["cat"] == "event")
            require(not any("args" in e for e in events_of(path, "xray,chrome")["X"]), "spans of one name cannot be added up")
            require(events[True] == sum(r.kind == calls.ARGUMENT for r in model.records), "arguments:", events)


def check_arrows(path, found):
    """An arrow leads from the creation of a task to its first run, between instants at these times."""
    table = tshark(entry(path), ["frame.number", "ovni.task.created", "ovni.task.begun"], "-2", "-Y", "ovni.task.id")
    created = {int(n) for n, of, _ in table.rows if n == of}
    ran = {int(of): int(n) for n, of, begun in reversed(table.rows) if n == begun and of and int(of) < int(n)}
    for phase, does, want in (("s", "create ", created), ("f", "run ", set(ran))):
        require({int(e["id"], 16) for e in found[phase]} == want and len(found[phase]) == len(want), path.name, "has the arrows", found[phase])
        at = [e for e in found["i"] if e["name"].startswith(does)]
        require([(e["pid"], e["tid"], e["ts"]) for e in found[phase]] == [(e["pid"], e["tid"], e["ts"]) for e in at], path.name, "has arrows elsewhere")
        require({e["args"]["record"] for e in at} == (created if phase == "s" else set(ran.values())), path.name, "has the instants", at)


def check_ovni(path):
    found, model = events_of(entry(path), "ovni,chrome"), ovni.Model(path)
    want = {(name, of): (int(row[0]), int(row[4])) for (name, of), row in model.states(lambda r: True, rest=()).items()}
    got = defaultdict(lambda: (0, 0))
    for event in found["X"]:
        count, ns = got[event["name"], event["cat"]]
        got[event["name"], event["cat"]] = count + 1, ns + nanoseconds(event["dur"])
    calls.differences(f"{path.name}, spans", want, dict(got))
    runs = [r.task[1] for r in model.events if r.task and isinstance(r.task[1], ovni.Run)]
    begun, ended = ({getattr(run, word) for run in runs} - {None} for word in ("begun", "ended"))
    require({e["args"]["record"] for e in found["b"]} == begun, "tasks begin at", found["b"], "expected", begun)
    require({e["args"]["record"] for e in found["e"]} == ended, "tasks end at", found["e"], "expected", ended)
    check_arrows(path, found)
    cpus = [(r.frame, r.stream, r.cpu) for r in model.events if r.cpu is not None]
    last, changes = {}, 0
    for _, stream, cpu in cpus:
        changes += last.get(stream) != cpu
        last[stream] = cpu
    require(sum(e["cat"] == "cpu" for e in found["C"]) == changes, "changes of CPU")


def check_cacheray(path):
    options = ["-o", f"cacheray.caches:{CACHES}"]
    found = events_of(path, "cacheray,chrome", *options)
    last = {e["name"]: e["args"] for e in found["C"]}
    adds = set(tshark(path, ["frame.number"], "-Y", "cacheray.event == 2").column("frame.number"))
    regions, sums = {name: re.fullmatch(r"(.*) of record (\d+)", name) for name in last}, Counter()
    require(any(regions.values()) and all(m[2] in adds for m in regions.values() if m), "regions:", list(last)[:9])
    for name, values in last.items():
        sums[regions[name][1] if regions[name] else name] += values["misses"]
    table = tshark(path, ["frame.number"], *options, taps=("cacheray,lines,csv", "cacheray,types,csv"))
    misses = Counter()
    for row in csv.reader(table.printed["cacheray,types,csv"]):
        if len(row) > 10 and row[2].isdigit():
            misses[row[0]] += int(row[11])
    calls.differences("misses", {name: n for name, n in misses.items() if n},
                      {name: n for name, n in sums.items() if n})
    contended = sum(int(row[3]) for row in csv.reader(table.printed["cacheray,lines,csv"]) if len(row) > 4 and row[3].isdigit())
    shown = sum("contended" in e["cat"] for e in found["i"])
    # an access that touches two lines is contended once here, but may be so in both lines there
    require(shown <= contended <= 2 * shown and sum(v["contended"] for v in last.values()) == shown, shown, "contended of", contended)


def test_chrome(name):
    path = formats.capture(name)
    {"xray": check_xray, "ovni": check_ovni, "cacheray": check_cacheray}[protocol_of(name)](path)


# --- flame graphs -----------------------------------------------------------------------------------------------------
def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="trace">(.*?)</script>', page, re.S)[1])


def paths_of(nodes, before=()):
    for name, values, children, *_ in nodes:
        name = name.replace("\u037e", ";")
        yield (*before, name), values
        yield from paths_of(children, (*before, name))


def filter_of(data, path):
    """As the page does it."""
    path = [re.sub(r" \[unwound\??\]$", "", name) for name in path]
    begins, depths = next(f for f in data["filters"] if path[0].startswith(f[0]))
    quoted = [re.sub(r'([\\"])', r"\\\1", name) for name in path]
    quoted[0] = quoted[0][0 if begins == path[0] else len(begins):]
    values = {"p": ";".join(quoted), "n": quoted[-1], **{str(i + 1): name for i, name in enumerate(quoted)}}
    return re.sub("%([pn1-9])", lambda m: values[m[1]], depths[min(len(path), len(depths)) - 1])


def test_flame(name):
    path, protocol = entry(formats.capture(name)), protocol_of(name)
    data = data_of(picture(path, f"{protocol},flame"))
    stacks = {p: values for p, values in paths_of(data["stacks"])}
    require(len(stacks) == len(list(paths_of(data["stacks"]))) > 0, "a stack stands there twice, or there is none")
    # stacks of XRay are in ticks
    ns = calls.Model(tshark(path, calls.RAW)).nanoseconds if protocol == "xray" else int
    if protocol != "cacheray":
        for at, words in enumerate(("active,self" if protocol == "ovni" else "self", "count")):
            table = calls.stacks_table(calls.tap(path, [], f"{protocol},stacks,{words}"))
            want, got = dict(table.items()), {";".join(p): v[at] for p, v in stacks.items()}
            if at == 0:  # rounded so that all of them together are the rounded sum
                require(sum(got.values()) == ns(sum(want.values())), name, "bars add up to", sum(got.values()), "of", want)
                want = {s: got[s] if s in got and abs(got[s] - ns(n)) <= 1 else ns(n) for s, n in want.items()}
            calls.differences(f"{name}, stacks by {words}", {s: n for s, n in want.items() if n}, {s: n for s, n in got.items() if n})
    for stack in list(stacks)[:3] + list(stacks)[-2:]:
        what = filter_of(data, stack)
        code, out, error = run("tshark", "-n", "-2", "-r", path, "-Y", what, "-T", "fields", "-e", "frame.number")
        require(code == 0, "the filter", what, "is wrong:", error)
        require(not stacks[stack][-1] or out, "the filter", what, "selects nothing")
    threads = data_of(picture(path, f"{protocol},flame,threads"))
    total = lambda nodes: [sum(column) for column in zip(*(v for _, v in paths_of(nodes)))]
    one, other = total(threads["stacks"]), total(data["stacks"])
    require(threads["above"] == 1 and one == other, "threads have other sums")


# --- profiles ---------------------------------------------------------------------------------------------------------
def profile_of(text):
    """The words, the own costs by (file, function), and the number and costs of calls by (caller, callee)."""
    words, own, edges, at, callee, names = [], {}, {}, [None, None], [None, None], ({}, {})
    lines = iter(text.split("\n"))
    for line in lines:
        key, _, value = line.partition("=")
        if key in ("fl", "fn", "cfi", "cfn"):
            number, name = re.fullmatch(r"\((\d+)\)(?: (.*))?", value).groups()
            require((number in names[key[-1] == "n"]) == (name is None), "a name that is not defined, or twice:", line)
            value = names[key[-1] == "n"].setdefault(number, name)
        if line.startswith("events:"):
            words = line.split()[1:]
        elif key in ("fl", "fn"):
            at[key == "fn"] = value
        elif key in ("cfi", "cfn"):
            callee[key == "cfn"] = value
        elif key == "calls":
            edges[tuple(at), tuple(callee)] = (int(value.split()[0]), [int(n) for n in next(lines).split()[1:]])
        elif re.match(r"\d+ \d", line):
            require(tuple(at) not in own, at, "has costs twice")
            own[tuple(at)] = [int(n) for n in line.split()[1:]]
    return words, own, edges


def annotated(path, *options):
    """The totals that callgrind_annotate prints, and the costs of each `file:function`."""
    done = subprocess.run(["callgrind_annotate", "--threshold=100", *options, path], capture_output=True, check=False, text=True)
    require(done.returncode == 0 and not done.stderr, "callgrind_annotate:", done.stderr)
    rows = {}
    for line in done.stdout.split("\n"):
        found = re.match(r"((?: *(?:[\d,]+ \([ \d.]+%\)|\.|0  +))+)  (\S.*)$", line)
        if found:
            rows[found[2]] = [int(n.replace(",", "")) for n in re.sub(r"\([^)]*\)", " ", found[1]).replace(".", "0").split()]
    return rows.pop("PROGRAM TOTALS"), rows


def check_annotated(path, own, edges, by_name):
    """Also with the calls inside. `by_name`: what they cost by function, if it is not recursive."""
    if not check.asked("callgrind_annotate", "valgrind"):
        return
    totals = [sum(column) for column in zip(*own.values())]
    some = lambda rows: {name: costs for name, costs in rows.items() if any(costs)}
    sums, rows = annotated(path)
    require(sums == totals, "callgrind_annotate adds up to", sums, "expected", totals)
    calls.differences("callgrind_annotate", some({":".join(at): costs for at, costs in own.items()}), some(rows))
    sums, rows = annotated(path, "--inclusive=yes")
    require(sums == totals, "callgrind_annotate adds up to", sums, "with the calls inside, expected", totals)
    for (_, name), costs in by_name.items():
        shown = rows[f"???:{name}"]
        require(abs(shown[0] - costs) <= len(edges), name, "costs", shown, "expected", costs)


def test_callgrind(name):
    path, protocol = entry(formats.capture(name)), protocol_of(name)
    options = ["-o", f"cacheray.caches:{CACHES}"] if protocol == "cacheray" else []
    text = picture(path, f"{protocol},callgrind", *options)
    words, own, edges = profile_of(text)
    require(own and words, "an empty profile", text[:500])
    by_name = {}
    if protocol == "xray":
        model = calls.Model(tshark(path, calls.RAW))
        selves, all_of = Counter(), defaultdict(list)
        for call in model.finished:
            selves[call.marked()] += call.self or 0
            all_of[call.marked()].append(call)
        require(words == ["ns"], "costs that are not inclusive:", words)
        calls.differences("self time", {f: [model.nanoseconds(n)] for f, n in selves.items()}, {f: v for (_, f), v in own.items()})
        by_name = {("???", f): model.nanoseconds(sum(call.ticks for call in some)) for f, some in all_of.items()
                   if not any(outer.marked() == f for call in some for outer in call.stack()[:-1]) and all(c.self is not None for c in some)}
        require(len(by_name) > 2, "all functions are recursive")
        calls.differences("edges", Counter((call.caller.marked() if call.caller else "(no caller)", call.marked()) for call in model.finished),
                          {(a[1], b[1]): n for (a, b), (n, _) in edges.items()})
    if protocol == "cacheray":
        rows = [row for row in csv.reader(calls.tap(path, options, "cacheray,types,csv")) if len(row) > 10]
        want = Counter()
        for row in rows:
            if row[2].isdigit():
                want.update({"Reads": int(row[2]), "Writes": int(row[3]), "Miss": int(row[11])})
        got = Counter({word: sum(v[i] for v in own.values()) for i, word in enumerate(words)})
        levels = [w for w in words if w.startswith("Miss")]
        require((got["Reads"], got["Writes"]) == (want["Reads"], want["Writes"]), "accesses", got, want)
        require(levels and got[levels[-1]] == want["Miss"], "misses", got, want)
    with folder() as place:
        (place / "profile").write_text(text)
        check_annotated(place / "profile", own, edges, by_name)


# Numbers of names, namespaces, what looks like a line.
NAMES = ["(2)", "(1) x", "(1) y", "ns::A", "ns::B", "(anonymous namespace)::C", "a", "a:5", "a:6", "", "#b", "c=d", "fn=(3) e", "+1", "calls=1 1", "[i32; 3]", "semi;colon", "com,ma", "quo\"te", "back\\"]


def check_lines(place):
    """Of a program that clang makes, if it can."""
    source, program = place / "lines:7.c", place / "lines"
    function = "__attribute__((xray_always_instrument, noinline)) void f{0}(void) {{}}\n"
    source.write_text("".join(function.format(i) for i in range(1, 13)) + "int main(void) { return 0; }\n")
    build = ["clang", "-g", "-fxray-instrument", source, "-o", program]
    if not check.asked("clang", "clang") or subprocess.run(build, capture_output=True, check=False).returncode:
        return
    text = picture(CAPTURES / "xray/fdr-single.xray", "xray,callgrind", "-o", f"xray.binary:{program}")
    found = re.findall(r"^fl=\(1\)(.*)\nfn=\(\d+\) f(\d+)\n(\d+) ", text, re.M)
    require(len(found) > 5 and found[0][0] == f" {source}" and all(name == line for _, name, line in found), "lines:", found)


def test_names(_name=""):
    with folder() as place:
        check_lines(place)
        trace, profile, out = place / "names.trace", place / "profile", b""
        for i, name in enumerate(name.encode() for name in NAMES):
            at = 0x7f0000001000 + 64 * i
            out += struct.pack("<BQQIII", 2, at, 1, 8, 4, len(name)) + name + struct.pack("<BQBQ", 0, at, 8, 1) * (i + 1)
        trace.write_bytes(out)
        check_filters(trace)
        profile.write_text(picture(trace, "cacheray,callgrind"), encoding="utf-8")
        shown = [name or "???" for name in NAMES]
        want = {(name, name): [i + 1] for i, name in enumerate(shown)}
        calls.differences("profile", want, profile_of(profile.read_text(encoding="utf-8"))[1])
        if check.asked("callgrind_annotate", "valgrind"):
            calls.differences("annotated", {f"{name}:{name}": [i + 1] for i, name in enumerate(shown)}, annotated(profile)[1])


def check_filters(trace):
    data = data_of(picture(trace, "cacheray,flame"))
    with surfaces.Sharkd() as sharkd:
        sharkd.send("load", file=str(trace))
        sharkd.ask("status")
        shown = {path[0]: len(sharkd.ask("frames", filter=filter_of(data, path))) for path, _ in paths_of(data["stacks"])}
    calls.differences("filters", {name: i + 1 for i, name in enumerate(NAMES) if name}, {name: n for name, n in shown.items() if name})


# --- the browser ------------------------------------------------------------------------------------------------------
class Page:
    """A flame graph in a browser, beside what should be in it: of each bar, in the order of the data, the path and the sums."""

    def __init__(self, browser, page):
        self.browser, self.data = browser, data_of(page.read_text())
        self.bars = [((), [0] * len(self.data["events"]))]
        self.own = list(self.bars)
        for path, values in paths_of(self.data["stacks"]):
            self.bars.append((path, list(values)))
            self.own.append((path, values))
        number = {path: i for i, (path, _) in enumerate(self.bars)}
        for path, values in self.own:
            for n in range(len(path)):
                sums = self.bars[number[path[:n]]][1]
                sums[:] = [a + b for a, b in zip(sums, values)]
        browser.open(page.as_uri())
        self.event = 0

    def text(self, name):
        return self.browser.run(f'return document.getElementById("{name}").textContent')

    def share(self, value):
        return f"{value:,} ({100 * value / (self.bars[0][1][self.event] or 1):.2f} %)"

    def about(self, i):
        path, sums = self.bars[i]
        name = path[-1] if path else self.data["title"]
        return f"{name}: {self.share(sums[self.event])}, itself {self.own[i][1][self.event] if path else 0:,}"

    def places(self):
        """Where each bar is, by its number, in the window as it is scrolled now."""
        return {int(i): rest for i, *rest in self.browser.run(
            """return [...document.querySelectorAll("#chart > div")].map(bar => {
                const at = bar.getBoundingClientRect();
                return [bar.dataset.node, at.left, at.top, at.width, at.height];
            })""")}

    def middle(self, i):
        self.browser.run(f"""scrollTo(0, Math.max(0, {18 * len(self.bars[i][0])} - 100))""")
        left, top, width, height = self.places()[i]
        return left + width / 2, top + height / 2

    def zoomed(self, i):
        """What is as wide as the chart: this bar and those around it. All bars are as wide as what they cost."""
        path, sums = self.bars[i]
        places = self.places()
        whole = places[0][2]
        for other, (left, _, width, _) in places.items():
            below = self.bars[other][0]
            want = whole if path[:len(below)] == below else whole * self.bars[other][1][self.event] / sums[self.event]
            require(abs(width - want) < 0.1 and left >= places[0][0] - 0.1, below, "is", width, "wide, expected", want)
        wide = {n for n, (below, costs) in enumerate(self.bars) if path[:len(below)] == below or
                (below[:len(path)] == path and costs[self.event] * whole >= 1.001 * sums[self.event])}
        require(wide <= places.keys(), "not drawn:", [self.bars[n] for n in wide - places.keys()][:3])


def check_pointer(page):
    """What is clicked is what the pointer was on, also after the name under it has been shown."""
    browser, wanted = page.browser, [i for i, place in page.places().items() if place[2] >= 2]
    for i in wanted:
        x, y = page.middle(i)
        browser.move(x, y)
        require(page.text("about") == page.about(i), browser.name, "under the pointer:", page.text("about"), "expected", page.about(i))
        browser.click(x, y)
        require(page.text("about") == page.about(i), browser.name, "zooms into", page.text("about"), "expected", page.about(i))
        want = filter_of(page.data, page.bars[i][0]) if i else ""
        require(page.text("filter") == want, "the filter is", page.text("filter"), "expected", want)
        if len(wanted) < 30 or i % 5 == 0:
            page.zoomed(i)
        browser.move(*page.middle(0))
        require(page.text("about") == page.about(0), "the whole in a zoom:", page.text("about"), "expected", page.about(0))
        browser.run('document.getElementById("reset").click()')
    return len(wanted)


def check_search(page, term):
    def expected():
        found = [path for path, _ in page.bars if path and term in path[-1].lower()]
        outermost = [i for i, (path, _) in enumerate(page.bars)
                     if path and term in path[-1].lower() and not any(term in name.lower() for name in path[:-1])]
        return f"{len(found):,} found: {page.share(sum(page.bars[i][1][page.event] for i in outermost))}"
    browser = page.browser
    browser.run('document.getElementById("search").focus()')
    browser.press(*term)
    browser.until('document.getElementById("found").textContent')
    require(page.text("found") == expected(), browser.name, "finds", page.text("found"), "expected", expected())
    browser.click(*page.middle(1))
    require(page.text("found") == expected(), "in a zoom it finds", page.text("found"), "expected", expected())
    marked = browser.run('return [...document.querySelectorAll("#chart > .found")].map(bar => bar.dataset.node)')
    require(all(term in page.bars[int(i)][0][-1].lower() for i in marked), "marked are", marked)
    browser.run('document.getElementById("reset").click()')
    require(page.text("found") == "", "a search is still there:", page.text("found"))


def check_events(page):
    for event, title in enumerate(page.data["events"]):
        page.event = event
        page.browser.run(f"""const list = document.getElementById("event"); list.value = {event}; list.onchange();""")
        want = f"{title}: {page.bars[0][1][event]:,} in all"
        require(page.text("total") == want, "the sum is", page.text("total"), "expected", want)
        page.zoomed(0)
        check_search(page, page.bars[-1][0][-1].lower()[:4])
    page.event = 0
    page.browser.run("""const list = document.getElementById("event"); list.value = 0; list.onchange();""")


def check_keys(page):
    """From the chart's only stop of the Tab key: to the first bar inside, beside, back, and into it."""
    browser = page.browser
    browser.run('document.getElementById("copy").focus()')
    browser.press("Tab", "ArrowDown")
    at = lambda: int(browser.run("return document.activeElement.dataset.node ?? -1"))
    require(at() == 1, browser.name, "ArrowDown leads to", at())
    siblings = [i for i in page.places() if len(page.bars[i][0]) == 1]
    if len(siblings) > 1:
        browser.press("ArrowRight")
        require(at() in siblings and at() != 1, "ArrowRight leads to", at())
        browser.press("ArrowLeft")
    require(page.text("about") == page.about(1), "the focus is on", page.text("about"))
    browser.press("Enter")
    page.zoomed(1)
    require(at() == 1 and page.text("filter") == filter_of(page.data, page.bars[1][0]), "Enter zooms into", at(), page.text("filter"))
    browser.press("ArrowUp")
    require(at() == 0, "ArrowUp leads to", at())
    browser.press("Escape")
    page.zoomed(0)
    browser.resize(1000, 300)
    deepest, _ = max((page.bars[i] for i in page.places()), key=lambda bar: len(bar[0]))
    for depth in range(1, len(deepest) + 1):
        browser.press("ArrowDown")
        while page.bars[at()][0] != deepest[:depth]:
            browser.press("ArrowRight")
    below = "document.activeElement.getBoundingClientRect().bottom - document.querySelector('footer').getBoundingClientRect().top"
    require(browser.run(f"return {below}") < 1, browser.name, "leads below the footer:", deepest)
    browser.resize(1000, 800)


def check_window(page):
    browser = page.browser
    for width in (1000, 700):
        browser.resize(width, 800)
        browser.until(f"document.getElementById('chart').firstChild.offsetWidth <= {width}"
                      f" && document.getElementById('chart').firstChild.offsetWidth > {width} - 80")
        page.zoomed(0)
    browser.dark(False)
    browser.until("getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
    browser.dark(True)
    browser.until("Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g)) < 80")


def test_browser(name):
    kinds = browsers.installed()
    check.not_asked |= {f"{kind.name} is not installed (Debian: tools/packages readers)" for kind in browsers.KINDS if kind not in kinds}
    path, protocol = (CAPTURES / name, "xray") if name.startswith("search/") else (entry(formats.capture(name)), protocol_of(name))
    with folder() as place:
        file = place / "page.html"
        file.write_text(picture(path, f"{protocol},flame"))
        require("default-src 'none'" in file.read_text(), "the page may load something")
        for kind in kinds:
            browser = kind()
            try:
                page = Page(browser, file)
                require(page.text("title") == f"{page.data['title']} flame graph", "the page has not been drawn")
                page.zoomed(0)
                print(kind.name, name, check_pointer(page), "bars")
                check_events(page)
                check_keys(page)
                check_window(page)
                term = page.bars[-1][0][-1][:4]
                for hashed, finds in ((quote(term), r"[1-9][\d,]* found: "), ("100%", "0 found: ")):
                    browser.open(f"{file.as_uri()}?{finds}#{hashed}")
                    require(re.match(finds, page.text("found")), browser.name, f"page.html#{hashed} finds", page.text("found"))
                browser.run(f'location.hash = "{quote(term)}"')
                browser.until('!document.getElementById("found").textContent.startsWith("0 ")')
                require(not browser.hosts(), "the page asks the network:", browser.hosts())
            finally:
                browser.close()


# --- logs that have been merged -----------------------------------------------------------------------------------------
def merged(place):
    """A log and the same of a machine whose counter is seven times as slow; both as exported records, and these merged."""
    data = (CAPTURES / "xray/fdr-single.xray").read_bytes()
    frequency = int.from_bytes(data[8:16], "little")
    parts = []
    for name, hertz in (("a", frequency), ("b", frequency // 7)):
        log, part = place / f"{name}.xray", place / f"{name}.pcapng"
        log.write_bytes(data[:8] + hertz.to_bytes(8, "little") + data[16:])
        require(run("tshark", "-r", log, "-U", "Wiretrace", "-w", part)[0] == 0, "cannot be exported:", log)
        parts.append(part)
    both = place / "both.pcapng"
    require(run("mergecap", "-w", both, *parts)[0] == 0, "cannot be merged")
    return [*parts, both]


def spans_of(path):
    return [(span["name"], nanoseconds(span["ts"]), nanoseconds(span["dur"])) for span in events_of(path, "ovni,chrome" if path.suffix == ".json" else "xray,chrome")["X"]]


def sums_of(path):
    """Calls, sum and self time by function."""
    table = calls.account_table(tshark(path, ["frame.number"], taps=["xray,account"]).printed["xray,account"])
    return {function: [int(row[column]) for column in (1, 7, 8)] for function, row in table.items()}


def test_merged(_name=""):
    with folder() as place:
        first, second, both = merged(place)
        want, got = sorted(spans_of(first) + spans_of(second)), sorted(spans_of(both))
        require(want == got and len(want) > 500, len(want), "spans,", len(got), "of the merged file, e.g.",
                [pair for pair in zip(want, got) if pair[0] != pair[1]][:3])
        alone, sums = [sums_of(first), sums_of(second)], sums_of(both)
        for function, row in sums.items():
            added = [sum(column) for column in zip(*(part[function] for part in alone))]
            near = all(abs(a - b) <= 4 * row[0] for a, b in zip(added, row))  # a tick of the slower counter for each call
            require(added[0] == row[0] and near, f"function {function}: {row} in the merged file, but {added} in both")


# --- standard output --------------------------------------------------------------------------------------------------
def test_one(_name=""):
    log = CAPTURES / "xray/fdr-args.xray"
    words = {picture(log, f"xray,chrome,{words}") for words in ("threads,records", "records,threads", "records")}
    require(len(words) == 1, "words have an order")
    code, _, error = run("tshark", "-q", "-r", log, "-z", "xray,chrome,no.such.field")
    require(code != 0 and "no.such.field" in error, "a wrong filter:", code, error)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([check.TOP / "tools/run", "tshark", "-q", "-r", log, "-z", "xray,chrome"], stdout=full,
                              stderr=subprocess.PIPE, check=False)
    require(done.returncode != 0 and b"cannot be written" in done.stderr, "a full disk:", done.returncode, done.stderr)
    check_part()
    check_at_once()
    check_nothing()
    check_details()


def check_at_once():
    """Of calls that take less than a nanosecond, callers come first."""
    with folder() as place:
        log, record = place / "once.xray", struct.Struct("<HBBiQII8x")
        header, ends = struct.pack("<HHIQ16x", 3, 0, 3, 10**9), ((0, 1), (0, 2), (0, 3), (1, 3), (1, 2), (1, 1))
        log.write_bytes(header + b"".join(record.pack(0, 0, what, function, 5, 7, 7) for what, function in ends))
        names = [e["name"] for e in events_of(log, "xray,chrome")["i"] if e["cat"] == "call"]
        require(names == ["#1", "#2", "#3"], "calls that take no time are in the order", names)


def check_nothing():
    """callgrind_annotate reads a profile of no call and no access."""
    for name in ("xray/fdr-single.xray", "ovni/v3-two-nodes", "cacheray/falseshare.trace"):
        text = picture(entry(CAPTURES / name), f"{protocol_of(name)},callgrind,frame.number == 0")
        require(re.search(r"^events: \w+$", text, re.M) and re.search("^summary: 0$", text, re.M), name, "has the events", text)
        if check.asked("callgrind_annotate", "valgrind"):
            with folder() as place:
                (place / "nothing").write_text(text)
                done = subprocess.run(["callgrind_annotate", place / "nothing"], capture_output=True, check=False, text=True)
                require(done.returncode == 0 and not done.stderr, "callgrind_annotate:", done.stderr)


def check_details():
    """The values of an event are also one text, which the Firefox Profiler shows."""
    for event in events_of(CAPTURES / "xray/fdr-args.xray", "xray,chrome,records")["X"]:
        values = {**event["args"]}
        want = ", ".join(f"{name} {value}" for name, value in values.items() if name not in ("function", "detail"))
        require(values.get("detail") == want != "", "the values", values, "expected as", want)


def check_part():
    """Where only a part is open, spans that end in it are where they are in the whole trace, also those that began before it."""
    for path in (CAPTURES / "xray/fdr-single.xray", entry(CAPTURES / "ovni/v3-two-nodes")):
        whole = spans_of(path)
        os.environ["WIRETRACE_TIME"] = "0.00001,1"
        try:
            part = spans_of(path)
        finally:
            del os.environ["WIRETRACE_TIME"]
        calls.differences(f"{path.name}, a part", Counter(), Counter(part) - Counter(whole))
        require(any(begin < 10000 for _, begin, _ in part) and len(part) > 100, path, "has spans that began before the part:", len(part))


TESTS = {"merged": test_merged, "valid": test_valid, "chrome": test_chrome, "flame": test_flame, "callgrind": test_callgrind,
         "names": test_names, "browser": test_browser, "one": test_one}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(TESTS[args.test], args.captures or [""])


if __name__ == "__main__":
    main()
