#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What Cacheray's recorder is to the programs that it is linked with: they must end and print as without it, no file but its own may change,
and no record may be missing, or be there twice.

usage: cacheray_recorder.py [--build DIR] guest|memory|linking|cross|narrow [--runs N]

guest    programs that close descriptors, fork, exec, cancel threads, jump out of handlers, are ended by signals, load libraries, meet limits
memory   allocations: their ends, their places, types, copies
linking  how programs are linked: with functions of the same names, statically, with libraries that are loaded again; the recorder itself with a
         sanitizer
cross    programs for aarch64, in an emulator
narrow   programs of 32 bits
--runs   how often the programs run whose threads meet by chance (3)
Each with every compiler that is installed. The traces are read here, by code of its own.
"""
import collections
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import arguments, require, skip  # noqa: E402
import recorders  # noqa: E402
from recorders import RECORDERS, SOURCES, STRICT, build, compilers, must, plus  # noqa: E402

TABLE = 4096  # elements of the tables of guest.c
Record = collections.namedtuple("Record", "kind address size thread flags name", defaults=(0, ""))


def read_accesses(data, at, rest, records, start, end, pointer):
    """Accesses from a position on, some thousands at a time; returns where they end. Those of size 0 have not happened."""
    layout = struct.Struct(f"<B{pointer}BQ")
    whole = min((rest - at + layout.size - 1) // layout.size, 4096)
    block = memoryview(data)[at:at + layout.size * min(whole, (len(data) - at) // layout.size)]
    for n, (tag, address, size, thread) in enumerate(layout.iter_unpack(block)):
        if tag & 0x3f > 1:
            return at + layout.size * n
        if size and start <= address < end:
            records.append(Record("RW"[tag & 0x3f], address, size, thread, tag & 0xc0))
    require(len(block) > 0, "an access is cut at", at)
    return at + len(block)


def read_trace(path, start=0, end=1 << 64, pointer="Q"):
    """The records of a trace, of accesses those from `start` to `end`, and the zeros at its end; nothing else may be in it."""
    data, at, records = path.read_bytes(), 0, []
    add, remove = struct.Struct(f"<B{pointer}QIII"), struct.Struct(f"<B{pointer}Q")
    rest = len(data.rstrip(b"\0"))
    while at < rest:
        if data[at] & 0x3f < 2:
            at = read_accesses(data, at, rest, records, start, end, pointer)
        elif data[at] == 2:
            _, address, thread, size, count, length = add.unpack_from(data, at)
            at += add.size + length
            records.append(Record("add", address, size * count, thread, 0, data[at - length:at].decode("utf-8")))
        else:
            require(data[at] == 3, path, "has garbage at", at)
            _, address, thread = remove.unpack_from(data, at)
            records.append(Record("remove", address, 0, thread))
            at += remove.size
    require(at <= len(data) < at + (1 << 23), path, "ends inside of a record, or has many zeros:", len(data), at)
    return records


class Program:
    """A program with the recorder, and the same without."""

    def __init__(self, compiler, folder, source, *options, link=(), recorder=None, emulator=(), libraries=("-lpthread", "-ldl")):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.name, self.emulator = folder, source.stem, emulator
        self.pointer = "I" if "-m32" in options or struct.calcsize("P") == 4 else "Q"
        self.path, self.plain = folder / self.name, folder / "plain" / self.name
        self.plain.parent.mkdir(exist_ok=True)
        command = plus(compiler) if source.suffix == ".cpp" else compiler
        words = ["-g", *options, f"-I{RECORDERS}", source]
        must(command, "-fsanitize=thread", *words, "-c", "-o", folder / f"{self.name}.o")
        must(command, *(link or ("-no-pie", "-rdynamic")), folder / f"{self.name}.o", recorder or recorders.recorder(compiler, "cacheray"), *libraries, "-o", self.path)
        must(command, *(word for word in words if word != "-DINTERFACE"), "-o", self.plain, "-lpthread", "-ldl")
        symbols = subprocess.run(["nm", "-S", self.path], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        self.symbols = {line.split()[3]: (int(line.split()[0], 16), int(line.split()[1], 16)) for line in symbols.splitlines()
                        if len(line.split()) == 4}

    def clean(self):
        for left in [*self.folder.glob(f"{self.name}.trace*"), self.folder / "user-data.txt"]:
            left.unlink(missing_ok=True)

    def run(self, path, *words, settings="", before=None):
        done = subprocess.run([*self.emulator, path, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120,
                              check=False, env={**os.environ, "WIRETRACE_RECORD": settings}, preexec_fn=before)
        data = self.folder / "user-data.txt"
        return done.returncode, done.stdout, data.read_text() if data.exists() else None, done.stderr

    def both(self, *words, settings="", before=None):
        """Both end alike, print alike and write alike. Returns what the recorder prints."""
        ends = []
        for path in self.plain, self.path:
            self.clean()
            ends.append(self.run(path, *words, settings=settings, before=before))
        without, recorded = ends
        require(without[:3] == recorded[:3], self.path, words, "does", recorded, "instead of", without)
        known = {self.name, f"{self.name}.o", "recorder.o", "plain", "user-data.txt", "plugin.so", "plugin.o", "alpha.so", "beta.so"}
        others = [path.name for path in self.folder.iterdir() if path.name not in known and ".trace" not in path.name]
        require(not others, self.path, words, "writes", others)
        return recorded[3]

    def traces(self):
        return sorted(path for path in self.folder.glob(f"{self.name}.trace*") if not path.name.endswith(".objects"))

    def records(self, *within):
        traces = self.traces()
        require(len(traces) == 1 and traces[0].name == f"{self.name}.trace", self.path, "writes", traces)
        return read_trace(traces[0], *within, pointer=self.pointer)

    def of(self, records, symbol):
        address, size = self.symbols[symbol]
        return [r for r in records if r.kind in "RW" and address <= r.address < address + size]

    def writes(self, records, symbol="table"):
        return sum(r.kind == "W" for r in self.of(records, symbol))

    def filled(self, times, *words):
        """The program has filled its table so often."""
        address, size = self.symbols["table"]
        wrote = self.writes(self.records(address, address + size))
        require(wrote == times * TABLE, self.path, words, "writes", wrote)


def require_whole_rounds(program, records, *words):
    """The last round of writes may be cut, but none is missing, and none is there twice."""
    address, _ = program.symbols["table"]
    elements = [(r.address - address) // 4 for r in program.of(records, "table") if r.kind == "W"]
    require(elements == [i % TABLE for i in range(len(elements))] and len(elements) >= TABLE, program.path, words, "misses records:", len(elements))


# --- guest -------------------------------------------------------------------------------------------------------------
def test_guest(scratch, runs):
    for compiler in compilers():
        p = Program(compiler, scratch / compiler, SOURCES / "guest.c", "-O1")
        must(compiler, "-shared", "-fPIC", SOURCES / "plugin.c", "-o", p.folder / "plugin.so")
        check_descriptors(p)
        check_processes(p)
        check_signals(p)
        check_threads(p, runs)
        check_limits(p)
        check_disks(p)
    print("guests of", ", ".join(compilers()))


def check_descriptors(p):
    for word, wanted in ("", 120), ("unlinked", None):
        text = p.both("close-all", word)
        if wanted:
            p.filled(wanted, word)
        else:  # nobody can find the trace any more: what is left out is counted
            require(re.search(r"guest\.trace: the trace has the first \d+ records: \d+ more were left out: Bad file descriptor", text), text)
    text = p.both("take-stderr")
    require(text == "" and p.writes(p.records()) == TABLE, p.path, text)
    for word in "", "closed":
        p.both("leave-folder", word)
        p.filled(41, word)


def check_processes(p):
    for word, wanted in ("fork", 2), ("vfork", 2), ("exec", 1):
        for settings in "", "file=guest.trace":
            text = p.both("run-again", word, settings=settings)
            first, second = p.traces()
            require(re.search(rf"{first.name} is there already: this process records into {second.name}\n", text), text)
            require(re.fullmatch(r"guest\.trace\.\d+", second.name), second)
            require(p.writes(read_trace(first)) == wanted * TABLE and p.writes(read_trace(second), "other") == 3 * TABLE, p.path, word)
    check_shared_name(p)
    for word in "fork", "_Fork", "clone":
        p.both("make-child", word)
        require((p.writes(p.records()), p.writes(p.records(), "other")) == (21 * TABLE, 0), p.path, word)
    for there in "a user's file", "":
        p.clean()
        (p.folder / "guest.trace").write_text(there)
        code, _, _, text = p.run(p.path, "fill-other")
        first, second = p.traces()
        require(code == 0 and first.read_text() == there and "is there already" in text, text)
        require(p.writes(read_trace(second), "other") == 3 * TABLE, second)


def check_shared_name(p):
    """Processes that record at the same time, and are given the same name: a parent and its children, and some that do not know each other."""
    p.both("run-along", settings="file=guest.trace")
    wrote = [[p.writes(read_trace(trace), symbol) for symbol in ("table", "other")] for trace in p.traces()]
    require(wrote == [[41 * TABLE, 0], *[[0, 3 * TABLE]] * 3], p.path, "writes", wrote)
    p.clean()
    several = [subprocess.Popen([p.path, "fill-other"], cwd=p.folder, stderr=subprocess.DEVNULL, env={**os.environ, "WIRETRACE_RECORD": "file=guest.trace"})
               for _ in range(6)]
    require([one.wait(60) for one in several] == [0] * 6, p.path, "fails")
    names = {trace.name for trace in p.traces()}
    ends = {"", *(f".{one.pid}" for one in several)}
    require(len(names) == 6 and "guest.trace" in names and names <= {f"guest.trace{end}" for end in ends}, p.path, "writes", names)
    require(all(p.writes(read_trace(trace), "other") == 3 * TABLE for trace in p.traces()), p.path, "shares a trace")


def check_signals(p):
    p.both("show-handlers")
    for word in ["abort", "trap", "null", "quick_exit", "_exit", *(str(int(s)) for s in (
            signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2,
            signal.SIGXCPU, signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT))]:
        p.both("die", word)
        p.filled(1, word)
    p.both("die-of-depth")
    p.filled(1)
    for microseconds in range(0, 500, 50):
        p.both("exit-in-handler", str(microseconds))
        require_whole_rounds(p, p.records(), microseconds)
    p.both("jump-out")
    p.filled(1)


def check_threads(p, runs):
    for i in range(15):
        text = p.both("exit-early", str(40000 + 700 * i))
        require("left out" not in text, p.path, text)
    p.filled(1)
    for i in range(runs):
        p.both("cancel", str(90 + i))
        p.filled(1)
        p.both("cancel", str(-90 - i))
        p.filled(1)
        p.both("load-libraries", "300")
        p.filled(1)
        p.both("order")
        check_order(p, p.records())
    p.both("count-wide")
    p.filled(1)
    p.both("contend")
    records = p.records()
    require(all(sum(r.kind == "W" and r.thread == n and r.size == 8 for r in records) >= 200000 for n in (1, 2)), p.path, "loses increments")


def check_order(p, records):
    """What a thread writes right after it has got a number shows in which order the numbers were given: that of the records of the counter.
    The elements that are written with the mutex are in the order in which it was taken."""
    counter, _ = p.symbols["counter"]
    seen, _ = p.symbols["seen"]
    owners = {(r.address - seen) // 8: r.thread for r in p.of(records, "seen") if r.kind == "W"}
    given = [r.thread for r in records if r.kind == "W" and r.address == counter and r.flags & 0x40]
    require(len(given) == 40000 == len(owners), p.path, len(given), len(owners))
    wrong = sum(owners[n] != thread for n, thread in enumerate(given))
    require(wrong == 0, p.path, "has", wrong, "atomic operations out of order")
    elements = [(r.address - p.symbols["table"][0]) // 4 for r in p.of(records, "table") if r.kind == "W" and r.size == 8]
    require(elements == [n % TABLE // 2 * 2 for n in range(40000)], p.path, "has accesses with a mutex out of order")


def check_limits(p):
    for bytes_, whole in (1 << 30, True), (1000000, False), (2500000, False), (4096, False):
        text = p.both("limit-files", str(bytes_))
        records = p.records()
        require((p.writes(records) == 40 * TABLE) == whole, p.path, bytes_, len(records))
        require(whole != ("were left out: File too large" in text), bytes_, text)
    require(p.both("limit-memory", before=limit_memory) != "" and p.writes(p.records()) == TABLE, p.path)
    for word in "", "prlimit", "child":
        p.both("limit-own-memory", word)
        p.filled(40, word)
    for limit, records in ("0.005", 5000), ("0", None), ("0.000001", 1):
        text = p.both("leave-folder", settings=f"limit={limit}")
        require(len(p.records()) == records or not records, p.path, limit, len(p.records()))
        require((f"(limit={limit} in WIRETRACE_RECORD)" in text) == bool(records), text)
        require(("more were left out" in (p.folder / "guest.trace.objects").read_text()) == bool(records), limit)
    for wrong in "limit=abc", "limit=-1", "limit=1e3", "limit=", "heap=0.5", "frames=x":
        p.clean()
        code, _, _, text = p.run(p.path, "fill-other", settings=wrong)
        require(code == 2 and "number, not" in text and not p.traces(), wrong, code, text)
    if os.geteuid() == 0:
        for word in "", "0", "65536", "7000000":
            p.both("lock-memory", word)
            p.filled(241, word)
        for word in "", "closed":  # a descriptor is what it needs there
            text = p.both("leave-root", word)
            wrote = p.writes(p.records())
            require(wrote == 41 * TABLE or word and "were left out: Bad file descriptor" in text, p.path, word, wrote, text)


@contextlib.contextmanager
def mounted(*options):
    """A folder that is a file system of its own; None where nothing can be mounted."""
    with tempfile.TemporaryDirectory() as folder:
        done = os.geteuid() == 0 and build("mount", *options, folder) is None
        try:
            yield Path(folder) if done else None
        finally:
            if done:
                must("umount", folder)


def check_disks(p):
    """Disks that become full: the trace ends with a whole record, and the program goes on. btrfs takes room when mapped memory is written."""
    image = p.folder.parent / "btrfs.image"
    disks = [("-t", "tmpfs", "-o", "size=20M", "none")]
    if shutil.which("mkfs.btrfs"):
        with image.open("wb") as file:
            file.truncate(140 << 20)
        must("mkfs.btrfs", "-q", "-f", image)
        disks.append(("-o", "loop", image))
    for options in disks:
        with mounted(*options) as folder:
            trace = folder / "guest.trace" if folder else None
            text = p.both("fill-disk", settings=f"file={trace}") if trace else ""
            wrote = p.writes(read_trace(trace)) if trace else 500001
            require(not trace or "were left out: No space left on device" in text, text)
            require(500000 < wrote < 1000 * TABLE, p.path, options, wrote)


def limit_memory():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


# --- memory ------------------------------------------------------------------------------------------------------------
def typed(records):
    """For each access the name of the newest region around it that has not ended."""
    regions, found = [], []
    for r in records:
        if r.kind == "add":
            regions.append(r)
        elif r.kind == "remove" and r.address:  # 0: nothing is removed
            index = max((i for i, region in enumerate(regions) if region.address == r.address), default=None)
            require(index is not None, "nothing begins at", hex(r.address))
            del regions[index]
        elif r.kind in "RW":
            name = next((x.name for x in reversed(regions) if x.address <= r.address < x.address + x.size), "")
            found.append((r, name))
    return found


def count_typed(records, name, kind="W"):
    return sum(r.kind == kind and what == name for r, what in typed(records))


def test_memory(scratch, _):
    for compiler in compilers():
        for option in "-O0", "-O2":
            p = Program(compiler, scratch / compiler / option, SOURCES / "guest.c", option)
            check_heap(p)
            check_places(Program(compiler, scratch / compiler / option, SOURCES / "guest.cpp", option), option)
        for options in ("-O1",), ("-O1", "-D_FORTIFY_SOURCE=2"):
            check_copies(Program(compiler, scratch / compiler / "copies", SOURCES / "guest.c", *options, *libcalls(compiler)))
    print("memory of", ", ".join(compilers()))


def libcalls(compiler):
    """gcc copies small amounts with instructions of its own, which nothing sees."""
    return ["-mmemcpy-strategy=libcall:-1:noalign", "-mmemset-strategy=libcall:-1:noalign"] if compiler == "gcc" and is_x86() else []


def is_x86():
    return os.uname().machine in ("x86_64", "i686")


def check_heap(p):
    for settings in "", "heap=0":
        p.both("ask-for-memory", settings=settings)
        require(p.writes(p.records()) == TABLE and not [r for r, name in typed(p.records()) if name.startswith("struct")], p.path)
        p.both("have-types", settings=settings)
        records = p.records()
        for name, wanted in ("struct.plain", 4), ("struct.flexible", 1):
            require(count_typed(records, name) == wanted, p.path, settings, "writes", name, count_typed(records, name))
        others = collections.Counter(name.split()[0] for r, name in typed(records) if r.kind == "W" and name[:6] in ("malloc", "reallo"))
        require(others == ({"malloc": 5} if settings == "" else {}), p.path, settings, "writes", others)
        large = [r for r in records if r.kind == "add" and r.name.startswith("calloc") and r.size >= 5000000000]
        require(len(large) == (settings == ""), p.path, settings, large)


def check_places(p, option):
    p.both()
    records = p.records()
    names = [r.name for r in records if r.kind == "add"]
    for function in "load_prices", "load_volumes":
        require(any(re.match(rf"new in _Z\d+{function}R5books\+0x[0-9a-f]+", name) for name in names), p.path, function, sorted(set(names)))
    require(not any(re.search("_ZNSt|__gnu_cxx|allocator", name.split(" < ")[0]) for name in names), p.path, sorted(set(names)))
    require(any(name.startswith("malloc in main+") for name in names), p.path, sorted(set(names)))  # strdup()
    for name in "T" if option == "-O0" else "":  # the macro is in a template: types are written as they are there
        require(count_typed(records, name) == 20, p.path, name, count_typed(records, name))


def check_copies(p):
    """Each byte that is copied or filled is recorded, in the order of the operations."""
    p.both("copy-memory")
    records = p.records()
    (start, _), operations = p.symbols["to"], []
    for r in p.of(records, "to"):
        if r.kind == "W":
            operations += range(r.address - start, r.address - start + r.size)
    require(operations == [size % 7 + i for size in range(300) for i in range(size)], p.path, "copies", len(operations), "bytes")
    require([(r.size, r.flags) for r in p.of(records, "other")] == [(4, 0x80)], p.path, "an unaligned write is", p.of(records, "other"))
    read = sum(r.size for r in p.of(records, "from"))
    require(read == sum(range(0, 300, 3)), p.path, "reads", read)


# --- linking -----------------------------------------------------------------------------------------------------------
STATIC = "-no-pie", "-rdynamic", "-static-libstdc++"


def test_linking(scratch, _):
    for compiler in compilers():
        folder = scratch / compiler
        for n, (options, link) in enumerate((((), ()), (("-DOWN_NEW",), ()), (("-DINTERFACE",), ()), (("-fPIE",), ("-pie", "-rdynamic")),
                                             ((), STATIC), (("-DOWN_NEW",), STATIC), ((), ("-no-pie",)))):
            p = Program(compiler, folder / str(n), SOURCES / "guest.cpp", "-O1", *options, link=link)
            p.both()
            require(sum(name == "T" for r, name in typed(p.records())) >= 20, p.path, options, link)
        p = Program(compiler, folder / "static", SOURCES / "guest.c", "-O1", link=("-static",))
        for words in ("fill-other",), ("ask-for-memory",), ("copy-memory",), ("order",):
            p.both(*words)
            require(p.of(p.records(), "other" if words[0] == "fill-other" else "table"), p.path, words)
        check_libraries(compiler, folder / "libraries")
        check_undefined(compiler, folder / "undefined")
        check_link_time(compiler, folder / "link-time")
        wrong = build(compiler, "-fsanitize=thread", "-c", RECORDERS / "cacheray.c", "-o", folder / "wrong.o")
        require("Compile the recorder without -fsanitize=thread" in wrong, wrong)
    print("linked by", ", ".join(compilers()))


def check_undefined(compiler, folder):
    """The recorder does nothing that is undefined."""
    folder.mkdir(parents=True)
    must(compiler, "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-c", RECORDERS / "cacheray.c", "-o", folder / "recorder.o")
    p = Program(compiler, folder, SOURCES / "guest.c", "-O1", link=("-no-pie", "-rdynamic", "-fsanitize=undefined"), recorder=folder / "recorder.o")
    for words in ("close-all",), ("order",), ("have-types",), ("ask-for-memory",), ("copy-memory",), ("limit-files", "1000000"), ("cancel", "9"):
        p.both(*words)


def check_link_time(compiler, folder):
    """Programs that are optimised when they are linked. There gcc instruments as late as that, also a recorder that is: that one cannot be."""
    folder.mkdir(parents=True)
    recorder, link, libraries = None, ("-flto", "-O1", "-no-pie", "-rdynamic"), ("-lc", "-lgcc_s", "-lgcc")
    if compiler == "gcc":
        p = Program(compiler, folder, SOURCES / "guest.c", "-O1", "-flto", link=link)
        require("no access was recorded: compile with -fsanitize=thread, with -flto and gcc link with it, too" in p.both("fill-other"), p.path)
        link = (*link, "-fsanitize=thread", "-nodefaultlibs")
    else:
        recorder = folder / "recorder.o"
        must(compiler, "-O2", "-flto", "-c", RECORDERS / "cacheray.c", "-o", recorder)
    p = Program(compiler, folder, SOURCES / "guest.c", "-O1", "-flto", link=link, recorder=recorder, libraries=libraries)
    for words, wanted in (("close-all",), 120), (("die", "9"), 1), (("jump-out",), 1), (("count-wide",), 1), (("lock-memory",), 241):
        p.both(*words)
        p.filled(wanted, words)
    p.both("order")
    check_order(p, p.records())
    check_heap(p)


def check_libraries(compiler, folder):
    """Libraries of which the second is loaded where the first was; what instrumented ones fill is recorded."""
    p = Program(compiler, folder, SOURCES / "guest.c", "-O1")
    for instrumented in True, False:
        for name in "alpha", "beta":
            library, flags = folder / f"{name}.so", ["-fsanitize=thread"] * instrumented
            must(compiler, "-g", "-O1", "-fPIC", f"-DNAME={name}", *flags, SOURCES / "plugin.c", "-c", "-o", folder / "plugin.o")
            must(compiler, "-shared", "-nostdlib", "-Wl,--build-id=sha1", folder / "plugin.o", "-o", library)
        p.clean()
        require(p.run(p.path, "reload")[0] == 0, p.path, "cannot load them")
        records = p.records()
        names = {r.name for r in records if r.kind == "add"}
        for name in "alpha", "beta":
            require(any(re.match(rf"malloc in {name}_allocate\+0x", one) for one in names) or not instrumented, p.path, names)
        filled = sum(r.size for r in records if r.kind == "W" and r.size == 16)
        require(filled == (96 if instrumented else 0), p.path, "fills", filled)
        lines = (folder / "guest.trace.objects").read_text().splitlines()
        require(lines[0] == "# objects 1" and [line.split()[0] for line in lines[1:]] == [str(n) for n in range(len(lines) - 1)], lines)
        listed = [line.split(" ", 3) for line in lines[1:]]
        require(listed[0][3] == str(p.path) and listed[0][1] == "0x0", lines)
        for name in "alpha", "beta":
            identity = re.search(r"Build ID: (\w+)", subprocess.run(["readelf", "-n", folder / f"{name}.so"], stdout=subprocess.PIPE, encoding="utf-8",
                                                                   check=True).stdout)[1]
            require([one for one in listed if one[2] == identity and one[3].endswith(f"/{name}.so")], identity, lines)


# --- other processors ---------------------------------------------------------------------------------------------------
def test_cross(scratch, _):
    """The emulator keeps a table of all addresses: few are reserved. A child of fork() records there, too."""
    compiler, emulator = "aarch64-linux-gnu-gcc", "qemu-aarch64"
    if not shutil.which(compiler) or not shutil.which(emulator):
        skip(compiler, "or", emulator, "is not installed")
    p = Program(compiler, scratch, SOURCES / "guest.c", "-O1", emulator=(emulator, "-L", "/usr/aarch64-linux-gnu"))
    for words, wanted in (("close-all",), 120), (("die", "15"), 1), (("jump-out",), 1), (("cancel", "9"), 1), (("count-wide",), 1), \
            (("ask-for-memory",), 1):
        p.both(*words, before=limit_addresses)
        p.filled(wanted, words)
    p.both("order", before=limit_addresses)
    check_order(p, p.records())
    p.both("have-types", before=limit_addresses)
    require(count_typed(p.records(), "struct.plain") == 4, p.path, "types")
    print("recorded in", emulator)


def test_narrow(scratch, _):
    """clang has no -fsanitize=thread for these."""
    if build("gcc", "-m32", "-shared", SOURCES / "plugin.c", "-o", scratch / "plugin.so"):
        skip("gcc makes no programs of 32 bits here")
    recorder = recorders.recorder("gcc", "cacheray", "-m32")
    p = Program("gcc", scratch / "narrow", SOURCES / "guest.c", "-O1", "-m32", link=("-m32", "-no-pie", "-rdynamic"), recorder=recorder)
    for words, wanted in (("close-all",), 120), (("die", "15"), 1), (("die-of-depth",), 1), (("make-child", "fork"), 21), (("jump-out",), 1), \
            (("cancel", "9"), 1), (("cancel", "-9"), 1), (("ask-for-memory",), 1), (("have-types",), 1):
        p.both(*words)
        p.filled(wanted, *words)
    require(count_typed(p.records(), "struct.plain") == 4, p.path, "types")
    print("recorded with 32 bits")


def limit_addresses():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (64 << 30, 64 << 30))


def main():
    chosen = arguments(__doc__, what={"choices": ["guest", "memory", "linking", "cross", "narrow"]}, __runs={"type": int, "default": 3})
    with tempfile.TemporaryDirectory() as scratch:
        globals()[f"test_{chosen.what}"](Path(scratch), chosen.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
