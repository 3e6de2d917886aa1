#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/tree_walks.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "kernels/simd_target.hpp"
#include "models/tree_walks.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune::models {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == SPTUNE_GATHER_TARGET

constexpr std::size_t kTogether = 32;

/// Two vectors of walks: one waits for its nodes while the other compares.
void walk_together(const Node* nodes, const float* x, std::int32_t* at) {
    const hn::CappedTag<std::int32_t, kTogether / 2> di;
    const hn::RebindToFloat<decltype(di)> df;
    static_assert(sizeof(Node) == 3 * sizeof(std::int32_t) && hn::MaxLanes(di) == kTogether / 2);
    const auto* const words = reinterpret_cast<const std::int32_t*>(nodes);
    const auto one = hn::Set(di, 1), zero = hn::Zero(di);
    hn::Vec<decltype(di)> now[2] = {hn::LoadU(di, at), hn::LoadU(di, at + kTogether / 2)};
    for (bool walking = true; walking;) {
        walking = false;
        for (auto& place : now) {
            const auto word = hn::Add(place, hn::Add(place, place));
            const auto input = hn::GatherIndex(di, words, word);
            const auto right = hn::GatherIndex(di, words + 1, word);
            const auto limit = hn::BitCast(df, hn::GatherIndex(di, words + 2, word));
            const auto value = hn::GatherIndex(df, x, hn::Max(input, zero));
            const auto left = hn::RebindMask(di, hn::Le(value, limit));
            const auto leaf = hn::Lt(input, zero);
            place = hn::IfThenElse(leaf, place, hn::IfThenElse(left, hn::Add(place, one), right));
            walking |= !hn::AllTrue(di, leaf);
        }
    }
    hn::StoreU(now[0], di, at);
    hn::StoreU(now[1], di, at + kTogether / 2);
}

#else

constexpr std::size_t kTogether = 16;

/// Without a branch: which way a walk goes is anybody's guess, and a wrong one takes as long as
/// some steps.
std::int32_t step(const Node& n, std::int32_t at, const float* x) {
    const bool leaf = n.input < 0;
    const bool left = x[leaf ? 0 : n.input] <= n.limit;
    const std::int32_t next = __builtin_expect_with_probability(left, 1, 0.5) ? at + 1 : n.right;
    return __builtin_expect_with_probability(leaf, 1, 0.5) ? at : next;
}

void walk_together(const Node* nodes, const float* x, std::int32_t* at) {
    for (bool walking = true; walking;) {
        walking = false;
        for (std::size_t t = 0; t < kTogether; ++t) {
            const Node& n = nodes[at[t]];
            walking |= n.input >= 0;
            at[t] = step(n, at[t], x);
        }
    }
}

#endif

// A choice comes upon cold caches, where a walk waits for memory at nearly each of its steps: so
// some walks go on side by side.
void walk(const Node* nodes, const float* x, std::int32_t* at, std::size_t count) {
    std::size_t i = 0;
    for (; i + kTogether <= count; i += kTogether) walk_together(nodes, x, at + i);
    if (i == count) return;
    std::int32_t rest[kTogether];
    std::fill(std::copy(at + i, at + count, rest), rest + kTogether, at[i]);
    walk_together(nodes, x, rest);
    std::copy_n(rest, count - i, at + i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune::models
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune::models {
namespace {

HWY_EXPORT(walk);

}  // namespace

void walk_to_leaves(const Node* nodes, const float* x, std::int32_t* at, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(walk)(nodes, x, at, count);
}

}  // namespace sptune::models
#endif
