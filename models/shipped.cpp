#include "models/shipped.hpp"

#include "matrix/lasting.hpp"

// The assembler copies the file: no generated source, no file to look for at run time.
#ifdef SPTUNE_SHIPPED_MODEL
asm(R"(
    .section .rodata
    .balign 16
    .type sptune_shipped_begin, %object
sptune_shipped_begin:
    .incbin ")" SPTUNE_SHIPPED_MODEL R"("
    .type sptune_shipped_end, %object
sptune_shipped_end:
    .byte 0
    .previous
)");
extern "C" {
extern const char sptune_shipped_begin[] __attribute__((visibility("hidden")));
extern const char sptune_shipped_end[] __attribute__((visibility("hidden")));
}
#endif

namespace sptune::models {

#ifdef SPTUNE_SHIPPED_MODEL
namespace {

std::string_view shipped_bytes() {
    return {sptune_shipped_begin,
            static_cast<std::size_t>(sptune_shipped_end - sptune_shipped_begin)};
}

template <Op O, Backend B>
const ModelSet& part() {
    static const ModelSet& models = lasting([] {
        return models_from_bytes(shipped_bytes(), Part{O, B}, true);
    });
    return models;
}

template <Op O>
const ModelSet& part(Backend backend) {
    return backend == Backend::cpu ? part<O, Backend::cpu>() : part<O, Backend::cuda>();
}

}  // namespace

const ModelSet* shipped_model() {
    static const ModelSet& models =
        lasting([] { return models_from_bytes(shipped_bytes(), {}, true); });
    return &models;
}
const std::vector<std::unique_ptr<const TreeModel>>& shipped_trees(Backend backend) {
    return part<Op::spmv>(backend).trees();
}
const std::vector<std::unique_ptr<const ProductModel>>& shipped_products(Backend backend) {
    return part<Op::spgemm>(backend).products();
}
#else
const ModelSet* shipped_model() {
    return nullptr;
}
const std::vector<std::unique_ptr<const TreeModel>>& shipped_trees(Backend) {
    static const auto& none = lasting<std::vector<std::unique_ptr<const TreeModel>>>();
    return none;
}
const std::vector<std::unique_ptr<const ProductModel>>& shipped_products(Backend) {
    static const auto& none = lasting<std::vector<std::unique_ptr<const ProductModel>>>();
    return none;
}
#endif

}  // namespace sptune::models
