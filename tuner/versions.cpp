#include "tuner/versions.hpp"

#include "kernels/registry.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace sptune::tuner {

Validate parse_validate(const std::string& word) {
    const char* const variable = std::getenv("SPTUNE_VALIDATE");
    const std::string_view wanted = !word.empty() ? std::string_view(word)
                                    : variable    ? variable
                                                  : "";
    if (wanted == "strict") return Validate::strict;
    if (wanted == "warn" || wanted.empty()) return Validate::warn;
    if (wanted == "ignore") return Validate::ignore;
    throw UsageError(fmt::format("{}: expected strict, warn or ignore, not \"{}\"",
                                 word.empty() ? "SPTUNE_VALIDATE" : "validate", wanted));
}

std::string vendor_version(Backend backend) {
    const std::string status = backend == Backend::cuda ? cusparse_status() : mkl_status();
    return status.substr(0, status.find(" at "));
}

std::string changed_since(const db::Device& then, const std::string& vendor_then,
                          bool vendor_decides, const db::Device& now) {
    std::string text;
    const auto compare = [&](const char* what, const std::string& before,
                             const std::string& after) {
        if (before.empty() || after.empty() || before == after) return;
        text += fmt::format("{}{}{}, here {}", text.empty() ? "" : "; ", what, before, after);
    };
    compare("driver ", then.driver.value_or(""), now.driver.value_or(""));
    compare("toolkit ", then.toolkit.value_or(""), now.toolkit.value_or(""));
    if (vendor_decides && !vendor_then.empty())
        compare("", vendor_then,
                vendor_version(now.backend == "cuda" ? Backend::cuda : Backend::cpu));
    return text;
}

std::string changed_since(const db::Digest& stored, bool winner_here, const db::Device& now) {
    const auto winner = std::find_if(stored.fastest.begin(), stored.fastest.end(),
                                     [&](const auto& c) { return c.id == stored.winner; });
    const bool vendor = winner != stored.fastest.end() && winner->vendor;
    const std::string text =
        changed_since(stored.device, stored.vendor_library, vendor && winner_here, now);
    if (!stored.cores_busy) return text;
    return (text.empty() ? "" : text + "; ") + "cores that did something else";
}

}  // namespace sptune::tuner
