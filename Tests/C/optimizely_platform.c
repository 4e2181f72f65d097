/* Events of Optimizely's data platform, as text and as jansson's values (OPT-68; offline). */
#include <hoist/jansson.h>
#include <hoist/optimizely.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "host.h"

/* What the host's data platform was told; it runs on a thread of the library's. */
static char told[4][512];
static int told_count;

static hoist_status take(void *user_data, const char *type, const char *action, const char *identifiers_json,
                         const char *data_json) {
  int place = __atomic_load_n(&told_count, __ATOMIC_SEQ_CST);
  (void)user_data;
  if (place == 4) return HOIST_ERR_LIMIT;
  snprintf(told[place], sizeof told[place], "%s %s %s %s", type, action, identifiers_json, data_json);
  __atomic_store_n(&told_count, place + 1, __ATOMIC_SEQ_CST);
  return HOIST_OK;
}

static bool is_told(int count) {
  for (int turn = 0; turn < 2000 && __atomic_load_n(&told_count, __ATOMIC_SEQ_CST) < count; turn++) {
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  return __atomic_load_n(&told_count, __ATOMIC_SEQ_CST) == count;
}

static hoist_client *client_with_platform(void) {
  hoist_config *config = host_optimizely_config();
  hoist_optimizely_odp_manager manager;
  memset(&manager, 0, sizeof manager);
  manager.struct_size = sizeof manager;
  manager.send_event = take;
  __atomic_store_n(&told_count, 0, __ATOMIC_SEQ_CST);
  if (hoist_optimizely_config_set_odp_manager(config, &manager, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

TEST(jansson_says_what_text_says) {
  hoist_client *client = client_with_platform();
  CHECK_INT(hoist_optimizely_send_odp_event(client, "shop", "bought", "{\"email\":\"a@b\"}",
                                            "{\"n\":1,\"price\":2.5,\"gift\":true,\"note\":null}", NULL), HOIST_OK);
  json_t *identifiers = json_pack("{s:s}", "email", "a@b");
  json_t *data = json_pack("{s:i,s:f,s:b,s:n}", "n", 1, "price", 2.5, "gift", 1, "note");
  hoist_error *error = NULL;
  CHECK_INT(hoist_optimizely_send_odp_event_jansson(client, "shop", "bought", identifiers, data, &error), HOIST_OK);
  CHECK(error == NULL);
  CHECK(is_told(2));
  CHECK_TEXT(told[0], "shop bought {\"email\":\"a@b\"} {\"n\":1,\"price\":2.5,\"gift\":true,\"note\":null}");
  CHECK_TEXT(told[1], told[0]);
  /* Borrowed: both are the caller's as before. */
  CHECK_INT(identifiers->refcount, 1);
  CHECK_INT(data->refcount, 1);
  json_decref(identifiers);
  json_decref(data);
  hoist_client_free(client);
}

TEST(no_value_stands_for_none) {
  hoist_client *client = client_with_platform();
  json_t *identifiers = json_pack("{s:s}", "FS-USER-ID", "u");
  CHECK_INT(hoist_optimizely_send_odp_event_jansson(client, NULL, "seen", identifiers, NULL, NULL), HOIST_OK);
  CHECK_INT(hoist_optimizely_send_odp_event_jansson(client, "", "seen", NULL, NULL, NULL), HOIST_OK);
  CHECK(is_told(2));
  CHECK_TEXT(told[0], "fullstack seen {\"fs_user_id\":\"u\"} {}");
  CHECK_TEXT(told[1], "fullstack seen {} {}");
  json_decref(identifiers);
  hoist_client_free(client);
}

/* Sends and forgets the values; the status. */
static hoist_status send(hoist_client *client, const char *action, json_t *identifiers, json_t *data) {
  hoist_error *error = NULL;
  hoist_status status = hoist_optimizely_send_odp_event_jansson(client, NULL, action, identifiers, data, &error);
  if (status != hoist_error_status(error)) status = -1;
  hoist_error_free(error);
  json_decref(identifiers);
  json_decref(data);
  return status;
}

TEST(what_is_no_event_is_refused) {
  hoist_client *client = client_with_platform();
  CHECK_INT(send(client, "a", json_array(), NULL), HOIST_ERR_PARSE);
  CHECK_INT(send(client, "a", json_pack("{s:i}", "email", 1), NULL), HOIST_ERR_PARSE);
  CHECK_INT(send(client, "a", NULL, json_integer(1)), HOIST_ERR_PARSE);
  CHECK_INT(send(client, "a", NULL, json_pack("{s:[]}", "list")), HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA);
  CHECK_INT(send(client, "", NULL, NULL), HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION);
  CHECK_INT(send(client, "\xff", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(send(NULL, "a", NULL, NULL), HOIST_ERR_ARGUMENT);
  json_t *deep = json_object();
  for (int level = 0; level < 600; level++) deep = json_pack("{s:o}", "x", deep);
  CHECK_INT(send(client, "a", NULL, deep), HOIST_ERR_ARGUMENT);
  hoist_client_close(client, 0);
  CHECK_INT(send(client, "a", NULL, NULL), HOIST_ERR_STATE);
  hoist_client_free(client);
  hoist_client *other = host_client();
  CHECK_INT(send(other, "a", NULL, NULL), HOIST_ERR_UNSUPPORTED);
  hoist_client_free(other);
  CHECK_INT(__atomic_load_n(&told_count, __ATOMIC_SEQ_CST), 0);
}

int main(void) {
  RUN(jansson_says_what_text_says);
  RUN(no_value_stands_for_none);
  RUN(what_is_no_event_is_refused);
  return check_summary();
}
