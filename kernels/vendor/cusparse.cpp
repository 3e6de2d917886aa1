// cuSPARSE's SpMV as candidates: what the library that was found really does.
#include "kernels/kernel_list.hpp"
#include "kernels/vendor/cusparse_formats.hpp"
#include "kernels/vendor/vendor.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
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
    QuietStderr()
        : lock_(mutex()),
          old_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)),
          none_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
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
    /// Of two at a time, one would restore what the other has put there.
    static std::mutex& mutex() {
        static std::mutex& one = lasting<std::mutex>();
        return one;
    }
    std::lock_guard<std::mutex> lock_;
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
    } catch (const OutOfMemory&) {  // says nothing of cuSPARSE
        throw;
    } catch (const Error&) {
        SPTUNE_CUDA(cudaDeviceSynchronize());  // throws where the device itself has failed
        return false;
    }
    const Buffer<T> result = y.to_host();
    return std::equal(result.begin(), result.end(), ones.begin());
}

/// H200, CUDA 13: listing all kernels took 41 to 54 ms with it, 2.3 to 3.4 ms without.
constexpr double kStartUs = 45'000;
std::atomic<bool> started{false};

/// Why the format cannot be used at all; empty if it can. Loading the library and starting it take
/// long, so nobody asks before one of its kernels is about to be used.
template <class Format, class T, class P>
const std::string& obstacle() {
    static const std::string& found = lasting([] {
        started = true;
        if (!library().loaded) return "cuSPARSE: " + library().status;
        const std::string format = std::string(Format::algorithm) + " of these types";
        if (!Format::exists()) return library().status + " has no " + format;
        return works<Format, T, P>(Format::layouts().front())
                   ? std::string()
                   : library().status + " refuses " + format;
    });
    return found;
}

template <class Format, class T, class P>
Footprint inspect(CsrView<T, P> a, const Features& features, const Params& params) {
    const std::string& why = obstacle<Format, T, P>();
    if (why.empty()) return Format::template inspect<T, P>(a, features, params);
    Footprint f;
    f.illegal = why;
    return f;
}

template <class Format, class T, class P>
void add_format(KernelList<T>& list) {
    for (const Params& layout : Format::layouts()) {
        add_kernel<Format, T, P>(list, Format::algorithm, layout, {}, &multiply<T, P>,
                                 layout == Format::deterministic());
        SpmvKernel<T, P>& kernel = list.template of<P>().back();
        kernel.inspect = &inspect<Format, T, P>;
        kernel.variant.vendor = true;
        kernel.variant.layout =
            kernel.variant.format + "." + Format::algorithm + "." + to_string(layout);
    }
}

template <class T, class P>
void add_all(KernelList<T>& list) {
    if (!list.template wants<P>()) return;
    // Repeats to the bit are promised of CSR ALG2 and COO ALG2 alone.
    add_format<CsrFormat, T, P>(list);
    add_format<CooFormat, T, P>(list);
    add_format<SellFormat, T, P>(list);
    add_format<BsrFormat, T, P>(list);
}

template <class T>
void add(KernelList<T>& list) {
    add_all<T, std::int32_t>(list);
    add_all<T, std::int64_t>(list);
}

}  // namespace

double cusparse_start_us() {
    return started ? 0 : kStartUs;
}

void add_cusparse_kernels(KernelList<float>& list) {
    add(list);
}
void add_cusparse_kernels(KernelList<double>& list) {
    add(list);
}

}  // namespace sptune
