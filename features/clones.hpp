// Loops that gain from wider registers, compiled for several instruction sets.
#pragma once

/// In front of a function that is no template: the dynamic linker picks the clone for this machine.
/// Unlike Highway (kernels/) the code stays plain C++, which the compiler vectorises.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SPTUNE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define SPTUNE_CLONES
#endif
