#!/usr/bin/env python3
"""Whole networks: how far `tantalus predict` is from published times.

usage: scripts/networks_error.py REFERENCE [--tantalus PROGRAM] [--output FILE.json] [--only TEXT] [--rows] [--set PATH=VALUE]

REFERENCE is a folder with the published tables (cnn_benchmarks_jcjohnson.csv, dl_benchmark_u39kun.csv, timm_networks.csv,
ncnn_cpu_networks.csv). A row counts when its device is described in hw_configs and its network in models/networks; what is
left out is counted with the reason. Each row runs at both levels of knowledge. Python's standard library only.
"""
import argparse
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

NETWORKS = pathlib.Path(__file__).resolve().parent.parent / "models" / "networks"

# ---- which words of the tables are which files

JCJOHNSON_DEVICES = {"TitanX-Maxwell": "titanx-maxwell", "TitanX-Pascal": "titanx-pascal", "GTX1080Ti": "gtx1080ti",
                     "CPU-2xXeonE5-2630v3": "two-xeon-e5-2630-v3"}
JCJOHNSON_NETWORKS = {"alexnet": "alexnet-2012", "googlenet-v1": "googlenet", "vgg16": "vgg16", "vgg19": "vgg19",
                      "resnet-18": "resnet18", "resnet-34": "resnet34", "resnet-50": "resnet50",
                      "resnet-101": "resnet101", "resnet-152": "resnet152", "resnet-200": "resnet200"}
JCJOHNSON_STACKS = {"torch_cudnn_4007": "torch7-cudnn-4", "torch_cudnn_5005": "torch7-cudnn-5.0",
                    "torch_cudnn_5105": "torch7-cudnn-5.1", "torch_cudnn_5110": "torch7-cudnn-5.1",
                    "torch_nn": "torch7-nn"}
U39KUN_DEVICES = {"TitanV": "titanv", "GTX1080Ti": "gtx1080ti"}
U39KUN_STACKS = {"PyTorch 0.3.0": "pytorch-0.3"}
TIMM_DEVICES = {"RTX3090": "rtx3090", "RTX5090": "rtx5090", "CPU-Corei9-10940X": "core-i9-10940x"}
TIMM_NETWORKS = {"mobilenetv2_100": "mobilenet-v2", "resnext50_32x4d": "resnext50-32x4d",
                 "wide_resnet50_2": "wide-resnet50-2"}
NCNN_DEVICES = {"AMD EPYC 7742 (2.25GHz)": "epyc-7742", "Raspberry Pi 4 Model B": "raspberry-pi-4"}
NCNN_NETWORKS = {"squeezenet": "squeezenet-1.1", "mobilenet": "mobilenet-v1", "mobilenet_v2": "mobilenet-v2",
                 "alexnet": "alexnet-2012"}


class Row:
    """One measured time and the question that it answers."""

    def __init__(self, source, device, mode, network, batch, stack, part, measured, precision="fp32", extra=()):
        self.source, self.device, self.mode, self.network = source, device, mode, network
        self.batch, self.stack, self.part, self.measured = batch, stack, part, measured
        self.precision, self.extra = precision, tuple(extra)

    def question(self):
        """What one run of the program answers; several rows may share it."""
        training = "training" if self.part != "inference" else "inference"
        return (self.device, self.network, "--batch", str(self.batch), "--mode", training, "--precision",
                self.precision, "--stack", self.stack, *self.extra)


def table(folder, name):
    path = pathlib.Path(folder) / name
    if not path.exists():
        print(f"left out: no {name}", file=sys.stderr)
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def jcjohnson(folder, missing):
    """Torch7 in training mode; forward and backward apart, no update."""
    rows = []
    for line in table(folder, "cnn_benchmarks_jcjohnson.csv"):
        network, device = JCJOHNSON_NETWORKS.get(line["network"]), JCJOHNSON_DEVICES.get(line["device"])
        stack = JCJOHNSON_STACKS.get(line["backend"])
        if not (network and device and stack):
            missing(f"jcjohnson {line['device']} {line['network']} {line['backend']}")
            continue
        library = "im2col" if stack == "torch7-nn" else "cuDNN"
        if device == "two-xeon-e5-2630-v3":
            library = "CPU"
        for part, column in (("forward", "fwd_ms"), ("backward", "bwd_ms"), ("forward_backward", "total_ms")):
            rows.append(Row(f"jcjohnson {library}", device, part, network, int(line["batch"]), stack, part,
                            float(line[column])))
    return rows


