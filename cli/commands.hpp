// The commands of the `sptune` program: one file per command, one line in main.cpp's table.
#pragma once

#include <string>
#include <vector>

namespace sptune::cli {

// Each takes the words behind the command's name and returns an exit code (cli/exit_code.hpp).
// Failures are thrown (matrix/error.hpp); main.cpp prints them.
int run_profile(const std::vector<std::string>& args);
int run_select(const std::vector<std::string>& args);
int run_compare(const std::vector<std::string>& args);
int run_spgemm(const std::vector<std::string>& args);
int run_features(const std::vector<std::string>& args);
int run_generate(const std::vector<std::string>& args);
int run_convert(const std::vector<std::string>& args);
int run_db(const std::vector<std::string>& args);
int run_train(const std::vector<std::string>& args);
int run_evaluate(const std::vector<std::string>& args);
int run_info(const std::vector<std::string>& args);

/// Whether `sptune generate NAME` makes such matrices.
bool is_family(const std::string& name);

}  // namespace sptune::cli
