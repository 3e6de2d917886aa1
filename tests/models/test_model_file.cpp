#include "db/codec.hpp"
#include "matrix/error.hpp"
#include "models/file_parts.hpp"
#include "models/fixed_point.hpp"
#include "models/model_file.hpp"
#include "models/shipped.hpp"
#include "tests/db/scratch.hpp"
#include "tests/models/entries.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sptune::models {
namespace {

const ModelSet& trained() {
    static const ModelSet set = [] {
        TreeOptions o;
        o.folds = 2, o.forest.trees = 20, o.side.trees = 5;
        o.network = {.share = 0.5, .count = 2, .least_samples = 1, .width = 8, .epochs = 3};
        return ModelSet::train(made_samples(), [&](Backend) { return o; });
    }();
    return set;
}

std::size_t header_size(std::string_view file) {
    return from_words(Bytes(file.begin() + 4, file.begin() + 8)).front();
}

nlohmann::ordered_json header_as_stored(std::string_view file) {
    return nlohmann::ordered_json::from_cbor(file.substr(8, header_size(file)));
}

/// With the descriptions of the models in the header itself.
nlohmann::ordered_json header_of(std::string_view file) {
    auto header = header_as_stored(file);
    for (auto& model : header["models"])
        model = nlohmann::ordered_json::from_cbor(
            file.substr(8 + header_size(file) + model["description"].get<std::size_t>(),
                        model["description_bytes"].get<std::size_t>()));
    return header;
}

/// A file with this header; the arrays are those of `other`, then the descriptions that the header
/// has itself.
std::string with_header(nlohmann::ordered_json header, std::string_view other = {}) {
    std::string arrays(other.empty() ? "" : other.substr(8 + header_size(other))), text;
    for (auto& model : header.is_object() ? header["models"] : header) {
        if (!model.is_object() || !model.contains("kind") || model.contains("description"))
            continue;
        text.clear();
        nlohmann::ordered_json::to_cbor(model, text);
        model = {{"kind", model["kind"]},
                 {"backend", model["backend"]},
                 {"description", arrays.size()},
                 {"description_bytes", text.size()}};
        arrays += text;
    }
    text.clear();
    nlohmann::ordered_json::to_cbor(header, text);
    const Bytes size = to_words(std::vector{static_cast<std::uint32_t>(text.size())});
    return "SPTM" + std::string(size.begin(), size.end()) + text + arrays;
}

std::vector<Prediction> predictions(const Predictor& p, const Sample& s) {
    std::vector<Option> options;
    for (const Timed& t : s.timed) options.push_back({&t.variant, 0});
    return p.predict(s.features, s.device, options);
}

TEST(ModelFile, ReadsWhatItWrote) {
    const ModelSet again = models_from_bytes(to_bytes(trained()));
    EXPECT_EQ(again.trees().front()->parts().network_share, 0.5);
    EXPECT_EQ(again.trees().front()->parts().networks.size(), 2u);
    EXPECT_EQ(again.training().matrices.at("cpu.spmv").size(), 120u);
    EXPECT_EQ(again.training().matrices, trained().training().matrices);
    EXPECT_EQ(again.training().kernel_hashes.at("cpu.sell"), "2");
    const Sample s = made_sample("unseen", 0, true, 40'000, 9);
    ASSERT_EQ(again.predictors("cpu").size(), 2u);
    EXPECT_TRUE(again.predictors("cuda").empty());
    for (std::size_t k = 0; k < 2; ++k) {
        const auto a = predictions(*trained().predictors("cpu")[k], s);
        const auto b = predictions(*again.predictors("cpu")[k], s);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (std::isinf(a[i].time_us)) continue;
            EXPECT_NEAR(b[i].time_us, a[i].time_us, 0.01 * a[i].time_us);
            EXPECT_NEAR(b[i].convert_us, a[i].convert_us, 0.02 * a[i].convert_us + 0.1);
        }
    }
    EXPECT_EQ(to_bytes(again), to_bytes(models_from_bytes(to_bytes(again))));
    const auto& curve = again.trees().front()->parts().bandwidths.at(cpu().key);
    ASSERT_EQ(curve.size(), cpu().bandwidth_curve.size());
    EXPECT_EQ(curve.back().bytes, cpu().bandwidth_curve.back().bytes);
    EXPECT_EQ(curve.back().gbs, cpu().bandwidth_curve.back().gbs);
}

TEST(ModelFile, ArraysOfBytesThatStayAreNotCopied) {
    static const std::string file = to_bytes(trained());
    const ModelSet here = models_from_bytes(file, {}, true), copied = models_from_bytes(file);
    const auto lies_in_file = [](const auto& array) {
        const auto* const at = reinterpret_cast<const char*>(array.data());
        return at >= file.data() && at < file.data() + file.size();
    };
    const Forest& times = here.trees().front()->parts().times;
    EXPECT_TRUE(lies_in_file(times.leaves()));
    EXPECT_TRUE(lies_in_file(times.nodes()));
    for (const Network::Layer& layer : here.trees().front()->parts().networks.front().layers())
        EXPECT_TRUE(lies_in_file(layer.weights));
    EXPECT_FALSE(lies_in_file(copied.trees().front()->parts().times.leaves()));
    EXPECT_EQ(to_bytes(here), to_bytes(copied));
}

TEST(ModelFile, FilesAreReadWithDistrust) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("sptune-models-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const auto file = folder / "m.cbor";
    write_models(file, trained());
    EXPECT_EQ(to_bytes(read_models(file)), to_bytes(trained()));
    std::filesystem::resize_file(file, 200);
    EXPECT_THROW(read_models(file), InputError);
    EXPECT_THROW(read_models(folder / "none"), InputError);
    // Lists within lists, that are long, that say so at length, and that do not say how long they
    // are; the same of bytes and of text; and maps.
    for (const char* const nested :
         {"\x81", "\x9a\xff\xff\xff\xff", "\x9f", "\x5f", "\x7f", "\xa1\x61k"}) {
        std::string deep;
        while (deep.size() < 3'000'000) deep += nested;
        const Bytes size = to_words(std::vector{static_cast<std::uint32_t>(deep.size())});
        std::ofstream(file) << "SPTM" << std::string(size.begin(), size.end()) << deep;
        EXPECT_THROW(read_models(file), InputError) << nested;
    }
    std::filesystem::remove_all(folder);
}

TEST(ModelFile, HeadersThatGrowAreRefused) {
    const auto refusal = [](const std::string& cbor) -> std::string {
        try {
            require_shallow({reinterpret_cast<const std::uint8_t*>(cbor.data()), cbor.size()});
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    // A list of small numbers, each of which would become an object, and a map, in which each key
    // is searched for among those before.
    EXPECT_EQ(refusal(std::string("\x9a\x00\x10\x00\x00", 5) + std::string(1 << 20, '\x01')), "");
    EXPECT_EQ(refusal(std::string("\x9a\x02\x00\x00\x00", 5) + std::string(1 << 25, '\x01')),
              "has more parts than a file of sptune can have");
    EXPECT_EQ(refusal("\xb9\xff\xff\x61k\x01"), "has 65535 fields in one place");
}

TEST(ModelFile, OneDamagedByteIsFound) {
    const db::Scratch scratch;
    const auto path = scratch / "m.sptm";
    write_models(path, trained());
    const std::string good = db::content(path);
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 400) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 4);
        db::put(path, bad);
        EXPECT_THROW(read_models(path), InputError) << at << " of " << good.size();
    }
    db::put(path, good.substr(0, good.size() - 3));
    EXPECT_THROW(read_models(path), InputError);
}

