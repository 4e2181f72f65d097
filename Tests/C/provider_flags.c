/* Provider plug-ins: which flags and states are published, and who hears of it. */
#include <hoist/jansson.h>

#include "provider.h"

TEST(states_without_flags_are_refused) {
  service own;
  service_begin(&own);
  own.publishes_nothing = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_READY, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_STALE, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_CLOSED, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_set_state(own.host, 99, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_ERROR, "\xff"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_ERROR, "away"), HOIST_OK);
  CHECK_INT(hoist_client_get_state(client), HOIST_CLIENT_ERROR);
  CHECK_INT(publish_some(&own), HOIST_OK);
  CHECK_INT(hoist_provider_host_set_state(own.host, HOIST_CLIENT_READY, NULL), HOIST_OK);
  CHECK_INT(hoist_client_wait_ready(client, 0), HOIST_OK);
  CHECK(ends_well(&own, client));
}

static bool refused(hoist_flag_set *set, hoist_flag flag, hoist_status expected, const char *words) {
  hoist_error *error = NULL;
  hoist_status status = hoist_flag_set_add(set, &flag, &error);
  bool is_good = status == expected && strstr(hoist_error_message(error), words) != NULL;
  if (!is_good) printf("#   %s: %s\n", hoist_status_name(status), hoist_error_message(error));
  hoist_error_free(error);
  return is_good;
}

/* G3, G8: a flag that cannot be is refused by its name, and what is there goes on. */
TEST(bad_flags_are_refused_by_name) {
  static const hoist_flag_variation good[] = {{sizeof(hoist_flag_variation), "a", "1"}}, bad[] = {{sizeof(hoist_flag_variation), "a", "1"}, {sizeof(hoist_flag_variation), "b", "{"}}, garbled[] = {{sizeof(hoist_flag_variation), "\xff", "1"}};
  static const hoist_flag_variation nameless[] = {{sizeof(hoist_flag_variation), NULL, NULL}};
  char longest[5000];
  memset(longest, 'k', sizeof longest);
  longest[sizeof longest - 1] = 0;
  hoist_flag_set *set = hoist_flag_set_new();
  CHECK_INT(add(set, flag_of("good", good, 1)), HOIST_OK);
  CHECK(refused(set, flag_of("good", good, 1), HOIST_ERR_ARGUMENT, "\"good\" is there already"));
  CHECK(refused(set, flag_of(NULL, good, 1), HOIST_ERR_ARGUMENT, "NULL"));
  CHECK(refused(set, flag_of("", good, 1), HOIST_ERR_ARGUMENT, "empty"));
  CHECK(refused(set, flag_of("\xff", good, 1), HOIST_ERR_ARGUMENT, "UTF-8"));
  CHECK(refused(set, flag_of(longest, good, 1), HOIST_ERR_LIMIT, "4096"));
  CHECK(refused(set, flag_of("bad", bad, 2), HOIST_ERR_PARSE, "flag \"bad\" has a variation 1 (\"b\") whose value is not JSON"));
  CHECK(refused(set, flag_of("garbled", garbled, 1), HOIST_ERR_ARGUMENT, "\"garbled\""));
  CHECK(refused(set, flag_of("absent", NULL, 2), HOIST_ERR_ARGUMENT, "\"absent\""));
  CHECK(refused(set, flag_of("huge", good, (size_t)-1), HOIST_ERR_LIMIT, "\"huge\""));
  CHECK(refused(set, flag_of("many", good, 1001), HOIST_ERR_LIMIT, "\"many\""));
  hoist_flag flag = flag_of("default", good, 1);
  flag.default_variation = 1;
  CHECK(refused(set, flag, HOIST_ERR_ARGUMENT, "no variation 1"));
  flag.default_variation = -2;
  CHECK(refused(set, flag, HOIST_ERR_ARGUMENT, "no variation -2"));
  flag = flag_of("metadata", good, 1);
  flag.metadata = "[1]";
  CHECK(refused(set, flag, HOIST_ERR_PARSE, "\"metadata\" has metadata"));
  flag = flag_of("short", good, 1);
  flag.struct_size = 3;
  CHECK(refused(set, flag, HOIST_ERR_ARGUMENT, "struct_size"));
  CHECK_INT(add(set, flag_of("nameless", nameless, 1)), HOIST_OK);
  hoist_flag_set_free(set);
}

