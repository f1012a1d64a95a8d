#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that what the pages in docs/ refer to exists: links and pictures, files, and names in the code.

usage: names.py

Files and names in backticks are checked in the pages for developers; the example of adding-a-format.md stands in test/toy, in
the folders of the tree. Also every page is reachable from docs/README.md, the gallery has every picture, pages are short, and the changelog begins with the
version of CMakeLists.txt.
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
DOCS = TOP / "docs"
FOR_DEVELOPERS = ["architecture.md", "adding-a-format.md", "contributing.md"]
SOURCES = ["common", "plugins", "test", "tools"]
LINES, LINES_OF_INDEX = 300, 45


def prose(page):
    """Its text without blocks of commands and output."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)


def links(page):
    return [m[1] for m in re.finditer(r"\]\(([^)\s]+)\)", prose(page)) if "://" not in m[1]]


def files_of(page):
    return [link.split("#")[0] for link in links(page)]


def places(page):
    """What a link can name after `#`: the headings, as they are on GitHub."""
    return {re.sub(r"[^\w -]", "", m[1].lower()).replace(" ", "-") for m in re.finditer(r"^#+ (.+)$", prose(page), re.M)}


def is_dead(page, link):
    file, _, place = link.partition("#")
    target = page.parent / file if file else page
    return not target.exists() or (place and place not in places(target))


def dead_links(page):
    return [f"{page.relative_to(TOP)}: {link}" for link in links(page) if is_dead(page, link)]


def code_text():
    files = subprocess.run(["find", *SOURCES, "-name", "*.[ch]", "-o", "-name", "*.py", "-o", "-path", "tools/*", "-type", "f"],
                           cwd=TOP, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.split()
    return "\n".join((TOP / f).read_text(encoding="utf-8", errors="replace") for f in files)


def unknown_names(page, code):
    found = []
    for name in re.findall(r"`([^`\n]+)`", prose(page)):
        name = name.removesuffix("()")
        if "<" in name or " " in name or "*" in name:
            continue
        if "/" in name:
            if not any((TOP / folder / name).exists() for folder in (".", "plugins", "test", "common", "test/toy")):
                found.append(f"{page.name}: no file {name}")
        elif re.fullmatch(r"[A-Za-z]\w*_\w+", name) and not re.search(rf"\b{name}\b", code):
            found.append(f"{page.name}: nothing is called {name}")
    return found


def wrong_version():
    version = re.search(r"project\(\w+ VERSION (\S+)", (TOP / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    newest = re.search(r"^## (\S+)$", (DOCS / "changelog.md").read_text(encoding="utf-8"), re.M)[1]
    return [] if version == newest else [f"changelog.md begins with {newest}, but this is version {version}"]


def missing_pictures():
    """The gallery has all pictures, each with words for those who cannot see it."""
    shown = set(re.findall(r"!\[[^\]]+\]\(images/([^)]+)\)", (DOCS / "gallery.md").read_text(encoding="utf-8")))
    return [f"gallery.md does not show {picture.name}" for picture in (DOCS / "images").iterdir() if picture.name not in shown]


def long_pages():
    lengths = {page: page.read_text(encoding="utf-8").count("\n") for page in DOCS.rglob("*.md")}
    most = {DOCS / "README.md": LINES_OF_INDEX, DOCS / "fields.md": 2 * LINES}  # a line for each field
    return [f"{page.relative_to(TOP)} has {n} lines" for page, n in lengths.items() if n > most.get(page, LINES)]


def main():
    pages = [TOP / "README.md", *sorted(DOCS.rglob("*.md")), TOP / "captures" / "README.md"]
    wrong = [problem for page in pages for problem in dead_links(page)]
    code = code_text()
    wrong += [problem for name in FOR_DEVELOPERS for problem in unknown_names(DOCS / name, code)]
    wrong += wrong_version() + missing_pictures() + long_pages()
    reachable = {(DOCS / link).resolve() for link in ["README.md", *files_of(DOCS / "README.md")]}
    wrong += [f"docs/README.md does not lead to {page.relative_to(DOCS)}" for page in DOCS.rglob("*.md")
              if page.resolve() not in reachable]
    print("\n".join(wrong) or f"{len(pages)} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
