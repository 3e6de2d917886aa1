// What a plan says of itself.
#include "matrix/number.hpp"
#include "tuner/plan.hpp"

#include <atomic>
#include <mutex>
#include <string>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

const char* fate(const Contract& contract, int offer) {
    if (offer && contract.compared() == offer)
        return ", and waits while plain CSR is measured once more";
    if (offer && contract.paused() == offer)
        return ", and pauses, since some of its calls were held up";
    if (contract.unaffordable(offer))
        return ", and was dropped, since the promise bears no other call as long as one that it "
               "took";
    return contract.dropped(offer) ? ", and was dropped" : "";
}

}  // namespace

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

/// Calls of a plan at rest take no lock.
template <class T, class P>
void Plan<T, P>::count_rested() const {
    contract_->rested(rested_.exchange(0, std::memory_order_relaxed));
}

template <class T, class P>
std::string Plan<T, P>::why() const {
    const std::lock_guard lock(mutex_);
    count_rested();
    std::string text = selection_.why;
    const int active = contract_->active();
    if (contract_->calls() > 0) {
        text += fmt::format(" After {} {} is in use",
                            with_noun(count(static_cast<std::int64_t>(contract_->calls())), "call"),
                            kernels_.id(*ready_[static_cast<std::size_t>(active)]->kernel));
        for (int i = 0; i < static_cast<int>(ready_.size()); ++i)
            if (const double us = contract_->measured_us(i); us > 0)
                text += fmt::format(
                    "; {} took {}{}{}", kernels_.id(*ready_[static_cast<std::size_t>(i)]->kernel),
                    duration_us(us),
                    i ? fmt::format(" and {} to convert", duration_us(contract_->converted_us(i)))
                      : "",
                    fate(*contract_, i));
        text += ".";
    }
    text += several_.ways.why();
    for (const auto& r : ready_)
        if (!r->failure.empty())
            text += fmt::format(" {} could not be used: {}.", kernels_.id(*r->kernel), r->failure);
    return text;
}

#define SPTUNE_INSTANTIATE(T, P) template class Plan<T, P>;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
