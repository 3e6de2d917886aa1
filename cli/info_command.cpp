// sptune info
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_variants.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sweep_request.hpp"
#include "cli/table.hpp"
#include "db/codec.hpp"
#include "db/databases.hpp"
#include "db/provenance.hpp"
#include "kernels/cuda_probe.hpp"
#include "kernels/registry.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"
#include "tuner/sweep.hpp"
#include "tuner/thread_start.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

struct FormatCount {
    std::string format;
    int kernels = 0;
};

/// How many kernels there are of each format, of products of each format and algorithm, in the
/// order in which the formats first come.
std::vector<FormatCount> counts_of(const db::Device& device, Op op) {
    const Backend backend = device.backend == "cuda" ? Backend::cuda : Backend::cpu;
    std::vector<FormatCount> counts;
    for (const Variant& v : variants_of(op, backend, ValueType::f64, IndexType::i32)) {
        const std::string name = op == Op::spmv ? v.format : v.format + "." + v.algorithm;
        auto known = std::ranges::find(counts, name, &FormatCount::format);
        if (known == counts.end()) known = counts.insert(known, {name});
        ++known->kernels;
    }
    return counts;
}

/// The ids that match, of all that this build can run here. Throws UsageError where none does.
std::vector<std::string> matching_ids(const std::string& glob) {
    std::vector<std::string> found;
    for (const Op op : {Op::spmv, Op::spgemm})
        for (const ValueType value : {ValueType::f32, ValueType::f64})
            for (std::string& id :
                 kernel_ids(op, backends_of(cuda_usable() ? "all" : "cpu"), value))
                if (matches(id, glob)) found.push_back(std::move(id));
    if (found.empty())
        throw UsageError(fmt::format("--kernels: no kernel of this build matches \"{}\"", glob));
    return found;
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
                   const std::vector<db::Place>& places, const std::vector<std::string>& ids) {
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
                counts[format.format] = format.kernels;
        }
    }
    Json document{{"schema", "sptune.info/1"},
                  {"version", db::version()},
                  {"compiler", db::compiler()},
                  {"devices", std::move(list)},
                  {"backends",
                   {{"cpu", "available"},
                    {"cuda", cuda_status()},
                    {"mkl", mkl_status()},
                    {"cusparse", cusparse_status()}}},
                  {"variants", std::move(variants)},
                  {"db", places.front().path.string()},
                  {"databases", std::move(databases)}};
    if (!ids.empty()) document["kernels"] = ids;
    return document;
}

std::string cpu_facts(const db::Device& device, const Style& style) {
    Table facts({{"", Align::left}, {"", Align::left}});
    facts.add({"CPU", device.name});
    facts.add({"threads", std::to_string(device.threads)});
    if (const double us = tuner::thread_start_us(device.threads); us > 0)
        facts.add({"all start in", significant(us) + " µs at the moment"});
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
    facts.add({"empty launch", fmt::format("{} µs in a graph, {} µs in a program's loop",
                                           significant(device.launch_us),
                                           significant(device.host_launch_us.value_or(0)))});
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
        kernels.add({format.format, std::to_string(format.kernels)});
        total += format.kernels;
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
    std::string out = style(Tone::bold, "sptune " + db::version()) + ", " + db::compiler() + "\n" +
                      facts.render(style);
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
    std::string json, mkl, db_path, glob;
    int threads = 0;
    Options options("info", "",
                    "Shows the devices, their measured bandwidth and the kernels of this build.");
    options.integer("threads", "N", threads, 0, 4096, "threads to measure with (0: all)")
        .text("kernels", "GLOB", glob,
              "list the ids of the kernels that match instead, one a line: '*', 'spgemm.*', "
              "'*.sell.*.f64.*'")
        .text("mkl", "PATH", mkl, "MKL's libmkl_rt.so.N or its folder")
        .text("db", "PATH", db_path, kDatabasesHelp)
        .text("json", "FILE|-", json, "write all of it as JSON; - prints it alone on stdout")
        .example("sptune info")
        .example("sptune info --kernels 'spmv.cpu.*.f64.i32' | wc -l")
        .example("sptune info --json - | jq '.devices[0].bandwidth_gbs'");
    if (!options.parse(args)) return kOk;
    require_outputs({{"--json", json}}, files_read({}, db_path));
    if (!mkl.empty()) set_mkl_path(mkl);
    std::vector<std::string> ids;
    if (!glob.empty()) ids = matching_ids(glob);
    if (!glob.empty() && json != "-") write_text("-", fmt::format("{}\n", fmt::join(ids, "\n")));
    if (!glob.empty() && json.empty()) return kOk;  // nothing has to be measured

    const std::vector<db::Place> places = db::places(db_path);
    const auto devices = all_devices(threads);
    if (!json.empty()) write_json(json, info_document(devices, places, ids));
    if (glob.empty() && json != "-") write_text("-", info_text(devices, places));
    return kOk;
}

}  // namespace sptune::cli
