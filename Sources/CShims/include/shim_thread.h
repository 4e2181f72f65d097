/* Threads of the library's own. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts a detached thread that blocks all signals, so that the host's handlers never
 * run on it. Returns 0 or an errno value. */
int shim_thread_start(const char *_Nonnull name, size_t stack_bytes,
                      void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

/* True on a thread that shim_thread_start made. */
bool shim_thread_is_own(void);

/* Lets the host's code run on the calling thread, one that shim_thread_start made. */
void shim_thread_admit_host(void);

/* Between these, which nest, it may not run on the calling thread, whatever that is. */
void shim_thread_exclude_host(void);
void shim_thread_end_exclusion(void);

/* Whether the host's code may run on the calling thread: on the host's threads, and on those admitted. */
bool shim_thread_admits_host(void);

/* Bytes of the calling thread's stack below this call. 0 when the system does not tell.
 * Not cheap: on the main thread it reads the process's memory map. */
size_t shim_thread_stack_left(void);

/* The stripe that the calling thread tries first: 0 until contention made it choose another. The stripes belong to
 * the structure that offers them. */
extern __thread uint32_t shim_tls_place __attribute__((tls_model("initial-exec")));
static inline uint32_t shim_thread_place(void) { return shim_tls_place; }
static inline void shim_thread_set_place(uint32_t place) { shim_tls_place = place; }
