#include "matrix/error.hpp"
#include "tuner/bandwidth.hpp"
#include "tuner/host.hpp"
#include "tuner/measure.hpp"
#include "tuner/stream.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sptune::tuner {
namespace {

TEST(Stream, SumsEveryWord) {
    Buffer<std::uint64_t> data(192);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = i * i;
    EXPECT_EQ(stream_sum(data.data(), 192), 191ull * 192 * 383 / 6);
    EXPECT_EQ(stream_sum(data.data(), 0), 0u);
}

TEST(Host, IsDescribed) {
    EXPECT_FALSE(host().cpu.empty());
    EXPECT_FALSE(host().simd.empty());
    EXPECT_GE(host().llc_bytes, 64u << 10);
    EXPECT_EQ(slug("Intel(R) Xeon(R) @ 2.40GHz "), "intel-r-xeon-r-2-40ghz");
    EXPECT_EQ(slug("../é/"), "");
    EXPECT_EQ(processor_class({"AMD EPYC", "AVX2", 32u << 20, ""}), "amd-epyc-32m");
    EXPECT_EQ(processor_class({"AMD EPYC", "AVX2", 32u << 20, "f25m17"}), "amd-epyc-f25m17-32m");
    EXPECT_EQ(processor_class({"AMD EPYC 7763", "AVX2", 32u << 20, "f25m1"}), "amd-epyc-7763-32m");
    EXPECT_EQ(processor_class({"Small one", "", 512u << 10, ""}), "small-one-512k");
}

db::Device device(std::vector<db::BandwidthPoint> curve) {
    db::Device d;
    d.bandwidth_curve = std::move(curve);
    return d;
}

TEST(Bound, IsTheFasterNeighbourWithAMargin) {
    const db::Device d = device({{1000, 100}, {10'000, 50}, {100'000, 60}, {1'000'000, 10}});
    EXPECT_DOUBLE_EQ(bound_gbs(d, 10), 115);
    EXPECT_DOUBLE_EQ(bound_gbs(d, 5000), 115);
    EXPECT_DOUBLE_EQ(bound_gbs(d, 10'000), 69);  // a larger set was faster: noise, so it counts
    EXPECT_DOUBLE_EQ(bound_gbs(d, 500'000), 69);
    EXPECT_DOUBLE_EQ(bound_gbs(d, 1'000'000), 11.5);
    EXPECT_DOUBLE_EQ(bound_gbs(d, 1ull << 60), 11.5);
    EXPECT_TRUE(std::isinf(bound_gbs(device({}), 1)));
}

TEST(Device, MeasuringItCanBeStopped) {
    const std::atomic<bool> stop{true};
    EXPECT_THROW(measure_bandwidth(1, &stop), Error);
    EXPECT_THROW(cpu_device(1, &stop), Error);  // the next test measures it all the same
}

TEST(Device, IsMeasuredOnLessWhereMemoryIsLimited) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "it reserves more address space than any limit";
#endif
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit little{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (1 << 20),
                        before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
    std::vector<db::BandwidthPoint> curve;
    EXPECT_NO_THROW(curve = measure_bandwidth(1));
    setrlimit(RLIMIT_AS, &before);
    ASSERT_FALSE(curve.empty());
    EXPECT_LT(curve.back().bytes, 1u << 20);
}

TEST(Device, HasACurveAndIsMeasuredOnce) {
    const db::Device& d = cpu_device(1);
    EXPECT_EQ(d.threads, 1);
    EXPECT_EQ(d.key, processor_class(host()) + "-1t");
    ASSERT_GE(d.bandwidth_curve.size(), 8u);
    EXPECT_EQ(d.bandwidth_curve.front().bytes, 16u << 10);
    for (std::size_t i = 1; i < d.bandwidth_curve.size(); ++i)
        EXPECT_GT(d.bandwidth_curve[i].bytes, d.bandwidth_curve[i - 1].bytes);
    EXPECT_GT(d.bandwidth_gbs, 0.1);
    EXPECT_LT(d.bandwidth_gbs, 10'000);
    const double start = steady_us();
    EXPECT_EQ(&cpu_device(1), &d);
    EXPECT_LT(steady_us() - start, 1e5);
}

}  // namespace
}  // namespace sptune::tuner
