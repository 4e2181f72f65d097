/* Stores of rules and of big segments in a host's tables, for LaunchDarkly's mode server. */
#include <hoist/launchdarkly.h>

#include "check.h"
#include "host.h"

#define FLAG                                                                                                           \
  "{\"key\":\"f\",\"version\":3,\"on\":true,\"variations\":[\"off\",\"on\"],\"offVariation\":0,"                       \
  "\"fallthrough\":{\"variation\":0},\"rules\":[{\"variation\":1,\"clauses\":[{\"attribute\":\"\","                    \
  "\"op\":\"segmentMatch\",\"values\":[\"big\"]}]}]}"
#define SEGMENT "{\"key\":\"big\",\"version\":1,\"unbounded\":true,\"generation\":2}"

typedef struct told {
  int released, queries, sink_errors;
  char hash[64];
} told;

static hoist_status all(void *user_data, hoist_launchdarkly_item_kind kind, hoist_launchdarkly_item_sink *sink) {
  told *mine = (told *)user_data;
  const char *key = kind == HOIST_LAUNCHDARKLY_FLAG ? "f" : "big", *json = kind == HOIST_LAUNCHDARKLY_FLAG ? FLAG : SEGMENT;
  mine->sink_errors += hoist_launchdarkly_item_sink_add(NULL, key, json, strlen(json)) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_item_sink_add(sink, NULL, json, strlen(json)) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_item_sink_add(sink, "\xff", json, strlen(json)) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_item_sink_add(sink, key, NULL, 1) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_item_sink_add(sink, key, json, (size_t)1 << 40) == HOIST_ERR_LIMIT;
  return hoist_launchdarkly_item_sink_add(sink, key, json, strlen(json));
}

static hoist_status init(void *user_data, const hoist_launchdarkly_item *items, size_t count) {
  (void)user_data, (void)items, (void)count;
  return HOIST_OK;
}

static hoist_status upsert(void *user_data, const hoist_launchdarkly_item *item, hoist_launchdarkly_item_sink *sink) {
  (void)user_data, (void)item, (void)sink;
  return HOIST_OK;
}

static hoist_status initialized(void *user_data, bool *is_initialized) {
  (void)user_data;
  *is_initialized = false;
  return HOIST_OK;
}

static void released(void *user_data) { __atomic_add_fetch(&((told *)user_data)->released, 1, __ATOMIC_SEQ_CST); }

