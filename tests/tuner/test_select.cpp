// Choices by models, and within constraints.
#include "matrix/generate.hpp"
#include "models/holding.hpp"
#include "models/hub_time.hpp"
#include "models/tiles2d_time.hpp"
#include "tests/tuner/selections.hpp"
#include "tuner/closer_look.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

namespace sptune::tuner {
namespace {

TEST_F(Select, TheModelDecidesWhereNothingIsStored) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    kernels_.push_back(kernel(fake::right, 40, 300, 5000));
    options_.calls = 200;  // 50 + 2.5 against 40 + 25
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_EQ(s.chosen.predicted_us, 50);
    EXPECT_EQ(s.baseline.id, id(0));
    EXPECT_EQ(s.break_even_calls, 10);
    EXPECT_EQ(s.confidence, 0.75);
    ASSERT_EQ(s.runners_up.size(), 2u);
    EXPECT_EQ(s.runners_up[0].id, id(2));
    EXPECT_NE(s.why.find("has not been measured on " + here()), std::string::npos) << s.why;
    EXPECT_NE(s.why.find("The model \"fake\" predicts 50.0 µs"), std::string::npos) << s.why;
    options_.calls = 10000;
    EXPECT_EQ(select().chosen.id, id(2));
    options_.calls = 5;
    EXPECT_EQ(select().chosen.id, id(0));
    EXPECT_EQ(select().break_even_calls, 0);
}

TEST_F(Select, ModelsAreToldHowLongThreadsTakeToStartUnlessTheChoiceHasToRepeat) {
    if (omp_get_max_threads() < 2) GTEST_SKIP() << "there is one thread";
    select();
    EXPECT_GT(honest_.launch_us, 0);
    options_.constraints.deterministic = true;
    select();
    EXPECT_EQ(honest_.launch_us, 0);
}

TEST_F(Select, TheHeuristicSaysThatItIsOne) {
    const fake::Model heuristic(
        [](const Variant&) {
            return models::Prediction{1, 0};
        },
        "heuristic");
    options_.models = {&heuristic};
    EXPECT_EQ(select().source, Source::heuristic);
}

TEST_F(Select, TheNextModelIsAskedWhereTheFirstKnowsNothingToUse) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    const double never = std::numeric_limits<double>::infinity();
    const fake::Model ignorant([&](const Variant& v) {
        return models::Prediction{get(v.params, "t") == 50 ? never : 100, 0};
    });
    options_.models = {&ignorant, &honest_};
    EXPECT_EQ(select().chosen.id, id(0));
    options_.constraints.variants = "*.t50.*";
    EXPECT_EQ(select().chosen.id, id(1));
}

/// A kernel for hub columns, which models do not know; it says `how` it does when it is looked at.
Kernel hub_kernel(decltype(Kernel::estimate) how) {
    Kernel k = kernel(fake::right, 70, 250);
    k.variant.format = "hub";
    k.variant.params.push_back({"n", 1});
    k.variant.deterministic = false;
    k.estimate = how;
    return k;
}

TEST_F(Select, HubColumnsAreLookedAtWithinTheConstraints) {
    static int looks;
    looks = 0;
    kernels_.push_back(kernel(fake::right, 50, 200));
    kernels_.push_back(hub_kernel([](CsrView<double>, const Features&, std::span<const Params>) {
        ++looks;
        return std::vector<LayoutEstimate>{{1000, 0, 0}};
    }));
    options_.calls = 1e6;
    Selection s = select();
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(s.chosen.id, id(2));
    EXPECT_LT(s.chosen.predicted_us, 50);
    EXPECT_EQ(s.source, Source::heuristic);
    EXPECT_EQ(s.confidence, models::kHubConfidence);
    EXPECT_NE(s.why.find("A look at the columns predicts"), std::string::npos) << s.why;
    options_.constraints.deterministic = true;
    EXPECT_EQ(select().chosen.id, id(1));
    EXPECT_EQ(looks, 1) << "it would not be allowed";
    options_.constraints = {};
    options_.constraints.variants = "*.hub.*";
    EXPECT_EQ(select().chosen.id, id(2));
    EXPECT_EQ(looks, 2) << "there is nothing else to choose";
    options_.constraints.variants = "*.t50.*";
    EXPECT_EQ(select().chosen.id, id(1));
    EXPECT_EQ(looks, 2);
}

