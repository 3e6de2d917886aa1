// Training in batches, with dropout (Srivastava et al., JMLR 15, 2014).
#include "features/clones.hpp"
#include "matrix/error.hpp"
#include "models/learned.hpp"
#include "models/network.hpp"
#include "models/soft_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>

namespace sptune::models {
namespace {

constexpr std::size_t kQuantiles = 17;

// Sums of so many rows and columns stay in registers.
constexpr std::size_t kTileRows = 8, kTileColumns = 16;
using Lane [[gnu::vector_size(kTileColumns * sizeof(float))]] = float;

/// c += a · b, where b is k × n and c rows × n; a(i, j) lies at i · row_step + j · step.
SPTUNE_CLONES void add_product(std::size_t rows, std::size_t n, std::size_t k, const float* a,
                               std::size_t row_step, std::size_t step, const float* b, float* c) {
    const std::size_t whole_rows = rows / kTileRows * kTileRows;
    const std::size_t whole_columns = n / kTileColumns * kTileColumns;
    for (std::size_t i = 0; i < whole_rows; i += kTileRows)
        for (std::size_t l = 0; l < whole_columns; l += kTileColumns) {
            Lane sums[kTileRows] = {};
            const float* from = a + i * row_step;
            for (std::size_t j = 0; j < k; ++j, from += step) {
                Lane row;
                std::memcpy(&row, b + j * n + l, sizeof row);
                for (std::size_t r = 0; r < kTileRows; ++r) sums[r] += from[r * row_step] * row;
            }
            for (std::size_t r = 0; r < kTileRows; ++r)
                for (std::size_t m = 0; m < kTileColumns; ++m) c[(i + r) * n + l + m] += sums[r][m];
        }
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t l = i < whole_rows ? whole_columns : 0; l < n; ++l)
            for (std::size_t j = 0; j < k; ++j)
                c[i * n + l] += a[i * row_step + j * step] * b[j * n + l];
}

struct TrainedLayer {
    std::size_t inputs, outputs;
    Learned weights, bias;
    std::vector<float> sums, values;  ///< of a batch, before and behind the activation
    std::vector<float> factors;       ///< of the values: 0 for units that are left out
    std::vector<float> slopes;        ///< of the loss along the sums

    TrainedLayer(std::size_t in, std::size_t out)
        : inputs(in), outputs(out), weights(in * out), bias(out) {}
};

std::vector<Network::Scale> scales_of(const Table& table) {
    std::vector<Network::Scale> scales(table.inputs);
    std::vector<float> column(table.rows);
    for (std::size_t i = 0; i < table.inputs; ++i) {
        double sum = 0, squares = 0;
        for (std::size_t r = 0; r < table.rows; ++r) {
            column[r] = table.x_of(r)[i];
            sum += double{column[r]}, squares += double{column[r]} * double{column[r]};
        }
        const double count = static_cast<double>(table.rows), mean = sum / count;
        Network::Scale& s = scales[i];
        s.mean = static_cast<float>(mean);
        s.deviation =
            static_cast<float>(std::sqrt(std::max(squares / count - mean * mean, 0.0)) + 1e-6);
        std::sort(column.begin(), column.end());
        for (std::size_t q = 0; q < kQuantiles; ++q)
            s.quantiles.push_back(column[q * (table.rows - 1) / (kQuantiles - 1)]);
        s.quantiles.erase(std::unique(s.quantiles.begin(), s.quantiles.end()), s.quantiles.end());
    }
    return scales;
}

class Trainer {
  public:
    Trainer(const Table& table, const std::vector<float>& costs, const NetworkOptions& options)
        : table_(table),
          costs_(costs),
          options_(options),
          random_(options.seed),
          gains_(table.known.empty() ? 0 : table.outputs) {
        scales_ = scales_of(table);
        x_.resize(table.rows * table.inputs);
        for (std::size_t i = 0; i < x_.size(); ++i)
            x_[i] = scales_[i % table.inputs].of(table.x[i]);
        layers_.emplace_back(table.inputs, options.width);
        layers_.emplace_back(options.width, options.width);
        layers_.emplace_back(options.width, table.outputs);
        for (TrainedLayer& layer : layers_) {
            // He et al., ICCV 2015; the last layer begins close to the means.
            const bool last = &layer == &layers_.back();
            const double reach =
                std::sqrt(6.0 / static_cast<double>(layer.inputs)) * (last ? 0.3 : 1);
            for (float& w : layer.weights.value)
                w = static_cast<float>(reach * (2 * uniform() - 1));
        }
        if (with_gains()) {
            std::fill(gains_.value.begin(), gains_.value.end(), 1.0f);
            std::fill(layers_.back().bias.value.begin(), layers_.back().bias.value.end(), 0.1f);
            return;
        }
        for (std::size_t k = 0; k < table.outputs; ++k) {
            double sum = 0, count = 0;
            for (std::size_t r = 0; r < table.rows; ++r)
                if (const float y = table.y_of(r)[k]; !std::isnan(y)) sum += double{y}, ++count;
            layers_.back().bias.value[k] = static_cast<float>(count > 0 ? sum / count : 0.5);
        }
    }

