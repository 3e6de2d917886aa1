"""Who keeps what alive, and threads."""

import functools
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import sptune
from matrices import assert_product, poisson, random_csr
from sptune import _auto


@pytest.mark.parametrize("calls", [0, 1e6])
def test_plans_keep_the_arrays_alive(calls):
    A = random_csr(2000, 2000, 0.005)
    same = A.copy()
    plan = sptune.plan(A, expected_calls=calls)
    arrays = [weakref.ref(a) for a in (A.indptr, A.indices, A.data)]
    del A
    gc.collect()
    assert all(a() is not None for a in arrays)
    litter = [np.full(same.nnz, np.nan) for _ in range(20)]
    x = np.ones(2000)
    assert_product(plan @ x, same, x)
    del plan, litter
    gc.collect()
    assert all(a() is None for a in arrays)


def test_plans_keep_new_values_alive_and_drop_old_ones():
    A = random_csr(500, 500)
    plan = sptune.plan(A)
    old, values = weakref.ref(A.data), 2 * A.data
    plan.update_values(values)
    values, A.data = weakref.ref(values), values
    A.data = A.data.copy()
    gc.collect()
    assert values() is not None
    x = np.ones(500)
    assert_product(plan @ x, A, x)
    plan.update_values(A.data)
    gc.collect()
    assert values() is None
    assert old() is None


def test_auto_spmv_keeps_no_more_than_it_says():
    matrices = [random_csr(40, 40, seed=k) for k in range(260)]
    for A in matrices:
        x = np.ones(40)
        assert_product(sptune.auto_spmv(A, x), A, x)
        assert_product(sptune.auto_spmv(matrices[0], x), matrices[0], x)
    kept = [k for k, A in enumerate(matrices) if sptune.why(A)]
    assert kept == [0, *range(5, 260)]


def test_auto_spmv_keeps_nothing_alive():
    gc.collect()
    before = len(_auto._known)
    A = random_csr(500, 500)
    sptune.auto_spmv(A, np.ones(500))
    arrays = [weakref.ref(a) for a in (A.indptr, A.indices, A.data)]
    assert len(_auto._known) == before + 1
    del A
    gc.collect()
    assert all(a() is None for a in arrays)
    assert len(_auto._known) == before


def test_other_matrices_at_the_same_addresses():
    """Freed arrays come back at once, with contents that samples hardly tell apart."""
    x = np.ones(1000)
    A = poisson(32)[:1000, :1000].tocsr()
    structure, columns, values = A.indptr.copy(), A.indices.copy(), A.data.copy()
    addresses = set()
    for k in range(200):
        A = type(A)((values.copy(), columns.copy(), structure.copy()), shape=A.shape)
        addresses.add(A.data.ctypes.data)
        A.data[7 * k] += 1
        for _ in range(5):
            assert_product(sptune.auto_spmv(A, x), A, x)
        del A
        A = poisson(2)
        A = type(A)((1000, 1000))
    assert len(addresses) < 200  # else this has tested nothing


def test_forked_children_can_go_on():
    """As multiprocessing does it; OpenMP alone would wait forever for threads that no fork copies."""
    A = poisson(100)
    x = np.ones(A.shape[0])
    plan = sptune.plan(A, expected_calls=1000)
    for _ in range(10):
        plan @ x
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # instead of a hang
        same = np.allclose(plan @ x, A @ x) and np.allclose(sptune.auto_spmv(A, x), A @ x)
        os._exit(0 if same else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert_product(plan @ x, A, x)


def in_threads(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


DAEMONS = """
import threading, time
import numpy as np, scipy.sparse, sptune

A = scipy.sparse.diags([1.0] * 30, range(30), shape=(20000, 20000), format="csr")
plan, x = sptune.plan(A, threads=1), np.ones((20000, 20), order="F")
working = threading.Semaphore(0)

def forever(work):
    work()
    working.release()
    while True:
        work()

for work in (lambda: sptune.auto_spmv(A, x), lambda: plan @ x, lambda: plan.update_values(A.data)):
    threading.Thread(target=forever, args=(work,), daemon=True).start()
for _ in range(3):
    working.acquire()
"""


def test_the_interpreter_may_end_while_daemon_threads_work():
    for _ in range(5):
        ended = subprocess.run([sys.executable, "-c", DAEMONS], stderr=subprocess.PIPE, text=True, timeout=60)
        assert ended.returncode == 0 and not ended.stderr, ended


def test_threads_share_a_plan():
    A = random_csr(1500, 1000, 0.02)
    plan = sptune.plan(A, expected_calls=2000)

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(100):
            x = rng.standard_normal(1000)
            assert_product(plan @ x, A, x)
            assert_product(sptune.auto_spmv(A, x), A, x)

    in_threads(4, work)


def test_threads_wait_for_new_values():
    """Every product is one with the old values or with the new ones, not with some of either."""
    A = poisson(150)
    x = np.random.default_rng(0).standard_normal(A.shape[1])
    plan = sptune.plan(A, expected_calls=1e6, variants="*.sell.*", online="never")
    once = plan @ x
    values = [A.data.copy(), 2 * A.data]

    def work(i):
        for k in range(100):
            if i == 0:
                plan.update_values(values[k % 2])
            else:
                y = plan @ x
                assert np.allclose(y, once, atol=1e-9) or np.allclose(y, 2 * once, atol=1e-9)

    in_threads(3, work)


GRID = poisson(600)


@pytest.mark.parametrize("work", [
    lambda: sptune.auto_spgemm(GRID, GRID, threads=1),
    lambda: sptune.plan(GRID, threads=1, transposed=True),
    functools.partial(sptune.plan(GRID, threads=1).apply, np.ones((360_000, 50), order="F")),
], ids=["auto_spgemm", "plan", "apply"])
def test_other_threads_run_during_work(work):

    def ran_meanwhile():
        """Whether another thread had its turn in the middle half of a product."""
        looks, working = [], True

        def look_at_the_clock():
            while working:
                looks.append(time.perf_counter())
                time.sleep(1e-4)

        thread = threading.Thread(target=look_at_the_clock)
        thread.start()
        began = time.perf_counter()
        work()
        took = time.perf_counter() - began
        working = False
        thread.join()
        return any(took / 4 < look - began < 3 * took / 4 for look in looks)

    assert any(ran_meanwhile() for _ in range(3))  # a busy machine may have kept it waiting
