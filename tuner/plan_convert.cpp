// The conversions of a plan.
#include "kernels/parallel.hpp"
#include "kernels/spmv/shares_values.hpp"
#include "models/holding.hpp"
#include "tuner/plan.hpp"

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// A layout that comes out this much larger than plain CSR was predicted wrongly.
constexpr double kMostBytes = 6;

}  // namespace

/// Throws Error where the matrix or a constraint speaks against a runner-up.
template <class T, class P>
void Plan<T, P>::require_legal(const Kernel& kernel) {
    if (!selection_.features) selection_.features = matrix_.features();
    const std::uint64_t allowed = options_.select.constraints.memory_bytes,
                        held =
                            held_bytes() + several_.scratch_bytes.load(std::memory_order_relaxed);
    if (allowed == ~0ull && models::surely_fits(*selection_.features, kernel.variant)) return;
    const Footprint f = kernel.inspect(matrix_.view, *selection_.features, kernel.variant.params);
    if (!f.illegal.empty()) throw Error(f.illegal);
    const double csr = models::held_bytes(*selection_.features, kernels_.baseline().variant);
    if (static_cast<double>(f.storage_bytes) > Limits{}.storage_factor * csr + 65536)
        throw Error("it needs more memory than it may");
    if (f.storage_bytes > allowed || held > allowed - f.storage_bytes)
        throw Error(fmt::format("it needs {} bytes, and {} of the {} allowed are in use",
                                f.storage_bytes, held, allowed));
}

/// Beside the caller's arrays.
template <class T, class P>
std::uint64_t Plan<T, P>::held_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& r : ready_)
        if (r->storage) sum += r->storage->held_bytes();
    return sum;
}

/// On a GPU, so that what is timed next is not taken to last as long as the calls before it, which
/// the host runs ahead of.
template <class T, class P>
void Plan<T, P>::wait_for_calls(void* stream) const {
    if (matrix_.backend != Backend::cuda) return;
    wait_for_stream(nullptr);
    if (stream) wait_for_stream(stream);
}

/// The code of a kernel is loaded when it is first launched, which takes as long as many calls of
/// it.
template <class T, class P>
void Plan<T, P>::first_call(const Ready& r) const {
    call_on_scratch(static_cast<std::size_t>(matrix_.view.cols) * sizeof(T),
                    static_cast<std::size_t>(matrix_.view.rows) * sizeof(T),
                    [&](const void* x, void* y) {
                        r.kernel->apply(*r.storage, T{1}, static_cast<const T*>(x), T{0},
                                        static_cast<T*>(y), {threads_, nullptr});
                    });
}

/// So that a recorded call has no code to load.
template <class T, class P>
void Plan<T, P>::load_if_there_is_room(const Ready& r) const {
    try {
        first_call(r);
    } catch (const OutOfMemory&) {  // of the vectors: the kernel itself needs none
    }
}

/// Makes or renews the storage of number `which`; tells the contract. False where that failed.
/// `stream` is that of the calls.
template <class T, class P>
bool Plan<T, P>::convert(int which, void* stream) {
    Ready& r = *ready_[static_cast<std::size_t>(which)];
    const ThreadLimit limit(threads_);
    wait_for_calls(stream);
    const Clock clock = options_.select.clock;
    const double start = clock();
    try {
        // The choice was looked at when choosing, but others may have taken its room since.
        const bool capped = options_.select.constraints.memory_bytes != ~0ull;
        if (which > 0 && !r.storage && !r.was_active &&
            (capped || kernels_.id(*r.kernel) != selection_.chosen.id))
            require_legal(*r.kernel);
        if (auto* const shared = dynamic_cast<SharesValues<T>*>(r.storage.get())) {
            shared->share(matrix_.view.values);
        } else {
            r.storage.reset();
            r.storage = r.kernel->convert(matrix_.view, r.kernel->variant.params, threads_);
            if (matrix_.backend == Backend::cuda) wait_for_stream(nullptr);
        }
        if (r.storage->exclusive() && !r.order && matrix_.backend == Backend::cuda)
            r.order = make_stream_order();
        const Ready& plain = *ready_.front();
        if (capped && held_bytes() > options_.select.constraints.memory_bytes)
            throw Unmet(fmt::format(
                "memory_bytes: {} turned out to hold {} bytes beside A, and {} are allowed",
                kernels_.id(*r.kernel), held_bytes(), options_.select.constraints.memory_bytes));
        if (which && static_cast<double>(r.storage->bytes()) >
                         kMostBytes * static_cast<double>(plain.storage->bytes()) + 65536)
            throw Error("it turned out to be many times larger than plain CSR");
        if (which && !r.was_active && matrix_.backend == Backend::cuda) first_call(r);
        if (!which && options_.select.in_graphs) load_if_there_is_room(r);
    } catch (const std::exception& e) {
        r.storage.reset();
        if (which == 0) throw;
        r.failure = e.what();
        contract_->refused(which, clock() - start);
        return false;
    }
    if (which) contract_->converted(which, clock() - start);
    bytes_beside_.store(held_bytes(), std::memory_order_relaxed);
    note_loaded(*r.kernel);
    return true;
}

/// Its siblings' conversions no longer have to wait for the code.
template <class T, class P>
void Plan<T, P>::note_loaded(const Kernel& kernel) {
    kernels_.has_run(kernel);
    for (std::size_t i = 1; i < ready_.size(); ++i) {
        Ready& r = *ready_[i];
        if (r.load_us <= 0 || kernels_.load_us(*r.kernel) > 0) continue;
        contract_->expect_conversion(static_cast<int>(i), r.convert_us - r.load_us);
        r.load_us = 0;
    }
}

template <class T, class P>
void Plan<T, P>::update_values(const T* values) {
    const std::lock_guard lock(mutex_);
    const OnDevice here(device_);
    count_rested();
    if (matrix_.backend == Backend::cuda) wait_for_device();
    try {
        matrix_.view.values = values;
        matrix_ = choose_for(matrix_.view, matrix_.backend, options_.select.threads);
        convert(0);
        for (std::size_t i = 1; i < ready_.size(); ++i)
            if (dynamic_cast<SharesValues<T>*>(ready_[i]->storage.get()))
                contract_->shares_values(static_cast<int>(i));
        const int before = contract_->active();
        if (ready_.size() > 1) {
            const int pays = contract_->values_changed();
            // How many calls a graph makes of it is not seen: what paid once, pays again.
            if (const int which = options_.select.in_graphs ? before : pays) convert(which);
        }
        close_for_graphs();
    } catch (...) {
        drop_storages();
        throw;
    }
    publish();
}

template <class T, class P>
void Plan<T, P>::invalidate() {
    const std::lock_guard lock(mutex_);
    const OnDevice here(device_);
    drop_storages();
}

/// Nothing is to go on with values of before.
template <class T, class P>
void Plan<T, P>::drop_storages() {
    for (const auto& r : ready_) r->storage.reset();
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
