// sptune for C++: y = αAx + βy with the kernel that suits A and this machine.
//
//     sptune::csr_view<double> A{rows, cols, row_ptr, col_idx, values};   // host or GPU memory
//     sptune::auto_spmv(A, x, y);                                         // y = A x
//     auto plan = sptune::plan(A, {.expected_calls = 1000});
//     plan.apply(alpha, x, beta, y, stream);
//
// C++17 or later (designated initialisers as above: C++20). Depends on the standard library alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#define SPTUNE_API __attribute__((visibility("default")))

namespace sptune {
inline namespace v1 {  // the version of the binary interface

/// The caller's CSR arrays, never copied or written: row_ptr has rows + 1 entries and starts at 0,
/// col_idx (0-based, in [0, cols)) and values have nnz. T: float, double; P: std::int32_t,
/// std::int64_t. All three lie in host memory, or all in the memory of the current GPU.
template <class T, class P = std::int32_t>
struct csr_view {
    std::int32_t rows = 0, cols = 0;
    const P* row_ptr = nullptr;
    const std::int32_t* col_idx = nullptr;
    const T* values = nullptr;
    P nnz = -1;  ///< -1: read from row_ptr[rows], which on a GPU waits for it
};

enum class status {
    ok = 0,
    invalid_argument = 1,  ///< the matrix or an option makes no sense
    out_of_memory = 2,
    no_device = 3,         ///< a backend that is not there
    unmet_constraint = 4,  ///< the message says which one
    device_error = 5,      ///< CUDA reported a failure
    internal = 6,
};

/// All that sptune throws.
class SPTUNE_API error : public std::runtime_error {
  public:
    error(status code, const std::string& what);
    ~error() override;
    status code() const noexcept { return code_; }

  private:
    status code_;
};

enum class backend { automatic, cpu, cuda };

/// Whether a plan times the first calls to hold its candidates against plain CSR.
enum class online {
    automatic,  ///< but a stored measurement of this very matrix is held against plain CSR alone
    always,
    never,
};

struct plan_options {
    /// Calls of apply, or between two update_values where those recur. 0: unknown; the plan then
    /// starts with a CSR kernel that suits every matrix and converts when that has cost as much as
    /// converting would have.
    double expected_calls = 0;
    bool transposed = false;  ///< for Aᵀ: y = αAᵀx + βy; the plan then holds a transpose of A

    // Constraints. What cannot be met is refused with status::unmet_constraint.
    bool deterministic = false;  ///< bit-identical repeats: one kernel from the first call to the
                                 ///< last, so that nothing is tried and nothing promised
    std::uint64_t memory_bytes = ~0ull;  ///< that conversions may hold beside A
    double longest_conversion_us = 1e300;
    double error_bound = 1e300;  ///< of |y - exact| / |A||x| in every row; see the docs
    const char* variants = "*";  ///< glob of kernel ids
    sptune::v1::backend backend = sptune::v1::backend::automatic;  ///< where A has to lie

    // The promise: all calls and conversions together take at most (1 + epsilon) times plain CSR
    // plus grace_calls plain calls; see docs/library.md.
    sptune::v1::online online = sptune::v1::online::automatic;
    double epsilon = 0.05;
    double grace_calls = -1;  ///< negative: 25 on a CPU, 10 on a GPU

    int threads = 0;                 ///< CPU, up to 4096; 0: all that OpenMP offers
    const char* database = nullptr;  ///< folder or exported file, the only one then; nullptr:
                                     ///< $SPTUNE_DB, else the user's, the system's and the built-in
                                     ///< one; "": none

    /// Calls will be recorded in CUDA graphs, where none waits for the host to launch it, so that
    /// other kernels are the fastest. The plan chooses and converts at once, for expected_calls
    /// (unknown: 300) launches of graphs; it tries nothing, since it does not see those, and keeps
    /// no promise. Excludes online::always. Before apply_many is recorded, call it once. Choices on
    /// a CPU stay the same.
    bool in_graphs = false;
};

/// What a plan rests on.
struct choice {
    std::string id;           ///< of the kernel that calls use at present
    std::string source;       ///< "exact", "model" or "heuristic"
    std::string chosen;       ///< id of the kernel that was chosen at first
    double predicted_us = 0;  ///< one call of it
    double confidence = 0;
    double break_even_calls = 0;  ///< negative: never
    double select_us = 0;         ///< what choosing took
    bool settled = false;         ///< nothing will be tried or converted any more
};

namespace detail {

/// void where X and Y have data() and size().
template <class X, class Y>
using if_vectors = decltype(std::declval<const X&>().data(), std::declval<const X&>().size(),
                            std::declval<Y&>().data(), std::declval<Y&>().size(), void());

inline void require_size(std::size_t size, std::int64_t wanted, const char* what) {
    if (wanted > 0 && size < static_cast<std::size_t>(wanted))
        throw error(status::invalid_argument, std::string(what) + ", " + std::to_string(wanted) +
                                                  ", but only " + std::to_string(size) +
                                                  " entries were passed");
}

}  // namespace detail

/// A matrix, ready to be applied many times. The arrays of A must outlive it. Threads may apply one
/// plan at the same time.
template <class T>
class SPTUNE_API spmv_plan {
  public:
    /// y = αAx + βy; x has cols entries, y rows (with `transposed` the other way round), in the
    /// same memory as A; y overlaps neither x nor A. β = 0 never reads y. Once settled it allocates
    /// nothing. `stream` is a cudaStream_t; the call only enqueues, except while candidates are
    /// being tried. A captured graph keeps the kernel of that moment; its launches must not overlap
    /// other calls. x must be finite, with α = 0 as well: padding multiplies entries of x by 0, and
    /// the sum is multiplied by α; `variants = "*.csr.*"` has no padding.
    void apply(T alpha, const T* x, T beta, T* y, void* stream = nullptr);
    /// y = A x
    void apply(const T* x, T* y, void* stream = nullptr) { apply(T{1}, x, T{0}, y, stream); }
    /// Both for what has data() and size(), such as std::vector and std::span. Throw
    /// status::invalid_argument where x or y has too few entries.
    template <class X, class Y>
    detail::if_vectors<X, Y> apply(T alpha, const X& x, T beta, Y&& y, void* stream = nullptr) {
        detail::require_size(x.size(), size_of_x(), "x must have size_of_x() entries");
        detail::require_size(y.size(), size_of_y(), "y must have size_of_y() entries");
        apply(alpha, static_cast<const T*>(x.data()), beta, static_cast<T*>(y.data()), stream);
    }
    template <class X, class Y>
    detail::if_vectors<X, Y> apply(const X& x, Y&& y, void* stream = nullptr) {
        apply(T{1}, x, T{0}, y, stream);
    }
    /// The same for `count` vectors, each ldx (ldy) entries behind the one before ("column-major").
    /// Eight and more go through A together, as it stands. Once the plan has settled they, and
    /// fewer, do so where that turns out to take less than one by one: the next calls try both,
    /// wait for a GPU, and allocate. On a GPU the first call looks at the rows of A (16 bytes for
    /// each are kept, where they differ), and those with more vectors than any before allocate (up
    /// to 256 MiB, beside what graphs were given before): both wait. So make one of as many before
    /// a graph is captured, once the plan has settled (with in_graphs at once); within a graph such
    /// calls of one plan must follow one another.
    void apply_many(T alpha, const T* x, std::size_t ldx, T beta, T* y, std::size_t ldy,
                    std::size_t count, void* stream = nullptr);
    /// The same for vectors that lie row by row ("row-major"): entry i of vector j is
    /// x[i * ldx + j] (y[i * ldy + j]), ldx and ldy are at least `count`. They always go through A
    /// together, as it stands, whatever the plan would use for one. The first call allocates, and
    /// so do more at the same time than before; on a GPU the first looks at the rows of A and
    /// waits, so make one before a graph is captured.
    void apply_many_rows(T alpha, const T* x, std::size_t ldx, T beta, T* y, std::size_t ldy,
                         std::size_t count, void* stream = nullptr);
    /// New values for the same structure (nnz, in the memory of A). Converts again where that pays;
    /// nothing is chosen anew. They must outlive the plan as well. No apply may run meanwhile, nor
    /// may a CUDA graph be captured, and graphs that hold calls have to be captured again.
    void update_values(const T* values);
    template <class V>
    detail::if_vectors<V, const V> update_values(const V& values) {
        detail::require_size(values.size(), nnz(), "values must have as many entries as A");
        update_values(static_cast<const T*>(values.data()));
    }

    std::int32_t size_of_x() const;  ///< cols, or rows where the plan is for Aᵀ
    std::int32_t size_of_y() const;
    std::int64_t nnz() const;

    choice selection() const;
    /// The same in sentences, with the times that were measured.
    std::string why() const;

    class implementation;
    explicit spmv_plan(std::unique_ptr<implementation> p);
    spmv_plan(spmv_plan&&) noexcept;
    spmv_plan& operator=(spmv_plan&&) noexcept;
    ~spmv_plan();

  private:
    std::unique_ptr<implementation> p_;
};

/// Chooses a kernel: a stored measurement of this matrix on this device, else (on a GPU, where a
/// loop waits for the launch of any kernel) one that needs no choice, else a model, else a
/// heuristic; times nothing but the start of the machine's threads, on a GPU launches (but with
/// SPTUNE_MODE=tune a matrix that no database knows is measured first, for some ten seconds).
/// Converts at once where expected_calls says that it pays. In host memory (and of small matrices
/// on a GPU) a row_ptr or col_idx that leads out of the arrays is refused where the choice has to
/// look at A: here unless a stored measurement decides or SPTUNE_MODE is off, and by auto_spmv not
/// at its first calls, but from that on at which it chooses. In the memory of a GPU A has to be
/// complete: wait for a non-blocking stream that it comes from.
template <class T, class P>
SPTUNE_API spmv_plan<T> plan(const csr_view<T, P>& A, const plan_options& options = {});

template <class T>
struct spmv_terms {
    T alpha = 1, beta = 0;
    void* stream = nullptr;
};

/// y = αAx + βy with a plan that is made at the first call and found again by the addresses and
/// sizes of A. In host memory a sample of the structure and the values is compared as well: new
/// values are noticed where a sampled one differs, and so is a new structure. A change of few
/// entries or of a stretch of up to an eighth of them, and any change in GPU memory, can go unseen:
/// say forget(A).
template <class T, class P>
SPTUNE_API void auto_spmv(const csr_view<T, P>& A, const T* x, T* y,
                          const spmv_terms<T>& terms = {});

/// The same for what has data() and size(), such as std::vector and std::span. Throws
/// status::invalid_argument where x has less than cols entries, or y less than rows.
template <class T, class P, class X, class Y>
detail::if_vectors<X, Y> auto_spmv(const csr_view<T, P>& A, const X& x, Y&& y,
                                   const spmv_terms<T>& terms = {}) {
    detail::require_size(x.size(), A.cols, "x must have as many entries as A has columns");
    detail::require_size(y.size(), A.rows, "y must have as many entries as A has rows");
    auto_spmv(A, static_cast<const T*>(x.data()), static_cast<T*>(y.data()), terms);
}

/// The same for several vectors, as spmv_plan::apply_many() and apply_many_rows() take them.
template <class T, class P>
SPTUNE_API void auto_spmv_many(const csr_view<T, P>& A, const T* x, std::size_t ldx, T* y,
                               std::size_t ldy, std::size_t count, const spmv_terms<T>& terms = {});
template <class T, class P>
SPTUNE_API void auto_spmv_many_rows(const csr_view<T, P>& A, const T* x, std::size_t ldx, T* y,
                                    std::size_t ldy, std::size_t count,
                                    const spmv_terms<T>& terms = {});

/// Drops what auto_spmv keeps for A; call it before the arrays are freed or changed in place.
template <class T, class P>
SPTUNE_API void forget(const csr_view<T, P>& A);

/// What auto_spmv uses for A at present and why, as spmv_plan::why() says it; "" where it keeps no
/// plan for A.
template <class T, class P>
SPTUNE_API std::string why(const csr_view<T, P>& A);

struct spgemm_options {
    bool sorted = true;                  ///< columns of each row of C in increasing order
    bool drop_zeros = false;             ///< leave out entries whose sum is exactly 0
    std::uint64_t memory_bytes = ~0ull;  ///< for C and all temporaries together
    sptune::v1::backend backend = sptune::v1::backend::automatic;  ///< where to multiply;
                                                                   ///< automatic: where A and B lie
    const char* variant = "";        ///< id of a kernel; "": what suits the pair
    int threads = 0;                 ///< CPU, up to 4096; 0: all that OpenMP offers
    const char* database = nullptr;  ///< as in plan_options
    void* stream = nullptr;          ///< a cudaStream_t, for A and B in GPU memory
};

/// A CSR matrix that sptune has made.
template <class T, class P = std::int32_t>
class SPTUNE_API csr_matrix {
  public:
    /// Valid as long as this object is. On a GPU the destructor waits for all work that may still
    /// be using it.
    csr_view<T, P> view() const;
    /// Where its arrays lie: cpu means host memory, cuda that of the GPU that was current.
    backend location() const;
    /// Id of the kernel that made it, and on whose word it was chosen: "database", "model",
    /// "default" or "asked for".
    const std::string& made_by() const;
    const std::string& source() const;
    /// The same in sentences, with what databases had to pass over.
    const std::string& why() const;

    class implementation;
    explicit csr_matrix(std::unique_ptr<implementation> p);
    csr_matrix(csr_matrix&&) noexcept;
    csr_matrix& operator=(csr_matrix&&) noexcept;
    ~csr_matrix();

  private:
    std::unique_ptr<implementation> p_;
};

/// C = A·B with the kernel that `sptune profile --op spgemm` found to be the fastest for this pair,
/// else with a good default. A.cols == B.rows. Both lie in host memory, or both in that of the
/// current GPU; C comes to lie there, too, and nothing but sums is copied between the two. With
/// backend::cuda matrices in host memory are copied to the GPU, and C back. On a GPU the call waits
/// for `stream` and returns when C is done, since the size of C has to be known; what is enqueued
/// later to any stream may use it. Where C has more entries than P can count,
/// status::invalid_argument asks for 64-bit row pointers; it also refuses sizes that do not fit
/// together, matrices in different memories, and a `variant` that is unknown or illegal for them.
/// status::unmet_constraint: memory_bytes is too little, or backend::cpu was asked for matrices in
/// the memory of a GPU.
template <class T, class P>
SPTUNE_API csr_matrix<T, P> auto_spgemm(const csr_view<T, P>& A, const csr_view<T, P>& B,
                                        const spgemm_options& options = {});

/// Where sptune takes an address to point to: backend::cuda for the memory of a GPU, backend::cpu
/// for all else, and for all where sptune was built without CUDA or finds no driver.
SPTUNE_API backend memory_of(const void* address);

/// "0.1.0"
SPTUNE_API const char* version();

#define SPTUNE_DECLARE(T, P)                                                                   \
    extern template spmv_plan<T> plan(const csr_view<T, P>&, const plan_options&);             \
    extern template void auto_spmv(const csr_view<T, P>&, const T*, T*, const spmv_terms<T>&); \
    extern template void auto_spmv_many(const csr_view<T, P>&, const T*, std::size_t, T*,      \
                                        std::size_t, std::size_t, const spmv_terms<T>&);       \
    extern template void auto_spmv_many_rows(const csr_view<T, P>&, const T*, std::size_t, T*, \
                                             std::size_t, std::size_t, const spmv_terms<T>&);  \
    extern template void forget(const csr_view<T, P>&);                                        \
    extern template std::string why(const csr_view<T, P>&);                                    \
    extern template class csr_matrix<T, P>;                                                    \
    extern template csr_matrix<T, P> auto_spgemm(const csr_view<T, P>&, const csr_view<T, P>&, \
                                                 const spgemm_options&);
#ifndef SPTUNE_BUILDING
extern template class spmv_plan<float>;
extern template class spmv_plan<double>;
SPTUNE_DECLARE(float, std::int32_t)
SPTUNE_DECLARE(float, std::int64_t)
SPTUNE_DECLARE(double, std::int32_t)
SPTUNE_DECLARE(double, std::int64_t)
#endif
#undef SPTUNE_DECLARE

}  // namespace v1
}  // namespace sptune
