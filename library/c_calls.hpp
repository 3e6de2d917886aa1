// What the functions of the C interface have in common.
#pragma once

#include "library/failures.hpp"
#include "sptune/sptune.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace sptune::c {

/// Keeps what the thread's next sptune_last_error() returns.
sptune_status failed(sptune_status code, const char* what) noexcept;

template <class Work>
sptune_status answer(const Work& work) noexcept {
    try {
        work();
        return SPTUNE_OK;
    } catch (const error& e) {
        return failed(static_cast<sptune_status>(e.code()), e.what());
    } catch (const std::bad_alloc&) {
        return failed(SPTUNE_OUT_OF_MEMORY, "not enough memory");
    } catch (const std::exception& e) {
        return failed(SPTUNE_INTERNAL, e.what());
    } catch (...) {
        return failed(SPTUNE_INTERNAL, "an unknown exception");
    }
}

inline void require(bool holds, const char* what) {
    if (!holds) throw error(status::invalid_argument, what);
}

/// As sptune_plan_why() says.
inline void hand_over(const std::string& what, char* text, std::size_t size, std::size_t* needed) {
    require(text || size == 0, "there is no place for the text");
    if (needed) *needed = what.size() + 1;
    if (size == 0) return;
    const std::size_t length = std::min(size - 1, what.size());
    std::memcpy(text, what.data(), length);
    text[length] = 0;
}

/// Of a struct that begins with its size: all options of a zeroed one would be passed over.
/// Earlier and later versions have structs of other sizes, but none as small or as large as what an
/// uninitialised one mostly says.
inline void require_initialised(std::size_t size, const char* initialiser) {
    constexpr std::size_t kLeast = 2 * sizeof(double), kMost = 4096;
    if (size < kLeast || size > kMost)
        throw error(status::invalid_argument, "the size of the options is " + std::to_string(size) +
                                                  "; call " + initialiser + " first");
}

inline backend backend_from(sptune_backend b) {
    require(b >= SPTUNE_ANY && b <= SPTUNE_CUDA, "unknown backend");
    return static_cast<backend>(b);
}

/// Of the types that a.value and a.index name.
template <class T, class P>
csr_view<T, P> view_as(const sptune_csr& a) {
    require(a.nnz >= -1, "nnz is negative; expected -1 (read from row_ptr) or more");
    require(a.index == SPTUNE_I64 || a.nnz <= INT32_MAX, "nnz is too large for 32-bit row_ptr");
    return {a.rows,
            a.cols,
            static_cast<const P*>(a.row_ptr),
            a.col_idx,
            static_cast<const T*>(a.values),
            static_cast<P>(a.nnz)};
}

/// What use(csr_view<T, P>) returns.
template <class Use>
auto with_view(const sptune_csr* a, const Use& use) {
    require(a, "the matrix is NULL");
    require(a->index == SPTUNE_I32 || a->index == SPTUNE_I64, "unknown index type");
    require(a->value == SPTUNE_F32 || a->value == SPTUNE_F64, "unknown value type");
    const auto view = [&]<class T, class P>() { return use(view_as<T, P>(*a)); };
    if (a->value == SPTUNE_F32)
        return a->index == SPTUNE_I32 ? view.template operator()<float, std::int32_t>()
                                      : view.template operator()<float, std::int64_t>();
    return a->index == SPTUNE_I32 ? view.template operator()<double, std::int32_t>()
                                  : view.template operator()<double, std::int64_t>();
}

}  // namespace sptune::c
