#include "tuner/plan.hpp"

#include "kernels/parallel.hpp"
#include "kernels/spmv/shares_values.hpp"
#include "models/holding.hpp"
#include "tuner/identify.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// A layout that comes out this much larger than plain CSR was predicted wrongly.
constexpr double kMostBytes = 6;

}  // namespace

template <class T, class P>
Plan<T, P>::Plan(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                 const PlanOptions& options)
    : matrix_(matrix),
      kernels_(kernels),
      options_(options),
      threads_(resolve_threads(options.select.threads)) {
    if (matrix_.backend == Backend::cuda) timer_ = make_stream_timer();
    waiting_.over = !may_wait();
    if (!waiting_.over) {
        const double start = options_.select.clock();
        const Kernel& safe = kernels_.safe(matrix_.outline());
        waiting_.spent(options_.select.clock() - start);
        begin_with(safe, kernels_.baseline());
        selection_.safe.id = kernels_.id(*ready_.front()->kernel);
        selection_.chosen = selection_.safe;
        selection_.why = fmt::format(
            "{} is in use until choosing is cheap beside the calls so far; {}.", selection_.safe.id,
            options_.select.databases ? "no database has measurements of this device"
                                      : "no database was asked");
        contract_ = std::make_unique<Contract>(Terms{}, 0, std::vector<Offer>{});
    } else {
        selection_ = select_spmv(matrix_, kernels_, options_.select);
        choose();
        for (int which = contract_->in_advance(); which && !convert(which);
             which = contract_->in_advance()) {
        }
    }
    if (waiting_.over) options_.select.databases.reset();  // have been asked
    publish();
}

template <class T, class P>
Plan<T, P>::~Plan() {
    if (matrix_.backend == Backend::cuda) wait_for_device();
}

/// Whether nothing asks for a choice before the first call.
template <class T, class P>
bool Plan<T, P>::may_wait() const {
    const SelectOptions& o = options_.select;
    const Constraints& c = o.constraints;
    return options_.may_wait && o.calls <= 0 && !c.deterministic && c.memory_bytes == ~0ull &&
           !std::isfinite(c.convert_us) && !std::isfinite(c.error) && c.variants == "*" &&
           !(o.databases && o.databases->may_know(identify(matrix_.backend, o.threads).key));
}

/// Makes `plain` number 0; `otherwise`, which needs no memory, where there is none for it.
template <class T, class P>
void Plan<T, P>::begin_with(const Kernel& plain, const Kernel& otherwise) {
    ready_.push_back(std::make_unique<Ready>());
    ready_.front()->kernel = &plain;
    try {
        convert(0);
    } catch (const OutOfMemory&) {
        if (&plain == &otherwise) throw;
        ready_.front()->kernel = &otherwise;
        convert(0);
    }
}

/// What everything is held against: the safe kernel, unless constraints forbid it or a measurement
/// says that it is slower than the baseline.
template <class T, class P>
const SpmvKernel<T, P>& Plan<T, P>::plain_kernel() const {
    const Kernel* const safe = kernels_.find(selection_.safe.id);
    const Constraints& c = options_.select.constraints;
    const bool allowed = safe && matches(selection_.safe.id, c.variants) &&
                         c.memory_bytes == ~0ull && selection_.safe.convert_us <= c.convert_us;
    const bool slower = selection_.source == Source::exact &&
                        selection_.baseline.predicted_us <= selection_.safe.predicted_us;
    return allowed && !slower ? *safe : kernels_.baseline();
}

/// Turns the selection into offers.
template <class T, class P>
void Plan<T, P>::choose(const Past& past) {
    Terms terms = options_.terms;
    terms.expected_calls = options_.select.calls;
    terms.trusted = options_.online == Online::never ||
                    (options_.online == Online::automatic && selection_.source == Source::exact);
    terms.watch = matrix_.backend == Backend::cpu;  // timing waits for a GPU

    // Plain CSR is what everything is held against, unless the constraints forbid it. Kernels that
    // repeat themselves to the bit still differ from each other: then there may be only one.
    const Constraints& limits = options_.select.constraints;
    const bool plain_allowed =
        !limits.deterministic &&
        (limits.variants == "*" || matches(selection_.baseline.id, limits.variants));
    if (plain_allowed) {
        if (ready_.empty()) begin_with(plain_kernel(), kernels_.baseline());
        return add_offers(terms, past);
    }
    const Kernel& chosen = *kernels_.find(selection_.chosen.id);
    begin_with(chosen, chosen);
    contract_ =
        std::make_unique<Contract>(terms, selection_.chosen.predicted_us, std::vector<Offer>{});
}

template <class T, class P>
void Plan<T, P>::add_offers(const Terms& terms, const Past& past) {
    const Kernel* const plain = ready_.front()->kernel;
    std::vector<Offer> offers;
    const auto offer = [&](const Ranked& r) {
        const Kernel* kernel = kernels_.find(r.id);
        if (!kernel || kernel == plain) return;
        for (std::size_t i = 1; i < ready_.size(); ++i)
            if (ready_[i]->kernel == kernel) return;
        ready_.push_back(std::make_unique<Ready>());
        ready_.back()->kernel = kernel;
        offers.push_back({r.predicted_us, r.convert_us});
    };
    offer(selection_.chosen);
    if (!terms.trusted) {
        for (const Ranked& r : selection_.alternatives) offer(r);
        offer(selection_.baseline);  // costs nothing but a look
    }
    const bool safe = kernels_.id(*plain) == selection_.safe.id;
    const Ranked& known = safe ? selection_.safe : selection_.baseline;
    contract_ = std::make_unique<Contract>(terms, known.predicted_us, offers, past);
}

