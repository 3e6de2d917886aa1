"""Matrices to test with, and SciPy's word on what a product is."""

import numpy as np
from scipy import sparse


def random_csr(rows, cols, density=0.05, dtype=np.float64, seed=0, wide=False):
    """Every seventh row is empty. `wide`: 64-bit row pointers beside 32-bit columns."""
    rng = np.random.default_rng(seed)
    A = sparse.random(rows, cols, density, format="lil", random_state=np.random.RandomState(seed))
    A[::7] = 0
    A = sparse.csr_matrix(A, dtype=dtype)
    A.eliminate_zeros()
    A.data[:] = rng.standard_normal(A.nnz)
    if wide:
        A.indptr = A.indptr.astype(np.int64)
    return A


def poisson(n, dtype=np.float64):
    """The 5-point stencil on n x n points: symmetric, positive definite."""
    T = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return sparse.csr_matrix(sparse.kron(T, sparse.eye(n)) + sparse.kron(sparse.eye(n), T), dtype=dtype)


def assert_product(y, A, x, transposed=False):
    """y = A x but for the rounding of sums in another order."""
    A = A.T.tocsr() if transposed else A
    assert y.dtype == A.dtype
    expected = A.astype(np.float64) @ x.astype(np.float64)
    scale = abs(A).astype(np.float64) @ np.abs(x).astype(np.float64)
    assert y.shape == expected.shape
    assert np.all(np.abs(y - expected) <= 50 * np.finfo(A.dtype).eps * scale)
