#include "matrix/memory.hpp"

#include "matrix/error.hpp"

#include <fstream>
#include <limits>

namespace sptune {

std::uint64_t available_memory() {
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kib = 0;
    while (info >> key >> kib) {
        std::getline(info, unit);
        if (key == "MemAvailable:") return kib * 1024;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

void require_memory(const std::string& what, std::uint64_t bytes) {
    constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;
    if (bytes > kSmall && bytes > available_memory()) throw OutOfMemory(what, bytes);
}

}  // namespace sptune
