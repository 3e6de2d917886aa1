// What libsptune reads from databases and stores there, as other programs see it.
#include "tests/library/stencil.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using sptune_test::expect_near;
using sptune_test::Matrix;
using sptune_test::wavy;

TEST(LibraryModes, OffMeansPlainCsr) {
    setenv("SPTUNE_MODE", "off", 1);
    const Matrix<double, std::int32_t> m(1000);
    sptune::plan_options options;
    options.expected_calls = 1e9;
    EXPECT_NE(sptune::plan(m.view(), options).selection().id.find(".csr.static.x32.l1.u1"),
              std::string::npos);
    setenv("SPTUNE_MODE", "nonsense", 1);
    EXPECT_THROW(sptune::plan(m.view()), sptune::error);
    unsetenv("SPTUNE_MODE");
}

TEST(LibraryModes, TuneMeasuresOnceAndStores) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("sptune-tune-" + std::to_string(getpid()));
    setenv("SPTUNE_MODE", "tune", 1);
    const Matrix<double, std::int32_t> m(500);
    const std::string where = folder.string();
    sptune::plan_options options;
    options.database = where.c_str();
    options.threads = 1;
    const auto first = sptune::plan(m.view(), options);
    EXPECT_EQ(first.selection().source, "exact") << first.why();
    EXPECT_NE(first.why().find("measured for"), std::string::npos) << first.why();
    const auto again = sptune::plan(m.view(), options);
    EXPECT_EQ(again.selection().source, "exact");
    EXPECT_EQ(again.why().find("measured for"), std::string::npos) << again.why();
    // What cannot be stored stops no program.
    const std::string file = (folder / "file").string();
    std::ofstream(file) << "no database";
    options.database = file.c_str();
    EXPECT_EQ(sptune::plan(Matrix<double, std::int32_t>(300).view(), options).selection().source,
              "model");
    unsetenv("SPTUNE_MODE");
    std::filesystem::remove_all(folder);
}

/// A folder of its own, named by the environment as a user's and a system's would be.
class LibraryDatabases : public testing::Test {
  protected:
    // Another one for each test: a process looks once which databases there are.
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() /
        (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
    std::string before_ = std::getenv("SPTUNE_DB") ? std::getenv("SPTUNE_DB") : "";

    void SetUp() override {
        unsetenv("SPTUNE_DB");
        setenv("XDG_DATA_HOME", (folder_ / "home").c_str(), 1);
        setenv("XDG_DATA_DIRS", (folder_ / "system").c_str(), 1);
    }
    void TearDown() override {
        for (const char* name : {"XDG_DATA_HOME", "XDG_DATA_DIRS", "SPTUNE_MODE"}) unsetenv(name);
        setenv("SPTUNE_DB", before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
};

TEST_F(LibraryDatabases, TheSystemsOneIsReadAndNotWritten) {
    const Matrix<double, std::int32_t> m(500);
    sptune::plan_options options;
    options.threads = 1;
    setenv("SPTUNE_MODE", "tune", 1);
    std::filesystem::create_directories(folder_ / "system/sptune/db");
    EXPECT_EQ(sptune::plan(m.view(), options).selection().source, "exact");
    std::filesystem::remove_all(folder_ / "system/sptune");
    std::filesystem::rename(folder_ / "home/sptune", folder_ / "system/sptune");
    const auto plan = sptune::plan(m.view(), options);
    EXPECT_EQ(plan.selection().source, "exact");
    EXPECT_NE(plan.why().find("the system's database"), std::string::npos) << plan.why();
    EXPECT_EQ(plan.why().find("measured for"), std::string::npos) << plan.why();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "home/sptune"));
    // What is named stands alone.
    const std::string other = (folder_ / "other").string();
    options.database = other.c_str();
    unsetenv("SPTUNE_MODE");
    EXPECT_EQ(sptune::plan(m.view(), options).selection().source, "model");
}

TEST_F(LibraryDatabases, ANamedOneThatIsNotThereIsToldAtOnce) {
    const std::string nowhere = (folder_ / "nowhere").string();
    setenv("SPTUNE_DB", nowhere.c_str(), 1);
    const Matrix<double, std::int32_t> m(400);
    const auto x = wavy<double>(400);
    std::vector<double> y(400);
    sptune::auto_spmv(m.view(), x.data(), y.data());
    const std::string why = sptune::why(m.view());
    EXPECT_NE(why.find("Passed over: " + nowhere + " does not exist"), std::string::npos) << why;
    sptune::forget(m.view());
}

TEST_F(LibraryDatabases, WhatIsBrokenStopsNoProgram) {
    std::filesystem::create_directories(folder_ / "system/sptune");
    std::ofstream(folder_ / "system/sptune/db.json") << "{\"schema\": \"sptune.export/9\"}";
    std::ofstream(folder_ / "system/sptune/db") << "garbage";
    const Matrix<double, std::int32_t> m(500);
    const auto plan = sptune::plan(m.view());
    EXPECT_EQ(plan.selection().source, "model");
    EXPECT_NE(plan.why().find("Passed over: " + (folder_ / "system/sptune/db").string()),
              std::string::npos)
        << plan.why();
    const auto x = wavy<double>(500);
    std::vector<double> y(500);
    sptune::auto_spmv(m.view(), x, y);
    expect_near(y, m.times(1, x, 0, y));
    const std::string why = sptune::why(m.view());
    EXPECT_NE(why.find("Passed over: " + (folder_ / "system/sptune/db").string()),
              std::string::npos)
        << "before anything is chosen: " << why;
    sptune::forget(m.view());
}

TEST_F(LibraryDatabases, MeasuringOneMatrixKeepsNobodyFromOthers) {
    const Matrix<double, std::int32_t> a(300), b(310), fresh(500), twin(500);
    const auto x = wavy<double>(500);
    std::vector<double> y(500), of_fresh(500), of_twin(500);
    const auto multiply = [&](const auto& m, std::vector<double>& result) {
        sptune::auto_spmv(m.view(), x.data(), result.data());
    };
    multiply(a, y), multiply(b, y);
    setenv("SPTUNE_MODE", "tune", 1);
    std::atomic<bool> begun{false}, done{false};
    std::thread other([&] {
        begun = true;
        multiply(fresh, of_fresh);
        done = true;
    });
    std::thread and_another([&] { multiply(twin, of_twin); });
    while (!begun) std::this_thread::yield();
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
    for (int i = 0; i < 10; ++i) wait();  // until it is at it, for a second and more
    int calls = 0;
    for (; !done; ++calls) multiply(a, y), multiply(b, y), wait();
    other.join();
    and_another.join();
    EXPECT_GT(calls, 20);
    int measured = 0;
    for (const auto* m : {&fresh, &twin}) {
        const std::string why = sptune::why(m->view());
        measured += why.find("measured for") != std::string::npos;
        EXPECT_NE(why.find("was measured on this matrix"), std::string::npos) << why;
    }
    EXPECT_EQ(measured, 1) << "one after the other, and the second knows it then";
    for (const auto* m : {&a, &b, &fresh, &twin}) sptune::forget(m->view());
}

}  // namespace
