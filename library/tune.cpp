#include "library/tune.hpp"

#include "features/features.hpp"
#include "features/fingerprint.hpp"
#include "tuner/sweep.hpp"

#include <fmt/format.h>

#ifdef SPTUNE_HAS_CUDA
#include "matrix/cuda/copy_csr.hpp"
#endif

namespace sptune::library {
namespace {

template <class T, class P>
std::string sweep_and_store(CsrView<T, P> host, Backend backend, int threads,
                            const db::Databases& databases) {
    const std::uint64_t print = fingerprint(host, threads);
    const std::string device = tuner::device_of(backend, threads).key;
    const std::string key =
        db::entry_key(Op::spmv, value_type_of<T>(), index_type_of<P>(), print, "warm");
    if (databases.load(device, key)) return {};
    const db::Store* const own = databases.own();
    if (!own) return "It was not measured: there is no database to write to.";
    if (own->read_only())
        return fmt::format("It was not measured: the database {} cannot be written.",
                           own->path().string());
    tuner::SweepOptions options;
    options.threads = threads;
    options.budget_s = kTuningSeconds;
    const double start = options.clock();
    tuner::SweepResult swept =
        tuner::sweep_spmv(host, extract_features(host, threads), backend, options);
    db::Entry& entry = swept.entry;
    entry.matrix.name = fmt::format("{:016x}", print);
    entry.provenance.sptune_version = SPTUNE_VERSION;
    entry.provenance.created_utc = db::utc_time();
    own->save(entry);
    return fmt::format("It was measured for {:.1f} s just now, as SPTUNE_MODE asks.",
                       (options.clock() - start) / 1e6);
}

}  // namespace

template <class T, class P>
std::string tune(CsrView<T, P> a, Backend backend, int threads, const db::Databases& databases) {
    try {
#ifdef SPTUNE_HAS_CUDA
        if (backend == Backend::cuda) {
            const Csr<T, P> host = copy_to_host(a);
            return sweep_and_store(host.view(), backend, threads, databases);
        }
#endif
        return sweep_and_store(a, backend, threads, databases);
    } catch (const std::exception& e) {
        return fmt::format("It could not be measured: {}.", e.what());
    }
}

#define SPTUNE_INSTANTIATE(T, P) \
    template std::string tune(CsrView<T, P>, Backend, int, const db::Databases&);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::library
