"""What can be copied and pickled, and that nothing of C++ is shared then."""

import copy
import gc
import pickle

import numpy as np
import pytest
import sptune
from matrices import assert_product, poisson, random_csr

COPIES = [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]


@pytest.mark.parametrize("another", COPIES)
def test_plans_refuse(another):
    plan = sptune.plan(random_csr(60, 40))
    with pytest.raises(TypeError, match=r"cannot be copied or pickled; .*sptune\.plan\(A\)"):
        another(plan)


@pytest.mark.parametrize("another", COPIES)
def test_operators_make_plans_of_their_own(another):
    A = random_csr(500, 400)
    op = sptune.aslinearoperator(A, variants="*.coo.*")
    x, y = np.ones(400), np.ones(500)
    op @ x, op.T @ y
    values = np.random.default_rng(1).standard_normal(A.nnz)
    for new in (None, values):  # a copy has those of the last update
        if new is not None:
            op.update_values(new)
        B = A if new is None else type(A)((new, A.indices, A.indptr), shape=A.shape)
        same = another(op)
        assert same.plan is not op.plan and same.plan.variant.startswith("spmv.cpu.coo.")
        same.update_values(2 * B.data)
        gc.collect()
        litter = [np.full(A.nnz, np.nan) for _ in range(20)]
        assert_product(op @ x, B, x)
        assert_product(op.T @ y, B, y, transposed=True)
        assert_product(same @ x, 2 * B, x)
        assert_product(same.T @ y, 2 * B, y, transposed=True)
        del litter
    assert_product(another(op.T) @ y, B, y, transposed=True)
    assert_product(another(2 * op) @ x, 2 * B, x)


@pytest.mark.parametrize("another", COPIES)
def test_products_are_matrices_like_others(another):
    A = poisson(20)
    C = another(sptune.auto_spgemm(A, A))
    gc.collect()
    assert abs(C - A @ A).max() == 0
