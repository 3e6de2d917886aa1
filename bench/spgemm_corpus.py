#!/usr/bin/env python3
"""Multiplies every matrix of a folder by itself with every CPU kernel, with MKL and with SciPy, and writes
one table: the best of ours, over plain Gustavson, over MKL and over SciPy.

    bench/spgemm_corpus.py FOLDER [--bench build/bench/bench_spgemm] [--mkl PATH] [--threads N]
                           [--most PRODUCTS] [--markdown FILE]

Times are processor times of all threads together, the least of several runs: they hardly change when
other programs want the same cores. With one thread that is what a quiet machine's clock would show. C is
allocated and has sorted columns in all of them. SciPy (which is serial) is measured without sorting, too.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy
import scipy.io
import scipy.sparse


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def scipy_us(a, repeats, finish):
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        finish(a @ a)
        best = min(best, time.process_time() - start)
    return 1e6 * best


def ours(args, path):
    environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads), "OMP_WAIT_POLICY": "passive"}
    if args.mkl:
        environment["SPTUNE_MKL"] = args.mkl
    run = subprocess.run(
        [args.bench, f"--matrix={path}", "--benchmark_filter=(csr|mkl|rowwise.m[248].s1.o1).*f64", "--benchmark_format=json",
         "--benchmark_min_time=0.03", f"--benchmark_repetitions={args.repeats}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    if run.returncode:
        return None
    best = {}
    for b in json.loads(run.stdout)["benchmarks"]:
        if b["run_type"] == "iteration":
            name = b["run_name"].split("/")[0].removeprefix("spgemm.cpu.").removesuffix(".f64.i32")
            best[name] = min(best.get(name, math.inf), b["cpu_time"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bench", default="build/bench/bench_spgemm")
    parser.add_argument("--mkl")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--most", type=float, default=3e7)
    parser.add_argument("--least", type=float, default=1e5)
    parser.add_argument("--markdown")
    args = parser.parse_args()

    rows = []
    for path in sorted(pathlib.Path(args.folder).glob("*.mtx")):
        try:
            a = scipy.sparse.csr_matrix(scipy.io.mmread(path)).astype(numpy.float64)
        except (ValueError, TypeError):
            continue
        if a.shape[0] != a.shape[1]:
            continue
        products = int(numpy.diff(a.indptr)[a.indices].sum())
        if not args.least <= products <= args.most:
            continue
        times = ours(args, path)
        if not times:
            continue
        mkl = times.pop("mkl.spmm", None)
        best = min(times, key=times.get)
        rows.append({
            "name": path.stem, "products": products, "nnz": (a @ a).nnz, "best": best, "time": times[best],
            "plain": times["csr.gustavson.p2.d1"] / times[best], "mkl": mkl / times[best] if mkl else None,
            "scipy": scipy_us(a, 3, lambda c: c.sort_indices()) / times[best],
            "scipy_unsorted": scipy_us(a, 3, lambda c: c) / times[best]})
        r = rows[-1]
        print(f"{r['name']:30} {r['time']:10.0f} us {r['plain']:6.2f} x plain {r['mkl'] or 0:6.2f} x MKL "
              f"{r['scipy']:6.2f} x SciPy  {best}", file=sys.stderr, flush=True)
    if not rows:
        sys.exit("no matrix could be measured")

    def line(what, key):
        values = [r[key] for r in rows if r[key]]
        return (f"- over {what}: geometric mean {geomean(values):.2f}, least {min(values):.2f}, slower on "
                f"{sum(v < 1 for v in values)} of {len(values)}") if values else ""

    lines = [f"# A·A of {len(rows)} real matrices on the CPU, f64, {args.threads} thread(s), {datetime.date.today()}",
             "", f"{platform.processor() or platform.machine()}; SciPy {scipy.__version__}; command: "
             f"`bench/spgemm_corpus.py FOLDER --threads {args.threads}{' --mkl PATH' if args.mkl else ''}`.",
             "Processor time of all threads, least of several runs; C allocated, columns sorted.", "",
             line("plain Gustavson", "plain"), line("MKL's mkl_sparse_spmm with mkl_sparse_order", "mkl"),
             line("SciPy with sort_indices", "scipy"), line("SciPy without sorting", "scipy_unsorted"), "",
             "| matrix | products | nnz(C) | best of ours | µs | GFLOP/s | × plain | × MKL | × SciPy | × SciPy unsorted |",
             "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|"]
    for r in rows:
        lines.append(f"| {r['name']} | {r['products']} | {r['nnz']} | {r['best']} | {r['time']:.0f} | "
                     f"{2e-3 * r['products'] / r['time']:.2f} | {r['plain']:.2f} | "
                     f"{r['mkl'] and format(r['mkl'], '.2f') or '–'} | {r['scipy']:.2f} | {r['scipy_unsorted']:.2f} |")
    text = "\n".join(l for l in lines if l is not None) + "\n"
    if args.markdown:
        pathlib.Path(args.markdown).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
