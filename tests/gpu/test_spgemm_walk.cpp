// Private: every kernel of the registry on every awkward pair.
#include "kernels/spgemm/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tests/kernels/spgemm_cases.hpp"

#include <chrono>
#include <cstdlib>
#include <map>

using namespace sptune;

template <class T, class P>
Csr<T, P> to_host(CsrView<T, P> c) {
    Csr<T, P> h{c.rows, c.cols, Buffer<P>(static_cast<std::size_t>(c.rows) + 1, 0), Buffer<index_t>(static_cast<std::size_t>(c.entries)),
                Buffer<T>(static_cast<std::size_t>(c.entries))};
    if (c.rows > 0) SPTUNE_CUDA(cudaMemcpy(h.row_ptr.data(), c.row_ptr, h.row_ptr.size() * sizeof(P), cudaMemcpyDeviceToHost));
    if (c.entries > 0) {
        SPTUNE_CUDA(cudaMemcpy(h.col_idx.data(), c.col_idx, h.col_idx.size() * sizeof(index_t), cudaMemcpyDeviceToHost));
        SPTUNE_CUDA(cudaMemcpy(h.values.data(), c.values, h.values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
    return h;
}

template <class T, class P>
void walk(const char* only) {
    auto cases = awkward_pairs<T, P>();
    std::vector<std::pair<DeviceCsr<T, P>, DeviceCsr<T, P>>> device;
    for (auto& c : cases) device.emplace_back(DeviceCsr<T, P>(c.a.view()), DeviceCsr<T, P>(c.b.view()));
    std::map<std::string, double> spent;
    std::size_t n = 0, failures = 0, runs = 0, illegal = 0;
    for (const auto& k : spgemm_kernels<T, P>(Backend::cuda)) {
        if (only && !matches(k.variant.id(), only)) continue;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto& c = cases[i];
            SpgemmProblem<T, P> p = c.problem();
            p.a = device[i].first.view(), p.b = device[i].second.view();
            const auto t0 = std::chrono::steady_clock::now();
            const auto f = k.inspect(p, k.variant.params);
            if (!f.illegal.empty()) { ++illegal; continue; }
            SpgemmOptions o;
            const auto which = (n++) % 4;
            o.sorted = which != 1;
            o.drop_zeros = which == 2;
            if (which == 3)
                o.memory_bytes = c.reference.col_idx.size() * (12 + 3 * sizeof(T)) + 4096 + static_cast<std::size_t>(c.a.rows) * 8;
            std::string problem;
            try {
                std::unique_ptr<SpgemmOperands> s;
                if (k.prepare) s = k.prepare(p, k.variant.params, 1);
                const auto product = k.multiply(p, s.get(), k.variant.params, o, {});
                const auto h = to_host(product->view());
                problem = product_problem(h.view(), c.reference, c.b.cols, o.sorted, o.drop_zeros);
            } catch (const OutOfMemory& e) {
                if (which != 3) problem = e.what();
            }
            ++runs;
            spent[k.variant.algorithm] += std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
            if (!problem.empty() && ++failures < 30) ADD_FAILURE() << k.variant.id() << " on " << c.name << " option " << which << ": " << problem;
        }
    }
    for (auto& [name, s] : spent) std::printf("%-14s %.2f s\n", name.c_str(), s);
    std::printf("%zu runs, %zu illegal, %zu failures\n", runs, illegal, failures);
}

TEST(SpgemmWalk, F64) { SPTUNE_NEEDS_GPU(); walk<double, std::int32_t>(std::getenv("ONLY")); }
TEST(SpgemmWalk, F32) { SPTUNE_NEEDS_GPU(); walk<float, std::int32_t>(std::getenv("ONLY")); }
TEST(SpgemmWalk, F64I64) { SPTUNE_NEEDS_GPU(); walk<double, std::int64_t>(std::getenv("ONLY")); }
