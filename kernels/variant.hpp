// The name and description of one instance of one kernel.
#pragma once

#include "kernels/params.hpp"
#include "matrix/types.hpp"

#include <string>

namespace sptune {

enum class Op { spmv, spgemm };
enum class Backend { cpu, cuda };

constexpr std::string_view to_string(Op op) {
    return op == Op::spmv ? "spmv" : "spgemm";
}
constexpr std::string_view to_string(Backend b) {
    return b == Backend::cpu ? "cpu" : "cuda";
}

struct Variant {
    Op op = Op::spmv;
    Backend backend = Backend::cpu;
    std::string format;     ///< how A is stored: "sell"
    std::string algorithm;  ///< how the kernel walks it: "simd"
    Params params;
    ValueType value = ValueType::f64;
    IndexType index = IndexType::i32;
    bool deterministic = true;  ///< bit-identical repeats on the same machine and threads
    bool vendor = false;        ///< a library's kernel, not ours
    std::string layout;         ///< variants with equal layout share one conversion of A
    std::string kernel_hash;    ///< changes when the source of this kernel changes

    /// "spmv.cpu.sell.simd.c8.s64.wn.f64.i32"
    std::string id() const;
};

/// Shell-style match of an id: * and ? ; several patterns separated by commas, any may match.
bool matches(std::string_view id, std::string_view glob);

}  // namespace sptune
