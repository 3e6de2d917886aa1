#include "tuner/host.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

/// The text of the first line that begins so; without blanks in front of it.
std::string from_cpuinfo(const std::string& key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key)) {
            const std::string text = line.substr(line.find(':') + 1);
            return text.substr(std::min(text.find_first_not_of(' '), text.size()));
        }
    return {};
}

TEST(Host, TheProcessorIsNamedAsTheSystemNamesIt) {
    const std::string name = from_cpuinfo("model name"), family = from_cpuinfo("cpu family"),
                      model = from_cpuinfo("model\t");
    if (name.empty() || name == "unknown" || family.empty())
        GTEST_SKIP() << "this system does not tell the model name";
    EXPECT_EQ(host().cpu, name);
    EXPECT_EQ(host().generation, fmt::format("f{}m{}", family, model));
}

TEST(Host, EachLastLevelCacheIsCountedOnce) {
    namespace fs = std::filesystem;
    std::set<std::string> seen;
    std::uint64_t kib = 0;
    for (int cpu = 0; cpu < 4096; ++cpu) {
        const fs::path cache = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index3", cpu);
        std::string sharing;
        std::uint64_t size = 0;
        if (!(std::ifstream(cache / "shared_cpu_list") >> sharing)) continue;  // offline
        std::ifstream(cache / "size") >> size;
        if (seen.insert(sharing).second) kib += size;
    }
    if (kib == 0 || std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache/index4"))
        GTEST_SKIP() << "index3 is not the last cache here";
    EXPECT_EQ(host().llc_bytes, kib << 10);
}

TEST(Host, AClassIsFitForAFileName) {
    EXPECT_EQ(slug("AMD EPYC 7763 (64-Core)"), "amd-epyc-7763-64-core");
    Host some{"Some  CPU @ 2.1GHz", "AVX2", 32u << 20, "f6m85"};
    EXPECT_EQ(processor_class(some), "some-cpu-2-1ghz-32m");
    some.cpu = "Some CPU";
    EXPECT_EQ(processor_class(some), "some-cpu-f6m85-32m") << "the name has no number";
    some.llc_bytes = 512u << 10;
    EXPECT_EQ(processor_class(some), "some-cpu-f6m85-512k");
}

}  // namespace
}  // namespace sptune::tuner
