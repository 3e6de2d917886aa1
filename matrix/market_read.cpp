#include "matrix/error.hpp"
#include "matrix/line_source.hpp"
#include "matrix/market.hpp"
#include "matrix/market_header.hpp"
#include "matrix/market_staging.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace sptune {

namespace {

Mirror mirror_of(MarketSymmetry symmetry) {
    switch (symmetry) {
        case MarketSymmetry::general:
            return Mirror::none;
        case MarketSymmetry::skew_symmetric:
            return Mirror::negated;
        default:
            return Mirror::same;  // a hermitian matrix without imaginary parts is symmetric
    }
}

template <class T, class P>
class MarketReader {
  public:
    MarketReader(const std::string& path, const MarketReadOptions& options)
        : path_(path),
          options_(options),
          source_(LineSource::open(path)),
          header_(detail::parse_market_header(path, *source_, block_)),
          threads_(thread_count(options.threads, static_cast<std::uint64_t>(header_.entries))) {
        if (header_.field == MarketField::complex)
            throw InputError(path, 1,
                             "the field is complex, which sptune does not handle; expected real, "
                             "integer or pattern");
        if (header_.layout == MarketLayout::coordinate)
            check_index_range(static_cast<std::uint64_t>(header_.entries));
        const auto entries = static_cast<std::uint64_t>(header_.entries);
        one_pass_ =
            entries <= options.staging_bytes / detail::MarketStaging<T>::entry_bytes(header_);
        stage(one_pass_ ? entries : entries_of_a_block());
    }

    Csr<T, P> read() {
        CsrBuilder<T, P> builder(static_cast<index_t>(header_.rows),
                                 static_cast<index_t>(header_.cols), mirror_of(header_.symmetry),
                                 threads_);
        if (one_pass_) {
            walk(detail::ParsePass::all, [] {});
            builder.count(staging_->parts());
            check_index_range(builder.start_placing());
            builder.place(staging_->parts());
        } else {
            // Which entries of an array are zeros shows in their values only.
            const bool coordinate = header_.layout == MarketLayout::coordinate;
            walk(coordinate ? detail::ParsePass::indices : detail::ParsePass::all, [&] {
                builder.count(staging_->parts());
                staging_->clear();
            });
            check_index_range(builder.start_placing());
            restart();
            second_pass_ = true;
            walk(detail::ParsePass::all, [&] {
                builder.place(staging_->parts());
                staging_->clear();
            });
        }
        staging_.reset();
        Csr<T, P> csr = builder.finish();
        if (const auto place = builder.overflow())
            throw InputError(
                path_, line_of_last(place->row, place->col),
                fmt::format("what is given for row {}, column {} adds up to more than {} "
                            "holds; expected a finite sum",
                            std::int64_t{place->row} + 1, std::int64_t{place->col} + 1,
                            to_string(value_type_of<T>())));
        return csr;
    }

  private:
    static constexpr std::uint64_t kMostEntries =
        static_cast<std::uint64_t>(std::numeric_limits<P>::max());

    std::uint64_t entries_of_a_block() const {
        return LineSource::kBlock / detail::min_line_bytes(header_.layout) + 1;
    }
    void stage(std::uint64_t entries) {
        staging_ = std::make_unique<detail::MarketStaging<T>>(header_, entries, threads_);
    }

    void check_index_range(std::uint64_t nonzeros) const {
        if (nonzeros > kMostEntries)
            throw InputError(path_, header_.header_lines,
                             fmt::format("the matrix has {} nonzeros; expected at most {} with "
                                         "32-bit row pointers, use 64-bit ones",
                                         nonzeros, kMostEntries));
    }

