# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests must know about a format besides tools/facts: one module for each, named like its protocol.

  BASELINE                   a capture to compare others with
  NAMES                      beginnings of the names of captures and damaged cases
  OWN, CONTEXT               fields from the bytes of a record, and from its context: the same in one pass, in two, in every copy
  ANALYSIS                   fields of the analysis: complete only in two passes
  ANALYSED, PAIR             fields that must not depend on another trace in the same file, and two such captures
  KIND                       field with the record's kind; THREAD, FUNCTION: with these, if there are any
  STREAM                     field with the name of the record's file in a trace of many files
  ABSENT, PLAIN, EVENTS      kinds: for missing things without bytes; without a byte order; events
  ALONE                      fields that differ if a stream is opened alone
  NUMBERS                    fields with numbers of records
  UNSWAPPED                  fields that do not depend on the byte order
  DETAILS                    captures with a golden file of tshark's full output: {capture: number of records}
  MISTYPED                   fields with a wrong type in the Elasticsearch mapping of every version of tshark
  TIME_CUT                   its times may be later than some machines can show
  NAMED                      captures recognised only by their names: {capture: such a name}
  OPTIONS                    suffix of a file beside the capture -> preference that is set to it
  FILE_TYPES                 native file types: {pattern of captures' names: type}, the first match counts
  READ_ONLY                  file types that cannot be written: {type: capture}
  HEADERS, NEEDED            kinds not selected when a part is saved; kinds added to a part because others need them
  PLACE, LOOSE               fields with the position of a record; fields that differ in a saved part
  MERGED                     how parts are merged again: captures, filter, which records, how they are divided
  CASES                      damaged copies: {case: (capture, edit of the file, or {file: edit, or None to delete it})}
  TEXTS, NOISE               seeds of fuzz targets: {target: texts}; targets that take any bytes
  COMPILE, BUILDS            options of clang++ for the programs used as seeds; for further such programs

and functions:

  parts(table)               parts to save: {name: predicate of a record's number, kind, thread and function}
  refusals(capture, folder, out)        what cannot be saved: pairs of the reason and the command, whose last word is `out`
  also_read(file, names, saved)         {other program: how many of the saved parts it has read}
  big_endian(data)           converts a file to the other byte order
  streams(folder), files(folder), entry(folder)     for a trace of many files: those with events; all by name; the one to open
  seeds(path, data), program_seeds(elf, options, work), trace_seeds(folder)     pairs of a fuzz target and bytes
  exported()                 records in exported form: row of the format, kind, its own numbers, bytes, name of the fault
"""
import functools
import importlib
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tools"))
import facts  # noqa: E402
from facts import listed, roots  # noqa: E402


class Failure(Exception):
    pass


def require(condition, *words):
    if not condition:
        raise Failure(" ".join(str(w) for w in words))


DEFAULTS = {
    "BASELINE": "", "CONTEXT": "", "ANALYSIS": "", "ANALYSED": "", "PAIR": (),
    "THREAD": None, "FUNCTION": None, "STREAM": None, "ABSENT": set(), "PLAIN": set(), "EVENTS": set(), "ALONE": "",
    "UNSWAPPED": set(), "DETAILS": {}, "TIME_CUT": True, "NAMED": {}, "OPTIONS": {},
    "READ_ONLY": {}, "HEADERS": set(), "NEEDED": set(), "LOOSE": {"frame.number"}, "MERGED": None, "TEXTS": {}, "NOISE": [],
    "MISTYPED": [], "NUMBERS": "", "COMPILE": [], "BUILDS": [],
    "refusals": lambda capture, folder, out: [], "also_read": lambda file, names, saved: {}, "big_endian": None,
    "streams": lambda folder: [], "files": lambda folder: {},
    "entry": lambda folder: None, "program_seeds": lambda elf, options, work: [], "trace_seeds": lambda folder: [],
}


@functools.cache
def formats():
    """All formats that have a module here, in the order of the list of protocols; complete.py reports the others."""
    __path__[1:] = [str(root / "test/formats") for root in roots()[1:]]
    there = [name for name in facts.names() if any((Path(path) / f"{name}.py").exists() for path in __path__)]
    found = {name: importlib.import_module(f"{__name__}.{name}") for name in there}
    for name, module in found.items():
        for attribute, value in {**DEFAULTS, **vars(facts.of(name))}.items():
            if not attribute.startswith("__"):
                vars(module).setdefault(attribute, value)
    return found


def of(name):
    """The format of a capture or damaged case, by the beginning of its name."""
    word = re.match(r"\w*", name)[0]
    found = [f for f in formats().values() if word in f.NAMES]
    require(len(found) == 1, len(found), "formats have captures or cases that are named", name)
    return found[0]


def root_of(name):
    """The folder with a format's captures, golden tables and damaged cases."""
    return next(root for root in roots() if (root / "test/formats" / f"{of(name).NAME}.py").exists())


def capture(name):
    return root_of(name) / "captures" / name


def name_of(path):
    """The name of a capture: its path below captures/."""
    return str(next(path.relative_to(root / "captures") for root in roots() if path.is_relative_to(root / "captures")))


def captures():
    """All captures; some have programs and libraries beside them."""
    return sorted(f"{name}/{path.name}" for name in formats() for path in (root_of(name) / "captures" / name).iterdir()
                  if path.suffix != ".elf")


def file_type(name):
    """The native file type of a capture."""
    return next(kind for pattern, kind in of(name).FILE_TYPES.items() if re.search(pattern, name))


def with_example(statistic, folder):
    """A statistic as its row shows it, with files for what stands there in capitals."""
    f = formats()[re.split("[,.]", statistic)[0]]
    return statistic.replace("FOLDER", folder).replace("BASELINE", str(entry_of(capture(f.BASELINE))) if f.BASELINE else "")


def entry_of(path):
    """The file to open of a capture, which may be a folder."""
    return of(name_of(path)).entry(path) if path.is_dir() else path
