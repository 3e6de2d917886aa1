#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/fields.hpp"
#include "tests/db/random_entry.hpp"

#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;

/// How many members an aggregate has, found by how many initialisers it takes.
struct Anything {
    template <class T>
    operator T() const;
};
template <class T, class... Initialisers>
constexpr std::size_t member_count() {
    if constexpr (requires { T{Initialisers{}..., Anything{}}; })
        return member_count<T, Initialisers..., Anything>();
    else
        return sizeof...(Initialisers);
}

const void* address_of(const auto& field) {
    return &field;
}
template <class U>
const void* address_of(const Hash<U>& field) {
    return &field.value;
}
template <class U>
const void* address_of(const Amount<U>& field) {
    return &field.value;
}
template <class U>
const void* address_of(const Nullable<U>& field) {
    return &field.value;
}

template <class T>
void expect_every_member_listed(std::size_t left_out = 0) {
    const T value{};
    std::set<std::string> names;
    std::set<const void*> members;
    visit_fields(value, [&](const char* name, const auto& field) {
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_TRUE(members.insert(address_of(field)).second) << name;
    });
    EXPECT_EQ(names.size() + left_out, member_count<T>()) << *names.begin();
}

TEST(Fields, ListEveryMemberOnce) {
    expect_every_member_listed<SellPadding>();
    expect_every_member_listed<BesideSlices>();
    expect_every_member_listed<BsrFill>();
    expect_every_member_listed<Features>(2);  // columns_sorted, passed_share
    expect_every_member_listed<TimeUs>();
    expect_every_member_listed<Candidate>();
    expect_every_member_listed<BandwidthPoint>();
    expect_every_member_listed<Device>();
    expect_every_member_listed<MatrixInfo>(1);  // path
    expect_every_member_listed<Provenance>();
    expect_every_member_listed<Entry>();
}

TEST(Codec, RoundTripsRandomEntriesExactly) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Entry entry = random_entry(seed);
        const std::string text = to_text(to_json(entry));
        const Entry back = entry_from_json(parse_document(text));
        ASSERT_EQ(to_text(to_json(back)), text) << seed;
        ASSERT_EQ(entry_key(back), entry_key(entry));
        ASSERT_EQ(back.matrix.fingerprint, entry.matrix.fingerprint);
        ASSERT_EQ(back.provenance.seed, entry.provenance.seed);
        ASSERT_EQ(back.features.row_cv, entry.features.row_cv);
        ASSERT_EQ(back.candidates.size(), entry.candidates.size());
        for (std::size_t i = 0; i < back.candidates.size(); ++i) {
            ASSERT_EQ(back.candidates[i].params, entry.candidates[i].params);
            ASSERT_EQ(back.candidates[i].status, entry.candidates[i].status);
            ASSERT_EQ(back.candidates[i].time.has_value(), entry.candidates[i].time.has_value());
        }
    }
}

TEST(Codec, WritesWhatIsPublished) {
    Entry entry = random_entry(1);
    entry.matrix = {"name", "/secret/name.mtx", 4, 5, 6, 0xbeef};
    entry.candidates.front().time.reset();
    entry.candidates.front().error = std::numeric_limits<double>::quiet_NaN();
    entry.winner.clear();
    entry.break_even_calls = -1;
    const Json stored = to_json(entry);
    EXPECT_EQ(stored["schema"], "sptune.entry/1");
    EXPECT_EQ(stored["matrix"]["fingerprint"], "000000000000beef");
    EXPECT_FALSE(stored["matrix"].contains("path"));
    EXPECT_TRUE(stored["winner"].is_null());
    EXPECT_TRUE(stored["break_even_calls"].is_null());
    EXPECT_TRUE(stored["candidates"][0]["time_us"].is_null());
    EXPECT_TRUE(stored["candidates"][0]["error"].is_null());
    EXPECT_EQ(to_text(stored).find("secret"), std::string::npos);
    const Json profile = profile_document(entry);
    EXPECT_EQ(profile["schema"], "sptune.profile/1");
    EXPECT_EQ(profile["matrix"]["path"], "/secret/name.mtx");
}

TEST(Codec, RepairsTextThatIsNotUtf8) {
    Entry entry = random_entry(2);
    entry.matrix.name = "caf\xe9";
    const Entry back = entry_from_json(parse_document(to_text(to_json(entry))));
    EXPECT_EQ(back.matrix.name, "caf\xef\xbf\xbd");
}

