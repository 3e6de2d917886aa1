// sptune spgemm A [B]
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_variants.hpp"
#include "cli/matrix_input.hpp"
#include "cli/matrix_output.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/overflow.hpp"
#include "cli/product_pair.hpp"
#include "cli/spgemm_blocks.hpp"
#include "cli/spgemm_request.hpp"
#include "cli/stopwatch.hpp"
#include "cli/sweep_request.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "tuner/default_models.hpp"
#include "tuner/mode.hpp"
#include "tuner/multiply.hpp"
#include "tuner/select_product.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

/// `b` is what A is multiplied by: transposed already where that was asked for.
template <class T, class P>
void require_fit(const SpgemmRequest& r, CsrView<T, P> a, CsrView<T, P> b) {
    if (a.cols == b.rows) return;
    const bool would_fit = a.cols == b.cols;
    std::string remedy = "the columns of A must be as many as the rows of B";
    if (would_fit)
        remedy += r.transpose_b ? "; they are without --transpose-b"
                                : "; they would be with --transpose-b, which multiplies by Bᵀ";
    throw InputError(
        r.b(), 0,
        fmt::format("cannot be multiplied: {} and {}{}; {}", size_text(r.a(), a.rows, a.cols),
                    size_text(r.b(), b.rows, b.cols), r.transpose_b ? " transposed" : "", remedy));
}

template <class T, class P>
tuner::ProductSelection choose(const SpgemmRequest& r, const std::string& variant,
                               const ProductFeatures& product, Backend backend) {
    if (!variant.empty()) return {variant, "asked for"};
    if (tuner::mode() == tuner::Mode::off) return tuner::default_product<T, P>(product, backend);
    const auto databases = open_databases(r.db);
    return tuner::select_product<T, P>(product, backend, databases.get(),
                                       tuner::default_product_model, r.threads,
                                       tuner::parse_validate(r.validate));
}

/// Names the database, unless it is the user's.
std::string source_text(const tuner::ProductSelection& choice) {
    using Owner = db::Place::Owner;
    const bool foreign =
        choice.place.owner == Owner::system || choice.place.owner == Owner::built_in;
    return foreign ? fmt::format("{} {}", choice.source, choice.place.path.string())
                   : choice.source;
}

nlohmann::ordered_json size_json(const std::string& path, std::int64_t rows, std::int64_t cols,
                                 std::int64_t nnz) {
    return {{"path", path}, {"rows", rows}, {"cols", cols}, {"nnz", nnz}};
}

template <class T, class P>
void report(const SpgemmRequest& r, CsrView<T, P> a, CsrView<T, P> b,
            const tuner::ProductSelection& choice, const ProductFeatures& product,
            const tuner::Multiplied<T, P>& done) {
    const CsrView<T, P> c = done.c.view();
    const auto nnz = static_cast<std::int64_t>(c.nnz());
    const double compression =
        nnz ? static_cast<double>(product.products) / static_cast<double>(nnz) : 1;
    const double gflops = 2e-3 * static_cast<double>(product.products) / done.multiply_us;
    if (!r.json.empty())
        write_json(r.json, {{"schema", "sptune.spgemm/1"},
                            {"a", size_json(r.a(), a.rows, a.cols, a.nnz())},
                            {"b", size_json(r.b(), b.rows, b.cols, b.nnz())},
                            {"b_transposed", r.transpose_b},
                            {"c", size_json(r.output, c.rows, c.cols, nnz)},
                            {"precision", to_string(value_type_of<T>())},
                            {"index", to_string(index_type_of<P>())},
                            {"id", choice.id},
                            {"source", choice.source},
                            {"products", product.products},
                            {"compression", compression},
                            {"convert_us", done.convert_us},
                            {"time_us", done.multiply_us},
                            {"gflops", gflops}});
    if (r.json == "-") return;
    const std::string origin =
        nnz ? fmt::format(", from {} ({} each)",
                          with_noun(count(static_cast<std::int64_t>(product.products)), "product"),
                          significant(compression))
            : "";
    std::string text = fmt::format(
        "C is {} × {} with {}{}\n{} ({}) took {}, {} GFLOP/s, with the allocation of C{}\n",
        count(c.rows), count(c.cols), with_noun(count(nnz), "nonzero"), origin, choice.id,
        source_text(choice), duration_us(done.multiply_us), significant(gflops),
        done.convert_us > 0 ? " and without a conversion of " + duration_us(done.convert_us) : "");
    write_text("-", text);
}

