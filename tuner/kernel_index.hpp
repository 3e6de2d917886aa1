// The kernels of one backend, found by id.
#pragma once

#include "kernels/registry.hpp"
#include "kernels/safe.hpp"
#include "models/launching.hpp"
#include "models/predictor.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sptune::tuner {

/// A kernel that a model does not know, and one that it knows, which has the same loop: some rows
/// of the matrix tell how their layouts differ (SpmvKernel::estimate).
template <class T, class P>
struct Alike {
    const SpmvKernel<T, P>* unknown;
    std::string_view id;  ///< its id
    const SpmvKernel<T, P>* known;
};

/// Ids are made once: making them costs more than a choice may take. The kernels must outlive it.
template <class T, class P>
class KernelIndex {
  public:
    using Kernel = SpmvKernel<T, P>;

    /// The id of the safe choice for a matrix of this outline.
    using SafeRule = std::function<std::string(const Outline&)>;

    /// `safe` may be empty: the baseline.
    KernelIndex(const std::vector<Kernel>& kernels, const std::string& baseline,
                SafeRule safe = {});

    /// That of the registry; made at the first call.
    static const KernelIndex& of(Backend backend);

    /// nullptr where there is none.
    const Kernel* find(std::string_view id) const;
    const Kernel& baseline() const { return *baseline_; }
    /// The baseline where there is no other.
    const Kernel& safe(const Outline& outline) const;
    const std::vector<Kernel>& kernels() const { return *kernels_; }
    const std::string& id(const Kernel& kernel) const {
        return ids_[static_cast<std::size_t>(&kernel - kernels_->data())];
    }
    /// What the first conversion to `kernel` in a process takes on top: on a GPU its code has to be
    /// loaded, with that of all kernels compiled with it (most of its algorithm). 0 after has_run()
    /// of one of those.
    double load_us(const Kernel& kernel) const;
    void has_run(const Kernel& kernel) const;
    /// Kernels, and what a model is asked of them.
    struct Known {
        std::vector<const Kernel*> kernels;
        std::vector<models::Option> options;
        std::vector<int> launches;  ///< of a call
        std::vector<Alike<T, P>> alike;
        std::vector<const Kernel*> hubs;     ///< for hub columns (look_for_hubs())
        std::vector<const Kernel*> tiles2d;  ///< for tiles of both (join_tiles2d())

        void add(const Kernel& kernel, const models::Predictor& model) {
            kernels.push_back(&kernel);
            options.push_back({&kernel.variant, 0, model.place_of(kernel.variant)});
            launches.push_back(models::launches_of(kernel.variant));
        }
    };
    /// Those that `model` knows, and the baseline first. Found out once for each model, which must
    /// outlive this index.
    const Known& known_to(const models::Predictor& model) const;

  private:
    void add_unknown(Known& known) const;

    const std::vector<Kernel>* kernels_;
    std::vector<std::string> ids_;
    std::unordered_map<std::string_view, const Kernel*> by_id_;
    std::vector<std::size_t> part_;  ///< of each kernel: those of a part are loaded together
    mutable std::deque<std::atomic<bool>> loaded_;  ///< each part
    const Kernel* baseline_ = nullptr;
    SafeRule safe_;
    mutable std::mutex mutex_;
    mutable std::map<const models::Predictor*, Known> known_;
};

}  // namespace sptune::tuner
