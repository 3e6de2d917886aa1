#include "matrix/mapped_file.hpp"

#include "matrix/error.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sptune {

namespace {

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

[[noreturn]] void refuse(const std::string& path, int reason) {
    throw InputError(path, 0,
                     "cannot be read: " + std::system_category().message(reason) +
                         "; expected a readable matrix file");
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
    if (path.empty()) throw UsageError("the name of a matrix file is empty");
    if (path == "-")
        throw InputError(path, 0, "is stdin; expected a regular file, save what comes there first");
    // O_NONBLOCK: a named pipe without a writer would hang here instead of being refused below.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) refuse(path, errno);
    struct stat info {};
    if (::fstat(file.fd, &info) != 0) refuse(path, errno);
    if (S_ISDIR(info.st_mode))
        throw InputError(path, 0, "is a directory; expected the path of a matrix file in it");
    if (!S_ISREG(info.st_mode))
        throw InputError(path, 0, "is a pipe or a device; expected a regular file, save it first");
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ == 0) return;
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (mapped == MAP_FAILED) refuse(path, errno);
    ::madvise(mapped, size_, MADV_SEQUENTIAL);
    data_ = static_cast<char*>(mapped);
}

MappedFile::~MappedFile() {
    if (data_) ::munmap(data_, size_);
}

void MappedFile::release_before(std::size_t end) const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (end >= page) ::madvise(data_, end / page * page, MADV_DONTNEED);
}

}  // namespace sptune
