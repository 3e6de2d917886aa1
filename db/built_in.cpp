// Finding what was installed beside the program or library that this code has become part of.
#include "db/databases.hpp"
#include "matrix/lasting.hpp"

#include <dlfcn.h>
#include <link.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 3;  // lib/x86_64-linux-gnu/libsptune.so lies two below the prefix
constexpr const char* kName = "sptune/built-in.json";

/// The file that holds this code; empty where the system does not say.
fs::path this_object() {
    static const char here = 0;
    Dl_info info{};
    void* map = nullptr;
    if (!dladdr1(&here, &info, &map, RTLD_DL_LINKMAP) || !map) return {};
    const char* name = static_cast<const link_map*>(map)->l_name;
    std::error_code error;
    // The main program has no name there.
    const fs::path found = fs::canonical(name && *name ? name : "/proc/self/exe", error);
    return error ? fs::path() : found;
}

/// Where there is none: where it would be found below the prefix that this object lies in, or else
/// that of the build.
fs::path look() {
    std::error_code error;
    fs::path folder = this_object().parent_path(), expected;
    for (int level = 0; level < kLevels && !folder.empty(); ++level) {
        const fs::path name = folder.filename();
        folder = folder.parent_path();
        const fs::path file = folder / SPTUNE_DATADIR / kName;
        if (fs::exists(file, error)) return file;
        if (expected.empty() && (name == "bin" || name.string().starts_with("lib")))
            expected = file;
    }
    return expected.empty() ? fs::path(SPTUNE_FULL_DATADIR) / kName : expected;
}

}  // namespace

const fs::path& built_in_path() {
    static const fs::path& path = lasting(look);
    return path;
}

}  // namespace sptune::db
