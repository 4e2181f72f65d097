/* Threads that record into the stripes of the intake, and the turn that drains them.
 *
 * models: Sources/HoistCore/Pipeline/EventIntake.swift: append, draw, appendClosely, raisePriority, refuse, makeRoom, drain, account
 * models: Sources/HoistCore/Pipeline/EventIntake+Stripes.swift: enter, enterAnother, enterNew, withAllStripes, lockAllStripes, unlockAllStripes
 * models: Sources/HoistCore/Pipeline/EventPipeline.swift: wake
 *
 * Records are one unit each against a limit of ROWS; the newest is refused.
 *
 * short: -DSTRIPES=2
 * full: -DSTRIPES=3
 * full: -DTHREADS=3 -DRECORDS=1 -DROWS=2 -DSTRIPES=2
 * full: -DRECORDS=3 -DSTRIPES=2
 *
 * broken: BROKEN_NUMBER: takes_them_out_of_order
 * broken: BROKEN_STRIPE: takes_them_out_of_order
 * broken: BROKEN_DRAIN: takes_them_out_of_order
 * broken: BROKEN_UNLOCK: takes_them_out_of_order
 * broken: BROKEN_BEGIN: numbers_later_ones_lower
 * broken: BROKEN_APPEND: takes_them_out_of_order
 * broken: BROKEN_ATOMIC: gives_a_number_twice
 * broken: BROKEN_ROOM: exceeds_the_limit: -DTHREADS=3 -DRECORDS=1 -DROWS=2 -DSTRIPES=2
 * broken: BROKEN_TOLD: leaves_a_record_without_a_turn
 * broken: BROKEN_LOCKS: waits_for_ever
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef STRIPES
#define STRIPES 3
#endif
#ifndef ROWS
#define ROWS (THREADS * RECORDS - 1)
#endif
#define MOST (THREADS * RECORDS + 1)

/* shim_lock; 0 while free. */
bool isLocked[STRIPES];
chan stripe[STRIPES] = [MOST] of { byte };
byte stripeCount = 1;
bool isTakenWhole;
byte next;
/* State, for the holder of all stripes. */
byte plainEnd, nextSequence, firstSequence, totalRows;
bool told;
/* A turn is posted and has not begun. */
bool isPosted;

byte greatestReturned;   /* numbers here are one higher, so that 0 is none */
byte recorded, delivered;
bool isTaken[MOST + 1];
byte ended;
bool gives_a_number_twice, takes_them_out_of_order, numbers_later_ones_lower, exceeds_the_limit;
bool leaves_a_record_without_a_turn, waits_for_ever;
#define never_so(what) assert(!what)

inline acquire(at) { atomic { !isLocked[at] -> isLocked[at] = true } }
inline release(at) { isLocked[at] = false }

inline lock_all() {
  acquire(0);
  isTakenWhole = true;
  place = 1;
  do
  :: place < stripeCount -> acquire(place); place++
  :: else -> break
  od;
  place = 0;
  d_step {
    totalRows = totalRows + (next - nextSequence);
    nextSequence = next;
    if :: totalRows > ROWS -> exceeds_the_limit = true :: else fi;
    never_so(exceeds_the_limit)
  }
}

#ifdef BROKEN_ROOM
#define TOGETHER 0
#else
#define TOGETHER (stripeCount - 1)
#endif

#ifdef BROKEN_UNLOCK
#define HELD stripeCount
#else
#define HELD held
#endif

inline unlock_all() {
  d_step {
    next = nextSequence;
#ifdef BROKEN_TOLD
    if
    :: totalRows + TOGETHER < ROWS -> plainEnd = nextSequence + (ROWS - totalRows - TOGETHER)
#else
    if
    :: told && totalRows + TOGETHER < ROWS -> plainEnd = nextSequence + (ROWS - totalRows - TOGETHER)
#endif
    :: else -> plainEnd = 0
    fi;
    isTakenWhole = false
  };
  held = stripeCount; /* once: others may add a stripe as soon as the first is free */
  place = 0;
  do
  :: place < HELD -> release(place); place++
  :: else -> break
  od;
  place = 0;
  held = 0
}

inline try(at) { d_step { if :: !isLocked[at] -> isLocked[at] = true; isIn = true :: else fi } }

inline enter_new() {
#ifdef BROKEN_STRIPE
  d_step {
    own = stripeCount;
    if :: own == STRIPES -> own = STRIPES - 1 :: else -> stripeCount++ fi
  }
#else
#ifdef BROKEN_LOCKS
  acquire(mine); /* keeps its own, and waits for all */
#endif
  lock_all();
  if
  :: stripeCount < STRIPES -> d_step { own = stripeCount; isLocked[own] = true; stripeCount++ }
  :: else -> own = STRIPES - 1
  fi;
  unlock_all()
#endif
}

