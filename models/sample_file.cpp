#include "models/sample_file.hpp"

#include "db/codec.hpp"
#include "db/document.hpp"
#include "matrix/atomic_file.hpp"
#include "models/json_fields.hpp"
#include "models/model_codec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <zlib.h>

namespace sptune::models {
namespace {

constexpr const char* kSchema = "sptune.samples";
constexpr std::string_view kLetters = "SPTS";
constexpr const char* kWhat = "a file of sweeps, which `sptune train --pack` makes";

// Times

constexpr double kSteps = 1024, kSmallest = -16;  ///< steps to a factor of two; log2 of code 1

/// 0 stands for no time at all.
std::uint16_t code_of(double us) {
    if (!(us > 0)) return 0;
    const double code = 1 + std::round((std::log2(us) - kSmallest) * kSteps);
    return static_cast<std::uint16_t>(std::clamp(code, 1.0, 65535.0));
}

double us_of(std::uint16_t code) {
    return code == 0 ? 0 : std::exp2((code - 1) / kSteps + kSmallest);
}

Bytes packed(const std::vector<std::uint16_t>& numbers) {
    std::vector<Fixed> fixed(numbers.begin(), numbers.end());
    return to_fixed_point(fixed);
}

std::vector<std::uint16_t> unpacked(std::span<const std::uint8_t> from) {
    const std::vector<Fixed> fixed = fixed_from(from);
    return {fixed.begin(), fixed.end()};
}

// Compression

constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr std::size_t kDensest = 1100;  ///< what zlib can make of a byte, and some

std::string compressed(const std::string& plain) {
    uLongf size = compressBound(plain.size());
    std::string out(kLetters.size() + sizeof(std::uint64_t) + size, '\0');
    std::copy(kLetters.begin(), kLetters.end(), out.begin());
    for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
        out[kLetters.size() + i] = static_cast<char>(plain.size() >> (8 * i));
    const std::size_t head = kLetters.size() + sizeof(std::uint64_t);
    if (compress2(reinterpret_cast<Bytef*>(out.data() + head), &size,
                  reinterpret_cast<const Bytef*>(plain.data()), plain.size(), 9) != Z_OK)
        throw Error("zlib could not compress the sweeps");
    out.resize(head + size);
    return out;
}

std::string expanded(std::string_view file) {
    const std::size_t head = kLetters.size() + sizeof(std::uint64_t);
    if (!file.starts_with(kLetters) || file.size() < head)
        throw Error(fmt::format("is not {}", kWhat));
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < sizeof size; ++i)
        size |= std::uint64_t{static_cast<unsigned char>(file[kLetters.size() + i])} << (8 * i);
    if (size > kLargest || size / kDensest > file.size())
        throw Error(fmt::format("says that it holds {} bytes, which cannot be", size));
    std::string plain(size, '\0');
    uLongf got = size;
    const int failed =
        uncompress(reinterpret_cast<Bytef*>(plain.data()), &got,
                   reinterpret_cast<const Bytef*>(file.data() + head), file.size() - head);
    if (failed != Z_OK || got != size) throw Error("is damaged: zlib cannot expand it");
    return plain;
}

// Documents

/// Numbers with the digits of a float, which take half the place.
Json shortened(Json json) {
    if (json.is_number_float()) {
        const double value = json.get<double>();
        const double short_value = static_cast<double>(static_cast<float>(value));
        return std::isfinite(short_value) ? Json(short_value) : json;
    }
    if (json.is_structured())
        for (auto& part : json) part = shortened(std::move(part));
    return json;
}

template <class T>
std::size_t place_in(std::vector<T>& list, const T& wanted) {
    const auto found = std::find(list.begin(), list.end(), wanted);
    const auto place = static_cast<std::size_t>(found - list.begin());
    if (place == list.size()) list.push_back(wanted);
    return place;
}

/// What is in the order of the samples, all after one another.
struct Columns {
    std::vector<std::uint16_t> kernel, us, convert;
    Bytes bounded;
};

std::string to_plain(const std::vector<Sample>& samples) {
    Json list = Json::array(), kernels = Json::array(), hashes = Json::object();
    std::vector<Json> devices;
    std::map<std::string, std::size_t> places;
    Columns columns;
    for (const Sample& s : samples) {
        db::Device device = s.device;
        if (s.backend() == Backend::cpu) device.launch_us = 0;  // by tell_starts(), not measured
        list.push_back({{"name", s.name},
                        {"device", place_in(devices, db::to_json(device))},
                        {"value", to_string(s.value)},
                        {"baseline", s.baseline},
                        {"count", s.timed.size()},
                        {"features", shortened(db::to_json(s.features))}});
        if (s.product) list.back()["product"] = shortened(db::to_json(*s.product));
        for (const auto& [format, hash] : s.kernel_hashes)
            hashes[s.device.backend + "." + format] = hash;
        for (const Timed& t : s.timed) {
            const std::string name =
                fmt::format("{} {} {}", to_string(s.op()), s.device.backend, short_name(t.variant));
            const auto [at, fresh] = places.emplace(name, kernels.size());
            if (fresh) {
                kernels.push_back(encode(t.variant));
                kernels.back()["backend"] = s.device.backend;
                if (s.product) kernels.back()["op"] = to_string(s.op());
            }
            columns.kernel.push_back(static_cast<std::uint16_t>(at->second));
            columns.us.push_back(code_of(t.us));
            columns.convert.push_back(code_of(t.convert_us));
            columns.bounded.push_back(t.bounded);
        }
    }
    if (kernels.size() > std::numeric_limits<std::uint16_t>::max())
        throw Error(
            fmt::format("{} kernels are more than a file of sweeps can hold", kernels.size()));
    Json header{{"schema", fmt::format("{}/1", kSchema)},
                {"devices", devices},
                {"kernel_hashes", std::move(hashes)},
                {"kernels", std::move(kernels)},
                {"samples", std::move(list)}};
    Bytes arrays;
    put_bytes(header, "kernel", packed(columns.kernel), arrays);
    put_bytes(header, "us", packed(columns.us), arrays);
    put_bytes(header, "convert_us", packed(columns.convert), arrays);
    put_bytes(header, "bounded", columns.bounded, arrays);
    return join_parts(kLetters, std::move(header), arrays);
}

std::size_t below(const Json& from, const char* name, std::size_t limit) {
    const std::int32_t v = integer(member(from, name), name);
    if (v < 0 || static_cast<std::size_t>(v) >= limit)
        throw Error(fmt::format("{} is {}; expected 0 to {}", name, v,
                                static_cast<std::int64_t>(limit) - 1));
    return static_cast<std::size_t>(v);
}

/// Takes samples off the columns, one after the other.
class Reader {
  public:
    Reader(const Json& header, Arrays arrays)
        : columns_{unpacked(bytes(header, "kernel", arrays)),
                   unpacked(bytes(header, "us", arrays)),
                   unpacked(bytes(header, "convert_us", arrays)),
                   {}} {
        const std::span<const std::uint8_t> flags = bytes(header, "bounded", arrays);
        columns_.bounded.assign(flags.begin(), flags.end());
        const std::size_t size = columns_.kernel.size();
        if (columns_.us.size() != size || columns_.convert.size() != size ||
            columns_.bounded.size() != size)
            throw Error("its columns are not of one length");
        for (const Json& device : list(header, "devices"))
            devices_.push_back(db::device_from_json(device));
        for (const Json& kernel : list(header, "kernels")) {
            kernels_.push_back(decode_variant(kernel, backend_of(kernel)));
            if (kernel.contains("op")) kernels_.back().op = op_of(kernel);
        }
        const Json& hashes = member(header, "kernel_hashes");
        if (!hashes.is_object()) throw Error("kernel_hashes must be an object");
        for (const auto& [name, hash] : hashes.items()) hashes_[name] = text(hash, "kernel_hashes");
    }