    Network run() {
        const std::size_t batch = std::min(options_.batch, table_.rows);
        const std::size_t batches = table_.rows / batch;
        const double steps = static_cast<double>(batches) * options_.epochs;
        std::vector<std::uint32_t> order(table_.rows);
        std::iota(order.begin(), order.end(), 0u);
        int time = 0;
        for (int epoch = 0; epoch < options_.epochs; ++epoch) {
            std::shuffle(order.begin(), order.end(), random_);
            const bool choice = epoch >= options_.choice_from * options_.epochs;
            for (std::size_t b = 0; b < batches; ++b) {
                ++time;
                const std::span<const std::uint32_t> rows(order.data() + b * batch, batch);
                forward(rows);
                differentiate(rows, choice ? options_.choice_weight : 0);
                backward(batch);
                const double rate = options_.rate * std::min(1.0, time / 200.0) * 0.5 *
                                    (1 + std::cos(std::numbers::pi * time / steps));
                for (TrainedLayer& layer : layers_) {
                    layer.weights.step(rate, options_.decay, time);
                    layer.bias.step(rate, options_.decay, time);
                }
                gains_.step(rate, 0, time);
            }
        }
        std::vector<Network::Layer> trained;
        for (const TrainedLayer& layer : layers_) {
            std::vector<Fixed> weights(layer.weights.value.size());
            std::transform(layer.weights.value.begin(), layer.weights.value.end(), weights.begin(),
                           to_fixed);
            trained.push_back({std::move(weights), layer.bias.value});
        }
        return {std::move(scales_), std::move(trained), gains_.value};
    }

  private:
    bool with_gains() const { return !table_.known.empty(); }
    const float* known_of(std::uint32_t row) const {
        return table_.known.data() + row * table_.outputs;
    }

    /// From 0 to 1.
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

    void forward(std::span<const std::uint32_t> rows) {
        input_.resize(rows.size() * table_.inputs);
        for (std::size_t r = 0; r < rows.size(); ++r)
            std::copy_n(x_.data() + rows[r] * table_.inputs, table_.inputs,
                        input_.data() + r * table_.inputs);
        const std::vector<float>* from = &input_;
        for (TrainedLayer& layer : layers_) {
            const std::size_t size = rows.size() * layer.outputs;
            layer.sums.resize(size), layer.values.resize(size), layer.factors.resize(size);
            for (std::size_t r = 0; r < rows.size(); ++r)
                std::copy(layer.bias.value.begin(), layer.bias.value.end(),
                          layer.sums.begin() + static_cast<std::ptrdiff_t>(r * layer.outputs));
            add_product(rows.size(), layer.outputs, layer.inputs, from->data(), layer.inputs, 1,
                        layer.weights.value.data(), layer.sums.data());
            if (&layer == &layers_.back()) {
                add_known(rows, layer.sums);
                break;
            }
            draw_factors(layer.factors);
            for (std::size_t i = 0; i < size; ++i)
                layer.values[i] = hard_swish(layer.sums[i]) * layer.factors[i];
            from = &layer.values;
        }
    }

    void add_known(std::span<const std::uint32_t> rows, std::vector<float>& sums) const {
        if (!with_gains()) return;
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t k = 0; k < table_.outputs; ++k)
                sums[r * table_.outputs + k] += gains_.value[k] * known_of(rows[r])[k];
    }

