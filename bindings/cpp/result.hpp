/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/result.hpp - how C++ is told what went wrong: exceptions, or with LIBFLUX_RESULTS results.
 */
#ifndef LIBFLUX_RESULT_HPP
#define LIBFLUX_RESULT_HPP

#include <libflux/error.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#ifdef LIBFLUX_RESULTS
#include <variant>
#define LIBFLUX_MODE results
#else
#include <stdexcept>
#define LIBFLUX_MODE exceptions
#endif

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* What went wrong, and where. */
class failure
{
  public:
    explicit failure(int code, const char *text) noexcept
    {
        raw_.code = code;
        raw_.vertex = FLUX_NONE;
        std::strncpy(raw_.text, text, sizeof raw_.text - 1);
    }
    explicit failure(const flux_error &error) noexcept : raw_(error)
    {
    }

    int code() const noexcept /* FLUX_E_* */
    {
        return raw_.code;
    }
    const char *name() const noexcept /* "infeasible" */
    {
        return flux_error_name(raw_.code);
    }
    const char *text() const noexcept /* a sentence */
    {
        return raw_.text[0] ? raw_.text : name();
    }
    std::uint32_t vertex() const noexcept /* FLUX_NONE where no vertex is to blame */
    {
        return raw_.vertex;
    }
    std::uint32_t line() const noexcept /* 0 where there is none */
    {
        return raw_.line;
    }
    std::uint32_t column() const noexcept
    {
        return raw_.column;
    }
    std::uint64_t offset() const noexcept
    {
        return raw_.offset;
    }

  private:
    flux_error raw_ = {};
};

#ifdef LIBFLUX_RESULTS

/* A value, or what went wrong. Taking the value where there is none ends the program: ask first. */
template <class T> class [[nodiscard]] result
{
  public:
    using value_type = T;
    result(T value) : state_(std::in_place_index<0>, std::move(value))
    {
    }
    result(failure error) : state_(std::in_place_index<1>, error)
    {
    }
    bool has_value() const noexcept
    {
        return state_.index() == 0;
    }
    explicit operator bool() const noexcept
    {
        return has_value();
    }
    T &value() &noexcept
    {
        return has_value() ? *std::get_if<0>(&state_) : (std::abort(), *std::get_if<0>(&state_));
    }
    const T &value() const &noexcept
    {
        return has_value() ? *std::get_if<0>(&state_) : (std::abort(), *std::get_if<0>(&state_));
    }
    T &&value() &&noexcept
    {
        return std::move(value());
    }
    T &operator*() &noexcept
    {
        return value();
    }
    const T &operator*() const &noexcept
    {
        return value();
    }
    T &&operator*() &&noexcept
    {
        return std::move(value());
    }
    T *operator->() noexcept
    {
        return &value();
    }
    const T *operator->() const noexcept
    {
        return &value();
    }
    const failure &error() const noexcept
    {
        return has_value() ? (std::abort(), *std::get_if<1>(&state_)) : *std::get_if<1>(&state_);
    }

  private:
    std::variant<T, failure> state_;
};

template <> class [[nodiscard]] result<void>
{
  public:
    using value_type = void;
    result() noexcept : error_(FLUX_OK, "")
    {
    }
    result(failure error) noexcept : error_(error)
    {
    }
    bool has_value() const noexcept
    {
        return error_.code() == FLUX_OK;
    }
    explicit operator bool() const noexcept
    {
        return has_value();
    }
    const failure &error() const noexcept
    {
        return error_;
    }

  private:
    failure error_;
};

template <class T> using returns = result<T>;

#else

/* What can fail throws one of these: call_error for codes -1 to -99, problem_error for -100 to -199, run_error for
 * -200 to -299. what() is the sentence. */
class error : public std::runtime_error
{
  public:
    explicit error(const failure &why) : std::runtime_error(why.text()), why_(why)
    {
    }
    const failure &why() const noexcept
    {
        return why_;
    }
    int code() const noexcept
    {
        return why_.code();
    }

  private:
    failure why_;
};

class call_error : public error
{
    using error::error;
};

class problem_error : public error
{
    using error::error;
};

class run_error : public error
{
    using error::error;
};

template <class T> using returns = T;

#endif

namespace detail
{

/* What the library said; where it has no sentence, `text`. */
inline failure failed(int code, const flux_error *error, const char *text) noexcept
{
    return error && error->code == code ? failure(*error) : failure(code, text);
}

#ifdef LIBFLUX_RESULTS

template <class T> result<T> give(int code, const flux_error *error, const char *text, T value)
{
    if (code)
        return failed(code, error, text);
    return result<T>(std::move(value));
}

inline result<void> done(int code, const flux_error *error, const char *text)
{
    return code ? result<void>(failed(code, error, text)) : result<void>();
}

#else

[[noreturn]] inline void raise(const failure &why)
{
    if (why.code() > -100)
        throw call_error(why);
    if (why.code() > -200)
        throw problem_error(why);
    throw run_error(why);
}

template <class T> T give(int code, const flux_error *error, const char *text, T value)
{
    if (code)
        raise(failed(code, error, text));
    return value;
}

inline void done(int code, const flux_error *error, const char *text)
{
    if (code)
        raise(failed(code, error, text));
}

#endif

/* Owns an object of the library: moves, never copies, frees at the end. */
template <class T, void (*Free)(T *)> class owner
{
  public:
    owner() noexcept = default;
    explicit owner(T *object) noexcept : object_(object)
    {
    }
    owner(owner &&other) noexcept : object_(std::exchange(other.object_, nullptr))
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other) {
            Free(object_);
            object_ = std::exchange(other.object_, nullptr);
        }
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    ~owner()
    {
        Free(object_);
    }
    T *get() const noexcept
    {
        return object_;
    }
    T *release() noexcept
    {
        return std::exchange(object_, nullptr);
    }

  private:
    T *object_ = nullptr;
};

} // namespace detail
} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
