// Every CUDA SpGEMM kernel of the registry against the serial reference. $SPTUNE_TEST_VARIANTS and
// $SPTUNE_TEST_MATRICES (shell patterns) choose among them.
#include "kernels/spgemm/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tests/kernels/spgemm_cases.hpp"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>

namespace sptune {
namespace {

std::string glob(const char* variable) {
    const char* given = std::getenv(variable);
    return given ? given : "*";
}

/// What the GPU's bins and tables make awkward.
template <class T, class P>
std::vector<PairCase<T, P>> all_pairs() {
    auto all = awkward_pairs<T, P>();
    const auto add = [&](std::string name, Csr<T, P> a, Csr<T, P> b) {
        all.push_back({std::move(name), std::move(a), std::move(b), {}, {}});
        all.back().solve();
    };
    const auto rows = [](index_t cols, const Rows& list) {
        return std::move(make<T, P>("", cols, list).a);
    };
    // One row of C for every number of products up to 300, and then some: every class of rows.
    Rows growing(1300);
    for (index_t i = 0; i < 1300; ++i) growing[i] = every(std::min(i, 300 + (i - 300) / 8), 1);
    Rows single(5000);
    for (index_t i = 0; i < 5000; ++i) single[i] = {(i * 7) % 5000};
    add("rows of 0 to 425 products", rows(5000, growing), rows(5000, single));
    Rows twice(5000);
    for (index_t i = 0; i < 5000; ++i) twice[i] = {i / 3, 900 + i / 2};
    add("rows of 0 to 850 products that meet", rows(5000, growing), rows(5000, twice));
    Rows stairs(60);
    for (index_t i = 0; i < 60; ++i) stairs[i] = every(i * 100 % 5901);
    add("rows of 0 to 5900", rows(5901, stairs), rows(5901, banded_rows(5901, {-2, 0, 3})));
    add("one dense row of 5000", rows(5000, {every(5000), {}, {7}, {4999}}),
        rows(5000, random_rows(5000, 5000, 2, 41)));
    // Heavier than the largest table and wider than the largest bitmap: windows of columns.
    add("heavy and wide", rows(2500, {every(2500), {1, 2, 3}, every(2500, 2)}),
        rows(3'000'000, random_rows(2500, 3'000'000, 4, 42)));
    Rows long_ones = random_rows(100, 3'000'000, 300, 47);
    for (auto& row : long_ones) std::ranges::sort(row);
    add("windows of long rows", rows(100, {every(100), {7}, every(100, 2)}),
        rows(3'000'000, long_ones));
    for (auto& row : long_ones) std::ranges::reverse(row);
    add("windows of unsorted rows", rows(100, {every(100), every(100, 2)}),
        rows(3'000'000, long_ones));
    add("heavy over 100000 columns", rows(2500, {every(2500), {1, 2, 3}, every(2500, 2)}),
        rows(100'000, random_rows(2500, 100'000, 9, 43)));
    add("few columns, many products", rows(3000, Rows(5, every(3000))),
        rows(30, random_rows(3000, 30, 12, 44)));
    add("middling and wide", rows(900, random_rows(60, 900, 60, 45)),
        rows(400'000, random_rows(900, 400'000, 20, 46)));
    add("unsorted rows", rows(40, Rows(40, {39, 3, 17, 0})),
        rows(900, Rows(40, {880, 2, 500, 77})));
    add("long rows", rows(9000, {every(9000), every(9000, 3), {5}}), rows(40, Rows(9000, {3, 39})));
    for (const char* family : {"power-law", "rmat", "fem", "stencil-2d-5", "wheel"}) {
        auto a = generate<T, P>({family, {{"rows", 1500}}, 7});
        auto b = transposed(transposed(a.view()).view());
        add(std::string("family ") + family, std::move(a), std::move(b));
    }
    const std::string wanted = glob("SPTUNE_TEST_MATRICES");
    std::erase_if(all, [&](const auto& c) { return !matches(c.name, wanted); });
    return all;
}

template <class T, class P>
struct OnDevice {
    DeviceCsr<T, P> a, b;
    SpgemmProblem<T, P> problem;

