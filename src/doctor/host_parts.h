/* Parts of host.c: what kind of machine it is, its toolkits, what its package manager offers. Used by host.c only. */
#ifndef DOCTOR_HOST_PARTS_H
#define DOCTOR_HOST_PARTS_H

#include "doctor/host.h"

void host_read_kind(struct host *host);
void host_read_toolkits(struct host *host);
void host_read_offers(struct host *host);

#endif
