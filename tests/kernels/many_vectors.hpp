// Several vectors in either order, made of one whose product is known.
#pragma once

#include "kernels/spmm/vectors.hpp"
#include "matrix/error.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

namespace sptune {

/// Memory that ends where no one may read on.
template <class T>
class Fenced {
  public:
    explicit Fenced(std::size_t size) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        bytes_ = (size * sizeof(T) + page_ - 1) / page_ * page_ + page_;
        void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw OutOfMemory("a page", bytes_);
        base_ = static_cast<char*>(p);
        mprotect(base_ + bytes_ - page_, page_, PROT_NONE);
        data_ = reinterpret_cast<T*>(base_ + bytes_ - page_) - size;
    }
    ~Fenced() { munmap(base_, bytes_); }
    Fenced(const Fenced&) = delete;
    Fenced& operator=(const Fenced&) = delete;
    T* data() const { return data_; }

  private:
    std::size_t page_, bytes_;
    char* base_;
    T* data_;
};

/// Vector j is the case's x times this, so that results are as well, rounding included.
inline double factor(std::size_t j) {
    constexpr int kTurn = 13;  // unlike any number of lanes
    const int at = static_cast<int>(j % kTurn);
    return std::ldexp(at % 2 ? -1 : 1, at - kTurn / 2);
}

/// `count` vectors of `size` entries, `gap` entries more than it takes from one line to the next.
template <class T>
struct Block {
    std::size_t size, count, step, room;
    bool rows;
    Fenced<T> memory;

    Block(std::size_t entries, std::size_t vectors, std::size_t gap, bool by_rows)
        : size(entries),
          count(vectors),
          step((by_rows ? count : size) + gap),
          room(size && count ? ((by_rows ? size : count) - 1) * step + (by_rows ? count : size)
                             : 0),
          rows(by_rows),
          memory(room) {
        for (std::size_t i = 0; i < room; ++i) memory.data()[i] = kGap;
    }
    T& at(std::size_t i, std::size_t j) const {
        return memory.data()[rows ? i * step + j : i + j * step];
    }
    /// Entries that nobody has written to: those between the lines.
    std::size_t untouched() const {
        return static_cast<std::size_t>(std::count(memory.data(), memory.data() + room, kGap));
    }
    template <class U>
    Vectors<U> vectors() const {
        U* const data = memory.data();
        return rows ? Vectors<U>::row_by_row(data, step) : Vectors<U>::one_by_one(data, step);
    }
    static constexpr T kGap = T(1e30);
};

/// The first `count` vectors of a case: x, and y before the product, which is NaN where β is 0.
template <class T, class P>
struct ManyVectors {
    Block<T> x, y;

    ManyVectors(const Case<T, P>& c, std::size_t count, std::size_t gap, bool x_by_rows,
                bool y_by_rows, T beta)
        : ManyVectors(c, count, gap, gap, x_by_rows, y_by_rows, beta) {}
    ManyVectors(const Case<T, P>& c, std::size_t count, std::size_t x_gap, std::size_t y_gap,
                bool x_by_rows, bool y_by_rows, T beta)
        : x(static_cast<std::size_t>(c.a.cols), count, x_gap, x_by_rows),
          y(static_cast<std::size_t>(c.a.rows), count, y_gap, y_by_rows) {
        for (std::size_t j = 0; j < count; ++j) {
            const auto f = static_cast<T>(factor(j));
            for (std::size_t i = 0; i < x.size; ++i) x.at(i, j) = f * c.x[i];
            for (std::size_t i = 0; i < y.size; ++i)
                y.at(i, j) = beta == 0 ? std::numeric_limits<T>::quiet_NaN() : f * c.before[i];
        }
    }
    /// The first place of y that is not as it should be, in words; "" where all are.
    std::string wrong(const Case<T, P>& c, T alpha, T beta) const {
        for (std::size_t j = 0; j < y.count; ++j)
            for (index_t i = 0; i < c.a.rows; ++i)
                if (!c.accepts(i, alpha, beta,
                               y.at(static_cast<std::size_t>(i), j) / static_cast<T>(factor(j))))
                    return c.name + ", row " + std::to_string(i) + " of vector " +
                           std::to_string(j) + " of " + std::to_string(y.count);
        if (y.untouched() != y.room - y.size * y.count) return c.name + ", between the vectors";
        return {};
    }
};

}  // namespace sptune
