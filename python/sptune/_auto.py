"""auto_spmv: plans that are found again by the matrix."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from . import _sptune
from ._matrix import Csr, as_csr
from ._options import factors

# The library knows matrices by the addresses of their arrays. Here they are known by the arrays
# themselves, and the library is told when one of them is gone: another may get its address.
_Key = tuple[int, int, int, tuple[int, ...]]
_known: dict[_Key, tuple[Csr, list[weakref.ref[Any]]]] = {}  # the last one is the newest
_lock = threading.RLock()  # arrays may go while it is held
_MOST = 256  # of which the library may keep fewer


def auto_spmv(A: Any, x: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
    """out = alpha A x + beta out, with a plan that is made at the first call and found again.

    Parameters
    ----------
    A : sparse matrix of SciPy or CuPy, shape (m, n)
        As for `sptune.plan`. Plans of the last 16 matrices, and of up to 256 small ones, are kept as long as
        the arrays of A live.
    x : array, shape (n,) or (n, k)
    out : array, shape (m,) or (m, k), optional
    alpha, beta : float
        As for `sptune.Plan.apply`.

    Returns
    -------
    out

    Notes
    -----
    New arrays in A, and changes of all of its values in place, are noticed on the host. A change of
    few entries in place, and every change on a GPU, is not: say `sptune.forget(A)` after it, or use
    a plan and `update_values`.

    Examples
    --------
    >>> A = scipy.sparse.csr_array([[2.0, 0.0], [1.0, 3.0]])
    >>> sptune.auto_spmv(A, [1, 1])
    array([2., 4.])
    """
    A = as_csr(A)
    arrays = A.indptr, A.indices, A.data  # held until the end of the call
    key = _key(*arrays, A.shape)
    with _lock:
        known = _known.pop(key, None)
        if known:
            _known[key] = known  # the newest
    matrix = known[0] if known else _look_at(A, key, arrays)
    if type(alpha) is not float or type(beta) is not float:
        alpha, beta = factors(alpha, beta)
    given, to, out, stream = matrix.operands(x, out, beta)
    try:
        _sptune.auto_spmv(matrix.handle, given, to, alpha, beta, stream)
    except ValueError:
        # What was known of A may be out of date, its arrays changed in place; but not where as much
        # is in them as before: then x or out is to blame.
        if not known or Csr(A).handle.nnz == matrix.handle.nnz:
            raise
        _drop(key)
        matrix = _look_at(A, key, arrays)
        _sptune.auto_spmv(matrix.handle, given, to, alpha, beta, stream)
    if key not in _known:  # another thread has dropped it before the library made its plan
        _sptune.forget(matrix.handle)
    return out


def forget(A: Any) -> None:
    """Drops what auto_spmv keeps for A; say it after changing a few entries of A in place."""
    if getattr(A, "format", None) == "csr":
        _drop(_key(A.indptr, A.indices, A.data, A.shape))


def why(A: Any) -> str:
    """What auto_spmv uses for A at present, and why; "" where it keeps nothing for A."""
    if getattr(A, "format", None) != "csr":
        return ""
    known = _known.get(_key(A.indptr, A.indices, A.data, A.shape))
    return _sptune.why(known[0].handle) if known else ""


def _key(indptr: Any, indices: Any, data: Any, shape: Any) -> _Key:
    return id(indptr), id(indices), id(data), shape


def _look_at(A: Any, key: _Key, arrays: tuple[Any, ...]) -> Csr:
    matrix = Csr(A)
    # Only copies are kept alive by what is kept here.
    matrix.arrays = tuple(a for a in matrix.arrays if not any(a is given for given in arrays))

    def gone(_: Any, drop: Any = _drop) -> None:
        drop(key)

    try:
        refs = [weakref.ref(a, gone) for a in arrays]
    except TypeError as e:
        raise TypeError(f"{e}, so that auto_spmv would not notice when they are gone; use sptune.plan(A)") from None
    with _lock:
        if known := _known.get(key):  # another thread's: one copy of A is enough
            return known[0]
        _known[key] = matrix, refs
        old = list(_known)[: max(len(_known) - _MOST, 0)]
    for one in old:
        _drop(one)
    return matrix


def _drop(key: _Key) -> None:
    with _lock:
        known = _known.pop(key, None)
    if known is not None:
        _sptune.forget(known[0].handle)
