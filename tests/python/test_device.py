"""Matrices in GPU memory, known by __cuda_array_interface__ alone. Needs NumPy, but neither SciPy nor
CuPy nor pytest: `PYTHONPATH=../../build/python python3 -m unittest test_device`, run here, does it
on a machine with a GPU.

Without a GPU the way there is tested with host memory that passes itself off as a GPU's.
"""

import ctypes
import sys
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy as np
import sptune
from sptune import _device, _sptune


class DeviceArray:
    """What sptune knows of CuPy's arrays."""

    def __init__(self, address, array, strides=None, stream=None, read_only=False):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (address, read_only),
            "strides": strides, "version": 3, "stream": stream,
        }


def stencil(n, dtype):
    """Row i of the tridiagonal matrix has -1, 2 + i mod 3, -1. (indptr, indices, data), A x."""
    rows = np.repeat(np.arange(n), 3)[1:-1]
    columns = (np.repeat(np.arange(n), 3) + np.tile([-1, 0, 1], n))[1:-1]
    data = np.where(rows == columns, 2 + rows % 3, -1).astype(dtype)
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(np.int32)

    def times(x):
        y = np.zeros(n)
        np.add.at(y, rows, data * x[columns])
        return y

    return (indptr, columns.astype(np.int32), data), times


def matrix(arrays, n):
    return SimpleNamespace(format="csr", shape=(n, n), indptr=arrays[0], indices=arrays[1], data=arrays[2])