template <class T, class P>
int multiply(const SpgemmRequest& r, CsrView<T, P> a, CsrView<T, P> b, const std::string& variant) {
    const Backend backend = backends_of(r.backend).front();
    // On the host, where A and B are, whatever multiplies them.
    const ProductFeatures product = tuner::features_of_pair(a, b, Backend::cpu, r.threads);
    const tuner::ProductSelection choice = choose<T, P>(r, variant, product, backend);
    if (!choice.changed.empty())
        warn(fmt::format("the stored times of this product were measured with {}: they {}",
                         choice.changed, fate_of_stored(choice.source == "database")));
    SpgemmOptions options;
    options.sorted = !r.unsorted;
    options.drop_zeros = r.drop_zeros;
    options.asked_for = !variant.empty();
    // A kernel that was asked for is that one or an error.
    const auto done =
        variant.empty()
            ? tuner::multiply_selected(a, b, product, backend, choice, options, r.threads)
            : tuner::multiply(a, b, product, backend, choice.id, options, r.threads);
    if (variant.empty() && !done.selection.complete)
        warn(
            fmt::format("the sweep of this product was stopped early or left kernels out, which "
                        "`sptune profile {} --op spgemm` makes up for",
                        r.a()));
    if (!done.passed_over.empty()) warn("passed over: " + done.passed_over);
    warn_of_overflow(done.c.values);
    if (!r.output.empty()) {
        const Stopwatch watch;
        write_matrix(r.output, done.c.view(), {"product made by sptune", r.threads});
        warn(written_summary(r.output, done.c.rows, done.c.cols, done.c.nnz(), watch.seconds()));
    }
    report(r, a, b, variant.empty() ? done.selection : choice, product, done);
    return kOk;
}

/// "….i32" of a kernel asked for, with 64-bit row pointers.
std::string widened(std::string id) {
    if (id.ends_with(".i32")) id.replace(id.size() - 2, 2, "64");
    return id;
}

/// Row pointers of 64 bits where C turns out to need them.
template <class T, class P>
int multiply_any(const SpgemmRequest& r, CsrView<T, P> a, CsrView<T, P> b) {
    require_fit(r, a, b);
    try {
        return multiply(r, a, b, r.variant);
    } catch (const SizeOverflow& e) {
        if constexpr (std::is_same_v<P, std::int64_t>) {
            throw;
        } else {
            warn(fmt::format("{}: multiplying again with 64-bit row pointers", e.what()));
            return with_wide_pointers(a, b, [&](auto wide_a, auto wide_b) {
                return multiply(r, wide_a, wide_b, widened(r.variant));
            });
        }
    }
}

template <class T, class P>
int multiply_pair(const SpgemmRequest& r, CsrView<T, P> a, CsrView<T, P> b) {
    if (!r.transpose_b) return multiply_any(r, a, b);
    const Transposed<T, P> transposed(b, r.threads);
    return multiply_any(r, a, transposed.view());
}

}  // namespace

std::string size_text(const std::string& path, std::int64_t rows, std::int64_t cols) {
    return fmt::format("{} is {} × {}", path, count(rows), count(cols));
}

