// sptune select MATRIX
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_variants.hpp"
#include "cli/matrix_input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/steady_choice.hpp"
#include "cli/sweep_request.hpp"
#include "cli/table.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "tuner/default_models.hpp"
#include "tuner/mode.hpp"
#include "tuner/select.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Request {
    std::vector<std::string> files;
    std::string backend = "auto", precision = "f64", db, mkl, model, json, validate;
    bool no_db = false, deterministic = false, in_graphs = false;
    double calls = 0, memory_mib = -1, convert_ms = -1, error = -1;
    int threads = 0;
    std::string variants = "*";
};

bool parse(const std::vector<std::string>& args, Request& r) {
    Options options("select", "MATRIX",
                    "Says which kernel the library would choose for a matrix, and why. Nothing is "
                    "measured but how long threads take to start, on a GPU launches: a stored "
                    "measurement of this matrix on this device decides; else, on a GPU, small "
                    "matrices get the safe kernel where a loop would wait for the launch of any, "
                    "or where a row is so long that it lies in tiles (plans that try kernels ask "
                    "a model there); else a model decides, else a heuristic.");
    options.operands(r.files, 1, 1)
        .number("calls", "N", r.calls, 1, 1e15,
                "how often the matrix will be applied (default: unknown)")
        .choice("backend", {"auto", "cpu", "cuda"}, r.backend,
                "where to run (auto: the GPU where there is one, else the CPU)")
        .choice("precision", {"f32", "f64"}, r.precision, "type of the values (f64)")
        .integer("threads", "N", r.threads, 0, 4096, "threads to use (0: all)")
        .flag("deterministic", r.deterministic, "only kernels whose repeats are bit-identical")
        .flag("in-graphs", r.in_graphs,
              "on a GPU: for calls that are recorded in CUDA graphs, which wait for no launch")
        .number("memory", "MIB", r.memory_mib, 0, 1e9,
                "most memory for a converted matrix, beside the CSR")
        .number("convert", "MS", r.convert_ms, 0, 1e12, "longest conversion")
        .number("error", "BOUND", r.error, 0, 1,
                "largest error of a row of A x, relative to |A||x|, that has to be kept")
        .text("variants", "GLOB", r.variants,
              "only kernels whose id matches; `sptune info --kernels '*'` lists them")
        .text("mkl", "PATH", r.mkl,
              "MKL's libmkl_rt.so.N or its folder, to have Intel MKL to choose")
        .text("model", "FILE", r.model,
              "a model of `sptune train`, asked before the one that comes with sptune "
              "($SPTUNE_MODEL)")
        .text("db", "PATH", r.db, kDatabasesHelp)
        .flag("no-db", r.no_db, "do not look into the database")
        .choice("validate", {"strict", "warn", "ignore"}, r.validate, kValidateHelp)
        .text("json", "FILE|-", r.json, "write the answer as JSON; - prints it alone on stdout")
        .example("sptune select matrix.mtx --calls 500")
        .example("sptune select matrix.mtx --no-db --model model.sptm")
        .example("sptune select matrix.mtx --deterministic --memory 100 --json - | jq -r .id");
    if (!options.parse(args)) return false;
    if (r.no_db && !r.db.empty()) throw UsageError("--no-db and --db exclude each other");
    return true;
}

tuner::SelectOptions options_of(const Request& r) {
    tuner::SelectOptions o;
    o.calls = r.calls;
    o.threads = r.threads;
    o.validate = tuner::parse_validate(r.validate);
    o.constraints.deterministic = r.deterministic;
    o.in_graphs = r.in_graphs;
    o.constraints.variants = r.variants;
    if (r.memory_mib >= 0)
        o.constraints.memory_bytes = static_cast<std::uint64_t>(r.memory_mib * (1 << 20));
    if (r.convert_ms >= 0) o.constraints.convert_us = r.convert_ms * 1e3;
    if (r.error >= 0) o.constraints.error = r.error;
    return o;
}

