/* Provider plug-ins: flags, evaluations, the life of an instance, and what is refused. */
#include "provider.h"

static const char *value_of(hoist_client *client, const char *key, hoist_detail **detail) {
  hoist_detail_free(*detail);
  *detail = NULL;
  (void)hoist_client_evaluate(client, key, NULL, detail);
  return hoist_detail_value(*detail);
}

TEST(flags_of_every_type_are_served) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
  CHECK(hoist_client_bool(client, "switch", NULL, false, NULL));
  CHECK_INT(hoist_client_int64(client, "whole", NULL, 7, NULL), 3);
  CHECK(hoist_client_double(client, "whole", NULL, 7, NULL) == 3.0);
  char text[20];
  CHECK_INT(hoist_client_string(client, "text", NULL, "", text, sizeof text, NULL), 3);
  CHECK_TEXT(text, "sky");
  CHECK_TEXT(value_of(client, "json", &detail), "{\"a\":[1]}");
  CHECK_TEXT(hoist_detail_variation(detail), "json");
  CHECK_TEXT(value_of(client, "on", &detail), "true");
  CHECK_TEXT(hoist_detail_reason(detail), "STATIC");
  CHECK_TEXT(hoist_detail_metadata(detail), "{\"owner\":\"web\"}");
  CHECK(hoist_detail_enabled(detail));
  CHECK_TEXT(value_of(client, "disabled", &detail), "null");
  CHECK_TEXT(hoist_detail_reason(detail), "DISABLED");
  CHECK_TEXT(hoist_detail_error_code(detail), "");
  CHECK(!hoist_detail_enabled(detail));
  CHECK(hoist_client_bool(client, "disabled", NULL, true, NULL));
  CHECK_INT(hoist_client_int64(client, "none", NULL, 7, NULL), 7);
  CHECK_TEXT(value_of(client, "no default", &detail), "null");
  CHECK_TEXT(hoist_detail_error_code(detail), "");
  hoist_detail_free(detail);
  detail = NULL;
  CHECK_INT(hoist_client_int64(client, "text", NULL, 7, &detail), 7);
  CHECK_TEXT(hoist_detail_error_code(detail), "TYPE_MISMATCH");
  hoist_detail_free(detail);
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  CHECK_INT(own.stopped, 1);
  CHECK(ends_well(&own, client));
}

TEST(a_flag_decided_per_call_sees_the_context_of_the_call) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_context *pro = hoist_context_new("u");
  (void)hoist_context_set_string(pro, "plan", "pro");
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_int64(client, "size", pro, 7, &detail), 50);
  CHECK_TEXT(hoist_detail_reason(detail), "TARGETING_MATCH");
  hoist_detail_free(detail);
  CHECK_INT(hoist_client_int64(client, "size", NULL, 7, NULL), 10);
  CHECK_INT(own.evaluated, 2);
  (void)hoist_client_bool(client, "on", pro, false, NULL);
  CHECK_INT(own.evaluated, 2);
  own.chosen = 2;
  CHECK(hoist_client_double(client, "size", NULL, 7, NULL) == 0.5);
  CHECK_INT(hoist_client_int64(client, "size", NULL, 7, NULL), 7);
  hoist_view *view = hoist_view_new(client, pro);
  CHECK_INT(hoist_view_int64(view, "size", 7), 50);
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  int before = own.evaluated;
  CHECK_INT(hoist_view_int64(view, "size", 7), 7); /* G4: after the end no call begins */
  CHECK(hoist_view_bool(view, "on", false));
  CHECK_INT(own.evaluated, before);
  hoist_client_free(client);
  CHECK_INT(own.destroyed, 0); /* the view may call at any time */
  hoist_view_free(view);
  hoist_context_free(pro);
  /* The snapshot goes with the next look at what is to be freed. */
  service other;
  service_begin(&other);
  table = table_of(&other);
  client = own_client(&table);
  CHECK(ends_well(&other, client));
  CHECK(eventually(&own.destroyed, 1));
  CHECK(eventually(&own.released, 1));
}

