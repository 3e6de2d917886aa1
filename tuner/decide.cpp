#include "tuner/decide.hpp"

#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::tuner {
namespace {

using Field = std::vector<const db::Candidate*>;

double median(const db::Candidate* c) {
    return c->time->median;
}

template <class Key>
auto smallest(const Field& field, Key key) {
    return key(*std::min_element(field.begin(), field.end(),
                                 [&](auto* a, auto* b) { return key(a) < key(b); }));
}

template <class Keep>
void keep_if(Field& field, Keep keep) {
    field.erase(std::remove_if(field.begin(), field.end(), [&](auto* c) { return !keep(c); }),
                field.end());
}

}  // namespace

const db::Candidate& choose(const Field& measured) {
    const db::Candidate* fastest =
        *std::min_element(measured.begin(), measured.end(), [](auto* a, auto* b) {
            return median(a) != median(b) ? median(a) < median(b) : a->id < b->id;
        });
    Field tied = measured;
    keep_if(tied, [&](auto* c) {
        return c == fastest || (median(c) <= kTie * median(fastest) &&
                                !clearly_faster(fastest->time->samples, c->time->samples));
    });
    // Conversion times are noisy themselves; a microsecond is noise whatever the share.
    const double cheapest = smallest(tied, [](auto* c) { return c->convert_us; });
    keep_if(tied, [&](auto* c) {
        return c->convert_us == cheapest || (cheapest > 0 && c->convert_us <= 1.25 * cheapest + 1);
    });
    // Graphs, and faster hosts, see a difference where this host's launches took all the time.
    const auto device_us = [](auto* c) { return c->device_us.value_or(0); };
    if (const double on_device = smallest(tied, device_us); on_device > 0)  // known of all
        keep_if(tied, [&](auto* c) { return device_us(c) <= kTie * on_device; });
    const auto least = smallest(tied, [](auto* c) { return c->bytes; });
    keep_if(tied, [&](auto* c) { return c->bytes == least; });
    return **std::min_element(tied.begin(), tied.end(),
                              [](auto* a, auto* b) { return a->id < b->id; });
}

void crown(db::Entry& entry, const db::Candidate& winner) {
    entry.winner = winner.id;
    entry.speedup_vs_baseline = 0;
    entry.break_even_calls = winner.convert_us > 0 ? -1 : 0;
    const auto baseline =
        std::find_if(entry.candidates.begin(), entry.candidates.end(),
                     [&](const db::Candidate& c) { return c.id == entry.baseline; });
    if (baseline == entry.candidates.end() || !baseline->time) return;
    entry.speedup_vs_baseline = baseline->time->median / winner.time->median;
    const double saved_us = baseline->time->median - winner.time->median;
    if (winner.convert_us > 0 && saved_us > 0)
        entry.break_even_calls = std::ceil(winner.convert_us / saved_us);
}

}  // namespace sptune::tuner