TEST(ModelFile, AFileOfBeforeThereWereSealsHasToBeTrainedAnew) {
    const db::Scratch scratch;
    const std::string file = to_bytes(trained());
    auto header = header_as_stored(file);
    header.erase("sealed");
    db::put(scratch / "m.sptm", with_header(header, file));
    try {
        read_models(scratch / "m.sptm");
        FAIL() << "it was read";
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("train it anew with `sptune train`"),
                  std::string::npos)
            << e.what();
    }
}

/// Each member of the document in turn is dropped or replaced by something else: an Error or a
/// model that still answers, never anything worse.
void corrupt(const nlohmann::ordered_json& whole, nlohmann::ordered_json& part,
             const std::string& file, int& refused) {
    using Json = nlohmann::ordered_json;
    const auto attempt = [&](const Json& wrong) {
        const Json kept = part;
        part = wrong;
        try {
            const ModelSet set = models_from_bytes(with_header(whole, file));
            for (const Predictor* p : set.predictors("cpu"))
                predictions(*p, made_sample("unseen", 0, true, 4000, 9));
        } catch (const Error&) {
            ++refused;
        }
        part = kept;
    };
    for (const Json& wrong : {Json(nullptr), Json(-1), Json(1e300), Json("x"), Json::array(),
                              Json::object(), Json({{"a", 1}}), Json(2147483647), Json(3.5)})
        attempt(wrong);
    if (!part.is_structured()) return;
    int children = 0;
    for (auto& child : part)
        if (++children <= 6) corrupt(whole, child, file, refused);
}

