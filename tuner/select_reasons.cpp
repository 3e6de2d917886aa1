#include "tuner/select_reasons.hpp"

#include "matrix/number.hpp"
#include "models/hub_time.hpp"
#include "models/launch_bound.hpp"
#include "models/tiles2d_time.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::tuner {
namespace {

std::string not_there(const db::Place& place) {
    return fmt::format("{} does not exist", place.path.string());
}

/// Why the databases did not decide on a `thing`, a matrix or a product.
std::string on_miss(const Lookup& l, const char* thing, const std::string& device_key) {
    std::string text =
        l.found ? fmt::format("The stored measurement of this {} on {} has no kernel to use", thing,
                              device_key)
                : fmt::format("This {} has not been measured on {}", thing, device_key);
    if (l.stale)
        text += fmt::format(
            " ({} of the fastest that it has {} of kernels that are not there or have changed "
            "since)",
            l.stale, l.stale == 1 ? "is" : "are");
    if (!l.others.empty())
        text += fmt::format("; what is stored for another device ({}) is not used here",
                            fmt::join(l.others, ", "));
    return text + ". ";
}

std::string on_lookup(const Lookup& l, bool decided, const char* thing,
                      const std::string& device_key) {
    std::string text = !l.asked  ? "No database was asked. "
                       : decided ? ""
                                 : on_miss(l, thing, device_key);
    return text + on_passed_over(l.notes);
}

/// Whose database decided, where it is not the one that the user writes to, and on what grounds.
std::string by_whom(const Lookup& l) {
    const char* const altered =
        l.altered ? ", in an entry that has changed since sptune wrote it" : "";
    if (l.place.owner == db::Place::Owner::system)
        return fmt::format(", says the system's database {}{}", l.place.path.string(), altered);
    if (l.place.owner == db::Place::Owner::built_in)
        return fmt::format(", says the database that came with sptune, {}{}", l.place.path.string(),
                           altered);
    return altered;
}

/// Of a sweep that was stopped, perhaps when only its last comparison was left, or restricted:
/// which of these a digest does not tell.
std::string on_rest(const Lookup& l) {
    std::string text = "; that sweep was stopped early or left kernels out";
    if (!l.unmeasured.id.empty())
        text += fmt::format(" ({} is expected to take {})", l.unmeasured.id,
                            duration_us(l.unmeasured.predicted_us));
    return text + ", which a profile of the whole grid makes up for";
}

std::string who(const Selection& s) {
    if (s.model == models::kHubModel) return "A look at the columns";
    if (s.model == models::kTiles2dModel) return "A formula for two-dimensional tiles";
    return s.source == Source::heuristic ? "The heuristic"
                                         : fmt::format("The model \"{}\"", s.model);
}

/// Whether anything is forbidden that would be legal otherwise.
bool restricted(const Constraints& c) {
    return c.deterministic || c.memory_bytes != ~0ull || std::isfinite(c.convert_us) ||
           c.variants != "*";
}

std::string on_calls(const Selection& s, const Constraints& c) {
    if (s.chosen.convert_us <= 0) return "; it needs no conversion";
    if (s.break_even_calls < 0) return "; its conversion never pays";
    const std::string paid = fmt::format(
        "; its conversion ({}) is repaid after {}", duration_us(s.chosen.convert_us),
        with_noun(fmt::format("{:.0f}", std::max(1.0, std::ceil(s.break_even_calls))), "call"));
    if (s.calls > 0) return paid + fmt::format(" of {:.0f}", s.calls);
    if (s.in_graphs) return paid + "; a plan for CUDA graphs converts at once";
    if (c.deterministic)
        return paid + "; a plan converts at once, since another kernel would change results";
    if (!matches(s.baseline.id, c.variants))
        return paid + "; a plan converts at once, since plain CSR is not asked for";
    if (s.chosen.id == s.safe.id && c.memory_bytes == ~0ull)
        return paid + "; a plan begins with it";
    return paid +
           "; how many there will be is unknown, so that a plan starts with plain CSR and converts "
           "when as much time has been lost";
}

/// " over 300 calls, …": those that a choice was made for.
std::string over_calls(const Selection& s) {
    return s.calls > 0 ? fmt::format(" over {:.0f} calls", s.calls)
                       : fmt::format(
                             " over {:.0f} calls, which are assumed where their number is "
                             "unknown",
                             kUnknownCalls);
}

/// The runner-up, and what speaks against it where it is the faster one.
std::string on_next(const Selection& s, const Lookup& l) {
    const Ranked& next = s.runners_up.front();
    const std::string text =
        fmt::format("; next is {}{} at {:.2f}x the time", next.id,
                    next.id == l.winner.id ? ", the fastest of that sweep," : "",
                    next.predicted_us / s.chosen.predicted_us);
    if (next.predicted_us >= s.chosen.predicted_us || next.convert_us <= s.chosen.convert_us)
        return text;
    return text + fmt::format(", which its conversion ({}) makes dearer{}",
                              duration_us(next.convert_us), over_calls(s));
}

/// What speaks against the fastest of the sweep, where it is neither chosen nor next.
std::string on_winner(const Selection& s, const Lookup& l, bool restricted) {
    const Ranked& winner = l.winner;
    if (winner.id.empty() || winner.id == s.chosen.id ||
        (!s.runners_up.empty() && winner.id == s.runners_up.front().id))
        return {};
    const double calls = s.calls > 0 ? s.calls : kUnknownCalls;
    const auto total_us = [&](const Ranked& r) { return r.predicted_us + r.convert_us / calls; };
    const bool dearer = total_us(winner) > total_us(s.chosen);
    if (!dearer && !restricted) return {};  // it cannot be used, which is said elsewhere
    const std::string reason = dearer ? fmt::format("its conversion ({}) makes it dearer{}",
                                                    duration_us(winner.convert_us), over_calls(s))
                                      : "it does not keep within the constraints";
    return fmt::format("; the fastest of that sweep was {}, {}, but {}", winner.id,
                       duration_us(winner.predicted_us), reason);
}

}  // namespace

