#include "doctor/stack_spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"
#include "data/data.h"
#include "doctor/builds.h"

#define TEXT_MAX 256

/* ---- words ---- */

/* "cu102" to "10.2", "cu118" to "11.8", "cu92" to "9.2". */
static bool take_cu(const char *text, char to[8])
{
    size_t n = 0;
    if (strncmp(text, "cu", 2) != 0)
        return false;
    while (isdigit((unsigned char)text[2 + n]))
        n++;
    if (n < 2 || n > 3 || isalnum((unsigned char)text[2 + n]))
        return false;
    snprintf(to, 8, "%.*s.%c", (int)(n - 1), text + 2, text[1 + n]);
    return true;
}

/* "10.2.89" to "10.2". */
static void take_cuda(const char *text, char to[8])
{
    unsigned major, minor = 0;
    int got = sscanf(text, "%2u.%2u", &major, &minor);
    if (got == 2)
        snprintf(to, 8, "%u.%u", major, minor);
    else if (got == 1)
        snprintf(to, 8, "%u.0", major);
}

static void set_local(struct stack_spec *s, const char *local)
{
    s->cpu = s->cpu || strncmp(local, "cpu", 3) == 0;
    s->other_maker =
        s->other_maker || strncmp(local, "rocm", 4) == 0 || strncmp(local, "xpu", 3) == 0;
    take_cu(local, s->cuda);
}

/* "1.12.1+cu102", "%2B" for the sign as URLs have it. */
static void set_version(struct stack_spec *s, const char *text)
{
    const char *plus = strchr(text, '+'), *coded = strstr(text, "%2b");
    if (!plus || (coded && coded < plus))
        plus = coded;
    size_t n = plus ? (size_t)(plus - text) : strlen(text);
    str_copy(s->version, n + 1 < sizeof s->version ? n + 1 : sizeof s->version, text);
    if (plus)
        set_local(s, plus + (*plus == '+' ? 1 : 3));
}

static void set_package(struct stack_spec *s, const char *name)
{
    if (strcmp(name, "pytorch") == 0) {
        s->conda = s->conda || !s->pip; /* pip's name for it is torch */
        name = "torch";
    }
    str_copy(s->package, sizeof s->package, name);
    for (char *p = s->package; *p; p++)
        *p = *p == '_' ? '-' : *p;
}

static bool knows_package(const char *name)
{
    const struct table *t = data_table(DATA_BUILDS);
    char plain[64], a[32], b[32];
    str_copy(plain, sizeof plain, name);
    for (char *p = plain; *p; p++)
        *p = *p == '_' ? '-' : *p;
    stack_framework(plain, a);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(stack_framework(table_field(t, row, "package"), b), a) == 0)
            return true;
    return false;
}

/* ---- file names and tags ---- */

static void set_platform(struct stack_spec *s, const char *platform)
{
    s->has_os = true;
    s->os = strncmp(platform, "win", 3) == 0 ? ARCH_WINDOWS : ARCH_LINUX;
    s->foreign = strncmp(platform, "macosx", 6) == 0 || strstr(platform, "aarch64") ||
                 strstr(platform, "win32") || strstr(platform, "arm");
}

/* "torch-1.12.1+cu102-cp38-cp38-win_amd64.whl"; the path before it does not count. */
static bool take_wheel(struct stack_spec *s, const char *text)
{
    char name[TEXT_MAX], *part[8];
    size_t count = 0;
    const char *slash = strrchr(text, '/');
    unsigned major, minor;
    if (!str_ends(text, ".whl"))
        return false;
    str_copy(name, sizeof name, slash ? slash + 1 : text);
    name[strlen(name) - 4] = 0;
    for (char *p = strtok(name, "-"); p && count < 8; p = strtok(NULL, "-"))
        part[count++] = p;
    if (count < 5)
        return false;
    s->pip = true;
    set_package(s, part[0]);
    set_version(s, part[1]);
    if (sscanf(part[count - 3], "cp%1u%2u", &major, &minor) == 2)
        snprintf(s->python, sizeof s->python, "%u.%u", major, minor);
    set_platform(s, part[count - 1]);
    return true;
}

