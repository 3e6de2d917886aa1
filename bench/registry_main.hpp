// The main() of the Google Benchmark programs.
#pragma once

#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include <benchmark/benchmark.h>

namespace sptune {

/// Runs what `register_all(PATH)` registers, PATH as --matrix=FILE gives it, else empty. Returns an
/// exit code.
template <class Register>
int run_benchmarks(int argc, char** argv, const char* program, const Register& register_all) {
    benchmark::Initialize(&argc, argv);
    std::string path;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--matrix=", 9) != 0) {
            std::cerr << program << ": unknown option " << argv[i]
                      << "; use --matrix=FILE and Google Benchmark's own options\n";
            return 2;
        }
        path = argv[i] + 9;
    }
    try {
        register_all(path);
        benchmark::RunSpecifiedBenchmarks();
    } catch (const std::exception& e) {
        std::cerr << program << ": " << e.what() << "\n";
        return 1;
    }
    return 0;
}

}  // namespace sptune
