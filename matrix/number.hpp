// Numbers as people read them: three significant digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace sptune {

/// "1.25", "12.3", "123", "1234": three significant digits, never an exponent below 10^6.
std::string significant(double value);

/// "81", "75.15": up to four significant digits, none that say nothing.
std::string plain(double value);

/// "1.25 µs", "3.40 ms", "12.3 s", "4 min 10 s", from microseconds.
std::string duration_us(double us);

/// "12,345,678"
std::string count(std::int64_t n);

/// "1 nonzero", "12,345 nonzeros", "0 entries", from the number as one of these has printed it.
/// `plural` where it takes more than an s.
std::string with_noun(const std::string& number, std::string noun, std::string plural = {});

/// "950", "12.3 k", "4.56 M", "1.20 G"
std::string short_count(double n);

/// "512 B", "48.0 KiB", "1.25 GiB"
std::string byte_count(double bytes);

/// "37 %", "0.4 %"; a share that is not quite everything never reads "100 %".
std::string percent(double share);

/// "1.31×"
std::string factor(double value);

}  // namespace sptune
