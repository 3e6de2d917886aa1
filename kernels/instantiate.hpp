// Explicit instantiation of a format's conversion for every value and row pointer type.
#pragma once

#define SPTUNE_INSTANTIATE_FORMAT_FOR(Format, T, P)                                    \
    template Footprint Format::inspect(CsrView<T, P>, const Features&, const Params&); \
    template std::unique_ptr<Storage> Format::convert(CsrView<T, P>, const Params&, int);

#define SPTUNE_INSTANTIATE_FORMAT(Format)                       \
    SPTUNE_INSTANTIATE_FORMAT_FOR(Format, float, std::int32_t)  \
    SPTUNE_INSTANTIATE_FORMAT_FOR(Format, float, std::int64_t)  \
    SPTUNE_INSTANTIATE_FORMAT_FOR(Format, double, std::int32_t) \
    SPTUNE_INSTANTIATE_FORMAT_FOR(Format, double, std::int64_t)
