#include "cli/matrix_output.hpp"

#include "matrix/number.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace sptune::cli {

namespace {

MatrixFormat format_of(const std::string& path, const char* known) {
    const std::string_view name = path;
    const auto ends = [&](std::string_view ending) {
        return name.size() > ending.size() && name.ends_with(ending);
    };
    if (ends(".mtx") || ends(".mtx.gz")) return MatrixFormat::market;
    if (ends(".spt")) return MatrixFormat::spt;
    if (ends(".bsm")) return MatrixFormat::blocks;
    throw UsageError(fmt::format("{}: the ending tells the format; known are {}", path, known));
}

}  // namespace

MatrixFormat output_format(const std::string& path) {
    return format_of(path, ".mtx, .mtx.gz, .spt and .bsm");
}

MatrixFormat plain_format(const std::string& path) {
    const MatrixFormat format = format_of(path, ".mtx, .mtx.gz and .spt");
    if (format == MatrixFormat::blocks)
        throw UsageError(path +
                         ": only blocks are written as such; write .mtx, .mtx.gz or .spt, of "
                         "which `sptune convert --blocks M` makes blocks");
    return format;
}

std::string written_summary(const std::string& path, std::int64_t rows, std::int64_t cols,
                            std::int64_t stored, double seconds) {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(path, failure);
    // Blocks have zeros, too.
    const bool blocks = output_format(path) == MatrixFormat::blocks;
    const std::string numbers = with_noun(count(stored), blocks ? "stored value" : "nonzero");
    return fmt::format("{}: {} × {}, {}, {}, {}", path, count(rows), count(cols), numbers,
                       failure ? "-" : byte_count(static_cast<double>(bytes)),
                       duration_us(seconds * 1e6));
}

}  // namespace sptune::cli
