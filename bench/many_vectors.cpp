// many_vectors THREADS MATRIX...: several vectors at once on a CPU (α = 1, β = 0), f64 and f32,
// against MKL's SpMM ($SPTUNE_MKL names the file libmkl_rt.so...), which may look at the matrix
// first. How long MKL takes over how long sptune takes, row by row and one after another; by turns,
// the least of six. Results that differ by more than rounding end it.
#include "kernels/spmm/cpu.hpp"
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

/// As the oneMKL C reference has it, "Inspector-Executor Sparse BLAS Routines", LP64.
class Mkl {
  public:
    struct Descriptor {
        int type = 20, mode = 0, diag = 0;  // general
    };
    static constexpr int kAsItIs = 10, kRows = 101, kColumns = 102, kGnuThreads = 3;

    Mkl() {
        const char* file = std::getenv("SPTUNE_MKL");
        handle_ = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (!handle_) throw Error(file ? dlerror() : "$SPTUNE_MKL does not name libmkl_rt.so");
        get<int (*)(int)>("MKL_Set_Interface_Layer")(0);  // 32-bit integers
        get<int (*)(int)>("MKL_Set_Threading_Layer")(kGnuThreads);
        get<void (*)(int)>("MKL_Set_Dynamic")(0);
    }
    template <class F>
    F get(const std::string& name) const {
        const auto function = reinterpret_cast<F>(dlsym(handle_, name.c_str()));
        if (!function) throw Error(fmt::format("MKL has no {}", name));
        return function;
    }

  private:
    void* handle_ = nullptr;
};

template <class T>
class MklMatrix {
    static void require(int status, const char* what) {
        if (status) throw Error(fmt::format("MKL's {} says {}", what, status));
    }

  public:
    MklMatrix(const Mkl& mkl, Csr<T>& a, int layout, int count)
        : layout_(layout),
          multiply_(mkl.get<Multiply>(name("mm"))),
          destroy_(mkl.get<int (*)(void*)>("mkl_sparse_destroy")) {
        using Create = int (*)(void**, int, int, int, int*, int*, int*, T*);
        require(mkl.get<Create>(name("create_csr"))(&a_, 0, a.rows, a.cols, a.row_ptr.data(),
                                                    a.row_ptr.data() + 1, a.col_idx.data(),
                                                    a.values.data()),
                "create_csr");
        using Hint = int (*)(void*, int, Mkl::Descriptor, int, int, int);
        require(
            mkl.get<Hint>("mkl_sparse_set_mm_hint")(a_, Mkl::kAsItIs, {}, layout, count, 100'000),
            "set_mm_hint");
        require(mkl.get<int (*)(void*)>("mkl_sparse_optimize")(a_), "optimize");
    }
    ~MklMatrix() { destroy_(a_); }
    MklMatrix(const MklMatrix&) = delete;
    MklMatrix& operator=(const MklMatrix&) = delete;

    void multiply(const T* x, std::size_t x_step, T* y, std::size_t y_step, int count) const {
        require(multiply_(Mkl::kAsItIs, 1, a_, {}, layout_, x, count, static_cast<int>(x_step), 0,
                          y, static_cast<int>(y_step)),
                "mm");
    }

  private:
    using Multiply = int (*)(int, T, void*, Mkl::Descriptor, int, const T*, int, int, T, T*, int);
    static std::string name(const char* what) {
        return fmt::format("mkl_sparse_{}_{}", sizeof(T) == 8 ? "d" : "s", what);
    }
    int layout_;
    Multiply multiply_;
    int (*destroy_)(void*);
    void* a_ = nullptr;
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
void measure(const Mkl& mkl, const std::string& path, int threads, bool by_rows, Logs& logs) {
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
        const MklMatrix<T> theirs(mkl, a, by_rows ? Mkl::kRows : Mkl::kColumns,
                                  static_cast<int>(count));
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
        const Mkl mkl;
        const int threads = std::atoi(argv[1]);
        if (threads < 1) throw Error("the number of threads comes first");
        mkl.get<int (*)(int)>("MKL_Set_Num_Threads_Local")(threads);
        for (const bool by_rows : {true, false}) {
            fmt::print("\n{}\n\n| matrix | | {} | apart |\n|---|---|",
                       by_rows ? "row by row" : "one after another", fmt::join(kCounts, " | "));
            for (std::size_t i = 0; i < kCounts.size(); ++i) fmt::print("---:|");
            fmt::print("---:|\n");
            Logs logs;
            for (int i = 2; i < argc; ++i) {
                measure<double>(mkl, argv[i], threads, by_rows, logs);
                measure<float>(mkl, argv[i], threads, by_rows, logs);
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
