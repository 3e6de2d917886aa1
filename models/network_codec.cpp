#include "models/network_codec.hpp"

#include "models/json_fields.hpp"

namespace sptune::models {

Json encode(const Network& network, double share, Bytes& arrays) {
    Json scales = Json::array(), layers = Json::array();
    std::vector<float> quantiles;
    for (const Network::Scale& s : network.scales()) {
        scales.push_back({s.quantiles.size(), s.mean, s.deviation});
        quantiles.insert(quantiles.end(), s.quantiles.begin(), s.quantiles.end());
    }
    for (const Network::Layer& layer : network.layers()) {
        layers.push_back({{"bias", numbers(layer.bias)}});
        put_bytes(layers.back(), "weights", to_fixed_point(layer.weights), arrays);
    }
    Json json{{"share", rounded(share)}, {"scales", scales}, {"layers", layers}};
    if (!network.gains().empty()) json["gains"] = numbers(network.gains());
    put_bytes(json, "quantiles", to_words(quantiles), arrays);
    return json;
}

Network decode_network(const Json& json, Arrays arrays) {
    const std::vector<float> quantiles = floats_from_words(bytes(json, "quantiles", arrays));
    std::vector<Network::Scale> scales;
    auto next = quantiles.begin();
    for (const Json& s : list(json, "scales")) {
        if (!s.is_array() || s.size() != 3) throw Error("scales must have three numbers each");
        const std::int32_t count = integer(s[0], "scales");
        if (count < 1 || count > quantiles.end() - next)
            throw Error("scales have more quantiles than there are");
        scales.push_back({{next, next + count},
                          static_cast<float>(number(s[1], "scales")),
                          static_cast<float>(number(s[2], "scales"))});
        next += count;
    }
    std::vector<Network::Layer> layers;
    for (const Json& layer : list(json, "layers"))
        layers.push_back({fixed_from(bytes(layer, "weights", arrays)), floats(layer, "bias")});
    // Files of before have none.
    std::vector<float> gains;
    if (json.contains("gains")) gains = floats(json, "gains");
    return {std::move(scales), std::move(layers), std::move(gains)};
}

}  // namespace sptune::models
