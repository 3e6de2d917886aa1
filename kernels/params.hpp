// The numbers that tell one instance of a kernel from another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sptune {

/// Written "n" in an id: σ over all rows, workers = all threads.
inline constexpr int kAll = 0;

/// Short, as in the id: "c", "s", "w". Kept in place, since a list of kernels has thousands of
/// them, and a program's first choice waits for the list.
class ParamName {
  public:
    static constexpr std::size_t kMost = 11;  ///< letters

    constexpr ParamName() = default;
    /// Throws Error for a longer one.
    constexpr ParamName(std::string_view name) {
        if (name.size() > kMost) refuse(name);
        std::copy(name.begin(), name.end(), letters_.begin());
        size_ = static_cast<std::uint8_t>(name.size());
    }
    constexpr ParamName(const char* name) : ParamName(std::string_view(name)) {}
    ParamName(const std::string& name) : ParamName(std::string_view(name)) {}

    constexpr std::string_view view() const { return {letters_.data(), size_}; }
    constexpr operator std::string_view() const { return view(); }
    constexpr bool operator==(const ParamName&) const = default;
    friend constexpr bool operator==(const ParamName& a, const char* b) { return a.view() == b; }
    friend constexpr bool operator==(const ParamName& a, std::string_view b) {
        return a.view() == b;
    }

  private:
    [[noreturn]] static void refuse(std::string_view name);

    std::array<char, kMost> letters_{};
    std::uint8_t size_ = 0;
};

struct Param {
    ParamName name;
    int value = 0;
    bool operator==(const Param&) const = default;
};

using Params = std::vector<Param>;

/// "c8.s64.wn" for {{"c",8},{"s",64},{"w",kAll}}; empty for no parameters.
std::string to_string(const Params& params);
void append(std::string& text, const Params& params);

/// The value of `name`, which must exist.
int get(const Params& params, std::string_view name);

}  // namespace sptune
