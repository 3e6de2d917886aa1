#include "matrix/atomic_file.hpp"
#include "matrix/block_text.hpp"
#include "matrix/error.hpp"

#include <cmath>
#include <iterator>
#include <type_traits>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace sptune {
namespace {

template <class V>
constexpr BlockType kTypeOf = std::is_same_v<V, float>    ? BlockType::f32
                              : std::is_same_v<V, double> ? BlockType::f64
                                                          : BlockType::u32;

}  // namespace

template <class V>
void write_blocks(const std::string& path, const BlockCsr<V>& matrix, std::string_view comment) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes of text
    AtomicFile file{path};
    fmt::memory_buffer text;
    const auto out = [&] { return std::back_inserter(text); };
    fmt::format_to(out(), "{} {} {} {} {} {}", kBlockMagic, matrix.m, matrix.block_rows(),
                   matrix.block_cols(), matrix.blocks(), to_string(kTypeOf<V>));
    if (matrix.rows % matrix.m || matrix.cols % matrix.m)
        fmt::format_to(out(), " {} {}", matrix.rows, matrix.cols);
    fmt::format_to(out(), "\n% {}\n", comment);
    const std::size_t size = static_cast<std::size_t>(matrix.m) * matrix.m;
    for (index_t i = 0; i < matrix.block_rows(); ++i)
        for (auto k = static_cast<std::size_t>(matrix.ptr[i]);
             k < static_cast<std::size_t>(matrix.ptr[i + 1]); ++k) {
            fmt::format_to(out(), FMT_COMPILE("{} {} "), i + 1, matrix.col[k] + 1);
            for (std::size_t v = k * size; v < (k + 1) * size; ++v) {
                if constexpr (std::is_floating_point_v<V>)
                    if (!std::isfinite(matrix.values[v]))
                        throw Error(fmt::format("cannot write {}: a value of block ({}, {}) is {}",
                                                path, i + 1, matrix.col[k] + 1, matrix.values[v]));
                fmt::format_to(out(), FMT_COMPILE(" {}"), matrix.values[v]);
            }
            text.push_back('\n');
            if (text.size() < kPiece) continue;
            file.write({text.data(), text.size()});
            text.clear();
        }
    file.write({text.data(), text.size()});
    file.commit();
}

template void write_blocks(const std::string&, const BlockCsr<float>&, std::string_view);
template void write_blocks(const std::string&, const BlockCsr<double>&, std::string_view);
template void write_blocks(const std::string&, const BlockCsr<std::uint32_t>&, std::string_view);

}  // namespace sptune
