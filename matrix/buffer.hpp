// Owned, aligned, uninitialised host memory.
#pragma once

#include "matrix/error.hpp"
#include "matrix/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

#include <sys/mman.h>

namespace sptune {

/// `size` elements of T, aligned to a cache line (large ones to a huge page, which saves the TLB
/// misses that dominate gathers). Elements are not initialised: whoever fills them in parallel
/// touches them first. Throws OutOfMemory where the machine has not so much left, and when the byte
/// count overflows.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size) {
        if (size == 0) return;
        if (size > (std::numeric_limits<std::size_t>::max() - kHugePage) / sizeof(T))
            throw OutOfMemory("an array", std::numeric_limits<std::uint64_t>::max());
        const std::size_t bytes = size * sizeof(T);
        require_memory("an array", bytes);
        const std::size_t align = bytes >= kHugePage ? kHugePage : kCacheLine;
        void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
        if (!p) throw OutOfMemory("an array", bytes);
        if (align == kHugePage) madvise(p, bytes, MADV_HUGEPAGE);  // a hint; failing is harmless
        data_.reset(static_cast<T*>(p));
    }
    Buffer(std::size_t size, T fill) : Buffer(size) {
        for (std::size_t i = 0; i < size; ++i) data_.get()[i] = fill;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    /// Gives up the elements from `count` on; their memory stays until the buffer goes.
    void truncate(std::size_t count) { size_ = count < size_ ? count : size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    operator std::span<T>() { return {data(), size_}; }
    operator std::span<const T>() const { return {data(), size_}; }

  private:
    static constexpr std::size_t kCacheLine = 64;
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace sptune
