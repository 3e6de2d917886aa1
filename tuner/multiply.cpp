#include "tuner/multiply.hpp"

#include "features/features.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spgemm/host_product.hpp"
#include "kernels/spgemm/registry.hpp"
#include "matrix/memory.hpp"
#include "tuner/cuda/multiply.hpp"
#include "tuner/multiply_with.hpp"

#include <algorithm>
#include <vector>

namespace sptune::tuner {
namespace {

/// Our kernels hand C over, a vendor's is copied.
template <class T, class P>
Csr<T, P> take(std::unique_ptr<Product<T, P>> product) {
    if (auto* own = dynamic_cast<HostProduct<T, P>*>(product.get())) return own->release();
    const CsrView<T, P> v = product->view();
    const auto rows = static_cast<std::size_t>(v.rows), nnz = static_cast<std::size_t>(v.nnz());
    require_memory("a copy of the vendor's C", nnz * (sizeof(T) + sizeof(index_t)));
    Csr<T, P> c{v.rows, v.cols, Buffer<P>(rows + 1), Buffer<index_t>(nnz), Buffer<T>(nnz)};
    std::copy_n(v.row_ptr, rows + 1, c.row_ptr.data());
    std::copy_n(v.col_idx, nnz, c.col_idx.data());
    std::copy_n(v.values, nnz, c.values.data());
    return c;
}

/// What to try in turn: the selection, then what needs less.
template <class T, class P>
std::vector<ProductSelection> in_turn(const ProductSelection& selection, Backend backend,
                                      const ProductFeatures& product) {
    constexpr ValueType value = value_type_of<T>();
    constexpr IndexType index = index_type_of<P>();
    std::vector<ProductSelection> all{selection};
    const auto add = [&](const std::string& id, const std::string& source = "default") {
        if (std::none_of(all.begin(), all.end(), [&](auto& s) { return s.id == id; }))
            all.push_back({id, source});
    };
    for (const std::string& id : selection.next) add(id, selection.source);
    add(spgemm_default(backend, value, index, product.products_cv).id());
    add(spgemm_baseline_id(backend, value, index));
    if (backend == Backend::cpu) add(spgemm_thrifty_id(value, index));
    return all;
}

/// The first of `all` that multiply(id) can do. Where C itself, of `c_bytes`, does not fit
/// `memory`, no kernel needs less.
template <class Multiply>
auto multiply_by_first(std::vector<ProductSelection> all, double c_bytes, std::uint64_t memory,
                       const Multiply& multiply) {
    std::string passed_over;
    const auto next = [&](const std::string& what) {
        passed_over += (passed_over.empty() ? "" : "; ") + what;
        all.erase(all.begin());
    };
    for (;;) {
        try {
            auto done = multiply(all.front().id);
            done.selection = all.front();
            done.passed_over = passed_over;
            return done;
        } catch (const IllegalKernel& e) {
            if (all.size() == 1) throw;
            next(e.what());
        } catch (const OutOfMemory& e) {
            if (all.size() == 1 || c_bytes > static_cast<double>(memory)) throw;
            next(all.front().id + ": " + e.what());
        }
    }
}

template <class T>
double bytes_of_product(const ProductFeatures& product) {
    return product.estimated_entries * (sizeof(T) + sizeof(index_t));
}

}  // namespace

std::uint64_t usable_memory(Backend backend) {
    return backend == Backend::cpu ? available_memory() / 10 * 9 : usable_device_memory();
}

template <class T, class P>
Multiplied<T, P> multiply(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                          Backend backend, const std::string& id, const SpgemmOptions& options,
                          int threads) {
    if (backend == Backend::cuda) return multiply_cuda(a, b, product, id, options);
    const SpgemmProblem<T, P> problem{a, b, product.products, product.longest_row,
                                      product.upper_entries};
    SpgemmOptions limited = options;
    limited.memory_bytes = std::min(options.memory_bytes, usable_memory(Backend::cpu));
    return fetched(multiply_with(problem, backend, id, limited, {resolve_threads(threads)}),
                   take<T, P>);
}

template <class T, class P>
Multiplied<T, P> multiply_selected(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                                   Backend backend, const ProductSelection& selection,
                                   const SpgemmOptions& options, int threads) {
    const std::uint64_t memory = backend == Backend::cpu
                                     ? std::min(options.memory_bytes, usable_memory(Backend::cpu))
                                     : options.memory_bytes;
    return multiply_by_first(in_turn<T, P>(selection, backend, product),
                             bytes_of_product<T>(product), memory, [&](const std::string& id) {
                                 return multiply(a, b, product, backend, id, options, threads);
                             });
}

template <class T, class P>
MultipliedInPlace<T, P> multiply_selected_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                                    const ProductFeatures& product,
                                                    const ProductSelection& selection,
                                                    const SpgemmOptions& options, void* stream) {
    return multiply_by_first(in_turn<T, P>(selection, Backend::cuda, product),
                             bytes_of_product<T>(product), options.memory_bytes,
                             [&](const std::string& id) {
                                 return multiply_on_device(a, b, product, id, options, stream);
                             });
}

template <class T, class P>
ProductFeatures features_of_pair(CsrView<T, P> a, CsrView<T, P> b, Backend backend, int threads,
                                 bool fingerprints, void* stream) {
    if (backend == Backend::cuda) return features_of_pair_on_device(a, b, fingerprints, stream);
    const std::uint64_t first = fingerprints ? fingerprint(a, threads) : 0;
    const bool same = !fingerprints || is_square_of_one(a, b);
    return product_features(a, b, first, same ? first : fingerprint(b, threads), threads);
}

#define SPTUNE_INSTANTIATE(T, P)                                                                \
    template Multiplied<T, P> multiply_selected(                                                \
        CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, Backend, const ProductSelection&, \
        const SpgemmOptions&, int);                                                             \
    template Multiplied<T, P> multiply(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&,    \
                                       Backend, const std::string&, const SpgemmOptions&, int); \
    template MultipliedInPlace<T, P> multiply_selected_on_device(                               \
        CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, const ProductSelection&,          \
        const SpgemmOptions&, void*);                                                           \
    template ProductFeatures features_of_pair(CsrView<T, P>, CsrView<T, P>, Backend, int, bool, \
                                              void*);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
