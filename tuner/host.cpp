#include "tuner/host.hpp"

#include "kernels/simd_target.hpp"
#include "matrix/lasting.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <unistd.h>

namespace sptune::tuner {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

/// The text behind the colon of the first line of `path` that starts with `key`.
std::optional<std::string> field(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (line.compare(0, key.size(), key) != 0 || colon == std::string::npos) continue;
        const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
        if (begin != std::string::npos) return line.substr(begin);
    }
    return std::nullopt;
}

std::string cpu_name() {
    // x86 says "model name"; some ARM kernels say "Hardware" or nothing.
    for (const char* key : {"model name", "Model", "Hardware"})
        if (auto name = field("/proc/cpuinfo", key)) return *name;
    return "unknown cpu";
}

std::string generation() {
    const auto family = field("/proc/cpuinfo", "cpu family");
    const auto model = field("/proc/cpuinfo", "model\t");
    if (family && model) return "f" + *family + "m" + *model;
    const auto part = field("/proc/cpuinfo", "CPU part");
    return part ? "p" + *part : "";
}

/// "32768K" -> bytes; 0 when unreadable.
std::uint64_t cache_size(const std::filesystem::path& file) {
    std::uint64_t size = 0;
    char unit = 'B';
    std::ifstream(file) >> size >> unit;
    return size * (unit == 'K' ? kKiB : unit == 'M' ? kMiB : 1);
}

/// Sum over the distinct caches of the highest level, from Linux's sysfs; 0 where there is none.
std::uint64_t llc_from_sysfs() {
    namespace fs = std::filesystem;
    std::map<std::string, std::uint64_t> caches;  // by the CPUs that share it
    int highest = 0;
    std::error_code error;
    for (int cpu = 0;; ++cpu) {
        const fs::path folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache";
        if (!fs::is_directory(folder, error)) break;
        for (int index = 0; fs::exists(folder / ("index" + std::to_string(index)), error);
             ++index) {
            const fs::path cache = folder / ("index" + std::to_string(index));
            int level = 0;
            std::string type, shared;
            std::ifstream(cache / "level") >> level;
            std::ifstream(cache / "type") >> type;
            std::ifstream(cache / "shared_cpu_list") >> shared;
            if (type == "Instruction" || level < highest) continue;
            if (level > highest) caches.clear();
            highest = level;
            caches[shared] = cache_size(cache / "size");
        }
    }
    std::uint64_t sum = 0;
    for (const auto& [cpus, bytes] : caches) sum += bytes;
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
        return Host{cpu_name(), simd_target(), llc_bytes(), generation()};
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
