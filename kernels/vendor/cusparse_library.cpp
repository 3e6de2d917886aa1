#include "kernels/vendor/cusparse_library.hpp"

#include "kernels/registry.hpp"
#include "matrix/cuda/per_device.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace sptune {
namespace {

namespace fs = std::filesystem;

const char* const kNames[] = {"libcusparse.so.12", "libcusparse.so"};

/// Folders of installed toolkits: that of this build, then the usual ones.
std::vector<fs::path> toolkit_folders() {
    std::vector<fs::path> folders{SPTUNE_CUDA_LIBRARY_DIR, "/usr/local/cuda/lib64"};
    std::error_code ignored;
    std::vector<fs::path> targets;
    for (const auto& target : fs::directory_iterator("/usr/local/cuda/targets", ignored))
        targets.push_back(target.path() / "lib");
    std::sort(targets.begin(), targets.end());
    folders.insert(folders.end(), targets.begin(), targets.end());
    return folders;
}

std::vector<std::string> places() {
    const char* env = std::getenv("SPTUNE_CUSPARSE");
    const std::string given = env ? env : "";
    std::error_code ignored;
    if (!given.empty() && !fs::is_directory(given, ignored)) return {given};
    std::vector<std::string> found;
    for (const char* name : kNames)
        found.push_back(given.empty() ? name : (fs::path(given) / name).string());
    if (!given.empty()) return found;  // who names a folder does not want another library
    for (const fs::path& folder : toolkit_folders())
        for (const char* name : kNames)
            if (fs::exists(folder / name, ignored)) found.push_back((folder / name).string());
    return found;
}

std::string file_of(void* symbol) {
    Dl_info info{};
    return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "an unknown place";
}

cusparse::Library load() {
    cusparse::Library lib;
    void* found = nullptr;
    std::string complaint;
    for (const std::string& place : places()) {
        found = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (found) break;
        // The loader's words name the file, and the companion where one is missing.
        if (const char* words = dlerror(); words && complaint.empty()) complaint = words;
    }
    if (!found) {
        lib.status = "not found (" + complaint + "); name its file or folder with $SPTUNE_CUSPARSE";
        return lib;
    }
    const char* missing = nullptr;
#define SPTUNE_RESOLVE(name) \
    lib.name = reinterpret_cast<decltype(lib.name)>(dlsym(found, "cusparse" #name));
#define SPTUNE_REQUIRE(name) \
    SPTUNE_RESOLVE(name)     \
    if (!lib.name) missing = "cusparse" #name;
    SPTUNE_CUSPARSE_FUNCTIONS(SPTUNE_REQUIRE)
    SPTUNE_CUSPARSE_LATER(SPTUNE_RESOLVE)
#undef SPTUNE_REQUIRE
#undef SPTUNE_RESOLVE
    if (missing) {
        lib.status = std::string("found, but without ") + missing + "; version 12 is needed";
        return lib;
    }
    int major = 0, minor = 0, patch = 0;
    lib.GetProperty(MAJOR_VERSION, &major);
    lib.GetProperty(MINOR_VERSION, &minor);
    lib.GetProperty(PATCH_LEVEL, &patch);
    lib.status = fmt::format("cuSPARSE {}.{}.{} at {}", major, minor, patch,
                             file_of(reinterpret_cast<void*>(lib.SpMV)));
    lib.loaded = true;
    return lib;
}

}  // namespace

std::string cusparse_status() {
    return cusparse::library().status;
}

namespace cusparse {

const Library& library() {
    static const Library& lib = lasting(load);
    return lib;
}

void check(cusparseStatus_t status, const char* call, const char* file, int line,
           std::uint64_t bytes) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const cudaError_t device = cudaGetLastError();  // must not be reported again by a later launch
    if (status == CUSPARSE_STATUS_ALLOC_FAILED ||
        status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES || device == cudaErrorMemoryAllocation)
        throw OutOfMemory(call, bytes);
    const std::string words =
        fmt::format("{}:{}: {} failed: {}", file, line, call, library().GetErrorString(status));
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_INVALID_VALUE ||
        status == CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED ||
        status == CUSPARSE_STATUS_ARCH_MISMATCH)
        throw Refused(words);
    throw CudaError(device == cudaSuccess ? words : words + " (" + cudaGetErrorString(device) + ")",
                    device == cudaSuccess ? cudaErrorUnknown : device);
}

cusparseHandle_t handle(cudaStream_t stream) {
    struct Owner {
        cusparseHandle_t handle = nullptr;
        ~Owner() {
            if (handle) library().Destroy(handle);
        }
    };
    Owner& mine = of_this_thread<std::map<int, Owner>, Owner>()[cuda::current_device()];
    if (!mine.handle) SPTUNE_CUSPARSE(Create, &mine.handle);
    SPTUNE_CUSPARSE(SetStream, mine.handle, stream);
    return mine.handle;
}

}  // namespace cusparse
}  // namespace sptune
