/* A host that records events, to be killed: host PROPERTIES ROLE NAME COUNT. PROPERTIES is a file for
 * hoist_config_load_file(); every event has a name of its own, NAME-i, which is reported as soon as it is recorded.
 *
 *   run    records, delivers, records again, closes
 *   fork   forks after the first half; the child records its own and closes, and so does the parent
 *   close  like run, but closes in the middle of it all when SIGUSR1 comes
 *   hold   records and waits to be killed
 *   heir   delivers what others left, COUNT records */
#define _POSIX_C_SOURCE 200809L
#include <hoist/hoist.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* MACHINE_MS: what a busy machine may add. */
enum { LIMIT_MS = 20000, CLOSE_MS = 20, MACHINE_MS = 2000 };

/* One write, so that a kill leaves whole lines. */
static void report(const char *what, const char *name) {
  char line[128];
  int length = snprintf(line, sizeof line, "%s %s\n", what, name);
  if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(5);
}

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "host: %s\n", what);
  _exit(1);
}

static hoist_client *open_client(const char *properties) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("unleash");
  hoist_client *client = NULL;
  if (hoist_config_load_file(config, properties, &error) != HOIST_OK ||
      hoist_client_open(config, &client, &error) != HOIST_OK)
    require(false, hoist_error_message(error));
  hoist_config_free(config);
  return client;
}

/* Somebody may close the client meanwhile. */
static bool may_be_closed;

static bool succeeds(hoist_status status, hoist_status when_closed, const char *what) {
  require(status == HOIST_OK || (may_be_closed && status == when_closed), what);
  return status == HOIST_OK;
}

static void record(hoist_client *client, const char *name, int from, int to) {
  for (int number = from; number < to; number++) {
    char text[64];
    snprintf(text, sizeof text, "%s-%d", name, number);
    hoist_property property = {"event", text, 0};
    hoist_event event = {sizeof event, 0, false, &property, 1};
    require(hoist_client_bool(client, text, NULL, true, NULL), "no fallback"); /* counted under its name */
    if (!succeeds(hoist_client_track(client, "recorded", NULL, &event), HOIST_ERR_STATE, "not recorded")) return;
    report("recorded", text);
  }
}

static void finish(hoist_client *client, const char *name) {
  require(hoist_client_close(client, LIMIT_MS) == HOIST_OK, "not closed in time");
  hoist_client_free(client);
  report("closed", name);
}

/* The number of a counter in the statistics. */
static long counter(hoist_client *client, const char *group, const char *name) {
  hoist_text *statistics = hoist_client_statistics(client);
  char key[64];
  snprintf(key, sizeof key, "\"%s\":{", group);
  const char *found = strstr(hoist_text_data(statistics), key);
  snprintf(key, sizeof key, "\"%s\":", name);
  found = found ? strstr(found, key) : NULL;
  long number = found ? strtol(found + strlen(key), NULL, 10) : -1;
  hoist_text_free(statistics);
  require(number >= 0, "no such counter");
  return number;
}

static void inherit(hoist_client *client, int expected) {
  while (counter(client, "events", "delivered") + counter(client, "metrics", "delivered") < expected) {
    (void)hoist_client_flush(client, LIMIT_MS);
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* until the store has handed them over */
  }
}

/* ---- Closing at any moment ---- */

typedef struct job {
  hoist_client *client;
  const char *name;
  int count;
} job;

static void *work(void *argument) {
  job *own = argument;
  if (succeeds(hoist_client_wait_ready(own->client, LIMIT_MS), HOIST_ERR_CANCELLED, "not ready")) {
    record(own->client, own->name, 0, own->count / 2);
    (void)hoist_client_flush(own->client, LIMIT_MS);
    record(own->client, own->name, own->count / 2, own->count);
    report("worked", own->name);
  }
  kill(getpid(), SIGUSR1);
  return NULL;
}

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void close_in_time(hoist_client *client) {
  long long started = now_ms();
  hoist_status status = hoist_client_close(client, CLOSE_MS);
  require(status == HOIST_OK || status == HOIST_ERR_TIMEOUT, "a close failed");
  require(now_ms() - started <= CLOSE_MS + MACHINE_MS, "a close took too long");
}

static void close_when_told(const char *properties, const char *name, int count) {
  sigset_t told;
  sigemptyset(&told);
  sigaddset(&told, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &told, NULL); /* the library's threads inherit that */
  may_be_closed = true;
  job own = {open_client(properties), name, count};
  pthread_t thread;
  require(pthread_create(&thread, NULL, work, &own) == 0, "no thread");
  int signal;
  sigwait(&told, &signal);
  close_in_time(own.client);
  close_in_time(own.client);
  pthread_join(thread, NULL);
  hoist_client_free(own.client);
  report("closed", name);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const char *role = argv[2], *name = argv[3];
  int count = atoi(argv[4]);
  if (strcmp(role, "close") == 0) {
    close_when_told(argv[1], name, count);
    return 0;
  }
  hoist_client *client = open_client(argv[1]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  if (strcmp(role, "heir") == 0) {
    alarm(60);
    inherit(client, count);
    finish(client, name);
    return 0;
  }
  record(client, name, 0, count / 2);
  pid_t child = strcmp(role, "fork") == 0 ? fork() : 1;
  if (child == 0) {
    record(client, "child", 0, count);
    finish(client, "child");
    _exit(0);
  }
  if (strcmp(role, "run") == 0) require(hoist_client_flush(client, LIMIT_MS) == HOIST_OK, "not flushed");
  record(client, name, count / 2, count);
  while (strcmp(role, "hold") == 0) pause();
  if (strcmp(role, "fork") == 0) require(waitpid(child, NULL, 0) == child, "no child");
  finish(client, name);
  return 0;
}
