#include "matrix.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace sptune_python {
namespace {

sptune::online online_named(const std::string& word) {
    if (word == "automatic") return sptune::online::automatic;
    if (word == "always") return sptune::online::always;
    if (word == "never") return sptune::online::never;
    throw nb::value_error("online must be \"automatic\", \"always\" or \"never\"");
}

/// The locks are taken without the GIL: who holds one may be waiting for the other.
template <class T>
class Plan {
  public:
    explicit Plan(sptune::spmv_plan<T> plan) : plan_(std::move(plan)) {}

    void apply(const Array<const T>& x, const Array<T>& y, T alpha, T beta, std::uintptr_t stream) {
        const Columns columns(x, y);
        const OthersRun others_run;
        const std::shared_lock no_update(values_);
        void* const on = stream_of(stream);
        if (columns.rows)
            plan_.apply_many_rows(alpha, x.data(), columns.ldx, beta, y.data(), columns.ldy,
                                  columns.count, on);
        else
            plan_.apply_many(alpha, x.data(), columns.ldx, beta, y.data(), columns.ldy,
                             columns.count, on);
    }
    void update_values(const Array<const T>& values) {
        const OthersRun others_run;
        const std::unique_lock no_apply(values_);
        plan_.update_values(values.data());
    }
    std::string why() const {
        const OthersRun others_run;
        return plan_.why();
    }
    sptune::choice selection() const {
        const OthersRun others_run;
        return plan_.selection();
    }

  private:
    sptune::spmv_plan<T> plan_;
    std::shared_mutex values_;  ///< of A: read by apply
};

template <class T, class P>
std::unique_ptr<Plan<T>> make_plan(const Matrix<T, P>& a, double expected_calls, bool transposed,
                                   bool deterministic, std::optional<std::uint64_t> memory_bytes,
                                   std::optional<double> longest_conversion_us,
                                   std::optional<double> error_bound, const std::string& variants,
                                   const std::string& backend, const std::string& online,
                                   double epsilon, double grace_calls, int threads,
                                   const std::optional<std::string>& database, bool in_graphs) {
    sptune::plan_options o;
    o.expected_calls = expected_calls;
    o.transposed = transposed;
    o.deterministic = deterministic;
    o.memory_bytes = memory_bytes.value_or(o.memory_bytes);
    o.longest_conversion_us = longest_conversion_us.value_or(o.longest_conversion_us);
    o.error_bound = error_bound.value_or(o.error_bound);
    o.variants = variants.c_str();
    o.backend = backend_named(backend);
    o.online = online_named(online);
    o.epsilon = epsilon;
    o.grace_calls = grace_calls;
    o.threads = threads;
    o.database = database ? database->c_str() : nullptr;
    o.in_graphs = in_graphs;
    const OthersRun others_run;
    return std::make_unique<Plan<T>>(sptune::plan(a.view, o));
}

template <class T, class P>
void bind_maker(nb::module_& m) {
    m.def("plan", &make_plan<T, P>, nb::arg("matrix"), nb::kw_only(), nb::arg("expected_calls"),
          nb::arg("transposed"), nb::arg("deterministic"), nb::arg("memory_bytes").none(),
          nb::arg("longest_conversion_us").none(), nb::arg("error_bound").none(),
          nb::arg("variants"), nb::arg("backend"), nb::arg("online"), nb::arg("epsilon"),
          nb::arg("grace_calls"), nb::arg("threads"), nb::arg("database").none(),
          nb::arg("in_graphs"));
}

template <class T>
void bind(nb::module_& m, const char* name) {
    nb::class_<Plan<T>>(m, name)
        .def("apply", &Plan<T>::apply, nb::arg("x").noconvert(), nb::arg("out").noconvert(),
             nb::arg("alpha"), nb::arg("beta"), nb::arg("stream"))
        .def("update_values", &Plan<T>::update_values, nb::arg("values").noconvert())
        .def("why", &Plan<T>::why)
        .def("selection", &Plan<T>::selection);
    bind_maker<T, std::int32_t>(m);
    bind_maker<T, std::int64_t>(m);
}

}  // namespace

void bind_plans(nb::module_& m) {
    using sptune::choice;
    nb::class_<choice>(m, "Choice", "What a plan rests on.")
        .def_ro("id", &choice::id, "of the kernel that calls use at present")
        .def_ro("source", &choice::source, "\"exact\", \"model\" or \"heuristic\"")
        .def_ro("chosen", &choice::chosen, "id of the kernel that was chosen at first")
        .def_ro("predicted_us", &choice::predicted_us, "of one call of it")
        .def_ro("confidence", &choice::confidence)
        .def_ro("break_even_calls", &choice::break_even_calls, "negative: never")
        .def_ro("select_us", &choice::select_us, "what choosing took")
        .def_ro("settled", &choice::settled, "nothing will be tried or converted any more")
        .def("__repr__", [](const choice& c) {
            return "Choice(id='" + c.id + "', source='" + c.source + "', chosen='" + c.chosen +
                   "', settled=" + (c.settled ? "True)" : "False)");
        });
    bind<float>(m, "PlanF32");
    bind<double>(m, "PlanF64");
}

}  // namespace sptune_python
