"""auto_spmv and plans against SciPy."""

import warnings

import numpy as np
import pytest
import sptune
from matrices import assert_product, poisson, random_csr
from scipy import sparse

SHAPES = [(200, 200), (300, 70), (70, 300), (1, 50), (50, 1)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_products(dtype, wide, shape, transposed):
    A = random_csr(*shape, dtype=dtype, wide=wide)
    rng = np.random.default_rng(1)
    plan = sptune.plan(A, expected_calls=1000, transposed=transposed)
    assert plan.shape == (shape[::-1] if transposed else shape)
    assert plan.dtype == dtype
    for call in range(30):  # through trials and conversions
        x = rng.standard_normal(plan.shape[1]).astype(dtype)
        assert_product(plan @ x, A, x, transposed)
        if not transposed:
            assert_product(sptune.auto_spmv(A, x), A, x)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (5, 5)])
def test_nothing_in_it(shape):
    A = sparse.csr_matrix(shape)
    x = np.ones(shape[1])
    for y in (sptune.plan(A) @ x, sptune.auto_spmv(A, x)):
        assert y.shape == shape[:1] and not y.any()


@pytest.mark.parametrize("variants", ["*", "*.csr.*", "*.coo.*", "*.csc.*", "*.ell.*", "*.sell.*", "*.pjds.*"])
def test_unsorted_and_duplicate_columns(variants):
    A = poisson(20)
    rng = np.random.default_rng(2)
    # Each entry twice, its value split between the two, and the entries of rows shuffled.
    share = rng.random(A.nnz)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    order = np.argsort(np.tile(rows, 2) + rng.random(2 * A.nnz))
    twice = sparse.csr_matrix(A.shape)
    twice.data = np.concatenate([A.data * share, A.data * (1 - share)])[order]
    twice.indices = np.tile(A.indices, 2)[order]
    twice.indptr = 2 * A.indptr
    assert not twice.has_sorted_indices
    x = rng.standard_normal(A.shape[1])
    plan = sptune.plan(twice, expected_calls=1e6, variants=variants, online="never")
    assert_product(plan @ x, A, x)
    assert_product(sptune.auto_spmv(twice, x), A, x)


def test_several_vectors_and_layouts():
    A = random_csr(90, 60)
    plan = sptune.plan(A)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 4))
    for x in (X, np.asfortranarray(X), X[:, :1], X[:, 1], X[:, ::2], X[::-1], X[:, 0].copy(), X[:, :0]):
        for y in (plan @ x, sptune.auto_spmv(A, x)):
            assert_product(y, A, x)
    assert_product(plan @ list(X[:, 0]), A, X[:, 0])
    assert_product(plan @ np.arange(60), A, np.arange(60.0))
    assert_product(plan @ X[:, 0].astype(np.float32), A, X[:, 0].astype(np.float32))
    read_only = X[:, 0].copy()
    read_only.flags.writeable = False
    assert_product(plan @ read_only, A, read_only)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_results_have_the_order_of_x_or_out(order, dtype):
    A = random_csr(90, 60, dtype=dtype)
    plan = sptune.plan(A)
    rng = np.random.default_rng(9)
    for k in (2, 5, 40):
        X = np.array(rng.standard_normal((60, k)), dtype, order=order)
        for y in (plan @ X, sptune.auto_spmv(A, X), sptune.aslinearoperator(A) @ X):
            assert_product(y, A, X)
            assert y.flags.c_contiguous == (order == "C")
        for x in (X, np.array(X, order="C"), np.array(X, order="F"), X[::-1][::-1]):
            for times in (plan.apply, lambda *a: sptune.auto_spmv(A, *a)):
                out = np.ones((90, k), dtype, order=order)
                assert times(x, out, 2, -1) is out
                np.testing.assert_allclose(out, 2 * (A @ X) - 1, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-4)
    one_row = random_csr(90, 1, 0.5, dtype=dtype)
    assert_product(sptune.plan(one_row) @ X[:1].copy(order), one_row, X[:1])


