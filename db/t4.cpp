#include "db/t4.hpp"

#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/knowledge.hpp"

#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersion = "1.0.0";

/// What T4 calls a status; nullptr for what was never run.
const char* invalidity(Status status) {
    switch (status) {
        case Status::ok:
            return "correct";
        case Status::incorrect:
            return "correctness";
        case Status::illegal:
            return "constraints";
        case Status::timeout:
            return "timeout";
        case Status::crashed:
        case Status::out_of_memory:
            return "runtime";
        case Status::bounded:
        case Status::not_reached:
            break;
    }
    return nullptr;
}

Json measurement(const char* name, Json value, const char* unit) {
    return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

Json result(const Entry& e, const Candidate& c) {
    Json configuration{{"matrix", e.matrix.name},
                       {"fingerprint", fmt::format("{:016x}", e.matrix.fingerprint)},
                       {"device", e.device.key},
                       {"cache", e.cache},
                       {"precision", to_string(e.value)},
                       {"index", to_string(e.index)},
                       {"id", c.id},
                       {"op", c.op},
                       {"backend", c.backend},
                       {"format", c.format},
                       {"algorithm", c.algorithm}};
    if (had_one_value(e)) configuration["one_value"] = true;
    for (const Param& param : c.params)
        configuration["param_" + std::string(param.name)] = param.value;
    Json runtimes = Json::array(), measurements = Json::array();
    if (c.time) {
        for (const double us : c.time->samples) runtimes.push_back(us / 1e3);
        measurements = {measurement("time", c.time->median / 1e3, "ms"),
                        measurement("time_mad", c.time->mad / 1e3, "ms"),
                        measurement("conversion", c.convert_us / 1e3, "ms"),
                        measurement("GFLOP/s", c.gflops, "GFLOP/s"),
                        measurement("bandwidth", c.gbs, "GB/s")};
    }
    return {{"timestamp", e.provenance.created_utc},
            {"configuration", std::move(configuration)},
            {"objectives", {"time"}},
            {"times", {{"runtimes", std::move(runtimes)}}},
            {"invalidity", invalidity(c.status)},
            {"correctness", c.status == Status::ok ? 1 : 0},
            {"measurements", std::move(measurements)}};
}

}  // namespace

std::string export_t4_results(const Store& store) {
    Json results = Json::array();
    store.for_each([&](const std::string&, const Entry& e) {
        for (const Candidate& c : e.candidates)
            if (invalidity(c.status)) results.push_back(result(e, c));
    });
    return to_text({{"schema_version", kVersion}, {"results", std::move(results)}});
}

std::string export_t4_metadata(const Store& store) {
    std::map<std::string, Json> devices;
    std::set<std::string> requirements;
    store.for_each([&](const std::string&, const Entry& e) {
        devices[e.device.key] = to_json(e.device);
        const Provenance& p = e.provenance;
        requirements.insert("sptune " + p.sptune_version);
        for (const std::string& part : {p.compiler, p.vendor_library})
            if (!part.empty()) requirements.insert(part);
    });
    Json description = Json::array();
    for (auto& [key, device] : devices) description.push_back(std::move(device));
    return to_text(
        {{"schema_version", kVersion},
         {"metadata",
          {{"hardware",
            {{"hardware_description", std::move(description)}, {"operating_system", "Linux"}}},
           {"environment", {{"device_query", Json::object()}, {"requirements", requirements}}}}}});
}

}  // namespace sptune::db