TEST(ModelFile, CorruptPartsAreRefused) {
    TreeOptions o;
    o.folds = 2, o.forest.trees = 2, o.side.trees = 1, o.forest.depth = o.side.depth = 2;
    o.network = {.share = 0.5, .count = 2, .least_samples = 1, .width = 2, .epochs = 1};
    auto samples = made_samples();
    const ModelSet set = ModelSet::train(samples, [&](Backend) { return o; });
    const std::string file = to_bytes(set);
    auto json = header_of(file);
    int refused = 0;
    corrupt(json, json, file, refused);
    EXPECT_GT(refused, 300);
}

TEST(ModelFile, AFileOfALaterVersionIsNamed) {
    const db::Scratch scratch;
    const auto path = scratch / "later.sptm";
    std::ofstream(path, std::ios::binary) << with_header({{"schema", "sptune.model/2"}});
    try {
        read_models(path);
        FAIL() << "it was read";
    } catch (const InputError& e) {
        const std::string what = e.what();
        EXPECT_NE(what.find("later.sptm"), std::string::npos) << what;
        EXPECT_NE(what.find("upgrade sptune"), std::string::npos) << what;
    }
}

TEST(ModelFile, WrongKindsOfDocuments) {
    EXPECT_THROW(models_from_bytes(""), Error);
    EXPECT_THROW(models_from_bytes("[]"), Error);
    EXPECT_THROW(models_from_bytes(with_header({{"schema", "sptune.entry/1"}})), Error);
    EXPECT_THROW(models_from_bytes(with_header({{"schema", "sptune.model/2"}})), db::NewerSchema);
    const std::string file = to_bytes(trained());
    auto json = header_of(file);
    const auto all = json["inputs"];
    json["inputs"].push_back("one that came later");
    EXPECT_THROW(models_from_bytes(with_header(json, file)), Error) << "it is newer than we are";
    json["inputs"] = all;
    json["inputs"].erase(json["inputs"].size() - 1);
    EXPECT_NO_THROW(models_from_bytes(with_header(json, file))) << "it came before the last input";
    json["inputs"] = all;
    json["inputs"][3] = "something else";
    EXPECT_THROW(models_from_bytes(with_header(json, file)), Error) << "made for other features";
}

TEST(ModelFile, DescriptionsAreReadWhereTheyAreWantedAlone) {
    const std::string file = to_bytes(trained());
    const auto header = header_as_stored(file);
    ASSERT_EQ(header["models"].size(), 2u) << "trees and BestSF";
    const auto with = [&](std::size_t model, std::size_t at, std::size_t size) {
        auto wrong = header;
        wrong["models"][model]["description"] = at;
        wrong["models"][model]["description_bytes"] = size;
        return with_header(wrong, file);
    };
    const Part cpu{Op::spmv, Backend::cpu};
    EXPECT_NO_THROW(models_from_bytes(with(1, 0, 3), cpu)) << "nobody asked for BestSF";
    EXPECT_THROW(models_from_bytes(with(1, 0, 3)), Error);
    EXPECT_THROW(models_from_bytes(with(0, 0, 3), cpu), Error);
    EXPECT_THROW(models_from_bytes(with(0, file.size(), 3), cpu), Error) << "outside the file";

    const std::size_t end = file.size() - 8 - header_size(file), deep = 3'000'000;
    for (const char nested : {'\x81', '\x7f'})
        EXPECT_THROW(models_from_bytes(with(0, end, deep) + std::string(deep, nested), cpu), Error);
    auto other = header;
    std::swap(other["models"][0]["kind"], other["models"][1]["kind"]);
    EXPECT_THROW(models_from_bytes(with_header(other, file)), Error) << "says what it is not";
    other = header;
    other["models"][0]["backend"] = "cuda";
    EXPECT_THROW(models_from_bytes(with_header(other, file)), Error) << "nor for which backend";
}