    Sample next(const Json& json) {
        Sample s;
        s.name = text(member(json, "name"), "name"), s.group = group_of(s.name);
        s.device = devices_[below(json, "device", devices_.size())];
        const std::string value = text(member(json, "value"), "value");
        if (value != "f32" && value != "f64")
            throw Error(fmt::format("value is \"{}\"; expected f32 or f64", value));
        s.value = value == "f32" ? ValueType::f32 : ValueType::f64;
        s.features = db::features_from_json(member(json, "features"));
        if (json.contains("product")) s.product = db::product_from_json(json["product"]);
        const std::size_t count = below(json, "count", columns_.kernel.size() - at_ + 1);
        s.baseline = below(json, "baseline", count);
        for (; s.timed.size() < count; ++at_) s.timed.push_back(timed(s));
        if (s.timed[s.baseline].bounded) throw Error("the baseline was not measured");
        if (!s.product) s.least_blocks = least_blocks(s.features, s.timed);
        return s;
    }

  private:
    Timed timed(Sample& s) const {
        const std::size_t kernel = columns_.kernel[at_];
        if (kernel >= kernels_.size() || kernels_[kernel].backend != s.backend() ||
            kernels_[kernel].op != s.op())
            throw Error("a time belongs to no kernel of its device and operation");
        Timed t{kernels_[kernel], us_of(columns_.us[at_]), us_of(columns_.convert[at_]),
                columns_.bounded[at_] != 0};
        if (t.us <= 0) throw Error("a time is missing");
        if (s.product) t.convert_us = 0;  // the first files had it beside its part of the time
        t.variant.value = s.value;
        const std::string format = hash_name(t.variant);
        const auto hash = hashes_.find(s.device.backend + "." + format);
        if (hash != hashes_.end()) s.kernel_hashes[format] = hash->second;
        return t;
    }

    Columns columns_;
    std::size_t at_ = 0;
    std::vector<db::Device> devices_;
    std::vector<Variant> kernels_;
    std::map<std::string, std::string> hashes_;
};

std::vector<Sample> from_plain(std::string_view plain) {
    const FileParts parts = split_parts(plain, kLetters, kWhat);
    require_shallow(parts.header);
    const Json header = header_from(parts.header);
    db::require_schema(header, kSchema);
    Reader reader(header, parts.arrays);
    std::vector<Sample> samples;
    for (const Json& json : list(header, "samples")) {
        try {
            samples.push_back(reader.next(json));
        } catch (const db::NewerSchema&) {
            throw;
        } catch (const Error& e) {
            throw Error(fmt::format("samples[{}]: {}", samples.size(), e.what()));
        }
    }
    return samples;
}

}  // namespace

void write_samples(const std::filesystem::path& file, const std::vector<Sample>& samples) {
    AtomicFile out(file);
    out.write(compressed(to_plain(samples)));
    out.commit();
}

std::vector<Sample> read_packed_samples(const std::filesystem::path& file) {
    try {
        return from_plain(expanded(db::read_text(file)));
    } catch (const Error& e) {
        throw InputError(file.string(), 0, e.what());
    }
}

}  // namespace sptune::models