/* "pytorch/pytorch:1.5-cuda10.1-cudnn7-runtime", "tensorflow/tensorflow:2.3.0-gpu",
 * "nvidia/cuda:11.8.0-runtime-ubuntu22.04". */
static bool take_image(struct stack_spec *s, const char *text)
{
    const char *colon = strrchr(text, ':'), *slash = colon;
    if (!colon || !isdigit((unsigned char)colon[1]) || !strchr(text, '/'))
        return false;
    while (slash > text && slash[-1] != '/')
        slash--;
    char name[64], version[32];
    str_copy(name,
             (size_t)(colon - slash) + 1 < sizeof name ? (size_t)(colon - slash) + 1 : sizeof name,
             slash);
    size_t n = strcspn(colon + 1, "-");
    str_copy(version, n + 1 < sizeof version ? n + 1 : sizeof version, colon + 1);
    s->image = true;
    if (strcmp(name, "cuda") == 0) {
        take_cuda(version, s->cuda);
        return true;
    }
    s->conda = strcmp(name, "pytorch") == 0;
    set_package(s, name);
    str_copy(s->version, sizeof s->version, version);
    const char *cuda = strstr(colon, "-cuda"), *cudnn = strstr(colon, "-cudnn");
    if (cuda)
        take_cuda(cuda + 5, s->cuda);
    if (cudnn)
        str_copy(s->cudnn, 3, cudnn + 6);
    s->has_os = true;
    s->os = ARCH_LINUX;
    return true;
}

/* ---- pairs of a name and a version ---- */

/* What to do with "name version". False: the name means nothing here. */
static bool take_pair(struct stack_spec *s, const char *name, const char *value)
{
    static const char *const cuda[] = { "cuda",         "cudatoolkit",  "toolkit",
                                        "pytorch-cuda", "cuda-toolkit", NULL };
    static const char *const driver[] = { "driver", "nvidia-driver", "nvidia", NULL };
    for (size_t i = 0; cuda[i]; i++)
        if (strcmp(name, cuda[i]) == 0) {
            s->conda =
                s->conda || strcmp(name, "cudatoolkit") == 0 || strcmp(name, "pytorch-cuda") == 0;
            take_cuda(value, s->cuda);
            return *s->cuda != 0;
        }
    for (size_t i = 0; driver[i]; i++)
        if (strcmp(name, driver[i]) == 0)
            return version_parse(value, &s->driver);
    if (strcmp(name, "python") == 0 || strcmp(name, "py") == 0) {
        unsigned major, minor;
        if (sscanf(value, "%1u.%2u", &major, &minor) != 2)
            return false;
        snprintf(s->python, sizeof s->python, "%u.%u", major, minor);
        return true;
    }
    if (strcmp(name, "cudnn") == 0) {
        str_copy(s->cudnn, sizeof s->cudnn, value);
        return true;
    }
    if (!knows_package(name))
        return false;
    set_package(s, name);
    set_version(s, value);
    return true;
}

/* "torch==1.3.0", "driver=470", "torch-1.3.0", "cuda11.8", "cu102", "py38". */
static bool take_joined(struct stack_spec *s, const char *word)
{
    char name[TEXT_MAX];
    size_t n = strcspn(word, "=");
    unsigned major, minor;
    if (word[n]) {
        str_copy(name, n + 1 < sizeof name ? n + 1 : sizeof name, word);
        s->pip = s->pip || word[n + 1] == '=';
        return take_pair(s, name, word + n + strspn(word + n, "="));
    }
    if (take_cu(word, s->cuda))
        return true;
    if (sscanf(word, "py%1u%2u", &major, &minor) == 2 ||
        sscanf(word, "cp%1u%2u", &major, &minor) == 2) {
        snprintf(s->python, sizeof s->python, "%u.%u", major, minor);
        return true;
    }
    n = strcspn(word, "0123456789");
    if (!n || !word[n])
        return false;
    str_copy(name, n + 1 < sizeof name ? n + 1 : sizeof name, word);
    if (name[n - 1] == '-')
        name[n - 1] = 0;
    return take_pair(s, name, word + n);
}

static void lower(const char *text, char to[TEXT_MAX])
{
    size_t n = 0;
    for (; *text && n + 1 < TEXT_MAX; text++)
        to[n++] = (char)tolower((unsigned char)*text);
    to[n] = 0;
}

