/* Kameleoon's flags as a host meets them: variations, variables, lists, statuses. */
/* The calls that the vendor has deprecated are tried, too. */
#define HOIST_DEPRECATED
#include <hoist/kameleoon.h>

#include "check.h"
#include "host.h"

static hoist_kameleoon_visitor *visitor_of(hoist_client *client, const char *code) {
  hoist_kameleoon_visitor *visitor = NULL;
  return hoist_kameleoon_visitor_new(client, code, &visitor, NULL) == HOIST_OK ? visitor : NULL;
}

/* A visitor on a telephone, for whom the rule of HOST_KAMELEOON_DATAFILE is. */
static hoist_kameleoon_visitor *visitor_with_phone(hoist_client *client) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "visitor");
  hoist_kameleoon_data *device = hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE);
  const hoist_kameleoon_data *data[1] = {device};
  (void)hoist_kameleoon_visitor_add_data(visitor, data, 1, true);
  hoist_kameleoon_data_free(device);
  return visitor;
}

/* Whether a text that a call handed out says this; frees it. */
static bool reads(hoist_text *text, const char *expected) {
  bool same = text != NULL && strcmp(hoist_text_data(text), expected) == 0;
  if (!same) printf("#   actual \"%s\"\n", hoist_text_data(text));
  hoist_text_free(text);
  return same;
}

/* (KAM-21, KAM-23, KAM-25, KAM-38, KAM-B15; offline) */
TEST(a_rule_gives_its_variation_and_everyone_else_gets_the_default) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *phone = visitor_with_phone(client), *other = visitor_of(client, "other");
  hoist_kameleoon_variation *variation = NULL;
  bool active = false;
  CHECK_INT(hoist_kameleoon_visitor_is_feature_active(phone, "on", true, &active), HOIST_OK);
  CHECK(active);
  CHECK_INT(hoist_kameleoon_visitor_variation(phone, "on", true, &variation), HOIST_OK);
  CHECK_TEXT(hoist_kameleoon_variation_key(variation), "blue");
  CHECK_TEXT(hoist_kameleoon_variation_name(variation), "Blue");
  CHECK_INT(hoist_kameleoon_variation_id(variation), 11);
  CHECK_INT(hoist_kameleoon_variation_experiment_id(variation), 100);
  CHECK(hoist_kameleoon_variation_is_active(variation));
  hoist_kameleoon_variation_free(variation);

  CHECK_INT(hoist_kameleoon_visitor_is_feature_active(other, "on", true, &active), HOIST_OK);
  CHECK(!active);
  CHECK_INT(hoist_kameleoon_visitor_variation(other, "on", true, &variation), HOIST_OK);
  CHECK_TEXT(hoist_kameleoon_variation_key(variation), "off");
  CHECK_INT(hoist_kameleoon_variation_id(variation), -1);
  CHECK_INT(hoist_kameleoon_variation_experiment_id(variation), -1);
  hoist_kameleoon_variation_free(variation);
  hoist_kameleoon_visitor_free(phone);
  hoist_kameleoon_visitor_free(other);
  hoist_client_free(client);
}

/* (KAM-22, KAM-24; offline) */
TEST(an_unknown_flag_has_a_status_of_its_own) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_of(client, "visitor");
  hoist_kameleoon_variation *variation = NULL;
  bool active = true;
  CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "nobody", true, &variation), HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND);
  CHECK(variation == NULL);
  CHECK_INT(hoist_kameleoon_visitor_is_feature_active(visitor, "nobody", true, &active), HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND);
  CHECK(!active);
  CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "\xff", true, &variation), HOIST_ERR_ARGUMENT);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-15; offline, closed, handle outlives client) */
TEST(without_a_configuration_and_after_close_nothing_is_ready) {
  hoist_config *config = hoist_config_new("kameleoon");
  hoist_client *client;
  hoist_kameleoon_visitor *visitor;
  hoist_kameleoon_variation *variation = NULL;
  hoist_kameleoon_variations *variations = NULL;
  hoist_text *text = NULL;
  hoist_error *error = NULL;
  bool active = true;
  host_set(config, "site_code", "a8st4f59bj");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  client = host_open(config);
  visitor = visitor_of(client, "visitor");
  for (int round = 0; round < 2; round++) {
    CHECK_INT(hoist_kameleoon_visitor_is_feature_active(visitor, "on", true, &active), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
    CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "on", true, &variation), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
    CHECK_INT(hoist_kameleoon_visitor_variations(visitor, false, true, &variations), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
    CHECK_INT(hoist_kameleoon_visitor_feature_variation_key(visitor, "on", &text), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
    CHECK(hoist_kameleoon_feature_list(client, &error) == NULL);
    CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
    CHECK(strstr(hoist_error_message(error), "no configuration yet") != NULL);
    hoist_error_free(error);
    CHECK(reads(hoist_kameleoon_visitor_explain(visitor, "on"), "null"));
    (void)hoist_client_close(client, 1000);
  }
  hoist_client_free(client);
  CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "on", true, &variation), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  hoist_kameleoon_visitor_free(visitor);
}

/* A variation and what it lends outlive visitor and client (KAM-39; handle outlives client). */
TEST(variables_are_read_by_name_and_in_order_also_without_the_client) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_with_phone(client);
  hoist_kameleoon_variation *variation = NULL;
  const hoist_kameleoon_variable *color;
  CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "on", false, &variation), HOIST_OK);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
  CHECK_INT(hoist_kameleoon_variation_variable_count(variation), 1);
  color = hoist_kameleoon_variation_variable(variation, "color");
  CHECK(color != NULL);
  CHECK(color == hoist_kameleoon_variation_variable_at(variation, 0));
  CHECK(hoist_kameleoon_variation_variable_at(variation, 1) == NULL);
  CHECK(hoist_kameleoon_variation_variable(variation, "size") == NULL);
  CHECK_TEXT(hoist_kameleoon_variable_key(color), "color");
  CHECK_TEXT(hoist_kameleoon_variable_type(color), "STRING");
  CHECK_INT(hoist_kameleoon_variable_kind(color), HOIST_KAMELEOON_VALUE_STRING);
  CHECK_TEXT(hoist_kameleoon_variable_string(color), "blue");
  CHECK_TEXT(hoist_kameleoon_variable_json(color), "\"blue\"");
  CHECK(hoist_kameleoon_variable_bool(color, true));
  CHECK_INT(hoist_kameleoon_variable_int64(color, 7), 7);
  CHECK(reads(hoist_kameleoon_variation_to_json(variation),
              "{\"key\":\"blue\",\"name\":\"Blue\",\"id\":11,\"experimentId\":100,\"variables\":{\"color\":{\"type\":\"STRING\","
              "\"value\":\"blue\"}}}"));
  hoist_kameleoon_variation_free(variation);
}

