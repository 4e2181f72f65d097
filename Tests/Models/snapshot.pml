/* Readers of a snapshot, the writer that replaces it, and a drain of its counts.
 *
 * models: Sources/CShims/include/shim_reader.h: shim_enter, shim_leave, shim_count
 * models: Sources/CShims/shim_reader.c: shim_epoch_advance, shim_epoch_quiescent, shim_reader_barrier, shim_reader_after_fork
 * models: Sources/HoistCore/Client/SnapshotHolder.swift: publish, put, remove, isFree, drain, pinned
 * models: Sources/HoistCore/Snapshot/Snapshot.swift: pin, unpin, isPinned, applyUnlessPinned, hasCounts
 *
 * The processor's store buffer is in it: the epoch that a reader stores without a fence comes to memory later (`memory`); an
 * atomic read-modify-write waits for that, and the writer's membarrier empties the buffers of all. What a reader stores when it
 * leaves comes at once: later would only keep memory longer.
 *
 * short: -DREADERS=1
 * full: -DREADERS=2 -DSNAPSHOTS=2
 * full: -DREADERS=1 -DROUNDS=2
 * full: -DREADERS=1 -DROUNDS=3
 *
 * broken: BROKEN_BARRIER: reads_freed_memory
 * broken: BROKEN_SWAP: reads_freed_memory
 * broken: BROKEN_EPOCH: reads_freed_memory
 * broken: BROKEN_PIN: reads_freed_memory
 * broken: BROKEN_ORDER: reads_freed_memory
 * broken: BROKEN_DRAIN: loses_counts
 * broken: BROKEN_WAIT: loses_counts
 * broken: BROKEN_LOCK: frees_twice
 * broken: BROKEN_PUT: changes_under_a_pin
 * broken: BROKEN_CHECK: changes_under_a_pin
 * broken: BROKEN_LEAVE: keeps_memory_for_ever
 * broken: BROKEN_FORK: keeps_memory_for_ever
 */
#ifndef READERS
#define READERS 1
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
/* The drain's thread has a slot, too. */
#define SLOTS (READERS + 1)

byte current = 1;          /* shim_hot.snapshot; snapshots are 1 ... SNAPSHOTS */
byte epoch = 1;
byte slot[SLOTS];          /* the epochs in memory */
byte buffer[SLOTS];        /* an epoch on its way there; 0 for none */
byte pins[SNAPSHOTS + 1];
byte cells[SNAPSHOTS + 1];
byte drained[SNAPSHOTS + 1];
bool isListed[SNAPSHOTS + 1];
bool waitsForDrain[SNAPSHOTS + 1];
byte replacedAt[SNAPSHOTS + 1];
byte content[SNAPSHOTS + 1];
bool isPatching[SNAPSHOTS + 1]; /* the highest bit of the pins */
bool isFreed[SNAPSHOTS + 1];
bool isLocked;
byte counted, taken;
bool hasVanished[SLOTS];

/* Each names what an assertion is about. */
bool reads_freed_memory, loses_counts, frees_twice, changes_under_a_pin, keeps_memory_for_ever;
#define never_so(what) assert(!what)

/* A mutex: to take it is a read-modify-write. */
inline acquire(me) { atomic { !isLocked && buffer[me] == 0 -> isLocked = true } }
inline release() { isLocked = false }

inline apply(me) { slot[me] = buffer[me]; buffer[me] = 0 }

active [SLOTS] proctype memory() {
end: do
  :: d_step { buffer[_pid] != 0 -> apply(_pid) }
  od
}

inline look_at(what) {
  d_step { if :: isFreed[what] -> reads_freed_memory = true :: else fi; never_so(reads_freed_memory) }
}

inline enter(me) {
  seen = epoch;
  d_step { buffer[me] = seen; seen = 0 }
}
#ifdef BROKEN_LEAVE
inline leave(me) { skip }
#else
inline leave(me) { d_step { buffer[me] = 0; slot[me] = 0 } }
#endif

proctype Reader(byte me) {
  byte seen, snapshot, was, rounds;
  bool isWhole;
  do
  :: rounds < ROUNDS ->
    rounds++;
    if
    :: enter(me); /* an evaluation, which is counted */
      snapshot = current;
      look_at(snapshot);
      d_step { counted++; cells[snapshot]++ };
      if
      :: look_at(snapshot); leave(me)
      :: d_step { hasVanished[me] = true }; goto gone /* the thread is not in the forked child */
      fi
    :: enter(me); /* pinnedConfiguration: the pin is an atomic addition */
      snapshot = current;
#ifdef BROKEN_PIN
      leave(me);
      atomic { buffer[me] == 0 -> pins[snapshot]++ };
#else
      atomic { buffer[me] == 0 -> pins[snapshot]++ };
      leave(me);
#endif
      look_at(snapshot);
      pins[snapshot]--
    :: enter(me); /* a view, which sees the flags as they were */
      snapshot = current;
      look_at(snapshot);
      atomic { buffer[me] == 0 -> pins[snapshot]++; isWhole = !isPatching[snapshot] };
      leave(me);
#ifndef BROKEN_PUT
      if :: !isWhole -> acquire(me); release() :: else fi;
#endif
      was = content[snapshot];
      d_step {
        if :: content[snapshot] != was -> changes_under_a_pin = true :: else fi;
        never_so(changes_under_a_pin)
      };
      look_at(snapshot);
      pins[snapshot]--
    fi
  :: else -> break
  od;
gone: skip
}

