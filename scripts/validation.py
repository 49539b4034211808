#!/usr/bin/env python3
"""Writes docs/validation.md: how far predictions are from measured operators, for every device and family.

usage: scripts/validation.py OPERATORS [--reference REFERENCE] [--tantalus PROGRAM] [--output FILE]
           [--networks FILE.json] [--only-left-out]

OPERATORS is a folder with one folder for each device of hw_configs/devices, and in it tables for
`tantalus validate --measured` (the columns of `tantalus ops` and measured_ms). REFERENCE is a folder with published tables:
whole networks (scripts/networks_error.py reads them) and layers of one CPU (scripts/host_layers.py makes operators of them).
--networks takes what scripts/networks_error.py --output wrote in place of running it.
--only-left-out prints the errors with one generation left out and writes nothing. Python's standard library only.
Rows below the cut (0.1 ms; single-call convolutions 2 ms, whose timer floor is noisy; layers of a CPU 20 us) are summed up apart.
"""
import argparse
import csv
import io
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HOME = pathlib.Path(__file__).resolve().parent
CUTS = {"conv2d": "2 ms"}  # by table; the others 0.1 ms
GENERIC = {"sm": "cuda-generic", "gf": "rocm-generic", "": "generic-cpu"}  # by the first letters of the architecture
CALLS = "pytorch-2.1-calls"  # the software of single calls; it stays when the catalogue is left out
KNOWLEDGE = {"datasheet": "data sheet", "all": "default"}
HOST_LAYERS = "host_zen5_vm_layers.csv"
COVERED = 0.78  # what the stated intervals aim at
MEDIANS = (0.93, 1.07)  # of predicted / measured, for products and element-wise rows
LEAST_FOR_SET = 15  # rows of a set that the count of intervals that hold is about

# What each table is, and which constants have seen its rows.
TABLES = {
    "gemm": ("PyTorch 2.1 products (NeuSight)",
             "which tiles a generation owns and their efficiencies were read from kernel names and rates of profiles of these GPUs; "
             "at most 10 rows a device in calibration blocks, named in the files"),
    "elementwise": ("PyTorch 2.1 element-wise operators, softmax and layer norm (NeuSight)",
                    "in sample at default: the bandwidth share of a calibration block is that of the largest tensors, and the constants of "
                    "a row are one fit over all NVIDIA GPUs; blind at the data sheet except for softmax and layer norm"),
    "conv2d": ("PyTorch 2.1 convolutions, 3x3, stride 1 (NeuSight)",
               "in sample: algorithms, efficiencies and energies of cuda-12 were rounded by hand after looking at these rows"),
    "deepbench_gemm": ("DeepBench products",
                       "Titan X: in sample (cuda-8 was rounded on them); V100: lanes blind, fp16 in one fit with A100; others blind"),
    "deepbench_conv_forward": ("DeepBench convolutions, forward",
                               "in sample: factors and transforms of cuda-10, cuda-generic and cudnn-5 to 7 were rounded on V100 and Titan X rows"),
    "deepbench_conv_input_gradient": ("DeepBench convolutions, input gradient", "in sample, as forward"),
    "deepbench_conv_weight_gradient": ("DeepBench convolutions, weight gradient", "in sample, as forward"),
    "llmcompass": ("PyTorch 2.0 in fp16 on A100 (LLMCompass)", "matrix products: one fit with DeepBench on V100; the rest blind"),
    "caffe_cudnn": ("Caffe with cuDNN 5.1, AlexNet (dividiti)",
                    "SqueezeNet layers of the same published set gave products and loops their constants; these rows are blind"),
    "caffe_im2col": ("Caffe's column matrix on a GPU, AlexNet (dividiti)", "as caffe_cudnn; norm2 and fc6 to fc8 of other builds of Caffe too"),
    "titanx_im2col": ("Caffe's column matrix, batch 128 (convnet-benchmarks)", "blind"),
    "boda_vendor": ("cuDNN 5 single calls, batch 1 to 20 (boda)", "blind"),
    "caffe_openblas": ("Caffe with OpenBLAS, AlexNet (dividiti)",
                       "in sample: scalar loops and the threaded efficiency, through the study's fit"),
    "mkl_im2col": ("Caffe with MKL, batch 256 (convnet-benchmarks)", "relu3 to relu5 and the efficiency of MKL have seen rows"),
}
HOST_TABLE = ("layers of a Zen 5 virtual machine, one thread, quietest round",
              "partly in sample: sweeps of single layers and VGG16 gave the constants; AlexNet, LeNet and plain networks are blind")


