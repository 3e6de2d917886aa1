"""Which types of numbers become which."""

from __future__ import annotations

import numpy as np


def refuse_unsafe(given: np.dtype, dtype: np.dtype, what: str) -> None:
    if not np.can_cast(given, dtype, "safe"):
        raise TypeError(f"{what} has type {given}, which {dtype}, the type of A, cannot hold exactly; "
                        f"say {what}.astype(numpy.{dtype}), or use A.astype(numpy.float64)")
