#include "matrix/atomic_file.hpp"

#include "matrix/error.hpp"

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sptune {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = ".sptune-";
constexpr std::string_view kSuffix = ".tmp";

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Drawn, not counted: writers on other hosts may share the folder and the process number.
std::string random_name() {
    std::random_device draw;
    return fmt::format("{}{:08x}{:08x}{}", kPrefix, draw(), draw(), kSuffix);
}

std::string path_of(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

int link_as(int fd, const fs::path& name) {
    return ::linkat(AT_FDCWD, path_of(fd).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
}

int open_unnamed(const fs::path& folder) {
    return ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

// Whether a file without a name can get one: not without /proc, on some file systems, and where a
// security module forbids it, which is to be known before everything is written. Tried with a file
// of its own, since one whose name was taken away gets no other.
bool naming_works(const fs::path& folder) {
    const int fd = open_unnamed(folder);
    if (fd < 0) return false;
    const fs::path name = folder / random_name();
    const bool works = link_as(fd, name) == 0 && ::unlink(name.c_str()) == 0;
    ::close(fd);
    return works;
}

// A folder that was renamed into is durable only after its own fsync. File systems that cannot do
// that refuse it; there is nothing better to do on them.
void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace

fs::path AtomicFile::place_of(const fs::path& target) {
    constexpr int kMostLinks = 40;  // as many as Linux itself follows
    fs::path place = target;
    std::error_code ignored;
    for (int links = 0; fs::is_symlink(place, ignored); ++links) {
        if (links == kMostLinks)
            throw Error(fmt::format("cannot write {}: {}; remove the link", target.string(),
                                    std::system_category().message(ELOOP)));
        place = folder_of(place) / fs::read_symlink(place, ignored);
    }
    return place;
}

AtomicFile::AtomicFile(const fs::path& target) : target_(place_of(target)) {
    std::error_code ignored;
    if (fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored))
        throw Error(fmt::format("cannot write {}: it is not a regular file", target_.string()));
    // Gone with this process, however that ends.
    if (naming_works(folder_of(target_))) fd_ = open_unnamed(folder_of(target_));
    if (fd_ < 0) open_named();
    // Who may read what was there may read what comes, nobody else. (Some file systems have no
    // permissions.)
    struct stat replaced {};
    if (::stat(target_.c_str(), &replaced) == 0) (void)::fchmod(fd_, replaced.st_mode & 0777);
}

void AtomicFile::open_named() {
    do {
        draw_name();
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ < 0) fail(errno);
}

void AtomicFile::draw_name() {
    temporary_ = folder_of(target_) / random_name();
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            fail(n == 0 ? ENOSPC : errno);
    }
}

void AtomicFile::rewrite(std::uint64_t offset, std::string_view bytes) {
    if (::lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) fail(errno);
    write(bytes);
    if (::lseek(fd_, 0, SEEK_END) < 0) fail(errno);
}

void AtomicFile::commit() {
    if (::fsync(fd_) != 0) fail(errno);
    if (has_no_name()) {  // what it gets must not exist, so that it takes two steps
        int failed = 0;
        do {
            draw_name();
            failed = link_as(fd_, temporary_);
        } while (failed && errno == EEXIST);
        if (failed) {
            temporary_.clear();  // there is none
            fail(errno);
        }
    }
    // Network file systems report a full disk only here.
    if (::close(std::exchange(fd_, -1)) != 0) fail(errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    sync_folder(folder_of(target_));
}

bool AtomicFile::is_temporary(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

void AtomicFile::fail(int reason) const {
    throw Error(fmt::format("cannot write {}: {}", target_.string(),
                            std::system_category().message(reason)));
}

}  // namespace sptune
