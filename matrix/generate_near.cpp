// Families whose entries are mostly near the diagonal, or scattered: neighbours, runs, rows of two
// lengths.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>

namespace sptune {
namespace {

index_t anywhere(Stream& stream, std::int64_t cols) {
    return static_cast<index_t>(stream.below(static_cast<std::uint32_t>(cols)));
}

/// The diagonal of a matrix of any shape.
std::int64_t centre(index_t row, index_t rows, index_t cols) {
    return rows == cols ? row : std::int64_t{row} * cols / rows;
}

/// Whole numbers from 0 up, geometric with this mean.
class Geometric {
  public:
    explicit Geometric(double mean = 0)
        : scale_(mean > 0 ? 1 / portable_log1p(-1 / (mean + 1)) : 0) {}
    std::int64_t draw(Stream& stream) const {
        return static_cast<std::int64_t>(portable_log(stream.uniform()) * scale_);
    }

  private:
    double scale_;
};

/// A column so far from `centre`, before or behind it by chance; on the other side where that is
/// outside of the matrix, and anywhere where both are.
index_t beside(Stream& stream, std::int64_t centre, std::int64_t distance, std::int64_t cols) {
    if (stream.next() & 1) distance = -distance;
    for (const std::int64_t column : {centre + distance, centre - distance})
        if (column >= 0 && column < cols) return static_cast<index_t>(column);
    return anywhere(stream, cols);
}

/// The diagonal and Poisson many neighbours, most of them near.
class Local : public RowSource {
  public:
    explicit Local(const Parameters& p) {
        rows = cols = p.rows();
        mean_ = p.real("mean", 0, cols);
        far_ = p.real("far", 0, 1);
        const double reach = p.real("reach", 1, rows);
        geometric_ = Geometric(reach - 1);
        if (p.integer("log", 0, 1)) {
            // The mean of a log-uniform law between 1 and s is (s - 1) / log s.
            double low = 1, high = rows;
            for (int i = 0; i < 60; ++i) {
                const double s = (low + high) / 2;
                (s - 1 < reach * portable_log(s) ? low : high) = s;
            }
            log_span_ = portable_log(high);
        }
    }
    std::int64_t bound() const override {
        return std::min(std::int64_t{rows} * cols, rows + far_above(mean_ * rows));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        out.push_back(row);
        for (std::int64_t n = poisson(stream, mean_); n > 0; --n)
            out.push_back(stream.uniform() < far_ ? anywhere(stream, cols)
                                                  : beside(stream, row, distance(stream), cols));
        sort_unique(out, cols);
    }

  private:
    std::int64_t distance(Stream& stream) const {
        if (log_span_ == 0) return 1 + geometric_.draw(stream);
        return static_cast<std::int64_t>(portable_exp(stream.uniform() * log_span_) + 0.5);
    }

    double mean_, far_;
    Geometric geometric_;
    double log_span_ = 0;  // 0: geometric
};

/// Rows of runs of consecutive columns. Runs that meet make a longer one.
class Runs : public RowSource {
  public:
    explicit Runs(const Parameters& p) {
        rows = p.rows();
        cols = p.cols(rows);
        const double vary = p.real("vary", 0, 1);
        const std::int64_t runs = p.integer("runs", 1, cols);
        runs_ = Spread(runs, vary, cols);
        length_ = Spread(p.integer("length", 1, cols / runs), vary, cols);
        const double reach = p.real("reach", 0, cols);
        near_ = reach > 0;
        distance_ = Geometric(reach);
    }
    /// The rows are independent: with m entries at most in each of n rows, the sum is more than
    /// 5 m √n above its mean with a chance below e^-50 (Hoeffding).
    std::int64_t bound() const override {
        const double most = std::min<double>(cols, double(runs_.high * length_.high));
        const double above = runs_.mean() * length_.mean() * rows + 5 * most * std::sqrt(rows);
        return static_cast<std::int64_t>(std::min(most * rows, above));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        for (std::int64_t n = runs_.draw(stream); n > 0; --n) {
            const std::int64_t length = length_.draw(stream);
            const std::int64_t places = cols - length + 1;
            std::int64_t first = 0;
            if (near_) {
                const std::int64_t middle = centre(row, rows, cols) - length / 2;
                first = beside(stream, std::clamp<std::int64_t>(middle, 0, places - 1),
                               distance_.draw(stream), places);
            } else {
                first = anywhere(stream, places);
            }
            append_range(first, first + length, out);
        }
        sort_unique(out, cols);
    }

