// Strips of columns on the GPU: entries lie strip by strip, row by row within each, so that what is
// gathered of x at one time stays in the L2 cache where all of x would not. Each strip that has
// entries of a row adds to it by itself. Known as cache blocking (Nishtala, Vuduc, Demmel, Yelick:
// "When cache blocking of sparse matrix vector multiply works and why", AAECC 18(3), 2007).
#pragma once

#include "kernels/spmv/hub/entry_tiles.hpp"
#include "kernels/spmv/kernel.hpp"

namespace sptune::cuda {

template <class T>
class StripsStorage final : public Storage {
  public:
    index_t rows = 0, cols = 0;
    EntryTiles<T, std::uint32_t> entries;  ///< codes are columns

    std::uint64_t bytes() const override { return entries.bytes(); }
    std::uint64_t stored() const override { return entries.values.size(); }
};

/// Layout parameter m: MiB of x for each strip.
struct StripsFormat {
    static constexpr const char* name = "strips";
    static constexpr Backend backend = Backend::cuda;

    template <class T, class P>
    static Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params);
    template <class T, class P>
    static std::unique_ptr<Storage> convert(CsrView<T, P> a, const Params& params, int threads);
};

}  // namespace sptune::cuda
