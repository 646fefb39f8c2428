/* One function a question: does the driver know the card, does the architecture fit, does the
 * driver take this PTX, this compression, this toolkit's SASS. Each answers with a rule of
 * rules.def. */
#include "arch/rules.h"

#include <stdint.h>
#include <string.h>

enum rule {
#define X(name, id, verdict, confidence, source) RULE_##name,
#include "arch/rules.def"
#undef X
    RULE_COUNT
};

static const struct arch_rule rules[RULE_COUNT] = {
#define X(name, id, verdict, confidence, source)                                                   \
    [RULE_##name] = { id, "rule." id, VERDICT_##verdict, confidence, source },
#include "arch/rules.def"
#undef X
};

/* The CUDA of the first driver that unpacks zstd, and that has met family-specific images. */
#define ZSTD_CUDA   1204
#define FAMILY_CUDA 1209

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_RUNS] = "runs",
        [VERDICT_RUNS_BY_JIT] = "runs_by_jit",
        [VERDICT_NO_IMAGE] = "no_image",
        [VERDICT_DRIVER_TOO_OLD] = "driver_too_old",
        [VERDICT_DRIVER_DROPPED_CARD] = "driver_dropped_card",
        [VERDICT_LIBRARY_FLOOR] = "library_floor",
        [VERDICT_UNCERTAIN] = "uncertain",
        [VERDICT_NO_GPU_CODE] = "no_gpu_code",
    };
    return names[verdict];
}

const struct arch_rule *arch_rules(size_t *count)
{
    *count = RULE_COUNT;
    return rules;
}

const struct arch_rule *arch_rule_find(const char *id)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (!strcmp(rules[i].id, id))
            return &rules[i];
    return NULL;
}

/* ---- the target ---- */

/* A target with everything looked up. `branch` is NULL when nothing says what the driver knows. On
 * Tegra a branch stands for the desktop driver of the same CUDA. */
struct place {
    const struct arch_facts *arch;
    struct driver_span span;
    struct driver_version driver;
    const struct branch_facts *branch, *last; /* last: NULL while new drivers support the card */
    enum arch_os os;
    bool assumed; /* the target named no driver */
};

/* The newest driver that the card can have. */
static void assume_driver(struct place *p)
{
    p->assumed = true;
    p->branch = p->last ? p->last : facts_newest(p->os);
    p->driver = p->branch->first;
}

static bool place_find(struct place *p, const struct arch_target *target)
{
    *p = (struct place){ .os = target->os, .driver = target->driver };
    p->arch = facts_arch(target->cc);
    if (!p->arch)
        return false;
    p->span = facts_span(p->arch, target->os, target->notebook);
    if (version_known(p->span.last))
        p->last = facts_branch(p->span.last, target->os);
    else if (p->arch->class == ARCH_TEGRA && p->arch->max_cuda)
        p->last = facts_branch_for_cuda(p->arch->max_cuda, target->os);
    if (version_known(target->driver))
        p->branch = facts_branch(target->driver, target->os);
    else
        assume_driver(p);
    return true;
}

static bool past_last(const struct place *p, const struct branch_facts *branch)
{
    return p->last && (!branch || branch->branch > p->last->branch);
}

/* ---- answers ---- */

static struct arch_verdict answer(enum rule rule)
{
    const struct arch_rule *r = &rules[rule];
    return (struct arch_verdict){
        .verdict = r->verdict, .rule = r->id, .text = r->text, .confidence = r->confidence
    };
}

static struct arch_verdict with_code(struct arch_verdict v, int code)
{
    for (size_t i = 0; i < v.code_count; i++)
        if (v.codes[i] == code)
            return v;
    if (v.code_count < ARCH_CODES_MAX)
        v.codes[v.code_count++] = code;
    return v;
}

static bool usable(struct arch_verdict v)
{
    return v.verdict == VERDICT_RUNS || v.verdict == VERDICT_RUNS_BY_JIT;
}

/* A driver that the table has not met yet may know more than its newest row. */
static bool beyond_table(const struct place *p)
{
    const struct branch_facts *newest = facts_newest(p->os);
    return p->branch == newest && p->driver.major > newest->branch;
}

/* A driver from `needed` on would do: too old, or never if the card's last driver is before it.
 * Tegra drivers are numbered apart from the desktop's, so no version is named there. */
static struct arch_verdict needs_driver(const struct place *p, const struct branch_facts *needed,
                                        enum rule too_old, enum rule never)
{
    if (past_last(p, needed))
        return answer(never);
    if (p->arch->class == ARCH_TEGRA || beyond_table(p))
        return answer(RULE_DRIVER_LEVEL_UNKNOWN);
    struct arch_verdict v = answer(too_old);
    if (needed)
        v.least_driver = needed->first;
    return v;
}

