#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages, messages, comments and names do not use the words that wording.md beside it lists as not used.

usage: wording.py

Reads the table headed `write` and `instead of`: phrases in backticks in its second column must not occur, except as part of a
phrase in its third. Looked at are the text of all pages without code, comments and string literals of the C code, comments of
the scripts in tools/, and identifiers of the C code, also of that of tests, whose words are joined by underscores.
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
TABLE = TOP / "test" / "docs" / "wording.md"
# In C: comments, then strings and characters, then the code between them.
PARTS_OF_C = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^/"']+|.""", re.S)
# In scripts: docstrings and comments. What looks like one in a string does no harm.
PARTS_OF_SCRIPT = re.compile(r'''""".*?"""|(?<!\S)#[^\n]*|[^"#]+|.''', re.S)


def blank(text):
    """Blanks in place of a text, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", text)


def without_code(text):
    return re.sub(r"`[^`\n]*`", lambda m: blank(m[0]), text)


def of_page(text):
    """Without blocks of code, names in backticks, targets of links, and the table of words itself."""
    text = re.sub(r"^```.*?^```|^\| write \|.*?\n\n", lambda m: blank(m[0]), text, flags=re.S | re.M)
    return re.sub(r"(?<=\])\([^)\s]*\)", lambda m: blank(m[0]), without_code(text))


def of_c(text):
    def keep(part):
        if part.startswith(("/*", "//")) and len(part) > 1:
            return re.sub(r"^(\s*)\*", r"\1 ", without_code(part), flags=re.M)
        return f" {part[1:-1]} " if part.startswith('"') and not part.endswith('.h"') else blank(part)
    return "".join(keep(m[0]) for m in PARTS_OF_C.finditer(text))


def names_of_c(text):
    """The identifiers, their words separated by blanks, each after a sign that is in no phrase."""
    def keep(part):
        if part.startswith(("/*", "//", '"', "'")) and len(part) > 1:
            return blank(part)
        return re.sub(r"([A-Za-z_]\w*)|[^A-Za-z_\n]+", lambda m: "; " + m[1].replace("_", " ").strip() if m[1] else " ", part)
    return "".join(keep(m[0]) for m in PARTS_OF_C.finditer(text))


def of_script(text):
    def keep(part):
        return part.replace("#", " ") if part.startswith(("#", '"""')) else blank(part)
    return without_code("".join(keep(m[0]) for m in PARTS_OF_SCRIPT.finditer(text)))


def readings(path):
    """What make the texts of a file out of it; none: a file that is not looked at."""
    name, top = path.name, path.parts[0]
    is_c = path.suffix in (".c", ".h", ".def")
    if path.suffix == ".md" or name in ("wiretrace.1", "wiretrace.7"):
        return [of_page]
    if top in ("common", "plugins", "tools") and is_c:
        return [of_c, names_of_c]
    if top == "test" and is_c:
        return [names_of_c]
    if top == "tools" and path.suffix in ("", ".py", ".sh"):
        return [of_script]
    return []


def pattern(phrases):
    words = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<![\w.-])(?:{words})(?![\w(-]|\.[a-z])", re.I)


def rules():
    """(words to write, pattern of those that are not used, exceptions or None) of each row."""
    table = re.search(r"^\| write \|.*\n\|[-| ]+\n((?:\|.*\n)+)", TABLE.read_text(encoding="utf-8"), re.M)[1]
    for row in table.splitlines():
        use, avoid, but = [cell.strip() for cell in row.strip("|").split("|")]
        exceptions = re.findall(r"`([^`]+)`", but)
        yield use, pattern(re.findall(r"`([^`]+)`", avoid)), pattern(exceptions) if exceptions else None


def found_in(text, table):
    for use, avoid, exceptions in table:
        left = exceptions.sub(lambda m: blank(m[0]), text) if exceptions else text
        for m in avoid.finditer(left):
            yield text.count("\n", 0, m.start()) + 1, " ".join(m[0].split()), use


def main():
    table, wrong, seen = list(rules()), [], 0
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    for name in sorted(files.stdout.splitlines()):
        reads = readings(Path(name)) if (TOP / name).is_file() else []
        seen += bool(reads)
        for read in reads:
            text = read((TOP / name).read_text(encoding="utf-8"))
            wrong += [f"{name}:{line}: \"{words}\": write {use}" for line, words, use in sorted(found_in(text, table))]
    print("\n".join(wrong) or f"{len(table)} rows, {seen} files")
    return 1 if wrong or seen < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
