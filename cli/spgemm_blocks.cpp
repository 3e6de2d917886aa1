#include "cli/spgemm_blocks.hpp"

#include "cli/block_input.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_output.hpp"
#include "cli/output.hpp"
#include "cli/overflow.hpp"
#include "cli/stopwatch.hpp"
#include "cli/sweep_request.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "tuner/multiply_blocks.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

BlockSearch parse_search(const std::string& word) {
    return word == "two-pointers" ? BlockSearch::two_pointers
           : word == "binary"     ? BlockSearch::binary
                                  : BlockSearch::rowwise;
}

template <class V>
nlohmann::ordered_json json_of(const std::string& path, const BlockCsr<V>& a) {
    return {{"path", path}, {"rows", a.rows}, {"cols", a.cols}, {"blocks", a.blocks()}};
}

template <class V>
void require_fit(const SpgemmRequest& r, const BlockCsr<V>& a, const BlockCsr<V>& b) {
    if (a.cols != b.rows)
        throw InputError(
            r.b(), 0,
            fmt::format("cannot be multiplied: {} and {}; the columns of A must be as "
                        "many as the rows of B",
                        size_text(r.a(), a.rows, a.cols), size_text(r.b(), b.rows, b.cols)));
}

template <class V>
void report(const SpgemmRequest& r, BlockType type, Backend backend, const BlockCsr<V>& a,
            const BlockCsr<V>& b, const tuner::MultipliedBlocks<V>& done) {
    const BlockCsr<V>& c = done.c;
    const double products = tuner::block_products(a, b);
    const double gflops = done.multiply_us > 0 ? 2e-3 * products / done.multiply_us : 0;
    const std::string id =
        fmt::format("blocks.{}.{}.m{}.{}", to_string(backend), r.search, a.m, to_string(type));
    if (!r.json.empty())
        write_json(r.json, {{"schema", "sptune.spgemm-blocks/1"},
                            {"m", a.m},
                            {"precision", to_string(type)},
                            {"a", json_of(r.a(), a)},
                            {"b", json_of(r.b(), b)},
                            {"c", json_of(r.output, c)},
                            {"id", id},
                            {"products", products},
                            {"time_us", done.multiply_us},
                            {"gflops", gflops}});
    if (r.json == "-") return;
    write_text("-", fmt::format("C is {} × {} with {} of {} × {}{}, from {}\n"
                                "{} took {}, {} GFLOP/s, with the allocation of C\n",
                                count(c.rows), count(c.cols), with_noun(count(c.blocks()), "block"),
                                c.m, c.m, type == BlockType::u32 ? ", sums held at 4294967295" : "",
                                with_noun(short_count(products), "product"), id,
                                duration_us(done.multiply_us), significant(gflops)));
}

template <class V>
int multiply(const SpgemmRequest& r, BlockType type, const BlockInput& input) {
    const BlockCsr<V> a = load_blocks<V>(r.a(), input);
    std::optional<BlockCsr<V>> other;
    if (r.files.size() > 1) other = load_blocks<V>(r.b(), input);
    const BlockCsr<V>& b = other ? *other : a;
    require_fit(r, a, b);
    const Backend backend = backends_of(r.backend).front();
    const bool tiles = r.search == "tiles";
    if (tiles && backend == Backend::cpu)
        throw UsageError("--search tiles is for a GPU's tensor cores; the CPU takes the others");
    const auto done =
        tiles ? tuner::multiply_block_tiles(a, b)
              : tuner::multiply_block_matrices(a, b, backend, parse_search(r.search), r.threads);
    warn_of_overflow(done.c.values);
    if (!r.output.empty()) {
        const Stopwatch watch;
        const std::int64_t nnz =
            write_block_matrix(r.output, done.c, {"product made by sptune", r.threads});
        warn(written_summary(r.output, done.c.rows, done.c.cols, nnz, watch.seconds()));
    }
    report(r, type, backend, a, b, done);
    return kOk;
}

/// What the files and --precision agree on.
BlockType type_of(const SpgemmRequest& r) {
    std::optional<BlockType> type;
    if (!r.precision.empty()) type = parse_block_type(r.precision);
    for (const std::string& file : r.files) {
        if (!is_block_text(file)) continue;
        const BlockType here = read_block_header(file).type;
        if (type && (*type == BlockType::u32) != (here == BlockType::u32))
            throw InputError(file, 1,
                             fmt::format("its values are {}, which do not mix with {}: u32 sums "
                                         "saturate, f32 and f64 do not",
                                         to_string(here), to_string(*type)));
        // Of f32 and f64 the wider one, unless --precision says which.
        if (!type || (r.precision.empty() && here == BlockType::f64)) type = here;
    }
    return type.value_or(BlockType::f64);
}

/// The first that was given of those that products in blocks do not have.
const char* option_for_csr(const SpgemmRequest& r) {
    return !r.variant.empty() ? "--variant"
           : r.transpose_b    ? "--transpose-b"
           : r.drop_zeros     ? "--drop-zeros"
           : r.unsorted       ? "--unsorted"
                              : nullptr;
}

}  // namespace

bool wants_blocks(const SpgemmRequest& r) {
    if (r.block_size || r.precision == "u32") return true;
    const char* for_csr = option_for_csr(r);
    if (!for_csr) return std::any_of(r.files.begin(), r.files.end(), is_block_text);
    for (const std::string& file : r.files)
        if (is_block_text(file) && read_block_header(file).type == BlockType::u32)
            throw UsageError(fmt::format(
                "{} is for a product of plain CSR, whose sums do not saturate as those of {}, of "
                "u32, do; leave it out, or let `sptune convert` make {} a .mtx",
                for_csr, file, file));
    return false;
}

int multiply_in_blocks(const SpgemmRequest& r) {
    const char* idle = option_for_csr(r);
    for (const auto& [given, name] :
         {std::pair{&r.db, "--db"}, {&r.validate, "--validate"}, {&r.mkl, "--mkl"}})
        if (!idle && !given->empty()) idle = name;
    if (idle)
        throw UsageError(fmt::format(
            "{} has no meaning for a product in blocks; leave it or --blocks out", idle));
    BlockInput input{r.block_size, r.threads};
    for (const std::string& file : r.files)
        if (input.m == 0 && is_block_text(file)) {
            input.m = read_block_header(file).m;
            if (input.m < 2 || !std::has_single_bit(static_cast<unsigned>(input.m)))
                throw InputError(
                    file, 1,
                    fmt::format("has blocks of {0} × {0}, which cannot be multiplied; those of 2, "
                                "4, 8, 16 and 32 can: `sptune convert` makes a .mtx of it, which "
                                "--blocks cuts",
                                input.m));
        }
    const BlockType type = type_of(r);
    return with_block_type(type, [&]<class V>(V) { return multiply<V>(r, type, input); });
}

}  // namespace sptune::cli