def u39kun(folder, missing):
    """PyTorch 0.3: eval mode for the forward pass; forward and backward without an update for training."""
    rows = []
    for line in table(folder, "dl_benchmark_u39kun.csv"):
        device, stack = U39KUN_DEVICES.get(line["device"]), U39KUN_STACKS.get(line["framework"])
        if not (device and stack):
            missing(f"u39kun {line['framework']}")
            continue
        part = "inference" if line["mode"] == "forward" else "forward_backward"
        rows.append(Row(f"u39kun {line['dtype']}", device, part, line["network"], int(line["batch"]), stack, part,
                        float(line["time_ms"]), line["dtype"]))
    return rows


def timm(folder, missing):
    """Mixed precision on GPUs, fp32 on the CPU; the layout and the compiler are those of the row."""
    rows = []
    for line in table(folder, "timm_networks.csv"):
        device = TIMM_DEVICES.get(line["device"])
        network = TIMM_NETWORKS.get(line["network"], line["network"].replace("_", "-"))
        compiled = line["compiled"] == "torch_compile"
        if line["dtype"] == "fp32":
            stack, precision = ("pytorch-2-compiled-cpu" if compiled else "pytorch-2-eager-cpu"), "fp32"
        else:
            stack, precision = ("pytorch-2-compiled" if compiled else "pytorch-amp-" + line["layout"]), "fp16"
        if not device:
            missing(f"timm {line['device']}")
            continue
        part = "inference" if line["mode"] == "forward" else "step"
        source = f"timm {line['dtype']} {line['layout']} {'compiled' if compiled else 'eager'}"
        rows.append(Row(source, device, part, network, int(float(line["batch"])), stack, part, float(line["time_ms"]),
                        precision, ("--image", str(int(float(line["image"]))))))
    return rows


def ncnn(folder, missing):
    rows = []
    for line in table(folder, "ncnn_cpu_networks.csv"):
        device = next((d for word, d in NCNN_DEVICES.items() if line["device"].startswith(word)), None)
        network = NCNN_NETWORKS.get(line["network"], line["network"])
        if not device:
            missing("ncnn: a CPU that is not described")
            continue
        precision = "int8" if network.endswith("_int8") else "fp32"
        rows.append(Row(f"ncnn {precision}", device, "inference", network.removesuffix("_int8"), 1, "ncnn", "inference",
                        float(line["min_ms"]), precision, ("--threads", line["threads"])))
    return rows


# ---- running

class Program:
    def __init__(self, path, sets):
        self.path, self.sets, self.answers, self.refused = path, sets, {}, {}
        self.copies = tempfile.TemporaryDirectory()

    def predict(self, question, knowledge):
        """The answer of one question, or None with the reason kept."""
        key = question, knowledge
        if key not in self.answers:
            words = list(question)
            if "--image" in words:
                words[1] = self.as_timm(words[1], words[words.index("--image") + 1])
                words = self.without(words, "--image")
            threads = words[words.index("--threads") + 1] if "--threads" in words else None
            words = self.without(words, "--threads")
            if threads:
                words += ["--set", f"cpu0.cores={threads}"]
            for text in self.sets:
                words += ["--set", text]
            done = subprocess.run([self.path, "predict", *words, "--knowledge", knowledge, "--format", "json", "--quiet"],
                                  capture_output=True, text=True, check=False)
            self.answers[key] = json.loads(done.stdout) if done.stdout else None
            if not done.stdout:
                self.refused[question] = done.stderr.strip().splitlines()[0] if done.stderr else "no answer"
        return self.answers[key]

    def as_timm(self, network, side):
        """The network on pictures of another size, and with VGG's first two linear layers as the convolutions that timm
        makes of them (timm/models/vgg.py, ConvMlp): a copy of its file."""
        file = NETWORKS / f"{network}.yaml"
        if not file.exists():
            return network
        text = file.read_text()
        text = re.sub(r"^input: \{image: \[3, \d+, \d+\]\}", f"input: {{image: [3, {side}, {side}]}}", text,
                      flags=re.MULTILINE)
        if network.startswith("vgg"):
            text = re.sub(r"(name: fc6,) kind: linear, out: 4096", r"\1 kind: conv2d, out: 4096, kernel: 7", text)
            text = re.sub(r"(name: fc7,) kind: linear, out: 4096", r"\1 kind: conv2d, out: 4096, kernel: 1", text)
        copy = pathlib.Path(self.copies.name) / f"{network}-{side}.yaml"
        copy.write_text(text)
        return str(copy)

    @staticmethod
    def without(words, option):
        if option not in words:
            return words
        at = words.index(option)
        return words[:at] + words[at + 2:]


