#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the seed corpora of the fuzz targets.

usage: corpus.py OUT
       corpus.py --keep TARGET INPUT...

Makes OUT/TARGET/... for every target: pieces of captures/, of their damaged copies (test/bad/make.py) and of their
big-endian copies, small executables built with clang, and texts. test/formats says what comes from each format. Those that
begin with "saved-" are from corpus/TARGET beside this script: inputs that were found to reach more code. --keep writes
that file (tools/fuzz --keep): a line for each input, compressed, in base 64.
"""
import base64
import hashlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "bad")]
import formats  # noqa: E402
import make  # noqa: E402  test/bad/make.py

SOURCE = """
#include <stddef.h>
struct point { int x, y; };
union u { int i; float f; char bytes[16]; };
namespace ns { class c { public: struct point at[2]; unsigned low : 3, high : 5; static int count; }; }
struct node { struct node *next; ns::c inside; union u value[3][2]; long key; char tail[]; };
struct order { double price; struct point p; node *list; };
typedef struct { long a, b; } counters;
template <typename T> struct t { T held; };
extern "C" int touch(const node *n, order *o, counters *c, t<int> *h)
{ if (n->key > 3) return touch(n->next, o, c, h); return n->inside.low + (int)o->price + (int)c->a + h->held; }
namespace ns { int inner(int i) { for (int k = 0; k < i; k++) i += k * k; return i; } }
int outer(int i) { return ns::inner(i) + ns::inner(i + 1); }
"""
BUILDS = [  # options of clang++
    ["-O0", "-gdwarf-5"],
    ["-O1", "-gdwarf-4", "-gz"],
    ["-O2", "-gdwarf-3"],
    ["-O1", "-gdwarf-2", "-Wl,--strip-debug"],
    ["-O0", "-g0", "-s"],
]
SAVED, SAVED_MAX = HERE / "corpus", 60000  # bytes for a target: of executables only the smaller ones
NOISE = ["calls"]  # targets that take any bytes


class Corpus:
    def __init__(self, out):
        self.out = out

    def add(self, target, data, prefix=""):
        folder = self.out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / (prefix + hashlib.sha1(data).hexdigest()[:16])).write_bytes(data)

    def add_all(self, seeds):
        for target, data in seeds:
            self.add(target, data)


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def add_traces(corpus, f, work):
    """From captures and the files beside them, and from damaged copies."""
    captures = formats.root_of(f.NAME) / "captures" / f.NAME
    for case in f.CASES:
        make.make(case, work / f.NAME)
    for folder in (captures, work / f.NAME):
        for path in files_of(folder):
            corpus.add_all(f.seeds(path, path.read_bytes()))
        for trace in filter(Path.is_dir, folder.iterdir()):
            corpus.add_all(f.trace_seeds(trace))


def executables(work):
    """Each executable, and the options with which it was built."""
    (work / "a.cpp").write_text(SOURCE)
    for i, options in enumerate(BUILDS + [options for f in formats.formats().values() for options in f.BUILDS]):
        elf = work / f"a{i}.so"
        subprocess.run(["clang++", "-shared", "-nostdlib", "-fPIC", "-fno-exceptions", "-fno-asynchronous-unwind-tables",
                        *(option for f in formats.formats().values() for option in f.COMPILE), "-Wl,--hash-style=gnu,-z,noseparate-code,-z,max-page-size=256", *options,
                        "a.cpp", "-o", elf.name], cwd=work, check=True)
        yield elf, options


def pdu(protocol, row, kind, own, record, fault):
    """A record in exported form (common/core/exported.h)."""
    name = protocol.encode() + b"\0" * (-len(protocol) % 4)
    number = formats.listed("common/formats.def", "FORMAT").index(row)
    numbers = struct.pack("<BBIQQQIQ", kind, 0, 1, 64, len(record), 16, 0, 5) + own
    texts = b"".join(struct.pack("<H", len(t)) + t for t in (b"1/2", b"", fault))
    context = b"WTrc" + struct.pack("<BBHH", 1, number, len(numbers), len(texts))
    return struct.pack(">HH", 12, len(name)) + name + bytes(4) + context + numbers + texts + record


def keep(target, inputs):
    """Sorted, so that a change of the file shows what was added."""
    lines, kept, room = {base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode() + "\n" for path in inputs}, [], SAVED_MAX
    for line in sorted(lines, key=len):
        room -= len(line)
        if room >= 0:
            kept.append(line)
    (SAVED / target).write_text("".join(sorted(kept)), encoding="ascii")


def add_saved(corpus):
    for file in files_of(SAVED):
        for line in file.read_text(encoding="ascii").split():
            corpus.add(file.name, zlib.decompress(base64.b64decode(line)), "saved-")


def main():
    if sys.argv[1:2] == ["--keep"]:
        keep(sys.argv[2], map(Path, sys.argv[3:]))
        return
    out = Path(sys.argv[1]) if len(sys.argv) == 2 and not sys.argv[1].startswith("-") else sys.exit(__doc__)
    shutil.rmtree(out, ignore_errors=True)
    corpus = Corpus(out)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        programs = list(executables(work))
        for f in formats.formats().values():
            add_traces(corpus, f, work)
            for elf, options in programs:
                corpus.add_all(f.program_seeds(elf, options, work))
            for record in f.exported():
                corpus.add("exported", pdu(f.NAME, *record))
            for target, texts in f.TEXTS.items():
                corpus.add_all((target, text.encode()) for text in texts)
    for target in NOISE + [target for f in formats.formats().values() for target in f.NOISE]:
        for i in range(16):
            corpus.add(target, b"".join(hashlib.sha256(b"%d %d" % (i, k)).digest() for k in range(4 * i + 1)))
    add_saved(corpus)


main()
