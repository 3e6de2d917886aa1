// Hash SpGEMM on the GPU: rows of C binned by their work, accumulated in registers, hash tables or
// bitmaps. One pass writes the rows to a temporary as they get ready, and copies them into order
// once nnz(C) is known; two passes count first, which takes less memory.
#include "kernels/cuda/axes.hpp"
#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/hash/job.hpp"
#include "kernels/spgemm/kernel_list.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <cstddef>

namespace sptune {
namespace {

using namespace cuda;
using namespace cuda::hash;

/// 1: pack, then place; 2: count, then write
struct passes {
    static constexpr const char* name = "p";
};
/// 1: hash tables come before bitmaps
struct hash_first {
    static constexpr const char* name = "h";
};
/// most products of a row that a warp takes
struct warp_row {
    static constexpr const char* name = "w";
};
using Grid = grid<axis<passes, 1, 2>, axis<hash_first, 0, 1>, axis<warp_row, 256, 1024>,
                  axis<block, 128, 256, 512>>;

constexpr int kWarpBytes = 6 << 10;   // 32 warps on a multiprocessor
constexpr int kBigBytes = 200 << 10;  // one block on it
constexpr int kChunk = 512;
/// Where a temporary C of the upper bound's size would be larger, it is sized by a sample.
constexpr std::uint64_t kUnsampledBytes = 256u << 20;
constexpr int kSampleStride = 32;

template <class T, class P>
TeamSizes sizes_for(const SpgemmProblem<T, P>& problem, const Params& params, Limits& limits) {
    TeamSizes s;
    s.block = get(params, block::name);
    s.warp_bytes = kWarpBytes;
    s.block_bytes = (208 << 10) / 1024 * s.block;  // 32 warps on a multiprocessor here too
    s.big_bytes = kBigBytes;
    limits.columns = problem.b.cols;
    for (int c = kTiny8; c <= kTiny64; ++c) limits.products[c] = 8u << c;
    limits.products[kWarpRow] = static_cast<std::uint32_t>(get(params, warp_row::name));
    limits.products[kBlockRow] = 32u * static_cast<std::uint32_t>(s.block);
    const auto set = [&](RowClass c, int bytes) {
        limits.bitmap[c] = bitmap_columns(bytes);
        limits.table[c] = static_cast<std::uint32_t>(hash_products(hash_slots(bytes, sizeof(T))));
        // Whether a row can be too long or too wide for this class.
        return problem.longest_row > limits.products[c] ||
               (problem.b.cols > limits.bitmap[c] && problem.longest_row > limits.table[c]);
    };
    s.blocks = set(kWarpRow, s.warp_bytes);
    s.bigs = set(kBlockRow, s.block_bytes);
    return s;
}

/// Pinned memory for what the device counted, and an event to wait for it; one per thread.
struct Mailbox {
    Counters* counters = nullptr;
    cudaEvent_t arrived = nullptr;

    Mailbox() {
        SPTUNE_CUDA(cudaMallocHost(reinterpret_cast<void**>(&counters), sizeof(Counters)));
        SPTUNE_CUDA(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    }
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() {
        cudaEventDestroy(arrived);
        cudaFreeHost(counters);
    }
};

template <class T, class P>
class HashProduct {
  public:
    HashProduct(const SpgemmProblem<T, P>& problem, const Params& params,
                const SpgemmOptions& options, cudaStream_t stream)
        : problem_(problem), options_(options), stream_(stream) {
        job_.a = problem.a;
        job_.b = problem.b;
        job_.sorted = options.sorted;
        job_.hash_first = get(params, hash_first::name) == 1;
        sizes_ = sizes_for(problem, params, limits_);
    }

    DeviceCsr<T, P> run(bool pack) {
        prepare();
        std::uint64_t room = 0;
        if (pack) room = room_for_temporary();
        DeviceBuffer<index_t> col(room);
        DeviceBuffer<T> value(room);
        allow_allocations(stream_);
        if (room) {
            Job<T, P> packed = job_;
            packed.col = col.data();
            packed.value = value.data();
            packed.capacity = static_cast<std::int64_t>(room);
            multiply_rows<Mode::pack>(packed, sizes_, stream_);
            const Counters found = finish_lengths();
            DeviceCsr<T, P> c = allocate(found.entries, col.bytes() + value.bytes());
            if (found.cursor <= room) {
                packed.row_ptr = c.row_ptr.data();
                place_rows(packed, c.col_idx.data(), c.values.data(), c.entries, stream_);
                SPTUNE_CUDA(cudaStreamSynchronize(stream_));
                return c;
            }
            write(c);  // the sample misled us: C is larger than it said
            return c;
        }
        multiply_rows<Mode::count>(job_, sizes_, stream_);
        DeviceCsr<T, P> c = allocate(finish_lengths().entries, 0);
        write(c);
        return c;
    }

