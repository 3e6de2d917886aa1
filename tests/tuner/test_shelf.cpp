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

TEST(ShelfTest, TheFirstConversionPaysForMoreThanItself) {
    Shelf shelf(100, fake::clock);
    int made = 0;
    const auto make = [&] {
        fake::now_us += made++ == 0 ? 1500 : 100;
        return std::make_unique<fake::FakeStorage>();
    };
    EXPECT_DOUBLE_EQ(shelf.get("a", 50, make).convert_us, 100);
}

}  // namespace
}  // namespace sptune::tuner
