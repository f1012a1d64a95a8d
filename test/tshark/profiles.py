#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads each configuration profile as a user would, and checks its effect on the captures.

usage: profiles.py --build DIR PROFILE [FOLDER]

Columns have the titles in the profile; every filter of colour rules, buttons, graphs and macros compiles; every record
gets a colour; text is readable on its background in light and dark mode; both forms of the macros (before Wireshark 4.4
and since) are the same. FOLDER: where the profiles are, docs/profiles unless given.
"""
import os
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import CAPTURES, TOP, Failure, require, run  # noqa: E402

READABLE = 4.5  # contrast that WCAG 2 asks of text
LABELS = 32  # letters of all buttons in the filter line, for 1280 pixels with fonts of twice the usual size
FILES = {"preferences", "recent", "colorfilters", "dfilter_buttons", "dfilter_macros", "dmacros", "io_graphs",
         "profile_settings", "dfilters", "plots"}
MACRO_ARGUMENTS = {
    "xray_function": "6", "xray_named": "fib", "xray_called_by": "6", "xray_longer": "0.001", "xray_between": "0.1;0.2",
    "cacheray_range": "0x1000;0x2000", "cacheray_line": "0x1000", "cacheray_type": "struct.order", "cacheray_member": "node.key",
    "cacheray_writes_of": "2", "ovni_event": "VTx", "ovni_task": "2", "ovni_of": "20576;20576", "ovni_on_cpu": "1",
    "ovni_longer": "0.001",
}
CAPTURE = {"XRay": ["xray/fdr-args.xray", "xray/fdr-typed.xray", "xray/fdr-cut-event.xray", "xray/fdr-cpus.xray"],
           "Cacheray": ["cacheray/orders.trace", "cacheray/falseshare.trace", "cacheray/falseshare-torn.trace",
                        "cacheray/atomics.trace", "cacheray/arena.trace"],
           "ovni": ["ovni/v3-two-nodes", "ovni/v3-all-events", "ovni/v3-flush-jumbo", "ovni/v3-unfinished"]}


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def cells_of(path):
    """The rows of a file of quoted cells, as Wireshark reads it: \\xNN is a character."""
    rows = []
    for line in lines_of(path):
        require(re.fullmatch(r'"[^"]*"(,"[^"]*")*', line), path.name, "has a line that is no row:", line)
        rows.append([re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), cell) for cell in re.findall(r'"([^"]*)"', line)])
    return rows


def luminance(channels):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def color_rules(folder):
    rules = []
    for line in lines_of(folder / "colorfilters"):
        match = re.fullmatch(r"@([^@]+)@([^@]+)@\[([\d,]+)\]\[([\d,]+)\]", line)
        require(match, "no colour rule:", line)
        background, text = ([int(c) / 65535 for c in match[i].split(",")] for i in (3, 4))
        rules.append((match[1], match[2], contrast(background, text)))
        require(match[1] == "Damage" or luminance(background) > 0.4, "rule", match[1], "is not light")
    return rules


def column_formats(folder):
    return re.findall(r'"([^"]*)", "([^"]*)"', (folder / "preferences").read_text())


def plots_of(folder):
    """Whether it is drawn (of other words than these Wireshark makes its own two plots, and says nothing), number of the group,
    name, filter, colour, style, field, factor. A group of which nothing is drawn is an empty stretch of the window."""
    rows = cells_of(folder / "plots")
    for row in rows:
        require(len(row) == 8 and row[0] in ("TRUE", "FALSE") and row[1].isdigit() and
                row[5] in ("Line", "Dot Line", "Step Line", "Impulse", "Dot"), "no plot:", row)
    drawn = {row[1] for row in rows if row[0] == "TRUE"}
    require({row[1] for row in rows} == drawn, "groups of which nothing is drawn, beside", drawn)
    return rows


class Profile:
    def __init__(self, folder, settings):
        self.name, self.folder, self.protocol = folder.name, folder, folder.name.lower()
        self.cut = settings / "stream.obs"    # an event file without its last bytes
        whole = check.event_files(CAPTURES / "ovni" / "v3-hwc")[0]
        self.cut.write_bytes(whole.read_bytes()[:-3])
        shutil.copy(whole.with_suffix(".json"), settings)
        shutil.copytree(folder, settings / "profiles" / self.name)
        os.environ["WIRESHARK_CONFIG_DIR"] = str(settings)

    def tshark(self, *options):
        code, out, error = run("tshark", "-n", "-C", self.name, *options)
        # files that are cut on purpose, and logs without their program, are reported; there must be no other message
        expected = ("cut short", "(process:", "Functions have numbers instead of names")
        said = [line for line in error.splitlines() if line and not any(words in line for words in expected)]
        require(not said, self.name, *options, "says:", *said)
        return code, out

    def captures(self):
        return [check.entry(CAPTURES / name) for name in CAPTURE[self.name]]

    def filters(self):
        """All filters of the profile, with their places."""
        found = [(f"colour rule {name}", text) for name, text, _ in color_rules(self.folder)]
        for row in cells_of(self.folder / "dfilter_buttons"):
            require(len(row) == 4 and row[0] == "TRUE", "no button:", row)
            found.append((f"button {row[1]}", row[2]))
        shown = dict.fromkeys(row[1].split("//")[0] for row in cells_of(self.folder / "dfilter_buttons"))
        require(len("".join(shown)) <= LABELS, self.name, "has buttons that do not fit:", *shown)
        for row in cells_of(self.folder / "io_graphs"):
            require(len(row) == 9 and row[0] in ("Enabled", "Disabled"), "no graph:", row)
            found.append((f"graph {row[1]}", row[2]))
        for row in plots_of(self.folder):
            found.append((f"plot {row[2]}", row[3]))
        for line in lines_of(self.folder / "dfilters"):
            match = re.fullmatch(r'"([^"]+)" (.+)', line)
            require(match, "no saved filter:", line)
            found.append((f"saved filter {match[1]}", match[2]))
        for name, _ in cells_of(self.folder / "dfilter_macros"):
            found.append((f"macro {name}", "${%s:%s}" % (name, MACRO_ARGUMENTS[name])))
        return found


def check_files(profile):
    names = {path.name for path in profile.folder.iterdir()}
    require(names == FILES, profile.name, "has the files", sorted(names))
    old = [tuple(row) for row in cells_of(profile.folder / "dfilter_macros")]
    new = [re.fullmatch(r'"(\w+)" (.+)', line).groups() for line in lines_of(profile.folder / "dmacros")]
    require(old == new, "dfilter_macros and dmacros differ:", set(old) ^ set(new))
    switch = lines_of(profile.folder / "profile_settings")
    require(switch == [f"auto_switch_filter: {profile.protocol}"], "switched to by", switch)


def check_columns(profile):
    formats = column_formats(profile.folder)
    _, out = profile.tshark("-r", profile.captures()[0], "-c", "30", "-T", "psml")
    titles = [cell.text for cell in xml.etree.ElementTree.fromstring(out).find("structure")]
    require(titles == [title for title, _ in formats], "columns are", titles)
    widths = re.search(r"^column\.width: (.*)$", (profile.folder / "recent").read_text(), re.M)[1].split(", ")
    keys = [key.strip('"') for key in widths[::2]]    # quoted if they contain blanks
    require(keys == [re.sub(r":0:R$", "", f) for _, f in formats], "widths are for", keys)
    require(all(re.fullmatch(r"\d+(:R)?", width) for width in widths[1::2]), "widths are", widths[1::2])
    _, out = profile.tshark("-2", "-r", profile.captures()[0], "-T", "psml")
    places = [titles.index(title) for title in titles if title.endswith(", us")]
    cells = [record[i].text for record in xml.etree.ElementTree.fromstring(out).iter("packet") for i in places if record[i].text]
    require(bool(places) == bool(cells) and all(re.fullmatch(r"\d+\.\d{3}", cell) for cell in cells), "durations are", cells[:9])
    return titles


def check_filters(profile):
    """Requires every filter to compile, alone where all of them together do not; returns their number."""
    filters = profile.filters()
    everything = " || ".join(f"({text})" for _, text in filters)
    for what, text in [("all", everything), *filters]:
        code, _ = profile.tshark("-2", "-r", profile.captures()[0], "-Y", text, "-T", "fields", "-e", "frame.number")
        if (what, code) == ("all", 0):
            break
        require(code == 0, what, "does not compile:", text)
    return len(filters)


def check_colors(profile):
    rules = color_rules(profile.folder)
    for name, _, ratio in rules:
        require(ratio >= READABLE, "rule", name, f"has a contrast of {ratio:.2f}")
    names = [name for name, _, _ in rules]
    used = set()
    for capture in [*profile.captures(), *[profile.cut] * (profile.protocol == "ovni")]:
        _, out = profile.tshark("-2", "-r", capture, "--color", "-T", "fields", "-e", "frame.coloring_rule.name")
        shown = set(out.split("\n")[:-1])
        require(shown <= set(names), capture, "is coloured by", shown)
        used |= shown
    return [name for name in names if name not in used], min(ratio for _, _, ratio in rules)


def check_graph_fields(profile):
    known = {line.split("\t")[2] for line in run("tshark", "-G", "fields")[1].split("\n") if line.startswith("F\t")}
    for row in cells_of(profile.folder / "io_graphs"):
        require(not row[6] or row[6] in known, "graph", row[1], "of the unknown field", row[6])
    for row in plots_of(profile.folder):
        require(row[6] in known, "plot", row[2], "of the unknown field", row[6])
    units = {(row[5], row[6] and row[6].rsplit(".", 1)[1]) for row in cells_of(profile.folder / "io_graphs")
             if row[0] == "Enabled"}
    require(len(units) == 1, "graphs that begin together have different units:", units)


def main():
    arguments = check.arguments(__doc__, profile={}, folder={"nargs": "?", "type": Path, "default": TOP / "docs" / "profiles"})
    with tempfile.TemporaryDirectory() as scratch:
        profile = Profile(arguments.folder / arguments.profile, Path(scratch))
        try:
            check_files(profile)
            titles = check_columns(profile)
            check_graph_fields(profile)
            unused, worst = check_colors(profile)
            count = check_filters(profile)
            require(not unused, "rules that colour nothing:", unused)
        except Failure as failure:
            print(f"{profile.name}: {failure}", file=sys.stderr)
            return 1
    print(f"{profile.name}: {len(titles)} columns, {count} filters, lowest contrast {worst:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