TEST_F(Select, TilesJoinByAFormulaWithinTheConstraints) {
    kernels_.push_back(kernel(fake::right, 50, 200));
    Kernel tiles = hub_kernel([](CsrView<double>, const Features&, std::span<const Params>) {
        return std::vector<LayoutEstimate>{{1000, 10, 10}};
    });
    tiles.variant.format = "tiles2d";
    tiles.variant.params.push_back({"b", 512});
    kernels_.push_back(std::move(tiles));
    options_.calls = 1e6;
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(2));
    EXPECT_LT(s.chosen.predicted_us, 50);
    EXPECT_EQ(s.source, Source::heuristic);
    EXPECT_EQ(s.confidence, models::kTiles2dConfidence);
    EXPECT_NE(s.why.find("A formula for two-dimensional tiles predicts"), std::string::npos)
        << s.why;
    options_.constraints.deterministic = true;
    EXPECT_EQ(select().chosen.id, id(1));
    options_.constraints = {};
    options_.calls = 3;
    EXPECT_NE(select().chosen.id, id(2)) << "the conversion takes longer than three calls";
}

TEST_F(Select, TilesAreReckonedWithTheBandwidthThatTheModelKnows) {
    kernels_.push_back(kernel(fake::right, 50, 200));
    Kernel tiles = hub_kernel([](CsrView<double>, const Features&, std::span<const Params>) {
        return std::vector<LayoutEstimate>{{1e6, 10, 10}};
    });
    tiles.variant.format = "tiles2d";
    tiles.variant.params.push_back({"b", 512});
    kernels_.push_back(std::move(tiles));
    options_.calls = 1e6;
    honest_.bandwidths = {{1 << 20, 4000}};
    EXPECT_EQ(select().chosen.id, id(2));
    honest_.bandwidths = {{1 << 20, 10}};
    EXPECT_EQ(select().chosen.id, id(1));
}

TEST_F(Select, AFailedLookAtHubColumnsCostsOnlyThem) {
    kernels_.push_back(kernel(fake::right, 50, 200));
    kernels_.push_back(hub_kernel([](CsrView<double>, const Features&,
                                     std::span<const Params>) -> std::vector<LayoutEstimate> {
        throw OutOfMemory("an array on the GPU", 1);
    }));
    options_.calls = 1e6;
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NE(s.why.find("hub columns cannot be looked at"), std::string::npos) << s.why;
}

TEST_F(Select, FormatsThatCanTellMoreAreLookedAt) {
    static int looks;
    looks = 0;
    kernels_.push_back(kernel(fake::right, 50, 200));
    kernels_.push_back(kernel(fake::right, 60, 210));
    kernels_.push_back(kernel(fake::right, 70, 220));
    // The first has three times the work that features let expect, the second is pointless.
    for (const std::size_t i : {1u, 2u})
        kernels_[i].estimate = [](CsrView<double> a, const Features& f,
                                  std::span<const Params> params) {
            ++looks;
            std::vector<LayoutEstimate> told;
            for (const Params& p : params) {
                Variant v;
                v.params = p;
                const double vectors = 8.0 * (a.rows + a.cols);
                const double expected = static_cast<double>(models::estimated_bytes(f, v));
                const double bytes =
                    3 * work_of_slices(expected, 0, a.rows) - work_of_slices(vectors, 0, a.rows);
                told.push_back(
                    {get(p, "t") == 60 ? std::numeric_limits<double>::infinity() : bytes});
            }
            return told;
        };
    options_.calls = 1e6;
    Selection s = select();
    EXPECT_EQ(looks, 1) << "both at once";
    EXPECT_EQ(s.chosen.id, id(3));
    ASSERT_EQ(s.runners_up.size(), 2u);
    EXPECT_EQ(s.runners_up[1].id, id(1));
    EXPECT_NEAR(s.runners_up[1].predicted_us, 150, 1e-6);
    kernels_.push_back(kernel(fake::right, 20, 230));
    s = select();
    EXPECT_EQ(looks, 1) << "they cannot be the fastest";
    EXPECT_EQ(s.chosen.id, id(4));
    EXPECT_EQ(s.runners_up[0].predicted_us, 50);
    // Where that one cannot be used, they may be.
    kernels_.back() = kernel(fake::illegal, 20, 240);
    s = select();
    EXPECT_EQ(looks, 2);
    EXPECT_EQ(s.chosen.id, id(3));
}

