// Memory of the GPUs that is kept from one array to the next.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace sptune::cuda {

/// Blocks of cudaMalloc(). CUDA's own pools would do as well, but the first allocation of a process
/// from any of them takes 11 ms (H100, driver 580), which is a thousand small products;
/// cudaMalloc() takes 3 to 80 us. CUB's CachingDeviceAllocator rounds up to powers and waits for
/// the device with what is large.
///
/// What is given back is for later work of the default stream. Threads may call at once, also while
/// another one captures a stream.
class MemoryCache {
  public:
    /// Of the current GPU, aligned to 256 bytes, in truth up to a quarter more. Gives back what is
    /// kept where there is too little otherwise. Throws OutOfMemory.
    void* allocate(std::uint64_t bytes);
    /// Keeps it. Beyond an eighth of the GPU's memory the largest ones kept go, which waits for the
    /// GPU. What allocate() did not return is ignored.
    void release(void* p) noexcept;

    /// Bytes of a GPU.
    struct Bytes {
        std::uint64_t kept = 0;  ///< for later
        std::uint64_t used = 0;  ///< as much as was asked for
        std::uint64_t peak = 0;  ///< the most in use at once since restart_peak()
    };
    Bytes bytes(int device) const;
    void restart_peak(int device);

  private:
    struct Block {
        void* data = nullptr;
        int device = 0;
        std::uint64_t asked = 0;
    };
    using Blocks = std::multimap<std::uint64_t, Block>;  ///< by size
    struct Device {
        Blocks kept;
        Bytes bytes;
        std::uint64_t memory = 0;  ///< in all; 0: not asked yet
    };

    void* take(int device, std::uint64_t size, std::uint64_t asked);
    void add(Blocks& one);
    int keep(void* p) noexcept;
    Blocks::node_type too_much(int device) noexcept;
    void give_back(int device);
    static void free(const Block& block) noexcept;

    mutable std::mutex mutex_;
    std::mutex making_room_;
    std::map<int, Device> devices_;
    Blocks used_;
    std::unordered_map<void*, Blocks::iterator> place_;  ///< in used_
};

}  // namespace sptune::cuda
