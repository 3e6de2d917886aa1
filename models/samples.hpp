// What models learn from: entries of a database, reduced to features and times.
#pragma once

#include "db/store.hpp"
#include "features/product.hpp"
#include "models/predictor.hpp"

#include <map>
#include <optional>

namespace sptune::models {

/// A bounded kernel counts as so many times as slow as the best, at least.
inline constexpr double kBounded = 1.25;

/// One kernel on one matrix.
struct Timed {
    Variant variant;
    double us = 0;  ///< of C = A·B with the conversion of A and B, for which every call pays
    double convert_us = 0;  ///< of C = A·B none
    /// Not measured, because its bytes alone take longer than the best kernel, or because one that
    /// hardly differs was hopeless: `us` is a guess that is slower than the best.
    bool bounded = false;
};

/// One matrix, or one pair of them, on one device in one precision. `timed` holds kernels that are
/// legal and right; the baseline is among them.
struct Sample {
    std::string name;
    std::string group;                       ///< see group_of()
    Features features;                       ///< of A
    std::optional<ProductFeatures> product;  ///< of sweeps of C = A·B
    db::Device device;
    ValueType value = ValueType::f64;
    std::size_t baseline = 0;  ///< index into timed
    std::vector<Timed> timed;
    std::vector<Timed> least_blocks;  ///< some of them again, as with_least_block() names them
    int times = 1;                    ///< that it counts for one to learn from; not stored
    std::map<std::string, std::string> kernel_hashes;  ///< by format; "spgemm/csr" of products

    /// Calls visit(Timed) for all of `timed`, then for `least_blocks`.
    template <class Visit>
    void for_each_timed(Visit visit) const {
        for (const Timed& t : timed) visit(t);
        for (const Timed& t : least_blocks) visit(t);
    }
    Op op() const { return product ? Op::spgemm : Op::spmv; }
    double baseline_us() const { return timed[baseline].us; }
    Backend backend() const { return device.backend == "cuda" ? Backend::cuda : Backend::cpu; }
};

/// What differs between variants of one operation, backend and type: "sell.simd.c8.s64.x16.wn".
std::string short_name(const Variant& variant);

/// Under what a sample keeps the hash of the variant's kernel.
std::string hash_name(const Variant& variant);

/// What a variant has in common with those that differ in these one-letter parameters at most: "b"
/// leaves out the block size, "bs" σ as well.
std::string name_without(const Variant& variant, std::string_view params);

/// Matrices that may be siblings: what stands before "--" (families of bench/training_set.py), else
/// the letters that the name begins with, else the name. Folds keep groups together.
std::string group_of(const std::string& matrix);

/// Of each kernel of blocks among `timed` the one with the size of least bytes, under the name that
/// with_least_block() gives it.
std::vector<Timed> least_blocks(const Features& features, const std::vector<Timed>& timed);

/// nullopt for entries without a baseline time.
std::optional<Sample> sample_of(const db::Entry& entry);

/// All warm entries of `store` of this operation on `backend` ("cpu", "cuda"; empty: both), sorted
/// by name and precision. Sweeps that ended early, whose fastest kernel may not have had its turn,
/// only where there are no others; *cut_short counts the others up.
std::vector<Sample> read_samples(const db::Store& store, std::string_view backend = "",
                                 Op op = Op::spmv, std::size_t* cut_short = nullptr);

/// By name, device and precision, so that nothing depends on where they were read from.
void sort_samples(std::vector<Sample>& samples);

}  // namespace sptune::models
