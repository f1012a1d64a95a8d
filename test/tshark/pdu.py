#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records outside of their trace: exported as PDUs, written to pcapng, merged, and back to the native format.

usage: pdu.py [--build DIR] TEST [CAPTURE...]

  same CAPTURE     exported by tshark -U, and in the direct form through editcap: the same fields in one pass and in two
  merged CAPTURE   merged by time with a network capture, with all records of both; comments are kept
  native CAPTURE   from a merged file back to the trace's own format: the same bytes
  early CAPTURE    in the direct form, if it begins in the last second before 1970
  traces [FORMAT]  two traces in one file do not disturb each other's analysis
  hostile CAPTURE  contexts that are cut, changed or foreign: marked as malformed, and nothing crashes

  streams CAPTURE  a new stream with every packet: a limited number is distinguished, with a message

CAPTURE is a path below captures/, for a trace of many files its directory, or the name of a damaged case (test/bad).
What may differ is listed here: DIFFERENT.
"""
import contextlib
import os
import random
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import compare, direct_form, fields, formats, protocol_of, require, run, tshark  # noqa: E402

TAP = "Wiretrace"
# Fields that may differ: an export by tshark puts all records on a single interface that it makes up.
DIFFERENT = {"exported": {"frame.interface_name"}, "again": {"frame.interface_name"}, "direct": set()}
# pcapng has no times before 1970: such a record is at the beginning in the direct form, and at the end of all time if
# exported by tshark.
EARLY = {"exported": ("-", "18446744073."), "direct": ("-", "0.000000000"),
         "again": ("-", "0.000000000")}
PACKET_MAX = 262144  # maximum size of a packet in pcapng


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"]) as path:
        yield Path(path)


@contextlib.contextmanager
def opened(name):
    """The file to open for a capture or a damaged case."""
    if formats.capture(name).exists():
        yield check.entry(formats.capture(name))
        return
    with folder() as place:
        check.make.make(name, place)
        yield check.entry(place / name / check.expected(name)["open"])


def succeeded(result, what, cut=False):
    code, _, error = result
    require(code == 0 or (cut and "cut short" in error), what, "failed:", code, error)


def export(source, target, *options, cut=False):
    succeeded(run("tshark", "-r", source, "-U", TAP, "-w", target, *options), "tshark -U", cut)


def editcap(source, target, *options, direct=True):
    with direct_form() if direct else contextlib.nullcontext():
        succeeded(run("editcap", *options, source, target), "editcap")


def names_of(protocol):
    """All fields; those of the analysis are complete only in two passes."""
    raw = check.raw_fields(protocol)
    return raw, raw + fields(protocol, formats.formats()[protocol].ANALYSIS)


def timed(table, names, form):
    """The rows as pcapng can store them: without times before 1970."""
    rows = table.only(names)
    at = names.index("frame.time_epoch")
    for row in rows:
        if row[at].startswith(EARLY[form]):
            row[at] = "before 1970"
    return check.Table(names, rows, "ok").text()


def same_table(what, path, form, names, want, *options):
    kept = [n for n in names if n not in DIFFERENT[form]]
    got = tshark(path, kept, *options)
    require(got.verdict == "ok", what, got.verdict)
    compare(" ".join([what, *options]), timed(want, kept, form), timed(got, kept, form))


def same_raw(what, path, form, want, *options):
    same_table(what, path, form, want.names, want, *options)


def same_one_by_one(forms, want, place):
    """The same records in several files, one after the other in one. For the analysis they are one trace, so what it says in the
    columns is left out."""
    together = place / "together.pcapng"
    succeeded(run("mergecap", "-a", "-I", "none", "-w", together, *(place / file for _, file, _ in forms)), "mergecap")
    got = tshark(together, want.names)
    require(got.verdict == "ok" and len(got.rows) == len(forms) * len(want.rows), len(got.rows), "records in", len(forms), "files,", got.verdict)
    for number, (what, _, form) in enumerate(forms):
        rows = got.rows[number * len(want.rows):][:len(want.rows)]
        kept = [n for n in want.names if n not in {*DIFFERENT[form], *check.ADDRESSES, check.INFO}]
        compare(what, timed(want, kept, form), timed(check.Table(want.names, rows, "ok"), kept, form))


def wanted(name, path, protocol):
    raw, every = names_of(protocol)
    whole = formats.capture(name).exists()
    return (check.columns(check.shown(name), raw) if whole else tshark(path, raw)), tshark(path, every, "-2")


def test_same(name):
    protocol = protocol_of(name)
    with opened(name) as path, folder() as place:
        want = wanted(name, path, protocol)
        cut = want[0].verdict == "cut short"
        require(cut or want[0].verdict == "ok", want[0].verdict)
        export(path, place / "exported.pcapng", cut=cut)
        editcap(path, place / "direct.pcapng")
        export(place / "direct.pcapng", place / "again.pcapng")
        same_one_by_one([("exported", "exported.pcapng", "exported"), ("direct form", "direct.pcapng", "direct"),
                         ("exported again", "again.pcapng", "again")], want[0], place)
        same_table("exported", place / "exported.pcapng", "exported", want[1].names, want[1], "-2")
        same_table("direct form", place / "direct.pcapng", "direct", want[1].names, want[1], "-2")
        require(packets_of(place / "again.pcapng")[1] == packets_of(place / "exported.pcapng")[1], "exported again: other bytes")


def test_early(name):
    """A trace that begins in the last second before 1970: the direct form has its first records at the beginning of time. Wireshark 4.0
    shows their seconds, which are negative, followed by their nanoseconds, which are not."""
    names = ["frame.time_epoch", "frame.interface_name"]
    with folder() as place:
        shutil.copytree(formats.capture(name), place / "trace")
        path = check.entry(place / "trace")

        def moved(shift):
            formats.of(name).move(place / "trace", shift)
            return tshark(path, names).rows

        first = nanoseconds(moved(0)[0][0])
        for begin in (-10**9, -1):
            want = moved(begin - first)
            require(want[0][0].startswith("-1.") or want[0][0] == "-0.000000001", "begins at", want[0])
            editcap(path, place / "direct.pcapng")
            got = tshark(place / "direct.pcapng", names).rows
            want = [["0.000000000" if time.startswith("-") else time, name] for time, name in want]
            compare("direct form", *("\n".join(map(" ".join, rows)) for rows in (want, got)))


def net_capture(path, times):
    """A capture with UDP packets at these times (nanoseconds)."""
    payload = b"between the records"
    udp = struct.pack(">HHHH", 4000, 4001, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    packet, raw_ip = ip + udp, 101
    out = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, raw_ip)
    for t in times:
        out += struct.pack("<IIII", t // 10 ** 9, t % 10 ** 9, len(packet), len(packet)) + packet
    path.write_bytes(out)


def nanoseconds(text):
    seconds, fraction = text.split(".")
    return int(seconds) * 10 ** 9 + int(fraction)


def check_merged(merged, form, protocol, want, packets):
    """All packets and records are in order of time; the records are unchanged and in their own order."""
    names = ["frame.time_epoch", "udp.port"]
    times = [nanoseconds(t) for t in tshark(merged, names).column("frame.time_epoch")]
    require(times == sorted(times), "not in order of time")
    require(len(times) == len(want.rows) + packets, len(times), "packets instead of", len(want.rows) + packets)
    require(len(tshark(merged, names, "-Y", "udp.dstport == 4001").rows) == packets, "the network's packets are not there")
    same_raw(f"merged, {form}", merged, form, want, "-Y", protocol)


def test_merged(name):
    protocol = protocol_of(name)
    with opened(name) as path, folder() as place:
        want = tshark(path, names_of(protocol)[0])
        times = sorted({nanoseconds(t) for t in want.column("frame.time_epoch")})
        between = sorted({times[0], times[-1] + 1, *(t + 1 for t in times[::max(1, len(times) // 20)])})
        net_capture(place / "net.pcap", between)
        with direct_form():
            succeeded(run("mergecap", "-w", place / "direct.pcapng", path, place / "net.pcap"), "mergecap")
        check_merged(place / "direct.pcapng", "direct", protocol, want, len(between))
        check_processes(path, place / "direct.pcapng", protocol)
        export(path, place / "exported.pcapng")
        succeeded(run("mergecap", "-w", place / "merged.pcapng", place / "net.pcap", place / "exported.pcapng"), "mergecap")
        check_merged(place / "merged.pcapng", "exported", protocol, want, len(between))
        check_comments(path, place, protocol)


def check_processes(path, merged, protocol):
    """Process and thread are in the packets' own option from 4.6 on, and shown as Wireshark's own fields from 4.7 on."""
    names = [f"{protocol}.process", f"{protocol}.thread"]
    if check.wireshark_version() < (4, 6) or "process" not in formats.formats()[protocol].CONTEXT.split():
        return
    want = [tuple(int(value or 0) for value in row) for row in tshark(path, names).rows]
    want = [row if row[0] else (0, 0) for row in want]
    got = []
    for kind, block in blocks(merged.read_bytes()):
        at = 28 + (struct.unpack_from("=I", block, 20)[0] + 3) // 4 * 4
        if kind == 6 and b"between the records" not in block:
            got.append((0, 0))
            while at < len(block) - 4 and (option := struct.unpack_from("=HH", block, at))[0]:
                if option[0] == 8:
                    got[-1] = struct.unpack_from("=II", block, at + 4)
                at += 4 + (option[1] + 3) // 4 * 4
    require(got == want, "processes and threads in the file:", got[:3], "instead of", want[:3])
    if check.wireshark_version() >= (4, 7):
        for file in (path, merged):
            shown = tshark(file, ["frame.process.pid"], "-Y", protocol).column("frame.process.pid")
            require([int(value or 0) for value in shown] == [row[0] for row in want], "frame.process.pid of", file)


def test_native(name):
    """From a file that also has packets of a network, in both forms: reproduces the bytes of the trace."""
    protocol, kind = protocol_of(name), formats.file_type(name)
    with folder() as place:
        path = check.event_files(formats.capture(name))[0]
        net_capture(place / "net.pcap", [0, 3489 * 10 ** 9])
        export(path, place / "exported.pcapng")
        succeeded(run("mergecap", "-w", place / "one.pcapng", place / "net.pcap", place / "exported.pcapng"), "mergecap")
        with direct_form():
            succeeded(run("mergecap", "-w", place / "two.pcapng", path, place / "net.pcap"), "mergecap")
        for merged in ("one", "two"):
            back = place / f"{merged}.back"
            succeeded(run("tshark", "-r", place / f"{merged}.pcapng", "-Y", protocol, "-F", kind, "-w", back), "tshark -F")
            require(back.read_bytes() == path.read_bytes(), f"{merged}.pcapng back to {kind}: other bytes")


def check_comments(path, place, protocol):
    """Comments are added to records in the direct form, and survive an export of a part and a merge."""
    editcap(path, place / "one.pcapng", "-a", "2:zwei: Wörter")
    editcap(place / "one.pcapng", place / "two.pcapng", "-a", "1:first", direct=False)
    export(place / "two.pcapng", place / "part.pcapng", "-Y", f"{protocol} && frame.number < 3")
    succeeded(run("mergecap", "-w", place / "three.pcapng", place / "net.pcap", place / "part.pcapng"), "mergecap")
    comments = tshark(place / "three.pcapng", ["frame.comment"], "-Y", protocol).column("frame.comment")
    require(sorted(comments) == ["first", "zwei: Wörter"], "comments:", comments)


# --- several traces in one file -----------------------------------------------------------------------------------------

def test_traces(name=""):
    for f in formats.formats().values():
        if not f.PAIR or name not in ("", f.NAME):
            continue
        pair, names = f.PAIR, fields(f.NAME, f.ANALYSED)
        with folder() as place, direct_form():
            paths = [check.entry(formats.capture(name)) for name in pair]
            succeeded(run("mergecap", "-a", "-I", "none", "-w", place / "both.pcapng", *paths), "mergecap")
            rows = tshark(place / "both.pcapng", names, "-2").rows
            for name, path in zip(pair, paths):
                want = tshark(path, names, "-2").rows
                got, rows = rows[:len(want)], rows[len(want):]
                compare(f"{name} beside another trace", check.Table(names, want, "").text(),
                        check.Table(names, got, "").text())
            require(not rows, len(rows), "records too many")


# --- foreign and damaged packets
# ----------------------------------------------------------------------------------------
def blocks(data):
    """The blocks of a pcapng file, in the byte order of this machine as Wireshark writes them."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("=II", data, at)
        yield kind, data[at:at + length]
        at += length