TEST(changed_flags_are_announced_by_their_keys) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  static const hoist_flag_variation truth[] = {{sizeof(hoist_flag_variation), "off", "false"}, {sizeof(hoist_flag_variation), "on", "true"}};
  hoist_flag_set *set = hoist_flag_set_new();
  hoist_flag flag = flag_of("on", truth, 2);
  CHECK_INT(add(set, flag), HOIST_OK);
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_OK);
  CHECK(!hoist_client_bool(client, "on", NULL, true, NULL));
  CHECK(hoist_client_bool(client, "switch", NULL, false, NULL) == false);
  CHECK_INT(add(set, flag_of("later", truth, 2)), HOIST_OK);
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_OK);
  hoist_flag_set_free(set);
  CHECK_INT(hoist_provider_host_publish(own.host, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK(!hoist_client_bool(client, "later", NULL, true, NULL));
  CHECK(ends_well(&own, client));
}

static void take_keys(void *user_data, const hoist_notification *news) {
  service *own = (service *)user_data;
  size_t used = 0;
  for (size_t index = 0; index < hoist_notification_key_count(news); index++)
    used += (size_t)snprintf(own->last + used, sizeof own->last - used, "%s,", hoist_notification_key(news, index));
  COUNT(own->recorded);
}

TEST(observers_hear_of_what_is_new_gone_or_different) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_observer observer = {sizeof observer, &own, take_keys, NULL};
  CHECK_INT(hoist_client_observe(client, HOIST_TOPIC_CONFIGURATION_CHANGED, NULL, &observer, NULL), HOIST_OK);
  CHECK_INT(publish_some(&own), HOIST_OK); /* the same: nothing to tell */
  static const hoist_flag_variation truth[] = {{sizeof(hoist_flag_variation), "off", "false"}, {sizeof(hoist_flag_variation), "on", "true"}};
  hoist_flag_set *set = some_flags_of_every_type();
  CHECK_INT(add(set, flag_of("new", truth, 2)), HOIST_OK);
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_OK);
  hoist_flag_set_free(set);
  CHECK(eventually(&own.recorded, 1));
  CHECK_TEXT(own.last, "new,");
  CHECK(ends_well(&own, client));
}

TEST(flags_of_one_context_are_nobody_elses) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_context *mine = hoist_context_new("me"), *same = hoist_context_new("me"), *other = hoist_context_new("you");
  hoist_flag_set *set = some_flags_of_every_type();
  CHECK_INT(hoist_flag_set_limit_to(set, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flag_set_limit_to(NULL, mine), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flag_set_limit_to(set, mine), HOIST_OK);
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_OK);
  hoist_flag_set_free(set);
  CHECK(hoist_client_bool(client, "on", same, false, NULL));
  hoist_detail *detail = NULL;
  CHECK(!hoist_client_bool(client, "on", other, false, &detail));
  CHECK_TEXT(hoist_detail_error_code(detail), "INVALID_CONTEXT");
  hoist_detail_free(detail);
  CHECK_INT(hoist_client_identify_wait(client, other, 20000), HOIST_OK);
  CHECK_TEXT(own.last, "you");
  CHECK(hoist_client_bool(client, "on", other, false, NULL)); /* the current one gets what there is */
  hoist_context *current = hoist_provider_host_context(own.host);
  CHECK_TEXT(hoist_context_get_targeting_key(current), "you");
  hoist_context_free(current);
  hoist_context_free(mine);
  hoist_context_free(same);
  hoist_context_free(other);
  CHECK(ends_well(&own, client));
}

TEST(a_flag_is_added_with_values_of_jansson) {
  const hoist_flag_variation two[] = {{sizeof *two, "off", "{"}, {sizeof *two, "on", NULL}};
  hoist_flag flag = HOIST_FLAG_INIT;
  flag.key = "on";
  flag.variations = two;
  flag.variation_count = 2;
  hoist_flag_set *set = hoist_flag_set_new();
  hoist_error *error = NULL;
  json_t *values = json_pack("[b, {s:i}]", 0, "a", 1), *metadata = json_pack("{s:s}", "owner", "web"), *one = json_pack("[b]", 0);
  CHECK_INT(hoist_flag_set_add_jansson(set, &flag, NULL, metadata, NULL), HOIST_ERR_PARSE);
  CHECK_INT(hoist_flag_set_add_jansson(set, &flag, one, metadata, &error), HOIST_ERR_ARGUMENT);
  CHECK(strstr(hoist_error_message(error), "one value for each variation") != NULL);
  hoist_error_free(error);
  CHECK_INT(hoist_flag_set_add_jansson(set, &flag, values, metadata, NULL), HOIST_OK);
  CHECK_INT(hoist_flag_set_add_jansson(set, NULL, values, metadata, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flag_set_add_jansson(NULL, &flag, values, metadata, NULL), HOIST_ERR_ARGUMENT);
  json_decref(values);
  json_decref(metadata);
  json_decref(one);
  hoist_flag_set_free(set);
}

int main(void) {
  RUN(states_without_flags_are_refused);
  RUN(bad_flags_are_refused_by_name);
  RUN(changed_flags_are_announced_by_their_keys);
  RUN(observers_hear_of_what_is_new_gone_or_different);
  RUN(flags_of_one_context_are_nobody_elses);
  RUN(a_flag_is_added_with_values_of_jansson);
  return check_summary();
}
