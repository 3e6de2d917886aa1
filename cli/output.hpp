// Where results go.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sptune::cli {

/// Puts something that can neither be read nor written where stdin, stdout or stderr is closed: the
/// next file to be opened would take its place.
void occupy_streams();

/// Whether this is stdout, a pipe or a device: nothing that a file could stand beside.
bool is_stream(const std::string& target);

/// A target that was named on the command line; none where it is empty.
struct Output {
    const char* option;
    std::string target;
};

/// So that nobody finds out after a long sweep: throws Error where write_text() would have to, and
/// UsageError where two outputs are the same file or both stdout, or where one would replace one of
/// the files that are read.
void require_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

/// Writes `text` to stdout for "-", else to the file `target`, which appears as a whole or not at
/// all (matrix/atomic_file.hpp). Throws Error when it cannot.
void write_text(const std::string& target, const std::string& text);

/// The same for a document, indented; names that are not UTF-8 are repaired rather than refused.
void write_json(const std::string& target, const nlohmann::ordered_json& document);

/// Results that go to several places: one that cannot be written costs none of the others.
class Outputs {
  public:
    void text(const std::string& target, const std::string& text);
    void json(const std::string& target, const nlohmann::ordered_json& document);
    /// Once all have had their turn. Throws Error that names those that could not be written.
    void finish() const;

  private:
    void attempt(const std::function<void()>& write);

    std::vector<std::string> failures_;  ///< each once
};

/// As it is, on stderr; that it cannot be written is no failure.
void print_error(const std::string& text);

/// A line on stderr: "sptune: TEXT".
void warn(const std::string& text);

}  // namespace sptune::cli
