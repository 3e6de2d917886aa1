#!/usr/bin/env python3
"""Makes a wide set of matrices, profiles them, and packs what was found for `sptune train`.

    bench/training_set.py --db DB [--backend cpu] [--count 150] [--largest 3e6] [--limit SECONDS]
    bench/training_set.py --db DB --backend cuda --export training.json.gz --limit 240 *.mtx
    bench/training_set.py --db DB --op spgemm --largest 3e5 --budget 10
    bench/training_set.py --db DB --families set-cover,table --count 40

Half of the families come from `sptune generate`; the others, which need more freedom (unstructured meshes,
saddle points, circuits, web graphs …), are written by bench/written_families.py and bench/long_row_families.py, and stay small. Sizes are spread
evenly on a logarithmic scale. What is made depends on --seed alone. The name of a matrix begins with its
family and "--": `sptune evaluate` keeps a family together. Further matrices may be named at the end.

Matrices take turns in an order that mixes families and sizes, so that a run cut short by --limit has seen some
of everything. With --alternate each has only one of the precisions. bench/training_device runs this script for the
GPU and the CPU of a machine at once. The packed file is an export of the database
without samples and without what was illegal or not reached.
"""

import argparse
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from generated_families import CHANGED, GENERATED, LARGE, OBLONG
from long_row_families import LONG_ROWS
from written_families import WRITTEN

GROUP = 8  # matrices in one run of the program: it measures the machine's bandwidth only once

# On a GPU the whole grid takes seconds a matrix. These are the variants that differ by more than a few percent:
# block sizes hardly do.
CUDA_VARIANTS = ",".join(
    [f"spmv.cuda.csr.*.b{b}.*" for b in (128, 256)]
    + [f"spmv.cuda.sell.*.c{c}.*.b256.*" for c in (2, 4, 8, 16, 32, 64)]
    + ["spmv.cuda.bsr.*.b128.*", "spmv.cuda.coo.*", "spmv.cuda.cusparse.*"]
    + [f"spmv.cuda.{f}.*.b256.*" for f in ("csc", "dia", "ell", "hdia", "hyb", "pjds")])


# Of products those that can be the fastest.
PRODUCT_VARIANTS = {"cpu": "spgemm.cpu.csr.*,spgemm.cpu.bsr.rowwise.*,spgemm.cpu.mkl.*",
                    "cuda": "spgemm.cuda.csr.hash*,spgemm.cuda.csr.esc*,spgemm.cuda.cusparse.*"}

WRITTEN_LARGEST = 1e6


def name_of(maker):
    return maker.__name__.replace("_", "-")


def write_market(path, rng, rows, cols, lists):
    lines = [f"{i + 1} {j + 1} {v}\n" for i, row in enumerate(lists) for j in sorted(row)
             for v in [1 + (i * 7 + j * 3) % 11]]
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {cols} {len(lines)}\n" + "".join(lines))


