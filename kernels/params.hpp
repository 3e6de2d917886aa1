// The numbers that tell one instance of a kernel from another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sptune {

/// Written "n" in an id: σ over all rows, workers = all threads.
inline constexpr int kAll = 0;

struct Param {
    std::string name;  ///< short, as in the id: "c", "s", "w"
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
