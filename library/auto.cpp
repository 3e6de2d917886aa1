// auto_spmv: plans that are found again by what the caller passes.
#include "kernels/parallel.hpp"
#include "library/matrix.hpp"
#include "library/plan.hpp"
#include "library/probe.hpp"
#include "matrix/lasting.hpp"
#include "tuner/cuda/calls.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>

namespace sptune {
namespace library {
namespace {

/// Whatever they hold, and as long as those beyond hold little together: levels of a multigrid and
/// parts of a system are many and most of them small, while a program that makes one large matrix
/// after the other should not pay for what it has forgotten. Before it has chosen a plan holds
/// next to nothing; if it were made again and again, it would never choose.
constexpr std::size_t kKeptPlans = 16, kMostPlans = 256;
constexpr std::uint64_t kMostBytesBeyond = 96 << 20;

/// However many entries there are: a matrix may be assembled anew in its place.
template <class T, class P>
bool same_place(const csr_view<T, P>& a, const csr_view<T, P>& b) {
    return a.row_ptr == b.row_ptr && a.col_idx == b.col_idx && a.values == b.values &&
           a.rows == b.rows && a.cols == b.cols;
}

/// A view may leave nnz open.
template <class T, class P>
bool same(const csr_view<T, P>& a, const csr_view<T, P>& b) {
    return same_place(a, b) && (a.nnz == b.nnz || a.nnz < 0 || b.nnz < 0);
}

template <class T, class P>
struct Kept {
    csr_view<T, P> a;  ///< with nnz where A lies on the host
    int threads = 0;   ///< that a plan on the host is for
    std::mutex making;
    bool failed = false;  ///< and is in the cache no more
    std::unique_ptr<Implementation<T>> plan;
    std::atomic<const Implementation<T>*> made{nullptr};  ///< `plan`, once it is there
    Probe<T, P> probe;
    std::mutex updating;
    std::atomic<bool> used{false};                ///< since it was last moved to the front
    std::atomic<std::uint64_t> counted_bytes{0};  ///< when it was last seen what all plans hold

    bool on_host() const { return plan->backend() == Backend::cpu; }
};

template <class T, class P>
class Cache {
  public:
    using Item = std::shared_ptr<Kept<T, P>>;

    /// Never destroyed: plans on a GPU could outlive the driver.
    static Cache& instance() {
        static Cache& cache = lasting<Cache>();
        return cache;
    }

    Item get(const csr_view<T, P>& a, void* stream) {
        // The plan of this thread's last call, good unless plans were dropped since. Does not keep
        // it alive: what one thread forgets is no thread's any more.
        auto& kept = of_this_thread<std::weak_ptr<Kept<T, P>>, Cache>();
        Item last = kept.lock();
        thread_local std::uint64_t seen = 0;
        const std::uint64_t now = generation_.load(std::memory_order_acquire);
        if (!last || seen != now || !is_for(*last, a) || !is_still(last, a)) {
            kept = last = find_or_make(a, stream);
            seen = now;
        } else if (!last->used.load(std::memory_order_relaxed)) {
            last->used.store(true, std::memory_order_relaxed);
        }
        return last;
    }

    /// To be called after a call of its plan, which may have converted A.
    void called(Kept<T, P>& item) {
        const std::uint64_t bytes = item.plan->bytes_beside();
        if (item.counted_bytes.load(std::memory_order_relaxed) == bytes) return;
        item.counted_bytes.store(bytes, std::memory_order_relaxed);
        forget_the_oldest();
    }

    void forget(const csr_view<T, P>& a) {
        remove_if([&](const Item& item) { return same_place(item->a, a); });
    }

    std::string why(const csr_view<T, P>& a) {
        Item item = find(a);
        if (!item) item = find_for_others(a);
        if (!item) return {};
        const std::lock_guard lock(item->making);
        return item->plan ? item->plan->why() : std::string();
    }

