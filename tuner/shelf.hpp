// Converted matrices, one for each layout, kept while there is room.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "tuner/measure.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sptune::tuner {

class Shelf {
  public:
    using Convert = std::function<std::unique_ptr<Storage>()>;

    struct Item {
        std::unique_ptr<Storage> storage;
        double convert_us = 0;
        std::uint64_t held = 0;  ///< bytes of memory it counts for
    };

    Shelf(std::uint64_t capacity, Clock clock) : capacity_(capacity), clock_(clock) {}

    /// The item of `layout`, converted now if need be; it may pass the capacity until the next
    /// trim(). What `convert` throws is remembered and thrown again for the same layout.
    const Item& get(const std::string& layout, std::uint64_t held, const Convert& convert);

    /// Keeps those of `layouts` that fit, the first ones before the later ones; drops all else.
    void trim(const std::vector<std::string>& layouts);

    std::uint64_t capacity() const { return capacity_; }
    std::size_t size() const { return items_.size(); }

  private:
    std::uint64_t capacity_;
    Clock clock_;
    std::map<std::string, Item> items_;
    std::map<std::string, std::exception_ptr> failed_;
};

}  // namespace sptune::tuner
