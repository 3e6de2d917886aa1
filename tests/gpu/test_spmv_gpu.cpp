// Every CUDA kernel of the registry against the serial reference, on awkward matrices. A kernel
// that is legal for none of them fails: no variant without an equivalence test.
//
// $SPTUNE_TEST_VARIANTS and $SPTUNE_TEST_MATRICES (globs of ids and names) choose some of them, for
// compute-sanitizer; then kernels that never ran are no failure.
#include "kernels/registry.hpp"
#include "kernels/safe.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/hub/popularity.hpp"
#include "kernels/spmv/tiles2d/cuda_format.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/generate.hpp"
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

std::string glob(const char* variable) {
    const char* given = std::getenv(variable);
    return given && *given ? given : "*";
}

/// Too many entries, or columns, for all kernels; one format is legal for nothing less.
const std::string kHubs = "hub columns", kStrips = "strips of columns",
                  kTiles = "scattered, a row is long";

const char* kernels_for(const std::string& name) {
    return name == kHubs     ? "*.hub.*"
           : name == kStrips ? "*.strips.*"
           : name == kTiles  ? "*.tiles2d.*"
                             : "*";
}

/// Each entry is in a column of its own choosing, and a few columns are chosen often.
Rows rows_with_hubs(index_t rows, index_t cols, int length, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Rows out(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) {
        auto& row = out[static_cast<std::size_t>(i)];
        const int n = i % 100 == 7 ? 0 : i % 50 == 3 ? 9 * length : i % 3 ? length : 3;
        for (int e = 0; e < n; ++e) {
            const double u = uniform(random), rank = u * u * u * u * cols;
            // Hubs are anywhere, not at the left.
            row.push_back(static_cast<index_t>(static_cast<std::int64_t>(rank) * 7919 % cols));
        }
        std::sort(row.begin(), row.end());
    }
    return out;
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
    constexpr index_t kHubRows = 20011;
    const auto most = std::int64_t{cuda::multiprocessors()} * cuda::kMostHubColumns;
    add(kHubs, 300007,
        rows_with_hubs(kHubRows, 300007, static_cast<int>(1.3 * most / kHubRows), 26));
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

/// Whether a kernel that keeps many numbers of x in shared memory would have the room. It can be
/// tried on matrices for which it is illegal, since it would never pay.
template <class T, class P>
bool has_room(const SpmvKernel<T, P>& kernel) {
    const Params& params = kernel.variant.params;
    constexpr std::uint64_t kLeastBands = 33 << 10;
    const std::uint64_t bytes =
        kernel.variant.format == "hub"
            ? static_cast<std::uint64_t>(get(params, "k")) * sizeof(T)
            : (static_cast<std::uint64_t>(get(params, "y")) << 10) + kLeastBands;
    return bytes <= cuda::most_shared_bytes();
}
template <class T, class P>
bool keeps_columns_near(const SpmvKernel<T, P>& kernel) {
    return kernel.variant.format == "hub" || kernel.variant.format == "tiles2d";
}

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

TYPED_TEST(SpmvGpu, HubColumnsHoldWhatTheyWereSaidTo) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto cases = all_cases<T, P>();
    const auto c =
        std::find_if(cases.begin(), cases.end(), [](const auto& one) { return one.name == kHubs; });
    if (c == cases.end()) GTEST_SKIP() << "SPTUNE_TEST_MATRICES leaves out " << kHubs;
    const DeviceCsr<T, P> a(c->a.view());
    int looked = 0;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        if (kernel.variant.format != "hub") continue;
        SCOPED_TRACE(kernel.variant.id());
        const Params& params = kernel.variant.params;
        const bool illegal = !kernel.inspect(a.view(), c->features, params).illegal.empty();
        if (illegal) {
            std::cout << kernel.variant.id() << " is illegal here and not looked at\n";
            continue;
        }
        const LayoutEstimate told = kernel.estimate(a.view(), c->features, {&params, 1}).at(0);
        ASSERT_TRUE(std::isfinite(told.bytes));
        const auto storage = kernel.convert(a.view(), params, 1);
        const auto& s = static_cast<const cuda::HubStorage<T>&>(*storage);
        const auto nnz = static_cast<double>(a.view().nnz());
        EXPECT_NEAR(told.gathered, static_cast<double>(s.cold.values.size()), 0.02 * nnz);
        const auto parts = static_cast<double>(s.hot.row.size());
        EXPECT_GT(told.sums, 0.5 * parts);
        EXPECT_LT(told.sums, 2 * parts);
        ++looked;
    }
    EXPECT_GT(looked, 0);
}

