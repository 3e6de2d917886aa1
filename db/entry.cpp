#include "db/entry.hpp"

#include "matrix/lasting.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace sptune::db {

std::string_view to_string(Status status) {
    static constexpr std::array<std::string_view, 8> kNames{
        "ok",      "incorrect", "bounded",       "illegal",
        "timeout", "crashed",   "out_of_memory", "not_reached"};
    return kNames.at(static_cast<std::size_t>(status));
}

const Candidate* find(const Entry& entry, std::string_view id) {
    const auto it = std::ranges::find(entry.candidates, id, &Candidate::id);
    return it == entry.candidates.end() ? nullptr : &*it;
}

std::string utc_time(std::chrono::system_clock::time_point when) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

std::string path_safe(std::string_view name) {
    // Not isalnum: which letters exist must not depend on the locale.
    constexpr std::string_view kKept =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    std::string out(name.empty() ? "_" : name);
    for (char& c : out)
        if (kKept.find(c) == std::string_view::npos) c = '_';
    if (out.front() == '.') out.front() = '_';
    return out;
}

std::string entry_key(const Entry& entry) {
    return entry_key(entry.op, entry.value, entry.index, entry.matrix.fingerprint, entry.cache);
}

std::string entry_key(Op op, ValueType value, IndexType index, std::uint64_t fingerprint,
                      std::string_view cache) {
    return fmt::format("{}-{}-{}-{}-{:016x}", to_string(op), to_string(value), to_string(index),
                       cache, fingerprint);
}

bool is_entry_key(std::string_view name) {
    static const auto& shape = lasting(
        [] { return std::regex("(spmv|spgemm)-(f32|f64)-(i32|i64)-(warm|cold)-[0-9a-f]{16}"); });
    return std::regex_match(name.begin(), name.end(), shape);
}

}  // namespace sptune::db
