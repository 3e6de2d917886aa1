"""C = A B for sparse matrices."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _device, _sptune
from ._matrix import Csr, as_csr
from ._options import taken


def auto_spgemm(
    A: Any,
    B: Any,
    *,
    sorted: bool = True,
    drop_zeros: bool = False,
    memory_bytes: int | None = None,
    backend: str = "automatic",
    variant: str = "",
    threads: int = 0,
    database: str | os.PathLike[str] | None = None,
) -> Any:
    """C = A B with the kernel that `sptune profile --op spgemm` found for the pair, else a good one.

    Parameters
    ----------
    A, B : sparse matrices of SciPy, shapes (m, k) and (k, n)
        As for `sptune.plan`, in host memory. Where one is of type float32 and the other float64,
        the first is converted.
    sorted : bool
        Columns of each row of C in increasing order.
    drop_zeros : bool
        Leave out entries whose sum is exactly 0.
    memory_bytes : int, optional
        For C and all temporaries together.
    backend : {"automatic", "cpu", "cuda"}
        Where to multiply; automatic: on the CPU.
    variant : str
        Id of a kernel; "": what suits the pair.
    threads, database
        As for `sptune.plan`.

    Returns
    -------
    scipy.sparse.csr_array, or csr_matrix where A is one, shape (m, n)
        Over the memory in which it was made, which is not copied. With 64-bit row pointers
        SciPy makes index arrays of one type, and copies those that are not.

    Examples
    --------
    >>> C = sptune.auto_spgemm(A, A)
    """
    options = taken(sorted=sorted, drop_zeros=drop_zeros, memory_bytes=memory_bytes, backend=backend,
                    variant=variant, threads=threads, database=database)
    A, B = as_csr(A), as_csr(B, "B")
    for M, name in ((A, "A"), (B, "B")):
        if _device.is_array(M.data):
            raise TypeError(f"auto_spgemm takes matrices in host memory; say {name}.get() for one of CuPy")
    from scipy import sparse

    if {A.dtype, B.dtype} == {np.dtype("float32"), np.dtype("float64")}:
        A, B = A.astype("float64", copy=False), B.astype("float64", copy=False)
    a, b = Csr(A), Csr(B, name="B")
    if a.wide != b.wide:
        a, b = Csr(A, wide=True), Csr(B, wide=True)
    try:
        indptr, indices, data = _sptune.product(a.handle, b.handle, **options)
    except _sptune.ConstraintError:  # a ValueError, too, which wider indices do not help
        raise
    except ValueError:
        # SciPy has both index arrays of one type, of which ours were narrowed: C may need them wide.
        if a.wide or np.int64 not in (A.indptr.dtype, B.indptr.dtype):
            raise
        a, b = Csr(A, wide=True), Csr(B, wide=True)
        indptr, indices, data = _sptune.product(a.handle, b.handle, **options)
    kind = sparse.csr_array if isinstance(A, sparse.csr_array) else sparse.csr_matrix
    C = kind((data, indices, indptr), shape=(a.shape[0], b.shape[1]))
    if sorted:
        C.has_canonical_format = True  # spares SciPy the look; it implies sorted columns
    return C
