// What stands behind sptune::spmv_plan.
#pragma once

#include "library/lines.hpp"
#include "library/matrix.hpp"
#include "tuner/plan.hpp"

#include <cstdint>
#include <memory>

namespace sptune {

template <class T>
class spmv_plan<T>::implementation {
  public:
    virtual ~implementation() = default;
    virtual void apply(T alpha, const T* x, T beta, T* y, void* stream) = 0;
    virtual void apply_many(T alpha, const T* x, std::size_t ldx, T beta, T* y, std::size_t ldy,
                            std::size_t count, library::Order order, void* stream) = 0;
    virtual std::size_t size_of_x() const = 0;
    virtual std::size_t size_of_y() const = 0;
    virtual std::int64_t nnz() const = 0;
    virtual void update_values(const T* values) = 0;
    virtual choice selection() const = 0;
    virtual std::string why() const = 0;
    virtual Backend backend() const = 0;
    /// Beside the arrays of A; of any thread.
    virtual std::uint64_t bytes_beside() const = 0;
};

namespace library {

template <class T>
using Implementation = typename spmv_plan<T>::implementation;

/// Throws what sptune::plan() throws, before it is made public. may_wait: see tuner::PlanOptions.
template <class T, class P>
std::unique_ptr<Implementation<T>> make_plan(const csr_view<T, P>& a, const plan_options& options,
                                             bool may_wait = false);

}  // namespace library
}  // namespace sptune
