// What all row-by-row SpGEMM kernels on the CPU share: rows balanced by work over threads, and two
// ways to come by exact sizes.
//
// A kernel is a class of which every thread makes one:
//   struct Rows {
//       using Shared = …;                                  // made once per product from the
//       problem static std::uint64_t bytes(const SpgemmProblem<T, P>&);  // of one object explicit
//       Rows(const Shared&); index_t count(index_t i);                          // entries of row i
//       of C index_t compute(index_t i, bool sorted, index_t* cols, T* values);  // writes row i
//   };
// compute() finds room for min(products of the row, columns of B).
#pragma once

#include "features/product.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spgemm/cpu/drop_zeros.hpp"
#include "kernels/spgemm/cpu/row_store.hpp"
#include "kernels/spgemm/host_product.hpp"
#include "kernels/spgemm/kernel_list.hpp"
#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

namespace sptune::spgemm_cpu {

/// What a product is made of.
template <class T, class P>
struct Inputs {
    const SpgemmProblem<T, P>& problem;
    const SpgemmOperands* operands;  ///< of kernels that prepare some
    const Params& params;
    int threads;
};

/// Rows cut into `parts` of nearly equal work; `work` is its running sum, rows + 1 entries.
inline std::vector<index_t> cut_rows(const std::uint64_t* work, index_t rows, int parts) {
    std::vector<index_t> first(static_cast<std::size_t>(parts) + 1, rows);
    for (int part = 0; part < parts; ++part) {
        const auto target = static_cast<std::uint64_t>(
            part_begin(static_cast<std::int64_t>(work[rows]), parts, part));
        first[static_cast<std::size_t>(part)] =
            static_cast<index_t>(std::lower_bound(work, work + rows, target) - work);
    }
    return first;
}

template <class Rows, class T, class P>
class RowProduct {
  public:
    RowProduct(const SpgemmProblem<T, P>& problem, const SpgemmOperands* operands,
               const Params& params, const SpgemmOptions& options, int threads)
        : p_(problem),
          options_(options),
          threads_(fitting_threads(threads)),
          shared_(Inputs<T, P>{problem, operands, params, threads_}) {
        sum_work();
        parts_ = cut_rows(work_.data(), p_.a.rows, threads_ == 1 ? 1 : threads_ * get(params, "d"));
        c_.rows = p_.a.rows, c_.cols = p_.b.cols;
        c_.row_ptr = Buffer<P>(static_cast<std::size_t>(c_.rows) + 1);
        rows_.resize(static_cast<std::size_t>(threads_));
        stores_.resize(static_cast<std::size_t>(threads_));
        if (get(params, "p") == 1 && both_fit())
            one_pass();
        else
            two_passes();
        rows_.clear();
        stores_.clear();
    }

    std::unique_ptr<Product<T, P>> result() {
        if (options_.drop_zeros) drop_zeros_of_c();
        return std::make_unique<HostProduct<T, P>>(std::move(c_));
    }

  private:
    static constexpr std::uint64_t kEntry = sizeof(index_t) + sizeof(T);

    /// As many of `threads` as memory allows and the work is worth.
    int fitting_threads(int threads) const {
        // Waking a thread costs more than some thousands of products.
        constexpr std::uint64_t kWorthThread = 1 << 14;
        return static_cast<int>(
            std::min({static_cast<std::uint64_t>(threads), p_.products / kWorthThread + 1,
                      threads_beside("a row of C with its workspace", 0)}));
    }

    /// How many threads' workspaces fit beside `bytes` and what all of them share. Throws
    /// OutOfMemory with the bytes needed where not even one does.
    std::uint64_t threads_beside(const char* what, std::uint64_t bytes) const {
        const std::uint64_t each = std::max<std::uint64_t>(Rows::bytes(p_), 1);
        const std::uint64_t least = bytes + fixed_bytes() + each;
        if (least > options_.memory_bytes) throw OutOfMemory(what, least);
        return (options_.memory_bytes - bytes - fixed_bytes()) / each;
    }

    /// What all threads share, beside the entries of C.
    std::uint64_t fixed_bytes() const {
        return Rows::shared_bytes(p_) +
               (static_cast<std::uint64_t>(p_.a.rows) + 1) * (sizeof(std::uint64_t) + sizeof(P));
    }

    /// Whether finished rows may be kept beside what makes them and beside C, which follow each
    /// other.
    bool both_fit() const {
        constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;  // looking costs more
        const auto threads = static_cast<std::uint64_t>(threads_);
        const std::uint64_t kept =
            RowStore<T>::most_entries(
                p_.upper_entries, std::min(p_.longest_row, static_cast<std::uint64_t>(p_.b.cols)),
                threads) *
            kEntry;
        const std::uint64_t bytes =
            fixed_bytes() + kept + std::max(threads * Rows::bytes(p_), p_.upper_entries * kEntry);
        return bytes <= options_.memory_bytes && (bytes <= kSmall || bytes <= available_memory());
    }

    void sum_work() {
        constexpr std::uint64_t kRowCost = 8;  // of a row without products, in products
        work_ = Buffer<std::uint64_t>(static_cast<std::size_t>(p_.a.rows) + 1);
        work_[0] = 0;
        count_products(p_.a, p_.b, work_.data() + 1, threads_);
        for (std::size_t i = 1; i < work_.size(); ++i) work_[i] += work_[i - 1] + kRowCost;
    }

