"""The families that bench/training_set.py has `sptune generate` make, with random options.

GENERATED: functions (rng, nnz) -> (family, options); nnz is the number of nonzeros to aim at.
"""

import math


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


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


def changed(maker):
    """Entries left out, or made dense blocks, or both: fewer families than there are such matrices."""
    def make(rng, nnz):
        drop = rng.choice([0, 0, 0.1, 0.3, 0.6])
        unknowns = rng.choice([2, 3, 3, 4, 5, 6, 8]) if drop == 0 else rng.choice([1, 1, 2, 3, 6])
        family, options = maker(rng, nnz / (1 - drop) / unknowns**2)
        return family, {**options, "drop": drop, "unknowns": unknowns}
    return make


GENERATED = [stencil("stencil-1d-3", 3), stencil("stencil-2d-5", 5), stencil("stencil-2d-9", 9),
             stencil("stencil-3d-7", 7), stencil("stencil-3d-27", 27), fem, fem, banded, banded, uniform, per_row,
             power_law, rmat, bipartite, arrow, block_diagonal, wheel]
CHANGED = [changed(m) for m in (stencil("stencil-1d-3", 3), stencil("stencil-2d-5", 5), stencil("stencil-2d-9", 9),
                                stencil("stencil-3d-7", 7), stencil("stencil-3d-27", 27), banded, banded, uniform,
                                per_row, power_law, rmat, block_diagonal)]
