#include "tuner/verify_product.hpp"

#include "matrix/parallel.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// The first row that is wrong or, where none is, the one with the largest error.
template <class T, class P>
class Judge {
  public:
    explicit Judge(CsrView<T, P> c) : c_(c) { verdict_.correct = true; }

    void look_at(const SpgemmReference& r) {
        for (std::size_t k = 0; k + 1 < r.row_ptr.size() && verdict_.correct; ++k)
            row(r, r.first_row + static_cast<index_t>(k), r.row_ptr[k], r.row_ptr[k + 1]);
    }
    Verdict verdict() const { return verdict_; }

  private:
    void wrong(index_t i, std::string complaint) {
        verdict_.correct = false;
        verdict_.row = i;
        // Finite, so that it can be stored.
        verdict_.error = std::max(verdict_.error, std::numeric_limits<double>::max());
        verdict_.complaint = std::move(complaint);
    }

    void row(const SpgemmReference& r, index_t i, std::int64_t from, std::int64_t to) {
        const auto found = static_cast<std::int64_t>(c_.row_ptr[i + 1] - c_.row_ptr[i]);
        if (found != to - from)
            return wrong(i, fmt::format("row {} has {} entries, expected {}", i, found, to - from));
        P at = c_.row_ptr[i];
        for (auto k = static_cast<std::size_t>(from); k < static_cast<std::size_t>(to); ++k, ++at) {
            if (c_.col_idx[at] != r.col_idx[k])
                return wrong(i, fmt::format("row {} has an entry in column {}, expected {}", i,
                                            c_.col_idx[at], r.col_idx[k]));
            using limits = std::numeric_limits<T>;
            if (!(r.magnitude[k] < static_cast<double>(limits::max()) / 4)) continue;
            const double bound = limits::epsilon() * (r.terms[k] + 4.0) *
                                 (r.magnitude[k] + static_cast<double>(limits::min()));
            double error = std::abs(c_.values[at] - r.values[k]) / bound;
            if (!std::isfinite(error)) error = std::numeric_limits<double>::max();
            if (error > verdict_.error || verdict_.row < 0)
                verdict_.error = error, verdict_.row = i;
            if (error > 1)
                return wrong_value(i, error,
                                   fmt::format("({}, {}) is {:.9g}, expected {:.9g} ± {:.1e}", i,
                                               c_.col_idx[at], c_.values[at], r.values[k], bound));
        }
    }
    void wrong_value(index_t i, double error, std::string complaint) {
        verdict_.correct = false;
        verdict_.row = i;
        verdict_.error = error;
        verdict_.complaint = std::move(complaint);
    }

    CsrView<T, P> c_;
    Verdict verdict_;
};

}  // namespace

template <class T, class P>
ProductCheck::ProductCheck(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                           std::uint64_t most_products)
    : rows_(a.rows), cols_(b.cols) {
    // Every piece needs a dense row of its own, so there must not be too many.
    constexpr std::int64_t kPieces = 16;
    const double share =
        product.products <= most_products
            ? 1
            : static_cast<double>(most_products) / static_cast<double>(product.products);
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * a.rows));
    std::vector<RowWindow> windows;
    if (share == 1) {
        const std::int64_t pieces =
            std::min<std::int64_t>(kPieces, 1 + static_cast<std::int64_t>(product.products >> 16));
        for (std::int64_t p = 0; p < pieces; ++p)
            windows.push_back({a.rows * p / pieces, a.rows * (p + 1) / pieces});
    } else {
        const RowSample sample(a.rows, wanted, 1, kPieces);
        windows = sample.windows();
        checked_share_ = static_cast<double>(sample.rows()) / a.rows;
    }
    pieces_.resize(windows.size());
    parallel_for(thread_count(0, product.products), windows.size(), [&](int, std::size_t w) {
        pieces_[w] = reference_spgemm(a, b, static_cast<index_t>(windows[w].first),
                                      static_cast<index_t>(windows[w].last));
    });
    for (const SpgemmReference& piece : pieces_) entries_ += piece.col_idx.size();
    if (share < 1) entries_ = static_cast<std::uint64_t>(product.estimated_entries);
}

std::vector<RowWindow> ProductCheck::windows() const {
    std::vector<RowWindow> rows;
    for (const SpgemmReference& piece : pieces_)
        rows.push_back({piece.first_row,
                        piece.first_row + static_cast<std::int64_t>(piece.row_ptr.size()) - 1});
    return rows;
}

template <class T, class P>
Verdict ProductCheck::judge(CsrView<T, P> c) const {
    Judge<T, P> judge(c);
    if (c.rows != rows_ || c.cols != cols_) {
        Verdict verdict;
        verdict.error = std::numeric_limits<double>::max();
        verdict.complaint =
            fmt::format("C is {} x {}, expected {} x {}", c.rows, c.cols, rows_, cols_);
        return verdict;
    }
    for (const SpgemmReference& piece : pieces_) judge.look_at(piece);
    return judge.verdict();
}

#define SPTUNE_INSTANTIATE(T, P)                                                              \
    template ProductCheck::ProductCheck(CsrView<T, P>, CsrView<T, P>, const ProductFeatures&, \
                                        std::uint64_t);                                       \
    template Verdict ProductCheck::judge(CsrView<T, P>) const;
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
