"""From the matrices of SciPy and CuPy to those of the library."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _device, _host, _sptune


class ConversionWarning(UserWarning):
    """A matrix is not in CSR format and has to be converted, each time that it is given."""


def as_csr(A: Any, name: str = "A") -> Any:
    """A itself where it is in CSR format, else what A.tocsr() makes of it, with a warning."""
    form = getattr(A, "format", None)
    if form == "csr":
        return A
    if not isinstance(form, str) or not hasattr(A, "tocsr"):
        raise TypeError(f"{name} is a {type(A).__module__}.{type(A).__name__}; expected a sparse matrix of SciPy or "
                        f"CuPy, such as scipy.sparse.csr_array({name})")
    warnings.warn(f"{name} is in {form} format and gets converted to CSR; say {name} = {name}.tocsr() once to save "
                  "the time", ConversionWarning, stacklevel=3)
    return A.tocsr()


class Csr:
    """A CSR matrix, looked at: its arrays, which this keeps alive, and the library's view of them.

    `wide` demands 64-bit row pointers; without it they stay as they are, but for matrices whose
    column numbers have to be copied in any case. `name` is what errors call the matrix.
    """

    __slots__ = ("arrays", "dtype", "shape", "place", "handle", "wide")

    def __init__(self, A: Any, wide: bool = False, name: str = "A") -> None:
        indptr, indices, data = A.indptr, A.indices, A.data
        place: Any = _device if _device.is_array(data) else _host
        for a, what in ((data, "data"), (indices, "indices"), (indptr, "indptr")):
            place.check(a, f"{name}.{what}")
        self.place = place
        self.dtype: np.dtype = place.dtype_of(data)
        if self.dtype not in (np.float32, np.float64):
            if self.dtype.kind == "c":  # astype would drop the imaginary part
                raise TypeError(f"{name} holds {self.dtype}; sptune multiplies real numbers: "
                                f"multiply {name}.real and {name}.imag apart")
            raise TypeError(f"{name} holds {self.dtype}; sptune multiplies float32 and float64: "
                            f"say {name}.astype(numpy.float64)")
        for a, what in ((indptr, "indptr"), (indices, "indices")):
            if place.dtype_of(a) not in (np.int32, np.int64):
                raise TypeError(f"{name}.{what} has type {place.dtype_of(a)}; expected int32 or int64")
        if len(A.shape) != 2:
            raise ValueError(f"{name} has {len(A.shape)} dimension(s); expected 2")
        self.shape: tuple[int, int] = (int(A.shape[0]), int(A.shape[1]))
        if max(self.shape) > np.iinfo(np.int32).max:
            raise ValueError(f"{name} is {self.shape[0]} x {self.shape[1]}; sptune counts rows and columns in 32 bits")

        columns = place.column_numbers(indices, indptr, self.shape[1], f"{name}.indices")
        may_narrow = columns is not indices and place.largest(indptr) <= np.iinfo(np.int32).max
        self.wide = wide or (place.dtype_of(indptr) == np.int64 and not may_narrow)
        self.arrays = (place.row_pointers(indptr, self.wide), columns, data)
        self.handle = _sptune.matrix(*map(place.view, self.arrays), *self.shape, name)

    def operands(self, x: Any, out: Any, beta: float, transposed: bool = False) -> tuple[Any, Any, Any, int]:
        """For out = A x: x and out as _sptune takes them, what to return, and the stream.

        Several vectors have the order that out has, or else x.
        """
        n, m = self.shape if transposed else self.shape[::-1]
        order = self.place.order_of(x if out is None else out)
        given, shape, stream = self.place.read(x, self.dtype, order=order)
        if len(shape) not in (1, 2) or shape[0] != n:
            raise ValueError(f"x has shape {shape}; expected ({n},), or ({n}, k) for k vectors")
        if out is None:
            if beta != 0:
                raise ValueError("beta is not 0, so that there must be an out to be multiplied with it")
            out = self.place.empty((m, *shape[1:]), self.dtype, x, order)
        return given, self.place.write(out, (m, *shape[1:]), self.dtype, order), out, stream
