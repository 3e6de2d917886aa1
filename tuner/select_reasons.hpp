// The words of a choice.
#pragma once

#include "tuner/select.hpp"
#include "tuner/select_product.hpp"

namespace sptune::tuner {

/// What the databases knew; empty where none was asked.
struct Lookup {
    bool asked = false;
    bool found = false;               ///< an entry of this matrix and device
    db::Place place;                  ///< of the entry that decided
    std::vector<std::string> others;  ///< keys of other devices that have one
    Ranked winner;                    ///< of the entry that decided
    Ranked unmeasured;                ///< expected to be faster than all that the entry has
    int stale = 0;                    ///< times of kernels that are not there or have changed since
    std::vector<std::string> notes;   ///< what was passed over, and why
    std::string changed;              ///< changed_since() the last measurement that was looked at
    bool altered = false;             ///< the entry that decided, after sptune wrote it

    void add(const db::Missed& missed, const db::Place& asked_at);
    /// Whether a measurement of a `thing`, a matrix or a product, counts by `validate`. Sets
    /// `changed`.
    bool accepts(const db::Digest& stored, bool winner_here, const db::Device& now,
                 Validate validate, const char* thing);
    /// Whether it is of a sweep that was stopped before it measured anything beside the baseline.
    bool passes_over(const db::Digest& stored);
};

/// Sentences on `selection`, made from its numbers.
std::string why_selected(const Selection& selection, const Lookup& lookup,
                         const std::string& device_key, const Constraints& constraints);

/// The same on the choice for a product.
std::string why_selected(const ProductSelection& selection, const Lookup& lookup,
                         const std::string& device_key);

/// "Passed over: …. "; empty where there are no notes.
std::string on_passed_over(const std::vector<std::string>& notes);

/// What is to be said of databases that were named and are not there.
std::vector<std::string> on_absent(const db::Databases& databases);

/// Throws Unmet where kernels of this type do not keep the error bound `asked` on rows of so many
/// entries; see Constraints::error.
void require_error(double asked, ValueType value, std::int64_t longest_row);

/// Whether any kernel that the other constraints allow was left out for it.
struct Refused {
    bool memory = false, conversion = false;
    std::string unsuited;  ///< the first kernel whose layout does not suit the matrix, and why
};

/// Which constraint left nothing to choose from `all`: the first that no kernel meets with those
/// before it. `baseline` is the id of plain CSR.
Unmet why_unmet(const Constraints& constraints, const std::vector<const Variant*>& all,
                const std::string& baseline, const Refused& refused);

}  // namespace sptune::tuner
