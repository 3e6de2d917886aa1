#include "models/model_file.hpp"

#include "db/codec.hpp"
#include "db/document.hpp"
#include "matrix/atomic_file.hpp"
#include "models/inputs.hpp"
#include "models/json_fields.hpp"
#include "models/model_codec.hpp"
#include "models/product_inputs.hpp"

#include <algorithm>

#include <xxhash.h>

namespace sptune::models {
namespace {

constexpr const char* kSchema = "sptune.model";
constexpr std::string_view kLetters = "SPTM";
constexpr const char* kWhat = "a model of sptune, which `sptune train` makes";
constexpr const char* kSealed = "sealed";

/// What a file ends with that says it is sealed.
std::string seal_of(std::string_view bytes) {
    std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
    std::string seal;
    for (int i = 0; i < 8; ++i, hash >>= 8) seal += static_cast<char>(hash & 0xff);
    return seal;
}

/// `file` without its seal. Throws Error for a broken one, and where there is none.
std::string_view unsealed(std::string_view file, std::span<const std::uint8_t> header) {
    const std::size_t size = file.size() - std::min<std::size_t>(file.size(), 8);
    if (file.substr(size) == seal_of(file.substr(0, size))) return file.substr(0, size);
    const Json json = header_from(header);
    db::require_schema(json, kSchema);  // a later one may say otherwise what it ends with
    if (!json.contains(kSealed))
        throw Error("was made by an early sptune; train it anew with `sptune train`");
    throw Error("is damaged: what it holds is not what was written; copy it or train it anew");
}

/// A model may know fewer inputs than we do, but what it knows must be the first of ours.
void require_known(const std::vector<std::string>& known, const std::vector<std::string>& ours) {
    if (known.size() > ours.size() || !std::equal(known.begin(), known.end(), ours.begin()))
        throw Error(
            "the model looks at other features than this version of sptune finds; train it "
            "anew with `sptune train`");
}

/// What a choice does not need is not parsed: of a model the header says which it is, and where its
/// description lies.
Json entry_of(const Json& description, Bytes& arrays) {
    Json entry{{"kind", description["kind"]}, {"backend", description["backend"]}};
    put_bytes(entry, "description", Json::to_cbor(description), arrays);
    return entry;
}

Json description_of(const Json& entry, const Arrays& arrays) {
    const std::span<const std::uint8_t> cbor = bytes(entry, "description", arrays);
    if (!arrays.stay) require_shallow(cbor);
    Json description = header_from(cbor);
    for (const char* const same : {"kind", "backend"})
        if (member(description, same) != member(entry, same))
            throw Error(fmt::format("its description has another {}", same));
    return description;
}

}  // namespace

std::string to_bytes(const ModelSet& models) {
    Json list = Json::array();
    Bytes arrays;
    for (const auto& model : models.trees())
        list.push_back(entry_of(encode(*model, arrays), arrays));
    for (const auto& model : models.bestsf())
        list.push_back(entry_of(encode(*model, arrays), arrays));
    for (const auto& model : models.products())
        list.push_back(entry_of(encode(*model, arrays), arrays));
    Json header{{"schema", fmt::format("{}/1", kSchema)},
                {"provenance", encode(models.training(), arrays)},
                {"inputs", input_names()},
                {"product_inputs", product_input_names()},
                {"models", std::move(list)},
                {kSealed, true}};
    return join_parts(kLetters, std::move(header), arrays);
}

ModelSet models_from_bytes(std::string_view bytes, std::optional<Part> only, bool stay) {
    auto [header, arrays] = split_parts(bytes, kLetters, kWhat);
    arrays.stay = stay;
    const Json json = header_from(header);
    db::require_schema(json, kSchema);
    require_known(texts(json, "inputs"), input_names());
    require_known(texts(json, "product_inputs"), product_input_names());
    ModelSet::Models models;
    std::size_t index = 0;
    for (const Json& entry : list(json, "models")) {
        try {
            const std::string kind = text(member(entry, "kind"), "kind");
            const auto wanted = [&](Op op) {
                return !only || (only->op == op && backend_of(entry) == only->backend);
            };
            const auto description = [&] { return description_of(entry, arrays); };
            if (kind == "trees") {
                if (wanted(Op::spmv))
                    models.trees.push_back(
                        std::make_unique<TreeModel>(decode_trees(description(), arrays)));
            } else if (kind == "products") {
                if (wanted(Op::spgemm))
                    models.products.push_back(
                        std::make_unique<ProductModel>(decode_products(description(), arrays)));
            } else if (kind == "bestsf") {
                if (!only)
                    models.bestsf.push_back(
                        std::make_unique<BestSf>(decode_bestsf(description(), arrays)));
            } else {
                throw Error(
                    fmt::format("kind is \"{}\"; expected trees, bestsf or products", kind));
            }
        } catch (const UsageError&) {  // of the environment, not of the file
            throw;
        } catch (const Error& e) {
            throw Error(fmt::format("models[{}]: {}", index, e.what()));
        }
        ++index;
    }
    return {decode_training(member(json, "provenance"), arrays, !only), std::move(models)};
}

ModelSet read_models(const std::filesystem::path& file) {
    try {
        const std::string bytes = db::read_text(file);
        const std::span<const std::uint8_t> header = split_parts(bytes, kLetters, kWhat).header;
        require_shallow(header);
        return models_from_bytes(unsealed(bytes, header));
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw InputError(file.string(), 0, e.what());
    }
}

void write_models(const std::filesystem::path& file, const ModelSet& models) {
    AtomicFile out(file);
    const std::string bytes = to_bytes(models);
    out.write(bytes);
    out.write(seal_of(bytes));
    out.commit();
}

}  // namespace sptune::models
