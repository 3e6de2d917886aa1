// What Python's arrays look like from here. Types, shapes and places of arrays are checked by the
// Python half of the package, which also keeps them alive; what is inside them is checked here.
#pragma once

#include <cstdint>
#include <string>

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <sptune/sptune.hpp>
#include <unistd.h>

namespace sptune_python {

namespace nb = nanobind;

/// A vector, or several as the columns of an array, contiguous in Fortran or C order.
template <class T>
using Array = nb::ndarray<T>;

/// A CSR matrix over arrays that it does not keep alive.
template <class T, class P>
struct Matrix {
    sptune::csr_view<T, P> view;
};

/// Other Python threads run while one of these lives. nanobind's own would abort the process when
/// the interpreter finalizes: CPython before 3.14 then ends a thread that wants the GIL back by
/// unwinding its stack, which no destructor lets pass. As in 3.14 the thread waits here instead,
/// until the process is gone.
class OthersRun {
  public:
    OthersRun() : state_(PyEval_SaveThread()) {}
    OthersRun(const OthersRun&) = delete;
    OthersRun& operator=(const OthersRun&) = delete;
    ~OthersRun() {
        try {
            PyEval_RestoreThread(state_);
        } catch (const abi::__forced_unwind&) {
            for (;;) pause();
        }
    }

  private:
    PyThreadState* state_;
};

/// The columns of x and y, which lie in the same order.
struct Columns {
    std::size_t count = 1;
    std::size_t ldx = 0, ldy = 0;  ///< as apply_many() takes it, or apply_many_rows()
    bool rows = false;             ///< C order

    /// Throws ValueError where the arrays overlap.
    template <class T>
    Columns(const Array<const T>& x, const Array<T>& y) {
        const T *const from = x.data(), *const to = y.data();
        if (from < to + y.size() && to < from + x.size())
            throw nb::value_error("x and out overlap; give out an array of its own");
        if (y.ndim() < 2) return;
        count = y.shape(1);
        rows = count > 1 && in_rows(x.shape(0), x.stride(0)) && in_rows(y.shape(0), y.stride(0));
        ldx = rows ? count : x.shape(0);
        ldy = rows ? count : y.shape(0);
    }

  private:
    /// Of a single row both orders are the same.
    bool in_rows(std::size_t extent, std::int64_t stride) const {
        return extent < 2 || stride == static_cast<std::int64_t>(count);
    }
};

inline void* stream_of(std::uintptr_t handle) {
    return reinterpret_cast<void*>(handle);
}

/// "automatic", "cpu" or "cuda"; ValueError for others.
sptune::backend backend_named(const std::string& word);

void bind_matrices(nb::module_& m);
void bind_plans(nb::module_& m);
void bind_products(nb::module_& m);

}  // namespace sptune_python
