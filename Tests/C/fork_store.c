/* G9: children that are forked while their parent writes to its store, under load, evaluate, open their store, deliver
 * and end; what parent and children counted arrives, once. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "loopback.h"
#include <hoist/unleash.h>

static loopback server;
static hoist_client *client;
static char folder[] = "/tmp/hoist-fork-XXXXXX";
static bool is_over;
static long evaluations, events;

static hoist_config *config_without_flags(void) {
  hoist_config *config = hoist_config_new("unleash");
  host_set(config, "url", server.url);
  host_set(config, "key", "test-key");
  host_set(config, "store.path", folder);
  host_set(config, "log.level", "none");
  return config;
}

static hoist_client *storing_client(void) {
  hoist_config *config = config_without_flags();
  host_set(config, "events.durability", "immediate"); /* each tracked event is in the store before the call returns */
  host_set(config, "metrics_interval", "1");
  hoist_client *opened = NULL;
  if (hoist_client_open(config, &opened, NULL) != HOIST_OK) exit(70);
  hoist_config_free(config);
  return opened;
}

/* Without network: flags come from the store, or there are none. */
static hoist_client *reading_client(void) {
  hoist_config *config = config_without_flags();
  host_set(config, "online", "false");
  hoist_client *opened = NULL;
  if (hoist_client_open(config, &opened, NULL) != HOIST_OK) exit(70);
  hoist_config_free(config);
  return opened;
}

/* Also where the store took longer than the call waits: it is delivered then, and stored meanwhile. */
static bool is_recorded(hoist_status status) { return status == HOIST_OK || status == HOIST_ERR_UNSAVED; }

static void *evaluate_and_track(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
    if (hoist_client_bool(client, "on", NULL, false, NULL)) __atomic_add_fetch(&evaluations, 1, __ATOMIC_SEQ_CST);
    if (is_recorded(hoist_client_track(client, "parent", NULL, NULL))) {
      __atomic_add_fetch(&events, 1, __ATOMIC_SEQ_CST);
    } else {
      sched_yield(); /* more than is delivered: refused, and not counted here */
    }
  }
  return unused;
}

enum { CHILD_EVALUATIONS = 3 };

/* The exit status names the step that failed. */
static int live_as_a_child(void) {
  for (int again = 0; again < CHILD_EVALUATIONS; again++)
    if (!hoist_client_bool(client, "on", NULL, false, NULL)) return 1;
  if (!is_recorded(hoist_client_track(client, "child", NULL, NULL))) return 2;
  if (hoist_client_flush(client, 30000) != HOIST_OK) return 3;
  hoist_client *own = reading_client();
  if (hoist_client_wait_ready(own, 30000) != HOIST_OK) return 4;
  if (!hoist_unleash_check_enabled(own, "on", NULL)) return 5; /* counts nothing */
  if (hoist_client_close(own, 30000) != HOIST_OK) return 6;
  hoist_client_free(own);
  if (hoist_client_close(client, 30000) != HOIST_OK) return 7;
  hoist_client_free(client);
  return 0;
}

static int rounds(void) {
  const char *text = getenv("HOIST_TEST_ROUNDS");
  int number = text ? atoi(text) : 200;
  return number > 0 ? number : 1;
}

TEST(children_forked_during_a_store_write_deliver) {
  pthread_t threads[2];
  for (int index = 0; index < 2; index++)
    CHECK_INT(pthread_create(&threads[index], NULL, evaluate_and_track, NULL), 0);
  int bad = 0;
  long stored = __atomic_load_n(&events, __ATOMIC_SEQ_CST);
  for (int round = 0; round < rounds(); round++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      _exit(live_as_a_child());
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) continue;
    if (bad++ < 5) printf("#   round %d: wait status %d\n", round, status);
  }
  stored = __atomic_load_n(&events, __ATOMIC_SEQ_CST) - stored;
  __atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  printf("#   %d children, %ld events stored by the parent meanwhile\n", rounds(), stored);
  CHECK_INT(bad, 0);
  CHECK(stored > rounds());
}

TEST(the_parent_delivers_all_of_its_own) {
  CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
  evaluations++;
  CHECK_INT(hoist_client_flush(client, 60000), HOIST_OK);
  CHECK(is_recorded(hoist_client_track(client, "parent", NULL, NULL)));
  events++;
  CHECK_INT(hoist_client_close(client, 60000), HOIST_OK);
  CHECK_INT(server.totals->events, events);
  CHECK_INT(server.totals->evaluations, evaluations + CHILD_EVALUATIONS * rounds());
}

TEST(each_child_has_delivered_its_own_once) { CHECK_INT(server.totals->child_events, rounds()); }

static void remove_folder(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command) != 0) fputs("the store's folder is left behind\n", stderr);
}

int main(void) {
  server = loopback_start();
  if (!mkdtemp(folder)) return 70;
  client = storing_client();
  if (hoist_client_wait_ready(client, 30000) != HOIST_OK) return 70;
  /* The flags are in the store when it has closed. */
  if (hoist_client_close(client, 30000) != HOIST_OK || hoist_client_reopen(client, NULL) != HOIST_OK) return 70;
  RUN(children_forked_during_a_store_write_deliver);
  RUN(the_parent_delivers_all_of_its_own);
  RUN(each_child_has_delivered_its_own_once);
  hoist_client_free(client);
  remove_folder();
  kill(server.process, SIGKILL);
  return check_summary();
}
