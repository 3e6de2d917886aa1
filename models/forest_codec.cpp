#include "models/forest_codec.hpp"

#include "models/json_fields.hpp"

#include <algorithm>
#include <bit>

namespace sptune::models {
namespace {

// The pieces, each beside its way back.

constexpr std::size_t kWord = sizeof(std::uint32_t);

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

static_assert(sizeof(Node) == 3 * kWord);
Stored<Node> nodes_of(const Json& json, Arrays arrays) {
    if (auto there = in_place<Node>(json, "nodes", arrays)) return *there;
    const std::span<const std::uint8_t> from = bytes(json, "nodes", arrays);
    if (from.size() % (3 * kWord) != 0) throw Error("nodes must have three numbers each");
    std::vector<Node> nodes(from.size() / (3 * kWord));
    const std::uint8_t* at = from.data();
    for (Node& n : nodes) {
        n.input = static_cast<std::int32_t>(word_at(at));
        n.right = static_cast<std::int32_t>(word_at(at + kWord));
        n.limit = std::bit_cast<float>(word_at(at + 2 * kWord));
        at += 3 * kWord;
    }
    return nodes;
}

Bytes words_of(const std::vector<std::int32_t>& roots) {
    return to_words(std::vector<std::uint32_t>(roots.begin(), roots.end()));
}

std::vector<std::int32_t> roots_of(const Json& json, Arrays arrays) {
    std::vector<std::int32_t> roots;
    if (member(json, "roots").is_array())  // files of before have them in the header
        for (const Json& root : json["roots"]) roots.push_back(integer(root, "roots"));
    else
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