std::string on_passed_over(const std::vector<std::string>& notes) {
    return notes.empty() ? "" : fmt::format("Passed over: {}. ", fmt::join(notes, "; "));
}

std::string why_selected(const Selection& s, const Lookup& lookup, const std::string& device_key,
                         const Constraints& constraints) {
    std::string text = on_lookup(lookup, s.source == Source::exact, "matrix", device_key);
    const char* const within = restricted(constraints) ? " within the constraints" : "";
    const bool plain = s.chosen.id == s.baseline.id;
    if (s.source == Source::exact)
        text += plain ? fmt::format(
                            "Plain CSR, {}, was measured on this matrix and this device: "
                            "{}, and nothing{} pays for its conversion",
                            s.chosen.id, duration_us(s.chosen.predicted_us), within)
                : s.other_values
                    ? fmt::format(
                          "{} is reckoned to take {} against {} of plain CSR: this pattern was "
                          "measured on this device with other values, and some kernels leave out "
                          "values that are all the same",
                          s.chosen.id, duration_us(s.chosen.predicted_us),
                          duration_us(s.baseline.predicted_us))
                    : fmt::format(
                          "{} was measured on this matrix and this device: {} "
                          "against {} of plain CSR",
                          s.chosen.id, duration_us(s.chosen.predicted_us),
                          duration_us(s.baseline.predicted_us));
    else if (s.model == models::kLaunchBoundModel)
        text += fmt::format(
            "Calls of {} end before the next one is launched ({} later{}), so that no kernel is "
            "faster in a loop of calls (in CUDA graphs others may be: in_graphs); other features "
            "were not looked at",
            s.chosen.id, duration_us(s.chosen.predicted_us),
            constraints.deterministic ? ", as is assumed, not measured now" : "");
    else if (s.at_sight)
        text += fmt::format(
            "{} is expected to take {} against {} of plain CSR (confidence {:.2f}): a row is long, "
            "and hardly any kernel is faster in a loop of calls on so small a matrix; other "
            "features were not looked at",
            s.chosen.id, duration_us(s.chosen.predicted_us), duration_us(s.baseline.predicted_us),
            s.confidence);
    else if (s.model.empty())
        text += fmt::format("No model covers this device: plain CSR, {}", s.chosen.id);
    else if (plain)
        text += fmt::format("{} expects nothing{} to beat plain CSR, {}, with its conversion",
                            who(s), within, s.chosen.id);
    else
        text += fmt::format(
            "{} predicts {} for {} against {} of plain CSR "
            "(confidence {:.2f})",
            who(s), duration_us(s.chosen.predicted_us), s.chosen.id,
            duration_us(s.baseline.predicted_us), s.confidence);
    if (s.source == Source::exact) text += by_whom(lookup);
    if (s.source == Source::exact && !lookup.changed.empty())
        text += fmt::format(" (measured with {})", lookup.changed);
    if (s.other_values)
        text += "; with these values another kernel may be faster";
    else if (!s.complete)
        text += on_rest(lookup);
    if (s.in_graphs && s.chosen.predicted_us > 0)
        text += "; times are those of calls in CUDA graphs";
    if (!plain) text += on_calls(s, constraints);
    if (s.source == Source::exact) text += on_winner(s, lookup, restricted(constraints));
    if (!s.runners_up.empty() && s.chosen.predicted_us > 0 && !s.at_sight)
        text += on_next(s, lookup);
    return text + ".";
}