def test_out_alpha_beta():
    A = random_csr(90, 60)
    x, y = np.random.default_rng(4).standard_normal((2, 90))
    x = x[:60].copy()
    for times in (sptune.plan(A).apply, lambda *a, **k: sptune.auto_spmv(A, *a, **k)):
        out = y.copy()
        assert times(x, out, 2, -0.5) is out
        assert np.allclose(out, 2 * (A @ x) - 0.5 * y, rtol=1e-13, atol=1e-13)
        out = np.full(90, np.nan)
        assert times(x, out=out) is out
        assert_product(out, A, x)


@pytest.mark.parametrize("rows", [1023, 1024, 1025, 5000])
@pytest.mark.parametrize("given", [np.float32, np.float64])
def test_rows_are_copied_block_by_block(rows, given):
    A = random_csr(50, rows, 0.01)
    plan = sptune.plan(A)
    X = np.random.default_rng(8).standard_normal((rows, 16)).astype(given)
    for x in (X, X[::-1], X[:, ::-2], np.asfortranarray(X)[::-1]):
        assert_product(plan @ x, A, x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_have_the_type_of_the_matrix(dtype):
    A = random_csr(90, 60, dtype=dtype)
    plan = sptune.plan(A)
    for x in ([1] * 60, (0.1,) * 60, [True] * 60, [[0.1, 1]] * 60, [np.float64(0.1)] * 60):
        for y in (plan @ x, sptune.auto_spmv(A, x)):
            assert_product(y, A, np.array(x, dtype))
    plan.update_values([0.5] * A.nnz)
    A.data[:] = 0.5
    assert_product(plan @ ([1] * 60), A, np.ones(60, dtype))
    for bad in ([1j] * 60, ["1"] * 60, [None] * 60):
        with pytest.raises(TypeError, match="^x "):
            plan @ bad


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_64_bit_indices(kind):
    A = kind(random_csr(80, 80))
    B = A.copy()
    B.indices, B.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    x = np.ones(80)
    assert_product(sptune.plan(B) @ x, A, x)
    assert_product(sptune.auto_spmv(B, x), A, x)
    # Row pointers follow where columns are copied in any case, so that kernels have less to read.
    assert sptune.plan(B).variant.endswith(".i32")
    assert sptune.plan(random_csr(80, 80, wide=True)).variant.endswith(".i64")


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_arrays_with_room_to_spare(index):
    A = random_csr(80, 80)
    B = A.copy()
    B.data = np.append(B.data, [np.nan, np.nan])
    B.indices = np.append(B.indices, [10**6, -1]).astype(index)
    B.indptr = B.indptr.astype(index)
    x = np.ones(80)
    plan = sptune.plan(B, expected_calls=1e5)
    assert_product(plan @ x, A, x)
    assert_product(sptune.auto_spmv(B, x), A, x)
    plan.update_values(2 * A.data)
    assert_product(plan @ x, 2 * A, x)
    op = sptune.aslinearoperator(B)
    op.T @ np.ones(80)
    for update in (plan.update_values, op.update_values):
        update(3 * B.data)
        with pytest.raises(ValueError, match="values has shape"):
            update(B.data[:-1])
    for product in (plan @ x, op @ x, op.T.T @ x):
        assert_product(product, 3 * A, x)
    assert_product(op.T @ x, 3 * A, x, transposed=True)


@pytest.mark.parametrize("form", ["coo", "csc", "lil", "dia", "bsr"])
def test_other_formats_are_converted_aloud(form):
    A = random_csr(40, 40)
    x = np.ones(40)
    with pytest.warns(sptune.ConversionWarning, match=f"{form} format.*tocsr") as caught:
        assert_product(sptune.auto_spmv(A.asformat(form), x), A, x)
        assert_product(sptune.plan(A.asformat(form)) @ x, A, x)
    assert {warning.filename for warning in caught} == {__file__}  # it points at the caller
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sptune.auto_spmv(A, x)


def test_plans_tell():
    plan = sptune.plan(poisson(30), expected_calls=1e5)
    assert plan.variant == plan.selection.id and plan.variant.startswith("spmv.cpu.")
    assert plan.selection.source in ("exact", "model", "heuristic")
    assert plan.selection.chosen in plan.why()
    assert plan.variant in repr(plan) and plan.selection.chosen in repr(plan.selection)
    csr = sptune.plan(poisson(30), variants="*.csr.*").selection
    assert csr.chosen.startswith("spmv.cpu.csr.") and csr.break_even_calls == 0
    assert f"settled={csr.settled}" in repr(csr)
    assert sptune.__version__.count(".") == 2


def test_calls_are_timed_unless_nothing_is_to_be_tried():
    A = random_csr(60, 40)
    for online in ("always", "never"):
        plan = sptune.plan(A, online=online)
        for _ in range(10):
            plan @ np.ones(40)
        assert (" took " in plan.why()) == (online == "always")


def test_a_database_of_ones_own(tmp_path):
    nowhere = str(tmp_path / "nowhere")
    assert nowhere in sptune.plan(random_csr(60, 40), database=nowhere).why()


def test_deterministic_plans_repeat_themselves():
    A = random_csr(500, 500)
    x = np.random.default_rng(5).standard_normal(500)
    plan = sptune.plan(A, expected_calls=1e5, deterministic=True)
    first = plan @ x
    assert all(np.array_equal(plan @ x, first) for _ in range(50))


@pytest.mark.parametrize("transposed", [False, True])
def test_new_values(transposed):
    A = random_csr(300, 200)
    plan = sptune.plan(A, expected_calls=1000, transposed=transposed)
    rng = np.random.default_rng(6)
    for step in range(5):
        x = rng.standard_normal(plan.shape[1])
        A.data[:] = rng.standard_normal(A.nnz)  # in place
        plan.update_values(A.data)
        assert_product(plan @ x, A, x, transposed)
        values = rng.standard_normal(2 * A.nnz)[::2]  # strided: copied
        plan.update_values(values)
        A.data = values.copy()
        del values
        assert_product(plan @ x, A, x, transposed)


def test_auto_spmv_notices_new_values_and_arrays():
    A = random_csr(300, 200)
    x = np.ones(200)
    rng = np.random.default_rng(7)
    for _ in range(5):
        A.data[:] = rng.standard_normal(A.nnz)
        assert_product(sptune.auto_spmv(A, x), A, x)
        A.data = rng.standard_normal(A.nnz)
        assert_product(sptune.auto_spmv(A, x), A, x)
    A.data[A.nnz // 2 + 1] += 1
    assert "is in use" in sptune.why(A)
    sptune.forget(A)
    assert sptune.why(A) == ""
    assert_product(sptune.auto_spmv(A, x), A, x)


def test_columns_added_in_place():
    A = random_csr(60, 40)
    sptune.auto_spmv(A, np.ones(40))
    A.resize(60, 50)  # in the same arrays
    assert_product(sptune.auto_spmv(A, np.ones(50)), A, np.ones(50))


def test_nothing_is_kept_of_other_formats():
    A = random_csr(60, 40).tocoo()
    sptune.forget(A)
    assert sptune.why(A) == ""


def test_a_structure_changed_in_place():
    A = random_csr(60, 60, 0.2)
    x = np.ones(60)
    np.testing.assert_allclose(sptune.auto_spmv(A, x), A @ x)
    A.indptr[-1] -= 1  # the last row loses its last entry, and the arrays stay
    for _ in range(2):
        np.testing.assert_allclose(sptune.auto_spmv(A, x), A @ x)
    sptune.forget(A)
