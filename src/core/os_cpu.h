/* The processor that this process may use. */
#ifndef CORE_OS_CPU_H
#define CORE_OS_CPU_H

/* Physical cores among the processors that the process may run on, at most as many as its control group
 * lets it use at a time; at least 1. */
unsigned os_cpu_cores(void);

/* Processors that it may run on: two a core with simultaneous multithreading. */
unsigned os_cpu_threads(void);

#endif
