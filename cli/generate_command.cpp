// sptune generate FAMILY … -o FILE
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_output.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "cli/table.hpp"
#include "matrix/error.hpp"
#include "matrix/generate.hpp"
#include "matrix/memory.hpp"
#include "matrix/number.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

constexpr double kAnyNumber = std::numeric_limits<double>::max();

const Family& find_family(const std::string& name) {
    std::vector<std::string> names;
    for (const Family& family : families()) {
        if (family.name == name) return family;
        names.emplace_back(family.name);
    }
    throw UsageError(fmt::format("there is no family \"{}\"{}", name, did_you_mean(name, names)));
}

std::string family_list() {
    Table table({{"", Align::left}, {"", Align::left}});
    for (const Family& family : families())
        table.add({std::string(family.name), std::string(family.help)});
    return "Families:\n" + table.render(Style()) +
           "\n`sptune generate FAMILY --help` shows the parameters of a family.";
}

template <class T, class P>
void make(const GenerateRequest& request, const std::string& path) {
    const Stopwatch watch;
    const Csr<T, P> matrix = generate<T, P>(request);
    std::string recipe = "sptune generate " + request.family;
    for (const auto& [name, value] : request.parameters)
        recipe += fmt::format(" --{} {}", name, value);
    recipe += fmt::format(" --seed {}", request.seed);
    write_matrix(path, matrix.view(), {.comment = recipe, .threads = 0});
    warn(written_summary(path, matrix.rows, matrix.cols, matrix.nnz(), watch.seconds()));
}

/// Generating takes minutes before memory runs out. What is expected is an upper bound.
template <class T>
void require_room(const GenerateRequest& request) {
    const double entries = static_cast<double>(expected_nnz(request));
    const auto given = request.parameters.find("rows");
    const double rows = given == request.parameters.end() ? 0 : given->second;
    const double bytes = entries * (sizeof(T) + sizeof(index_t)) + rows * sizeof(index_t);
    if (const auto room = static_cast<double>(available_memory()); bytes > 2 * room)
        throw UsageError(fmt::format(
            "up to {:.3g} entries{} take {}, and there are {} of memory; make it smaller", entries,
            rows > entries ? fmt::format(" in {:.3g} rows", rows) : "", byte_count(bytes),
            byte_count(room)));
}

template <class T>
void make(const GenerateRequest& request, const std::string& path) {
    require_room<T>(request);
    if (expected_nnz(request) > std::numeric_limits<std::int32_t>::max())
        make<T, std::int64_t>(request, path);
    else
        make<T, std::int32_t>(request, path);
}

}  // namespace

bool is_family(const std::string& name) {
    return std::ranges::any_of(families(), [&](const Family& f) { return f.name == name; });
}

int run_generate(const std::vector<std::string>& args) {
    if (args.empty() || args[0].starts_with("-")) {
        std::vector<std::string> none;
        Options options("generate", "FAMILY [--PARAMETER N]... -o FILE",
                        "Makes a synthetic matrix; the same on every machine for the same seed.");
        options.example("sptune generate stencil-2d-5 --help").note(family_list());
        if (!options.operands(none, 1, 1).parse(args)) return kOk;
    }

    const Family& family = find_family(args[0]);
    GenerateRequest request{.family = args[0], .parameters = {}, .seed = 1};
    std::string path, precision = "f64";
    std::map<std::string, std::optional<double>> given;
    Options options("generate " + args[0], "-o FILE", std::string(family.help));
    for (const auto list : {family.parameters, change_parameters()})
        for (const FamilyParameter& parameter : list) {
            const std::string name(parameter.name);
            options.number(name, "N", given[name], -kAnyNumber, kAnyNumber,
                           fmt::format("{} ({})", parameter.help, parameter.fallback));
        }
    options.integer("seed", "S", request.seed, "of the random numbers (1)")
        .choice("precision", {"f32", "f64"}, precision, "type of the values (f64)")
        .text("output,o", "FILE", path, "where to; .mtx, .mtx.gz or .spt (sptune's own binary)")
        .example(fmt::format("sptune generate {} --seed 7 -o {}.mtx", family.name, family.name));
    if (!options.parse({args.begin() + 1, args.end()})) return kOk;
    for (const auto& [name, value] : given)
        if (value) request.parameters[name] = *value;
    if (path.empty()) throw UsageError("-o FILE is missing: where shall the matrix go?");
    plain_format(path);  // refuses an unknown ending before the work
    require_outputs({{"-o", path}}, {});

    if (precision == "f32")
        make<float>(request, path);
    else
        make<double>(request, path);
    return kOk;
}

}  // namespace sptune::cli
