// Choices among kernels whose times a model and a database know.
#pragma once

#include "tests/db/scratch.hpp"
#include "tests/tuner/fake.hpp"
#include "tests/tuner/fake_model.hpp"
#include "tuner/identify.hpp"
#include "tuner/select.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::tuner {

using fake::kernel;
using Kernel = SpmvKernel<double, std::int32_t>;

class Select : public testing::Test {
  protected:
    Csr<double> a_ = fake::matrix();
    // Plain CSR, and then whatever a test adds.
    std::vector<Kernel> kernels_{kernel(fake::right, 100, 100, 0)};
    db::Scratch scratch_;
    db::Store store_{scratch_ / "db"};
    SelectOptions options_;
    int extracted_ = 0, fingerprinted_ = 0;
    /// Says what each kernel will really take.
    fake::Model honest_{[](const Variant& v) {
        return models::Prediction{double(get(v.params, "t")), double(get(v.params, "v"))};
    }};

    void SetUp() override {
        options_.models = {&honest_};
        options_.databases = std::make_shared<db::Databases>(store_);
    }
    Selection select() {
        Chooser<double, std::int32_t> chooser = choose_for(a_.view(), Backend::cpu, 1);
        chooser.fingerprint = [this, of_view = chooser.fingerprint] {
            ++fingerprinted_;
            return of_view();
        };
        chooser.features = [this] {
            ++extracted_;
            return extract_features(a_.view(), 1);
        };
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        return select_spmv(chooser, index, options_);
    }
    std::string id(std::size_t i) const { return kernels_[i].variant.id(); }

    /// What a sweep would have stored: all kernels with their real times.
    db::Entry entry(const std::string& device_key) const {
        db::Entry e;
        e.features = extract_features(a_.view(), 1);
        e.matrix = {"m", "", a_.rows, a_.cols, a_.nnz(), e.features.fingerprint};
        e.device = identify(Backend::cpu, 0);
        e.device.key = device_key;
        e.baseline = id(0);
        double best = 1e300;
        for (const Kernel& k : kernels_) {
            db::Candidate c;
            c.id = k.variant.id();
            c.status = db::Status::ok;
            c.time = db::TimeUs{double(get(k.variant.params, "t")), 0, 1, {}};
            c.convert_us = get(k.variant.params, "v");
            c.bytes = static_cast<std::uint64_t>(get(k.variant.params, "b")) + 8 * 8;
            c.kernel_hash = k.variant.kernel_hash;
            if (c.time->median < best) best = c.time->median, e.winner = c.id;
            e.candidates.push_back(std::move(c));
        }
        e.complete = true;
        e.provenance.created_utc = db::utc_time();
        return e;
    }
    std::string here() const { return identify(Backend::cpu, options_.threads).key; }
};

}  // namespace sptune::tuner
