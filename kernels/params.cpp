#include "kernels/params.hpp"

#include "matrix/error.hpp"

#include <charconv>
#include <iterator>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace sptune {

void ParamName::refuse(std::string_view name) {
    throw Error(
        fmt::format("a parameter is called \"{}\"; names have up to {} letters", name, kMost));
}

std::string to_string(const Params& params) {
    std::string text;
    append(text, params);
    return text;
}

void append(std::string& text, const Params& params) {
    for (const Param& p : params) {
        if (&p != &params.front()) text += '.';
        text += p.name.view();
        if (p.value == kAll) {
            text += 'n';
        } else {
            char digits[std::numeric_limits<int>::digits10 + 2];
            text.append(digits, std::to_chars(digits, std::end(digits), p.value).ptr);
        }
    }
}

int get(const Params& params, std::string_view name) {
    for (const Param& p : params)
        if (p.name == name) return p.value;
    throw std::logic_error("a kernel asked for parameter '" + std::string(name) +
                           "', which its grid does not have");
}

}  // namespace sptune
