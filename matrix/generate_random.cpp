// Random families. Each row has its own stream, so that rows can be made in any order.
#include "matrix/generate_rows.hpp"
#include "matrix/random_columns.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sptune {
namespace {

class Banded : public RowSource {
  public:
    explicit Banded(const Parameters& p)
        : band_(p.integer("band", 0, kMaxDimension)), fill_(p.real("fill", 0, 1)) {
        rows = cols = p.rows();
    }
    std::int64_t bound() const override {
        const std::int64_t beside = std::min<std::int64_t>(cols - 1, 2 * band_) * rows;
        return rows + std::min(beside, far_above(fill_ * static_cast<double>(beside)));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        append_bernoulli(stream, std::max<std::int64_t>(0, row - band_), row, fill_, out);
        out.push_back(row);
        append_bernoulli(stream, std::int64_t{row} + 1,
                         std::min<std::int64_t>(cols, row + band_ + 1), fill_, out);
    }

  private:
    std::int64_t band_;
    double fill_;
};

class Uniform : public RowSource {
  public:
    explicit Uniform(const Parameters& p) : density_(p.real("density", 0, 1)) {
        rows = p.rows();
        cols = p.cols(rows);
    }
    std::int64_t bound() const override {
        const std::int64_t all = std::int64_t{rows} * cols;
        const double mean = density_ * static_cast<double>(all);
        return mean > 1e18 ? all : std::min(all, far_above(mean));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        append_bernoulli(stream, 0, cols, density_, out);
    }

  private:
    double density_;
};

/// Row lengths by a law, distinct columns by `skew`: column = cols · u^skew, so that the low
/// columns are the popular ones; 1 is uniform.
class RandomRows : public RowSource {
  public:
    std::int64_t bound() const override {
        const double nnz = mean_ * rows;
        return std::min(std::int64_t{rows} * cols,
                        variance_free_ ? static_cast<std::int64_t>(nnz) : far_above_rows(nnz));
    }
    std::int64_t count(index_t row, std::vector<index_t>&) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        return std::min<std::int64_t>(cols, length(stream));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        Stream stream(seed, static_cast<std::uint64_t>(row));
        const std::int64_t wanted = std::min<std::int64_t>(cols, length(stream));
        append_distinct(
            stream, wanted, cols,
            [&] {
                if (skew_ == 1)
                    return static_cast<index_t>(stream.below(static_cast<unsigned>(cols)));
                const double u = stream.uniform();
                const double x = skew_ == 2 ? u * u : portable_pow(u, skew_);
                return std::min(cols - 1, static_cast<index_t>(x * cols));
            },
            out);
    }

  protected:
    virtual std::int64_t length(Stream& stream) const = 0;
    virtual std::int64_t far_above_rows(double nnz) const { return far_above(nnz); }
    double mean_ = 0;
    double skew_ = 1;
    bool variance_free_ = false;
};

class PerRow : public RandomRows {
  public:
    explicit PerRow(const Parameters& p) {
        rows = p.rows();
        cols = p.cols(rows);
        variance_free_ = p.integer("poisson", 0, 1) == 0;
        mean_ = variance_free_ ? static_cast<double>(p.integer("per-row", 0, cols))
                               : p.real("per-row", 0, cols);
    }

  protected:
    std::int64_t length(Stream& stream) const override {
        return variance_free_ ? static_cast<std::int64_t>(mean_) : poisson(stream, mean_);
    }
};

/// Users × items: Poisson rows over columns of unequal popularity.
class Bipartite : public RandomRows {
  public:
    explicit Bipartite(const Parameters& p) {
        rows = p.rows();
        cols = p.cols(rows / 4);
        mean_ = p.real("mean", 0, cols);
        skew_ = 2;
    }

  protected:
    std::int64_t length(Stream& stream) const override { return poisson(stream, mean_); }
};

/// Row lengths by a Pareto law cut at cols / 2, scaled to the wanted mean; columns by the matching
/// rank law, degree ~ rank^(-1 / (exponent - 1)).
class PowerLaw : public RandomRows {
  public:
    explicit PowerLaw(const Parameters& p) {
        rows = p.rows();
        cols = p.cols(rows);
        alpha_ = p.real("exponent", 2.1, 10) - 1;
        longest_ = std::max<index_t>(1, cols / 2);
        mean_ = p.real("mean", 0, longest_);
        skew_ = alpha_ / (alpha_ - 1);
        double low = 0, high = longest_;
        for (int i = 0; i < 60; ++i) {
            shortest_ = (low + high) / 2;
            (mean_of(shortest_) < mean_ ? low : high) = shortest_;
        }
    }

  protected:
    std::int64_t length(Stream& stream) const override {
        if (mean_ >= longest_) return longest_;
        const double u = stream.uniform() * (1 - cut(shortest_));
        const double x = shortest_ * portable_pow(1 - u, -1 / alpha_);
        const double rounded = std::floor(x + stream.uniform());  // up or down by chance
        return std::min<std::int64_t>(longest_, static_cast<std::int64_t>(rounded));
    }
    std::int64_t far_above_rows(double nnz) const override {
        return static_cast<std::int64_t>(nnz + 10 * std::sqrt(nnz * longest_) + longest_ + 100);
    }

