#!/usr/bin/env python3
"""Computes the features of small matrices with NumPy and SciPy, from their definitions.

    tests/features/oracle.py tests/data/*.mtx > tests/data/features_oracle.json

The matrices were made with
    sptune generate fem --nx 5 --ny 4 --nz 1 --dof 3 -o tests/data/fem.mtx
    sptune generate power-law --rows 200 --mean 5 -o tests/data/power_law.mtx
    sptune generate bipartite --rows 150 --cols 45 --mean 6 -o tests/data/bipartite.mtx
    sptune generate banded --rows 160 --band 6 --fill 0.4 -o tests/data/banded.mtx
Small enough that sptune samples nothing. Written from features.hpp, not from the C++ sources.
"""

import json
import pathlib
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp

CHUNKS = [2, 4, 8, 10, 16, 32, 64, 100, 128, 256]
BLOCKS = [(2, 2), (3, 3), (4, 4), (6, 6), (8, 8), (1, 2), (2, 1), (1, 4), (4, 1), (2, 4), (4, 2),
          (1, 8), (8, 1), (1, 3), (3, 1)]
MASK = (1 << 64) - 1


def mix64(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def fingerprint(a):
    total = 0
    for k, column in enumerate(a.indices.tolist()):
        key = (k + 1) * 0x9E3779B97F4A7C15 & MASK
        total += ((column ^ key) & 0xFFFFFFFF) * (key >> 32 | 1)
    for i, pointer in enumerate(a.indptr.tolist()):
        key = (i + 1) * 0xC2B2AE3D27D4EB4F & MASK
        total += (pointer ^ key) * (key >> 32 | 1)
    total &= MASK
    for part in (*a.shape, a.nnz):
        total = mix64(total ^ mix64(part + 1))
    return total


def diagonal_runs(row, col, rows):
    there = {*zip(row.tolist(), col.tolist())}
    # Rows are looked at in groups of 24, every fifth one of each.
    looked_at = [(i, j) for i, j in there if i % 24 % 5 == 0 and i + 1 < rows]
    return sum((i + 1, j + 1) in there for i, j in looked_at) / max(len(looked_at), 1)


def sell_padding(lengths, c, sigma):
    order = lengths.copy()
    width = sigma or len(order)
    for first in range(0, len(order), width):
        order[first:first + width] = np.sort(order[first:first + width])[::-1]
    stored = sum(c * order[first:first + c].max() for first in range(0, len(order), c))
    return stored / lengths.sum() - 1


def sigmas(c):
    if c & (c - 1):
        return [1, 2 * c, 0]
    return [1, 2 * c, 8 * c, 4096, 0]


def features(a):
    rows, cols = a.shape
    nnz = a.nnz
    lengths = np.diff(a.indptr).astype(np.int64)
    row = np.repeat(np.arange(rows), lengths)
    col = a.indices.astype(np.int64)
    f = {"rows": rows, "cols": cols, "nnz": nnz, "density": nnz / (rows * cols)}

    mean, std = lengths.mean(), lengths.std()
    f |= {"row_min": int(lengths.min()), "row_max": int(lengths.max()), "row_mean": mean,
          "row_median": float(np.median(lengths)), "row_std": std, "row_cv": std / mean,
          "row_skew": float(((lengths - mean) ** 3).mean() / std ** 3),
          "row_gini": float(np.abs(lengths[:, None] - lengths[None, :]).sum()
                            / (2 * rows * rows * mean)),
          "empty_rows": int((lengths == 0).sum()),
          "row_neighbour_diff": float(np.abs(np.diff(lengths)).mean()),
          "warp_imbalance": sum(32 * int(lengths[i:i + 32].max())
                                for i in range(0, rows, 32)) / nnz,
          "ell_fill": nnz / (rows * lengths.max())}
    f["hyb_remainder"] = []
    for q in (0.5, 0.75, 0.9, 0.95):
        width = np.quantile(lengths, q, method="inverted_cdf")
        f["hyb_remainder"].append(float(np.maximum(lengths - width, 0).sum() / nnz))

    offset, population = np.unique(col - row, return_counts=True)
    length = [sum(0 <= i + d < cols for i in range(rows)) for d in offset]
    dense = population >= 0.6 * np.array(length)
    fullest = np.sort(population)[::-1]
    first = {i: int(col[row == i].min()) for i in range(rows) if lengths[i]}
    moves = [abs(first[i] - first[i - 1]) for i in first if i - 1 in first]
    f |= {"diagonals": len(offset), "dia_fill": nnz / (len(offset) * rows),
          "dense_diagonals": int(dense.sum()),
          "dense_diagonal_share": float(population[dense].sum() / nnz),
          "top_diagonal_share": [float(fullest[:k].sum() / nnz) for k in (1, 4, 16, 64)],
          "diagonal_runs": diagonal_runs(row, col, rows),
          "bandwidth_max": int(np.abs(col - row).max()),
          "bandwidth_mean": float(np.abs(col - row).mean()),
          "profile": sum(max(0, i - c) for i, c in first.items()),
          "reuse_distance": float(np.mean(moves))}

    f |= {"pattern_symmetry": 0.0, "value_symmetry": 0.0}
    if rows == cols:
        off = a - sp.diags(a.diagonal())
        off.eliminate_zeros()
        pattern = off != 0
        f["pattern_symmetry"] = pattern.multiply(pattern.T).nnz / off.nnz
        f["value_symmetry"] = 1 - (off != off.T).multiply(pattern).nnz / off.nnz

    f["sell"] = [[c, s, float(sell_padding(lengths, c, s))] for c in CHUNKS for s in sigmas(c)]
    f["bsr"] = [[r, c, nnz / (len({*zip(row // r, col // c)}) * r * c)] for r, c in BLOCKS]
    f["cols_per_line"] = nnz / len({*zip(row, col // 8)})
    f["column_gap"] = float(np.mean([np.diff(np.sort(col[row == i])).mean()
                                     for i in range(rows) if lengths[i] > 1]))
    f["constant_values"] = bool((a.data == a.data[0]).all())
    f["fingerprint"] = fingerprint(a)
    return f


def main():
    out = {}
    for name in sys.argv[1:]:
        a = scipy.io.mmread(name).tocsr()
        a.sort_indices()
        out[pathlib.Path(name).name] = features(a)
    print(json.dumps(out, indent=1, allow_nan=False, default=lambda x: x.item()))


main()
