// Several vectors at once.
#include "tuner/plan.hpp"

#include <algorithm>
#include <bit>

namespace sptune::tuner {
namespace {

/// From so many on they go together where no clock may decide; fewer may take longer then.
constexpr std::size_t kSurely = 8;
/// Of vectors that lie row by row.
constexpr std::uint64_t kLeastScratch = 1 << 15;
/// On a GPU copies of vectors are of so many at once and take so much memory, at most.
constexpr std::size_t kMostCopied = 32;
constexpr std::uint64_t kMostCopiedBytes = 256 << 20;

}  // namespace

template <class T, class P>
void Plan<T, P>::apply_many(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                            void* stream) {
    const bool contiguous = x.row_step == 1 && y.row_step == 1;
    const auto one_by_one = [&](std::size_t first = 0) {
        for (std::size_t j = first; j < count; ++j)
            apply(alpha, x.from(j).data, beta, y.from(j).data, stream);
    };
    const auto together = [&](std::size_t first = 0) {
        return apply_together(alpha, x.from(first), beta, y.from(first), count - first, stream);
    };
    if (!contiguous) {
        if (!together()) throw OutOfMemory("several vectors: an array to work with", kLeastScratch);
        return;
    }
    if (count < 2 || options_.select.constraints.variants != "*") return one_by_one();
    const auto go = [&](ManyWays::Way way) {
        if (way == ManyWays::one_by_one || !together()) one_by_one();
    };
    if (options_.select.constraints.deterministic || options_.online == Online::never)
        return go(count < kSurely ? ManyWays::one_by_one : ManyWays::together);
    // Until the plan has settled some have to be calls like any other: or it never would.
    if (!settled()) {
        if (count < kSurely) return one_by_one();
        apply(alpha, x.data, beta, y.data, stream);
        if (!together(1)) one_by_one(1);
        return;
    }
    const Ready* const kernel = active_.load(std::memory_order_acquire);
    const ManyWays::Step step = several_.ways.next(count, kernel);
    if (!step.timed || (timer_ && is_capturing(stream))) return go(step.way);
    const double us = timed_many([&] { go(step.way); }, stream);
    several_.ways.took(step, kernel, us / static_cast<double>(count));
}

template <class T, class P>
double Plan<T, P>::timed_many(const std::function<void()>& call, void* stream) {
    if (matrix_.backend == Backend::cpu) {
        const double start = options_.select.clock();
        call();
        return options_.select.clock() - start;
    }
    const OnDevice here(device_);
    const std::lock_guard lock(several_.timer_mutex);
    if (!several_.timer) several_.timer = make_stream_timer();
    return several_.timer->time(call, stream);
}

/// Of a matrix on a GPU; null where repeats have to give the same bits, where memory is counted,
/// and while a graph is being recorded before anybody could look.
template <class T, class P>
std::shared_ptr<const cuda::RowLengths> Plan<T, P>::row_lengths(void* stream) {
    const Constraints& c = options_.select.constraints;
    if (c.deterministic || c.memory_bytes != ~0ull) return nullptr;
    const std::lock_guard lock(several_.row_lengths_mutex);
    if (!several_.looked_at_rows && !is_capturing(stream)) {
        several_.looked_at_rows = true;
        try {
            several_.row_lengths = cuda::look_at_rows(matrix_.view.row_ptr, matrix_.view.rows);
            several_.scratch_bytes.fetch_add(cuda::bytes_of(*several_.row_lengths),
                                             std::memory_order_relaxed);
        } catch (const OutOfMemory&) {  // it goes without
        }
    }
    return several_.row_lengths;
}

/// Memory for one call, or null where there may be none or is none.
template <class T, class P>
std::unique_ptr<typename Plan<T, P>::Scratch> Plan<T, P>::take_scratch(bool by_rows) {
    const std::uint64_t needed = most_scratch_bytes<T>(matrix_.view.cols, by_rows, threads_);
    const std::uint64_t allowed = options_.select.constraints.memory_bytes;
    const std::lock_guard lock(several_.scratch_mutex);
    std::unique_ptr<Scratch> scratch;
    if (several_.scratch.empty())
        scratch = std::make_unique<Scratch>();
    else
        scratch = std::move(several_.scratch.back()), several_.scratch.pop_back();
    const std::uint64_t more = needed - std::min(needed, scratch->reserved);
    const std::uint64_t held = bytes_beside();
    if (!by_rows && (held > allowed || more > allowed - held)) {
        if (scratch->reserved) several_.scratch.push_back(std::move(scratch));
        return nullptr;
    }
    scratch->reserved += more;
    several_.scratch_bytes.fetch_add(more, std::memory_order_relaxed);
    return scratch;
}

template <class T, class P>
void Plan<T, P>::give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(several_.scratch_mutex);
    several_.scratch.push_back(std::move(scratch));
}

/// Of a matrix on a GPU, by way of copies row by row. Whether it could, and they are worth while;
/// else nothing is done.
template <class T, class P>
bool Plan<T, P>::apply_copied(T alpha, Vectors<const T> x, T beta, Vectors<T> y, std::size_t count,
                              const cuda::RowLengths& lengths, void* stream) {
    const CsrView<T, P>& a = matrix_.view;
    const std::size_t fewest = cuda::fewest_copied<T>(lengths);
    if (count < fewest || a.nnz() < std::int64_t{a.rows} + a.cols) return false;
    std::size_t at_once = std::min(std::bit_ceil(count), kMostCopied);
    const auto halve_down_to = [&](std::uint64_t bytes) {
        while (at_once >= fewest && cuda::copied_bytes(a, at_once) > bytes) at_once /= 2;
        return at_once >= fewest;
    };
    if (!halve_down_to(kMostCopiedBytes)) return false;
    const std::lock_guard lock(several_.copies_mutex);
    if (!is_capturing(stream)) {
        if (!several_.copies) several_.copies = make_call_memory();
        CallMemory& memory = *several_.copies;
        const std::uint64_t before = memory.held_bytes();
        for (std::size_t n = at_once; n >= fewest; n /= 2) {
            memory.reserve(cuda::copied_bytes(a, n));
            if (memory.bytes() >= cuda::copied_bytes(a, n)) break;
        }
        several_.scratch_bytes.fetch_add(memory.held_bytes() - before, std::memory_order_relaxed);
    }
    if (!several_.copies || !halve_down_to(several_.copies->bytes())) return false;
    several_.copies->use(stream, [&](void* memory) {
        cuda::multiply_many_copied(a, alpha, x, beta, y, count, lengths, at_once, memory, stream);
    });
    return true;
}

/// Whether it could; else nothing is done.
template <class T, class P>
bool Plan<T, P>::apply_together(T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                                std::size_t count, void* stream) {
    require_storage(*active_.load(std::memory_order_acquire));  // values that are valid
    if (matrix_.backend == Backend::cuda) {
        const OnDevice here(device_);
        const auto lengths = row_lengths(stream);
        if (!x.by_rows() && lengths && apply_copied(alpha, x, beta, y, count, *lengths, stream))
            return true;
        cuda::multiply_many(matrix_.view, alpha, x, beta, y, count, lengths.get(), stream);
        return true;
    }
    std::unique_ptr<Scratch> scratch = take_scratch(x.by_rows());
    if (!scratch) return false;
    try {
        multiply_many(matrix_.view, alpha, x, beta, y, count, scratch->memory, threads_);
    } catch (const OutOfMemory&) {  // of its first pass, which is the largest
        several_.scratch_bytes.fetch_sub(scratch->reserved, std::memory_order_relaxed);
        return false;
    }
    give_back(std::move(scratch));
    return true;
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
