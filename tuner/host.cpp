#include "tuner/host.hpp"

#include "kernels/simd_target.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <fmt/format.h>
#include <unistd.h>

namespace sptune::tuner {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

struct Processor {
    std::string name, generation;
};

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

/// As Linux tells it, but without opening /proc/cpuinfo, for which some kernels ask all processors
/// for their frequency and sleep 10 ms. Nothing where the processor has no name of its own.
std::optional<Processor> from_cpuid() {
#ifdef __x86_64__
    constexpr unsigned kExtended = 0x80000000, kName = kExtended + 2, kLeaves = 3;
    std::array<unsigned, 4 * kLeaves> words{};
    if (__get_cpuid_max(kExtended, nullptr) < kName + kLeaves - 1) return std::nullopt;
    for (unsigned i = 0; i < kLeaves; ++i) {
        unsigned* const at = words.data() + 4 * i;
        __get_cpuid(kName + i, at, at + 1, at + 2, at + 3);
    }
    const std::string_view text(reinterpret_cast<const char*>(words.data()), sizeof words);
    Processor p{trimmed(text.substr(0, text.find('\0'))), {}};
    unsigned signature = 0, b = 0, c = 0, d = 0;
    if (p.name.empty() || !__get_cpuid(1, &signature, &b, &c, &d)) return std::nullopt;
    const auto bits = [&](int first, unsigned mask) { return (signature >> first) & mask; };
    const unsigned family = bits(8, 15) == 15 ? 15 + bits(20, 255) : bits(8, 15);
    const unsigned model = bits(4, 15) + (family >= 6 ? bits(16, 15) << 4 : 0);
    p.generation = fmt::format("f{}m{}", family, model);
    return p;
#else
    return std::nullopt;
#endif
}

/// Of the lines "key : text".
Processor from_cpuinfo() {
    std::vector<std::string> lines;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
    const auto field = [&](std::initializer_list<const char*> keys) -> std::string {
        for (const char* key : keys)
            for (const std::string& line : lines)
                if (const std::size_t colon = line.find(':');
                    line.starts_with(key) && colon != std::string::npos)
                    if (std::string text = trimmed(line.substr(colon + 1)); !text.empty())
                        return text;
        return {};
    };
    // x86 says "model name"; some ARM kernels say "Hardware" or nothing.
    Processor p{field({"model name", "Model", "Hardware"}), {}};
    if (p.name.empty()) p.name = "unknown cpu";
    const std::string family = field({"cpu family"}), model = field({"model\t"}),
                      part = field({"CPU part"});
    if (!family.empty() && !model.empty())
        p.generation = fmt::format("f{}m{}", family, model);
    else if (!part.empty())
        p.generation = fmt::format("p{}", part);
    return p;
}

/// What a file of sysfs says; empty where it is not there. Without streams, of which the first one
/// of a process takes a tenth of a millisecond.
std::string said_by(const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "re");
    if (!file) return {};
    std::array<char, 4096> text;
    const std::size_t size = std::fread(text.data(), 1, text.size(), file);
    std::fclose(file);
    return {text.data(), size};
}

/// The number that `text` begins with, which is taken from it; nothing where it begins with none.
template <class Number>
std::optional<Number> taken_from(std::string_view& text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// "32768K" -> bytes; 0 when unreadable.
std::uint64_t cache_size(const std::string& said) {
    std::string_view text = said;
    const std::uint64_t size = taken_from<std::uint64_t>(text).value_or(0);
    return size * (text.starts_with('K') ? kKiB : text.starts_with('M') ? kMiB : 1);
}

/// "0-3,8" -> 0, 1, 2, 3, 8; no more than a system has.
std::set<int> processors(const std::string& said) {
    constexpr int kMost = 1 << 16;
    std::set<int> all;
    std::string_view text = said;
    while (const auto first = taken_from<int>(text)) {
        int last = *first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            last = taken_from<int>(text).value_or(last);
        }
        for (int cpu = *first; cpu <= std::min(last, kMost); ++cpu) all.insert(cpu);
        if (!text.starts_with(',')) break;
        text.remove_prefix(1);
    }
    return all;
}

/// Sum over the distinct caches of the highest level, from Linux's sysfs; 0 where there is none.
std::uint64_t llc_from_sysfs() {
    const std::string cpus = "/sys/devices/system/cpu/";
    std::uint64_t sum = 0;
    std::set<int> counted;       // CPUs whose cache is: there may be hundreds
    std::set<std::string> seen;  // by who shares them
    int highest = 0;
    for (const int cpu : processors(said_by(cpus + "online"))) {
        if (counted.contains(cpu)) continue;
        std::string last;
        int level_of_last = 0;
        for (int index = 0;; ++index) {
            const std::string cache = fmt::format("{}cpu{}/cache/index{}/", cpus, cpu, index);
            const std::string said = said_by(cache + "level");
            std::string_view text = said;
            const auto level = taken_from<int>(text);
            if (!level) break;
            if (*level < level_of_last || said_by(cache + "type").starts_with("Instruction"))
                continue;
            last = cache, level_of_last = *level;
        }
        if (last.empty() || level_of_last < highest) continue;
        if (level_of_last > highest) sum = 0, seen.clear();
        highest = level_of_last;
        const std::string sharing = said_by(last + "shared_cpu_list");
        counted.merge(processors(sharing));
        if (seen.insert(sharing).second) sum += cache_size(said_by(last + "size"));
    }
    return sum;
}

std::uint64_t llc_bytes() {
    if (const std::uint64_t bytes = llc_from_sysfs()) return bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
    for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
        if (const long bytes = sysconf(name); bytes > 0) return static_cast<std::uint64_t>(bytes);
#endif
    return 32 * kMiB;
}

}  // namespace

const Host& host() {
    static const Host& found = lasting([] {
        const std::optional<Processor> told = from_cpuid();
        const Processor processor = told ? *told : from_cpuinfo();
        return Host{processor.name, simd_target(), llc_bytes(), processor.generation};
    });
    return found;
}

std::string processor_class(const Host& host) {
    const bool small = host.llc_bytes < kMiB;
    const bool numbered = host.cpu.find_first_of("0123456789") != std::string::npos;
    const std::string generation = slug(host.generation);
    return slug(host.cpu) + (numbered || generation.empty() ? "" : "-" + generation) + "-" +
           std::to_string(host.llc_bytes / (small ? kKiB : kMiB)) + (small ? "k" : "m");
}

std::string slug(const std::string& text) {
    std::string out;
    for (const char ch : text) {
        const bool plain = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z');
        const bool upper = ch >= 'A' && ch <= 'Z';
        if (plain || upper)
            out += static_cast<char>(upper ? ch - 'A' + 'a' : ch);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    if (!out.empty() && out.back() == '-') out.pop_back();
    return out;
}

}  // namespace sptune::tuner
