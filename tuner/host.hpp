// What the operating system says about the machine that runs this process.
#pragma once

#include <cstdint>
#include <string>

namespace sptune::tuner {

struct Host {
    std::string cpu;              ///< "AMD EPYC 7763 …", or "unknown cpu"
    std::string simd;             ///< widest Highway target this build uses here: "AVX2"
    std::uint64_t llc_bytes = 0;  ///< all last-level caches together; 32 MiB where unknown
    /// What tells processors of one name apart: "f25m17" for family 25, model 17 of x86, "p0xd40"
    /// for a part of ARM; empty where the system does not say.
    std::string generation;
};

/// Found out once, then remembered.
const Host& host();

/// What processors of one kind have in common: name and last-level cache, and the generation where
/// the name has no number, as virtual machines often hide it: "amd-epyc-f25m17-32m".
std::string processor_class(const Host& host);

/// Lower case, runs of anything but letters and digits turned into one '-': fit for a file name.
std::string slug(const std::string& text);

}  // namespace sptune::tuner
