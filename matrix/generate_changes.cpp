// What may be done to a matrix of any family: entries left out, another order (see
// generate_shuffle.cpp), entries that become blocks.
#include "matrix/generate_rows.hpp"

#include <algorithm>

namespace sptune {
namespace {

/// Fixed values are alike on both sides of the diagonal.
bool is_symmetric(const ValueRule& rule) {
    return rule.symmetric || rule.off_diagonal != 0;
}

/// Without a share of the entries off the diagonal. Where the values are symmetric, so is what is
/// left.
class Thinned : public RowSource {
  public:
    Thinned(std::unique_ptr<RowSource> from, double drop) : from_(std::move(from)), drop_(drop) {
        rows = from_->rows, cols = from_->cols, rule = from_->rule;
    }
    void plant(std::uint64_t value) override { seed = value, from_->plant(value); }
    std::int64_t bound() const override { return from_->bound(); }
    void columns(index_t row, std::vector<index_t>& out) const override {
        from_->columns(row, out);
        std::erase_if(out, [&](index_t col) { return col != row && drops(row, col); });
    }

  private:
    bool drops(index_t row, index_t col) const {
        if (is_symmetric(rule) && col < row) std::swap(row, col);
        const Stream own(seed, keys::kDrops | static_cast<std::uint64_t>(row));
        return 0.5 * (1 + signed_unit(own.at(static_cast<std::uint64_t>(col)))) < drop_;
    }

    std::unique_ptr<RowSource> from_;
    double drop_;
};

/// Several unknowns for each row and column: every entry is a dense block.
class Unknowns : public RowSource {
  public:
    Unknowns(std::unique_ptr<RowSource> from, index_t each) : from_(std::move(from)), each_(each) {
        if (std::max(from_->rows, from_->cols) > kMaxDimension / each)
            throw UsageError(
                "generate: that many unknowns need more than 2^31 - 1 rows or columns");
        rows = from_->rows * each, cols = from_->cols * each;
        rule.symmetric = is_symmetric(from_->rule);
    }
    void plant(std::uint64_t value) override { seed = value, from_->plant(value); }
    /// Fits: rows times columns are less than 2^62.
    std::int64_t bound() const override { return from_->bound() * each_ * each_; }
    void columns(index_t row, std::vector<index_t>& out) const override {
        from_->columns(row / each_, out);
        const std::size_t blocks = out.size();
        const auto each = static_cast<std::size_t>(each_);
        out.resize(blocks * each);
        for (std::size_t k = blocks; k-- > 0;)  // from behind: no column is overwritten unread
            for (std::size_t i = each; i-- > 0;)
                out[k * each + i] = out[k] * each_ + static_cast<index_t>(i);
    }
    std::int64_t count(index_t row, std::vector<index_t>& scratch) const override {
        return from_->count(row / each_, scratch) * each_;
    }

  private:
    std::unique_ptr<RowSource> from_;
    index_t each_;
};

constexpr FamilyParameter kChanges[] = {
    {"drop", "share of the entries off the diagonal to leave out, at random", 0},
    {"shuffle", "rows, of a square matrix columns too, renumbered in windows of so many; 0: not",
     0},
    {"unknowns", "every entry becomes a dense block of so many rows and columns", 1},
};

}  // namespace

std::span<const FamilyParameter> change_parameters() {
    return kChanges;
}

std::unique_ptr<RowSource> changed(std::unique_ptr<RowSource> source, const Parameters& p) {
    if (const double drop = p.real("drop", 0, 1); drop > 0)
        source = std::make_unique<Thinned>(std::move(source), drop);
    if (const std::int64_t window = p.integer("shuffle", 0, kMaxDimension); window > 1)
        source = shuffled(std::move(source), window);
    if (const auto each = static_cast<index_t>(p.integer("unknowns", 1, 64)); each > 1)
        source = std::make_unique<Unknowns>(std::move(source), each);
    return source;
}

}  // namespace sptune
