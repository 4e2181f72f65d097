#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void shim_locks_prepare(void);
void shim_locks_parent(void);
void shim_locks_child(void);

/* Orders what this thread has written before what it reads next, for threads that read and write the other way round and
 * wait for no barrier of their own. */
void shim_reader_barrier(void);
/* Whether another thread than the caller has an inline lock, or waits for one. */
bool shim_reader_others_lock(void);

/* From now on no thread gets its first inline lock. False if others have some after so long; they stay closed. */
bool shim_inline_locks_close(uint32_t patience_us);
void shim_inline_locks_open(void);

/* The lock itself, which no fork knows of. */
void shim_word_lock(uint32_t *word);
void shim_word_unlock(uint32_t *word);

enum { GATE_PAUSE_US = 50 };
void shim_gate_rest(void);
/* Lets no thread in any more. False if others than the caller are still inside after so long; it stays closed. */
bool shim_gate_close(uint32_t patience_us);
void shim_gate_open(void);
void shim_gate_after_fork(bool is_child);

/* What the linker calls the wrapped functions; absent where nothing is wrapped. */
extern int __real_pthread_mutex_lock(pthread_mutex_t *mutex) __attribute__((weak));
extern int __real_pthread_mutex_unlock(pthread_mutex_t *mutex) __attribute__((weak));

static inline int shim_mutex_lock(pthread_mutex_t *mutex) {
  return __real_pthread_mutex_lock ? __real_pthread_mutex_lock(mutex) : pthread_mutex_lock(mutex);
}

static inline int shim_mutex_unlock(pthread_mutex_t *mutex) {
  return __real_pthread_mutex_unlock ? __real_pthread_mutex_unlock(mutex) : pthread_mutex_unlock(mutex);
}
