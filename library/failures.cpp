#include "library/failures.hpp"

#include "kernels/spgemm/kernel.hpp"
#include "matrix/error.hpp"
#include "tuner/select.hpp"

#include <new>

namespace sptune {
inline namespace v1 {

error::error(status code, const std::string& what) : std::runtime_error(what), code_(code) {}
error::~error() = default;

const char* version() {
    return SPTUNE_VERSION;
}

}  // namespace v1

namespace library {
namespace {

/// Of the exception that is being handled.
status status_of(const std::exception& e) {
    if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const OutOfMemory*>(&e))
        return status::out_of_memory;
    if (dynamic_cast<const tuner::Unmet*>(&e)) return status::unmet_constraint;
    if (dynamic_cast<const UsageError*>(&e) || dynamic_cast<const InputError*>(&e) ||
        dynamic_cast<const SizeOverflow*>(&e))
        return status::invalid_argument;
    if (dynamic_cast<const DeviceError*>(&e)) return status::no_device;
    if (dynamic_cast<const DeviceFailure*>(&e)) return status::device_error;
    return status::internal;
}

}  // namespace

void rethrow_as_public() {
    try {
        throw;
    } catch (const std::exception& e) {
        throw error(status_of(e), e.what());
    } catch (...) {
        throw error(status::internal, "an unknown exception");
    }
}

}  // namespace library
}  // namespace sptune
