// Registers a kernel twice where it runs on all threads or on one.
#pragma once

#include "kernels/axes.hpp"
#include "kernels/kernel_list.hpp"

namespace sptune {

/// `kernel` on the calling thread alone. It is not compiled a second time for that.
template <auto kernel, class T>
void on_one_thread(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch) {
    kernel(storage, alpha, x, beta, y, {1});
}

/// `kernel` as the workers of a point of a grid run it.
template <class Point, auto kernel, class T>
constexpr ApplyFunction<T> for_workers() {
    return Point::template get<workers>() == 1 ? &on_one_thread<kernel, T> : kernel;
}

template <class Format, auto kernel, class T>
void add_for_workers(KernelList<T>& list, const std::string& algorithm, const Params& layout,
                     const Params& rest) {
    for_each_point(Workers{}, [&]<class Point>(Point p) {
        Params params = rest;
        params.push_back(p.params().front());
        add_kernel_for_all_indices<Format, T>(list, algorithm, layout, params,
                                              for_workers<Point, kernel, T>());
    });
}

}  // namespace sptune
