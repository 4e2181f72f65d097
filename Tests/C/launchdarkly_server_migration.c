/* LaunchDarkly's migrations in mode server: the stage with its tracker, and the migrator. */
#include <pthread.h>

#include <hoist/launchdarkly.h>

#include "check.h"
#include "host.h"

enum { OLD = HOIST_LAUNCHDARKLY_MIGRATION_OLD, NEW = HOIST_LAUNCHDARKLY_MIGRATION_NEW };

/* A client whose only flag, "stage", has a value. */
static hoist_client *in_stage(const char *name) {
  char rules[100];
  hoist_config *config = host_launchdarkly_config();
  snprintf(rules, sizeof rules, "{\"flagValues\":{\"stage\":%s}}", name);
  host_set(config, "mode", "server");
  host_set(config, "bootstrap", rules);
  host_set(config, "context", "{\"kind\":\"user\",\"key\":\"u\"}");
  hoist_client *client = host_open(config);
  if (hoist_client_wait_ready(client, 10000) != HOIST_OK) exit(70);
  return client;
}

static bool compares(void *user_data) {
  (*(int *)user_data)++;
  return true;
}

/* (LDS-45, LDS-61; offline, closed, reopened) */
TEST(a_tracker_gathers_an_operation) {
  hoist_client *client = in_stage("\"live\"");
  hoist_launchdarkly_migration_tracker *tracker = NULL;
  int compared = 0;
  CHECK_INT(hoist_launchdarkly_migration_variation(client, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_OFF, &tracker),
            HOIST_LAUNCHDARKLY_MIGRATION_LIVE);
  CHECK(tracker != NULL);
  CHECK_INT(hoist_launchdarkly_migration_track(client, tracker), HOIST_ERR_ARGUMENT); /* nothing was done yet */
  CHECK_INT(hoist_launchdarkly_migration_tracker_begin(tracker, HOIST_LAUNCHDARKLY_MIGRATION_READ), HOIST_OK);
  for (int origin = OLD; origin <= NEW; origin++) {
    CHECK_INT(hoist_launchdarkly_migration_tracker_invoked(tracker, origin), HOIST_OK);
    CHECK_INT(hoist_launchdarkly_migration_tracker_took(tracker, origin, 12.5), HOIST_OK);
  }
  CHECK_INT(hoist_launchdarkly_migration_tracker_failed(tracker, OLD), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_migration_tracker_check(tracker, compares, &compared), HOIST_OK);
  CHECK_INT(compared, 1);
  CHECK_INT(hoist_launchdarkly_migration_track(client, tracker), HOIST_OK);
  (void)hoist_client_close(client, 0);
  CHECK_INT(hoist_launchdarkly_migration_track(client, tracker), HOIST_ERR_STATE);
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_migration_track(client, tracker), HOIST_OK);
  hoist_client_free(client);
  CHECK_INT(hoist_launchdarkly_migration_tracker_begin(tracker, HOIST_LAUNCHDARKLY_MIGRATION_WRITE), HOIST_OK);
  hoist_launchdarkly_migration_tracker_free(tracker); /* it outlives its client */
}

