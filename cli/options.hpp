// A command's options, its --help and its errors. Boost.Program_options splits the words.
//
//   Options options("convert", "IN OUT", "Rewrites a matrix in another file format.");
//   options.operands(files, 2, 2).integer("threads", "N", threads, 1, 4096, "threads to use");
//   options.example("sptune convert a.mtx a.spt");
//   if (!options.parse(args)) return kOk;  // --help was printed
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sptune::cli {

class Options {
  public:
    /// `synopsis` is what follows the command in the usage line, without the options.
    Options(std::string command, std::string synopsis, std::string summary);

    // Each declares one option; `name` may be "output,o" for a short form. The target keeps its
    // value when the option is not given. Bounds are inclusive.
    Options& flag(const std::string& name, bool& target, std::string help);
    Options& text(const std::string& name, std::string placeholder, std::string& target,
                  std::string help);
    Options& choice(const std::string& name, std::vector<std::string> choices, std::string& target,
                    std::string help);
    Options& integer(const std::string& name, std::string placeholder, int& target, int low,
                     int high, std::string help);
    Options& integer(const std::string& name, std::string placeholder, std::uint64_t& target,
                     std::string help);
    Options& number(const std::string& name, std::string placeholder, double& target, double low,
                    double high, std::string help);
    Options& number(const std::string& name, std::string placeholder, std::optional<double>& target,
                    double low, double high, std::string help);
    /// The words that are not options.
    Options& operands(std::vector<std::string>& target, std::size_t at_least, std::size_t at_most);

    Options& example(std::string command_line);
    /// Free text at the end of --help.
    Options& note(std::string text);

    /// Stores the values; false when --help was asked for and printed.
    /// Throws UsageError naming the option, or suggesting the nearest for an unknown one.
    bool parse(const std::vector<std::string>& args);
    std::string help() const;

  private:
    struct Option {
        std::string name, placeholder, help;  ///< no placeholder: a flag
        std::function<void(const std::string&)> store;
    };
    Options& add(Option option);

    std::string command_, synopsis_, summary_, note_;
    std::vector<Option> options_;
    std::vector<std::string> examples_;
    std::vector<std::string>* operands_ = nullptr;
    std::size_t at_least_ = 0, at_most_ = 0;
};

}  // namespace sptune::cli
