// Families that follow the diagonal from afar: loose diagonals, a skyline.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>
#include <set>

namespace sptune {
namespace {

/// Diagonals at random offsets, occupied in part, and entries beside them.
class Diagonals : public RowSource {
  public:
    explicit Diagonals(const Parameters& p) {
        rows = cols = p.rows();
        span_ = static_cast<std::int64_t>(p.real("reach", 0, 1) * (rows - 1));
        count_ = p.integer("count", 1, std::min<std::int64_t>(2 * span_ + 1, 1 << 16));
        fill_ = p.real("fill", 0, 1);
        stretch_ = p.integer("stretch", 1, kMaxDimension);
        noise_ = p.real("noise", 0, cols);
    }
    void plant(std::uint64_t value) override {
        seed = value;
        Stream stream(seed, keys::kParts);
        std::set<std::int64_t> offsets{0};
        while (static_cast<std::int64_t>(offsets.size()) < count_) {
            const std::int64_t away = 1 + stream.below(static_cast<std::uint32_t>(span_));
            offsets.insert(stream.next() & 1 ? away : -away);
        }
        diagonals_.clear();
        for (const std::int64_t offset : offsets) {
            Stream own(seed, keys::kParts | (diagonals_.size() + 1));
            const auto phase = static_cast<std::int64_t>(own.uniform() * double(stretch_));
            diagonals_.push_back({offset, phase, own});
        }
    }
    /// Whole diagonals are exact; entry by entry the law of large numbers helps, in stretches not.
    std::int64_t bound() const override {
        const std::int64_t beside = (count_ - 1) * rows;
        const std::int64_t filled =
            stretch_ == 1 ? far_above(fill_ * static_cast<double>(beside)) : beside;
        return std::min(std::int64_t{rows} * cols,
                        rows + std::min(beside, filled) + far_above(noise_ * rows));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        for (const Diagonal& d : diagonals_) {
            const std::int64_t column = row + d.offset;
            if (column >= 0 && column < cols && (d.offset == 0 || occupied(d, row)))
                out.push_back(static_cast<index_t>(column));
        }
        Stream stream(seed, static_cast<std::uint64_t>(row));
        const std::int64_t noise = poisson(stream, noise_);
        for (std::int64_t k = 0; k < noise; ++k)
            out.push_back(static_cast<index_t>(stream.below(static_cast<std::uint32_t>(cols))));
        if (noise > 0) sort_unique(out, cols);
    }

  private:
    struct Diagonal {
        std::int64_t offset, phase;
        Stream stream;
    };
    /// Decided for a whole stretch of rows at once.
    bool occupied(const Diagonal& d, std::int64_t row) const {
        const auto stretch = static_cast<std::uint64_t>((row + d.phase) / stretch_);
        return 0.5 * (1 + signed_unit(d.stream.at(stretch))) < fill_;
    }

    std::int64_t span_, count_, stretch_;
    double fill_, noise_;
    std::vector<Diagonal> diagonals_;  // by offset
};

/// A factor's profile: each row is dense from where it begins to the diagonal. Lengths walk around
/// `height` as a random walk would with steps of `wander` heights, made of value noise: its octaves
/// are of 1, 2, 4 … rows and as high as the walk comes in so many steps, up to one height.
class Skyline : public RowSource {
  public:
    explicit Skyline(const Parameters& p) {
        rows = cols = p.rows();
        height_ = p.integer("height", 1, rows);
        wander_ = p.real("wander", 0, 1);
    }
    void plant(std::uint64_t value) override {
        seed = value;
        octaves_.clear();
        for (std::int64_t period = 1; period <= rows; period *= 2) {
            const double high = wander_ * std::sqrt(static_cast<double>(period));
            if (high == 0 || high > 1) break;
            octaves_.push_back({period, high, Stream(seed, keys::kParts | octaves_.size())});
        }
    }
    std::int64_t bound() const override {
        return rows * std::min<std::int64_t>(cols, wander_ == 0 ? height_ : longest());
    }
    std::int64_t count(index_t row, std::vector<index_t>&) const override { return length(row); }
    void columns(index_t row, std::vector<index_t>& out) const override {
        append_range(row + 1 - length(row), row + std::int64_t{1}, out);
    }

  private:
    struct Octave {
        std::int64_t period;
        double high;
        Stream stream;
    };
    std::int64_t longest() const { return 2 * height_; }
    std::int64_t length(std::int64_t row) const {
        double sum = 0;
        for (const Octave& o : octaves_) {
            const auto knot = static_cast<std::uint64_t>(row / o.period);
            const double along =
                static_cast<double>(row % o.period) / static_cast<double>(o.period);
            const double here = signed_unit(o.stream.at(knot));
            const double there = signed_unit(o.stream.at(knot + 1));
            sum += o.high * (here + along * (there - here));
        }
        const double wanted = std::floor(static_cast<double>(height_) * (1 + sum) + 0.5);
        const double most = static_cast<double>(std::min(row + 1, longest()));
        return static_cast<std::int64_t>(std::clamp(wanted, 1.0, most));
    }

    std::int64_t height_;
    double wander_;
    std::vector<Octave> octaves_;
};

constexpr FamilyParameter kRows{"rows", "number of rows and columns", 1000};
constexpr FamilyParameter kDiagonals[] = {
    kRows,
    {"count", "number of diagonals, with the main one, which is full", 7},
    {"reach", "the farthest offset, as a share of rows", 0.5},
    {"fill", "share of a diagonal that is occupied", 0.9},
    {"stretch", "so many rows at once are occupied or not", 1},
    {"noise", "mean entries per row anywhere", 0}};
constexpr FamilyParameter kSkyline[] = {
    kRows,
    {"height", "mean entries per row; none has more than twice as many", 20},
    {"wander", "change of that from row to row, as a share of height", 0.1}};

constexpr FamilyMaker kFamilies[] = {
    {{"diagonals", "diagonals at random offsets, occupied in part", kDiagonals},
     make_rows<Diagonals>},
    {{"skyline", "a factor's profile: rows dense from where they begin to the diagonal", kSkyline},
     make_rows<Skyline>},
};

}  // namespace

std::span<const FamilyMaker> diagonal_families() {
    return kFamilies;
}

}  // namespace sptune
