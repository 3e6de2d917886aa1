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
#include "db/databases.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "kernels/spgemm/registry.hpp"
#include "tuner/sweep.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The CPU, and the GPU where there is one.
std::vector<const db::Device*> all_devices(int threads) {
    std::vector<const db::Device*> devices{&tuner::device_of(Backend::cpu, threads)};
    if (cuda_usable()) devices.push_back(&tuner::device_of(Backend::cuda, threads));
    return devices;
}

std::vector<FormatCount> counts_of(const db::Device& device, Op op) {
    const Backend backend = device.backend == "cuda" ? Backend::cuda : Backend::cpu;
    return op == Op::spmv ? count_variants(backend, ValueType::f64, IndexType::i32)
                          : count_spgemm_variants(backend, ValueType::f64, IndexType::i32);
}

/// What there is at a place.
std::string state_of(const db::Place& place) {
    std::error_code error;
    const auto type = std::filesystem::status(place.path, error).type();
    return type == std::filesystem::file_type::not_found   ? "nothing there"
           : type == std::filesystem::file_type::regular   ? "exported file"
           : type == std::filesystem::file_type::directory ? "folder"
                                                           : "not readable";
}

Json info_document(const std::vector<const db::Device*>& devices,
                   const std::vector<db::Place>& places) {
    Json databases = Json::array();
    for (const db::Place& place : places)
        databases.push_back({{"owner", db::to_string(place.owner)},
                             {"path", place.path.string()},
                             {"state", state_of(place)}});
    Json list = Json::array(), variants = Json::object();
    for (const db::Device* device : devices) {
        list.push_back(db::to_json(*device));
        for (const Op op : {Op::spmv, Op::spgemm}) {
            Json& counts = variants[std::string(to_string(op))][device->backend] = Json::object();
            for (const FormatCount& format : counts_of(*device, op))
                counts[format.format] = format.variants;
        }
    }
    return {{"schema", "sptune.info/1"},
            {"version", version()},
            {"compiler", compiler()},
            {"devices", std::move(list)},
            {"backends",
             {{"cpu", "available"},
              {"cuda", cuda_status()},
              {"mkl", mkl_status()},
              {"cusparse", cusparse_status()}}},
            {"variants", std::move(variants)},
            {"db", places.front().path.string()},
            {"databases", std::move(databases)}};
}

std::string cpu_facts(const db::Device& device, const Style& style) {
    Table facts({{"", Align::left}, {"", Align::left}});
    facts.add({"CPU", device.name});
    facts.add({"threads", std::to_string(device.threads)});
    facts.add({"SIMD", device.simd});
    facts.add({"last-level cache", byte_count(static_cast<double>(device.llc_bytes))});
    facts.add({"memory bandwidth", significant(device.bandwidth_gbs) + " GB/s read"});
    return facts.render(style);
}

std::string gpu_facts(const db::Device& device, const Style& style) {
    Table facts({{"", Align::left}, {"", Align::left}});
    facts.add({"GPU", device.name + ", " + device.simd});
    facts.add({"multiprocessors", std::to_string(device.threads)});
    facts.add({"memory", byte_count(static_cast<double>(device.memory_bytes))});
    facts.add({"L2 cache", byte_count(static_cast<double>(device.llc_bytes))});
    facts.add({"memory bandwidth",
               fmt::format("{} GB/s read, {} GB/s copied", significant(device.bandwidth_gbs),
                           significant(device.copy_gbs))});
    facts.add({"empty launch", significant(device.launch_us) + " µs, in a graph"});
    return facts.render(style);
}

std::string bandwidth_bars(const db::Device& device, const Style& style) {
    Table bandwidth({{"working set"}, {"GB/s"}, {"", Align::left}});
    double most = 0;
    for (const db::BandwidthPoint& point : device.bandwidth_curve) most = std::max(most, point.gbs);
    for (const db::BandwidthPoint& point : device.bandwidth_curve) {
        std::string bar;
        for (int i = 0; i < static_cast<int>(40 * point.gbs / most + 0.5); ++i) bar += "▆";
        bandwidth.add({byte_count(static_cast<double>(point.bytes)), significant(point.gbs), bar});
    }
    return bandwidth.render(style);
}

std::string kernel_counts(const db::Device& device, Op op, const Style& style) {
    Table kernels({{"format", Align::left}, {"kernels"}});
    int total = 0;
    for (const FormatCount& format : counts_of(device, op)) {
        kernels.add({format.format, std::to_string(format.variants)});
        total += format.variants;
    }
    kernels.add({"all", std::to_string(total)}, Tone::bold);
    return kernels.render(style);
}

std::string info_text(const std::vector<const db::Device*>& devices,
                      const std::vector<db::Place>& places) {
    const Style style(stdout);
    Table facts({{"", Align::left}, {"", Align::left}});
    facts.add({"CUDA", cuda_status()});
    facts.add({"cuSPARSE", cusparse_status()});
    facts.add({"MKL", mkl_status()});
    for (const db::Place& place : places)
        facts.add({&place == &places.front() ? "databases" : "then",
                   fmt::format("{} ({}; {})", place.path.string(), db::to_string(place.owner),
                               state_of(place))});
    std::string out =
        style(Tone::bold, "sptune " + version()) + ", " + compiler() + "\n" + facts.render(style);
    for (const db::Device* device : devices) {
        const bool gpu = device->backend == "cuda";
        out +=
            "\n" + (gpu ? gpu_facts(*device, style) : cpu_facts(*device, style)) + "\n" +
            style(Tone::bold, "Measured read bandwidth") + "\n" + bandwidth_bars(*device, style) +
            "\n" +
            style(Tone::bold, std::string("SpMV kernels, ") + (gpu ? "GPU" : "CPU") + ", f64") +
            "\n" + kernel_counts(*device, Op::spmv, style) + "\n" +
            style(Tone::bold, std::string("SpGEMM kernels, ") + (gpu ? "GPU" : "CPU") + ", f64") +
            "\n" + kernel_counts(*device, Op::spgemm, style);
    }
    return out;
}

}  // namespace

int run_info(const std::vector<std::string>& args) {
    std::string json, mkl, db_path;
    int threads = 0;
    Options options("info", "",
                    "Shows the devices, their measured bandwidth and the kernels of this build.");
    options.integer("threads", "N", threads, 0, 4096, "threads to measure with (0: all)")
        .text("mkl", "PATH", mkl, "libmkl_rt.so.2 or its folder")
        .text("db", "PATH", db_path, kDatabasesHelp)
        .text("json", "FILE|-", json, "write the same as JSON; - prints it alone on stdout")
        .example("sptune info")
        .example("sptune info --json - | jq '.devices[0].bandwidth_gbs'");
    if (!options.parse(args)) return kOk;
    if (!mkl.empty()) set_mkl_path(mkl);
    const std::vector<db::Place> places = db::places(db_path);
    const auto devices = all_devices(threads);
    if (!json.empty()) write_json(json, info_document(devices, places));
    if (json != "-") write_text("-", info_text(devices, places));
    return kOk;
}

}  // namespace sptune::cli
