// Every CUDA kernel of the registry against the serial reference, on awkward matrices. A kernel
// that is legal for none of them fails: no variant without an equivalence test.
//
// $SPTUNE_TEST_VARIANTS and $SPTUNE_TEST_MATRICES (globs of ids and names) choose some of them, for
// compute-sanitizer; then kernels that never ran are no failure.
#include "kernels/registry.hpp"
#include "kernels/safe.hpp"
#include "kernels/spmv/tiles2d/cuda_format.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/near_columns.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tests/gpu/spmv_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <span>

namespace sptune {
namespace {

/// Too many entries, or columns, for all kernels; one format is legal for nothing less.
const std::string kHubs = "hub columns", kStrips = "strips of columns",
                  kTiles = "scattered, a row is long";

const char* kernels_for(const std::string& name) {
    return name == kHubs     ? "*.hub.*"
           : name == kStrips ? "*.strips.*"
           : name == kTiles  ? "*.tiles2d.*"
                             : "*";
}

template <class T, class P>
std::vector<Case<T, P>> all_cases() {
    auto all = awkward<T, P>();
    const auto add = [&](std::string name, index_t cols, const Rows& rows) {
        all.push_back(make<T, P>(std::move(name), cols, rows));
    };
    Rows growing(201);
    for (index_t i = 0; i <= 200; ++i) growing[i] = every(i * 25);
    add("rows of 0 to 5000", 5001, growing);
    Rows hub = random_rows(1201, 20000, 3, 21);
    hub[0] = every(20000, 3);
    hub[600] = every(20000);
    hub[1200] = every(20000, 7);
    add("long rows among short ones", 20000, hub);
    add("scattered over 70000 columns", 70000, random_rows(331, 70000, 9, 22));
    add("many rows", 40009, banded_rows(40009, {-1, 0, 1}));
    add("single entries", 3001, random_rows(3001, 3001, 0.2, 23));
    add("a multiple of 24", 240, random_rows(240, 240, 7, 24));
    Rows twice = random_rows(150, 120, 5, 25);
    for (auto& row : twice)
        if (!row.empty()) row.insert(row.begin(), row.front());
    add("duplicates", 120, twice);
    for (auto& row : twice)
        if (!row.empty()) row.push_back(row.front());
    add("duplicates apart", 120, twice);
    all.push_back(hub_columns<T, P>(kHubs));
    constexpr index_t kWide = 9'000'003;  // of the widest strips, two are needed
    Rows wide = random_rows(1001, kWide, 12, 27);
    wide[3] = every(kWide, 1000), wide[4].clear(), wide[1000] = every(kWide, 9999);
    add(kStrips, kWide, wide);
    // Of the widest bands of tiles2d, each multiprocessor has one.
    constexpr index_t kTileRows = 40009;
    const auto least = std::int64_t{cuda::multiprocessors()} * cuda::kMostBandColumns / kTileRows;
    Rows scattered = random_rows(kTileRows, 90001, static_cast<double>(least) + 2, 28);
    scattered[5] = every(90001), scattered[6].clear(), scattered[40000] = every(90001, 2);
    add(kTiles, 90001, scattered);
    for (const Family& family : families()) {
        const std::string name(family.name);
        Case<T, P> c;
        c.name = "family " + name;
        c.a = generate<T, P>({name, {{"rows", 900}}, 7});
        c.solve();
        all.push_back(std::move(c));
    }
    const std::string wanted = glob("SPTUNE_TEST_MATRICES");
    std::erase_if(all, [&](const auto& c) { return !matches(c.name, wanted); });
    return all;
}

/// The converted forms of one matrix, by layout, and why others cannot be had.
template <class T, class P>
class Shelf {
  public:
    Shelf(const Case<T, P>& c, CsrView<T, P> a) : c_(c), a_(a) {}

