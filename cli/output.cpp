#include "cli/output.hpp"

#include "cli/worker.hpp"
#include "matrix/atomic_file.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sptune::cli {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& target, const std::string& reason) {
    throw Error(fmt::format("{}: cannot be written: {}", target, reason));
}

bool is_stdout(const std::string& target) {
    return target == "-" || target == "/dev/stdout";
}

/// What a file holds already that the shell has opened stays.
void write_stream(const std::string& target, const std::string& text) {
    const bool to_stdout = is_stdout(target);
    const std::string name = to_stdout ? "stdout" : target;
    std::FILE* file = to_stdout ? stdout : std::fopen(target.c_str(), "a");
    if (!file) fail(name, std::strerror(errno));
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = (to_stdout ? std::fflush(file) : std::fclose(file)) == 0 && good;
    if (!good) fail(name, std::strerror(errno));
}

/// Of this process, whatever is behind it: a file that the shell has opened is not replaced.
bool is_descriptor(const std::string& target) {
    return target == "/dev/stdin" || target == "/dev/stdout" || target == "/dev/stderr" ||
           target.starts_with("/dev/fd/") || target.starts_with("/proc/self/fd/");
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    if (a.empty() || b.empty() || is_stream(a) || is_stream(b)) return false;
    if (fs::equivalent(a, b, ignored)) return true;
    const fs::path place = fs::weakly_canonical(fs::absolute(a), ignored);  // empty: not to be seen
    return !place.empty() && place == fs::weakly_canonical(fs::absolute(b), ignored);
}

void require_writable(const std::string& target) {
    if (target.empty() || is_stream(target)) return;
    std::error_code ignored;
    if (fs::is_directory(target, ignored)) fail(target, "it is a folder; name a file in it");
    const fs::path folder = fs::absolute(AtomicFile::place_of(target)).parent_path();
    if (!fs::is_directory(folder, ignored)) fail(target, "there is no folder " + folder.string());
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        fail(target, folder.string() + ": " + std::strerror(errno));
}

}  // namespace

void occupy_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)  // the lowest number that is free is this one
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool is_stream(const std::string& target) {
    std::error_code ignored;
    return target == "-" || is_descriptor(target) ||
           (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored) &&
            !fs::is_directory(target, ignored));
}

void require_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        const auto& [option, target] = *output;
        for (const auto& [other, other_target] : std::span(outputs.begin(), output)) {
            if (is_stdout(target) && is_stdout(other_target))
                throw UsageError(fmt::format("{} and {} cannot both go to stdout", other, option));
            if (is_same_file(target, other_target))
                throw UsageError(
                    fmt::format("{} and {} are the same file, {}", other, option, target));
        }
        for (const std::string& input : inputs)
            if (is_same_file(target, input))
                throw UsageError(
                    fmt::format("{}: {} is what is read; name another file", option, target));
    }
    for (const Output& output : outputs) require_writable(output.target);
}

void write_text(const std::string& target, const std::string& text) {
    if (is_stream(target)) return write_stream(target, text);
    AtomicFile file(target);
    file.write(text);
    file.commit();
}

void write_json(const std::string& target, const nlohmann::ordered_json& document) {
    using Json = nlohmann::ordered_json;
    write_text(target, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Outputs::text(const std::string& target, const std::string& text) {
    attempt([&] { write_text(target, text); });
}

void Outputs::json(const std::string& target, const nlohmann::ordered_json& document) {
    attempt([&] { write_json(target, document); });
}

void Outputs::finish() const {
    if (!failures_.empty()) throw Error(fmt::format("{}", fmt::join(failures_, "; ")));
}

void Outputs::attempt(const std::function<void()>& write) {
    try {
        write();
    } catch (const Error& failure) {
        if (std::ranges::find(failures_, failure.what()) == failures_.end())
            failures_.emplace_back(failure.what());
    }
}

void print_error(const std::string& text) {
    // Whoever closed stderr does not want to hear of it; the work is done all the same.
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void warn(const std::string& text) {
    if (Worker* worker = Worker::self(); worker && !worker->is_news(text)) return;
    print_error("sptune: " + text + "\n");
}

}  // namespace sptune::cli
