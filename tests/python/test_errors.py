"""What is refused, and whether the message names the remedy."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sptune
from matrices import poisson, random_csr
from scipy import sparse
from sptune import _auto, _spgemm
from sptune._matrix import Csr

A = random_csr(60, 40)
x = np.ones(40)


def unaligned(a):
    return np.frombuffer(bytearray(1) + a.tobytes(), np.uint8)[1:].view(a.dtype)


@pytest.fixture(params=["plan", "auto_spmv"])
def times(request):
    """(x, out, alpha, beta) -> out"""
    return sptune.plan(A).apply if request.param == "plan" else lambda *a, **k: sptune.auto_spmv(A, *a, **k)


@pytest.mark.parametrize("bad, error, message", [
    (np.ones(41), ValueError, r"shape \(41,\); expected \(40,\)"),
    (np.ones((1, 40)), ValueError, r"expected \(40,\), or \(40, k\)"),
    (np.ones((40, 2, 2)), ValueError, "shape"),
    (1.0, ValueError, "shape"),
    (x + 0j, TypeError, r"x\.real"),
    (np.array(["a"] * 40), TypeError, "type"),
    (x.astype(np.longdouble), TypeError, "astype"),
    (None, TypeError, "x holds object instead of numbers"),
    (sparse.csr_matrix(np.ones((40, 1))), TypeError, "auto_spgemm"),
])
def test_bad_x(times, bad, error, message):
    with pytest.raises(error, match=message):
        times(bad)


def test_float64_x_for_a_float32_matrix():
    narrow = sptune.plan(A.astype(np.float32))
    with pytest.raises(TypeError, match="astype"):
        narrow @ x
    assert (narrow @ x.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("bad, error, message", [
    (np.ones(59), ValueError, r"shape \(59,\); expected \(60,\)"),
    (np.ones((60, 1)), ValueError, "shape"),
    (np.ones(60, np.float32), TypeError, "float64"),
    (np.ones(120)[::2], ValueError, "contiguous"),
    (np.broadcast_to(1.0, 60), ValueError, "read-only"),
    (unaligned(np.ones(60)), ValueError, "aligned"),
    ([0.0] * 60, TypeError, "NumPy array"),
])
def test_bad_out(times, bad, error, message):
    with pytest.raises(error, match=message):
        times(x, bad)


def test_out_of_several_vectors_that_is_not_contiguous(times):
    with pytest.raises(ValueError, match="contiguous"):
        times(np.ones((A.shape[1], 3)), np.ones((60, 6))[:, ::2])


def test_x_that_is_not_aligned_is_copied(times):
    assert np.allclose(times(unaligned(x)), A @ x)


def test_arrays_of_the_matrix_that_are_not_aligned():
    bad = A.copy()
    bad.data = unaligned(bad.data)
    with pytest.raises(ValueError, match="A.data is not aligned"):
        sptune.plan(bad)


def test_out_that_overlaps_x(times):
    both = np.ones(99)
    with pytest.raises(ValueError, match="overlap"):
        times(both[:40], both[39:])
    assert np.allclose(times(both[:39 + 1].copy(), both[39:]), A @ x)


def test_a_wrong_out_costs_no_plan():
    B = random_csr(40, 40)
    y = sptune.auto_spmv(B, x)
    plans = dict(_auto._known)
    for wrong in (x, B.data[:40]):
        with pytest.raises(ValueError, match="overlap|lies in"):
            sptune.auto_spmv(B, x, wrong)
    assert _auto._known == plans and sptune.why(B)
    assert np.array_equal(sptune.auto_spmv(B, x), y)


def test_beta_without_out(times):
    with pytest.raises(ValueError, match="out"):
        times(x, beta=1)


@pytest.mark.parametrize("make", [sptune.plan, lambda B: sptune.auto_spmv(B, x),
                                  lambda B: sptune.auto_spgemm(B, B)])
@pytest.mark.parametrize("bad, error, message", [
    (np.eye(3), TypeError, "csr_array"),
    (None, TypeError, "sparse"),
    ("csr", TypeError, "sparse"),
    (A.astype(np.int64), TypeError, "astype"),
    (A.astype(complex), TypeError, r"complex128; .* A\.real and A\.imag apart$"),
])
def test_bad_matrices(make, bad, error, message):
    with pytest.raises(error, match=message):
        make(bad)


@pytest.mark.parametrize("bad, error", [
    (np.eye(40), TypeError),
    (sparse.eye(40, format="csr", dtype=np.int64), TypeError),
    (sparse.eye(40, format="csr", dtype=complex), TypeError),
    (sparse.csr_array(np.ones(40)), ValueError),
    (sparse.csr_matrix((np.ones(1), [0], [0] + [1] * 40), shape=(40, 1)), None),
])
def test_errors_name_the_matrix_that_is_wrong(bad, error):
    if error is None:
        bad.indices[0] = 1
    with pytest.raises(error or ValueError, match=r"^B\b(?!.*\bA\b)"):
        sptune.auto_spgemm(A, bad)


def broken(**arrays):
    """A with other arrays: SciPy does not look at them again."""
    B = A.copy()
    for name, array in arrays.items():
        setattr(B, name, array)
    return B


@pytest.mark.parametrize("make", [sptune.plan, lambda B: sptune.auto_spmv(B, x)])
@pytest.mark.parametrize("arrays, message", [
    (dict(indices=A.indices + 40), "indices"),
    (dict(indices=A.indices - 40), "indices"),
    (dict(indices=A.indices.astype(np.int64) + 2**32), "indices"),
    (dict(indptr=A.indptr[::-1].copy()), "indptr"),
    (dict(indptr=A.indptr + 1), "indptr"),
    (dict(indptr=A.indptr[:-1]), "one entry more"),
    (dict(data=A.data[:-1]), "A.data"),
    (dict(data=np.repeat(A.data, 2)[::2]), "A.data.copy"),
])
def test_broken_matrices(make, arrays, message):
    with pytest.raises(ValueError, match=message):
        make(broken(**arrays))


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_indices_of_other_types(name):
    for narrow in (np.int16, np.uint32, np.float64):
        with pytest.raises(TypeError, match=f"A.{name} has type .*expected int32 or int64"):
            sptune.plan(broken(**{name: getattr(A, name).astype(narrow)}))


def test_too_wide_matrices():
    wide = sparse.csr_matrix((np.ones(1), (np.zeros(1, np.int64), np.array([2**31]))), shape=(1, 2**31 + 1))
    with pytest.raises(ValueError, match="32 bits"):
        sptune.plan(wide)


@pytest.mark.parametrize("options, error, message", [
    (dict(error_bound=1e-30), sptune.ConstraintError, "error bound"),
    (dict(variants="nothing"), sptune.ConstraintError, "variants"),
    (dict(backend="cuda"), sptune.ConstraintError, "in the memory of the GPU"),
    (dict(backend="gpu"), ValueError, '"cuda"'),
    (dict(online="perhaps"), ValueError, '"never"'),
    (dict(memory_bytes=-1), ValueError, "memory_bytes"),
    (dict(expected_calls=-1), ValueError, "expected_calls"),
    (dict(memory_bytes=1, variants="*.ell.*"), sptune.ConstraintError, "memory cap"),
    (dict(longest_conversion_us=-1), ValueError, "^longest_conversion_us must"),
    (dict(error_bound=-1), ValueError, "^error_bound must"),
    (dict(epsilon=0), ValueError, "^epsilon must"),
    (dict(grace_calls=float("nan")), ValueError, "^grace_calls must"),
    (dict(threads=-1), ValueError, "threads"),
    (dict(expected_cals=1), TypeError, "expected_cals"),
])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        sptune.plan(A, **options)
    assert issubclass(sptune.ConstraintError, ValueError)


@pytest.mark.parametrize("option, values, error, message", [
    ("memory_bytes", ["1e9", 1j, [1]], TypeError, "real number"),
    ("memory_bytes", [-1, 1.5, 2**64, float("inf"), float("nan")], ValueError, "whole number from 0"),
    ("threads", ["2", None], TypeError, "real number"),
    ("threads", [-1, 0.5, 4097, 2**31], ValueError, "whole number from 0 to 4096"),
    ("expected_calls", ["100", None, np.ones(1)], TypeError, "real number"),
    ("error_bound", ["x", np.complex128(1)], TypeError, "real number"),
    ("error_bound", [10**400], ValueError, "range"),
    ("epsilon", [None], TypeError, "real number"),
    ("deterministic", ["yes", None, 2, 1.0], TypeError, "True or False"),
    ("variants", [None, 1], TypeError, "string"),
    ("backend", [None], TypeError, "string"),
    ("online", [None, True], TypeError, "string"),
    ("database", [3], TypeError, "path"),
])
def test_options_of_other_types(option, values, error, message):
    for value in values:
        with pytest.raises(error, match=f"^{option} is .*{message}") as e:
            sptune.plan(A, **{option: value})
        assert len(str(e.value)) < 120
        with pytest.raises(error, match=f"^{option} is .*{message}"):
            sptune.aslinearoperator(A, **{option: value})


@pytest.mark.parametrize("option, value, error", [
    ("memory_bytes", "x", TypeError), ("memory_bytes", -1, ValueError), ("threads", "2", TypeError),
    ("sorted", None, TypeError), ("drop_zeros", "no", TypeError), ("variant", None, TypeError),
    ("backend", 1, TypeError), ("database", 3, TypeError),
])
def test_options_of_other_types_for_auto_spgemm(option, value, error):
    with pytest.raises(error, match=f"^{option} is .*; expected"):
        sptune.auto_spgemm(A, A.T.tocsr(), **{option: value})


def test_graphs_are_those_of_a_gpu():
    plan = sptune.plan(A, in_graphs=True, threads=1)
    assert np.allclose(plan @ x, A @ x)
    with pytest.raises(TypeError, match="^in_graphs is 'yes'; expected"):
        sptune.plan(A, in_graphs="yes")
    with pytest.raises(ValueError, match="in_graphs exclude each other"):
        sptune.plan(A, in_graphs=True, online="always")


def test_numbers_of_other_types_that_are_as_good(tmp_path):
    plan = sptune.plan(A, memory_bytes=1e9, threads=2.0, deterministic=1, transposed=np.bool_(False),
                       expected_calls=np.int64(10), epsilon=np.float32(0.5), database=tmp_path)
    assert np.allclose(plan @ x, A @ x)
    with pytest.raises(sptune.ConstraintError, match="memory_bytes"):
        sptune.auto_spgemm(poisson(30), poisson(30), memory_bytes=np.float64(100))
    assert sptune.auto_spgemm(A, A.T.tocsr(), memory_bytes=1e9, threads=1.0, sorted=1).shape == (60, 60)


def test_factors(times):
    for bad in (1j, "2", None, [2], np.ones(1), np.complex128(1)):
        for name in ("alpha", "beta"):
            with pytest.raises(TypeError, match=f"^{name} is .*real number"):
                times(x, np.ones(60), **{name: bad})
    for two in (2, 2.0, np.float32(2), np.int64(2), np.array(2.0)):
        assert np.allclose(times(x, np.ones(60), two, two), 2 * (A @ x) + 2)


@pytest.mark.parametrize("bad, error, message", [
    (A, TypeError, r"^values is a sparse matrix; give A\.data"),
    (A.data[:-1].copy(), ValueError, "shape"),
    (A.data + 0j, TypeError, "values"),
])
def test_bad_values(bad, error, message):
    plan = sptune.plan(A)
    with pytest.raises(error, match=message):
        plan.update_values(bad)
    assert np.allclose(plan @ x, A @ x)


def test_plans_are_made_by_a_function():
    with pytest.raises(TypeError, match=r"sptune\.plan\(A\)"):
        sptune.Plan(A)


def test_arrays_do_not_multiply_plans():
    with pytest.raises(TypeError):
        np.ones(60) @ sptune.plan(A)


def test_products_that_do_not_fit():
    with pytest.raises(ValueError, match="60 × 40"):
        sptune.auto_spgemm(A, A)
    with pytest.raises(ValueError, match="no kernel"):
        sptune.auto_spgemm(A, A.T.tocsr(), variant="spgemm.cpu.nothing")
    with pytest.raises(sptune.ConstraintError, match="memory_bytes"):
        sptune.auto_spgemm(poisson(30), poisson(30), memory_bytes=100)
    with pytest.raises(ValueError, match='"cuda"'):
        sptune.auto_spgemm(A, A.T.tocsr(), backend="gpu")


def test_products_on_a_gpu_that_is_not_there():
    """A script of its own: this one may see a GPU."""
    script = ("import scipy.sparse, sptune\nI = scipy.sparse.eye(3, format='csr')\n"
              "try: sptune.auto_spgemm(I, I, backend='cuda')\n"
              "except sptune.ConstraintError as e: assert 'GPU' in str(e) or 'CUDA' in str(e), e\n"
              "else: raise AssertionError")
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})


def test_products_that_fit_into_no_memory():
    ones = sparse.csr_matrix(np.ones((250_000, 1)))
    row = ones.T.tocsr()
    ones.indptr, row.indptr = ones.indptr.astype(np.int64), row.indptr.astype(np.int64)
    with pytest.raises(MemoryError):
        sptune.auto_spgemm(ones, row)  # 750 GB


def test_what_does_not_fit_into_memory_is_not_tried_with_wide_copies(monkeypatch):
    B = poisson(30)
    B.indices, B.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    monkeypatch.setattr(_spgemm, "Csr", lambda M, wide=False, name="A": Csr(M, wide, name) if not wide else pytest.fail("a copy"))
    with pytest.raises(sptune.ConstraintError, match="memory_bytes"):
        sptune.auto_spgemm(B, B, memory_bytes=100)
