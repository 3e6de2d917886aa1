"""Arrays in host memory: NumPy's, and what NumPy can make an array of."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _device
from ._types import refuse_matrix, refuse_unsafe


def column_numbers(a: np.ndarray, row_ptr: np.ndarray, cols: int, what: str) -> np.ndarray:
    """32-bit column numbers: `a` itself where it has them, else a copy of those in use."""
    if a.dtype == np.int32:
        return a
    a = a[: largest(row_ptr)]
    if a.size and (a.min() < 0 or a.max() >= cols):
        raise ValueError(f"{what} has entries below 0 or not below the number of columns")
    return a.astype(np.int32)


def row_pointers(a: np.ndarray, wide: bool) -> np.ndarray:
    return a.astype(np.int64 if wide else np.int32, copy=False)


def largest(row_ptr: np.ndarray) -> int:
    return int(row_ptr[-1]) if row_ptr.size else 0


def dtype_of(a: Any) -> np.dtype:
    return a.dtype


def check(a: Any, what: str) -> None:
    """Refuses what cannot be viewed as an array of the matrix; never copied: changes shall be seen."""
    if not isinstance(a, np.ndarray):
        raise TypeError(f"{what} is a {type(a).__name__}; expected a NumPy array in a matrix in host memory")
    if not a.flags.c_contiguous:
        raise ValueError(f"{what} is not contiguous; say {what} = {what}.copy()")
    if not a.flags.aligned:
        raise ValueError(f"{what} is not aligned in memory; say {what} = {what}.copy()")


def view(a: np.ndarray) -> Any:
    """The array as _sptune takes it."""
    return a


def order_of(a: Any) -> str:
    """"F" where `a` lies column by column, as vectors do, else "C"."""
    return "F" if isinstance(a, np.ndarray) and a.flags.f_contiguous else "C"


def read(x: Any, dtype: np.dtype, what: str = "x", order: str = "F") -> tuple[Any, tuple[int, ...], int]:
    """x as _sptune takes it, its shape, and the stream to use.

    Copied where it is not contiguous in this order and aligned, or of a type that `dtype` holds.
    Lists and tuples of numbers are rounded to `dtype`.
    """
    if type(x) is np.ndarray and x.dtype == dtype and x.flags.aligned and _is_contiguous(x, order):
        return x, x.shape, 0
    if _device.is_array(x):
        raise TypeError(f"{what} lies in the memory of a GPU, but A in host memory; say {what}.get(), or move A "
                        "there: cupyx.scipy.sparse.csr_matrix(A)")
    refuse_matrix(x, what)
    numbers = isinstance(x, (list, tuple))  # of no type yet: the one that NumPy picks says nothing
    x = np.asarray(x)
    if numbers and (x.dtype == np.float64 or x.dtype.kind in "bui"):
        x = x.astype(dtype, copy=False)
    refuse_unsafe(x.dtype, dtype, what)
    if x.ndim == 2 and order == "F" and not x.flags.f_contiguous:
        x = _by_columns(x, dtype)
    x = np.require(x, dtype, [order, "A"])
    return x, x.shape, 0


def _is_contiguous(a: np.ndarray, order: str) -> bool:
    return a.flags.f_contiguous if order == "F" else a.flags.c_contiguous


def _by_columns(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy in Fortran order, made by blocks of rows that stay in the cache: NumPy alone would go
    through all of x once per column."""
    to = np.empty(x.shape, dtype, order="F")
    rows = max(2**16 // max(x.shape[1] * dtype.itemsize, 1), 1)
    for i in range(0, x.shape[0], rows):
        to[i : i + rows] = x[i : i + rows]
    return to


def write(out: Any, shape: tuple[int, ...], dtype: np.dtype, order: str) -> Any:
    """`out` after a look whether results can go there."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}; expected a NumPy array, since A lies in host memory")
    if out.dtype != dtype:
        raise TypeError(f"out has type {out.dtype}; expected {dtype}, the type of A")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}; expected {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only; give an array that may be written to")
    if not _is_contiguous(out, order):
        raise ValueError("out is not contiguous; make it with numpy.empty")
    if not out.flags.aligned:
        raise ValueError("out is not aligned in memory; make it with numpy.empty")
    return out


def empty(shape: tuple[int, ...], dtype: np.dtype, like: Any, order: Any) -> np.ndarray:
    return np.empty(shape, dtype, order)
