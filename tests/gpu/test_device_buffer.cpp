// Device memory, and the building blocks of conversions.
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/sort.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace sptune {
namespace {

template <class T>
Buffer<T> host(const std::vector<T>& list) {
    Buffer<T> buffer(list.size());
    std::ranges::copy(list, buffer.begin());
    return buffer;
}
template <class T>
DeviceBuffer<T> device(const std::vector<T>& list) {
    return DeviceBuffer<T>(host(list));
}
template <class T>
std::vector<T> back(const DeviceBuffer<T>& buffer) {
    const Buffer<T> copy = buffer.to_host();
    return {copy.begin(), copy.end()};
}

class DeviceMemory : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};

TEST_F(DeviceMemory, ComesBackAsItWent) {
    std::vector<double> numbers(100003);
    std::iota(numbers.begin(), numbers.end(), 0.5);
    const DeviceBuffer<double> there = device(numbers);
    EXPECT_EQ(there.size(), numbers.size());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there.data()) % 256, 0u);
    EXPECT_EQ(back(there), numbers);
    EXPECT_EQ(there.at(77), 77.5);
}

TEST_F(DeviceMemory, MayBeEmpty) {
    const DeviceBuffer<int> none, zero(0), copied{Buffer<int>()};
    EXPECT_TRUE(none.empty() && zero.empty() && copied.empty());
    EXPECT_TRUE(back(copied).empty());
}

TEST_F(DeviceMemory, MovesWithoutCopying) {
    DeviceBuffer<int> a = device<int>({1, 2, 3});
    const int* at = a.data();
    DeviceBuffer<int> b(std::move(a));
    EXPECT_EQ(b.data(), at);
    DeviceBuffer<int> c(5);
    c = std::move(b);
    EXPECT_EQ(c.data(), at);
    EXPECT_EQ(back(c), (std::vector<int>{1, 2, 3}));
}

TEST_F(DeviceMemory, FillsBytes) {
    DeviceBuffer<unsigned> a(9);
    a.fill_bytes(0xab);
    EXPECT_EQ(back(a), std::vector<unsigned>(9, 0xababababu));
}

TEST_F(DeviceMemory, RefusesWhatDoesNotFitAndStaysUsable) {
    EXPECT_THROW(DeviceBuffer<char>(std::size_t{1} << 46), OutOfMemory);
    EXPECT_THROW(DeviceBuffer<double>(std::numeric_limits<std::size_t>::max() / 2), OutOfMemory);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(back(device<int>({4, 5})), (std::vector<int>{4, 5}));
}

TEST_F(DeviceMemory, AnIllegalAccessLosesTheDevice) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // CUDA does not survive a plain fork
    constexpr int kLost = 7;
    const auto go_astray = [] {
        try {
            cuda::max_of(reinterpret_cast<const std::int32_t*>(4096), 1 << 20);
        } catch (const CudaError& e) {
            std::_Exit(e.lost ? kLost : 1);
        }
    };
    EXPECT_EXIT(go_astray(), testing::ExitedWithCode(kLost), "");
    EXPECT_FALSE(CudaError("refused", cudaErrorInvalidConfiguration).lost);
}

TEST_F(DeviceMemory, IsKeptForTheNextAndCountedAsAvailable) {
    constexpr std::uint64_t kSize = std::uint64_t{256} << 20;
    const std::uint64_t before = device_available_memory();
    ASSERT_GT(before, 2 * kSize);
    {
        const DeviceBuffer<char> a(kSize);
        EXPECT_LE(device_available_memory(), before - kSize / 2);
    }
    SPTUNE_CUDA(cudaDeviceSynchronize());
    EXPECT_GE(device_available_memory(), before - kSize / 2);
}

