// Which kernel is taken for C = A·B: of the database, of a model, or the default.
#include "db/store.hpp"
#include "kernels/spgemm/registry.hpp"
#include "tests/db/scratch.hpp"
#include "tests/models/products.hpp"
#include "tuner/default_models.hpp"
#include "tuner/identify.hpp"
#include "tuner/select_product.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

const std::string kPlain = spgemm_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32);
const std::string kBlocks = "spgemm.cpu.bsr.rowwise.m4.s1.o1.p1.d16.f64.i32";
const std::string kBitmap = "spgemm.cpu.csr.bitmap.p1.d1.f64.i32";

ProductSelection select(const ProductFeatures& product, const db::Databases* databases = nullptr,
                        const models::ProductModel* model = nullptr,
                        Validate validate = Validate::warn) {
    return select_product<double, std::int32_t>(
        product, Backend::cpu, databases, [&](const db::Device&) { return model; }, 1, validate);
}

bool says(const ProductSelection& s, const std::string& part) {
    return s.why.find(part) != std::string::npos;
}

/// Blocks win, but for their conversion.
db::Entry entry_of(std::uint64_t fingerprint) {
    db::Entry entry;
    entry.op = Op::spgemm, entry.value = ValueType::f64, entry.index = IndexType::i32;
    entry.cache = "warm", entry.device = identify(Backend::cpu, 1), entry.complete = true;
    entry.matrix.rows = entry.matrix.cols = 1000, entry.matrix.nnz = 5000;
    entry.features = models::even_rows(1000, 5);
    entry.product = models::made_product(1000, 25, 9);
    entry.matrix.fingerprint = entry.features.fingerprint = entry.product->fingerprint =
        fingerprint;
    const auto add = [&](const std::string& id, double us, double convert_us) {
        db::Candidate c;
        c.id = id, c.op = "spgemm", c.backend = "cpu", c.convert_us = convert_us;
        c.format = "csr", c.algorithm = "a";
        c.status = db::Status::ok, c.time = db::TimeUs{us, 0, us, {us}};
        for (const auto& k : spgemm_kernels<double, std::int32_t>(Backend::cpu))
            if (k.variant.id() == c.id) c.kernel_hash = k.variant.kernel_hash;
        entry.candidates.push_back(c);
    };
    add(kPlain, 100, 0);
    add(kBlocks, 50, 30);
    add(kBitmap, 70, 0);
    add("spgemm.cpu.csr.of_another_build.f64.i32", 10, 0);
    entry.baseline = kPlain, entry.winner = kBlocks;
    entry.provenance.created_utc = "2026-01-31T12:00:00Z";
    return entry;
}

TEST(SelectProduct, WithoutKnowledgeTakesTheDefault) {
    const ProductSelection s = select(models::made_product(1000, 25, 9));
    EXPECT_EQ(s.id, kBitmap);
    EXPECT_EQ(s.source, "default");
}

TEST(SelectProduct, ASingleProductPaysForTheConversion) {
    const db::Scratch scratch;
    const db::Store store(scratch / "db");
    db::Entry entry = entry_of(7);
    store.save(entry);
    const db::Databases databases((scratch / "db").string());
    ProductFeatures product = models::made_product(1000, 25, 9);
    product.fingerprint = 7;
    ProductSelection s = select(product, &databases);
    EXPECT_EQ(s.id, kBitmap) << "70 is less than 50 + 30";
    EXPECT_EQ(s.source, "database");
    entry.candidates[1].convert_us = 10;
    store.save(entry);
    EXPECT_EQ(select(product, &databases).id, kBlocks);
    // The winner was measured best of all: short runs of others do not count against it.
    entry.winner = kPlain;
    store.save(entry);
    EXPECT_EQ(select(product, &databases).id, kPlain);
    entry.candidates[0].kernel_hash = "of another time";
    store.save(entry);
    EXPECT_EQ(select(product, &databases).id, kBlocks) << "what has changed does not count";
    for (db::Candidate& c : entry.candidates) c.kernel_hash = "of another time";
    store.save(entry);
    s = select(product, &databases);
    EXPECT_EQ(s.source, "default");
    EXPECT_NE(s.why.find("are of kernels that are not there or have changed since"),
              std::string::npos)
        << s.why;
    product.fingerprint = 8;
    EXPECT_EQ(select(product, &databases).source, "default");
}

TEST(SelectProduct, KnowsWhetherAllKernelsWereMeasured) {
    const db::Scratch scratch;
    const db::Store store(scratch / "db");
    const db::Databases databases((scratch / "db").string());
    ProductFeatures product = models::made_product(1000, 25, 9);
    product.fingerprint = 7;
    db::Entry entry = entry_of(7);
    for (const bool complete : {true, false}) {
        entry.complete = complete;
        store.save(entry);
        const ProductSelection s = select(product, &databases);
        EXPECT_EQ(s.source, "database");
        EXPECT_EQ(s.complete, complete);
        EXPECT_EQ(says(s, "that sweep was stopped early or left kernels out"), !complete) << s.why;
    }
    product.fingerprint = 8;
    EXPECT_TRUE(select(product, &databases).complete);
}

TEST(SelectProduct, AMeasurementOfNarrowRowPointersServesWideOnes) {
    const db::Scratch scratch;
    db::Store(scratch / "db").save(entry_of(7));
    const db::Databases databases((scratch / "db").string());
    ProductFeatures product = models::made_product(1000, 25, 9);
    product.fingerprint = 7;
    const auto none = [](const db::Device&) -> const models::ProductModel* { return nullptr; };
    const ProductSelection s = select_product<double, std::int64_t>(
        product, Backend::cpu, &databases, none, 1, Validate::warn);
    EXPECT_EQ(s.source, "database");
    EXPECT_EQ(s.id, "spgemm.cpu.csr.bitmap.p1.d1.f64.i64");
}

