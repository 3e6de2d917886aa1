// The formats of cuSPARSE's SpMV. Their variants are called "cusparse", then the format.
#pragma once

#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/vendor/cusparse_storage.hpp"
#include "matrix/csr_bytes.hpp"

#include <limits>
#include <vector>

namespace sptune::cusparse {

/// What all formats share. Beside inspect() and convert() each has `algorithm`, the variants'
/// layouts(), the one of them that is promised to repeat to the bit, and whether this version of
/// the library has the format.
struct Format {
    static constexpr const char* name = "cusparse";
    static constexpr Backend backend = Backend::cuda;

    /// Descriptors of arrays without elements are refused.
    template <class T, class P>
    static bool empty(CsrView<T, P> a) {
        return a.rows == 0 || a.cols == 0 || a.nnz() == 0;
    }
    static constexpr const char* kEmpty = "cuSPARSE refuses empty matrices";
};

/// The caller's arrays. Layout parameter o: CUSPARSE_SPMV_CSR_ALG1 or 2.
struct CsrFormat : Format {
    static constexpr const char* algorithm = "csr";
    static std::vector<Params> layouts() { return {{{"o", 1}}, {{"o", 2}}}; }
    static Params deterministic() { return {{"o", 2}}; }
    static bool exists() { return true; }

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features&, const Params&) {
        return {.storage_bytes = 0, .moved_bytes = csr_bytes(a), .illegal = empty(a) ? kEmpty : ""};
    }
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int) {
        auto s = std::make_unique<SpmvStorage<T, P>>();
        s->algorithm = get(params, "o") == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
        s->entries = static_cast<std::uint64_t>(a.nnz());
        s->moved_bytes = csr_bytes(a);
        SPTUNE_CUSPARSE(CreateConstCsr, &s->matrix, a.rows, a.cols, a.nnz(), a.row_ptr, a.col_idx,
                        a.values, kIndexType<P>, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                        kValueType<T>);
        s->prepare(a.rows, a.cols);
        return s;
    }
};

/// The caller's columns and values, with a row for each. Layout parameter o:
/// CUSPARSE_SPMV_COO_ALG1 or 2.
struct CooFormat : Format {
    static constexpr const char* algorithm = "coo";
    static std::vector<Params> layouts() { return {{{"o", 1}}, {{"o", 2}}}; }
    static Params deterministic() { return {{"o", 2}}; }
    static bool exists() { return true; }

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features&, const Params&) {
        const auto nnz = static_cast<std::uint64_t>(a.nnz());
        Footprint f{.storage_bytes = nnz * sizeof(index_t),
                    .moved_bytes = nnz * (sizeof(T) + 2 * sizeof(index_t)),
                    .illegal = {}};
        if (empty(a)) f.illegal = kEmpty;
        // One index type for rows, columns and positions.
        if (nnz > static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()))
            f.illegal = "more entries than cuSPARSE's COO with 32-bit indices holds";
        return f;
    }
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int) {
        auto s = std::make_unique<SpmvStorage<T, P>>();
        s->algorithm = get(params, "o") == 1 ? CUSPARSE_SPMV_COO_ALG1 : CUSPARSE_SPMV_COO_ALG2;
        s->entries = static_cast<std::uint64_t>(a.nnz());
        s->moved_bytes = s->entries * (sizeof(T) + 2 * sizeof(index_t));
        s->arrays.row = DeviceBuffer<index_t>(static_cast<std::size_t>(a.nnz()));
        cuda::rows_of_entries(a.row_ptr, a.rows, a.nnz(), s->arrays.row.data());
        SPTUNE_CUSPARSE(CreateConstCoo, &s->matrix, a.rows, a.cols, a.nnz(), s->arrays.row.data(),
                        a.col_idx, a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                        kValueType<T>);
        s->prepare(a.rows, a.cols);
        return s;
    }
};

