/* A host of Optimizely that does what it is told, line by line: optimizely_host PROPERTIES < LINES
 *
 *   decide USER FLAG   tells the key of the variation, or "none"; nothing is sent
 *   close
 *
 * What has been done is told in a line of its own before the next one is begun. */
#include "host_calls.h"
#include <hoist/optimizely.h>

static void decide(hoist_client *client, const char *name, const char *flag) {
  hoist_optimizely_user *user = hoist_optimizely_user_new(client, name, NULL);
  hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, flag, HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT);
  const char *key = hoist_optimizely_decision_variation_key(decision);
  report("decided", key ? key : "none");
  hoist_optimizely_decision_free(decision);
  hoist_optimizely_user_free(user);
}

static int is_initialized;

static void note(void *user_data, const hoist_notification *notification) {
  (void)user_data, (void)notification;
  __atomic_store_n(&is_initialized, 1, __ATOMIC_SEQ_CST);
}

/* Until what is kept of users has been read. */
static void await_profiles(hoist_client *client) {
  hoist_observer observer = HOIST_OBSERVER_INIT;
  observer.notify = note;
  require(hoist_client_observe(client, HOIST_TOPIC_INITIALIZED, NULL, &observer, NULL) == HOIST_OK, "not observed");
  while (!__atomic_load_n(&is_initialized, __ATOMIC_SEQ_CST)) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

int main(int argc, char **argv) {
  char line[256], what[64], name[64], flag[64];
  if (argc != 2) return 2;
  alarm(300);
  hoist_client *client = open_client("optimizely", argv[1]);
  await_profiles(client);
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%63s %63s %63s", what, name, flag) < 1) continue;
    if (strcmp(what, "close") == 0) break;
    require(strcmp(what, "decide") == 0, "not understood");
    decide(client, name, flag);
  }
  finish(client, "host");
  return 0;
}
