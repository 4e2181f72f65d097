/* Mutexes and condition variables that survive fork.
 *
 * Every lock stands in one registry. The prepare handler takes all of them (trying,
 * and backing off as a whole when one is busy, so that no lock order is imposed on the
 * callers), hence no other thread is inside a critical section at the moment of the
 * fork; parent and child release them, and the child makes its condition variables anew. */
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

shim_condition *_Nonnull shim_condition_new(void);
void shim_condition_free(shim_condition *_Nonnull condition);
void shim_condition_broadcast(shim_condition *_Nonnull condition);
/* Waits with `lock` held. `deadline_ns` is on the monotonic clock; INT64_MAX waits for ever.
 * Returns false when the deadline passed. */
bool shim_condition_wait(shim_condition *_Nonnull condition, shim_lock *_Nonnull lock, int64_t deadline_ns);
