#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A data set of many logs (tools/dataset): DuckDB and Dask find the percentiles per function and run that follow from how the
logs were made, by the recipes in docs/examples. One of the logs has no calls.

usage: dataset.py [--build DIR] LOGS        8 or more

DuckDB as for parquet.py; without it: skipped (77). Dask's part needs an interpreter with dask.dataframe and distributed.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "bench")]
import npm  # noqa: E402
import traces  # noqa: E402
from check import TOP, Failure, arguments, csv_rows, require, run  # noqa: E402

THREADS, RECORDS = 2, 400
TABLE = "xray,calls,each,columns:function_id,epoch,duration,unwound,process,thread"


def calls_of(pattern, records):
    """(function, ticks) of the calls that end, from the words and times of a thread's records."""
    (words, clock), open_calls = pattern, []
    for i in range(records):
        word = int.from_bytes(words[8 * i:8 * i + 4], "little")
        if word >> 1 & 7:
            function, begin = open_calls.pop()
            yield function, clock[i + 1] - begin
        else:
            open_calls.append((word >> 4, clock[i + 1]))


def fewer(pattern):
    """Half of the calls become those of one function."""
    words, clock = pattern
    few = b"".join(words[at:at + 8] if int.from_bytes(words[at:at + 4], "little") >> 4 > 200 else
                   bytes([words[at] & 14 | 16, 0, 0, 0]) + words[at + 4:at + 8] for at in range(0, len(words), 8))
    return few, clock


