#include "kernels/variant.hpp"

namespace sptune {

std::string Variant::id() const {
    constexpr std::size_t kUsual = 60;
    std::string id;
    id.reserve(kUsual);
    id.append(to_string(op)).append(".").append(to_string(backend));
    id.append(".").append(format).append(".").append(algorithm);
    if (!params.empty()) append(id.append("."), params);
    id.append(".").append(to_string(value)).append(".").append(to_string(index));
    return id;
}

namespace {

/// Linear-time wildcard match: on a mismatch only the last * has to be reconsidered.
bool matches_one(std::string_view id, std::string_view glob) {
    std::size_t i = 0, g = 0, star = std::string_view::npos, after = 0;
    while (i < id.size()) {
        if (g < glob.size() && (glob[g] == '?' || glob[g] == id[i])) {
            ++i, ++g;
        } else if (g < glob.size() && glob[g] == '*') {
            star = g++;
            after = i;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            i = ++after;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

}  // namespace

bool matches(std::string_view id, std::string_view glob) {
    while (true) {
        const std::size_t comma = glob.find(',');
        if (matches_one(id, glob.substr(0, comma))) return true;
        if (comma == std::string_view::npos) return false;
        glob.remove_prefix(comma + 1);
    }
}

}  // namespace sptune