    explicit OnDevice(const PairCase<T, P>& c)
        : a(c.a.view()), b(c.b.view()), problem(c.problem()) {
        problem.a = a.view();
        problem.b = b.view();
    }
};

template <class T, class P>
Csr<T, P> to_host(CsrView<T, P> c) {
    const auto entries = static_cast<std::size_t>(c.nnz());
    Csr<T, P> h{c.rows, c.cols, Buffer<P>(static_cast<std::size_t>(c.rows) + 1),
                Buffer<index_t>(entries), Buffer<T>(entries)};
    SPTUNE_CUDA(cudaMemcpy(h.row_ptr.data(), c.row_ptr, h.row_ptr.bytes(), cudaMemcpyDeviceToHost));
    if (entries == 0) return h;
    SPTUNE_CUDA(cudaMemcpy(h.col_idx.data(), c.col_idx, h.col_idx.bytes(), cudaMemcpyDeviceToHost));
    SPTUNE_CUDA(cudaMemcpy(h.values.data(), c.values, h.values.bytes(), cudaMemcpyDeviceToHost));
    return h;
}

template <class T, class P>
Csr<T, P> run(const SpgemmKernel<T, P>& kernel, const SpgemmProblem<T, P>& problem,
              const SpgemmOptions& options, void* stream) {
    const Params& params = kernel.variant.params;
    std::unique_ptr<SpgemmOperands> operands;
    if (kernel.prepare) operands = kernel.prepare(problem, params, 1);
    const auto product =
        kernel.multiply(problem, operands.get(), params, options, {.threads = 1, .stream = stream});
    const auto view = product->view();
    Csr<T, P> c = to_host(view);
    if (c.row_ptr[static_cast<std::size_t>(c.rows)] != view.nnz())
        throw Error("the row pointer does not end with the number of entries");
    return c;
}

template <class Types>
class SpgemmGpu : public ::testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = ::testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                  std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(SpgemmGpu, AllTypes);

TYPED_TEST(SpgemmGpu, EveryKernelEqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    cudaStream_t stream = nullptr;
    SPTUNE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const std::string wanted = glob("SPTUNE_TEST_VARIANTS");
    std::map<std::string, int> legal;
    int runs = 0, failures = 0;
    const auto cases = all_pairs<T, P>();
    for (const auto& c : cases) {
        const OnDevice<T, P> device(c);
        // Checking millions of entries takes a second: one kernel of each algorithm does.
        const bool large = c.reference.col_idx.size() > 500'000;
        std::set<std::string> seen;
        for (const auto& kernel : spgemm_kernels<T, P>(Backend::cuda)) {
            const std::string id = kernel.variant.id();
            if (!matches(id, wanted)) continue;
            if (large && !seen.insert(kernel.variant.algorithm).second) continue;
            int& count = legal[id];
            if (!is_worth_while(kernel.inspect(device.problem, kernel.variant.params))) continue;
            ++count;
            for (const SpgemmOptions options :
                 {SpgemmOptions{true, false}, SpgemmOptions{false, false},
                  SpgemmOptions{true, true}}) {
                std::string wrong;
                try {
                    const auto product =
                        run(kernel, device.problem, options, options.sorted ? nullptr : stream);
                    wrong = product_problem(product.view(), c.reference, c.b.cols, options.sorted,
                                            options.drop_zeros);
                } catch (const Error& e) {
                    wrong = e.what();
                    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess)
                        << id << " on '" << c.name << "': " << wrong;
                }
                ++runs;
                if (wrong.empty()) continue;
                ADD_FAILURE() << id << " on '" << c.name << "', sorted " << options.sorted
                              << ", drop " << options.drop_zeros << ": " << wrong;
                ASSERT_LT(++failures, 25) << "too many failures, stopping";
            }
        }
    }
    cudaStreamDestroy(stream);
    std::cout << legal.size() << " kernels, " << cases.size() << " pairs: " << runs
              << " products\n";
    if (wanted != "*" || glob("SPTUNE_TEST_MATRICES") != "*") return;
    for (const auto& [id, count] : legal)
        EXPECT_GT(count, 0) << id << " was never legal and so never tested";
}

