"""For the iterative solvers of SciPy and CuPy."""

from __future__ import annotations

import copy
import functools
import threading
from typing import Any

import numpy as np

from . import _device
from ._matrix import as_csr
from ._plan import Plan, plan


def aslinearoperator(A: Any, **options: Any) -> Any:
    """A as a LinearOperator, for `scipy.sparse.linalg.cg`, `gmres`, `eigsh`, `svds` and so on.

    Parameters
    ----------
    A : sparse matrix of SciPy or CuPy, shape (m, n)
        As for `sptune.plan`.
    **options
        Those of `sptune.plan`, but for `transposed`. `expected_calls` is about the number of
        iterations; without it the plan waits until a conversion is sure to pay.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator, or cupyx.scipy.sparse.linalg.LinearOperator
        With `dtype`, `shape`, `matvec`, `rmatvec`, `matmat`, `rmatmat`; `plan`, the sptune.Plan of
        A; and `update_values(values)`. The first product with A.T makes a plan for it, which holds
        a transpose. Copies and unpickled ones make plans of their own. Where A is of type float32
        and x of float64 (solvers make such vectors themselves) or of integers, x is rounded to float32
        and the result is of type float64; plans refuse such an x.

    Examples
    --------
    >>> x, info = scipy.sparse.linalg.cg(sptune.aslinearoperator(A, expected_calls=200), b)
    """
    if "transposed" in options:
        raise TypeError("transposed is not an option here: the operator multiplies with A and, as .T, with A.T")
    A = as_csr(A)
    return _operator_class(_device.is_array(A.data))(A, options)


def _times(plan: Plan, x: Any) -> Any:
    if x.dtype == plan.dtype or np.result_type(x.dtype, plan.dtype) != np.float64:
        return plan.apply(x)
    # The type of A @ x, as solvers expect.
    return plan.apply(x.astype(plan.dtype)).astype(np.float64, copy=False)


def _another(A: Any, options: dict[str, Any], values: Any) -> Any:
    operator = aslinearoperator(A, **options)
    if values is not None:
        operator.update_values(values)
    return operator


@functools.cache
def _operator_class(on_device: bool) -> Any:
    if on_device:
        from cupyx.scipy.sparse.linalg import LinearOperator
    else:
        from scipy.sparse.linalg import LinearOperator

    class PlannedOperator(LinearOperator):
        def __init__(self, A: Any, options: dict[str, Any]) -> None:
            # The arrays of this moment, which the plan looks at: A itself may get others later.
            self._matrix, self._options = copy.copy(A), options
            self.plan = plan(self._matrix, **options)
            self._back: Plan | None = None
            self._values: Any = None  # of the last update
            self._updating = threading.Lock()  # or a plan of A.T made meanwhile keeps older values
            super().__init__(self.plan.dtype, self.plan.shape)

        def _matvec(self, x: Any) -> Any:
            return _times(self.plan, x)

        _matmat = _matvec

        def _rmatvec(self, x: Any) -> Any:
            return _times(self._planned_back(), x)

        _rmatmat = _rmatvec

        def _planned_back(self) -> Plan:
            with self._updating:
                if self._back is None:
                    back = plan(self._matrix, transposed=True, **self._options)
                    if self._values is not None:
                        back.update_values(self._values)
                    self._back = back
                return self._back

        def update_values(self, values: Any) -> None:
            """Other values for the same structure, as Plan.update_values takes them."""
            with self._updating:
                self.plan.update_values(values)
                self._values = values = self.plan._values  # a copy where it had to make one
                back, self._back = self._back, None  # where this fails another one is made
                if back is not None:
                    back.update_values(values)
                    self._back = back

        def __reduce__(self) -> tuple[Any, ...]:
            """Copies, in whichever process, make plans of their own."""
            with self._updating:
                return _another, (self._matrix, self._options, self._values)

    return PlannedOperator