class Driver:
    """Memory of the first GPU, through the driver's own library."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise OSError("no GPU")
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise OSError(f"{name}: error {code}")

    def put(self, array, **more):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1)))
        self.call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        return DeviceArray(address.value, array, **more)

    def get(self, a):
        self.call("cuCtxSynchronize")
        array = np.empty_like(a.array)
        address = ctypes.c_uint64(a.__cuda_array_interface__["data"][0])
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(array.nbytes))
        return array

    def stream(self):
        handle = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(handle), 0)
        return handle.value


class Pretender:
    """Host memory in the same clothes."""

    def put(self, array, **more):
        return DeviceArray(array.ctypes.data, array, **more)

    def get(self, a):
        return a.array

    def stream(self):
        return 1


class Products:
    """For any place to put arrays: `self.place`."""

    n = 3000

    def setUp(self):
        rng = np.random.default_rng(0)
        self.host, self.times = stencil(self.n, np.float64)
        self.A = matrix([self.place.put(a) for a in self.host], self.n)
        self.x = rng.standard_normal(self.n)
        self.dx = self.place.put(self.x, stream=self.place.stream())
        self.dy = self.place.put(np.full(self.n, np.nan))

    def check(self, y, expected):
        np.testing.assert_allclose(self.place.get(y), expected, rtol=1e-12, atol=1e-12)

    def test_plan(self):
        for calls in (0, 1e5):
            plan = sptune.plan(self.A, expected_calls=calls)
            for _ in range(40):
                self.assertIs(plan.apply(self.dx, self.dy), self.dy)
            self.check(self.dy, self.times(self.x))
            y = np.random.default_rng(1).standard_normal(self.n)
            self.check(plan.apply(self.dx, self.place.put(y.copy()), 2, -1), 2 * self.times(self.x) - y)

    def test_auto_spmv(self):
        for _ in range(20):
            sptune.auto_spmv(self.A, self.dx, self.dy)
        self.check(self.dy, self.times(self.x))
        sptune.forget(self.A)

    def test_products_take_host_memory(self):
        with self.assertRaisesRegex(TypeError, "host memory"):
            sptune.auto_spgemm(self.A, self.A)

    def test_several_vectors(self):
        X = np.asfortranarray(np.random.default_rng(2).standard_normal((self.n, 3)))
        strides = (8, 8 * self.n)
        plan = sptune.plan(self.A)
        Y = plan.apply(self.place.put(X, strides=strides),
                       self.place.put(np.zeros_like(X), strides=strides))
        self.check(Y, np.stack([self.times(x) for x in X.T], axis=1))

    def test_several_vectors_in_c_order(self):
        X = np.random.default_rng(2).standard_normal((self.n, 3))
        plan = sptune.plan(self.A)
        for times in (plan.apply, lambda *a: sptune.auto_spmv(self.A, *a)):
            Y = times(self.place.put(X), self.place.put(np.zeros_like(X)))
            self.check(Y, np.stack([self.times(x) for x in X.T], axis=1))
        with self.assertRaisesRegex(ValueError, "Fortran order"):
            plan.apply(self.place.put(X), self.place.put(np.zeros_like(X), strides=(8, 8 * self.n)))
        sptune.forget(self.A)

    def test_new_values(self):
        plan = sptune.plan(self.A, expected_calls=1000)
        plan.apply(self.dx, self.dy)
        plan.update_values(self.place.put(3 * self.host[2]))
        self.check(plan.apply(self.dx, self.dy), 3 * self.times(self.x))

    def test_what_is_refused(self):
        plan, put = sptune.plan(self.A), self.place.put
        with self.assertRaisesRegex(TypeError, "cupy.asarray"):
            plan @ self.x
        for use, remedy in ((plan.__matmul__, "auto_spgemm"), (plan.update_values, r"give A\.data")):
            with self.assertRaisesRegex(TypeError, remedy):
                use(SimpleNamespace(**vars(self.A), tocsr=None))
        with self.assertRaisesRegex(TypeError, "give out"):
            plan @ self.dx
        with self.assertRaisesRegex(TypeError, "out, a ndarray, does not"):
            plan.apply(self.dx, self.x)
        with self.assertRaisesRegex(ValueError, "shape"):
            plan.apply(put(self.x[:-1]), self.dy)
        with self.assertRaisesRegex(ValueError, "shape"):
            plan.apply(self.dx, put(self.x[:-1]))
        with self.assertRaisesRegex(ValueError, "contiguous"):
            plan.apply(put(self.x, strides=(16,)), self.dy)
        with self.assertRaisesRegex(ValueError, "contiguous"):
            plan.apply(self.dx, put(self.x, strides=(16,)))
        with self.assertRaisesRegex(ValueError, "float64"):
            plan.apply(put(self.x.astype(np.float32)), self.dy)
        with self.assertRaisesRegex(TypeError, "x.real"):
            plan.apply(put(self.x.astype(complex)), self.dy)
        with self.assertRaisesRegex(ValueError, "read-only"):
            plan.apply(self.dx, put(self.x, read_only=True))
        with self.assertRaisesRegex(ValueError, "overlap"):
            plan.apply(self.dx, self.dx)
        with self.assertRaisesRegex(TypeError, "A.indices does not lie"):
            sptune.plan(matrix([self.A.indptr, self.host[1], self.A.data], self.n))
        with self.assertRaisesRegex(TypeError, "float32"):
            sptune.plan(matrix([*map(put, self.host[:2]), put(self.host[2].astype(np.int32))], self.n))


class Pretended(Products, unittest.TestCase):
    place = Pretender()

    def setUp(self):
        patch = mock.patch.object(_sptune, "in_gpu_memory", lambda address: True)
        patch.start()
        self.addCleanup(patch.stop)
        super().setUp()

    def test_arrays_that_cannot_be_watched(self):
        class Slotted:
            __slots__ = ("__cuda_array_interface__",)

        data = Slotted()
        data.__cuda_array_interface__ = self.A.data.__cuda_array_interface__
        A = matrix([self.A.indptr, self.A.indices, data], self.n)
        with self.assertRaisesRegex(TypeError, r"sptune\.plan"):
            sptune.auto_spmv(A, self.dx, self.dy)
        self.check(sptune.plan(A).apply(self.dx, self.dy), self.times(self.x))

    def test_the_stream_of_x(self):
        for given, expected in ((None, 0), (1, 1), (12345, 12345)):
            x = self.place.put(self.x, stream=given)
            self.assertEqual(_device.read(x, np.dtype(np.float64))[2], expected)


class NoGpuMemory(unittest.TestCase):
    def test_addresses_are_looked_at(self):
        arrays, _ = stencil(10, np.float64)
        A = matrix([Pretender().put(a) for a in arrays], 10)
        for use in (sptune.plan, lambda A: sptune.auto_spmv(A, A.data, A.data)):
            with self.assertRaisesRegex(RuntimeError, "built with CUDA"):
                use(A)

    def test_host_matrices_take_no_device_vectors(self):
        arrays, _ = stencil(10, np.float64)
        with self.assertRaisesRegex(TypeError, r"x\.get\(\)"):
            sptune.plan(matrix(arrays, 10)) @ Pretender().put(np.ones(10))


try:
    driver = Driver()
    missing = ""
except (OSError, AttributeError) as e:
    driver, missing = None, f"there is no GPU to be had: {e}"
try:
    import cupy
except ImportError:
    cupy = None


@unittest.skipIf(driver is None, missing)
class OnGpu(Products, unittest.TestCase):
    place = driver

    def test_it_was_the_gpu(self):
        self.assertTrue(sptune.plan(self.A).variant.startswith("spmv.cuda."))


@unittest.skipIf(driver is None, missing)
@unittest.skipIf(cupy is None, "CuPy is not installed")
class OnGpuWithCupy(unittest.TestCase):
    def test_matrices_of_cupy(self):
        from cupyx.scipy import sparse

        n = 3000
        (indptr, indices, data), times = stencil(n, np.float64)
        A = sparse.csr_matrix((cupy.asarray(data), cupy.asarray(indices), cupy.asarray(indptr)), shape=(n, n))
        x = np.random.default_rng(0).standard_normal((n, 2))
        plan = sptune.plan(A, expected_calls=1000)
        with cupy.cuda.Stream():
            for _ in range(20):
                given = cupy.asarray(x)  # C order
                for y in (plan @ given, sptune.auto_spmv(A, given), sptune.aslinearoperator(A) @ given):
                    self.assertIsInstance(y, cupy.ndarray)
                    np.testing.assert_allclose(y.get(), np.stack([times(c) for c in x.T], axis=1), rtol=1e-12,
                                               atol=1e-12)


if __name__ == "__main__":
    program = unittest.main(exit=False)
    # ctest takes 77 as skipped.
    all_skipped = len(program.result.skipped) == program.test.countTestCases()
    sys.exit(77 if all_skipped else not program.result.wasSuccessful())