    /// Who stays counts for who is left out.
    void draw_factors(std::vector<float>& factors) {
        const auto limit = static_cast<std::uint64_t>(options_.drop * 65536);
        const auto factor = static_cast<float>(1 / (1 - options_.drop));
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < factors.size(); ++i, bits >>= 16) {
            if (i % 4 == 0) bits = random_();
            factors[i] = (bits & 0xffff) < limit ? 0 : factor;
        }
    }

    /// The slopes of the last layer and of the gains. Loss: squared errors, those of good kernels
    /// more than those of bad ones, and the expected cost of choosing by a soft minimum.
    void differentiate(std::span<const std::uint32_t> rows, double choice) {
        TrainedLayer& last = layers_.back();
        const std::size_t outputs = table_.outputs;
        last.slopes.assign(last.sums.size(), 0);
        double weights = 0;
        for (const std::uint32_t row : rows)
            for (std::size_t k = 0; k < outputs; ++k)
                if (const float y = table_.y_of(row)[k]; !std::isnan(y)) weights += weight(y);
        const auto scale = static_cast<float>(2 / weights);
        std::vector<float> fall(outputs), out(outputs);
        const auto by =
            static_cast<float>(options_.sharpness * choice / static_cast<double>(rows.size()));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const float* y = table_.y_of(rows[r]);
            const float* cost = costs_.data() + rows[r] * outputs;
            const float* sum = last.sums.data() + r * outputs;
            std::transform(sum, sum + outputs, out.begin(),
                           [&](float l) { return with_gains() ? squeezed_sum(l) : l; });
            float* slope = last.slopes.data() + r * outputs;
            for (std::size_t k = 0; k < outputs; ++k)
                if (!std::isnan(y[k]))
                    slope[k] = scale * static_cast<float>(weight(y[k])) * (out[k] - y[k]);
            if (choice > 0) {
                fall_of_cost(cost, out.data(), options_.sharpness, options_.most, fall);
                for (std::size_t k = 0; k < outputs; ++k) slope[k] -= by * fall[k];
            }
            if (!with_gains()) continue;
            for (std::size_t k = 0; k < outputs; ++k) {
                const float beyond = 1 + std::abs(sum[k]);
                slope[k] /= beyond * beyond;  // of squeezed_sum()
                gains_.gradient[k] += slope[k] * known_of(rows[r])[k];
            }
        }
    }

    static double weight(float y) { return 1 / (0.1 + static_cast<double>(y)); }

    /// From the slopes of the last layer to all gradients.
    void backward(std::size_t rows) {
        for (std::size_t l = layers_.size(); l-- > 0;) {
            TrainedLayer& layer = layers_[l];
            const float* from = l == 0 ? input_.data() : layers_[l - 1].values.data();
            add_product(layer.inputs, layer.outputs, rows, from, 1, layer.inputs,
                        layer.slopes.data(), layer.weights.gradient.data());
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t k = 0; k < layer.outputs; ++k)
                    layer.bias.gradient[k] += layer.slopes[r * layer.outputs + k];
            if (l == 0) break;
            TrainedLayer& below = layers_[l - 1];
            transposed_.resize(layer.weights.value.size());
            for (std::size_t i = 0; i < layer.inputs; ++i)
                for (std::size_t k = 0; k < layer.outputs; ++k)
                    transposed_[k * layer.inputs + i] = layer.weights.value[i * layer.outputs + k];
            below.slopes.assign(rows * layer.inputs, 0);
            add_product(rows, layer.inputs, layer.outputs, layer.slopes.data(), layer.outputs, 1,
                        transposed_.data(), below.slopes.data());
            for (std::size_t i = 0; i < below.slopes.size(); ++i)
                below.slopes[i] *= below.factors[i] * hard_swish_slope(below.sums[i]);
        }
    }

    static float hard_swish_slope(float x) {
        return x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) * (1.0f / 6);
    }

    const Table& table_;
    const std::vector<float>& costs_;
    const NetworkOptions& options_;
    std::mt19937_64 random_;
    std::vector<Network::Scale> scales_;
    std::vector<float> x_, input_, transposed_;
    std::vector<TrainedLayer> layers_;
    Learned gains_;
};

}  // namespace

Network Network::train(const Table& table, const std::vector<float>& costs,
                       const NetworkOptions& options) {
    if (table.rows == 0 || table.outputs == 0) throw Error("network: nothing to learn from");
    if (costs.size() != table.y.size()) throw Error("network: costs do not match the outputs");
    if (!table.known.empty() && table.known.size() != table.y.size())
        throw Error("network: what is known does not match the outputs");
    return Trainer(table, costs, options).run();
}

}  // namespace sptune::models
