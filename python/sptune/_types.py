"""Which types of numbers become which."""

from __future__ import annotations

import numpy as np


def refuse_unsafe(given: np.dtype, dtype: np.dtype, what: str) -> None:
    """TypeError where entries of type `given` would lose something in `dtype`, the type of A."""
    if given.kind == "c":
        raise TypeError(f"{what} is complex, but A real; multiply {what}.real and {what}.imag apart")
    if not np.can_cast(given, dtype, "safe"):
        raise TypeError(f"{what} has type {given}, which {dtype}, the type of A, cannot hold exactly; "
                        f"say {what}.astype(numpy.{dtype}), or use A.astype(numpy.float64)")
