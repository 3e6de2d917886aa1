// What a family of generated matrices has to provide; generate.cpp does the rest.
#pragma once

#include "matrix/counter_random.hpp"
#include "matrix/generate.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace sptune {

inline constexpr std::int64_t kMaxDimension = std::numeric_limits<index_t>::max();

/// Numbers that are not drawn at random. 0 leaves them random.
struct ValueRule {
    double diagonal = 0;
    double off_diagonal = 0;
    bool symmetric = false;  ///< random values are the same at (i, j) and (j, i)
};

/// One matrix, row by row. Every method may be called for any row from any thread and gives the
/// same answer each time.
class RowSource {
  public:
    virtual ~RowSource() = default;

    index_t rows = 0;
    index_t cols = 0;
    std::uint64_t seed = 1;
    ValueRule rule;

    /// Sets the seed, of what it is made of, too.
    virtual void plant(std::uint64_t value) { seed = value; }
    /// The nonzeros are no more than this (for random families: but for a chance below 1e-20).
    virtual std::int64_t bound() const = 0;
    /// Appends the columns of `row`, increasing and distinct, to the empty `out`.
    virtual void columns(index_t row, std::vector<index_t>& out) const = 0;
    /// How many columns() gives; overridden where that can be known without making them.
    virtual std::int64_t count(index_t row, std::vector<index_t>& scratch) const {
        scratch.clear();
        columns(row, scratch);
        return static_cast<std::int64_t>(scratch.size());
    }
};

/// The parameters of a request: checked for range when given, cut to the range when left out.
class Parameters {
  public:
    /// Throws UsageError when the request names a parameter that neither the family nor
    /// change_parameters() have.
    Parameters(const Family& family, const GenerateRequest& request);

    bool given(std::string_view name) const;
    /// Throws UsageError outside of [low, high], naming the range.
    double real(std::string_view name, double low, double high) const;
    /// As real(), and a whole number.
    std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high) const;
    index_t rows() const { return static_cast<index_t>(integer("rows", 1, kMaxDimension)); }
    /// "cols", or `fallback` where that is 0.
    index_t cols(std::int64_t fallback) const;
    /// Throws UsageError when both were given.
    void not_both(std::string_view name, std::string_view other) const;
    std::string_view family() const { return family_.name; }

  private:
    /// nullptr where there is none of that name.
    const FamilyParameter* find(std::string_view name) const;

    const Family& family_;
    const GenerateRequest& request_;
};

/// One line of the table of families.
struct FamilyMaker {
    Family family;
    std::unique_ptr<RowSource> (*make)(const Parameters& parameters);
};
std::span<const FamilyMaker> mesh_families();
std::span<const FamilyMaker> shape_families();
std::span<const FamilyMaker> block_families();
std::span<const FamilyMaker> random_families();
std::span<const FamilyMaker> near_families();
std::span<const FamilyMaker> diagonal_families();

/// For FamilyMaker::make.
template <class Source>
std::unique_ptr<RowSource> make_rows(const Parameters& parameters) {
    return std::make_unique<Source>(parameters);
}

/// A stream's key is a number below 2^32 or-ed with what it is for, so that no two purposes share a
/// stream. The structure of a row has the number of the row alone.
namespace keys {
inline constexpr std::uint64_t kValues = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kDrops = std::uint64_t{2} << 32;
inline constexpr std::uint64_t kShuffle = std::uint64_t{3} << 32;
inline constexpr std::uint64_t kParts = std::uint64_t{4} << 32;  ///< what many rows share
}  // namespace keys

/// The source with rows and columns in another order within windows of so many rows.
std::unique_ptr<RowSource> shuffled(std::unique_ptr<RowSource> source, std::int64_t window);

/// The source with what change_parameters() ask for.
std::unique_ptr<RowSource> changed(std::unique_ptr<RowSource> source, const Parameters& parameters);

}  // namespace sptune
