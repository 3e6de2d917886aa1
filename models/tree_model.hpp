// The main model: trees that see all features predict, for each kernel of a portfolio, how far it
// is behind the best, and networks that do the same; the weighted mean of both counts.
#pragma once

#include "models/moving.hpp"
#include "models/network.hpp"
#include "models/portfolio.hpp"
#include "models/predictor.hpp"

#include <functional>
#include <map>
#include <unordered_map>

namespace sptune::models {

/// Sweeps of devices whose key matches this glob count so many times.
struct Weight {
    std::string device;
    int times = 1;
};

struct TreeOptions {
    /// The first that matches counts; a sweep that none matches counts once.
    std::vector<Weight> weights;
    PortfolioOptions portfolio;
    ForestOptions forest;  ///< of the times
    ChoiceOptions choice;
    NetworkOptions network;
    ForestOptions side{.trees = 60, .rate = 0.1};
    /// Folds that tell how often each format is rightly chosen; 0: not asked.
    int folds = 5;
    /// Called when the model is done, and for each fold; of several threads.
    std::function<void()> step;
};

/// What `sptune train` and `sptune evaluate` use. A GPU's grid has six times as many kernels, and
/// times there repeat themselves, so that there is more to learn.
TreeOptions usual_options(Backend backend);

/// Of the held-out matrices for which a format was chosen: how many came within 5 % of the best.
struct HitRate {
    std::string format;
    double share = 0;
};

class TreeModel final : public Predictor {
  public:
    /// As stored.
    struct Parts {
        Backend backend = Backend::cpu;
        std::vector<std::string> device_keys;  ///< that it was trained on
        /// It speaks for those alone, since there is a model of more devices for the others.
        bool for_these_alone = false;
        /// Of those by their keys: stands in where the bandwidth of one like it was not measured.
        std::map<std::string, std::vector<db::BandwidthPoint>> bandwidths;
        /// The baseline first; value and index say nothing. Some are with_least_block().
        std::vector<Variant> portfolio;
        /// Outputs: for each of the portfolio squeeze(log(its time / the best one's)).
        Forest times;
        std::vector<Network> networks;  ///< the same outputs; none where their share is 0
        double network_share = 0;
        /// Outputs: log(plain CSR's time / the roofline's), then for each of the portfolio
        /// log(conversion / time of plain CSR). On a CPU what starting a call takes is left out of
        /// the first two times.
        Forest sides;
        std::vector<HitRate> hits;
    };
    /// Throws Error where the parts do not fit together.
    explicit TreeModel(Parts parts);

    /// From samples of one backend, at least one.
    static TreeModel train(const std::vector<const Sample*>& samples, const TreeOptions& options);

    std::string name() const override { return "trees"; }
    bool covers(Op op, ValueType value, const db::Device& device) const override;
    bool knows(const Variant& variant) const override;
    std::uint64_t place_of(const Variant& variant) const override;
    std::span<const db::BandwidthPoint> bandwidths_of(const db::Device& device) const override;
    std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                    std::span<const Option> options) const override;
    double confidence(const Variant& chosen, const Features& features,
                      const db::Device& device) const override;

    const Parts& parts() const { return parts_; }

  private:
    static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);
    struct Places {
        std::size_t own = kNoPlace, least_block = kNoPlace;
    };
    void let_all_threads_work(const Features& features, const std::vector<Places>& places,
                              std::span<const Option> options, std::vector<Prediction>& out) const;
    std::vector<Places> places_of(const Features& features, std::span<const Option> options) const;
    /// Of the portfolio, squeezed: the mean of trees and networks.
    std::vector<float> behind_of(const Features& features, const db::Device& device,
                                 ValueType value, const std::vector<float>& x) const;
    /// Of plain CSR, which takes `multiple` times what its bytes do. Where the device's bandwidth
    /// was not measured, that of the training's device with the most similar key counts.
    double plain_us(const Features& features, const db::Device& device, ValueType value,
                    double multiple) const;

    Parts parts_;
    Moving moving_;
    bool one_scale_ = true;  ///< networks that learned of the same sweeps scale inputs alike
    std::unordered_map<std::uint64_t, std::size_t> index_;  ///< by short_hash()
    std::vector<char> in_place_;                            ///< needs no conversion
    std::vector<Layout> layouts_;
    /// Of what one thread does alone the same for all threads; kNoPlace for the rest of the
    /// portfolio.
    std::vector<std::size_t> for_all_threads_;
};

}  // namespace sptune::models