/* ---- does the driver know the card ---- */

static bool knows_card(const struct place *p, struct arch_verdict *v)
{
    if (p->arch->class == ARCH_TEGRA)
        return true; /* the driver is part of the board's system */
    if (p->branch && past_last(p, p->branch)) {
        *v = with_code(answer(RULE_DRIVER_TOO_NEW), 100);
        return false;
    }
    if (!p->assumed && p->driver.major < p->span.first.major) {
        *v = with_code(answer(RULE_DRIVER_BEFORE_CARD), 100);
        v->least_driver = p->span.first;
        return false;
    }
    return true;
}

/* ---- does the architecture fit ---- */

static enum rule fit_family(const struct arch_image *image, const struct arch_facts *card,
                            enum rule yes, enum rule no)
{
    const struct arch_facts *of = facts_arch(image->arch);
    bool same = of && of->family && of->family == card->family && of->cc <= card->cc;
    return same ? yes : no;
}

static enum rule fit_plain_cubin(unsigned arch, const struct arch_facts *card)
{
    const struct arch_facts *of = facts_arch(arch);
    if ((of && of->class == ARCH_TEGRA) || card->class == ARCH_TEGRA)
        return RULE_CUBIN_TEGRA;
    if (arch / 10 != card->cc / 10)
        return RULE_CUBIN_OTHER_MAJOR;
    if (arch > card->cc)
        return RULE_CUBIN_MINOR_ABOVE;
    if (!of || of->class == ARCH_CLASS_UNKNOWN || card->class == ARCH_CLASS_UNKNOWN)
        return RULE_CUBIN_CLASS_UNKNOWN;
    return RULE_CUBIN_SAME_MAJOR;
}

static enum rule fit_cubin(const struct arch_image *image, const struct arch_facts *card)
{
    unsigned arch = facts_canonical(image->arch);
    if (arch == card->cc)
        return image->arch == arch ? RULE_CUBIN_EXACT : RULE_CUBIN_RENAMED;
    if (image->suffix == 'a')
        return RULE_CUBIN_A_OTHER;
    if (image->suffix == 'f')
        return fit_family(image, card, RULE_CUBIN_FAMILY, RULE_CUBIN_F_OTHER);
    return fit_plain_cubin(arch, card);
}

static enum rule fit_ptx(const struct arch_image *image, const struct arch_facts *card)
{
    unsigned arch = facts_canonical(image->arch);
    if (image->suffix == 'a')
        return arch == card->cc ? RULE_PTX_RUNS : RULE_PTX_A_OTHER;
    if (image->suffix == 'f')
        return fit_family(image, card, RULE_PTX_RUNS, RULE_PTX_F_OTHER);
    /* plain PTX goes by the number as written: ptxas takes sm_101 for sm_103 */
    bool takes = arch == card->cc || image->arch <= card->cc;
    return takes ? RULE_PTX_RUNS : RULE_PTX_TARGET_ABOVE;
}

static enum rule fit(const struct arch_image *image, const struct arch_facts *card)
{
    if (image->kind == ARCH_LTO)
        return RULE_LTO;
    if (image->kind == ARCH_OTHER)
        return RULE_KIND_UNKNOWN;
    if (!image->arch)
        return RULE_ARCH_UNKNOWN;
    return image->kind == ARCH_CUBIN ? fit_cubin(image, card) : fit_ptx(image, card);
}

/* ---- does the driver take it ---- */

/* PTX newer than the driver has a code of its own, 222, from some driver of CUDA 11.0 on: 450.80.02
 * has it (hashcat#2626), what came with CUDA 10.2 has not (rust-cuda#34). Before, it counts as
 * broken. */
static struct arch_verdict with_new_ptx_code(struct arch_verdict v, const struct place *p)
{
    struct driver_version d = p->driver;
    bool has = d.major > 450 || (d.major == 450 && (!d.minor || d.minor >= 80));
    if (!has)
        v = with_code(v, 218);
    return d.major >= 445 ? with_code(v, 222) : v;
}

static unsigned isa_of(const struct arch_image *image)
{
    return facts_level(image->ptx_major, image->ptx_minor);
}

static struct arch_verdict judge_isa(const struct arch_image *image, const struct place *p)
{
    unsigned isa = isa_of(image);
    if (!isa)
        return answer(RULE_PTX_ISA_UNKNOWN);
    if (!p->branch || !p->branch->isa)
        return with_new_ptx_code(answer(RULE_DRIVER_LEVEL_UNKNOWN), p);
    if (isa <= p->branch->isa)
        return with_code(answer(RULE_PTX_RUNS), 0);
    struct arch_verdict v = needs_driver(p, facts_branch_for_isa(isa, p->os),
                                         RULE_PTX_ISA_ABOVE_DRIVER, RULE_PTX_ISA_ABOVE_LAST);
    return with_new_ptx_code(v, p);
}

