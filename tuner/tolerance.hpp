// How far from the reference a row of y = αAx + βy may be; on the host as on a GPU.
#pragma once

#ifdef __CUDACC__
#define SPTUNE_HOST_DEVICE __host__ __device__
#else
#define SPTUNE_HOST_DEVICE
#endif

namespace sptune::tuner {

/// `reference` and `bound` are of A x (see Problem), `epsilon` is that of the value type.
struct Tolerance {
    double alpha, beta, epsilon;

    SPTUNE_HOST_DEVICE double expected(double reference, double y0) const {
        return alpha * reference + beta * y0;
    }
    SPTUNE_HOST_DEVICE double allowed(double bound, double y0) const {
        const double old = beta * y0;
        return (alpha < 0 ? -alpha : alpha) * bound + 4 * epsilon * (old < 0 ? -old : old);
    }
};

}  // namespace sptune::tuner
