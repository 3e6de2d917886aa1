#include "tests/db/random_entry.hpp"

#include "db/fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace sptune::db {
namespace {

struct Filler {
    std::mt19937_64 random;

    std::uint64_t below(std::uint64_t n) { return random() % n; }

    void fill(bool& out) { out = below(2); }
    template <std::integral I>
    void fill(I& out) {
        out = static_cast<I>(random() >> below(64)) & std::numeric_limits<I>::max();
    }
    void fill(double& out) {
        out = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(below(200)) - 150);
    }
    void fill(std::string& out) {
        static const std::string kPieces[] = {"a",  "Z9", " ", ",", "\"", "\\", "\n", "\r",
                                              "\t", "σ",  "§", ".", "/",  "'",  "\0"};
        out.clear();
        for (std::uint64_t n = below(8); n > 0; --n) out += kPieces[below(std::size(kPieces))];
    }
    void fill(Op& out) { out = static_cast<Op>(below(2)); }
    void fill(ValueType& out) { out = static_cast<ValueType>(below(2)); }
    void fill(IndexType& out) { out = static_cast<IndexType>(below(2)); }
    void fill(Status& out) { out = static_cast<Status>(below(8)); }
    void fill(Params& out) {
        out.clear();
        for (const char* name : {"c", "s", "w"})
            if (below(2)) out.push_back({name, static_cast<int>(below(5000))});
    }
    template <class T>
    void fill(std::vector<T>& out) {
        out.resize(below(6));
        for (T& item : out) fill(item);
    }
    template <class T, std::size_t N>
    void fill(std::array<T, N>& out) {
        for (T& item : out) fill(item);
    }
    template <class T>
    void fill(std::optional<T>& out) {
        if (below(2)) fill(out.emplace());
    }
    template <class U>
    void fill(Optional<U> out) {
        fill(out.value);
    }
    template <class U>
    void fill(Hash<U> out) {
        out.value = random();
    }
    template <class U>
    void fill(Amount<U> out) {
        fill(out.value);
    }
    template <class U>
    void fill(Nullable<U> out) {
        if (below(2))
            fill(out.value);
        else
            out.value = out.absent;
    }
    template <record T>
    void fill(T& out) {
        visit_fields(out, [&](const char*, auto&& field) { fill(field); });
    }
};

}  // namespace

Entry random_entry(std::uint64_t seed) {
    Filler filler{std::mt19937_64(seed)};
    Entry entry;
    filler.fill(entry);
    for (std::int64_t* size : {&entry.matrix.rows, &entry.matrix.cols, &entry.matrix.nnz})
        *size &= std::numeric_limits<std::int32_t>::max();
    // What has to fit together.
    entry.features.rows = entry.matrix.rows;
    entry.features.cols = entry.matrix.cols;
    entry.features.nnz = entry.matrix.nnz;
    entry.features.fingerprint = entry.matrix.fingerprint;
    entry.device.backend = filler.below(2) ? "cpu" : "cuda";
    entry.device.key = "cpu-test-" + std::to_string(filler.below(3)) + "t";
    entry.cache = filler.below(2) ? "warm" : "cold";
    entry.provenance.created_utc =
        utc_time(std::chrono::system_clock::time_point(std::chrono::hours(filler.below(400'000))));
    if (entry.candidates.empty()) entry.candidates.emplace_back();
    for (std::size_t i = 0; i < entry.candidates.size(); ++i) {
        Candidate& c = entry.candidates[i];
        c.id = "spmv.cpu.sell.simd.c" + std::to_string(i);
        if (c.status == Status::ok && !c.time) c.status = Status::not_reached;
        if (!c.time) continue;
        if (!c.time->samples.empty()) c.time->median = c.time->samples.front();
        if (c.time->median < c.time->min) c.time->min = c.time->median;
    }
    entry.baseline = entry.candidates.back().id;
    const auto ok = std::find_if(entry.candidates.begin(), entry.candidates.end(),
                                 [](const Candidate& c) { return c.status == Status::ok; });
    entry.winner = ok != entry.candidates.end() ? ok->id : "";
    return entry;
}

}  // namespace sptune::db
