# SPDX-License-Identifier: GPL-2.0-or-later
"""Large traces for measurements, similar to those of programs: threads with nested calls, loops over objects, states of
tasks."""
import random
import struct
from itertools import accumulate
from pathlib import Path

CHUNK = 1 << 20
XRAY_FREQUENCY = 2_596_120_000
XRAY_BUFFER_RECORDS = 8000
XRAY_PATTERN = 100_000  # function records until a thread's calls repeat
USER0 = 147


class Writer:
    """Collects small pieces into large writes."""

    def __init__(self, path):
        self.file, self.pieces, self.length = open(path, "wb"), [], 0

    def add(self, piece):
        self.pieces.append(piece)
        self.length += len(piece)
        if self.length > CHUNK:
            self.flush()

    def flush(self):
        self.file.write(b"".join(self.pieces))
        self.pieces, self.length = [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.flush()
        self.file.close()


# --- XRay -------------------------------------------------------------------------------------------------------------
def xray_pattern(seed, few):
    """Calls, as a random walk in depth that ends at depth 0; and the ticks before each record. Any function calls any other, so
    that most stacks occur once; or, few, each calls the same two, which makes 510 stacks."""
    choice, stack, words, deltas = random.Random(seed), [], [], []
    deepest = 8 if few else 40
    while len(words) < XRAY_PATTERN:
        left = XRAY_PATTERN - len(words)
        deeper = len(stack) < min(deepest, left - 1) and (not stack or choice.random() < 0.52 - len(stack) / 200)
        if deeper:
            stack.append(2 * (stack[-1] if stack else 0) + choice.randrange(1, 3) if few else choice.randrange(1, 400))
            words.append(stack[-1] << 4)
        else:
            words.append(1 << 1 | stack.pop() << 4)
        deltas.append(int(choice.expovariate(1 / 150)) + 40)
    return b"".join(struct.pack("<II", *pair) for pair in zip(words, deltas)), [0, *accumulate(deltas)]


def xray_buffers(thread, records, size, few):
    """Buffers of one thread. The first record of a buffer counts from the CPU record before it."""
    data, clock = xray_pattern(thread, few)
    begin = 10**12 + thread * 1000
    for at in range(0, records, size):
        count, body, first = min(size, records - at), b"", at % XRAY_PATTERN
        tsc = begin + at // XRAY_PATTERN * clock[-1] + clock[first]
        head = struct.pack("<Bi11x", 1, 1000 + thread) + struct.pack("<BQI3x", 4 << 1 | 1, tsc // XRAY_FREQUENCY, 0)
        head += struct.pack("<Bi11x", 9 << 1 | 1, 1000) + struct.pack("<BHQ5x", 2 << 1 | 1, thread, tsc)
        while count > 0:
            part = min(count, XRAY_PATTERN - first)
            body += data[8 * first:8 * (first + part)]
            count, first = count - part, 0
        yield struct.pack("<BQ7x", 7 << 1 | 1, len(head) + len(body)) + head + body


def make_xray(path, records, threads=4, size=XRAY_BUFFER_RECORDS, few=False):
    """A flight data recorder log, version 5: `records` function records of several threads with alternating buffers; few: of stacks."""
    with Writer(path) as out:
        out.add(struct.pack("<HHIQQ8x", 5, 1, 3, XRAY_FREQUENCY, 8 * size + 80))
        for turn in zip(*(xray_buffers(thread, records // threads, size, few) for thread in range(threads))):
            for buffer in turn:
                out.add(buffer)


# --- Cacheray ---------------------------------------------------------------------------------------------------------
def make_cacheray(path, records, scattered=False):
    """Two threads that walk through arrays of annotated objects, member by member; or, scattered, anywhere in them."""
    choice, access = random.Random(1), struct.Struct("<BQBQ")
    regions = [0x7F0000000000 + number * 0x10000 for number in range(64)]
    with Writer(path) as out:
        for begin in regions:
            out.add(struct.pack("<BQQIII", 2, begin, 1, 48, 1000, 10) + b"struct.row")
        if scattered:
            block = b"".join(access.pack(choice.random() < 0.3, choice.choice(regions) + 8 * choice.randrange(6000), 8,
                                         1 + choice.randrange(2)) for _ in range(200_000))
        else:
            block = b"".join(access.pack(at % 4 == 3, regions[at // 4000 % 64] + 48 * (at // 4 % 1000) + 8 * (at % 4), 8,
                                         1 + at // 4000 % 2) for at in range(256_000))
        count = len(block) // access.size
        for at in range(0, records, count):
            out.add(block[:access.size * min(count, records - at)])


# --- ovni -------------------------------------------------------------------------------------------------------------
OVNI_METADATA = """{{"version": 3, "ovni": {{"lib": {{"version": "1.11.0", "commit": "none"}}, "part": "thread",
 "tid": {tid}, "pid": {pid}, "loom": "{loom}", "app_id": 1,
 "require": {{"ovni": "1.1.0", "nosv": "2.4.0"}}, "loom_cpus": [{{"index": 0, "phyid": 0}}], "finished": 1}}}}
"""
OVNI_LOOP = [b"VS[", b"VAs", b"VAS", b"VS]", b"VTx", b"VU[", b"VU]", b"VTe"]  # a task runs in every iteration


def ovni_events(count, start, step):
    """Events that begin and end subsystems and run tasks; every fourth has a payload of 8 bytes."""
    head, tail = struct.Struct("<B3sQ"), struct.pack("<II", 1, 0)
    for at in range(count):
        code = OVNI_LOOP[at % len(OVNI_LOOP)]
        task = code[1:2] == b"T"
        yield head.pack(7 if task else 0, code, start + at * step) + (tail if task else b"")


def make_ovni_stream(path, events, start=10**12, step=1000):
    with Writer(path) as out:
        out.add(b"ovni" + struct.pack("<I", 1))
        out.add(struct.pack("<B3sQiiQ", 15, b"OHx", start - 2, 0, -1, 0))
        out.add(struct.pack("<B3sQII5s", 16, b"VYc", start - 1, 9, 1, b"task"))
        out.add(struct.pack("<B3sQII", 7, b"VTc", start - 1, 1, 1))
        for event in ovni_events(events, start, step):
            out.add(event)
        out.add(struct.pack("<B3sQ", 0, b"OHe", start + events * step))


def make_ovni(folder, events, streams):
    """A trace of two nodes whose streams interleave event by event; returns the path of one of its metadata files. ovniemu
    accepts it if there are no more than two streams, as those of a node share a CPU, and if iterations are whole."""
    for number in range(streams):
        node, tid = f"node{number % 2}", 1000 + number
        stream = Path(folder) / f"loom.{node}.0" / f"proc.{1000 + number % 2}" / f"thread.{tid}"
        stream.mkdir(parents=True)
        (stream / "stream.json").write_text(OVNI_METADATA.format(tid=tid, pid=1000 + number % 2, loom=f"{node}.0"))
        make_ovni_stream(stream / "stream.obs", events // streams, 10**12 + number, 1000 * streams)
    return stream / "stream.json"


def once(folder, make, *options):
    """Returns the folder; if it is new, makes its contents first."""
    if not folder.exists():
        make(folder, *options)
    return folder


# --- the floor --------------------------------------------------------------------------------------------------------
def block(kind, body):
    """A block of a pcapng file."""
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def make_pcapng(path, lengths):
    """The packets of make_pcap() on an interface with a name, as all our records have one."""
    def option(code, value):
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    with Writer(path) as out:
        out.add(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        out.add(block(1, struct.pack("<HHI", USER0, 0, 262144) + option(2, b"loom.node/thread.1") + option(0, b"")))
        for number, length in enumerate(lengths):
            time = 10**12 + number
            out.add(block(6, struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, length, length) +
                          b"\x11" * length + bytes(-length % 4)))


def make_pcap(path, lengths):
    """Packets of these lengths, a microsecond apart, of link-layer type USER0."""
    with Writer(path) as out:
        out.add(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, USER0))
        for number, length in enumerate(lengths):
            out.add(struct.pack("<IIII", 10**6 + number // 10**6, number % 10**6, length, length) + b"\x11" * length)
