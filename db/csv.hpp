// The database as a table for spreadsheets and data frames: RFC 4180 with "\n" line ends.
#pragma once

#include "db/entry.hpp"

#include <string>
#include <vector>

namespace sptune::db {

/// One line, with quotes where a cell needs them.
std::string csv_line(const std::vector<std::string>& cells);

/// The names of the columns: every scalar field of an entry, then of a candidate; nested records
/// give their name as a prefix ("matrix_name", "candidate_time_us_median").
std::string csv_header();

/// A line for each candidate. What is null in JSON is an empty cell.
std::string csv_rows(const Entry& entry);

}  // namespace sptune::db