/* shim_epoch_quiescent: slot after slot. */
inline look_at_slots(since) {
  isQuiet = true;
  do
  :: at < SLOTS ->
    d_step { if :: slot[at] != 0 && slot[at] < since -> isQuiet = false :: else fi; at++ }
  :: else -> break
  od;
  at = 0
}

inline find_free(id) {
#ifdef BROKEN_ORDER
  isFree = pins[id] == 0;
  look_at_slots(replacedAt[id]);
  isFree = isFree && isQuiet
#else
  look_at_slots(replacedAt[id]);
  isFree = isQuiet && pins[id] == 0
#endif
}

inline take_counts(id) { d_step { taken = taken + (cells[id] - drained[id]); drained[id] = cells[id] } }

inline destroy_done() {
  d_step {
    at = 1;
    do
    :: at <= SNAPSHOTS ->
      if
      :: isDone[at] ->
        if :: isFreed[at] -> frees_twice = true :: else fi;
        isFreed[at] = true;
        isDone[at] = false;
        if :: cells[at] != drained[at] -> loses_counts = true :: else fi
      :: else
      fi;
      at++
    :: else -> break
    od;
    at = 0;
    never_so(frees_twice);
    never_so(loses_counts)
  }
}

#ifdef BROKEN_LOCK
#define guard_list(me) skip
#define release_list() skip
#else
#define guard_list(me) acquire(me)
#define release_list() release()
#endif

inline collect_published() {
  id = 1;
  do
  :: id <= SNAPSHOTS ->
    if
    :: isListed[id] && !waitsForDrain[id] ->
      find_free(id);
      if
      :: isFree ->
#ifdef BROKEN_WAIT
        waitsForDrain[id] = false;
#else
        waitsForDrain[id] = cells[id] != drained[id];
#endif
        if :: !waitsForDrain[id] -> d_step { isListed[id] = false; isDone[id] = true } :: else fi
      :: else
      fi
    :: else
    fi;
    id++
  :: else -> break
  od
}

inline collect_drained() {
  id = 1;
  do
  :: id <= SNAPSHOTS ->
    if
    :: isListed[id] ->
#ifdef BROKEN_DRAIN
      take_counts(id);
      find_free(id);
#else
      find_free(id);
      take_counts(id);
#endif
      waitsForDrain[id] = false;
      if :: isFree -> d_step { isListed[id] = false; isDone[id] = true } :: else fi
    :: else
    fi;
    id++
  :: else -> break
  od
}

/* The membarrier: what is stored by then is in memory when it returns. */
inline barrier() {
#ifndef BROKEN_BARRIER
  d_step {
    at = 0;
    do
    :: at < SLOTS ->
      if :: buffer[at] != 0 -> apply(at) :: else fi;
      at++
    :: else -> break
    od;
    at = 0
  }
#else
  skip
#endif
}

proctype Writer() {
  byte id, at, old, new, since;
  bool isFree, isQuiet;
  bool isDone[SNAPSHOTS + 1];
  new = 2;
  do
  :: new <= SNAPSHOTS ->
    if
    :: /* one flag in place */
      acquire(READERS);
      if
#ifdef BROKEN_CHECK
      :: pins[current] == 0 -> isPatching[current] = true;
#else
      :: d_step { pins[current] == 0 -> isPatching[current] = true };
#endif
        content[current] = content[current] + 1; /* a patch has several parts */
        content[current] = content[current] + 1;
        isPatching[current] = false
      :: else
      fi;
      release()
    :: skip
    fi;
#ifdef BROKEN_SWAP
    epoch++;
    since = epoch;
    barrier();
    d_step { old = current; current = new };
#else
    d_step { old = current; current = new };
#ifdef BROKEN_EPOCH
    since = epoch;
#else
    epoch++;
    since = epoch;
#endif
    barrier();
#endif
    guard_list(READERS);
    d_step { replacedAt[old] = since; isListed[old] = true };
    collect_published();
    release_list();
    destroy_done();
    new++
  :: else -> break
  od
}

proctype Drain(byte me) {
  byte id, at, seen, snapshot;
  bool isFree, isQuiet;
  bool isDone[SNAPSHOTS + 1];
  guard_list(me);
  enter(me);
  snapshot = current;
  look_at(snapshot);
  take_counts(snapshot);
  look_at(snapshot);
  leave(me);
  collect_drained();
  release_list();
  destroy_done()
}

init {
  byte id, at, reader;
  bool isFree, isQuiet;
  bool isDone[SNAPSHOTS + 1];
  atomic {
    do
    :: reader < READERS -> run Reader(reader); reader++
    :: else -> break
    od;
    reader = 0;
    run Writer();
    run Drain(READERS)
  };
  /* When nothing moves any more: all have ended, and the next drain leaves the current snapshot alone. */
  timeout;
  d_step {
    at = 0;
    do
    :: at < SLOTS ->
#ifndef BROKEN_FORK
      if :: hasVanished[at] -> slot[at] = 0; hasVanished[at] = false :: else fi;
#endif
      at++
    :: else -> break
    od;
    at = 0
  };
  collect_drained();
  destroy_done();
  d_step {
    take_counts(SNAPSHOTS);
    if :: taken != counted -> loses_counts = true :: else fi;
    never_so(loses_counts);
    id = 1;
    do
    :: id < SNAPSHOTS ->
      if :: !isFreed[id] -> keeps_memory_for_ever = true :: else fi;
      id++
    :: else -> break
    od;
    never_so(keeps_memory_for_ever)
  }
}