    /// nullptr where the layout is illegal, or too large for a test.
    const Storage* get(const SpmvKernel<T, P>& kernel) {
        const auto [place, fresh] = storages_.try_emplace(kernel.variant.layout);
        if (!fresh) return place->second.get();
        const Footprint f = kernel.inspect(a_, c_.features, kernel.variant.params);
        constexpr std::uint64_t kMost = std::uint64_t{160} << 20;
        if (!f.illegal.empty() || f.storage_bytes > kMost) return nullptr;
        place->second = kernel.convert(a_, kernel.variant.params, 1);
        const Storage& s = *place->second;
        EXPECT_GE(s.stored(), static_cast<std::uint64_t>(a_.nnz())) << kernel.variant.layout;
        EXPECT_LE(f.moved_bytes, s.bytes()) << kernel.variant.layout << " on " << c_.name;
        if (!kernel.variant.vendor) {  // what a library holds is its own affair
            EXPECT_LE(s.held_bytes(), f.storage_bytes)
                << kernel.variant.layout << " on " << c_.name;
        }
        return &s;
    }

  private:
    const Case<T, P>& c_;
    CsrView<T, P> a_;
    std::map<std::string, std::unique_ptr<Storage>> storages_;
};

template <class Types>
class SpmvGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(SpmvGpu, AllTypes);

/// Visits every chosen kernel on every case that it is legal for. After an error of the device
/// nothing can run any more, so the first one ends the test.
template <class T, class P, class Visit>
void for_each_legal(const std::vector<Case<T, P>>& cases, Visit visit) {
    const std::string wanted = glob("SPTUNE_TEST_VARIANTS");
    std::map<std::string, int> runs;
    std::int64_t legal = 0, skipped = 0;
    for (const auto& c : cases) {
        SpmvRuns<T, P> device(c);
        Shelf<T, P> shelf(c, device.view());
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            const std::string id = kernel.variant.id();
            if (!matches(id, wanted)) continue;
            int& count = runs[id];
            if (!matches(id, kernels_for(c.name))) continue;
            try {
                const Storage* storage = shelf.get(kernel);
                ++(storage ? legal : skipped);
                if (!storage) continue;
                ++count;
                if (const std::string wrong = visit(device, kernel, *storage); !wrong.empty())
                    ADD_FAILURE() << id << " on '" << c.name << "': " << wrong;
            } catch (const Error& e) {
                ADD_FAILURE() << id << " on '" << c.name << "': " << e.what();
                if (cudaDeviceSynchronize() != cudaSuccess) return;
            }
            constexpr int kEnough = 25;
            const auto* now = testing::UnitTest::GetInstance()->current_test_info();
            ASSERT_LT(now->result()->total_part_count(), kEnough) << "too many failures, stopping";
        }
    }
    std::cout << runs.size() << " kernels, " << cases.size() << " matrices: " << legal
              << " legal pairs, " << skipped << " illegal ones skipped\n";
    if (wanted != "*" || glob("SPTUNE_TEST_MATRICES") != "*") return;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        const std::string id = kernel.variant.id();
        // What cuSPARSE refuses is its own affair.
        const bool excused = kernel.variant.format == "cusparse" ||
                             (keeps_columns_near(kernel) && !has_room(kernel));
        EXPECT_TRUE(runs[id] > 0 || excused) << id << " was never legal and so never tested";
    }
}

TYPED_TEST(SpmvGpu, EveryKernelEqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    for_each_legal(all_cases<T, P>(), [&](auto& device, const auto& kernel, const Storage& s) {
        return device.wrong(kernel, s, stream);
    });
}

