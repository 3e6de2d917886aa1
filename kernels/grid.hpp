// Declares the parameter grid of a kernel as axes of compile-time values and visits its points.
//
//   struct block { static constexpr const char* name = "b"; };
//   struct tile { static constexpr const char* name = "t"; };
//   using Grid = grid<axis<block, 64, 128>, axis<tile, 32, 64>>;
//   for_each_point(Grid{}, [](auto p) { launch<p.template get<block>(), p.template get<tile>()>;
//   });
#pragma once

#include "kernels/params.hpp"

#include <cstddef>
#include <type_traits>

namespace sptune {

template <class Name, int... Values>
struct axis {};

template <class... Axes>
struct grid {};

/// One value of one axis.
template <class Name, int Value>
struct coordinate {
    using name = Name;
    static constexpr int value = Value;
};

/// One point of a grid: a value for every axis, readable at compile time and as Params.
template <class... Coordinates>
struct point {
    template <class Name>
    static constexpr int get() {
        static_assert((std::is_same_v<Name, typename Coordinates::name> || ...),
                      "the grid has no such axis");
        return ((std::is_same_v<Name, typename Coordinates::name> ? Coordinates::value : 0) + ...);
    }
    static Params params() { return {Param{Coordinates::name::name, Coordinates::value}...}; }
};

namespace detail {

template <class Visit, class... Chosen>
void visit_axes(Visit& visit, grid<>, point<Chosen...> chosen) {
    visit(chosen);
}

template <class Visit, class Name, int... Values, class... Rest, class... Chosen>
void visit_axes(Visit& visit, grid<axis<Name, Values...>, Rest...>, point<Chosen...>) {
    (visit_axes(visit, grid<Rest...>{}, point<Chosen..., coordinate<Name, Values>>{}), ...);
}

}  // namespace detail

/// Calls visit(point<...>{}) for every point of the cartesian product, the last axis fastest.
template <class... Axes, class Visit>
void for_each_point(grid<Axes...> g, Visit visit) {
    detail::visit_axes(visit, g, point<>{});
}

template <class Name, int... Values>
constexpr std::size_t size_of(axis<Name, Values...>) {
    return sizeof...(Values);
}
template <class... Axes>
constexpr std::size_t size_of(grid<Axes...>) {
    return (std::size_t{1} * ... * size_of(Axes{}));
}

namespace detail {
struct example_a {};
struct example_b {};
static_assert(size_of(grid<axis<example_a, 1, 2, 3>, axis<example_b, 7, 8>>{}) == 6);
static_assert(point<coordinate<example_a, 5>, coordinate<example_b, 7>>::get<example_b>() == 7);
}  // namespace detail

}  // namespace sptune
