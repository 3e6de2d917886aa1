"""aslinearoperator in the solvers of SciPy."""

import pickle

import numpy as np
import pytest
import sptune
from matrices import assert_product, poisson, random_csr
from scipy.sparse import linalg


@pytest.mark.parametrize("solver", [linalg.cg, linalg.gmres, linalg.bicgstab, linalg.minres])
def test_solvers_converge(solver):
    A = poisson(30)
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    x, failed = solver(sptune.aslinearoperator(A, expected_calls=100), b)
    assert not failed
    assert np.linalg.norm(A @ x - b) < 1e-3 * np.linalg.norm(b)


def test_eigenvalues_and_singular_values():
    A = poisson(15)
    op = sptune.aslinearoperator(A)
    assert np.allclose(linalg.eigsh(op, k=3)[0], linalg.eigsh(A, k=3)[0])
    R = random_csr(60, 40)
    assert np.allclose(linalg.svds(sptune.aslinearoperator(R), k=3)[1], linalg.svds(R, k=3)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_a_linear_operator(dtype):
    A = random_csr(60, 40, dtype=dtype)
    op = sptune.aslinearoperator(A)
    assert isinstance(op, linalg.LinearOperator)
    assert op.shape == A.shape and op.dtype == dtype
    X, Y = np.ones((40, 3), dtype), np.ones((60, 3), dtype)
    assert_product(op.matvec(X[:, 0]), A, X[:, 0])
    assert op.matvec(X[:, :1]).shape == (60, 1)
    assert_product(op.matmat(X), A, X)
    assert_product(op @ X, A, X)
    assert_product(op.rmatvec(Y[:, 0]), A, Y[:, 0], transposed=True)
    assert_product(op.rmatmat(Y), A, Y, transposed=True)
    assert_product(op.T @ Y[:, 0], A, Y[:, 0], transposed=True)
    assert_product((2 * op) @ X[:, 0], 2 * A, X[:, 0])


def test_new_values_reach_both_directions():
    A = random_csr(60, 40)
    op = sptune.aslinearoperator(A, expected_calls=10)
    x, y = np.ones(40), np.ones(60)
    for first in (True, False):  # before and after there is a plan for A.T
        A.data = np.random.default_rng(first).standard_normal(A.nnz)
        op.update_values(A.data)
        assert_product(op @ x, A, x)
        assert_product(op.T @ y, A, y, transposed=True)


def test_both_directions_keep_the_matrix_of_the_beginning():
    A = random_csr(60, 40)
    before, x, y = A.copy(), np.ones(40), np.ones(60)
    op = sptune.aslinearoperator(A)
    A.data = 3 * A.data
    A.resize(30, 40)
    for one in (op, pickle.loads(pickle.dumps(op))):
        assert_product(one @ x, before, x)
        assert_product(one.T @ y, before, y, transposed=True)


@pytest.mark.parametrize("copied", [list, lambda values: np.repeat(values, 2)[::2]])
def test_values_that_were_copied_are_those_of_both_directions(copied):
    A = random_csr(60, 40)
    op = sptune.aslinearoperator(A)
    values = copied(3 * A.data)
    op.update_values(values)
    values[:] = [0] * A.nnz
    y = np.ones(60)
    assert_product(op.T @ y, 3 * A, y, transposed=True)


def test_options():
    assert sptune.aslinearoperator(poisson(5), variants="*.csr.*").plan.variant.startswith("spmv.cpu.csr.")
    op = sptune.aslinearoperator(poisson(5), memory_bytes=1)
    with pytest.raises(sptune.ConstraintError, match="the transpose takes"):
        op.T @ np.ones(25)
    with pytest.raises(TypeError, match=r"\.T"):
        sptune.aslinearoperator(poisson(5), transposed=True)


def test_float64_vectors_for_a_float32_matrix():
    A = random_csr(60, 40, dtype=np.float32)
    op = sptune.aslinearoperator(A)
    rng = np.random.default_rng(0)
    for x in (rng.standard_normal(40), rng.standard_normal((40, 3)), np.arange(40), list(range(40))):
        y, rounded = op @ x, np.asarray(x, np.float32)
        assert y.dtype == np.float64
        assert_product(y.astype(np.float32), A, rounded)
    assert (op.T @ np.ones(60)).dtype == np.float64
    assert (op @ np.ones(40, np.float32)).dtype == np.float32
    assert (op @ np.ones(40, np.float16)).dtype == np.float32
    for bad in (np.ones(40, complex), np.ones(40, np.longdouble)):
        with pytest.raises(TypeError, match="x"):
            op @ bad
    with pytest.raises(TypeError, match="astype"):
        op.plan @ np.ones(40)


def test_solvers_that_make_float64_vectors():
    A = poisson(12, np.float32)
    op, exact = sptune.aslinearoperator(A), A.astype(np.float64)
    n = A.shape[0]
    rng = np.random.default_rng(0)
    largest = linalg.eigsh(exact, k=3)[0]
    found = linalg.lobpcg(op, rng.standard_normal((n, 3)), largest=True, maxiter=200, tol=1e-2)[0]
    assert np.allclose(np.sort(found), largest, rtol=1e-2)
    found = linalg.svds(op, k=3, solver="lobpcg", v0=rng.standard_normal(n), tol=0.2, maxiter=200)[1]
    assert np.allclose(found, largest, rtol=1e-2)
    assert np.isclose(linalg.onenormest(op), abs(exact).sum(axis=0).max())
    once = linalg.expm_multiply(op, np.ones(n), traceA=4.0 * n)
    assert np.allclose(once, linalg.expm_multiply(exact, np.ones(n)), rtol=1e-3)
