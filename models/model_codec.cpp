#include "models/model_codec.hpp"

#include "models/forest_codec.hpp"
#include "models/json_fields.hpp"
#include "models/network_codec.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sptune::models {

Json encode(const Variant& v) {
    Json params = Json::object();
    for (const Param& p : v.params) params[std::string(p.name)] = p.value;
    Json json{{"format", v.format}, {"algorithm", v.algorithm}, {"params", std::move(params)}};
    if (v.vendor) json["vendor"] = true;
    return json;
}

Variant decode_variant(const Json& json, Backend side) {
    Variant v;
    v.backend = side;
    v.format = text(member(json, "format"), "format");
    v.algorithm = text(member(json, "algorithm"), "algorithm");
    const Json& params = member(json, "params");
    if (!params.is_object()) throw Error("params must be an object");
    for (const auto& [name, value] : params.items())
        v.params.push_back({name, integer(value, "params")});
    v.vendor = json.contains("vendor") && json["vendor"] == true;
    return v;
}

namespace {

Json encode(const std::vector<db::BandwidthPoint>& curve) {
    Json json = Json::array();
    for (const db::BandwidthPoint& point : curve) json.push_back({point.bytes, rounded(point.gbs)});
    return json;
}

std::vector<db::BandwidthPoint> curve_of(const Json& json) {
    if (!json.is_array()) throw Error("a bandwidth must be an array");
    std::vector<db::BandwidthPoint> curve;
    for (const Json& point : json) {
        if (!point.is_array() || point.size() != 2)
            throw Error("bandwidth must be pairs of bytes and GB/s");
        const double bytes = number(point[0], "bandwidth"), gbs = number(point[1], "bandwidth");
        if (bytes < 1 || bytes > 1e18 || gbs <= 0) throw Error("bandwidth is out of range");
        curve.push_back({static_cast<std::uint64_t>(bytes), gbs});
    }
    return curve;
}

Json encode(const std::vector<Variant>& portfolio) {
    Json json = Json::array();
    for (const Variant& v : portfolio) json.push_back(models::encode(v));
    return json;
}

bool is_set(const Json& json, const char* flag) {
    return json.contains(flag) && json[flag] == true;
}

std::vector<Variant> decode_variants(const Json& json, const char* name, Backend side) {
    std::vector<Variant> variants;
    for (const Json& v : list(json, name)) variants.push_back(decode_variant(v, side));
    return variants;
}

}  // namespace

Backend backend_of(const Json& model) {
    const std::string name = text(member(model, "backend"), "backend");
    if (name != "cpu" && name != "cuda")
        throw Error(fmt::format("backend is \"{}\"; expected cpu or cuda", name));
    return name == "cpu" ? Backend::cpu : Backend::cuda;
}

Op op_of(const Json& kernel) {
    const std::string name = text(member(kernel, "op"), "op");
    if (name != "spmv" && name != "spgemm")
        throw Error(fmt::format("op is \"{}\"; expected spmv or spgemm", name));
    return name == "spmv" ? Op::spmv : Op::spgemm;
}

Json encode(const TreeModel& model, Bytes& arrays) {
    const TreeModel::Parts& p = model.parts();
    Json hits = Json::object(), bandwidths = Json::object();
    for (const auto& [key, curve] : p.bandwidths) bandwidths[key] = encode(curve);
    for (const HitRate& h : p.hits) hits[h.format] = rounded(h.share);
    Json json{{"kind", "trees"},
              {"backend", to_string(p.backend)},
              {"device_keys", p.device_keys},
              {"bandwidths", std::move(bandwidths)},
              {"portfolio", encode(p.portfolio)},
              {"hits", std::move(hits)},
              {"times", encode(p.times, arrays)},
              {"sides", encode(p.sides, arrays)}};
    for (std::size_t i = 0; p.network_share > 0 && i < p.networks.size(); ++i) {
        Json network = encode(p.networks[i], p.network_share, arrays);
        if (i == 0)
            json["network"] = std::move(network);
        else
            json["more_networks"].push_back(std::move(network));
    }
    if (p.for_these_alone) json["for_these_alone"] = true;
    return json;
}

TreeModel decode_trees(const Json& json, Arrays arrays) {
    TreeModel::Parts p;
    p.backend = backend_of(json);
    p.device_keys = texts(json, "device_keys");
    p.for_these_alone = is_set(json, "for_these_alone");
    const Json& bandwidths = member(json, "bandwidths");
    if (!bandwidths.is_object()) throw Error("bandwidths must be an object");
    for (const auto& [key, curve] : bandwidths.items()) p.bandwidths[key] = curve_of(curve);
    p.portfolio = decode_variants(json, "portfolio", p.backend);
    const Json& hits = member(json, "hits");
    if (!hits.is_object()) throw Error("hits must be an object");
    for (const auto& [format, share] : hits.items()) {
        const double value = number(share, "hits");
        if (value < 0 || value > 1) throw Error("hits must be shares from 0 to 1");
        p.hits.push_back({format, value});
    }
    p.times = decode_forest(member(json, "times"), arrays);
    p.sides = decode_forest(member(json, "sides"), arrays);
    if (json.contains("network")) {
        const Json& network = member(json, "network");
        p.network_share = number(member(network, "share"), "share");
        p.networks.push_back(decode_network(network, arrays));
        if (json.contains("more_networks"))
            for (const Json& more : list(json, "more_networks"))
                p.networks.push_back(decode_network(more, arrays));
        for (const Network& n : p.networks)
            if (n.gains().empty()) throw Error("a network has no gains");
    }
    return TreeModel(std::move(p));
}

