// read_market FILE... [--threads N] [--repeat N]: how long sptune takes to read each file into a
// sorted CSR. One line of JSON per file on stdout.
#include "matrix/load.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

std::vector<double> time_reads(const std::string& file, int threads, int repeat) {
    std::vector<double> seconds;
    for (int i = 0; i < repeat; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto matrix = sptune::load_matrix<double>(file, {.threads = threads, .progress = {}});
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> files;
    int threads = 0, repeat = 5;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--threads" && i + 1 < argc)
            threads = std::atoi(argv[++i]);
        else if (word == "--repeat" && i + 1 < argc)
            repeat = std::max(1, std::atoi(argv[++i]));
        else
            files.push_back(word);
    }
    if (files.empty()) {
        fmt::print(stderr, "usage: read_market FILE... [--threads N] [--repeat N]\n");
        return 2;
    }
    for (const std::string& file : files) {
        const auto seconds = time_reads(file, threads, repeat);
        fmt::print("{{\"bytes\":{},\"min_s\":{:.6f},\"median_s\":{:.6f},\"repeat\":{}}}\n",
                   std::filesystem::file_size(file), seconds.front(), seconds[seconds.size() / 2],
                   repeat);
    }
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
}
