#include "models/product_model.hpp"

#include "matrix/error.hpp"
#include "models/behind.hpp"
#include "models/product_inputs.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace sptune::models {

ProductModel::ProductModel(Parts parts) : parts_(std::move(parts)) {
    if (parts_.portfolio.empty()) throw Error("products: the portfolio is empty");
    if (parts_.behind.outputs() != parts_.portfolio.size() ||
        parts_.behind.inputs() > product_input_names().size())
        throw Error("products: the forest does not match the portfolio or the inputs");
}

ProductModel ProductModel::train(const std::vector<const Sample*>& samples,
                                 const ProductOptions& options) {
    if (samples.empty()) throw Error("products: there is nothing to learn from");
    const std::vector<std::string> names = choose_portfolio(samples, options.portfolio);
    Table table;
    table.rows = samples.size(), table.outputs = names.size();
    table.inputs = product_input_names().size();
    Behind behind = behind_best(samples, names);
    table.y = std::move(behind.squeezed);
    std::set<std::string> keys;
    for (const Sample* s : samples) {
        keys.insert(s->device.key);
        const auto x = product_inputs(s->product.value(), s->device, s->value);
        table.x.insert(table.x.end(), x.begin(), x.end());
    }
    Parts parts;
    parts.backend = samples.front()->backend();
    parts.device_keys.assign(keys.begin(), keys.end());
    parts.portfolio = portfolio_variants(samples, names);
    parts.behind = Forest::train(table, options.forest, behind.log, options.choice);
    return ProductModel(std::move(parts));
}

bool ProductModel::covers(const db::Device& device) const {
    const auto& keys = parts_.device_keys;
    return device.backend == to_string(parts_.backend) &&
           (!parts_.for_these_alone ||
            std::find(keys.begin(), keys.end(), device.key) != keys.end());
}

std::vector<const Variant*> ProductModel::ranking(const ProductFeatures& product,
                                                  const db::Device& device, ValueType value) const {
    const std::vector<float> behind = parts_.behind.predict(product_inputs(product, device, value));
    std::vector<std::size_t> order(behind.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return behind[a] < behind[b]; });
    std::vector<const Variant*> ranked;
    for (const std::size_t k : order) ranked.push_back(&parts_.portfolio[k]);
    return ranked;
}

}  // namespace sptune::models
