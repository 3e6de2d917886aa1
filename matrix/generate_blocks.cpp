// Families of blocks along the diagonal: dense and alike, coupled in layers, of different sizes,
// sparse and rectangular.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sptune {
namespace {

/// Dense square blocks along the diagonal; the last one is cut where rows demands it.
class BlockDiagonal : public RowSource {
  public:
    explicit BlockDiagonal(const Parameters& p) : block_(p.integer("block", 1, 1 << 20)) {
        p.not_both("rows", "blocks");
        const std::int64_t blocks = p.integer("blocks", 0, kMaxDimension / block_);
        rows = cols = blocks ? static_cast<index_t>(blocks * block_) : p.rows();
        rule = {.symmetric = true};
    }
    std::int64_t bound() const override { return rows * std::min<std::int64_t>(block_, cols); }
    void columns(index_t row, std::vector<index_t>& out) const override {
        const std::int64_t first = row / block_ * block_;
        append_range(first, std::min<std::int64_t>(cols, first + block_), out);
    }

  private:
    std::int64_t block_;
};

/// Dense blocks on the diagonal, coupled to the block before and the block behind, densely or entry
/// by entry. The last layer is cut where rows demands it.
class Layers : public RowSource {
  public:
    explicit Layers(const Parameters& p)
        : block_(p.integer("block", 1, 1 << 20)), dense_(p.integer("dense", 0, 1) == 1) {
        rows = cols = p.rows();
        rule = {.symmetric = true};
    }
    std::int64_t bound() const override {
        return rows * std::min<std::int64_t>(cols, dense_ ? 3 * block_ : block_ + 2);
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        const std::int64_t here = row / block_ * block_;
        const auto last = [&](std::int64_t end) { return std::min<std::int64_t>(cols, end); };
        if (dense_)
            return append_range(std::max<std::int64_t>(0, here - block_), last(here + 2 * block_),
                                out);
        if (row >= block_) out.push_back(static_cast<index_t>(row - block_));
        append_range(here, last(here + block_), out);
        if (row + block_ < rows) out.push_back(static_cast<index_t>(row + block_));
    }

  private:
    std::int64_t block_;
    bool dense_;
};

/// Dense blocks of log-uniform size, and entries anywhere that couple them. The rows are cut into
/// panels of several of the largest blocks, so that the block of a row is found by counting from
/// the panel's beginning; the last block of a panel is cut.
class Hierarchy : public RowSource {
  public:
    explicit Hierarchy(const Parameters& p) {
        rows = cols = p.rows();
        large_ = p.integer("large", 1, rows);
        small_ = p.integer("small", 1, large_);
        coupling_ = p.real("coupling", 0, cols);
        panel_ = 8 * large_;
        log_ratio_ = portable_log((static_cast<double>(large_) + 1) / static_cast<double>(small_));
        rule = {.symmetric = coupling_ == 0};
    }
    std::int64_t bound() const override {
        // Each of the two fits in 62 bits, so that their sum fits as well.
        const std::int64_t all = std::int64_t{rows} * cols;
        return std::min(all, rows * large_ + std::min(all, far_above(coupling_ * rows)));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        for (std::int64_t n = poisson(stream, coupling_); n > 0; --n)
            out.push_back(static_cast<index_t>(stream.below(static_cast<std::uint32_t>(cols))));
        sort_unique(out, cols);
        insert_block(row, out);
    }

  private:
    std::int64_t size(Stream& stream) const {
        const double x = static_cast<double>(small_) * portable_exp(stream.uniform() * log_ratio_);
        return std::clamp(static_cast<std::int64_t>(x), small_, large_);
    }
    /// The block of the row instead of those of the sorted columns that it covers.
    void insert_block(std::int64_t row, std::vector<index_t>& out) const {
        const std::int64_t panel = row / panel_;
        const std::int64_t end = std::min<std::int64_t>(rows, (panel + 1) * panel_);
        Stream stream(seed, keys::kParts | static_cast<std::uint64_t>(panel));
        std::int64_t first = panel * panel_, last = first + size(stream);
        while (last <= row) first = last, last += size(stream);
        last = std::min(last, end);
        const auto low = std::ranges::lower_bound(out, first);
        const auto high = std::ranges::lower_bound(out, last);
        const auto at = out.insert(out.erase(low, high), static_cast<std::size_t>(last - first), 0);
        for (std::int64_t c = first; c < last; ++c) at[c - first] = static_cast<index_t>(c);
    }