/// Sliced ELLPACK, rows in their order. Layout parameter c: rows of a slice.
struct SellFormat : Format {
    static constexpr const char* algorithm = "sell";
    static std::vector<Params> layouts() {
        std::vector<Params> list;
        for (const int c : {2, 4, 8, 16, 32, 64, 128}) list.push_back({{"c", c}});
        return list;
    }
    static Params deterministic() { return {}; }
    static bool exists() { return library().CreateConstSlicedEll != nullptr; }

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features&, const Params& params) {
        Footprint f;
        if (empty(a)) {
            f.illegal = kEmpty;
            return f;
        }
        const int c = get(params, "c");
        const std::int64_t entries = sell_entries(a.row_ptr, a.rows, c);
        f.storage_bytes = static_cast<std::uint64_t>(entries) * (sizeof(T) + sizeof(index_t)) +
                          ((static_cast<std::uint64_t>(a.rows) + c - 1) / c + 1) * sizeof(P);
        // Padding need not be read behind the first of a row.
        f.moved_bytes = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t));
        if (entries > std::numeric_limits<P>::max())
            f.illegal = "with its padding more entries than the slice pointers count";
        return f;
    }
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int) {
        auto s = std::make_unique<SpmvStorage<T, P>>();
        const int c = get(params, "c");
        s->algorithm = CUSPARSE_SPMV_SELL_ALG1;
        s->arrays = to_sell(a, c);
        s->entries = s->arrays.values.size();
        s->moved_bytes = s->arrays.bytes();
        SPTUNE_CUSPARSE(CreateConstSlicedEll, &s->matrix, a.rows, a.cols, a.nnz(),
                        static_cast<std::int64_t>(s->entries), c, s->arrays.pointer.data(),
                        s->arrays.index.data(), s->arrays.values.data(), kIndexType<P>,
                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kValueType<T>);
        s->prepare(a.rows, a.cols);
        return s;
    }
};

/// Square blocks on a fixed grid. Layout parameters r = c: rows and columns of a block.
struct BsrFormat : Format {
    static constexpr const char* algorithm = "bsr";
    static std::vector<Params> layouts() {
        std::vector<Params> list;
        for (const int size : {2, 3, 4, 8}) list.push_back({{"r", size}, {"c", size}});
        return list;
    }
    static Params deterministic() { return {}; }
    static bool exists() { return library().CreateConstBsr != nullptr; }

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features&, const Params& params) {
        Footprint f;
        const int size = get(params, "r");
        if (empty(a))
            f.illegal = kEmpty;
        else if (a.rows % size || a.cols % size)
            // The vectors are taken to be as long as the blocks reach.
            f.illegal = "rows and columns are not multiples of the block size";
        if (!f.illegal.empty()) return f;
        const std::int64_t blocks = bsr_blocks(a, size);
        if (blocks < 0) {
            f.illegal = "the columns of a row are not sorted";
            return f;
        }
        f.storage_bytes = static_cast<std::uint64_t>(blocks) *
                              (sizeof(index_t) + sizeof(T) * static_cast<unsigned>(size * size)) +
                          (static_cast<std::uint64_t>(a.rows / size) + 1) * sizeof(P);
        f.moved_bytes = f.storage_bytes;
        return f;
    }
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int) {
        auto s = std::make_unique<SpmvStorage<T, P>>();
        const int size = get(params, "r");
        s->algorithm = CUSPARSE_SPMV_BSR_ALG1;
        s->arrays = to_bsr(a, size);
        s->entries = s->arrays.values.size();
        s->moved_bytes = s->arrays.bytes();
        SPTUNE_CUSPARSE(CreateConstBsr, &s->matrix, a.rows / size, a.cols / size,
                        static_cast<std::int64_t>(s->arrays.index.size()), size, size,
                        s->arrays.pointer.data(), s->arrays.index.data(), s->arrays.values.data(),
                        kIndexType<P>, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kValueType<T>,
                        CUSPARSE_ORDER_ROW);
        s->prepare(a.rows, a.cols);
        return s;
    }
};

}  // namespace sptune::cusparse
