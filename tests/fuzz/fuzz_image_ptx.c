/* Any bytes as PTX text: what is read of it stays inside, and nothing behind its end counts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

struct names {
    const uint8_t *text;
    size_t size, count, last;
};

static int kernel(void *self, const char *name, size_t length, struct err *err)
{
    struct names *n = self;
    size_t at = (size_t)((const uint8_t *)name - n->text);
    (void)err;
    CHECK(length > 0 && at < n->size && length <= n->size - at);
    CHECK(at >= n->last && !memchr(name, 0, length) && !memchr(name, ' ', length));
    n->last = at + length;
    n->count++;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx ptx, again;
    struct names names = { .text = data, .size = size };
    size_t text = ptx_text_size(data, size);
    CHECK(text <= size && ptx_text_size(data, text) == text);
    if (ptx_parse_header(data, size, &ptx)) {
        CHECK(ptx.start < size && !memcmp(data + ptx.start, ".version", 8));
        CHECK(ptx.version_major <= 9999 && ptx.version_minor <= 9999 && ptx.arch <= 9999);
        CHECK(ptx.suffix == 0 || ptx.suffix == 'a' || ptx.suffix == 'f');
        CHECK(ptx_parse_header(data + ptx.start, size - ptx.start, &again));
        CHECK(again.start == 0 && again.arch == ptx.arch && again.suffix == ptx.suffix);
    }
    CHECK(ptx_kernels(data, size, kernel, &names, NULL) == 0);

    struct names copied = { .size = text + 64 };
    uint8_t *copy = malloc(copied.size); /* the text, its NUL, and more text */
    CHECK(copy);
    memset(copy, 0, copied.size);
    if (text)
        memcpy(copy, data, text);
    memcpy(copy + text + 1, ".entry behind_the_end(){}", 26);
    copied.text = copy;
    CHECK(ptx_kernels(copy, copied.size, kernel, &copied, NULL) == 0);
    CHECK(copied.count == names.count);
    free(copy);
    return 0;
}
