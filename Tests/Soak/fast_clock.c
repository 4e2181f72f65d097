/* Preloaded into a host: from the moment on that HOIST_SOAK_START names (nanoseconds since 1970 by the true clock) its time runs
 * HOIST_SOAK_SPEED times as fast. Clocks tell the fast time; waits are given in it, and take their part of the true one.
 *
 * Each function is made of another one that is not wrapped here, so that none has to be looked up. What the libraries of a host
 * import and is neither here nor known to take no time, clock.py finds. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Deadlines name no clock everywhere. Above this it is that of the day, as no machine is up for thirty years. */
enum { SECOND = 1000000000, LATEST_UPTIME_S = 1000000000 };

static int64_t speed = 1;
/* What each clock said at the start. All go on by the uptime: a day that is set does not change the pace. */
static int64_t uptime_at_start, day_at_start, boot_at_start;

static int64_t of(struct timespec time) { return (int64_t)time.tv_sec * SECOND + time.tv_nsec; }
static struct timespec as_time(int64_t nanoseconds) { return (struct timespec){nanoseconds / SECOND, nanoseconds % SECOND}; }

static int64_t true_time(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return of(now);
}

__attribute__((constructor)) static void begin(void) {
  const char *wanted = getenv("HOIST_SOAK_SPEED"), *start = getenv("HOIST_SOAK_START");
  int64_t day = true_time(CLOCK_REALTIME), ago = start ? day - strtoll(start, NULL, 10) : 0;
  day_at_start = day - ago;
  uptime_at_start = true_time(CLOCK_MONOTONIC) - ago;
  boot_at_start = true_time(CLOCK_BOOTTIME) - ago;
  speed = wanted ? strtoll(wanted, NULL, 10) : 1;
}

/* Coarse clocks tell what the fine ones do: a tick of theirs would be most of a second. NULL: CPU time, which is left as it is. */
static const int64_t *start_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: return &day_at_start;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_COARSE: case CLOCK_MONOTONIC_RAW: return &uptime_at_start;
    case CLOCK_BOOTTIME: return &boot_at_start;
    default: return NULL;
  }
}

static int64_t fast_time(int64_t start) { return start + (true_time(CLOCK_MONOTONIC) - uptime_at_start) * speed; }

/* Never none, where there was some. */
static int64_t true_length(int64_t nanoseconds) { return nanoseconds > 0 ? nanoseconds / speed + 1 : 0; }

/* In true uptime. */
static int64_t true_deadline(const struct timespec *deadline) {
  int64_t start = deadline->tv_sec > LATEST_UPTIME_S ? day_at_start : uptime_at_start;
  return uptime_at_start + true_length(of(*deadline) - start);
}

/* What time it is. */

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int64_t *start = start_of(clock);
  if (!start || !day_at_start) return (int)syscall(SYS_clock_gettime, clock, now); /* or not begun yet */
  *now = as_time(fast_time(*start));
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time = as_time(fast_time(day_at_start));
  *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  time_t now = fast_time(day_at_start) / SECOND;
  if (result) *result = now;
  return now;
}

/* Waits of a length. */

int nanosleep(const struct timespec *wanted, struct timespec *left) {
  struct timespec length = as_time(true_length(of(*wanted))), rest = {0, 0};
  int failure = clock_nanosleep(CLOCK_MONOTONIC, 0, &length, &rest);
  if (!failure) return 0;
  if (left) *left = as_time(of(rest) * speed);
  errno = failure;
  return -1;
}

int usleep(useconds_t microseconds) {
  struct timespec length = as_time((int64_t)microseconds * 1000);
  return nanosleep(&length, NULL);
}

unsigned sleep(unsigned seconds) {
  struct timespec length = {seconds, 0}, left = {0, 0};
  return nanosleep(&length, &left) ? (unsigned)left.tv_sec : 0;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  struct timespec length = as_time(true_length((int64_t)milliseconds * 1000000));
  return ppoll(descriptors, count, milliseconds < 0 ? NULL : &length, NULL);
}

/* Waits until a moment. */

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
  struct timespec at = as_time(true_deadline(deadline));
  return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &at);
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict deadline) {
  (void)clock;
  int64_t ahead = true_deadline(deadline) - true_time(CLOCK_MONOTONIC);
  struct timespec at = as_time(true_time(CLOCK_REALTIME) + (ahead > 0 ? ahead : 0));
  return pthread_mutex_timedlock(mutex, &at);
}
