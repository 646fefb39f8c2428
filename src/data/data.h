/* The tables that are compiled in, parsed on first use and kept until the process ends.
 * One TSV file in src/data/ each; tables.S embeds them. What a column means is said in
 * src/data/README.md. */
#ifndef DATA_DATA_H
#define DATA_DATA_H

#include <stddef.h>

#include "core/table.h"

/* X(id, file stem) */
#define DATA_TABLES(X)      \
    X(ARCHS, archs)         \
    X(BELIEFS, beliefs)     \
    X(BUILDS, builds)       \
    X(CARDS, cards)         \
    X(CAUSES, causes)       \
    X(CODES, codes)         \
    X(DRIVERS, drivers)     \
    X(ERRORS, errors)       \
    X(FLOORS, floors)       \
    X(INSTALL, install)     \
    X(NETS, nets)           \
    X(OFFERS, offers)       \
    X(OVERHEADS, overheads) \
    X(PCI, pci)             \
    X(RELEASES, releases)   \
    X(REPRO, repro)         \
    X(ROLES, roles)         \
    X(TEXT, text)           \
    X(TOOLKITS, toolkits)

enum data_id {
#define X(id, file) DATA_##id,
    DATA_TABLES(X)
#undef X
        DATA_COUNT
};

/* Never NULL: a table that does not parse is a build fault; it aborts with the message (a unit test
 * parses all of them). */
const struct table *data_table(enum data_id id);

const char *data_name(enum data_id id);

#endif