TEST(FixedPoint, RoundTripsAndRefuses) {
    const std::vector<float> values{0, 0.5f, -0.25f, 3.999f, -4, 100, -100};
    const auto again = from_fixed_point(to_fixed_point(values));
    ASSERT_EQ(again.size(), values.size());
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(again[i], values[i], 1e-3);
    EXPECT_NEAR(again[5], 4, 1e-3);
    EXPECT_EQ(again[6], -4);
    EXPECT_THROW(from_fixed_point(Bytes(3)), Error);
    EXPECT_TRUE(from_fixed_point(Bytes()).empty());
    EXPECT_EQ(to_fixed_point(std::vector{0.5f}), (Bytes{0x00, 0x10})) << "little-endian";
}

TEST(Words, RoundTripAndRefuse) {
    const std::vector<std::uint32_t> words{0, 1, 0xfedcba98};
    EXPECT_EQ(from_words(to_words(words)), words);
    EXPECT_EQ(to_words(std::vector{0x04030201u}), (Bytes{1, 2, 3, 4}));
    EXPECT_THROW(from_words(Bytes(7)), Error);
}

TEST(ModelFile, GivesTheTreesOfOneBackendAlone) {
    const std::string file = to_bytes(trained());
    const ModelSet cpu = models_from_bytes(file, Part{Op::spmv, Backend::cpu});
    EXPECT_TRUE(cpu.training().matrices.empty()) << "a choice needs no names";
    ASSERT_EQ(cpu.trees().size(), 1u);
    EXPECT_TRUE(cpu.bestsf().empty());
    EXPECT_TRUE(models_from_bytes(file, Part{Op::spmv, Backend::cuda}).trees().empty())
        << "none was trained";
}

TEST(ModelFile, KeepsWhatAnotherKnowsOfOtherDevices) {
    TreeOptions o;
    o.folds = 0, o.forest.trees = o.side.trees = 3;
    const auto train = [&](const std::string& key, const std::string& name) {
        std::vector<Sample> samples = made_samples();
        for (Sample& s : samples) s.device.key = key, s.device.name = name;
        return ModelSet::train(samples, [&](Backend) { return o; });
    };
    db::Device known = cpu(), own = cpu(), other = cpu();
    known.key = "known", own.key = "own", other.key = "other";
    ModelSet set = train("own", "Own");
    set.complete_from(train("known", "Known"));
    set.complete_from(train("own", "Own"));  // nothing new
    set = models_from_bytes(to_bytes(set));
    ASSERT_EQ(set.trees().size(), 2u);
    EXPECT_EQ(set.trees_for(known)->parts().device_keys, std::vector<std::string>{"known"});
    EXPECT_EQ(set.trees_for(own)->parts().device_keys, std::vector<std::string>{"own"});
    EXPECT_EQ(set.trees_for(other), set.trees_for(own)) << "the new ones answer for all others";
    EXPECT_EQ(set.trees_for(gpu()), nullptr);
    EXPECT_EQ(set.training().devices, (std::vector<std::string>{"Known", "Own"}));
    EXPECT_EQ(set.predictors("cpu").size(), 2u) << "trees and BestSF";

    std::vector<Sample> samples = made_samples();
    for (Sample& s : samples) s.device = gpu();
    for (Sample& s : samples)
        for (Timed& t : s.timed) t.variant.backend = Backend::cuda;
    ModelSet gpus = ModelSet::train(samples, [&](Backend) { return o; });
    gpus.complete_from(std::move(set));
    EXPECT_EQ(gpus.trees().size(), 3u);
    EXPECT_EQ(gpus.trees_for(other)->parts().device_keys, std::vector<std::string>{"own"});
    EXPECT_EQ(gpus.predictors("cuda").size(), 2u);
    EXPECT_EQ(gpus.predictors("cpu").size(), 2u);
}

