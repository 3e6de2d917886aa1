#include "library/c_calls.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <variant>

struct sptune_plan {
    std::variant<sptune::spmv_plan<float>, sptune::spmv_plan<double>> plan;
};

namespace {

std::string& last_error() {
    return sptune::of_this_thread<std::string, struct LastError>();
}

using sptune::c::answer;
using sptune::c::backend_from;
using sptune::c::hand_over;
using sptune::c::require;
using sptune::c::require_initialised;
using sptune::c::with_view;

template <class Use>
void with_plan(sptune_plan* p, const Use& use) {
    require(p, "the plan is NULL");
    std::visit([&]<class T>(sptune::spmv_plan<T>& plan) { use.template operator()<T>(plan); },
               p->plan);
}

sptune::plan_options from_c(const sptune_options& given) {
    require_initialised(given.size, "sptune_options_init()");
    sptune_options o;
    sptune_options_init(&o);
    // A caller that was compiled for an earlier version knows fewer fields.
    std::memcpy(&o, &given, std::min(given.size, sizeof o));
    require(o.online >= SPTUNE_ONLINE_AUTOMATIC && o.online <= SPTUNE_ONLINE_NEVER,
            "unknown online mode");
    sptune::plan_options p;
    p.expected_calls = o.expected_calls;
    p.transposed = o.transposed != 0;
    p.deterministic = o.deterministic != 0;
    p.memory_bytes = o.memory_bytes;
    p.longest_conversion_us = o.longest_conversion_us;
    p.error_bound = o.error_bound;
    p.variants = o.variants;
    p.backend = backend_from(o.backend);
    p.online = static_cast<sptune::online>(o.online);
    p.epsilon = o.epsilon;
    p.grace_calls = o.grace_calls;
    p.threads = o.threads;
    p.database = o.database;
    p.in_graphs = o.in_graphs != 0;
    return p;
}

}  // namespace

sptune_status sptune::c::failed(sptune_status code, const char* what) noexcept {
    try {
        last_error() = what;
    } catch (...) {
        last_error().clear();
    }
    return code;
}

extern "C" {

const char* sptune_version(void) {
    return sptune::version();
}

const char* sptune_last_error(void) {
    return last_error().c_str();
}

void sptune_options_init_sized(sptune_options* options, std::size_t size) {
    if (!options) return;
    const sptune::plan_options p;
    const sptune_options all{size,           p.expected_calls,
                             p.transposed,   p.deterministic,
                             p.memory_bytes, p.longest_conversion_us,
                             p.error_bound,  p.variants,
                             SPTUNE_ANY,     SPTUNE_ONLINE_AUTOMATIC,
                             p.epsilon,      p.grace_calls,
                             p.threads,      p.database,
                             p.in_graphs};
    std::memcpy(options, &all, std::min(size, sizeof all));
}

sptune_status sptune_plan_create(const sptune_csr* a, const sptune_options* options,
                                 sptune_plan** plan) {
    if (plan) *plan = nullptr;
    return answer([&] {
        require(plan, "there is no place for the plan");
        const sptune::plan_options o = options ? from_c(*options) : sptune::plan_options{};
        *plan =
            with_view(a, [&](const auto& view) { return new sptune_plan{sptune::plan(view, o)}; });
    });
}

void sptune_plan_destroy(sptune_plan* plan) {
    delete plan;
}

sptune_status sptune_plan_apply(sptune_plan* p, double alpha, const void* x, double beta, void* y,
                                void* stream) {
    return sptune_plan_apply_many(p, alpha, x, 0, beta, y, 0, 1, stream);
}

sptune_status sptune_plan_apply_many(sptune_plan* p, double alpha, const void* x, size_t ldx,
                                     double beta, void* y, size_t ldy, size_t count, void* stream) {
    return answer([&] {
        with_plan(p, [&]<class T>(sptune::spmv_plan<T>& plan) {
            plan.apply_many(static_cast<T>(alpha), static_cast<const T*>(x), ldx,
                            static_cast<T>(beta), static_cast<T*>(y), ldy, count, stream);
        });
    });
}

sptune_status sptune_plan_apply_many_rows(sptune_plan* p, double alpha, const void* x, size_t ldx,
                                          double beta, void* y, size_t ldy, size_t count,
                                          void* stream) {
    return answer([&] {
        with_plan(p, [&]<class T>(sptune::spmv_plan<T>& plan) {
            plan.apply_many_rows(static_cast<T>(alpha), static_cast<const T*>(x), ldx,
                                 static_cast<T>(beta), static_cast<T*>(y), ldy, count, stream);
        });
    });
}

sptune_status sptune_plan_update_values(sptune_plan* p, const void* values) {
    return answer([&] {
        with_plan(p, [&]<class T>(sptune::spmv_plan<T>& plan) {
            plan.update_values(static_cast<const T*>(values));
        });
    });
}

sptune_status sptune_plan_why(const sptune_plan* p, char* text, size_t size, size_t* needed) {
    return answer([&] {
        require(p, "the plan is NULL");
        hand_over(std::visit([](const auto& plan) { return plan.why(); }, p->plan), text, size,
                  needed);
    });
}

sptune_status sptune_auto_spmv(const sptune_csr* a, double alpha, const void* x, double beta,
                               void* y, void* stream) {
    return answer([&] {
        with_view(a, [&]<class T, class P>(const sptune::csr_view<T, P>& view) {
            sptune::auto_spmv(view, static_cast<const T*>(x), static_cast<T*>(y),
                              {static_cast<T>(alpha), static_cast<T>(beta), stream});
        });
    });
}

sptune_status sptune_auto_spmv_many(const sptune_csr* a, double alpha, const void* x, size_t ldx,
                                    double beta, void* y, size_t ldy, size_t count, void* stream) {
    return answer([&] {
        with_view(a, [&]<class T, class P>(const sptune::csr_view<T, P>& view) {
            sptune::auto_spmv_many(view, static_cast<const T*>(x), ldx, static_cast<T*>(y), ldy,
                                   count, {static_cast<T>(alpha), static_cast<T>(beta), stream});
        });
    });
}

sptune_status sptune_auto_spmv_many_rows(const sptune_csr* a, double alpha, const void* x,
                                         size_t ldx, double beta, void* y, size_t ldy, size_t count,
                                         void* stream) {
    return answer([&] {
        with_view(a, [&]<class T, class P>(const sptune::csr_view<T, P>& view) {
            sptune::auto_spmv_many_rows(view, static_cast<const T*>(x), ldx, static_cast<T*>(y),
                                        ldy, count,
                                        {static_cast<T>(alpha), static_cast<T>(beta), stream});
        });
    });
}

sptune_status sptune_forget(const sptune_csr* a) {
    return answer([&] { with_view(a, [](const auto& view) { sptune::forget(view); }); });
}

sptune_status sptune_why(const sptune_csr* a, char* text, size_t size, size_t* needed) {
    return answer([&] {
        with_view(a, [&](const auto& view) { hand_over(sptune::why(view), text, size, needed); });
    });
}

}  // extern "C"
