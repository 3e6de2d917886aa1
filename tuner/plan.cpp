#include "tuner/plan.hpp"

#include "kernels/parallel.hpp"
#include "matrix/csr_bytes.hpp"
#include "tuner/host.hpp"
#include "tuner/identify.hpp"
#include "tuner/select_reasons.hpp"
#include "tuner/settling.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

constexpr int kSettlingCalls = 10;
/// Terms::doubted on a GPU, where launching a single call takes as long as many calls.
constexpr double kDoubtedOnDevice = 1.25;

}  // namespace

template <class T, class P>
Plan<T, P>::Plan(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                 const PlanOptions& options)
    : matrix_(matrix),
      kernels_(kernels),
      options_(options),
      threads_(resolve_threads(options.select.threads)) {
    const ThreadLimit limit(threads_);
    if (matrix_.backend == Backend::cpu)
        options_.select.threads = threads_;  // whatever comes later
    if (matrix_.backend == Backend::cuda) {
        device_ = current_device();
        timer_ = make_stream_timer();
    } else {
        options_.select.in_graphs = false;
    }
    // Calls that a graph repeats cannot be tried, and are not seen.
    if (options_.select.in_graphs) options_.online = Online::never;
    // Trials end up with what is faster than tiles, if anything is.
    if (options_.online == Online::always)
        options_.select.at_sight = AtSight::nothing;
    else if (options_.online == Online::automatic)
        options_.select.at_sight = std::min(options_.select.at_sight, AtSight::launch_bound);
    if (may_wait()) {
        waiting_.over = choose_without_model();
    } else {
        selection_ = select_spmv(matrix_, kernels_, options_.select);
        note_chosen();
        waiting_.over = true;
    }
    if (waiting_.over) {
        choose(waiting_.past());
        for (int which = contract_->in_advance(); which && !convert(which);
             which = contract_->in_advance()) {
        }
        close_for_graphs();
        options_.select.databases.reset();  // have been asked
    } else {
        begin_waiting();
    }
    publish();
}

template <class T, class P>
Plan<T, P>::~Plan() {
    if (matrix_.backend != Backend::cuda) return;
    const OnDevice here(device_);
    if (!is_device_idle()) {  // lost, but nobody else's
        for (auto& ready : ready_) static_cast<void>(ready.release());
        static_cast<void>(new auto(std::move(several_.row_lengths)));
        static_cast<void>(several_.copies.release());
    }
    ready_.clear();  // as long as its GPU is the current one
    timer_.reset();
    several_.timer.reset();
    several_.row_lengths.reset();
    several_.copies.reset();
}

/// Whether nothing asks for a choice before the first call.
template <class T, class P>
bool Plan<T, P>::may_wait() const {
    const SelectOptions& o = options_.select;
    const Constraints& c = o.constraints;
    return options_.may_wait && !o.in_graphs && o.calls <= 0 && !c.deterministic &&
           c.memory_bytes == ~0ull && !std::isfinite(c.convert_us) && !std::isfinite(c.error) &&
           c.variants == "*";
}

/// Whether a database has measured this very matrix on this device, which takes a pass over it to
/// find out, or it is chosen for at sight: the selection is that then. Models are left for later.
template <class T, class P>
bool Plan<T, P>::choose_without_model() {
    const SelectOptions& o = options_.select;
    const double start = o.clock();
    selection_ = select_without_model(matrix_, kernels_, o);
    const bool chosen = !selection_.chosen.id.empty();
    if (chosen && !selection_.complete) selection_ = select_spmv(matrix_, kernels_, o);
    waiting_.spent(o.clock() - start);
    return chosen;
}

