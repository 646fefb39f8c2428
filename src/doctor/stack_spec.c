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

/* "1.5" says nothing against "1.5.1". */
static bool agree(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;
    const char *rest = n < m ? b + least : a + least;
    return strncmp(a, b, least) == 0 && (!*rest || *rest == '.');
}

/* The two that were said of one thing; the first such pair is told. */
static void contradict(struct stack_spec *s, const char *first, const char *second)
{
    if (!*s->contradiction)
        snprintf(s->contradiction, sizeof s->contradiction, "'%.40s' and '%.40s'", first, second);
}

/* Sets what may be said again, but not otherwise; of "1.5" and "1.5.1" the longer one stays. */
static void say(struct stack_spec *s, char *to, size_t size, const char *value)
{
    if (*to && *value && !agree(to, value))
        contradict(s, to, value);
    if (strlen(value) > strlen(to))
        str_copy(to, size, value);
}

static void say_python(struct stack_spec *s, unsigned major, unsigned minor)
{
    char python[sizeof s->python];
    snprintf(python, sizeof python, "%u.%u", major, minor);
    say(s, s->python, sizeof s->python, python);
}

static bool say_driver(struct stack_spec *s, const char *value)
{
    struct driver_version driver;
    char before[VERSION_TEXT_MAX], now[VERSION_TEXT_MAX];
    if (!version_parse(value, &driver))
        return false;
    if (version_known(s->driver) && version_compare(s->driver, driver) != 0)
        contradict(s, version_text(s->driver, before), version_text(driver, now));
    s->driver = driver;
    return true;
}

static void say_os(struct stack_spec *s, enum arch_os os)
{
    if (s->has_os && s->os != os)
        contradict(s, "linux", "windows");
    s->has_os = true;
    s->os = os;
}

/* "cu102" to "10.2", "cu118" to "11.8", "cu92" to "9.2". */
static bool take_cu(struct stack_spec *s, const char *text)
{
    char cuda[sizeof s->cuda];
    size_t n = 0;
    if (strncmp(text, "cu", 2) != 0)
        return false;
    while (isdigit((unsigned char)text[2 + n]))
        n++;
    if (n < 2 || n > 3 || isalnum((unsigned char)text[2 + n]))
        return false;
    snprintf(cuda, sizeof cuda, "%.*s.%c", (int)(n - 1), text + 2, text[1 + n]);
    say(s, s->cuda, sizeof s->cuda, cuda);
    return true;
}

/* "10.2.89" to "10.2". */
static bool take_cuda(struct stack_spec *s, const char *text)
{
    char cuda[sizeof s->cuda];
    unsigned major, minor = 0;
    if (sscanf(text, "%2u.%2u", &major, &minor) < 1)
        return false;
    snprintf(cuda, sizeof cuda, "%u.%u", major, minor);
    say(s, s->cuda, sizeof s->cuda, cuda);
    return true;
}

static void set_local(struct stack_spec *s, const char *local)
{
    s->cpu = s->cpu || strncmp(local, "cpu", 3) == 0;
    s->other_maker =
        s->other_maker || strncmp(local, "rocm", 4) == 0 || strncmp(local, "xpu", 3) == 0;
    say(s, s->local, sizeof s->local, local);
    take_cu(s, local);
}

/* "1.12.1+cu102", "%2B" for the sign as URLs have it. */
static void set_version(struct stack_spec *s, const char *text)
{
    char version[sizeof s->version];
    const char *plus = strchr(text, '+'), *coded = strstr(text, "%2b");
    if (!plus || (coded && coded < plus))
        plus = coded;
    size_t n = plus ? (size_t)(plus - text) : strlen(text);
    str_copy(version, n + 1 < sizeof version ? n + 1 : sizeof version, text);
    say(s, s->version, sizeof s->version, version);
    if (plus)
        set_local(s, plus + (*plus == '+' ? 1 : 3));
}