  private:
    /// Whole numbers around a mean, uniform.
    struct Spread {
        std::int64_t low = 0, high = 0;
        Spread() = default;
        Spread(std::int64_t mean, double vary, std::int64_t most) {
            const auto off = static_cast<std::int64_t>(static_cast<double>(mean) * vary);
            low = std::max<std::int64_t>(1, mean - off), high = std::min(most, mean + off);
        }
        double mean() const { return 0.5 * static_cast<double>(low + high); }
        std::int64_t draw(Stream& stream) const {
            return low + stream.below(static_cast<std::uint32_t>(high - low + 1));
        }
    };

    Spread runs_, length_;
    bool near_;
    Geometric distance_;
};

/// Many short rows and a few long ones.
class MixedRows : public RowSource {
  public:
    explicit MixedRows(const Parameters& p) {
        rows = p.rows();
        cols = p.cols(rows);
        short_ = p.integer("short", 0, cols);
        long_ = p.integer("long", 0, cols);
        share_ = p.real("share", 0, 1);
        front_ = p.integer("front", 0, 1) == 1;
        reach_ = p.integer("reach", 0, cols);
    }
    std::int64_t bound() const override {
        const std::int64_t many =
            front_ ? in_front() : std::min<std::int64_t>(rows, far_above(share_ * rows));
        return rows * short_ + many * std::max<std::int64_t>(0, long_ - short_);
    }
    std::int64_t count(index_t row, std::vector<index_t>&) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        return is_long(stream, row) ? long_ : short_;
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        if (is_long(stream, row)) return append_any(stream, long_, cols, out);
        // As many as are wanted have to be different, so near is a window, not a distance.
        const std::int64_t width = std::min<std::int64_t>(cols, std::max(short_, 2 * reach_ + 1));
        const auto first = static_cast<index_t>(
            std::clamp<std::int64_t>(centre(row, rows, cols) - width / 2, 0, cols - width));
        append_any(stream, short_, static_cast<index_t>(width), out);
        for (index_t& column : out) column += first;
    }

  private:
    std::int64_t in_front() const { return static_cast<std::int64_t>(share_ * rows + 0.5); }
    bool is_long(Stream& stream, index_t row) const {
        return front_ ? row < in_front() : stream.uniform() < share_;
    }
    static void append_any(Stream& stream, std::int64_t wanted, index_t cols,
                           std::vector<index_t>& out) {
        append_distinct(
            stream, wanted, cols, [&] { return anywhere(stream, cols); }, out);
    }

    std::int64_t short_, long_, reach_;
    double share_;
    bool front_;
};

constexpr FamilyParameter kRows{"rows", "number of rows", 1000};
constexpr FamilyParameter kCols{"cols", "number of columns; 0: as many as rows", 0};
constexpr FamilyParameter kLocal[] = {
    {"rows", "number of rows and columns", 1000},
    {"mean", "mean neighbours per row before duplicates are dropped", 6},
    {"reach", "mean distance of a neighbour", 20},
    {"log", "1: distances are log-uniform; 0: geometric", 0},
    {"far", "share of the neighbours that are anywhere", 0}};
constexpr FamilyParameter kRuns[] = {
    kRows,
    kCols,
    {"runs", "mean number of runs per row, at most cols", 3},
    {"length", "mean columns of a run, at most cols / runs", 6},
    {"vary", "both vary by this share, uniformly", 0.5},
    {"reach", "mean distance of a run from the diagonal; 0: anywhere", 0}};
constexpr FamilyParameter kMixed[] = {
    kRows,
    kCols,
    {"short", "entries of a short row, at most cols", 4},
    {"long", "entries of a long row, at most cols, anywhere", 100},
    {"share", "share of the rows that are long", 0.02},
    {"front", "1: the long rows are the first; 0: at random", 0},
    {"reach", "farthest entry of a short row from the diagonal", 40}};

constexpr FamilyMaker kFamilies[] = {
    {{"local", "the diagonal and neighbours at random distances: meshes, circuits, small worlds",
      kLocal},
     make_rows<Local>},
    {{"runs", "runs of consecutive columns, anywhere or near the diagonal", kRuns},
     make_rows<Runs>},
    {{"mixed-rows", "many short rows and a few long ones", kMixed}, make_rows<MixedRows>},
};

}  // namespace

std::span<const FamilyMaker> near_families() {
    return kFamilies;
}

}  // namespace sptune
