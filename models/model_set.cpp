#include "matrix/error.hpp"
#include "matrix/parallel.hpp"
#include "models/model_file.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace sptune::models {
namespace {

template <class Model>
bool has_backend(const std::vector<std::unique_ptr<const Model>>& list, Backend backend) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& model) { return model->parts().backend == backend; });
}

std::string part_of(Op op, std::string_view backend) {
    return fmt::format("{}.{}", backend, to_string(op));
}

/// A file has a line for each name.
std::string as_line(std::string name) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    std::replace_if(name.begin(), name.end(), is_control, '?');
    return name;
}

/// Puts `theirs` before `mine`, for those devices alone that none of mine was trained on, where
/// there is one of mine for the backend at all. Adds what is kept to `parts_kept`.
template <class Model>
void keep_other_devices(Op op, std::vector<std::unique_ptr<const Model>>& mine,
                        const std::vector<std::unique_ptr<const Model>>& theirs,
                        std::set<std::string>& parts_kept) {
    std::vector<std::unique_ptr<const Model>> kept;
    for (const auto& model : theirs) {
        auto parts = model->parts();
        if (has_backend(mine, parts.backend)) {
            std::erase_if(parts.device_keys, [&](const std::string& key) {
                return std::any_of(mine.begin(), mine.end(), [&](const auto& own) {
                    const auto& keys = own->parts().device_keys;
                    return std::find(keys.begin(), keys.end(), key) != keys.end();
                });
            });
            if (parts.device_keys.empty()) continue;
            parts.for_these_alone = true;
        }
        parts_kept.insert(part_of(op, to_string(parts.backend)));
        kept.push_back(std::make_unique<const Model>(std::move(parts)));
    }
    mine.insert(mine.begin(), std::make_move_iterator(kept.begin()),
                std::make_move_iterator(kept.end()));
}

}  // namespace

bool Training::knows(const Sample& sample) const {
    const auto tells = [&](const std::string& part) {
        const auto names = matrices.find(part);
        return names != matrices.end() && names->second.contains(as_line(sample.name));
    };
    return tells("") || tells(part_of(sample.op(), sample.device.backend));
}

ModelSet::ModelSet(Training training, Models models)
    : training_(std::move(training)), models_(std::move(models)) {}

ModelSet ModelSet::train(const std::vector<Sample>& samples, const OptionsOf& options,
                         const Progress& progress) {
    Training training;
    training.created_utc = db::utc_time();
    training.samples = samples.size();
    std::set<std::string> devices;
    std::map<std::pair<Op, std::string>, std::vector<const Sample*>> parts;
    for (const Sample& s : samples) {
        training.matrices[part_of(s.op(), s.device.backend)].insert(as_line(s.name));
        devices.insert(s.device.name);
        parts[{s.op(), s.device.backend}].push_back(&s);
        for (const auto& [format, hash] : s.kernel_hashes)
            training.kernel_hashes[s.device.backend + "." + format] = hash;
    }
    if (samples.empty()) throw Error("there is nothing to train on");
    training.devices.assign(devices.begin(), devices.end());
    int steps = 0, done = 0;
    std::mutex mutex;
    const auto step = [&] {
        const std::lock_guard lock(mutex);
        if (progress) progress(++done, steps);
    };
    for (const auto& [part, list] : parts)
        steps += part.first == Op::spgemm ? 1 : 2 + options(list.front()->backend()).folds;
    Models models;
    for (const auto& [part, list] : parts) {
        if (part.first == Op::spgemm) {
            models.products.push_back(std::make_unique<ProductModel>(ProductModel::train(list)));
            step();
            continue;
        }
        TreeOptions o = options(list.front()->backend());
        o.step = step;
        models.trees.push_back(std::make_unique<TreeModel>(TreeModel::train(list, o)));
        models.bestsf.push_back(std::make_unique<BestSf>(BestSf::train(list, thread_count(0))));
        step();
    }
    return {std::move(training), std::move(models)};
}

void ModelSet::complete_from(ModelSet other) {
    std::set<std::string> kept;
    keep_other_devices(Op::spmv, models_.trees, other.models_.trees, kept);
    keep_other_devices(Op::spgemm, models_.products, other.models_.products, kept);
    for (auto& model : other.models_.bestsf)
        if (!has_backend(models_.bestsf, model->parts().backend)) {
            kept.insert(part_of(Op::spmv, to_string(model->parts().backend)));
            models_.bestsf.push_back(std::move(model));
        }
    for (const std::string& part : kept)
        for (const std::string& from : {part, std::string()})  // what it does not tell of may be
            training_.matrices[part].merge(std::set(other.training_.matrices[from]));
    std::set<std::string> devices(training_.devices.begin(), training_.devices.end());
    devices.insert(other.training_.devices.begin(), other.training_.devices.end());
    training_.devices.assign(devices.begin(), devices.end());
    training_.samples += other.training_.samples;
    training_.kernel_hashes.merge(other.training_.kernel_hashes);
}

const TreeModel* ModelSet::trees_for(const db::Device& device) const {
    const auto found = std::find_if(
        models_.trees.begin(), models_.trees.end(),
        [&](const auto& model) { return model->covers(Op::spmv, ValueType::f64, device); });
    return found == models_.trees.end() ? nullptr : found->get();
}

std::vector<const Predictor*> ModelSet::predictors(std::string_view backend) const {
    const Backend side = backend == to_string(Backend::cuda) ? Backend::cuda : Backend::cpu;
    std::vector<const Predictor*> list;
    if (has_backend(models_.trees, side)) list.push_back(this);
    for (const auto& model : models_.bestsf)
        if (model->parts().backend == side) list.push_back(model.get());
    return list;
}

bool ModelSet::covers(Op op, ValueType value, const db::Device& device) const {
    const TreeModel* model = trees_for(device);
    return model && model->covers(op, value, device);
}

std::span<const db::BandwidthPoint> ModelSet::bandwidths_of(const db::Device& device) const {
    const TreeModel* trees = trees_for(device);
    if (!trees) return {};
    return trees->bandwidths_of(device);
}

bool ModelSet::knows(const Variant& variant) const {
    return std::any_of(models_.trees.begin(), models_.trees.end(),
                       [&](const auto& model) { return model->knows(variant); });
}

std::vector<Prediction> ModelSet::predict(const Features& features, const db::Device& device,
                                          std::span<const Option> options) const {
    if (const TreeModel* model = trees_for(device))
        return model->predict(features, device, options);
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return std::vector<Prediction>(options.size(), {kNever, kNever});
}

double ModelSet::confidence(const Variant& chosen, const Features& features,
                            const db::Device& device) const {
    const TreeModel* model = trees_for(device);
    return model ? model->confidence(chosen, features, device) : 0;
}

}  // namespace sptune::models