TYPED_TEST(SpgemmGpu, DeterministicKernelsRepeatToTheBit) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    PairCase<T, P> c;
    c.a = make<T, P>("", 700, random_rows(3000, 700, 12, 9)).a;
    c.b = make<T, P>("", 900, random_rows(700, 900, 11, 10)).a;
    c.solve();
    const OnDevice<T, P> device(c);
    for (const auto& kernel : spgemm_kernels<T, P>(Backend::cuda)) {
        if (!kernel.variant.deterministic || kernel.variant.vendor) continue;
        if (!is_worth_while(kernel.inspect(device.problem, kernel.variant.params))) continue;
        const auto first = run(kernel, device.problem, {}, nullptr);
        for (int again = 0; again < 3; ++again) {
            const auto second = run(kernel, device.problem, {}, nullptr);
            ASSERT_EQ(first.values.size(), second.values.size());
            ASSERT_EQ(std::memcmp(first.values.data(), second.values.data(), first.values.bytes()),
                      0)
                << kernel.variant.id();
        }
    }
}

/// With room for C and little else, kernels count first, work in chunks, or name the bytes; none
/// takes more than it may but for what it takes for every row.
TYPED_TEST(SpgemmGpu, LittleMemoryIsEnoughOrNamesTheBytes) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    PairCase<T, P> c;
    c.a = make<T, P>("", 3000, random_rows(3000, 3000, 40, 9)).a;
    c.b = make<T, P>("", 3000, random_rows(3000, 3000, 40, 10)).a;
    c.solve();
    const OnDevice<T, P> device(c);
    const std::uint64_t of_c = c.reference.col_idx.size() * (sizeof(T) + sizeof(index_t));
    const std::string wanted = glob("SPTUNE_TEST_VARIANTS");
    for (const auto& kernel : spgemm_kernels<T, P>(Backend::cuda)) {
        const std::string id = kernel.variant.id();
        if (kernel.variant.vendor || !matches(id, wanted)) continue;
        if (!is_worth_while(kernel.inspect(device.problem, kernel.variant.params))) continue;
        std::unique_ptr<SpgemmOperands> operands;
        if (kernel.prepare) operands = kernel.prepare(device.problem, kernel.variant.params, 1);
        SpgemmOptions options;
        for (const std::uint64_t bytes : {of_c / 2, of_c + of_c / 20, 3 * of_c}) {
            options.memory_bytes = bytes;
            device_peak_memory();
            const std::uint64_t before = device_peak_memory();
            const auto check_peak = [&] {
                EXPECT_LE(device_peak_memory() - before, bytes + bytes / 50 + (4 << 20))
                    << id << " with " << bytes << " bytes";
            };
            try {
                const auto product = kernel.multiply(device.problem, operands.get(),
                                                     kernel.variant.params, options, {});
                check_peak();
                EXPECT_GT(bytes, of_c) << id << " needs less than C does";
                EXPECT_EQ(product_problem(to_host(product->view()).view(), c.reference, c.b.cols,
                                          true, false),
                          "")
                    << id;
            } catch (const OutOfMemory& e) {
                check_peak();
                EXPECT_GT(e.bytes, 0u) << id;
                // What is ours fits there.
                const bool ours =
                    kernel.variant.algorithm == "hash" || kernel.variant.algorithm == "esc";
                EXPECT_TRUE(bytes < 3 * of_c || !ours) << id << ": " << e.what();
            }
        }
    }
}

TYPED_TEST(SpgemmGpu, TheRegistryIsInOrder) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    std::map<std::string, int> ids;
    for (const auto& kernel : spgemm_kernels<T, P>(Backend::cuda)) {
        const Variant& v = kernel.variant;
        EXPECT_EQ(++ids[v.id()], 1) << v.id() << " is there twice";
        EXPECT_EQ(v.backend, Backend::cuda);
        EXPECT_EQ(v.op, Op::spgemm);
        EXPECT_TRUE(kernel.inspect && kernel.multiply) << v.id();
        EXPECT_EQ(v.kernel_hash.size(), v.vendor ? 0u : 12u) << v.id();
    }
    EXPECT_TRUE(
        ids.contains(spgemm_baseline_id(Backend::cuda, value_type_of<T>(), index_type_of<P>())));
}

}  // namespace
}  // namespace sptune
