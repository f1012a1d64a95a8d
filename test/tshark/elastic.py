#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of `tshark -T ek` of every capture fits the type that tools/elastic-mapping gives it.

usage: elastic.py --build DIR

Knows how Elasticsearch reads each type that occurs. tshark's own mapping must fail: otherwise ours is unnecessary, or this
test is useless.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import CAPTURES, TOP, Failure, require, run  # noqa: E402

ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d(:\d\d(:\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?)?")
FORMATS = {
    "strict_date_optional_time": ISO.fullmatch,
    "strict_date_optional_time_nanos": ISO.fullmatch,
    "epoch_millis": re.compile(r"-?\d+(\.\d{1,6})?").fullmatch,
    "epoch_second": re.compile(r"-?\d+(\.\d{1,9})?").fullmatch,
}


def whole(value, low, high):
    return not isinstance(value, bool) and re.fullmatch(r"[+-]?\d+", str(value)) and low <= int(value) <= high


def fits_date(value, rule):
    # a date without a format: ISO or milliseconds
    names = rule.get("format", "strict_date_optional_time||epoch_millis").split("||")
    return any(FORMATS[name](str(value)) for name in names)


def fits_double(value, _rule):
    try:
        return not isinstance(value, bool) and abs(float(value)) < float("inf")
    except ValueError:
        return False


FITS = {
    "byte": lambda v, _: whole(v, -2**7, 2**7 - 1), "short": lambda v, _: whole(v, -2**15, 2**15 - 1),
    "integer": lambda v, _: whole(v, -2**31, 2**31 - 1), "long": lambda v, _: whole(v, -2**63, 2**63 - 1),
    "unsigned_long": lambda v, _: whole(v, 0, 2**64 - 1), "double": fits_double, "float": fits_double,
    "boolean": lambda v, _: v in (True, False, "true", "false", ""), "date": fits_date, "date_nanos": fits_date,
    "keyword": lambda v, rule: isinstance(v, (str, int, float)) and "ignore_above" in rule,
}


def misfits(value, rules, path, found):
    """Collects the paths of values that do not fit the type in the mapping, or have none."""
    if isinstance(value, list):
        for item in value:
            misfits(item, rules, path, found)
    elif isinstance(value, dict):
        for name, item in value.items():
            misfits(item, (rules or {}).get("properties", {}).get(name), f"{path}.{name}", found)
    elif rules is None or "type" not in rules:
        found[path] = "no type"
    elif value is None:
        if "null_value" not in rules:
            found[path] = "null is not found"
    elif rules["type"] not in FITS:  # Wireshark 4.6: "unsigned long"
        found[path] = f"there is no type {rules['type']}"
    elif not FITS[rules["type"]](value, rules):
        found[path] = f"{str(value)[:40]} is no {rules['type']}"


def records(capture):
    _, out, _ = run("tshark", "-2", "-n", "-r", check.entry(CAPTURES / capture), "-T", "ek")
    return [json.loads(line) for line in out.split("\n") if line and not line.startswith('{"index"')]


def hexadecimal():
    """Names of fields in -T ek whose numbers are hexadecimal."""
    fields = [line.split("\t") for line in run("tshark", "-G", "fields")[1].split("\n") if line.startswith("F\t")]
    return {f"{f[4]}_{f[2].replace('.', '_')}" for f in fields if f[3].startswith("FT_UINT") and "HEX" in f[5]}


def disordered(layer, rules, names, found):
    """Collects hexadecimal numbers of which ranges are wrong: words have one width, all else is a number."""
    for name in names & layer.keys() if isinstance(layer, dict) else ():
        value = layer[name]
        words = rules["properties"][name]["type"] == "keyword"
        if any(str(v).startswith("0x") != words for v in (value if isinstance(value, list) else [value])):
            found[name] = f"{str(value)[:40]} is out of order among those of its type"


def damaged(record):
    """Wireshark's own mark for a record that it could not finish; not one of our fields."""
    for layer in record["layers"].values():
        if isinstance(layer, dict):
            layer.pop("_ws_malformed", None)
    return record


def main():
    check.arguments(__doc__)
    ours = (*check.formats.formats(), "frame")
    tool = subprocess.run([TOP / "tools" / "elastic-mapping"], stdout=subprocess.PIPE, check=True)
    mapping = json.loads(tool.stdout)["template"]["mappings"]
    theirs = json.loads(run("tshark", "-G", "elastic-mapping", "--elastic-mapping-filter", ",".join(ours))[1])["mappings"]
    found, found_theirs, count, names, numbers = {}, {}, 0, set(), hexadecimal()
    try:
        require(mapping["dynamic"] is False, "other layers of a record must be let through without a type")
        for capture in check.formats.captures():
            for record in map(damaged, records(capture)):
                count += 1
                layers = {name: layer for name, layer in record["layers"].items() if name in ours}
                names |= {field for layer in layers.values() for field in layer}
                record["layers"] = layers
                misfits(record, mapping, "", found)
                for name, layer in layers.items():
                    disordered(layer, mapping["properties"]["layers"]["properties"][name], numbers, found)
                misfits(record, theirs, "", found_theirs)
        require(count > 10000 and len(names) > 100, "only", count, "records and", len(names), "fields")
        require(not found, "does not fit:", *(f"\n  {path}: {why}" for path, why in sorted(found.items())))
        wrong = {path for path, why in found_theirs.items() if why != "no type"}
        # every version of Wireshark has some of these wrong
        known = tuple(field for f in check.formats.formats().values() for field in f.MISTYPED)
        require(any(path.endswith(known) for path in wrong), "the mapping of tshark takes", *known)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{count} records, {len(names)} fields; tshark's own mapping is wrong for {len(wrong)} of them "
          f"and has no type for {len(found_theirs) - len(wrong)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
