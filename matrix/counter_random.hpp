// Random numbers that are the same on every platform: splitmix64 and a few functions made of IEEE
// + - * / alone. Sources that use more than the integers are compiled with -ffp-contract=off.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace sptune {

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection that looks random.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// An independent stream for each (seed, key): one per row, so that rows can be made in any order.
class Stream {
  public:
    Stream(std::uint64_t seed, std::uint64_t key)
        : state_(mix64(mix64(seed + kStep) ^ (key * 0xd1342543de82ef95u + kStep))) {}

    std::uint64_t next() { return mix64(state_ += kStep); }
    /// The value `next` would give after `offset` calls, without calling it.
    std::uint64_t at(std::uint64_t offset) const { return mix64(state_ + (offset + 1) * kStep); }
    /// In (0, 1), never 0 or 1.
    double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }
    /// In [0, n): the upper 64 bits of next() · n.
    std::uint32_t below(std::uint32_t n) {
        const std::uint64_t x = next();
        const std::uint64_t low = (x & 0xffffffffu) * n;
        return static_cast<std::uint32_t>(((x >> 32) * n + (low >> 32)) >> 32);
    }

  private:
    static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
    std::uint64_t state_;
};

/// In (-1, 1) without 0: an odd multiple of 2^-52, less one.
constexpr double signed_unit(std::uint64_t bits) {
    return static_cast<double>((bits >> 11) | 1) * 0x1p-52 - 1;
}

/// log((1 + s) / (1 - s)) for |s| < 0.18, to about 1e-16.
inline double portable_log_ratio(double s) {
    const double q = s * s;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
    return 2 * s * sum;
}

/// Natural logarithm of a normal x > 0, to about 1e-15.
inline double portable_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    if (m > 1.4142135623730951) m *= 0.5, ++exponent;
    return exponent * 0.6931471805599453 + portable_log_ratio((m - 1) / (m + 1));
}

/// log(1 + x) for x > -1, right for tiny x too.
inline double portable_log1p(double x) {
    return x > -0.29 && x < 0.41 ? portable_log_ratio(x / (2 + x)) : portable_log(1 + x);
}

/// e^x for -700 < x < 700, to about 1e-14.
inline double portable_exp(double x) {
    const double k = std::floor(x * 1.4426950408889634 + 0.5);
    const double r = x - k * 0.693147180369123816490 - k * 1.90821492927058770002e-10;
    double sum = 1;
    for (int i = 14; i >= 1; --i) sum = 1 + sum * r / i;
    return std::ldexp(sum, static_cast<int>(k));
}

/// x^y for x > 0 where the result is a normal number.
inline double portable_pow(double x, double y) {
    return portable_exp(y * portable_log(x));
}

}  // namespace sptune