/* (LDS-61; offline) */
TEST(what_is_none_is_refused) {
  hoist_client *client = in_stage("\"live\""), *other = host_launchdarkly_client();
  hoist_launchdarkly_migration_tracker *tracker = NULL;
  CHECK_INT(hoist_launchdarkly_migration_variation(client, "nowhere", NULL, 99, &tracker), HOIST_LAUNCHDARKLY_MIGRATION_OFF);
  CHECK_INT(hoist_launchdarkly_migration_tracker_begin(tracker, 2), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_tracker_invoked(tracker, -1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_tracker_failed(tracker, 2), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_tracker_took(tracker, OLD, -1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_tracker_took(tracker, 7, 1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_tracker_check(tracker, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_track(NULL, tracker), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_track(client, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migration_track(other, tracker), HOIST_ERR_STATE);
  hoist_launchdarkly_migration_tracker_free(tracker);
  CHECK_INT(hoist_launchdarkly_migration_variation(NULL, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_SHADOW, &tracker),
            HOIST_LAUNCHDARKLY_MIGRATION_SHADOW);
  CHECK(tracker == NULL);
  CHECK_INT(hoist_launchdarkly_migration_variation(other, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_SHADOW, NULL),
            HOIST_LAUNCHDARKLY_MIGRATION_SHADOW);
  CHECK_INT(hoist_launchdarkly_migration_variation(client, "\xff", NULL, HOIST_LAUNCHDARKLY_MIGRATION_SHADOW, NULL),
            HOIST_LAUNCHDARKLY_MIGRATION_SHADOW);
  hoist_launchdarkly_migration_tracker_free(NULL);
  hoist_client_free(client);
  hoist_client_free(other);
}

/* ---- The migrator ------------------------------------------------------------------------------------------ */

typedef struct systems {
  pthread_mutex_t lock;
  pthread_cond_t moved;
  char calls[8];
  int failing, inside, compared;
  bool meet; /* whether each waits for the other to have begun */
  pthread_t threads[2];
  int values[2];
} systems;

static void set_up(systems *both) {
  memset(both, 0, sizeof *both);
  pthread_mutex_init(&both->lock, NULL);
  pthread_cond_init(&both->moved, NULL);
  both->failing = -1;
}

static bool use(systems *both, int origin, char name, void *payload, void **result) {
  bool is_fine = payload == &both->compared && *result == NULL && origin != both->failing;
  pthread_mutex_lock(&both->lock);
  both->calls[strlen(both->calls)] = name;
  both->threads[origin] = pthread_self();
  both->inside++;
  pthread_cond_broadcast(&both->moved);
  while (both->meet && both->inside < 2) pthread_cond_wait(&both->moved, &both->lock);
  pthread_mutex_unlock(&both->lock);
  *result = &both->values[origin];
  return is_fine;
}

static bool read_old(void *data, void *payload, void **result) { return use((systems *)data, OLD, 'o', payload, result); }
static bool read_new(void *data, void *payload, void **result) { return use((systems *)data, NEW, 'n', payload, result); }
static bool write_old(void *data, void *payload, void **result) { return use((systems *)data, OLD, 'O', payload, result); }
static bool write_new(void *data, void *payload, void **result) { return use((systems *)data, NEW, 'N', payload, result); }

static bool is_consistent(void *user_data, const void *old_result, const void *new_result) {
  systems *both = (systems *)user_data;
  if (old_result == &both->values[OLD] && new_result == &both->values[NEW]) both->compared++;
  return false;
}

static hoist_launchdarkly_migrator migrator(systems *both, hoist_launchdarkly_migration_order order) {
  hoist_launchdarkly_migrator table = HOIST_LAUNCHDARKLY_MIGRATOR_INIT;
  table.user_data = both;
  table.read_order = order;
  table.read_old = read_old;
  table.read_new = read_new;
  table.write_old = write_old;
  table.write_new = write_new;
  table.is_consistent = is_consistent;
  return table;
}

/* (LDS-61; offline) */
TEST(it_goes_where_the_stage_says) {
  static const struct { const char *name, *calls; int reads, writes; } stages[] = {
    {"\"off\"", "oO", OLD, OLD}, {"\"dualwrite\"", "oON", OLD, OLD}, {"\"shadow\"", "onON", OLD, OLD},
    {"\"live\"", "noNO", NEW, NEW}, {"\"rampdown\"", "nNO", NEW, NEW}, {"\"complete\"", "nN", NEW, NEW},
    {"\"else\"", "onON", OLD, OLD}};
  for (size_t at = 0; at < sizeof stages / sizeof stages[0]; at++) {
    systems both;
    set_up(&both);
    hoist_client *client = in_stage(stages[at].name);
    hoist_launchdarkly_migrator table = migrator(&both, HOIST_LAUNCHDARKLY_MIGRATION_SERIAL);
    hoist_launchdarkly_migration_result result = HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT;
    int expected = at < 6 ? (int)at : HOIST_LAUNCHDARKLY_MIGRATION_SHADOW;
    CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_SHADOW, &both.compared,
                                               &result), HOIST_OK);
    CHECK_INT(result.stage, expected);
    CHECK_INT(result.authoritative, stages[at].reads);
    CHECK(result.has_succeeded[stages[at].reads] && result.value[stages[at].reads] == &both.values[stages[at].reads]);
    CHECK_INT(both.compared, result.was_invoked[OLD] && result.was_invoked[NEW] ? 1 : 0);
    CHECK_INT(hoist_launchdarkly_migrator_write(client, &table, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_SHADOW, &both.compared,
                                                &result), HOIST_OK);
    CHECK_INT(result.authoritative, stages[at].writes);
    CHECK(strcmp(both.calls, stages[at].calls) == 0);
    hoist_client_free(client);
  }
}

/* (LDS-61; offline) */
TEST(a_failure_is_told_with_what_was_left) {
  systems both;
  set_up(&both);
  hoist_client *client = in_stage("\"live\"");
  hoist_launchdarkly_migrator table = migrator(&both, HOIST_LAUNCHDARKLY_MIGRATION_RANDOM);
  hoist_launchdarkly_migration_result result = HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT;
  both.failing = NEW;
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, "stage", NULL, 0, &both.compared, &result), HOIST_OK);
  CHECK(result.was_invoked[OLD] && result.was_invoked[NEW] && result.has_succeeded[OLD] && !result.has_succeeded[NEW]);
  CHECK(result.value[NEW] == &both.values[NEW] && both.compared == 0);
  CHECK_INT(hoist_launchdarkly_migrator_write(client, &table, "stage", NULL, 0, &both.compared, &result), HOIST_OK);
  CHECK(result.was_invoked[NEW] && !result.was_invoked[OLD] && result.value[OLD] == NULL);
  hoist_client_free(client);
}

/* (LDS-61; offline) */
TEST(concurrent_reads_are_under_way_at_once) {
  systems both;
  set_up(&both);
  both.meet = true;
  hoist_client *client = in_stage("\"shadow\"");
  hoist_launchdarkly_migrator table = migrator(&both, HOIST_LAUNCHDARKLY_MIGRATION_CONCURRENT);
  hoist_launchdarkly_migration_result result = HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT;
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, "stage", NULL, 0, &both.compared, &result), HOIST_OK);
  CHECK(result.has_succeeded[OLD] && result.has_succeeded[NEW] && both.compared == 1);
  CHECK(pthread_equal(both.threads[OLD], pthread_self()) && !pthread_equal(both.threads[NEW], pthread_self()));
  hoist_client_free(client);
}

