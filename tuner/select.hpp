// Choosing a kernel without measuring it: by a stored measurement of this very matrix; else, of
// small ones on a GPU, at sight; else by a model or the heuristic. With what the caller cannot do
// without as constraints.
#pragma once

#include "db/databases.hpp"
#include "features/first_look.hpp"
#include "models/predictor.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/measure.hpp"
#include "tuner/versions.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sptune::tuner {

/// Each is off by default.
struct Constraints {
    bool deterministic = false;  ///< bit-identical repeats
    /// Bytes that the converted A may hold beside the caller's own arrays.
    std::uint64_t memory_bytes = ~0ull;
    double convert_us = std::numeric_limits<double>::infinity();  ///< longest conversion
    /// Largest |y_i - exact| / Σ_j |a_ij||x_j| that any row may have. What every verified kernel
    /// keeps is eps(T) · (longest row + 4), see Problem::bound: f32 is refused where that is more
    /// than this, and f64 where not even that suffices.
    double error = std::numeric_limits<double>::infinity();
    std::string variants = "*";  ///< glob of ids

    /// Whether any kernel will do.
    bool are_none() const {
        return !deterministic && memory_bytes == ~0ull && std::isinf(convert_us) && variants == "*";
    }
};

/// A constraint cannot be met. The message says which, what is possible and the remedy.
class Unmet : public Error {
  public:
    using Error::Error;
};

enum class Source { exact, model, heuristic };
std::string_view to_string(Source source);

/// A matrix as choosing sees it: `view` lies in the memory of `backend`.
template <class T, class P>
struct Chooser {
    CsrView<T, P> view;
    Backend backend = Backend::cpu;
    std::function<std::uint64_t()> fingerprint;
    std::function<Features()> features;
    std::function<std::int64_t()> longest_row;  ///< on a GPU; much cheaper than the features
    int threads = 0;                            ///< of the CPU, multiprocessors of the GPU
    bool features_tell_fingerprint = false;     ///< at no cost
    std::shared_ptr<const void> kept = {};      ///< what `view` lies in, if it is the chooser's own
    /// On a GPU. What it finds throws UsageError where indices lead out of the arrays.
    std::function<std::unique_ptr<PendingLook>()> begin_look = {};

    /// With the longest row where the safe kernel depends on it.
    Outline outline() const {
        return {view.rows, view.nnz(), longest_row ? longest_row() : -1, threads};
    }
};
/// For host memory, and for the memory of the current GPU. threads 0: all.
template <class T, class P>
Chooser<T, P> choose_for(CsrView<T, P> view, Backend backend, int threads);
/// What a program would have that has `host` in the memory of `backend`: on a GPU a copy, which the
/// chooser keeps. Throws DeviceError for a backend that is not there.
template <class T, class P>
Chooser<T, P> choose_from_host(CsrView<T, P> host, Backend backend, int threads);

/// What may be chosen on a GPU for small matrices, without features and models.
enum class AtSight {
    nothing,
    launch_bound,  ///< whatever is no slower than its launch
    small          ///< that, and tiles where a row is long
};

struct SelectOptions {
    Constraints constraints;
    double calls = 0;  ///< that A will be applied for; 0: unknown
    /// On a GPU: calls will be part of CUDA graphs, where nothing waits for the host to launch it.
    bool in_graphs = false;
    AtSight at_sight = AtSight::small;
    int threads = 0;                                 ///< CPU; 0: all
    std::shared_ptr<const db::Databases> databases;  ///< may be null
    /// Asked in this order, the first that covers the device answers; without any, plain CSR.
    /// Nothing: default_models(), looked up when they are needed, as loading takes a while.
    std::optional<std::vector<const models::Predictor*>> models;
    Validate validate = Validate::warn;  ///< stored measurements
    Clock clock = steady_us;

    /// It was said that there are none, so that plain CSR is all that is left.
    bool has_no_models() const { return models && models->empty(); }
};

/// Calls that are assumed for the choice where their number is unknown.
inline constexpr double kUnknownCalls = 300;

struct Ranked {
    std::string id;
    double predicted_us = 0;  ///< of one call
    double convert_us = 0;    ///< once
};

struct Selection {
    Source source = Source::heuristic;
    /// Name of who predicted; empty for exact.
    std::string model;
    bool at_sight = false;    ///< without features: models::kLaunchBoundModel or kSmallTilesModel
    Ranked chosen, baseline;  ///< the same one where nothing beats plain CSR
    Ranked safe;              ///< KernelIndex::safe(); an empty id where nothing is known of it
    /// At most four, the best first; not yet known to be legal. Of a choice at sight plain CSR.
    std::vector<Ranked> runners_up;
    /// models::worth_trying(), as little known.
    std::vector<Ranked> alternatives;
    double confidence = 0;    ///< 0 to 1; 1 for a stored measurement of the same values
    bool complete = true;     ///< false: of a sweep that was stopped early or left kernels out
    bool cores_busy = false;  ///< of a sweep whose times may be too long
    /// Stored times are of the same pattern with other values (Provenance::one_value), and reckoned
    /// for these.
    bool other_values = false;
    /// Calls after which the conversion has paid for itself; 0: at once, negative: never.
    double break_even_calls = 0;
    double calls = 0;        ///< as asked for; 0: unknown
    bool in_graphs = false;  ///< times are those of calls in CUDA graphs
    double select_us = 0;
    std::string why;                       ///< sentences for people
    std::vector<std::string> passed_over;  ///< files of databases, and why; `why` has them, too
    std::optional<Features> features;      ///< where they were needed
};

/// Throws Unmet, and what kernels throw that inspect a matrix on a GPU.
template <class T, class P>
Selection select_spmv(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                      const SelectOptions& options);

/// The same without asking a model: by a stored measurement, or at sight. An empty id for the
/// choice where neither decides; `safe` has one then if a look has found out.
template <class T, class P>
Selection select_without_model(const Chooser<T, P>& matrix, const KernelIndex<T, P>& kernels,
                               const SelectOptions& options);

/// With choose_from_host() and the kernels of the registry.
template <class T, class P>
Selection select_spmv(CsrView<T, P> host, Backend backend, const SelectOptions& options);

}  // namespace sptune::tuner
