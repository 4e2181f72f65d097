#include "shim_fork.h"
#include "shim_private.h"
#include "shim_reader.h"
#include <pthread.h>

uint32_t shim_fork_generation_value = 0;

/* What a fork waits at most for those inside the gate: they may themselves wait for something that we do not see. */
enum { LONGEST_WAIT_US = 500000, PATIENCE_US = 1000 };

/* Registered locks, inline locks and the gate, together: a thread that has some of them may wait for others. So none
 * are held while others cannot be taken. */
static void take_locks_and_gate(void) {
  for (uint32_t waited = 0; ; waited += PATIENCE_US) {
    shim_locks_prepare();
    if (shim_inline_locks_close(PATIENCE_US)) {
      if (shim_gate_close(PATIENCE_US) || waited >= LONGEST_WAIT_US) return;
      shim_gate_open();
    }
    shim_inline_locks_open();
    shim_locks_parent();
    shim_gate_rest();
  }
}

static void before(void) {
  take_locks_and_gate();
  shim_reader_before_fork(); /* last: its holder never waits for a lock */
}

static void in_parent(void) {
  shim_reader_after_fork(false);
  shim_gate_after_fork(false);
  shim_inline_locks_open();
  shim_locks_parent();
}

static void in_child(void) {
  __atomic_fetch_add(&shim_fork_generation_value, 1, __ATOMIC_RELAXED);
  shim_reader_after_fork(true);
  shim_gate_after_fork(true);
  shim_inline_locks_open();
  shim_locks_child();
}

static void install(void) { pthread_atfork(before, in_parent, in_child); }

void shim_fork_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}
