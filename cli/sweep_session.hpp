// Sweeps over the matrices of one command line: the database around them, the progress line, the
// warnings and the exit code. What becomes of the results is the command's business.
#pragma once

#include "cli/result_store.hpp"
#include "cli/sweep_request.hpp"
#include "db/databases.hpp"
#include "tuner/sweep.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sptune::cli {

/// Calls work(path, number) for each in turn, numbered from 1, and returns the first exit code that
/// is not 0. A matrix that fails is warned of and skipped; only Ctrl-C and the like
/// (cli/interrupt.hpp) end it early. What an earlier worker has finished (cli/worker.hpp) is not
/// called again, but its code counts.
int for_each_matrix(const std::vector<std::string>& paths,
                    const std::function<int(const std::string& path, std::size_t number)>& work);

/// The same over the backends for one matrix; what is thrown passes through.
int for_each_backend(const std::vector<Backend>& backends,
                     const std::function<int(Backend backend)>& work);

class SweepSession {
  public:
    /// The request must outlive it.
    explicit SweepSession(const SweepRequest& request);

    /// What differs from sweep to sweep.
    struct Task {
        std::string path = {};  ///< of the matrix; names it
        Backend backend = Backend::cpu;
        std::string prefix = {};            ///< of the progress line: "2/5 fem: "; may be empty
        std::string guest = {};             ///< as in tuner::SweepOptions
        const db::Entry* resume = nullptr;  ///< as in tuner::SweepOptions
    };
    /// `run` sweeps with the options it is given. The entry comes back named and with its
    /// provenance; nothing is stored yet.
    using Run = std::function<tuner::SweepResult(const tuner::SweepOptions&)>;
    tuner::SweepResult sweep(const Task& task, const Run& run);

    /// What is stored for a matrix, or a pair, of this fingerprint on this device and --cache.
    std::optional<db::Entry> stored(Op op, ValueType value, IndexType index,
                                    std::uint64_t fingerprint, Backend backend) const;
    /// All that are asked for a choice; null with --no-db.
    std::shared_ptr<const db::Databases> databases() const { return databases_; }

    /// See ResultStore; nothing where the database is not to be used.
    using Saved = ResultStore::Saved;
    Saved save(const db::Entry& entry) const;

    /// Warns of wrong, unreached and unstored results; returns the exit code. `left_hint` says what
    /// follows from kernels that were not reached.
    int judge(const tuner::SweepResult& result, const Saved& saved,
              const std::string& left_hint) const;

  private:
    const SweepRequest& request_;
    std::optional<ResultStore> store_;  ///< what was measured here, and will be
    std::shared_ptr<const db::Databases> databases_;
};

}  // namespace sptune::cli