/* G11: wrong answers are errors, and counted. */
TEST(a_provider_that_lies_gives_errors_and_fallbacks) {
  static const struct {
    int32_t chosen, reason;
    hoist_status status;
    const char *code;
  } lies[] = {{3, 0, HOIST_OK, "GENERAL"},
              {INT32_MAX, 0, HOIST_OK, "GENERAL"},
              {-2, 0, HOIST_OK, "GENERAL"},
              {INT32_MIN, 0, HOIST_OK, "GENERAL"},
              {0, 8, HOIST_OK, "GENERAL"},
              {0, 4711, HOIST_OK, "GENERAL"},
              {0, -1, HOIST_OK, "GENERAL"},
              {0, 0, HOIST_ERR_ARGUMENT, "INVALID_CONTEXT"},
              {0, 0, HOIST_ERR_STATE, "PROVIDER_NOT_READY"},
              {0, 0, 4711, "GENERAL"}};
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  for (size_t index = 0; index < sizeof lies / sizeof lies[0]; index++) {
    own.chosen = lies[index].chosen;
    own.chosen_reason = lies[index].reason;
    own.decision = lies[index].status;
    hoist_detail *detail = NULL;
    CHECK_INT(hoist_client_int64(client, "size", NULL, 7, &detail), 7);
    CHECK_TEXT(hoist_detail_error_code(detail), lies[index].code);
    hoist_detail_free(detail);
  }
  own.chosen = -1;
  own.chosen_reason = 0;
  own.decision = HOIST_OK;
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_int64(client, "size", NULL, 7, &detail), 7);
  CHECK_TEXT(hoist_detail_error_code(detail), "");
  hoist_detail_free(detail);
  hoist_text *statistics = hoist_client_statistics(client);
  CHECK(strstr(hoist_text_data(statistics), "\"wrong_answers\":7"));
  hoist_text_free(statistics);
  CHECK(ends_well(&own, client));
}

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

/* ---- What is published ---- */

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
  static const hoist_flag_variation good[] = {{"a", "1"}}, bad[] = {{"a", "1"}, {"b", "{"}}, garbled[] = {{"\xff", "1"}};
  static const hoist_flag_variation nameless[] = {{NULL, NULL}};
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
  static const hoist_flag_variation truth[] = {{"off", "false"}, {"on", "true"}};
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
  static const hoist_flag_variation truth[] = {{"off", "false"}, {"on", "true"}};
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

TEST(evaluations_are_recorded_and_explained) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK(hoist_client_bool(client, "seen", NULL, false, NULL));
  CHECK_TEXT(own.last, "seen 1 1");
  CHECK_INT(hoist_client_int64(client, "seen", NULL, 7, NULL), 7);
  CHECK_TEXT(own.last, "seen -1 1");
  (void)hoist_client_bool(client, "on", NULL, false, NULL);
  CHECK_INT(own.recorded, 2);
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_explain(client, "size", NULL, &detail), HOIST_OK);
  CHECK_TEXT(hoist_detail_explanation(detail),
             "{\"enabled\":true,\"decidedPerCall\":true,\"variation\":0,\"provider\":{\"rule\":1}}");
  hoist_detail_free(detail);
  CHECK_INT(own.recorded, 2);
  CHECK(ends_well(&own, client));
}

/* ---- Registration ---- */

static bool is_refused(hoist_provider table, hoist_status expected, const char *words) {
  service *own = (service *)table.user_data;
  int before = own->released;
  hoist_error *error = NULL;
  hoist_status status = hoist_provider_register(&table, &error);
  bool is_good = status == expected && strstr(hoist_error_message(error), words) && own->released == before + 1;
  if (!is_good) printf("#   %s, released %d: %s\n", hoist_status_name(status), own->released, hoist_error_message(error));
  hoist_error_free(error);
  return is_good;
}

TEST(tables_that_cannot_be_are_refused_and_released) {
  static const char *const names[] = {NULL, "", "Own", "1own", "-own", "own service", "\xff", "own.", "../own",
                                      "a-name-that-is-longer-than-forty-characters"};
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
    table.name = names[index];
    CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "name"));
  }
  table = table_of(&own);
  table.name = "unleash";
  CHECK(is_refused(table, HOIST_ERR_STATE, "\"unleash\""));
  table = table_of(&own);
  table.create = NULL;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "\"own\" has no create"));
  table = table_of(&own);
  table.encode = NULL;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "no encode"));
  table.pipeline_count = (size_t)-1;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
  table.pipeline_count = 9;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
  table.pipeline_count = 1;
  table.pipelines = NULL;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
  hoist_provider_pipeline same[2] = {pipeline_of("events"), pipeline_of("events")};
  table = table_of(&own);
  table.pipelines = same;
  table.pipeline_count = 2;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
  same[1] = pipeline_of("More events");
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
  same[1] = pipeline_of("more");
  same[1].struct_size = 8;
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "pipelines"));
}

