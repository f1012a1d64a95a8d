#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every cell of every table of rows, of every capture, is the same in a Parquet file (made by tools/parquet-sql and DuckDB) as tshark
prints it, and has the type that `types` prints.

usage: parquet.py [--build DIR]

DuckDB is the program `duckdb`, or the module of npm, which is installed in the build directory; neither: skipped (77).
"""
import csv
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import npm  # noqa: E402
import record_rows  # noqa: E402
import surfaces  # noqa: E402
from check import CAPTURES, TOP, Failure, arguments, csv_rows, require  # noqa: E402

TABLES = {"xray": ["xray,records", "xray,calls,each"], "ovni": ["ovni,events", "ovni,states,each", "ovni,tasks,each"],
          "cacheray": ["cacheray,records"]}


@functools.cache
def sql_of(table):
    """What makes a file of it, reads that, and lists the types of its columns."""
    sql = subprocess.run([TOP / "tools/parquet-sql", table, "p.parquet"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    require("'/dev/stdin'" in sql, "rows are not read from standard input:", sql)
    return (f"{sql} COPY (FROM 'p.parquet') TO 'p.json' (FORMAT json);"
            "COPY (SELECT column_name, column_type FROM (DESCRIBE FROM 'p.parquet')) TO 'p.types' (FORMAT csv);")


def wanted(text, kind):
    """The value of a printed text."""
    if not text:
        return None
    if kind == "BOOLEAN":
        return {"true": True, "false": False}[text]
    if kind == "VARCHAR":
        return text
    return Decimal(text) if kind == "DOUBLE" else int(text)


def duckdb(sql, place, rows=None):
    done = subprocess.run(["duckdb"], input=sql, cwd=place, capture_output=True, encoding="utf-8", check=False) if rows is None else \
        subprocess.run(["duckdb", "-c", sql], input=rows, cwd=place, capture_output=True, encoding="utf-8", check=False)
    require(done.returncode == 0, done.stdout, done.stderr)


def check_piped(path, table, place, seen):
    """As users have it: DuckDB reads what tshark prints."""
    rows = record_rows.table(path, f"{table},csv")
    duckdb(sql_of(table), place, rows)
    return compare(path, table, rows, place / "p", seen)


def check_files(tables, place, seen):
    """All of them by one DuckDB, whose start takes longer than any of them: it reads what tshark printed from files."""
    printed, sql = [], []
    for number, (path, table) in enumerate(tables):
        printed.append(record_rows.table(path, f"{table},csv"))
        (place / f"{number}.csv").write_text(printed[-1], encoding="utf-8", errors="surrogateescape")
        sql.append(sql_of(table).replace("'/dev/stdin'", f"'{number}.csv'").replace("'p.", f"'{number}."))
    duckdb("\n".join(sql), place)
    return sum(compare(*tables[number], rows, place / str(number), seen) for number, rows in enumerate(printed))


def compare(path, table, rows, made, seen):
    """Of what DuckDB has made in files of this name."""
    types = dict(list(csv.reader(io.StringIO(made.with_suffix(".types").read_text("utf-8"))))[1:])
    want_types = {name: kind for name, kind, _ in record_rows.columns_of(table)}
    require(types == want_types, path, table, "has the types", types.items() ^ want_types.items())
    with open(made.with_suffix(".json"), encoding="utf-8") as lines:
        back = [json.loads(line, parse_float=Decimal) for line in lines]
    printed = csv_rows(rows)
    require(len(back) == len(printed), path, table, "has", len(back), "rows instead of", len(printed))
    for number, (row, got) in enumerate(zip(printed, back), 1):
        want = {name: wanted(text, types[name]) for name, text in row.items()}
        # true and 1, "1" and 1 are different here
        wrong = [(name, row[name], got[name]) for name, value in want.items()
                 if got[name] != value or isinstance(got[name], bool) != isinstance(value, bool)]
        require(not wrong, path, table, "row", number, "printed and read back", wrong[:3])
        seen.update((table, name) for name, value in want.items() if value is not None)
    return len(back)


def check_all(place):
    seen = set()
    rows = check_files([(check.entry(CAPTURES / capture), table) for capture in check.formats.captures()
                        for table in TABLES.get(check.protocol_of(capture), [])], place, seen)
    for make in (surfaces.odd_cacheray, surfaces.odd_ovni, surfaces.odd_xray):
        folder = place / make.__name__
        folder.mkdir()
        path, protocol = make(folder)
        for table in TABLES[protocol]:
            rows += check_piped(path, table, place, seen)
    for table, capture in (("xray,calls,each", "xray/fdr-args.xray"), ("xray,records", "xray/fdr-args.xray"),
                           ("cacheray,records", "cacheray/orders.trace")):
        for words in ("us", "ticks", "hex"):
            rows += check_piped(CAPTURES / capture, f"{table},{words}", place, seen)
    require(rows > 10000 and len(seen) > 150, "only", rows, "rows and", len(seen), "columns")
    return f"{rows} rows, {len(seen)} columns"


def main():
    arguments(__doc__)
    with tempfile.TemporaryDirectory() as place:
        try:
            npm.make_duckdb(Path(place))
            os.environ["PATH"] = f"{place}:{os.environ['PATH']}"
            print(check_all(Path(place)))
        except npm.Missing as reason:
            print("no DuckDB here:", reason)
            return 77
        except Failure as failure:
            sys.exit(f"parquet: {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