    /// body(thread's Rows, thread, row) for all rows; parts are claimed as threads get free.
    template <class Body>
    void for_rows(Body body) {
        ExceptionCarrier carrier;
        std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads_)
        carrier.run([&] {
            const auto thread = static_cast<std::size_t>(omp_get_thread_num());
            if (!rows_[thread]) rows_[thread] = std::make_unique<Rows>(shared_);
            for (std::size_t part; (part = next++) + 1 < parts_.size();)
                for (index_t i = parts_[part]; i < parts_[part + 1]; ++i)
                    body(*rows_[thread], thread, i);
        });
        carrier.rethrow();
    }

    /// row_ptr from the lengths in row_ptr[1 …]; returns the bytes of the entries.
    std::uint64_t sum_lengths() {
        std::uint64_t entries = 0;
        c_.row_ptr[0] = 0;
        for (std::size_t i = 1; i < c_.row_ptr.size(); ++i) {
            entries += static_cast<std::uint64_t>(c_.row_ptr[i]);
            c_.row_ptr[i] = static_cast<P>(entries);
        }
        require_countable<P>(entries);
        return entries * kEntry;
    }

    void allocate() {
        const auto entries = static_cast<std::size_t>(c_.nnz());
        require_memory("C = A·B", entries * kEntry);
        c_.col_idx = Buffer<index_t>(entries);
        c_.values = Buffer<T>(entries);
    }

    /// In place where there is no room for a second C.
    void drop_zeros_of_c() {
        const std::uint64_t bytes =
            fixed_bytes() + 2 * static_cast<std::uint64_t>(c_.nnz()) * kEntry + c_.row_ptr.bytes();
        if (bytes <= options_.memory_bytes)
            c_ = drop_zeros(c_.view(), threads_);
        else
            drop_zeros_in_place(c_);
    }

    /// Counts first; then every row is written where it belongs.
    void two_passes() {
        for_rows([&](Rows& rows, std::size_t, index_t i) {
            c_.row_ptr[static_cast<std::size_t>(i) + 1] = static_cast<P>(rows.count(i));
        });
        // Now that C is known, fewer threads may have room beside it.
        const std::uint64_t threads =
            threads_beside("C = A·B with the workspace of one thread", sum_lengths());
        if (threads < static_cast<std::uint64_t>(threads_)) {
            threads_ = static_cast<int>(threads);
            rows_.resize(static_cast<std::size_t>(threads_));
        }
        allocate();
        for_rows([&](Rows& rows, std::size_t, index_t i) {
            const P at = c_.row_ptr[static_cast<std::size_t>(i)];
            rows.compute(i, options_.sorted, c_.col_idx.data() + at, c_.values.data() + at);
        });
    }

    /// Rows are computed once, kept aside, and moved when their places are known.
    void one_pass() {
        const auto cols = static_cast<std::uint64_t>(p_.b.cols);
        for_rows([&](Rows& rows, std::size_t thread, index_t i) {
            const auto row = static_cast<std::size_t>(i);
            RowStore<T>& store = stores_[thread];
            const std::uint64_t bound = std::min(work_[row + 1] - work_[row], cols);
            const auto [columns, values] = store.room(i, static_cast<std::size_t>(bound));
            const index_t length = rows.compute(i, options_.sorted, columns, values);
            store.added(i, static_cast<std::size_t>(length));
            c_.row_ptr[row + 1] = static_cast<P>(length);
        });
        rows_.clear();
        sum_lengths();
        allocate();
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
        for (std::size_t thread = 0; thread < stores_.size(); ++thread) {
            for (const auto& s : stores_[thread].stretches()) {
                const P from = c_.row_ptr[static_cast<std::size_t>(s.first)];
                const auto n =
                    static_cast<std::size_t>(c_.row_ptr[static_cast<std::size_t>(s.last)] - from);
                if (n == 0) continue;
                std::memcpy(c_.col_idx.data() + from, s.cols, n * sizeof(index_t));
                std::memcpy(c_.values.data() + from, s.values, n * sizeof(T));
            }
        }
    }

    const SpgemmProblem<T, P>& p_;
    const SpgemmOptions& options_;
    int threads_;
    typename Rows::Shared shared_;
    Buffer<std::uint64_t> work_;
    std::vector<index_t> parts_;
    Csr<T, P> c_;
    std::vector<std::unique_ptr<Rows>> rows_;  ///< one per thread
    std::vector<RowStore<T>> stores_;          ///< the same
};

template <template <class, class> class Rows, class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    SpgemmFootprint f;
    f.temporary_bytes = Rows<T, P>::shared_bytes(problem) +
                        Rows<T, P>::bytes(problem) * static_cast<std::uint64_t>(resolve_threads(0));
    if (get(params, "p") == 1)
        f.temporary_bytes += problem.upper_entries * (sizeof(index_t) + sizeof(T));
    f.illegal = Rows<T, P>::illegal(problem);
    return f;
}

template <template <class, class> class Rows, class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem,
                                        const SpgemmOperands* operands, const Params& params,
                                        const SpgemmOptions& options, SpgemmLaunch launch) {
    return RowProduct<Rows<T, P>, T, P>(problem, operands, params, options,
                                        resolve_threads(launch.threads))
        .result();
}

/// Adds the kernel with all its schedules: p passes (1: rows are kept aside and moved, 2: counted
/// first) and d parts per thread (1: shared out beforehand, more: claimed as threads get free).
template <template <class, class> class Rows, class T>
void add_rows(SpgemmKernelList<T>& list, const std::string& algorithm) {
    const auto add = [&]<class P>(P) {
        for (const int passes : {2, 1})
            for (const int parts : {1, 16})
                add_spgemm_kernel<P>(list, Backend::cpu, "csr", algorithm,
                                     {{"p", passes}, {"d", parts}}, &inspect<Rows, T, P>,
                                     &multiply<Rows, T, P>);
    };
    add(std::int32_t{});
    add(std::int64_t{});
}

}  // namespace sptune::spgemm_cpu
