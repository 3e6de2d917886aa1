#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/fields.hpp"
#include "db/validate.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;

/// A value and the way to it, which is spelt out only when something is wrong.
struct At {
    const Json& value;
    const At* up = nullptr;
    std::string_view name = {};
    std::size_t index = 0;

    std::string path() const {
        if (!up) return {};
        if (name.empty()) return fmt::format("{}[{}]", up->path(), index);
        return up->up ? fmt::format("{}.{}", up->path(), name) : std::string(name);
    }
    [[noreturn]] void expected(std::string_view what) const {
        const std::string found = value.is_structured()
                                      ? value.type_name()
                                      : value.dump(-1, ' ', false, Json::error_handler_t::replace);
        throw Error(fmt::format("{}: expected {}, found {}", path(), what,
                                found.size() <= 60 ? found : value.type_name()));
    }
};

void decode(const At& at, bool& out) {
    if (!at.value.is_boolean()) at.expected("true or false");
    out = at.value.get<bool>();
}

/// All integers of an entry are counts or sizes.
template <std::integral I>
void decode(const At& at, I& out) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<I>::max());
    const bool natural = at.value.is_number_unsigned() ||
                         (at.value.is_number_integer() && at.value.get<std::int64_t>() >= 0);
    if (!natural || at.value.get<std::uint64_t>() > kMax)
        at.expected(fmt::format("an integer from 0 to {}", kMax));
    out = at.value.get<I>();
}

void decode(const At& at, double& out) {
    if (!at.value.is_number() || !std::isfinite(at.value.get<double>()))
        at.expected("a finite number");
    out = at.value.get<double>();
}

void decode(const At& at, std::string& out) {
    if (!at.value.is_string()) at.expected("a string");
    out = at.value.get<std::string>();
}

template <class E>
requires std::is_enum_v<E>
void decode_one_of(const At& at, E& out, std::initializer_list<E> all) {
    std::string names;
    for (const E e : all) {
        if (at.value.is_string() && at.value == to_string(e)) {
            out = e;
            return;
        }
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", to_string(e));
    }
    at.expected("one of " + names);
}

void decode(const At& at, Op& out) {
    decode_one_of(at, out, {Op::spmv, Op::spgemm});
}
void decode(const At& at, ValueType& out) {
    decode_one_of(at, out, {ValueType::f32, ValueType::f64});
}
void decode(const At& at, IndexType& out) {
    decode_one_of(at, out, {IndexType::i32, IndexType::i64});
}
void decode(const At& at, Status& out) {
    using enum Status;
    decode_one_of(at, out,
                  {ok, incorrect, bounded, illegal, timeout, crashed, out_of_memory, not_reached});
}

void decode(const At& at, const Hash<std::uint64_t>& out) {
    std::string digits;
    decode(at, digits);
    const char* end = digits.data() + digits.size();
    if (digits.size() != 16 || std::from_chars(digits.data(), end, out.value, 16).ptr != end)
        at.expected("16 hex digits");
}

template <class U>
void decode(const At& at, const Amount<U>& out) {
    if constexpr (std::floating_point<U>) {
        decode(at, out.value);
        if (out.value < 0) at.expected("a number from 0 up");
    } else {
        if (!at.value.is_array()) at.expected("an array");
        out.value.resize(at.value.size());
        for (std::size_t i = 0; i < out.value.size(); ++i)
            decode(At{at.value[i], &at, {}, i}, Amount{out.value[i]});
    }
}

/// Negative numbers are written as null, too.
template <class U>
void decode(const At& at, const Nullable<U>& out) {
    if (at.value.is_null())
        out.value = out.absent;
    else if constexpr (std::floating_point<U>)
        decode(at, Amount{out.value});
    else
        decode(at, out.value);
}

void decode(const At& at, Params& out) {
    if (!at.value.is_object()) at.expected("an object");
    for (const auto& [name, value] : at.value.items()) {
        const At one{value, &at, name};
        if (name.size() > ParamName::kMost)
            throw Error(
                fmt::format("{}: the name has more than {} letters", one.path(), ParamName::kMost));
        decode(one, out.emplace_back(Param{name, 0}).value);
    }
}

template <class T>
void decode(const At& at, std::vector<T>& out) {
    if (!at.value.is_array()) at.expected("an array");
    out.resize(at.value.size());
    for (std::size_t i = 0; i < out.size(); ++i) decode(At{at.value[i], &at, {}, i}, out[i]);
}

template <class T, std::size_t N>
void decode(const At& at, std::array<T, N>& out) {
    if (!at.value.is_array() || at.value.size() != N) at.expected(fmt::format("an array of {}", N));
    for (std::size_t i = 0; i < N; ++i) decode(At{at.value[i], &at, {}, i}, out[i]);
}

template <class T>
void decode(const At& at, std::optional<T>& out) {
    if (!at.value.is_null()) decode(at, out.emplace());
}

template <record T>
void decode(const At& at, T& out) {
    if (!at.value.is_object()) at.expected("an object");
    visit_fields(out, [&]<class Field>(const char* name, Field&& field) {
        const auto it = at.value.find(name);
        if constexpr (is_optional<std::remove_cvref_t<Field>>) {
            if (it != at.value.end()) decode(At{*it, &at, name}, field.value.emplace());
        } else {
            if (it == at.value.end())
                throw Error(fmt::format("{}: is missing", At{at.value, &at, name}.path()));
            decode(At{*it, &at, name}, field);
        }
    });
}

}  // namespace

Features features_from_json(const Json& json) {
    Features features;
    decode(At{json}, features);
    return features;
}

ProductFeatures product_from_json(const Json& json) {
    ProductFeatures product;
    decode(At{json}, product);
    return product;
}

Device device_from_json(const Json& json) {
    Device device;
    decode(At{json}, device);
    return device;
}

Candidate candidate_from_json(const Json& json) {
    Candidate candidate;
    decode(At{json}, candidate);
    return candidate;
}

Entry entry_from_json(const Json& json) {
    require_schema(json, "sptune.entry");
    Entry entry;
    decode(At{json}, entry);
    validate(entry);
    return entry;
}

}  // namespace sptune::db
