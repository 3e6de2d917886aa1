// The calls of a plan, trials among them.
#include "models/hub_time.hpp"
#include "tuner/plan.hpp"

#include <fmt/format.h>

namespace sptune::tuner {

template <class T, class P>
void Plan<T, P>::publish() {
    Ready* active = ready_[static_cast<std::size_t>(contract_->active())].get();
    active->was_active = true;
    active_.store(active, std::memory_order_release);
    at_rest_.store(waiting_.over && contract_->at_rest(), std::memory_order_release);
    // What has lost before any other thread could see it is given back.
    for (std::size_t i = 1; i < ready_.size(); ++i)
        if (!ready_[i]->was_active && contract_->dropped(static_cast<int>(i)))
            ready_[i]->storage.reset();
    bytes_beside_.store(held_bytes(), std::memory_order_relaxed);
}

template <class T, class P>
void Plan<T, P>::require_storage(const Ready& r) {
    if (!r.storage)
        throw Error("this plan cannot be used since its update_values failed; make a new one");
}

template <class T, class P>
void Plan<T, P>::run(Ready& r, T alpha, const T* x, T beta, T* y, void* stream) {
    const Launch launch{threads_, stream};
    require_storage(r);
    if (!r.storage->exclusive()) return r.kernel->apply(*r.storage, alpha, x, beta, y, launch);
    const std::lock_guard lock(r.mutex);
    if (r.order) r.order->before(stream);
    r.kernel->apply(*r.storage, alpha, x, beta, y, launch);
    if (r.order) r.order->after(stream);
}

template <class T, class P>
double Plan<T, P>::timed_run(Ready& r, T alpha, const T* x, T beta, T* y, void* stream) {
    if (timer_) return timer_->time([&] { run(r, alpha, x, beta, y, stream); }, stream);
    const Clock clock = options_.select.clock;
    const double start = clock();
    run(r, alpha, x, beta, y, stream);
    return clock() - start;
}

template <class T, class P>
void Plan<T, P>::apply_waiting(T alpha, const T* x, T beta, T* y, void* stream) {
    if (waiting_.wants_time()) {
        waiting_.called(timed_run(*ready_.front(), alpha, x, beta, y, stream));
    } else {
        run(*ready_.front(), alpha, x, beta, y, stream);
        waiting_.called(0);
    }
    double price = options_.choosing_us.value_or(choosing_us(matrix_.backend));
    const CsrView<T, P>& a = matrix_.view;
    if (matrix_.backend == Backend::cpu)
        price += odd_shape_us(a.rows, a.cols, static_cast<std::int64_t>(a.nnz()));
    else if (a.nnz() >= models::kLeastHubEntries)
        price += models::hub_look_us(a.nnz(), a.cols);
    if (!waiting_.is_enough(options_.terms, price)) return;
    waiting_.over = true;
    wait_for_calls(stream);
    const double start = options_.select.clock();
    try {
        Selection s = select_spmv(matrix_, kernels_, options_.select);
        selection_ = std::move(s);
        note_chosen();
        Past past = waiting_.past();
        past.spent_us += options_.select.clock() - start;
        choose(past);
    } catch (const UsageError&) {  // A leads out of its arrays, and will at the next call
        waiting_.over = false;
        throw;
    } catch (const std::exception& e) {  // the product itself is done
        selection_.why += fmt::format(" Choosing failed: {}.", e.what());
        ready_.resize(1);
        contract_ = std::make_unique<Contract>(Terms{}, 0, std::vector<Offer>{});
    }
    options_.select.databases.reset();
    publish();
}

template <class T, class P>
void Plan<T, P>::apply(T alpha, const T* x, T beta, T* y, void* stream) {
    const OnDevice here(device_);
    Ready* const active = active_.load(std::memory_order_acquire);
    if (at_rest_.load(std::memory_order_acquire)) {
        rested_.fetch_add(1, std::memory_order_relaxed);
        return run(*active, alpha, x, beta, y, stream);
    }
    // Only one thread at a time takes part in trials; a graph that is being recorded cannot.
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || (timer_ && is_capturing(stream))) return run(*active, alpha, x, beta, y, stream);
    require_storage(*ready_.front());  // before anything is held against it
    if (!waiting_.over) return apply_waiting(alpha, x, beta, y, stream);
    const int before = contract_->active(), drops = contract_->drops();
    const bool was_settled = contract_->settled();
    Contract::Step step = contract_->next();
    while (step.convert) {
        convert(step.run, stream);
        step = contract_->next();
    }
    Ready& ready = *ready_[static_cast<std::size_t>(step.run)];
    double us = 0;
    if (step.timed)
        us = timed_run(ready, alpha, x, beta, y, stream);
    else
        run(ready, alpha, x, beta, y, stream);
    contract_->called(us);
    if (contract_->active() != before || &*ready_[static_cast<std::size_t>(before)] != active ||
        contract_->drops() != drops || contract_->settled() != was_settled || contract_->at_rest())
        publish();
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
