// What is written reads back the same.
#include "matrix/convert.hpp"
#include "matrix/error.hpp"
#include "matrix/market.hpp"
#include "tests/matrix/csr_text.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace sptune {
namespace {

/// Random bits as values: all exponents, subnormals, both zeros.
template <class T>
Csr<T> random_matrix(index_t rows, index_t cols, std::size_t entries) {
    std::mt19937_64 random(7);
    Coo<T> coo{rows, cols, Buffer<index_t>(entries), Buffer<index_t>(entries), Buffer<T>(entries)};
    for (std::size_t i = 0; i < entries; ++i) {
        coo.row_idx[i] = static_cast<index_t>(random() % static_cast<std::uint64_t>(rows));
        coo.col_idx[i] = static_cast<index_t>(random() % static_cast<std::uint64_t>(cols));
        do {
            const std::uint64_t bits = random();
            std::memcpy(&coo.values[i], &bits, sizeof(T));
        } while (!std::isfinite(coo.values[i]) ||
                 std::fabs(coo.values[i]) > std::numeric_limits<T>::max() / 64);
    }
    return coo_to_csr(coo);
}

template <class T, class P>
bool same_bits(const Csr<T, P>& a, const Csr<T, P>& b) {
    const auto same = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               (x.empty() || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
    };
    return a.rows == b.rows && a.cols == b.cols && same(a.row_ptr, b.row_ptr) &&
           same(a.col_idx, b.col_idx) && same(a.values, b.values);
}

template <class T>
class MarketWrite : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(MarketWrite, Values);

TYPED_TEST(MarketWrite, RoundTripsEveryBit) {
    const ScratchFolder folder;
    const Csr<TypeParam> m = random_matrix<TypeParam>(3000, 2000, 300000);
    for (const char* name : {"a.mtx", "a.mtx.gz"}) {
        write_market(folder.file(name), m.view(), {.comment = "two\nlines", .threads = 3});
        EXPECT_TRUE(same_bits(m, read_market<TypeParam>(folder.file(name))));
    }
    EXPECT_EQ(ScratchFolder::read(folder.file("a.mtx.gz")).substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(folder.count(), 2u);
}

TEST(MarketWriteText, IsAsTheStandardHasIt) {
    const ScratchFolder folder;
    const Csr<double> m = random_matrix<double>(1, 1, 1);
    const std::string path = folder.file("a.mtx");
    write_market(path, CsrView<double>{1, 1, m.row_ptr.data(), m.col_idx.data(), m.values.data()},
                 {.comment = "made\nhere", .threads = 0});
    EXPECT_EQ(ScratchFolder::read(path),
              fmt::format("%%MatrixMarket matrix coordinate real general\n% made\n% here\n"
                          "1 1 1\n1 1 {}\n",
                          m.values[0]));
}

TEST(MarketWriteText, EmptyMatrices) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.mtx");
    for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}}) {
        const Csr<double> m = coo_to_csr(Coo<double>{rows, cols, {}, {}, {}});
        write_market(path, m.view());
        EXPECT_EQ(text_of(read_market<double>(path)), fmt::format("{}x{}", rows, cols));
    }
}

TEST(MarketWriteText, NanIsRefusedAndLeavesNothing) {
    const ScratchFolder folder;
    Csr<double> m = random_matrix<double>(1, 1, 1);
    m.values[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(write_market(folder.file("a.mtx"), m.view()), Error);
    EXPECT_THROW(write_market(folder.file("no/such/folder.mtx"), m.view()), Error);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(Convert, SumsDuplicatesInTheOrderGiven) {
    Coo<float> coo{1, 2, Buffer<index_t>(4, 0), Buffer<index_t>(4, 1), Buffer<float>(4)};
    const float in[] = {1e8f, 1.f, -1e8f, 1.f};
    std::copy(in, in + 4, coo.values.data());
    for (const int threads : {1, 2, 5}) EXPECT_EQ(text_of(coo_to_csr(coo, threads)), "1x2 (0,1)=1");
    coo.col_idx[2] = 2;
    EXPECT_THROW(coo_to_csr(coo), Error);
}

TEST(Convert, CscIsTheTranspose) {
    const Csr<double> m = random_matrix<double>(57, 91, 700);
    for (const int threads : {1, 2, 7}) {
        Csc<double> csc = csr_to_csc(m.view(), threads);
        const CsrView<double> transpose{csc.cols, csc.rows, csc.col_ptr.data(), csc.row_idx.data(),
                                        csc.values.data()};
        Csc<double> back = csr_to_csc(transpose, threads);
        EXPECT_TRUE(same_bits(m, Csr<double>{m.rows, m.cols, std::move(back.col_ptr),
                                             std::move(back.row_idx), std::move(back.values)}));
        for (index_t c = 0; c < csc.cols; ++c)
            for (std::int32_t i = csc.col_ptr[c] + 1; i < csc.col_ptr[c + 1]; ++i)
                ASSERT_LT(csc.row_idx[i - 1], csc.row_idx[i]);
    }
}

TEST(Convert, CastsAndItsLimits) {
    const Csr<float> m = random_matrix<float>(20, 30, 200);
    const auto wide = cast_csr<double, std::int64_t>(m.view());
    EXPECT_TRUE(same_bits(m, cast_csr<float, std::int32_t>(wide.view())));
    Csr<double> big = random_matrix<double>(1, 1, 1);
    big.values[0] = 1e300;
    EXPECT_THROW((cast_csr<float, std::int32_t>(big.view())), Error);
}

}  // namespace
}  // namespace sptune