    /// Bytes beside A, B, C and the temporary C.
    static std::uint64_t fixed_bytes(index_t rows, index_t b_rows) {
        const std::uint64_t r = static_cast<std::uint64_t>(rows);
        return r * (sizeof(Range) + 4 + 4 * kClasses + 8) +
               static_cast<std::uint64_t>(b_rows) * sizeof(Range) + 4096 + scan_bytes<P>(rows);
    }
    /// Places of a temporary C with that many entries, what is lost at the ends of chunks included.
    static std::uint64_t places(std::uint64_t entries, index_t rows, int chunk) {
        return entries + entries / 3 + teams(rows) * static_cast<std::uint64_t>(chunk);
    }
    static int chunk_for(std::uint64_t upper, index_t rows) {
        return static_cast<int>(std::clamp<std::uint64_t>(upper / teams(rows) / 2, 64, kChunk));
    }
    static constexpr std::uint64_t kEntryBytes = sizeof(T) + sizeof(index_t);

  private:
    /// Most teams that hold a chunk at the same time, of all launches together.
    static std::uint64_t teams(index_t rows) {
        return static_cast<std::uint64_t>(
            std::min<std::int64_t>(3 * std::int64_t{rows}, multiprocessors() * std::int64_t{48}));
    }

    /// Takes the memory and analyses the rows.
    void prepare() {
        const auto rows = static_cast<std::size_t>(job_.a.rows);
        const auto b_rows = static_cast<std::size_t>(job_.b.rows);
        scan_size_ = scan_bytes<P>(job_.a.rows);
        std::size_t used = 0;
        const auto reserve = [&](std::size_t bytes) {
            const std::size_t at = used;
            used += (bytes + 255) / 256 * 256;
            return at;
        };
        const std::size_t counters = reserve(sizeof(Counters)), place = reserve(rows * 8),
                          range = reserve(rows * sizeof(Range)), products = reserve(rows * 4),
                          listed = reserve(rows * 4 * kClasses),
                          b_range = reserve(b_rows * sizeof(Range)), scan = reserve(scan_size_);
        if (used > options_.memory_bytes) throw OutOfMemory("what is known of each row of C", used);
        memory_ = DeviceBuffer<char>(used);
        lengths_ = DeviceBuffer<P>(rows + 1);
        allow_allocations(stream_);
        char* const m = memory_.data();
        job_.work = {
            reinterpret_cast<Range*>(m + range), reinterpret_cast<std::uint32_t*>(m + products),
            reinterpret_cast<index_t*>(m + listed), reinterpret_cast<Counters*>(m + counters)};
        job_.place = reinterpret_cast<std::int64_t*>(m + place);
        job_.row_ptr = lengths_.data();
        scan_ = m + scan;
        analyse_rows(job_.a.rows, job_.a.row_ptr, job_.a.col_idx, std::int64_t{job_.a.nnz()},
                     job_.b.rows, job_.b.row_ptr, job_.b.col_idx, std::int64_t{job_.b.nnz()},
                     reinterpret_cast<Range*>(m + b_range), limits_, job_.work, job_.row_ptr,
                     stream_);
    }

    /// Places that the temporary C gets, 0 where there is no memory for it.
    std::uint64_t room_for_temporary() {
        const std::uint64_t upper = problem_.upper_entries;
        job_.chunk = chunk_for(upper, job_.a.rows);
        std::uint64_t entries = upper;
        if (upper * kEntryBytes > kUnsampledBytes) {
            Job<T, P> sample = job_;
            sample.stride = kSampleStride;
            multiply_rows<Mode::count>(sample, sizes_, stream_);
            const Counters found = fetch();
            entries = std::min<std::uint64_t>(
                upper, found.entries * kSampleStride / 8 * 9 + kUnsampledBytes / 64);
            restart();
        }
        const std::uint64_t room = places(entries, job_.a.rows, job_.chunk);
        // C itself is of about the same size.
        const std::uint64_t needed = memory_.bytes() + 2 * room * kEntryBytes;
        std::uint64_t budget = options_.memory_bytes;
        if (needed > kUnsampledBytes)  // asking takes longer than a small product
            budget = std::min(budget, device_available_memory() + memory_.bytes());
        return needed <= budget ? room : 0;
    }

