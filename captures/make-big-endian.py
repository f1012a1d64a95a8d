#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rewrite a little-endian trace as a big-endian machine would have written it.

usage: make-big-endian.py IN OUT

IN is an XRay log or an ovni event file with a header (docs/formats/xray.md,
docs/formats/ovni.md). Payloads of XRay events and text
stay as they are; so do the padding of version 1 and what follows an unknown record in a buffer. ovni arguments are
swapped by the widths of the event's arguments.
Knows nothing of context or clocks: it goes record by record.
"""
import struct
import sys
from pathlib import Path


def swapped(data, fields):
    """The bytes with every (offset, width) reversed; fields that do not fit stay."""
    out = bytearray(data)
    for at, width in fields:
        if at + width <= len(out):
            out[at:at + width] = out[at:at + width][::-1]
    return bytes(out)


def header_flags(flags):
    """constant_tsc and nonstop_tsc are bit-fields: they begin at the other end of the byte."""
    return (flags & 1) << 7 | (flags & 2) << 5


def xray_header(data):
    out = bytearray(swapped(data[:32], [(0, 2), (2, 2), (8, 8), (16, 8)]))
    out[4] = header_flags(data[4])
    return bytes(out)


# --- XRay, basic mode: numbers of a function record and of an argument record -----------------------------------------
BASIC = {0: [(0, 2), (4, 4), (8, 8), (16, 4), (20, 4)], 1: [(0, 2), (4, 4), (8, 4), (12, 4), (16, 8)]}


def xray_basic(data):
    out = [xray_header(data)]
    for at in range(32, len(data), 32):
        record = data[at:at + 32]
        kind = int.from_bytes(record[:2], "little")
        out.append(swapped(record, BASIC.get(kind, [(0, 2)])))
    return b"".join(out)


# --- XRay, flight data recorder mode ----------------------------------------------------------------------------------
METADATA = {0: [(1, 4)], 1: [], 2: [(1, 2), (3, 8)], 3: [(1, 8)], 4: [(1, 8), (9, 4)], 6: [(1, 8)], 7: [(1, 8)],
            9: [(1, 4)]}
CUSTOM, TYPED, EXTENTS, END_OF_BUFFER = 5, 8, 7, 1


def event_fields(kind, version):
    if version >= 5:
        return [(1, 4), (5, 4)] + ([(9, 2)] if kind == TYPED else [])
    return [(1, 4), (5, 8)] + ([(13, 2)] if kind == TYPED or version == 4 else [])


def fdr_length(data, at, end):
    """Of the record at `at`; what is left of its buffer when it does not fit or is unknown."""
    left = end - at
    if not data[at] & 1:
        return min(8, left)
    kind = data[at] >> 1
    if left < 16 or kind in METADATA:
        return min(16, left)
    size = int.from_bytes(data[at + 1:at + 5], "little", signed=True)
    return 16 + size if kind in (CUSTOM, TYPED) and 0 <= size <= left - 16 else left


def fdr_record(record, version):
    if not record[0] & 1:
        if len(record) < 4:
            return record
        word = int.from_bytes(record[:4], "little")
        return struct.pack(">I", (word >> 1 & 7) << 28 | word >> 4) + swapped(record[4:], [(0, 4)])
    kind = record[0] >> 1
    fields = event_fields(kind, version) if kind in (CUSTOM, TYPED) else METADATA.get(kind, [])
    return bytes([0x80 | kind]) + swapped(record, fields)[1:]


def xray_fdr(data):
    version, size = struct.unpack_from("<H", data)[0], struct.unpack_from("<Q", data, 16)[0]
    out, at, end = [xray_header(data)], 32, 32
    while at < len(data):
        if at >= end:  # outside of any buffer; version 1 has buffers of a fixed size
            end = min(at + size, len(data)) if version == 1 else len(data)
        first, length = data[at], fdr_length(data, at, end)
        out.append(fdr_record(data[at:at + length], version))
        at += length
        if first == EXTENTS << 1 | 1 and length == 16:
            end = min(at + int.from_bytes(data[at - 15:at - 7], "little"), len(data))
        elif first == END_OF_BUFFER << 1 | 1 and version == 1:
            out.append(data[at:end])
            at = end
    return b"".join(out)


# --- XRay, profiles: 8-byte numbers of the header; a block has a size, a number and a thread, a path functions and two sums -----------
def xray_profile(data):
    out, at = [swapped(data[:32], [(n, 8) for n in range(0, 32, 8)])], 32
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        block = data[at:at + size] if size else data[at:]
        fields, where = [(0, 4), (4, 4), (8, 8)], 16
        while where < len(block):
            fields.append((where, 4))
            if not any(block[where:where + 4]):
                fields += [(where + 4, 8), (where + 12, 8)]
                where += 16
            where += 4
        out.append(swapped(block, fields))
        at += len(block)
    return b"".join(out)


# --- ovni -------------------------------------------------------------------------------------------------------------
# Widths of the arguments in their order; what follows them (text) stays. An event that is not here keeps its payload.
ARGUMENTS = {
    (4,): "OAs OCn 6Te 6Tp 6Tr 6Tx 6Tb 6Tu PPe PPx PQe PQx 6Yc POc VYc",
    (4, 4): "OAr 6Tc PPc VTC VTc VTe VTp VTr VTx",  # before 1.8 VT* carried only the first
    (4, 8): "OHC",
    (4, 4, 8): "OHx",
    (8, 4): "OM= OM[ OM]",
    (8,) * 512: "VWC",  # one per counter
}
WIDTHS = {mcv: widths for widths, codes in ARGUMENTS.items() for mcv in codes.split()}


def ovni_payload(payload, mcv):
    fields, at = [], 0
    for width in WIDTHS.get(mcv, ()):
        fields.append((at, width))
        at += width
    return swapped(payload, fields)


def ovni(data):
    out, at = [data[:4] + data[4:8][::-1]], 8
    while at < len(data):
        head = data[at:at + 12]
        length, fields = 12, [(4, 8)]
        if len(head) == 12 and head[0] & 0x10:
            length += 4 + int.from_bytes(data[at + 12:at + 16], "little")
        elif len(head) == 12 and head[0] & 15:
            length += (head[0] & 15) + 1
        record = data[at:at + length]
        if len(record) < length:
            out.append(swapped(record, fields + ([(12, 4)] if len(head) == 12 and head[0] & 0x10 else [])))
            break
        start = 16 if head[0] & 0x10 else 12
        payload = ovni_payload(record[start:], head[1:4].decode("latin-1"))
        out.append(swapped(record[:start], fields + ([(12, 4)] if start == 16 else [])) + payload)
        at += length
    return b"".join(out)


def big_endian(data):
    if data[:4] == b"ovni":
        return ovni(data)
    if data[:8] == b"forpyarx":
        return xray_profile(data)
    if struct.unpack_from("<H", data, 2)[0] == 0:
        return xray_basic(data)
    return xray_fdr(data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_bytes(big_endian(Path(sys.argv[1]).read_bytes()))