static bool take_words(struct stack_spec *s, const char *text)
{
    char copy[TEXT_MAX], *word[32];
    size_t count = 0;
    bool any = false;
    lower(text, copy);
    for (char *p = strtok(copy, " ,\t\r\n"); p && count < 32; p = strtok(NULL, " ,\t\r\n"))
        word[count++] = p;
    for (size_t i = 0; i < count; i++) {
        bool next = i + 1 < count && isdigit((unsigned char)word[i + 1][0]);
        if (take_wheel(s, word[i]) || take_image(s, word[i]) || take_joined(s, word[i]))
            any = true;
        else if (next && take_pair(s, word[i], word[i + 1])) {
            any = true;
            i++;
        }
    }
    return any;
}

/* ---- sentences of guides ---- */

/* "3.x" and "3.5" against 50. */
static bool is_claimed(const char *claimed, unsigned cc)
{
    unsigned major = 0, minor = 0;
    if (sscanf(claimed, "%2u.%1u", &major, &minor) == 2)
        return major * 10 + minor == cc;
    return major == cc / 10;
}

/* One name before "is" or "are", or joined to others by "and". */
static void add_card(struct stack_spec *s, const char *name, const char *claimed)
{
    struct card_match match;
    struct err unused;
    err_clear(&unused);
    if (s->card_count == STACK_SPEC_CARDS_MAX || cards_find(name, &match, &unused))
        return;
    s->cards[s->card_count].card = match.card;
    str_copy(s->cards[s->card_count].claimed, sizeof s->cards[0].claimed, claimed);
    s->cards[s->card_count++].right = is_claimed(claimed, match.card.cc);
}

/* "K620 and 750 Ti are 3.x" */
static bool take_cards(struct stack_spec *s, const char *text)
{
    char copy[TEXT_MAX], claimed[8], *verb, *p;
    lower(text, copy);
    verb = strstr(copy, " are ");
    size_t n = 5;
    if (!verb) {
        verb = strstr(copy, " is ");
        n = 4;
    }
    if (!verb || !isdigit((unsigned char)verb[n]) || (verb[n + 1] != '.' && verb[n + 2] != '.'))
        return false;
    str_copy(claimed, sizeof claimed, verb + n);
    *verb = 0;
    for (p = copy; p;) {
        char *and = strstr(p, " and ");
        if (and)
            *and = 0;
        if (strncmp(p, "the ", 4) == 0)
            p += 4;
        add_card(s, p, claimed);
        p = and? and+5 : NULL;
    }
    return s->card_count > 0;
}

/* One of "a|b" stands in the text. */
static bool has_any(const char *text, const char *words, size_t length)
{
    char word[32];
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(words + at, "| ");
        if (at + n > length)
            n = length - at;
        str_copy(word, n + 1 < sizeof word ? n + 1 : sizeof word, words + at);
        if (*word && strstr(text, word))
            return true;
        at += n + 1;
    }
    return false;
}

static int find_belief(const char *text)
{
    const struct table *t = data_table(DATA_BELIEFS);
    char copy[TEXT_MAX];
    lower(text, copy);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *p = table_field(t, row, "words");
        bool all = true;
        while (*p && all) {
            size_t n = strcspn(p, " ");
            all = has_any(copy, p, n);
            p += n + strspn(p + n, " ");
        }
        if (all)
            return (int)row;
    }
    return -1;
}

int stack_spec_parse(const char *text, struct stack_spec *s, struct err *err)
{
    *s = (struct stack_spec){ .belief = -1 };
    if (take_cards(s, text))
        return 0;
    if (take_words(s, text))
        return 0;
    s->belief = find_belief(text);
    if (s->belief >= 0)
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.100s' is understood as no package, wheel, image, driver or CUDA", text);
}

/* ---- the answer ---- */

static const char *field(size_t build, const char *name)
{
    return table_field(data_table(DATA_BUILDS), build, name);
}

/* "1.5" means 1.5.0, 1.5.1 ...; "1.5.1" itself. */
static bool is_version(const char *version, const char *wanted)
{
    size_t n = strlen(wanted);
    return !n || (strncmp(version, wanted, n) == 0 && (!version[n] || version[n] == '.'));
}