/* Nobody's data waits for flags (LDS-03, LDS-61; starting, closed) */
TEST(without_rules_it_goes_by_the_default) {
  systems both;
  set_up(&both);
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "mode", "server");
  hoist_client *client = host_open(config);
  hoist_launchdarkly_migrator table = migrator(&both, HOIST_LAUNCHDARKLY_MIGRATION_SERIAL);
  hoist_launchdarkly_migration_result result = HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT;
  for (int turn = 0; turn < 2; turn++) {
    CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_LIVE, &both.compared,
                                               &result), HOIST_OK);
    CHECK_INT(result.stage, HOIST_LAUNCHDARKLY_MIGRATION_LIVE);
    (void)hoist_client_close(client, 0);
  }
  CHECK(strcmp(both.calls, "nono") == 0);
  hoist_client_free(client);
}

/* (LDS-61; offline) */
TEST(no_function_is_called_for_what_is_none) {
  systems both;
  set_up(&both);
  hoist_client *client = in_stage("\"live\""), *other = host_launchdarkly_client(), *stranger = host_client();
  hoist_launchdarkly_migrator table = migrator(&both, HOIST_LAUNCHDARKLY_MIGRATION_SERIAL), half = table, wrong = table, empty = table;
  hoist_launchdarkly_migration_result result = HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT, small = result;
  half.read_new = NULL;
  wrong.read_order = 3;
  empty.struct_size = 0;
  small.struct_size = 8;
  CHECK_INT(hoist_launchdarkly_migrator_read(NULL, &table, "stage", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(other, &table, "stage", NULL, 0, NULL, &result), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_migrator_read(stranger, &table, "stage", NULL, 0, NULL, &result), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, NULL, "stage", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &half, "stage", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &wrong, "stage", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &empty, "stage", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, NULL, NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_read(client, &table, "\xff", NULL, 0, NULL, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_write(client, &table, "stage", NULL, 0, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_migrator_write(client, &table, "stage", NULL, 0, NULL, &small), HOIST_ERR_ARGUMENT);
  CHECK_INT(both.inside, 0);
  CHECK_INT(hoist_launchdarkly_migrator_write(client, &half, "stage", NULL, 0, &both.compared, &result), HOIST_OK);
  hoist_client_free(client);
  hoist_client_free(other);
  hoist_client_free(stranger);
}

int main(void) {
  RUN(a_tracker_gathers_an_operation);
  RUN(what_is_none_is_refused);
  RUN(it_goes_where_the_stage_says);
  RUN(a_failure_is_told_with_what_was_left);
  RUN(concurrent_reads_are_under_way_at_once);
  RUN(without_rules_it_goes_by_the_default);
  RUN(no_function_is_called_for_what_is_none);
  return check_summary();
}