static bool takes_zstd(const struct place *p, struct arch_verdict *v)
{
    const struct branch_facts *needed = facts_branch_for_cuda(ZSTD_CUDA, p->os);
    /* "550" alone is not known to be older than 550.54 */
    bool unnamed = p->driver.major == needed->branch && !p->driver.minor;
    if (!p->branch || unnamed || version_compare(p->driver, needed->first) >= 0)
        return true;
    *v = with_code(needs_driver(p, needed, RULE_ZSTD_DRIVER, RULE_ZSTD_LAST), 200);
    return false;
}

/* Which rule speaks against this toolkit's SASS, and the CUDA level that it would take; false:
 * none. From CUDA 11 on a driver takes the SASS of every minor version of its own major one. */
static bool toolkit_rule(const struct arch_image *image, const struct place *p, enum rule *rule,
                         unsigned *needed)
{
    unsigned major = image->toolkit_major, driver_major = p->branch->cuda / 100;
    unsigned level = facts_level(major, image->toolkit_minor);
    *needed = facts_level(major, 0);
    if (image->suffix == 'f' && p->branch->cuda < FAMILY_CUDA) {
        *rule = RULE_CUBIN_FAMILY_DRIVER;
        *needed = FAMILY_CUDA;
        return true;
    }
    if (major == driver_major && major < 11 && level > p->branch->cuda) {
        *rule = RULE_CUBIN_TOOLKIT_MINOR;
        *needed = level;
        return true;
    }
    *rule = major == 12 && driver_major == 11 ? RULE_CUBIN_TOOLKIT_12 : RULE_CUBIN_TOOLKIT_MAJOR;
    return major > driver_major;
}

static struct arch_verdict judge_toolkit(const struct arch_image *image, const struct place *p,
                                         struct arch_verdict fits)
{
    enum rule rule;
    unsigned needed;
    if (!p->branch || !p->branch->cuda || p->arch->class == ARCH_TEGRA ||
        !toolkit_rule(image, p, &rule, &needed))
        return fits;
    const struct branch_facts *branch = facts_branch_for_cuda(needed, p->os);
    bool never = past_last(p, branch);
    if (never && rule == RULE_CUBIN_TOOLKIT_12)
        rule = RULE_CUBIN_TOOLKIT_12_LAST;
    struct arch_verdict v = with_code(answer(rule), 200);
    if (rule == RULE_CUBIN_FAMILY_DRIVER)
        v = with_code(v, 209);
    if (branch && !never)
        v.least_driver = branch->first;
    return v;
}

/* ---- one image ---- */

/* K1 and X1: 200 was seen for a desktop's SASS (nervanagpu#22); Orin, Xavier and Thor give 209. */
#define LAST_TEGRA_WITH_200 53

/* The driver looks at .version before .target (LuxCore#490); a target above the card is 218 in all
 * reports of this decade, 209 in one of 2016 (GPUEnabler#27). */
static struct arch_verdict misfit_bare_ptx(const struct arch_image *image, const struct place *p,
                                           struct arch_verdict v)
{
    unsigned isa = isa_of(image);
    if (isa && p->branch && isa > p->branch->isa)
        return with_new_ptx_code(v, p);
    v = with_code(v, 218);
    return p->driver.major < 445 ? with_code(v, 209) : v;
}

/* The codes of an image whose architecture does not fit. */
static struct arch_verdict misfit(const struct arch_image *image, const struct place *p,
                                  enum rule rule, enum arch_path path)
{
    struct arch_verdict v = answer(rule);
    if (path != ARCH_CONTAINER && image->kind == ARCH_PTX)
        return misfit_bare_ptx(image, p, v);
    bool may_be_200 =
        path != ARCH_CONTAINER || (rule == RULE_CUBIN_TEGRA && p->arch->class == ARCH_TEGRA &&
                                   p->arch->cc <= LAST_TEGRA_WITH_200);
    v = with_code(v, 209);
    return may_be_200 ? with_code(v, 200) : v;
}

static struct arch_verdict judge_image(const struct arch_image *image, const struct place *p,
                                       enum arch_path path)
{
    enum rule rule = fit(image, p->arch);
    if (rules[rule].verdict == VERDICT_NO_IMAGE)
        return misfit(image, p, rule, path);
    if (rules[rule].verdict == VERDICT_UNCERTAIN || rules[rule].verdict == VERDICT_NO_GPU_CODE)
        return answer(rule);
    struct arch_verdict v;
    if (image->zstd && path == ARCH_CONTAINER && !takes_zstd(p, &v))
        return v;
    if (image->kind == ARCH_PTX)
        return judge_isa(image, p);
    return judge_toolkit(image, p, with_code(answer(rule), 0));
}