/* Clients are freed on another thread of the library's: what they hold goes then. */
static bool all_released(told *mine, int count) {
  for (int turn = 0; turn < 2000 && __atomic_load_n(&mine->released, __ATOMIC_SEQ_CST) < count; turn++) {
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  return __atomic_load_n(&mine->released, __ATOMIC_SEQ_CST) == count;
}

static hoist_status metadata(void *user_data, int64_t *up_to_date_ms) {
  (void)user_data;
  *up_to_date_ms = 1;
  return HOIST_OK;
}

static hoist_status memberships(void *user_data, const char *hash, hoist_launchdarkly_membership_sink *sink) {
  told *mine = (told *)user_data;
  mine->queries++;
  snprintf(mine->hash, sizeof mine->hash, "%s", hash);
  mine->sink_errors += hoist_launchdarkly_membership_sink_add(NULL, "big.g2", true) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_membership_sink_add(sink, NULL, true) == HOIST_ERR_ARGUMENT;
  mine->sink_errors += hoist_launchdarkly_membership_sink_add(sink, "\xff", true) == HOIST_ERR_ARGUMENT;
  hoist_launchdarkly_membership_sink_add(sink, "big.g2", false);
  return hoist_launchdarkly_membership_sink_add(sink, "big.g2", true);
}

static hoist_launchdarkly_store rules_of(told *mine) {
  hoist_launchdarkly_store store = HOIST_LAUNCHDARKLY_STORE_INIT;
  store.user_data = mine;
  store.init = init;
  store.all = all;
  store.upsert = upsert;
  store.initialized = initialized;
  store.release = released;
  return store;
}

static hoist_launchdarkly_big_segments segments_of(told *mine) {
  hoist_launchdarkly_big_segments store = HOIST_LAUNCHDARKLY_BIG_SEGMENTS_INIT;
  store.user_data = mine;
  store.metadata = metadata;
  store.memberships = memberships;
  store.release = released;
  return store;
}

static hoist_config *server(void) {
  hoist_config *config = hoist_config_new("launchdarkly");
  host_set(config, "mode", "server");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

/* (LDS-66, LDS-28, LDS-63, LDS-64; ready, closed) */
TEST(rules_and_memberships_come_from_the_host) {
  static told rules, segments;
  hoist_config *config = server();
  host_set(config, "daemon_mode", "true");
  hoist_launchdarkly_store store = rules_of(&rules);
  hoist_launchdarkly_big_segments big = segments_of(&segments);
  CHECK_INT(hoist_launchdarkly_config_set_store(config, &store, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_config_set_big_segments(config, &big, NULL), HOIST_OK);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_client_wait_ready(client, 60000), HOIST_OK);
  CHECK(hoist_launchdarkly_is_initialized(client));
  hoist_context *context = hoist_context_new("user-key");
  for (int turn = 0; turn < 2; turn++) {
    hoist_detail *detail = NULL;
    char value[8];
    CHECK_INT(hoist_client_string(client, "f", context, "none", value, sizeof value, &detail), 2);
    CHECK(strcmp(value, "on") == 0);
    hoist_text *reason = hoist_launchdarkly_detail_reason(detail);
    CHECK(strstr(hoist_text_data(reason), "\"bigSegmentsStatus\":\"STALE\"") != NULL);
    hoist_text_free(reason);
    hoist_detail_free(detail);
  }
  CHECK_INT(segments.queries, 1);
  CHECK(strcmp(segments.hash, "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0=") == 0);
  CHECK(rules.sink_errors >= 10 && segments.sink_errors == 3);
  hoist_launchdarkly_store_status known = HOIST_LAUNCHDARKLY_STORE_STATUS_INIT;
  CHECK_INT(hoist_launchdarkly_get_store_status(client, &known), HOIST_OK);
  CHECK(known.is_available && !known.is_stale);
  hoist_launchdarkly_big_segments_status status = HOIST_LAUNCHDARKLY_BIG_SEGMENTS_STATUS_INIT;
  CHECK_INT(hoist_launchdarkly_get_big_segments_status(client, &status), HOIST_OK);
  CHECK(status.is_available && status.is_stale);
  status.struct_size = 1;
  CHECK_INT(hoist_launchdarkly_get_big_segments_status(client, &status), HOIST_ERR_ARGUMENT);
  hoist_client_close(client, 5000);
  status.struct_size = sizeof status;
  CHECK_INT(hoist_launchdarkly_get_store_status(client, &known), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_get_big_segments_status(client, &status), HOIST_ERR_STATE);
  hoist_context_free(context);
  hoist_client_free(client);
  CHECK(all_released(&rules, 1) && all_released(&segments, 1));
}

/* (LDS-63, LDS-64; offline) */
TEST(without_stores_their_status_says_so) {
  hoist_config *config = server();
  hoist_client *client = host_open(config);
  hoist_launchdarkly_store_status known = HOIST_LAUNCHDARKLY_STORE_STATUS_INIT;
  hoist_launchdarkly_big_segments_status status = HOIST_LAUNCHDARKLY_BIG_SEGMENTS_STATUS_INIT;
  CHECK_INT(hoist_launchdarkly_get_store_status(client, &known), HOIST_OK);
  CHECK(known.is_available && !known.is_stale);
  CHECK_INT(hoist_launchdarkly_get_big_segments_status(client, &status), HOIST_OK);
  CHECK(!status.is_available && !status.is_stale);
  CHECK_INT(hoist_launchdarkly_get_store_status(client, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_get_store_status(NULL, &known), HOIST_ERR_ARGUMENT);
  hoist_client_free(client);
}

/* (LDS-65; before start) */
TEST(a_configuration_has_one_store_of_each_kind) {
  static told mine;
  hoist_launchdarkly_store store = rules_of(&mine);
  hoist_launchdarkly_big_segments big = segments_of(&mine);
  hoist_config *config = server();
  CHECK_INT(hoist_launchdarkly_config_set_store(config, &store, NULL), HOIST_OK);
  hoist_error *error = NULL;
  CHECK_INT(hoist_launchdarkly_config_set_store(config, &store, &error), HOIST_ERR_STATE);
  CHECK(strstr(hoist_error_message(error), "already") != NULL);
  hoist_error_free(error);
  CHECK(all_released(&mine, 1));
  CHECK_INT(hoist_launchdarkly_config_set_big_segments(config, &big, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_config_set_big_segments(config, &big, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_config_set_store(config, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_config_set_store(NULL, &store, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(config);
  CHECK(all_released(&mine, 5));
  config = hoist_config_new("unleash");
  CHECK_INT(hoist_launchdarkly_config_set_store(config, &store, NULL), HOIST_ERR_UNSUPPORTED);
  hoist_config_free(config);
  CHECK(all_released(&mine, 6));
}

/* (LDS-01; before start, offline) */
TEST(stores_are_for_mode_server) {
  static told mine;
  hoist_launchdarkly_store store = rules_of(&mine);
  hoist_config *config = host_launchdarkly_config();
  hoist_client *client = NULL;
  CHECK_INT(hoist_launchdarkly_config_set_store(config, &store, NULL), HOIST_OK);
  CHECK_INT(hoist_client_open(config, &client, NULL), HOIST_ERR_CONFIG);
  hoist_config_free(config);
  client = host_launchdarkly_client();
  hoist_launchdarkly_store_status known = HOIST_LAUNCHDARKLY_STORE_STATUS_INIT;
  hoist_launchdarkly_big_segments_status status = HOIST_LAUNCHDARKLY_BIG_SEGMENTS_STATUS_INIT;
  CHECK_INT(hoist_launchdarkly_get_store_status(client, &known), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_get_big_segments_status(client, &status), HOIST_ERR_STATE);
  hoist_launchdarkly_observer observer = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
  hoist_token token = 7;
  CHECK_INT(hoist_launchdarkly_observe_store_status(client, &observer, &token), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_observe_big_segments_status(client, &observer, &token), HOIST_ERR_STATE);
  CHECK(token == 0);
  hoist_client_free(client);
  CHECK(all_released(&mine, 1));
}

int main(void) {
  RUN(rules_and_memberships_come_from_the_host);
  RUN(without_stores_their_status_says_so);
  RUN(a_configuration_has_one_store_of_each_kind);
  RUN(stores_are_for_mode_server);
  return check_summary();
}
