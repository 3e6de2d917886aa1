#include "cli/block_input.hpp"

#include "cli/matrix_input.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spgemm/blocks.hpp"
#include "matrix/error.hpp"
#include "matrix/memory_for.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

/// The same blocks of whole numbers.
BlockCsr<std::uint32_t> whole(const std::string& path, BlockCsr<double> a) {
    BlockCsr<std::uint32_t> out;
    out.m = a.m;
    out.rows = a.rows, out.cols = a.cols;
    out.values = Buffer<std::uint32_t>(a.values.size());
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        const double v = a.values[k];
        if (!(v >= 0 && v <= std::numeric_limits<std::uint32_t>::max() && v == std::floor(v)))
            throw InputError(path, 0,
                             fmt::format("has the value {}; u32 takes whole numbers from 0 to "
                                         "4294967295, use f64 for others",
                                         v));
        out.values[k] = static_cast<std::uint32_t>(v);
    }
    out.ptr = std::move(a.ptr);
    out.col = std::move(a.col);
    out.pattern = std::move(a.pattern);
    return out;
}

template <class T>
BlockCsr<T> cut(const std::string& path, const BlockInput& options) {
    return with_matrix(path, {value_type_of<T>(), options.threads},
                       [&]<class U, class P>(const Csr<U, P>& matrix) -> BlockCsr<T> {
                           if constexpr (std::is_same_v<T, U>)
                               return to_blocks(matrix.view(), options.m,
                                                resolve_threads(options.threads));
                           else
                               throw Error("a matrix was read with the wrong precision");
                       });
}

}  // namespace

template <class V>
BlockCsr<V> load_blocks(const std::string& path, const BlockInput& options) {
    if (is_block_text(path)) {
        const BlockHeader head = read_block_header(path);
        if (options.m && head.m != options.m)
            throw InputError(
                path, 1,
                fmt::format("has blocks of {0} × {0}; expected {1} × {1}, which `sptune convert` "
                            "makes of it by way of .mtx with --blocks {1}",
                            head.m, options.m));
        return with_memory_for(path + ": the matrix", [&] { return read_blocks<V>(path); });
    }
    if (options.m == 0)
        throw UsageError(path + " is no block file (.bsm); --blocks M cuts it into blocks");
    if constexpr (std::is_same_v<V, std::uint32_t>)
        return whole(path, cut<double>(path, options));
    else
        return cut<V>(path, options);
}

template BlockCsr<float> load_blocks(const std::string&, const BlockInput&);
template BlockCsr<double> load_blocks(const std::string&, const BlockInput&);
template BlockCsr<std::uint32_t> load_blocks(const std::string&, const BlockInput&);

BlockType parse_block_type(const std::string& word) {
    return word == "f32" ? BlockType::f32 : word == "u32" ? BlockType::u32 : BlockType::f64;
}

}  // namespace sptune::cli
