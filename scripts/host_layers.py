#!/usr/bin/env python3
"""Turns measured layer times of one CPU into operator tables, and puts in-network times beside `tantalus predict`.

usage: scripts/host_layers.py LAYERS.csv --tables FOLDER [--device zen5-vm] [--column time_ms]
       scripts/host_layers.py LAYERS.csv --chains [--tantalus PROGRAM] [--device zen5-vm] [--dump FILE.csv]
       scripts/host_layers.py LAYERS.csv --pairs [--tantalus PROGRAM] [--device zen5-vm]

LAYERS.csv has the columns library, isa, threads, network, layer, batch, pass, time_ms, time_ms_quiet, impl. --tables writes
FOLDER/DEVICE/host_LIBRARY.csv for `tantalus validate --measured` and scripts/validation.py (layers repeated on the same buffers).
--chains compares layers timed inside a whole pass, and whole passes, for the networks that models/networks describes.
--pairs asks of each layer measured with AVX2 and with AVX-512 whether the predicted change has the right sign and ratio.
Left out, because no operator says them: changes of layout (.reorder), parts of a layer (.im2col, .bias, .gemv) and pooling that
fell back to a plain layout because of the layer before it. Python's standard library only.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

CATALOGUES = {("onednn", "default"): "onednn-avx512", ("onednn", "avx2"): "onednn-avx2",
              ("openblas", "Cooperlake"): "openblas-avx512", ("openblas", "Haswell"): "openblas-avx2"}
COLUMNS = ("op dtype batch m n k in_ch in_h in_w out_ch kernel_h kernel_w stride pad groups rows cols inputs algorithm bias pass "
           "trans_a trans_b timing library measured_ms label").split()
PASSES = {"fwd": "forward", "bwd_data": "input_gradient", "bwd_weights": "weight_gradient"}
LEAST_MS = 0.02


def conv(channels, size, out, kernel, stride=1, pad=0, groups=1):
    return {"op": "conv2d", "in_ch": channels, "in_h": size, "in_w": size, "out_ch": out, "kernel_h": kernel,
            "kernel_w": kernel, "stride": stride, "pad": pad, "groups": groups, "bias": 1}


def linear(inputs, out):
    return {"op": "gemm", "n": out, "k": inputs, "trans_a": 0, "trans_b": 1, "bias": 1}


def pool(channels, size, kernel, stride):
    return {"op": "maxpool", "in_ch": channels, "in_h": size, "in_w": size, "kernel_h": kernel, "kernel_w": kernel,
            "stride": stride}


def relu(elements):
    return {"op": "relu", "cols": elements}


def lrn(channels, size):
    return {"op": "lrn", "in_ch": channels, "in_h": size, "in_w": size, "kernel_h": 5}


def softmax(columns):
    return {"op": "softmax", "cols": columns}


def vgg16():
    layers, channels, size = {}, 3, 224
    for stage, (out, convolutions) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)), 1):
        for index in range(1, convolutions + 1):
            layers[f"conv{stage}_{index}"] = conv(channels, size, out, 3, 1, 1)
            layers[f"relu{stage}_{index}"] = relu(out * size * size)
            channels = out
        layers[f"pool{stage}"] = pool(channels, size, 2, 2)
        size //= 2
    return layers


def plain18():
    layers = {"conv1": conv(3, 224, 64, 7, 2, 3), "relu1": relu(64 * 112 * 112), "pool1": pool(64, 112, 2, 2)}
    channels, size = 64, 56
    for stage, out in enumerate((64, 128, 256, 512), 2):
        for index in range(1, 5):
            stride = 2 if stage > 2 and index == 1 else 1
            layers[f"conv{stage}_{index}"] = conv(channels, size, out, 3, stride, 1)
            channels, size = out, size // stride
            layers[f"relu{stage}_{index}"] = relu(out * size * size)
    layers.update(pool5=pool(512, 7, 7, 7), fc=linear(512, 1000), softmax=softmax(1000))
    return layers


NETWORKS = {
    "lenet-pad2": {
        "conv1": conv(1, 28, 6, 5, 1, 2), "relu1": relu(6 * 28 * 28), "pool1": pool(6, 28, 2, 2), "conv2": conv(6, 14, 16, 5),
        "relu2": relu(1600), "pool2": pool(16, 10, 2, 2), "fc1": linear(400, 120), "relu3": relu(120), "fc2": linear(120, 60),
        "relu4": relu(60), "fc3": linear(60, 10), "softmax": softmax(10)},
    "alexnet": {
        "conv1": conv(3, 224, 64, 11, 4, 2), "relu1": relu(64 * 55 * 55), "pool1": pool(64, 55, 3, 2),
        "conv2": conv(64, 27, 192, 5, 1, 2), "relu2": relu(192 * 27 * 27), "pool2": pool(192, 27, 3, 2),
        "conv3": conv(192, 13, 384, 3, 1, 1), "relu3": relu(384 * 169), "conv4": conv(384, 13, 256, 3, 1, 1),
        "relu4": relu(256 * 169), "conv5": conv(256, 13, 256, 3, 1, 1), "relu5": relu(256 * 169), "pool5": pool(256, 13, 3, 2),
        "fc6": linear(9216, 4096), "relu6": relu(4096), "fc7": linear(4096, 4096), "relu7": relu(4096),
        "fc8": linear(4096, 1000), "softmax": softmax(1000)},
    "alexnet_lrn": {
        "conv1": conv(3, 227, 96, 11, 4), "relu1": relu(96 * 55 * 55), "norm1": lrn(96, 55), "pool1": pool(96, 55, 3, 2),
        "conv2": conv(96, 27, 256, 5, 1, 2, 2), "relu2": relu(256 * 27 * 27), "norm2": lrn(256, 27),
        "pool2": pool(256, 27, 3, 2)},
    "vgg16_features": vgg16(),
    "plain18": plain18(),
    "cifar_quick": {
        "conv1": conv(3, 32, 32, 5, 1, 2), "pool1": pool(32, 32, 2, 2), "relu1": relu(32 * 256), "conv2": conv(32, 16, 32, 5, 1, 2),
        "relu2": relu(32 * 256), "pool2": pool(32, 16, 2, 2), "conv3": conv(32, 8, 64, 5, 1, 2), "relu3": relu(64 * 64),
        "pool3": pool(64, 8, 2, 2), "fc1": linear(1024, 64), "fc2": linear(64, 10), "softmax": softmax(10)},
}


def sweep_layer(name):
    """Layers of the sweeps say their shape: ic3_hw32_oc16_k5_s1_p2, m64_n64_k64, pool_c16_hw32_k2_s2, ..."""
    numbers = [int(n) for n in re.findall(r"\d+", name)]
    if name.startswith("ic"):
        channels, size, out, kernel, stride = numbers[:5]
        return conv(channels, size, out, kernel, stride, numbers[5] if len(numbers) > 5 else kernel // 2)
    if name.startswith("fc_"):
        return linear(*numbers)
    if name.startswith("pool_"):
        return pool(*numbers)
    if name.startswith("relu_KiB"):
        return {"op": "relu", "rows": 1, "cols": numbers[0] * 256}  # of the whole batch
    if name.startswith("lrn_"):
        return lrn(*numbers)
    if name.startswith("softmax_"):
        return softmax(*numbers)
    if re.fullmatch(r"m\d+_n\d+_k\d+", name):
        return {"op": "gemm", "m": numbers[0], "n": numbers[1], "k": numbers[2], "trans_a": 0, "trans_b": 0}
    return None


def product_of(layer):
    """The matrix product inside an im2col convolution."""
    out = (layer["in_h"] + 2 * layer["pad"] - layer["kernel_h"]) // layer["stride"] + 1
    return {"op": "gemm", "m": layer["out_ch"], "n": out * out, "k": layer["in_ch"] * layer["kernel_h"] ** 2, "trans_a": 0,
            "trans_b": 0}


def layer_of(row):
    name, _, part = row["layer"].partition(".")
    layers = NETWORKS.get(row["network"])
    layer = layers.get(name) if layers else sweep_layer(name)
    if layer is None or part not in ("", "gemm"):
        return None
    if part == "gemm":
        return product_of(layer) if layer["op"] == "conv2d" and layer["groups"] == 1 else None
    if layer["op"] == "maxpool" and row["impl"].startswith("simple"):
        return None
    return layer


def catalogue_of(row):
    return CATALOGUES.get((re.match(r"[a-z]+", row["library"].lower()).group(), row["isa"]))


def operator_of(row, column="time_ms"):
    """One row of an operator table, or None."""
    layer, catalogue = layer_of(row), catalogue_of(row)
    if layer is None or catalogue is None or row["pass"] not in PASSES or row["threads"] != "1":
        return None
    batch = int(row["batch"])
    cells = {"dtype": "fp32", "timing": "queued", "library": catalogue, "measured_ms": row[column],
             "label": f"{row['network']}:{row['layer']}:{batch}", **layer}
    if layer["op"] in ("conv2d", "gemm"):
        cells["pass"] = PASSES[row["pass"]]
    if layer["op"] == "gemm":
        cells.setdefault("m", batch)
        cells["batch"] = 1
    elif layer["op"] in ("relu", "softmax"):
        cells.setdefault("rows", batch)
    else:
        cells["batch"] = batch
    return cells


def write_tables(rows, arguments):
    tables = {}
    for row in rows:
        cells = operator_of(row, arguments.column)
        if cells:
            tables.setdefault(cells["library"], []).append(cells)
    folder = pathlib.Path(arguments.tables) / arguments.device
    folder.mkdir(parents=True, exist_ok=True)
    for catalogue, cells in sorted(tables.items()):
        path = folder / f"host_{catalogue}.csv"
        with path.open("w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(cells)
        print(f"{path} {len(cells)}")


def run(program, *arguments, text=None):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


# ---- layers inside a whole pass

CHAINS = {"lenet-pad2": "lenet-pad2", "alexnet": "alexnet", "vgg16_features": "vgg16"}


def predicted_chain(arguments, network, batch, catalogue):
    answer = run(arguments.tantalus, "predict", arguments.device, CHAINS[network], "--batch", str(batch), "--set",
                 f"libraries=[{catalogue}]", "--format", "json", "--quiet")
    return {layer["name"]: layer["time_ns"] / 1e6 for layer in answer["layers"]}


def error_line(name, pairs):
    if not pairs:
        return f"{name}: no rows"
    errors = sorted(p / m - 1 for m, p in pairs)
    sizes = sorted(abs(e) for e in errors)
    p90 = sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))]
    return (f"{name}: rows {len(pairs)}, MAPE {100 * statistics.mean(sizes):.1f} %, median {100 * statistics.median(sizes):.1f} %, "
            f"p90 {100 * p90:.1f} %, bias {100 * statistics.mean(errors):+.1f} %")


def compare_chains(rows, arguments):
    by_run, out = {}, []
    for row in rows:
        whole = row["layer"] == "TOTAL" and row["pass"] == "fwd"
        inside = row["pass"] == "fwd_in_chain" and layer_of(row)
        if row["network"] in CHAINS and (whole or inside):
            by_run.setdefault((row["network"], int(row["batch"]), catalogue_of(row)), []).append(row)
    layers, totals = [], []
    for (network, batch, catalogue), members in sorted(by_run.items()):
        predicted = predicted_chain(arguments, network, batch, catalogue)
        # A network here may end in layers that were not timed.
        total = sum(t for name, t in predicted.items() if name in NETWORKS[network])
        for row in members:
            time = total if row["layer"] == "TOTAL" else predicted.get(row["layer"])
            if time is None:
                continue
            measured = float(row[arguments.column])
            out.append({"catalogue": catalogue, "network": network, "batch": batch, "layer": row["layer"], "measured_ms": measured,
                        "predicted_ms": time})
            if row["layer"] == "TOTAL":
                totals.append((measured, time))
            elif measured >= LEAST_MS:
                layers.append((measured, time))
    print(error_line("layers inside a network, 20 us and longer", layers))
    print(error_line("whole passes", totals))
    if arguments.dump:
        with open(arguments.dump, "w", newline="") as file:
            writer = csv.DictWriter(file, out[0].keys())
            writer.writeheader()
            writer.writerows(out)


# ---- AVX2 against AVX-512

def compare_pairs(rows, arguments):
    found = {}
    for row in rows:
        cells = operator_of(row, arguments.column)
        if cells:
            library = cells["library"].split("-")[0]
            found.setdefault((library, row["network"], row["layer"], row["batch"], row["pass"]), {})[cells["library"]] = cells
    pairs = [p for p in found.values() if len(p) == 2]
    table = [p[name] for p in pairs for name in sorted(p)]
    text = "\n".join([",".join(COLUMNS)] + [",".join(str(c.get(k, "")) for k in COLUMNS) for c in table]) + "\n"
    answer = run(arguments.tantalus, "validate", arguments.device, "--measured", "-", "--least", "0 ms", "--format", "json",
                 "--quiet", text=text)
    times = [float(r["predicted_ms"]) for r in sorted(answer["rows"], key=lambda r: r["line"])]
    told = []
    for i in range(0, len(table), 2):
        measured = float(table[i]["measured_ms"]), float(table[i + 1]["measured_ms"])
        if min(measured) >= LEAST_MS:
            told.append((measured[1] / measured[0], times[i + 1] / times[i]))
    clear = [(m, p) for m, p in told if abs(math.log(m)) > 0.03]
    right = sum((m > 1) == (p > 1) for m, p in clear) / len(clear)
    close = sum(abs(p / m - 1) <= 0.1 for m, p in told) / len(told)
    print(f"AVX2 to AVX-512: {len(told)} pairs, right sign {100 * right:.1f} %, ratio within 10 % {100 * close:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers")
    parser.add_argument("--tables", help="folder for operator tables")
    parser.add_argument("--chains", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--device", default="zen5-vm")
    parser.add_argument("--column", default="time_ms", help="time_ms or time_ms_quiet")
    parser.add_argument("--tantalus", default="build/release/bin/tantalus")
    parser.add_argument("--dump", help="rows of --chains")
    arguments = parser.parse_args()
    with open(arguments.layers, newline="") as file:
        rows = list(csv.DictReader(file))
    if arguments.tables:
        write_tables(rows, arguments)
    if arguments.chains:
        compare_chains(rows, arguments)
    if arguments.pairs:
        compare_pairs(rows, arguments)


if __name__ == "__main__":
    main()
