/* The processor that this process may use. */
#ifndef CORE_OS_CPU_H
#define CORE_OS_CPU_H

/* Physical cores among the processors that the process may run on, at most as many as its control group
 * lets it use at a time; at least 1. */
unsigned os_cpu_cores(void);

/* Processors that it may run on: two a core with simultaneous multithreading. */
unsigned os_cpu_threads(void);

/* Waits until the process's other threads use no processor, for `limit_ms` at most. Libraries let their
 * threads spin after a call in case another one comes: OpenBLAS for 2^26 cycles, OpenMP for a few
 * milliseconds, on cores that another library is then timed on. */
void os_cpu_quiet(unsigned limit_ms);

#endif
