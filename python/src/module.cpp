// sptune._sptune: the public C++ interface for the Python half of the package, which is what people
// see.
#include "matrix.hpp"

#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <omp.h>

namespace sptune_python {
namespace {

/// An array on a GPU that is described by numbers, as __cuda_array_interface__ does. `strides` are
/// in entries.
nb::ndarray<nb::array_api> device_array(std::uintptr_t address,
                                        const std::vector<std::size_t>& shape,
                                        const std::vector<std::int64_t>& strides,
                                        const std::string& type, const nb::object& owner) {
    const auto dtype = type == "<f4"   ? nb::dtype<float>()
                       : type == "<f8" ? nb::dtype<double>()
                       : type == "<i4" ? nb::dtype<std::int32_t>()
                       : type == "<i8" ? nb::dtype<std::int64_t>()
                                       : throw nb::type_error("a type that sptune does not know");
    return nb::ndarray<nb::array_api>(reinterpret_cast<void*>(address), shape.size(), shape.data(),
                                      owner, strides.data(), dtype, nb::device::cuda::value, 0);
}

void translate(const std::exception_ptr& thrown, void* constraint_error) {
    try {
        std::rethrow_exception(thrown);
    } catch (const sptune::error& e) {
        PyObject* type = PyExc_RuntimeError;
        if (e.code() == sptune::status::invalid_argument) type = PyExc_ValueError;
        if (e.code() == sptune::status::out_of_memory) type = PyExc_MemoryError;
        if (e.code() == sptune::status::unmet_constraint || e.code() == sptune::status::no_device)
            type = static_cast<PyObject*>(constraint_error);
        PyErr_SetString(type, e.what());
    }
}

}  // namespace
}  // namespace sptune_python

NB_MODULE(_sptune, m) {
    using namespace sptune_python;
    // Plans in global variables outlive the interpreter; nothing of that is news to their owner.
    nb::set_leak_warnings(false);
    PyObject* const constraint_error = PyErr_NewExceptionWithDoc(
        "sptune.ConstraintError", "What was asked for cannot be met; the message says which part.",
        PyExc_ValueError, nullptr);
    if (!constraint_error) nb::raise_python_error();
    m.attr("ConstraintError") = nb::steal(constraint_error);
    nb::register_exception_translator(translate, constraint_error);

    m.def("version", &sptune::version);
    // A forked child has none of the threads that GNU's OpenMP remembers, and would wait for them
    // forever. Released before the fork, they are started anew when there is work, in either
    // process.
    m.def("release_threads", [] { omp_pause_resource_all(omp_pause_soft); });
    m.def("in_gpu_memory", [](std::uintptr_t address) {
        return sptune::memory_of(reinterpret_cast<const void*>(address)) == sptune::backend::cuda;
    });
    m.def("device_array", &device_array, nb::arg("address"), nb::arg("shape"), nb::arg("strides"),
          nb::arg("type"), nb::arg("owner"));
    bind_matrices(m);
    bind_plans(m);
    bind_products(m);
}