/// Uses the safe kernel until it is worth while to choose.
template <class T, class P>
void Plan<T, P>::begin_waiting() {
    const auto& databases = options_.select.databases;
    const bool asked =
        databases && databases->may_know(identify(matrix_.backend, options_.select.threads).key);
    const std::vector<std::string> passed_over = std::move(selection_.passed_over);
    const std::string safe_id = std::move(selection_.safe.id);
    selection_ = {};
    const double start = options_.select.clock();
    const Kernel* const known = kernels_.find(safe_id);
    const Kernel& safe = known ? *known : kernels_.safe(matrix_.outline());
    waiting_.spent(options_.select.clock() - start);
    options_.select.at_sight = AtSight::nothing;  // has been tried
    begin_with(safe, kernels_.baseline());
    selection_.safe.id = kernels_.id(*ready_.front()->kernel);
    selection_.chosen = selection_.safe;
    selection_.why = on_passed_over(passed_over);
    selection_.why +=
        fmt::format("{} is in use until choosing is cheap beside the calls so far; no database {}.",
                    selection_.safe.id,
                    !asked ? databases ? "has measurements of this device" : "was asked"
                    : passed_over.empty() ? "has a measurement of this matrix"
                                          : "has a usable measurement of this matrix");
    contract_ = std::make_unique<Contract>(Terms{}, 0, std::vector<Offer>{});
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

/// Where plain CSR is not allowed: makes the choice number 0, or the first runner-up that can be
/// converted.
template <class T, class P>
void Plan<T, P>::begin_with_allowed() {
    const Kernel& chosen = *kernels_.find(selection_.chosen.id);
    std::exception_ptr failure;
    try {
        return begin_with(chosen, chosen);
    } catch (const std::exception& e) {
        failure = std::current_exception();
        selection_.why += fmt::format(" {} could not be used: {}.", kernels_.id(chosen), e.what());
    }
    for (const Ranked& r : selection_.runners_up) {
        try {
            ready_.clear();
            const Kernel& next = *kernels_.find(r.id);
            require_legal(next);
            return begin_with(next, next);
        } catch (const std::exception&) {  // the next one may do
        }
    }
    std::rethrow_exception(failure);
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

/// Whether A gets into the caches call by call.
template <class T, class P>
bool Plan<T, P>::settles() const {
    const CsrView<T, P>& a = matrix_.view;
    return matrix_.backend == Backend::cpu &&
           tuner::settles(static_cast<double>(csr_bytes(a)), static_cast<double>(host().llc_bytes));
}

/// For those to come, if what the first choice of a process waits for is there by now.
template <class T, class P>
void Plan<T, P>::note_chosen() const {
    if (selection_.source != Source::exact && !selection_.at_sight) has_chosen(matrix_.backend);
}

/// What has not been converted by now never will be: calls are recorded, not made.
template <class T, class P>
void Plan<T, P>::close_for_graphs() {
    if (options_.select.in_graphs) contract_->close();
}

/// Turns the selection into offers.
template <class T, class P>
void Plan<T, P>::choose(const Past& past) {
    Terms terms = options_.terms;
    const bool guess_calls = options_.select.in_graphs && options_.select.calls <= 0;
    terms.expected_calls = guess_calls ? kUnknownCalls : options_.select.calls;
    terms.trusted = options_.online == Online::never ||
                    (options_.online == Online::automatic && selection_.source == Source::exact &&
                     selection_.complete && !selection_.cores_busy);
    terms.watch = matrix_.backend == Backend::cpu;  // timing waits for a GPU
    if (terms.trusted && options_.online != Online::never)
        terms.doubted = matrix_.backend == Backend::cpu ? 1 + terms.epsilon : kDoubtedOnDevice;
    if (settles()) terms.settling = kSettlingCalls;

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
    begin_with_allowed();
    contract_ =
        std::make_unique<Contract>(terms, selection_.chosen.predicted_us, std::vector<Offer>{});
}

template <class T, class P>
void Plan<T, P>::add_offers(const Terms& terms, const Past& past) {
    const Kernel* const plain = ready_.front()->kernel;
    std::vector<Offer> offers;
    // Numbers of algorithms: where in the list the first kernel of it stands.
    const auto algorithm_of = [&](const Kernel& kernel) {
        const auto same = [&](const auto& r) {
            return models::same_algorithm(r->kernel->variant, kernel.variant);
        };
        return static_cast<int>(std::find_if(ready_.begin(), ready_.end(), same) - ready_.begin());
    };
    const auto offer = [&](const Ranked& r) {
        const Kernel* kernel = kernels_.find(r.id);
        if (!kernel || kernel == plain) return;
        for (std::size_t i = 1; i < ready_.size(); ++i)
            if (ready_[i]->kernel == kernel) return;
        ready_.push_back(std::make_unique<Ready>());
        ready_.back()->kernel = kernel;
        ready_.back()->convert_us = r.convert_us;
        if (r.convert_us > 0) ready_.back()->load_us = kernels_.load_us(*kernel);
        offers.push_back({r.predicted_us, r.convert_us, algorithm_of(*kernel)});
    };
    offer(selection_.chosen);
    // What is trusted is the first; the others count where it turns out not to be faster.
    if (!terms.trusted || (terms.doubted > 0 && offers.size() == 1)) {
        for (const Ranked& r : selection_.alternatives) offer(r);
        if (!selection_.at_sight) offer(selection_.baseline);  // costs nothing but a look
    }
    const bool safe = kernels_.id(*plain) == selection_.safe.id;
    const Ranked& known = safe ? selection_.safe : selection_.baseline;
    contract_ = std::make_unique<Contract>(terms, known.predicted_us, offers, past);
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
