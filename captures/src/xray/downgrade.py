#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rewrite a little-endian FDR version 5 log as an older version (1..4).

usage: downgrade.py IN.xray VERSION OUT.xray [--garbage]

4  custom events carry an absolute TSC and a CPU number instead of a delta
3  ... and no CPU number
2  ... and buffers have no Pid record
1  ... and buffers have a fixed size, end with EndOfBuffer and are padded (zeros, or rubbish with --garbage)
Typed events (absolute TSC before version 5, as the old runtimes wrote them) are converted too, but llvm-xray
reads them wrongly in these versions.
"""
import random
import struct
import sys


def main():
    src, version, dst = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    garbage = "--garbage" in sys.argv[4:]
    d = open(src, "rb").read()
    ver, typ = struct.unpack_from("<HH", d)
    assert (ver, typ) == (5, 1) and 1 <= version <= 4
    buffers, off = [], 32
    while off < len(d):
        assert d[off] == 0x0f, hex(off)
        size = struct.unpack_from("<Q", d, off + 1)[0]
        off += 16
        end = off + size
        out, tsc, cpu = bytearray(), 0, 0
        while off < end:
            if not d[off] & 1:
                tsc += struct.unpack_from("<I", d, off + 4)[0]
                out += d[off:off + 8]
                off += 8
                continue
            kind = d[off] >> 1
            rec = d[off:off + 16]
            off += 16
            if kind == 2:
                cpu, tsc = struct.unpack_from("<HQ", rec, 1)
            elif kind == 3:
                tsc = struct.unpack_from("<Q", rec, 1)[0]
            elif kind in (5, 8):
                n, delta = struct.unpack_from("<ii", rec, 1)
                tsc += delta
                if kind == 8:
                    tail = struct.pack("<HB", struct.unpack_from("<H", rec, 9)[0], 0)
                else:
                    tail = struct.pack("<HB", cpu if version == 4 else 0, 0)
                rec = rec[:1] + struct.pack("<iQ", n, tsc) + tail + d[off:off + n]
                off += n
                out += rec
                # Events do not move the running counter before version 5: a TSCWrap keeps what follows right.
                out += struct.pack("<BQ7x", 3 << 1 | 1, tsc)
                continue
            elif kind == 9 and version < 3:
                continue
            out += rec
        assert off == end, "record crosses the end of its buffer"
        buffers.append(bytes(out))
    res = bytearray(struct.pack("<HH", version, 1) + d[4:32])
    if version == 1:
        size = (max(map(len, buffers)) + 16 + 63) // 64 * 64
        struct.pack_into("<Q", res, 16, size)
        rnd = random.Random(1)
        for b in buffers:
            b += struct.pack("<B15x", 1 << 1 | 1)
            pad = size - len(b)
            res += b + (bytes(rnd.randrange(256) for _ in range(pad)) if garbage else bytes(pad))
    else:
        for b in buffers:
            res += struct.pack("<BQ7x", 7 << 1 | 1, len(b)) + b
    open(dst, "wb").write(res)


main()
