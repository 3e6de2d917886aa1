"""Sparse matrix products with the kernel that suits the matrix and this machine.

    >>> import numpy as np, scipy.sparse, sptune
    >>> A = scipy.sparse.random(1000, 1000, density=0.01, format="csr")
    >>> y = sptune.auto_spmv(A, np.ones(1000))          # y = A @ x
    >>> plan = sptune.plan(A, expected_calls=1000)      # chooses, converts once
    >>> y = plan @ np.ones(1000)
    >>> C = sptune.auto_spgemm(A, A)                    # C = A @ A, again a SciPy matrix

Matrices are SciPy's in CSR format, on the host, or CuPy's, on the GPU; none of their arrays is copied
but for 64-bit column numbers. docs/python.md of the project says more, docs/library.md what plans
promise and how they choose.
"""

import os as _os

from ._auto import auto_spmv, forget, why
from ._matrix import ConversionWarning
from ._operator import aslinearoperator
from ._plan import Plan, plan
from ._spgemm import auto_spgemm
from ._sptune import Choice, ConstraintError, release_threads as _release_threads, version as _version

__version__: str = _version()

_os.register_at_fork(before=_release_threads)

__all__ = [
    "Choice",
    "ConstraintError",
    "ConversionWarning",
    "Plan",
    "aslinearoperator",
    "auto_spgemm",
    "auto_spmv",
    "forget",
    "plan",
    "why",
]