Json encode(const BestSf& model, Bytes& arrays) {
    const BestSf::Parts& p = model.parts();
    Json choices = Json::array(), pairs = Json::array();
    for (const BestSf::Choice& c : p.choices) {
        Json kernels = Json::array();
        for (const Variant& v : c.kernels) kernels.push_back(encode(v));
        choices.push_back({{"format", c.format},
                           {"relative", rounded(c.relative)},
                           {"kernels", std::move(kernels)}});
    }
    for (const BestSf::Pair& pair : p.pairs) {
        pairs.push_back({{"first", pair.first},
                         {"second", pair.second},
                         {"gamma", rounded(pair.svm.gamma())},
                         {"bias", rounded(pair.svm.bias())}});
        // As numbers of the header they would be most of what there is to parse.
        put_bytes(pairs.back(), "coefficients", to_words(pair.svm.coefficients()), arrays);
        put_bytes(pairs.back(), "points", to_fixed_point(pair.svm.points()), arrays);
    }
    return {
        {"kind", "bestsf"},        {"backend", to_string(p.backend)}, {"low", numbers(p.low)},
        {"high", numbers(p.high)}, {"choices", std::move(choices)},   {"pairs", std::move(pairs)}};
}

BestSf decode_bestsf(const Json& json, Arrays arrays) {
    BestSf::Parts p;
    p.backend = backend_of(json);
    p.low = floats(json, "low"), p.high = floats(json, "high");
    for (const Json& c : list(json, "choices")) {
        BestSf::Choice choice{text(member(c, "format"), "format"),
                              decode_variants(c, "kernels", p.backend),
                              number(member(c, "relative"), "relative")};
        p.choices.push_back(std::move(choice));
    }
    const auto place = [](const Json& from, const char* name) {
        const std::int32_t v = integer(member(from, name), name);
        if (v < 0) throw Error(fmt::format("{} must not be negative", name));
        return static_cast<std::size_t>(v);
    };
    for (const Json& pair : list(json, "pairs"))
        p.pairs.push_back({place(pair, "first"), place(pair, "second"),
                           Svm(p.low.size(), number(member(pair, "gamma"), "gamma"),
                               number(member(pair, "bias"), "bias"),
                               floats_from_words(bytes(pair, "coefficients", arrays)),
                               from_fixed_point(bytes(pair, "points", arrays)))});
    return BestSf(std::move(p));
}

Json encode(const ProductModel& model, Bytes& arrays) {
    const ProductModel::Parts& p = model.parts();
    Json json{{"kind", "products"},
              {"backend", to_string(p.backend)},
              {"device_keys", p.device_keys},
              {"portfolio", encode(p.portfolio)},
              {"behind", encode(p.behind, arrays)}};
    if (p.for_these_alone) json["for_these_alone"] = true;
    return json;
}

ProductModel decode_products(const Json& json, Arrays arrays) {
    ProductModel::Parts p;
    p.backend = backend_of(json);
    p.device_keys = texts(json, "device_keys");
    p.for_these_alone = is_set(json, "for_these_alone");
    p.portfolio = decode_variants(json, "portfolio", p.backend);
    for (Variant& v : p.portfolio) v.op = Op::spgemm;
    p.behind = decode_forest(member(json, "behind"), arrays);
    return ProductModel(std::move(p));
}

constexpr char kPart = '\t';  ///< begins a line that is no name

Bytes encode_names(const std::map<std::string, std::set<std::string>>& of_parts) {
    std::vector<std::string> lines;
    for (const auto& [part, names] : of_parts) {
        if (!part.empty()) lines.push_back(kPart + part);
        lines.insert(lines.end(), names.begin(), names.end());
    }
    return to_lines(lines);
}
std::map<std::string, std::set<std::string>> decode_names(std::span<const std::uint8_t> text) {
    std::map<std::string, std::set<std::string>> of_parts;
    std::string part;
    for (std::string& line : from_lines(text))
        if (line.starts_with(kPart))
            part = line.substr(1);
        else
            of_parts[part].insert(std::move(line));
    return of_parts;
}

// The names of matrices are most of what there is to read, and a choice needs none.
Json encode(const Training& t, Bytes& arrays) {
    Json json{{"created_utc", t.created_utc},
              {"sptune_version", t.sptune_version},
              {"samples", t.samples},
              {"devices", t.devices},
              {"kernel_hashes", t.kernel_hashes}};
    put_bytes(json, "matrices", encode_names(t.matrices), arrays);
    return json;
}
Training decode_training(const Json& json, Arrays arrays, bool names) {
    Training t;
    t.created_utc = text(member(json, "created_utc"), "created_utc");
    t.sptune_version = text(member(json, "sptune_version"), "sptune_version");
    t.samples = static_cast<std::size_t>(std::max(integer(member(json, "samples"), "samples"), 0));
    t.devices = texts(json, "devices");
    if (names) t.matrices = decode_names(bytes(json, "matrices", arrays));
    const Json& hashes = member(json, "kernel_hashes");
    if (!hashes.is_object()) throw Error("kernel_hashes must be an object");
    for (const auto& [name, hash] : hashes.items())
        t.kernel_hashes[name] = text(hash, "kernel_hashes");
    return t;
}

}  // namespace sptune::models
