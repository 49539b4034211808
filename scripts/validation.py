#!/usr/bin/env python3
"""Writes docs/validation.md: how far predictions are from measured operators, for every device and family.

usage: scripts/validation.py OPERATORS [--tantalus PROGRAM] [--output FILE] [--networks FILE.json]

OPERATORS is a folder with one folder for each device of hw_configs/devices, and in it tables for
`tantalus validate --measured` (the columns of `tantalus ops` and measured_ms). Python's standard library only.
Rows below the cut (0.1 ms; single-call convolutions 2 ms, whose timer floor is noisy) are summed up apart.
"""
import argparse
import csv
import io
import json
import math
import pathlib
import statistics
import subprocess
import sys

CUTS = {"conv2d": "2 ms"}  # by table; the others 0.1 ms
GENERIC = {"sm": "cuda-generic", "gf": "rocm-generic"}  # by the first letters of the architecture


def cut_of(table):
    if table.startswith("host_"):  # of scripts/host_layers.py: timed to a microsecond
        return "20 us"
    return CUTS.get(table, "0.1 ms")


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, text=None):
        done = subprocess.run([self.path, *arguments], input=text, capture_output=True, text=True, check=False)
        return done.stdout, done.stderr

    def validate(self, device, table, *options, text=None):
        out, err = self.run("validate", device, "--measured", "-" if text is not None else str(table), "--least",
                            cut_of(table.stem), "--format", "json", "--quiet", *options, text=text)
        if not out:
            print(f"{device} {table.stem}: {err.strip().splitlines()[0] if err else 'no answer'}", file=sys.stderr)
            return None
        return json.loads(out)


def percent(share):
    return f"{100 * share:.1f}"


def signed(share):
    return f"{100 * share:+.1f}"


def table_text(header, rows):
    if not rows:
        return "No rows.\n"
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


class Validation:
    """Every table of every device, at both levels of knowledge."""

    def __init__(self, program, folder):
        self.program, self.answers = program, {}
        self.tables = [t for t in sorted(pathlib.Path(folder).glob("*/*.csv")) if self.known(t.parent.name)]
        for table in self.tables:
            device = table.parent.name
            for knowledge in ("datasheet", "all"):
                answer = program.validate(device, table, "--knowledge", knowledge)
                if answer:
                    self.answers[device, table.stem, knowledge] = answer

    def known(self, device):
        _, err = self.program.run("check", device)
        if err:
            print(f"left out: {device}: not described", file=sys.stderr)
        return not err

    def groups(self):
        """(table, family, device) -> {knowledge: {size: summary}}"""
        found = {}
        for (device, table, knowledge), answer in self.answers.items():
            for group in answer["groups"]:
                key = table, group["family"], device
                found.setdefault(key, {}).setdefault(knowledge, {})[group["size"]] = group["summary"]
        return dict(sorted(found.items()))


def error_table(groups):
    header = ["table", "family", "device", "rows", "data sheet MAPE", "MAPE", "median", "p90", "worst", "bias", "ratio",
              "median abs. ln", ">1.5x", "rank", "covered", "width", "roofline MAPE"]
    rows = []
    for (table, family, device), by_knowledge in groups.items():
        s, sheet = by_knowledge["all"]["all"], by_knowledge["datasheet"]["all"]
        rows.append([table, family, device, s["count"], percent(sheet["mape"]), percent(s["mape"]),
                     percent(s["median_ape"]), percent(s["p90_ape"]), percent(s["worst_ape"]), signed(s["bias"]),
                     f"{s['median_ratio']:.2f}", f"{math.log(s['median_factor']):.3f}", percent(s["beyond_1_5x"]),
                     f"{s['rank_correlation']:.3f}", percent(s["interval_coverage"]), percent(s["interval_width"]),
                     percent(s["roofline_mape"])])
    return table_text(header, rows)


def small_table(validation):
    rows = []
    for (device, table, knowledge), answer in sorted(validation.answers.items()):
        s = answer["below"]["summary"]
        if knowledge == "all" and s["count"]:
            rows.append([table, device, s["count"], percent(s["mape"]), percent(s["median_ape"]), signed(s["bias"]),
                         percent(s["interval_coverage"])])
    return table_text(["table", "device", "rows", "MAPE", "median", "bias", "covered"], rows)


def thirds_table(groups):
    rows = []
    for (table, family, device), by_knowledge in groups.items():
        sizes = by_knowledge["all"]
        if "small" not in sizes:
            continue
        cells = [table, family, device]
        for size in ("small", "middle", "large"):
            s = sizes[size]
            cells += [percent(s["mape"]), percent(s["interval_coverage"]), percent(s["interval_width"])]
        rows.append(cells)
    header = ["table", "family", "device"]
    for size in ("small", "middle", "large"):
        header += [f"{size}: MAPE", "covered", "width"]
    return table_text(header, rows)


