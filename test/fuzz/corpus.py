#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the seed corpora of the fuzz targets.

usage: corpus.py OUT

Makes OUT/TARGET/... for every target: pieces of captures/, of their damaged copies (test/bad/make.py) and of their
big-endian copies, small executables that clang builds now, and texts. Seeds are kept short: most mutations of a long
file change nothing that matters.
"""
import contextlib
import hashlib
import importlib.util
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
CAPTURES = TOP / "captures"
LONGEST = 4096


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


endian = load(CAPTURES / "make-big-endian.py")

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
    ["-O0", "-fno-xray-function-index", "-gdwarf-5"],
    ["-O0", "-g0", "-s"],
]
SYMBOLS = [
    "main", "_ZN2ns5innerEi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
    "_ZZN3foo3barEvENKUlvE_clEv", "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "_ZTV4node",
    "_ZGVZ1fvE1x",
    "_ZN1AIXadL_Z1fvEEE1gEv", "_RNvC6_123foo3bar", "_Z1fDTcl1gfp_EE", "_ZN9_$LT$T$GT$3foo17h0123456789abcdefE",
]
METADATA = [
    '{"version":3,"ovni":{"lib":{"version":"1.14.0"},"part":"thread","loom":"node01.1","pid":1,"tid":2,"app_id":1,'
    '"rank":0,"nranks":2,"finished":1,"loom_cpus":[{"index":0,"phyid":3}],"require":{"ovni":"1.1.0"},'
    '"mark":{"1":{"title":"T","chan_type":"stack","labels":{"1":"one","-2":"\\u00e9"}}}},'
    '"nosv":{"hwc":{"0":{"name":"cycles"}}}}',
    '{ /* a comment */ "version": 1.0e0, "app_id": 1, // another\n "rank": -1, "cpus": [{"index":1,"phyid":1}]} rest',
]
CACHES = [
    '{"caches":[{"cache_size":15,"block_size":6,"set_assoc":8,"rep_policy":0},'
    '{"cache_size":20,"block_size":6,"set_assoc":0,"rep_policy":1,"private":true}],"seed":7}',
    '{"caches":[{"cache_size":8,"block_size":4,"set_assoc":4,"rep_policy":4}]}',
]
PATHS = [
    "loom.node01.1/proc.12/thread.34/stream.obs", "loom.node01.1/proc.12/thread.34.obs", "loom.x/proc.1/thread.2",
    "proc.1/metadata.json", "a/loom.b/loom.c/proc.-1/thread.99999999999.json", "stream.json.gz",
    "thread.1.ovnistream.zst",
]
CLOCKS = ["rank       hostname             offset_median       offset_mean          offset_std\n"
          "0          node01               0                   0.000000             0.000000\n"
          "1          node02               -1234567.5          1.5e3                0x1p3\n",
          "\n0 a 1 1 1\n0 a 2 2 2\nx\n"]


class Corpus:
    def __init__(self, out):
        self.out = out

    def add(self, target, data):
        folder = self.out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)

    def add_pieces(self, target, data):
        self.add(target, data[:LONGEST])
        self.add(target, data[:LONGEST // 8])

    def add_file(self, path):
        data = path.read_bytes()
        name = path.name
        if name.endswith(".xray"):
            self.add_both("xray", data)
        elif name.endswith(".trace"):
            self.add_pieces("cacheray", data)
        elif name.endswith(".obs") or (name.startswith("thread.") and "." not in name[7:]):
            self.add_both("ovni", data)
            self.add_both("ovni_states", data)
            self.add_events(data)
        elif name.endswith(".json"):
            self.add("ovni_metadata", data)
        elif name == "clock-offsets.txt":
            self.add("ovni_clocks", data)

    def add_both(self, target, data):
        self.add_pieces(target, data)
        with contextlib.suppress(Exception):  # damaged files may have no other byte order
            self.add_pieces(target, endian.big_endian(data))

    def add_events(self, data):
        """One seed per code: a byte of choices and the event."""
        at, seen = 8 if data[:4] == b"ovni" else 0, set()
        while at + 12 <= len(data) and len(seen) < 500:
            size = 12 + (data[at] & 15) + (1 if data[at] & 15 else 0)
            if data[at] & 16:
                size = 16 + int.from_bytes(data[at + 12:at + 16], "little")
            if data[at + 1:at + 4] not in seen and size < 200:
                self.add("ovni_describe", b"\xfe" + data[at:at + size])
            seen.add(data[at + 1:at + 4])
            at += size


def trace_seed(folder, opened):
    """A whole ovni trace (see fuzz_ovni_trace.c); `opened`: which of the first four files is opened."""
    files = {}

    def put(letters, data, most):
        free = [letter for letter in letters if letter not in files]
        if free:
            files[free[0]] = data[:most]

    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.name
        if name == "clock-offsets.txt":
            put("M", path.read_bytes(), 400)
        elif name == "stream.json" and (path.parent / "stream.obs").exists():
            if "A" not in files or "F" not in files:
                put("AF", path.read_bytes(), 700)
                put("EG", (path.parent / "stream.obs").read_bytes(), 150)
        elif name == "metadata.json":
            put("BJ" if opened == 1 else "DJ", path.read_bytes(), 500)
        elif name.startswith("thread.") and name.endswith(".json"):
            put("C", path.read_bytes(), 500)
        elif name.startswith("thread.") and name.endswith(".obs"):
            put("LK", path.read_bytes(), 150)
        elif name.startswith("thread.") and name[7:].isdigit():
            put("HI", path.read_bytes(), 150)
    seed = b"".join(b"@@" + letter.encode() + data for letter, data in files.items())
    return b"x" * ((opened - len(seed)) % 4) + seed if "ABCD"[opened] in files else None


def section(elf, name, out):
    subprocess.run(["objcopy", "-O", "binary", "-j", name, "--set-section-flags", name + "=alloc", elf, out],
                   check=False, stderr=subprocess.DEVNULL)
    return out.read_bytes() if out.exists() else b""


def line_seed(table, strings):
    """Two bytes of choices, the strings, the table (see fuzz_xray_lines.c)."""
    for share in range(128):
        rest = len(strings) + len(table)
        while rest * share // 256 < len(strings) and rest < 2 * (len(strings) + len(table)):
            rest += 1
        if rest * share // 256 == len(strings):
            return bytes([0, share]) + strings + table.ljust(rest - len(strings), b"\0")
    return bytes([0, 0]) + table


def add_executables(corpus, work):
    (work / "a.cpp").write_text(SOURCE)
    for i, options in enumerate(BUILDS):
        elf = work / f"a{i}.so"
        subprocess.run(["clang++", "-shared", "-nostdlib", "-fPIC", "-fxray-instrument",
                        "-fxray-instruction-threshold=1", "-fno-exceptions", "-fno-asynchronous-unwind-tables",
                        "-Wl,--hash-style=gnu,-z,noseparate-code,-z,max-page-size=256", *options,
                        "a.cpp", "-o", elf.name], cwd=work, check=True)
        corpus.add("xray_functions", elf.read_bytes())
        corpus.add("cacheray_members", elf.read_bytes())
        if "-gz" in options:
            continue
        table = section(elf, ".debug_line", work / f"line{i}")
        strings = section(elf, ".debug_line_str", work / f"str{i}")
        if table:
            corpus.add("xray_lines", line_seed(table, strings))
    for name in ("orders.elf", "falseshare.elf"):
        corpus.add("cacheray_members", (CAPTURES / "cacheray" / name).read_bytes())


def pdu(protocol, numbers, record, fault=b""):
    """A record as an exported PDU (common/exported.h)."""
    name = protocol.encode() + b"\0" * (-len(protocol) % 4)
    texts = b"".join(struct.pack("<H", len(t)) + t for t in (b"1/2", b"", fault))
    number = {"xray": 0, "cacheray": 2, "ovni": 3}[protocol]
    context = b"WTrc" + struct.pack("<BBHH", 1, number, len(numbers), len(texts))
    return struct.pack(">HH", 12, len(name)) + name + bytes(4) + context + numbers + texts + record


def add_exported(corpus):
    def common(kind, record):
        return struct.pack("<BBIQQQIQ", kind, 0, 1, 64, len(record), 16, 0, 5)

    event = b"\x0bOAs" + struct.pack("<QIQ", 1000, 3, 7)
    function, metadata, header = bytes(8), b"\x0b" + bytes(15) + b"text", b"\5\0\1\0\3" + bytes(27)
    for kind, record in ((1, function), (21, metadata), (0, header), (254, function[:5])):
        numbers = common(kind, record) + struct.pack("<QQIIIHHHBB", 9, 10**9, 1, 2, 0, 5, 1, 3, 15, 1)
        corpus.add("exported", pdu("xray", numbers, record, b"FAULT_XRAY_ORDER"))
    for kind, record in ((0, b"\0" + bytes(17)), (2, b"\2" + bytes(20) + b"\10\0\0\0\1\0\0\0\1\0\0\0n")):
        corpus.add("exported", pdu("cacheray", common(kind, record) + struct.pack("<QB", 1, 0), record))
    for kind, record in ((1, event), (0, b"ovni\1\0\0\0"), (3, METADATA[0].encode()), (255, event)):
        numbers = common(kind, record) + struct.pack("<qiiiiBB", -5, 1, 2, 3, 4, 5, 31)
        corpus.add("exported", pdu("ovni", numbers, record))


def main():
    out = Path(sys.argv[1]) if len(sys.argv) == 2 and not sys.argv[1].startswith("-") else sys.exit(__doc__)
    shutil.rmtree(out, ignore_errors=True)
    corpus = Corpus(out)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run([sys.executable, HERE.parent / "bad" / "make.py", work / "bad"], check=True)
        for path in sorted([*CAPTURES.rglob("*"), *work.rglob("*")]):
            if path.is_file():
                corpus.add_file(path)
        for folder in [*(CAPTURES / "ovni").iterdir(), *(work / "bad").iterdir()]:
            for seed in (trace_seed(folder, opened) for opened in range(4) if folder.is_dir()):
                if seed:
                    corpus.add("ovni_trace", seed)
        add_executables(corpus, work)
    add_exported(corpus)
    for target, texts in {"demangle": SYMBOLS, "ovni_metadata": METADATA, "cacheray_caches": CACHES,
                          "ovni_paths": PATHS, "ovni_clocks": CLOCKS}.items():
        for text in texts:
            corpus.add(target, text.encode())
    for target in ("calls", "cacheray_analysis"):
        for i in range(16):
            corpus.add(target, b"".join(hashlib.sha256(b"%d %d" % (i, k)).digest() for k in range(4 * i + 1)))


main()
