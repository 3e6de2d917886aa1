"""Plans: a kernel is chosen once and applied many times."""

from __future__ import annotations

import os
import threading
from typing import Any, NoReturn

import numpy as np

from . import _sptune
from ._matrix import Csr, as_csr
from ._options import factors, taken
from ._sptune import Choice


def plan(
    A: Any,
    *,
    expected_calls: float = 0,
    transposed: bool = False,
    deterministic: bool = False,
    memory_bytes: int | None = None,
    longest_conversion_us: float | None = None,
    error_bound: float | None = None,
    variants: str = "*",
    backend: str = "automatic",
    online: str = "automatic",
    epsilon: float = 0.05,
    grace_calls: float = -1,
    threads: int = 0,
    database: str | os.PathLike[str] | None = None,
    in_graphs: bool = False,
) -> Plan:
    """Chooses a kernel for A and converts A for it where that pays.

    The kernel is the one that `sptune profile` has found for this very matrix on this device, else
    what a model or a heuristic predicts; those prove themselves on the first calls.

    Parameters
    ----------
    A : sparse matrix of SciPy or CuPy, shape (m, n)
        In CSR format and of type float32 or float64; its arrays are not copied (64-bit column
        numbers are), and the plan keeps them alive. Other formats are converted, with a
        ConversionWarning. Columns may be unsorted; duplicates count as their sum.
    expected_calls : float
        How often the plan will be applied. 0: unknown; the plan then converts when products have
        cost as much as converting will.
    transposed : bool
        Plan for A.T: x has m entries, the result n. The plan then holds a transpose.
    deterministic : bool
        Repeats give the same bits.
    memory_bytes : int, optional
        What converted forms may hold beside A.
    longest_conversion_us : float, optional
    error_bound : float, optional
        Largest |y - exact| / (|A| |x|) in any row.
    variants : str
        Glob of kernel ids, as `sptune info --kernels '*'` lists them.
    backend : {"automatic", "cpu", "cuda"}
        Where A has to lie.
    online : {"automatic", "always", "never"}
        Whether the first calls are timed to compare candidates with plain CSR.
    epsilon, grace_calls : float
        The promise: all calls take at most (1 + epsilon) times plain CSR and grace_calls plain calls;
        negative: 25 on a CPU, 10 on a GPU.
    threads : int
        On the CPU, up to 4096; 0: all.
    database : path, optional
        Folder or exported file, the only one then; None: $SPTUNE_DB, else the user's, the system's
        and the built-in one; "": none.
    in_graphs : bool
        Calls will be recorded in CUDA graphs, where other kernels are the fastest. The plan chooses
        and converts at once, tries nothing and keeps no promise. Excludes online="always".

    Raises
    ------
    ConstraintError
        Where the constraints cannot be met; the message says which one.
    TypeError, ValueError
        What A or an option should be, in words.

    Examples
    --------
    >>> p = sptune.plan(A, expected_calls=1000)
    >>> y = p @ x
    >>> p.why()
    '...'
    """
    options = taken(
        expected_calls=expected_calls,
        transposed=transposed,
        deterministic=deterministic,
        memory_bytes=memory_bytes,
        longest_conversion_us=longest_conversion_us,
        error_bound=error_bound,
        variants=variants,
        backend=backend,
        online=online,
        epsilon=epsilon,
        grace_calls=grace_calls,
        threads=threads,
        database=database,
        in_graphs=in_graphs,
    )
    return Plan(Csr(as_csr(A)), **options)


class Plan:
    """A matrix, ready to be applied many times; `sptune.plan` makes them.

    Threads may apply one plan at the same time; other Python threads run meanwhile. Plans cannot be
    copied or pickled: make another one, in another process from the matrix.

    Attributes
    ----------
    shape : (int, int)
        As many entries as the result and as x have: that of A, or of A.T.
    dtype : numpy.dtype
        float32 or float64, the type of A.
    variant : str
        Id of the kernel that calls use at present.
    selection : Choice
        What the plan rests on, as numbers; `why()` says it in sentences.
    """

    __array_ufunc__ = None  # so that `array @ plan` is refused instead of tried entry by entry

    def __init__(self, matrix: Csr, *, transposed: bool = False, **options: Any) -> None:
        if not isinstance(matrix, Csr):
            raise TypeError("plans are made by a function; say sptune.plan(A)")
        self._matrix = matrix
        self._values: Any = matrix.arrays[2]
        self._room = matrix.place.read(self._values, matrix.dtype, "A.data")[1]  # A.data may be longer than nnz
        matrix.arrays = matrix.arrays[:2]  # or the first values would live as long as the plan
        self._transposed = transposed
        self._updating = threading.Lock()
        self._plan = _sptune.plan(matrix.handle, transposed=transposed, **options)

    @property
    def shape(self) -> tuple[int, int]:
        m, n = self._matrix.shape
        return (n, m) if self._transposed else (m, n)

    @property
    def dtype(self) -> np.dtype:
        return self._matrix.dtype

    @property
    def selection(self) -> Choice:
        return self._plan.selection()

    @property
    def variant(self) -> str:
        return self._plan.selection().id

    def apply(self, x: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """out = alpha A x + beta out.

        Parameters
        ----------
        x : array, shape (n,) or (n, k)
            In the memory of A. It is copied where it is strided, in another order than out, or of a
            type that converts to that of A without loss; arrays of other types are refused, lists
            and tuples rounded to the type of A. Entries must be finite: kernels with padding
            multiply some of them by 0. Several vectors go through A together where they are in C
            order, NumPy's default; in Fortran order so or one by one, whichever has taken less.
        out : array, shape (m,) or (m, k), optional
            Of the type of A, contiguous, and overlapping neither x nor A. Made if not given, in the
            order of x.
        alpha, beta : float
            With beta = 0, out is never read; else it has to be given.

        Returns
        -------
        out
            On a GPU the product is enqueued only, on CuPy's current stream.

        Examples
        --------
        >>> y = p.apply(x)
        >>> y is p.apply(x, out=y, alpha=-1, beta=1)      # y -= A @ x, and nothing is allocated
        True
        """
        if type(alpha) is not float or type(beta) is not float:
            alpha, beta = factors(alpha, beta)
        given, to, out, stream = self._matrix.operands(x, out, beta, self._transposed)
        self._plan.apply(given, to, alpha, beta, stream)
        return out

    def __matmul__(self, x: Any) -> Any:
        return self.apply(x)

    def update_values(self, values: Any) -> None:
        """Takes other values for the same structure; nothing is chosen anew.

        `values` has shape (nnz,), the order of A.data, and the type of A; it is not copied where it
        is contiguous. Where A.data was longer than nnz, `values` may be so, too. Changing A.data in
        place and giving it again is fine, too. Calls of other threads are waited for.
        """
        nnz = self._matrix.handle.nnz
        given, shape, _ = self._matrix.place.read(values, self.dtype, "values")
        if shape not in ((nnz,), self._room):
            raise ValueError(f"values has shape {shape}; expected ({nnz},), one for each entry of A")
        with self._updating:  # or the memory of one thread's values is kept and another's is used
            self._plan.update_values(given)
            self._values = given  # keeps the memory alive

    def why(self) -> str:
        """The kernel, who chose it, and the times that were predicted and measured, in sentences."""
        return self._plan.why()

    def __reduce__(self) -> NoReturn:
        # A copy would share the C++ plan, but not know which values that reads.
        raise TypeError("a plan cannot be copied or pickled; make another one, in the other process "
                        "from the matrix: sptune.plan(A)")

    def __repr__(self) -> str:
        return f"<sptune.Plan {self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.variant}>"
