// Owned, uninitialised memory of the current GPU.
#pragma once

#include "matrix/buffer.hpp"
#include "matrix/cuda/check.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace sptune {

/// Memory of the current GPU for work in the order of the default stream. What is freed is kept
/// (memory_cache.hpp), so that a second conversion does not pay for it again. Throws OutOfMemory.
void* device_allocate(std::uint64_t bytes);
/// From any GPU. Never throws: it runs in destructors, after a device error too.
void device_free(void* p) noexcept;
/// Free memory of the current GPU, what is kept included.
std::uint64_t device_available_memory();
/// The most bytes of the current GPU that were allocated at once since the last such question.
std::uint64_t device_peak_memory();

/// `size` elements of T, aligned to 256 bytes.
template <class T>
class DeviceBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t size) : size_(size) {
        if (size == 0) return;
        if (size > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw OutOfMemory("an array on the GPU", std::numeric_limits<std::uint64_t>::max());
        data_ = static_cast<T*>(device_allocate(size * sizeof(T)));
    }
    explicit DeviceBuffer(const Buffer<T>& host) : DeviceBuffer(host.data(), host.size()) {}
    DeviceBuffer(const T* host, std::size_t size) : DeviceBuffer(size) {
        if (size) SPTUNE_CUDA(cudaMemcpy(data_, host, bytes(), cudaMemcpyHostToDevice));
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~DeviceBuffer() {
        if (data_) device_free(data_);
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    bool empty() const { return size_ == 0; }

    /// Fills every byte, in the default stream.
    void fill_bytes(int byte) {
        if (size_) SPTUNE_CUDA(cudaMemsetAsync(data_, byte, bytes(), nullptr));
    }

    /// Element `i`, after all work of the default stream.
    T at(std::size_t i) const {
        T value;
        SPTUNE_CUDA(cudaMemcpy(&value, data_ + i, sizeof(T), cudaMemcpyDeviceToHost));
        return value;
    }
    Buffer<T> to_host() const {
        Buffer<T> host(size_);
        if (size_) SPTUNE_CUDA(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return host;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace sptune