def make_logs(folder, logs):
    """Returns the percentiles: {(log, function): (calls, median, 90 %, 99 %)}."""
    usual, want = traces.xray_pattern, {}
    traces.XRAY_PATTERN = 2 * RECORDS
    for number in range(logs):
        ticks, records = defaultdict(list), random.Random(number).randrange(RECORDS // 2, RECORDS) if number else 0
        patterns = {thread: fewer(usual(thread + number * THREADS, False)) for thread in range(THREADS)}
        traces.xray_pattern = lambda seed, _few, of=patterns: of[seed]
        traces.make_xray(folder / f"run{number:02}", records * THREADS, THREADS)
        for function, duration in (call for pattern in patterns.values() for call in calls_of(pattern, records)):
            ticks[function].append((duration * 2 * 10**9 // traces.XRAY_FREQUENCY + 1) // 2)
        for function, all_ticks in ticks.items():
            all_ticks.sort()
            want[f"run{number:02}", function] = (len(all_ticks), *(all_ticks[len(all_ticks) * p // 100] for p in (50, 90, 99)))
    traces.xray_pattern = usual
    return want


def read(file):
    return {(row["trace"], int(row["function"])): tuple(int(row[name]) for name in ("calls", "median", "p90", "p99"))
            for row in csv_rows(file.read_text(encoding="utf-8"))}


def alike(what, want, got):
    wrong = [key for key in {**want, **got} if want.get(key) != got.get(key)]
    require(not wrong and len(got) > 50 * len({log for log, _ in want}) > 300, what, "of", len(want), "percentiles", len(wrong), "are wrong, such as",
            [(key, want.get(key), got.get(key)) for key in wrong[:3]])


def start(place, *words):
    done = subprocess.run(list(map(str, words)), cwd=place, capture_output=True, encoding="utf-8", timeout=600, check=False)
    require(done.returncode == 0, *words[:3], "ends with", done.returncode, done.stdout[-500:], done.stderr[-2000:])


def check_names(place):
    """Two traces of one name are refused; a trace is also replaced if its name has characters that DuckDB encodes."""
    odd, tool = "a b%=,'*é\\c\n", TOP / "tools/dataset"
    for name in ("a/b_c", "a_b/c", odd):
        (place / name).parent.mkdir(exist_ok=True)
        shutil.copy(TOP / "captures/xray/fdr-single.xray", place / name)
    for names in (["a/b_c", "a_b/c"], [odd, odd]):
        done = subprocess.run([tool, "ODD", "xray,records", "--", *names], cwd=place, capture_output=True, check=False)
        require(done.returncode == 1 and b"two traces would be called" in done.stderr, "names are not refused:", done)
    for seconds in ("3600", "1"):  # two divisions: what is not removed would be counted twice
        start(place, tool, "--csv", "--seconds", seconds, "ODD", "xray,records", "--", odd)
    rows = [row for file in (place / "ODD").rglob("*.csv") for row in file.read_text("utf-8").splitlines()[1:]]
    records = run("tshark", "-r", place / odd, "-T", "fields", "-e", "frame.number")[1].split()
    require(len(rows) == len(records), "a trace that is made again has", len(rows), "rows for", len(records), "records")
    (place / odd).unlink()
    done = subprocess.run([tool, "--csv", "ODD", "xray,records", "--", odd, "none"], cwd=place, capture_output=True, check=False)
    require(done.returncode != 0 and list((place / "ODD").rglob("*.csv")) and len(list((place / "ODD").iterdir())) == 1,
            "of traces that cannot be read, what was there does not stay, or something was made:", list((place / "ODD").iterdir()))


def check_faults(place):
    """One line says what cannot be written. What is ended, here while it waits for its trace, leaves nothing behind."""
    tool = [TOP / "tools/dataset", "--csv"]
    (place / "file").touch()
    os.mkfifo(place / "pipe")
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words, reason in (([*tool, "file", "xray,records", "--", "none"], "dataset: file: File exists\n"),
                              ([*tool, "file/below", "xray,records", "--", "none"], "dataset: file/below: Not a directory\n"),
                              ([TOP / "tools/parquet-sql", "xray,records", "x"], "parquet-sql: standard output cannot be written: No space left on device\n")):
            done = subprocess.run(words, cwd=place, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False)
            require(done.returncode == 1 and done.stderr == reason, reason, done)
    with subprocess.Popen([*tool, "ENDED", "xray,records", "--", "pipe"], cwd=place, stderr=subprocess.PIPE) as ended:
        writer = os.open(place / "pipe", os.O_WRONLY)  # waits for tshark
        ended.terminate()
        _, error = ended.communicate(timeout=60)
        os.close(writer)
    require(ended.returncode == 1 and b"dataset: interrupted" in error and not list((place / "ENDED").iterdir()), "ended:", ended, error)


def dask():
    """An interpreter with Dask's data frames."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import dask.dataframe, distributed"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def check_dataset(place, count):
    logs = place / "logs"
    logs.mkdir()
    want = make_logs(logs, count)
    (place / "OUT").mkdir()
    paths = sorted(f"logs/{log.name}" for log in logs.iterdir())
    options = ["--seconds", "1"]
    start(place, TOP / "tools/dataset", *options, "OUT", TABLE, "--", *paths)
    start(place, TOP / "tools/dataset", *options, "OUT", TABLE, "--", *paths[:2])  # again: replaced
    start(place, "sh", "-c", f"duckdb <'{TOP}/docs/examples/percentiles.sql'")
    want = {(f"logs_{name}", function): row for (name, function), row in want.items()}
    alike("DuckDB:", want, read(place / "percentiles.csv"))
    check_names(place)
    check_faults(place)
    # the same as in the table of a log
    _, table, _ = run("tshark", "-q", "-r", logs / "run07", "-z", "xray,account,csv")
    columns = ["calls", "median_ns", "p90_ns", "p99_ns"]
    alone = {int(row["id"]): tuple(int(row[name]) for name in columns) for row in csv_rows(table)}
    require(alone == {function: row for (name, function), row in want.items() if name == "logs_run07"}, "xray,account differs")
    if not dask():
        return "no Dask here"
    start(place, TOP / "tools/dataset", *options, "--csv", "CSV", TABLE, "--", *paths[:20])
    start(place, dask(), TOP / "docs/examples/percentiles.py", "CSV", "dask.csv")
    alike("Dask:", {key: row for key, row in want.items() if key[0] < "logs_run20"}, read(place / "dask.csv"))
    return "also with Dask"


def main():
    count = arguments(__doc__, logs={"type": int}).logs
    try:
        with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as programs:
            npm.make_duckdb(Path(programs))
            os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
            print(check_dataset(Path(place), count))
    except npm.Missing as reason:
        print("no DuckDB here:", reason)
        return 77
    except Failure as failure:
        sys.exit(f"dataset: {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
