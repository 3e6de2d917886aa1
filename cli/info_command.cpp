// sptune info
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/number.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "cli/version.hpp"
#include "db/codec.hpp"
#include "db/store.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "tuner/bandwidth.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<FormatCount> cpu_counts() {
    return count_variants(Backend::cpu, ValueType::f64, IndexType::i32);
}

Json info_document(const db::Device& device, const std::string& db_path) {
    Json variants = Json::object();
    for (const FormatCount& format : cpu_counts()) variants[format.format] = format.variants;
    return {{"schema", "sptune.info/1"},
            {"version", version()},
            {"compiler", compiler()},
            {"devices", Json::array({db::to_json(device)})},
            {"backends",
             {{"cpu", "available"},
              {"cuda", cuda_status()},
              {"mkl", mkl_status()},
              {"cusparse", cusparse_status()}}},
            {"variants", {{"spmv", {{"cpu", std::move(variants)}}}}},
            {"db", db_path}};
}

std::string info_text(const db::Device& device, const std::string& db_path) {
    const Style style(stdout);
    Table facts({{"", Align::left}, {"", Align::left}});
    facts.add({"CPU", device.name});
    facts.add({"threads", std::to_string(device.threads)});
    facts.add({"SIMD", device.simd});
    facts.add({"last-level cache", byte_count(static_cast<double>(device.llc_bytes))});
    facts.add({"memory bandwidth", significant(device.bandwidth_gbs) + " GB/s read"});
    facts.add({"CUDA", cuda_status()});
    facts.add({"MKL", mkl_status()});
    facts.add({"cuSPARSE", cusparse_status()});
    facts.add({"database", db_path});

    Table bandwidth({{"working set"}, {"GB/s"}, {"", Align::left}});
    double most = 0;
    for (const db::BandwidthPoint& point : device.bandwidth_curve) most = std::max(most, point.gbs);
    for (const db::BandwidthPoint& point : device.bandwidth_curve) {
        std::string bar;
        for (int i = 0; i < static_cast<int>(40 * point.gbs / most + 0.5); ++i) bar += "▆";
        bandwidth.add({byte_count(static_cast<double>(point.bytes)), significant(point.gbs), bar});
    }

    Table kernels({{"format", Align::left}, {"kernels"}});
    int total = 0;
    for (const FormatCount& format : cpu_counts()) {
        kernels.add({format.format, std::to_string(format.variants)});
        total += format.variants;
    }
    kernels.add({"all", std::to_string(total)}, Tone::bold);

    return fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}", style(Tone::bold, "sptune " + version()) + ", " + compiler(),
        facts.render(style), style(Tone::bold, "Measured read bandwidth"), bandwidth.render(style),
        style(Tone::bold, "SpMV kernels, CPU, f64"), kernels.render(style));
}

}  // namespace

int run_info(const std::vector<std::string>& args) {
    std::string json, mkl, db_path;
    int threads = 0;
    Options options("info", "",
                    "Shows the devices, their measured bandwidth and the kernels of this build.");
    options.integer("threads", "N", threads, 0, 4096, "threads to measure with (0: all)")
        .text("mkl", "PATH", mkl, "libmkl_rt.so.2 or its folder")
        .text("db", "PATH", db_path, kDbHelp)
        .text("json", "FILE|-", json, "write the same as JSON; - prints it alone on stdout")
        .example("sptune info")
        .example("sptune info --json - | jq '.devices[0].bandwidth_gbs'");
    if (!options.parse(args)) return kOk;
    if (!mkl.empty()) set_mkl_path(mkl);
    if (db_path.empty()) db_path = db::default_path().string();
    const db::Device& device = tuner::cpu_device(threads);
    if (!json.empty()) write_json(json, info_document(device, db_path));
    if (json != "-") write_text("-", info_text(device, db_path));
    return kOk;
}

}  // namespace sptune::cli
