// Registers a kernel twice where it runs on all threads or on one.
#pragma once

#include "kernels/axes.hpp"
#include "kernels/kernel_list.hpp"

namespace sptune {

/// `make(serial)` returns the kernel for std::true_type (one thread) or std::false_type (all).
template <class Format, class T, class Make>
void add_for_workers(KernelList<T>& list, const std::string& algorithm, const Params& layout,
                     const Params& rest, Make make) {
    for_each_point(Workers{}, [&]<class W>(W w) {
        Params params = rest;
        params.push_back(w.params().front());
        add_kernel_for_all_indices<Format, T>(
            list, algorithm, layout, params,
            make(std::bool_constant<W::template get<workers>() == 1>{}));
    });
}

}  // namespace sptune
