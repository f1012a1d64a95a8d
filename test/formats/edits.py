# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits for damaged copies: each takes the bytes of a file and returns new ones. A place is a function of the bytes."""
import struct


def put(data, at, new):
    return data[:at] + new + data[at + len(new):]


def at(offset):
    return lambda data: offset


def cut_inside(place, keep):
    """The file ends `keep` bytes after the beginning of a record."""
    return lambda data: data[:place(data) + keep]


def put_at(place, delta, fmt, *values):
    return lambda data: put(data, place(data) + delta, struct.pack(fmt, *values))


def zeros_at(place, length):
    return lambda data: put(data, place(data), bytes(length))


def insert(place, new):
    return lambda data: data[:place(data)] + new + data[place(data):]


def only(content):
    return lambda data: content
