#include "library/tune.hpp"

#include "db/provenance.hpp"
#include "features/features.hpp"
#include "features/fingerprint.hpp"
#include "matrix/lasting.hpp"
#include "tuner/identify.hpp"
#include "tuner/stored_digest.hpp"
#include "tuner/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include <fmt/format.h>

#ifdef SPTUNE_HAS_CUDA
#include "matrix/cuda/copy_csr.hpp"
#endif

namespace sptune::library {
namespace {

// Why databases of this process cannot be written, by their paths; empty where nothing is known to
// speak against it.
std::mutex trouble_mutex;
std::map<std::filesystem::path, std::string>& troubles() {
    static auto& all = lasting<std::map<std::filesystem::path, std::string>>();
    return all;
}

void set_trouble(const std::filesystem::path& database, std::string why) {
    const std::lock_guard lock(trouble_mutex);
    troubles()[database] = std::move(why);
}

/// Looks at a database that has not been looked at.
std::string trouble_of(const db::Store& database) {
    {
        const std::lock_guard lock(trouble_mutex);
        const auto known = troubles().find(database.path());
        if (known != troubles().end()) return known->second;
    }
    std::string why;
    try {
        database.require_writable();
        std::filesystem::create_directories(database.path());
    } catch (const std::filesystem::filesystem_error& e) {
        why = fmt::format("the database {} cannot be made: {}; name another folder",
                          database.path().string(), e.code().message());
    } catch (const std::exception& e) {
        why = e.what();
    }
    set_trouble(database.path(), why);
    return why;
}

std::mutex sweep_mutex;  ///< two sweeps at once, of whatever types, would measure each other

template <class T, class P>
std::string sweep_and_store(CsrView<T, P> host, Backend backend, int threads,
                            const db::Databases& databases) {
    const std::uint64_t print = fingerprint(host, threads);
    const std::string device = tuner::identify(backend, threads).key;
    const auto is_known = [&] {
        return std::ranges::any_of(databases.all(), [&](const db::Databases::Item& item) {
            return tuner::stored_digest<P>(item.store, Op::spmv, value_type_of<T>(), device, print)
                .has_value();
        });
    };
    if (is_known()) return {};
    const std::lock_guard alone(sweep_mutex);  // another thread's may have been of this matrix
    if (is_known()) return {};
    const db::Store* const own = databases.own();
    if (!own) return "It was not measured: there is no database to write to.";
    // Before seconds go into a sweep that nobody will know of.
    if (const std::string trouble = trouble_of(*own); !trouble.empty())
        return fmt::format("It was not measured: {}.", trouble);
    tuner::SweepOptions options;
    options.threads = threads;
    const double start = options.clock();
    const Features features = extract_features(host, threads);
    tuner::device_of(backend, threads, nullptr);  // measures bandwidths, once a process
    options.budget_s = std::max(1.0, kTuningSeconds - (options.clock() - start) / 1e6);
    tuner::SweepResult swept = tuner::sweep_spmv(host, features, backend, options);
    db::Entry& entry = swept.entry;
    entry.matrix.name = fmt::format("{:016x}", print);
    db::sign(entry.provenance);
    try {
        own->save(entry);
    } catch (const std::exception& e) {
        set_trouble(own->path(), e.what());
        throw;
    }
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
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::library
