#include "matrix/error.hpp"
#include "models/file_parts.hpp"
#include "models/fixed_point.hpp"
#include "models/sample_file.hpp"
#include "tests/models/entries.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

namespace sptune::models {
namespace {

constexpr std::size_t kHead = 12;  // letters and size

class SampleFile : public ::testing::Test {
  protected:
    SampleFile()
        : folder(std::filesystem::temp_directory_path() /
                 ("sptune-samples-" + std::to_string(getpid()))),
          file(folder / "s.spts") {
        std::filesystem::create_directories(folder);
    }
    ~SampleFile() override { std::filesystem::remove_all(folder); }

    std::string bytes() const {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(const std::string& content) const {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    }
    /// What is compressed in the file.
    std::string plain() const {
        const std::string all = bytes();
        std::uint64_t size = 0;
        for (int i = 0; i < 8; ++i)
            size |= std::uint64_t{static_cast<unsigned char>(all[static_cast<std::size_t>(4 + i)])}
                    << (8 * i);
        std::string out(size, '\0');
        uLongf got = size;
        EXPECT_EQ(
            uncompress(reinterpret_cast<Bytef*>(out.data()), &got,
                       reinterpret_cast<const Bytef*>(all.data() + kHead), all.size() - kHead),
            Z_OK);
        return out;
    }
    void put_plain(const std::string& content, std::uint64_t says) const {
        uLongf size = compressBound(content.size());
        std::string out("SPTS");
        for (int i = 0; i < 8; ++i) out += static_cast<char>(says >> (8 * i));
        out.resize(kHead + size);
        compress(reinterpret_cast<Bytef*>(out.data() + kHead), &size,
                 reinterpret_cast<const Bytef*>(content.data()), content.size());
        put(out.substr(0, kHead + size));
    }

    std::filesystem::path folder, file;
};

TEST_F(SampleFile, ReadsWhatItWrote) {
    std::vector<Sample> samples = made_samples();
    samples[5].device = cpu(16), samples[5].device.key = "other-cpu";
    samples[7].value = ValueType::f32;
    for (Timed& t : samples[7].timed) t.variant.value = ValueType::f32;
    std::swap(samples[9].timed[0], samples[9].timed[1]);
    samples[9].baseline = 1;
    write_samples(file, samples);
    const std::vector<Sample> again = read_packed_samples(file);
    ASSERT_EQ(again.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample &a = samples[i], &b = again[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.group, b.group);
        EXPECT_EQ(a.value, b.value);
        EXPECT_EQ(a.baseline, b.baseline);
        EXPECT_EQ(a.kernel_hashes, b.kernel_hashes);
        EXPECT_EQ(a.device.key, b.device.key);
        EXPECT_EQ(a.device.threads, b.device.threads);
        EXPECT_EQ(a.features.nnz, b.features.nnz);
        EXPECT_NEAR(a.features.bandwidth_mean, b.features.bandwidth_mean,
                    1e-6 * a.features.bandwidth_mean);
        ASSERT_EQ(a.timed.size(), b.timed.size());
        for (std::size_t k = 0; k < a.timed.size(); ++k) {
            EXPECT_EQ(a.timed[k].variant.id(), b.timed[k].variant.id());
            EXPECT_NEAR(a.timed[k].us, b.timed[k].us, 4e-4 * a.timed[k].us);
            EXPECT_NEAR(a.timed[k].convert_us, b.timed[k].convert_us, 4e-4 * a.timed[k].convert_us);
            EXPECT_EQ(a.timed[k].bounded, b.timed[k].bounded);
        }
    }
}

TEST_F(SampleFile, NoSweepsAreFine) {
    write_samples(file, {});
    EXPECT_TRUE(read_packed_samples(file).empty());
}

TEST_F(SampleFile, OtherFilesAreRefused) {
    EXPECT_THROW(read_packed_samples(folder / "none"), InputError);
    put("");
    EXPECT_THROW(read_packed_samples(file), InputError);
    put("SPTM and so on, for a while");
    EXPECT_THROW(read_packed_samples(file), InputError);
    write_samples(file, made_samples());
    const std::string good = bytes(), content = plain();
    put(good.substr(0, good.size() / 2));
    EXPECT_THROW(read_packed_samples(file), InputError);
    put_plain(content, content.size() + 1);
    EXPECT_THROW(read_packed_samples(file), InputError);
    put_plain(content, std::uint64_t{1} << 60);  // no memory is asked for that
    EXPECT_THROW(read_packed_samples(file), InputError);
    put_plain(content, content.size());
    EXPECT_EQ(read_packed_samples(file).size(), made_samples().size());
}

TEST_F(SampleFile, WhatDoesNotFitTogetherIsRefused) {
    auto samples = made_samples();
    samples.resize(4);
    write_samples(file, samples);
    const std::string content = plain();
    const auto refusal = [&](auto change) -> std::string {
        const FileParts parts = split_parts(content, "SPTS", "a file of sweeps");
        Json header = header_from(parts.header);
        Bytes arrays(parts.arrays.bytes.begin(), parts.arrays.bytes.end());
        change(header, arrays);
        const std::string changed = join_parts("SPTS", header, arrays);
        put_plain(changed, changed.size());
        try {
            read_packed_samples(file);
        } catch (const Error& e) {
            return e.what();
        }
        return "not refused";
    };
    const auto expect = [&](const char* words, auto change) {
        const std::string what = refusal(change);
        EXPECT_NE(what.find(words), std::string::npos) << what;
    };
    expect("not refused", [](Json&, Bytes&) {});
    expect("a time belongs to no kernel of its device",
           [](Json& header, Bytes&) { header["kernels"][0]["backend"] = "cuda"; });
    expect("a time is missing", [](Json& header, Bytes& arrays) {
        std::vector<Fixed> us = fixed_from(models::bytes(header, "us", {arrays}));
        us[0] = 0;
        put_bytes(header, "us", to_fixed_point(us), arrays);
    });
    expect("the baseline was not measured",
           [](Json& header, Bytes& arrays) { arrays[header["bounded"].get<std::size_t>()] = 1; });
    expect("count is 5; expected 0 to 4",
           [](Json& header, Bytes&) { header["samples"].back()["count"] = 5; });
}

TEST_F(SampleFile, DamagedContentIsRefusedOrReadNeverWorse) {
    auto samples = made_samples();
    samples.resize(4);
    write_samples(file, samples);
    const std::string content = plain();
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 600; ++i) {
        std::string wrong = content;
        for (int k = 0; k <= i % 3; ++k)
            wrong[random() % wrong.size()] = static_cast<char>(random());
        put_plain(wrong, wrong.size());
        try {
            for (const Sample& s : read_packed_samples(file)) {
                ASSERT_LT(s.baseline, s.timed.size());
                EXPECT_GT(s.baseline_us(), 0);
            }
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace sptune::models
