#include "tuner/default_models.hpp"

#include "matrix/error.hpp"
#include "matrix/lasting.hpp"
#include "models/heuristic.hpp"
#include "models/model_file.hpp"
#include "models/shipped.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace sptune::tuner {
namespace {

const models::ModelSet& read_once(const std::string& file) {
    static std::mutex mutex;
    static auto& known = lasting<std::map<std::string, std::unique_ptr<const models::ModelSet>>>();
    const std::lock_guard lock(mutex);
    auto& found = known[file];
    if (!found) found = std::make_unique<const models::ModelSet>(models::read_models(file));
    return *found;
}

/// nullptr where $SPTUNE_MODEL is not set.
const models::ModelSet* of_environment() {
    const char* const file = std::getenv("SPTUNE_MODEL");
    if (!file || !*file) return nullptr;
    try {
        return &read_once(file);
    } catch (const InputError& e) {
        throw InputError("SPTUNE_MODEL", 0, e.what());
    }
}

}  // namespace

std::vector<const models::Predictor*> default_models(Backend backend, const std::string& file) {
    static const auto& heuristic = lasting<models::Heuristic>();
    std::vector<const models::Predictor*> list;
    if (const models::ModelSet* const own = file.empty() ? of_environment() : &read_once(file))
        for (const auto& trees : own->trees())
            if (trees->parts().backend == backend) list.push_back(trees.get());
    for (const auto& trees : models::shipped_trees(backend)) list.push_back(trees.get());
    list.push_back(&heuristic);
    return list;
}

void require_model_of_environment() {
    of_environment();
}

const models::ProductModel* default_product_model(const db::Device& device) {
    const auto covering = [&](const auto& products) -> const models::ProductModel* {
        for (const auto& model : products)
            if (model->covers(device)) return model.get();
        return nullptr;
    };
    if (const models::ModelSet* const own = of_environment())
        if (const auto* model = covering(own->products())) return model;
    const bool cuda = device.backend == to_string(Backend::cuda);
    return covering(models::shipped_products(cuda ? Backend::cuda : Backend::cpu));
}

}  // namespace sptune::tuner
