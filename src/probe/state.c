#include "probe/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/cards.h"
#include "arch/facts.h"
#include "core/os.h"
#include "core/str.h"

enum {
    PARTS_DIFFER = 803,
    COMPAT = 804,
    SMALL_FILE = 65536,
    LOG_FILE = 8 << 20,
};

const char *state_text_id(enum state_cause cause)
{
    static const char *const ids[STATE_CAUSE_COUNT] = {
        [STATE_FINE] = "state.fine",
        [STATE_NO_CARD] = "state.no_card",
        [STATE_NOUVEAU] = "state.nouveau",
        [STATE_NO_DRIVER] = "state.no_driver",
        [STATE_NO_MODULE] = "state.no_module",
        [STATE_NO_LIBRARY] = "state.no_library",
        [STATE_BROKEN_LIBRARY] = "state.broken_library",
        [STATE_NO_NODES] = "state.no_nodes",
        [STATE_NO_PERMISSION] = "state.no_permission",
        [STATE_DRIVER_DROPPED] = "state.driver_dropped",
        [STATE_DRIVER_TOO_OLD] = "state.driver_too_old",
        [STATE_PARTS_DIFFER] = "state.parts_differ",
        [STATE_COMPAT] = "state.compat",
        [STATE_HIDDEN] = "state.hidden",
        [STATE_WSL_NO_LIBRARY] = "state.wsl_no_library",
        [STATE_WSL_SHADOWED] = "state.wsl_shadowed",
        [STATE_SOME_NOT_COUNTED] = "state.some_not_counted",
        [STATE_OTHER] = "state.other",
    };
    return ids[cause];
}

/* ---- what the system shows ------------------------------------------------------------------- */

/* A file's text below the root; false when it cannot be read. Free `text` in both cases. */
static bool read_text(const struct state_input *in, const char *path, size_t max, struct str *text)
{
    struct str full = STR_INIT;
    str_addf(&full, "%s%s", in->sysroot, path);
    bool ok = os_read_file(full.p, max, text, NULL) == 0;
    str_free(&full);
    return ok;
}

static void read_module(const struct state_input *in, struct state *state)
{
    struct str text = STR_INIT;
    if (in->module)
        str_copy(state->module, sizeof state->module, in->module);
    else if (read_text(in, "/sys/module/nvidia/version", SMALL_FILE, &text))
        snprintf(state->module, sizeof state->module, "%.*s", (int)strcspn(text.p, "\r\n "),
                 text.p);
    str_free(&text);
}

/* WSL's kernel says whose it is. */
static bool is_wsl(const struct state_input *in)
{
    struct str text = STR_INIT;
    bool found = read_text(in, "/proc/version", SMALL_FILE, &text) &&
                 (strcasestr(text.p, "microsoft") || strcasestr(text.p, "wsl"));
    str_free(&text);
    return found;
}

/* The line of a kernel log by which the module refuses a card: "NVRM: ... will ignore this GPU", or
 * the one before it, which names the branch to go back to. */
static bool find_line(const char *text, char *line, size_t size)
{
    for (const char *p = text; (p = strstr(p, "NVRM:")); p++) {
        size_t n = strcspn(p, "\r\n");
        char one[320];
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        if (strstr(one, "will ignore") || strcasestr(one, "legacy driver") ||
            strstr(one, "not supported by the")) {
            str_copy(line, size, one);
            return true;
        }
    }
    return false;
}

static bool find_in_log(const struct state_input *in, char *line, size_t size)
{
    static const char *const logs[] = { "/var/log/dmesg", "/var/log/kern.log", "/var/log/syslog",
                                        "/var/log/messages" };
    bool found = false;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0] && !found; i++) {
        struct str text = STR_INIT;
        found = read_text(in, logs[i], LOG_FILE, &text) && find_line(text.p, line, size);
        str_free(&text);
    }
    return found;
}

/* ---- the cards ------------------------------------------------------------------------------- */

static void describe_card(const struct state_card *on_bus, struct state *state)
{
    struct card card;
    bool known = cards_by_id(on_bus->device_id, &card);
    snprintf(state->card, sizeof state->card, "%.48s (10de:%04x, %.14s)",
             known ? card.name : "an NVIDIA card", on_bus->device_id, on_bus->slot);
}

/* Whether the module's branch is outside what the tables say knows the card. */
static bool judge_branch(const struct state_card *on_bus, enum arch_os os, struct state *state)
{
    struct card card;
    struct driver_version module;
    if (!version_parse(state->module, &module) || !cards_by_id(on_bus->device_id, &card) ||
        !card.cc)
        return false;
    const struct arch_facts *facts = facts_arch(card.cc);
    if (!facts)
        return false;
    struct driver_span span = facts_span(facts, os, card.notebook);
    const struct branch_facts *is = facts_branch(module, os), *last = facts_branch(span.last, os);
    char text[VERSION_TEXT_MAX];
    if (version_known(span.last) && is && last && is->branch > last->branch) {
        state->cause = STATE_DRIVER_DROPPED;
        str_copy(state->last, sizeof state->last, version_text(span.last, text));
        return true;
    }
    if (module.major < span.first.major) {
        state->cause = STATE_DRIVER_TOO_OLD;
        str_copy(state->last, sizeof state->last, version_text(span.first, text));
        return true;
    }
    return false;
}

