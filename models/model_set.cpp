#include "matrix/error.hpp"
#include "models/model_file.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace sptune::models {
namespace {

template <class Model>
const Model* of_backend(const std::vector<std::unique_ptr<const Model>>& list,
                        std::string_view backend) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& model) {
        return to_string(model->parts().backend) == backend;
    });
    return found == list.end() ? nullptr : found->get();
}

}  // namespace

ModelSet::ModelSet(Training training, std::vector<std::unique_ptr<const TreeModel>> trees,
                   std::vector<std::unique_ptr<const BestSf>> bestsf)
    : training_(std::move(training)), trees_(std::move(trees)), bestsf_(std::move(bestsf)) {}

ModelSet ModelSet::train(const std::vector<Sample>& samples, const OptionsOf& options) {
    Training training;
    training.created_utc = db::utc_time();
    training.samples = samples.size();
    std::set<std::string> matrices, devices;
    std::map<std::string, std::vector<const Sample*>> by_backend;
    for (const Sample& s : samples) {
        matrices.insert(s.name), devices.insert(s.device.name);
        by_backend[s.device.backend].push_back(&s);
        for (const auto& [format, hash] : s.kernel_hashes)
            training.kernel_hashes[s.device.backend + "." + format] = hash;
    }
    if (samples.empty()) throw Error("there is nothing to train on");
    training.matrices.assign(matrices.begin(), matrices.end());
    training.devices.assign(devices.begin(), devices.end());
    std::vector<std::unique_ptr<const TreeModel>> trees;
    std::vector<std::unique_ptr<const BestSf>> bestsf;
    for (const auto& [name, list] : by_backend) {
        const TreeOptions o = options(list.front()->backend());
        trees.push_back(std::make_unique<TreeModel>(TreeModel::train(list, o)));
        bestsf.push_back(std::make_unique<BestSf>(BestSf::train(list)));
    }
    return {std::move(training), std::move(trees), std::move(bestsf)};
}

const TreeModel* ModelSet::trees_for(std::string_view backend) const {
    return of_backend(trees_, backend);
}

std::vector<const Predictor*> ModelSet::predictors(std::string_view backend) const {
    std::vector<const Predictor*> list;
    if (const TreeModel* model = of_backend(trees_, backend)) list.push_back(model);
    if (const BestSf* model = of_backend(bestsf_, backend)) list.push_back(model);
    return list;
}

bool ModelSet::covers(Op op, ValueType value, const db::Device& device) const {
    const TreeModel* model = trees_for(device.backend);
    return model && model->covers(op, value, device);
}

bool ModelSet::knows(const Variant& variant) const {
    const TreeModel* model = trees_for(to_string(variant.backend));
    return model && model->knows(variant);
}

std::vector<Prediction> ModelSet::predict(const Features& features, const db::Device& device,
                                          std::span<const Option> options) const {
    if (const TreeModel* model = trees_for(device.backend))
        return model->predict(features, device, options);
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return std::vector<Prediction>(options.size(), {kNever, kNever});
}

double ModelSet::confidence(const Features& features, const db::Device& device) const {
    const TreeModel* model = trees_for(device.backend);
    return model ? model->confidence(features, device) : 0;
}

}  // namespace sptune::models
