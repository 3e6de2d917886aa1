#include "cli/matrix_output.hpp"

#include "matrix/number.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace sptune::cli {

MatrixFormat output_format(const std::string& path) {
    const std::string_view name = path;
    const auto ends = [&](std::string_view ending) {
        return name.size() > ending.size() && name.ends_with(ending);
    };
    if (ends(".mtx") || ends(".mtx.gz")) return MatrixFormat::market;
    if (ends(".spt")) return MatrixFormat::spt;
    if (ends(".bsm")) return MatrixFormat::blocks;
    throw UsageError(path +
                     ": the ending tells the format; known are .mtx, .mtx.gz, .spt and .bsm");
}

std::string written_summary(const std::string& path, std::int64_t rows, std::int64_t cols,
                            std::int64_t nnz, double seconds) {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(path, failure);
    return fmt::format(
        "{}: {} × {}, {}, {}, {}", path, count(rows), count(cols), with_noun(count(nnz), "nonzero"),
        failure ? "-" : byte_count(static_cast<double>(bytes)), duration_us(seconds * 1e6));
}

}  // namespace sptune::cli
