#include "models/portfolio.hpp"

#include "kernels/safe.hpp"
#include "models/reckoned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {
namespace {

/// log time of every kernel on every sample; infinite where it was not measured.
struct Grid {
    struct Column {
        std::string name, format;
        bool vendor = false;
        std::vector<float> log_us;
    };
    std::vector<Column> columns;
    std::vector<float> best;  ///< of all columns, for each sample

    Grid(const std::vector<const Sample*>& samples, bool least_blocks)
        : best(samples.size(), std::numeric_limits<float>::infinity()) {
        for (std::size_t i = 0; i < samples.size(); ++i) {
            for (const Timed& t : samples[i]->timed) add(t, i);
            if (least_blocks)
                for (const Timed& t : samples[i]->least_blocks) add(t, i);
        }
    }

  private:
    void add(const Timed& t, std::size_t sample) {
        if (t.bounded) return;
        const std::string name = short_name(t.variant);
        const auto [at, fresh] = index_.emplace(name, columns.size());
        if (fresh)
            columns.push_back(
                {name, t.variant.format, t.variant.vendor,
                 std::vector<float>(best.size(), std::numeric_limits<float>::infinity())});
        const auto us = static_cast<float>(std::log(t.us));
        columns[at->second].log_us[sample] = us;
        best[sample] = std::min(best[sample], us);
    }

    std::map<std::string, std::size_t> index_;
};

/// Greedy cover of the samples by columns.
class Cover {
  public:
    Cover(const Grid& grid, std::size_t samples)
        : grid_(grid), now_(samples, std::numeric_limits<float>::infinity()) {}

    void take(const Grid::Column& column) {
        names_.push_back(column.name);
        for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = std::min(now_[i], column.log_us[i]);
    }
    bool has(const std::string& name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }
    /// What a column would bring, in mean log time. Beyond a factor of e² all losses are alike.
    double gain(const Grid::Column& column) const {
        double sum = 0;
        for (std::size_t i = 0; i < now_.size(); ++i)
            sum += loss(now_[i], i) - loss(std::min(now_[i], column.log_us[i]), i);
        return sum / static_cast<double>(now_.size());
    }
    template <class Allowed>
    const Grid::Column* most_useful(double least, Allowed allowed) const {
        const Grid::Column* best = nullptr;
        for (const Grid::Column& column : grid_.columns) {
            if (!allowed(column)) continue;
            const double g = gain(column);
            if (g > least) least = g, best = &column;
        }
        return best;
    }
    std::vector<std::string> names() const { return names_; }

  private:
    double loss(float now, std::size_t i) const {
        return std::min(static_cast<double>(now - grid_.best[i]), 2.0);
    }
    const Grid& grid_;
    std::vector<float> now_;
    std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> choose_portfolio(const std::vector<const Sample*>& samples,
                                          const PortfolioOptions& options) {
    const Grid grid(samples, options.least_blocks);
    Cover cover(grid, samples.size());
    std::vector<std::string> formats;
    const auto take = [&](const Grid::Column& column) {
        cover.take(column);
        formats.push_back(column.format);
    };
    const auto take_named = [&](const std::string& name) {
        const auto found = std::find_if(grid.columns.begin(), grid.columns.end(),
                                        [&](const auto& c) { return c.name == name; });
        if (found != grid.columns.end() && !cover.has(name)) take(*found);
    };
    for (const Sample* s : samples) {
        const std::string name = short_name(s->timed[s->baseline].variant);
        take_named(name);
    }
    for (const Sample* s : samples) {
        if (s->op() != Op::spmv) break;
        const Backend backend = s->backend();
        for (const Variant& safe : all_safe(backend, s->value, IndexType::i32))
            take_named(short_name(safe));
    }
    const auto ours = [](const Grid::Column& c) { return !c.vendor && !is_reckoned(c.format); };
    while (cover.names().size() < options.most) {
        const Grid::Column* next = cover.most_useful(options.least_gain, ours);
        if (!next) break;
        take(*next);
    }
    // The best of a format by itself: what covers most when nothing else is there.
    for (const Grid::Column& first : grid.columns) {
        if (!ours(first) ||
            std::find(formats.begin(), formats.end(), first.format) != formats.end())
            continue;
        const Cover alone(grid, samples.size());
        take(*alone.most_useful(-1,
                                [&](const Grid::Column& c) { return c.format == first.format; }));
    }
    for (std::size_t i = 0; i < options.vendor; ++i) {
        const Grid::Column* next =
            cover.most_useful(options.least_gain, [](const Grid::Column& c) { return c.vendor; });
        if (!next) break;
        cover.take(*next);
    }
    return cover.names();
}

std::vector<const Timed*> portfolio_times(const Sample& s, const std::vector<std::string>& names) {
    std::vector<const Timed*> list(names.size());
    s.for_each_timed([&](const Timed& t) {
        const auto at = std::find(names.begin(), names.end(), short_name(t.variant));
        if (at != names.end()) list[static_cast<std::size_t>(at - names.begin())] = &t;
    });
    return list;
}

std::vector<Variant> portfolio_variants(const std::vector<const Sample*>& samples,
                                        const std::vector<std::string>& names) {
    std::vector<Variant> list(names.size());
    std::size_t missing = names.size();
    for (const Sample* s : samples) {
        s->for_each_timed([&](const Timed& t) {
            const auto at = std::find(names.begin(), names.end(), short_name(t.variant));
            if (at == names.end()) return;
            Variant& v = list[static_cast<std::size_t>(at - names.begin())];
            if (v.format.empty()) v = t.variant, --missing;
        });
        if (missing == 0) break;
    }
    return list;
}

namespace {

/// `value_of`: what counts as the value of a parameter.
template <class Value>
std::uint64_t hash_of(const Variant& v, Value value_of) {
    std::uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
    const auto add = [&](unsigned char byte) { h = (h ^ byte) * 0x100000001b3ull; };
    for (const char ch : v.format) add(static_cast<unsigned char>(ch));
    add('.');
    for (const char ch : v.algorithm) add(static_cast<unsigned char>(ch));
    for (const Param& p : v.params) {
        add('.');
        for (const char ch : p.name.view()) add(static_cast<unsigned char>(ch));
        h = (h ^ static_cast<std::uint32_t>(value_of(p))) * 0x100000001b3ull;
    }
    return h;
}

}  // namespace

std::uint64_t short_hash(const Variant& v) {
    return hash_of(v, [](const Param& p) { return p.value; });
}

std::uint64_t least_block_hash(const Variant& v) {
    return hash_of(v,
                   [](const Param& p) { return p.name == "r" || p.name == "c" ? kAll : p.value; });
}

}  // namespace sptune::models