Json document(const tuner::Selection& s, Json matrix) {
    Json runners = Json::array();
    for (const tuner::Ranked& r : s.runners_up)
        runners.push_back({{"id", r.id}, {"predicted_us", r.predicted_us}});
    return {{"schema", "sptune.select/1"},
            {"matrix", std::move(matrix)},
            {"id", s.chosen.id},
            {"source", to_string(s.source)},
            {"predicted_us", s.chosen.predicted_us},
            {"confidence", s.confidence},
            {"break_even_calls", s.break_even_calls < 0 ? Json(nullptr) : Json(s.break_even_calls)},
            {"runners_up", std::move(runners)},
            {"select_us", s.select_us},
            {"why", s.why}};
}

std::string report(const SteadyChoice& choice, const Style& style) {
    const tuner::Selection& s = choice.selection;
    Table table({{"", Align::left},
                 {"time", Align::right},
                 {"convert", Align::right},
                 {"\u00d7 CSR", Align::right}});
    const auto add = [&](const tuner::Ranked& r) {
        table.add({r.id, r.predicted_us > 0 ? duration_us(r.predicted_us) : "-",
                   r.convert_us > 0 ? duration_us(r.convert_us) : "-",
                   r.predicted_us > 0 ? factor(s.baseline.predicted_us / r.predicted_us) : "-"});
    };
    bool with_baseline = s.chosen.id == s.baseline.id;
    add(s.chosen);
    for (const tuner::Ranked& r : s.runners_up) {
        add(r);
        with_baseline |= r.id == s.baseline.id;
    }
    if (!with_baseline) add(s.baseline);
    return fmt::format("{}\n\n{}\n{}\nchosen in {} ({} the first time); {}\n",
                       style(Tone::bold, s.chosen.id), table.render(style), wrap(s.why, 100, 0),
                       duration_us(s.select_us), duration_us(choice.first_us),
                       s.other_values ? "times are reckoned from those of other values"
                       : s.source == tuner::Source::exact ? "times are measured ones"
                       : s.chosen.predicted_us > 0        ? "times are predictions"
                                                          : "nothing is known of its time");
}

}  // namespace

int run_select(const std::vector<std::string>& args) {
    Request request;
    if (!parse(args, request)) return kOk;
    require_outputs({{"--json", request.json}},
                    files_read(request.files, request.db, request.model));
    const tuner::Mode mode = tuner::mode();
    const Backend backend = backends_of(request.backend).front();
    if (request.in_graphs && backend == Backend::cpu)
        throw UsageError(
            "--in-graphs: CUDA graphs run on a GPU, and this choice is for the CPU; leave it out, "
            "or choose with --backend cuda where there is a GPU");
    use_mkl(request.mkl);
    require_db(request.db);
    tuner::SelectOptions options = options_of(request);
    const bool off = mode == tuner::Mode::off;
    options.models = off ? std::vector<const models::Predictor*>()
                         : tuner::default_models(backend, request.model);
    if (!off && !request.no_db) options.databases = open_databases(request.db);
    const std::string& path = request.files[0];
    return with_matrix(
        path, {parse_precision(request.precision), request.threads},
        [&]<class T, class P>(const Csr<T, P>& matrix) {
            if (off)
                options.constraints.variants =
                    spmv_baseline_id(backend, value_type_of<T>(), index_type_of<P>());
            SteadyChoice choice = steady_choice(matrix.view(), backend, options);
            const tuner::Selection& chosen = choice.selection;
            if (off)
                choice.selection.why =
                    fmt::format("SPTUNE_MODE is off: plain CSR, {}.", chosen.chosen.id);
            if (mode == tuner::Mode::tune && options.databases &&
                chosen.source != tuner::Source::exact)
                warn(
                    "SPTUNE_MODE is tune: a program would measure this matrix first, as `sptune "
                    "profile` does");
            if (!request.json.empty()) {
                const std::uint64_t print = fingerprint(matrix.view(), request.threads);
                write_json(
                    request.json,
                    document(choice.selection, {{"name", matrix_name(path)},
                                                {"path", path},
                                                {"rows", matrix.rows},
                                                {"cols", matrix.cols},
                                                {"nnz", matrix.nnz()},
                                                {"fingerprint", fmt::format("{:016x}", print)}}));
            }
            if (request.json != "-") write_text("-", report(choice, Style(stdout)));
            return kOk;
        });
}

}  // namespace sptune::cli