/* The first card that the loaded module does not know; its own words are better evidence than ours.
 */
static bool find_unknown_card(const struct state_input *in, struct state *state)
{
    for (size_t i = 0; i < in->card_count; i++) {
        if (!judge_branch(&in->cards[i], in->os, state))
            continue;
        describe_card(&in->cards[i], state);
        if (!find_in_log(in, state->evidence, sizeof state->evidence))
            snprintf(state->evidence, sizeof state->evidence, "%s/sys/module/nvidia/version",
                     in->sysroot);
        return true;
    }
    return false;
}

static const struct state_card *held_by(const struct state_input *in, const char *driver)
{
    for (size_t i = 0; i < in->card_count; i++)
        if (strcmp(in->cards[i].driver, driver) == 0)
            return &in->cards[i];
    return NULL;
}

/* ---- the causes ------------------------------------------------------------------------------ */

static void conclude(struct state *state, enum state_cause cause, const char *evidence)
{
    state->cause = cause;
    str_copy(state->evidence, sizeof state->evidence, evidence ? evidence : "");
}

/* /dev/nvidiactl and the first card's node: there, and may they be opened? */
static bool judge_nodes(const struct state_input *in, struct state *state)
{
    static const char *const nodes[] = { "/dev/nvidiactl", "/dev/nvidia0" };
    if (in->module)
        return false; /* a machine that has no files */
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct str path = STR_INIT;
        str_addf(&path, "%s%s", in->sysroot, nodes[i]);
        bool there = access(path.p, F_OK) == 0, open = access(path.p, R_OK | W_OK) == 0;
        str_free(&path);
        if (there && open)
            continue;
        conclude(state, there ? STATE_NO_PERMISSION : STATE_NO_NODES, nodes[i]);
        return true;
    }
    return false;
}

static void judge_wsl(const struct state_input *in, struct state *state)
{
    static const char own[] = "/usr/lib/wsl/lib/libcuda.so.1";
    struct str path = STR_INIT;
    str_addf(&path, "%s%s", in->sysroot, own);
    bool there = access(path.p, F_OK) == 0;
    str_free(&path);
    if (!there)
        conclude(state, STATE_WSL_NO_LIBRARY, own);
    else if (in->driver != DRIVER_READY && in->library && !strstr(in->library, "/wsl/"))
        conclude(state, STATE_WSL_SHADOWED, in->library);
    else
        conclude(state, STATE_OTHER, in->message);
}

/* The library did not come up. */
static void judge_library(const struct state_input *in, struct state *state)
{
    bool module = *state->module != 0;
    if (in->driver == DRIVER_BROKEN)
        conclude(state, STATE_BROKEN_LIBRARY, in->message);
    else if (in->driver == DRIVER_NO_LIBRARY)
        conclude(state, module ? STATE_NO_LIBRARY : STATE_NO_DRIVER, in->message);
    else if (in->code == PARTS_DIFFER)
        conclude(state, STATE_PARTS_DIFFER, in->message);
    else if (in->code == COMPAT)
        conclude(state, STATE_COMPAT, in->library);
    else if (!module || !judge_nodes(in, state))
        conclude(state, STATE_OTHER, in->message);
}

/* The library is up and counts no device. */
static void judge_none(const struct state_input *in, struct state *state)
{
    if (find_unknown_card(in, state))
        return;
    if (!*state->module)
        conclude(state, STATE_NO_MODULE, "/sys/module/nvidia");
    else if (in->visible && held_by(in, "nvidia"))
        conclude(state, STATE_HIDDEN, in->visible);
    else if (!judge_nodes(in, state))
        conclude(state, STATE_OTHER, in->message);
}

static void judge_some(const struct state_input *in, struct state *state)
{
    if (in->device_count >= in->card_count || in->visible)
        return;
    if (!find_unknown_card(in, state))
        str_copy(state->evidence, sizeof state->evidence, "/sys/bus/pci/devices");
    state->cause = STATE_SOME_NOT_COUNTED;
}

void state_find(const struct state_input *in, struct state *state)
{
    *state = (struct state){ 0 };
    read_module(in, state);
    const struct state_card *nouveau = held_by(in, "nouveau");
    if (in->card_count)
        describe_card(nouveau ? nouveau : &in->cards[0], state);
    if (in->driver == DRIVER_READY && in->device_count)
        judge_some(in, state);
    else if (is_wsl(in))
        judge_wsl(in, state);
    else if (!in->card_count)
        conclude(state, STATE_NO_CARD, "/sys/bus/pci/devices");
    else if (nouveau && !*state->module)
        conclude(state, STATE_NOUVEAU, nouveau->slot);
    else if (in->driver == DRIVER_READY || in->driver == DRIVER_NO_DEVICE)
        judge_none(in, state);
    else
        judge_library(in, state);
}
