// Families whose structure is not random: arrow, wheel.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>

namespace sptune {
namespace {

/// A band, and full first rows and columns.
class Arrow : public RowSource {
  public:
    explicit Arrow(const Parameters& p)
        : band_(p.integer("band", 0, kMaxDimension)), dense_(p.integer("dense", 0, p.rows())) {
        rows = cols = p.rows();
        rule = {.symmetric = true};
    }
    std::int64_t bound() const override {
        const std::int64_t short_row = std::min<std::int64_t>(cols, dense_ + 2 * band_ + 1);
        return dense_ * cols + (rows - dense_) * short_row;
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        if (row < dense_) return append_range(0, cols, out);
        append_range(0, dense_, out);
        append_range(std::max(dense_, row - band_), std::min<std::int64_t>(cols, row + band_ + 1),
                     out);
    }

  private:
    std::int64_t band_, dense_;
};

/// Hubs, then a ring of rim nodes, each tied to itself, its two neighbours and one hub.
class Wheel : public RowSource {
  public:
    explicit Wheel(const Parameters& p)
        : hubs_(static_cast<index_t>(p.integer("hubs", 1, p.rows()))) {
        rows = cols = p.rows();
        rule = {.symmetric = true};
    }
    std::int64_t bound() const override { return hubs_ + std::int64_t{5} * (rows - hubs_); }
    void columns(index_t row, std::vector<index_t>& out) const override {
        if (row < hubs_) {
            out.push_back(row);
            for (std::int64_t c = std::int64_t{hubs_} + row; c < cols; c += hubs_)
                out.push_back(static_cast<index_t>(c));
            return;
        }
        const index_t rim = rows - hubs_, at = row - hubs_;
        out = {at % hubs_, hubs_ + (at + rim - 1) % rim, row, hubs_ + (at + 1) % rim};
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());  // rings of one or two nodes
    }

  private:
    index_t hubs_;
};

constexpr FamilyParameter kRows{"rows", "number of rows and columns", 1000};
constexpr FamilyParameter kArrow[] = {
    kRows, {"band", "half bandwidth", 1}, {"dense", "number of full rows and of full columns", 1}};
constexpr FamilyParameter kWheel[] = {kRows, {"hubs", "number of hubs", 1}};

constexpr FamilyMaker kFamilies[] = {
    {{"arrow", "a band plus a few full rows and columns", kArrow}, make_rows<Arrow>},
    {{"wheel", "hub and spoke: a ring whose nodes all know a hub", kWheel}, make_rows<Wheel>},
};

}  // namespace

std::span<const FamilyMaker> shape_families() {
    return kFamilies;
}

}  // namespace sptune
