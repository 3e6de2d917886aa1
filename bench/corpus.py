#!/usr/bin/env python3
"""Profiles every matrix of a folder and writes one table: winner, speed-up over plain parallel CSR and
over the best of MKL (same run), share of the measured bandwidth, sweep time, and what reading and
feature extraction cost.

    bench/corpus.py FOLDER [--sptune build/cli/sptune] [--precision f64] [--mkl PATH] [--markdown FILE]

Matrices that sptune refuses (complex ones, say) are listed with its message.
"""

import argparse
import datetime
import json
import math
import pathlib
import subprocess
import sys


def run_json(command):
    """The JSON document a command prints, or None and its message."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        return None, f"exit {run.returncode}: {run.stderr.strip().splitlines()[-1] if run.stderr.strip() else ''}"
    return json.loads(run.stdout), ""


def bandwidth_at(device, size):
    """Measured read bandwidth for a working set of `size` bytes: the next larger point."""
    for point in device["bandwidth_curve"]:
        if point["bytes"] >= size:
            return point["gbs"]
    return device["bandwidth_gbs"]


def measure(args, path):
    command = [args.sptune, "profile", str(path), "--no-db", "--precision", args.precision, "--json", "-"]
    if args.mkl:
        command += ["--mkl", args.mkl]
    document, message = run_json(command)
    if not document:
        return None, message
    features, message = run_json([args.sptune, "features", str(path), "--json", "-"])
    by_id = {c["id"]: c for c in document["candidates"]}
    winner, baseline = by_id[document["winner"]], by_id[document["baseline"]]
    vendor = [c for c in document["candidates"] if c["vendor"] and c["status"] == "ok"]
    best_vendor = min(vendor, key=lambda c: c["time_us"]["median"]) if vendor else None
    time = winner["time_us"]["median"]
    return {
        "name": path.stem,
        "nnz": document["matrix"]["nnz"],
        "winner": winner["id"].removeprefix("spmv.cpu.").removesuffix(".i32"),
        "time": time,
        "csr": baseline["time_us"]["median"] / time,
        "mkl": best_vendor["time_us"]["median"] / time if best_vendor else None,
        "share": winner["gbs"] / bandwidth_at(document["device"], winner["bytes"]),
        "features": features["extract_us"] / baseline["time_us"]["median"] if features else None,
        "sweep": document["provenance"]["sweep_s"],
        "candidates": len(by_id),
        "wrong": sum(c["status"] in ("incorrect", "crashed", "timeout") for c in by_id.values()),
        "device": document["device"],
    }, ""


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--sptune", default="build/cli/sptune")
    parser.add_argument("--precision", default="f64", choices=["f32", "f64"])
    parser.add_argument("--mkl")
    parser.add_argument("--markdown")
    args = parser.parse_args()

    rows, refused = [], []
    for path in sorted(pathlib.Path(args.folder).glob("*.mtx")):
        row, message = measure(args, path)
        if row:
            rows.append(row)
            print(f"{row['name']:32} {row['csr']:6.2f} x CSR  {row['mkl'] or 0:6.2f} x MKL  {row['sweep']:5.1f} s  "
                  f"{row['winner']}", file=sys.stderr, flush=True)
        else:
            refused.append((path.stem, message))
            print(f"{path.stem:32} {message}", file=sys.stderr, flush=True)
    if not rows:
        sys.exit("no matrix could be profiled")

    def ratio(value, digits=2):
        return f"{value:.{digits}f}" if value is not None else "–"

    device = rows[0]["device"]
    lines = [
        f"# {len(rows)} matrices, SpMV {args.precision}, warm, {datetime.date.today()}",
        "",
        f"{device['name']}, {device['threads']} threads, {device['simd']}, "
        f"{device['bandwidth_gbs']:.1f} GB/s from memory; command: `bench/corpus.py FOLDER "
        f"--precision {args.precision}{' --mkl PATH' if args.mkl else ''}`",
        "",
        f"- over plain parallel CSR: geometric mean {geomean(r['csr'] for r in rows):.2f}, "
        f"least {min(r['csr'] for r in rows):.2f}",
    ]
    mkl = [r["mkl"] for r in rows if r["mkl"]]
    if mkl:
        lines.append(f"- over the best of MKL: geometric mean {geomean(mkl):.2f}, least {min(mkl):.2f}")
    lines += [
        f"- wrong, crashed or timed-out candidates: {sum(r['wrong'] for r in rows)} of "
        f"{sum(r['candidates'] for r in rows)}",
        f"- sweep: {sum(r['sweep'] for r in rows):.0f} s in all, longest {max(r['sweep'] for r in rows):.1f} s",
        "",
        "| matrix | nnz | winner | µs | × CSR | × MKL | of bandwidth | features, in SpMVs | sweep s |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for r in rows:
        lines.append(f"| {r['name']} | {r['nnz']} | {r['winner']} | {r['time']:.2f} | {r['csr']:.2f} | "
                     f"{ratio(r['mkl'])} | {100 * r['share']:.0f} % | {ratio(r['features'], 1)} | {r['sweep']:.1f} |")
    if refused:
        lines += ["", "Refused:", ""] + [f"- {name}: {message}" for name, message in refused]
    text = "\n".join(lines) + "\n"
    if args.markdown:
        pathlib.Path(args.markdown).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