    /// Stages all entries of the file, block by block, and calls `staged` after each.
    template <class Staged>
    void walk(detail::ParsePass pass, Staged staged) {
        const auto promised = static_cast<std::uint64_t>(header_.entries);
        std::uint64_t entries = 0;
        for_each_block([&](std::uint64_t number) {
            const std::uint64_t found = parse_block(number, entries, pass);
            if (found > promised - entries)
                throw InputError(path_, line_of_entry(promised + 1),
                                 fmt::format("there are more entries than the {} promised; "
                                             "expected the end of the file",
                                             promised));
            entries += found;
            staged();
            report_progress();
            return true;
        });
        if (entries < promised)
            throw InputError(path_, line_of_entry(promised),
                             fmt::format("the file ends after {} entries; expected the {} promised "
                                         "in line {} (is it truncated?)",
                                         entries, promised, header_.header_lines));
    }

    /// Calls visit(number of the block) while it returns true; block_ holds the text.
    template <class Visit>
    void for_each_block(Visit visit) {
        if (block_.empty()) block_ = source_->next();
        for (std::uint64_t n = 0; !block_.empty() && visit(n); ++n) block_ = source_->next();
    }

    std::uint64_t parse_block(std::uint64_t number, std::uint64_t first_entry,
                              detail::ParsePass pass) {
        try {
            return staging_->parse(block_, first_entry, pass);
        } catch (const detail::ParseFault& fault) {
            const auto at = static_cast<std::size_t>(fault.where - block_.data());
            throw InputError(path_, line_of(number, at), fault.what);
        }
    }

    void restart() {
        source_->rewind();
        detail::parse_market_header(path_, *source_, block_);
    }

    // Lines are counted only when an error needs them.
    std::uint64_t line_of(std::uint64_t block_number, std::size_t offset) {
        std::uint64_t line = header_.header_lines + 1;
        restart();
        for_each_block([&](std::uint64_t n) {
            const std::size_t length = n == block_number ? offset : block_.size();
            line += static_cast<std::uint64_t>(
                std::count(block_.begin(), block_.begin() + length, '\n'));
            return n < block_number;
        });
        return line;
    }

    /// The line of entry `wanted`, counted from 1; the last line where there are fewer.
    std::uint64_t line_of_entry(std::uint64_t wanted) {
        std::uint64_t line = header_.header_lines;
        restart();
        for_each_block([&](std::uint64_t) {
            for (std::string_view rest = block_; wanted > 0 && !rest.empty(); ++line) {
                const std::size_t begin = rest.find_first_not_of(" \t\r");
                if (rest[begin] != '\n' && rest[begin] != '%') --wanted;
                rest.remove_prefix(rest.find('\n', begin) + 1);
            }
            return wanted > 0;
        });
        return line;
    }

    /// The line of the last entry for this place, or for its mirror image where that counts.
    std::uint64_t line_of_last(index_t row, index_t col) {
        const bool mirrored = header_.symmetry != MarketSymmetry::general;
        const auto is_it = [&](index_t r, index_t c) {
            return (r == row && c == col) || (mirrored && r == col && c == row);
        };
        std::uint64_t number = 0, last = 0;
        stage(entries_of_a_block());
        restart();
        walk(detail::ParsePass::indices, [&] {
            for (const Triplets<T>& part : staging_->parts())
                for (std::size_t k = 0; k < part.count; ++k) {
                    ++number;
                    if (is_it(part.rows[k], part.cols[k])) last = number;
                }
            staging_->clear();
        });
        staging_.reset();
        return line_of_entry(last);
    }

    void report_progress() {
        if (!options_.progress) return;
        const std::uint64_t size = source_->bytes_total();
        const std::uint64_t before = second_pass_ ? size : 0;
        options_.progress(before + source_->bytes_done(), one_pass_ ? size : 2 * size);
    }

    const std::string& path_;
    const MarketReadOptions& options_;
    std::unique_ptr<LineSource> source_;
    std::string_view block_;  // not parsed yet
    MarketHeader header_;
    int threads_;
    bool one_pass_ = true;
    bool second_pass_ = false;
    std::unique_ptr<detail::MarketStaging<T>> staging_;
};

}  // namespace

template <class T, class P>
Csr<T, P> read_market(const std::string& path, const MarketReadOptions& options) {
    return MarketReader<T, P>(path, options).read();
}

#define SPTUNE_INSTANTIATE(T, P) \
    template Csr<T, P> read_market(const std::string&, const MarketReadOptions&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
