#include "cli/fault.hpp"

#include "kernels/variant.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace sptune::cli {
namespace {

struct Fault {
    std::string glob, name, phase;
};

/// That $SPTUNE_FAULT asks for.
const std::vector<Fault>& faults() {
    static const std::vector<Fault> list = [] {
        const char* const asked = std::getenv("SPTUNE_FAULT");
        std::vector<Fault> read;
        std::istringstream words(asked ? asked : "");
        for (std::string word; std::getline(words, word, ',');) {
            std::istringstream parts(word);
            Fault f;
            std::getline(std::getline(parts, f.glob, ':'), f.name, ':');
            std::getline(parts, f.phase);
            if (f.phase.empty()) f.phase = "converted";
            read.push_back(std::move(f));
        }
        return read;
    }();
    return list;
}

void commit(const std::string& fault) {
    if (fault == "crash") std::raise(SIGSEGV);
    if (fault == "kill") std::raise(SIGKILL);
    if (fault == "exit") std::_Exit(0);
    if (fault == "lost")
        throw DeviceFailure("an illegal memory access, as $SPTUNE_FAULT asks", true);
    while (fault == "hang") pause();
    throw UsageError("SPTUNE_FAULT: there is no fault \"" + fault + "\"");
}

}  // namespace

void commit_fault(const std::string& id, const std::string& phase) {
    for (const Fault& f : faults())
        if (f.name != "wrong" && phase == f.phase && matches(id, f.glob)) commit(f.name);
}

bool is_to_be_wrong(const std::string& id) {
    return std::ranges::any_of(
        faults(), [&](const Fault& f) { return f.name == "wrong" && matches(id, f.glob); });
}

}  // namespace sptune::cli
