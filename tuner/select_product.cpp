#include "tuner/select_product.hpp"

#include "kernels/spgemm/registry.hpp"
#include "tuner/identify.hpp"
#include "tuner/select_reasons.hpp"
#include "tuner/stored_digest.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// Kernels of the ranking to fall back on before the default.
constexpr std::size_t kNext = 4;

/// Whether its threads would take longer to clear an array over all columns of B than to multiply.
/// No sweep has seen products that are so few beside their columns.
bool clears_too_much(const Variant& v, const ProductFeatures& product, int threads) {
    constexpr double kManyColumns = 1 << 20, kColumnsForAProduct = 16;
    const auto columns = static_cast<double>(product.cols);
    return v.backend == Backend::cpu && (v.algorithm == "gustavson" || v.algorithm == "bitmap") &&
           columns >= kManyColumns &&
           std::max(threads, 1) * columns >
               kColumnsForAProduct * static_cast<double>(product.products);
}

/// Of an entry, for a single product from CSR. The winner, unless it needs a conversion, which its
/// time leaves out: then the kernel with the least of both. Kernels that are not here or have
/// changed since do not count, but `lookup` gets to know of them. Empty where there is none.
template <class T, class P>
std::string fastest_at_once(const db::Digest& entry, Backend backend, Lookup& lookup) {
    const db::Measured* best = nullptr;
    const auto total = [](const db::Measured& c) { return c.median_us + c.convert_us; };
    for (const db::Measured& c : entry.fastest) {
        const auto* const kernel = spgemm_kernel_or_null<T, P>(backend, c.id);
        if (!kernel || c.kernel_hash != kernel->variant.kernel_hash) {
            ++lookup.stale;
            continue;
        }
        if (c.id == entry.winner && c.convert_us == 0) return c.id;
        if (!best || total(c) < total(*best)) best = &c;
    }
    return best ? best->id : "";
}

}  // namespace

template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, const ProductModelFor& model_for,
                                int threads, Validate validate) {
    constexpr ValueType value = value_type_of<T>();
    constexpr IndexType index = index_type_of<P>();
    const db::Device device = identify(backend, threads);
    Lookup lookup;
    lookup.asked = databases && !databases->all().empty();
    if (lookup.asked) {
        for (const db::Databases::Item& item : databases->all()) {
            db::Missed missed;
            const auto entry = stored_digest<P>(item.store, Op::spgemm, value, device.key,
                                                product.fingerprint, &missed);
            lookup.add(missed, item.place);
            if (!entry || lookup.passes_over(*entry)) continue;
            std::string id =
                entry->winner.empty() ? "" : fastest_at_once<T, P>(*entry, backend, lookup);
            if (id.empty()) {
                lookup.found = true;
                continue;
            }
            const bool winner_here = spgemm_kernel_or_null<T, P>(backend, entry->winner);
            if (!lookup.accepts(*entry, winner_here, device, validate, "product")) continue;
            lookup.place = item.place, lookup.altered = entry->altered;
            ProductSelection s{std::move(id),  "database",     item.place, {},
                               lookup.changed, entry->complete};
            s.why = why_selected(s, lookup, device.key);
            return s;
        }
    }
    const models::ProductModel* model = product.products > 0 ? model_for(device) : nullptr;
    ProductSelection chosen{{}, "model", {}, {}, lookup.changed};
    if (model)
        for (const Variant* ranked : model->ranking(product, device, value)) {
            Variant v = *ranked;
            v.value = value, v.index = index;
            std::string id = v.id();
            if (!spgemm_kernel_or_null<T, P>(backend, id) ||
                clears_too_much(v, product, device.threads))
                continue;
            (chosen.id.empty() ? chosen.id : chosen.next.emplace_back()) = std::move(id);
            if (chosen.next.size() == kNext) break;
        }
    if (chosen.id.empty()) {
        const Variant usual = spgemm_default(backend, value, index, product.products_cv);
        chosen.id = clears_too_much(usual, product, device.threads)
                        ? spgemm_thrifty_id(value, index)
                        : usual.id();
        chosen.source = "default";
    }
    chosen.why = why_selected(chosen, lookup, device.key);
    return chosen;
}

template <class T, class P>
ProductSelection default_product(const ProductFeatures& product, Backend backend) {
    ProductSelection s{
        spgemm_default(backend, value_type_of<T>(), index_type_of<P>(), product.products_cv).id(),
        "default"};
    s.why = fmt::format("SPTUNE_MODE is off: the default, {}.", s.id);
    return s;
}

#define SPTUNE_INSTANTIATE(T, P)                                                                 \
    template ProductSelection default_product<T, P>(const ProductFeatures&, Backend);            \
    template ProductSelection select_product<T, P>(const ProductFeatures&, Backend,              \
                                                   const db::Databases*, const ProductModelFor&, \
                                                   int, Validate);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
