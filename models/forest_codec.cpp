#include "models/forest_codec.hpp"

#include "models/json_fields.hpp"

#include <algorithm>
#include <bit>

namespace sptune::models {
namespace {

// The pieces, each beside its way back.

/// Three words each: input, right, limit.
Bytes words_of(const Stored<Node>& nodes) {
    std::vector<std::uint32_t> words;
    for (const Node& n : nodes)
        for (const std::uint32_t word :
             {static_cast<std::uint32_t>(n.input), static_cast<std::uint32_t>(n.right),
              std::bit_cast<std::uint32_t>(n.limit)})
            words.push_back(word);
    return to_words(words);
}

Stored<Node> nodes_of(const Json& json, Arrays arrays) {
    static_assert(sizeof(Node) == 3 * sizeof(std::uint32_t));
    if (auto there = in_place<Node>(json, "nodes", arrays)) return *there;
    const std::vector<std::uint32_t> words = from_words(bytes(json, "nodes", arrays));
    if (words.size() % 3 != 0) throw Error("nodes must have three numbers each");
    std::vector<Node> nodes;
    nodes.reserve(words.size() / 3);
    for (std::size_t i = 0; i < words.size(); i += 3)
        nodes.push_back({static_cast<std::int32_t>(words[i]),
                         static_cast<std::int32_t>(words[i + 1]),
                         std::bit_cast<float>(words[i + 2])});
    return nodes;
}

Bytes words_of(const std::vector<std::int32_t>& roots) {
    return to_words(std::vector<std::uint32_t>(roots.begin(), roots.end()));
}

std::vector<std::int32_t> roots_of(const Json& json, Arrays arrays) {
    std::vector<std::int32_t> roots;
    for (const std::uint32_t root : from_words(bytes(json, "roots", arrays)))
        roots.push_back(static_cast<std::int32_t>(root));
    return roots;
}

}  // namespace

Json encode(const Forest& f, Bytes& arrays) {
    Json json{{"inputs", f.inputs()}};
    put_bytes(json, "base", to_words(f.base()), arrays);
    put_bytes(json, "roots", words_of(f.roots()), arrays);
    put_bytes(json, "nodes", words_of(f.nodes()), arrays);
    put_bytes(json, "leaves", to_fixed_point(f.leaves()), arrays);
    return json;
}

Forest decode_forest(const Json& json, Arrays arrays) {
    return {static_cast<std::size_t>(std::max(integer(member(json, "inputs"), "inputs"), 0)),
            stored_floats(json, "base", arrays), roots_of(json, arrays), nodes_of(json, arrays),
            fixed(json, "leaves", arrays)};
}

}  // namespace sptune::models
