// Several vectors at once.
#include "tuner/plan.hpp"

namespace sptune::tuner {
namespace {

/// From so many on they go together where no clock may decide; fewer may take longer then.
constexpr std::size_t kSurely = 8;

}  // namespace

template <class T, class P>
void Plan<T, P>::apply_many(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                            void* stream) {
    const bool contiguous = x.row_step == 1 && y.row_step == 1;
    const auto one_by_one = [&] {
        for (std::size_t j = 0; j < count; ++j)
            apply(alpha, x.from(j).data, beta, y.from(j).data, stream);
    };
    const auto together = [&] { apply_together(alpha, x, beta, y, count, stream); };
    if (!contiguous) return together();
    if (count < 2 || !may_go_together()) return one_by_one();
    if (options_.select.constraints.deterministic || options_.online == Online::never)
        return count < kSurely ? one_by_one() : together();
    const auto go = [&](ManyWays::Way way) {
        if (way == ManyWays::one_by_one) return one_by_one();
        try {
            together();
        } catch (const OutOfMemory&) {  // of the scratch: nothing is written yet
            one_by_one();
        }
    };
    const Ready* const kernel = active_.load(std::memory_order_acquire);
    const ManyWays::Step step = ways_.next(count, kernel);
    if (!step.timed || (timer_ && is_capturing(stream))) return go(step.way);
    const double us = timed_many([&] { go(step.way); }, stream);
    ways_.took(step, kernel, us / static_cast<double>(count));
}

template <class T, class P>
double Plan<T, P>::timed_many(const std::function<void()>& call, void* stream) {
    if (matrix_.backend == Backend::cpu) {
        const double start = options_.select.clock();
        call();
        return options_.select.clock() - start;
    }
    const OnDevice here(device_);
    const std::lock_guard lock(many_timer_mutex_);
    if (!many_timer_) many_timer_ = make_stream_timer();
    return many_timer_->time(call, stream);
}

/// By what the caller has asked for.
template <class T, class P>
bool Plan<T, P>::may_go_together() const {
    const Constraints& c = options_.select.constraints;
    if (c.variants != "*") return false;
    if (matrix_.backend == Backend::cuda) return true;
    const std::size_t scratch = most_scratch_bytes<T>(matrix_.view.cols, false, threads_);
    const std::uint64_t held = bytes_beside_.load(std::memory_order_relaxed);
    return c.memory_bytes == ~0ull || (held <= c.memory_bytes && scratch <= c.memory_bytes - held);
}

/// Of a matrix on a GPU; null where repeats have to give the same bits, and while a graph is being
/// recorded before anybody could look.
template <class T, class P>
std::shared_ptr<const cuda::RowLengths> Plan<T, P>::row_lengths(void* stream) {
    if (options_.select.constraints.deterministic) return nullptr;
    const std::lock_guard lock(row_lengths_mutex_);
    if (!row_lengths_ && !is_capturing(stream))
        row_lengths_ = cuda::look_at_rows(matrix_.view.row_ptr, matrix_.view.rows);
    return row_lengths_;
}

template <class T, class P>
void Plan<T, P>::apply_together(T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                                std::size_t count, void* stream) {
    require_storage(*active_.load(std::memory_order_acquire));  // values that are valid
    if (matrix_.backend == Backend::cuda) {
        const OnDevice here(device_);
        const auto lengths = row_lengths(stream);
        return cuda::multiply_many(matrix_.view, alpha, x, beta, y, count, lengths.get(), stream);
    }
    std::unique_ptr<ManyScratch<T>> scratch;
    {
        const std::lock_guard lock(scratch_mutex_);
        if (!scratch_.empty()) scratch = std::move(scratch_.back()), scratch_.pop_back();
    }
    if (!scratch) scratch = std::make_unique<ManyScratch<T>>();
    const std::size_t before = scratch->bytes();
    multiply_many(matrix_.view, alpha, x, beta, y, count, *scratch, threads_);
    scratch_bytes_.fetch_add(scratch->bytes() - before, std::memory_order_relaxed);
    const std::lock_guard lock(scratch_mutex_);
    scratch_.push_back(std::move(scratch));
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
