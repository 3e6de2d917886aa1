#include "tuner/shelf.hpp"

namespace sptune::tuner {
namespace {

/// Short conversions are repeated: the first one pays for page faults and cold code.
Shelf::Item convert_timed(const Shelf::Convert& convert, std::uint64_t held, Clock clock) {
    constexpr double kShortUs = 2000;
    constexpr int kRepeats = 3;
    Shelf::Item item{.storage = nullptr, .convert_us = 0, .held = held};
    std::vector<double> times;
    do {
        item.storage.reset();  // two of a kind may not fit
        const double start = clock();
        item.storage = convert();
        times.push_back(clock() - start);
    } while (times.size() < kRepeats && times.front() < kShortUs);
    item.convert_us = median_of(times);
    return item;
}

}  // namespace

const Shelf::Item& Shelf::get(const std::string& layout, std::uint64_t held,
                              const Convert& convert) {
    if (const auto failure = failed_.find(layout); failure != failed_.end())
        std::rethrow_exception(failure->second);
    if (const auto found = items_.find(layout); found != items_.end()) return found->second;
    try {
        return items_.emplace(layout, convert_timed(convert, held, clock_)).first->second;
    } catch (...) {
        failed_[layout] = std::current_exception();
        throw;
    }
}

void Shelf::trim(const std::vector<std::string>& layouts) {
    std::map<std::string, Item> kept;
    std::uint64_t room = capacity_;
    for (const std::string& layout : layouts) {
        const auto found = items_.find(layout);
        if (found == items_.end() || found->second.held > room) continue;
        room -= found->second.held;
        kept.insert(items_.extract(found));
    }
    items_ = std::move(kept);
}

}  // namespace sptune::tuner
