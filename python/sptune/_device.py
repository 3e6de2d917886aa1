"""Arrays in the memory of a GPU: CuPy's, and all others with __cuda_array_interface__.

Calls run on the stream that the interface of x names. CuPy names its current stream there, so that
neither CuPy nor a stream as an argument is needed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _sptune
from ._types import refuse_matrix, refuse_unsafe

_ORDERS = {"F": "Fortran", "C": "C"}


def is_array(a: Any) -> bool:
    return hasattr(a, "__cuda_array_interface__")


def _is_cupy(a: Any) -> bool:
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(a, cupy.ndarray)


def _strides(interface: dict[str, Any]) -> list[int]:
    """In bytes; C order is what the interface may leave out."""
    given = interface.get("strides")
    if given is not None:
        return list(given)
    strides = [np.dtype(interface["typestr"]).itemsize]
    for extent in reversed(interface["shape"][1:]):
        strides.insert(0, strides[0] * extent)
    return strides[: len(interface["shape"])]


def _is_contiguous(interface: dict[str, Any], order: str) -> bool:
    expected = np.dtype(interface["typestr"]).itemsize
    sizes = list(zip(interface["shape"], _strides(interface)))
    for extent, stride in sizes if order == "F" else reversed(sizes):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True


def order_of(a: Any) -> str:
    """"F" where `a` lies column by column, as vectors do, else "C"."""
    return "F" if is_array(a) and _is_contiguous(a.__cuda_array_interface__, "F") else "C"


def dtype_of(a: Any) -> np.dtype:
    return np.dtype(a.__cuda_array_interface__["typestr"])


def column_numbers(a: Any, row_ptr: Any, cols: int, what: str) -> Any:
    if dtype_of(a) == np.int32:
        return a
    if not _is_cupy(a):
        raise TypeError(f"{what} has to be of type int32 in the memory of a GPU")
    return a.astype(np.int32)


def row_pointers(a: Any, wide: bool) -> Any:
    wanted = np.dtype(np.int64 if wide else np.int32)
    if dtype_of(a) == wanted:
        return a
    if not _is_cupy(a):
        raise TypeError(f"A.indptr has to be of type {wanted} here")
    return a.astype(wanted)


def largest(row_ptr: Any) -> int:
    return np.iinfo(np.int64).max  # reading it would wait for the GPU


def check(a: Any, what: str) -> None:
    if not is_array(a):
        raise TypeError(f"{what} does not lie in the memory of a GPU, as the values of its matrix do")
    interface = a.__cuda_array_interface__
    if not _is_contiguous(interface, "F"):
        raise ValueError(f"{what} is not contiguous; say {what} = {what}.copy()")
    address = interface["data"][0]
    if address and not _sptune.in_gpu_memory(address):
        raise RuntimeError(f"{what} claims to lie in the memory of a GPU, but sptune finds none there; "
                           "was sptune built with CUDA, and does `sptune info` show the GPU?")


def view(a: Any) -> Any:
    interface = a.__cuda_array_interface__
    size = np.dtype(interface["typestr"]).itemsize
    return _sptune.device_array(interface["data"][0], list(interface["shape"]),
                                [stride // size for stride in _strides(interface)], interface["typestr"], a)


def read(x: Any, dtype: np.dtype, what: str = "x", order: str = "F") -> tuple[Any, tuple[int, ...], int]:
    if not is_array(x):
        refuse_matrix(x, what)
        raise TypeError(f"A lies in the memory of a GPU, but {what}, a {type(x).__name__}, does not; "
                        f"say cupy.asarray({what})")
    interface = x.__cuda_array_interface__
    given = np.dtype(interface["typestr"])
    if given != dtype or not _is_contiguous(interface, order):
        refuse_unsafe(given, dtype, what)
        if not _is_cupy(x):
            raise ValueError(f"{what} has to be of type {dtype} and contiguous in {_ORDERS[order]} order")
        x = sys.modules["cupy"].asarray(x, dtype=dtype, order=order)
        interface = x.__cuda_array_interface__
    return view(x), tuple(interface["shape"]), interface.get("stream") or 0


def write(out: Any, shape: tuple[int, ...], dtype: np.dtype, order: str) -> Any:
    if not is_array(out):
        raise TypeError(f"A lies in the memory of a GPU, but out, a {type(out).__name__}, does not")
    interface = out.__cuda_array_interface__
    if np.dtype(interface["typestr"]) != dtype:
        raise TypeError(f"out has type {np.dtype(interface['typestr'])}; expected {dtype}, the type of A")
    if tuple(interface["shape"]) != shape:
        raise ValueError(f"out has shape {tuple(interface['shape'])}; expected {shape}")
    if interface["data"][1]:
        raise ValueError("out is read-only; give an array that may be written to")
    if not _is_contiguous(interface, order):
        raise ValueError("out is not contiguous; make it with cupy.empty")
    return view(out)


def empty(shape: tuple[int, ...], dtype: np.dtype, like: Any, order: str) -> Any:
    if not _is_cupy(like):
        raise TypeError("x is not an array of CuPy, so that sptune cannot make one like it; give out")
    return sys.modules["cupy"].empty(shape, dtype, order=order)