def predicted_ms(answer, part):
    totals = answer["totals"]
    if part in ("inference", "step"):
        return totals["time_ns"] / 1e6
    if part == "forward":
        return totals["forward_ns"] / 1e6
    if part == "backward":
        return totals["backward_ns"] / 1e6
    return (totals["forward_ns"] + totals["backward_ns"]) / 1e6


def interval_ms(answer, part):
    """80 % interval; of a part of the step as that of the step, scaled."""
    totals = answer["totals"]
    share = predicted_ms(answer, part) / totals["time_ns"]
    return totals["time_low_ns"] * share, totals["time_high_ns"] * share


def roofline_ms(answer, part):
    passes = {"inference": ("forward",), "forward": ("forward",), "backward": ("backward",),
              "forward_backward": ("forward", "backward"), "step": ("forward", "backward", "update")}[part]
    return sum(answer["totals"][f"roofline_{name}_ns"] for name in passes) / 1e6


def measure(row, program):
    found = {}
    for knowledge in ("datasheet", "all"):
        answer = program.predict(row.question(), knowledge)
        if answer is None:
            return None
        found[knowledge] = predicted_ms(answer, row.part) / row.measured - 1
    found["roofline"] = roofline_ms(answer, row.part) / row.measured - 1
    found["low_ms"], found["high_ms"] = interval_ms(answer, row.part)
    return found


# ---- printing

def percent(share):
    return f"{100 * share:.1f}"


def mape(errors, which):
    return statistics.mean(abs(e[which]) for e in errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reference")
    parser.add_argument("--tantalus", default="build/release/bin/tantalus")
    parser.add_argument("--output", help="write groups and rows as JSON; scripts/validation.py --networks reads it")
    parser.add_argument("--only", default="", help="only rows whose source and device contain this text")
    parser.add_argument("--rows", action="store_true", help="print every row, not only the groups")
    parser.add_argument("--set", action="append", default=[], dest="sets", help="passed on to every run")
    arguments = parser.parse_args()

    left_out, groups, lines = {}, {}, []

    def missing(why):
        left_out[why] = left_out.get(why, 0) + 1

    program = Program(arguments.tantalus, arguments.sets)
    for read in (jcjohnson, u39kun, timm, ncnn):
        for row in read(arguments.reference, missing):
            if arguments.only not in f"{row.source} {row.device} {row.mode}":
                continue
            error = measure(row, program)
            if error is None:
                missing(f"{row.network} on {row.device}: {program.refused[row.question()]}")
                continue
            groups.setdefault((row.source, row.device, row.mode), []).append(error)
            lines.append({"source": row.source, "device": row.device, "mode": row.mode, "network": row.network,
                          "batch": row.batch, "stack": row.stack, "measured_ms": row.measured,
                          "error": error["all"], "datasheet_error": error["datasheet"],
                          "roofline_error": error["roofline"], "low_ms": error["low_ms"], "high_ms": error["high_ms"]})
    if arguments.rows:
        for line in lines:
            print(f"{line['source']:26s} {line['device']:20s} {line['mode']:17s} {line['network']:18s} {line['stack']:20s} "
                  f"measured {line['measured_ms']:9.2f} ms  error {100 * line['error']:+6.1f} %  data sheet "
                  f"{100 * line['datasheet_error']:+6.1f} %  roofline {100 * line['roofline_error']:+6.1f} %")
    written = []
    for (source, device, mode), errors in sorted(groups.items()):
        written.append({"source": source, "device": device, "mode": mode, "count": len(errors),
                        "mape": mape(errors, "all"), "bias": statistics.mean(e["all"] for e in errors),
                        "median_ape": statistics.median(abs(e["all"]) for e in errors),
                        "datasheet_mape": mape(errors, "datasheet"), "roofline_mape": mape(errors, "roofline")})
        group = written[-1]
        print(f"{source:26s} {device:20s} {mode:17s} n {len(errors):3d}  MAPE {percent(group['mape']):>6s}  median "
              f"{percent(group['median_ape']):>6s}  bias {100 * group['bias']:+7.1f}  data sheet "
              f"{percent(group['datasheet_mape']):>6s}  roofline {percent(group['roofline_mape']):>6s}")
    for why, count in sorted(left_out.items()):
        print(f"left out: {count} x {why}", file=sys.stderr)
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps({"groups": written, "rows": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
