// What the GPU finds of a pair is what the CPU finds.
#include "features/cuda/features.hpp"
#include "features/cuda/product.hpp"
#include "features/features.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/needs_gpu.hpp"

namespace sptune {
namespace {

template <class T, class P>
ProductFeatures on_device(const Csr<T, P>& a, const Csr<T, P>& b) {
    const DeviceCsr<T, P> da(a.view()), db(b.view());
    return product_features_on_device(da.view(), db.view(), fingerprint_on_device(da.view()),
                                      fingerprint_on_device(db.view()));
}
template <class T, class P>
ProductFeatures on_host(const Csr<T, P>& a, const Csr<T, P>& b) {
    return product_features(a.view(), b.view(), fingerprint(a.view()), fingerprint(b.view()));
}

void expect_equal_integers(const ProductFeatures& gpu, const ProductFeatures& cpu) {
    EXPECT_EQ(gpu.rows, cpu.rows);
    EXPECT_EQ(gpu.inner, cpu.inner);
    EXPECT_EQ(gpu.cols, cpu.cols);
    EXPECT_EQ(gpu.a_entries, cpu.a_entries);
    EXPECT_EQ(gpu.b_entries, cpu.b_entries);
    EXPECT_EQ(gpu.products, cpu.products);
    EXPECT_EQ(gpu.longest_row, cpu.longest_row);
    EXPECT_EQ(gpu.upper_entries, cpu.upper_entries);
    EXPECT_EQ(gpu.fingerprint, cpu.fingerprint);
    EXPECT_NEAR(gpu.products_per_row, cpu.products_per_row, 1e-9 * cpu.products_per_row);
    EXPECT_NEAR(gpu.products_cv, cpu.products_cv, 1e-6 * (1 + cpu.products_cv));
}

/// A diagonal, and two rows of `length` entries: pieces and long rows of B.
template <class T, class P>
Csr<T, P> arrow(index_t n, index_t length) {
    std::vector<index_t> cols;
    std::vector<P> ptr{0};
    for (index_t i = 0; i < n; ++i) {
        if (i == 1 || i == n - 1)
            for (index_t j = 0; j < length; ++j) cols.push_back(j);
        else
            cols.push_back(i);
        ptr.push_back(static_cast<P>(cols.size()));
    }
    Csr<T, P> a{n, n, Buffer<P>(ptr.size()), Buffer<index_t>(cols.size()),
                Buffer<T>(cols.size(), T{1})};
    std::copy(ptr.begin(), ptr.end(), a.row_ptr.begin());
    std::copy(cols.begin(), cols.end(), a.col_idx.begin());
    return a;
}

template <class Types>
class ProductFeaturesGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(ProductFeaturesGpu, AllTypes);

TYPED_TEST(ProductFeaturesGpu, AreThoseOfTheHost) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const char* family : {"fem", "uniform", "stencil-2d-5", "power-law", "rmat"})
        for (const int rows : {1, 33, 5000, 60000}) {
            SCOPED_TRACE(std::string(family) + " " + std::to_string(rows));
            const auto a = generate<T, P>({family, {{"rows", rows}}, 3});
            const ProductFeatures gpu = on_device(a, a), cpu = on_host(a, a);
            expect_equal_integers(gpu, cpu);
            if (cpu.longest_row > 1 << 19) continue;  // left out of the GPU's sample
            EXPECT_NEAR(gpu.sampled_share, cpu.sampled_share, 1e-9);
            EXPECT_NEAR(gpu.compression, cpu.compression, 1e-9 * cpu.compression);
            EXPECT_NEAR(gpu.estimated_entries, cpu.estimated_entries, 1e-6 * cpu.estimated_entries);
        }
}

TYPED_TEST(ProductFeaturesGpu, OfLongRows) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const index_t length : {1, 63, 64, 4095, 4096, 4097, 20000, 50000}) {
        SCOPED_TRACE(length);
        const auto a = arrow<T, P>(50000, length);
        const ProductFeatures gpu = on_device(a, a), cpu = on_host(a, a);
        expect_equal_integers(gpu, cpu);
        EXPECT_NEAR(gpu.estimated_entries, cpu.estimated_entries, 1e-6 * cpu.estimated_entries);
    }
}

TYPED_TEST(ProductFeaturesGpu, RowsOfVeryManyProductsAreLeftOutOfTheSample) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    // A single row that meets only long rows of B.
    const index_t n = 2000;
    Csr<T, P> a{1, n, Buffer<P>(2), Buffer<index_t>(n), Buffer<T>(n, T{1})};
    a.row_ptr[0] = 0, a.row_ptr[1] = n;
    Csr<T, P> b{n, n, Buffer<P>(n + 1), Buffer<index_t>(std::size_t{n} * n / 2),
                Buffer<T>(std::size_t{n} * n / 2, T{1})};
    b.row_ptr[0] = 0;
    for (index_t i = 0; i < n; ++i) {
        a.col_idx[static_cast<std::size_t>(i)] = i;
        for (index_t j = 0; j < n / 2; ++j)
            b.col_idx[static_cast<std::size_t>(i) * (n / 2) + static_cast<std::size_t>(j)] = j;
        b.row_ptr[static_cast<std::size_t>(i) + 1] = static_cast<P>((i + 1) * (n / 2));
    }
    const ProductFeatures gpu = on_device(a, b);
    expect_equal_integers(gpu, on_host(a, b));
    EXPECT_EQ(gpu.sampled_share, 0);
    EXPECT_EQ(gpu.estimated_entries, n);  // the upper bound
}

TEST(ProductFeaturesGpuMore, EmptyMatrices) {
    SPTUNE_NEEDS_GPU();
    Csr<double> none{0, 3, Buffer<int>(1, 0), Buffer<index_t>(0), Buffer<double>(0)};
    Csr<double> hollow{3, 3, Buffer<int>(4, 0), Buffer<index_t>(0), Buffer<double>(0)};
    expect_equal_integers(on_device(none, hollow), on_host(none, hollow));
    expect_equal_integers(on_device(hollow, hollow), on_host(hollow, hollow));
}

}  // namespace
}  // namespace sptune
