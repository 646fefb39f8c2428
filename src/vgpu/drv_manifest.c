#include "vgpu/drv_manifest.h"

#include <stdio.h>
#include <string.h>

#include "core/table.h"
#include "vgpu/drv_sha256.h"

#define FILE_MAX ((size_t)64 << 20)

static int read_file(const char *path, struct str *to, struct err *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_errno(err, "cannot open '%s'", path);
    char block[16384];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0 && to->len < FILE_MAX)
        str_add_bytes(to, block, n);
    int failed = ferror(f);
    fclose(f);
    if (failed)
        return err_errno(err, "cannot read '%s'", path);
    return to->failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

/* The name of the PTX file of the cubin with this sum; "" when the list has none. */
static const char *find(const struct table *t, const char *sum)
{
    int kind = table_column(t, "kind"), sums = table_column(t, "sha256"),
        ptx = table_column(t, "ptx");
    if (kind < 0 || sums < 0 || ptx < 0)
        return "";
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_get(t, row, sums), sum) == 0 &&
            strcmp(table_get(t, row, kind), "cubin") == 0)
            return table_get(t, row, ptx);
    return "";
}

/* A file that stands beside the list. */
static int read_beside(const char *manifest, const char *name, struct str *to, struct err *err)
{
    struct str path = STR_INIT;
    const char *slash = strrchr(manifest, '/');
    if (slash)
        str_add_bytes(&path, manifest, (size_t)(slash - manifest) + 1);
    str_add(&path, name);
    int result =
        path.failed ? err_set(err, ERR_MEMORY, "out of memory") : read_file(path.p, to, err);
    str_free(&path);
    return result;
}

int drv_manifest_ptx(const char *manifest, const uint8_t *cubin, size_t size, struct str *ptx,
                     struct err *err)
{
    if (!manifest)
        return 0;
    char sum[65];
    drv_sha256(cubin, size, sum);
    struct str text = STR_INIT;
    struct table t = { 0 };
    int result = -1;
    if (read_file(manifest, &text, err) < 0 || table_parse(&t, text.p, text.len, err) < 0)
        goto done;
    const char *name = find(&t, sum);
    result = *name ? read_beside(manifest, name, ptx, err) < 0 ? -1 : 1 : 0;
done:
    table_free(&t);
    str_free(&text);
    return result;
}
