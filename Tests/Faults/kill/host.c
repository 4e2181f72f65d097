/* A host that records events, to be killed: host PROPERTIES ROLE NAME COUNT. Every event has a
 * name of its own, NAME-i, which is reported as soon as it is recorded.
 *
 *   run    records, delivers, records again, closes
 *   fork   forks after the first half; the child records its own and closes, and so does the parent
 *   close  like run, but closes in the middle of it all when SIGUSR1 comes
 *   hold   records and waits to be killed
 *   heir   delivers what others left, COUNT records */
#include "host_calls.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* MACHINE_MS: what a busy machine may add. */
enum { CLOSE_MS = 20, MACHINE_MS = 2000 };

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
    hoist_event_property property = {sizeof property, "event", HOIST_EVENT_TEXT, text, 0, false};
    hoist_event event = {sizeof event, 0, false, &property, 1};
    /* Not listed, and so off; counted under its name. Of a closed client it is the fallback. */
    bool is_on = hoist_client_bool(client, text, NULL, true, NULL);
    require(!is_on || (may_be_closed && hoist_client_get_state(client) == HOIST_CLIENT_CLOSED), "not off");
    if (!succeeds(hoist_client_track(client, "recorded", NULL, &event), HOIST_ERR_STATE, "not recorded")) return;
    report("recorded", text);
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
  job own = {open_client("unleash", properties), name, count};
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
  hoist_client *client = open_client("unleash", argv[1]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  if (strcmp(role, "heir") == 0) {
    alarm(60);
    inherit(client, count, "events", "metrics");
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
