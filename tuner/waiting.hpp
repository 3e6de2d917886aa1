// How long a program calls the safe kernel before it is worth while to choose another.
#pragma once

#include "kernels/variant.hpp"
#include "tuner/contract.hpp"

#include <cstdint>

namespace sptune::tuner {

/// Counts calls and says when choosing has become cheap beside them. Knows nothing of matrices.
class Waiting {
  public:
    /// Whether the next call should be timed.
    bool wants_time() const;
    /// A call has been made; 0 where it was not timed.
    void called(double us);
    /// Whether choosing, a few times as long as a call for passes over the matrix and
    /// choosing_us(), costs less than what the promise leaves for it and, with a conversion, than
    /// what it is likely to have saved of the calls so far.
    bool is_enough(const Terms& terms, double choosing_us) const;
    /// Beside the calls.
    void spent(double us) { past_.spent_us += us; }
    const Past& past() const { return past_; }

    /// There is nothing to wait for, or no more.
    bool over = false;

  private:
    Past past_;
};

/// What a choice takes beside passes over the matrix. The first of a process has to load the model
/// and, on a GPU, to ask the driver and to load the code of the features.
double choosing_us(Backend backend);
/// On a CPU, what it takes on top where the matrix has an unusual shape. More rows and columns than
/// entries are hardly noticed by calls, but all diagonals are counted and all rows sorted; and of
/// few rows that are very long some are looked at as a whole.
double odd_shape_us(std::int64_t rows, std::int64_t cols, std::int64_t nnz);
/// One has been made in this process.
void has_chosen(Backend backend);

}  // namespace sptune::tuner
