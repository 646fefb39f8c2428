#include "cli/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/text.h"
#include "core/utf8.h"

#define WIDTH_DEFAULT 100
#define WIDTH_LEAST   40

static bool color, quiet;
static bool progress_shown;
static int write_error; /* why standard output failed, where that was seen */

void out_start(void)
{
    /* A file that may not grow is an error like a full disk, and no end. */
    signal(SIGXFSZ, SIG_IGN);
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            /* Opened the wrong way round: use of one that was closed fails, as it should. */
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : fd == 1 ? O_RDONLY : O_RDWR);
}

void out_set_color(const char *when)
{
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(when, "auto") == 0)
        color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
    else
        color = strcmp(when, "always") == 0;
}

void out_set_quiet(bool value)
{
    quiet = value;
}

void out_text(enum out_style style, const char *text)
{
    static const char *const codes[] = {
        [OUT_BOLD] = "\033[1m", [OUT_DIM] = "\033[2m",       [OUT_GOOD] = "\033[32m",
        [OUT_BAD] = "\033[31m", [OUT_DOUBTFUL] = "\033[33m",
    };
    bool styled = color && style != OUT_PLAIN;
    if (styled)
        fputs(codes[style], stdout);
    fputs(text, stdout);
    if (styled)
        fputs("\033[0m", stdout);
}

void out_line(enum out_style style, const char *text)
{
    out_text(style, text);
    putchar('\n');
}

void out_pad(size_t columns)
{
    printf("%*s", (int)columns, "");
}

void out_sentence(enum out_style style, const char *id, const struct text_arg *args)
{
    struct str s = STR_INIT;
    text_add(&s, id, args);
    out_text(style, s.p);
    str_free(&s);
}

static size_t output_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        return WIDTH_DEFAULT;
    return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

static bool is_one_of(uint32_t code, const uint32_t *list)
{
    for (; *list; list++)
        if (*list == code)
            return true;
    return false;
}

/* Between Chinese characters a line may break anywhere, but not before closing punctuation and not
 * behind an opening bracket. */
static bool may_break(uint32_t before, uint32_t after)
{
    static const uint32_t closing[] = { 0x3001, 0x3002, 0x300D, 0xFF09, 0xFF0C, 0xFF1A, 0xFF1B,
                                        0xFF1F, ')',    ',',    '.',    ':',    ';',    0 };
    static const uint32_t opening[] = { 0x300C, 0xFF08, '(', 0 };
    if (after == ' ')
        return before != ' ';
    return (before >= 0x2E80 || after >= 0x2E80) && before != ' ' && !is_one_of(after, closing) &&
           !is_one_of(before, opening);
}

/* Bytes up to the next place where a line may break; leading blanks are part of the piece. */
static size_t next_piece(const char *p)
{
    uint32_t before, after;
    bool valid;
    size_t at = utf8_next(p, &before, &valid);
    for (size_t n; (n = utf8_next(p + at, &after, &valid)); at += n) {
        if (may_break(before, after))
            break;
        before = after;
    }
    return at;
}

void out_wrapped(enum out_style style, size_t indent, const char *text)
{
    out_hanging(style, indent, 0, text);
}

void out_hanging(enum out_style style, size_t indent, size_t used, const char *text)
{
    size_t width = output_width(), column = used > indent ? used : indent;
    struct str line = STR_INIT, piece = STR_INIT;
    out_pad(column - used);
    while (*text) {
        size_t n = next_piece(text);
        str_clear(&piece);
        str_add_bytes(&piece, text, n);
        if (line.len && column + utf8_width(piece.p) > width) {
            out_line(style, line.p);
            out_pad(indent);
            str_clear(&line);
            column = indent;
        }
        const char *start = line.len ? piece.p : piece.p + strspn(piece.p, " ");
        str_add(&line, start);
        column += utf8_width(start);
        text += n;
    }
    out_line(style, line.p);
    str_free(&line);
    str_free(&piece);
}

void out_add_size(struct str *to, uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    if (bytes < 1024) {
        str_addf(to, "%u B", (unsigned)bytes);
        return;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1023.95 && unit < 3; unit++)
        value /= 1024;
    str_addf(to, "%.1f %s", value, units[unit]);
}

static void say(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

static void say(const char *fmt, va_list args)
{
    char text[1024];
    struct str safe = STR_INIT;
    vsnprintf(text, sizeof text, fmt, args);
    utf8_add_printable(&safe, text);
    out_progress(NULL, 0, 0);
    if (fflush(stdout)) /* keeps the order where both go to one place */
        write_error = errno;
    fprintf(stderr, "smfit: %s\n", safe.p);
    str_free(&safe);
}

void out_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
}

void out_note(const char *fmt, ...)
{
    if (quiet)
        return;
    va_list args;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void show_progress(const char *what, uint64_t done, uint64_t total)
{
    struct str name = STR_INIT;
    utf8_add_printable(&name, what);
    if (total && total != UINT64_MAX)
        fprintf(stderr, "\r\033[K%3.0f%%  %.70s", 100.0 * (double)done / (double)total, name.p);
    else
        fprintf(stderr, "\r\033[K%5.0f MiB  %.70s", (double)done / 1048576, name.p);
    fflush(stderr);
    str_free(&name);
}

void out_progress(const char *what, uint64_t done, uint64_t total)
{
    static uint64_t last_ms;
    static int terminal = -1;
    if (terminal < 0) {
        terminal = isatty(STDERR_FILENO);
        last_ms = now_ms() + 400; /* a short scan shows none */
    }
    if (!terminal || quiet)
        return;
    if (!what) {
        if (progress_shown)
            fputs("\r\033[K", stderr);
        progress_shown = false;
        return;
    }
    uint64_t now = now_ms();
    if (now < last_ms + 100)
        return;
    last_ms = now;
    progress_shown = true;
    show_progress(what, done, total);
}

int out_finish(struct err *err)
{
    out_progress(NULL, 0, 0);
    bool failed = ferror(stdout) != 0;
    errno = write_error;
    if (fflush(stdout) || failed)
        return errno ? err_errno(err, "cannot write to standard output")
                     : err_set(err, ERR_IO, "cannot write to standard output");
    /* Some file systems report a full disk only here. The number stays taken until the end. */
    int copy = dup(STDOUT_FILENO);
    if (copy >= 0 && close(copy) && errno != EBADF)
        return err_errno(err, "cannot write to standard output");
    return 0;
}
