#!/usr/bin/env python3
"""Lays measured beside predicted: rows of tantalus-gpu joined with predictions of the same network, batch and mode.

Usage: gpu_table.py ROWS.csv PREDICTION.json... > TABLE.csv

Rows of layers get the predicted time and the signed error (predicted / measured - 1); a layer's gradient of the bias and of the
weights are apart in both. Whole steps are compared with the prediction of plain launches. The summary, as comments, counts layers
of at least 20 us apart from smaller ones. A layer that beats the device's own measured peaks is flagged as a measuring error.
"""
import csv
import json
import os
import sys

FIELDS = ["kind", "network", "batch", "mode", "layer", "pass", "measured_us", "p10_us", "p90_us", "samples", "bytes", "flops",
          "predicted_us", "error", "low_us", "high_us", "flag"]
LEAST_US = 20.0


def predictions(paths):
    """(network, batch, mode) -> {(layer, pass): (ns, low, high)}, with ("", "whole") for the step."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            p = json.load(file)
        times = {}
        for layer in p["layers"]:
            key = (layer["name"], layer["pass"])
            before = times.get(key, (0.0, 0.0, 0.0))
            new = (layer["time_ns"], layer["time_low_ns"], layer["time_high_ns"])
            times[key] = tuple(a + b for a, b in zip(before, new))
        t = p["totals"]
        times[("", "whole")] = (t["time_ns"], t["time_low_ns"], t["time_high_ns"])
        found[(p["network"], str(p["batch"]), p["mode"])] = times
    return found


def read_rows(path):
    """Comments, facts of the device, probes, and rows of layers and steps."""
    comments, other, rows = [], [], []
    with open(path, newline="", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                comments.append(line.rstrip("\n"))
                continue
            words = next(csv.reader([line]))
            (rows if words[0] in ("layer", "step") else other).append(words)
    return comments, other, rows


def peaks(probes):
    """The largest measured bytes and FLOPs a second; None without probes."""
    bandwidth = flop_rate = None
    for words in probes:
        if words[0] != "probe":
            continue
        name, seconds, moved, flops = words[1], float(words[2]) * 1e-6, float(words[6]), float(words[7])
        if seconds <= 0:
            continue
        if name.startswith("l2_read"):
            bandwidth = moved / seconds
        if name == "fma_peak":
            flop_rate = flops / seconds
    return bandwidth, flop_rate


def flag_of(seconds, moved, flops, bandwidth, flop_rate):
    beats = 1.05  # the probes' own spread
    if seconds <= 0:
        return "no time"
    if flop_rate and flops / seconds > beats * flop_rate:
        return "faster than the FMA probe"
    if bandwidth and moved / seconds > beats * bandwidth:
        return "faster than the L2 probe"
    return ""


def joined(rows, predicted, bandwidth, flop_rate):
    table = []
    for kind, network, batch, mode, layer, step_pass, median, p10, p90, samples, moved, flops in rows:
        stem = os.path.splitext(os.path.basename(network))[0]
        key = ("", "whole") if kind == "step" else (layer, step_pass)
        times = predicted.get((stem, batch, mode), {}).get(key)
        row = dict(zip(FIELDS, [kind, stem, batch, mode, layer, step_pass, median, p10, p90, samples, moved, flops]))
        row["flag"] = flag_of(float(median) * 1e-6, float(moved), float(flops), bandwidth, flop_rate)
        if times and float(median) > 0:
            row["predicted_us"], row["low_us"], row["high_us"] = (f"{t / 1000:.6g}" for t in times)
            row["error"] = f"{times[0] / 1000 / float(median) - 1:.4f}"
        table.append(row)
    return table


def summary(table):
    groups = {}
    for row in table:
        if not row.get("error") or row["flag"]:
            continue
        size = "of 20 us and more" if float(row["measured_us"]) >= LEAST_US else "smaller"
        group = f"steps, {row['layer']}" if row["kind"] == "step" else f"layers {size}"
        inside = float(row["low_us"]) <= float(row["measured_us"]) <= float(row["high_us"])
        groups.setdefault(group, []).append((abs(float(row["error"])), inside))
    lines = []
    for group in sorted(groups):
        errors = sorted(e for e, _ in groups[group])
        count = len(errors)
        covered = sum(inside for _, inside in groups[group])
        lines.append(f"# {group}: {count} rows, MAPE {100 * sum(errors) / count:.1f} %, median {100 * errors[count // 2]:.1f} %, "
                     f"worst {100 * errors[-1]:.1f} %, interval covers {100 * covered / count:.0f} %")
    flagged = sum(bool(row["flag"]) for row in table)
    return lines + [f"# flagged as measuring errors and left out: {flagged}"]


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    comments, other, rows = read_rows(sys.argv[1])
    bandwidth, flop_rate = peaks(other)
    table = joined(rows, predictions(sys.argv[2:]), bandwidth, flop_rate)
    if any(words[:3] == ["gpu", "emulated", "yes"] for words in other):
        comments.append("# EMULATED: no GPU ran this, and no time in it means anything")
    print("\n".join(comments + summary(table)))
    for words in other:
        print("# " + ",".join(words))
    writer = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