def plan(args):
    """(name, maker, nnz, seed) of every matrix, mixed."""
    rng = random.Random(args.seed)
    if args.large or args.oblong:
        makers = [(m, True) for m in (LARGE if args.large else []) + (OBLONG if args.oblong else [])]
    else:
        written = [(m, False) for m in WRITTEN + LONG_ROWS]
        makers = [(m, True) for m in GENERATED] + written + [(m, True) for m in CHANGED]
    if args.families:
        makers = [(m, g) for m, g in makers if name_of(m) in args.families.split(",")]
        if not makers:
            sys.exit(f"--families {args.families}: no such family; those written here: "
                     + ", ".join(name_of(m) for m in WRITTEN + LONG_ROWS))
    every = []
    for i in range(args.count):
        maker, generated = makers[i % len(makers)]
        largest = args.largest if generated else min(args.largest, WRITTEN_LARGEST)
        # The rounds of a family divide the range of sizes evenly, so that few matrices cover it.
        rounds = max(math.ceil(args.count / len(makers)), 1)
        share = ((i // len(makers)) + rng.random()) / rounds
        nnz = math.exp(math.log(args.smallest) + share * (math.log(largest) - math.log(args.smallest)))
        every.append((i, maker, generated, nnz, rng.randrange(1 << 30)))
    rng.shuffle(every)
    return every


def make(args, item, folder):
    """The path of the matrix, or None where the family refused the numbers."""
    i, maker, generated, nnz, seed = item
    rng = random.Random(seed)
    if not generated:
        path = folder / f"{name_of(maker)}--{i:03}.mtx"
        if not path.exists():
            write_market(path, rng, *maker(rng, nnz))
        return path
    family, options = maker(rng, nnz)
    path = folder / f"{family}--{i:03}.spt"
    if path.exists():
        return path
    words = [w for k, v in options.items() for w in (f"--{k}", str(max(round(v), 2) if k == "rows" else v))]
    run = subprocess.run([args.sptune, "generate", family, *words, "--seed", str(seed % 10000), "-o", path],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        print(f"{path.name}: left out: {run.stderr.strip().splitlines()[0]}", file=sys.stderr)
        return None
    return path


def profile(args, paths, precision):
    command = [args.sptune, "profile", *map(str, paths), "--backend", args.backend, "--precision", precision,
               "--db", args.db, "--op", args.op, "--variants", args.variants, "--budget", str(args.budget), "--threads", str(args.threads)]
    if args.mkl:
        command += ["--mkl", args.mkl]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode == 2:  # what is wrong with these options is so for all matrices
        sys.exit(run.stderr.strip())
    if run.returncode not in (0, 6):
        print(f"exit {run.returncode}: " + " / ".join(run.stderr.strip().splitlines()[-3:]), file=sys.stderr)


def pack(args):
    text = subprocess.run([args.sptune, "db", "export", "--db", args.db], stdout=subprocess.PIPE, check=True).stdout
    document = json.loads(text)
    keep = {"ok", "bounded", "incorrect", "crashed"}
    for entry in document["entries"]:
        entry.pop("checksum", None)  # of what is rounded and left out below
        entry["candidates"] = [c for c in entry["candidates"] if c["status"] in keep]
        for c in entry["candidates"]:
            c["reason"], c["error"] = "", 0
            c["time_us"] = c["time_us"] and {**{k: float(f"{v:.5g}") for k, v in c["time_us"].items() if k != "samples"},
                                             "samples": []}
            for field in ("gflops", "gbs", "convert_us"):
                c[field] = float(f"{c[field]:.4g}")
    with gzip.open(args.export, "wt", compresslevel=9) as out:
        json.dump(document, out, separators=(",", ":"))
    print(f"{len(document['entries'])} entries, {pathlib.Path(args.export).stat().st_size} bytes: {args.export}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", type=pathlib.Path)
    parser.add_argument("--db", required=True)
    parser.add_argument("--sptune", default="build/cli/sptune")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--op", default="spmv", choices=["spmv", "spgemm"])
    parser.add_argument("--large", action="store_true",
                        help="only families that sptune generate makes, which are of any size up to --largest")
    parser.add_argument("--oblong", action="store_true", help="only those far from square; with --large those as well")
    parser.add_argument("--families", metavar="NAME,...", help="only these of the families that are written here")
    parser.add_argument("--precisions", default="f64,f32")
    parser.add_argument("--count", type=int, default=140, help="matrices to make")
    parser.add_argument("--smallest", type=float, default=2e3, help="nonzeros")
    parser.add_argument("--largest", type=float, default=3e6, help="nonzeros")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=4,
                        help="seconds for each sweep; with much less a CPU has no time for its second look")
    parser.add_argument("--variants", help="default: all; on a GPU those that differ most")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--alternate", action="store_true", help="half of the matrices in each precision")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="only every N-th matrix, from the I-th on")
    parser.add_argument("--mkl")
    parser.add_argument("--folder", help="where the matrices go (and stay); default: a temporary folder")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds after which no new group begins")
    parser.add_argument("--export", help="pack the database into this .json.gz")
    args = parser.parse_args()
    if args.matrices and not all(p.is_file() for p in args.matrices):
        parser.error("no such matrix: " + ", ".join(str(p) for p in args.matrices if not p.is_file()))

    if not args.variants:
        spmv = CUDA_VARIANTS if args.backend == "cuda" else "*"
        args.variants = spmv if args.op == "spmv" else PRODUCT_VARIANTS[args.backend]

    start = time.monotonic()
    precisions = args.precisions.split(",")
    part, parts = map(int, args.part.split("/"))
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(1) as ahead:
        folder = pathlib.Path(args.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        items = list(args.matrices) + plan(args)
        random.Random(args.seed).shuffle(items)
        items = items[part::parts]
        groups = [items[i:i + GROUP] for i in range(0, len(items), GROUP)]

        def make_all(group):
            return [item if isinstance(item, pathlib.Path) else make(args, item, folder) for item in group]

        # With a core to spare the next group is made while this one is measured.
        cores = len(os.sched_getaffinity(0))
        spare = args.backend == "cuda" or cores > (args.threads or cores)
        coming = ahead.submit(make_all, groups[0]) if groups else None
        for i, group in enumerate(groups):
            if time.monotonic() - start > args.limit:
                print(f"stopped after {i * GROUP} of {len(items)} matrices: --limit", file=sys.stderr)
                break
            paths = coming.result()
            if i + 1 < len(groups) and spare:
                coming = ahead.submit(make_all, groups[i + 1])
            for turn, precision in enumerate(precisions):
                step = len(precisions) if args.alternate else 1
                now = [p for p in paths[turn % step::step] if p]
                if now:
                    profile(args, now, precision)
            if i + 1 < len(groups) and not spare:
                coming = ahead.submit(make_all, groups[i + 1])
            for path in paths:
                if path and not args.folder and path.parent == folder:
                    path.unlink()
            print(f"{min((i + 1) * GROUP, len(items))} of {len(items)}, {time.monotonic() - start:.0f} s",
                  file=sys.stderr)
    if args.export:
        pack(args)


if __name__ == "__main__":
    main()
