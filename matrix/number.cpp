#include "matrix/number.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace sptune {
namespace {

std::string scaled(double value, double step, const char* const* units, std::size_t unit_count) {
    std::size_t unit = 0;
    // 999.6 would be printed as "1000", so the next unit starts a little early.
    while (unit + 1 < unit_count && std::abs(value) >= step * 0.9995) {
        value /= step;
        ++unit;
    }
    return significant(value) + units[unit];
}

}  // namespace

std::string significant(double value) {
    if (!std::isfinite(value)) return "-";
    const double size = std::abs(value);
    if (size >= 1e6) return fmt::format("{:.3g}", value);
    if (size >= 99.95 || size == 0) return fmt::format("{:.0f}", value);
    if (size >= 9.995) return fmt::format("{:.1f}", value);
    if (size >= 0.0995) return fmt::format("{:.2f}", value);
    return fmt::format("{:.2g}", value);
}

std::string duration_us(double us) {
    if (!std::isfinite(us)) return "-";
    if (us >= 119.5e6) {
        const auto seconds = std::llround(us / 1e6);
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    if (us != 0 && us < 0.9995) return significant(us * 1000) + " ns";
    static constexpr const char* units[] = {" µs", " ms", " s"};
    return scaled(us, 1000, units, std::size(units));
}

std::string count(std::int64_t n) {
    std::string digits = std::to_string(n);
    const std::ptrdiff_t first = n < 0 ? 1 : 0;
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > first; i -= 3)
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    return digits;
}

std::string with_noun(const std::string& number, std::string noun, std::string plural) {
    if (plural.empty()) plural = noun + "s";
    return number + " " + (number == "1" ? noun : plural);
}

std::string plain(double value) {
    return fmt::format("{:.4g}", value);
}

std::string short_count(double n) {
    if (std::abs(n) < 999.5) return fmt::format("{:.0f}", n);
    static constexpr const char* units[] = {"", " k", " M", " G", " T"};
    return scaled(n, 1000, units, std::size(units));
}

std::string byte_count(double bytes) {
    static constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
    return scaled(bytes, 1024, units, std::size(units));
}

std::string percent(double share) {
    if (!std::isfinite(share)) return "-";
    const double value = share * 100;
    if (value > 99.5 && value < 100)
        return value > 99.9 ? ">99.9 %" : fmt::format("{:.1f} %", value);
    if (value > 0 && value < 0.05) return "<0.1 %";
    return fmt::format("{:.{}f} %", value, value != 0 && value < 9.95 ? 1 : 0);
}

std::string factor(double value) {
    return significant(value) + "×";
}

}  // namespace sptune
