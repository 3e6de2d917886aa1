// Products of 16×8 and 8×8 matrices by a warp's tensor cores, for the numbers of tiles.
//
// The columns of the left and the rows of the right factor may be in any order as long as it is the
// same: a lane holds 2t and 2t + 1, t = its place in its group of four, where the instructions speak
// of t and t + 4. Of a tile it so holds two neighbours.
#pragma once

#include "kernels/spgemm/blocks/arithmetic.cuh"

namespace sptune::cuda {

template <class V>
struct alignas(2 * sizeof(V)) TwoOf {
    V x, y;
};

/// In double, which is exact for the products of u32 that matter, see Arithmetic.
template <class V>
struct Tensor {
    using Sum = double;
    struct Left {
        double of[4];
        __device__ Left(const TwoOf<V>& upper, const TwoOf<V>& lower)
            : of{static_cast<double>(upper.x), static_cast<double>(lower.x),
                 static_cast<double>(upper.y), static_cast<double>(lower.y)} {}
    };
    struct Right {
        double of[2];
        explicit __device__ Right(const TwoOf<V>& two)
            : of{static_cast<double>(two.x), static_cast<double>(two.y)} {}
    };

    static __device__ void multiply_add(Sum (&c)[4], const Left& a, const Right& b) {
        asm(
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a.of[0]), "d"(a.of[1]), "d"(a.of[2]), "d"(a.of[3]), "d"(b.of[0]), "d"(b.of[1]));
    }
};

/// In three products of TF32, numbers of 11 bits: x = high + low, and what low·low would add is
/// below the rounding of f32. Tensor cores cut sums off instead of rounding them, which would drift
/// over thousands of steps; so each step begins at zero and is added by a rounded addition.
template <>
struct Tensor<float> {
    using Sum = float;
    struct Halves {
        unsigned high, low;
        /// Rounded, so that low has 12 bits at most and either sign.
        explicit __device__ Halves(float x) {
            high = __float_as_uint(x) + 0x1000u & 0xffffe000u;
            low = __float_as_uint(x - __uint_as_float(high));
        }
    };
    struct Left {
        Halves of[4];
        __device__ Left(const TwoOf<float>& upper, const TwoOf<float>& lower)
            : of{Halves(upper.x), Halves(lower.x), Halves(upper.y), Halves(lower.y)} {}
    };
    struct Right {
        Halves of[2];
        explicit __device__ Right(const TwoOf<float>& two) : of{Halves(two.x), Halves(two.y)} {}
    };

    static __device__ void multiply_add(Sum (&c)[4], const Left& a, const Right& b) {
        float sum[4] = {};
        add<&Halves::low, &Halves::high>(sum, a, b);
        add<&Halves::high, &Halves::low>(sum, a, b);
        add<&Halves::high, &Halves::high>(sum, a, b);
#pragma unroll
        for (int i = 0; i < 4; ++i) c[i] += sum[i];
    }

  private:
    template <unsigned Halves::*A, unsigned Halves::*B>
    static __device__ void add(float (&c)[4], const Left& a, const Right& b) {
        asm(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a.of[0].*A), "r"(a.of[1].*A), "r"(a.of[2].*A), "r"(a.of[3].*A), "r"(b.of[0].*B),
              "r"(b.of[1].*B));
    }
};

}  // namespace sptune::cuda
