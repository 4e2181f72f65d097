#define _GNU_SOURCE
#include "shim_reader.h"
#include "shim_private.h"
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHIM_NO_MEMBARRIER 1 /* the sanitizer sees atomics, not barriers of the kernel */
#endif
#endif

__thread shim_slot *shim_tls_slot __attribute__((tls_model("initial-exec")));
uint64_t shim_epoch = 1;
bool shim_reader_asymmetric = false;

/* Two cache lines: adjacent ones are fetched together. */
#define SLOT_ALIGNMENT 128u
#define SLOT_BYTES ((sizeof(shim_slot) + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT)

static shim_slot *slots; /* push-only: a slot is reused, never freed */
static pthread_key_t thread_end;

static void give_back(void *raw) {
  shim_slot *slot = raw;
  slot->depth = 0;
  __atomic_store_n(&slot->inline_locks, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->epoch, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
  shim_tls_slot = NULL;
}

static void set_up(void) {
  pthread_key_create(&thread_end, give_back);
#ifndef SHIM_NO_MEMBARRIER
  long offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (offered > 0 && (offered & MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {
    shim_reader_asymmetric = true;
  }
#endif
}

static shim_slot *claim_free_slot(void) {
  for (shim_slot *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE); slot; slot = slot->next) {
    uint32_t free_mark = 0;
    if (__atomic_compare_exchange_n(&slot->owned, &free_mark, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return slot;
  }
  return NULL;
}

static void seed(shim_slot *slot) {
  if (getrandom(&slot->random, sizeof slot->random, GRND_NONBLOCK) != sizeof slot->random) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    slot->random = (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)slot;
  }
}

shim_slot *shim_slot_attach(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_up);
  shim_slot *slot = claim_free_slot();
  if (!slot) {
    slot = aligned_alloc(SLOT_ALIGNMENT, SLOT_BYTES);
    if (!slot) abort(); /* as the Swift runtime does when memory is gone */
    memset(slot, 0, SLOT_BYTES);
    slot->owned = 1;
    shim_slot *head = __atomic_load_n(&slots, __ATOMIC_RELAXED);
    do slot->next = head;
    while (!__atomic_compare_exchange_n(&slots, &head, slot, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  }
  seed(slot);
  pthread_setspecific(thread_end, slot);
  shim_tls_slot = slot;
  return slot;
}

void shim_reader_barrier(void) {
  if (shim_reader_asymmetric) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

uint64_t shim_epoch_advance(void) {
  uint64_t epoch = __atomic_add_fetch(&shim_epoch, 1, __ATOMIC_SEQ_CST);
  shim_reader_barrier();
  return epoch;
}

bool shim_epoch_quiescent(uint64_t epoch) {
  for (shim_slot *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE); slot; slot = slot->next) {
    uint64_t seen = __atomic_load_n(&slot->epoch, __ATOMIC_SEQ_CST);
    if (seen != 0 && seen < epoch) return false;
  }
  return true;
}

bool shim_reader_others_lock(void) {
  for (shim_slot *slot = __atomic_load_n(&slots, __ATOMIC_SEQ_CST); slot; slot = slot->next) {
    if (slot != shim_tls_slot && __atomic_load_n(&slot->inline_locks, __ATOMIC_SEQ_CST) != 0) return true;
  }
  return false;
}

uint32_t *shim_cells_find(shim_slot *slot, uint64_t snapshot_id, shim_cells **list, uint32_t count) {
  shim_cells *block = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  while (block && block->owner != slot) block = block->next;
  if (!block) {
    block = calloc(1, sizeof *block + 2 * sizeof(uint32_t) * (size_t)count);
    if (!block) return NULL;
    block->owner = slot;
    block->count = count;
    block->cells = (uint32_t *)(block + 1);
    block->drained = block->cells + count;
    shim_cells *head = __atomic_load_n(list, __ATOMIC_RELAXED);
    do block->next = head;
    while (!__atomic_compare_exchange_n(list, &head, block, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  }
  uint32_t at = (uint32_t)snapshot_id & (SHIM_CELL_CACHE - 1);
  slot->cache[at].snapshot_id = snapshot_id;
  slot->cache[at].cells = block->cells;
  return block->cells;
}

void shim_cells_free(shim_cells *list) {
  while (list) {
    shim_cells *next = list->next;
    free(list);
    list = next;
  }
}

static pthread_mutex_t hots_guard = PTHREAD_MUTEX_INITIALIZER;
static shim_hot *hots;

shim_hot *shim_hot_new(uint64_t magic, void *object) {
  shim_hot *hot = calloc(1, sizeof *hot);
  if (!hot) return NULL;
  hot->magic = magic;
  hot->object = object;
  shim_mutex_lock(&hots_guard);
  hot->next = hots;
  hot->link = &hots;
  if (hots) hots->link = &hot->next;
  hots = hot;
  shim_mutex_unlock(&hots_guard);
  return hot;
}

void shim_hot_free(shim_hot *hot) {
  shim_mutex_lock(&hots_guard);
  *hot->link = hot->next;
  if (hot->next) hot->next->link = hot->link;
  shim_mutex_unlock(&hots_guard);
  hot->magic = 0;
  free(hot);
}

void shim_reader_before_fork(void) { shim_mutex_lock(&hots_guard); }

void shim_reader_after_fork(bool in_child) {
  if (in_child) {
    /* Only the forking thread lives on: the slots of the others must not hold back a writer. */
    shim_slot *own = shim_tls_slot;
    if (own) seed(own); /* or parent and child would draw alike */
    for (shim_slot *slot = slots; slot; slot = slot->next) {
      if (slot == own) continue;
      slot->epoch = 0;
      slot->depth = 0;
      slot->inline_locks = 0;
      slot->owned = 0;
    }
    for (shim_hot *hot = hots; hot; hot = hot->next) shim_or_u32(&hot->gate, SHIM_GATE_FORKED);
  }
  shim_mutex_unlock(&hots_guard);
}
