#include "tuner/select_product.hpp"

#include "kernels/spgemm/registry.hpp"
#include "tuner/identify.hpp"

namespace sptune::tuner {

template <class T, class P>
ProductSelection select_product(const ProductFeatures& product, Backend backend,
                                const db::Databases* databases, int threads) {
    constexpr ValueType value = value_type_of<T>();
    constexpr IndexType index = index_type_of<P>();
    if (databases) {
        const std::string device = identify(backend, threads).key,
                          key =
                              db::entry_key(Op::spgemm, value, index, product.fingerprint, "warm");
        for (const db::Databases::Item& item : databases->all())
            if (const auto entry = item.store.load(device, key); entry && !entry->winner.empty())
                for (const auto& kernel : spgemm_kernels<T, P>(backend))
                    if (kernel.variant.id() == entry->winner)
                        return {entry->winner, "database", item.place};
    }
    return {spgemm_default_id(backend, value, index, product.products_cv), "default"};
}

#define SPTUNE_INSTANTIATE(T, P)                                                    \
    template ProductSelection select_product<T, P>(const ProductFeatures&, Backend, \
                                                   const db::Databases*, int);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
