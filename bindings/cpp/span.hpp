/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/span.hpp - rows in somebody's memory: what std::span is from C++20 on, as far as it is needed here.
 */
#ifndef LIBFLUX_SPAN_HPP
#define LIBFLUX_SPAN_HPP

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace libflux
{

/* `count` rows from `first` on; it owns nothing. Made from arrays, from lists in a call, and from whatever has data()
 * and size(): vectors, arrays, std::span. */
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr span() noexcept = default;
    constexpr span(T *first, std::size_t count) noexcept : first_(first), count_(count)
    {
    }
    template <std::size_t N> constexpr span(T (&rows)[N]) noexcept : first_(rows), count_(N)
    {
    }
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr span(std::initializer_list<value_type> rows) noexcept : first_(first_of(rows)), count_(rows.size())
    {
    }
    template <class Rows,
              class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<std::remove_reference_t<Rows>>, span> &&
                                       std::is_convertible_v<decltype(std::declval<Rows &>().data()), T *> &&
                                       std::is_convertible_v<decltype(std::declval<Rows &>().size()), std::size_t>>>
    constexpr span(Rows &&rows) noexcept : first_(rows.data()), count_(rows.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return first_;
    }
    constexpr std::size_t size() const noexcept
    {
        return count_;
    }
    constexpr bool empty() const noexcept
    {
        return count_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return first_;
    }
    constexpr T *end() const noexcept
    {
        return first_ ? first_ + count_ : first_;
    }
    constexpr T &operator[](std::size_t index) const noexcept
    {
        return first_[index];
    }
    constexpr T &front() const noexcept
    {
        return first_[0];
    }
    constexpr T &back() const noexcept
    {
        return first_[count_ - 1];
    }
    constexpr span subspan(std::size_t offset, std::size_t count) const noexcept
    {
        return span(first_ + offset, count);
    }

  private:
    /* The list lives until the end of the call that it is written in, and no longer. */
    static constexpr T *first_of(const std::initializer_list<value_type> &rows) noexcept
    {
        return rows.begin();
    }

    T *first_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace libflux

#endif
