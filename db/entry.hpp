// One record of the tuning database: what a sweep found for one matrix on one device.
// The JSON form is published in db/schema/entry.schema.json.
#pragma once

#include "features/features.hpp"
#include "features/product.hpp"
#include "kernels/variant.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::db {

enum class Status {
    ok,
    incorrect,
    bounded,
    illegal,
    timeout,
    crashed,
    out_of_memory,
    not_reached,
};
std::string_view to_string(Status status);

/// Microseconds per call. `samples` are the means of batches, in the order taken.
struct TimeUs {
    double median = 0;
    double mad = 0;  ///< median absolute deviation from the median
    double min = 0;
    std::vector<double> samples;
};

struct Candidate {
    std::string id;
    std::string op, backend, format, algorithm;
    Params params;
    bool vendor = false;
    bool deterministic = true;
    Status status = Status::not_reached;
    std::string reason;          ///< why it is not ok, or which stage it left the search in
    std::optional<TimeUs> time;  ///< only where measured
    /// Of a GPU's kernel with warm caches: where a graph launches it, instead of a program, and how
    /// many launches a call is made of.
    std::optional<double> device_us;
    std::optional<int> launches;
    std::uint64_t bytes = 0;   ///< moved by one call: A, x and y
    std::uint64_t stored = 0;  ///< entries stored, padding included
    double gflops = 0;         ///< 2 · nnz / median
    double gbs = 0;            ///< bytes / median
    double convert_us = 0;
    double error = 0;  ///< largest error over its bound; ≤ 1 is correct
    std::string kernel_hash;
};

/// Read bandwidth measured for a working set of up to `bytes`.
struct BandwidthPoint {
    std::uint64_t bytes = 0;
    double gbs = 0;
};

struct Device {
    std::string backend;  ///< "cpu" or "cuda"
    std::string name;     ///< "AMD EPYC …"
    std::string key;      ///< folder in the database: name, last-level cache and threads, path-safe
    std::string simd;     ///< widest instruction set the kernels use here; "sm_90" on a GPU
    int threads = 1;      ///< on a GPU: its multiprocessors
    std::uint64_t llc_bytes = 0;
    double bandwidth_gbs = 0;  ///< from main memory
    std::vector<BandwidthPoint> bandwidth_curve;
    /// One empty kernel among others in a graph. Of a CPU: starting all threads, which is never
    /// stored, since it changes from minute to minute; 0 where nothing is known of it.
    double launch_us = 0;
    /// GPUs: from one launch to the next in a program's loop, and from one kernel to the next
    /// beyond that of a graph: where the next begins early, as sptune's do, and where not.
    std::optional<double> host_launch_us, early_gap_us, launch_gap_us;
    // GPUs alone; 0 elsewhere.
    double copy_gbs = 0;  ///< device to device, bytes read plus bytes written
    std::uint64_t memory_bytes = 0;
    std::optional<std::string> driver, toolkit;  ///< CUDA versions, "13.0"
};

struct MatrixInfo {
    std::string name;  ///< file name without folder and ending
    std::string path;  ///< never stored in the database, only in `profile --json`
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::uint64_t fingerprint = 0;
};

/// Versions and switches that a stored time depends on.
struct Provenance {
    std::string sptune_version;
    std::string compiler;
    std::string vendor_library;  ///< e.g. "MKL 2026.2"; empty where none of its kernels ran
    std::string created_utc;     ///< as utc_time() writes it
    std::uint64_t seed = 0;
    double budget_s = 0;  ///< 0: none
    double sweep_s = 0;
    std::optional<std::string> variants;  ///< globs that the sweep was restricted to
    /// True where a core did something else for so long that times may be too long; else absent.
    std::optional<bool> cores_busy;
    /// True where all values of A were the same, and kernels that know how left them out; else
    /// absent.
    std::optional<bool> one_value;
};

struct Entry {
    MatrixInfo matrix;
    Features features;  ///< of A; their fingerprint is that of the pair for C = A·B
    std::optional<ProductFeatures> product;  ///< for C = A·B
    Device device;
    Op op = Op::spmv;
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
    std::string cache = "warm";  ///< or "cold"
    std::string baseline;        ///< id
    std::vector<Candidate> candidates;
    std::string winner;  ///< id; empty when nothing was measured
    double speedup_vs_baseline = 0;
    /// Calls after which the winner's conversion has paid for itself against the baseline;
    /// 0: at once, negative: never.
    double break_even_calls = 0;
    bool complete = false;  ///< every candidate was measured or ruled out
    Provenance provenance;
};

/// The candidate named `id`, or nullptr.
const Candidate* find(const Entry& entry, std::string_view id);

/// ISO 8601 in UTC to the second, "2026-01-31T12:00:00Z": text order is time order.
std::string utc_time(std::chrono::system_clock::time_point when = std::chrono::system_clock::now());

/// `name` as one path component: all but letters, digits and "._+-" become "_", as does a leading
/// dot; never empty.
std::string path_safe(std::string_view name);

/// What identifies an entry on a device, e.g. "spmv-f64-i32-warm-00c0ffee00c0ffee". The file it
/// lives in is <device key>/<entry key>.json.
std::string entry_key(const Entry& entry);
std::string entry_key(Op op, ValueType value, IndexType index, std::uint64_t fingerprint,
                      std::string_view cache);

/// Whether entry_key() makes such names; what is named otherwise is somebody else's.
bool is_entry_key(std::string_view name);

}  // namespace sptune::db
