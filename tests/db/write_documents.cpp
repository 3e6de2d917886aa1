// write_documents FOLDER: one document of each published kind for many random entries, for
// check_schema.py.
#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/store.hpp"
#include "tests/db/random_entry.hpp"

#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

int main(int argc, char** argv) {
    using namespace sptune::db;
    if (argc != 2) {
        std::fputs("usage: write_documents FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder(argv[1]);
    const Store store(folder / "db");
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Entry entry = random_entry(seed);
        store.save(entry);
        std::ofstream(folder / ("profile-" + std::to_string(seed) + ".json"))
            << to_text(profile_document(entry));
    }
    std::ofstream(folder / "export.json") << export_store(store, ExportFormat::json);
}
