/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/units.hpp - times, sizes and rates: literals, and texts as people write them.
 */
#ifndef LIBFLUX_UNITS_HPP
#define LIBFLUX_UNITS_HPP

#include "result.hpp"

#include <libflux/graph.h>
#include <libflux/units.h>

#include <cstdint>
#include <string>

namespace libflux
{

/* using namespace libflux::literals; then 10_us is picoseconds, 64_MiB bytes, 800_Gbps bits per second. */
namespace literals
{
constexpr std::int64_t operator""_ps(unsigned long long n)
{
    return static_cast<std::int64_t>(n);
}
constexpr std::int64_t operator""_ns(unsigned long long n)
{
    return static_cast<std::int64_t>(n) * FLUX_NS;
}
constexpr std::int64_t operator""_us(unsigned long long n)
{
    return static_cast<std::int64_t>(n) * FLUX_US;
}
constexpr std::int64_t operator""_ms(unsigned long long n)
{
    return static_cast<std::int64_t>(n) * FLUX_MS;
}
constexpr std::int64_t operator""_s(unsigned long long n)
{
    return static_cast<std::int64_t>(n) * FLUX_S;
}
constexpr std::uint64_t operator""_KiB(unsigned long long n)
{
    return std::uint64_t{n} << 10;
}
constexpr std::uint64_t operator""_MiB(unsigned long long n)
{
    return std::uint64_t{n} << 20;
}
constexpr std::uint64_t operator""_GiB(unsigned long long n)
{
    return std::uint64_t{n} << 30;
}
constexpr std::uint64_t operator""_Gbps(unsigned long long n)
{
    return std::uint64_t{n} * 1000000000u;
}
} // namespace literals

inline namespace LIBFLUX_MODE
{

/* "10us", "64MiB", "800Gbps": see libflux/units.h. */
inline returns<std::int64_t> parse_time(const std::string &text)
{
    std::int64_t time = 0;
    flux_error error = {};
    int code = flux_time_parse(text.c_str(), &time, &error);
    return detail::give(code, &error, "no time", time);
}

inline returns<std::uint64_t> parse_bytes(const std::string &text)
{
    std::uint64_t bytes = 0;
    flux_error error = {};
    int code = flux_bytes_parse(text.c_str(), &bytes, &error);
    return detail::give(code, &error, "no size", bytes);
}

inline returns<std::uint64_t> parse_rate(const std::string &text)
{
    std::uint64_t rate = 0;
    flux_error error = {};
    int code = flux_rate_parse(text.c_str(), &rate, &error);
    return detail::give(code, &error, "no rate", rate);
}

inline std::string format_time(std::int64_t time)
{
    char text[FLUX_UNITS_TEXT];
    return flux_time_format(time, text, sizeof text);
}

inline std::string format_bytes(std::uint64_t bytes)
{
    char text[FLUX_UNITS_TEXT];
    return flux_bytes_format(bytes, text, sizeof text);
}

inline std::string format_rate(std::uint64_t rate)
{
    char text[FLUX_UNITS_TEXT];
    return flux_rate_format(rate, text, sizeof text);
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
