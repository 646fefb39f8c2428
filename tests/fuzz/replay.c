/* Gives each file named on the command line to the fuzz target once: the corpus is tested without a
 * fuzzer, and one finding can be looked at under a debugger. Ends with 1 when a file cannot be
 * read. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    /* Of just the file's size, so that a read behind it is seen by the sanitizer. */
    uint8_t *data = size >= 0 ? malloc((size_t)size) : NULL;
    size_t got = data ? fread(data, 1, (size_t)size, f) : 0;
    fclose(f);
    if (size < 0 || got != (size_t)size) {
        free(data);
        return -1;
    }
    LLVMFuzzerTestOneInput(data, got);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int unread = 0;
    for (int i = 1; i < argc; i++)
        if (replay(argv[i])) {
            fprintf(stderr, "cannot read '%s'\n", argv[i]);
            unread = 1;
        }
    return unread;
}
