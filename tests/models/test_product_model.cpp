// Choosing a kernel for C = A·B.
#include "matrix/error.hpp"
#include "models/evaluate.hpp"
#include "models/model_file.hpp"
#include "models/product_inputs.hpp"
#include "models/sample_file.hpp"
#include "tests/db/scratch.hpp"
#include "tests/models/products.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

std::string first_of(const ProductModel& model, const ProductFeatures& product) {
    return short_name(*model.ranking(product, cpu(), ValueType::f64).front());
}

TEST(ProductModel, LearnsWhatSuitsWhichPair) {
    const auto samples = made_product_samples();
    const ProductModel model = ProductModel::train(pointers(samples));
    EXPECT_EQ(first_of(model, made_product(4000, 25, 9)), "csr.bitmap.p1.d1");
    EXPECT_EQ(first_of(model, made_product(4000, 25, 1.3)), "csr.gustavson.p2.d1");
    EXPECT_EQ(model.ranking(made_product(4000, 25, 9), cpu(), ValueType::f64).size(),
              model.parts().portfolio.size());
    EXPECT_THROW(ProductModel::train({}), Error);
}

TEST(ProductModel, InputsAreFiniteForEveryPair) {
    for (const ProductFeatures& p : {ProductFeatures{}, made_product(1, 1, 1),
                                     made_product(std::int64_t{1} << 31, 1 << 20, 1e6)}) {
        const auto x = product_inputs(p, db::Device{}, ValueType::f32);
        ASSERT_EQ(x.size(), product_input_names().size());
        for (const float v : x) EXPECT_TRUE(std::isfinite(v));
    }
}

TEST(ProductModel, IsEvaluatedByFamily) {
    EvaluateOptions options;
    options.folds = 4;
    const Evaluation e = evaluate(made_product_samples(), options);
    ASSERT_EQ(e.scores.size(), 3u);
    EXPECT_EQ(e.scores[0].name, "trees");
    EXPECT_LT(e.scores[0].geomean, 0.02);
    EXPECT_EQ(e.scores[1].name, "default");
    EXPECT_GT(e.scores[1].geomean, 0.2);
    EXPECT_EQ(e.scores[2].name, "always plain");
    EXPECT_EQ(e.scores[2].slower, 0);
    EXPECT_GT(e.scores[0].confusion.at("csr.bitmap").at("csr.bitmap"), 0);

    auto mixed = made_product_samples();
    mixed.push_back(made_sample("spmv", 0, true, 1000, 5));
    EXPECT_THROW(evaluate(mixed, options), Error);
}

TEST(ProductModel, StandsInAFileBesideTheOthers) {
    auto samples = made_samples();
    for (Sample& s : made_product_samples()) samples.push_back(std::move(s));
    TreeOptions o;
    o.folds = 0, o.forest.trees = 5, o.side.trees = 2;
    const ModelSet set = ModelSet::train(samples, [&](Backend) { return o; });
    ASSERT_EQ(set.products().size(), 1u);
    ASSERT_EQ(set.trees().size(), 1u);
    EXPECT_EQ(set.training().kernel_hashes.at("cpu.spgemm/csr"), "4");

    const std::string bytes = to_bytes(set);
    const ModelSet again = models_from_bytes(bytes);
    EXPECT_EQ(to_bytes(again), bytes);
    const ProductFeatures product = made_product(4000, 25, 9);
    EXPECT_EQ(first_of(*again.products().at(0), product), first_of(*set.products()[0], product));
    const ModelSet products = models_from_bytes(bytes, Part{Op::spgemm, Backend::cpu});
    EXPECT_EQ(products.products().size(), 1u);
    EXPECT_TRUE(products.trees().empty());
    EXPECT_TRUE(models_from_bytes(bytes, Part{Op::spmv, Backend::cpu}).products().empty());
    EXPECT_TRUE(models_from_bytes(bytes, Part{Op::spgemm, Backend::cuda}).products().empty());

    // A set without products takes them over.
    ModelSet spmv = ModelSet::train(made_samples(), [&](Backend) { return o; });
    EXPECT_TRUE(spmv.products().empty());
    spmv.complete_from(models_from_bytes(bytes));
    EXPECT_EQ(spmv.products().size(), 1u);
    EXPECT_FALSE(spmv.products()[0]->parts().for_these_alone);

    // One of another device leaves it to its own.
    auto elsewhere = made_product_samples();
    for (Sample& s : elsewhere) s.device.key = "another";
    ModelSet both = ModelSet::train(elsewhere, [&](Backend) { return o; });
    both.complete_from(models_from_bytes(bytes));
    ASSERT_EQ(both.products().size(), 2u);
    const ModelSet read = models_from_bytes(to_bytes(both));
    db::Device device = cpu();
    EXPECT_TRUE(read.products()[0]->covers(device));
    device.key = "a third";
    EXPECT_FALSE(read.products()[0]->covers(device));
    EXPECT_TRUE(read.products()[1]->covers(device));
    EXPECT_FALSE(read.products()[1]->covers(gpu()));
}

TEST(ProductModel, SweepsArePackedWithTheirProduct) {
    const db::Scratch scratch;
    auto samples = made_product_samples();
    samples.push_back(made_sample("spmv", 0, true, 1000, 5));
    write_samples(scratch / "s.spts", samples);
    const auto again = read_packed_samples(scratch / "s.spts");
    ASSERT_EQ(again.size(), samples.size());
    EXPECT_EQ(again.front().op(), Op::spgemm);
    EXPECT_EQ(again.back().op(), Op::spmv);
    EXPECT_EQ(again.front().product->products, samples.front().product->products);
    EXPECT_NEAR(again.front().product->compression, samples.front().product->compression, 1e-5);
    EXPECT_EQ(again.front().kernel_hashes, samples.front().kernel_hashes);
    for (std::size_t k = 0; k < samples.front().timed.size(); ++k)
        EXPECT_EQ(again.front().timed[k].variant.id(), samples.front().timed[k].variant.id());
}

TEST(ProductModel, ASampleCountsTheConversionOfEveryCall) {
    db::Entry entry;
    entry.op = Op::spgemm, entry.device = cpu();
    entry.features = even_rows(1000, 5), entry.matrix.nnz = entry.features.nnz;
    const auto add = [&](const char* format, double us, double convert_us) {
        db::Candidate c;
        c.backend = "cpu", c.format = format, c.algorithm = "a", c.id = format;
        c.status = db::Status::ok, c.time = db::TimeUs{us, 0, us, {}}, c.convert_us = convert_us;
        entry.candidates.push_back(c);
    };
    add("csr", 100, 0);
    add("bsr", 60, 50);
    entry.baseline = "csr";
    EXPECT_FALSE(sample_of(entry)) << "nothing is known of the pair";
    entry.product = made_product(1000, 25, 2);
    const auto sample = sample_of(entry);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->op(), Op::spgemm);
    EXPECT_EQ(sample->timed[1].us, 110);
    EXPECT_EQ(sample->timed[1].convert_us, 0);
    entry.product->products = 0;
    EXPECT_FALSE(sample_of(entry)) << "nothing to learn";
}

}  // namespace
}  // namespace sptune::models
