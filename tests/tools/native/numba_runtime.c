/* What compiled kernels ask of numba's runtime: records of memory with a count of references. Functions in LLVM's
   language count, and call these to make and free. The layout is numba's (numba/core/runtime/nrt.cpp). */
#include "numba_runtime.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

long long live_records = 0;

void *NRT_Allocate(size_t size) { return malloc(size); }
void NRT_Free(void *memory) { free(memory); }

/* A record and its data in one block. */
void *NRT_MemInfo_alloc_aligned(size_t size, unsigned alignment) {
    char *block = malloc(sizeof(Record) + size + alignment);
    if (!block) return NULL;
    Record *record = (Record *)block;
    uintptr_t first = (uintptr_t)(block + sizeof(Record));
    void *data = (void *)((first + alignment - 1) / alignment * alignment);
    *record = (Record){.references = 1, .data = data, .size = size};
    __atomic_add_fetch(&live_records, 1, __ATOMIC_RELAXED);
    return record;
}

void *NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_aligned(size, sizeof(void *)); }

/* numba fills these with a pattern in its debug mode. */
void *NRT_MemInfo_alloc_safe_aligned(size_t size, unsigned alignment) {
    return NRT_MemInfo_alloc_aligned(size, alignment);
}

void NRT_MemInfo_call_dtor(void *memory) {
    Record *record = memory;
    if (record->destroy) record->destroy(record->data, record->size, record->about);
    __atomic_sub_fetch(&live_records, 1, __ATOMIC_RELAXED);
    free(record);
}

/* Lists have their data in a block of its own, which grows; `about` releases the entries. */
static void destroy_list(void *data, size_t size, void *about) {
    (void)size;
    if (about) ((void (*)(void *))about)(data);
    free(data);
}

void *NRT_MemInfo_new_varsize_dtor(size_t size, void *about) {
    Record *record = NRT_MemInfo_alloc(0);
    void *data = record ? malloc(size ? size : 1) : NULL;
    if (!data) {
        if (record) NRT_MemInfo_call_dtor(record);
        return NULL;
    }
    record->destroy = destroy_list;
    record->about = about;
    record->data = data;
    record->size = size;
    return record;
}

void *NRT_MemInfo_varsize_realloc(void *memory, size_t size) {
    Record *record = memory;
    void *data = realloc(record->data, size ? size : 1);
    if (!data) return NULL;
    record->data = data;
    record->size = size;
    return data;
}

void release_record(void *memory) {
    Record *record = memory;
    if (__atomic_sub_fetch(&record->references, 1, __ATOMIC_ACQ_REL) == 0) NRT_MemInfo_call_dtor(record);
}

double numba_frexp(double value, int *exponent) { return frexp(value, exponent); }

/* Strides of a view of another shape; 0 if the entries must be copied. Axes of both shapes are matched in groups of the
   same number of entries, and the old axes of a group must lie one behind the other. */
int numba_attempt_nocopy_reshape(intptr_t n_old, const intptr_t *old_all, const intptr_t *strides_all, intptr_t n_new,
                                 const intptr_t *shape, intptr_t *strides, intptr_t item_size, int is_fortran) {
    intptr_t old[32], steps[32], count = 0, k = 0, j = 0;
    if (is_fortran || n_old > 32) return 0;
    for (intptr_t axis = 0; axis < n_old; axis++)
        if (old_all[axis] != 1) {
            old[count] = old_all[axis];
            steps[count++] = strides_all[axis];
        }
    while (k < count && j < n_new) {
        intptr_t first = j, had = old[k], has = shape[j++];
        while (had != has) {
            if (has < had) {
                if (j == n_new) return 0;
                has *= shape[j++];
            } else {
                if (k + 1 == count || steps[k] != old[k + 1] * steps[k + 1]) return 0;
                had *= old[++k];
            }
        }
        for (intptr_t axis = j - 1, step = steps[k++]; axis >= first; step *= shape[axis--]) strides[axis] = step;
    }
    for (; j < n_new; j++) strides[j] = item_size;   /* axes of length 1 */
    return 1;
}
