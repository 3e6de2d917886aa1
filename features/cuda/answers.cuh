// Few numbers that each block of a kernel hands to the host, which waits for them: no block waits
// for another, no memory has to be cleared, and nothing is copied.
#pragma once

#include "features/cuda/waiting.hpp"
#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/per_device.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

namespace sptune::cuda {

/// The place for them. Each number comes with the ticket of the question in one word of eight
/// bytes, which is written whole: it is there once the ticket is.
template <int N>
struct Questions {
    std::uint64_t* words;  ///< N for each block
    unsigned ticket;

    /// By one thread of each block, once for each of N.
    __device__ __forceinline__ void answer(int which, unsigned number) const {
        const unsigned long long word = static_cast<unsigned long long>(ticket) << 32 | number;
        *reinterpret_cast<volatile unsigned long long*>(words + blockIdx.x * N + which) = word;
    }
};

/// Those of the current GPU, for one thread at a time: others wait in the constructor.
template <int N>
class Answers {
  public:
    static constexpr unsigned kMostBlocks = 1024;

    Answers() : kept_(of_device().get()), lock_(kept_.mutex) {
        if (!kept_.words) {
            const BesideCaptures relaxed;
            void* p = nullptr;
            SPTUNE_CUDA(cudaHostAlloc(&p, sizeof(Words), cudaHostAllocMapped));
            kept_.words = new (p) Words{};
        }
        if (++kept_.ticket == 0) ++kept_.ticket;
    }
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;

    Questions<N> questions() const { return {kept_.words->data(), kept_.ticket}; }

    /// take(array of N numbers) for each of the blocks, as soon as they are there.
    template <class Take>
    void wait(unsigned blocks, const Take& take) const {
        for (unsigned block = 0; block < blocks; ++block) {
            std::array<unsigned, N> numbers;
            for (int i = 0; i < N; ++i) {
                const std::atomic_ref<std::uint64_t> word((*kept_.words)[block * N + i]);
                std::uint64_t found = 0;
                wait_until([&] {
                    found = word.load(std::memory_order_acquire);
                    return found >> 32 == kept_.ticket;
                });
                numbers[i] = static_cast<unsigned>(found);
            }
            take(numbers);
        }
    }

  private:
    using Words = std::array<std::uint64_t, std::size_t{N} * kMostBlocks>;
    /// Never freed: the driver may have ended by then.
    struct Kept {
        std::mutex mutex;
        Words* words = nullptr;
        unsigned ticket = 0;
    };
    static PerDevice<Kept>& of_device() {
        static PerDevice<Kept> all;
        return all;
    }

    Kept& kept_;
    std::lock_guard<std::mutex> lock_;
};

}  // namespace sptune::cuda
