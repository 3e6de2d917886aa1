#include "library/plan.hpp"

#include "features/structure.hpp"
#include "library/database.hpp"
#include "library/lines.hpp"
#include "library/options.hpp"
#include "library/overlap.hpp"
#include "library/require.hpp"
#include "library/tune.hpp"
#include "matrix/error.hpp"
#include "tuner/cuda/calls.hpp"
#include "tuner/default_models.hpp"
#include "tuner/mode.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

namespace sptune {
namespace library {
namespace {

template <class T, class P>
class PlanOf final : public Implementation<T> {
  public:
    PlanOf(const csr_view<T, P>& a, const plan_options& o, bool may_wait)
        : backend_(backend_of(a)) {
        if (backend_ == Backend::cuda) device_ = tuner::current_device();
        tuner::PlanOptions options =
            plan_options_of(o, backend_, value_type_of<T>(), index_type_of<P>());
        options.may_wait = may_wait;
        a_ = checked_view(a, backend_);
        off_ = tuner::mode() == tuner::Mode::off;
        if (!off_) tuner::require_model_of_environment();  // not somewhere among the calls
        if (o.transposed && backend_ == Backend::cpu) check_structure(a_, o.threads);
        size_of_x_ = static_cast<std::size_t>(o.transposed ? a_.rows : a_.cols);
        size_of_y_ = static_cast<std::size_t>(o.transposed ? a_.cols : a_.rows);
        if (o.transposed) {
            take_for_transpose(options.select.constraints.memory_bytes);
            transpose_ = transpose(a_, backend_, o.threads);
        }
        if (!off_) options.select.databases = open_databases(o.database);
        if (options.select.databases && tuner::mode() == tuner::Mode::tune)
            tuned_ = tune(transpose_ ? transpose_->view() : a_, backend_, o.threads,
                          *options.select.databases);
        plan_.emplace(tuner::choose_for(transpose_ ? transpose_->view() : a_, backend_, o.threads),
                      tuner::KernelIndex<T, P>::of(backend_), options);
    }

    void apply(T alpha, const T* x, T beta, T* y, void* stream) override {
        require(x || size_of_x_ == 0, "x is null");
        require(y || size_of_y_ == 0, "y is null");
        require(are_apart(x, size_of_x_, y, size_of_y_),
                "x and y overlap; y needs memory of its own");
        require(is_apart_from(a_, y, size_of_y_), "y lies in an array of A, which it would change");
        plan_->apply(alpha, x, beta, y, stream);
    }
    void apply_many(T alpha, const T* x, std::size_t ldx, T beta, T* y, std::size_t ldy,
                    std::size_t count, Order order, void* stream) override {
        const Lines<const T> from{x, ldx, size_of_x_, count, order};
        const Lines<T> to{y, ldy, size_of_y_, count, order};
        require_lines(from, "x", order == Order::rows);
        require_lines(to, "y", true);
        require(are_apart(from, to), "some x and some y overlap; y needs memory of its own");
        require(is_apart_from(a_, y, to.span()), "y lies in an array of A, which it would change");
        const auto vectors = [&](auto lines) {
            using V = Vectors<std::remove_pointer_t<decltype(lines.data)>>;
            return order == Order::rows ? V::row_by_row(lines.data, lines.sound_step())
                                        : V::one_by_one(lines.data, lines.sound_step());
        };
        plan_->apply_many(alpha, vectors(from), beta, vectors(to), count, stream);
    }
    std::size_t size_of_x() const override { return size_of_x_; }
    std::size_t size_of_y() const override { return size_of_y_; }
    std::int64_t nnz() const override { return a_.nnz(); }
    void update_values(const T* values) override {
        require(values || a_.nnz() == 0, "values is null");
        CsrView<T, P> changed = a_;
        changed.values = values;
        if (transpose_) {
            const tuner::OnDevice here(device_);
            if (backend_ == Backend::cuda) tuner::wait_for_device();  // for calls and for values
            try {
                transpose_->update(changed);
            } catch (...) {
                plan_->invalidate();
                throw;
            }
        }
        plan_->update_values(transpose_ ? transpose_->view().values : values);
        a_ = changed;
    }
    choice selection() const override {
        const tuner::Selection& s = plan_->selection();
        return {plan_->current(), std::string(to_string(s.source)),
                s.chosen.id,      s.chosen.predicted_us,
                s.confidence,     s.break_even_calls,
                s.select_us,      plan_->settled()};
    }
    std::string why() const override {
        if (off_) return fmt::format("SPTUNE_MODE is off: plain CSR, {}.", plan_->current());
        return tuned_.empty() ? plan_->why() : tuned_ + " " + plan_->why();
    }
    Backend backend() const override { return backend_; }
    std::uint64_t bytes_beside() const override { return plan_->bytes_beside(); }

