// auto_spgemm for C.
#include "library/c_calls.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>

struct sptune_matrix {
    std::variant<sptune::csr_matrix<float, std::int32_t>, sptune::csr_matrix<float, std::int64_t>,
                 sptune::csr_matrix<double, std::int32_t>, sptune::csr_matrix<double, std::int64_t>>
        made;
};

namespace {

using sptune::c::answer;
using sptune::c::backend_from;
using sptune::c::hand_over;
using sptune::c::require;
using sptune::c::require_initialised;
using sptune::c::view_as;
using sptune::c::with_view;

sptune::spgemm_options from_c(const sptune_spgemm_options& given) {
    require_initialised(given.size, "sptune_spgemm_options_init()");
    sptune_spgemm_options o;
    sptune_spgemm_options_init(&o);
    // A caller that was compiled for an earlier version knows fewer fields.
    std::memcpy(&o, &given, std::min(given.size, sizeof o));
    sptune::spgemm_options p;
    p.sorted = o.sorted != 0;
    p.drop_zeros = o.drop_zeros != 0;
    p.memory_bytes = o.memory_bytes;
    p.backend = backend_from(o.backend);
    p.variant = o.variant ? o.variant : "";
    p.threads = o.threads;
    p.database = o.database;
    p.stream = o.stream;
    return p;
}

template <class T, class P>
sptune_csr to_c(const sptune::csr_view<T, P>& v) {
    return {v.rows,
            v.cols,
            v.row_ptr,
            v.col_idx,
            v.values,
            static_cast<std::int64_t>(v.nnz),
            std::is_same_v<T, float> ? SPTUNE_F32 : SPTUNE_F64,
            std::is_same_v<P, std::int32_t> ? SPTUNE_I32 : SPTUNE_I64};
}

}  // namespace

extern "C" {

void sptune_spgemm_options_init_sized(sptune_spgemm_options* options, std::size_t size) {
    if (!options) return;
    const sptune::spgemm_options p;
    const sptune_spgemm_options all{size,      p.sorted,  p.drop_zeros, p.memory_bytes, SPTUNE_ANY,
                                    p.variant, p.threads, p.database,   p.stream};
    std::memcpy(options, &all, std::min(size, sizeof all));
}

sptune_status sptune_auto_spgemm(const sptune_csr* a, const sptune_csr* b,
                                 const sptune_spgemm_options* options, sptune_matrix** c) {
    if (c) *c = nullptr;
    return answer([&] {
        require(c, "there is no place for C");
        require(a && b, "a matrix is NULL");
        require(a->value == b->value, "A and B differ in their value type");
        require(a->index == b->index, "A and B differ in the type of their row pointers");
        const sptune::spgemm_options o = options ? from_c(*options) : sptune::spgemm_options{};
        with_view(a, [&]<class T, class P>(const sptune::csr_view<T, P>& left) {
            *c = new sptune_matrix{sptune::auto_spgemm(left, view_as<T, P>(*b), o)};
        });
    });
}

sptune_status sptune_matrix_view(const sptune_matrix* c, sptune_csr* view) {
    return answer([&] {
        require(c, "the matrix is NULL");
        require(view, "there is no place for the view");
        *view = std::visit([](const auto& made) { return to_c(made.view()); }, c->made);
    });
}

sptune_backend sptune_matrix_location(const sptune_matrix* c) {
    if (!c) return SPTUNE_ANY;
    return static_cast<sptune_backend>(
        std::visit([](const auto& made) { return made.location(); }, c->made));
}

const char* sptune_matrix_made_by(const sptune_matrix* c) {
    return c ? std::visit([](const auto& made) { return made.made_by().c_str(); }, c->made)
             : nullptr;
}

sptune_status sptune_matrix_why(const sptune_matrix* c, char* text, size_t size, size_t* needed) {
    return answer([&] {
        require(c, "the matrix is NULL");
        hand_over(std::visit([](const auto& made) { return made.why(); }, c->made), text, size,
                  needed);
    });
}

void sptune_matrix_destroy(sptune_matrix* c) {
    delete c;
}

}  // extern "C"