    /// What the device has counted, once it has.
    Counters fetch() {
        thread_local Mailbox mailbox;
        SPTUNE_CUDA(cudaMemcpyAsync(mailbox.counters, job_.work.counters, sizeof(Counters),
                                    cudaMemcpyDeviceToHost, stream_));
        SPTUNE_CUDA(cudaEventRecord(mailbox.arrived, stream_));
        before_waiting();
        SPTUNE_CUDA(cudaEventSynchronize(mailbox.arrived));
        return *mailbox.counters;
    }
    /// Work for the device while the host wakes up.
    void before_waiting() {
        if (scan_now_) scan_lengths(job_.row_ptr, job_.a.rows, scan_, scan_size_, stream_);
        scan_now_ = false;
    }
    /// Lengths become row pointers; returns what was counted.
    Counters finish_lengths() {
        scan_now_ = true;
        const Counters found = fetch();
        if ((found.listed[kBlockRow] && !sizes_.blocks) || (found.listed[kBigRow] && !sizes_.bigs))
            throw Error("a row of C has more products than the problem's longest_row says");
        return found;
    }
    /// Before the rows are gone through once more.
    void restart() {
        SPTUNE_CUDA(cudaMemsetAsync(job_.work.counters, 0, offsetof(Counters, listed), stream_));
    }

    DeviceCsr<T, P> allocate(std::uint64_t entries, std::uint64_t others) {
        auto c = allocate_product<T, P>(job_.a.rows, job_.b.cols, entries, std::move(lengths_),
                                        others + memory_.bytes(), options_.memory_bytes);
        allow_allocations(stream_);
        return c;
    }

    /// All rows once more, to where the row pointer says.
    void write(DeviceCsr<T, P>& c) {
        restart();
        Job<T, P> job = job_;
        job.row_ptr = c.row_ptr.data();
        job.col = c.col_idx.data();
        job.value = c.values.data();
        multiply_rows<Mode::write>(job, sizes_, stream_);
        SPTUNE_CUDA(cudaStreamSynchronize(stream_));
    }

    const SpgemmProblem<T, P>& problem_;
    const SpgemmOptions& options_;
    cudaStream_t stream_;
    Limits limits_;
    TeamSizes sizes_;
    Job<T, P> job_;
    DeviceBuffer<char> memory_;
    DeviceBuffer<P> lengths_;  ///< of rows, later the row pointer of C
    void* scan_ = nullptr;
    std::size_t scan_size_ = 0;
    bool scan_now_ = false;
};

template <class T, class P>
SpgemmFootprint inspect(const SpgemmProblem<T, P>& problem, const Params& params) {
    using Hash = HashProduct<T, P>;
    SpgemmFootprint f;
    const index_t rows = problem.a.rows;
    f.temporary_bytes = Hash::fixed_bytes(rows, problem.b.rows);
    if (get(params, passes::name) == 1)
        f.temporary_bytes +=
            Hash::kEntryBytes *
            Hash::places(problem.upper_entries, rows, Hash::chunk_for(problem.upper_entries, rows));
    return f;
}

template <class T, class P>
std::unique_ptr<Product<T, P>> multiply(const SpgemmProblem<T, P>& problem, const SpgemmOperands*,
                                        const Params& params, const SpgemmOptions& options,
                                        SpgemmLaunch launch) {
    const cudaStream_t stream = stream_of(launch);
    DeviceCsr<T, P> c;
    if (problem.products == 0) {
        c = empty_product<T, P>(problem.a.rows, problem.b.cols, stream);
    } else {
        c = HashProduct<T, P>(problem, params, options, stream).run(get(params, passes::name) == 1);
        if (options.drop_zeros) drop_zeros(c, stream);
    }
    return std::make_unique<DeviceProduct<T, P>>(std::move(c));
}

template <class P, class T>
void add(SpgemmKernelList<T>& list) {
    for_each_point(Grid{}, [&](auto point) {
        add_spgemm_kernel<P>(list, Backend::cuda, "csr", "hash", point.params(), &inspect<T, P>,
                             &multiply<T, P>)
            .variant.deterministic = false;  // sums are taken in the order of arrival
    });
}

}  // namespace

template <class T>
void add_hash_kernels(SpgemmKernelList<T>& list) {
    add<std::int32_t>(list);
    add<std::int64_t>(list);
}

template void add_hash_kernels(SpgemmKernelList<float>&);
template void add_hash_kernels(SpgemmKernelList<double>&);

}  // namespace sptune