TEST(SelectProduct, SaysWhyAStoredMeasurementDoesNotCount) {
    const db::Scratch scratch;
    const db::Store store(scratch / "db");
    const db::Databases databases(store.path().string());
    ProductFeatures product = models::made_product(1000, 25, 9);
    product.fingerprint = 7;
    EXPECT_TRUE(says(select(product), "No database was asked. " + kBitmap + " is what sptune by"));
    EXPECT_TRUE(says(select(product, &databases), store.path().string() + " does not exist"));

    db::Entry entry = entry_of(7);
    store.save(entry);
    ProductSelection s = select(product, &databases);
    EXPECT_TRUE(says(s, kBitmap + " is the fastest, with its conversion, that was measured"))
        << s.why;
    const auto file = store.path() / entry.device.key / (db::entry_key(entry) + ".json");
    db::put(file, "garbage");
    entry.device.key = "another-device";
    store.save(entry);
    for (const bool wide : {false, true}) {
        const auto none = [](const db::Device&) -> const models::ProductModel* { return nullptr; };
        s = wide ? select_product<double, std::int64_t>(product, Backend::cpu, &databases, none, 1,
                                                        Validate::warn)
                 : select(product, &databases);
        EXPECT_EQ(s.source, "default");
        EXPECT_TRUE(says(s, "This product has not been measured on ")) << s.why;
        EXPECT_TRUE(says(s, "another device (another-device) is not used here")) << s.why;
        EXPECT_TRUE(says(s, "Passed over: " + file.string())) << s.why;
    }
}

TEST(SelectProduct, ALibraryThatHasChangedIsMadeKnownOrRulesTheMeasurementOut) {
    const db::Scratch scratch;
    const db::Store store(scratch / "db");
    db::Entry entry = entry_of(7);
    entry.winner = kPlain, entry.candidates[0].vendor = true;
    entry.provenance.vendor_library = "MKL 1";
    store.save(entry);
    const db::Databases databases((scratch / "db").string());
    ProductFeatures product = models::made_product(1000, 25, 9);
    product.fingerprint = 7;
    const auto by = [&](Validate validate) {
        return select(product, &databases, nullptr, validate);
    };
    EXPECT_EQ(by(Validate::warn).source, "database");
    EXPECT_TRUE(by(Validate::warn).changed.starts_with("MKL 1, here "));
    EXPECT_EQ(by(Validate::ignore).source, "database");
    EXPECT_EQ(by(Validate::ignore).changed, "");
    EXPECT_EQ(by(Validate::strict).source, "default");
    EXPECT_TRUE(by(Validate::strict).changed.starts_with("MKL 1, here "));
    EXPECT_TRUE(says(by(Validate::warn), "(measured with MKL 1, here "));
    EXPECT_TRUE(says(by(Validate::strict), "Passed over: a measurement of this product with MKL"));
    entry.candidates[0].vendor = false;  // another's measurement of the library does not decide
    store.save(entry);
    EXPECT_EQ(by(Validate::strict).source, "database");
}

TEST(SelectProduct, AModelChoosesAmongWhatIsThere) {
    auto samples = models::made_product_samples();
    for (std::size_t i = 0; i < samples.size(); i += 2) {  // a kernel that exists nowhere is faster
        models::Timed absent{samples[i].timed[0].variant, 0.5 * samples[i].timed[1].us};
        absent.variant.algorithm = "of_another_build";
        samples[i].timed.push_back(absent);
    }
    const auto model = models::ProductModel::train(models::pointers(samples));
    const ProductSelection often = select(models::made_product(4000, 25, 9), nullptr, &model);
    EXPECT_EQ(often.id, kBitmap);
    EXPECT_EQ(often.source, "model");
    EXPECT_EQ(select(models::made_product(4000, 25, 1.3), nullptr, &model).id, kPlain);
    EXPECT_FALSE(often.next.empty()) << "where the first is not legal";
    EXPECT_EQ(std::count(often.next.begin(), often.next.end(), kBitmap), 0);
    ProductFeatures nothing;
    nothing.rows = nothing.cols = nothing.inner = 10;
    EXPECT_EQ(select(nothing, nullptr, &model).source, "default");
}

/// An array over all columns for each thread takes longer to clear than so few products.
TEST(SelectProduct, ManyColumnsForFewProductsNeedNoArrayOverThem) {
    const auto samples = models::made_product_samples();
    const auto model = models::ProductModel::train(models::pointers(samples));
    ProductFeatures wide = models::made_product(4000, 25, 9);
    ASSERT_EQ(select(wide, nullptr, &model).id, kBitmap);
    wide.cols = 100'000'000;
    const std::string thrifty = spgemm_thrifty_id(ValueType::f64, IndexType::i32);
    EXPECT_EQ(select(wide, nullptr, &model).id, thrifty) << "the model knows no other";
    EXPECT_EQ(select(wide).id, thrifty);
    wide.products = 1'000'000'000;
    EXPECT_EQ(select(wide).id, kBitmap) << "many products";
}

TEST(SelectProduct, ModelsOfProductsAreShipped) {
    for (const db::Device& device : {models::cpu(), models::gpu()}) {
        const models::ProductModel* model = default_product_model(device);
        ASSERT_TRUE(model);
        EXPECT_EQ(to_string(model->parts().backend), device.backend);
    }
}

}  // namespace
}  // namespace sptune::tuner
