// Several dense vectors of the same length, as the two usual orders have them.
#pragma once

#include <cstddef>

namespace sptune {

/// Entry i of vector j is data[i * row_step + j * vector_step]; one of the steps is 1.
template <class T>
struct Vectors {
    T* data = nullptr;
    std::ptrdiff_t row_step = 1, vector_step = 1;

    /// One after another ("column-major"), each `step` entries behind the one before.
    static Vectors one_by_one(T* data, std::size_t step) {
        return {data, 1, static_cast<std::ptrdiff_t>(step)};
    }
    /// Entry i of all of them, then entry i + 1 `step` ≥ 1 entries behind ("row-major").
    static Vectors row_by_row(T* data, std::size_t step) {
        return {data, static_cast<std::ptrdiff_t>(step), 1};
    }
    bool by_rows() const { return vector_step == 1; }
    Vectors from(std::size_t vector) const {
        return {data + static_cast<std::ptrdiff_t>(vector) * vector_step, row_step, vector_step};
    }
    T* at(std::ptrdiff_t row) const { return data + row * row_step; }
};

}  // namespace sptune