def table_words(table):
    return TABLES.get(table, HOST_TABLE if table.startswith("host_") else (table, "not said"))


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


def csv_text(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read_rows(table):
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


class Validation:
    """Every table of every device, at both levels of knowledge."""

    def __init__(self, program, folders):
        self.program, self.answers, self.left_out = program, {}, []
        found = sorted((t for folder in folders for t in pathlib.Path(folder).glob("*/*.csv")),
                       key=lambda t: (t.parent.name, t.stem))
        known = {name: self.known(name) for name in {t.parent.name for t in found}}
        self.left_out = sorted(name for name in known if not known[name])
        self.tables = [t for t in found if known[t.parent.name]]
        for table in self.tables:
            for knowledge in KNOWLEDGE:
                answer = program.validate(table.parent.name, table, "--knowledge", knowledge)
                if answer:
                    self.answers[table.parent.name, table.stem, knowledge] = answer

    def known(self, device):
        _, err = self.program.run("check", device)
        mistakes = [line for line in err.splitlines() if "error[" in line]
        if any("unknown-name" not in line for line in mistakes):
            sys.exit(f"{device}: {mistakes[0]}")  # a page without it would look whole
        return not mistakes

    def groups(self):
        """(table, family, device) -> {knowledge: {size: summary}}"""
        found = {}
        for (device, table, knowledge), answer in self.answers.items():
            for group in answer["groups"]:
                key = table, group["family"], device
                found.setdefault(key, {}).setdefault(knowledge, {})[group["size"]] = group["summary"]
        return dict(sorted(found.items(), key=lambda item: (item[0][1], item[0])))

    def rows(self, knowledge):
        """family -> [rows of the small, the middle and the large third of each set], pooled over devices."""
        pooled = {}
        for (_, _, level), answer in self.answers.items():
            if level != knowledge:
                continue
            families = {}
            for row in answer["rows"]:
                families.setdefault(row["family"], []).append(row)
            for family, rows in families.items():
                rows.sort(key=lambda r: r["roofline_ms"])
                cut = len(rows) // 3
                thirds = rows[:cut], rows[cut:len(rows) - cut], rows[len(rows) - cut:]
                for into, third in zip(pooled.setdefault(family, ([], [], [])), thirds):
                    into += third
        return dict(sorted(pooled.items()))


# ---- the errors

def family_means(groups):
    """MAPE pooled by device, then the mean over devices."""
    means = {}
    for (table, family, _), by_knowledge in groups.items():
        sheet, default = by_knowledge["datasheet"]["all"], by_knowledge["all"]["all"]
        means.setdefault((table, family), []).append((default["count"], sheet["mape"], default["mape"], default["roofline_mape"]))
    rows = []
    for (table, family), values in means.items():
        sheet, default, roofline = (statistics.mean(v[i] for v in values) for i in (1, 2, 3))
        rows.append([family, table, len(values), sum(v[0] for v in values), percent(sheet), f"**{percent(default)}**",
                     percent(roofline)])
    return table_text(["family", "table", "devices", "rows", "data sheet", "default", "roofline"], rows)


def device_grid(groups):
    """Family by device: default MAPE against the roofline's."""
    by_family, devices = {}, set()
    for (_, family, device), by_knowledge in groups.items():
        s = by_knowledge["all"]["all"]
        devices.add(device)
        by_family.setdefault(device, {}).setdefault(family, []).append((s["count"], s["mape"], s["roofline_mape"]))
    families = sorted({family for cells in by_family.values() for family in cells if sum(c[0] for c in cells[family]) >= 5})
    rows = []
    for device in sorted(devices):
        cells = [device]
        for family in families:
            sets = by_family[device].get(family)
            if not sets:
                cells.append("")
                continue
            count = sum(n for n, _, _ in sets)
            ours, roofline = (sum(s[0] * s[i] for s in sets) / count for i in (1, 2))
            cells.append(f"**{100 * ours:.0f}** ({100 * roofline:.0f})")
        rows.append(cells)
    return table_text(["device", *families], rows)


DETAIL = ["table", "family", "device", "rows", "MAPE", "bias", "median", "p90", "worst", "ratio", "med. abs. ln", "> 1.5x", "rank",
          "covered", "width", "roofline"]


def error_table(groups, knowledge):
    rows = []
    for (table, family, device), by_knowledge in groups.items():
        s = by_knowledge[knowledge]["all"]
        rows.append([table, family, device, s["count"], percent(s["mape"]), signed(s["bias"]), percent(s["median_ape"]),
                     percent(s["p90_ape"]), percent(s["worst_ape"]), f"{s['median_ratio']:.2f}",
                     f"{math.log(s['median_factor']):.3f}", percent(s["beyond_1_5x"]), f"{s['rank_correlation']:.3f}",
                     percent(s["interval_coverage"]), percent(s["interval_width"]), percent(s["roofline_mape"])])
    return table_text(DETAIL, rows)


def thirds_table(groups, knowledge):
    rows = []
    for (table, family, device), by_knowledge in groups.items():
        sizes = by_knowledge[knowledge]
        if "small" not in sizes:
            continue
        cells = [table, family, device]
        for size in ("small", "middle", "large"):
            s = sizes[size]
            cells += [percent(s["mape"]), signed(s["bias"]), percent(s["interval_coverage"]), percent(s["interval_width"])]
        rows.append(cells)
    header = ["table", "family", "device"]
    for size in ("small", "middle", "large"):
        header += [f"{size}: MAPE", "bias", "covered", "width"]
    return table_text(header, rows)


def small_table(validation):
    rows = []
    for (device, table, knowledge), answer in sorted(validation.answers.items(), key=lambda item: (item[0][1], item[0])):
        s = answer["below"]["summary"]
        if knowledge == "all" and s["count"]:
            rows.append([table, device, s["count"], percent(s["mape"]), signed(s["bias"]), percent(s["median_ape"]),
                         percent(s["p90_ape"]), percent(s["interval_coverage"])])
    return table_text(["table", "device", "rows", "MAPE", "bias", "median", "p90", "covered"], rows)


# ---- intervals

def covered(rows):
    return sum(r["low_ms"] <= r["measured_ms"] <= r["high_ms"] for r in rows) / len(rows)


def width(rows):
    return statistics.median((r["high_ms"] - r["low_ms"]) / r["predicted_ms"] for r in rows)


def interval_table(validation):
    rows = []
    for knowledge, words in KNOWLEDGE.items():
        for family, thirds in validation.rows(knowledge).items():
            everything = [row for third in thirds for row in third]
            if len(everything) < LEAST_FOR_SET:
                continue
            mape = statistics.mean(abs(r["predicted_ms"] / r["measured_ms"] - 1) for r in everything)
            rows.append([family, words, len(everything), percent(mape), percent(covered(everything)),
                         *(percent(covered(third)) if third else "-" for third in thirds), percent(width(everything)),
                         f"{width(everything) / mape:.1f}"])
    return table_text(["family", "knowledge", "rows", "MAPE", "covered", "small", "middle", "large", "width", "width / MAPE"], sorted(rows))


def interval_count(groups, knowledge):
    """How many sets have their interval where it should be."""
    sets = [by[knowledge]["all"] for by in groups.values() if by[knowledge]["all"]["count"] >= LEAST_FOR_SET]
    cover = sum(0.70 <= s["interval_coverage"] <= 0.92 for s in sets)
    narrow = sum(s["interval_width"] <= 3 * s["mape"] for s in sets)
    thirds = [by[knowledge][size] for by in groups.values() for size in ("small", "middle", "large") if size in by[knowledge]]
    in_thirds = sum(0.70 <= s["interval_coverage"] <= 0.92 for s in thirds)
    return (f"{KNOWLEDGE[knowledge]}: of {len(sets)} sets of {LEAST_FOR_SET} rows and more, {cover} are covered to 70-92 % and {narrow} "
            f"have a median width of at most 3 x MAPE; of {len(thirds)} thirds {in_thirds} are covered to 70-92 %.")


def within(row, scale=1.0):
    """Is the measured time inside the interval, with both of its factors raised to the power of `scale`?"""
    low, high = (math.log(row[side] / row["predicted_ms"]) * scale for side in ("low_ms", "high_ms"))
    return low <= math.log(row["measured_ms"] / row["predicted_ms"]) <= high


def scale_for(sets):
    """By what the intervals of these sets of rows must be widened to hold COVERED of each, every set weighing the same."""
    wanted = []
    for rows in sets:
        for row in rows:
            error = math.log(row["measured_ms"] / row["predicted_ms"])
            side = math.log(row["high_ms" if error > 0 else "low_ms"] / row["predicted_ms"])
            wanted.append((error / side if side else math.inf, 1 / len(rows)))
    wanted.sort()
    reached = 0.0
    for scale, weight in wanted:
        reached += weight
        if reached >= COVERED * len(sets):
            return scale
    return wanted[-1][0]


def rows_by_family(validation):
    """family -> device -> rows, default knowledge, all tables."""
    found = {}
    for (device, _, knowledge), answer in validation.answers.items():
        for row in answer["rows"] if knowledge == "all" else ():
            found.setdefault(row["family"], {}).setdefault(device, []).append(row)
    return dict(sorted(found.items()))


def held_out_table(validation):
    """Intervals widened or narrowed by what the other devices ask for, counted on the one that is left out."""
    rows = []
    for family, devices in rows_by_family(validation).items():
        sets = {device: r for device, r in devices.items() if len(r) >= LEAST_FOR_SET}
        for device, own in sorted(sets.items()):
            others = [r for other, r in sets.items() if other != device]
            if not others:
                continue
            scale = scale_for(others)
            rows.append([family, device, len(own), f"{scale:.2f}", percent(sum(within(r, scale) for r in own) / len(own)),
                         percent(covered(own))])
    return table_text(["family", "device left out", "rows", "widened by the others", "covered so", "covered as stated"], rows)


# ---- medians

def median_text(groups):
    """Sets of products and element-wise rows whose median of predicted / measured is outside MEDIANS."""
    lines = []
    for knowledge, words in KNOWLEDGE.items():
        sets = {key: by[knowledge]["all"] for key, by in groups.items() if key[1].split()[0] in ("gemm", "elementwise")}
        outside = [(key, s) for key, s in sets.items() if not MEDIANS[0] <= s["median_ratio"] <= MEDIANS[1]]
        lines.append(f"{words}: {len(sets) - len(outside)} of {len(sets)} sets within {MEDIANS[0]} to {MEDIANS[1]}"
                     + ("; outside:" if outside else ": all.") + "\n")
        lines += [f"- {family}, {table}, {device}: {s['median_ratio']:.3f} of {s['count']} rows"
                  + ("" if is_aimed_at(table, family, device) else " (no device of the aims)")
                  for (table, family, device), s in outside]
        lines.append("")
    return "\n".join(lines)


def is_aimed_at(table, family, device):
    """Of the sets that the aims of this project name: NVIDIA and MI GPUs under PyTorch, DeepBench and LLMCompass on V100 and A100."""
    return (table in ("gemm", "elementwise", "llmcompass")
            or table == "deepbench_gemm" and device == "v100-sxm2" and family in ("gemm fp32", "gemm fp16"))


# ---- what was calibrated

def calibration_table(devices):
    """The calibration block of each device file, and what it says of its sources."""
    rows = []
    for device in devices:
        text = (HOME.parent / "hw_configs" / "devices" / f"{device}.yaml").read_text()
        block = re.search(r"^calibration:\n((?:  .*\n?)+)", text, re.MULTILINE)
        if not block:
            rows.append([device, "none: both levels of knowledge are the data sheet", ""])
            continue
        for line in block.group(1).splitlines():
            field, _, value = line.strip().partition(": ")
            found = re.search(rf'^  "?{re.escape(field)}"?: "?(.*?)"?$', text, re.MULTILINE)
            source = found.group(1).split("calibration: ")[-1] if found else ""
            rows.append([device, f"`{field}` {value.split('#')[0].strip()}", source])
    return table_text(["device", "calibration", "source"], rows)


def seen_table(validation):
    names = sorted({"host_*" if t.stem.startswith("host_") else t.stem for t in validation.tables})
    return table_text(["table", "what was timed", "which constants have seen it"], [[n, *table_words(n)] for n in names])


# ---- what-if pairs: two measured rows that differ in one thing

SHAPE = ("op dtype batch m n k in_ch in_h in_w out_ch kernel_h kernel_w stride pad groups rows cols inputs algorithm bias "
         "pass trans_a trans_b timing").split()
DEVICE_PAIRS = (("a100-40gb-pcie", "a100-80gb-pcie"), ("v100-pcie", "v100-sxm2"), ("p100-pcie-16gb", "v100-pcie"), ("t4", "l4"),
                ("v100-pcie", "a100-40gb-pcie"), ("a100-80gb-pcie", "h100-sxm5"), ("mi100", "mi210"),
                ("titanx-maxwell", "titanx-pascal"), ("titanx-pascal", "v100-sxm2"))
DOUBLED = ("batch", "k", "m", "n", "rows", "cols", "out_ch", "in_ch")


def rows_of(validation, device, table):
    path = next(t for t in validation.tables if t.parent.name == device and t.stem == table)
    predicted = {r["line"]: r for r in validation.answers[device, table, "all"]["rows"]}
    for line, row in enumerate(read_rows(path), start=2):
        if line in predicted:
            yield tuple(row[c] for c in SHAPE), row.get("label", ""), predicted[line]


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


def joined(before, after):
    return [(time_pair(row), time_pair(after[key])) for key, row in before.items() if key in after]


def pairs_of(validation):
    """(change, table) -> pairs, pooled over devices where the change is of a shape."""
    by_shape, by_label, found = {}, {}, {}
    for device, table, knowledge in validation.answers:
        if knowledge != "all":
            continue
        rows = list(rows_of(validation, device, table))
        by_shape[device, table] = {shape: row for shape, _, row in rows}
        by_label[device, table] = {(label, *shape): row for shape, label, row in rows}
    for (_, table), rows in by_shape.items():
        for column in DOUBLED:
            twice = {doubled(shape, column): row for shape, row in rows.items()}
            found.setdefault((f"{column} x2", table), []).extend(joined(twice, rows))
    for old, new in DEVICE_PAIRS:
        for (device, table), rows in by_shape.items():
            if device == old and (new, table) in by_shape:
                found[f"{old} to {new}", table] = joined(rows, by_shape[new, table])
    for (device, table), rows in by_label.items():
        wide = table.replace("avx2", "avx512")
        if table.startswith("host_") and wide != table and (device, wide) in by_label:
            found["AVX2 to AVX-512", table.removesuffix("-avx2")] = joined(rows, by_label[device, wide])
    return {key: pairs for key, pairs in sorted(found.items()) if len(pairs) >= 5}


def what_if_table(validation):
    found = pairs_of(validation)
    rows = [[*key, *pair_summary(pairs)] for key, pairs in found.items()]
    for name, wanted in (("all shapes", "x2"), ("all devices", " to "), ("all pairs", "")):
        pooled = [pair for (change, _), pairs in found.items() if wanted in change for pair in pairs]
        if pooled:
            rows.append([f"**{name}**", "", *pair_summary(pooled)])
    text = table_text(["change", "table", "pairs", "right sign %", "ratio within 10 % of the measured, %"], rows)
    missing = [f"{a} to {b}" for a, b in DEVICE_PAIRS if not any(change == f"{a} to {b}" for change, _ in found)]
    return text + (f"\nNo shape was timed on both: {', '.join(missing)}.\n" if missing else "")


# ---- robustness: the same rows with one extent changed by 1 to 3 %

def nudged(rows, step):
    changed = [dict(row) for row in rows]
    for index, row in enumerate(changed):
        column = next((c for c in ("n", "cols", "out_ch") if row.get(c)), None)
        if column:
            old, unit = int(row[column]), int(row.get("groups") or 1)  # channels stay whole in each group
            row[column] = str(old + unit * max(1, round(old / unit * (1 + (index + step) % 3) / 100)))
    return csv_text(changed)


def robustness_table(validation):
    rows = []
    for table in sorted(validation.tables, key=lambda t: t.stem):
        device = table.parent.name
        plain = validation.answers.get((device, table.stem, "all"))
        if not plain or not plain["rows"]:
            continue
        moved = validation.program.validate(device, table, text=nudged(read_rows(table), 0))
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

def by_rows(row):
    """A product of DeepBench is stored by columns, which its alias knows and a catalogue does not."""
    if row["library"] == "deepbench" and row["op"] == "gemm":
        row.update(m=row["n"], n=row["m"], trans_a=row["trans_b"], trans_b=row["trans_a"])
    return row


def left_out_answer(program, table):
    device = table.parent.name
    shown, _ = program.run("show", device, "--quiet")
    architecture = next((line.split()[1] for line in shown.splitlines() if line.startswith("architecture:")), "")
    generic = GENERIC.get(architecture[:2], "generic-cpu")
    processor = generic == "generic-cpu"
    rows = [dict(row if processor else by_rows(row), library=generic) for row in read_rows(table)]
    calls = any(row["timing"] == "single_call" for row in rows) and not processor
    options = ("--stack", CALLS) if calls else ()
    return program.validate(device, table, "--knowledge", "datasheet", *options, text=csv_text(rows))


def left_out_table(validation):
    rows = []
    for table in sorted(validation.tables, key=lambda t: t.stem):
        full = validation.answers.get((table.parent.name, table.stem, "all"))
        answer = left_out_answer(validation.program, table) if full else None
        if not answer:
            continue
        known = {g["family"]: g["summary"] for g in full["groups"] if g["size"] == "all"}
        for group in answer["groups"]:
            s = group["summary"]
            if group["size"] == "all" and group["family"] in known and s["count"] >= 5:
                rows.append([table.stem, group["family"], table.parent.name, s["count"], percent(s["mape"]), signed(s["bias"]),
                             percent(s["median_ape"]), percent(s["interval_coverage"]), percent(known[group["family"]]["mape"]),
                             percent(s["roofline_mape"])])
    return table_text(["table", "family", "device", "rows", "MAPE", "bias", "median", "covered", "with its catalogue", "roofline"], rows)


# ---- whole networks and layers in a chain

def printed(script, *arguments):
    done = subprocess.run([sys.executable, str(HOME / script), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{script}: {done.stderr.strip()}")
    return done.stdout


def networks_of(reference, program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "networks.json"
        printed("networks_error.py", reference, "--tantalus", program.path, "--output", str(path))
        return json.loads(path.read_text())


def network_table(document):
    rows = []
    for group in document["groups"]:
        lines = [r for r in document["rows"] if (r["source"], r["device"], r["mode"]) ==
                 (group["source"], group["device"], group["mode"])]
        inside = sum(r["low_ms"] <= r["measured_ms"] <= r["high_ms"] for r in lines) / len(lines)
        wide = statistics.median((r["high_ms"] - r["low_ms"]) / (r["measured_ms"] * (1 + r["error"])) for r in lines)
        rows.append([group["source"], group["device"], group["mode"], group["count"], percent(group["datasheet_mape"]),
                     f"**{percent(group['mape'])}**", signed(group["bias"]), percent(group["median_ape"]),
                     percent(max(abs(r["error"]) for r in lines)), percent(inside), percent(wide), percent(group["roofline_mape"])])
    return table_text(["source", "device", "mode", "rows", "data sheet", "default", "bias", "median", "worst", "covered", "width",
                       "roofline"], rows)


def chain_text(reference, program):
    layers = str(pathlib.Path(reference) / HOST_LAYERS)
    lines = printed("host_layers.py", layers, "--chains", "--column", "time_ms_quiet", "--tantalus", program.path).splitlines()
    return "".join(f"- {line}\n" for line in lines)


TEXT = """# Validation: predicted against measured

Made by

<!-- by hand: needs the published tables -->
```sh
scripts/validation.py OPERATORS --reference REFERENCE
```

from published timings of single operators (OPERATORS: tables for `tantalus validate --measured`, a folder a device) and of whole
networks and CPU layers (REFERENCE); run it again after any change to a model or a constant. Errors are predicted / measured - 1, in
per cent; MAPE is their mean without sign. *Data sheet* is `--knowledge datasheet`: no `calibration:` block of any file is used.
*Default* uses them. The *roofline* (FLOPs over the listed peak, bytes over the listed bandwidth) is judged beside it. Rows below 0.1 ms
(single convolutions 2 ms, layers of the Zen 5 machine 20 us) stand apart.

## Summary

MAPE by family and table: pooled for each device, then the mean over devices.

{means}
The same for each device, default, all tables pooled; in brackets the roofline.

{grid}
## What is calibrated and what is blind

A calibration block holds a few numbers of the kind that a microbenchmark of five minutes gives. Efficiencies of a catalogue are rounded
by hand, one for a library generation and never for a row; but many were rounded after looking at rows that are scored here. Read
errors of such tables as *in sample*; "One generation left out" is the nearest that this page has to a new device.

{seen}
{calibration}
Not scored, for no file describes the device: {missing}.

## Intervals

80 % intervals ([modelling](modelling.md#intervals)) should hold 70-92 % of the rows in each third of the sizes (by roofline time), at a
median width ((high - low) / predicted) of at most 3 x MAPE. The shares behind them were chosen with each device left out in turn, then
by hand in about six rounds while looking at all of them, so this table is *in sample*. Pooled over devices:

{intervals}
{counts}

### One device left out

The intervals of a family, widened by the power that holds 78 % of the rows of every other device on average, and the rows of the device that was left
out of it. *As stated*: what the catalogues say.

{held_out}
## Medians

Median of predicted / measured of each set of products and element-wise rows (a set is a family, a table and a device).

{medians}
## Whole networks

How far kernels of one family err together within a step was chosen on cnn-benchmarks with cuDNN and timm on GPUs; *covered* is in sample
there, and not elsewhere. Six of the 40 rows of the Core i9-10940X gave constants (its VGG-11, VGG-19 and Wide ResNet-50 rows); the EPYC 7742 is
blind, the Raspberry Pi 4 was looked at. The rows of "jcjohnson im2col" had a say in how far products cut k; what single layers of
convnet-benchmarks said came first.

{networks}
## Layers in a chain, Zen 5 machine

{chains}
## One generation left out

The generic catalogue answers, and no calibration block is used: what a device costs whose library nobody profiled. (The constants of the
generic CUDA catalogue are rounded over V100 and Titan X; host times of single calls stay, without the factor of the host. On
processors the generic library runs every loop on all cores and in vectors, so it says nothing of Caffe's serial scalar loops.)

{left_out}
## What-if: the same change, measured and predicted

Pairs of rows that differ in one thing. The sign counts where the measured change is above 3 %.

{what_if}
## Robustness: one extent changed by 1 to 3 %

Change of the prediction, absolute logarithm in per cent. A step of a tile or a wave is part of the machine.

{robust}
## Details, default

*ratio*: median of predicted / measured; *> 1.5x*: share of rows off by more than that; *rank*: Spearman's correlation.

{errors}
## Details, data sheet

{sheet}
## Thirds of the sizes, default

{thirds}
## Thirds of the sizes, data sheet

{sheet_thirds}
## Rows below the cut

Never part of the figures above, never hidden: what a single call of a small operator costs is mostly the host's doing. Default.

{small}"""


def page(validation, reference, networks):
    program = validation.program
    groups = validation.groups()
    devices = sorted({t.parent.name for t in validation.tables})
    return TEXT.format(
        means=family_means(groups), grid=device_grid(groups), seen=seen_table(validation), calibration=calibration_table(devices),
        missing=", ".join(validation.left_out) or "none", intervals=interval_table(validation),
        counts="\n\n".join(interval_count(groups, k) for k in KNOWLEDGE), held_out=held_out_table(validation),
        medians=median_text(groups),
        networks=network_table(networks) if networks else "Not run.\n",
        chains=chain_text(reference, program) if reference else "Not run.\n", left_out=left_out_table(validation),
        what_if=what_if_table(validation), robust=robustness_table(validation), errors=error_table(groups, "all"),
        sheet=error_table(groups, "datasheet"), thirds=thirds_table(groups, "all"), sheet_thirds=thirds_table(groups, "datasheet"),
        small=small_table(validation))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators")
    parser.add_argument("--reference", help="folder with the published tables of networks and CPU layers")
    parser.add_argument("--tantalus", default="build/release/bin/tantalus")
    parser.add_argument("--output", default="docs/validation.md")
    parser.add_argument("--networks", help="what scripts/networks_error.py --output wrote")
    parser.add_argument("--only-left-out", action="store_true", help="print the errors with one generation left out; write nothing")
    arguments = parser.parse_args()
    program = Program(arguments.tantalus)
    with tempfile.TemporaryDirectory() as layers:
        if arguments.reference:
            printed("host_layers.py", str(pathlib.Path(arguments.reference) / HOST_LAYERS), "--tables", layers, "--column",
                    "time_ms_quiet")
        validation = Validation(program, [arguments.operators, layers])
        if not validation.answers:
            sys.exit("no table of a described device was found")
        if arguments.only_left_out:
            print(left_out_table(validation), end="")
            return
        networks = None
        if arguments.networks:
            networks = json.loads(pathlib.Path(arguments.networks).read_text())
        elif arguments.reference:
            networks = networks_of(arguments.reference, program)
        pathlib.Path(arguments.output).write_text(page(validation, arguments.reference, networks))


if __name__ == "__main__":
    main()
