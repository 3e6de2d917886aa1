// PageRank of a made-up web of N³ pages: the iteration multiplies with the transpose of its links.
//     example_pagerank [N]
#include "web.hpp"

#include <utility>

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
    const int n = size_argument(argc, argv, 100, kLargestWeb);
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
        difference = larger(difference, std::abs(plain[i] - tuned[i]) / plain[i]);
    return report("PageRank, transposition included", plain_ms, sptune_ms, difference);
}
