// .spt: sptune's own binary CSR file. Checksummed, versioned, little-endian, loaded by mmap.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sptune {

/// What stands at the head of a .spt file.
struct SptHeader {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
};

/// Writes temporary file, fsync, rename. Throws Error.
template <class T, class P>
void write_spt(const std::string& path, CsrView<T, P> matrix);

/// Reads and checks the head only. Throws InputError.
SptHeader read_spt_header(const std::string& path);

/// Maps `path`, verifies checksum and structure (row pointer monotone, columns in range) and copies
/// into CSR, converting values and row pointer to T and P. Throws InputError.
template <class T, class P = std::int32_t>
Csr<T, P> read_spt(const std::string& path);

/// A .spt file used in place: the view points into the mapping, which lives as long as this object.
/// T and P must be the file's own (see read_spt_header); InputError otherwise.
template <class T, class P>
class MappedSpt {
  public:
    explicit MappedSpt(const std::string& path);
    ~MappedSpt();
    MappedSpt(MappedSpt&&) noexcept;
    CsrView<T, P> view() const;

  private:
    struct Mapping;
    std::unique_ptr<Mapping> mapping_;
};

}  // namespace sptune
