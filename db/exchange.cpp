// Handing knowledge on: exporting a database and merging one into another.
#include "db/codec.hpp"
#include "db/csv.hpp"
#include "db/document.hpp"
#include "db/knowledge.hpp"
#include "db/seal.hpp"
#include "db/store.hpp"
#include "db/t4.hpp"
#include "db/winners_header.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

bool better(const Entry& a, const Entry& b) {
    if (kernels_reached(a) != kernels_reached(b)) return kernels_reached(a) > kernels_reached(b);
    if (a.complete != b.complete) return a.complete;
    if (were_cores_busy(a) != were_cores_busy(b)) return were_cores_busy(b);
    return a.provenance.created_utc > b.provenance.created_utc;
}

}  // namespace

MergeCount merge(const Store& from, const Store& to) {
    to.require_writable();
    MergeCount count;
    const int unusable = from.for_each([&](const std::string&, const Entry& entry) {
        const auto own = to.load(entry.device.key, entry_key(entry));
        if (own && !better(entry, *own)) {
            ++count.kept;
            return;
        }
        try {
            to.save(entry);
            ++(own ? count.replaced : count.taken);
        } catch (const NewerSchema&) {  // load() has warned of it
            ++count.refused;
        }
    });
    count.refused += unusable;
    return count;
}

std::string export_store(const Store& store, ExportFormat format) {
    if (format == ExportFormat::csv) {
        std::string text = csv_header();
        store.for_each([&](const std::string&, const Entry& e) { text += csv_rows(e); });
        return text;
    }
    if (format == ExportFormat::t4) return export_t4_results(store);
    if (format == ExportFormat::header) return export_header(store);
    nlohmann::ordered_json document{{"schema", "sptune.export/1"}, {"created_utc", utc_time()}};
    auto& entries = document["entries"] = nlohmann::ordered_json::array();
    store.for_each([&](const std::string&, const Entry& e) {
        seal(entries.emplace_back(to_json(e)), Layout::one_line);
    });
    std::string text = to_text(document);
    if (text.size() > kMostExportBytes)
        throw Error(
            fmt::format("the export of {} would have {} bytes, and at most {} are read: "
                        "copy the folder itself, which every reader takes as well",
                        store.path().string(), text.size(), kMostExportBytes));
    return text;
}

}  // namespace sptune::db