struct Bad {
    const char* pointer;  ///< which value is replaced
    const char* value;    ///< JSON; "" removes it
    const char* message;  ///< part of what is said
};

TEST(Codec, NamesWhatIsWrong) {
    Entry entry = random_entry(3);
    entry.candidates.resize(2);
    entry.candidates[0].id = "a";
    entry.candidates[1].id = "b";
    for (Candidate& c : entry.candidates) {
        c.status = Status::ok;
        c.time = TimeUs{2, 1, 1, {1, 2, 3}};
    }
    entry.candidates[0].params = {{"c", 8}};
    entry.baseline = "b";
    entry.winner = "a";
    const Json good = to_json(entry);
    ASSERT_NO_THROW(entry_from_json(good));
    const std::string long_key = '"' + std::string(101, 'k') + '"';
    const Bad cases[] = {
        {"", "[]", "has no schema"},
        {"/schema", "", "has no schema"},
        {"/schema", "1", "has no schema"},
        {"/schema", "\"sptune.entry/2\"", "\"sptune.entry/2\" is newer"},
        {"/schema", "\"sptune.entry/99999999999\"", "expected \"sptune.entry/1\""},
        {"/schema", "\"sptune.entry/0\"", "expected \"sptune.entry/1\""},
        {"/schema", "\"sptune.export/1\"", "expected \"sptune.entry/1\""},
        {"/matrix", "", "matrix: is missing"},
        {"/matrix", "[]", "matrix: expected an object, found array"},
        {"/matrix/rows", "-1", "matrix.rows: expected an integer"},
        {"/matrix/rows", "1.5", "matrix.rows: expected an integer"},
        {"/matrix/rows", "9223372036854775808", "matrix.rows: expected an integer"},
        {"/matrix/rows", "7", "features: are of another size"},
        {"/matrix/nnz", "7", "features: are of another size"},
        {"/matrix/name", "null", "matrix.name: expected a string, found null"},
        {"/matrix/fingerprint", "5", "matrix.fingerprint: expected a string"},
        {"/matrix/fingerprint", "\"12\"", "expected 16 hex digits"},
        {"/matrix/fingerprint", "\"000000000000000g\"", "expected 16 hex digits"},
        {"/matrix/fingerprint", "\"0000000000000000\"", "is another than matrix.fingerprint"},
        {"/features/row_cv", "\"x\"", "features.row_cv: expected a finite number, found \"x\""},
        {"/features/top_diagonal_share", "[1,2,3]", "expected an array of 4"},
        {"/features/constant_values", "1", "expected true or false"},
        {"/features/sell", "{}", "features.sell: expected an array"},
        {"/device/threads", "2147483648", "device.threads: expected an integer"},
        {"/device/backend", "\"tpu\"", "device.backend: must be"},
        {"/device/key", "\"\"", "device.key: must have 1 to 100 characters"},
        {"/device/key", long_key.c_str(), "device.key: must have 1 to 100"},
        {"/op", "\"spmm\"", "op: expected one of \"spmv\", \"spgemm\", found \"spmm\""},
        {"/precision", "64", "precision: expected one of"},
        {"/index", "\"i16\"", "index: expected one of"},
        {"/cache", "\"hot\"", "cache: must be"},
        {"/baseline", "\"z\"", "baseline: is not among the candidates: z"},
        {"/winner", "\"z\"", "winner: is not among the candidates: z"},
        {"/winner", "0", "winner: expected a string"},
        {"/candidates/0/status", "\"bounded\"", "winner: is not ok itself"},
        {"/candidates/1/status", "\"fine\"", "candidates[1].status: expected one of"},
        {"/candidates/1/id", "\"a\"", "candidates[1].id: occurs twice: a"},
        {"/candidates/1/id", "\"\"", "candidates[1].id: is empty"},
        {"/candidates/1", "null", "candidates[1]: expected an object"},
        {"/candidates/1/time_us", "null", "candidates[1].time_us: is missing"},
        {"/candidates/1/time_us", "3", "candidates[1].time_us: expected an object"},
        {"/candidates/1/time_us/median", "0",
         "candidates[1].time_us.median: must be greater than 0"},
        {"/candidates/1/time_us/median", "0.5",
         "candidates[1].time_us.median: is less than the least"},
        {"/candidates/1/time_us/median", "4", "candidates[1].time_us.median: lies beyond its"},
        {"/candidates/1/time_us/samples", "[3, 4]", "candidates[1].time_us.median: lies beyond"},
        {"/candidates/1/time_us/min", "-3", "candidates[1].time_us.min: expected a number from 0"},
        {"/candidates/1/time_us/samples/0", "-1", "time_us.samples[0]: expected a number from 0"},
        {"/candidates/1/convert_us", "-5", "candidates[1].convert_us: expected a number from 0"},
        {"/candidates/1/gflops", "-0.5", "candidates[1].gflops: expected a number from 0"},
        {"/candidates/1/gbs", "-1", "candidates[1].gbs: expected a number from 0"},
        {"/candidates/1/error", "-1", "candidates[1].error: expected a number from 0"},
        {"/candidates/1/bytes", "-1", "candidates[1].bytes: expected an integer from 0"},
        {"/device/bandwidth_gbs", "-1", "device.bandwidth_gbs: expected a number from 0"},
        {"/break_even_calls", "-1", "break_even_calls: expected a number from 0"},
        {"/provenance/sweep_s", "-1", "provenance.sweep_s: expected a number from 0"},
        {"/candidates/1/time_us/samples/2", "\"\"", "candidates[1].time_us.samples[2]: expected"},
        {"/candidates/0/params/c", "\"n\"", "candidates[0].params.c: expected an integer"},
        {"/candidates/0/params", "{\"chunk_rows_of_it\": 8}",
         "candidates[0].params.chunk_rows_of_it: the name has more than 11 letters"},
        {"/speedup_vs_baseline", "-1", "speedup_vs_baseline: expected a number from 0"},
        {"/complete", "null", "complete: expected true or false"},
        {"/provenance/created_utc", "\"yesterday\"", "provenance.created_utc: must read like"},
        {"/provenance/seed", "-1", "provenance.seed: expected an integer"},
    };
    for (const Bad& bad : cases) {
        Json json = good;
        const Json::json_pointer pointer(bad.pointer);
        if (*bad.value)
            json[pointer] = Json::parse(bad.value);
        else
            json[pointer.parent_pointer()].erase(pointer.back());
        try {
            entry_from_json(json);
            ADD_FAILURE() << bad.pointer << " = " << bad.value << " was accepted";
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(bad.message), std::string::npos)
                << bad.pointer << " = " << bad.value << ": " << e.what();
        }
    }
}

