/* Any bytes as a cubin: what is read of it stays inside, names end, and sizes agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bounds {
    const uint8_t *data;
    size_t size, names;
};

static int kernel(void *self, const char *name, size_t length, struct err *err)
{
    struct bounds *b = self;
    const uint8_t *at = (const uint8_t *)name;
    if (at < b->data || length >= b->size - (size_t)(at - b->data) || memchr(name, 0, length))
        abort();
    b->names++;
    return b->names > 100000 ? err_set(err, ERR_LIMIT, "enough") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin cubin, found;
    struct err err = { 0 };
    struct bounds bounds = { data, size, 0 };
    if (cubin_parse_header(data, size, &cubin, &err) < 0) {
        if (err.code != ERR_FORMAT)
            abort();
    } else {
        if (cubin.size < 52 || cubin_file_size(data, size) < cubin.size || cubin.arch > 255)
            abort();
    }
    found = cubin;
    cubin_read_notes(data, size, &cubin);
    if (cubin_find_notes(data, size, &found) && found.toolkit_major == 0)
        abort();
    if (cubin.suffix && cubin.suffix != 'a' && cubin.suffix != 'f')
        abort();
    err_clear(&err);
    if (cubin_kernels(data, size, kernel, &bounds, &err) < 0 && err.code == ERR_NONE)
        abort();
    return 0;
}
