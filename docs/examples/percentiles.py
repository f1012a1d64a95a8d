#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Percentiles of calls per run and function, as in xray,account, of a data set in CSV (tools/dataset --csv), with Dask.

usage: percentiles.py FOLDER RESULT [ADDRESS]      ADDRESS: of a Dask scheduler; without one, all cores of this machine
"""
import sys
from urllib.parse import unquote

import dask.dataframe
from distributed import Client


def shown(calls):
    """Of a trace and function: how many, and the elements at 50, 90 and 99 percent."""
    ticks = sorted(calls)
    return ",".join(str(ticks[len(ticks) * percent // 100]) for percent in (50, 90, 99))


def main():
    folder, result = sys.argv[1:3]
    with Client(*sys.argv[3:]):
        calls = dask.dataframe.read_csv(f"{folder}/trace=*/stream=*/time=*/*.csv", include_path_column="path", blocksize=None,
                                        usecols=["function_id", "duration_ns"], dtype={"function_id": "uint64", "duration_ns": "UInt64"})
        calls = calls.dropna(subset=["duration_ns"])  # calls that are open at the end of their log have none
        calls["trace"] = calls.path.astype("object").str.extract("trace=([^/]*)/", expand=False)
        of = calls.groupby(["trace", "function_id"]).duration_ns
        table = of.apply(lambda c: f"{len(c)},{shown(c)}", meta=("shown", "object")).compute()
    with open(result, "w", encoding="utf-8") as out:
        out.write("trace,function,calls,median,p90,p99\n")
        for (trace, function), text in sorted(table.items()):
            out.write(f"{unquote(trace)},{function},{text}\n")


if __name__ == "__main__":
    main()
