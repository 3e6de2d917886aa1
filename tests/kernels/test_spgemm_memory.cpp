// What the CPU's SpGEMM kernels take beside A and B is what they were allowed to: every malloc of
// the process is counted.
#include "kernels/spgemm/registry.hpp"
#include "tests/kernels/spgemm_cases.hpp"

#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>
#include <malloc.h>

namespace {
std::atomic<std::int64_t> held{0}, most{0};

void add(std::int64_t bytes) {
    const auto now = held += bytes;
    for (std::int64_t before = most; now > before && !most.compare_exchange_weak(before, now);) {
    }
}
void* taken(void* p) {
    add(static_cast<std::int64_t>(malloc_usable_size(p)));
    return p;
}

/// Of aligned memory what was asked for counts: malloc's own margin is never touched.
class Aligned {
  public:
    void add(void* p, std::size_t bytes) {
        change([&] { return nullptr; }, [&](Place& place) { place = {p, bytes}; });
    }
    /// What was asked for; 0 for other memory.
    std::size_t remove(void* p) {
        std::size_t bytes = 0;
        change([&] { return p; },
               [&](Place& place) {
                   bytes = place.bytes;
                   place = {};
               });
        return bytes;
    }

  private:
    struct Place {
        void* p = nullptr;
        std::size_t bytes = 0;
    };
    template <class Which, class Change>
    void change(Which which, Change change) {
        while (busy_.test_and_set()) {
        }
        for (Place& place : places_)
            if (place.p == which()) {
                change(place);
                break;
            }
        busy_.clear();
    }
    std::atomic_flag busy_;
    Place places_[500];
};
Aligned aligned;
}  // namespace

// glibc's own; these take the place of malloc for the shared libraries as well.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t bytes) {
    return taken(__libc_malloc(bytes));
}
void* calloc(std::size_t count, std::size_t bytes) {
    return taken(__libc_calloc(count, bytes));
}
void* realloc(void* p, std::size_t bytes) {
    held -= static_cast<std::int64_t>(malloc_usable_size(p));
    return taken(__libc_realloc(p, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    void* const p = __libc_memalign(alignment, bytes);
    add(static_cast<std::int64_t>(bytes));
    aligned.add(p, bytes);
    return p;
}
void free(void* p) {
    if (!p) return;
    const bool may_be = reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
    const std::size_t asked = may_be ? aligned.remove(p) : 0;
    held -= static_cast<std::int64_t>(asked ? asked : malloc_usable_size(p));
    __libc_free(p);
}
}

namespace sptune {
namespace {

class SpgemmMemory : public ::testing::Test {
  protected:
    SpgemmMemory() {
        pair_.a = make<double, std::int32_t>("", 800, random_rows(800, 800, 16, 9)).a;
        pair_.b = make<double, std::int32_t>("", 800, random_rows(800, 800, 16, 10)).a;
        pair_.solve();
        bytes_of_c_ = static_cast<std::uint64_t>(pair_.reference.row_ptr.back()) * 12 + 801 * 4;
    }

    using Kernel = SpgemmKernel<double, std::int32_t>;
    std::string multiply(const Kernel& kernel, std::uint64_t memory_bytes, bool drop_zeros) {
        const auto problem = pair_.problem();
        std::unique_ptr<SpgemmOperands> operands;
        if (kernel.prepare) operands = kernel.prepare(problem, kernel.variant.params, 2);
        SpgemmOptions options;
        options.memory_bytes = memory_bytes;
        options.drop_zeros = drop_zeros;
        const std::int64_t before = held;
        most = before;
        const auto c =
            kernel.multiply(problem, operands.get(), kernel.variant.params, options, {2});
        took_ = static_cast<std::uint64_t>(most - before);
        return product_problem(c->view(), pair_.reference, pair_.b.cols, true, drop_zeros);
    }

    PairCase<double, std::int32_t> pair_;
    std::uint64_t bytes_of_c_ = 0, took_ = 0;
};

TEST_F(SpgemmMemory, KernelsTakeNoMoreThanTheyMay) {
    constexpr std::uint64_t kSmallThings = 64 << 10;  // OpenMP's and the threads' own
    int in_little = 0;
    for (const Kernel& kernel : spgemm_kernels<double, std::int32_t>(Backend::cpu)) {
        if (kernel.variant.vendor) continue;
        const std::string id = kernel.variant.id();
        if (!is_worth_while(kernel.inspect(pair_.problem(), kernel.variant.params))) continue;
        ASSERT_EQ(multiply(kernel, ~0ull, false), "") << id;
        // Less and less, until there is no room: the error says how much there has to be.
        bool refused = false;
        for (std::uint64_t memory = 8 * bytes_of_c_; !refused; memory -= memory / 4) {
            ASSERT_GT(memory, bytes_of_c_ / 2) << id;
            for (const bool drop_zeros : {false, true}) {
                try {
                    ASSERT_EQ(multiply(kernel, memory, drop_zeros), "") << id << ", " << memory;
                    EXPECT_LE(took_, memory + kSmallThings) << id << ", drop " << drop_zeros;
                    in_little += memory < bytes_of_c_ * 5 / 4;
                } catch (const OutOfMemory& e) {
                    EXPECT_GT(e.bytes, memory) << id;
                    EXPECT_GT(e.bytes, bytes_of_c_ / 100) << id;
                    refused = true;
                    // What was asked for is enough, or names what else there has to be.
                    std::uint64_t asked = e.bytes;
                    for (int more = 0; more < 3; ++more) {
                        try {
                            ASSERT_EQ(multiply(kernel, asked, drop_zeros), "") << id;
                            asked = 0;
                            break;
                        } catch (const OutOfMemory& again) {
                            ASSERT_GT(again.bytes, asked) << id;
                            asked = again.bytes;
                        }
                    }
                    EXPECT_EQ(asked, 0u) << id;
                }
            }
        }
    }
    EXPECT_GT(in_little, 0) << "no kernel made do with little more than C";
}

}  // namespace
}  // namespace sptune