TEST_F(DeviceMemory, IsTheSameAgainForWhatIsAsLarge) {
    const char *first = nullptr, *other = nullptr;
    {
        const DeviceBuffer<char> a(100'000), b(100'000);
        first = a.data(), other = b.data();
        EXPECT_NE(first, other);
    }
    const DeviceBuffer<char> a(99'000);
    EXPECT_TRUE(a.data() == first || a.data() == other);
    const DeviceBuffer<char> much_smaller(50'000);
    EXPECT_TRUE(much_smaller.data() != first && much_smaller.data() != other);
}

TEST_F(DeviceMemory, WhatIsKeptMakesRoomForWhatIsLarger) {
    constexpr std::uint64_t kPart = std::uint64_t{1} << 30;
    if (device_available_memory() < 4 * kPart) GTEST_SKIP() << "less than 4 GiB are free";
    { const DeviceBuffer<char> kept(kPart); }
    std::size_t free = 0, total = 0;
    SPTUNE_CUDA(cudaMemGetInfo(&free, &total));
    const std::uint64_t available = device_available_memory();
    if (available < free + kPart) GTEST_SKIP() << "this GPU is too small for anything to be kept";
    const DeviceBuffer<char> more(available - kPart / 2);
    EXPECT_NE(more.data(), nullptr);
}

TEST_F(DeviceMemory, CountsTheMostThatWasHeldAtOnce) {
    constexpr std::uint64_t kSize = 1'000'000;
    device_peak_memory();
    const std::uint64_t before = device_peak_memory();
    for (int i = 0; i < 3; ++i) {
        const DeviceBuffer<char> a(kSize), b(kSize);
    }
    const std::uint64_t peak = device_peak_memory() - before;
    EXPECT_GE(peak, 2 * kSize);
    EXPECT_LE(peak, 3 * kSize);
    EXPECT_EQ(device_peak_memory(), before);
}

TEST_F(DeviceMemory, HoldsACsrMatrix) {
    const Buffer<int> row_ptr = host<int>({0, 2, 2, 3}), columns = host<int>({0, 3, 1});
    const Buffer<float> values = host<float>({1, 2, 3});
    const DeviceCsr<float> there(
        CsrView<float>{3, 4, row_ptr.data(), columns.data(), values.data()});
    EXPECT_EQ(there.view().nnz(), 3);  // without reading device memory
    EXPECT_EQ(back(there.row_ptr), (std::vector<int>{0, 2, 2, 3}));
    EXPECT_EQ(back(there.col_idx), (std::vector<int>{0, 3, 1}));
    const DeviceCsr<float> none(CsrView<float>{0, 0, nullptr, nullptr, nullptr});
    EXPECT_EQ(none.view().nnz(), 0);
    EXPECT_EQ(back(none.row_ptr), (std::vector<int>{0}));
}

class Primitives : public DeviceMemory {};

TEST_F(Primitives, CountsBecomePointers) {
    for (const std::size_t size : {1, 2, 1000, 70001}) {
        std::vector<std::int64_t> wide(size);
        for (std::size_t i = 0; i < size; ++i) wide[i] = static_cast<std::int64_t>(i % 7);
        wide.back() = -5;  // ignored
        std::vector<std::int32_t> narrow(wide.begin(), wide.end());
        std::vector<std::int64_t> pointers(size, 0);
        for (std::size_t i = 1; i < size; ++i) pointers[i] = pointers[i - 1] + wide[i - 1];

        auto there = device(wide);
        EXPECT_EQ(cuda::counts_to_pointers(there), pointers.back());
        EXPECT_EQ(back(there), pointers);
        auto there32 = device(narrow);
        EXPECT_EQ(cuda::counts_to_pointers(there32), pointers.back());
        EXPECT_TRUE(std::ranges::equal(back(there32), pointers));
    }
    DeviceBuffer<std::int32_t> none;
    EXPECT_EQ(cuda::counts_to_pointers(none), 0);
}

TEST_F(Primitives, ATotalBeyond32BitsIsRefused) {
    auto counts = device<std::int32_t>({2000000000, 2000000000, 0});
    EXPECT_THROW(cuda::counts_to_pointers(counts), Error);
    auto wide = device<std::int64_t>({2000000000, 2000000000, 0});
    EXPECT_EQ(cuda::counts_to_pointers(wide), 4000000000);
}

TEST_F(Primitives, FindLargestAndSum) {
    std::mt19937 random(3);
    std::vector<std::int32_t> numbers(54321);
    for (auto& n : numbers) n = static_cast<std::int32_t>(random() >> 2);
    const std::vector<std::int64_t> wide(numbers.begin(), numbers.end());
    const auto size = static_cast<std::int64_t>(numbers.size());
    const std::int64_t sum = std::accumulate(wide.begin(), wide.end(), std::int64_t{0});
    const auto a = device(numbers);
    const auto b = device(wide);
    EXPECT_EQ(cuda::max_of(a.data(), size), std::ranges::max(numbers));
    EXPECT_EQ(cuda::max_of(b.data(), size), std::ranges::max(wide));
    EXPECT_EQ(cuda::sum_of(a.data(), size), sum);  // beyond 32 bits
    EXPECT_EQ(cuda::sum_of(b.data(), size), sum);
    EXPECT_EQ(cuda::max_of(a.data(), 0), 0);
    EXPECT_EQ(cuda::sum_of(a.data(), 0), 0);
}

/// Keys with many ties, so that stability shows.
template <class Key, class Item>
void expect_sorts(std::size_t size, Key limit) {
    std::mt19937_64 random(5);
    std::vector<Key> keys(size);
    for (auto& k : keys) k = static_cast<Key>(random() % (static_cast<std::uint64_t>(limit) + 1));
    std::vector<Item> items(size);
    std::iota(items.begin(), items.end(), Item{0});
    auto device_keys = device(keys);
    auto device_items = device(items);
    cuda::sort_by_key(device_keys, device_items, cuda::bits_for(limit));
    std::ranges::stable_sort(items, {}, [&](Item i) { return keys[static_cast<std::size_t>(i)]; });
    std::ranges::sort(keys);
    EXPECT_EQ(back(device_items), items) << size << " keys up to " << limit;
    EXPECT_EQ(back(device_keys), keys);
}

TEST_F(Primitives, SortByKeyIsStable) {
    for (const std::size_t size : {0, 1, 33, 40000}) {
        expect_sorts<std::uint32_t, index_t>(size, 0);
        expect_sorts<std::uint32_t, index_t>(size, 99);
        expect_sorts<std::uint32_t, index_t>(size, 0xffffffffu);
        expect_sorts<std::uint64_t, index_t>(size, 1000);
        expect_sorts<std::uint64_t, std::int64_t>(size, std::uint64_t{5000} << 32);
    }
}

TEST_F(Primitives, PositionsOfFlags) {
    std::vector<std::uint8_t> flags(5003);
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        flags[i] = i % 7 == 3 ? 1 : i % 101 == 0 ? 2 : 0;  // anything but 0 counts
        if (flags[i]) expected.push_back(static_cast<std::int64_t>(i));
    }
    const auto size = static_cast<std::int64_t>(flags.size());
    EXPECT_EQ(back(cuda::positions_of(device(flags).data(), size)), expected);
    const auto none = device(std::vector<std::uint8_t>(100, 0));
    EXPECT_TRUE(cuda::positions_of(none.data(), 100).empty());
    EXPECT_TRUE(cuda::positions_of(none.data(), 0).empty());
}

}  // namespace
}  // namespace sptune
