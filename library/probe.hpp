// What a matrix in host memory looks like at some places: whether it still is the one that it was,
// at the price of a few cache misses that overlap.
#pragma once

#include "matrix/counter_random.hpp"
#include "sptune/sptune.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace sptune::library {

struct Sample {
    std::uint64_t structure = 0, values = 0;
    bool operator==(const Sample&) const = default;
};

/// The places for one size. They are kept, since telling them takes longer than looking at them.
template <class T, class P>
class Probe {
  public:
    Probe() = default;
    explicit Probe(const csr_view<T, P>& a) {
        if (a.rows <= 0) return;
        nnz_ = a.row_ptr[a.rows];
        for (std::size_t i = 0; i < kPlaces; ++i) {
            rows_[i] = place(i, static_cast<std::uint64_t>(a.rows));
            entries_[i] = nnz_ > 0 ? place(i, static_cast<std::uint64_t>(nnz_)) : 0;
        }
    }

    /// Of arrays as long as those that the places are for, or with another number of entries.
    Sample look_at(const csr_view<T, P>& a) const {
        Sample s;
        if (a.rows <= 0) return s;
        const P nnz = a.row_ptr[a.rows];
        s.structure = static_cast<std::uint64_t>(nnz);
        if (nnz != nnz_) return s;  // other places would have to be looked at
        for (std::size_t i = 0; i < kPlaces; ++i) {
            // Mixed before they are summed: sums of plain bits miss what cancels, such as changes
            // of signs.
            const auto term = [&](auto value) { return mix64(bits_of(value) + kWeights[i]); };
            s.structure += term(a.row_ptr[rows_[i]]);
            if (nnz <= 0) continue;
            s.structure += mix64(term(a.col_idx[entries_[i]]));
            s.values += term(a.values[entries_[i]]);
        }
        return s;
    }

  private:
    static constexpr std::size_t kPlaces = 16;
    static constexpr std::array<std::uint64_t, kPlaces> kWeights = [] {
        std::array<std::uint64_t, kPlaces> weights{};
        for (std::size_t i = 0; i < kPlaces; ++i) weights[i] = 2 * mix64(i) + 1;
        return weights;
    }();

    /// Place `i` of `count`, spread over all of them; the last one is the last.
    static std::uint64_t place(std::uint64_t i, std::uint64_t count) {
        return (count - 1) - (count - 1) / kPlaces * i -
               mix64(i) % ((count - 1) / kPlaces + 1) * (i > 0);
    }

    template <class V>
    static std::uint64_t bits_of(V value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }

    P nnz_ = 0;
    std::array<std::uint64_t, kPlaces> rows_{}, entries_{};
};

}  // namespace sptune::library
