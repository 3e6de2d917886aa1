#include "kernels/params.hpp"

#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace sptune {

std::string to_string(const Params& params) {
    std::string text;
    append(text, params);
    return text;
}

void append(std::string& text, const Params& params) {
    for (const Param& p : params) {
        if (&p != &params.front()) text += '.';
        text += p.name;
        if (p.value == kAll)
            text += 'n';
        else
            fmt::format_to(std::back_inserter(text), "{}", p.value);
    }
}

int get(const Params& params, std::string_view name) {
    for (const Param& p : params)
        if (p.name == name) return p.value;
    throw std::logic_error("a kernel asked for parameter '" + std::string(name) +
                           "', which its grid does not have");
}

}  // namespace sptune