/// Of two kernels that differ in how full the diagonals must be which they keep the model knows
/// one.
TEST_F(Select, WhatAModelDoesNotKnowIsToldFromALookAndFromOneThatItKnows) {
    static int doubled;  // of which there is twice the work that features let expect
    const auto kept = [](double t, double bytes, int f) {
        Kernel k = kernel(fake::right, t, bytes);
        k.variant.params.push_back({"f", f});
        k.variant.layout = k.variant.id();
        k.estimate = [](CsrView<double> a, const Features& features,
                        std::span<const Params> params) {
            std::vector<LayoutEstimate> told;
            const double vectors = 8.0 * (a.rows + a.cols), none = work_of_slices(0, 0, a.rows);
            for (const Params& p : params) {
                Variant v;
                v.params = p;
                const double work =
                    none + static_cast<double>(models::estimated_bytes(features, v));
                told.push_back({(get(p, "f") == doubled ? 2 : 1) * work - none - vectors});
            }
            return told;
        };
        return k;
    };
    struct Ignorant final : fake::Model {
        using Model::Model;
        bool knows(const Variant& v) const override {
            return models::param_or(v.params, "f", 0) != 50;
        }
    } const model([&](const Variant& v) {
        const int us = get(v.params, "t");
        return models::Prediction{double(us), us == 100 ? 0.0 : 7.0};
    });
    kernels_.push_back(kept(40, 200, 25));
    kernels_.push_back(kept(40, 200, 50));
    kernels_.push_back(kept(40, 300, 50));
    options_.models = {&model};
    options_.calls = 1e6;
    doubled = 25;
    Selection s = select();
    EXPECT_EQ(s.chosen.id, id(2));
    EXPECT_NEAR(s.chosen.predicted_us, 40, 1e-6);
    EXPECT_EQ(s.chosen.convert_us, 7);
    ASSERT_EQ(s.runners_up.size(), 2u) << "the last is like none";
    EXPECT_NEAR(s.runners_up.front().predicted_us, 80, 1e-6);
    options_.constraints.convert_us = 6;
    EXPECT_EQ(select().chosen.id, id(0)) << "constraints hold for it as well";
    options_.constraints = {};
    doubled = 50;
    s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NEAR(s.runners_up.front().predicted_us, 80, 1e-6);
    options_.constraints.variants = "*.f50.*";
    EXPECT_EQ(select().chosen.id, id(2)) << "asked for by name";
    options_.constraints = {};
    doubled = 0;
    s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_EQ(s.runners_up.size(), 1u) << "of the same layout one is enough";
    kernels_.push_back(kernel(fake::right, 20, 400));
    s = select();
    EXPECT_EQ(s.chosen.id, id(4));
    EXPECT_EQ(s.runners_up.size(), 2u) << "nothing was looked at";
}

TEST_F(Select, ConstraintsAreKept) {
    for (const bool stored : {false, true}) {
        kernels_.resize(1);
        kernels_.push_back(kernel(fake::right, 40, 300, 400));
        kernels_.push_back(kernel(fake::right, 50, 200, 500));
        kernels_.push_back(kernel(fake::right, 60, 100, 100));
        kernels_[1].variant.deterministic = false;
        if (stored) store_.save(entry(here()));
        const auto chosen = [&](auto set) {
            const SelectOptions before = options_;
            set(options_.constraints);
            const std::string found = select().chosen.id;
            options_ = before;
            return found;
        };
        EXPECT_EQ(chosen([](Constraints&) {}), id(1));
        EXPECT_EQ(chosen([](Constraints& c) { c.deterministic = true; }), id(2));
        EXPECT_EQ(chosen([](Constraints& c) { c.memory_bytes = 150; }), id(3)) << stored;
        EXPECT_EQ(chosen([](Constraints& c) { c.memory_bytes = 0; }), id(0));
        EXPECT_EQ(chosen([](Constraints& c) { c.convert_us = 200; }), id(3));
        EXPECT_EQ(chosen([&](Constraints& c) { c.variants = "*.t50.*"; }), id(2));
        EXPECT_EQ(chosen([&](Constraints& c) { c.error = 1e-12; }), id(1));
    }
}

