/* Provider plug-ins: tables, names and properties, and what is refused. */
#include "provider.h"

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
  /* No header's table ends before its `release`. */
  CHECK(is_refused(table, HOIST_ERR_ARGUMENT, "struct_size"));
  table.release = NULL;
  hoist_client *client = own_client(&table);
  CHECK_INT(hoist_client_track(client, "e", NULL, NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(own.tracked, 0);
  hoist_client_free(client);
  CHECK_INT(own.stopped + own.destroyed, 0);
  CHECK_INT(own.released, 1);
}

int main(void) {
  RUN(tables_that_cannot_be_are_refused_and_released);
  RUN(properties_that_cannot_be_are_refused_by_name);
  RUN(a_name_is_taken_until_it_is_given_free);
  RUN(a_create_that_refuses_is_told_to_whoever_opens);
  RUN(properties_reach_the_provider_and_secrets_nobody_else);
  RUN(members_that_are_null_do_nothing);
  RUN(a_shorter_table_is_one_without_the_later_members);
  return check_summary();
}
