/* To be preloaded: ends the process, as kill -9 does, before its n-th write, where a write is whatever changes a file,
 * its length or its name, makes it safe, or goes out to the network.
 *
 *   KILL_AT      n, from 1; unset or 0: never
 *   KILL_WITHIN  set: the first half of the bytes still gets out, where there are bytes
 *   KILL_LOCKS   set: taking and giving back a lock on a file counts like a write
 *   KILL_JOURNAL set: only what is done to the library's journals of events counts
 *   KILL_CHILD   set: counts in forked children only, in each from 1; unset: in the process itself only
 *   KILL_SIGNAL  number of a signal that is sent in place of SIGKILL, after which the write is carried out */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long kill_at;
static bool kills_within, counts_locks, counts_journals_only;
static int other_signal;
static atomic_long writes_so_far;

static void become_child(void) {
  const char *at = getenv("KILL_CHILD") ? getenv("KILL_AT") : NULL;
  kill_at = at ? atol(at) : 0;
  atomic_store(&writes_so_far, 0);
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("KILL_CHILD") ? NULL : getenv("KILL_AT");
  kill_at = at ? atol(at) : 0;
  kills_within = getenv("KILL_WITHIN") != NULL;
  counts_locks = getenv("KILL_LOCKS") != NULL;
  counts_journals_only = getenv("KILL_JOURNAL") != NULL;
  other_signal = getenv("KILL_SIGNAL") ? atoi(getenv("KILL_SIGNAL")) : 0;
  pthread_atfork(NULL, NULL, become_child);
}

static void end(void) {
  if (other_signal) {
    kill(getpid(), other_signal);
    return;
  }
  for (;;) kill(getpid(), SIGKILL);
}

static bool is_journal(const char *path) {
  size_t length = strlen(path), suffix = strlen(".journal");
  return length > suffix && strcmp(path + length - suffix, ".journal") == 0;
}

static bool is_journal_open_as(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return is_journal(path);
}

/* Whether this write is the one. Only the thread whose write it is ends the process: the others may get further. */
static bool count(void) { return atomic_fetch_add(&writes_so_far, 1) + 1 == kill_at; }
static bool is_last(void) { return !counts_journals_only && count(); }
static bool is_last_at(const char *path) { return (!counts_journals_only || is_journal(path)) && count(); }
static bool is_last_to(int file) { return (!counts_journals_only || is_journal_open_as(file)) && count(); }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* SQLite is built for large files and calls the functions that end in 64; the library's own journals call the others. */

#define INTERPOSE_PWRITE(name, offset_type) \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) { \
    __typeof__(&name) real = REAL(name); \
    if (is_last_to(file)) { \
      if (kills_within) (void)!real(file, bytes, count / 2, offset); \
      end(); \
    } \
    return real(file, bytes, count, offset); \
  }

INTERPOSE_PWRITE(pwrite, off_t)
INTERPOSE_PWRITE(pwrite64, off64_t)

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  __typeof__(&send) real = REAL(send);
  if (is_last()) {
    if (kills_within) (void)!real(socket, bytes, count / 2, flags);
    end();
  }
  return real(socket, bytes, count, flags);
}

#define INTERPOSE_FTRUNCATE(name, offset_type) \
  int name(int file, offset_type length) { \
    if (is_last_to(file)) end(); \
    return REAL(name)(file, length); \
  }

INTERPOSE_FTRUNCATE(ftruncate, off_t)
INTERPOSE_FTRUNCATE(ftruncate64, off64_t)

int fdatasync(int file) {
  if (is_last_to(file)) end();
  return REAL(fdatasync)(file);
}

int fsync(int file) {
  if (is_last_to(file)) end();
  return REAL(fsync)(file);
}

int unlink(const char *path) {
  if (is_last_at(path)) end();
  return REAL(unlink)(path);
}

int rename(const char *from, const char *to) {
  if (is_last_at(from)) end();
  return REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
  if (is_last_at(from)) end();
  return REAL(link)(from, to);
}

int mkdir(const char *path, mode_t mode) {
  if (is_last()) end();
  return REAL(mkdir)(path, mode);
}

/* SQLite's index of the log is written through a mapping; between two locks it is in one piece. */
#define INTERPOSE_FCNTL(name) \
  int name(int file, int command, ...) { \
    va_list arguments; \
    va_start(arguments, command); \
    void *argument = va_arg(arguments, void *); \
    va_end(arguments); \
    if (counts_locks && command == F_SETLK && is_last_to(file)) end(); \
    return REAL(name)(file, command, argument); \
  }

INTERPOSE_FCNTL(fcntl)
INTERPOSE_FCNTL(fcntl64)

int flock(int file, int operation) {
  if (counts_locks && is_last_to(file)) end();
  return REAL(flock)(file, operation);
}