  private:
    /// The transpose is held beside A as converted forms are.
    void take_for_transpose(std::uint64_t& most) const {
        if (most == ~0ull) return;
        const std::uint64_t bytes =
            static_cast<std::uint64_t>(a_.nnz()) * (sizeof(T) + sizeof(index_t)) +
            (static_cast<std::uint64_t>(a_.cols) + 1) * sizeof(P);
        if (bytes > most)
            throw tuner::Unmet(fmt::format(
                "memory cap: the transpose takes {} bytes beside A, {} are allowed", bytes, most));
        most -= bytes;
    }

    Backend backend_;
    int device_ = -1;  ///< the GPU that A lies on
    CsrView<T, P> a_;
    std::unique_ptr<Transpose<T, P>> transpose_;
    bool off_ = false;   ///< SPTUNE_MODE=off
    std::string tuned_;  ///< what came of SPTUNE_MODE=tune
    std::size_t size_of_x_ = 0, size_of_y_ = 0;
    std::optional<tuner::Plan<T, P>> plan_;
};

}  // namespace

template <class T, class P>
std::unique_ptr<Implementation<T>> make_plan(const csr_view<T, P>& a, const plan_options& options,
                                             bool may_wait) {
    return std::make_unique<PlanOf<T, P>>(a, options, may_wait);
}

}  // namespace library

inline namespace v1 {

namespace {
constexpr const char* kThis = "this plan";
}

template <class T>
spmv_plan<T>::spmv_plan(std::unique_ptr<implementation> p) : p_(std::move(p)) {}
template <class T>
spmv_plan<T>::spmv_plan(spmv_plan&&) noexcept = default;
template <class T>
spmv_plan<T>& spmv_plan<T>::operator=(spmv_plan&&) noexcept = default;
template <class T>
spmv_plan<T>::~spmv_plan() = default;

template <class T>
void spmv_plan<T>::apply(T alpha, const T* x, T beta, T* y, void* stream) {
    library::guarded([&] { library::held(p_, kThis).apply(alpha, x, beta, y, stream); });
}

template <class T>
void spmv_plan<T>::apply_many(T alpha, const T* x, std::size_t ldx, T beta, T* y, std::size_t ldy,
                              std::size_t count, void* stream) {
    library::guarded([&] {
        library::held(p_, kThis).apply_many(alpha, x, ldx, beta, y, ldy, count,
                                            library::Order::vectors, stream);
    });
}

template <class T>
void spmv_plan<T>::apply_many_rows(T alpha, const T* x, std::size_t ldx, T beta, T* y,
                                   std::size_t ldy, std::size_t count, void* stream) {
    library::guarded([&] {
        library::held(p_, kThis).apply_many(alpha, x, ldx, beta, y, ldy, count,
                                            library::Order::rows, stream);
    });
}

template <class T>
void spmv_plan<T>::update_values(const T* values) {
    library::guarded([&] { library::held(p_, kThis).update_values(values); });
}

template <class T>
std::int32_t spmv_plan<T>::size_of_x() const {
    return library::guarded(
        [&] { return static_cast<std::int32_t>(library::held(p_, kThis).size_of_x()); });
}

template <class T>
std::int32_t spmv_plan<T>::size_of_y() const {
    return library::guarded(
        [&] { return static_cast<std::int32_t>(library::held(p_, kThis).size_of_y()); });
}

template <class T>
std::int64_t spmv_plan<T>::nnz() const {
    return library::guarded([&] { return library::held(p_, kThis).nnz(); });
}

template <class T>
choice spmv_plan<T>::selection() const {
    return library::guarded([&] { return library::held(p_, kThis).selection(); });
}

template <class T>
std::string spmv_plan<T>::why() const {
    return library::guarded([&] { return library::held(p_, kThis).why(); });
}

template class spmv_plan<float>;
template class spmv_plan<double>;

template <class T, class P>
spmv_plan<T> plan(const csr_view<T, P>& a, const plan_options& options) {
    return library::guarded([&] { return spmv_plan<T>(library::make_plan(a, options)); });
}

}  // namespace v1

#define SPTUNE_INSTANTIATE(T, P)                                                           \
    template SPTUNE_API spmv_plan<T> v1::plan(const csr_view<T, P>&, const plan_options&); \
    template std::unique_ptr<library::Implementation<T>> library::make_plan(               \
        const csr_view<T, P>&, const plan_options&, bool);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
