#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics with filters of fields that are known without dissection are counted directly, too. Which records pass is the same in either
way: filters made at random, of all our fields and those of `frame`, whose values are those of the records. The same holds for threads.

usage: filtered.py [--build DIR] [--filters N] [--seed N] FORMAT...

Some filters are asked in one run, some alone, as each needs its own fields. The same seed makes the same filters of the same captures.
"""
import collections
import datetime
import random
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import make  # noqa: E402  test/bad/make.py
from check import arguments, compare, entry, for_each, formats, require, run  # noqa: E402
from direct import bench, same  # noqa: E402

FRAME = ["frame.number", "frame.len", "frame.time", "frame.time_relative", "frame.time_epoch"]
# Rows say which records pass, but only one statistic in a run may write them.
ROWS = {"xray": ("xray,records,csv,columns:record", "xray,records,csv,columns:record,function_id,depth,sort:depth,top:7", "xray,calls,each,csv",
                 "xray,records,csv,order:stream,columns:tsc,function_id"),
        "cacheray": ("cacheray,records,csv,columns:record", "cacheray,records,csv,columns:address,line"),
        "ovni": ("ovni,events,csv,columns:record", "ovni,states,each,csv")}
TABLES = {"xray": ("xray,account,csv", "xray,stacks", "xray,account,graph,csv", "xray.calls,tree", "xray,tree", "xray,gaps,csv"),
          "cacheray": ("cacheray,types,csv", "cacheray,tree", "cacheray,lines,csv"),
          "ovni": ("ovni,states,csv", "ovni,tree", "ovni,tasks,csv")}
PARALLEL = {"xray"}  # whose statistics threads may count
THREADS = 3
TOGETHER = 8  # filters in one run, at most
WHOLE = re.compile(r"FT_(U?INT\d+|FRAMENUM|CHAR|BOOLEAN)")
COMPARED = ["==", "!=", "<", "<=", ">", ">="]


def field_types(protocol):
    """Of all fields that filters may name: fields without a value, and protocols, come with dissection."""
    _, out, _ = run("tshark", "-G", "fields")
    rows = [line.split("\t") for line in out.splitlines() if line.startswith("F\t")]
    types = {row[2]: row[3] for row in rows if row[2].startswith(f"{protocol}.") or row[2] in FRAME}
    return {name: kind for name, kind in types.items() if kind != "FT_NONE"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Maker:
    """Makes filters of a trace."""

    def __init__(self, path, types, choice):
        self.types, self.choice = types, choice
        names = sorted(types)
        asked = [word for name in names for word in ("-e", name)]
        _, out, _ = run("tshark", "-n", "-r", path, "-T", "fields", "-E", "aggregator=\x01", *asked)
        self.seen = {name: set() for name in names}
        for line in out.splitlines():
            for name, cell in zip(names, line.split("\t")):
                self.seen[name].update(value for value in cell.split("\x01") if value)
        self.present = [name for name in names if self.seen[name]]

    def literal(self, name):
        kind, values = self.types[name], sorted(self.seen[name])
        value = self.choice.choice(values) if values else "1"
        if kind == "FT_STRING":
            return quoted(value)
        if kind == "FT_BYTES":
            return ":".join(re.findall("..", value.replace(":", "")[:32])) if values else "00:01"
        if kind == "FT_ABSOLUTE_TIME":
            seconds = float(self.choice.choice(sorted(self.seen["frame.time_epoch"]) or ["0"]))
            return quoted(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f"))
        if kind == "FT_BOOLEAN":
            return self.choice.choice("01")
        if kind == "FT_CHAR":
            return "0x%02x" % (ord(value) if len(value) == 1 else int(value, 0) if re.fullmatch(r"0x\w+|\d+", value) else 65)
        if WHOLE.fullmatch(kind) and re.fullmatch(r"-?\d+", value) and self.choice.random() < 0.3:
            return str(max(int(value) + self.choice.choice((-1, 1)), 0))
        return value

    def comparison(self, name):
        kind = self.types[name]
        if kind in ("FT_STRING", "FT_BYTES") and self.choice.random() < 0.4:
            value = self.literal(name)
            if kind == "FT_BYTES":
                return f"{name} contains {value[:5]}"
            part = value[1:-1].replace("\\\\", "").replace('\\"', "")[self.choice.randrange(3):][:self.choice.randrange(1, 9)]
            if self.choice.random() < 0.3:
                return f"lower({name}) contains {quoted(part.lower() or 'a')}"
            return f"{name} {self.choice.choice(('contains', 'matches'))} {quoted(re.sub(r'[^A-Za-z0-9 ]', '.', part) or 'a')}"
        if self.choice.random() < 0.2 and kind not in ("FT_STRING", "FT_BYTES", "FT_ABSOLUTE_TIME", "FT_DOUBLE", "FT_BOOLEAN"):
            values = sorted({self.literal(name) for _ in range(self.choice.randrange(1, 4))})
            return f"{name} in {{{', '.join(values)}}}"
        if self.choice.random() < 0.1 and re.fullmatch(r"FT_U?INT\d+", kind):
            return f"{name} & 3 == 1" if self.choice.random() < 0.5 else f"{name} + 1 > {self.literal(name)}"
        operators = COMPARED[:2] if kind == "FT_BOOLEAN" else COMPARED
        quantifier = self.choice.choice(("any ", "all ")) if self.choice.random() < 0.1 else ""
        return f"{quantifier}{name} {self.choice.choice(operators)} {self.literal(name)}"

    def pair(self, name):
        """A field compared with another one of the same type."""
        others = [other for other in self.present if self.types[other] == self.types[name]]
        return f"{name} {self.choice.choice(COMPARED)} {self.choice.choice(others)}" if others else name

    def term(self):
        name = self.choice.choice(self.present if self.present and self.choice.random() < 0.8 else sorted(self.types))
        form = self.choice.random()
        if form < 0.2:
            return name
        if form < 0.3 and self.types[name] != "FT_BOOLEAN":
            return self.pair(name)
        if form < 0.35 and self.types[name] in ("FT_STRING", "FT_BYTES"):
            return f"len({name}) > {self.choice.randrange(20)}"
        return self.comparison(name)

    def filter(self):
        terms = [f"not {term}" if self.choice.random() < 0.2 else term for term in
                 (self.term() for _ in range(self.choice.choice((1, 1, 1, 2, 2, 3))))]
        text = terms[0]
        for term in terms[1:]:
            text = f"({text}) {self.choice.choice(('&&', '||', 'and', 'or'))} {term}"
        return text


def plain(text):
    """Slices and such are not asked without dissection; a comma in a word before a filter is not the filter's."""
    return not re.search(r"[\[#@$\x00-\x1f]", text)


