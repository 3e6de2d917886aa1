#include "models/shipped.hpp"

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

const ModelSet* shipped_model() {
#ifdef SPTUNE_SHIPPED_MODEL
    static const ModelSet models =
        models_from_bytes({sptune_shipped_begin,
                           static_cast<std::size_t>(sptune_shipped_end - sptune_shipped_begin)});
    return &models;
#else
    return nullptr;
#endif
}

}  // namespace sptune::models
