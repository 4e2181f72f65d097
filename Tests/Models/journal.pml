/* A process that keeps records in a journal and in the tables, is killed at any moment, and others that take over what it has
 * left, each of which may be killed as well, and begins anew.
 *
 * models: Sources/HoistSQLite/FileJournal.swift: write, release
 * models: Sources/HoistSQLite/JournalPart.swift: append, reset, unlink
 * models: Sources/HoistSQLite/SQLiteCacheManager+Journals.swift: claimLeftJournals, claim, insert, forgetOwners
 * models: Sources/HoistSQLite/LeftJournals.swift: free, open, remove
 * models: Sources/HoistSQLite/OpenJournals.swift: make, open, isFree, close
 * models: Sources/HoistSQLite/SQLiteCacheManager+Events.swift: putEvents, claimRows, removeEvents, claimableOwners
 * models: Sources/HoistCore/Pipeline/EventPipeline+Journal.swift: recordInJournal, journalProgress
 *
 * A transaction of the tables is one step, as SQLite makes it. Whether an owner lives is known, as on one machine.
 *
 * short: -DKILLS=1
 * full: -DKILLS=2
 * full: -DKILLS=3
 * full: -DKILLS=2 -DRECORDS=3
 *
 * broken: BROKEN_ACKNOWLEDGEMENT: loses_a_record
 * broken: BROKEN_RELEASE: loses_a_record
 * broken: BROKEN_REMOVAL: loses_a_record
 * broken: BROKEN_LOCK: delivers_at_once_twice
 * broken: BROKEN_LIVENESS: delivers_at_once_twice
 * broken: BROKEN_CONFLICT: delivers_at_once_twice
 * broken: BROKEN_OWNERS: delivers_what_is_removed
 * broken: BROKEN_FORGETTING: delivers_what_is_removed
 * broken: BROKEN_PLACE: loses_a_record
 * broken: BROKEN_CLAIM: leaves_a_record
 */
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
/* Owners of rows: the recording process, and each life of the two that take over. */
#define NOBODY 0
#define RECORDER 1
#define HEIRS 2
#define OWNERS (2 + HEIRS + KILLS)
#define LEFT (OWNERS)      /* the file's name, as an owner without a lease */

/* The journal: which records are in it. */
bool isThere, hasHeader;
byte lockedBy;             /* NOBODY when its holder has died or closed it */
bool inFile[RECORDS];
/* The tables. */
byte ownerOf[RECORDS];     /* NOBODY where there is no such row */
bool isListed;             /* the file's name is among the owners */
bool isDead[OWNERS];
bool hasBeenDrained;       /* its rows have come into the tables */

bool isAcknowledged[RECORDS], isAccepted[RECORDS], isRemoved[RECORDS];
byte onItsWay[RECORDS];    /* by whom */
byte nextOwner = RECORDER + 1;
byte kills, ended;
bool loses_a_record, delivers_at_once_twice, delivers_what_is_removed, leaves_a_record;
#define never_so(what) assert(!what)

inline send(record, me) {
  d_step {
    if :: onItsWay[record] != NOBODY && !isDead[onItsWay[record]] -> delivers_at_once_twice = true :: else fi;
    never_so(delivers_at_once_twice);
    if :: isRemoved[record] -> delivers_what_is_removed = true :: else fi;
#ifndef BROKEN_REMOVAL
    never_so(delivers_what_is_removed);
#endif
    onItsWay[record] = me
  }
}

/* A process is gone: the system lets go of its locks. */
inline die(me) {
  isDead[me] = true;
  if :: lockedBy == me -> lockedBy = NOBODY :: else fi
}

proctype Recorder() {
  byte record;
  /* newPart: the file, its lock, its header */
  isThere = true;
#ifdef BROKEN_PLACE
  hasHeader = true;
  if :: atomic { lockedBy == NOBODY -> lockedBy = RECORDER } :: lockedBy != NOBODY -> goto gone fi;
#else
  if :: atomic { lockedBy == NOBODY -> lockedBy = RECORDER } :: lockedBy != NOBODY -> goto gone fi;
  if :: !isThere -> goto gone :: else -> hasHeader = true fi;
#endif
  do
  :: record < RECORDS ->
#ifdef BROKEN_ACKNOWLEDGEMENT
    isAcknowledged[record] = true;
#endif
    if :: d_step { kills < KILLS -> kills++; die(RECORDER) }; goto gone :: true fi;
#ifdef BROKEN_PLACE
    inFile[record] = true;
#else
    if :: isThere -> inFile[record] = true :: else -> goto gone fi; /* isInPlace */
#endif
    isAcknowledged[record] = true;
    if
    :: /* putEvents and release, on the store's lane */
      if :: d_step { kills < KILLS -> kills++; die(RECORDER) }; goto gone :: true fi;
#ifdef BROKEN_RELEASE
      inFile[record] = false;
      if :: d_step { kills < KILLS -> kills++; die(RECORDER) }; goto gone :: true fi;
      if :: ownerOf[record] == NOBODY -> ownerOf[record] = RECORDER :: else fi
#else
      if :: ownerOf[record] == NOBODY -> ownerOf[record] = RECORDER :: else fi;
      if :: d_step { kills < KILLS -> kills++; die(RECORDER) }; goto gone :: true fi;
      inFile[record] = false
#endif
    :: true /* not yet */
    fi;
    if
    :: /* sent; it may be in the file still */
      send(record, RECORDER);
      if :: d_step { kills < KILLS -> kills++; die(RECORDER) }; goto gone :: true fi;
      d_step { isAccepted[record] = true; onItsWay[record] = NOBODY };
      if :: ownerOf[record] == RECORDER -> d_step { ownerOf[record] = NOBODY; inFile[record] = false } :: else -> inFile[record] = false fi
    :: true
    fi;
    record++
  :: else -> break
  od;
gone:
  record = 0;
  d_step { if :: !isDead[RECORDER] -> die(RECORDER) :: else fi }
}