def valid(trace, protocol, made):
    """Without those that Wireshark refuses, which it says of the first."""
    while made:
        code, _, error = run("tshark", "-n", "-q", "-c", "1", "-r", trace, *[word for text in made for word in ("-z", f"{protocol},tree,{text}")])
        wrong = [text for text in made if f'"{text}"' in error]
        if code == 0 or not wrong:
            return made
        made = [text for text in made if text not in wrong]
    return made


def in_threads(b, what, statistics, want):
    """Returns whether they count. Rows with order:stream, which only threads write so, have the same lines."""
    got, _ = b.run(statistics, "-o", f"wiretrace.threads:{THREADS}")
    if not any("order:stream" in words for words in statistics):
        same(what, want, got)
    compare(what, *("\n".join(sorted(shown[1].splitlines())) for shown in (want, got)))
    return b.threads


def check_filters(b, what, protocol, choice, count, types, used):
    """Notes how often some but not all records pass, as rows show, and threads count. Returns how many of `count` filters Wireshark has taken."""
    maker, done = Maker(b.path, types, choice), 0
    for _ in range(count):
        rows = choice.random() < 0.7
        made = [maker.filter() for _ in range(1 if rows else choice.randrange(1, TOGETHER))]
        made = valid(b.path, protocol, [text for text in made if plain(text)])
        asked = choice.choice((ROWS if rows else TABLES)[protocol])
        statistics = [f"{asked},{text}" for text in made]
        if statistics:
            direct, counted = b.run(statistics)
            require(counted == b.records(), what, *statistics, "counted", counted, "of", b.records(), "records directly")
            same(f"{what}: {statistics}", b.dissect(statistics), direct)
            used["threads"] += protocol in PARALLEL and in_threads(b, f"{what}, in threads: {statistics}", statistics, direct)
            used["some" if rows and direct[1].count("\n") not in (1, b.records() + 1) else "all or none"] += 1
        done += len(made)
        if done >= count:
            break
    return done


def test_format(protocol, count, seed):
    choice, types = random.Random(f"{seed} {protocol}"), field_types(protocol)
    captures = [name for name in formats.captures() if check.protocol_of(name) == protocol]
    cases = [case for case in make.cases() if check.protocol_of(case) == protocol]
    done, used = 0, collections.Counter()
    while done < count:
        some = min(2 * TOGETHER, count - done)
        if choice.random() < 0.8:
            name = choice.choice(captures)
            with bench(formats.capture(name), protocol) as b:
                done += check_filters(b, name, protocol, choice, some, types, used)
        else:
            case = choice.choice(cases)
            with tempfile.TemporaryDirectory(dir=check.os.environ["WIRETRACE_BUILD"]) as folder:
                make.make(case, Path(folder))
                with bench(Path(folder) / case / check.expected(case)["open"], protocol) as b:
                    done += check_filters(b, case, protocol, choice, some, types, used)
    print(f"{protocol}: {done} filters, {dict(used)}")
    require(used["some"] * 10 >= used["all or none"], "nearly all filters pass all records, or none")
    require(bool(used["threads"]) == (protocol in PARALLEL), "threads have counted in", used["threads"], "runs")


def main():
    args = arguments(__doc__, __filters={"type": int, "default": 60}, __seed={"type": int, "default": 1},
                     names={"nargs": "+", "metavar": "FORMAT"})
    for_each(lambda name: test_format(name, args.filters, args.seed), args.names)


if __name__ == "__main__":
    main()