std::vector<std::string> on_absent(const db::Databases& databases) {
    std::vector<std::string> notes;
    std::error_code unknown;
    for (const auto& [place, store] : databases.all())
        if (place.owner == db::Place::Owner::named && !std::filesystem::exists(place.path, unknown))
            notes.push_back(not_there(place));
    return notes;
}

std::string why_selected(const ProductSelection& s, const Lookup& lookup,
                         const std::string& device_key) {
    const bool stored = s.source == "database";
    std::string text = on_lookup(lookup, stored, "product", device_key);
    if (!stored)
        return text + fmt::format("{} is what {} takes.", s.id,
                                  s.source == "model" ? "the model" : "sptune by default");
    text += fmt::format(
        "{} is the fastest, with its conversion, that was measured on this product and this device",
        s.id);
    text += by_whom(lookup);
    if (!lookup.changed.empty()) text += fmt::format(" (measured with {})", lookup.changed);
    if (!s.complete) text += on_rest(lookup);
    return text + ".";
}

void Lookup::add(const db::Missed& missed, const db::Place& asked_at) {
    if (!missed.trouble.empty()) notes.push_back(missed.trouble);
    if (missed.absent && asked_at.owner == db::Place::Owner::named)
        notes.push_back(not_there(asked_at));
    for (const std::string& other : missed.others)
        if (std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
}

bool Lookup::accepts(const db::Digest& stored, bool winner_here, const db::Device& now,
                     Validate validate, const char* thing) {
    changed = validate == Validate::ignore ? "" : changed_since(stored, winner_here, now);
    if (validate != Validate::strict || changed.empty()) return true;
    notes.push_back(fmt::format("a measurement of this {} with {}", thing, changed));
    return false;
}

bool Lookup::passes_over(const db::Digest& stored) {
    if (stored.complete || std::ranges::any_of(stored.fastest, [&](const db::Measured& c) {
            return c.id != stored.baseline;
        }))
        return false;
    notes.push_back("a sweep that was stopped before it reached another kernel");
    return true;
}

void require_error(double asked, ValueType value, std::int64_t longest_row) {
    const auto kept = [&](ValueType type) {
        return static_cast<double>(type == ValueType::f32
                                       ? std::numeric_limits<float>::epsilon()
                                       : std::numeric_limits<double>::epsilon()) *
               (static_cast<double>(longest_row) + 4);
    };
    if (kept(value) <= asked) return;
    throw Unmet(fmt::format(
        "error bound: rows of up to {} keep {:.2g} in {}, {:.2g} was asked for{}",
        with_noun(std::to_string(longest_row), "entry", "entries"), kept(value), to_string(value),
        asked,
        kept(ValueType::f64) <= asked ? "; use f64" : "; no precision that sptune has is enough"));
}

Unmet why_unmet(const Constraints& c, const std::vector<const Variant*>& all,
                const std::string& baseline, const Refused& refused) {
    std::vector<const Variant*> left;
    for (const Variant* v : all)
        if (matches(v->id(), c.variants)) left.push_back(v);
    if (left.empty())
        return Unmet(
            fmt::format("variants: no kernel of this build for {} values and {} row pointers "
                        "matches \"{}\"; `sptune info --kernels '*'` lists their ids",
                        to_string(all.front()->value), to_string(all.front()->index), c.variants));
    if (c.deterministic) std::erase_if(left, [](auto* v) { return !v->deterministic; });
    if (left.empty())
        return Unmet(fmt::format(
            "deterministic: no kernel that matches \"{}\" is; allow more variants", c.variants));
    if (refused.memory || refused.conversion)
        return Unmet(fmt::format(
            "{}: no kernel that matches \"{}\" keeps within it; plain CSR, {}, needs neither "
            "memory nor a conversion",
            refused.memory ? "memory cap" : "longest conversion", c.variants, baseline));
    if (!refused.unsuited.empty())
        return Unmet(fmt::format("variants: no kernel that matches \"{}\" suits this matrix: {}",
                                 c.variants, refused.unsuited));
    return Unmet(
        fmt::format("variants: nothing is known of the kernels that match \"{}\", or none of them "
                    "suits this matrix",
                    c.variants));
}

}  // namespace sptune::tuner
