#include "bench/bench_host.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/os.h"
#include "core/os_cpu.h"
#include "core/str.h"

enum { FILE_MAX = 4 << 20 };

static bool read_text(const char *path, struct str *text)
{
    struct err unused;
    err_clear(&unused);
    return os_read_file(path, FILE_MAX, text, &unused) == 0;
}

/* The first line of a small file; "" when it cannot be read. */
static void read_word(const char *sysroot, const char *path, char *to, size_t size)
{
    char full[512];
    struct str text = STR_INIT;
    *to = 0;
    snprintf(full, sizeof full, "%s%s", sysroot, path);
    if (read_text(full, &text)) {
        text.p[strcspn(text.p, "\n")] = 0;
        str_copy(to, size, text.p);
    }
    str_free(&text);
}

/* The value behind "key : ", or NULL. */
static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0 || !strchr("\t :", line[n]))
        return NULL;
    const char *colon = strchr(line, ':');
    return colon ? colon + 1 + strspn(colon + 1, " ") : NULL;
}

static void read_cpu(const char *sysroot, struct bench_host *host)
{
    char full[512];
    struct str text = STR_INIT;
    snprintf(full, sizeof full, "%s/proc/cpuinfo", sysroot);
    if (read_text(full, &text))
        for (char *line = text.p, *end; !*host->cpu && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            const char *model = value_of(line, "model name");
            if (model)
                str_copy(host->cpu, sizeof host->cpu, model);
        }
    str_free(&text);
}

/* A battery that is being used; else mains, when there is any supply that says so. */
static void read_power(const char *sysroot, struct bench_host *host)
{
    char folder[400], path[700], type[32], online[16], status[32];
    snprintf(folder, sizeof folder, "%s/sys/class/power_supply", sysroot);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/type", folder, entry->d_name);
        read_word("", path, type, sizeof type);
        snprintf(path, sizeof path, "%s/%s/online", folder, entry->d_name);
        read_word("", path, online, sizeof online);
        snprintf(path, sizeof path, "%s/%s/status", folder, entry->d_name);
        read_word("", path, status, sizeof status);
        if (strcmp(type, "Mains") == 0 && strcmp(online, "1") == 0)
            str_copy(host->power, sizeof host->power, "mains");
        else if (strcmp(type, "Battery") == 0 && strcmp(status, "Discharging") == 0 &&
                 !*host->power)
            str_copy(host->power, sizeof host->power, "battery");
    }
    if (dir)
        closedir(dir);
}

void bench_host_read(const char *sysroot, struct bench_host *host)
{
    *host = (struct bench_host){ .cores = (int)os_cpu_cores() };
    read_cpu(sysroot, host);
    read_word(sysroot, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host->governor,
              sizeof host->governor);
    read_power(sysroot, host);
}
