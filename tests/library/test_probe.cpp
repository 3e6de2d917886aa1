// What the sample of a matrix that may have changed sees, and what it may miss.
#include "library/probe.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::library {
namespace {

/// Square, with as many entries as rows, and all that is compared.
struct Diagonal {
    std::vector<std::int32_t> row_ptr, col_idx;
    std::vector<double> values;

    explicit Diagonal(std::size_t n) : row_ptr(n + 1), col_idx(n), values(n, 1.0) {
        std::iota(row_ptr.begin(), row_ptr.end(), 0);
        std::iota(col_idx.begin(), col_idx.end(), 0);
    }
    csr_view<double, std::int32_t> view() const {
        const auto n = static_cast<std::int32_t>(values.size());
        return {n, n, row_ptr.data(), col_idx.data(), values.data()};
    }
};

/// Changes each stretch of `length` numbers of `array` in turn; whether all are noticed as `what`.
template <class Array>
void expect_noticed(const Diagonal& a, Array& array, std::size_t end, std::size_t length,
                    Change what) {
    const Probe<double, std::int32_t> probe(a.view());
    const Array before = array;
    for (std::size_t first = 0; first + length <= end; ++first) {
        for (std::size_t k = first; k < first + length; ++k) array[k] += 1;
        EXPECT_EQ(probe.compare(a.view()), what) << first << ", " << length << " of " << end;
        array = before;
        EXPECT_EQ(probe.compare(a.view()), Change::none);
    }
}

TEST(Probe, ComparesAllOfUpToSixteen) {
    for (std::size_t n = 1; n <= 16; ++n) {
        Diagonal a(n);
        expect_noticed(a, a.values, n, 1, Change::values);
        expect_noticed(a, a.col_idx, n, 1, Change::structure);
        expect_noticed(a, a.row_ptr, n, 1, Change::structure);
    }
}

TEST(Probe, MissesNoStretchOfMoreThanAnEighth) {
    for (const std::size_t n : {17, 31, 32, 33, 47, 100, 255, 1000}) {
        Diagonal a(n);
        const std::size_t stretch = n / 8 + 1;
        expect_noticed(a, a.values, n, stretch, Change::values);
        expect_noticed(a, a.col_idx, n, stretch, Change::structure);
        expect_noticed(a, a.row_ptr, n, stretch, Change::structure);
    }
}

TEST(Probe, SeesHowManyEntriesThereAre) {
    Diagonal a(50);
    const Probe<double, std::int32_t> probe(a.view());
    --a.row_ptr.back();
    EXPECT_EQ(probe.compare(a.view()), Change::structure);
    EXPECT_EQ((Probe<double, std::int32_t>(csr_view<double, std::int32_t>{})
                   .compare(csr_view<double, std::int32_t>{})),
              Change::none);
}

}  // namespace
}  // namespace sptune::library
