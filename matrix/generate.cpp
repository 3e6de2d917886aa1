#include "matrix/generate.hpp"

#include "matrix/generate_rows.hpp"
#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sptune {
namespace {

const std::vector<FamilyMaker>& makers() {
    static const std::vector<FamilyMaker> all = [] {
        std::vector<FamilyMaker> list;
        for (const auto group : {mesh_families(), shape_families(), block_families(),
                                 diagonal_families(), random_families(), near_families()})
            list.insert(list.end(), group.begin(), group.end());
        return list;
    }();
    return all;
}

template <class Range>
std::string names_of(const Range& range) {
    std::string names;
    for (const auto& item : range) names += (names.empty() ? "" : ", ") + std::string(item.name);
    return names;
}

std::unique_ptr<RowSource> make_source(const GenerateRequest& request) {
    const auto found = std::ranges::find(makers(), std::string_view(request.family),
                                         [](const FamilyMaker& m) { return m.family.name; });
    if (found == makers().end())
        throw UsageError(fmt::format("no family of matrices is called '{}'; there are: {}",
                                     request.family, names_of(families())));
    const Parameters parameters(found->family, request);
    auto source = changed(found->make(parameters), parameters);
    source->plant(request.seed);
    return source;
}

/// work(row, scratch) for every row, in parallel.
template <class Work>
void for_each_row(const RowSource& source, const Work& work) {
    constexpr std::int64_t kChunk = 256;
    const std::int64_t rows = source.rows;
    const auto chunks = static_cast<std::size_t>((rows + kChunk - 1) / kChunk);
    const int threads = thread_count(0, static_cast<std::uint64_t>(source.bound()));
    std::vector<std::vector<index_t>> scratch(static_cast<std::size_t>(threads));
    parallel_for(threads, chunks, [&](int thread, std::size_t chunk) {
        const auto first = static_cast<std::int64_t>(chunk) * kChunk;
        for (std::int64_t row = first; row < std::min(rows, first + kChunk); ++row)
            work(static_cast<index_t>(row), scratch[static_cast<std::size_t>(thread)]);
    });
}

/// Values for the entries of one row, each a function of seed, row and column alone.
template <class T>
void fill_values(const RowSource& source, index_t row, std::span<const index_t> columns, T* out) {
    const ValueRule& rule = source.rule;
    const Stream own(source.seed, keys::kValues | static_cast<std::uint64_t>(row));
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const index_t col = columns[k];
        const double fixed = col == row ? rule.diagonal : rule.off_diagonal;
        if (fixed != 0) {
            out[k] = static_cast<T>(fixed);
        } else if (rule.symmetric && col < row) {
            const Stream mirror(source.seed, keys::kValues | static_cast<std::uint64_t>(col));
            out[k] = static_cast<T>(signed_unit(mirror.at(static_cast<std::uint64_t>(row))));
        } else {
            out[k] = static_cast<T>(signed_unit(own.at(static_cast<std::uint64_t>(col))));
        }
    }
}

}  // namespace

Parameters::Parameters(const Family& family, const GenerateRequest& request)
    : family_(family), request_(request) {
    for (const auto& [name, value] : request.parameters)
        if (!find(name))
            throw UsageError(fmt::format(
                "generate {}: there is no parameter '{}'; there are: {}, "
                "{}",
                family.name, name, names_of(family.parameters), names_of(change_parameters())));
}

const FamilyParameter* Parameters::find(std::string_view name) const {
    for (const auto list : {family_.parameters, change_parameters()})
        for (const FamilyParameter& parameter : list)
            if (parameter.name == name) return &parameter;
    return nullptr;
}

bool Parameters::given(std::string_view name) const {
    return request_.parameters.contains(std::string(name));
}

double Parameters::real(std::string_view name, double low, double high) const {
    if (!given(name)) return std::clamp(find(name)->fallback, low, high);
    const double value = request_.parameters.at(std::string(name));
    // Bounds that come of sums have some 1e-9 more, for rounding.
    const auto bound = [](double b) {
        return b == std::floor(b) && std::abs(b) < 1e15 ? fmt::format("{:.0f}", b)
                                                        : fmt::format("{:.6g}", b);
    };
    if (!(value >= low && value <= high))
        throw UsageError(fmt::format("generate {}: {} = {} is out of range; expected {} to {}",
                                     family_.name, name, value, bound(low), bound(high)));
    return value;
}

std::int64_t Parameters::integer(std::string_view name, std::int64_t low, std::int64_t high) const {
    const double value = real(name, static_cast<double>(low), static_cast<double>(high));
    if (value != std::floor(value))
        throw UsageError(
            fmt::format("generate {}: {} = {} is not a whole number", family_.name, name, value));
    return static_cast<std::int64_t>(value);
}

index_t Parameters::cols(std::int64_t fallback) const {
    const std::int64_t cols = integer("cols", 0, kMaxDimension);
    return static_cast<index_t>(cols ? cols : std::max<std::int64_t>(1, fallback));
}

void Parameters::not_both(std::string_view name, std::string_view other) const {
    if (given(name) && given(other))
        throw UsageError(
            fmt::format("generate {}: give {} or {}, not both; one follows from the "
                        "other",
                        family_.name, name, other));
}

std::span<const Family> families() {
    static const std::vector<Family> all = [] {
        std::vector<Family> list;
        for (const auto& maker : makers()) list.push_back(maker.family);
        return list;
    }();
    return all;
}

std::int64_t expected_nnz(const GenerateRequest& request) {
    return make_source(request)->bound();
}

template <class T, class P>
Csr<T, P> generate(const GenerateRequest& request) {
    const auto source = make_source(request);
    const auto rows = static_cast<std::size_t>(source->rows);
    Csr<T, P> a{source->rows, source->cols, Buffer<P>(rows + 1), {}, {}};
    for_each_row(*source, [&](index_t row, std::vector<index_t>& scratch) {
        a.row_ptr[static_cast<std::size_t>(row) + 1] = static_cast<P>(source->count(row, scratch));
    });
    a.row_ptr[0] = 0;
    std::int64_t nnz = 0;
    for (std::size_t i = 1; i <= rows; ++i) {
        nnz += a.row_ptr[i];
        if (nnz > std::numeric_limits<P>::max())
            throw UsageError(fmt::format(
                "generate {}: more than {} nonzeros need 64-bit row pointers; ask for fewer rows "
                "or entries",
                request.family, std::numeric_limits<P>::max()));
        a.row_ptr[i] = static_cast<P>(nnz);
    }
    require_memory("generate " + request.family,
                   static_cast<std::uint64_t>(nnz) * (sizeof(index_t) + sizeof(T)));
    a.col_idx = Buffer<index_t>(static_cast<std::size_t>(nnz));
    a.values = Buffer<T>(static_cast<std::size_t>(nnz));
    for_each_row(*source, [&](index_t row, std::vector<index_t>& scratch) {
        scratch.clear();
        source->columns(row, scratch);
        const auto begin = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
        std::ranges::copy(scratch, a.col_idx.data() + begin);
        fill_values(*source, row, scratch, a.values.data() + begin);
    });
    return a;
}

#define SPTUNE_INSTANTIATE(T, P) template Csr<T, P> generate(const GenerateRequest&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
