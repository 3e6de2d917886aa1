// Neighbouring numbers in one load or store.
#pragma once

#include "kernels/cuda/matrix_load.cuh"

namespace sptune::cuda {

template <class T, int N>
struct PackOf;
template <>
struct PackOf<float, 2> {
    using type = float2;
};
template <>
struct PackOf<float, 4> {
    using type = float4;
};
template <>
struct PackOf<double, 2> {
    using type = double2;
};

/// `p` is aligned to N numbers.
template <int N, class T>
__device__ __forceinline__ void load_pack(MatrixLoad load, const T* p, T (&v)[N]) {
    if constexpr (N == 1) {
        v[0] = load(p);
    } else {
        const auto pack = load(reinterpret_cast<const typename PackOf<T, N>::type*>(p));
        v[0] = pack.x, v[1] = pack.y;
        if constexpr (N == 4) v[2] = pack.z, v[3] = pack.w;
    }
}

/// In one store where `p` is aligned.
template <int N, class T>
__device__ __forceinline__ void store_pack(T* p, const T (&v)[N]) {
    if constexpr (N > 1) {
        using Pack = typename PackOf<T, N>::type;
        if (reinterpret_cast<std::uintptr_t>(p) % sizeof(Pack) == 0) {
            Pack pack;
            pack.x = v[0], pack.y = v[1];
            if constexpr (N == 4) pack.z = v[2], pack.w = v[3];
            *reinterpret_cast<Pack*>(p) = pack;
            return;
        }
    }
#pragma unroll
    for (int r = 0; r < N; ++r) p[r] = v[r];
}

}  // namespace sptune::cuda