TEST_F(Select, WhatCannotBeMetIsNamed) {
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    kernels_[1].variant.deterministic = false;
    const auto complaint = [&](auto set) -> std::string {
        const SelectOptions before = options_;
        set(options_.constraints);
        std::string what = "nothing was thrown";
        try {
            select();
        } catch (const Unmet& e) {
            what = e.what();
        }
        options_ = before;
        return what.substr(0, what.find(':'));
    };
    EXPECT_EQ(complaint([](Constraints& c) { c.error = 1e-18; }), "error bound");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "none"; }), "variants");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.deterministic = true; }),
              "deterministic");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.memory_bytes = 10; }),
              "memory cap");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.convert_us = 10; }),
              "longest conversion");
    kernels_.push_back(kernel(fake::illegal, 10, 300, 1));
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*.t10.*", c.memory_bytes = 1 << 20; }),
              "variants")
        << "no cap keeps it away";
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*.t10.*", c.convert_us = 1e6; }),
              "variants");
}

TEST_F(Select, IllegalLayoutsArePassedOver) {
    kernels_.push_back(kernel(fake::illegal, 10, 300, 1));
    kernels_.push_back(kernel(fake::right, 50, 300, 1));
    EXPECT_EQ(select().chosen.id, id(2));
}

TEST_F(Select, WithoutModelsThereIsPlainCsr) {
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    options_.models.emplace();
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(0));
    EXPECT_NE(s.why.find("No model covers this device"), std::string::npos) << s.why;
}

TEST_F(Select, ACapOnMemoryThatExcludesNothingLooksAtNothingMore) {
    static int looks;
    for (int i = 0; i < 30; ++i) {
        kernels_.push_back(kernel(fake::right, 200 + i, 100));
        kernels_.back().inspect = [](CsrView<double>, const Features&, const Params&) {
            ++looks;
            return Footprint{100, 100, ""};
        };
    }
    looks = 0;
    select();
    const int without = looks;
    options_.constraints.memory_bytes = 1000;
    looks = 0;
    EXPECT_EQ(select().chosen.id, id(0));
    EXPECT_LE(looks, without + 12) << "what is shown, not all";
}

TEST(SelectReal, AKernelThatNoModelKnowsIsTakenWhereItIsNamed) {
    Csr<double> a = generate<double>({"stencil-2d-5", {{"rows", 900}}});
    SelectOptions options;
    options.calls = 1e6;
    for (const auto& kernel : spmv_kernels<double, std::int32_t>(Backend::cpu)) {
        if (kernel.variant.vendor) continue;
        options.constraints.variants = kernel.variant.id();
        const Footprint f =
            kernel.inspect(a.view(), extract_features(a.view()), kernel.variant.params);
        if (f.illegal.empty() && f.storage_bytes < 2 * a.nnz() * 12u) {
            EXPECT_EQ(select_spmv(a.view(), Backend::cpu, options).chosen.id, kernel.variant.id());
        }
    }
}

TEST(SelectReal, OfKernelsForOneThreadAndForAllOneIsLeftWhereAllAreOne) {
    SelectOptions options;
    options.calls = 1e9, options.threads = 1;
    for (const char* const family : {"stencil-2d-5", "power-law", "banded"}) {
        const Csr<double> a = generate<double>({family, {{"rows", 900}}});
        const Selection s = select_spmv(a.view(), Backend::cpu, options);
        std::vector<std::string> ids{s.chosen.id};
        for (const Ranked& r : s.runners_up) ids.push_back(r.id);
        for (std::string id : ids)
            if (const auto at = id.find(".w1."); at != id.npos) {
                EXPECT_EQ(std::count(ids.begin(), ids.end(), id.replace(at, 4, ".wn.")), 0) << id;
            }
    }
    const Csr<double> a = generate<double>({"banded", {{"rows", 900}}});
    options.constraints.variants = "*.csr.static.x32.l1.u1.w1.*";
    EXPECT_NE(select_spmv(a.view(), Backend::cpu, options).chosen.id.find(".w1."),
              std::string::npos)
        << "named";
}