int run_spgemm(const std::vector<std::string>& args) {
    SpgemmRequest r;
    Options options("spgemm", "A [B]",
                    "Multiplies two sparse matrices, C = A·B; without B, C = A·A. Uses the kernel "
                    "that `sptune profile --op spgemm` has found to be the fastest, else a good "
                    "default.");
    options.operands(r.files, 1, 2)
        .text("output,o", "FILE", r.output, "write C, as .mtx, .mtx.gz, .spt or .bsm")
        .text("variant", "ID", r.variant,
              "use this kernel; `sptune info --kernels 'spgemm.*'` lists them")
        .choice("backend", {"auto", "cpu", "cuda"}, r.backend,
                "where to run (auto: the GPU where there is one, else the CPU)")
        .choice("precision", {"f32", "f64", "u32"}, r.precision,
                "type of the values (f64; of .bsm files their own)")
        .integer("threads", "N", r.threads, 0, 4096, "threads to use (0: all)")
        .flag("transpose-b", r.transpose_b, "multiply by Bᵀ; without B, C = A·Aᵀ")
        .flag("drop-zeros", r.drop_zeros, "leave out entries whose sum is exactly 0")
        .flag("unsorted", r.unsorted, "the columns of a row of C may come in any order")
        .integer("blocks", "M", r.block_size, 2, 32,
                 "multiply in blocks of M × M (2, 4, 8, 16 or 32), as .bsm files are")
        .choice("search", {"rowwise", "two-pointers", "binary", "tiles"}, r.search,
                "of blocks: how those that meet are found (rowwise); tiles: 8 × 8 by tensor cores")
        .text("mkl", "PATH", r.mkl,
              "MKL's libmkl_rt.so.N or its folder, to multiply with Intel MKL")
        .text("db", "PATH", r.db, kDatabasesHelp)
        .choice("validate", {"strict", "warn", "ignore"}, r.validate, kValidateHelp)
        .text("json", "FILE|-", r.json, "write what was done; - prints it alone on stdout")
        .example("sptune spgemm a.mtx b.mtx -o c.mtx")
        .example("sptune spgemm tall.mtx --transpose-b")
        .example("sptune spgemm a.mtx --variant spgemm.cpu.csr.hash.p1.d16.f64.i32")
        .example("sptune spgemm a.bsm b.bsm -o c.bsm")
        .example("sptune spgemm a.mtx --blocks 8 --precision u32 -o c.mtx");
    options.note(
        "Block files (.bsm) are multiplied as they are, other matrices in blocks with --blocks M.\n"
        "u32 is for blocks of whole numbers: a sum beyond 4294967295 stays 4294967295.");
    if (!options.parse(args)) return kOk;
    // Refused before the work: an unknown ending, a place that cannot be written to.
    if (!r.output.empty() && output_format(r.output) == MatrixFormat::spt && r.unsorted)
        throw UsageError(r.output + ": .spt has rising columns; leave out --unsorted");
    require_outputs({{"-o", r.output}, {"--json", r.json}}, files_read(r.files, r.db));
    tuner::parse_validate(r.validate);  // of the environment, too
    tuner::mode();
    if (r.backend == "cuda") require_cuda();

    if (wants_blocks(r)) return multiply_in_blocks(r);
    if (r.search != SpgemmRequest().search)
        throw UsageError(
            "--search says how blocks that meet are found; add --blocks M, or drop it");
    if (!r.output.empty() && output_format(r.output) == MatrixFormat::blocks)
        throw UsageError(r.output +
                         ": only a product in blocks (--blocks, or of .bsm files, without "
                         "--transpose-b and --drop-zeros) is written as such");

    require_db(r.db);
    use_mkl(r.mkl);
    const InputOptions input{parse_precision(r.precision), r.threads};
    if (!r.variant.empty())
        require_product_kernel(r.variant, backends_of(r.backend).front(), input.value);
    return with_matrix(r.a(), input, [&]<class T, class P>(const Csr<T, P>& a) {
        if (r.files.size() == 1) return multiply_pair(r, a.view(), a.view());
        return with_matrix(r.b(), input, [&]<class U, class Q>(const Csr<U, Q>& b) -> int {
            if constexpr (!std::is_same_v<T, U>) {
                throw Error("A and B were read with different precisions");
            } else if constexpr (std::is_same_v<P, Q>) {
                return multiply_pair(r, a.view(), b.view());
            } else {
                const auto wide_a = cast_csr<T, std::int64_t>(a.view());
                const auto wide_b = cast_csr<T, std::int64_t>(b.view());
                return multiply_pair(r, wide_a.view(), wide_b.view());
            }
        });
    });
}

}  // namespace sptune::cli
