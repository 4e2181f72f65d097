/* A host that decides and tracks, to be killed: optimizely_host PROPERTIES ROLE NAME COUNT. Every visitor has a name of
 * its own, NAME-i; its conversion is reported as soon as it is recorded.
 *
 *   run   records, delivers, records again, closes
 *   heir  delivers what others left, COUNT events */
#include "host_calls.h"

static void record(hoist_client *client, const char *name, int from, int to) {
  for (int number = from; number < to; number++) {
    char visitor[64];
    snprintf(visitor, sizeof visitor, "%s-%d", name, number);
    hoist_context *context = hoist_context_new(visitor);
    (void)hoist_client_bool(client, "banner", context, false, NULL);
    require(hoist_client_track(client, "purchase", context, NULL) == HOIST_OK, "not recorded");
    hoist_context_free(context);
    report("recorded", visitor);
  }
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const char *name = argv[3];
  int count = atoi(argv[4]);
  hoist_client *client = open_client("optimizely", argv[1]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  if (strcmp(argv[2], "heir") == 0) {
    alarm(60);
    inherit(client, count, "events", NULL);
  } else {
    record(client, name, 0, count / 2);
    require(hoist_client_flush(client, LIMIT_MS) == HOIST_OK, "not flushed");
    record(client, name, count / 2, count);
  }
  finish(client, name);
  return 0;
}