def packets_of(path):
    """The head of the file, and the bytes of its packets."""
    head, packets = b"", []
    for kind, block in blocks(path.read_bytes()):
        if kind == 6:
            packets.append(block[28:28 + struct.unpack_from("=I", block, 20)[0]])
        elif not packets:
            head += block
    return head, packets


def write_packets(path, head, packets):
    with open(path, "wb") as file:
        file.write(head)
        for data in packets:
            body = struct.pack("=IIIII", 0, 0, 0, len(data), len(data)) + data + bytes(-len(data) % 4)
            file.write(struct.pack("=II", 6, len(body) + 12) + body + struct.pack("=I", len(body) + 12))


def broken(packet, tags):
    """What can be wrong with a packet, and the message for it."""
    context = packet[tags:]
    yield packet[:tags], "does not begin with a context"
    yield packet[:tags] + b"XXXX" + context[4:], "does not begin with a context"
    yield packet[:tags] + context[:4] + b"\x02" + context[5:], "unknown version"
    yield packet[:tags] + context[:5] + b"\xff" + context[6:], "it is of another format"
    yield packet[:tags] + context[:6] + b"\xff\xff" + context[8:], "context is cut"
    yield packet[:tags + 60], "context is cut"
    yield packet[:tags] + context[:10] + b"\x64" + context[11:], "kind is unknown"
    yield packet[:tags] + context[:11] + b"\x80" + context[12:], "flags are unknown"
    yield packet + b"more", "more bytes than the record has"


