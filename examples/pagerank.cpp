// PageRank of a made-up web of N³ pages: a few of them attract most links. The matrix has the links
// by the page they start from, so that the iteration multiplies with its transpose.
//     example_pagerank [N]
#include "common.hpp"

#include <algorithm>

static Matrix web(int pages) {
    Matrix a;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < pages; ++i, a.end_row()) {
        std::vector<int> links;
        for (int k = 1 + static_cast<int>(9 * uniform(random)); k > 0; --k)
            links.push_back(static_cast<int>(pages * std::pow(uniform(random), 3)));
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
        for (const int link : links) a.add(link, 1.0 / static_cast<double>(links.size()));
    }
    return a;
}

static Matrix transposed(const Matrix& a) {
    Matrix t;
    std::vector<std::vector<std::pair<int, double>>> rows(static_cast<std::size_t>(a.rows));
    for (int i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
            rows[static_cast<std::size_t>(a.col_idx[static_cast<std::size_t>(k)])].push_back(
                {i, a.values[static_cast<std::size_t>(k)]});
    for (const auto& row : rows) {
        for (const auto& [column, value] : row) t.add(column, value);
        t.end_row();
    }
    return t;
}

template <class Multiply>
std::vector<double> rank(int pages, const Multiply& multiply) {
    const auto size = static_cast<std::size_t>(pages);
    std::vector<double> x(size, 1.0 / pages), y(size);
    for (int k = 0; k < 100; ++k) {
        multiply(x, y);
        double change = 0;
        for (std::size_t i = 0; i < size; ++i) {
            y[i] = 0.85 * y[i] + 0.15 / pages;
            change += std::abs(y[i] - x[i]);
        }
        std::swap(x, y);
        if (change < 1e-12) break;
    }
    return x;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv, 100);
    const Matrix links = web(n * n * n);
    std::vector<double> plain, tuned;
    const double plain_ms = milliseconds([&] {
        const Matrix t = transposed(links);
        plain = rank(t.rows, [&](const auto& x, auto& y) { plain_csr(t, x.data(), y.data()); });
    });
    const double sptune_ms = milliseconds([&] {
        auto plan = sptune::plan(links.view(), {.expected_calls = 60, .transposed = true});
        tuned = rank(links.rows, [&](const auto& x, auto& y) { plan.apply(x.data(), y.data()); });
        std::printf("%s\n", plan.why().c_str());
    });
    double difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i)
        difference = std::max(difference, std::abs(plain[i] - tuned[i]) / plain[i]);
    return report("PageRank, transposition included", plain_ms, sptune_ms, difference);
}