TEST(properties_that_cannot_be_are_refused_by_name) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_provider_property one[2] = {property_of("online", HOIST_PROPERTY_TEXT, NULL), property_of("b", HOIST_PROPERTY_TEXT, NULL)};
  table.properties = one;
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "\"online\""));
  one[0] = property_of("b", HOIST_PROPERTY_TEXT, NULL);
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "\"b\""));
  one[0] = property_of(NULL, HOIST_PROPERTY_TEXT, NULL);
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "NULL"));
  one[0] = property_of("\xff", HOIST_PROPERTY_TEXT, NULL);
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "UTF-8"));
  one[0] = property_of("a", 99, NULL);
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "\"a\""));
  one[0] = property_of("a", HOIST_PROPERTY_INT64, "x");
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "\"a\" is \"x\""));
  one[0] = property_of("a", HOIST_PROPERTY_INT64, "7");
  one[0].minimum = 8;
  one[0].maximum = 9;
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "from 8 to 9"));
  one[0].minimum = 10;
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "range"));
  one[0] = property_of("a", HOIST_PROPERTY_BOOL, "\xff");
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "UTF-8"));
  table.properties = NULL;
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "properties"));
  table.property_count = (size_t)-1;
  CHECK(is_refused(table, HOIST_ERR_CONFIG, "properties"));
}

TEST(a_name_is_taken_until_it_is_given_free) {
  service own, second;
  service_begin(&own);
  service_begin(&second);
  hoist_provider table = table_of(&own);
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  CHECK(is_refused(table_of(&second), HOIST_ERR_STATE, "\"own\""));
  hoist_text *properties = hoist_config_describe("own");
  CHECK(strstr(hoist_text_data(properties), "\"name\":\"address\",\"type\":\"text\",\"default\":\"here\""));
  hoist_text_free(properties);
  hoist_config *config = own_config(&own);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_unregister(NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_unregister("\xff", NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_unregister("flagship", NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(own.released, 0); /* the configuration has it */
  hoist_config_free(config);
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.created, 0);
  CHECK_INT(own.destroyed, 0);
}

TEST(a_create_that_refuses_is_told_to_whoever_opens) {
  service own;
  service_begin(&own);
  own.refuses = true;
  hoist_provider table = table_of(&own);
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_config *config = own_config(&own);
  hoist_client *client = NULL;
  hoist_error *error = NULL;
  CHECK_INT(hoist_client_open(config, &client, &error), HOIST_ERR_CONFIG);
  CHECK_TEXT(hoist_error_message(error), "the provider \"own\" cannot serve: not today (HOIST_ERR_NETWORK, status 8)");
  hoist_error_free(error);
  CHECK(client == NULL);
  CHECK_INT(publish_some(&own), HOIST_ERR_STATE); /* the handle has ended */
  hoist_config_free(config);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.destroyed, 0);
}

TEST(properties_reach_the_provider_and_secrets_nobody_else) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_config *config = own_config(&own);
  host_set(config, "token", "s3cret");
  hoist_text *shown = hoist_config_get(config, "token");
  CHECK_TEXT(hoist_text_data(shown), "***");
  hoist_text_free(shown);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  static const char *const expected[][2] = {{"token", "s3cret"}, {"address", "here"}, {"online", "true"}};
  for (int index = 0; index < 3; index++) {
    hoist_text *value = hoist_provider_host_property(own.host, expected[index][0]);
    CHECK_TEXT(hoist_text_data(value), expected[index][1]);
    hoist_text_free(value);
  }
  CHECK(hoist_provider_host_property(own.host, "nothing") == NULL);
  CHECK(hoist_provider_host_property(own.host, NULL) == NULL);
  CHECK(hoist_provider_host_unix_ms(own.host) > 0);
  CHECK(hoist_provider_host_monotonic_ms(own.host) > 0);
  CHECK(hoist_provider_host_is_online(own.host));
  CHECK(ends_well(&own, client));
}