static bool is_package(size_t build, const struct stack_spec *s)
{
    char a[32], b[32];
    if (strcmp(field(build, "package"), s->package) == 0)
        return true;
    /* tensorflow-gpu and tensorflow are one; cupy-cuda11x is not cupy-cuda12x */
    return strcmp(stack_framework(field(build, "package"), a), stack_framework(s->package, b)) ==
               0 &&
           strcmp(a, "cupy") != 0;
}

static bool is_build(size_t build, const struct stack_spec *s, enum arch_os os, bool by_pip)
{
    const char *channel = field(build, "channel");
    if (!is_package(build, s) || !is_version(field(build, "version"), s->version) ||
        strcmp(field(build, "os"), os == ARCH_WINDOWS ? "windows" : "linux") != 0)
        return false;
    if (*s->cuda)
        return strcmp(field(build, "cuda"), s->cuda) == 0;
    return !by_pip || strcmp(channel, "pip") != 0 || strcmp(field(build, "pypi"), "yes") == 0;
}

static bool has_version(const struct stack_spec *s)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count; row++)
        if (is_package(row, s) && is_version(field(row, "version"), s->version))
            return true;
    return false;
}

/* The channel that is meant comes first; without its builds the other one answers. */
static void add_builds(const struct stack_spec *s, struct stack_check *c, const char *channel)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count && c->answer_count < STACK_SPEC_BUILDS_MAX; row++)
        if (strcmp(field(row, "channel"), channel) == 0 && is_build(row, s, c->target.os, true))
            c->answers[c->answer_count++] = stack_judge(row, &c->target, s->python);
}

static enum stack_status of_package(const struct stack_spec *s, struct stack_check *c)
{
    c->knows_version = has_version(s);
    bool plain = !*s->cuda && strcmp(s->package, "torch") == 0 && !s->conda;
    if (s->cpu || (plain && c->target.os == ARCH_WINDOWS && c->knows_version))
        return STACK_CPU_BUILD;
    const struct arch_facts *facts = facts_arch(c->target.cc);
    bool jetson = facts && facts->class == ARCH_TEGRA; /* the table has x86 builds only */
    if (s->other_maker || s->foreign || jetson)
        return STACK_NO_BUILD;
    add_builds(s, c, s->conda ? "conda" : "pip");
    if (!c->answer_count)
        add_builds(s, c, s->conda ? "pip" : "conda");
    if (!c->answer_count)
        add_builds(s, c, "app");
    if (!c->answer_count)
        return c->knows_version ? STACK_NO_BUILD : STACK_UNKNOWN_RELEASE;
    for (size_t i = 0; i < c->answer_count; i++)
        if (stack_works(c->answers[i].status))
            return c->answers[i].status;
    return c->answers[0].status;
}

/* The least capability that this cuDNN asks for, as a number; 0: none that is known. */
static unsigned cudnn_floor(const char *version)
{
    const struct table *t = data_table(DATA_FLOORS);
    for (size_t row = 0; row < t->row_count; row++) {
        unsigned major, minor;
        const char *below = table_field(t, row, "below");
        if (strcmp(table_field(t, row, "package"), "libcudnn") == 0 &&
            stack_compare(version, table_field(t, row, "from")) >= 0 &&
            (table_blank(below) || stack_compare(version, below) < 0) &&
            sscanf(table_field(t, row, "min_cc"), "%u.%u", &major, &minor) == 2)
            return major * 10 + minor;
    }
    return 0;
}

void stack_spec_check(const struct stack_spec *s, const struct arch_target *target,
                      struct stack_check *c)
{
    *c = (struct stack_check){ .target = *target };
    if (version_known(s->driver))
        c->target.driver = s->driver;
    if (s->has_os)
        c->target.os = s->os;
    if (*s->package)
        c->status = of_package(s, c);
    else
        c->status = stack_judge_cuda(*s->cuda ? s->cuda : "1.0", &c->target, &c->runtime);
    c->cudnn_floor = *s->cudnn ? cudnn_floor(s->cudnn) : 0;
    if (stack_works(c->status) && facts_canonical(target->cc) < c->cudnn_floor)
        c->status = STACK_CUDNN_FLOOR;
}
