// A matrix, the kernels that may apply it, and the conversions made so far.
#pragma once

#include "kernels/spmm/cpu.hpp"
#include "kernels/spmm/cuda.hpp"
#include "tuner/contract.hpp"
#include "tuner/cuda/calls.hpp"
#include "tuner/many_ways.hpp"
#include "tuner/select.hpp"
#include "tuner/waiting.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sptune::tuner {

enum class Online {
    automatic,  ///< try on the user's calls unless the choice was measured on this matrix
    always,
    never,  ///< believe every prediction
};

struct PlanOptions {
    SelectOptions select;
    Online online = Online::automatic;  ///< never where select.in_graphs
    /// Choose once the calls so far make it cheap beside them. Without effect where constraints, a
    /// number of calls, a stored measurement of this matrix or a look at it call for a choice at
    /// once.
    bool may_wait = false;
    std::optional<double> choosing_us;  ///< instead of what waiting.hpp expects of this process
    Terms terms;                        ///< expected_calls, trusted and watch are set by the plan
};

/// y = αAx + βy with the kernel that pays. Threads may apply one plan at the same time. The arrays
/// of A must outlive it and keep their structure; where values change, say so.
template <class T, class P>
class Plan {
  public:
    /// Chooses, unless that may wait; converts at once where the number of calls is known. The
    /// kernels must outlive it.
    /// Throws Unmet, OutOfMemory, CudaError.
    Plan(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels, const PlanOptions& options);

    /// Waits for the GPU that may still be using it.
    ~Plan();

    /// x has cols entries, y rows, in the memory of A; they must not overlap. A plan that has
    /// settled allocates nothing; one that has not may convert. On a GPU the calls enqueue to
    /// `stream`, and those of a trial wait for it. Throws CudaError.
    void apply(T alpha, const T* x, T beta, T* y, void* stream = nullptr);

    /// The same for `count` vectors. Where each is contiguous they go one by one or together, which
    /// allocates at first, whichever has taken less.
    void apply_many(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                    void* stream = nullptr);

    /// New values for the same structure; what is converted is converted again where that pays.
    /// No apply may run meanwhile. On a GPU it waits for all that was enqueued before.
    void update_values(const T* values);
    /// Its values are of no more use: it refuses every call until it is given others.
    void invalidate();

    /// What was chosen and why, what became of it, and times.
    std::string why() const;
    /// Id of the kernel that calls use at present.
    std::string current() const;
    /// Nothing will be converted or tried any more, unless values are updated.
    bool settled() const;
    const Selection& selection() const { return selection_; }
    const CsrView<T, P>& matrix() const { return matrix_.view; }
    Backend backend() const { return matrix_.backend; }
    /// Beside the caller's arrays, as of the last call that changed it.
    std::uint64_t bytes_beside() const {
        return bytes_beside_.load(std::memory_order_relaxed) +
               several_.scratch_bytes.load(std::memory_order_relaxed);
    }

  private:
    using Kernel = SpmvKernel<T, P>;
    struct Ready {
        const Kernel* kernel = nullptr;
        std::unique_ptr<Storage> storage;
        std::mutex mutex;  ///< for a storage with scratch memory of its own
        std::unique_ptr<StreamOrder> order;
        bool was_active = false;  ///< other threads may be using it
        std::string failure;      ///< why it could not be converted
        double convert_us = 0;    ///< as predicted, code in it that
        double load_us = 0;       ///< takes so long to be loaded
    };

    /// For one call with several vectors.
    struct Scratch {
        ManyScratch<T> memory;
        std::uint64_t reserved = 0;  ///< bytes that it may come to
    };
    /// What such calls keep.
    struct Several {
        ManyWays ways;
        std::unique_ptr<StreamTimer> timer;  ///< of a GPU
        std::mutex timer_mutex;
        std::shared_ptr<const sptune::cuda::RowLengths> row_lengths;  ///< of a matrix on a GPU
        bool looked_at_rows = false;
        std::mutex row_lengths_mutex;
        std::unique_ptr<CallMemory> copies;
        std::mutex copies_mutex;
        std::vector<std::unique_ptr<Scratch>> scratch;  ///< that no call uses
        std::mutex scratch_mutex;
        /// Reserved for `scratch`, of those in use, too, and what row_lengths and copies hold.
        std::atomic<std::uint64_t> scratch_bytes{0};
    };

    bool may_wait() const;
    bool choose_without_model();
    void begin_waiting();
    bool settles() const;
    void begin_with(const Kernel& plain, const Kernel& otherwise);
    void begin_with_allowed();
    const Kernel& plain_kernel() const;
    void choose(const Past& past = {});
    void add_offers(const Terms& terms, const Past& past);
    void note_chosen() const;
    void close_for_graphs();
    void apply_waiting(T alpha, const T* x, T beta, T* y, void* stream);
    void require_legal(const Kernel& kernel);
    std::uint64_t held_bytes() const;
    void drop_storages();
    bool convert(int which, void* stream = nullptr);
    void first_call(const Ready& ready) const;
    void load_if_there_is_room(const Ready& ready) const;
    void note_loaded(const Kernel& kernel);
    void wait_for_calls(void* stream) const;
    static void require_storage(const Ready& ready);
    void run(Ready& ready, T alpha, const T* x, T beta, T* y, void* stream);
    double timed_run(Ready& ready, T alpha, const T* x, T beta, T* y, void* stream);
    std::shared_ptr<const sptune::cuda::RowLengths> row_lengths(void* stream);
    bool apply_copied(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                      const sptune::cuda::RowLengths& lengths, void* stream);
    double timed_many(const std::function<void()>& call, void* stream);
    std::unique_ptr<Scratch> take_scratch(bool by_rows);
    void give_back(std::unique_ptr<Scratch> scratch);
    bool apply_together(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                        void* stream);
    void publish();
    void count_rested() const;

    Chooser<T, P> matrix_;
    const KernelIndex<T, P>& kernels_;
    PlanOptions options_;
    Selection selection_;
    int threads_ = 1;
    int device_ = -1;                            ///< the GPU that A lies on
    std::vector<std::unique_ptr<Ready>> ready_;  ///< the safe kernel, then the offers
    std::unique_ptr<StreamTimer> timer_;         ///< of a GPU
    std::unique_ptr<Contract> contract_;
    Waiting waiting_;
    std::atomic<Ready*> active_{nullptr};
    std::atomic<bool> at_rest_{false};
    std::atomic<std::uint64_t> bytes_beside_{0};
    mutable std::atomic<long long> rested_{0};  ///< calls that the contract has not been told of
    mutable std::mutex mutex_;                  ///< of the contract and of ready_
    Several several_;
};

}  // namespace sptune::tuner
