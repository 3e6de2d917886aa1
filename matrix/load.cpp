#include "matrix/load.hpp"

#include "matrix/block_text.hpp"
#include "matrix/mapped_file.hpp"
#include "matrix/spt.hpp"
#include "matrix/spt_layout.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace sptune {

namespace {

bool is_spt(const std::string& path) {
    return MappedFile(path).bytes().starts_with(detail::kSptMagic);
}

/// What has neither mark is read as Matrix Market, unless its name says that it is something else.
void require_market(const std::string& path) {
    const MappedFile file(path);
    const bool comment = file.bytes().starts_with('%');
    // Case does not matter to Matrix Market.
    constexpr std::string_view kBanner = "%%matrixmarket";
    const auto is_banner = [&](std::string_view text) {
        return text.size() >= kBanner.size() &&
               std::equal(kBanner.begin(), kBanner.end(), text.begin(), [](char expected, char c) {
                   return expected == (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
               });
    };
    if (comment && path.ends_with(".bsm") && !is_banner(file.bytes()))
        throw InputError(path, 1,
                         "begins with neither %%BlockMatrix, as a .bsm file does, nor "
                         "%%MatrixMarket; is it complete?");
    for (const char* ending : {".spt", ".bsm"})
        if (!comment && path.ends_with(ending))
            throw InputError(path, 0,
                             std::string("ends with ") + ending +
                                 ", but what is in it is no such file; is it complete?");
}

MatrixFileInfo info_of(std::int64_t rows, std::int64_t cols, std::int64_t max_nnz) {
    // Kernels step past the end of a row by as much as a team of threads takes at once.
    constexpr std::int64_t kMostSteps = 1 << 14;
    const bool narrow = max_nnz <= std::numeric_limits<std::int32_t>::max() - kMostSteps;
    return {rows, cols, max_nnz, narrow ? IndexType::i32 : IndexType::i64};
}

}  // namespace

MatrixFileInfo inspect_matrix_file(const std::string& path) {
    if (is_spt(path)) {
        const SptHeader head = read_spt_header(path);
        return info_of(head.rows, head.cols, head.nnz);
    }
    if (is_block_text(path)) {
        const BlockHeader head = read_block_header(path);
        return info_of(head.rows, head.cols, head.blocks * head.m * head.m);
    }
    require_market(path);
    const MarketHeader head = read_market_header(path);
    return info_of(head.rows, head.cols, head.max_nnz());
}

template <class T, class P>
Csr<T, P> load_matrix(const std::string& path, const MarketReadOptions& options) {
    if (is_spt(path)) return read_spt<T, P>(path);
    if (is_block_text(path)) return csr_of_blocks<T, P>(read_blocks<T>(path));
    require_market(path);
    return read_market<T, P>(path, options);
}

#define SPTUNE_INSTANTIATE(T, P) \
    template Csr<T, P> load_matrix(const std::string&, const MarketReadOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
