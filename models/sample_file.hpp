// What models learn from, packed: features and times of sweeps without their samples and reasons,
// 1.2 kB instead of the 280 of an entry (455 of a CPU). Sweeps of machines that are out of reach
// can so be kept beside the model that was made of them.
//
// "SPTS", the size of the rest in eight bytes (little-endian), the rest compressed by zlib. That
// is a file as file_parts.hpp has them, whose header is, in JSON's terms:
//
// {"schema": "sptune.samples/1", "devices": [as in an entry], "kernel_hashes": {"cpu.csr": …},
//  "kernels": [{"backend": "cpu", "format", "algorithm", "params": {…}, "op": "spgemm" of those}],
//  "samples": [{"name", "device", "value": "f64", "baseline", "count", "features": as in an
//  entry, "product": as in an entry, of products}]}
//
// The arrays have `count` numbers for each sample: kernel, time, conversion, and whether the time
// is a guess. Times are 16-bit integers, 1024 steps to a factor of two.
#pragma once

#include "models/samples.hpp"

#include <filesystem>

namespace sptune::models {

/// Atomically. Times from 2^-16 µs to 2^48 µs are off by 0.04 % at most, numbers of features seven.
void write_samples(const std::filesystem::path& file, const std::vector<Sample>& samples);

/// An untrusted file. Throws InputError naming it.
std::vector<Sample> read_packed_samples(const std::filesystem::path& file);

}  // namespace sptune::models
