// Several vectors at once on the GPU against the reference.
#include "kernels/spmm/cuda.hpp"
#include "kernels/spmm/row_lengths.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tests/kernels/many_vectors.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace sptune {
namespace {

template <class T>
DeviceBuffer<T> to_device(const Block<T>& b) {
    return DeviceBuffer<T>(b.memory.data(), b.room);
}

template <class U, class T>
Vectors<U> on_device(const Block<T>& b, U* data) {
    return b.rows ? Vectors<U>::row_by_row(data, b.step) : Vectors<U>::one_by_one(data, b.step);
}

template <class Types>
class SpmmGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(SpmmGpu, AllTypes);

TYPED_TEST(SpmmGpu, EqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    auto cases = awkward<T, P>();
    Rows long_rows = random_rows(300, 5000, 3, 8);  // that a block shares, next to each other too
    long_rows[17] = every(5000);
    long_rows[18] = every(5000, 7);
    long_rows[19] = every(513);
    long_rows[299] = every(5000, 2);
    cases.push_back(make<T, P>("long rows", 5000, long_rows));
    for (const auto& c : cases) {
        const DeviceCsr<T, P> a(c.a.view());
        const auto lengths = cuda::look_at_rows(a.view().row_ptr, c.a.rows);
        // As where there was no memory for it.
        const auto unsorted = std::const_pointer_cast<cuda::RowLengths>(
            cuda::look_at_rows(a.view().row_ptr, c.a.rows));
        unsorted->sorted_pieces = {}, unsorted->cut_rows = {};
        DeviceBuffer<char> memory(cuda::copied_bytes(a.view(), 32));
        for (const std::size_t count : {1, 2, 3, 5, 8, 9, 16, 31, 33, 64, 70, 200})
            for (const int way : {0, 1, 2, 3, 4, 11}) {  // rows, lengths, copied, nothing sorted
                const bool rows = way & 1;
                // Rows that begin anywhere, and such that 16 bytes can be loaded at once.
                const std::size_t gap = count % 2 ? 5 : count == 16 ? 4 : 0;
                const T alpha = rows ? T(-1.5) : T(1);
                const T beta = gap ? T(0.5) : count == 8 ? T(1) : T(0);
                ManyVectors<T, P> v(c, count, gap, rows, rows, beta);
                const auto x = to_device(v.x);
                auto y = to_device(v.y);
                const auto from = on_device<const T>(v.x, x.data());
                const auto to = on_device<T>(v.y, y.data());
                if (way & 4)
                    cuda::multiply_many_copied(a.view(), alpha, from, beta, to, count, *lengths,
                                               count < 8    ? 4
                                               : count < 16 ? 8
                                               : count < 64 ? 16
                                                            : 32,
                                               memory.data(), nullptr);
                else
                    cuda::multiply_many(a.view(), alpha, from, beta, to, count,
                                        way & 8   ? unsorted.get()
                                        : way & 2 ? lengths.get()
                                                  : nullptr,
                                        nullptr);
                const Buffer<T> got = y.to_host();
                if (v.y.room) std::memcpy(v.y.memory.data(), got.data(), v.y.room * sizeof(T));
                ASSERT_EQ(v.wrong(c, alpha, beta), "") << "way " << way << ", gap " << gap;
            }
    }
}

/// Also where x and y lie elsewhere.
TYPED_TEST(SpmmGpu, RepeatsItself) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Rows rows = random_rows(3000, 3000, 9, 5);
    rows[1000] = every(3000);
    const auto c = make<T, P>("", 3000, rows);
    const DeviceCsr<T, P> a(c.a.view());
    for (const std::size_t count : {8, 40}) {
        const ManyVectors<T, P> v(c, count, 0, true, true, 0);
        Buffer<T> first;
        for (const std::size_t shift : {0, 0, 1, 2, 3}) {
            Buffer<T> shifted(v.x.room + shift);
            std::copy_n(v.x.memory.data(), v.x.room, shifted.data() + shift);
            for (std::size_t i = 0; i < shift; ++i) shifted[i] = 0;
            const DeviceBuffer<T> x(shifted);
            DeviceBuffer<T> y(v.y.room + shift);
            cuda::multiply_many(a.view(), T{1}, on_device<const T>(v.x, x.data() + shift), T{0},
                                on_device<T>(v.y, y.data() + shift), count, nullptr, nullptr);
            const Buffer<T> got = y.to_host();
            if (first.empty()) {
                first = Buffer<T>(v.y.room);
                std::copy_n(got.data() + shift, v.y.room, first.data());
            }
            ASSERT_EQ(std::memcmp(got.data() + shift, first.data(), first.bytes()), 0) << shift;
        }
    }
}

}  // namespace
}  // namespace sptune
