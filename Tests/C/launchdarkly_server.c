/* What the calls of launchdarkly.h mean in mode server: those for both modes work, the others say that they are none. */
#include <hoist/launchdarkly.h>

#include "check.h"
#include "host.h"

static bool decode(const char *json, size_t length, void *user_data) {
  (void)user_data;
  return length == 5 && memcmp(json, "\"red\"", 5) == 0;
}

/* (LDS-07, LDS-30, LDS-31, LDS-44; offline) */
TEST(calls_for_both_modes_work) {
  hoist_client *client = host_launchdarkly_server();
  hoist_detail *detail = NULL;
  int64_t index = -1;
  CHECK_INT(hoist_launchdarkly_int_variation(client, "number", 7, &detail), 2);
  CHECK(hoist_launchdarkly_detail_variation_index(detail, &index) && index == 0);
  hoist_text *reason = hoist_launchdarkly_detail_reason(detail);
  CHECK(strcmp(hoist_text_data(reason), "{\"kind\":\"FALLTHROUGH\"}") == 0);
  hoist_text_free(reason);
  hoist_detail_free(detail);
  CHECK_INT(hoist_client_int64(client, "number", NULL, 7, NULL), 7);
  CHECK(hoist_launchdarkly_variation_decode(client, "text", decode, NULL, "null", NULL));
  hoist_launchdarkly_connection connection = HOIST_LAUNCHDARKLY_CONNECTION_INIT;
  CHECK_INT(hoist_launchdarkly_connection_information(client, &connection), HOIST_OK);
  CHECK_INT(connection.mode, HOIST_LAUNCHDARKLY_CONNECTION_OFFLINE);
  hoist_launchdarkly_data_source source = HOIST_LAUNCHDARKLY_DATA_SOURCE_INIT;
  CHECK_INT(hoist_launchdarkly_data_source_status(client, &source), HOIST_OK);
  CHECK(!hoist_launchdarkly_is_initialized(client) && !hoist_launchdarkly_is_online(client));
  CHECK_INT(hoist_launchdarkly_track(client, "bought", "{\"a\":1}", NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_track(client, "bought", "{", NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_flush(client), HOIST_OK);
  hoist_client_free(client);
}

/* Data need not be an object (LDS-30, LDS-44; offline, closed) */
TEST(calls_may_name_a_context) {
  hoist_client *client = host_launchdarkly_server();
  hoist_context *other = hoist_context_new("other");
  hoist_context *none = hoist_context_new("");
  hoist_detail *detail = NULL;
  const double metric = -1.5;
  CHECK_INT(hoist_launchdarkly_int_variation_for(client, "number", other, 7, NULL), 2);
  CHECK_INT(hoist_launchdarkly_int_variation_for(client, "number", NULL, 7, NULL), 2);
  CHECK_INT(hoist_launchdarkly_int_variation_for(client, "number", none, 7, &detail), 7);
  CHECK(strcmp(hoist_launchdarkly_detail_error_kind(detail), "USER_NOT_SPECIFIED") == 0);
  hoist_detail_free(detail);
  CHECK_INT(hoist_launchdarkly_track_for(client, "bought", other, "[1]", &metric), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_track_for(client, "bought", NULL, "1", NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_track_for(client, "bought", none, NULL, NULL), HOIST_ERR_ARGUMENT);
  hoist_client_close(client, 1000);
  CHECK_INT(hoist_launchdarkly_track_for(client, "bought", other, NULL, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_track_for(NULL, "bought", other, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_int_variation_for(NULL, "number", other, 7, NULL), 7);
  hoist_context_free(other);
  hoist_context_free(none);
  hoist_client_free(client);
}

/* (LDS-01; offline, closed) */
TEST(calls_for_flags_of_one_context_say_that_they_are_none) {
  hoist_client *client = host_launchdarkly_server();
  hoist_launchdarkly_observer table = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
  hoist_token token = 1;
  const char *keys[] = {"number"};
  for (int turn = 0; turn < 2; turn++) {
    CHECK_INT(hoist_launchdarkly_start(client, 0, NULL, NULL), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_start_wait(client, 0, NULL), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_set_online(client, true, NULL, NULL), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_identify(client, NULL, 0, 0, NULL, NULL), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_identify_wait(client, NULL, 0, 0, NULL), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_set_run_mode(client, HOIST_LAUNCHDARKLY_BACKGROUND), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_observe_flag(client, "number", &table, &token), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_observe_flags(client, keys, 1, &table, &token), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_observe_all(client, &table, &token), HOIST_ERR_STATE);
    CHECK_INT(hoist_launchdarkly_observe_unchanged(client, &table, &token), HOIST_ERR_STATE);
    CHECK(token == 0 && hoist_launchdarkly_environment(client, NULL) == NULL);
    hoist_text *flags = hoist_launchdarkly_all_flags(client);
    CHECK(strcmp(hoist_text_data(flags), "null") == 0);
    hoist_text_free(flags);
    hoist_client_close(client, 1000);
  }
  hoist_client_free(client);
}

int main(void) {
  RUN(calls_for_both_modes_work);
  RUN(calls_may_name_a_context);
  RUN(calls_for_flags_of_one_context_say_that_they_are_none);
  return check_summary();
}