  private:
    /// Programs change how many threads OpenMP offers, and a plan keeps to its number.
    static bool is_for(const Kept<T, P>& item, const csr_view<T, P>& a) {
        return same(item.a, a) && (item.threads == 0 || item.threads == resolve_threads(0));
    }

    /// Whether the plan still is one for `a`. New values are taken over; a plan that has failed to
    /// is of no use any more.
    bool is_still(const Item& item, const csr_view<T, P>& a) {
        if (!item->on_host()) return true;
        const std::lock_guard lock(item->updating);
        const Change change = item->probe.compare(a);
        if (change == Change::values) {
            try {
                item->plan->update_values(a.values);
            } catch (...) {
                drop(item);
                throw;
            }
            item->probe.look_at(a);
        }
        return change != Change::structure;
    }

    /// Makes it without keeping others from theirs: databases, features, or ten seconds of
    /// SPTUNE_MODE=tune may take long. Who wants the same one waits.
    Item find_or_make(const csr_view<T, P>& a, void* stream) {
        for (;;) {
            const Item item = find_or_add(a);
            const std::lock_guard lock(item->making);
            if (item->failed) continue;
            if (!item->plan) {
                try {
                    make(*item, a, stream);
                } catch (...) {
                    item->failed = true;
                    drop(item);
                    throw;
                }
                forget_the_oldest();
                return item;
            }
            if (is_still(item, a)) return item;
            drop(item);
        }
    }

    /// Who says another number than row_ptr has gets an item of its own, and is refused.
    static csr_view<T, P> with_nnz(csr_view<T, P> a) {
        if (a.rows > 0 && a.row_ptr && a.nnz < 0 && backend_of(a) == Backend::cpu)
            a.nnz = a.row_ptr[a.rows];
        return a;
    }

    static void make(Kept<T, P>& item, const csr_view<T, P>& a, void* stream) {
        // What looks at A works in the default stream; A may just have been enqueued to this one.
        if (stream && backend_of(a) == Backend::cuda && !tuner::is_capturing(stream))
            tuner::wait_for_stream(stream);
        auto plan = make_plan(a, {}, true);
        if (plan->backend() == Backend::cpu) item.probe = Probe<T, P>(a);
        item.plan = std::move(plan);
        item.made.store(item.plan.get(), std::memory_order_release);
    }

    Item find(const csr_view<T, P>& a) {
        const std::lock_guard lock(mutex_);
        return find_locked(a);
    }
    /// For another number of threads.
    Item find_for_others(const csr_view<T, P>& a) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(items_.begin(), items_.end(),
                                        [&](const Item& item) { return same(item->a, a); });
        return found == items_.end() ? nullptr : *found;
    }
    Item find_locked(const csr_view<T, P>& a) {
        const auto found = std::find_if(items_.begin(), items_.end(),
                                        [&](const Item& item) { return is_for(*item, a); });
        if (found == items_.end()) return nullptr;
        items_.splice(items_.begin(), items_, found);
        return items_.front();
    }
    Item find_or_add(const csr_view<T, P>& a) {
        std::list<Item> gone;
        const std::lock_guard lock(mutex_);
        if (Item item = find_locked(a)) return item;
        remove_locked(
            gone, [&](const Item& item) { return same_place(item->a, a) && !same(item->a, a); });
        auto item = std::make_shared<Kept<T, P>>();
        item->a = with_nnz(a);
        if (a.rows > 0 && a.row_ptr && backend_of(a) == Backend::cpu)
            item->threads = resolve_threads(0);
        items_.push_front(std::move(item));
        return items_.front();
    }

