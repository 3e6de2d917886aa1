// Hash SpGEMM on the GPU: rows of C binned by their work, accumulated in registers, hash tables or
// bitmaps. One pass writes the rows to a temporary as they get ready, and copies them into order
// once nnz(C) is known; two passes count first, which takes less memory.
#include "kernels/spgemm/hash/multiply.hpp"

#include "kernels/spgemm/device_spgemm.hpp"
#include "kernels/spgemm/hash/job.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/per_device.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace sptune::cuda::hash {
namespace {

constexpr int kBigBytes = 200 << 10;  // one block on a multiprocessor
/// Entries of the temporary C that a team takes at a time; a row of a quarter of that takes its
/// own.
constexpr int kChunk = 512;
constexpr int kNoChunk = 4;  ///< every row takes its own
/// Where a temporary C of the upper bound's size would be larger, it is sized by a sample.
constexpr std::uint64_t kUnsampledBytes = 256u << 20;
constexpr int kSampleStride = 32;

template <class T, class P>
TeamSizes sizes_for(const SpgemmProblem<T, P>& problem, const Tuning& tuning, Limits& limits) {
    TeamSizes s;
    s.block = tuning.block;
    s.warp_bytes = tuning.warp_bytes;
    // 32 warps on a multiprocessor, as with 6 KiB for each.
    s.block_bytes = std::min((208 << 10) / 1024 * s.block, shared_memory_limit());
    s.big_bytes = std::min(kBigBytes, shared_memory_limit());
    limits.columns = problem.b.cols;
    for (int c = kTiny8; c <= kTiny64; ++c) limits.products[c] = 8u << c;
    limits.products[kWarpRow] = static_cast<std::uint32_t>(tuning.warp_products);
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

/// Pinned memory for what the device counted, and an event to wait for it; one per thread and
/// device, to which events belong.
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
    HashProduct(const SpgemmProblem<T, P>& problem, const Tuning& tuning,
                const SpgemmOptions& options, cudaStream_t stream)
        : problem_(problem), options_(options), stream_(stream) {
        job_.a = problem.a;
        job_.b = problem.b;
        job_.sorted = options.sorted;
        job_.hash_first = tuning.hash_first;
        sizes_ = sizes_for(problem, tuning, limits_);
        if (sizes_.bigs && problem.b.cols > bitmap_columns(sizes_.big_bytes)) {
            SPTUNE_CUDA(cudaStreamSynchronize(stream));  // B may be made there
            job_.b_sorted = rows_sorted(problem.b);
        }
    }

    DeviceCsr<T, P> run(bool pack) {
        prepare();
        std::uint64_t room = 0;
        if (pack) room = room_for_temporary();
        DeviceBuffer<char> temporary(room * kEntryBytes);  // one allocation: each takes time
        allow_allocations(stream_);
        if (room) {
            Job<T, P> packed = job_;
            packed.value = reinterpret_cast<T*>(temporary.data());
            packed.col = reinterpret_cast<index_t*>(temporary.data() + room * sizeof(T));
            packed.capacity = static_cast<std::int64_t>(room);
            multiply_rows<Mode::pack>(packed, sizes_, stream_);
            const Counters found = finish_lengths();
            const bool fits = found.cursor <= room;
            if (!fits) temporary = {};  // the sample misled us: C is larger than it said
            DeviceCsr<T, P> c = allocate(found.entries, temporary.bytes());
            if (fits) {
                packed.row_ptr = c.row_ptr.data();
                place_rows(packed, c.col_idx.data(), c.values.data(), c.entries, stream_);
                SPTUNE_CUDA(cudaStreamSynchronize(stream_));
                return c;
            }
            write(c);
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
        if (chunk == kNoChunk) return entries;
        return entries + entries / 3 + teams(rows) * static_cast<std::uint64_t>(chunk);
    }
    static int chunk_for(std::uint64_t upper, index_t rows) {
        const std::uint64_t fair = upper / teams(rows) / 2;
        return fair < 8 ? kNoChunk : static_cast<int>(std::min<std::uint64_t>(fair, kChunk));
    }
    static constexpr std::uint64_t kEntryBytes = sizeof(T) + sizeof(index_t);

  private:
    /// Most teams that hold a chunk at the same time, of all launches together.
    static std::uint64_t teams(index_t rows) {
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(
            3 * std::int64_t{rows}, 1, multiprocessors() * std::int64_t{48}));
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
        Mailbox& mailbox = of_this_thread<std::map<int, Mailbox>, Mailbox>()[current_device()];
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
        try {
            auto c = allocate_product<T, P>(job_.a.rows, job_.b.cols, entries, std::move(lengths_),
                                            others + memory_.bytes(), options_.memory_bytes);
            allow_allocations(stream_);
            return c;
        } catch (...) {  // the scan may still run in memory that others would take
            cudaStreamSynchronize(stream_);
            throw;
        }
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

}  // namespace

int shared_memory_limit() {
    static PerDevice<int> limit;
    return limit.get([] {
        constexpr int kStatic = 1 << 10;  // what the kernels declare, and the system's part
        int most = 0;
        SPTUNE_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                           current_device()));
        return (most - kStatic) / 16 * 16;
    });
}

template <class T, class P>
DeviceCsr<T, P> multiply(const SpgemmProblem<T, P>& problem, const Tuning& tuning,
                         const SpgemmOptions& options, cudaStream_t stream) {
    if (problem.products == 0) return empty_product<T, P>(problem.a.rows, problem.b.cols, stream);
    DeviceCsr<T, P> c = HashProduct<T, P>(problem, tuning, options, stream).run(tuning.pack);
    if (options.drop_zeros) drop_zeros(c, stream, options.memory_bytes);
    return c;
}

template <class T, class P>
std::uint64_t temporary_bytes(const SpgemmProblem<T, P>& problem, const Tuning& tuning) {
    using Hash = HashProduct<T, P>;
    const index_t rows = problem.a.rows;
    std::uint64_t bytes = Hash::fixed_bytes(rows, problem.b.rows);
    if (tuning.pack)
        bytes += Hash::kEntryBytes * Hash::places(problem.upper_entries, rows,
                                                  Hash::chunk_for(problem.upper_entries, rows));
    return bytes;
}

#define SPTUNE_INSTANTIATE(T, P)                                                 \
    template DeviceCsr<T, P> multiply(const SpgemmProblem<T, P>&, const Tuning&, \
                                      const SpgemmOptions&, cudaStream_t);       \
    template std::uint64_t temporary_bytes(const SpgemmProblem<T, P>&, const Tuning&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda::hash