/* (KAM-26, KAM-27, KAM-32 to KAM-36; offline) */
TEST(lists_have_the_flags_of_the_configuration_in_its_order) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *phone = visitor_with_phone(client), *other = visitor_of(client, "other");
  hoist_kameleoon_variations *variations = NULL;
  hoist_kameleoon_variable *variable = NULL;
  hoist_text *text = NULL;
  hoist_error *error = NULL;
  CHECK_INT(hoist_kameleoon_visitor_variations(phone, false, true, &variations), HOIST_OK);
  CHECK_INT(hoist_kameleoon_variations_count(variations), 1);
  CHECK_TEXT(hoist_kameleoon_variations_key_at(variations, 0), "on");
  CHECK_TEXT(hoist_kameleoon_variation_key(hoist_kameleoon_variations_at(variations, 0)), "blue");
  CHECK(hoist_kameleoon_variations_find(variations, "on") == hoist_kameleoon_variations_at(variations, 0));
  CHECK(hoist_kameleoon_variations_find(variations, "nobody") == NULL);
  hoist_kameleoon_variations_free(variations);
  CHECK_INT(hoist_kameleoon_visitor_variations(other, true, true, &variations), HOIST_OK);
  CHECK_INT(hoist_kameleoon_variations_count(variations), 0);
  hoist_kameleoon_variations_free(variations);
  CHECK_INT(hoist_kameleoon_visitor_active_features(phone, &variations), HOIST_OK);
  CHECK_INT(hoist_kameleoon_variations_count(variations), 1);
  hoist_kameleoon_variations_free(variations);

  CHECK(reads(hoist_kameleoon_feature_list(client, NULL), "[\"on\"]"));
  CHECK(reads(hoist_kameleoon_visitor_active_feature_list(other, NULL), "[]"));
  CHECK_INT(hoist_kameleoon_visitor_feature_variation_key(phone, "on", &text), HOIST_OK);
  CHECK(reads(text, "blue"));
  CHECK_INT(hoist_kameleoon_visitor_feature_variable(phone, "on", "color", &variable), HOIST_OK);
  CHECK_TEXT(hoist_kameleoon_variable_string(variable), "blue");
  hoist_kameleoon_variable_free(variable);
  CHECK_INT(hoist_kameleoon_visitor_feature_variable(phone, "on", "size", &variable),
            HOIST_ERR_KAMELEOON_FEATURE_VARIABLE_NOT_FOUND);
  CHECK(reads(hoist_kameleoon_feature_variation_variables(client, "on", "blue", NULL), "{\"color\":\"blue\"}"));
  CHECK(hoist_kameleoon_feature_variation_variables(client, "on", "red", &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_FEATURE_VARIATION_NOT_FOUND);
  hoist_error_free(error);
  CHECK(hoist_kameleoon_feature_variation_variables(client, "nobody", "red", &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND);
  hoist_error_free(error);
  hoist_kameleoon_visitor_free(phone);
  hoist_kameleoon_visitor_free(other);
  hoist_client_free(client);
}

/* The core's calls: the client's own visitor, and visitors of contexts. */
TEST(the_cores_calls_decide_for_the_visitor_of_a_context_with_its_attributes) {
  hoist_config *config = host_kameleoon_config();
  hoist_client *client;
  hoist_context *context = hoist_context_new("somebody");
  hoist_text *text;
  char key[16];
  host_set(config, "visitor_code", "me");
  client = host_open(config);
  (void)hoist_client_wait_ready(client, 5000);
  CHECK(!hoist_client_bool(client, "on", context, true, NULL));
  CHECK_INT(hoist_context_set_string(context, "device", "phone"), HOIST_OK);
  CHECK(hoist_client_bool(client, "on", context, false, NULL));
  CHECK_INT(hoist_client_string(client, "on", context, "", key, sizeof key, NULL), 4);
  CHECK_TEXT(key, "blue");
  text = hoist_client_json(client, "on", context, NULL, NULL);
  CHECK(reads(text, "{\"color\":\"blue\"}"));
  hoist_context_free(context);
  hoist_client_free(client);
}

int main(void) {
  RUN(a_rule_gives_its_variation_and_everyone_else_gets_the_default);
  RUN(an_unknown_flag_has_a_status_of_its_own);
  RUN(without_a_configuration_and_after_close_nothing_is_ready);
  RUN(variables_are_read_by_name_and_in_order_also_without_the_client);
  RUN(lists_have_the_flags_of_the_configuration_in_its_order);
  RUN(the_cores_calls_decide_for_the_visitor_of_a_context_with_its_attributes);
  return check_summary();
}
