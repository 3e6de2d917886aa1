#include "cli/options.hpp"

#include "cli/nearest.hpp"
#include "cli/table.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

namespace po = boost::program_options;

/// "output,o" -> "--output"
std::string long_form(const std::string& name) {
    return "--" + name.substr(0, name.find(','));
}

/// "output,o" -> "-o, --output"
std::string both_forms(const std::string& name) {
    const std::size_t comma = name.find(',');
    return comma == std::string::npos
               ? "    " + long_form(name)
               : fmt::format("-{}, {}", name.substr(comma + 1), long_form(name));
}

template <class N>
std::string expectation(N low, N high) {
    using Bounds = std::numeric_limits<N>;
    const std::string kind = std::is_integral_v<N> ? "a whole number" : "a number";
    if (high < Bounds::max()) return fmt::format("{} from {} to {}", kind, low, high);
    return low > Bounds::lowest() ? fmt::format("{} of at least {}", kind, low) : kind;
}

template <class N>
N parse_number(const std::string& name, const std::string& word, N low, N high) {
    N value{};
    const char* const end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, value);
    if (failure != std::errc() || stopped != end || !(value >= low) || !(value <= high))
        throw UsageError(fmt::format("{}: expected {}, not \"{}\"", long_form(name),
                                     expectation(low, high), word));
    return value;
}

}  // namespace

Options::Options(std::string command, std::string synopsis, std::string summary)
    : command_(std::move(command)), synopsis_(std::move(synopsis)), summary_(std::move(summary)) {}

Options& Options::add(Option option) {
    options_.push_back(std::move(option));
    return *this;
}

Options& Options::flag(const std::string& name, bool& target, std::string help) {
    return add({name, "", std::move(help), [&target](const std::string&) { target = true; }});
}

Options& Options::text(const std::string& name, std::string placeholder, std::string& target,
                       std::string help) {
    return add(
        {name, std::move(placeholder), std::move(help), [name, &target](const std::string& word) {
             if (word.empty()) throw UsageError(long_form(name) + ": must not be empty");
             target = word;
         }});
}

Options& Options::choice(const std::string& name, std::vector<std::string> choices,
                         std::string& target, std::string help) {
    const std::string placeholder = fmt::format("{}", fmt::join(choices, "|"));
    return add({name, placeholder, std::move(help),
                [name, choices = std::move(choices), &target](const std::string& word) {
                    if (std::find(choices.begin(), choices.end(), word) == choices.end())
                        throw UsageError(fmt::format("{}: expected {}, not \"{}\"", long_form(name),
                                                     fmt::join(choices, ", "), word));
                    target = word;
                }});
}

Options& Options::integer(const std::string& name, std::string placeholder, int& target, int low,
                          int high, std::string help) {
    return add(
        {name, std::move(placeholder), std::move(help), [=, &target](const std::string& word) {
             target = parse_number<int>(name, word, low, high);
         }});
}

Options& Options::integer(const std::string& name, std::string placeholder, std::uint64_t& target,
                          std::string help) {
    return add(
        {name, std::move(placeholder), std::move(help), [name, &target](const std::string& word) {
             target = parse_number<std::uint64_t>(name, word, 0, ~std::uint64_t{0});
         }});
}

Options& Options::number(const std::string& name, std::string placeholder, double& target,
                         double low, double high, std::string help) {
    return add(
        {name, std::move(placeholder), std::move(help), [=, &target](const std::string& word) {
             target = parse_number<double>(name, word, low, high);
         }});
}

Options& Options::number(const std::string& name, std::string placeholder,
                         std::optional<double>& target, double low, double high, std::string help) {
    return add(
        {name, std::move(placeholder), std::move(help), [=, &target](const std::string& word) {
             target = parse_number<double>(name, word, low, high);
         }});
}

Options& Options::operands(std::vector<std::string>& target, std::size_t at_least,
                           std::size_t at_most) {
    operands_ = &target;
    at_least_ = at_least;
    at_most_ = at_most;
    return *this;
}

Options& Options::example(std::string command_line) {
    examples_.push_back(std::move(command_line));
    return *this;
}

Options& Options::note(std::string text) {
    note_ = std::move(text);
    return *this;
}

bool Options::parse(const std::vector<std::string>& args) {
    std::vector<std::string> rest, known;
    po::options_description description;
    description.add_options()("help,h", "")("operand", po::value(&rest));
    for (const Option& option : options_) {
        known.push_back(long_form(option.name));
        if (option.placeholder.empty())
            description.add_options()(option.name.c_str(), "");
        else
            description.add_options()(option.name.c_str(), po::value<std::string>(), "");
    }
    po::variables_map given;
    try {
        const int style =
            po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        po::store(po::command_line_parser(args)
                      .options(description)
                      .positional(po::positional_options_description().add("operand", -1))
                      .style(style)
                      .run(),
                  given);
        po::notify(given);
    } catch (const po::unknown_option& failure) {
        const std::string name = failure.get_option_name();
        throw UsageError("unknown option " + name + did_you_mean(name, known));
    } catch (const po::error& failure) {
        throw UsageError(failure.what());
    }
    if (given.count("help")) {
        std::fputs(help().c_str(), stdout);
        return false;
    }
    for (const Option& option : options_) {
        const std::string name = option.name.substr(0, option.name.find(','));
        if (!given.count(name)) continue;
        const std::string value = option.placeholder.empty() ? "" : given[name].as<std::string>();
        if (std::ranges::find(known, value) != known.end())
            throw UsageError(fmt::format("{}: expected {}, not the option {}",
                                         long_form(option.name), option.placeholder, value));
        option.store(value);
    }
    if (rest.size() > at_most_) throw UsageError("unexpected \"" + rest[at_most_] + "\"");
    if (rest.size() < at_least_)
        throw UsageError(fmt::format("missing {}; usage: sptune {} {}",
                                     rest.empty() ? "operand" : "second operand", command_,
                                     synopsis_));
    if (operands_) *operands_ = rest;
    return true;
}

std::string Options::help() const {
    constexpr std::size_t kWidth = 100;
    std::string out = fmt::format("{}\n\nUsage: sptune {}{}{}{}\n", wrap(summary_, kWidth, 0),
                                  command_, synopsis_.empty() ? "" : " ", synopsis_,
                                  options_.empty() ? "" : " [OPTION...]");
    std::size_t widest = 0;
    std::vector<std::string> forms;
    for (const Option& option : options_) {
        forms.push_back(both_forms(option.name) + (option.placeholder.empty() ? "" : " ") +
                        option.placeholder);
        widest = std::max(widest, display_width(forms.back()));
    }
    if (!options_.empty()) out += "\nOptions:\n";
    for (std::size_t i = 0; i < forms.size(); ++i)
        out += fmt::format("  {}{}  {}\n", forms[i],
                           std::string(widest - display_width(forms[i]), ' '),
                           wrap(options_[i].help, kWidth, widest + 4, widest + 4));
    if (!examples_.empty()) out += fmt::format("\nExamples:\n  {}\n", fmt::join(examples_, "\n  "));
    if (!note_.empty()) out += "\n" + note_ + "\n";
    return out;
}

}  // namespace sptune::cli
