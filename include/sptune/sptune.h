/* sptune for C: y = alpha A x + beta y with the kernel that suits A and this machine.
 * What functions mean is told in sptune.hpp; every one that can fail returns a status. */
#ifndef SPTUNE_H
#define SPTUNE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPTUNE_C_API __attribute__((visibility("default")))

typedef enum sptune_status {
    SPTUNE_OK = 0,
    SPTUNE_INVALID_ARGUMENT = 1,
    SPTUNE_OUT_OF_MEMORY = 2,
    SPTUNE_NO_DEVICE = 3,
    SPTUNE_UNMET_CONSTRAINT = 4,
    SPTUNE_DEVICE_ERROR = 5,
    SPTUNE_INTERNAL = 6
} sptune_status;

typedef enum sptune_value { SPTUNE_F32 = 0, SPTUNE_F64 = 1 } sptune_value;
typedef enum sptune_index { SPTUNE_I32 = 0, SPTUNE_I64 = 1 } sptune_index;
typedef enum sptune_backend { SPTUNE_ANY = 0, SPTUNE_CPU = 1, SPTUNE_CUDA = 2 } sptune_backend;
typedef enum sptune_online {
    SPTUNE_ONLINE_AUTOMATIC = 0,
    SPTUNE_ONLINE_ALWAYS = 1,
    SPTUNE_ONLINE_NEVER = 2
} sptune_online;

/* The caller's arrays, on the host or on the current GPU. */
typedef struct sptune_csr {
    int32_t rows, cols;
    const void* row_ptr; /* rows + 1, of type `index` */
    const int32_t* col_idx;
    const void* values; /* of type `value` */
    int64_t nnz;        /* -1: read from row_ptr */
    sptune_value value;
    sptune_index index;
} sptune_csr;

/* Fill it with sptune_options_init() first: later versions may have more fields. One that was not
 * (its size is 0, or that of no struct) is refused. */
typedef struct sptune_options {
    size_t size;           /* of this struct, as the caller knows it */
    double expected_calls; /* 0: unknown */
    int transposed;
    int deterministic;
    uint64_t memory_bytes;
    double longest_conversion_us;
    double error_bound;
    const char* variants;
    sptune_backend backend;
    sptune_online online;
    double epsilon;
    double grace_calls; /* negative: 25 on a CPU, 10 on a GPU */
    int threads;
    const char* database;
    int in_graphs; /* 1: calls will be recorded in CUDA graphs */
} sptune_options;

typedef struct sptune_plan sptune_plan;

SPTUNE_C_API const char* sptune_version(void);
/* Of the last call of this thread that failed; valid until the next one that fails. */
SPTUNE_C_API const char* sptune_last_error(void);

/* The defaults, for a struct of `size` bytes: that of the version you were compiled with. */
SPTUNE_C_API void sptune_options_init_sized(sptune_options* options, size_t size);
static inline void sptune_options_init(sptune_options* options) {
    sptune_options_init_sized(options, sizeof *options);
}
/* options may be NULL. On failure *plan is NULL. */
SPTUNE_C_API sptune_status sptune_plan_create(const sptune_csr* A, const sptune_options* options,
                                              sptune_plan** plan);
/* NULL is allowed. */
SPTUNE_C_API void sptune_plan_destroy(sptune_plan* plan);
/* x and y hold values of the plan's type, to which alpha and beta are rounded; y overlaps neither x
 * nor A. x must be finite, with alpha = 0 as well; beta = 0 never reads y. */
SPTUNE_C_API sptune_status sptune_plan_apply(sptune_plan* plan, double alpha, const void* x,
                                             double beta, void* y, void* stream);
SPTUNE_C_API sptune_status sptune_plan_apply_many(sptune_plan* plan, double alpha, const void* x,
                                                  size_t ldx, double beta, void* y, size_t ldy,
                                                  size_t count, void* stream);
