#include "cli/training_input.hpp"

#include "cli/db_command.hpp"
#include "matrix/error.hpp"
#include "models/sample_file.hpp"

#include <set>
#include <sstream>
#include <tuple>

namespace sptune::cli {
namespace {

bool wants_db(const TrainingInput& input) {
    return !input.db.empty() || input.samples.empty();
}

}  // namespace

std::vector<models::Sample> read_training(const TrainingInput& input, Op op,
                                          std::string_view backend) {
    std::vector<models::Sample> all;
    if (wants_db(input)) all = models::read_samples(open_existing_db(input.db), backend, op);
    std::istringstream files(input.samples);
    for (std::string file; std::getline(files, file, ',');)
        for (models::Sample& s : models::read_packed_samples(file))
            if (s.op() == op && (backend.empty() || s.device.backend == backend))
                all.push_back(std::move(s));
    std::set<std::tuple<std::uint64_t, std::string, ValueType>> seen;
    std::erase_if(all, [&](const models::Sample& s) {
        const std::uint64_t print = s.product ? s.product->fingerprint : s.features.fingerprint;
        return !seen.emplace(print, s.device.key, s.value).second;
    });
    models::sort_samples(all);
    return all;
}

std::string name_of(const TrainingInput& input) {
    if (!wants_db(input)) return input.samples;
    return open_db(input.db).path().string();
}

}  // namespace sptune::cli