/* claimLeftJournals: looks without the tables' lock, then takes the file's lock in a transaction. */
inline claim_left() {
  if
#ifdef BROKEN_LOCK
  :: isThere && hasHeader ->
#else
  :: isThere && hasHeader && lockedBy == NOBODY ->
#endif
#ifdef BROKEN_REMOVAL
    isThere = false; /* before the transaction has succeeded */
    may_die();
#endif
    if
    :: true ->
      record = 0;
      d_step {
        if
#ifdef BROKEN_REMOVAL
        :: !isListed ->
#else
#ifdef BROKEN_LOCK
        :: isThere && !isListed ->
#else
        :: isThere && lockedBy == NOBODY ->
          lockedBy = me
        :: else
        fi;
        if
#ifdef BROKEN_OWNERS
        :: isThere && lockedBy == me ->
#else
        :: isThere && lockedBy == me && !isListed ->
#endif
#endif
#endif
          record = 0;
          do
          :: record < RECORDS ->
            if
            :: inFile[record] ->
              if
              :: ownerOf[record] == NOBODY -> ownerOf[record] = LEFT; isListed = true; hasBeenDrained = true
#ifdef BROKEN_CONFLICT
              :: else -> ownerOf[record] = LEFT; isListed = true; hasBeenDrained = true
#else
              :: else -> isListed = true; hasBeenDrained = true
#endif
              fi
            :: else
            fi;
            record++
          :: else -> break
          od;
          record = 0
        :: else
        fi
      }
    fi;
    may_die();
    d_step {
      if :: lockedBy == me -> isThere = false; lockedBy = NOBODY :: else fi;
#ifdef BROKEN_LOCK
      isThere = false
#endif
    }
  :: else
  fi
}

/* claimRows: the rows of the dead become this owner's, and owners that are gone are forgotten. */
inline claim_rows() {
  record = 0;
  d_step {
    record = 0;
    do
    :: record < RECORDS ->
      if
#ifdef BROKEN_LIVENESS
      :: ownerOf[record] != NOBODY && ownerOf[record] != me ->
#else
      :: ownerOf[record] == LEFT || (ownerOf[record] != NOBODY && isDead[ownerOf[record]]) ->
#endif
        ownerOf[record] = me;
        mine = mine | (1 << record)
      :: else
      fi;
      record++
    :: else -> break
    od;
    record = 0;
#ifdef BROKEN_FORGETTING
    isListed = false
#else
    if :: !isThere -> isListed = false :: else fi
#endif
  }
}

inline may_die() {
  if
  :: d_step { kills < KILLS -> kills++; die(me) }; goto anew
  :: true
  fi
}

proctype Heir() {
  byte me, record, mine, looks;
anew:
  mine = 0;
  d_step { me = nextOwner; nextOwner++; record = 0; looks = 0 };
  /* Looks twice while others live, and once more when nothing moves. */
end: do
  :: looks < 2 || timeout ->
    looks++;
    claim_left();
#ifndef BROKEN_CLAIM
    claim_rows();
#endif
    record = 0;
    do
    :: record < RECORDS ->
      if
      :: mine & (1 << record) ->
        send(record, me);
        may_die();
        d_step { isAccepted[record] = true; onItsWay[record] = NOBODY };
        may_die();
        d_step {
          if
          :: ownerOf[record] == me ->
            ownerOf[record] = NOBODY;
            isRemoved[record] = hasBeenDrained
          :: else
          fi;
          mine = mine & ~(1 << record)
        }
      :: else
      fi;
      record++
    :: else -> break
    od;
    record = 0;
    if :: looks == 3 -> break :: else fi
  od;
  ended++
}

init {
  byte heirs;
  atomic {
    run Recorder();
    do
    :: heirs < HEIRS -> run Heir(); heirs++
    :: else -> break
    od;
    heirs = 0
  };
  ended == HEIRS;
  d_step {
    heirs = 0;
    do
    :: heirs < RECORDS ->
      if
      :: isAcknowledged[heirs] && !isAccepted[heirs] ->
        if
        :: ownerOf[heirs] == NOBODY && !(isThere && inFile[heirs]) -> loses_a_record = true
        :: else -> leaves_a_record = true
        fi
      :: else
      fi;
      heirs++
    :: else -> break
    od;
    never_so(loses_a_record);
    never_so(leaves_a_record)
  }
}
