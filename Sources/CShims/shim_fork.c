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

/* Of jansson; absent where no JSON is linked. */
extern void json_object_seed(size_t seed) __attribute__((weak));

/* Runs when the library is loaded, before the first fork that could meet a use of it. What is done only once must not be
 * half done in a child, which waits for it for ever:
 * - these handlers, without which a fork waits for nothing: now.
 * - jansson draws the seed of its hashes for the first object, under a flag that others spin for: now.
 * - libcurl, and OpenSSL with it: set up before the first network thread starts, under that thread's lock, which a fork takes
 *   (CurlLibrary.swift).
 * - SQLite: at the first database, under a lock that a fork takes, as is every later call (SQLiteGate.swift). Not now: a host
 *   could not configure it any more.
 * - Swift's globals and metadata: pass the gate (shim_runtime.c).
 * - pthread_once (shim_reader.c): a child begins anew with what its parent had not finished.
 * - PCRE2, whose compiler to machine code is not used, expat and zlib: have nothing that is shared between their objects. */
__attribute__((constructor)) static void at_load(void) {
  pthread_atfork(before, in_parent, in_child);
  if (json_object_seed) json_object_seed(0);
}
