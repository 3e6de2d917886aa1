// Gustavson with a dense accumulator whose pattern is found first, on 64 columns at a time: B's
// rows are kept as bitmaps of 64-bit words, so that finding the pattern of a row of C costs a
// fraction of its products, gives the columns sorted for nothing, and leaves the products a loop
// without branches.
// Source of compressed symbolic products: M. Deveci, C. Trott, S. Rajamanickam, "Multithreaded
// sparse matrix-matrix multiplication for many-core and GPU architectures", Parallel Computing 78
// (2018).
#include "kernels/spgemm/cpu/rows.hpp"

#include <bit>
#include <string>

namespace sptune {
namespace {

/// The words of B's rows. Those of row i lie in [b.row_ptr[i], end[i]): no more than entries.
template <class T, class P>
struct RowBitmaps {
    explicit RowBitmaps(const spgemm_cpu::Inputs<T, P>& in)
        : a(in.problem.a),
          b(in.problem.b),
          end(static_cast<std::size_t>(b.rows)),
          word(static_cast<std::size_t>(b.nnz())),
          mask(static_cast<std::size_t>(b.nnz())) {
#pragma omp parallel for schedule(static) num_threads(in.threads)
        for (index_t i = 0; i < b.rows; ++i) {
            P at = b.row_ptr[i];
            index_t before = -1;
            for (P k = b.row_ptr[i]; k < b.row_ptr[i + 1]; ++k) {
                const index_t w = b.col_idx[k] >> 6;
                const std::uint64_t bit = std::uint64_t{1} << (b.col_idx[k] & 63);
                if (w == before) {
                    mask[static_cast<std::size_t>(at - 1)] |= bit;
                    continue;
                }
                word[static_cast<std::size_t>(at)] = before = w;
                mask[static_cast<std::size_t>(at++)] = bit;
            }
            end[static_cast<std::size_t>(i)] = at;
        }
    }

    CsrView<T, P> a, b;
    Buffer<P> end;
    Buffer<index_t> word;
    Buffer<std::uint64_t> mask;
};

template <class T, class P>
class BitmapRows {
  public:
    using Shared = RowBitmaps<T, P>;
    static std::uint64_t shared_bytes(const SpgemmProblem<T, P>& p) {
        return static_cast<std::uint64_t>(p.b.nnz()) * (sizeof(index_t) + sizeof(std::uint64_t)) +
               static_cast<std::uint64_t>(p.b.rows) * sizeof(P);
    }
    static std::uint64_t bytes(const SpgemmProblem<T, P>& p) {
        return static_cast<std::uint64_t>(p.b.cols) * sizeof(T) +
               words_of(p.b.cols) * (sizeof(std::uint64_t) + sizeof(index_t)) +
               (words_of(p.b.cols) / 64 + 1) * sizeof(std::uint64_t);
    }
    static std::string illegal(const SpgemmProblem<T, P>&) { return {}; }

    explicit BitmapRows(const Shared& s)
        : s_(s),
          sum_(static_cast<std::size_t>(s.b.cols), T{0}),
          bits_(words_of(s.b.cols), 0),
          summary_(words_of(s.b.cols) / 64 + 1, 0),
          touched_(words_of(s.b.cols)) {}

    index_t count(index_t i) {
        const std::size_t n = mark(i);
        int entries = 0;
        for (std::size_t k = 0; k < n; ++k) {
            std::uint64_t& word = bits_[static_cast<std::size_t>(touched_[k])];
            entries += std::popcount(word);
            word = 0;
        }
        return entries;
    }

    /// Always sorted.
    index_t compute(index_t i, bool, index_t* cols, T* values) {
        const index_t entries = columns(mark(i), cols);
        const CsrView<T, P>&a = s_.a, &b = s_.b;
        T* const sum = sum_.data();
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const index_t row = a.col_idx[k];
            const T value = a.values[k];
            for (P l = b.row_ptr[row]; l < b.row_ptr[row + 1]; ++l)
                sum[b.col_idx[l]] += value * b.values[l];
        }
        for (index_t k = 0; k < entries; ++k) {
            values[k] = sum[cols[k]];
            sum[cols[k]] = T{0};
        }
        return entries;
    }