def changed(packets, tags, count, seed):
    """Packets with bytes changed anywhere after the tags, or cut."""
    dice = random.Random(seed)
    for _ in range(count):
        packet = bytearray(dice.choice(packets))
        for _ in range(dice.choice((1, 1, 2, 5))):
            packet[dice.randrange(tags, len(packet))] = dice.choice((0, 1, 255, dice.randrange(256)))
        yield bytes(packet if dice.random() < 0.8 else packet[:dice.randrange(tags, len(packet))])


def test_hostile(name):
    protocol = protocol_of(name)
    tags = 8 + (len(protocol) + 3) // 4 * 4
    with opened(name) as path, folder() as place:
        export(path, place / "good.pcapng")
        head, packets = packets_of(place / "good.pcapng")
        cases = list(broken(packets[len(packets) // 2], tags))
        write_packets(place / "broken.pcapng", head, [data for data, _ in cases])
        shown = tshark(place / "broken.pcapng", ["_ws.expert.message", f"{protocol}.malformed"]).rows
        for (_, words), row in zip(cases, shown, strict=True):
            require(words in row[0] and row[1], "expected", words, "shown", row)
        write_packets(place / "changed.pcapng", head, list(changed(packets, tags, 4000, name)))
        code, out, error = run("tshark", "-r", place / "changed.pcapng", "-2", "-V")
        require(code == 0 and "Dissector bug" not in out + error, "changed packets:", code, error[-2000:])
        export(place / "changed.pcapng", place / "again.pcapng")


def test_streams(name):
    """If every packet invents a stream, a limited number of them is distinguished, with a message."""
    count, tags = 100_000, 8 + (len(protocol_of(name)) + 3) // 4 * 4
    stream = tags + 12  # after the fixed part of the context (common/core/exported.h), kind and flags
    with opened(name) as path, folder() as place:
        export(path, place / "good.pcapng")
        head, packets = packets_of(place / "good.pcapng")
        last = packets[-1]
        packets = (last[:stream] + struct.pack("<I", number) + last[stream + 4:] for number in range(count))
        write_packets(place / "streams.pcapng", head, packets)
        shown = tshark(place / "streams.pcapng", ["_ws.expert.message"]).rows
    told = sum("too many streams" in row[0] for row in shown)
    kept = count - told
    require(len(shown) == count and 65536 <= kept <= 65536 + count // 4, "streams distinguished:", kept, "of", len(shown))


TESTS = {"streams": test_streams, "same": test_same, "merged": test_merged, "native": test_native, "traces": test_traces, "early": test_early, "hostile": test_hostile}


def main():
    args = check.arguments(__doc__, test={"choices": TESTS}, captures={"nargs": "*", "metavar": "CAPTURE"})
    check.for_each(lambda name: TESTS[args.test](*[name] if name else []), args.captures or [""])


if __name__ == "__main__":
    main()
