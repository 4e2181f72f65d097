/* Locks of one word; see shim_lock.h. The word is 0 when it is free, 1 when it is taken, 2 when a thread may sleep
 * for it (Drepper, "Futexes Are Tricky", 2011). */
#define _GNU_SOURCE
#include "shim_lock.h"
#include "shim_private.h"
#include "shim_reader.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE = 0, TAKEN = 1, AWAITED = 2 };

/* Whether a fork is under way: a thread that holds no inline lock yet gets none. */
static uint32_t is_closed = 0;

/* Counts the lock that the thread is about to take. Only a thread without one waits for the end of a fork: the fork waits
 * for the others. */
static void announce(void) {
  shim_slot *slot = shim_tls_slot ? shim_tls_slot : shim_slot_attach();
  uint32_t count = slot->inline_locks;
  if (count > 0) {
    __atomic_store_n(&slot->inline_locks, count + 1, __ATOMIC_RELAXED);
    return;
  }
  for (;;) {
    /* As a reader announces itself: the fork pays for the order of this store and the load, where the kernel helps. */
    if (__builtin_expect(shim_reader_asymmetric, 1)) {
      __atomic_store_n(&slot->inline_locks, 1, __ATOMIC_RELAXED);
      __asm__ volatile("" ::: "memory");
    } else {
      __atomic_exchange_n(&slot->inline_locks, 1, __ATOMIC_SEQ_CST);
    }
    if (__builtin_expect(!__atomic_load_n(&is_closed, __ATOMIC_SEQ_CST), 1)) return;
    __atomic_store_n(&slot->inline_locks, 0, __ATOMIC_RELEASE);
    while (__atomic_load_n(&is_closed, __ATOMIC_SEQ_CST)) shim_gate_rest();
  }
}

static void wait_for(uint32_t *word) {
  while (__atomic_exchange_n(word, AWAITED, __ATOMIC_ACQUIRE) != FREE) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, AWAITED, NULL, NULL, 0);
  }
}

void shim_word_lock(uint32_t *word) {
  uint32_t free_word = FREE;
  if (!__atomic_compare_exchange_n(word, &free_word, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) wait_for(word);
}

void shim_word_unlock(uint32_t *word) {
  uint32_t former = __atomic_exchange_n(word, FREE, __ATOMIC_RELEASE);
  /* The memory may have been reused by now; a thread that waits there wakes once for nothing. */
  if (former == AWAITED) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void shim_inline_lock(uint32_t *word) {
  announce();
  shim_word_lock(word);
}

void shim_inline_unlock(uint32_t *word) {
  shim_word_unlock(word);
  shim_slot *slot = shim_tls_slot;
  __atomic_store_n(&slot->inline_locks, slot->inline_locks - 1, __ATOMIC_RELEASE);
}

bool shim_inline_locks_close(uint32_t patience_us) {
  __atomic_store_n(&is_closed, 1, __ATOMIC_SEQ_CST);
  shim_reader_barrier();
  for (uint32_t waited = 0; shim_reader_others_lock(); waited += GATE_PAUSE_US) {
    if (waited >= patience_us) return false;
    shim_gate_rest();
  }
  return true;
}

void shim_inline_locks_open(void) { __atomic_store_n(&is_closed, 0, __ATOMIC_SEQ_CST); }