    std::int64_t small_, large_, panel_;
    double coupling_, log_ratio_;
};

/// A linear program of stages: each has its own rows and columns, may reach into the columns of the
/// next, and some rows link all of them.
class Staircase : public RowSource {
  public:
    explicit Staircase(const Parameters& p)
        : height_(p.integer("height", 1, kMaxDimension)),
          width_(p.integer("width", 1, kMaxDimension)),
          mean_(p.real("mean", 0, static_cast<double>(width_))),
          next_(p.real("next", 0, 1)) {
        rows = p.rows();
        links_ = p.integer("links", 0, rows);
        stages_ = std::max<std::int64_t>(1, (rows - links_ + height_ - 1) / height_);
        if (stages_ > kMaxDimension / width_)
            throw UsageError(
                fmt::format("generate {}: {} blocks of {} columns are more than {} columns",
                            p.family(), stages_, width_, kMaxDimension));
        cols = static_cast<index_t>(stages_ * width_);
    }
    std::int64_t bound() const override {
        const std::int64_t others = rows - links_;
        const auto share = [](std::int64_t all, double mean) {
            return std::min(all, far_above(mean));
        };
        const double linked = static_cast<double>(links_) * cols;
        return share(links_ * cols, kLinked * linked) +
               share(others * width_, mean_ * static_cast<double>(others)) +
               share(others, next_ * static_cast<double>(others));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        if (row < links_) return append_bernoulli(stream, 0, cols, kLinked, out);
        const auto width = static_cast<index_t>(width_);
        const auto any = [&] {
            return static_cast<index_t>(stream.below(static_cast<std::uint32_t>(width)));
        };
        const std::int64_t stage = (row - links_) / height_;
        append_distinct(stream, std::min(width_, poisson(stream, mean_)), width, any, out);
        for (index_t& column : out) column += static_cast<index_t>(stage * width_);
        if (stage + 1 < stages_ && stream.uniform() < next_)
            out.push_back(static_cast<index_t>((stage + 1) * width_) + any());
    }

  private:
    static constexpr double kLinked = 0.05;  // of the columns, in a row that links

    std::int64_t height_, width_, links_, stages_;
    double mean_, next_;
};

constexpr FamilyParameter kRows{"rows", "number of rows and columns", 1000};
constexpr FamilyParameter kBlocks[] = {kRows,
                                       {"blocks", "number of blocks; 0: from rows", 0},
                                       {"block", "rows and columns of a block", 8}};
constexpr FamilyParameter kLayers[] = {
    kRows,
    {"block", "rows and columns of a block", 10},
    {"dense", "1: neighbouring blocks are coupled densely; 0: entry by entry", 1}};
constexpr FamilyParameter kHierarchy[] = {
    kRows,
    {"small", "rows of the smallest block", 2},
    {"large", "rows of the largest block; sizes between are log-uniform", 40},
    {"coupling", "mean entries per row anywhere", 0.5}};
constexpr FamilyParameter kStaircase[] = {
    {"rows", "number of rows", 1000},
    {"height", "rows of a block", 40},
    {"width", "columns of a block", 60},
    {"mean", "mean entries per row in its block, at most width", 4},
    {"next", "chance of an entry in the block after that", 0.3},
    {"links", "rows at the top with 5 % of all columns", 2}};

constexpr FamilyMaker kFamilies[] = {
    {{"block-diagonal", "dense blocks along the diagonal", kBlocks}, make_rows<BlockDiagonal>},
    {{"layers", "block tridiagonal: dense blocks, each coupled to its neighbours", kLayers},
     make_rows<Layers>},
    {{"hierarchy", "dense diagonal blocks of very different sizes, coupled at random", kHierarchy},
     make_rows<Hierarchy>},
    {{"staircase", "sparse rectangular blocks along the diagonal, and rows that link them",
      kStaircase},
     make_rows<Staircase>},
};

}  // namespace

std::span<const FamilyMaker> block_families() {
    return kFamilies;
}

}  // namespace sptune
