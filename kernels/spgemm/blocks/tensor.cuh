// Products of 16×8 and 8×8 matrices by a warp's tensor cores, for the numbers of tiles.
//
// The columns of the left and the rows of the right factor may be in any order as long as it is the
// same: a lane holds 2t and 2t + 1, t = its place in its group of four, where the instructions
// speak of t and t + 4. Of a tile it so holds two neighbours.
#pragma once

#include "kernels/spgemm/blocks/arithmetic.cuh"

namespace sptune::cuda {

template <class V>
struct alignas(2 * sizeof(V)) TwoOf {
    V x, y;
};

/// In double, which is exact for the sums of u32 that matter, see Arithmetic.
template <class V>
struct Tensor {
    using Sum = double;
    struct Left {
        double of[4];
        __device__ void set(const TwoOf<V>& upper, const TwoOf<V>& lower) {
            of[0] = static_cast<double>(upper.x), of[1] = static_cast<double>(lower.x);
            of[2] = static_cast<double>(upper.y), of[3] = static_cast<double>(lower.y);
        }
    };
    struct Right {
        double of[2];
        __device__ void set(const TwoOf<V>& two) {
            of[0] = static_cast<double>(two.x), of[1] = static_cast<double>(two.y);
        }
    };

    /// c[i] += a[i]·b for those i that are wanted; a[i] is 0 for the others. The same in all lanes.
    template <int N>
    static __device__ void multiply_add(Sum (&c)[N][4], const Left (&a)[N], const Right& b,
                                        const unsigned (&wanted)[N]) {
#pragma unroll
        for (int i = 0; i < N; ++i)
            asm volatile(
                "{.reg .pred p;\n"
                "setp.ne.u32 p, %10, 0;\n"
                "@p mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};}"
                : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
                : "d"(a[i].of[0]), "d"(a[i].of[1]), "d"(a[i].of[2]), "d"(a[i].of[3]), "d"(b.of[0]),
                  "d"(b.of[1]), "r"(wanted[i]));
    }
};

/// In three products of TF32, numbers of 11 bits: x = high + low, and what low·low would add is
/// about the rounding of f32. Tensor cores cut sums off instead of rounding them, which drifts over
/// thousands of steps (1e-4 after 17 000 products); so each step begins at zero and is added by a
/// rounded addition. Numbers from (1 - 2^-12)·2^128 on, infinities among them, give NaN.
template <>
struct Tensor<float> {
    using Sum = float;

    /// Rounded, so that low has 12 bits at most and either sign.
    static __device__ void split(float x, unsigned& high, unsigned& low) {
        high = __float_as_uint(x) + 0x1000u & 0xffffe000u;
        low = __float_as_uint(x - __uint_as_float(high));
    }
    struct Left {
        unsigned high[4], low[4];
        __device__ void set(const TwoOf<float>& upper, const TwoOf<float>& lower) {
            split(upper.x, high[0], low[0]), split(lower.x, high[1], low[1]);
            split(upper.y, high[2], low[2]), split(lower.y, high[3], low[3]);
        }
    };
    struct Right {
        unsigned high[2], low[2];
        __device__ void set(const TwoOf<float>& two) {
            split(two.x, high[0], low[0]), split(two.y, high[1], low[1]);
        }
    };

    /// The N chains of three products go side by side, since a product waits for the one before it
    /// in its chain five times as long as it occupies the tensor cores. To begin the sums for those
    /// that are not wanted, too, is cheaper than to clear them.
    template <int N>
    static __device__ void multiply_add(Sum (&c)[N][4], const Left (&a)[N], const Right& b,
                                        const unsigned (&wanted)[N]) {
        float sum[N][4];
#pragma unroll
        for (int i = 0; i < N; ++i)
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
                : "=f"(sum[i][0]), "=f"(sum[i][1]), "=f"(sum[i][2]), "=f"(sum[i][3])
                : "r"(a[i].low[0]), "r"(a[i].low[1]), "r"(a[i].low[2]), "r"(a[i].low[3]),
                  "r"(b.high[0]), "r"(b.high[1]), "f"(0.0f));
#pragma unroll
        for (int i = 0; i < N; ++i) add(sum[i], a[i].high, b.low, wanted[i]);
#pragma unroll
        for (int i = 0; i < N; ++i) add(sum[i], a[i].high, b.high, wanted[i]);
#pragma unroll
        for (int i = 0; i < N; ++i)
#pragma unroll
            for (int k = 0; k < 4; ++k) c[i][k] += sum[i][k];
    }

  private:
    static __device__ void add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                               unsigned wanted) {
        asm volatile(
            "{.reg .pred p;\n"
            "setp.ne.u32 p, %10, 0;\n"
            "@p mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};}"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(wanted));
    }
};

}  // namespace sptune::cuda