def family_means(groups):
    """MAPE pooled by device, then the mean over devices."""
    means = {}
    for (table, family, _), by_knowledge in groups.items():
        entry = means.setdefault((table, family), [])
        entry.append((by_knowledge["datasheet"]["all"]["mape"], by_knowledge["all"]["all"]["mape"],
                      by_knowledge["all"]["all"]["roofline_mape"]))
    rows = []
    for (table, family), values in means.items():
        sheet, default, roofline = (statistics.mean(v[i] for v in values) for i in range(3))
        rows.append([table, family, len(values), percent(sheet), percent(default), percent(roofline)])
    return table_text(["table", "family", "devices", "data sheet", "default", "roofline"], rows)


# ---- what-if pairs: two measured rows that differ in one thing

SHAPE = ("op dtype batch m n k in_ch in_h in_w out_ch kernel_h kernel_w stride pad groups rows cols inputs algorithm bias "
         "pass trans_a trans_b timing").split()


def rows_of(validation, device, table):
    path = next(t for t in validation.tables if t.parent.name == device and t.stem == table)
    rows = list(csv.DictReader(path.open(newline="")))
    answer = validation.answers[device, table, "all"]
    predicted = {r["line"]: r for r in answer["rows"]}
    for line, row in enumerate(rows, start=2):
        if line in predicted:
            yield tuple(row[c] for c in SHAPE), predicted[line]


def doubled(shape, column):
    index = SHAPE.index(column)
    if not shape[index]:
        return None
    return shape[:index] + (str(2 * int(shape[index])),) + shape[index + 1:]


def pair_summary(pairs):
    """Pairs of ((measured, predicted) before, after); changes below 3 % have no sign that a timer could tell."""
    told = [(m2 / m1, p2 / p1) for (m1, p1), (m2, p2) in pairs]
    signed_pairs = [(m, p) for m, p in told if abs(math.log(m)) > 0.03]
    right = sum((m > 1) == (p > 1) for m, p in signed_pairs)
    close = sum(abs(p / m - 1) <= 0.1 for m, p in told)
    return [len(told), percent(right / len(signed_pairs)) if signed_pairs else "-", percent(close / len(told))]


def time_pair(row):
    return row["measured_ms"], row["predicted_ms"]


def what_if_table(validation):
    found = {}
    by_key = {}
    for device, table, knowledge in validation.answers:
        if knowledge == "all":
            by_key[device, table] = dict(rows_of(validation, device, table))
    for (device, table), rows in by_key.items():
        for shape, row in rows.items():
            for column in ("batch", "k", "m", "n", "rows", "cols", "out_ch", "in_ch"):
                twice = doubled(shape, column)
                if twice in rows:
                    found.setdefault((f"{column} x2", table, device), []).append(
                        (time_pair(row), time_pair(rows[twice])))
    for old, new in (("a100-40gb-pcie", "a100-80gb-pcie"), ("p100-pcie-16gb", "v100-pcie"), ("t4", "l4"),
                     ("v100-pcie", "a100-40gb-pcie"), ("a100-80gb-pcie", "h100-sxm5"), ("mi100", "mi210"),
                     ("titanx-maxwell", "titanx-pascal"), ("titanx-pascal", "v100-sxm2")):
        for (device, table), rows in by_key.items():
            if device != old or (new, table) not in by_key:
                continue
            other = by_key[new, table]
            pairs = [(time_pair(row), time_pair(other[shape])) for shape, row in rows.items() if shape in other]
            if pairs:
                found[f"{old} to {new}", table, ""] = pairs
    rows = [[*key, *pair_summary(pairs)] for key, pairs in found.items() if len(pairs) >= 5]
    pooled = [pair for pairs in found.values() for pair in pairs]
    if pooled:
        rows.append(["all pairs", "", "", *pair_summary(pooled)])
    return table_text(["change", "table", "device", "pairs", "right sign %", "ratio within 10 %"], rows)


# ---- robustness: the same rows with one extent changed by 1 to 3 %