TEST(SelectReal, WhatNeedsNoMemoryIsThereWithoutAny) {
    const Csr<double> a = generate<double>({"power-law", {{"rows", 5000}}});
    SelectOptions options;
    options.constraints.memory_bytes = 0;
    for (const char* const variants : {"*.csr.balanced.x32.*", "*.csr.*"}) {
        options.constraints.variants = variants;
        EXPECT_NE(select_spmv(a.view(), Backend::cpu, options).chosen.id.find(".x32."),
                  std::string::npos);
    }
    options.constraints.variants = "*.sell.*";
    EXPECT_THROW(select_spmv(a.view(), Backend::cpu, options), Unmet);
}

TEST(SelectReal, EveryRealMatrixGetsAKernel) {
    for (const index_t rows : {0, 1, 3}) {
        Csr<double> a{rows, rows, Buffer<std::int32_t>(static_cast<std::size_t>(rows) + 1, 0),
                      Buffer<index_t>(0), Buffer<double>(0)};
        SelectOptions options;
        const Selection s = select_spmv(a.view(), Backend::cpu, options);
        EXPECT_FALSE(s.chosen.id.empty());
        EXPECT_NE(s.source, Source::exact);
    }
}

TEST_F(Select, LongerSlicesThanWhatIsTooWideFor16BitsAreNotLookedAt) {
    static std::vector<std::string> inspected;
    inspected.clear();
    const auto add = [&](int cost_us, int c, int sigma) {
        Kernel k = kernel(fake::right, cost_us, 200, 500);
        for (Param p : Params{{"c", c}, {"s", sigma}, {"x", 16}}) k.variant.params.push_back(p);
        k.inspect = [](CsrView<double> a, const Features&, const Params& p) {
            inspected.push_back(to_string(p));
            Footprint f;
            f.storage_bytes = f.moved_bytes = static_cast<std::uint64_t>(a.nnz());
            f.too_wide = get(p, "c") >= 16 ? get(p, "c") : 0;
            if (f.too_wide) f.illegal = "too wide";
            return f;
        };
        kernels_.push_back(std::move(k));
    };
    add(10, 16, 64);    // looked at, too wide
    add(11, 32, 64);    // surely too wide
    add(12, 16, kAll);  // surely too wide
    add(13, 16, 1);     // perhaps not
    add(14, 8, 64);     // is not
    options_.calls = 1000;
    EXPECT_EQ(select().chosen.id, id(5));
    EXPECT_EQ(inspected.size(), 3u);
}

TEST_F(Select, CodeIsLoadedOnce) {
    kernels_.push_back(kernel(fake::right, 90));
    kernels_.push_back(kernel(fake::right, 80));
    kernels_.push_back(kernel(fake::right, 70));
    for (std::size_t i = 1; i < kernels_.size(); ++i) kernels_[i].variant.backend = Backend::cuda;
    kernels_[3].variant.algorithm = std::string(kernels_[1].variant.algorithm.size(), 'x');
    const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
    EXPECT_EQ(index.load_us(kernels_[0]), 0) << "the code of a CPU is there";
    EXPECT_GT(index.load_us(kernels_[1]), 0);
    index.has_run(kernels_[2]);
    EXPECT_EQ(index.load_us(kernels_[1]), 0) << "came with its sibling";
    EXPECT_GT(index.load_us(kernels_[3]), 0);
}

TEST_F(Select, CodeForAnotherWidthOfColumnsIsLoadedByItself) {
    for (const int width : {32, 16, 32}) {
        kernels_.push_back(kernel(fake::right, 90));
        Variant& v = kernels_.back().variant;
        v.backend = Backend::cuda, v.algorithm = "slices";
        v.params = {{"x", width}, {"n", static_cast<int>(kernels_.size())}};
    }
    const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
    index.has_run(kernels_[1]);
    EXPECT_GT(index.load_us(kernels_[2]), 0);
    EXPECT_EQ(index.load_us(kernels_[3]), 0);
}

}  // namespace
}  // namespace sptune::tuner
