#!/usr/bin/env python3
"""Makes a wide set of matrices, profiles them, and packs what was found for `sptune train`.

    bench/training_set.py --db DB [--backend cpu] [--count 150] [--largest 3e6] [--limit SECONDS]
    bench/training_set.py --db DB --backend cuda --export training.json.gz --limit 240 *.mtx

Half of the families come from `sptune generate`; the others, which need more freedom (permuted meshes,
runs, saddle points, circuits, roads …), are written by this script, and stay small. Sizes are spread
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

GROUP = 8  # matrices in one run of the program: it measures the machine's bandwidth only once

# On a GPU the whole grid takes seconds a matrix. These are the variants that differ by more than a few percent:
# block sizes hardly do.
CUDA_VARIANTS = ",".join(
    [f"spmv.cuda.csr.*.b{b}.*" for b in (128, 256)]
    + [f"spmv.cuda.sell.*.c{c}.*.b256.*" for c in (2, 4, 8, 16, 32, 64)]
    + ["spmv.cuda.bsr.*.b128.*", "spmv.cuda.coo.*", "spmv.cuda.cusparse.*"]
    + [f"spmv.cuda.{f}.*.b256.*" for f in ("csc", "dia", "ell", "hyb", "pjds")])


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


# ---- families of `sptune generate`: nnz -> (family, options) ----

def stencil(family, points):
    return lambda rng, nnz: (family, {"rows": nnz / points})


def fem(rng, nnz):
    dof = rng.choice([1, 2, 3, 4, 6])
    return "fem", {"rows": nnz / (20 * dof), "dof": dof}


def banded(rng, nnz):
    band, fill = round(log_uniform(rng, 1, 60)), rng.choice([1, 1, 0.7, 0.4, 0.15])
    return "banded", {"rows": nnz / (1 + 2 * band * fill), "band": band, "fill": fill}


def uniform(rng, nnz):
    mean, shape = log_uniform(rng, 1.5, 80), rng.choice([1, 1, 0.2, 5])
    rows = nnz / mean
    cols = max(rows * shape, 2 * mean)
    return "uniform", {"rows": rows, "cols": round(cols), "density": min(mean / cols, 0.5)}


def per_row(rng, nnz):
    mean = round(log_uniform(rng, 2, 150))
    rows = max(nnz / mean, 2 * mean)
    return "per-row", {"rows": rows, "per-row": mean, "poisson": rng.choice([0, 1])}


def power_law(rng, nnz):
    mean = log_uniform(rng, 2, 30)
    return "power-law", {"rows": max(nnz / mean, 4 * mean), "mean": mean, "exponent": rng.uniform(2.1, 3.2)}


def rmat(rng, nnz):
    factor = round(log_uniform(rng, 3, 40))
    a = rng.choice([0.45, 0.57, 0.65])
    return "rmat", {"rows": nnz / factor, "edge-factor": factor, "a": a, "b": (1 - a) * 0.4, "c": (1 - a) * 0.4}


def bipartite(rng, nnz):
    mean = log_uniform(rng, 2, 30)
    rows = max(nnz / mean, 40)
    return "bipartite", {"rows": rows, "cols": max(round(rows * rng.choice([0.1, 0.5, 3])), round(2 * mean)), "mean": mean}


def arrow(rng, nnz):
    band, dense = rng.choice([1, 2, 5]), rng.choice([1, 2, 4])
    return "arrow", {"rows": nnz / (2 * band + 1 + 2 * dense), "band": band, "dense": dense}


def block_diagonal(rng, nnz):
    block = round(log_uniform(rng, 2, 48))
    return "block-diagonal", {"rows": nnz / block, "block": block}


def wheel(rng, nnz):
    hubs = rng.choice([1, 3, 8])
    return "wheel", {"rows": nnz / (3 + 2 * hubs), "hubs": hubs}


GENERATED = [stencil("stencil-1d-3", 3), stencil("stencil-2d-5", 5), stencil("stencil-2d-9", 9),
             stencil("stencil-3d-7", 7), stencil("stencil-3d-27", 27), fem, fem, banded, banded, uniform, per_row,
             power_law, rmat, bipartite, arrow, block_diagonal, wheel]

# ---- families written here: (rng, nnz) -> (rows, cols, list of the columns of each row) ----


def symmetric(n, pairs):
    rows = [{i} for i in range(n)]
    for i, j in pairs:
        rows[i].add(j)
        rows[j].add(i)
    return n, n, rows


def mesh_edges(nx, ny):
    return [(y * nx + x, y * nx + x + s) for y in range(ny) for x in range(nx)
            for s in ([1] if x + 1 < nx else []) + ([nx] if y + 1 < ny else [])]


def permuted_mesh(rng, nnz):
    """A plane mesh whose nodes are numbered at random, or at random within windows."""
    nx = max(int(math.sqrt(nnz / 5)), 4)
    n, window = nx * nx, rng.choice([16, 256, 4096, 1 << 30])
    order = list(range(n))
    for begin in range(0, n, window):
        part = order[begin:begin + window]
        rng.shuffle(part)
        order[begin:begin + window] = part
    return symmetric(n, [(order[a], order[b]) for a, b in mesh_edges(nx, nx)])


def geometric(rng, nnz):
    """Points in a square, joined when near, numbered along stripes: unstructured meshes."""
    degree = rng.choice([4, 8, 14, 25])
    n = max(int(nnz / (degree + 1)), 20)
    radius = math.sqrt(degree / (math.pi * n))
    cells = max(int(1 / radius), 1)
    points = sorted(((rng.random(), rng.random()) for _ in range(n)), key=lambda p: (int(p[0] * cells), p[1]))
    grid = {}
    for i, (x, y) in enumerate(points):
        grid.setdefault((int(x * cells), int(y * cells)), []).append(i)
    pairs = []
    for (cx, cy), members in grid.items():
        near = [j for dx in (-1, 0, 1) for dy in (-1, 0, 1) for j in grid.get((cx + dx, cy + dy), [])]
        for i in members:
            x, y = points[i]
            pairs += [(i, j) for j in near if j < i and (points[j][0] - x) ** 2 + (points[j][1] - y) ** 2 < radius ** 2]
    return symmetric(n, pairs)


def runs(rng, nnz):
    """Rows of runs of neighbouring columns, as in tables of attributes and integer programs."""
    length, count = rng.choice([2, 4, 8, 20]), rng.choice([1, 3, 8])
    n = max(int(nnz / (length * count)), 4)
    cols = max(int(n * rng.choice([0.3, 1, 4])), 2 * length)
    rows = []
    for _ in range(n):
        row = set()
        for _ in range(rng.randint(1, 2 * count - 1)):
            begin = rng.randrange(cols)
            row.update(range(begin, min(begin + rng.randint(max(length // 2, 1), length * 3 // 2), cols)))
        rows.append(row)
    return n, cols, rows


def scattered_blocks(rng, nnz):
    """Blocks of b unknowns coupled at random, aligned; some entries inside are missing."""
    b, fill, degree = rng.choice([2, 3, 4, 5, 6, 8]), rng.choice([1, 1, 0.8, 0.6]), rng.choice([3, 6, 12])
    nodes = max(int(nnz / (b * b * degree * fill)), degree + 1)
    rows = [set() for _ in range(nodes * b)]
    for node in range(nodes):
        far = rng.random() < 0.3
        near = [node] + [rng.randrange(nodes) if far else min(max(node + rng.randint(-40, 40), 0), nodes - 1)
                         for _ in range(degree - 1)]
        for other in near:
            for i in range(b):
                rows[node * b + i].update(other * b + j for j in range(b) if i == j or rng.random() < fill)
    return nodes * b, nodes * b, rows


def linear_program(rng, nnz):
    """Short, wide or tall, with slack columns, a few dense rows and log-normal row lengths."""
    mean, spread = rng.choice([3, 8, 25]), rng.choice([0.3, 0.8, 1.5])
    n = max(int(nnz / mean / math.exp(spread ** 2 / 2)), 10)
    cols = max(int(n * rng.choice([0.4, 1.5, 6, 30])), 2 * mean)
    rows = []
    for i in range(n):
        length = min(int(rng.lognormvariate(math.log(mean), spread)) + 1, cols)
        centre = int(i / n * cols)
        local = rng.random() < 0.6
        row = {min(max(centre + int(rng.gauss(0, 30)), 0), cols - 1) if local else rng.randrange(cols)
               for _ in range(length)}
        rows.append(row | {(cols - n + i) % cols})
    return n, cols, rows


def saddle_point(rng, nnz):
    """[H Aᵀ; A 0] with a mesh or a diagonal as H."""
    nx = max(int(math.sqrt(nnz / 9)), 4)
    n, m = nx * nx, max(nx * nx // rng.choice([2, 3, 6]), 1)
    pairs = mesh_edges(nx, nx) if rng.random() < 0.6 else []
    for i in range(m):
        first = rng.randrange(n)
        pairs += [(n + i, (first + k * rng.choice([1, nx])) % n) for k in range(rng.randint(2, 5))]
    return symmetric(n + m, pairs)


def circuit(rng, nnz):
    """A few neighbours each, mostly near, and supply lines that nearly everything hangs on."""
    n = max(int(nnz / 5), 20)
    lines = [rng.randrange(n) for _ in range(rng.choice([0, 2, 10]))]
    pairs = [(i, min(max(i + int(rng.gauss(0, 20)), 0), n - 1)) for i in range(n) for _ in range(rng.randint(0, 2))]
    pairs += [(i, rng.randrange(n)) for i in range(0, n, 3)]
    pairs += [(i, line) for line in lines for i in range(n) if rng.random() < 0.3 / len(lines)]
    return symmetric(n, pairs)


def road(rng, nnz):
    """Long chains that meet: two or three neighbours, numbered piece by piece."""
    n = max(int(nnz / 3.4), 20)
    pairs = [(i, i + 1) for i in range(n - 1) if rng.random() < 0.9]
    pairs += [(i, rng.randrange(n)) for i in range(n) if rng.random() < 0.25]
    return symmetric(n, pairs)


def mixed_rows(rng, nnz):
    """Two kinds of rows, alternating, in long stretches or at random."""
    short, long_rows, share = rng.choice([1, 3, 6]), rng.choice([40, 150, 600]), rng.choice([0.002, 0.03, 0.2])
    n = max(int(nnz / (short * (1 - share) + long_rows * share)), 10)
    cols, how = max(n, 2 * long_rows), rng.choice(["random", "front"])
    rows = []
    for i in range(n):
        big = i < share * n if how == "front" else rng.random() < share
        length = long_rows if big else short
        centre = min(i, cols - 1)
        rows.append({rng.randrange(cols) if big else min(max(centre + rng.randint(-60, 60), 0), cols - 1)
                     for _ in range(length)})
    return n, cols, rows


def loose_diagonals(rng, nnz):
    """Diagonals at random distances, each occupied in part, and entries beside them."""
    count, fill, noise = rng.choice([3, 7, 15, 40]), rng.choice([1, 0.9, 0.65, 0.35]), rng.choice([0, 0, 0.05, 0.3])
    n = max(int(nnz / (count * fill)), 50)
    offsets = {0} | {rng.randint(-n // 2, n // 2) for _ in range(count - 1)}
    rows = []
    for i in range(n):
        row = {i + d for d in offsets if 0 <= i + d < n and rng.random() < fill}
        row |= {rng.randrange(n) for _ in range(count) if rng.random() < noise}
        rows.append(row)
    return n, n, rows


def preferential(rng, nnz):
    """A network that grew: new nodes join popular ones. Not sorted by degree."""
    degree = rng.choice([1, 3, 8])
    n = max(int(nnz / (2 * degree + 1)), 10)
    ends, pairs = [0], []
    for i in range(1, n):
        for _ in range(degree):
            j = ends[rng.randrange(len(ends))] if rng.random() < 0.8 else rng.randrange(i)
            pairs.append((i, j))
            ends += [i, j]
    return symmetric(n, pairs)


WRITTEN = [permuted_mesh, geometric, runs, scattered_blocks, linear_program, saddle_point, circuit, road,
           mixed_rows, loose_diagonals, preferential]
WRITTEN_LARGEST = 4e5


def write_market(path, rng, rows, cols, lists):
    lines = [f"{i + 1} {j + 1} {v}\n" for i, row in enumerate(lists) for j in sorted(row)
             for v in [1 + (i * 7 + j * 3) % 11]]
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {cols} {len(lines)}\n" + "".join(lines))


def plan(args):
    """(name, maker, nnz, seed) of every matrix, mixed."""
    rng = random.Random(args.seed)
    makers = [(m, True) for m in GENERATED] + [(m, False) for m in WRITTEN]
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
        path = folder / f"{maker.__name__.replace('_', '-')}--{i:03}.mtx"
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
               "--db", args.db, "--variants", args.variants, "--budget", str(args.budget), "--threads", str(args.threads)]
    if args.mkl:
        command += ["--mkl", args.mkl]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 6):
        print(f"exit {run.returncode}: " + " / ".join(run.stderr.strip().splitlines()[-3:]), file=sys.stderr)


def pack(args):
    text = subprocess.run([args.sptune, "db", "export", "--db", args.db], stdout=subprocess.PIPE, check=True).stdout
    document = json.loads(text)
    keep = {"ok", "bounded", "incorrect", "crashed"}
    for entry in document["entries"]:
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
    parser.add_argument("--precisions", default="f64,f32")
    parser.add_argument("--count", type=int, default=140, help="matrices to make")
    parser.add_argument("--smallest", type=float, default=2e3, help="nonzeros")
    parser.add_argument("--largest", type=float, default=3e6, help="nonzeros")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=2, help="seconds for each sweep")
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
        args.variants = CUDA_VARIANTS if args.backend == "cuda" else "*"

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

        # With cores to spare the next group is made while this one is measured.
        spare = args.backend == "cuda" or len(os.sched_getaffinity(0)) >= 8
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
