"""Options and factors as _sptune takes them; what is of another type is refused by its name."""

from __future__ import annotations

import operator
import os
from typing import Any, Callable

import numpy as np

_REAL = (float, int, np.floating, np.integer)


def number(name: str, value: Any) -> float:
    try:
        if not isinstance(value, _REAL):  # products are too short for the longer look
            if isinstance(value, (str, bytes)) or np.ndim(value) != 0 or np.iscomplexobj(value):
                raise TypeError
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is beyond the range of a float") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {_shown(value)}; expected a real number") from None


def factors(alpha: Any, beta: Any) -> tuple[float, float]:
    """Of out = alpha A x + beta out."""
    return number("alpha", alpha), number("beta", beta)


def _count(most: int) -> Callable[[str, Any], int]:
    def count(name: str, value: Any) -> int:
        try:
            whole = operator.index(value)
        except TypeError:
            real = number(name, value)
            whole = int(real) if real.is_integer() else -1
        if not 0 <= whole <= most:
            raise ValueError(f"{name} is {_shown(value)}; expected a whole number from 0 to {most}")
        return whole

    return count


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (int, np.integer, np.bool_)) or value not in (0, 1):
        raise TypeError(f"{name} is {_shown(value)}; expected True or False")
    return bool(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {_shown(value)}; expected a string, or leave {name} out")
    return value


def _path(name: str, value: Any) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {_shown(value)}; expected a path, or None") from None


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"a {type(value).__name__}"


_TAKEN: dict[str, Callable[[str, Any], Any]] = {
    "expected_calls": number,
    "longest_conversion_us": number,
    "error_bound": number,
    "epsilon": number,
    "grace_calls": number,
    "memory_bytes": _count(2**64 - 1),
    "threads": _count(4096),
    "transposed": _flag,
    "deterministic": _flag,
    "in_graphs": _flag,
    "sorted": _flag,
    "drop_zeros": _flag,
    "variants": _text,
    "variant": _text,
    "backend": _text,
    "online": _text,
    "database": _path,
}
_OPTIONAL = {"longest_conversion_us", "error_bound", "memory_bytes", "database"}


def taken(**options: Any) -> dict[str, Any]:
    """The options of sptune.plan or auto_spgemm, each of the type that _sptune wants."""
    return {name: value if value is None and name in _OPTIONAL else _TAKEN[name](name, value)
            for name, value in options.items()}
