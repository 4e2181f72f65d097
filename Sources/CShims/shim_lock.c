#define _GNU_SOURCE /* pthread_mutex_clocklock */
#include "shim_lock.h"
#include "shim_private.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shim_lock {
  pthread_mutex_t mutex;
  struct shim_lock *next, **link;
  uint32_t forks; /* that wait for it; atomic */
  bool is_given_back;
};

struct shim_condition {
  pthread_cond_t condition;
  struct shim_condition *next, **link;
};

/* Guards the lists. No thread waits for another lock while holding it. */
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static shim_lock *locks;
static uint32_t lock_count;
static shim_condition *conditions;

/* On cache lines of its own: contention on one lock should not slow down its neighbour. */
static void *allocate(size_t bytes) {
  size_t line = 64, whole = (bytes + line - 1) / line * line;
  void *memory = aligned_alloc(line, whole);
  if (!memory) abort(); /* as the Swift runtime does when memory is gone */
  return memset(memory, 0, whole);
}

shim_lock *shim_lock_new(void) {
  shim_lock *lock = allocate(sizeof *lock);
  pthread_mutex_init(&lock->mutex, NULL);
  shim_mutex_lock(&registry);
  lock->next = locks;
  lock->link = &locks;
  if (locks) locks->link = &lock->next;
  locks = lock;
  lock_count++;
  shim_mutex_unlock(&registry);
  return lock;
}

/* With the registry held, and the lock free. */
static void leave_registry(shim_lock *lock) {
  *lock->link = lock->next;
  if (lock->next) lock->next->link = lock->link;
  lock_count--;
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void shim_lock_free(shim_lock *lock) {
  shim_mutex_lock(&registry);
  lock->is_given_back = true; /* the last fork that waits for it lets it go */
  if (lock->forks == 0) leave_registry(lock);
  shim_mutex_unlock(&registry);
}

uint32_t shim_lock_count(void) {
  shim_mutex_lock(&registry);
  uint32_t count = lock_count;
  shim_mutex_unlock(&registry);
  return count;
}

/* How often a thread makes way at most. */
enum { MOST_RESTS = 100 };

/* A fork that waits for the lock has it first: a thread that takes it again at once would keep it out. */
void shim_lock_lock(shim_lock *lock) {
  for (int rests = 0; rests < MOST_RESTS && __atomic_load_n(&lock->forks, __ATOMIC_RELAXED) > 0; rests++) shim_gate_rest();
  shim_mutex_lock(&lock->mutex);
}
bool shim_lock_try(shim_lock *lock) { return pthread_mutex_trylock(&lock->mutex) == 0; }

static struct timespec time_of(int64_t nanoseconds) {
  if (nanoseconds < 0) nanoseconds = 0;
  return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

bool shim_lock_lock_until(shim_lock *lock, int64_t deadline_ns) {
  if (shim_lock_try(lock)) return true;
  struct timespec at = time_of(deadline_ns);
  return pthread_mutex_clocklock(&lock->mutex, CLOCK_MONOTONIC, &at) == 0;
}

void shim_lock_unlock(shim_lock *lock) { shim_mutex_unlock(&lock->mutex); }

static void condition_init(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

shim_condition *shim_condition_new(void) {
  shim_condition *condition = allocate(sizeof *condition);
  condition_init(&condition->condition);
  shim_mutex_lock(&registry);
  condition->next = conditions;
  condition->link = &conditions;
  if (conditions) conditions->link = &condition->next;
  conditions = condition;
  shim_mutex_unlock(&registry);
  return condition;
}

void shim_condition_free(shim_condition *condition) {
  shim_mutex_lock(&registry);
  *condition->link = condition->next;
  if (condition->next) condition->next->link = condition->link;
  shim_mutex_unlock(&registry);
  pthread_cond_destroy(&condition->condition);
  free(condition);
}

void shim_condition_broadcast(shim_condition *condition) { pthread_cond_broadcast(&condition->condition); }

bool shim_condition_wait(shim_condition *condition, shim_lock *lock, int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) {
    pthread_cond_wait(&condition->condition, &lock->mutex);
    return true;
  }
  struct timespec at = time_of(deadline_ns);
  return pthread_cond_timedwait(&condition->condition, &lock->mutex, &at) == 0;
}

/* Takes every lock, beside `held`, which the caller has. On a busy one it gives everything back, `held` too, and names the
 * busy one. With the registry held. */
static shim_lock *take_all(shim_lock *held) {
  for (shim_lock *lock = locks; lock; lock = lock->next) {
    if (lock == held || pthread_mutex_trylock(&lock->mutex) == 0) continue;
    for (shim_lock *taken = locks; taken != lock; taken = taken->next) {
      if (taken != held) shim_mutex_unlock(&taken->mutex);
    }
    if (held) shim_mutex_unlock(&held->mutex);
    return lock;
  }
  return NULL;
}

/* Waits for a lock in turn, without the registry. Returns NULL when the lock is freed meanwhile. */
static shim_lock *wait_for(shim_lock *busy) {
  __atomic_fetch_add(&busy->forks, 1, __ATOMIC_RELAXED);
  shim_mutex_unlock(&registry);
  shim_mutex_lock(&busy->mutex);
  shim_mutex_lock(&registry);
  __atomic_fetch_sub(&busy->forks, 1, __ATOMIC_RELAXED);
  if (!busy->is_given_back || busy->forks > 0) return busy;
  shim_mutex_unlock(&busy->mutex);
  leave_registry(busy);
  return NULL;
}

void shim_locks_prepare(void) {
  shim_mutex_lock(&registry);
  shim_lock *held = NULL, *busy;
  while ((busy = take_all(held)) != NULL) held = wait_for(busy);
}

static void release_all(void) {
  for (shim_lock *lock = locks; lock; lock = lock->next) shim_mutex_unlock(&lock->mutex);
  shim_mutex_unlock(&registry);
}

void shim_locks_parent(void) { release_all(); }

void shim_locks_child(void) {
  for (shim_lock *lock = locks, *next; lock; lock = next) {
    next = lock->next;
    __atomic_store_n(&lock->forks, 0, __ATOMIC_RELAXED); /* those that waited do not exist here */
    if (!lock->is_given_back) continue;
    shim_mutex_unlock(&lock->mutex);
    leave_registry(lock);
  }
  for (shim_condition *condition = conditions; condition; condition = condition->next) {
    condition_init(&condition->condition); /* its waiters do not exist here */
  }
  release_all();
}