/* enter, enterAnother, enterNew: leaves a locked stripe in `mine`. */
inline enter() {
  isIn = false;
  do
  :: !isIn ->
    d_step {
      count = stripeCount;
      if :: own >= count -> mine = own % count :: else -> mine = own fi
    };
    try(mine);
    if
    :: isIn
    :: !isIn && isTakenWhole -> acquire(mine); isIn = true
    :: !isIn && !isTakenWhole ->
      place = 0;
      do
      :: place < count && !isIn ->
        try(place);
        if
        :: isIn -> d_step { own = place; mine = place }
        :: else -> place++
        fi
      :: else -> break
      od;
      place = 0;
      if
      :: isIn
      :: !isIn && count == STRIPES -> acquire(mine); isIn = true
      :: !isIn && count < STRIPES -> enter_new()
      fi
    fi
  :: else -> break
  od;
  isIn = false;
  count = 0
}

inline draw() {
  number = 0;
#ifdef BROKEN_BEGIN
  d_step { if :: next < plainEnd -> next++; number = next :: else fi }
#else
  if
  :: stripeCount == 1 ->
    if
    :: next < plainEnd -> number = next + 1; next = number
    :: else
    fi
  :: else ->
    if
#ifdef BROKEN_ATOMIC
    :: next < plainEnd -> number = next + 1; next = number
#else
    :: next < plainEnd -> d_step { next++; number = next }
#endif
    :: else
    fi
  fi
#endif
}

inline put(at) {
  d_step {
    if :: isTaken[number] -> gives_a_number_twice = true :: else -> isTaken[number] = true fi;
    never_so(gives_a_number_twice)
  };
  stripe[at] ! number
}

proctype Thread() {
  byte own, mine, count, held, place, number, floor, records;
  bool wakes, isIn;
  do
  :: records < RECORDS ->
    records++;
#ifdef BROKEN_NUMBER
    draw();
    floor = greatestReturned;
    enter();
#else
#ifdef BROKEN_BEGIN
    draw();
#endif
    floor = greatestReturned;
    enter();
#ifndef BROKEN_BEGIN
    draw();
#endif
#endif
    if
    :: number != 0 ->
#ifdef BROKEN_APPEND
      release(mine);
      put(mine)
#else
      put(mine);
      release(mine)
#endif
    :: else ->
      release(mine);
      lock_all();
      if
      :: totalRows < ROWS ->
        number = nextSequence + 1;
        put(0);
        d_step {
          nextSequence = number;
          totalRows++;
          wakes = !told;
          told = true
        }
      :: else
      fi;
      unlock_all()
    fi;
    d_step {
      mine = 0;
      if
      :: number != 0 ->
        recorded++;
        if :: number <= floor -> numbers_later_ones_lower = true :: else fi;
        never_so(numbers_later_ones_lower);
        if :: number > greatestReturned -> greatestReturned = number :: else fi
      :: else
      fi;
      if :: wakes -> isPosted = true :: else fi;
      number = 0;
      floor = 0;
      wakes = false
    }
  :: else -> break
  od;
  ended++
}

proctype Turn() {
  byte place, held, number, before, rows;
end: do
  :: isPosted ->
    isPosted = false;
    rows = 0;
    lock_all();
    d_step {
      before = firstSequence;
      firstSequence = nextSequence;
      told = false
    };
#ifdef BROKEN_DRAIN
    unlock_all();
#endif
    d_step {
      /* takeAll, and the merge of what it took: each stripe's are in order. */
      do
      :: place < stripeCount ->
        do
        :: nempty(stripe[place]) ->
          stripe[place] ? number;
          if :: number <= before || number > firstSequence || !isTaken[number] -> takes_them_out_of_order = true :: else fi;
          before = number;
          rows++
        :: empty(stripe[place]) -> break
        od;
        before = 0;
        place++
      :: else -> break
      od;
      place = 0;
      number = 0;
      delivered = delivered + rows;
      if :: delivered != firstSequence -> takes_them_out_of_order = true :: else fi;
#ifndef BROKEN_BEGIN
      never_so(takes_them_out_of_order)
#endif
    };
#ifndef BROKEN_DRAIN
    unlock_all();
#endif
    /* account: the service has them */
    lock_all();
    totalRows = totalRows - rows;
    unlock_all();
    rows = 0
  od
}

init {
  byte thread;
  atomic {
    do
    :: thread < THREADS -> run Thread(); thread++
    :: else -> break
    od;
    run Turn()
  };
  timeout;
  d_step {
    if :: ended != THREADS -> waits_for_ever = true :: else fi;
    never_so(waits_for_ever);
    if :: delivered != recorded -> leaves_a_record_without_a_turn = true :: else fi;
    never_so(leaves_a_record_without_a_turn)
  }
}
