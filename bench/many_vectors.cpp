// many_vectors THREADS MATRIX...: several vectors at once on a CPU (α = 1, β = 0), f64 and f32,
// against MKL's SpMM ($SPTUNE_MKL), which may look at the matrix first. How long MKL takes over how
// long sptune takes, row by row and one after another; by turns, the least of six. Results that
// differ by more than rounding end it.
#include "kernels/spmm/cpu.hpp"
#include "kernels/vendor/mkl_library.hpp"
#include "matrix/csr.hpp"
#include "matrix/error.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace {

using namespace sptune;

constexpr std::array<std::size_t, 7> kCounts{2, 3, 4, 6, 8, 16, 32};
constexpr int kTurns = 6;

constexpr int kRows = 101, kColumns = 102;  // SPARSE_LAYOUT_ROW_MAJOR, ..._COLUMN_MAJOR

void require(int status, const char* what) {
    if (status != mkl::kSuccess) throw Error(fmt::format("MKL's {} says {}", what, status));
}

/// What mkl::library() does not look up.
template <class F>
F get(const std::string& name) {
    const auto function = reinterpret_cast<F>(dlsym(mkl::library().handle, name.c_str()));
    if (!function) throw Error(fmt::format("MKL has no {}", name));
    return function;
}

template <class T>
class MklMatrix {
  public:
    MklMatrix(Csr<T>& a, int layout, int count)
        : layout_(layout),
          multiply_(get<Multiply>(sizeof(T) == 8 ? "mkl_sparse_d_mm" : "mkl_sparse_s_mm")) {
        constexpr int kManyCalls = 100'000;
        const mkl::Library& lib = mkl::library();
        require(lib.of<T>().create_csr(&a_, mkl::kZeroBased, a.rows, a.cols, a.row_ptr.data(),
                                       a.row_ptr.data() + 1, a.col_idx.data(), a.values.data()),
                "create_csr");
        using Hint = int (*)(mkl::Handle, int, mkl::Descriptor, int, int, int);
        require(get<Hint>("mkl_sparse_set_mm_hint")(a_, mkl::kNonTranspose, mkl::kGeneralMatrix,
                                                    layout, count, kManyCalls),
                "set_mm_hint");
        require(lib.optimize(a_), "optimize");
    }
    ~MklMatrix() { mkl::library().destroy(a_); }
    MklMatrix(const MklMatrix&) = delete;
    MklMatrix& operator=(const MklMatrix&) = delete;

    void multiply(const T* x, std::size_t x_step, T* y, std::size_t y_step, int count) const {
        require(multiply_(mkl::kNonTranspose, 1, a_, mkl::kGeneralMatrix, layout_, x, count,
                          static_cast<int>(x_step), 0, y, static_cast<int>(y_step)),
                "mm");
    }

  private:
    using Multiply = int (*)(int, T, mkl::Handle, mkl::Descriptor, int, const T*, int, int, T, T*,
                             int);
    int layout_;
    Multiply multiply_;
    mkl::Handle a_ = nullptr;
};

/// Microseconds of a call, from as many as take 8 ms.
double us(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (int calls = 1;; ++calls) {
        call();
        const std::chrono::duration<double, std::micro> spent = Clock::now() - start;
        if (spent.count() > 8000) return spent.count() / calls;
    }
}

using Logs = std::map<std::string, std::vector<double>>;

template <class T>
void measure(const std::string& path, int threads, bool by_rows, Logs& logs) {
    Csr<T> a = load_matrix<T, std::int32_t>(path);
    const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
    std::vector<T> x(cols * kCounts.back()), y(rows * kCounts.back()), z(y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i % 9973)));
    ManyScratch<T> scratch;
    std::string line;
    double apart = 0;
    for (const std::size_t count : kCounts) {
        const std::size_t x_step = by_rows ? count : cols, y_step = by_rows ? count : rows;
        const auto vectors = [&]<class U>(U* data, std::size_t step) {
            return by_rows ? Vectors<U>::row_by_row(data, step)
                           : Vectors<U>::one_by_one(data, step);
        };
        const MklMatrix<T> theirs(a, by_rows ? kRows : kColumns, static_cast<int>(count));
        const std::function<void()> ways[] = {
            [&] { theirs.multiply(x.data(), x_step, z.data(), y_step, static_cast<int>(count)); },
            [&] {
                multiply_many<T, std::int32_t>(a.view(), 1,
                                               vectors(std::as_const(x).data(), x_step), 0,
                                               vectors(y.data(), y_step), count, scratch, threads);
            }};
        double least[2] = {std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::infinity()};
        for (int turn = 0; turn < kTurns; ++turn)
            for (const int way : {0, 1}) least[way] = std::min(least[way], us(ways[way]));
        // Sums of f32 of thousands of entries differ in the second digit where they cancel out.
        constexpr double kMost = sizeof(T) == 8 ? 1e-8 : 1e-1;
        for (std::size_t i = 0; i < rows * count; ++i) {
            const double off = std::abs(double(y[i]) - z[i]) / (1 + std::abs(double(z[i])));
            if (!(off <= kMost))
                throw Error(fmt::format("{}: results differ by {:.0e}", path, off));
            apart = std::max(apart, off);
        }
        line += fmt::format(" {:.2f} |", least[0] / least[1]);
        logs[fmt::format("{} {:2} vectors", sizeof(T) == 8 ? "f64" : "f32", count)].push_back(
            std::log(least[0] / least[1]));
    }
    fmt::print("| {} | {} |{} {:.0e} |\n", std::filesystem::path(path).stem().string(),
               sizeof(T) == 8 ? "f64" : "f32", line, apart);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 3) throw Error("usage: many_vectors THREADS MATRIX...");
        if (!mkl::library().loaded) throw Error("MKL: " + mkl::library().status);
        const int threads = std::atoi(argv[1]);
        if (threads < 1) throw Error("the number of threads comes first");
        const mkl::Threads team(threads);
        for (const bool by_rows : {true, false}) {
            fmt::print("\n{}\n\n| matrix | | {} | apart |\n|---|---|",
                       by_rows ? "row by row" : "one after another", fmt::join(kCounts, " | "));
            for (std::size_t i = 0; i < kCounts.size(); ++i) fmt::print("---:|");
            fmt::print("---:|\n");
            Logs logs;
            for (int i = 2; i < argc; ++i) {
                measure<double>(argv[i], threads, by_rows, logs);
                measure<float>(argv[i], threads, by_rows, logs);
            }
            fmt::print("\n");
            for (const auto& [what, all] : logs) {
                double sum = 0;
                for (const double log : all) sum += log;
                fmt::print("{}: {:.2f} in geometric mean, {:.2f} to {:.2f}\n", what,
                           std::exp(sum / static_cast<double>(all.size())),
                           std::exp(std::ranges::min(all)), std::exp(std::ranges::max(all)));
            }
        }
    } catch (const std::exception& e) {
        fmt::print(stderr, "many_vectors: {}\n", e.what());
        return 1;
    }
}
