#include "cli/kernel_variants.hpp"

#include "cli/output.hpp"
#include "cli/table.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/spgemm/registry.hpp"
#include "kernels/vendor/mkl_library.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

template <class Kernel>
std::vector<Variant> variants(const std::vector<Kernel>& kernels) {
    std::vector<Variant> all;
    for (const Kernel& kernel : kernels) all.push_back(kernel.variant);
    return all;
}

template <class T, class P>
std::vector<Variant> variants_of(Op op, Backend backend) {
    return op == Op::spmv ? variants(spmv_kernels<T, P>(backend))
                          : variants(spgemm_kernels<T, P>(backend));
}

}  // namespace

void use_mkl(const std::string& path) {
    if (path.empty()) {
        const char* const named = std::getenv("SPTUNE_MKL");
        if (named && *named && !mkl::library().loaded)
            warn(
                fmt::format("SPTUNE_MKL: {} holds no Intel MKL to use, so that none takes part: {}",
                            named, mkl_status()));
        return;
    }
    set_mkl_path(path);
    if (!mkl::library().loaded)
        throw InputError(path, 0, "holds no Intel MKL to use: " + mkl_status());
}

std::vector<Variant> variants_of(Op op, Backend backend, ValueType value, IndexType index) {
    const bool wide = index == IndexType::i64;
    if (value == ValueType::f32)
        return wide ? variants_of<float, std::int64_t>(op, backend)
                    : variants_of<float, std::int32_t>(op, backend);
    return wide ? variants_of<double, std::int64_t>(op, backend)
                : variants_of<double, std::int32_t>(op, backend);
}

std::vector<std::string> kernel_ids(Op op, const std::vector<Backend>& backends, ValueType value) {
    std::vector<std::string> ids;
    for (const Backend backend : backends)
        for (const IndexType index : {IndexType::i32, IndexType::i64})
            for (const Variant& v : variants_of(op, backend, value, index)) ids.push_back(v.id());
    return ids;
}

void require_variants(const std::string& globs, Op op, const std::vector<Backend>& backends,
                      ValueType value) {
    const std::vector<std::string> ids = kernel_ids(op, backends, value);
    std::vector<std::string> unmet;
    std::istringstream words(globs);
    bool met = false;
    for (std::string glob; std::getline(words, glob, ',');) {
        const bool found = std::any_of(ids.begin(), ids.end(),
                                       [&](const std::string& id) { return matches(id, glob); });
        met |= found;
        if (!found) unmet.push_back(glob);
    }
    std::string where;
    for (const Backend backend : backends)
        where += fmt::format("{}{}", where.empty() ? "" : " or ", to_string(backend));
    const auto none_matches = [&](const std::string& glob) {
        return fmt::format(
            "--variants: no kernel of this build matches \"{}\" for {} with {} values on {}", glob,
            to_string(op), to_string(value), where);
    };
    if (!met)
        throw UsageError(
            none_matches(fit(globs, 200)) +
            "; `sptune info --kernels '*'` lists their ids, each of which has to match "
            "as a whole");
    for (const std::string& glob : unmet) warn(none_matches(glob));
}

void require_product_kernel(const std::string& id, Backend backend, ValueType value) {
    std::vector<std::string> words;
    std::istringstream text(id);
    for (std::string word; std::getline(text, word, '.');) words.push_back(word);
    constexpr std::size_t kLeast = 6;  // operation, backend, format, algorithm, values, pointers
    if (words.size() < kLeast) return;
    const auto refuse = [&](const std::string& what) {
        throw UsageError(fmt::format("--variant: {} {}", id, what));
    };
    if (words[0] == to_string(Op::spmv))
        refuse(
            "multiplies by a vector; `sptune info --kernels 'spgemm.*'` lists those of products");
    const std::string &side = words[1], &values = words[words.size() - 2];
    if (side == to_string(Backend::cuda) && backend == Backend::cpu) {
        require_cuda();
        refuse("is for a GPU; add --backend cuda");
    }
    if (side == to_string(Backend::cpu) && backend == Backend::cuda)
        refuse("is for the CPU; add --backend cpu");
    for (const ValueType other : {ValueType::f32, ValueType::f64})
        if (other != value && values == to_string(other))
            refuse(fmt::format("is for {0} values; add --precision {0}", values));
}

}  // namespace sptune::cli
