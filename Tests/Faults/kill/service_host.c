/* A host that evaluates and tracks, to be killed: service_host SERVICE PROPERTIES ROLE NAME COUNT. Every event has a name
 * of its own, NAME-i, and is reported as soon as it is recorded: it is the visitor's who converts, with LaunchDarkly the
 * event's own key.
 *
 *   run   records, delivers, records again, closes
 *   heir  delivers what others left, COUNT events */
#include "host_calls.h"

/* No service's calls wait less for the store; one that has waited as long promises nothing. */
enum { STORE_LIMIT_MS = 500 };

static void record(hoist_client *client, const char *service, const char *name, int from, int to) {
  bool has_visitors = strcmp(service, "launchdarkly") != 0;
  const char *goal = strcmp(service, "kameleoon") == 0 ? "83023" : "purchase";
  for (int number = from; number < to; number++) {
    char event[64];
    snprintf(event, sizeof event, "%s-%d", name, number);
    hoist_context *visitor = has_visitors ? hoist_context_new(event) : NULL;
    (void)hoist_client_bool(client, "banner", visitor, false, NULL);
    long begun = milliseconds_now();
    require(hoist_client_track(client, has_visitors ? goal : event, visitor, NULL) == HOIST_OK, "not recorded");
    hoist_context_free(visitor);
    report(milliseconds_now() - begun < STORE_LIMIT_MS ? "recorded" : "late", event);
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
  } else {
    record(client, service, name, 0, count / 2);
    require(hoist_client_flush(client, LIMIT_MS) == HOIST_OK, "not flushed");
    record(client, service, name, count / 2, count);
  }
  finish(client, name);
  return 0;
}