TEST(Codec, RefusesNumbersThatAreNotFinite) {
    Entry entry = random_entry(4);
    entry.features.row_skew = std::numeric_limits<double>::infinity();
    EXPECT_THROW(entry_from_json(to_json(entry)), Error);
}

TEST(Codec, IgnoresFieldsItDoesNotKnow) {
    Json json = to_json(random_entry(5));
    json["later"] = 1;
    EXPECT_NO_THROW(entry_from_json(json));
}

TEST(Document, SurvivesHostileText) {
    const std::string hostile[] = {
        "",
        "{",
        "nonsense",
        "\xff\xfe",
        "{} {}",
        "[1e999]",
        std::string(1'000'000, '['),
        "{\"schema\":" + std::string(1000, '[') + std::string(1000, ']') + "}",
        std::string(100, '\0'),
    };
    for (const std::string& text : hostile) EXPECT_THROW(parse_document(text), Error);
}

/// `count` members or elements.
std::string object_of(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{}\"{}\":0", i ? "," : "", i);
    return "{" + text + "}";
}
std::string array_of(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += i ? ",0" : "0";
    return "[" + text + "]";
}

TEST(Document, IsNoLargerThanOurs) {
    const std::string object = object_of(200);
    EXPECT_EQ(parse_document(object).size(), 200u);
    EXPECT_EQ(parse_document("[" + object + "," + object + "]").size(), 2u);
    EXPECT_EQ(parse_document("{\"a\":" + object + ",\"b\":" + object + "}").size(), 2u);
    EXPECT_THROW(parse_document(object_of(1'000'000)), Error);
    EXPECT_THROW(parse_document("{\"a\":" + object_of(300) + "}"), Error);
    EXPECT_EQ(parse_document(array_of(1'000'000)).size(), 1'000'000u);
    EXPECT_THROW(parse_document(array_of(5'000'000)), Error);
}

}  // namespace
}  // namespace sptune::db
