// What the Matrix Market reader makes of files it accepts.
#include "matrix/load.hpp"
#include "matrix/market.hpp"
#include "matrix/validate.hpp"
#include "tests/matrix/csr_text.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace sptune {
namespace {

struct Accepted {
    const char* name;
    std::string file;
    std::string matrix;
};

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kArray = "%%MatrixMarket matrix array real ";

const std::vector<Accepted> kAccepted = {
    {"plain", kReal + "2 3 2\n1 2 5\n2 1 -2.5\n", "2x3 (0,1)=5 (1,0)=-2.5"},
    {"unsorted", kReal + "2 3 3\n2 3 1\n2 1 2\n1 1 3\n", "2x3 (0,0)=3 (1,0)=2 (1,2)=1"},
    {"banner_case", "%%mAtRiXmArKeT MATRIX Coordinate REAL General\n1 1 1\n1 1 2\n", "1x1 (0,0)=2"},
    {"crlf", "%%MatrixMarket matrix coordinate real general\r\n% c\r\n1 1 1\r\n1 1 2\r\n",
     "1x1 (0,0)=2"},
    {"byte_order_mark", "\xef\xbb\xbf" + kReal + "1 1 1\n1 1 2\n", "1x1 (0,0)=2"},
    {"tabs_and_leading_blanks", kReal + "\t 2\t2  1 \n  2\t1\t 4 \t\n", "2x2 (1,0)=4"},
    {"plus_signs", kReal + "2 2 +1\n+2 +1 +4.5e+1\n", "2x2 (1,0)=45"},
    {"leading_zeros", kReal + "2 2 1\n0000000000000000000000000002 01 004\n", "2x2 (1,0)=4"},
    {"fortran_exponents", kReal + "1 2 2\n1 1 1.0D+03\n1 2 -2d-1\n", "1x2 (0,0)=1000 (0,1)=-0.2"},
    {"bare_points", kReal + "1 2 2\n1 1 .5\n1 2 5.\n", "1x2 (0,0)=0.5 (0,1)=5"},
    {"underflow", kReal + "1 1 1\n1 1 1e-400\n", "1x1 (0,0)=0"},
    {"comments_everywhere",
     kReal + "%\n\n  % indented\n1 2 2\n% between\n1 1 1 % behind\n%%\n\n1 2 2\n% end",
     "1x2 (0,0)=1 (0,1)=2"},
    {"no_final_newline", kReal + "1 1 1\n1 1 7", "1x1 (0,0)=7"},
    {"trailing_blank_lines", kReal + "1 1 1\n1 1 7\n\n \n\t\r\n", "1x1 (0,0)=7"},
    {"duplicates_summed", kReal + "2 2 4\n1 1 1\n2 2 3\n1 1 2\n1 2 9\n",
     "2x2 (0,0)=3 (0,1)=9 (1,1)=3"},
    {"more_entries_than_places", kReal + "1 1 3\n1 1 1\n1 1 2\n1 1 3\n", "1x1 (0,0)=6"},
    {"explicit_zero_kept", kReal + "1 1 1\n1 1 0\n", "1x1 (0,0)=0"},
    {"no_entries", kReal + "3 4 0\n", "3x4"},
    {"no_rows", kReal + "0 4 0\n", "0x4"},
    {"no_columns", kReal + "4 0 0", "4x0"},
    {"integer",
     "%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 -7\n1 2 +8\n"
     "1 3 12345678901234567890\n",
     "1x3 (0,0)=-7 (0,1)=8 (0,2)=1.2345678901234567e+19"},
    {"integer_of_19_digits",
     "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9999999999999999999\n",
     "1x1 (0,0)=1e+19"},
    {"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n",
     "2x2 (0,1)=1 (1,0)=1"},
    {"symmetric", kSymmetric + "2 2 2\n1 1 1\n2 1 5\n", "2x2 (0,0)=1 (0,1)=5 (1,0)=5"},
    {"symmetric_upper", kSymmetric + "2 2 1\n1 2 5\n", "2x2 (0,1)=5 (1,0)=5"},
    {"symmetric_both_halves_are_duplicates", kSymmetric + "2 2 2\n1 2 5\n2 1 1\n",
     "2x2 (0,1)=6 (1,0)=6"},
    {"symmetric_pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n",
     "2x2 (0,1)=1 (1,0)=1 (1,1)=1"},
    {"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n",
     "2x2 (0,1)=-5 (1,0)=5"},
    {"skew_zero_diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 0\n",
     "1x1 (0,0)=0"},
    {"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 5\n",
     "2x2 (0,1)=5 (1,0)=5"},
    {"array", kArray + "general\n2 3\n1\n2\n0\n4\n5\n6\n",
     "2x3 (0,0)=1 (0,2)=5 (1,0)=2 (1,1)=4 (1,2)=6"},
    {"array_sizes_with_a_comment", kArray + "general\n1 1 % one\n7\n", "1x1 (0,0)=7"},
    {"array_column", kArray + "general\n3 1\n1\n\n% c\n0\n3", "3x1 (0,0)=1 (2,0)=3"},
    {"array_row", kArray + "general\n1 3\n1\n2\n3\n", "1x3 (0,0)=1 (0,1)=2 (0,2)=3"},
    {"array_empty", kArray + "general\n0 5\n", "0x5"},
    {"array_symmetric", kArray + "symmetric\n2 2\n1\n2\n3\n",
     "2x2 (0,0)=1 (0,1)=2 (1,0)=2 (1,1)=3"},
    {"array_skew", kArray + "skew-symmetric\n3 3\n1\n2\n3\n",
     "3x3 (0,1)=-1 (0,2)=-2 (1,0)=1 (1,2)=-3 (2,0)=2 (2,1)=3"},
    {"array_skew_1x1", kArray + "skew-symmetric\n1 1\n", "1x1"},
    {"array_integer", "%%MatrixMarket matrix array integer general\n1 2\n-3\n4\n",
     "1x2 (0,0)=-3 (0,1)=4"},
};

MarketReadOptions in_two_passes(int threads) {
    MarketReadOptions options;
    options.threads = threads;
    options.staging_bytes = 0;
    return options;
}

class MarketAccepted : public testing::TestWithParam<Accepted> {};

template <class T, class P>
std::string read_as(const std::string& path, const MarketReadOptions& options = {}) {
    const Csr<T, P> m = read_market<T, P>(path, options);
    EXPECT_EQ(csr_problem(m.view(), m.nnz()), "");
    return text_of(m);
}

void write_gzip(const std::string& path, const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
}

TEST_P(MarketAccepted, Reads) {
    const ScratchFolder folder;
    const std::string path = folder.write("a.mtx", GetParam().file);
    EXPECT_EQ((read_as<double, std::int32_t>(path)), GetParam().matrix);
    EXPECT_EQ((read_as<double, std::int64_t>(path)), GetParam().matrix);
    const std::string zipped = folder.file("named_without_gz.mtx");
    write_gzip(zipped, GetParam().file);
    EXPECT_EQ((read_as<double, std::int32_t>(zipped)), GetParam().matrix);
    EXPECT_EQ((read_as<double, std::int32_t>(path, in_two_passes(2))), GetParam().matrix);
    EXPECT_EQ((read_as<double, std::int64_t>(zipped, in_two_passes(1))), GetParam().matrix);
}

INSTANTIATE_TEST_SUITE_P(Table, MarketAccepted, testing::ValuesIn(kAccepted),
                         [](const auto& tested) { return tested.param.name; });

TEST(MarketRead, HeaderTellsWhatTheFilePromises) {
    const ScratchFolder folder;
    const MarketHeader header =
        read_market_header(folder.write("a.mtx", kSymmetric + "% c\n\n3 3 2\n1 1 1\n2 1 1\n"));
    EXPECT_EQ(header.symmetry, MarketSymmetry::symmetric);
    EXPECT_EQ(header.rows, 3);
    EXPECT_EQ(header.entries, 2);
    EXPECT_EQ(header.max_nnz(), 4);
    EXPECT_EQ(header.header_lines, 4u);
}

TEST(MarketRead, FloatIsRoundedOnce) {
    const ScratchFolder folder;
    // Halfway between two floats plus a bit too small for double: rounding through double fails.
    const std::string path =
        folder.write("a.mtx", kReal + "1 1 1\n1 1 1.000000059604644775390626\n");
    EXPECT_EQ((read_market<float>(path).values[0]), 1.00000011920928955f);
}

TEST(MarketRead, GzipOfSeveralMembers) {
    const ScratchFolder folder;
    write_gzip(folder.file("a"), kReal + "2 1 2\n1 1 ");
    write_gzip(folder.file("b"), "3\n2 1 4\n");
    const std::string both =
        folder.write("c.mtx.gz", ScratchFolder::read(folder.file("a")) +
                                     ScratchFolder::read(folder.file("b")) + std::string(9, '\0'));
    EXPECT_EQ((read_as<double, std::int32_t>(both)), "2x1 (0,0)=3 (1,0)=4");
}

TEST(MarketRead, ProgressEndsAtTheSizeOfTheFile) {
    const ScratchFolder folder;
    std::uint64_t done = 0, total = 1;
    MarketReadOptions options;
    options.progress = [&](std::uint64_t d, std::uint64_t t) { done = d, total = t; };
    read_market<double>(folder.write("a.mtx", kReal + "1 1 1\n1 1 1\n"), options);
    EXPECT_EQ(done, total);
}

/// Many chunks, comments on their borders, duplicates whose sum depends on the order.
std::string large_file(const std::string& kind, bool values, int entries) {
    std::string text = "%%MatrixMarket matrix coordinate " + kind + "\n3000 3000 " +
                       std::to_string(entries) + "\n";
    std::uint64_t state = 1;
    for (int i = 0; i < entries; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto row = 2 + (state >> 33) % 2999, col = 1 + (state >> 20) % (row - 1);
        text += fmt::format("{} {}", row, col);
        if (values) text += fmt::format(" {}", 1e-9 * static_cast<double>(state >> 40) * (i % 7));
        text += i % 11 == 0 ? "\r\n% comment\n\n" : "\n";
    }
    return text;
}

TEST(MarketRead, SameBitsForAnyNumberOfThreads) {
    const ScratchFolder folder;
    for (const auto& [kind, values] : {std::pair{"real general", true},
                                       {"real skew-symmetric", true},
                                       {"pattern symmetric", false}}) {
        const std::string text = large_file(kind, values, 80000);
        const std::string plain = folder.write("a.mtx", text), zipped = folder.file("a.mtx.gz");
        write_gzip(zipped, text);
        const Csr<double> once = read_market<double>(plain, {.threads = 1, .progress = {}});
        EXPECT_EQ(csr_problem(once.view(), once.nnz()), "");
        EXPECT_EQ(once.values.size(), static_cast<std::size_t>(once.nnz()));
        for (const int threads : {2, 5}) {
            EXPECT_EQ(text_of(once),
                      text_of(read_market<double>(plain, {.threads = threads, .progress = {}})));
            EXPECT_EQ(text_of(once), text_of(read_market<double>(zipped, in_two_passes(threads))));
            EXPECT_EQ(text_of(once),
                      text_of(read_market<double>(zipped, {.threads = threads, .progress = {}})));
        }
    }
}

TEST(MarketRead, LargeArrayAcrossChunks) {
    const ScratchFolder folder;
    std::string text = kArray + "general\n700 500\n";
    for (int k = 0; k < 700 * 500; ++k) text += k % 3 ? fmt::format("{}\n", k) : "0\n";
    const Csr<double> m = read_market<double>(folder.write("a.mtx", text));
    ASSERT_EQ(m.nnz(), 700 * 500 - (700 * 500 + 2) / 3);
    for (index_t r = 0; r < m.rows; ++r)
        for (std::int32_t i = m.row_ptr[r]; i < m.row_ptr[r + 1]; ++i)
            ASSERT_EQ(m.values[i], m.col_idx[i] * 700 + r);
}

TEST(MarketRead, ErrorLineIsExactInALargeFile) {
    const ScratchFolder folder;
    std::string text = kReal + "9 9 300001\n";
    for (int i = 0; i < 300000; ++i) text += "1 1 1\n";
    const std::string path = folder.write("a.mtx", text + "1 10 1\n" + text);
    for (const int threads : {1, 4}) try {
            read_market<double>(path, {.threads = threads, .progress = {}});
            FAIL();
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(":300003: "), std::string::npos)
                << error.what();
        }
}

TEST(Load, GoesByContent) {
    const ScratchFolder folder;
    const std::string path = folder.write("named.spt", kSymmetric + "2 2 1\n2 1 5\n");
    EXPECT_EQ(text_of(load_matrix<float>(path)), "2x2 (0,1)=5 (1,0)=5");
    EXPECT_EQ(inspect_matrix_file(path).max_nnz, 2);
    EXPECT_EQ(inspect_matrix_file(path).index, IndexType::i32);
}

}  // namespace
}  // namespace sptune
