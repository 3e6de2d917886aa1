#include "db/csv.hpp"

#include "db/fields.hpp"

#include <fmt/format.h>

namespace sptune::db {
namespace {

/// Collects names and cells of every scalar below a record. Lists have no fixed number of columns
/// and are left out.
struct Flattener {
    std::vector<std::string> names, cells;
    bool blank = false;  ///< inside of something that is absent

    void cell(const std::string& name, std::string text) {
        names.push_back(name);
        cells.push_back(blank ? std::string() : std::move(text));
    }

    template <class T>
    void add(const std::string& name, const T& value) {
        if constexpr (record<T>) {
            visit_fields(value, [&](const char* field, const auto& inner) {
                add(name.empty() ? field : name + "_" + field, inner);
            });
        } else if constexpr (std::is_enum_v<T>) {
            cell(name, std::string(to_string(value)));
        } else if constexpr (std::is_arithmetic_v<T>) {
            cell(name, fmt::format("{}", value));
        } else if constexpr (std::same_as<T, std::string>) {
            cell(name, value);
        } else if constexpr (std::same_as<T, Params>) {
            cell(name, to_string(value));
        }
    }
    template <class U>
    void add(const std::string& name, const Hash<U>& hash) {
        cell(name, fmt::format("{:016x}", hash.value));
    }
    template <class U>
    void add(const std::string& name, const Amount<U>& field) {
        add(name, field.value);
    }
    template <class U>
    void add(const std::string& name, const Nullable<U>& field) {
        const bool outer = blank;
        blank = blank || is_null(field);
        add(name, field.value);
        blank = outer;
    }
    template <class U>
    void add(const std::string& name, const Optional<U>& field) {
        add(name, field.value);
    }
    template <class T>
    void add(const std::string& name, const std::optional<T>& value) {
        const bool outer = blank;
        blank = blank || !value;
        add(name, value.value_or(T{}));
        blank = outer;
    }
};

Flattener flatten(const Entry& entry, const Candidate& candidate) {
    Flattener row;
    row.add("", entry);
    row.add("candidate", candidate);
    return row;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) {
        if (&cell != &cells.front()) out += ',';
        if (cell.find_first_of(",\"\r\n") == std::string::npos) {
            out += cell;
            continue;
        }
        out += '"';
        for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
        out += '"';
    }
    return out + "\n";
}

std::string csv_header() {
    return csv_line(flatten({}, {}).names);
}

std::string csv_rows(const Entry& entry) {
    std::string out;
    for (const Candidate& candidate : entry.candidates)
        out += csv_line(flatten(entry, candidate).cells);
    return out;
}

}  // namespace sptune::db
