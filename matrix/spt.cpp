#include "matrix/spt.hpp"

#include "matrix/atomic_file.hpp"
#include "matrix/convert.hpp"
#include "matrix/error.hpp"
#include "matrix/mapped_file.hpp"
#include "matrix/spt_layout.hpp"
#include "matrix/validate.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

namespace sptune {

namespace {

using detail::SptFileHead;
using detail::SptLayout;

static_assert(std::endian::native == std::endian::little, ".spt is written as memory has it");

std::uint64_t hash_of(std::string_view bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string_view bytes_of(const SptFileHead& head) {
    return {reinterpret_cast<const char*>(&head), sizeof head};
}

std::uint64_t hash_of_head(SptFileHead head) {
    head.head_hash = 0;
    return hash_of(bytes_of(head));
}

template <class T, class P>
SptFileHead head_of(CsrView<T, P> m) {
    SptFileHead head;
    head.value_bytes = sizeof(T);
    head.pointer_bytes = sizeof(P);
    head.rows = m.rows;
    head.cols = m.cols;
    head.nnz = m.nnz();
    return head;
}

/// Everything about the head that can be wrong, before any of its sizes is believed.
SptFileHead checked_head(const std::string& path, std::string_view file) {
    SptFileHead head;
    const auto refuse = [&](const std::string& what) { throw InputError(path, 0, what); };
    if (!file.starts_with(detail::kSptMagic)) refuse("is no .spt file; expected its first bytes");
    if (file.size() < sizeof head) refuse("ends in the head of a .spt file; is it truncated?");
    std::memcpy(&head, file.data(), sizeof head);
    if (head.byte_order != SptFileHead{}.byte_order)
        refuse("was written with another byte order; expected a little-endian .spt file");
    if (head.version != SptFileHead{}.version)
        refuse(fmt::format("is of .spt version {}; expected version {}, convert it again",
                           head.version, SptFileHead{}.version));
    if (head.head_hash != hash_of_head(head))
        refuse("has a damaged head (wrong checksum); convert it again");
    constexpr std::int64_t kMostRows = std::numeric_limits<index_t>::max();
    const bool types_known = (head.value_bytes == 4 || head.value_bytes == 8) &&
                             (head.pointer_bytes == 4 || head.pointer_bytes == 8);
    const std::int64_t most_nnz = head.pointer_bytes == 4 ? kMostRows : std::int64_t{1} << 56;
    if (!types_known || head.rows < 0 || head.rows > kMostRows || head.cols < 0 ||
        head.cols > kMostRows || head.nnz < 0 || head.nnz > most_nnz)
        refuse(
            fmt::format("claims {} x {} with {} nonzeros of {} bytes and row pointers of {} "
                        "bytes; expected sizes that are possible",
                        head.rows, head.cols, head.nnz, head.value_bytes, head.pointer_bytes));
    const std::uint64_t size = SptLayout(head).file_size;
    if (file.size() != size)
        refuse(fmt::format("has {} bytes; expected {} (is it truncated?)", file.size(), size));
    return head;
}

SptHeader public_head(const SptFileHead& head) {
    return {head.rows, head.cols, head.nnz, head.value_bytes == 4 ? ValueType::f32 : ValueType::f64,
            head.pointer_bytes == 4 ? IndexType::i32 : IndexType::i64};
}

}  // namespace

template <class T, class P>
void write_spt(const std::string& path, CsrView<T, P> m) {
    SptFileHead head = head_of(m);
    const SptLayout layout(head);
    const P no_rows = 0;
    if (!m.row_ptr) m.row_ptr = &no_rows;
    if (const std::string problem = csr_problem(m, m.nnz()); !problem.empty())
        throw Error(fmt::format(
            "cannot write {}: {}; .spt holds sorted, finite CSR only, sort or scale the matrix",
            path, problem));
    const std::array<const void*, 3> data = {m.row_ptr, m.col_idx, m.values};
    for (std::size_t i = 0; i < data.size(); ++i)
        head.section_hash[i] =
            hash_of({static_cast<const char*>(data[i]), layout.sections[i].bytes});
    head.head_hash = hash_of_head(head);

    AtomicFile file{path};
    file.write(bytes_of(head));
    for (std::size_t i = 0; i < data.size(); ++i) {
        file.write({static_cast<const char*>(data[i]), layout.sections[i].bytes});
        file.write(std::string(layout.sections[i].padding, '\0'));
    }
    file.commit();
}

SptHeader read_spt_header(const std::string& path) {
    return public_head(checked_head(path, MappedFile(path).bytes()));
}

template <class T, class P>
struct MappedSpt<T, P>::Mapping {
    MappedFile file;
    CsrView<T, P> view;
};

template <class T, class P>
MappedSpt<T, P>::MappedSpt(const std::string& path) : mapping_(new Mapping{MappedFile(path), {}}) {
    const std::string_view bytes = mapping_->file.bytes();
    const SptFileHead head = checked_head(path, bytes);
    if (head.value_bytes != sizeof(T) || head.pointer_bytes != sizeof(P))
        throw InputError(
            path, 0,
            fmt::format("holds {}, {}; expected {}, {}", to_string(public_head(head).value),
                        to_string(public_head(head).index), to_string(value_type_of<T>()),
                        to_string(index_type_of<P>())));
    const SptLayout layout(head);
    std::array<const char*, 3> data{};
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto& section = layout.sections[i];
        data[i] = bytes.data() + section.offset;
        const std::string_view padding =
            bytes.substr(section.offset + section.bytes, section.padding);
        if (hash_of({data[i], section.bytes}) != head.section_hash[i] ||
            padding.find_first_not_of('\0') != std::string_view::npos)
            throw InputError(
                path, 0,
                fmt::format("has damaged {} (wrong checksum); convert it again", section.name));
    }
    mapping_->view = {static_cast<index_t>(head.rows), static_cast<index_t>(head.cols),
                      reinterpret_cast<const P*>(data[0]),
                      reinterpret_cast<const index_t*>(data[1]),
                      reinterpret_cast<const T*>(data[2])};
    const std::string problem = csr_problem(mapping_->view, static_cast<P>(head.nnz));
    if (!problem.empty())
        throw InputError(path, 0, problem + "; expected a sorted, finite CSR matrix");
}

template <class T, class P>
MappedSpt<T, P>::~MappedSpt() = default;
template <class T, class P>
MappedSpt<T, P>::MappedSpt(MappedSpt&&) noexcept = default;
template <class T, class P>
CsrView<T, P> MappedSpt<T, P>::view() const {
    return mapping_->view;
}

namespace {

template <class T, class P, class FileT, class FileP>
Csr<T, P> copy_of(const std::string& path) {
    const MappedSpt<FileT, FileP> file(path);
    try {
        return cast_csr<T, P>(file.view());
    } catch (const OutOfMemory&) {
        throw;
    } catch (const Error& error) {
        throw InputError(path, 0, error.what());
    }
}

}  // namespace

template <class T, class P>
Csr<T, P> read_spt(const std::string& path) {
    const SptHeader head = read_spt_header(path);
    const bool wide = head.index == IndexType::i64;
    if (head.value == ValueType::f32)
        return wide ? copy_of<T, P, float, std::int64_t>(path)
                    : copy_of<T, P, float, std::int32_t>(path);
    return wide ? copy_of<T, P, double, std::int64_t>(path)
                : copy_of<T, P, double, std::int32_t>(path);
}

#define SPTUNE_SPT(T, P)                                        \
    template void write_spt(const std::string&, CsrView<T, P>); \
    template Csr<T, P> read_spt(const std::string&);            \
    template class MappedSpt<T, P>;

SPTUNE_FOR_ALL_TYPES(SPTUNE_SPT)

}  // namespace sptune
