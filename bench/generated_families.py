"""The families that bench/training_set.py has `sptune generate` make, with random options.

GENERATED, CHANGED, LARGE: functions (rng, nnz) -> (family, options); nnz is the number of nonzeros to aim at.
"""

import math


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def in_small(rng, low, high, limit):
    """Log-uniform, too, but no more than `limit`: blocks and rows of which there is room for several."""
    return log_uniform(rng, low, min(max(limit, low), high))


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


def diagonals(rng, nnz):
    count, fill = round(in_small(rng, 2, 60, math.sqrt(nnz / 2))), rng.choice([1, 0.9, rng.uniform(0.2, 1)])
    noise = rng.choice([0, 0, log_uniform(rng, 0.01, 3)])
    rows = max(nnz / (1 + (count - 1) * fill + noise), 2 * count)
    # Farther offsets leave the matrix sooner; a quarter is lost at half of the rows.
    reach = max(log_uniform(rng, 1e-4, 1), count / rows)
    stretch = rng.choice([1, 1, round(log_uniform(rng, 4, 1000))])
    return "diagonals", {"rows": rows / (1 - reach / 2), "count": count, "reach": reach, "fill": fill,
                         "stretch": stretch, "noise": noise}


def local(rng, nnz):
    mean = in_small(rng, 1, 50, math.sqrt(nnz) / 2)
    rows = max(nnz / (mean + 1), 3 * mean)
    reach = min(max(log_uniform(rng, 1, 1e5), mean / 2), rows / 3)
    return "local", {"rows": rows, "mean": mean, "reach": max(reach, 1), "log": rng.choice([0, 0, 1]),
                     "far": rng.choice([0, 0, log_uniform(rng, 0.003, 0.5)])}


def runs(rng, nnz):
    count, length = round(log_uniform(rng, 1, 16)), round(in_small(rng, 1.5, 40, math.sqrt(nnz) / 16))
    rows = max(nnz / (count * length), 4)
    cols = max(round(rows * rng.choice([1, 1, 1, log_uniform(rng, 0.1, 10)])), 2 * count * length)
    return "runs", {"rows": rows, "cols": cols, "runs": count, "length": length,
                    "vary": rng.choice([0, 0.5, rng.random()]),
                    "reach": rng.choice([0, min(count * length * log_uniform(rng, 1, 1e3), cols / 3)])}


def hierarchy(rng, nnz):
    small = round(log_uniform(rng, 1, 10))
    large = round(small * in_small(rng, 1.5, 60, math.sqrt(nnz) / small / 2))
    coupling = rng.choice([0, 0.5, log_uniform(rng, 0.05, 10)])
    rows = max(nnz / ((small + large) / 2 + coupling), large)
    return "hierarchy", {"rows": rows, "small": small, "large": large, "coupling": coupling}


def skyline(rng, nnz):
    height = round(in_small(rng, 3, 150, math.sqrt(nnz) / 2))
    return "skyline", {"rows": max(nnz / height, height), "height": height, "wander": log_uniform(rng, 0.003, 1)}


def mixed_rows(rng, nnz):
    short, long_rows = round(log_uniform(rng, 1, 10)), round(in_small(rng, 20, 3000, math.sqrt(nnz) / 3))
    share = log_uniform(rng, 1e-4, 0.3)
    rows = max(nnz / (short * (1 - share) + long_rows * share), 2 * long_rows)
    cols = rng.choice([0, 0, max(round(rows * log_uniform(rng, 0.2, 5)), 2 * long_rows)])
    return "mixed-rows", {"rows": rows, "cols": cols, "short": short, "long": long_rows, "share": share,
                          "front": rng.choice([0, 0, 1]), "reach": round(log_uniform(rng, 2, min(1e4, rows / 3)))}


def staircase(rng, nnz):
    height, width = (round(in_small(rng, 5, 300, math.sqrt(nnz) / 2)) for _ in range(2))
    mean, links = min(log_uniform(rng, 1, 20), width / 2), rng.choice([0, 2, 10])
    each = mean + 0.3 + links * 0.05 * width / height  # a row's share of the rows that link, too
    return "staircase", {"rows": max(nnz / each, 2 * height) + links, "height": height, "width": width, "mean": mean,
                         "next": rng.choice([0, 0.3, 0.9]), "links": links}


def layers(rng, nnz):
    block, dense = round(in_small(rng, 2, 100, math.sqrt(nnz) / 3)), rng.choice([0, 1])
    return "layers", {"rows": max(nnz / (3 * block if dense else block + 2), 3 * block), "block": block, "dense": dense}


def oblong(rng, nnz):
    """Far from square: set covering, incidence, terms by documents, samples by features."""
    kind = rng.choice(["uniform", "bipartite", "power-law", "runs", "mixed-rows"])
    short = round(in_small(rng, 4, 6000, math.sqrt(nnz)))
    if rng.random() < 0.7:  # few rows, long ones
        rows, mean = short, max(nnz / short, 2)
        cols = round(min(mean * log_uniform(rng, 2.5, 300), max(1e7, 2.5 * mean)))
    else:
        cols = 4 * short
        mean = log_uniform(rng, 1, short)
        rows = nnz / mean
    if kind == "uniform":
        options = {"density": mean / cols}
    elif kind == "runs":
        length = in_small(rng, 1.5, 60, mean)
        options = {"runs": max(round(mean / length), 1), "length": round(length), "vary": rng.random()}
    elif kind == "mixed-rows":
        share, less = log_uniform(rng, 0.01, 0.5), rng.uniform(0.02, 0.7)
        options = {"short": max(round(mean * less), 1), "long": min(round(mean * (1 / share - less)) + 1, cols),
                   "share": share, "reach": max(round(cols * log_uniform(rng, 0.01, 1)), 2)}
    else:
        options = {"mean": mean}
    return kind, {"rows": rows, "cols": cols, **options}


def changed(maker):
    """Entries left out, or another order, or dense blocks: fewer families than there are such matrices."""
    def make(rng, nnz):
        drop = rng.choice([0, 0, 0.1, 0.3, 0.6])
        shuffle = rng.choice([0, 0, 0, 16, 256, 4096, 1 << 30])
        if drop == 0 and shuffle == 0:
            unknowns = rng.choice([2, 3, 3, 4, 5, 6, 8])
        else:
            unknowns = rng.choice([1, 1, 2, 3, 6])
        family, options = maker(rng, nnz / (1 - drop) / unknowns**2)
        return family, {**options, "drop": drop, "shuffle": shuffle, "unknowns": unknowns}
    return make


STENCILS = [stencil("stencil-1d-3", 3), stencil("stencil-2d-5", 5), stencil("stencil-2d-9", 9),
            stencil("stencil-3d-7", 7), stencil("stencil-3d-27", 27)]
# Kinds that are also in written_families.py, where they are slow to make.
VARIED = [diagonals, local, runs, hierarchy, skyline, mixed_rows, staircase, layers]

GENERATED = [*STENCILS, fem, fem, banded, banded, uniform, per_row, power_law, rmat, bipartite, arrow, block_diagonal,
             wheel, *VARIED]
CHANGED = [changed(m) for m in (*STENCILS, banded, banded, uniform, per_row, power_law, rmat, block_diagonal, *VARIED)]
# For matrices of any size: what varies most twice as often as the rest.
LARGE = [*VARIED, *CHANGED, *map(changed, VARIED), *GENERATED]
OBLONG = [oblong]
