"""auto_spgemm against SciPy."""

import gc

import numpy as np
import pytest
import sptune
from matrices import poisson, random_csr
from scipy import sparse


def assert_same(C, A, B):
    expected = (A @ B).tocsr()
    assert C.shape == expected.shape and C.dtype == expected.dtype
    difference = abs(C - expected)
    assert difference.nnz == 0 or difference.max() <= 100 * np.finfo(C.dtype).eps * abs(expected).max()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wide", [False, True])
def test_products(dtype, wide):
    A = random_csr(80, 50, 0.1, dtype, wide=wide)
    B = random_csr(50, 90, 0.1, dtype, seed=1)
    C = sptune.auto_spgemm(A, B)
    assert_same(C, A, B)
    assert type(C) is sparse.csr_matrix and C.has_sorted_indices
    assert np.array_equal(C.indices, C.copy().sorted_indices().indices)


def test_kinds_and_types():
    A, B = random_csr(30, 30), random_csr(30, 30, dtype=np.float32)
    assert_same(sptune.auto_spgemm(A, B), A, B)
    assert_same(sptune.auto_spgemm(B, A), B, A)
    assert type(sptune.auto_spgemm(sparse.csr_array(A), A)) is sparse.csr_array
    with pytest.warns(sptune.ConversionWarning):
        assert_same(sptune.auto_spgemm(A, A.tocsc()), A, A)


@pytest.mark.parametrize("shapes", [((0, 4), (4, 3)), ((3, 0), (0, 4)), ((3, 4), (4, 0)), ((4, 4), (4, 4))])
def test_nothing_in_it(shapes):
    A, B = map(sparse.csr_matrix, shapes)
    C = sptune.auto_spgemm(A, B)
    assert C.shape == (shapes[0][0], shapes[1][1]) and C.nnz == 0


def test_options():
    A = sparse.csr_matrix([[1.0, -1.0], [1.0, 1.0]])
    B = sparse.csr_matrix([[1.0, 2.0], [1.0, 0.0]])
    assert sptune.auto_spgemm(A, B).nnz == 4
    assert sptune.auto_spgemm(A, B, drop_zeros=True).nnz == 3
    P = poisson(20)
    C = sptune.auto_spgemm(P, P, sorted=False, threads=1)
    assert_same(C, P, P)
    C = sptune.auto_spgemm(P, P, sorted=False, variant="spgemm.cpu.csr.hash.p1.d16.f64.i32")
    looked_at = sparse.csr_matrix((C.data, C.indices, C.indptr), C.shape)
    assert C.has_sorted_indices == looked_at.has_sorted_indices


def test_the_result_is_not_copied_and_may_be_changed():
    A = poisson(20)
    expected = A @ A
    C = sptune.auto_spgemm(A, A)
    assert not C.data.flags.owndata and C.data.flags.writeable
    data = C.data
    del C
    gc.collect()
    assert np.allclose(np.sort(data), np.sort(expected.data))
    C = sptune.auto_spgemm(A, A)
    C.data *= 2
    C.eliminate_zeros()
    assert abs(C - 2 * expected).max() == 0
