// sptune COMMAND [ARGUMENT...]
#include "cli/commands.hpp"
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "cli/supervisor.hpp"
#include "db/provenance.hpp"
#include "matrix/error.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

using Words = std::vector<std::string>;

struct Command {
    const char* name;
    const char* help;
    int (*run)(const Words& args);
    bool measures = false;  ///< kernels that may crash: in a process of its own
};

constexpr std::array kCommands{
    Command{"profile", "measure all kernels on a matrix and store the fastest", run_profile, true},
    Command{"select", "say which kernel would be chosen and why, without measuring", run_select},
    Command{"compare", "hold plain CSR, the vendor, the fastest and the choice side by side",
            run_compare, true},
    Command{"spgemm", "multiply two sparse matrices", run_spgemm},
    Command{"features", "show what is special about a matrix", run_features},
    Command{"generate", "make a synthetic matrix", run_generate},
    Command{"convert", "rewrite a matrix in another file format", run_convert},
    Command{"db", "look into, move and check the tuning database", run_db},
    Command{"train", "learn from a database which kernel suits which matrix", run_train},
    Command{"evaluate", "test how well models choose on unseen matrices", run_evaluate},
    Command{"info", "show devices, bandwidths and kernels", run_info},
};

std::string overview() {
    std::string out =
        "sptune finds the fastest sparse-matrix kernel for a matrix on this machine, and remembers "
        "it.\n\nUsage: sptune COMMAND [ARGUMENT...]\n\nCommands:\n";
    for (const Command& command : kCommands)
        out += fmt::format("  {:<10}{}\n", command.name, command.help);
    return out +
           "\nStart with:  sptune profile MATRIX.mtx\n"
           "More:        sptune COMMAND --help, sptune --version\n";
}

const Command* find_command(const std::string& name) {
    for (const Command& command : kCommands)
        if (name == command.name) return &command;
    return nullptr;
}

int run(const std::string& name, const Words& args) {
    if (const Command* command = find_command(name)) {
        const auto work = [&] { return command->run(args); };
        return command->measures ? supervise(name, args, work) : work();
    }
    Words names;
    for (const Command& command : kCommands) names.push_back(command.name);
    throw UsageError(fmt::format("there is no command \"{}\"{}", name, did_you_mean(name, names)));
}

int dispatch(const Words& words) {
    if (words.empty()) {
        std::fputs(overview().c_str(), stderr);
        return kUsage;
    }
    const std::string& first = words.front();
    if (first == "--help" || first == "-h" || (first == "help" && words.size() == 1)) {
        write_text("-", overview());
        return kOk;
    }
    if (first == "--version") {
        write_text("-", "sptune " + db::version() + "\n");
        return kOk;
    }
    if (first == "help") return run(words[1], {"--help"});
    return run(first, {words.begin() + 1, words.end()});
}

/// " db export" of "db export --format xml"; as much of it as there is.
std::string command_of(const Words& words) {
    if (words.empty() || !find_command(words[0])) return {};
    const bool both = words.size() > 1 && ((words[0] == "db" && is_db_command(words[1])) ||
                                           (words[0] == "generate" && is_family(words[1])));
    return " " + words[0] + (both ? " " + words[1] : "");
}

}  // namespace
}  // namespace sptune::cli

int main(int argc, char** argv) {
    using namespace sptune::cli;
    occupy_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` cannot be written, and that is told
    const Words words(argv + 1, argv + argc);
    try {
        const int code = dispatch(words);
        if (std::fflush(stdout) != 0) throw sptune::Error("stdout cannot be written");
        return code;
    } catch (const std::bad_alloc&) {
        warn("not enough memory");
        return kFailure;
    } catch (const std::exception& failure) {
        warn(failure.what());
        const ExitCode code = exit_code_of(failure);
        if (code == kUsage) print_error(fmt::format("See `sptune{} --help`.\n", command_of(words)));
        return code;
    }
}
