#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages have every message of common/ and plugins/, and no others.

usage: messages.py [--list]          --list: prints the messages of the sources, as the pages write them

Every text of three words or more in the code is a message: in a call, a `return`, an assignment or a #define. So no list has
to be kept. Faults and texts after OF_TABLES are messages of any length. Not messages are

  - texts in tables of data ({...}): names of fields, kinds, events, menus;
  - arguments of one of QUIET, texts of several lines, the name_... of a node, a title[];
  - what begins with #, the first line of a file; attributes of a picture, NAME="...".

Pages in docs/ have messages in the first column of the tables whose heading is `message`, in backticks, one or several in a cell.
Parts that vary (%s, and # or @ in a fault) are written `…`.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAGES = sorted((TOP / "docs").glob("*.md"))
# What comes before a message in a table: the group and severity of an expert info, a member of a setting.
OF_TABLES = re.compile(r"PI_\w+,\s*PI_\w+,\s*$|\.usable = $")
# Functions for names of fields, menus and columns, the Info column, filters and text of pictures. Also ws_error, g_error, g_critical and
# assertions, which report faults of the program itself.
QUIET = re.compile(r"""(info_\w+|prefs_register_\w+|proto_register_\w+|register_\w+|write_type|col_\w+|address_type_\w+|_Static_assert|ws_error|g_error|g_critical|
    __asm__|\w+_branch|wmem_\w+|\w*lane_of|svg_words|[A-Z][A-Z_]+)$""", re.X)


def code_of(path):
    """The text of a file with comments and #include replaced by blanks, so that positions stay the same."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|//[^\n\"]*$", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    return re.sub(r"^[ \t]*#[ \t]*include.*$", lambda m: " " * len(m[0]), text, flags=re.M)


def literals(text):
    """(position, text) of each string literal. Adjacent literals are joined; a macro between them becomes `…`."""
    one = r'"(?:[^"\\\n]|\\.)*"'
    for m in re.finditer(rf"{one}(?:[\s\\]*(?:[A-Z][A-Za-z0-9_]*\s*)?{one})*", text):
        parts = re.findall(rf"({one})|([A-Z][A-Za-z0-9_]*)", m[0])
        yield m.start(), "".join(part[1:-1] if part else "…" for part, _ in parts)


def blank(text):
    """The text with the contents of literals replaced by blanks, so that positions stay the same."""
    def spaces(m):
        return m[0] if len(m[0]) < 3 else m[0][0] + re.sub(r"[^\n]", " ", m[0][1:-1]) + m[0][-1]
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', spaces, text)


def enclosing(text, at):
    """What encloses a position: ("call", name), ("table", row so far) or ("code", "")."""
    depth = 0
    for i in range(at - 1, -1, -1):
        c = text[i]
        if c in ")}":
            depth += 1
        elif c in "({" and depth:
            depth -= 1
        elif c == "(":
            before = re.search(r"(\w+)\s*$", text[:i])
            if before and before[1] not in ("if", "return", "while", "for", "switch"):
                return "call", before[1]
        elif c == "{":
            return ("table", text[i:at]) if begins_table(text[:i].rstrip()) else ("code", "")
    return "code", ""


def begins_table(before):
    """Whether a brace after `before` begins data: it follows = { , ( or the type of a compound literal."""
    return before[-1:] in "={,(" or re.search(r"\((?!void\))(?:const )?(?:struct )?[a-z_0-9]+(?:\[\w*\])?\)$", before) is not None


def plain(literal):
    """The literal as the page writes it."""
    literal = literal.replace('\\"', '"').replace("\\n", " ").replace("%%", "%")
    literal = re.sub(r"%…|%[-+#0]*[\d*]*(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z)?[a-zA-Z]", "…", literal)
    return re.sub(r"\s+", " ", literal).strip(" :;,").rstrip(".")


def messages_of(path):
    found = set()
    text = code_of(path)
    bare = blank(text)
    for at, literal in literals(text):
        kind, where = enclosing(bare, at)
        fault = re.search(r"X\(FAULT_\w+,\s*$", bare[:at]) is not None
        if fault:
            literal = re.sub(r"[#@]", "…", literal)
        words = plain(literal)
        if kind == "call" and QUIET.match(where) or re.search(r"\\n[^\\]", literal) or literal.startswith("#") or re.search(r'\w=\\"', literal) \
                or re.search(r"(name_\w+|title\[\]) = $", bare[:at]):
            continue
        told = fault or kind == "table" and OF_TABLES.search(where)
        long = words.count(" ") >= 2 and len(re.findall(r"[A-Za-z][A-Za-z'-]+", words)) >= 3
        if told and words or kind != "table" and long:
            found.add(words)
    return found


def messages():
    """Message -> the files that contain it."""
    found = {}
    for folder in ("common", "plugins"):
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            for words in messages_of(path):
                found.setdefault(words, []).append(str(path.relative_to(TOP)))
    return found


def on_page(page):
    found, inside = set(), False
    for line in page.read_text(encoding="utf-8").split("\n"):
        if not line.startswith("|"):
            inside = False
        elif line.startswith("| message |"):
            inside = True
        elif inside and not line.startswith("| ---"):
            first = re.split(r"(?<!\\)\|", line)[1]
            found |= {m.replace("\\|", "|") for m in re.findall(r"`([^`]+)`", first)}
    return found


def main():
    said, explained = messages(), set().union(*map(on_page, PAGES))
    if sys.argv[1:] == ["--list"]:
        print("\n".join(f"{' '.join(files)}: {words}" for words, files in sorted(said.items(), key=lambda item: item[1])))
        return 0
    wrong = [f"no page explains what {' '.join(said[words])} reports: {words}" for words in sorted(said.keys() - explained)]
    wrong += [f"a page has a message that no source has: {words}" for words in sorted(explained - said.keys())]
    print("\n".join(wrong) or f"{len(said)} messages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
