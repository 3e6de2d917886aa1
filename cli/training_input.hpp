// The sweeps that `sptune train` learns from and `sptune evaluate` tests with.
#pragma once

#include "models/tree_model.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::cli {

/// As --db and --samples name them.
struct TrainingInput {
    std::string db;       ///< a database; empty: the user's own, unless there are `samples`
    std::string samples;  ///< packed files, separated by commas
};

inline constexpr const char* kWeighHelp =
    "SpMV sweeps of devices whose key matches count N times, but for the first as they would be "
    "where threads start sooner or later; several, separated by commas";
/// Of --weigh. Throws UsageError.
std::vector<models::Weight> parse_weights(const std::string& list);
/// Warns of weights that none of the devices, named by their keys, is to have.
void tell_idle_weights(const std::vector<models::Weight>& weights,
                       const std::set<std::string>& devices);

inline constexpr const char* kSamplesHelp =
    "files of `sptune train --pack`, separated by commas, whose sweeps come on top of those of "
    "--db or, without that, stand alone; SpMV sweeps of FILE=N count N times (1 to 100)";

/// Of sweeps of one matrix in one precision on one device.
enum class Repeated {
    first,  ///< counts alone: a database is asked before packed files, those in their order
    all,    ///< count, but not one sweep from several places
};

/// Of one operation, and of the device's side "cpu" or "cuda" alone; empty: both.
std::vector<models::Sample> read_training(const TrainingInput& input, Op op, Repeated repeated,
                                          std::string_view backend = "");

/// The files behind it, which no output may replace. Throws UsageError as read_training().
std::vector<std::string> files_of(const TrainingInput& input);

/// Throws UsageError where a file is to count more than once, which nobody takes notice of who
/// learns of products.
void require_single(const TrainingInput& input);

/// What to call it in a message.
std::string name_of(const TrainingInput& input);

}  // namespace sptune::cli