  private:
    double cut(double low) const { return portable_pow(low / longest_, alpha_); }
    /// Mean of a Pareto law between `low` and longest_.
    double mean_of(double low) const {
        const double tail = portable_pow(low / longest_, alpha_ - 1);
        return low * alpha_ / (alpha_ - 1) * (1 - tail) / (1 - cut(low));
    }
    double alpha_, shortest_ = 0;
    index_t longest_;
};

/// R-MAT (Chakrabarti, Zhan, Faloutsos 2004) row by row: the number of edges of a row is Poisson
/// with the row's share of all edges, and given the row the bits of the column are independent.
/// Duplicate edges are dropped.
class Rmat : public RowSource {
  public:
    explicit Rmat(const Parameters& p) {
        p.not_both("rows", "scale");
        constexpr int kMostScale = 30;
        scale_ = static_cast<int>(p.integer("scale", 0, kMostScale));
        if (!p.given("scale"))
            while ((std::int64_t{1} << scale_) < p.rows()) ++scale_;
        if (scale_ > kMostScale)
            throw UsageError(fmt::format(
                "generate {}: rows = {} would be rounded up to 2^{}; at most 2^{} = {} are made",
                p.family(), p.rows(), scale_, kMostScale, 1 << kMostScale));
        rows = cols = index_t{1} << scale_;
        edges_ = p.real("edge-factor", 0, 1e6) * rows;
        constexpr double kRounding = 1e-9;
        const double a = p.real("a", 0, 1);
        const double b = p.real("b", 0, 1 - a + kRounding);
        const double c = p.real("c", 0, std::max(0.0, 1 - a - b) + kRounding);
        const double d = std::max(0.0, 1 - a - b - c);
        row_share_ = {a + b, c + d};
        const auto threshold = [](double right, double both) {
            return static_cast<std::uint64_t>(both > 0 ? right / both * 0x1p32 : 0);
        };
        right_ = {threshold(b, a + b), threshold(d, c + d)};
    }
    std::int64_t bound() const override {
        return std::min(std::int64_t{rows} * cols, far_above(edges_));
    }
    void columns(index_t row, std::vector<index_t>& out) const override {
        double mean = edges_;
        for (int bit = 0; bit < scale_; ++bit) mean *= row_share_[row >> bit & 1];
        Stream stream(seed, static_cast<std::uint64_t>(row));
        out.resize(static_cast<std::size_t>(poisson(stream, mean)));
        for (index_t& column : out) {
            column = 0;
            std::uint64_t random = 0;
            for (int bit = 0; bit < scale_; ++bit, random >>= 32) {
                if (bit % 2 == 0) random = stream.next();
                column |= index_t{(random & 0xffffffffu) < right_[row >> bit & 1]} << bit;
            }
        }
        sort_unique(out, cols);
    }

  private:
    int scale_;
    double edges_;
    std::array<double, 2> row_share_;       // of a row bit being 0, 1
    std::array<std::uint64_t, 2> right_{};  // chance of a column bit 1 given the row bit, in 2^-32
};

constexpr FamilyParameter kRows{"rows", "number of rows", 1000};
constexpr FamilyParameter kCols{"cols", "number of columns; 0: as many as rows", 0};
constexpr FamilyParameter kBanded[] = {{"rows", "number of rows and columns", 1000},
                                       {"band", "half bandwidth", 8},
                                       {"fill", "chance of an entry inside the band", 1}};
constexpr FamilyParameter kUniform[] = {kRows, kCols, {"density", "chance of an entry", 0.01}};
constexpr FamilyParameter kPerRow[] = {
    kRows,
    kCols,
    {"per-row", "entries per row, at most cols", 16},
    {"poisson", "1: that is the mean of a Poisson law; 0: every row has as many", 0}};
constexpr FamilyParameter kPowerLaw[] = {
    kRows,
    kCols,
    {"mean", "mean entries per row, at most cols / 2", 8},
    {"exponent", "share of rows with k entries falls like k^-exponent", 2.5}};
constexpr FamilyParameter kRmat[] = {
    {"rows", "rows and columns, rounded up to a power of two", 1024},
    {"scale", "2^scale rows and columns; 0: from rows", 0},
    {"edge-factor", "edges per row before duplicates are dropped", 16},
    {"a", "chance of the upper left quadrant", 0.57},
    {"b", "chance of the upper right quadrant", 0.19},
    {"c", "chance of the lower left quadrant", 0.19}};
constexpr FamilyParameter kBipartite[] = {kRows,
                                          {"cols", "number of columns; 0: a quarter of rows", 0},
                                          {"mean", "mean entries per row, at most cols", 8}};

constexpr FamilyMaker kFamilies[] = {
    {{"banded", "random entries inside a band, full diagonal", kBanded}, make_rows<Banded>},
    {{"uniform", "every entry with the same chance", kUniform}, make_rows<Uniform>},
    {{"per-row", "random columns, fixed or Poisson count per row", kPerRow}, make_rows<PerRow>},
    {{"power-law", "few rows and columns hold most entries", kPowerLaw}, make_rows<PowerLaw>},
    {{"rmat", "R-MAT graph", kRmat}, make_rows<Rmat>},
    {{"bipartite", "rectangular, Poisson rows, columns of unequal popularity", kBipartite},
     make_rows<Bipartite>},
};

}  // namespace

std::span<const FamilyMaker> random_families() {
    return kFamilies;
}

}  // namespace sptune
