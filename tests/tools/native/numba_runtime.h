/* numba's record of an array's memory. */
#include <stddef.h>

typedef struct {
    size_t references;
    void (*destroy)(void *, size_t, void *);
    void *about;
    void *data;
    size_t size;
    void *allocator;
} Record;

extern long long live_records;   /* records that are not freed */
void release_record(void *record);   /* one reference less; frees what nobody refers to */
