/* The gate between forks and locks that are not ours.
 *
 * The Swift runtime has locks of its own, e.g. for the metadata of generic types and the first use of a global. A
 * child forked while another thread holds one would wait for it forever. In the shared library every such lock
 * passes this gate (see shim_runtime.c): a fork waits briefly until no thread is inside, and a thread that wants in
 * waits until the fork is over. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Nest as the locks do; each thread by itself. Only the outermost of a thread waits. */
void shim_gate_enter(void);
void shim_gate_leave(void);

/* How many threads are inside. */
uint32_t shim_gate_inside(void);
/* Whether a fork is under way. */
bool shim_gate_is_closed(void);