TYPED_TEST(SpmvGpu, EveryKernelCanBePartOfAGraph) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    auto cases = all_cases<T, P>();
    // One for banded and one for scattered layouts, and one that fits blocks.
    std::erase_if(cases, [](const auto& c) {
        return c.name != "band" && c.name != "8x8 blocks" &&
               c.name != "long rows among short ones" && c.name != kHubs && c.name != kTiles;
    });
    const std::string wanted = glob("SPTUNE_TEST_VARIANTS");
    for (const auto& c : cases) {
        SpmvRuns<T, P> device(c);
        Shelf<T, P> shelf(c, device.view());
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            const std::string id = kernel.variant.id();
            if (!matches(id, wanted) || !matches(id, kernels_for(c.name))) continue;
            const Storage* storage = shelf.get(kernel);
            if (!storage) continue;
            ASSERT_EQ(device.wrong(kernel, *storage, stream), "") << id << " on " << c.name;
            ASSERT_EQ(device.wrong_in_graph(kernel, *storage, stream), "")
                << id << " on " << c.name;
        }
    }
}

TYPED_TEST(SpmvGpu, NoRowsNeedNoArrays) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const index_t cols : {0, 70000}) {
        const CsrView<T, P> none{0, cols, nullptr, nullptr, nullptr, 0};
        const DeviceBuffer<T> x(static_cast<std::size_t>(cols));
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            SCOPED_TRACE(kernel.variant.id());
            const Params& params = kernel.variant.params;
            if (!kernel.inspect(none, {}, params).illegal.empty()) continue;
            const auto storage = kernel.convert(none, params, 1);
            kernel.apply(*storage, T{1}, x.data(), T{0}, nullptr, {});
        }
    }
    SPTUNE_CUDA(cudaDeviceSynchronize());
}

TYPED_TEST(SpmvGpu, TheRegistryIsInOrder) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    std::set<std::string> ids;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        const Variant& v = kernel.variant;
        EXPECT_TRUE(ids.insert(v.id()).second) << v.id() << " is there twice";
        EXPECT_EQ(v.backend, Backend::cuda);
        EXPECT_TRUE(kernel.inspect && kernel.convert && kernel.apply) << v.id();
        EXPECT_EQ(v.layout.find(v.format), 0u) << v.id();
        EXPECT_EQ(v.kernel_hash.size(), v.vendor ? 0u : 12u) << v.id();
    }
    EXPECT_TRUE(
        ids.contains(spmv_baseline_id(Backend::cuda, value_type_of<T>(), index_type_of<P>())));
    for (const Variant& v : all_safe(Backend::cuda, value_type_of<T>(), index_type_of<P>()))
        EXPECT_TRUE(ids.contains(v.id())) << v.id();
}

/// cuSPARSE's kernels are legal only where they multiply by the identity, so a mistake of ours
/// could make them disappear without a word.
TYPED_TEST(SpmvGpu, CusparseIsUsedWhereItCouldBeLoaded) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const bool loaded = cusparse_status().starts_with("cuSPARSE");
    const Csr<T, P> host = generate<T, P>({"stencil-2d-5", {{"rows", 24}}, 1});
    const DeviceCsr<T, P> a(host.view());
    std::map<std::string, int> legal;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        if (!kernel.variant.vendor) continue;
        const Footprint f = kernel.inspect(a.view(), {}, kernel.variant.params);
        if (f.illegal.empty()) ++legal[kernel.variant.algorithm];
        const bool remedy = f.illegal.find("SPTUNE_CUSPARSE") != std::string::npos;
        EXPECT_EQ(remedy, !loaded) << f.illegal;
    }
    EXPECT_EQ(vendor_start_us(Backend::cuda), 0) << "it has been looked at";
    std::cout << cusparse_status() << ":";
    for (const auto& [algorithm, count] : legal) std::cout << " " << algorithm << " " << count;
    std::cout << "\n";
    if (index_type_of<P>() == IndexType::i64) return;  // whether it takes them is its own affair
    EXPECT_EQ(legal["csr"], loaded ? 2 : 0);
    EXPECT_EQ(legal["coo"], loaded ? 2 : 0);
    EXPECT_EQ(legal["sell"], loaded ? 7 : 0);
}

}  // namespace
}  // namespace sptune