/* A table of nothing but what is required. */
TEST(members_that_are_null_do_nothing) {
  service own;
  service_begin(&own);
  hoist_provider all = table_of(&own), table;
  memset(&table, 0, sizeof table);
  table.struct_size = sizeof table;
  table.user_data = &own;
  table.name = "own";
  table.create = all.create;
  table.release = all.release;
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_client *client = host_open(own_config(&own));
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  hoist_flag_set *set = some_flags_of_every_type();
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_ERR_ARGUMENT); /* one needs evaluate */
  hoist_flag_set_free(set);
  set = hoist_flag_set_new();
  CHECK_INT(add(set, flag_of("switch", NULL, 0)), HOIST_OK);
  CHECK_INT(hoist_provider_host_publish(own.host, set, NULL), HOIST_OK);
  hoist_flag_set_free(set);
  CHECK(hoist_client_bool(client, "switch", NULL, false, NULL));
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_explain(client, "switch", NULL, &detail), HOIST_OK);
  hoist_detail_free(detail);
  CHECK_INT(hoist_client_identify_wait(client, NULL, 20000), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(hoist_client_track(client, "e", NULL, NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK_INT(hoist_client_set_online(client, false), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
  hoist_client_free(client);
  CHECK(eventually(&own.released, 1));
}

/* A host that was compiled with an older header, whose table ends after `start`. */
TEST(a_shorter_table_is_one_without_the_later_members) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  table.struct_size = offsetof(hoist_provider, stop);
  table.pipeline_count = 0;
  hoist_client *client = own_client(&table);
  CHECK_INT(hoist_client_track(client, "e", NULL, NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(own.tracked, 0);
  hoist_client_free(client);
  CHECK_INT(own.stopped + own.destroyed + own.released, 0);
}

/* ---- Borrowed contexts ---- */

static hoist_status copy_context(void *instance, hoist_provider_evaluation *evaluation) {
  service *own = (service *)instance;
  hoist_attribute age;
  memset(&age, 0, sizeof age);
  age.struct_size = sizeof age;
  if (hoist_context_get(evaluation->context, "age", &age) != HOIST_OK || age.type != HOIST_ATTRIBUTE_INT64 ||
      age.integer != 30 || age.number != 30 || strcmp(age.text, "30") != 0 || age.length != 2)
    return HOIST_ERR_PLUGIN;
  if (hoist_context_get(evaluation->context, "none", &age) != HOIST_ERR_NOT_FOUND) return HOIST_ERR_PLUGIN;
  if (hoist_context_get(evaluation->context, "\xff", &age) != HOIST_ERR_ARGUMENT) return HOIST_ERR_PLUGIN;
  if (hoist_context_get(evaluation->context, NULL, &age) != HOIST_ERR_ARGUMENT) return HOIST_ERR_PLUGIN;
  if (hoist_context_get(evaluation->context, "age", NULL) != HOIST_ERR_ARGUMENT) return HOIST_ERR_PLUGIN;
  age.struct_size = 9;
  if (hoist_context_get(evaluation->context, "age", &age) != HOIST_ERR_ARGUMENT) return HOIST_ERR_PLUGIN;
  /* It is the host's: nothing changes or frees it. */
  hoist_context *lent = (hoist_context *)evaluation->context;
  if (hoist_context_set_bool(lent, "age", true) != HOIST_ERR_ARGUMENT) return HOIST_ERR_PLUGIN;
  hoist_context_free(lent);
  hoist_context *copy = hoist_context_copy(lent);
  hoist_text *text = hoist_context_to_json(lent);
  snprintf(own->last, sizeof own->last, "%s %s", hoist_context_get_targeting_key(copy), hoist_text_data(text));
  hoist_text_free(text);
  hoist_context_free(copy);
  evaluation->variation = 1;
  return HOIST_OK;
}

TEST(a_lent_context_is_read_and_copied) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  table.evaluate = copy_context;
  hoist_client *client = own_client(&table);
  hoist_context *context = hoist_context_new("u");
  (void)hoist_context_set_int64(context, "age", 30);
  CHECK_INT(hoist_client_int64(client, "size", context, 7, NULL), 50);
  CHECK_TEXT(own.last, "u {\"targetingKey\":\"u\",\"age\":30}");
  hoist_context_free(context);
  CHECK(ends_well(&own, client));
}

int main(void) {
  RUN(flags_of_every_type_are_served);
  RUN(a_flag_decided_per_call_sees_the_context_of_the_call);
  RUN(a_provider_that_lies_gives_errors_and_fallbacks);
  RUN(states_without_flags_are_refused);
  RUN(bad_flags_are_refused_by_name);
  RUN(changed_flags_are_announced_by_their_keys);
  RUN(observers_hear_of_what_is_new_gone_or_different);
  RUN(flags_of_one_context_are_nobody_elses);
  RUN(evaluations_are_recorded_and_explained);
  RUN(tables_that_cannot_be_are_refused_and_released);
  RUN(properties_that_cannot_be_are_refused_by_name);
  RUN(a_name_is_taken_until_it_is_given_free);
  RUN(a_create_that_refuses_is_told_to_whoever_opens);
  RUN(properties_reach_the_provider_and_secrets_nobody_else);
  RUN(members_that_are_null_do_nothing);
  RUN(a_shorter_table_is_one_without_the_later_members);
  RUN(a_lent_context_is_read_and_copied);
  return check_summary();
}
