#include "models/network_codec.hpp"

#include "models/json_fields.hpp"

namespace sptune::models {
namespace {

// Numbers of the header would be most of what there is to parse.

/// Of each scale how many quantiles it has, its mean and its deviation; then all quantiles.
Bytes words_of(const std::vector<Network::Scale>& scales) {
    std::vector<float> numbers;
    for (const Network::Scale& s : scales)
        for (const float v : {static_cast<float>(s.quantiles.size()), s.mean, s.deviation})
            numbers.push_back(v);
    for (const Network::Scale& s : scales)
        numbers.insert(numbers.end(), s.quantiles.begin(), s.quantiles.end());
    return to_words(numbers);
}

}  // namespace

Json encode(const Network& network, double share, Bytes& arrays) {
    Json layers = Json::array();
    for (const Network::Layer& layer : network.layers()) {
        layers.push_back(Json::object());
        put_bytes(layers.back(), "bias", to_words(layer.bias), arrays);
        put_bytes(layers.back(), "weights", to_fixed_point(layer.weights), arrays);
    }
    Json json{{"share", rounded(share)}, {"inputs", network.inputs()}, {"layers", layers}};
    put_bytes(json, "gains", to_words(network.gains()), arrays);
    put_bytes(json, "quantiles", words_of(network.scales()), arrays);
    return json;
}

Network decode_network(const Json& json, Arrays arrays) {
    const std::vector<float> numbers = stored_floats(json, "quantiles", arrays);
    const std::int32_t inputs = integer(member(json, "inputs"), "inputs");
    if (inputs < 0 || static_cast<std::size_t>(inputs) > numbers.size() / 3)
        throw Error("there are fewer scales than inputs");
    std::vector<Network::Scale> scales;
    auto head = numbers.begin(), next = head + 3 * inputs;
    for (; std::ssize(scales) < inputs; head += 3) {
        if (!(head[0] >= 1 && head[0] <= static_cast<double>(numbers.end() - next)))
            throw Error("scales have more quantiles than there are");
        const auto count = static_cast<std::ptrdiff_t>(head[0]);
        scales.push_back({{next, next + count}, head[1], head[2]});
        next += count;
    }
    std::vector<Network::Layer> layers;
    for (const Json& layer : list(json, "layers"))
        layers.push_back({fixed(layer, "weights", arrays), stored_floats(layer, "bias", arrays)});
    return {std::move(scales), std::move(layers), stored_floats(json, "gains", arrays)};
}

}  // namespace sptune::models
