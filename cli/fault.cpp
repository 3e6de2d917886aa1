#include "cli/fault.hpp"

#include "kernels/variant.hpp"
#include "matrix/error.hpp"

#include <csignal>
#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace sptune::cli {
namespace {

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
    static const char* const asked = std::getenv("SPTUNE_FAULT");
    if (!asked) return;
    std::istringstream words(asked);
    for (std::string word; std::getline(words, word, ',');) {
        std::istringstream parts(word);
        std::string glob, fault, when = "converted";
        std::getline(std::getline(parts, glob, ':'), fault, ':');
        std::getline(parts, when);
        if (phase == (when.empty() ? "converted" : when) && matches(id, glob)) commit(fault);
    }
}

}  // namespace sptune::cli
