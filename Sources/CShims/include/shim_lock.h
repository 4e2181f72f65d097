/* Mutexes and condition variables that survive fork: no other thread is inside a critical section at the moment of the
 * fork, whichever of the two kinds guards it.
 *
 * Locks of long-lived objects are registered: the prepare handler takes all of them (trying, and backing off as a whole
 * when one is busy, so that no lock order is imposed on the callers); parent and child release them, and the child
 * makes its condition variables anew.
 *
 * Inline locks are a word in the object that they guard, for objects of which a host may have a hundred thousand.
 * They are in no list. A thread counts in its slot how many it has or waits for, the prepare handler waits until
 * every other thread's count is 0, and a thread that comes meanwhile waits for the end of the fork: its cost depends
 * on threads alone. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct shim_lock shim_lock;
typedef struct shim_condition shim_condition;

shim_lock *_Nonnull shim_lock_new(void);
void shim_lock_free(shim_lock *_Nonnull lock);
void shim_lock_lock(shim_lock *_Nonnull lock);
/* `deadline_ns` is on the monotonic clock. Returns false, without the lock, when it passed. */
bool shim_lock_lock_until(shim_lock *_Nonnull lock, int64_t deadline_ns);
bool shim_lock_try(shim_lock *_Nonnull lock);
void shim_lock_unlock(shim_lock *_Nonnull lock);
/* The number of registered locks. */
uint32_t shim_lock_count(void);

/* `word` is 0 at first, and whenever the lock is free. */
void shim_inline_lock(uint32_t *_Nonnull word);
void shim_inline_unlock(uint32_t *_Nonnull word);

shim_condition *_Nonnull shim_condition_new(void);
void shim_condition_free(shim_condition *_Nonnull condition);
void shim_condition_broadcast(shim_condition *_Nonnull condition);
/* Waits with `lock` held. `deadline_ns` is on the monotonic clock; INT64_MAX waits forever. Returns false when the
 * deadline passed. */
bool shim_condition_wait(shim_condition *_Nonnull condition, shim_lock *_Nonnull lock, int64_t deadline_ns);
