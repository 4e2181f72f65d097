/* Flags that a program sets for its tests: launchdarkly/test_data.h. */
#include <hoist/launchdarkly.h>

#include "check.h"
#include "host.h"

static hoist_status set_flag(hoist_launchdarkly_test_data *data, const char *json) {
  return hoist_launchdarkly_test_data_set_flag(data, json, strlen(json), NULL);
}

static hoist_client *open_with(const hoist_launchdarkly_test_data *data) {
  hoist_config *config = hoist_config_new("launchdarkly");
  host_set(config, "context", "{\"kind\":\"user\",\"key\":\"u\"}");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  hoist_status status = hoist_launchdarkly_config_set_test_data(config, data);
  hoist_client *client = host_open(config);
  if (status != HOIST_OK || hoist_client_wait_ready(client, 10000) != HOIST_OK) {
    fputs("the client is not ready with its test data\n", stderr);
    exit(70);
  }
  return client;
}

/* (LDS-62, LDS-67; ready, second client, closed) */
TEST(what_is_set_is_served_at_once_by_all_clients) {
  hoist_launchdarkly_test_data *data = hoist_launchdarkly_test_data_new();
  CHECK_INT(set_flag(data, "{\"key\":\"n\",\"on\":true,\"variations\":[1,2],\"fallthrough\":{\"variation\":0}}"), HOIST_OK);
  hoist_client *one = open_with(data), *two = open_with(data);
  CHECK_INT(hoist_client_get_state(one), HOIST_CLIENT_READY);
  CHECK(hoist_launchdarkly_is_initialized(one));
  CHECK_INT(hoist_client_int64(one, "n", NULL, 0, NULL), 1);
  CHECK_INT(set_flag(data, "{\"key\":\"n\",\"on\":true,\"variations\":[1,2],\"fallthrough\":{\"variation\":1}}"), HOIST_OK);
  CHECK_INT(hoist_client_int64(one, "n", NULL, 0, NULL), 2);
  CHECK_INT(hoist_client_int64(two, "n", NULL, 0, NULL), 2);
  hoist_client_close(two, 1000);
  hoist_client_free(two);
  hoist_launchdarkly_test_data_free(data);
  CHECK_INT(hoist_client_int64(one, "n", NULL, 0, NULL), 2);
  hoist_client_free(one);
}

/* (LDS-67; ready) */
TEST(a_segment_is_set_like_a_flag) {
  hoist_launchdarkly_test_data *data = hoist_launchdarkly_test_data_new();
  const char *segment = "{\"key\":\"s\",\"included\":[\"u\"]}";
  CHECK_INT(hoist_launchdarkly_test_data_set_segment(data, segment, strlen(segment), NULL), HOIST_OK);
  CHECK_INT(set_flag(data, "{\"key\":\"b\",\"on\":true,\"variations\":[true,false],\"fallthrough\":{\"variation\":1},\"rules\":"
                           "[{\"variation\":0,\"clauses\":[{\"attribute\":\"\",\"op\":\"segmentMatch\",\"values\":[\"s\"]}]}]}"),
            HOIST_OK);
  hoist_client *client = open_with(data);
  CHECK(hoist_client_bool(client, "b", NULL, false, NULL));
  hoist_client_free(client);
  hoist_launchdarkly_test_data_free(data);
}

/* (LDS-67; before start) */
TEST(what_is_none_is_refused) {
  hoist_launchdarkly_test_data *data = hoist_launchdarkly_test_data_new();
  hoist_error *error = NULL;
  CHECK_INT(hoist_launchdarkly_test_data_set_flag(data, "{\"key\":7}", 9, &error), HOIST_ERR_PARSE);
  CHECK(strstr(hoist_error_message(error), "\"key\" is no string") != NULL);
  hoist_error_free(error);
  CHECK_INT(set_flag(data, "{\"key\":\"f\",\"variations\":7}"), HOIST_ERR_PARSE);
  CHECK_INT(set_flag(data, "\xff"), HOIST_ERR_PARSE);
  CHECK_INT(set_flag(NULL, "{}"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_test_data_set_flag(data, NULL, 3, NULL), HOIST_ERR_ARGUMENT);
  hoist_config *config = hoist_config_new("launchdarkly"), *other = hoist_config_new("unleash");
  CHECK_INT(hoist_launchdarkly_config_set_test_data(NULL, data), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_config_set_test_data(config, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_config_set_test_data(other, data), HOIST_ERR_UNSUPPORTED);
  hoist_config_free(other);
  hoist_config_free(config);
  hoist_launchdarkly_test_data_free(data);
  hoist_launchdarkly_test_data_free(NULL);
}

int main(void) {
  RUN(what_is_set_is_served_at_once_by_all_clients);
  RUN(a_segment_is_set_like_a_flag);
  RUN(what_is_none_is_refused);
  return check_summary();
}
