/* Fork: how the parts of the library learn that they live in a child. */
#pragma once
#include <stdint.h>

/* Counts the forks between this process and the one that loaded the library.
 * A part that owns threads, sockets or connections stores the generation it made
 * them in, and rebuilds them when the number has moved on. */
extern uint32_t shim_fork_generation_value;

static inline uint32_t shim_fork_generation(void) {
  return __atomic_load_n(&shim_fork_generation_value, __ATOMIC_RELAXED);
}
