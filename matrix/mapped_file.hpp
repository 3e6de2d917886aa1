// A file of the user's, mapped read-only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sptune {

/// The bytes of `path`, page-aligned. A missing file, a folder, a device or a lack of permission is
/// an InputError that names it.
class MappedFile {
  public:
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view bytes() const { return {data_, size_}; }

    /// Says that bytes before `end` are not needed soon, so that reading a file of any size keeps
    /// the process small. They can still be read.
    void release_before(std::size_t end) const;

  private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace sptune
