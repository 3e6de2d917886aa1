// What a plan needs to know of calls that only enqueue work on a GPU. In a build without CUDA the
// functions exist and are never reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace sptune::tuner {

/// Times single calls of a user's own stream and waits for them.
class StreamTimer {
  public:
    virtual ~StreamTimer() = default;
    /// Microseconds between the work before and after `call` on `stream`, a cudaStream_t.
    virtual double time(const std::function<void()>& call, void* stream) = 0;
};
std::unique_ptr<StreamTimer> make_stream_timer();

/// Lets work of several streams that shares scratch memory run one after the other, in the order
/// of the calls. One thread at a time.
class StreamOrder {
  public:
    virtual ~StreamOrder() = default;
    virtual void before(void* stream) = 0;
    virtual void after(void* stream) = 0;
    /// On the host, for what has come so far and is in no graph.
    virtual void wait() = 0;
};
std::unique_ptr<StreamOrder> make_stream_order();

/// Memory of a GPU for calls in any streams, one after the other. One thread at a time. May be
/// destroyed when the work is done.
class CallMemory {
  public:
    virtual ~CallMemory() = default;
    /// Tries to come to so many bytes, which waits for earlier such calls and the default stream.
    /// What is there stays where more is refused; so many are not asked for again then.
    virtual void reserve(std::uint64_t bytes) = 0;
    virtual std::uint64_t bytes() const = 0;
    /// What graphs were given before it grew is theirs for as long as this lives.
    virtual std::uint64_t held_bytes() const = 0;
    /// `enqueue` enqueues to `stream` what uses the memory. Within a graph nothing waits.
    virtual void use(void* stream, const std::function<void(void* memory)>& enqueue) = 0;
};
std::unique_ptr<CallMemory> make_call_memory();

/// Whether the stream is being recorded as a graph: then nothing may wait for it.
bool is_capturing(void* stream);
/// Waits for a cudaStream_t; nullptr: the default stream.
void wait_for_stream(void* stream);
/// Gives `call` an x of zeros and a y to write to, in the default stream, and waits: what the first
/// call of a kernel does beside its work, such as loading its code, is then done. Throws
/// OutOfMemory.
void call_on_scratch(std::size_t x_bytes, std::size_t y_bytes,
                     const std::function<void(const void* x, void* y)>& call);
/// Waits for all streams: what they use is about to change. Throws DeviceFailure, as while one of
/// them is captured.
void wait_for_device();
/// The same for destructors. Where it is false nothing that calls may be using may be freed.
bool is_device_idle() noexcept;

/// Whether `p` lies in memory of a GPU (managed memory counts). False without a GPU.
bool is_device_pointer(const void* p);
/// Whether `p` lies in memory of another GPU than the current one.
bool is_elsewhere(const void* p);

/// The number of the current GPU; -1 without one.
int current_device() noexcept;
/// cuda::go_to_device().
int go_to_device(int device) noexcept;
/// A GPU is the current one as long as this lives; -1: whichever is. Costs nothing where there is
/// one GPU.
class OnDevice {
  public:
    explicit OnDevice(int device) noexcept : before_(device < 0 ? -1 : go_to_device(device)) {}
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() {
        if (before_ >= 0) go_to_device(before_);
    }

  private:
    int before_;
};

/// A value of 4 or 8 bytes in device memory.
void read_from_device(void* to, const void* from, std::size_t bytes);

}  // namespace sptune::tuner