struct arch_verdict arch_judge(const struct arch_image *image, const struct arch_target *target,
                               enum arch_path path)
{
    if (image->kind == ARCH_LTO)
        return with_code(with_code(answer(RULE_LTO), 200), 209);
    struct place p;
    if (!place_find(&p, target))
        return answer(RULE_CARD_UNKNOWN);
    struct arch_verdict v;
    return knows_card(&p, &v) ? judge_image(image, &p, path) : v;
}

/* ---- a container ---- */

/* How much a driver would like this image: 0 not at all. SASS before PTX, the card's own before
 * lower ones, a specific form before the plain one of the same number. */
static unsigned preference(const struct arch_image *image, const struct arch_facts *card)
{
    enum verdict verdict = rules[fit(image, card)].verdict;
    unsigned specific = image->suffix == 'a' ? 2 : image->suffix == 'f' ? 1 : 0;
    unsigned score = image->arch * 4 + specific + 1;
    if (verdict == VERDICT_RUNS)
        return 200000 + score;
    if (verdict == VERDICT_RUNS_BY_JIT)
        return 100000 + score;
    return verdict == VERDICT_UNCERTAIN ? score : 0;
}

static size_t choose(const struct arch_image *images, size_t count, const struct arch_facts *card)
{
    size_t best = SIZE_MAX;
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned score = preference(&images[i], card);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

/* Why nothing fits: of all images' rules the one that says most. */
static struct arch_verdict nothing_fits(const struct arch_image *images, size_t count,
                                        const struct place *p)
{
    static const enum rule order[] = {
        RULE_CUBIN_MINOR_ABOVE, RULE_CUBIN_TEGRA, RULE_CUBIN_A_OTHER,    RULE_PTX_A_OTHER,
        RULE_CUBIN_F_OTHER,     RULE_PTX_F_OTHER, RULE_PTX_TARGET_ABOVE, RULE_CUBIN_OTHER_MAJOR,
    };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count; i++)
            if (fit(&images[i], p->arch) == order[k])
                return misfit(&images[i], p, order[k], ARCH_CONTAINER);
    return answer(RULE_LTO);
}

static bool another_loads(const struct arch_image *images, size_t count, size_t chosen,
                          const struct place *p)
{
    for (size_t i = 0; i < count; i++)
        if (i != chosen && usable(judge_image(&images[i], p, ARCH_CONTAINER)))
            return true;
    return false;
}

static struct arch_verdict judge_container(const struct arch_image *images, size_t count,
                                           const struct place *p, size_t *chosen)
{
    *chosen = choose(images, count, p->arch);
    if (*chosen == SIZE_MAX)
        return nothing_fits(images, count, p);
    struct arch_verdict v = judge_image(&images[*chosen], p, ARCH_CONTAINER);
    if (usable(v) || v.verdict == VERDICT_UNCERTAIN || !another_loads(images, count, *chosen, p))
        return v;
    struct arch_verdict unknown = answer(RULE_FALLBACK_UNKNOWN);
    for (size_t i = 0; i < v.code_count; i++)
        unknown = with_code(unknown, v.codes[i]);
    unknown.least_driver = v.least_driver;
    return unknown;
}

static bool has_gpu_code(const struct arch_image *images, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (images[i].kind != ARCH_LTO)
            return true;
    return false;
}

struct arch_verdict arch_judge_container(const struct arch_image *images, size_t count,
                                         const struct arch_target *target, size_t *chosen)
{
    size_t ignored;
    if (!chosen)
        chosen = &ignored;
    *chosen = SIZE_MAX;
    if (!has_gpu_code(images, count))
        return with_code(with_code(answer(count ? RULE_LTO : RULE_EMPTY), 200), 209);
    struct place p;
    if (!place_find(&p, target))
        return answer(RULE_CARD_UNKNOWN);
    struct arch_verdict v;
    return knows_card(&p, &v) ? judge_container(images, count, &p, chosen) : v;
}

/* ---- the runtime library ---- */

struct arch_verdict arch_judge_runtime(unsigned major, unsigned minor,
                                       const struct arch_target *target)
{
    struct place p;
    if (!place_find(&p, target))
        return answer(RULE_CARD_UNKNOWN);
    /* from 11.0 on one floor for the whole major version */
    unsigned floor = facts_level(major, major >= 11 ? 0 : minor);
    if (p.branch && p.branch->cuda < floor && p.arch->class != ARCH_TEGRA) {
        const struct branch_facts *needed = facts_branch_for_cuda(floor, p.os);
        return with_code(needs_driver(&p, needed, RULE_RUNTIME_FLOOR, RULE_RUNTIME_ABOVE_LAST), 35);
    }
    struct arch_verdict v;
    return knows_card(&p, &v) ? with_code(answer(RULE_RUNTIME_OK), 0) : v;
}
