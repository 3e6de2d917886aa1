#include "models/model_file.hpp"

#include "db/codec.hpp"
#include "db/document.hpp"
#include "matrix/atomic_file.hpp"
#include "models/inputs.hpp"
#include "models/json_fields.hpp"
#include "models/model_codec.hpp"

namespace sptune::models {
namespace {

constexpr const char* kSchema = "sptune.model";
constexpr std::string_view kMagic = "SPTM";

/// The CBOR header of a file, and the arrays behind it.
std::pair<std::span<const std::uint8_t>, Arrays> parts_of(std::string_view file) {
    const std::span all(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    constexpr std::size_t kBefore = kMagic.size() + sizeof(std::uint32_t);
    if (!file.starts_with(kMagic) || file.size() < kBefore)
        throw Error("is not a model of sptune, which `sptune train` makes");
    const std::size_t size = from_words(all.subspan(kMagic.size(), sizeof(std::uint32_t))).front();
    if (size > all.size() - kBefore) throw Error("ends within its header");
    return {all.subspan(kBefore, size), all.subspan(kBefore + size)};
}

/// Whether untrusted bytes are nested so deeply that building the document could use up the stack.
class Depth final : public nlohmann::json_sax<Json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool key(string_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= kMost; }
    bool start_array(std::size_t) override { return ++depth_ <= kMost; }
    bool end_object() override { return --depth_ >= 0; }
    bool end_array() override { return --depth_ >= 0; }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;  // from_cbor() will say it better
    }
    bool too_deep() const { return depth_ > kMost; }

  private:
    static constexpr int kMost = 16;  // a model needs 7
    int depth_ = 0;
};

}  // namespace

std::string to_bytes(const ModelSet& models) {
    Json list = Json::array();
    Bytes arrays;
    for (const auto& model : models.trees()) list.push_back(encode(*model, arrays));
    for (const auto& model : models.bestsf()) list.push_back(encode(*model, arrays));
    const Json header{{"schema", fmt::format("{}/1", kSchema)},
                      {"provenance", encode(models.training(), arrays)},
                      {"inputs", input_names()},
                      {"models", std::move(list)}};
    Bytes out(kMagic.begin(), kMagic.end());
    const Bytes text = Json::to_cbor(header);
    for (const Bytes& part :
         {to_words(std::vector{static_cast<std::uint32_t>(text.size())}), text, arrays})
        out.insert(out.end(), part.begin(), part.end());
    return {out.begin(), out.end()};
}

ModelSet models_from_bytes(std::string_view bytes, std::optional<Backend> trees_of) {
    const auto [header, arrays] = parts_of(bytes);
    Json json;
    try {
        json = Json::from_cbor(header);
    } catch (const Json::exception& e) {
        throw Error(fmt::format("its header is not CBOR: {}", e.what()));
    }
    db::require_schema(json, kSchema);
    if (texts(json, "inputs") != input_names())
        throw Error(
            "the model looks at other features than this version of sptune finds; train it "
            "anew with `sptune train`");
    std::vector<std::unique_ptr<const TreeModel>> trees;
    std::vector<std::unique_ptr<const BestSf>> bestsf;
    std::size_t index = 0;
    for (const Json& model : list(json, "models")) {
        try {
            const std::string kind = text(member(model, "kind"), "kind");
            const bool wanted = !trees_of || (kind == "trees" && backend_of(model) == *trees_of);
            if (wanted && kind == "trees")
                trees.push_back(std::make_unique<TreeModel>(decode_trees(model, arrays)));
            else if (wanted && kind == "bestsf")
                bestsf.push_back(std::make_unique<BestSf>(decode_bestsf(model, arrays)));
            else if (wanted)
                throw Error(fmt::format("kind is \"{}\"; expected trees or bestsf", kind));
        } catch (const Error& e) {
            throw Error(fmt::format("models[{}]: {}", index, e.what()));
        }
        ++index;
    }
    return {decode_training(member(json, "provenance"), arrays, !trees_of), std::move(trees),
            std::move(bestsf)};
}

ModelSet read_models(const std::filesystem::path& file) {
    try {
        const std::string bytes = db::read_text(file);
        Depth depth;
        if (!Json::sax_parse(parts_of(bytes).first, &depth, Json::input_format_t::cbor) &&
            depth.too_deep())
            throw Error("is nested too deeply");
        return models_from_bytes(bytes);
    } catch (const db::NewerSchema& e) {
        throw;
    } catch (const Error& e) {
        throw InputError(file.string(), 0, e.what());
    }
}

void write_models(const std::filesystem::path& file, const ModelSet& models) {
    AtomicFile out(file);
    out.write(to_bytes(models));
    out.commit();
}

}  // namespace sptune::models
