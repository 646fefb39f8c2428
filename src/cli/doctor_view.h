/* What the parts of the doctor command share: what was found, and its output as text and JSON. */
#ifndef CLI_DOCTOR_VIEW_H
#define CLI_DOCTOR_VIEW_H

#include <jansson.h>

#include "cli/cmd.h"
#include "cli/target.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"
#include "doctor/remark.h"

struct doctor_view {
    struct target_list targets;
    struct doctor doctor;
    struct findings findings;
    struct str error_text;  /* of --error, UTF-8 as far as it was text */
    bool error_cut;         /* of a larger one */
    const char *image_root; /* the packages are those of this tree, the cards are not; NULL */
    bool verbose;
};

/* Looks at machine, environments and folders. The caller has zeroed `v` but for image_root and
 * what doctor says of an image: partial, unread. -1 with err set; doctor_view_free after both. */
int doctor_view_open(struct doctor_view *v, const struct cmd_globals *globals,
                     const struct doctor_request *request, const char *error, struct err *err);
void doctor_view_free(struct doctor_view *v);

/* Says on stderr that of a text only EXPLAIN_BYTES_MAX were read. */
void doctor_view_note_cut(void);

/* The diagnosis, NULL when nothing is wrong. Findings that only say "might be slow" are none unless
 * an error text asks for them. */
const struct finding *doctor_view_diagnosis(const struct doctor_view *v);

/* A package that is worth a line: it has GPU code of its own, or says that it should. */
bool doctor_view_shows(const struct doctor_package *p);

/* Whether something was found that does not run. */
bool doctor_view_unfit(const struct doctor_view *v);

/* The sentence in the language of the user. */
void doctor_view_add(struct str *to, const struct remark *remark);

const char *doctor_view_cause_name(enum doctor_cause cause);    /* "arch_dropped" */
const char *doctor_view_cause_text_id(enum doctor_cause cause); /* "cause.arch_dropped" */

/* Writes what was looked at of the machine (bus, driver, variables) into a folder that --sysroot
 * reads, and beside it for people packages.json: the packages with GPU code, without verdicts. Names
 * of people in paths are left out. */
int doctor_snapshot_write(const struct doctor_view *v, const char *folder, struct err *err);

void doctor_text_print(const struct doctor_view *v);
void doctor_json_fill(json_t *doc, const struct doctor_view *v);

/* One package with its files; `d` NULL: without verdicts and without the folder that it is in. */
json_t *doctor_json_package(const struct doctor *d, const struct doctor_package *p);

#endif
