/* A host that evaluates and tracks, to be killed: service_host SERVICE PROPERTIES ROLE NAME COUNT. Every event has a name
 * of its own, NAME-i, and is reported as soon as it is recorded: it is the visitor's who converts, with LaunchDarkly the
 * event's own key.
 *
 *   run   records, delivers, records again, closes
 *   weak  records and delivers while memory runs out, and ends without closing
 *   heir  delivers what others left, COUNT events */
#include "host_calls.h"

/* No service's calls wait less for the store; one that has waited as long promises nothing. */
enum { STORE_LIMIT_MS = 500 };

/* Preloaded: from here on one in so many requests for memory fails; 0 for none. */
extern void memory_fails(int one_in) __attribute__((weak));

static bool has_visitors(const char *service) { return strcmp(service, "launchdarkly") != 0 && strcmp(service, "unleash") != 0; }

static void record_weakly(hoist_client *client, const char *service, const char *name, int count) {
  const char *goal = strcmp(service, "kameleoon") == 0 ? "83023" : "purchase";
  for (int number = 0; number < count; number++) {
    char event[64];
    snprintf(event, sizeof event, "%s-%d", name, number);
    hoist_context *visitor = has_visitors(service) ? hoist_context_new(event) : NULL;
    if (hoist_client_track(client, visitor ? goal : event, visitor, NULL) == HOIST_OK) report("recorded", event);
    hoist_context_free(visitor);
    if (number % 8 == 7) (void)hoist_client_flush(client, LEAVE_LIMIT_MS);
  }
}

static void record(hoist_client *client, const char *service, const char *name, int from, int to) {
  const char *goal = strcmp(service, "kameleoon") == 0 ? "83023" : "purchase";
  for (int number = from; number < to; number++) {
    char event[64];
    snprintf(event, sizeof event, "%s-%d", name, number);
    hoist_context *visitor = has_visitors(service) ? hoist_context_new(event) : NULL;
    (void)hoist_client_bool(client, "banner", visitor, false, NULL);
    long begun = milliseconds_now();
    hoist_status told = hoist_client_track(client, visitor ? goal : event, visitor, NULL);
    /* On a machine that stands still for a while the store may not have it in time. */
    require(told == HOIST_OK || told == HOIST_ERR_UNSAVED, hoist_status_name(told));
    hoist_context_free(visitor);
    report(told == HOIST_OK && milliseconds_now() - begun < STORE_LIMIT_MS ? "recorded" : "late", event);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const char *service = argv[1], *name = argv[4];
  int count = atoi(argv[5]);
  hoist_client *client = open_client(service, argv[2]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  if (strcmp(argv[3], "heir") == 0) {
    alarm(60);
    bool is_flagship = strcmp(service, "flagship") == 0;
    const char *group = is_flagship ? "hits" : strcmp(service, "kameleoon") == 0 ? "tracking" : "events";
    inherit(client, count, group, is_flagship ? "activates" : NULL);
  } else if (strcmp(argv[3], "weak") == 0) {
    if (memory_fails) memory_fails(256);
    record_weakly(client, service, name, count);
    _exit(0);
  } else {
    record(client, service, name, 0, count / 2);
    require(hoist_client_flush(client, LIMIT_MS) == HOIST_OK, "not flushed");
    record(client, service, name, count / 2, count);
  }
  finish(client, name);
  return 0;
}