def nudged(text, step):
    rows = list(csv.DictReader(io.StringIO(text)))
    for index, row in enumerate(rows):
        column = next((c for c in ("n", "cols", "out_ch") if row.get(c)), None)
        if column:
            old, unit = int(row[column]), int(row.get("groups") or 1)  # channels stay whole in each group
            row[column] = str(old + unit * max(1, round(old / unit * (1 + (index + step) % 3) / 100)))
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def robustness_table(validation):
    rows = []
    for table in validation.tables:
        device = table.parent.name
        plain = validation.answers.get((device, table.stem, "all"))
        if not plain or not plain["rows"]:
            continue
        moved = validation.program.validate(device, table, text=nudged(table.read_text(), 0))
        if not moved:
            continue
        after = {r["line"]: r["predicted_ms"] for r in moved["rows"]}
        changes = sorted(abs(math.log(after[r["line"]] / r["predicted_ms"])) for r in plain["rows"] if r["line"] in after)
        if changes:
            at = lambda share: changes[min(len(changes) - 1, int(share * len(changes)))]
            rows.append([table.stem, device, len(changes), percent(at(0.5)), percent(at(0.9)), percent(at(0.99)),
                         percent(changes[-1])])
    return table_text(["table", "device", "rows", "median change", "p90", "p99", "largest"], rows)


# ---- one generation left out: no catalogue of its own and nothing measured on it

def left_out_table(validation):
    rows = []
    for table in validation.tables:
        device = table.parent.name
        shown, _ = validation.program.run("show", device, "--quiet")
        architecture = next((line.split()[1] for line in shown.splitlines() if line.startswith("architecture:")), "")
        generic = GENERIC.get(architecture[:2])
        full = validation.answers.get((device, table.stem, "all"))
        if not generic or not full:
            continue
        blank = list(csv.DictReader(table.open(newline="")))
        for row in blank:
            row["library"] = generic
        out = io.StringIO()
        writer = csv.DictWriter(out, blank[0].keys())
        writer.writeheader()
        writer.writerows(blank)
        answer = validation.program.validate(device, table, "--knowledge", "datasheet", text=out.getvalue())
        if answer and answer["summary"]["count"]:
            s = answer["summary"]
            rows.append([table.stem, device, s["count"], percent(s["mape"]), percent(s["median_ape"]), signed(s["bias"]),
                         percent(full["summary"]["mape"]), percent(s["roofline_mape"])])
    return table_text(["table", "device", "rows", "MAPE", "median", "bias", "with its catalogue", "roofline"], rows)


def network_table(path):
    if path is None:
        return ""
    document = json.loads(pathlib.Path(path).read_text())
    rows = [[r["source"], r["device"], r["mode"], r["count"], percent(r["mape"]), signed(r["bias"]),
             percent(r["roofline_mape"])] for r in document["groups"]]
    return "\n## Whole networks\n\n" + table_text(["source", "device", "mode", "rows", "MAPE", "bias", "roofline MAPE"], rows)


TEXT = """# Validation: predicted against measured

Made by `scripts/validation.py OPERATORS`; run it again after any change to a model or a constant. OPERATORS holds published
timings of single operators as tables for `tantalus validate --measured` (docs/modelling.md names the sources). All errors are
predicted / measured - 1, in per cent. *Data sheet* is `--knowledge datasheet`: no `calibration:` block of any file is used.
*MAPE* and all other columns are the default, which uses them. What a calibration block holds, where each number came from and
which rows (if any) it has seen is written in the device's own file; kernel catalogues of a library's generation hold which
tiles it owns, read from kernel names, and efficiencies that are rounded by hand. *Covered*: rows inside the 80 % interval;
*width*: median of (high - low) / predicted; *ratio*: median of predicted / measured. A plain roofline (FLOPs over the listed
peak, bytes over the listed bandwidth) is judged beside it.

## Mean over devices

{means}
## By family and device

{errors}
## By third of size

Thirds by roofline time.

{thirds}
## Rows below the cut

Never part of the figures above, never hidden: what a single call of a small operator costs is mostly the host's doing.

{small}
## One generation left out

The generic catalogue answers, whose constants are rounded by hand and saw no profile of any generation, and no calibration block
is used: what a device costs whose library nobody profiled.

{left_out}
## What-if: the same change, measured and predicted

Pairs of rows that differ in one thing. The sign counts where the measured change is above 3 %.

{what_if}
## Robustness: one extent changed by 1 to 3 %

Change of the prediction, absolute logarithm in per cent. A step of a tile or a wave is part of the machine.

{robust}{networks}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators")
    parser.add_argument("--tantalus", default="build/release/bin/tantalus")
    parser.add_argument("--output", default="docs/validation.md")
    parser.add_argument("--networks", help="what scripts/networks_error.py --json wrote")
    arguments = parser.parse_args()
    validation = Validation(Program(arguments.tantalus), arguments.operators)
    if not validation.answers:
        sys.exit("no table of a described device was found")
    groups = validation.groups()
    text = TEXT.format(means=family_means(groups), errors=error_table(groups), thirds=thirds_table(groups),
                       small=small_table(validation), left_out=left_out_table(validation),
                       what_if=what_if_table(validation), robust=robustness_table(validation),
                       networks=network_table(arguments.networks))
    pathlib.Path(arguments.output).write_text(text)


if __name__ == "__main__":
    main()
