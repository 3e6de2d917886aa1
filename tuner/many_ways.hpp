// Whether several vectors are multiplied together or one by one: whichever has taken less.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>

namespace sptune::tuner {

/// Tries both on the first calls. Of many threads.
class ManyWays {
  public:
    enum Way { together, one_by_one };
    struct Step {
        Way way;
        bool timed;        ///< took() is to be told
        std::size_t size;  ///< of the call: how many vectors, about
    };

    /// What to do with `count` vectors, two at least. `kernel` is what they would be multiplied
    /// with one by one: times of another one do not count.
    Step next(std::size_t count, const void* kernel);
    void took(const Step& step, const void* kernel, double us_per_vector);

    /// The times, in a sentence that begins with a blank; "" where there are none.
    std::string why() const;

  private:
    struct Tries {
        int made = 0;
        double least_us = 0;
    };
    struct Size {
        Tries tries[2];
        const void* kernel = nullptr;
    };
    static constexpr std::size_t kSizes = 7;  ///< 1, 2 to 3, 4 to 7 ... 64 and more
    static std::size_t size_of(std::size_t count);

    std::array<Size, kSizes> sizes_;
    mutable std::mutex mutex_;
};

}  // namespace sptune::tuner
