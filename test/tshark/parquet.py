#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every capture is the same in a Parquet file (made by tools/parquet-sql and DuckDB) as printed by tshark.

usage: parquet.py --build DIR

DuckDB is the program `duckdb`, or the module @duckdb/node-api where node finds it (NODE_PATH); neither: skipped (77).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import surfaces  # noqa: E402
from check import CAPTURES, TOP, Failure, require, run  # noqa: E402

MODULE = """const { DuckDBInstance } = require('@duckdb/node-api'), sql = require('fs').readFileSync(0, 'utf8');
DuckDBInstance.create().then(d => d.connect()).then(c => c.run(sql)).catch(e => { console.error(e.message); process.exit(1); });"""
FRAME = ["frame.number", "frame.time_epoch"]
NEVER = 1 << 63  # nanoseconds since 1970 beyond the range of a time in Parquet


def duckdb():
    if shutil.which("duckdb"):
        return ["duckdb"]
    module = ["node", "-e", "require('@duckdb/node-api')"]
    if shutil.which("node") and subprocess.run(module, capture_output=True, check=False).returncode == 0:
        return ["node", "-e", MODULE]
    return None


def types_of(protocol):
    """Field -> type, for a protocol; tshark treats an expert field that occurs twice as one."""
    lines = [line.split("\t") for line in run("tshark", "-G", "fields")[1].split("\n")]
    return {parts[2]: parts[3] for parts in lines if parts[0] == "F" and (parts[4] == protocol or parts[2] in FRAME)}


def read_back(program, records, fields, place):
    sql = subprocess.run([TOP / "tools" / "parquet-sql", records, place / "p.parquet", *fields], stdout=subprocess.PIPE,
                         encoding="utf-8", check=True).stdout
    sql += f"COPY (SELECT * FROM '{place}/p.parquet') TO '{place}/back.json' (FORMAT json);"
    done = subprocess.run(program, input=sql, capture_output=True, encoding="utf-8", check=False)
    require(done.returncode == 0, sql[:300], done.stdout, done.stderr)
    with open(place / "back.json", encoding="utf-8") as rows:
        return [json.loads(row, parse_float=Decimal) for row in rows]


def wanted(text, kind):
    """The value of a printed text."""
    if kind in ("FT_BOOLEAN", "FT_NONE"):
        return text in ("1", "True")
    if kind in ("FT_RELATIVE_TIME", "FT_DOUBLE"):
        return Decimal(text)
    if kind.startswith(("FT_UINT", "FT_INT", "FT_FRAMENUM")):
        return int(text, 0)
    return text


def nanoseconds(text):
    """Of a date as printed by DuckDB: `date` converts the seconds, and the fraction is appended."""
    seconds, _, fraction = text.partition(".")
    whole = subprocess.run(["date", "-u", "-d", seconds + " UTC", "+%s"], stdout=subprocess.PIPE, encoding="ascii", check=True).stdout
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


def check_row(number, layers, row, types):
    for field, kind in types.items():
        name = field.replace(".", "_")
        texts, got = layers.get(name), row[name]
        if field == "frame.time_epoch":
            want = int(Decimal(texts[0]).scaleb(9))
            if number % 97 == 0 or got is None:  # `date` is slow
                require(abs(want) >= NEVER if got is None else nanoseconds(got) == want, "record", number, texts, "is", got)
            continue
        want = None if texts is None else [wanted(text, kind) for text in texts]
        # true and 1, "1" and 1 are different here; 0.5 and 0.500000000 are the same
        same = want == got and (want is None or all(type(w) is type(g) or isinstance(w, Decimal) for w, g in zip(want, got)))
        require(same, "record", number, field, kind, "printed", texts, "read back", got)


def check_capture(program, path, protocol, place):
    types = types_of(protocol)
    records = place / "records.ek"
    options = [word for name in types for word in ("-e", name)]
    records.write_text(run("tshark", "-n", "-2", "-r", path, "-T", "ek", *options)[1], encoding="utf-8")
    fields = [name if name in FRAME else name + "[]" for name in types]
    rows = read_back(program, records, fields, place)
    with open(records, encoding="utf-8") as lines:
        printed = [line["layers"] for line in map(json.loads, lines) if "layers" in line]
    require(len(rows) == len(printed) > 0, len(rows), "rows for", len(printed), "records of", path)
    for number, (layers, row) in enumerate(zip(printed, rows), 1):
        layers["frame_number"] = layers["frame_number"][0]
        require(row["frame_number"] == int(layers["frame_number"]), "record", number, "is", row["frame_number"])
        check_row(number, layers, row, {name: kind for name, kind in types.items() if name != "frame.number"})
    return len(rows), {name for layers in printed for name in layers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    os.environ["WIRETRACE_BUILD"] = str(Path(parser.parse_args().build).resolve())
    program, records, names = duckdb(), 0, set()
    if not program:
        print("no DuckDB here")
        return 77
    try:
        for capture in check.formats.captures():
            with tempfile.TemporaryDirectory() as place:
                count, found = check_capture(program, check.entry(CAPTURES / capture), check.protocol_of(capture), Path(place))
                records, names = records + count, names | found
        for make in (surfaces.odd_cacheray, surfaces.odd_ovni, surfaces.odd_xray):
            with tempfile.TemporaryDirectory() as place:
                check_capture(program, *make(Path(place)), Path(place))
        require(records > 10000 and len(names) > 100, "only", records, "records and", len(names), "fields")
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{records} records, {len(names)} fields")
    return 0


if __name__ == "__main__":
    sys.exit(main())
