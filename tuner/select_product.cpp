#include "tuner/select_product.hpp"

#include "kernels/spgemm/registry.hpp"
#include "tuner/identify.hpp"

#include <unordered_set>

namespace sptune::tuner {
namespace {

/// Kernels of the ranking to fall back on before the default.
constexpr std::size_t kNext = 4;

template <class T, class P, Backend B>
const std::unordered_set<std::string>& ids() {
    static const auto all = [] {
        std::unordered_set<std::string> list;
        for (const auto& kernel : spgemm_kernels<T, P>(B)) list.insert(kernel.variant.id());
        return list;
    }();
    return all;
}

/// Whether this build and machine have the kernel.
template <class T, class P>
bool is_there(const std::string& id, Backend backend) {
    return backend == Backend::cpu ? ids<T, P, Backend::cpu>().contains(id)
                                   : ids<T, P, Backend::cuda>().contains(id);
}

/// Of an entry, for a single product from CSR. The winner, unless it needs a conversion, which its
/// time leaves out: then the kernel with the least of both. Empty where there is none.
template <class T, class P>
std::string fastest_at_once(const db::Entry& entry, Backend backend) {
    const db::Candidate* best = nullptr;
    const auto total = [](const db::Candidate& c) { return c.time->median + c.convert_us; };
    for (const db::Candidate& c : entry.candidates) {
        if (c.status != db::Status::ok || !c.time || !is_there<T, P>(c.id, backend)) continue;
        if (c.id == entry.winner && c.convert_us == 0) return c.id;
        if (!best || total(c) < total(*best)) best = &c;
    }
    return best ? best->id : "";
}

}  // namespace

template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, const ProductModelFor& model_for,
                                int threads) {
    constexpr ValueType value = value_type_of<T>();
    constexpr IndexType index = index_type_of<P>();
    const db::Device device = identify(backend, threads);
    if (databases) {
        const std::string key =
            db::entry_key(Op::spgemm, value, index, product.fingerprint, "warm");
        for (const db::Databases::Item& item : databases->all())
            if (const auto entry = item.store.load(device.key, key);
                entry && !entry->winner.empty())
                if (std::string id = fastest_at_once<T, P>(*entry, backend); !id.empty())
                    return {std::move(id), "database", item.place};
    }
    const models::ProductModel* model = product.products > 0 ? model_for(device) : nullptr;
    ProductSelection chosen{{}, "model"};
    if (model)
        for (const Variant* ranked : model->ranking(product, device, value)) {
            Variant v = *ranked;
            v.value = value, v.index = index;
            std::string id = v.id();
            if (!is_there<T, P>(id, backend)) continue;
            (chosen.id.empty() ? chosen.id : chosen.next.emplace_back()) = std::move(id);
            if (chosen.next.size() == kNext) break;
        }
    if (!chosen.id.empty()) return chosen;
    return {spgemm_default(backend, value, index, product.products_cv).id(), "default"};
}

#define SPTUNE_INSTANTIATE(T, P)                    \
    template ProductSelection select_product<T, P>( \
        const ProductFeatures&, Backend, const db::Databases*, const ProductModelFor&, int);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
