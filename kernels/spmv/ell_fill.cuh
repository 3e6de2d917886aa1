// Filling ELL storage: for ELL itself and the ELL part of HYB.
#pragma once

#include "kernels/spmv/transpose_rows.cuh"

namespace sptune::cuda {

/// Stores an entry with its column less `base` of the slice; columns as they are where it is
/// nullptr. Padding repeats a column that the row needs anyway.
template <class T, class C>
struct EllFill {
    T* values;
    C* column;
    const index_t* base;
    std::int64_t pitch;
    index_t ell_width;

    __device__ index_t width(std::int64_t, index_t) const { return ell_width; }
    __device__ void operator()(const RowEntry<T>& e) const {
        const std::int64_t at = e.j * pitch + e.place;
        const index_t from = base ? base[e.place / kSlice] : 0;
        values[at] = e.value;
        column[at] = static_cast<C>(e.column < 0 ? 0 : e.column - from);
    }
};

namespace {  // each source has its own: docs/add-a-format.md

template <class T, class P, class C>
void fill_ell(CsrView<T, P> a, const EllFill<T, C>& fill) {
    const std::int64_t slices = slices_of(a.rows);
    transpose_rows(a, nullptr, slices, 0, fill.ell_width, parts_for(slices), fill);
}

}  // namespace
}  // namespace sptune::cuda
