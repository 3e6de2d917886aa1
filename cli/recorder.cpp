#include "cli/recorder.hpp"

#include "matrix/error.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <sstream>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

namespace sptune::cli {
namespace {

constexpr std::uint64_t kMagic = 0x7370'7475'6e65'0001;
constexpr off_t kHeader = 4096;  ///< the journal begins behind it
static_assert(sizeof(Flight) <= kHeader);
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "a lock would not be shared by two processes");

void* map(int fd) {
    return mmap(nullptr, kHeader, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

}  // namespace

Recorder Recorder::create() {
    const int fd = memfd_create("sptune-worker", 0);
    void* const page = fd >= 0 && ftruncate(fd, kHeader) == 0 ? map(fd) : MAP_FAILED;
    if (page == MAP_FAILED)
        throw Error(std::string("no memory to share with a process: ") + std::strerror(errno) +
                    "; SPTUNE_WORKER=off measures in this one");
    auto* flight = new (page) Flight{};
    flight->magic = kMagic;
    flight->supervisor = getpid();
    return {fd, flight};
}

Recorder Recorder::open(int fd) {
    const bool large = lseek(fd, 0, SEEK_END) >= kHeader;
    void* const page = large ? map(fd) : MAP_FAILED;
    if (page == MAP_FAILED || static_cast<Flight*>(page)->magic != kMagic)
        throw UsageError("SPTUNE_WORKER may be \"off\"; all else is set by sptune itself");
    return {fd, static_cast<Flight*>(page)};
}

void Recorder::append(const nlohmann::ordered_json& line) const {
    using Json = nlohmann::ordered_json;
    // Begins with an end of line, too: whoever wrote before may have been killed in the middle.
    const std::string text =
        "\n" + line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    size();  // writing goes on from there
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = write(fd_, text.data() + done, text.size() - done);
        if (n <= 0) return;
        done += static_cast<std::size_t>(n);
    }
}

off_t Recorder::size() const {
    return lseek(fd_, 0, SEEK_END);
}

void Recorder::cut(off_t size) const {
    if (ftruncate(fd_, size) != 0) return;  // the memory stays in use
}

std::vector<nlohmann::ordered_json> Recorder::lines() const {
    std::string text(static_cast<std::size_t>(size() - kHeader), '\0');
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n =
            pread(fd_, text.data() + done, text.size() - done, kHeader + static_cast<off_t>(done));
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    std::vector<nlohmann::ordered_json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        auto json = nlohmann::ordered_json::parse(line, nullptr, false);
        if (json.is_object()) lines.push_back(std::move(json));
    }
    return lines;
}

}  // namespace sptune::cli