  private:
    /// One more than there are: where mark() writes what it may not keep.
    static std::size_t words_of(index_t cols) { return static_cast<std::size_t>(cols) / 64 + 2; }

    /// Sets the bits of row i of C; returns how many words of touched_ are its own.
    std::size_t mark(index_t i) {
        std::size_t n = 0;
        std::uint64_t* const bits = bits_.data();
        index_t* const touched = touched_.data();
        for (P k = s_.a.row_ptr[i]; k < s_.a.row_ptr[i + 1]; ++k) {
            const index_t row = s_.a.col_idx[k];
            const auto end = static_cast<std::size_t>(s_.end[static_cast<std::size_t>(row)]);
            for (auto l = static_cast<std::size_t>(s_.b.row_ptr[row]); l < end; ++l) {
                const index_t w = s_.word[l];
                const std::uint64_t before = bits[w];
                touched[n] = w;
                n += before == 0;
                bits[w] = before | s_.mask[l];
            }
        }
        return n;
    }

    /// Writes the marked columns in order and clears their bits; returns how many there are.
    index_t columns(std::size_t n, index_t* cols) {
        constexpr std::size_t kShort = 6, kDense = 8;
        index_t* const first = touched_.data();
        index_t* out = cols;
        const auto [least, most] = std::minmax_element(first, first + n);
        const auto low = n ? static_cast<std::size_t>(*least) : 0,
                   high = n ? static_cast<std::size_t>(*most) : 0;
        if (n > kShort && high - low <= kDense * n) {
            for (std::size_t w = low; w <= high; ++w) out = spell_out(w, out);
        } else if (n > kShort && (high - low) / 64 <= kDense * n) {
            // The same once more: a bit for each word.
            for (std::size_t k = 0; k < n; ++k)
                summary_[static_cast<std::size_t>(first[k]) / 64] |= std::uint64_t{1}
                                                                     << (first[k] & 63);
            for (std::size_t s = low / 64; s <= high / 64; ++s) {
                for (std::uint64_t m = summary_[s]; m; m &= m - 1)
                    out = spell_out(s * 64 + static_cast<std::size_t>(std::countr_zero(m)), out);
                summary_[s] = 0;
            }
        } else {
            if (n <= kShort)
                insertion_sort(first, n);
            else
                std::sort(first, first + n);
            for (std::size_t k = 0; k < n; ++k)
                out = spell_out(static_cast<std::size_t>(first[k]), out);
        }
        return static_cast<index_t>(out - cols);
    }
    static void insertion_sort(index_t* first, std::size_t n) {
        for (std::size_t k = 1; k < n; ++k) {
            const index_t w = first[k];
            std::size_t at = k;
            for (; at > 0 && first[at - 1] > w; --at) first[at] = first[at - 1];
            first[at] = w;
        }
    }
    index_t* spell_out(std::size_t w, index_t* out) {
        std::uint64_t& word = bits_[w];
        const auto first = static_cast<index_t>(w * 64);
        for (std::uint64_t m = word; m; m &= m - 1) *out++ = first + std::countr_zero(m);
        word = 0;
        return out;
    }

    const Shared& s_;
    Buffer<T> sum_;
    Buffer<std::uint64_t> bits_, summary_;  ///< of columns, and of words of bits_ not 0
    Buffer<index_t> touched_;
};

}  // namespace

template <class T>
void add_cpu_bitmap_kernels(SpgemmKernelList<T>& list) {
    spgemm_cpu::add_rows<BitmapRows>(list, "bitmap");
}
template void add_cpu_bitmap_kernels(SpgemmKernelList<SPTUNE_VALUE>&);

}  // namespace sptune
