#include "shim_fork.h"
#include "shim_private.h"
#include "shim_reader.h"
#include <pthread.h>

uint32_t shim_fork_generation_value = 0;

static void before(void) {
  shim_locks_prepare();
  shim_gate_before_fork(); /* after our locks: nobody inside waits for one of them */
  shim_reader_before_fork(); /* last: its holder never waits for a lock */
}

static void in_parent(void) {
  shim_reader_after_fork(false);
  shim_gate_after_fork(false);
  shim_locks_parent();
}

static void in_child(void) {
  __atomic_fetch_add(&shim_fork_generation_value, 1, __ATOMIC_RELAXED);
  shim_reader_after_fork(true);
  shim_gate_after_fork(true);
  shim_locks_child();
}

static void install(void) { pthread_atfork(before, in_parent, in_child); }

void shim_fork_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}
