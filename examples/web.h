/* A made-up web for PageRank in C. */
#ifndef SPTUNE_EXAMPLES_WEB_H
#define SPTUNE_EXAMPLES_WEB_H

#include "common.h"

enum { MOST_LINKS = 9 };

/* 32 bits count the links of the third power of it. */
enum { LARGEST_WEB = 620 };

/* A number from 0 to 1 (Steele's splitmix64). */
static inline double uniform(uint64_t* state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline int in_order(const void* a, const void* b) {
    return *(const int*)a - *(const int*)b;
}

/* A few of the pages attract most links; a row has the links of the page they start from. */
static inline matrix web(int pages) {
    matrix a = room_for(pages, MOST_LINKS * (size_t)pages);
    uint64_t random = 1;
    for (int i = 0; i < pages; a.row_ptr[++i] = a.nnz) {
        int links[MOST_LINKS], several = 1 + (int)(MOST_LINKS * uniform(&random)), different = 0;
        for (int k = 0; k < several; ++k) links[k] = (int)(pages * pow(uniform(&random), 3));
        qsort(links, (size_t)several, sizeof *links, in_order);
        for (int k = 0; k < several; ++k)
            if (k == 0 || links[k] != links[k - 1]) links[different++] = links[k];
        for (int k = 0; k < different; ++k) add(&a, links[k], 1.0 / different);
    }
    return a;
}

static inline matrix transposed(const matrix* a) {
    matrix t = room_for(a->rows, (size_t)a->nnz);
    t.nnz = a->nnz;
    for (int32_t k = 0; k < a->nnz; ++k) ++t.row_ptr[a->col_idx[k] + 1];
    for (int i = 0; i < t.rows; ++i) t.row_ptr[i + 1] += t.row_ptr[i];
    int32_t* const next = memory((size_t)t.rows, sizeof *next); /* place in each row */
    for (int i = 0; i < a->rows; ++i)
        for (int32_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; ++k) {
            const int32_t row = a->col_idx[k], place = t.row_ptr[row] + next[row]++;
            t.col_idx[place] = i;
            t.values[place] = a->values[k];
        }
    free(next);
    return t;
}

#endif
