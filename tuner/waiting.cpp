#include "tuner/waiting.hpp"

#include <algorithm>
#include <atomic>

namespace sptune::tuner {
namespace {

/// What a choice rarely costs more than, in microseconds and in calls. On an H100 it takes 60 to
/// 140 us where a call takes 4 to 30, and 110 to 180 with cold caches (380 and 420 of a few rows of
/// many thousand entries); on a CPU 16 us and up to three calls, 150 to 200 us with cold caches. It
/// is of no use to be in time for a choice that then cannot pay: programs of 200 calls would choose
/// shortly before their end.
constexpr double kChoosingUs = 170, kChoosingCudaUs = 180, kChoosingCalls = 4;
/// The first time: 2.8 to 4.2 ms on H100s' hosts; on a CPU 2.5 on an EPYC, 3 to 5 on a virtual
/// machine of 16 cores.
constexpr double kFirstUs = 2000, kFirstCudaUs = 4200;
constexpr std::size_t kTimed = 2;

/// What a conversion and its trials take on a CPU at least. They are of no use either where there
/// are few calls left to pay for them.
constexpr double kConvertingUs = 300;

std::atomic<bool>& chosen(Backend backend) {
    static std::atomic<bool> cpu, cuda;
    return backend == Backend::cuda ? cuda : cpu;
}

}  // namespace

bool Waiting::wants_time() const {
    // The first call of a process does more than multiply.
    return past_.calls > 0 && past_.times.size() < kTimed;
}

void Waiting::called(double us) {
    ++past_.calls;
    if (us > 0) past_.times.push_back(us);
}

bool Waiting::is_enough(const Terms& terms, double choosing_us) const {
    if (past_.times.size() < kTimed) return false;
    const double plain_us = *std::min_element(past_.times.begin(), past_.times.end());
    const double allowed =
        (terms.grace_calls + terms.epsilon * static_cast<double>(past_.calls)) * plain_us;
    const double price = choosing_us + kChoosingCalls * plain_us;
    const double missed = terms.likely_saving * static_cast<double>(past_.calls) * plain_us;
    return past_.spent_us + price <= allowed &&
           (terms.likely_saving == 0 || missed >= price + kConvertingUs);
}

double choosing_us(Backend backend) {
    const bool cuda = backend == Backend::cuda;
    if (chosen(backend).load(std::memory_order_relaxed))
        return cuda ? kChoosingCudaUs : kChoosingUs;
    return cuda ? kFirstCudaUs : kFirstUs;
}

double odd_shape_us(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    constexpr double kDiagonalUs = 1.2e-4, kEmptyRowUs = 0.02, kEntryUs = 0.03;
    constexpr std::int64_t kRows = 8;  // that are looked at, or a few more
    const double looked_at = static_cast<double>(nnz) * static_cast<double>(std::min(rows, kRows)) /
                             static_cast<double>(std::max<std::int64_t>(rows, 1));
    return kDiagonalUs * static_cast<double>(rows + cols) + kEntryUs * looked_at +
           kEmptyRowUs * static_cast<double>(std::max<std::int64_t>(rows - nnz, 0));
}

void has_chosen(Backend backend) {
    chosen(backend).store(true, std::memory_order_relaxed);
}

}  // namespace sptune::tuner