/// Columns chosen at random: a sample shows some to be more popular than they are. And rows of just
/// as many entries as the sample goes over.
TYPED_TEST(SpmvGpu, ASampleMakesNoHubsOfColumnsChosenAtRandom) {
    using P = typename TypeParam::second_type;
    const auto compare = [](const GenerateRequest& request) {
        const auto a = generate<float, P>(request);
        std::vector<std::int64_t> count(static_cast<std::size_t>(a.cols));
        for (const index_t c : std::span(a.col_idx.data(), static_cast<std::size_t>(a.nnz())))
            ++count[static_cast<std::size_t>(c)];
        std::ranges::sort(count, std::greater<>());
        const int wanted = a.cols / 4;
        const auto held = std::accumulate(count.begin(), count.begin() + wanted, std::int64_t{0});
        const DeviceCsr<float, P> there(a.view());
        const auto groups =
            cuda::group_columns(there.view().col_idx, there.view().nnz(), there.view().cols);
        EXPECT_NEAR(groups.share_of(wanted),
                    static_cast<double>(held) / static_cast<double>(a.nnz()), 0.01);
    };
    compare({"per-row", {{"rows", 400'000}}, 3});
    compare({"per-row", {{"rows", 70'000}, {"per-row", 64}}, 4});
}

/// Empty bands, bands that are not full, all entries in bands; each entry a slot of its own.
TYPED_TEST(SpmvGpu, HubColumnsAndTilesOfSmallMatricesAreRight) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    auto cases = awkward<T, P>();
    const std::string wanted = glob("SPTUNE_TEST_MATRICES"), kernels = glob("SPTUNE_TEST_VARIANTS");
    const auto add = [&](const char* name, index_t cols, const Rows& rows) {
        cases.push_back(make<T, P>(name, cols, rows));
    };
    Rows long_rows = random_rows(40, 70000, 20, 31);
    long_rows[3] = every(70000), long_rows[4].clear(), long_rows[39] = every(70000, 9);
    add("rows over many tiles", 70000, long_rows);
    add("a multiple of a tile", 100, Rows(64, every(100, 25)));
    Rows halves(5000);  // of each row one entry in a band, the other beside
    for (index_t i = 0; i < 5000; ++i) halves[static_cast<std::size_t>(i)] = {0, 5 * i + 4};
    add("one entry of two in a hub", 300000, halves);
    int ran = 0;
    for (const auto& c : cases) {
        if (c.a.nnz() == 0 || !matches(c.name, wanted)) continue;
        SpmvRuns<T, P> device(c);
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (!keeps_columns_near(kernel) || !has_room(kernel)) continue;
            if (!matches(kernel.variant.id(), kernels)) continue;
            const auto storage = kernel.convert(device.view(), kernel.variant.params, 1);
            EXPECT_EQ(device.wrong(kernel, *storage, stream), "")
                << kernel.variant.id() << " on " << c.name;
            ++ran;
        }
    }
    EXPECT_GT(ran, 0);
}

/// x of a hub column must not reach rows that have no entry there.
TYPED_TEST(SpmvGpu, HubColumnsAndTilesKeepWhatIsNotFiniteToTheirRows) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Rows rows(300, {1, 5});
    rows[7] = {0, 5};
    const auto c = make<T, P>("one row has column 0", 10, rows);
    const DeviceCsr<T, P> a(c.a.view());
    Buffer<T> x(10, T{1});
    x[0] = std::numeric_limits<T>::infinity();
    const DeviceBuffer<T> there(x);
    DeviceBuffer<T> y(rows.size());
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        if (!keeps_columns_near(kernel) || !has_room(kernel)) continue;
        const auto storage = kernel.convert(a.view(), kernel.variant.params, 1);
        kernel.apply(*storage, T{1}, there.data(), T{0}, y.data(), {});
        const Buffer<T> got = y.to_host();
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(std::isfinite(got[i]), i != 7) << i << " by " << kernel.variant.id();
    }
}

/// Blocks with many bands, each of which has a few entries, and with several panels.
TYPED_TEST(SpmvGpu, TilesUseTheirSharedMemoryAgainAndAgain) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    const std::string kernels = glob("SPTUNE_TEST_VARIANTS");
    constexpr index_t kWide = 18'000'001, kMany = sizeof(T) == 4 ? 6'000'000 : 3'000'000;
    Rows wide(64, {1, 17, kWide / 2});
    wide[7] = every(kWide, 20'480);
    wide[9].clear();
    Rows many(kMany);
    for (index_t i = 0; i < kMany; ++i) many[static_cast<std::size_t>(i)] = {i % 7 * 13};
    int ran = 0;
    const auto try_all = [&](const char* name, index_t cols, const Rows& rows) {
        const auto c = make<T, P>(name, cols, rows);
        SpmvRuns<T, P> device(c);
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (kernel.variant.format != "tiles2d" || !has_room(kernel)) continue;
            if (!matches(kernel.variant.id(), kernels)) continue;
            const auto storage = kernel.convert(device.view(), kernel.variant.params, 1);
            EXPECT_EQ(device.wrong(kernel, *storage, stream), "")
                << kernel.variant.id() << " on " << name;
            ++ran;
        }
    };
    try_all("a row over many bands", kWide, wide);
    try_all("many panels", 100, many);
    EXPECT_GT(ran, 0);
}

/// Bulk copies need x to be aligned to 16 bytes; users' vectors may begin anywhere.
TYPED_TEST(SpmvGpu, TilesTakeVectorsThatBeginAnywhere) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    constexpr index_t kSize = 30'011;
    const auto c = make<T, P>("scattered", kSize, random_rows(kSize, kSize, 3, 33));
    const DeviceCsr<T, P> a(c.a.view());
    Buffer<T> y(kSize);
    for (std::size_t shift = 0; shift < 16 / sizeof(T); ++shift) {
        DeviceBuffer<T> x(kSize + shift), got(kSize + shift);
        SPTUNE_CUDA(
            cudaMemcpy(x.data() + shift, c.x.data(), kSize * sizeof(T), cudaMemcpyHostToDevice));
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (kernel.variant.format != "tiles2d" || !has_room(kernel)) continue;
            const auto storage = kernel.convert(a.view(), kernel.variant.params, 1);
            kernel.apply(*storage, T{1}, x.data() + shift, T{0}, got.data() + shift, {});
            SPTUNE_CUDA(cudaMemcpy(y.data(), got.data() + shift, kSize * sizeof(T),
                                   cudaMemcpyDeviceToHost));
            for (index_t i = 0; i < kSize; ++i)
                ASSERT_TRUE(c.accepts(i, T{1}, T{0}, y[static_cast<std::size_t>(i)]))
                    << i << " by " << kernel.variant.id() << ", " << shift;
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
