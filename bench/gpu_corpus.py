#!/usr/bin/env python3
"""Profiles every matrix of a folder on the GPU and writes one table: winner, speed-up over cuSPARSE's best
format and over its CSR ALG1 (same run), share of the CSR byte floor, sweep time.

    bench/gpu_corpus.py FOLDER [--sptune build/cli/sptune] [--precision f64] [--markdown FILE] [--cache warm]
                        [--db FOLDER]

The floor is what CSR, x and y hold, at the measured copy bandwidth: a share above 1 means fewer bytes, or
a matrix that fits into the L2 cache. Matrices go through the program in groups, so that a crash costs one
group only.
"""

import argparse
import datetime
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

GROUP = 12


def profile(args, paths):
    """The documents of those that could be profiled, and what the program said of the others."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        database = ["--db", args.db] if args.db else ["--no-db"]
        command = [args.sptune, "profile", *map(str, paths), "--backend", "cuda", *database,
                   "--precision", args.precision, "--cache", args.cache, "--json", out.name]
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            documents = json.loads(pathlib.Path(out.name).read_text())
        except json.JSONDecodeError:
            documents = []
        return documents if isinstance(documents, list) else [documents], run.stderr.strip().splitlines()


def time_of(candidate):
    return candidate["time_us"]["median"]


def row_of(document):
    by_id = {c["id"]: c for c in document["candidates"]}
    ok = [c for c in by_id.values() if c["status"] == "ok"]
    vendor = [c for c in ok if c["vendor"]]
    ours = [c for c in ok if not c["vendor"]]
    general = [c for c in ours if c["format"] == "csr"]
    alg1 = [c for c in vendor if c["algorithm"] == "csr" and c["params"].get("o") == 1]
    best = min(vendor, key=time_of) if vendor else None
    winner = by_id[document["winner"]]
    matrix, device = document["matrix"], document["device"]
    value = 8 if document["precision"] == "f64" else 4
    floor = (matrix["nnz"] * (value + 4) + (matrix["rows"] + 1) * 4 + (matrix["rows"] + matrix["cols"]) * value)
    floor_us = floor / device["copy_gbs"] / 1e3
    status = {}
    for c in by_id.values():
        status[c["status"]] = status.get(c["status"], 0) + 1
    return {
        "name": matrix["name"], "rows": matrix["rows"], "nnz": matrix["nnz"],
        "winner": winner["id"].removeprefix("spmv.cuda.").rsplit(".", 2)[0],
        "time": time_of(winner),
        "ours": min(map(time_of, ours)) if ours else None,
        "vendor_name": best["id"].removeprefix("spmv.cuda.cusparse.").rsplit(".", 2)[0] if best else None,
        "vendor": time_of(best) / time_of(winner) if best else None,
        "alg1": time_of(alg1[0]) / time_of(winner) if alg1 else None,
        "csr": time_of(by_id[document["baseline"]]) / time_of(winner),
        "floor": floor_us / time_of(winner),
        "general": floor_us / min(map(time_of, general)) if general else None,
        "convert": winner["convert_us"] / time_of(by_id[document["baseline"]]),
        "sweep": document["provenance"]["sweep_s"],
        "status": status,
        "wrong": [f"{c['id']}: {c['status']}: {c['reason']}" for c in by_id.values()
                  if c["status"] in ("incorrect", "crashed", "timeout", "out_of_memory")],
        "device": device,
    }


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(args, rows, said, seconds):
    device = rows[0]["device"]

    def ratio(value):
        return f"{value:.2f}" if value is not None else "–"

    vendor = [r["vendor"] for r in rows if r["vendor"]]
    candidates = {}
    for r in rows:
        for name, count in r["status"].items():
            candidates[name] = candidates.get(name, 0) + count
    lines = [
        f"# {len(rows)} matrices on the GPU, SpMV {args.precision}, {args.cache}, {datetime.date.today()}",
        "",
        f"{device['name']}, {device['threads']} multiprocessors, copy {device['copy_gbs']:.0f} GB/s, read "
        f"{device['bandwidth_gbs']:.0f} GB/s, launch {device['launch_us']:.2f} µs; command: "
        f"`bench/gpu_corpus.py FOLDER --precision {args.precision}`",
        "",
        f"- over the best of cuSPARSE: geometric mean {geomean(vendor):.2f}, least {min(vendor, default=math.nan):.2f}, "
        f"below 0.98: {sum(v < 0.98 for v in vendor)}",
        f"- over cuSPARSE CSR ALG1: geometric mean {geomean(r['alg1'] for r in rows):.2f}",
        f"- candidates: {', '.join(f'{n} {c}' for n, c in sorted(candidates.items()))}",
        f"- sweeps: {sum(r['sweep'] for r in rows):.0f} s in all, longest {max(r['sweep'] for r in rows):.1f} s; "
        f"{seconds:.0f} s with reading",
        "",
        "| matrix | rows | nnz | winner | µs | × best cuSPARSE | which | × ALG1 | × plain CSR | of CSR floor | "
        "csr alone | conversion, in CSR SpMVs | sweep s |",
        "|---|---:|---:|---|---:|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for r in sorted(rows, key=lambda r: r["nnz"]):
        lines.append(
            f"| {r['name']} | {r['rows']} | {r['nnz']} | {r['winner']} | {r['time']:.2f} | {ratio(r['vendor'])} | "
            f"{r['vendor_name']} | {ratio(r['alg1'])} | {r['csr']:.2f} | {r['floor']:.2f} | {ratio(r['general'])} | "
            f"{r['convert']:.1f} | {r['sweep']:.1f} |")
    wrong = [f"- {r['name']}: {w}" for r in rows for w in r["wrong"]]
    for title, what in (("Wrong, crashed or out of memory:", wrong), ("Said on the way:", [f"- {s}" for s in said])):
        if what:
            lines += ["", title, ""] + what[:200]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--sptune", default="build/cli/sptune")
    parser.add_argument("--precision", default="f64", choices=["f32", "f64"])
    parser.add_argument("--cache", default="warm", choices=["warm", "cold"])
    parser.add_argument("--markdown")
    parser.add_argument("--db", help="where to keep the entries; not kept otherwise")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds after which no new group begins")
    args = parser.parse_args()

    paths = sorted(p for p in pathlib.Path(args.folder).iterdir() if p.suffix in (".mtx", ".spt"))
    rows, said, start = [], [], time.monotonic()
    for i in range(0, len(paths), GROUP):
        if time.monotonic() - start > args.limit:
            said.append(f"stopped before {paths[i].name}: --limit")
            break
        documents, messages = profile(args, paths[i:i + GROUP])
        rows += [row_of(d) for d in documents if d.get("winner")]
        said += messages
        print(f"{i + len(paths[i:i + GROUP])} of {len(paths)}, {time.monotonic() - start:.0f} s", file=sys.stderr,
              flush=True)
    if not rows:
        sys.exit("no matrix could be profiled:\n" + "\n".join(said))
    text = table(args, rows, said, time.monotonic() - start)
    if args.markdown:
        pathlib.Path(args.markdown).write_text(text)
    print(text if not args.markdown else "\n".join(text.splitlines()[:8]))


if __name__ == "__main__":
    main()