/* For vectors that lie row by row ("row-major"): entry i of vector j is x[i * ldx + j]. */
SPTUNE_C_API sptune_status sptune_plan_apply_many_rows(sptune_plan* plan, double alpha,
                                                       const void* x, size_t ldx, double beta,
                                                       void* y, size_t ldy, size_t count,
                                                       void* stream);
SPTUNE_C_API sptune_status sptune_plan_update_values(sptune_plan* plan, const void* values);
/* Writes at most `size` bytes, the ending 0 included; *needed (may be NULL) is what all would take.
 */
SPTUNE_C_API sptune_status sptune_plan_why(const sptune_plan* plan, char* text, size_t size,
                                           size_t* needed);

SPTUNE_C_API sptune_status sptune_auto_spmv(const sptune_csr* A, double alpha, const void* x,
                                            double beta, void* y, void* stream);
/* As sptune_plan_apply_many() and sptune_plan_apply_many_rows(). */
SPTUNE_C_API sptune_status sptune_auto_spmv_many(const sptune_csr* A, double alpha, const void* x,
                                                 size_t ldx, double beta, void* y, size_t ldy,
                                                 size_t count, void* stream);
SPTUNE_C_API sptune_status sptune_auto_spmv_many_rows(const sptune_csr* A, double alpha,
                                                      const void* x, size_t ldx, double beta,
                                                      void* y, size_t ldy, size_t count,
                                                      void* stream);
SPTUNE_C_API sptune_status sptune_forget(const sptune_csr* A);
/* What sptune_auto_spmv uses for A and why, "" where it keeps no plan for A; text, size and needed
 * as for sptune_plan_why. */
SPTUNE_C_API sptune_status sptune_why(const sptune_csr* A, char* text, size_t size, size_t* needed);

/* Fill it with sptune_spgemm_options_init() first. */
typedef struct sptune_spgemm_options {
    size_t size;    /* of this struct, as the caller knows it */
    int sorted;     /* 1: columns of each row of C in increasing order */
    int drop_zeros; /* 1: leave out entries whose sum is exactly 0 */
    uint64_t memory_bytes;
    sptune_backend backend;
    const char* variant;
    int threads;
    const char* database;
    void* stream; /* a cudaStream_t, for A and B in GPU memory */
} sptune_spgemm_options;

/* A CSR matrix that sptune has made. */
typedef struct sptune_matrix sptune_matrix;

SPTUNE_C_API void sptune_spgemm_options_init_sized(sptune_spgemm_options* options, size_t size);
static inline void sptune_spgemm_options_init(sptune_spgemm_options* options) {
    sptune_spgemm_options_init_sized(options, sizeof *options);
}
/* C = A B, of the types that A and B have in common. options may be NULL. On failure *C is NULL. */
SPTUNE_C_API sptune_status sptune_auto_spgemm(const sptune_csr* A, const sptune_csr* B,
                                              const sptune_spgemm_options* options,
                                              sptune_matrix** C);
/* Its arrays, valid until it is destroyed: read them, they are not yours to free. */
SPTUNE_C_API sptune_status sptune_matrix_view(const sptune_matrix* C, sptune_csr* view);
/* Where they lie: SPTUNE_CPU or SPTUNE_CUDA. SPTUNE_ANY for NULL. */
SPTUNE_C_API sptune_backend sptune_matrix_location(const sptune_matrix* C);
/* Id of the kernel that made it, valid until it is destroyed. NULL for NULL. */
SPTUNE_C_API const char* sptune_matrix_made_by(const sptune_matrix* C);
/* Why that kernel, and what databases had to pass over; as sptune_plan_why. */
SPTUNE_C_API sptune_status sptune_matrix_why(const sptune_matrix* C, char* text, size_t size,
                                             size_t* needed);
/* NULL is allowed. */
SPTUNE_C_API void sptune_matrix_destroy(sptune_matrix* C);

#ifdef __cplusplus
}
#endif

#endif