/// A model that knows a matrix from GPUs alone has not learned how it does on a CPU.
TEST(ModelFile, TellsWhichPartKnowsAMatrix) {
    TreeOptions o;
    o.folds = 0, o.forest.trees = o.side.trees = 3;
    std::vector<Sample> samples = made_samples(), others = samples;
    samples.resize(20);
    for (Sample& s : others) {
        s.device = gpu(), s.name += "-there";
        for (Timed& t : s.timed) t.variant.backend = Backend::cuda;
    }
    const auto as_on_a_gpu = [&](Sample s) { return s.device = gpu(), s; };
    const Sample mine = samples.front(), theirs = others.front();
    ModelSet set = ModelSet::train(samples, [&](Backend) { return o; });
    ModelSet gpus = ModelSet::train(others, [&](Backend) { return o; });
    gpus.training().matrices["cpu.spmv"] = {"dropped"};  // with trees that are replaced
    gpus.training().matrices[""] = {"of a file that did not tell"};
    set.complete_from(std::move(gpus));
    const Training again = models_from_bytes(to_bytes(set)).training();
    EXPECT_EQ(again.matrices, set.training().matrices);
    EXPECT_TRUE(again.knows(mine));
    EXPECT_FALSE(again.knows(as_on_a_gpu(mine)));
    EXPECT_TRUE(again.knows(theirs));
    Sample named = mine;
    for (const char* name : {"dropped", "of a file that did not tell"}) {
        named.name = name;
        EXPECT_FALSE(again.knows(named)) << name;
    }
    EXPECT_TRUE(again.knows(as_on_a_gpu(named))) << "it may be one of those";
    Sample product = theirs;
    product.product.emplace();
    EXPECT_FALSE(again.knows(product));
    set.training().matrices = {{"", {mine.name}}};
    const Training old = models_from_bytes(to_bytes(set)).training();
    EXPECT_EQ(old.matrices, set.training().matrices);
    EXPECT_TRUE(old.knows(mine) && old.knows(as_on_a_gpu(mine)));

    // A line of its own, whatever the name.
    samples[0].name = "\todd", samples[1].name = "a\n\tcuda.spmv\nb";
    const Training odd = models_from_bytes(to_bytes(ModelSet::train(samples, [&](Backend) {
                             return o;
                         }))).training();
    EXPECT_EQ(odd.matrices.size(), 1u);
    for (const Sample& s : samples) EXPECT_TRUE(odd.knows(s)) << s.name;
}

TEST(Shipped, IsReadable) {
    const ModelSet* shipped = shipped_model();
    if (!shipped) GTEST_SKIP() << "this build has no shipped model";
    EXPECT_GT(shipped->training().samples, 50u);
    EXPECT_FALSE(shipped->training().sptune_version.empty());
    ASSERT_FALSE(shipped->trees().empty());
    for (const auto& trees : shipped->trees()) {
        db::Device device = trees->parts().backend == Backend::cpu ? cpu() : gpu();
        if (trees->parts().for_these_alone) device.key = trees->parts().device_keys.front();
        EXPECT_TRUE(shipped->covers(Op::spmv, ValueType::f64, device));
        const auto& alone = shipped_trees(trees->parts().backend);
        EXPECT_TRUE(std::any_of(alone.begin(), alone.end(), [&](const auto& model) {
            return model->parts().times.leaves() == trees->parts().times.leaves();
        }));
        EXPECT_EQ(shipped->predictors(device.backend).size(), 2u) << "trees and BestSF";
        // Sane on something that no training set holds.
        std::vector<Option> options;
        for (const Variant& v : trees->parts().portfolio) options.push_back({&v, 0});
        for (const Prediction& p : shipped->predict(band(30'000, 7), device, options)) {
            EXPECT_TRUE(p.time_us > 0 && p.time_us < 1e5) << p.time_us;
            EXPECT_TRUE(p.convert_us >= 0 && p.convert_us < 1e7) << p.convert_us;
        }
    }
}

TEST(Shipped, OneThreadAloneIsNotExpectedToBeatAll) {
    const ModelSet* shipped = shipped_model();
    if (!shipped) GTEST_SKIP() << "this build has no shipped model";
    db::Device device = cpu();
    device.threads = 2;
    const TreeModel* trees = shipped->trees_for(device);
    ASSERT_TRUE(trees);
    std::vector<Option> options;
    for (const Variant& v : trees->parts().portfolio) options.push_back({&v, 0});
    int pairs = 0;
    for (const std::int64_t rows : {20'000, 200'000, 2'000'000})
        for (const std::int64_t length : {8, 30, 120})
            for (const Features& f : {even_rows(rows, length), band(rows, length)}) {
                const auto told = trees->predict(f, device, options);
                for (std::size_t i = 0; i < options.size(); ++i)
                    for (std::size_t j = 0; j < options.size(); ++j) {
                        Variant all = *options[i].variant;
                        if (all.format == "sell" || param_or(all.params, "w", kAll) != 1) continue;
                        for (Param& p : all.params)
                            if (p.name == "w") p.value = kAll;
                        if (short_name(all) != short_name(*options[j].variant)) continue;
                        ++pairs;
                        EXPECT_GT(told[i].time_us, told[j].time_us) << short_name(all);
                    }
            }
    EXPECT_GT(pairs, 100);
}

}  // namespace
}  // namespace sptune::models
