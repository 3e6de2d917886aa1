// Parts of files that say what they are not.
#include "matrix/error.hpp"
#include "models/file_parts.hpp"
#include "models/fixed_point.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& e) {
        return e.what();
    }
    return "not refused";
}

TEST(FileParts, AHeaderThatIsLongerThanTheFile) {
    const std::string file = join_parts("TEST", {{"a", 1}}, {1, 2, 3, 4});
    const FileParts parts = split_parts(file, "TEST", "a test");
    EXPECT_EQ(parts.arrays.bytes.size(), 4u);
    const std::size_t before_arrays = file.size() - 4;
    for (const std::size_t size : {before_arrays - 1, std::size_t{8}, std::size_t{7}})
        EXPECT_EQ(refusal([&] { split_parts(file.substr(0, size), "TEST", "a test"); }),
                  size < 8 ? "is not a test" : "ends within its header");
}

TEST(FileParts, ArraysThatLieOutsideTheFile) {
    const Bytes arrays(32);
    struct Place {
        int at, size;
    };
    for (const auto& [at, size] : {Place{-8, 16}, {8, -4}, {0, 33}, {33, 0}, {32, 1}}) {
        const Json header{{"a", at}, {"a_bytes", size}};
        EXPECT_EQ(refusal([&] { bytes(header, "a", {arrays}); }), "a: lies outside the file")
            << at << ", " << size;
    }
    EXPECT_EQ(bytes({{"a", 32}, {"a_bytes", 0}}, "a", {arrays}).size(), 0u);
}

TEST(FileParts, NumbersThatAreNone) {
    for (const float last :
         {2.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        Json header;
        Bytes arrays;
        put_bytes(header, "a", to_words(std::vector{1.0f, last}), arrays);
        EXPECT_EQ(refusal([&] { stored_floats(header, "a", {arrays}); }),
                  last == 2 ? "not refused" : "a must be numbers");
    }
}

}  // namespace
}  // namespace sptune::models