    // Plans that go may wait for a GPU, which is no reason for others to wait for the lock.
    void forget_the_oldest() {
        std::list<Item> gone;
        const std::lock_guard lock(mutex_);
        // Those that a thread has kept to meanwhile are not the oldest.
        std::size_t place = 0;
        for (auto it = items_.begin(); it != items_.end();) {
            const auto item = it++;
            if (place++ >= kKeptPlans && (*item)->used.exchange(false, std::memory_order_relaxed))
                items_.splice(items_.begin(), items_, item);
        }
        place = 0;
        std::uint64_t beyond = 0;
        const auto too_many = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
            const auto* const plan = item->made.load(std::memory_order_acquire);
            if (place++ >= kKeptPlans && plan) beyond += plan->bytes_beside();
            return place > kMostPlans || beyond > kMostBytesBeyond;
        });
        gone.splice(gone.end(), items_, too_many, items_.end());
    }
    void drop(const Item& item) {
        remove_if([&](const Item& other) { return other == item; });
    }
    template <class Condition>
    void remove_if(const Condition& condition) {
        std::list<Item> gone;
        const std::lock_guard lock(mutex_);
        remove_locked(gone, condition);
    }
    template <class Condition>
    void remove_locked(std::list<Item>& gone, const Condition& condition) {
        for (auto it = items_.begin(); it != items_.end();) {
            const auto item = it++;
            if (condition(*item)) gone.splice(gone.end(), items_, item);
        }
        if (!gone.empty()) ++generation_;
    }

    std::mutex mutex_;
    std::list<Item> items_;  ///< the last used first
    std::atomic<std::uint64_t> generation_{0};
};

/// call(plan) with the plan that is kept for `a`.
template <class T, class P, class Call>
void with_kept_plan(const csr_view<T, P>& a, void* stream, const Call& call) {
    guarded([&] {
        auto& cache = Cache<T, P>::instance();
        const auto item = cache.get(a, stream);
        call(*item->plan);
        cache.called(*item);
    });
}

}  // namespace
}  // namespace library

inline namespace v1 {

template <class T, class P>
void auto_spmv(const csr_view<T, P>& a, const T* x, T* y, const spmv_terms<T>& terms) {
    library::with_kept_plan(a, terms.stream, [&](auto& plan) {
        plan.apply(terms.alpha, x, terms.beta, y, terms.stream);
    });
}

template <class T, class P>
void auto_spmv_many(const csr_view<T, P>& a, const T* x, std::size_t ldx, T* y, std::size_t ldy,
                    std::size_t count, const spmv_terms<T>& terms) {
    library::with_kept_plan(a, terms.stream, [&](auto& plan) {
        plan.apply_many(terms.alpha, x, ldx, terms.beta, y, ldy, count, library::Order::vectors,
                        terms.stream);
    });
}

template <class T, class P>
void auto_spmv_many_rows(const csr_view<T, P>& a, const T* x, std::size_t ldx, T* y,
                         std::size_t ldy, std::size_t count, const spmv_terms<T>& terms) {
    library::with_kept_plan(a, terms.stream, [&](auto& plan) {
        plan.apply_many(terms.alpha, x, ldx, terms.beta, y, ldy, count, library::Order::rows,
                        terms.stream);
    });
}

template <class T, class P>
void forget(const csr_view<T, P>& a) {
    library::guarded([&] { library::Cache<T, P>::instance().forget(a); });
}

template <class T, class P>
std::string why(const csr_view<T, P>& a) {
    return library::guarded([&] { return library::Cache<T, P>::instance().why(a); });
}

}  // namespace v1

#define SPTUNE_INSTANTIATE(T, P)                                                                   \
    template SPTUNE_API void v1::auto_spmv(const csr_view<T, P>&, const T*, T*,                    \
                                           const spmv_terms<T>&);                                  \
    template SPTUNE_API void v1::auto_spmv_many(const csr_view<T, P>&, const T*, std::size_t, T*,  \
                                                std::size_t, std::size_t, const spmv_terms<T>&);   \
    template SPTUNE_API void v1::auto_spmv_many_rows(const csr_view<T, P>&, const T*, std::size_t, \
                                                     T*, std::size_t, std::size_t,                 \
                                                     const spmv_terms<T>&);                        \
    template SPTUNE_API void v1::forget(const csr_view<T, P>&);                                    \
    template SPTUNE_API std::string v1::why(const csr_view<T, P>&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
