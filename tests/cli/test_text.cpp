#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "matrix/error.hpp"

#include <gtest/gtest.h>

namespace sptune::cli {
namespace {

TEST(Table, CountsColumnsNotBytes) {
    EXPECT_EQ(display_width("µs ±×"), 5u);
    EXPECT_EQ(display_width("行列"), 4u);
    EXPECT_EQ(display_width("e\u0301"), 1u);
    EXPECT_EQ(fit("ααααα", 3), "αα…");
    EXPECT_EQ(fit("abc", 3), "abc");
}

TEST(Table, SurvivesBrokenUtf8) {
    EXPECT_GT(display_width("\xff\xfe\xe2"), 0u);
}

TEST(Table, AlignsAndTrims) {
    Table table({{"name", Align::left}, {"µs"}}, 1);
    table.add({"a", "1.5"});
    table.add({"long name", "12"});
    table.add({"none"});
    EXPECT_EQ(table.render(Style()),
              " name        µs\n"
              " a          1.5\n"
              " long name   12\n"
              " none\n");
}

TEST(Table, ShrinksItsGapsBeforeItIsTooWide) {
    Table table({{"", Align::left}, {""}}, 0);
    table.add({"aaa", "bbb"});
    EXPECT_EQ(table.render(Style(), 8), "aaa  bbb\n");
    EXPECT_EQ(table.render(Style(), 7), "aaa bbb\n");
}

TEST(Table, WrapsAtSpaces) {
    EXPECT_EQ(wrap("one two three", 8, 2), "one two\n  three");
    EXPECT_EQ(wrap("unbreakable", 4, 2), "unbreakable");
    EXPECT_EQ(wrap("one two three four", 12, 4, 4), "one two\n    three\n    four");
}

TEST(Nearest, SuggestsOnlyLikelyWords) {
    EXPECT_EQ(nearest("proflie", {"profile", "features"}), "profile");
    EXPECT_EQ(nearest("--budgte", {"--budget", "--db"}), "--budget");
    EXPECT_EQ(nearest("xyzzy", {"profile", "features"}), "");
}

TEST(Options, StoresWhatIsGivenAndKeepsTheRest) {
    std::vector<std::string> files;
    std::string json, mode = "warm";
    int threads = 3;
    double budget = 1;
    bool all = false;
    Options options("test", "FILE", "Does nothing.");
    options.operands(files, 1, 2)
        .text("json,j", "FILE", json, "")
        .choice("mode", {"warm", "cold"}, mode, "")
        .integer("threads", "N", threads, 0, 8, "")
        .number("budget", "S", budget, 0, 10, "")
        .flag("all", all, "");
    ASSERT_TRUE(options.parse({"a", "-j", "-", "--budget=2.5", "--all", "--", "--b"}));
    EXPECT_EQ(files, (std::vector<std::string>{"a", "--b"}));
    EXPECT_EQ(json, "-");
    EXPECT_EQ(mode, "warm");
    EXPECT_EQ(threads, 3);
    EXPECT_EQ(budget, 2.5);
    EXPECT_TRUE(all);
    EXPECT_THROW(options.parse({"a", "--threads", "9"}), UsageError);
    EXPECT_THROW(options.parse({"a", "--threads", "1x"}), UsageError);
    EXPECT_THROW(options.parse({"a", "--budget", "nan"}), UsageError);
    EXPECT_THROW(options.parse({"a", "--mode", "hot"}), UsageError);
    EXPECT_THROW(options.parse({"a", "--threads"}), UsageError);
    EXPECT_THROW(options.parse({"a", "--all=1"}), UsageError);
    EXPECT_THROW(options.parse({}), UsageError);
    EXPECT_THROW(options.parse({"a", "b", "c"}), UsageError);
}

}  // namespace
}  // namespace sptune::cli
