#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/error.hpp"
#include "tuner/cuda/calls.hpp"

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace sptune::tuner {
namespace {

class CudaCallMemory final : public CallMemory {
  public:
    void reserve(std::uint64_t bytes) override {
        if (bytes <= memory_.bytes() || bytes >= refused_) return;
        try {
            const BesideCaptures relaxed;
            DeviceBuffer<std::byte> more(bytes);
            wait_for_stream(nullptr);  // which may use what this was before
            order_->wait();
            if (in_a_graph_) of_graphs_.push_back(std::move(memory_));
            in_a_graph_ = false;
            memory_ = std::move(more);
        } catch (const OutOfMemory&) {
            refused_ = bytes;
        }
    }
    std::uint64_t bytes() const override { return memory_.bytes(); }
    std::uint64_t held_bytes() const override {
        std::uint64_t all = memory_.bytes();
        for (const auto& one : of_graphs_) all += one.bytes();
        return all;
    }

    void use(void* stream, const std::function<void(void*)>& enqueue) override {
        if (is_capturing(stream)) in_a_graph_ = true;
        order_->before(stream);
        try {
            enqueue(memory_.data());
        } catch (...) {  // part of it may be on its way
            order_->after(stream);
            throw;
        }
        order_->after(stream);
    }

  private:
    std::unique_ptr<StreamOrder> order_ = make_stream_order();
    DeviceBuffer<std::byte> memory_;
    bool in_a_graph_ = false;
    std::vector<DeviceBuffer<std::byte>> of_graphs_;  ///< which may be launched at any time
    std::uint64_t refused_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

std::unique_ptr<CallMemory> make_call_memory() {
    return std::make_unique<CudaCallMemory>();
}

}  // namespace sptune::tuner
