"""one_value.py MATRIX...: what it saves on a CPU that SELL does without values that are all the
same. Two plans of each matrix, one with ones, one whose last value is another, by turns: medians of
20 batches of products back to back, µs. $PYTHONPATH has to lead to the sptune package."""
import argparse
import math
import statistics
import time

import numpy as np
import scipy.io
import scipy.sparse
import sptune

BATCHES, WARM_UP = 20, 30


def settled(a, x, y, variants="*"):
    plan = sptune.plan(a, backend="cpu", online="never", expected_calls=1e6, variants=variants)
    for _ in range(WARM_UP):
        plan.apply(x, out=y)
    return plan


def batch_us(plan, x, y, calls):
    start = time.perf_counter()
    for _ in range(calls):
        plan.apply(x, out=y)
    return (time.perf_counter() - start) * 1e6 / calls


def compare(path, dtype, calls):
    ones = scipy.sparse.csr_matrix(scipy.io.mmread(path)).astype(dtype)
    ones.data[:] = 1
    varied = ones.copy()
    varied.data[-1] = 1 + 1e-6
    x = np.random.default_rng(1).random(ones.shape[1]).astype(dtype)
    y = np.empty(ones.shape[0], dtype)
    stored = settled(varied, x, y)
    one = settled(ones, x, y, stored.variant)
    np.testing.assert_allclose(one.apply(x, out=y), ones @ x, rtol=1e-3)
    times = {stored: [], one: []}
    for _ in range(BATCHES):
        for plan, found in times.items():
            found.append(batch_us(plan, x, y, calls))
    return stored.variant, *(statistics.median(found) for found in times.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matrices", nargs="+", metavar="MATRIX", help="Matrix Market files")
    parser.add_argument("--precision", choices=("f32", "f64"), default="f64")
    parser.add_argument("--calls", type=int, default=15, help="of a batch (15)")
    options = parser.parse_args()
    dtype = np.float32 if options.precision == "f32" else np.float64
    ratios = []
    for path in options.matrices:
        variant, stored_us, one_us = compare(path, dtype, options.calls)
        print(f"{path}: {variant}, stored {stored_us:.1f}, one value {one_us:.1f}, "
              f"{stored_us / one_us:.2f}x", flush=True)
        if ".sell." in variant:
            ratios.append(stored_us / one_us)
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"geometric mean of {len(ratios)} in SELL: {mean:.2f}x, least {min(ratios):.2f}x")


if __name__ == "__main__":
    main()
