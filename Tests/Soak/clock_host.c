/* Waits for a minute in each way that fast_clock.c knows, and tells the name and how many seconds each clock says it took:
 * clock_host < /dev/null. The one who started it knows how long that was. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MINUTE = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct timespec in_a_minute(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_sec += MINUTE;
  return at;
}

static void by_sleep(void) { sleep(MINUTE); }
static void by_usleep(void) {
  for (int times = 0; times < 2 * MINUTE; times++) usleep(500000);
}
static void by_nanosleep(void) { nanosleep(&(struct timespec){MINUTE, 0}, NULL); }
static void by_poll(void) { poll(NULL, 0, MINUTE * 1000); }

static void by_condition(clockid_t clock) {
  pthread_condattr_t attributes;
  pthread_cond_t never;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_cond_init(&never, &attributes);
  struct timespec at = in_a_minute(clock);
  pthread_mutex_lock(&lock);
  while (pthread_cond_timedwait(&never, &lock, &at) == 0) continue;
  pthread_mutex_unlock(&lock);
}
static void by_condition_of_the_day(void) { by_condition(CLOCK_REALTIME); }
static void by_condition_of_uptime(void) { by_condition(CLOCK_MONOTONIC); }

static void *wait_for_lock(void *unused) {
  struct timespec at = in_a_minute(CLOCK_MONOTONIC);
  if (pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &at) == 0) pthread_mutex_unlock(&lock);
  return unused;
}
static void by_lock(void) {
  pthread_t other;
  pthread_mutex_lock(&lock);
  if (pthread_create(&other, NULL, wait_for_lock, NULL) == 0) pthread_join(other, NULL);
  pthread_mutex_unlock(&lock);
}

static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE};
enum { CLOCKS = sizeof clocks / sizeof *clocks, ALL = CLOCKS + 2 };

static void read_all(double *seconds) {
  struct timespec now;
  struct timeval day;
  for (int number = 0; number < CLOCKS; number++) {
    clock_gettime(clocks[number], &now);
    seconds[number] = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
  }
  gettimeofday(&day, NULL);
  seconds[CLOCKS] = (double)day.tv_sec + (double)day.tv_usec / 1e6;
  seconds[CLOCKS + 1] = (double)time(NULL);
}

int main(void) {
  static const struct {
    const char *name;
    void (*wait)(void);
  } ways[] = {{"sleep", by_sleep}, {"usleep", by_usleep}, {"nanosleep", by_nanosleep}, {"poll", by_poll},
              {"condition, day", by_condition_of_the_day}, {"condition, uptime", by_condition_of_uptime}, {"lock", by_lock}};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    double before[ALL], after[ALL];
    read_all(before);
    ways[way].wait();
    read_all(after);
    printf("%s:", ways[way].name);
    for (int number = 0; number < ALL; number++) printf(" %.3f", after[number] - before[number]);
    printf("\n");
  }
  return 0;
}
