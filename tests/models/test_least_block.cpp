// Blocks whose size the training set lacks.
#include "models/choosing.hpp"
#include "models/least_block.hpp"
#include "models/tree_model.hpp"
#include "tests/models/entries.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr int kSizes[] = {2, 3, 4, 6, 8};

Variant blocks(int size) {
    return variant(Backend::cuda, "bsr", "sliced", {{"r", size}, {"c", size}, {"b", 128}});
}

/// Full blocks of size × size: other sizes store zeros, and take longer the more they store.
Sample block_sample(const std::string& family, int number, int size, std::int64_t rows) {
    Sample s;
    s.name = family + "--" + std::to_string(number), s.group = family;
    s.features = even_rows(rows, 24);
    s.features.cols_per_line = size;
    const auto filled = [&](int n) {
        const double room = std::min(1.0, static_cast<double>(size) / n);
        return size % n == 0 || n % size == 0 ? room : 0.7 * room;
    };
    for (BsrFill& b : s.features.bsr) b.fill = filled(b.r) * filled(b.c);
    s.device = gpu();
    const double csr = 2 + static_cast<double>(s.features.nnz) / 1000;
    s.timed = {{variant(Backend::cuda, "csr", "vector", {{"t", 8}, {"b", 256}}), csr, 0}};
    for (const int tried : kSizes) {
        Variant v = blocks(tried);
        const double bytes = BlockBytes(s.features).of(v);
        s.timed.push_back({v, csr * bytes / (24.0 * static_cast<double>(s.features.nnz)), 5 * csr});
    }
    s.least_blocks = least_blocks(s.features, s.timed);
    return s;
}

const Timed& fastest(const Sample& s) {
    return *std::min_element(s.timed.begin(), s.timed.end(),
                             [](auto& a, auto& b) { return a.us < b.us; });
}

TEST(LeastBlock, IsNamedByItsRole) {
    const Sample s = block_sample("x", 0, 4, 5000);
    ASSERT_EQ(s.least_blocks.size(), 1u);
    EXPECT_EQ(short_name(s.least_blocks[0].variant), "bsr.sliced.rn.cn.b128");
    EXPECT_EQ(s.least_blocks[0].us, fastest(s).us);
    EXPECT_EQ(short_hash(s.least_blocks[0].variant), least_block_hash(blocks(6)));
    EXPECT_NE(short_hash(blocks(6)), least_block_hash(blocks(6)));
    EXPECT_TRUE(has_blocks(blocks(6)));
    EXPECT_FALSE(has_blocks(s.least_blocks[0].variant));
    EXPECT_FALSE(has_blocks(s.timed[0].variant));
}

/// Trained on blocks of 2 and 4: another size is never best there, yet chosen where it should be.
TEST(LeastBlock, SizesOfBlocksNeedNotBeInTheTrainingSet) {
    std::vector<Sample> samples;
    for (int i = 0; i < 120; ++i)
        samples.push_back(
            block_sample("family" + std::to_string(i % 6), i, i % 2 ? 2 : 4, 400 << (i % 7)));
    TreeOptions options;
    options.folds = 0;
    options.forest.trees = 60;
    const TreeModel without = TreeModel::train(pointers(samples), options);
    options.portfolio.least_blocks = true;
    const TreeModel with = TreeModel::train(pointers(samples), options);
    const Sample unseen = block_sample("unseen", 0, 3, 9000);
    ASSERT_EQ(get(fastest(unseen).variant.params, "r"), 3);
    EXPECT_FALSE(without.knows(blocks(3)));
    EXPECT_TRUE(with.knows(blocks(3)));
    EXPECT_EQ(without.place_of(blocks(3)), 0u);
    // Places that were asked for before change nothing.
    std::vector<Option> options_at_hand, placed;
    for (const Timed& t : unseen.timed) {
        options_at_hand.push_back({&t.variant});
        placed.push_back({&t.variant, 0, with.place_of(t.variant)});
    }
    const auto looked_up = with.predict(unseen.features, unseen.device, options_at_hand);
    const auto known = with.predict(unseen.features, unseen.device, placed);
    for (std::size_t i = 0; i < known.size(); ++i)
        EXPECT_EQ(known[i].time_us, looked_up[i].time_us) << short_name(unseen.timed[i].variant);
    EXPECT_EQ(short_name(chosen_by(with, unseen, 0).variant), "bsr.sliced.r3.c3.b128");
    EXPECT_NE(short_name(chosen_by(without, unseen, 0).variant), "bsr.sliced.r3.c3.b128");
}

}  // namespace
}  // namespace sptune::models
