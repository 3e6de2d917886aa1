// cuSPARSE's SpMV as candidates: what the library that was found really does.
#include "kernels/kernel_list.hpp"
#include "kernels/vendor/cusparse_formats.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/cuda/device_csr.hpp"

#include <algorithm>
#include <numeric>

#include <fcntl.h>
#include <unistd.h>

namespace sptune {
namespace {

using namespace cusparse;

/// cuSPARSE writes what it refuses on stderr, which no switch of it prevents. Nobody needs to read
/// that of a question that we only ask to find out.
class QuietStderr {
  public:
    QuietStderr() : old_(dup(STDERR_FILENO)), none_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
        if (old_ >= 0 && none_ >= 0) dup2(none_, STDERR_FILENO);
    }
    QuietStderr(const QuietStderr&) = delete;
    QuietStderr& operator=(const QuietStderr&) = delete;
    ~QuietStderr() {
        if (old_ >= 0 && none_ >= 0) dup2(old_, STDERR_FILENO);
        if (old_ >= 0) close(old_);
        if (none_ >= 0) close(none_);
    }

  private:
    int old_, none_;
};

/// Whether y = I x comes out. What a version of cuSPARSE takes (BSR; 64-bit row pointers beside
/// 32-bit columns) is not known before it is asked, and the documentation describes only one.
template <class Format, class T, class P>
bool works(const Params& params) {
    constexpr index_t n = 24;  // a multiple of every block size
    Buffer<P> row_ptr(n + 1);
    Buffer<index_t> column(n);
    std::iota(row_ptr.begin(), row_ptr.end(), P{0});
    std::iota(column.begin(), column.end(), 0);
    const Buffer<T> ones(n, T{1});
    const DeviceCsr<T, P> a(CsrView<T, P>{n, n, row_ptr.data(), column.data(), ones.data()});
    const DeviceBuffer<T> x(ones);
    DeviceBuffer<T> y(n);
    y.fill_bytes(0xff);  // NaN
    try {
        const QuietStderr quiet;
        const auto storage = Format::template convert<T, P>(a.view(), params, 1);
        multiply<T, P>(*storage, T{1}, x.data(), T{0}, y.data(), Launch{});
    } catch (const Error&) {
        SPTUNE_CUDA(cudaDeviceSynchronize());  // throws where the device itself has failed
        return false;
    }
    const Buffer<T> result = y.to_host();
    return std::equal(result.begin(), result.end(), ones.begin());
}

/// Adds one variant for each of `layouts`, of which `deterministic` is said to repeat to the bit.
template <class Format, class T, class P>
void add_format(KernelList<T>& list, const std::string& algorithm,
                const std::vector<Params>& layouts, const Params& deterministic = {}) {
    if (!works<Format, T, P>(layouts.front())) return;
    for (const Params& layout : layouts) {
        add_kernel<Format, T, P>(list, algorithm, layout, {}, &multiply<T, P>,
                                 layout == deterministic);
        Variant& v = list.template of<P>().back().variant;
        v.vendor = true;
        v.layout = v.format + "." + algorithm + "." + to_string(layout);
    }
}

template <class T, class P>
void add_all(KernelList<T>& list) {
    // Repeats to the bit are promised of CSR ALG2 and COO ALG2 alone.
    const std::vector<Params> algorithms{{{"o", 1}}, {{"o", 2}}};
    add_format<CsrFormat, T, P>(list, "csr", algorithms, algorithms.back());
    add_format<CooFormat, T, P>(list, "coo", algorithms, algorithms.back());
    if (library().CreateConstSlicedEll) {
        std::vector<Params> slices;
        for (const int c : {2, 4, 8, 16, 32, 64, 128}) slices.push_back({{"c", c}});
        add_format<SellFormat, T, P>(list, "sell", slices);
    }
    if (library().CreateConstBsr) {
        std::vector<Params> blocks;
        for (const int size : {2, 3, 4, 8}) blocks.push_back({{"r", size}, {"c", size}});
        add_format<BsrFormat, T, P>(list, "bsr", blocks);
    }
}

template <class T>
void add(KernelList<T>& list) {
    if (!library().loaded) return;
    add_all<T, std::int32_t>(list);
    add_all<T, std::int64_t>(list);
}

}  // namespace

void add_cusparse_kernels(KernelList<float>& list) {
    add(list);
}
void add_cusparse_kernels(KernelList<double>& list) {
    add(list);
}

}  // namespace sptune