/// Throws Error where the matrix or a constraint speaks against a runner-up.
template <class T, class P>
void Plan<T, P>::require_legal(const Kernel& kernel) {
    if (!selection_.features) selection_.features = matrix_.features();
    const std::uint64_t allowed = options_.select.constraints.memory_bytes;
    if (allowed == ~0ull && models::surely_fits(*selection_.features, kernel.variant)) return;
    const Footprint f = kernel.inspect(matrix_.view, *selection_.features, kernel.variant.params);
    if (!f.illegal.empty()) throw Error(f.illegal);
    const double most =
        Limits{}.storage_factor * static_cast<double>(ready_.front()->storage->bytes());
    if (f.storage_bytes > allowed || static_cast<double>(f.storage_bytes) > most + 65536)
        throw Error("it needs more memory than it may");
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

/// Makes or renews the storage of number `which`; tells the contract. False where that failed.
/// `stream` is that of the calls.
template <class T, class P>
bool Plan<T, P>::convert(int which, void* stream) {
    Ready& r = *ready_[static_cast<std::size_t>(which)];
    wait_for_calls(stream);
    const Clock clock = options_.select.clock;
    const double start = clock();
    try {
        // The choice was looked at when choosing.
        if (which > 0 && !r.was_active && kernels_.id(*r.kernel) != selection_.chosen.id)
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
        if (which && static_cast<double>(r.storage->bytes()) >
                         kMostBytes * static_cast<double>(plain.storage->bytes()) + 65536)
            throw Error("it turned out to be many times larger than plain CSR");
        if (which && !r.was_active && matrix_.backend == Backend::cuda) first_call(r);
    } catch (const std::exception& e) {
        if (which == 0) throw;
        r.storage.reset();
        r.failure = e.what();
        contract_->refused(which);
        return false;
    }
    if (which) contract_->converted(which, clock() - start);
    return true;
}

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
}

template <class T, class P>
void Plan<T, P>::run(Ready& r, T alpha, const T* x, T beta, T* y, void* stream) {
    const Launch launch{threads_, stream};
    if (!r.storage)
        throw Error("this plan cannot be used since its update_values failed; make a new one");
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
    if (!waiting_.is_enough(options_.terms)) return;
    waiting_.over = true;
    wait_for_calls(stream);
    const double start = options_.select.clock();
    try {
        Selection s = select_spmv(matrix_, kernels_, options_.select);
        selection_ = std::move(s);
        Past past = waiting_.past();
        past.spent_us += options_.select.clock() - start;
        choose(past);
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
    Ready* const active = active_.load(std::memory_order_acquire);
    if (at_rest_.load(std::memory_order_acquire)) return run(*active, alpha, x, beta, y, stream);
    // Only one thread at a time takes part in trials; a graph that is being recorded cannot.
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || (timer_ && is_capturing(stream))) return run(*active, alpha, x, beta, y, stream);
    if (!waiting_.over) return apply_waiting(alpha, x, beta, y, stream);
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
    const int before = contract_->active();
    const bool was_settled = contract_->settled();
    contract_->called(us);
    if (contract_->active() != before || &*ready_[static_cast<std::size_t>(before)] != active ||
        contract_->settled() != was_settled || contract_->at_rest())
        publish();
}

template <class T, class P>
void Plan<T, P>::update_values(const T* values) {
    const std::lock_guard lock(mutex_);
    if (matrix_.backend == Backend::cuda) wait_for_device();
    matrix_.view.values = values;
    matrix_ = choose_for(matrix_.view, matrix_.backend, options_.select.threads);
    convert(0);
    if (ready_.size() > 1)
        if (const int which = contract_->values_changed()) convert(which);
    publish();
}

template <class T, class P>
std::string Plan<T, P>::current() const {
    const std::lock_guard lock(mutex_);
    return kernels_.id(*ready_[static_cast<std::size_t>(contract_->active())]->kernel);
}

template <class T, class P>
bool Plan<T, P>::settled() const {
    const std::lock_guard lock(mutex_);
    return waiting_.over && contract_->settled();
}

template <class T, class P>
std::string Plan<T, P>::why() const {
    const std::lock_guard lock(mutex_);
    std::string text = selection_.why;
    const int active = contract_->active();
    if (contract_->calls() > 0) {
        text += fmt::format(" After {} calls {} is in use", contract_->calls(),
                            kernels_.id(*ready_[static_cast<std::size_t>(active)]->kernel));
        for (int i = 0; i < static_cast<int>(ready_.size()); ++i)
            if (const double us = contract_->measured_us(i); us > 0)
                text += fmt::format(
                    "; {} took {:.4g} us{}{}",
                    kernels_.id(*ready_[static_cast<std::size_t>(i)]->kernel), us,
                    i ? fmt::format(" and {:.4g} us to convert", contract_->converted_us(i)) : "",
                    contract_->dropped(i) ? ", and was dropped" : "");
        text += ".";
    }
    for (const auto& r : ready_)
        if (!r->failure.empty())
            text += fmt::format(" {} could not be used: {}.", kernels_.id(*r->kernel), r->failure);
    return text;
}

template class Plan<float, std::int32_t>;
template class Plan<float, std::int64_t>;
template class Plan<double, std::int32_t>;
template class Plan<double, std::int64_t>;

}  // namespace sptune::tuner
