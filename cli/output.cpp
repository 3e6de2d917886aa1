#include "cli/output.hpp"

#include "matrix/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {

void write_text(const std::string& target, const std::string& text) {
    const bool to_stdout = target == "-";
    std::FILE* file = to_stdout ? stdout : std::fopen(target.c_str(), "w");
    if (!file) throw Error(fmt::format("{}: cannot be written: {}", target, std::strerror(errno)));
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = (to_stdout ? std::fflush(file) : std::fclose(file)) == 0 && good;
    if (!good)
        throw Error(fmt::format("{}: cannot be written: {}", to_stdout ? "stdout" : target,
                                std::strerror(errno)));
}

void write_json(const std::string& target, const nlohmann::ordered_json& document) {
    using Json = nlohmann::ordered_json;
    write_text(target, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void warn(const std::string& text) {
    fmt::print(stderr, "sptune: {}\n", text);
}

}  // namespace sptune::cli
