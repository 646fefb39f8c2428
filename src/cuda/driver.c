#include "cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os_library.h"
#include "core/str.h"
#include "data/data.h"

enum need { OPTIONAL, REQUIRED };

static const struct {
    enum need need;
    const char *names;
    size_t offset;
} symbols[] = {
#define X(need, member, names, arguments) { need, names, offsetof(struct driver_calls, member) },
#include "cuda/syms.def"
#undef X
};

/* The first of "a|b|c" that the library has, or NULL. */
static void *find(void *library, const char *names)
{
    for (;;) {
        size_t n = strcspn(names, "|");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        void *symbol = os_library_symbol(library, name);
        if (symbol || !names[n])
            return symbol;
        names += n + 1;
    }
}

static int resolve(struct driver *d, struct err *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = find(d->library, symbols[i].names);
        if (!symbol && symbols[i].need == REQUIRED)
            return err_set(err, ERR_DRIVER, "driver library '%s' lacks '%s'", d->path,
                           symbols[i].names);
        /* POSIX lets a data pointer from dlsym be stored as a function pointer; C has no cast for
         * it. */
        memcpy((char *)&d->call + symbols[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}

/* Tries the names in turn. A file that exists and does not load is another fault than none at all.
 */
static int open_library(struct driver *d, const char *path, enum driver_state *state,
                        struct err *err)
{
    static const char *const usual[] = { "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1" };
    const char *const *names = path ? &path : usual;
    size_t count = path ? 1 : sizeof usual / sizeof usual[0];
    *state = DRIVER_NO_LIBRARY;
    struct err first;
    err_clear(&first);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        d->library = os_library_open(names[i], &found, &first);
        str_copy(d->path, sizeof d->path, names[i]);
        if (d->library)
            return 0;
        if (found)
            *state = DRIVER_BROKEN;
    }
    return err_set(err, ERR_DRIVER, "%s", first.msg);
}

int driver_load(struct driver *d, const char *path, enum driver_state *state, struct err *err)
{
    *d = (struct driver){ 0 };
    if (open_library(d, path, state, err))
        return -1;
    if (resolve(d, err)) {
        *state = DRIVER_BROKEN;
        driver_close(d);
        return -1;
    }
    d->is_virtual = os_library_symbol(d->library, "smfit_vgpu_version") != NULL;
    *state = DRIVER_READY;
    return 0;
}

enum driver_state driver_open(struct driver *d, const char *path, struct err *err)
{
    enum driver_state state;
    if (driver_load(d, path, &state, err))
        return state;
    int result = d->call.driver_version(&d->version);
    if (result) {
        driver_check(err, result, "cuDriverGetVersion");
        goto fail;
    }
    result = d->call.init(0);
    if (result == GPU_NO_DEVICE)
        return DRIVER_NO_DEVICE;
    if (result) {
        driver_check(err, result, "cuInit");
        goto fail;
    }
    return DRIVER_READY;
fail:;
    bool is_virtual = d->is_virtual;
    driver_close(d);
    d->is_virtual = is_virtual;
    return DRIVER_INIT_FAILED;
}

void driver_close(struct driver *d)
{
    os_library_close(d->library);
    *d = (struct driver){ 0 };
}

/* Row of `code` in the table of codes, or row_count. */
static size_t code_row(const struct table *t, int code)
{
    int column = table_column(t, "code");
    for (size_t i = 0; i < t->row_count; i++)
        if (atoi(table_get(t, i, column)) == code)
            return i;
    return t->row_count;
}

static const char *code_field(int code, const char *column)
{
    const struct table *t = data_table(DATA_CODES);
    size_t row = code_row(t, code);
    const char *text = row < t->row_count ? table_field(t, row, column) : "?";
    return table_blank(text) ? "unknown" : text;
}

const char *driver_code_name(int code)
{
    return code_field(code, "name");
}

const char *driver_code_text(int code)
{
    return code_field(code, "text");
}

int driver_check(struct err *err, int result, const char *call)
{
    if (result == GPU_OK)
        return 0;
    err_set(err, ERR_DRIVER, "%s failed with error %d (%s: %s)", call, result,
            driver_code_name(result), driver_code_text(result));
    if (err && err->code == ERR_DRIVER && !err->native)
        err->native = result;
    return -1;
}
