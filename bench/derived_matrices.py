#!/usr/bin/env python3
"""Makes relatives of real matrices, for training: more of their kind, larger and disturbed.

    bench/derived_matrices.py OUT MATRIX.mtx... [--each 3] [--largest 8e6] [--seed 1] [--jobs N]

Of each matrix, `--each` of: copies along the diagonal; every entry a dense block (more unknowns for each
point); rows and columns in random order, or in random order near by, or by reverse Cuthill-McKee; the product with
itself or with its transpose; a leading part; what lies on and below the diagonal; neighbouring rows and columns taken
together; layers, each coupled with the next; a share of the entries; some full rows more; the transpose; the pattern
joined with its transpose. Only patterns are written. A name is FAMILY--NAME-KIND,
where `sptune evaluate` takes the same family for it as for the matrix it comes from. Whoever holds a real
matrix out has to leave its relatives out of the training as well. Needs SciPy.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import re
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.csgraph


def family(name):
    """As models::group_of() has it."""
    if "--" in name[1:]:
        return name.split("--")[0]
    letters = re.match(r"[A-Za-z]*", name).group()
    return letters if len(letters) >= 2 else name


def target(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(max(high, low + 1))))


def copies(a, rng, most):
    count = int(target(rng, 2 * a.nnz, most) / a.nnz)
    return sp.block_diag([a] * count, format="csr") if 2 <= count <= 3000 else None


def dense_blocks(a, rng, most):
    size = rng.choice([2, 2, 3, 3, 4, 6])
    return sp.kron(a, np.ones((size, size)), format="csr") if a.nnz * size * size <= most else None


def any_order(a, rng, most):
    order = np.random.default_rng(rng.randrange(1 << 30))
    rows = order.permutation(a.shape[0])
    cols = rows if a.shape[0] == a.shape[1] else order.permutation(a.shape[1])
    return a[rows][:, cols]


def rows_in_any_order(a, rng, most):
    return a[np.random.default_rng(rng.randrange(1 << 30)).permutation(a.shape[0])]


def product(a, rng, most):
    b = a if a.shape[0] == a.shape[1] else a.T.tocsr()
    upper = np.diff(b.indptr)[a.indices].sum()
    return a @ b if upper <= 4 * most else None


def leading_part(a, rng, most):
    share = rng.uniform(0.2, 0.8)
    return a[:max(int(share * a.shape[0]), 1), :max(int(share * a.shape[1]), 1)]


def transpose(a, rng, most):
    return a.T


def joined(a, rng, most):
    return a + a.T if a.shape[0] == a.shape[1] else None


def nearby_order(a, rng, most):
    """Rows and columns trade places within windows."""
    window, order = rng.choice([8, 64, 512]), np.random.default_rng(rng.randrange(1 << 30))

    def shuffled(n):
        return np.argsort(np.arange(n) + window * order.random(n))

    rows = shuffled(a.shape[0])
    return a[rows][:, rows if a.shape[0] == a.shape[1] else shuffled(a.shape[1])]


def narrow_order(a, rng, most):
    """Symmetric matrices of the pattern, as a solver would number them."""
    if a.shape[0] != a.shape[1]:
        return None
    order = scipy.sparse.csgraph.reverse_cuthill_mckee(sp.csr_matrix(a + a.T), symmetric_mode=True)
    return a[order][:, order]


def lower_part(a, rng, most):
    return sp.tril(a, format="csr") if a.shape[0] == a.shape[1] else None


def coarsened(a, rng, most):
    """A coarse level: so many neighbouring rows and columns become one."""
    size = rng.choice([2, 3, 8])
    coo = sp.coo_array(a)
    shape = tuple(-(-n // size) for n in a.shape)
    return sp.csr_array((np.ones(a.nnz), (coo.coords[0] // size, coo.coords[1] // size)), shape)


def layers(a, rng, most):
    """The mesh extruded: copies of it, each unknown coupled with those above and below."""
    count = int(target(rng, 2 * a.nnz, most / 2) / a.nnz)
    if a.shape[0] != a.shape[1] or not 2 <= count <= 1000:
        return None
    above = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(count, count))
    return sp.kron(sp.eye_array(count), a, format="csr") + sp.kron(above, sp.eye_array(a.shape[0]), format="csr")


def thinned(a, rng, most):
    kept = sp.coo_array(a)
    keep = np.random.default_rng(rng.randrange(1 << 30)).random(a.nnz) < rng.choice([0.3, 0.7, 0.95])
    return sp.csr_array((kept.data[keep], (kept.coords[0][keep], kept.coords[1][keep])), a.shape)


def with_full_rows(a, rng, most):
    """A few constraints that all unknowns share, at random places."""
    count, share = rng.choice([1, 3, 12]), rng.choice([0.05, 0.4, 1])
    full = sp.random_array((count, a.shape[1]), density=share, format="csr", rng=rng.randrange(1 << 30))
    rows = sp.vstack([a, full], format="csr")
    return rows[np.random.default_rng(rng.randrange(1 << 30)).permutation(rows.shape[0])] if rng.random() < 0.3 else rows


KINDS = [copies, copies, dense_blocks, dense_blocks, any_order, rows_in_any_order, product, leading_part, transpose, joined,
         nearby_order, narrow_order, lower_part, coarsened, layers, thinned, with_full_rows]


def relatives(path, args):
    rng = random.Random(f"{args.seed} {path.stem}")
    a = sp.csr_array(scipy.io.mmread(path, spmatrix=False))
    a.data = np.ones(a.nnz)
    kinds, made, names = list(KINDS), 0, []
    rng.shuffle(kinds)
    for kind in kinds:
        if made == args.each:
            break
        b = kind(a, rng, args.largest)
        label = kind.__name__.replace("_", "-")
        if b is None or b.nnz == 0 or b.nnz > args.largest or any(label in n for n in names):
            continue
        name = f"{family(path.stem)}--{path.stem}-{label}.mtx"
        scipy.io.mmwrite(args.out / name, sp.coo_array(b), field="pattern", symmetry="general")
        names.append(name)
        made += 1
    return len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("matrices", nargs="+", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--largest", type=float, default=8e6, help="nonzeros")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    total = 0
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for path, job in [(p, pool.submit(relatives, p, args)) for p in args.matrices]:
            try:
                total += job.result()
            except (ValueError, TypeError, NotImplementedError, OSError) as e:
                print(f"{path.name}: left out: {e}", file=sys.stderr)
    print(f"{total} matrices in {args.out}")


if __name__ == "__main__":
    main()
