// Converted matrices that are kept.
#include "fake.hpp"
#include "tuner/shelf.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST(ShelfTest, KeepsTheFirstThatFit) {
    Shelf shelf(100, fake::clock);
    const auto make = [] { return std::make_unique<fake::FakeStorage>(); };
    for (const char* layout : {"a", "b", "c"}) shelf.get(layout, 50, make);
    EXPECT_EQ(shelf.size(), 3u);
    shelf.trim({"c", "a", "b"});
    EXPECT_EQ(shelf.size(), 2u);
    shelf.trim({});
    EXPECT_EQ(shelf.size(), 0u);
}

}  // namespace
}  // namespace sptune::tuner
