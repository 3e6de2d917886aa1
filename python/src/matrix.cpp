#include "matrix.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <nanobind/stl/string.h>

namespace sptune_python {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw nb::value_error(what.c_str());
}

/// All that a kernel relies on: SciPy does not look into the arrays again once a matrix is made,
/// and conversions would write where a wild column points to.
template <class P>
void check_structure(const P* row_ptr, std::int64_t rows, const std::int32_t* col_idx,
                     std::int64_t cols, std::int64_t entries, const std::string& name) {
    bool decreases = false;
    for (std::int64_t i = 0; i < rows; ++i) decreases |= row_ptr[i + 1] < row_ptr[i];
    require(row_ptr[0] == 0, name + ".indptr[0] is not 0");
    require(!decreases, name + ".indptr decreases somewhere");
    require(row_ptr[rows] <= entries, name + ".indptr[-1] is more than " + name + ".indices or " +
                                          name + ".data have entries");
    std::uint32_t largest = 0;  // negative ones are the largest of all
    for (std::int64_t k = 0; k < row_ptr[rows]; ++k)
        largest = std::max(largest, static_cast<std::uint32_t>(col_idx[k]));
    require(row_ptr[rows] == 0 || largest < cols,
            name + ".indices has entries below 0 or not below the number of columns");
}

template <class T, class P>
Matrix<T, P> make_matrix(const Array<const P>& row_ptr, const Array<const std::int32_t>& col_idx,
                         const Array<const T>& values, std::int64_t rows, std::int64_t cols,
                         const std::string& name) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    require(0 <= rows && rows <= most && 0 <= cols && cols <= most,
            name + " has more rows or columns than 32 bits can count, which sptune does not take");
    require(row_ptr.size() == static_cast<std::size_t>(rows) + 1,
            name + ".indptr must have one entry more than " + name + " has rows");
    const auto entries = static_cast<std::int64_t>(std::min(col_idx.size(), values.size()));
    P nnz = static_cast<P>(entries);
    if (row_ptr.device_type() == nb::device::cpu::value) {
        const OthersRun others_run;
        check_structure(row_ptr.data(), rows, col_idx.data(), cols, entries, name);
        nnz = row_ptr.data()[rows];
    } else {
        require(col_idx.size() == values.size() && entries <= std::numeric_limits<P>::max(),
                name + ".indices and " + name +
                    ".data differ in size, or have more entries than its indptr can count");
    }
    return {{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols), row_ptr.data(),
             col_idx.data(), values.data(), nnz}};
}

template <class T, class P>
void bind(nb::module_& m, const char* name) {
    nb::class_<Matrix<T, P>>(m, name).def_prop_ro("nnz",
                                                  [](const Matrix<T, P>& a) { return a.view.nnz; });
    m.def("matrix", &make_matrix<T, P>, nb::arg("indptr").noconvert(),
          nb::arg("indices").noconvert(), nb::arg("data").noconvert(), nb::arg("rows"),
          nb::arg("cols"), nb::arg("name"));
    m.def(
        "auto_spmv",
        [](const Matrix<T, P>& a, const Array<const T>& x, const Array<T>& y, T alpha, T beta,
           std::uintptr_t stream) {
            const Columns columns(x, y);
            const OthersRun others_run;
            const sptune::spmv_terms<T> terms{alpha, beta, stream_of(stream)};
            const auto multiply =
                columns.rows ? &sptune::auto_spmv_many_rows<T, P> : &sptune::auto_spmv_many<T, P>;
            multiply(a.view, x.data(), columns.ldx, y.data(), columns.ldy, columns.count, terms);
        },
        nb::arg("matrix"), nb::arg("x").noconvert(), nb::arg("out").noconvert(), nb::arg("alpha"),
        nb::arg("beta"), nb::arg("stream"));
    m.def(
        "forget",
        [](const Matrix<T, P>& a) {
            const OthersRun others_run;
            sptune::forget(a.view);
        },
        nb::arg("matrix"));
    m.def(
        "why",
        [](const Matrix<T, P>& a) {
            const OthersRun others_run;
            return sptune::why(a.view);
        },
        nb::arg("matrix"));
}

}  // namespace

sptune::backend backend_named(const std::string& word) {
    if (word == "automatic") return sptune::backend::automatic;
    if (word == "cpu") return sptune::backend::cpu;
    if (word == "cuda") return sptune::backend::cuda;
    throw nb::value_error("backend must be \"automatic\", \"cpu\" or \"cuda\"");
}

void bind_matrices(nb::module_& m) {
    bind<float, std::int32_t>(m, "MatrixF32");
    bind<float, std::int64_t>(m, "MatrixF32Long");
    bind<double, std::int32_t>(m, "MatrixF64");
    bind<double, std::int64_t>(m, "MatrixF64Long");
}

}  // namespace sptune_python
