// Reading a matrix of any known file format, with progress.
#pragma once

#include "cli/progress.hpp"
#include "matrix/load.hpp"
#include "matrix/memory_for.hpp"

#include <string>
#include <utility>

namespace sptune::cli {

/// How a command wants its matrix.
struct InputOptions {
    ValueType value = ValueType::f64;
    int threads = 0;
};

ValueType parse_precision(const std::string& word);

/// The name that people use for a file: without folder and ending.
std::string matrix_name(const std::string& path);

/// What use(Csr<T, P>) returns; T by the options, P as narrow as the nonzeros of the file allow.
template <class Use>
auto with_matrix(const std::string& path, const InputOptions& options, Use use) {
    ProgressLine line;
    MarketReadOptions load;
    load.threads = options.threads;
    load.progress = [&](std::uint64_t done, std::uint64_t total) {
        line.show("reading " + matrix_name(path),
                  total ? static_cast<double>(done) / static_cast<double>(total) : 1);
    };
    const auto read = [&]<class T, class P>() {
        auto matrix =
            with_memory_for(path + ": the matrix", [&] { return load_matrix<T, P>(path, load); });
        line.reset();
        return use(std::move(matrix));
    };
    const bool wide = inspect_matrix_file(path).index == IndexType::i64;
    if (options.value == ValueType::f32)
        return wide ? read.template operator()<float, std::int64_t>()
                    : read.template operator()<float, std::int32_t>();
    return wide ? read.template operator()<double, std::int64_t>()
                : read.template operator()<double, std::int32_t>();
}

}  // namespace sptune::cli
