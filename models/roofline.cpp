#include "models/roofline.hpp"

#include "models/heuristic.hpp"
#include "models/holding.hpp"
#include "models/starting.hpp"

#include <algorithm>

namespace sptune::models {

double streaming_us(const Features& f, const db::Device& device, ValueType value) {
    Variant csr;
    csr.format = "csr", csr.value = value;
    const auto bytes = static_cast<double>(estimated_bytes(f, csr));
    return bytes / bandwidth_gbs(device, bytes) / 1e3;
}

double start_us(const db::Device& device) {
    if (device.backend != "cpu") return std::max(device.launch_us, 0.5);
    return device.threads > 1 ? start_or_usual_us(device) : 0;
}

}  // namespace sptune::models
