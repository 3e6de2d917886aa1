#include "kernels/vendor/mkl_library.hpp"

#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/lasting.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>

namespace sptune {

namespace {

std::string& explicit_path() {
    static std::string& path = lasting<std::string>();
    return path;
}

namespace fs = std::filesystem;

const char* const kNames[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"};

std::vector<std::string> places() {
    std::string given = explicit_path();
    if (given.empty())
        if (const char* env = std::getenv("SPTUNE_MKL")) given = env;
    std::vector<std::string> found;
    std::error_code ignored;
    if (given.empty() || fs::is_directory(given, ignored)) {
        for (const char* name : kNames)
            found.push_back(given.empty() ? name : (fs::path(given) / name).string());
    } else {
        found.push_back(given);
    }
    return found;
}

/// MKL ends the process when libmkl_rt finds no companions: look for them first.
std::string missing_companion(void* some_symbol) {
    Dl_info info{};
    if (!dladdr(some_symbol, &info) || !info.dli_fname) return {};
    const fs::path rt(info.dli_fname);
    const std::string name = rt.filename().string();
    const std::string suffix = name.substr(std::min(name.find(".so"), name.size()));
    for (const char* stem : {"libmkl_core", "libmkl_gnu_thread"}) {
        const fs::path file = rt.parent_path() / (stem + suffix);
        std::error_code ignored;
        if (!fs::exists(file, ignored)) return file.string();
    }
    return {};
}

template <class F>
bool resolve(void* handle, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    return function != nullptr;
}

mkl::Library load() {
    mkl::Library lib;
    void* handle = nullptr;
    std::string tried;
    bool in_use = false;  // by the program, whose settings they are then
    for (const std::string& place : places()) {
        handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        in_use = handle != nullptr;
        if (!handle) handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle) break;
        tried += (tried.empty() ? "" : ", ") + place;
    }
    if (!handle) {
        lib.status =
            "not found (tried " + tried + "); name its file or folder with --mkl or $SPTUNE_MKL";
        return lib;
    }
    int (*set_threading_layer)(int) = nullptr;
    void (*set_dynamic)(int) = nullptr;
    void (*version)(char*, int) = nullptr;
    const bool complete = resolve(handle, "MKL_Set_Threading_Layer", set_threading_layer) &&
                          resolve(handle, "MKL_Set_Dynamic", set_dynamic) &&
                          resolve(handle, "MKL_Set_Num_Threads_Local", lib.set_num_threads_local) &&
                          resolve(handle, "MKL_Get_Version_String", version) &&
                          resolve(handle, "mkl_sparse_set_mv_hint", lib.set_mv_hint) &&
                          resolve(handle, "mkl_sparse_optimize", lib.optimize) &&
                          resolve(handle, "mkl_sparse_destroy", lib.destroy) &&
                          resolve(handle, "mkl_sparse_spmm", lib.spmm) &&
                          resolve(handle, "mkl_sparse_order", lib.order) &&
                          resolve(handle, "mkl_sparse_s_export_csr", lib.f32.export_csr) &&
                          resolve(handle, "mkl_sparse_d_export_csr", lib.f64.export_csr) &&
                          resolve(handle, "mkl_sparse_s_create_csr", lib.f32.create_csr) &&
                          resolve(handle, "mkl_sparse_d_create_csr", lib.f64.create_csr) &&
                          resolve(handle, "mkl_sparse_s_mv", lib.f32.mv) &&
                          resolve(handle, "mkl_sparse_d_mv", lib.f64.mv);
    if (!complete) {
        lib.status = "found, but without the inspector-executor functions of LP64";
        return lib;
    }
    if (const std::string file = missing_companion(reinterpret_cast<void*>(set_threading_layer));
        !file.empty()) {
        lib.status = "incomplete: " + file + " is missing";
        return lib;
    }
    // MKL must share our OpenMP run time: two pools of spinning threads would slow each other down.
    constexpr int kGnuThreading = 3;
    if (!in_use) {
        set_threading_layer(kGnuThreading);
        set_dynamic(0);
    }
    char text[256] = {};
    version(text, sizeof text - 1);
    lib.status = text;
    lib.status.erase(lib.status.find_last_not_of(" \n") + 1);
    lib.loaded = true;
    lib.handle = handle;
    return lib;
}

}  // namespace

void set_mkl_path(std::string path) {
    explicit_path() = std::move(path);
}
std::string mkl_status() {
    return mkl::library().status;
}

namespace mkl {

const Library& library() {
    static const Library& lib = lasting(load);
    return lib;
}

Threads::Threads(int threads)
    : before_(library().set_num_threads_local(resolve_threads(threads))) {}

Threads::~Threads() {
    library().set_num_threads_local(before_);
}

}  // namespace mkl

}  // namespace sptune