static void set_package(struct stack_spec *s, const char *name)
{
    if (strcmp(name, "pytorch") == 0) {
        s->conda = s->conda || !s->pip; /* pip's name for it is torch */
        name = "torch";
    }
    char plain[sizeof s->package];
    str_copy(plain, sizeof plain, name);
    for (char *p = plain; *p; p++)
        *p = *p == '_' ? '-' : *p;
    say(s, s->package, sizeof s->package, plain);
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
    say_os(s, strncmp(platform, "win", 3) == 0 ? ARCH_WINDOWS : ARCH_LINUX);
    s->index_wheel = strncmp(platform, "linux", 5) == 0;
    s->foreign = strncmp(platform, "macosx", 6) == 0 || strstr(platform, "aarch64") ||
                 strstr(platform, "win32") || strstr(platform, "arm");
}

/* "https://download.pytorch.org/whl/cu100/torch-1.1.0-...": the folder is the CUDA. */
static void take_folder(struct stack_spec *s, const char *text)
{
    const char *folder = strstr(text, "/whl/");
    if (folder && strncmp(folder + 5, "cpu/", 4) == 0)
        s->cpu = true;
    else if (folder)
        take_cu(s, folder + 5);
}

/* "torch-1.12.1+cu102-cp38-cp38-win_amd64.whl"; of the path before it only that folder counts. */
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
        say_python(s, major, minor);
    set_platform(s, part[count - 1]);
    take_folder(s, text);
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
        take_cuda(s, version);
        return true;
    }
    s->conda = strcmp(name, "pytorch") == 0;
    set_package(s, name);
    say(s, s->version, sizeof s->version, version);
    const char *cuda = strstr(colon, "-cuda"), *cudnn = strstr(colon, "-cudnn");
    if (cuda)
        take_cuda(s, cuda + 5);
    if (cudnn) {
        n = strspn(cudnn + 6, "0123456789.");
        str_copy(version, n + 1 < sizeof version ? n + 1 : sizeof version, cudnn + 6);
        say(s, s->cudnn, sizeof s->cudnn, version);
    }
    say_os(s, ARCH_LINUX);
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
            return take_cuda(s, value);
        }
    for (size_t i = 0; driver[i]; i++)
        if (strcmp(name, driver[i]) == 0)
            return say_driver(s, value);
    if (strcmp(name, "python") == 0 || strcmp(name, "py") == 0) {
        unsigned major, minor;
        if (sscanf(value, "%1u.%2u", &major, &minor) != 2)
            return false;
        say_python(s, major, minor);
        return true;
    }
    if (strcmp(name, "cudnn") == 0) {
        say(s, s->cudnn, sizeof s->cudnn, value);
        return *value != 0;
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
    if (take_cu(s, word))
        return true;
    if (sscanf(word, "py%1u%2u", &major, &minor) == 2 ||
        sscanf(word, "cp%1u%2u", &major, &minor) == 2) {
        say_python(s, major, minor);
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

/* What was understood is a question that the tables can answer. */
static int check_words(const char *text, const struct stack_spec *s, struct err *err)
{
    if (*s->contradiction)
        return err_set(err, ERR_USAGE, "'%.100s' says both %s; ask about one at a time", text,
                       s->contradiction);
    if (*s->package && !*s->version)
        return err_set(err, ERR_USAGE, "'%.100s' names no version of '%s'", text, s->package);
    if (!*s->package && !*s->cuda && !*s->cudnn && !version_known(s->driver))
        return err_set(err, ERR_USAGE, "'%.100s' names a Python alone, and no package", text);
    return 0;
}

int stack_spec_parse(const char *text, struct stack_spec *s, struct err *err)
{
    *s = (struct stack_spec){ .belief = -1 };
    if (take_cards(s, text))
        return 0;
    if (take_words(s, text))
        return check_words(text, s, err);
    s->belief = find_belief(text);
    if (s->belief >= 0)
        return 0;
    return err_set(err, ERR_USAGE,
                   "'%.100s' is understood as no package, wheel, image, driver or CUDA", text);
}
