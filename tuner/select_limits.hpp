// What the constraints of a request leave of the kernels.
#pragma once

#include "models/holding.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/select_field.hpp"
#include "tuner/select_reasons.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {

template <class T, class P>
class SelectLimits {
  public:
    using Kernel = SpmvKernel<T, P>;

    /// Refers to all of them; `lookup` gets to know of kernels that cannot be looked at.
    SelectLimits(const KernelIndex<T, P>& kernels, const Constraints& constraints, Lookup& lookup)
        : kernels_(kernels), constraints_(constraints), lookup_(lookup) {}

    /// By what is known of the kernel without looking at the matrix.
    bool allow(const Entrant<T, P>& e) {
        if (constraints_.deterministic && !e.kernel->variant.deterministic) return false;
        if (constraints_.variants != "*" && !matches(kernels_.id(*e.kernel), constraints_.variants))
            return false;
        // No bytes at all are what any layout of a matrix without entries takes.
        if (constraints_.memory_bytes == 0 && !in_place(*e.kernel)) return refuse_for_memory();
        const bool soon = e.convert_us <= constraints_.convert_us;
        refused_.conversion |= !soon;
        return soon;
    }

    /// Whether the kernel is legal and its storage within the memory. inspect(kernel) gives its
    /// Footprint and may find out the `features`, if it was not measured.
    template <class Inspect>
    bool usable(const Entrant<T, P>& e, const std::optional<Features>& features,
                const Inspect& inspect) {
        const std::uint64_t most = constraints_.memory_bytes;
        if (e.kernel == &kernels_.baseline()) return true;
        const Params& params = e.kernel->variant.params;
        if (models::param_or(params, "x", 32) == 16 && surely_too_wide(params)) return false;
        // What a sample tells may be wrong by any factor, and a cap is to be kept.
        if (!e.measured && most == ~0ull &&
            models::surely_fits(features.value(), e.kernel->variant, e.seen))
            return true;
        Footprint f;
        try {
            f = inspect(*e.kernel);
        } catch (const std::exception& failure) {  // memory of a GPU that is nearly full, say
            lookup_.notes.push_back(
                fmt::format("{} cannot be looked at: {}", e.id, failure.what()));
            return false;
        }
        if (f.too_wide > 0)  // a row alone is as wide in any window
            too_wide_.push_back({f.too_wide, f.too_wide == 1 ? 1 : window_of(params)});
        if (f.illegal.empty() && f.storage_bytes > most) return refuse_for_memory();
        const double csr =
            e.measured ? 0 : models::held_bytes(*features, kernels_.baseline().variant);
        if (f.illegal.empty() && !e.measured &&
            static_cast<double>(f.storage_bytes) > Limits{}.storage_factor * csr)
            f.illegal = fmt::format("it would store {} bytes, {:.1f} times those of CSR",
                                    f.storage_bytes, static_cast<double>(f.storage_bytes) / csr);
        if (!f.illegal.empty() && refused_.unsuited.empty())
            refused_.unsuited = fmt::format("{}: {}", e.id, f.illegal);
        return f.illegal.empty();
    }

    /// With a cap on memory only what keeps within it is to be shown, too. Of `field`, in order, no
    /// more than that is looked at.
    template <class Inspect>
    void keep_within_memory(Field<T, P>& field, const std::optional<Features>& features,
                            const Inspect& inspect) {
        constexpr std::size_t kMostShown = 12;
        Field<T, P> kept;
        for (Entrant<T, P>& e : field) {
            const bool wanted = kept.size() < kMostShown || e.kernel == &kernels_.baseline();
            if (wanted && far_too_large(e, features))
                refuse_for_memory();
            else if (wanted && usable(e, features, inspect))
                kept.push_back(std::move(e));
        }
        field = std::move(kept);
    }

    /// Which of the constraints leaves nothing.
    Unmet unmet() const {
        std::vector<const Variant*> all;
        for (const Kernel& k : kernels_.kernels()) all.push_back(&k.variant);
        return why_unmet(constraints_, all, kernels_.id(kernels_.baseline()), refused_);
    }

  private:
    /// Rows of a slice, and of the window that they are sorted in.
    struct SliceShape {
        int rows, window;
    };
    static int window_of(const Params& params) {
        const int sigma = models::param_or(params, "s", 1);
        return sigma == kAll ? std::numeric_limits<int>::max() : sigma;
    }
    /// Whether slices that are no longer, of windows that are no larger, are too wide.
    bool surely_too_wide(const Params& params) const {
        const int rows = models::param_or(params, "c", 1);
        return std::any_of(too_wide_.begin(), too_wide_.end(), [&](const SliceShape& shape) {
            return rows >= shape.rows && window_of(params) >= shape.window;
        });
    }

    /// Much of what it reads are the caller's arrays, which do not count.
    bool in_place(const Kernel& kernel) const {
        const Variant& baseline = kernels_.baseline().variant;
        return kernel.variant.format == "csr" || kernel.variant.layout == baseline.layout;
    }
    bool refuse_for_memory() {
        refused_.memory = true;
        return false;
    }

    /// Whether the features tell of so many bytes that a look at the matrix could not help.
    bool far_too_large(const Entrant<T, P>& e, const std::optional<Features>& features) const {
        return !e.measured && features && !in_place(*e.kernel) &&
               told_bytes(e, *features) > 4 * static_cast<double>(constraints_.memory_bytes);
    }
    static double told_bytes(const Entrant<T, P>& e, const Features& features) {
        return e.seen ? *e.seen : models::holding(features, e.kernel->variant).bytes;
    }

    const KernelIndex<T, P>& kernels_;
    const Constraints& constraints_;
    Lookup& lookup_;
    Refused refused_;
    std::vector<SliceShape> too_wide_;  ///< for 16-bit columns, as looks at the matrix have found
};

}  // namespace sptune::tuner
