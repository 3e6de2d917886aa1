"""Which types of numbers become which."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_matrix(x: Any, what: str) -> None:
    """TypeError where x is a sparse matrix, whose entries NumPy would not see."""
    if hasattr(x, "tocsr"):
        raise TypeError(f"{what} is a sparse matrix; " + ("give A.data, the values alone" if what == "values" else
                                                         f"multiply with sptune.auto_spgemm(A, {what})"))


def refuse_unsafe(given: np.dtype, dtype: np.dtype, what: str) -> None:
    """TypeError where entries of type `given` would lose something in `dtype`, the type of A."""
    if given.kind not in "biufc":
        raise TypeError(f"{what} holds {given.name} instead of numbers; expected an array of type {dtype}")
    if given.kind == "c":
        raise TypeError(f"{what} is complex, but A real; multiply {what}.real and {what}.imag apart")
    if not np.can_cast(given, dtype, "safe"):
        raise TypeError(f"{what} has type {given}, which {dtype}, the type of A, cannot hold exactly; "
                        f"say {what}.astype(numpy.{dtype}), or use A.astype(numpy.float64)")
