// Trained models as a file, made to be read in a moment when a program chooses for the first time:
// "SPTM", the length of the header in four bytes (little-endian), the header in CBOR (RFC 8949),
// then arrays of numbers as they lie in memory (see fixed_point.hpp), nine tenths of the file. The
// header in JSON's terms:
//
// {"schema": "sptune.model/1",
//  "provenance": {"created_utc", "sptune_version", "samples", "matrices", "devices": [...],
//                 "kernel_hashes": {"cpu.csr": …}},
//  "inputs": [names of what the trees look at], "product_inputs": [of those for C = A·B],
//  "models": [{"kind": "trees" | "bestsf" | "products", "backend": "cpu", "description"}],
//  "sealed": true}
// The description of a model lies among the arrays, in CBOR as well, so that only those that are
// wanted have to be parsed. Trees may have a "network" beside them, and "more_networks".
//
// The matrices are lines of text: a tab and the part of the file that learned from them
// ("cpu.spmv"), below that their names. Those of files that did not tell of parts come first.
//
// An array is named by where it begins and "…_bytes", both counted from the end of the header.
//
// "sealed" says that the file ends with the XXH3 of all before, in eight bytes (little-endian): a
// number that is not what it was would be as good a number. The first files were not, nor had they
// the same fields: they are refused.
#pragma once

#include "models/bestsf.hpp"
#include "models/product_model.hpp"
#include "models/tree_model.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::models {

/// How a model came to be.
struct Training {
    std::string created_utc;
    std::string sptune_version;
    std::size_t samples =
        0;  ///< those of kept files included, also where their trees were replaced
    /// Names of those learned from, by part ("cpu.spmv"); "": of a file that does not tell.
    std::map<std::string, std::set<std::string>> matrices;
    std::vector<std::string> devices;                  ///< names
    std::map<std::string, std::string> kernel_hashes;  ///< by backend and format

    /// Whether what chooses for such samples has learned of the matrix.
    bool knows(const Sample& sample) const;
};

/// Everything a file holds; as a predictor it answers with the trees that cover the device.
class ModelSet final : public Predictor {
  public:
    struct Models {
        std::vector<std::unique_ptr<const TreeModel>> trees;
        std::vector<std::unique_ptr<const BestSf>> bestsf;
        std::vector<std::unique_ptr<const ProductModel>> products;
    };
    ModelSet(Training training, Models models);

    using OptionsOf = std::function<TreeOptions(Backend)>;
    /// Called as steps are done, one call at a time.
    using Progress = std::function<void(int done, int of)>;
    /// Trains all kinds for each backend that has samples of their operation. The options are those
    /// of the trees for SpMV.
    static ModelSet train(const std::vector<Sample>& samples,
                          const OptionsOf& options = usual_options, const Progress& progress = {});

    std::string name() const override { return "trees"; }
    bool covers(Op op, ValueType value, const db::Device& device) const override;
    bool knows(const Variant& variant) const override;
    std::span<const db::BandwidthPoint> bandwidths_of(const db::Device& device) const override;
    std::vector<Prediction> predict(const Features& features, const db::Device& device,
                                    std::span<const Option> options) const override;
    double confidence(const Variant& chosen, const Features& features,
                      const db::Device& device) const override;

    const Training& training() const { return training_; }
    Training& training() { return training_; }
    const std::vector<std::unique_ptr<const TreeModel>>& trees() const { return models_.trees; }
    const std::vector<std::unique_ptr<const BestSf>>& bestsf() const { return models_.bestsf; }
    const std::vector<std::unique_ptr<const ProductModel>>& products() const {
        return models_.products;
    }
    /// Takes over what `other` has for backends, and trees and models of products for devices, that
    /// this set has none of; the provenance names the devices of both, and the matrices of what is
    /// kept.
    void complete_from(ModelSet other);
    /// The set itself where it has trees of this backend, then the other models.
    std::vector<const Predictor*> predictors(std::string_view backend) const;
    /// The first trees that cover the device, or nullptr. Those of a few devices come before those
    /// of all.
    const TreeModel* trees_for(const db::Device& device) const;

  private:
    Training training_;
    Models models_;
};

/// What choosing a kernel takes of a file.
struct Part {
    Op op = Op::spmv;  ///< spmv: the trees; spgemm: the models of products
    Backend backend = Backend::cpu;
};

/// The document, without its seal, and back. Throws Error (db::NewerSchema for a later version's)
/// with the part that is wrong. A header that is nested very deeply uses up the stack:
/// read_models() looks before.
std::string to_bytes(const ModelSet& models);
/// With `only` that part alone, which loads sooner; the names of the matrices are left out, too.
/// `stay`: the bytes do, as long as the program, so that most of them need not be copied.
ModelSet models_from_bytes(std::string_view bytes, std::optional<Part> only = {},
                           bool stay = false);

/// An untrusted file. Throws InputError naming it.
ModelSet read_models(const std::filesystem::path& file);
/// Atomically.
void write_models(const std::filesystem::path& file, const ModelSet& models);

}  // namespace sptune::models
