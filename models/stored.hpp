// Arrays of a model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace sptune::models {

/// An array: its own, or where it lies in memory that stays as long as the program. What a program
/// ships with is not to be copied by every process that looks at a part of it.
template <class T>
class Stored {
  public:
    Stored() = default;
    Stored(std::vector<T> own) : own_(std::move(own)) {}
    Stored(std::initializer_list<T> own) : own_(own) {}
    static Stored in_place(std::span<const T> there) {
        Stored array;
        array.there_ = there;
        return array;
    }
    const T* data() const { return own_.empty() ? there_.data() : own_.data(); }
    std::size_t size() const { return own_.empty() ? there_.size() : own_.size(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](std::size_t i) const { return data()[i]; }
    bool operator==(const Stored& other) const { return std::ranges::equal(*this, other); }

  private:
    std::vector<T> own_;
    std::span<const T> there_;
};

}  // namespace sptune::models
