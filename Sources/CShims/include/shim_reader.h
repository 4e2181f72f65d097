/* Reading a shared immutable block without a shared write.
 *
 * A reader announces itself in a slot of its own thread; a writer swaps the pointer, advances the epoch, and frees
 * the old block once no slot shows an older epoch. A block may be anything: a disposed client waits in the same way.
 * Where the kernel offers it, the writer pays for the ordering (membarrier) and the reader for a compiler barrier
 * only; elsewhere the reader pays one exchange. The scheme is the memory-barrier flavour of user-space RCU
 * (Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS 2012). */
#pragma once
#include "shim_atomic.h"

#define SHIM_CELL_CACHE 8u

typedef struct shim_slot {
  uint64_t epoch; /* 0 outside a reading section */
  uint32_t depth; /* sections nest: a host callback may evaluate again */
  uint32_t owned; /* 1 while a live thread uses the slot */
  uint32_t inline_locks; /* how many the thread has, or waits for; see shim_lock.h */
  uint64_t random; /* state of the thread's generator; see shim_random */
  struct shim_slot *_Nullable next;
  struct {
    uint64_t snapshot_id;
    uint32_t *_Nullable cells;
  } cache[SHIM_CELL_CACHE];
} shim_slot; /* allocated on cache lines of its own */

/* One thread's counters for one snapshot: written by that thread only, read by the drain. */
typedef struct shim_cells {
  struct shim_cells *_Nullable next;
  const shim_slot *_Nonnull owner;
  uint32_t count;
  uint32_t *_Nonnull drained; /* the drain's own copy of what it has taken */
  uint32_t *_Nonnull cells;
} shim_cells;

extern __thread shim_slot *_Nullable shim_tls_slot __attribute__((tls_model("initial-exec")));
extern uint64_t shim_epoch;
extern bool shim_reader_asymmetric;

shim_slot *_Nonnull shim_slot_attach(void);

static inline shim_slot *_Nonnull shim_enter(void) {
  shim_slot *slot = shim_tls_slot;
  if (__builtin_expect(slot == 0, 0)) slot = shim_slot_attach();
  if (__builtin_expect(slot->depth++ == 0, 1)) {
    /* Acquire: a thread that sees an epoch sees every pointer that was swapped before it. */
    uint64_t epoch = __atomic_load_n(&shim_epoch, __ATOMIC_ACQUIRE);
    if (__builtin_expect(shim_reader_asymmetric, 1)) {
      __atomic_store_n(&slot->epoch, epoch, __ATOMIC_RELAXED);
      __asm__ volatile("" ::: "memory");
    } else {
      __atomic_exchange_n(&slot->epoch, epoch, __ATOMIC_SEQ_CST);
    }
  }
  return slot;
}

static inline void shim_leave(shim_slot *_Nonnull slot) {
  if (__builtin_expect(--slot->depth == 0, 1)) __atomic_store_n(&slot->epoch, 0, __ATOMIC_RELEASE);
}

/* Writer side: after the swap, advance; free what was swapped out once quiescent is true. */
uint64_t shim_epoch_advance(void);
bool shim_epoch_quiescent(uint64_t epoch);

/* Finds or makes the calling thread's counters of a snapshot; NULL when memory is short. */
uint32_t *_Nullable shim_cells_find(shim_slot *_Nonnull slot, uint64_t snapshot_id,
                                    shim_cells *_Nullable *_Nonnull list, uint32_t count);
void shim_cells_free(shim_cells *_Nullable list);

/* Adds one to a cell of the calling thread. */
static inline void shim_count(shim_slot *_Nonnull slot, uint64_t snapshot_id,
                              shim_cells *_Nullable *_Nonnull list, uint32_t count, uint32_t cell) {
  if (cell >= count) return;
  uint32_t at = (uint32_t)snapshot_id & (SHIM_CELL_CACHE - 1);
  uint32_t *cells = slot->cache[at].cells;
  if (__builtin_expect(slot->cache[at].snapshot_id != snapshot_id, 0)) {
    cells = shim_cells_find(slot, snapshot_id, list, count);
    if (cells == 0) return;
  }
  __atomic_store_n(&cells[cell], __atomic_load_n(&cells[cell], __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* What has been counted in `cell` of one block since the last call; one drain at a time. */
static inline uint32_t shim_cells_take(shim_cells *_Nonnull block, uint32_t cell) {
  uint32_t now = __atomic_load_n(&block->cells[cell], __ATOMIC_RELAXED);
  uint32_t news = now - block->drained[cell];
  block->drained[cell] = now;
  return news;
}
/* Whether shim_cells_take would return more than 0. */
static inline bool shim_cells_has_news(const shim_cells *_Nonnull block, uint32_t cell) {
  return __atomic_load_n(&block->cells[cell], __ATOMIC_RELAXED) != block->drained[cell];
}
static inline shim_cells *_Nullable shim_cells_first(shim_cells *_Nullable const *_Nonnull list) {
  return __atomic_load_n(list, __ATOMIC_ACQUIRE);
}

/* A draw for rollouts without stickiness; not for secrets. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t shim_random(shim_slot *_Nonnull slot) {
  uint64_t mixed = (slot->random += 0x9E3779B97F4A7C15u);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

/* The part of a client that the hot path reads: a C handle points at it. */
typedef struct shim_hot {
  uint64_t magic;
  void *_Nullable snapshot; /* atomic; the current block, or NULL before the first */
  void *_Nullable context;  /* atomic; the client's current context, frozen, or NULL */
  uint32_t gate;            /* atomic; bits that send an evaluation to the slow path */
  uint32_t wanted;          /* atomic; the effects of evaluations that have a listener */
  void *_Nullable object;   /* the Swift client; alive as long as this */
  void *_Nullable port;     /* its provider's `EventPort`, owned; set once */
  struct shim_hot *_Nullable next;
  struct shim_hot *_Nullable *_Nullable link;
} shim_hot;

#define SHIM_GATE_FORKED 0x80000000u /* set in a forked child, for the client to start again */

/* In one list, so that a forked child's first evaluation takes the slow path. NULL when memory is short. */
shim_hot *_Nullable shim_hot_new(uint64_t magic, void *_Nullable object);
void shim_hot_free(shim_hot *_Nonnull hot);

/* The part of a context that the hot path reads: a C handle points at it. */
typedef struct shim_subject {
  uint64_t magic;
  void *_Nullable frozen; /* atomic; NULL until the first use after a change */
  void *_Nullable object; /* the Swift context, retained while the handle lives */
} shim_subject;

void shim_reader_before_fork(void);
void shim_reader_after_fork(bool in_child);
