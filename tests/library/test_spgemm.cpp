// auto_spgemm as other programs see it.
#include "tests/library/stencil.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using sptune_test::Matrix;
using sptune_test::wavy;

template <class Types>
class LibrarySpgemm : public testing::Test {};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(LibrarySpgemm, AllTypes);

/// (A·B) x against A (B x).
TYPED_TEST(LibrarySpgemm, MultipliesLikeTwoVectorProducts) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const Matrix<T, P> a(300, 20), b(320);
    const auto c = sptune::auto_spgemm(a.view(), b.view());
    const sptune::csr_view<T, P> v = c.view();
    ASSERT_EQ(v.rows, 300);
    ASSERT_EQ(v.cols, 320);
    ASSERT_EQ(v.nnz, v.row_ptr[v.rows]);
    EXPECT_EQ(c.source(), "model");
    EXPECT_NE(c.made_by().find("spgemm.cpu."), std::string::npos) << c.made_by();

    const auto x = wavy<double>(320);
    const Matrix<double, P> a64(300, 20), b64(320);
    const auto expected =
        a64.times(1, b64.times(1, x, 0, std::vector<double>(320)), 0, std::vector<double>(300));
    const double tolerance = 4000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::int32_t i = 0; i < v.rows; ++i) {
        double sum = 0;
        for (P k = v.row_ptr[i]; k < v.row_ptr[i + 1]; ++k) {
            if (k > v.row_ptr[i]) {
                ASSERT_LT(v.col_idx[k - 1], v.col_idx[k]) << "row " << i;
            }
            sum += v.values[k] * x[static_cast<std::size_t>(v.col_idx[k])];
        }
        ASSERT_NEAR(sum, expected[static_cast<std::size_t>(i)],
                    tolerance * (1 + std::abs(expected[static_cast<std::size_t>(i)])));
    }
}

template <class Work>
sptune::status refused_with(const Work& work, const std::string& part) {
    try {
        work();
    } catch (const sptune::error& e) {
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
        return e.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return sptune::status::ok;
}

TEST(LibrarySpgemm, RefusesWhatCannotBeMultiplied) {
    const Matrix<double, std::int32_t> a(30, 2);
    EXPECT_EQ(refused_with([&] { sptune::auto_spgemm(a.view(), a.view()); }, "30 × 32"),
              sptune::status::invalid_argument);
    const Matrix<double, std::int32_t> square(30);
    sptune::spgemm_options options;
    options.variant = "spgemm.cpu.no.such.f64.i32";
    EXPECT_EQ(refused_with([&] { sptune::auto_spgemm(square.view(), square.view(), options); },
                           "no.such"),
              sptune::status::invalid_argument);
}

TEST(LibrarySpgemm, UsesTheKernelThatIsAskedFor) {
    const Matrix<double, std::int32_t> a(30);
    sptune::spgemm_options options;
    const std::string id = sptune::auto_spgemm(a.view(), a.view()).made_by();
    options.variant = id.c_str();
    const auto c = sptune::auto_spgemm(a.view(), a.view(), options);
    EXPECT_EQ(c.made_by(), id);
    EXPECT_EQ(c.source(), "asked for");
    EXPECT_EQ(c.why(), id + " was asked for.");
}

TEST(LibrarySpgemm, AsksNobodyWhereTheModeIsOff) {
    const Matrix<double, std::int32_t> a(30);
    sptune::spgemm_options options;
    options.database = "/nonexistent/database";
    const auto asked = sptune::auto_spgemm(a.view(), a.view(), options);
    EXPECT_NE(asked.why().find("/nonexistent/database"), std::string::npos) << asked.why();
    setenv("SPTUNE_MODE", "off", 1);
    const auto c = sptune::auto_spgemm(a.view(), a.view(), options);
    unsetenv("SPTUNE_MODE");
    EXPECT_EQ(c.source(), "default");
    EXPECT_EQ(c.why(), "SPTUNE_MODE is off: the default, " + c.made_by() + ".");
}

TEST(LibrarySpgemm, SaysWhatADatabaseHadToPassOver) {
    const auto file =
        std::filesystem::temp_directory_path() / ("sptune-product-" + std::to_string(getpid()));
    std::ofstream(file) << "garbage";
    const Matrix<double, std::int32_t> a(30);
    sptune::spgemm_options options;
    const std::string database = file.string();
    options.database = database.c_str();
    const auto c = sptune::auto_spgemm(a.view(), a.view(), options);
    EXPECT_EQ(c.source(), "model");
    EXPECT_NE(c.why().find("Passed over: " + database), std::string::npos) << c.why();
    EXPECT_NE(c.why().find(c.made_by() + " is what the model takes"), std::string::npos) << c.why();
    std::filesystem::remove(file);
}

}  // namespace
