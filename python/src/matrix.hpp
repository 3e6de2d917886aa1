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

/// A vector, or several as the columns of a Fortran-ordered array.
template <class T>
using Array = nb::ndarray<T, nb::f_contig>;

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

/// Calls one(x, y) for every column of x and y while other Python threads run. Throws ValueError
/// where the arrays overlap.
template <class T, class F>
void for_columns(const Array<const T>& x, const Array<T>& y, const F& one) {
    const T* const from = x.data();
    T* const to = y.data();
    if (from < to + y.size() && to < from + x.size())
        throw nb::value_error("x and out overlap; give out an array of its own");
    const std::size_t count = y.ndim() == 2 ? y.shape(1) : 1;
    const OthersRun others_run;
    for (std::size_t i = 0; i < count; ++i) one(from + i * x.shape(0), to + i * y.shape(0));
}

inline void* stream_of(std::uintptr_t handle) {
    return reinterpret_cast<void*>(handle);
}

/// "automatic", "cpu" or "cuda"; ValueError for others.
sptune::backend backend_named(const std::string& word);

void bind_matrices(nb::module_& m);
void bind_plans(nb::module_& m);
void bind_products(nb::module_& m);

}  // namespace sptune_python
