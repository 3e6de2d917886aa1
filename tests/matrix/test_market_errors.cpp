// Files the Matrix Market reader must refuse: where the message points and what it says.
#include "matrix/error.hpp"
#include "matrix/load.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace sptune {
namespace {

struct Refused {
    const char* name;
    std::string file;
    int line;  ///< 0: none
    const char* says;
};

std::string banner(const std::string& kind) {
    return "%%MatrixMarket matrix " + kind + "\n";
}
const std::string kReal = banner("coordinate real general");
const std::string kPattern = banner("coordinate pattern general");

const std::vector<Refused> kRefused = {
    {"empty", "", 0, "empty"},
    {"not_matrix_market", "hello\n", 1, "no Matrix Market"},
    {"binary", std::string("\x7f\x45\x4c\x46\0\0\n", 7), 1, "no Matrix Market"},
    {"carriage_returns", "%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 1\r", 1,
     "tr '"},
    {"no_line_end", "%%MatrixMarket", 1, "5"},
    {"banner_short", "%%MatrixMarket matrix coordinate\n1 1 1\n", 1, "3 words"},
    {"object", "%%MatrixMarket vector coordinate real general\n", 1, "'vector'"},
    {"layout", banner("dense real general"), 1, "'dense'"},
    {"field", banner("coordinate quaternion general"), 1, "'quaternion'"},
    {"symmetry", banner("coordinate real diagonal"), 1, "'diagonal'"},
    {"complex", banner("coordinate complex general") + "1 1 1\n1 1 1 0\n", 1, "complex"},
    {"complex_hermitian", banner("coordinate complex hermitian") + "1 1 1\n1 1 1 0\n", 1,
     "complex"},
    {"array_pattern", banner("array pattern general") + "1 1\n1\n", 1, "pattern"},
    {"no_sizes", kReal + "% only\n", 2, "sizes"},
    {"two_sizes", kReal + "1 1\n", 2, "rows columns entries"},
    {"array_three_sizes", banner("array real general") + "1 1 1\n1\n", 2, "rows columns"},
    {"size_no_number", kReal + "1 x 1\n", 2, "'x'"},
    {"size_fraction", kReal + "1.5 1 1\n", 2, "'1.5'"},
    {"size_negative", kReal + "-1 1 1\n", 2, "-1"},
    {"rows_overflow_32", kReal + "2147483648 1 1\n1 1 1\n", 2, "2147483647"},
    {"columns_overflow_64", kReal + "1 99999999999999999999 1\n", 2, "99999999999999999999"},
    {"entries_overflow_64", kReal + "1 1 99999999999999999999\n", 2, "entries"},
    {"entries_absurd", kReal + "9 9 4611686018427387904\n1 1 1\n", 2, "at most"},
    {"array_absurd", banner("array real general") + "2147483647 2147483647\n1\n", 2, "at most"},
    {"not_square", banner("coordinate real symmetric") + "2 3 1\n1 1 1\n", 2, "square"},
    {"entries_without_rows", kReal + "0 3 1\n1 1 1\n", 2, "expected none"},
    {"row_0", kReal + "2 2 1\n0 1 1\n", 3, "the row is '0'; expected a whole number from 1 to 2"},
    {"column_0", kReal + "2 2 1\n1 0 1\n", 3, "the column is '0'"},
    {"row_beyond", kReal + "2 2 2\n1 1 1\n3 1 1\n", 4, "'3'"},
    {"column_beyond", kReal + "2 2 1\n\n% c\n1 3 1\n", 5, "'3'"},
    {"row_negative", kReal + "2 2 1\n-1 1 1\n", 3, "'-1'"},
    {"row_overflow_64", kReal + "2 2 1\n18446744073709551617 1 1\n", 3, "from 1 to 2"},
    {"row_overflow_wraps", kReal + "2 2 1\n184467440737095516170 1 1\n", 3, "from 1 to 2"},
    {"row_fraction", kReal + "2 2 1\n1.0 1 1\n", 3, "'1.0'"},
    {"row_word", kReal + "2 2 1\nx 1 1\n", 3, "'x'"},
    {"column_missing", kReal + "2 2 1\n1\n", 3, "column is missing"},
    {"value_missing", kReal + "2 2 1\n1 1\n", 3, "value is missing"},
    {"value_word", kReal + "2 2 1\n1 1 x\n", 3, "'x'; expected a number"},
    {"value_tail", kReal + "2 2 1\n1 1 1.5x\n", 3, "'1.5x'"},
    {"value_hex", kReal + "2 2 1\n1 1 0x10\n", 3, "'0x10'"},
    {"value_two_signs", kReal + "2 2 1\n1 1 +-1\n", 3, "'+-1'"},
    {"value_lone_sign", kReal + "2 2 1\n1 1 -\n", 3, "'-'"},
    {"value_comma", kReal + "2 2 1\n1 1 1,5\n", 3, "'1,5'"},
    {"nan", kReal + "2 2 1\n1 1 nan\n", 3, "'nan'; expected a finite number"},
    {"minus_nan", kReal + "2 2 1\n1 1 -NaN\n", 3, "finite"},
    {"inf", kReal + "2 2 1\n1 1 Inf\n", 3, "finite"},
    {"infinity", kReal + "2 2 1\n1 1 -infinity\n", 3, "finite"},
    {"value_overflow", kReal + "2 2 1\n1 1 1e999\n", 3, "fits f64"},
    {"sum_overflow",
     kReal + "3 2 6\n3 1 1\n3 1 1e308\n3 2 1e308\n2 2 -1e308\n3 2 1e308\n2 2 -1e308\n", 8,
     "row 2, column 2 adds up to more than f64 holds"},
    {"sum_overflow_both_halves",
     banner("coordinate real symmetric") + "2 2 2\n1 2 1e308\n2 1 1e308\n", 4, "row 1, column 2"},
    {"integer_fraction", banner("coordinate integer general") + "1 1 1\n1 1 1.5\n", 3, "whole"},
    {"integer_word", banner("coordinate integer general") + "1 1 1\n1 1 -\n", 3, "whole"},
    {"extra_token", kReal + "2 2 1\n1 1 1 7\n", 3, "'7' follows"},
    {"pattern_with_value", kPattern + "2 2 1\n1 1 1.0\n", 3, "'1.0' follows"},
    {"array_two_a_line", banner("array real general") + "2 1\n1 2\n", 3, "'2' follows"},
    {"nul_byte", kReal + "2 2 1\n1 1 1" + std::string(1, '\0') + "\n", 3, "\\x00"},
    {"too_few", kReal + "2 2 3\n1 1 1\n2 2 1\n", 4, "ends after 2 entries; expected the 3"},
    {"too_many", kReal + "2 2 1\n1 1 1\n% c\n2 2 1\n1 2 1\n", 5, "more entries than the 1"},
    {"too_many_none_promised", kReal + "2 2 0\n1 1 1\n", 3, "more entries than the 0"},
    {"array_too_few", banner("array real general") + "2 2\n1\n2\n3\n", 5, "ends after 3"},
    {"array_too_many", banner("array real general") + "1 1\n1\n2\n", 4, "more entries"},
    {"array_word", banner("array real general") + "1 1\nx\n", 3, "'x'"},
    {"skew_diagonal", banner("coordinate real skew-symmetric") + "2 2 1\n2 2 1\n", 3, "diagonal"},
    {"skew_pattern_diagonal", banner("coordinate pattern skew-symmetric") + "2 2 1\n2 2\n", 3,
     "diagonal"},
    {"gzip_truncated", std::string("\x1f\x8b\x08\x00", 4), 0, "gzip"},
    {"gzip_damaged", "\x1f\x8b garbage that is no gzip", 0, "gzip"},
};

class MarketRefused : public testing::TestWithParam<Refused> {};

std::string message_of(const std::string& path, const MarketReadOptions& options = {}) {
    try {
        load_matrix<double>(path, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST_P(MarketRefused, SaysWhereAndWhat) {
    const ScratchFolder folder;
    const std::string path = folder.write("a.mtx", GetParam().file);
    const std::string line = GetParam().line ? ":" + std::to_string(GetParam().line) : "";
    const std::string message = message_of(path);
    EXPECT_TRUE(message.starts_with(path + line + ": ")) << message;
    EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
    MarketReadOptions in_two_passes;
    in_two_passes.staging_bytes = 0;
    EXPECT_EQ(message_of(path, in_two_passes), message);
}

INSTANTIATE_TEST_SUITE_P(Table, MarketRefused, testing::ValuesIn(kRefused),
                         [](const auto& tested) { return tested.param.name; });

TEST(MarketErrors, FloatOverflow) {
    const ScratchFolder folder;
    const std::string path = folder.write("a.mtx", kReal + "1 1 1\n1 1 1e39\n");
    EXPECT_EQ(load_matrix<double>(path).values[0], 1e39);
    EXPECT_THROW(load_matrix<float>(path), InputError);
}

TEST(MarketErrors, PathsThatAreNoFiles) {
    const ScratchFolder folder;
    EXPECT_NE(message_of(folder.file("")).find("directory"), std::string::npos);
    EXPECT_NE(message_of(folder.file("none.mtx")).find("No such file"), std::string::npos);
    ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_NE(message_of(folder.file("pipe")).find("pipe"), std::string::npos);
}

TEST(MarketErrors, NoPermission) {
    if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const ScratchFolder folder;
    const std::string path = folder.write("a.mtx", kReal);
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_NE(message_of(path).find("Permission denied"), std::string::npos);
}

TEST(MarketErrors, TruncatedGzip) {
    const ScratchFolder folder;
    std::string text = kReal + "1000 1000 1000\n";
    for (int i = 1; i <= 1000; ++i)
        text += std::to_string(i) + " 1 " + std::to_string(i * i) + "\n";
    gzFile file = gzopen(folder.file("a.gz").c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    const std::string whole = ScratchFolder::read(folder.file("a.gz"));
    EXPECT_EQ(message_of(folder.file("a.gz")), "accepted");
    for (std::size_t size = 2; size < whole.size(); size += 7)
        EXPECT_NE(message_of(folder.write("b.gz", whole.substr(0, size))).find("gzip"),
                  std::string::npos)
            << size;
}

TEST(MarketErrors, LinesOfGzipBeyondItsFirstBlock) {
    const ScratchFolder folder;
    std::string text = kReal + "9 9 100000\n";  // two lines
    for (int i = 3; i <= 100'000; ++i) text += i == 50'000 ? "1 10 1\n" : "1 1 1\n";
    gzFile file = gzopen(folder.file("a.gz").c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    const std::string message = message_of(folder.file("a.gz"));
    EXPECT_NE(message.find("a.gz:50000:"), std::string::npos) << message;
}

TEST(MarketErrors, OtherBytesBehindGzip) {
    const ScratchFolder folder;
    gzFile file = gzopen(folder.file("a.gz").c_str(), "wb");
    gzputs(file, (kReal + "1 1 1\n1 1 2\n").c_str());
    gzclose(file);
    const std::string whole = ScratchFolder::read(folder.file("a.gz"));
    EXPECT_EQ(message_of(folder.write("b.gz", whole + std::string(700, '\0'))), "accepted");
    for (const std::string rest : {"garbage", "\x1f"})
        EXPECT_NE(message_of(folder.write("b.gz", whole + rest)).find("behind its gzip data"),
                  std::string::npos)
            << rest;
}

}  // namespace
}  // namespace sptune
