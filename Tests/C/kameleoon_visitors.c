/* Kameleoon's visitors as a host meets them: codes, data, consent, forced and simulated variations. */
#include <math.h>
#include <stdlib.h>

#include <hoist/kameleoon.h>

#include "check.h"
#include "host.h"

static hoist_kameleoon_visitor *visitor_of(hoist_client *client, const char *code) {
  hoist_kameleoon_visitor *visitor = NULL;
  return hoist_kameleoon_visitor_new(client, code, &visitor, NULL) == HOIST_OK ? visitor : NULL;
}

/* Whether a text that a call handed out says this; frees it. */
static bool reads(hoist_text *text, const char *expected) {
  bool same = text != NULL && strcmp(hoist_text_data(text), expected) == 0;
  if (!same) printf("#   actual \"%s\"\n", hoist_text_data(text));
  hoist_text_free(text);
  return same;
}

/* Adds a datum, which is freed. */
static hoist_status add(hoist_kameleoon_visitor *visitor, hoist_kameleoon_data *data, bool track) {
  const hoist_kameleoon_data *list[1] = {data};
  hoist_status status = hoist_kameleoon_visitor_add_data(visitor, list, 1, track);
  hoist_kameleoon_data_free(data);
  return status;
}

/* (KAM-11, KAM-44; offline) */
TEST(a_visitor_code_has_1_to_255_characters) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_error *error = NULL;
  char code[600];
  CHECK_INT(hoist_kameleoon_visitor_new(client, "", &visitor, &error), HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID);
  CHECK(visitor == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID);
  hoist_error_free(error);
  memset(code, 'x', sizeof code);
  code[256] = 0;
  CHECK_INT(hoist_kameleoon_visitor_new(client, code, &visitor, NULL), HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID);
  code[255] = 0;
  visitor = visitor_of(client, code);
  CHECK(reads(hoist_kameleoon_visitor_code(visitor), code));
  hoist_kameleoon_visitor_free(visitor);
  /* Characters, not bytes. */
  for (int i = 0; i < 255; i++) memcpy(code + 2 * i, "\xc3\xa9", 2);
  code[510] = 0;
  visitor = visitor_of(client, code);
  CHECK(visitor != NULL);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-12, KAM-44; offline) */
TEST(the_clients_own_visitor_has_a_generated_code_unless_one_is_given) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *first = visitor_of(client, NULL), *second = visitor_of(client, NULL);
  hoist_text *code = hoist_kameleoon_visitor_code(first), *given;
  hoist_config *config;
  CHECK_INT(hoist_text_length(code), 16);
  CHECK_INT(strspn(hoist_text_data(code), "0123456789abcdefghijklmnopqrstuvwxyz"), 16);
  CHECK(reads(hoist_kameleoon_visitor_code(second), hoist_text_data(code)));
  hoist_text_free(code);
  hoist_kameleoon_visitor_free(first);
  hoist_kameleoon_visitor_free(second);
  hoist_client_free(client);

  config = host_kameleoon_config();
  host_set(config, "visitor_code", "me");
  client = host_open(config);
  first = visitor_of(client, NULL);
  given = hoist_kameleoon_visitor_code(first);
  CHECK_TEXT(hoist_text_data(given), "me");
  hoist_text_free(given);
  hoist_kameleoon_visitor_free(first);
  hoist_client_free(client);
}

/* (KAM-61 to KAM-65, KAM-B08, KAM-B14, KAM-B21; no client) */
TEST(every_kind_of_data_says_what_it_was_made_with) {
  static const char *const values[] = {"a", "b"};
  static const int64_t referrers[] = {1, 2};
  const double latitude = 0, longitude = -0.5;
  hoist_kameleoon_data *data = hoist_kameleoon_custom_data(0, values, 2), *more;
  CHECK_INT(hoist_kameleoon_data_kind_of(data), HOIST_KAMELEOON_CUSTOM_DATA);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"CustomData\",\"index\":0,\"values\":[\"a\",\"b\"]}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_custom_data_named("uid", NULL, 0);
  CHECK_INT(hoist_kameleoon_custom_data_set_overwrite(data, false), HOIST_OK);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"CustomData\",\"name\":\"uid\",\"values\":[],\"overwrite\":false}"));
  more = hoist_kameleoon_conversion(7, 2.5, true);
  CHECK_INT(hoist_kameleoon_conversion_add_metadata(more, data), HOIST_OK);
  CHECK_INT(hoist_kameleoon_conversion_add_metadata(data, data), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_custom_data_set_overwrite(more, true), HOIST_ERR_ARGUMENT);
  CHECK(reads(hoist_kameleoon_data_to_json(more),
              "{\"type\":\"Conversion\",\"goalId\":7,\"revenue\":2.5,\"negative\":true,\"metadata\":"
              "[{\"type\":\"CustomData\",\"name\":\"uid\",\"values\":[],\"overwrite\":false}]}"));
  hoist_kameleoon_data_free(data);
  hoist_kameleoon_data_free(more);
  data = hoist_kameleoon_geolocation("FR", NULL, "Paris", NULL, &latitude, &longitude);
  CHECK(reads(hoist_kameleoon_data_to_json(data),
              "{\"type\":\"Geolocation\",\"country\":\"FR\",\"city\":\"Paris\",\"latitude\":0,\"longitude\":-0.5}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_browser(HOIST_KAMELEOON_BROWSER_SAFARI, 17.5);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"Browser\",\"browser\":\"SAFARI\",\"version\":17.5}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_page_view("https://a/", NULL, referrers, 2);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"PageView\",\"url\":\"https://a/\",\"referrers\":[1,2]}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_cookie("a", "1");
  CHECK_INT(hoist_kameleoon_cookie_add(data, "b", "2"), HOIST_OK);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"Cookie\",\"cookies\":{\"a\":\"1\",\"b\":\"2\"}}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_TABLET);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"Device\",\"device\":\"TABLET\"}"));
  hoist_kameleoon_data_free(data);
  data = hoist_kameleoon_operating_system(HOIST_KAMELEOON_SYSTEM_LINUX);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"OperatingSystem\",\"os\":\"LINUX\"}"));
  hoist_kameleoon_data_free(data);
}

TEST(data_is_read_from_its_json) {
  static const char json[] = "{\"type\":\"ApplicationVersion\",\"version\":\"1.2.3\",\"more\":1}";
  static const char none[] = "{\"type\":\"Device\",\"device\":\"TOASTER\"}";
  hoist_kameleoon_data *data = hoist_kameleoon_data_from_json(json, sizeof json - 1, NULL);
  CHECK_INT(hoist_kameleoon_data_kind_of(data), HOIST_KAMELEOON_APPLICATION_VERSION);
  CHECK(reads(hoist_kameleoon_data_to_json(data), "{\"type\":\"ApplicationVersion\",\"version\":\"1.2.3\"}"));
  hoist_kameleoon_data_free(data);
  hoist_error *error = NULL;
  CHECK(hoist_kameleoon_data_from_json(none, sizeof none - 1, NULL) == NULL);
  CHECK(hoist_kameleoon_data_from_json("[]", 2, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_PARSE);
  CHECK(strstr(hoist_error_message(error), "json is no datum") != NULL);
  hoist_error_free(error);
}

TEST(what_names_nothing_makes_no_data) {
  CHECK(hoist_kameleoon_custom_data(-1, NULL, 0) == NULL);
  CHECK(hoist_kameleoon_device(3) == NULL);
  CHECK(hoist_kameleoon_browser(6, 1) == NULL);
  CHECK(hoist_kameleoon_browser(0, NAN) == NULL);
  CHECK(hoist_kameleoon_operating_system(-1) == NULL);
  CHECK(hoist_kameleoon_conversion(1, INFINITY, false) == NULL);
  CHECK(hoist_kameleoon_geolocation(NULL, NULL, NULL, NULL, NULL, NULL) == NULL);
}

/* (KAM-56, KAM-B19; offline, closed) */
TEST(data_is_added_copied_and_none_of_it_where_one_is_missing) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_of(client, "visitor");
  const hoist_kameleoon_data *holes[2] = {NULL, NULL};
  CHECK_INT(add(visitor, hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE), true), HOIST_OK);
  CHECK_INT(add(visitor, hoist_kameleoon_user_agent("agent"), false), HOIST_OK);
  CHECK_INT(add(visitor, hoist_kameleoon_unique_identifier(true), true), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_add_data(visitor, NULL, 0, true), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_add_data(visitor, holes, 2, true), HOIST_ERR_ARGUMENT);
  hoist_client_close(client, 0);
  CHECK_INT(add(visitor, hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE), true), HOIST_ERR_STATE);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-60; no consent) */
TEST(consent_has_three_states) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_of(client, "visitor"), *again;
  CHECK_INT(hoist_kameleoon_visitor_legal_consent(visitor), HOIST_KAMELEOON_CONSENT_UNKNOWN);
  CHECK_INT(hoist_kameleoon_visitor_set_legal_consent(visitor, false), HOIST_OK);
  again = visitor_of(client, "visitor");
  CHECK_INT(hoist_kameleoon_visitor_legal_consent(again), HOIST_KAMELEOON_CONSENT_REFUSED);
  CHECK_INT(hoist_kameleoon_visitor_set_legal_consent(again, true), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_legal_consent(visitor), HOIST_KAMELEOON_CONSENT_GIVEN);
  hoist_kameleoon_visitor_free(visitor);
  hoist_kameleoon_visitor_free(again);
  hoist_client_free(client);
}

/* (KAM-B01, KAM-B27; offline) */
TEST(variations_are_forced_by_a_configuration_and_simulated_by_a_cookie) {
  hoist_config *config = hoist_config_new("kameleoon");
  hoist_client *client;
  hoist_kameleoon_visitor *visitor;
  host_set(config, "site_code", "a8st4f59bj");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  client = host_open(config);
  visitor = visitor_of(client, "visitor");
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 100, "blue", true), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  CHECK_INT(hoist_kameleoon_visitor_set_simulated_variations(visitor, "%7B%22on%22%3A%7B%22expId%22%3A100%2C%22varId%22%3A11%7D%7D"), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_set_simulated_variations(visitor, "{"), HOIST_ERR_PARSE);
  CHECK_INT(hoist_kameleoon_visitor_set_simulated_variations(visitor, NULL), HOIST_OK);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);

  client = host_kameleoon_client();
  CHECK_INT(hoist_client_wait_ready(client, 5000), HOIST_OK);
  visitor = visitor_of(client, "visitor");
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 100, "blue", true), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 101, "blue", true),
            HOIST_ERR_KAMELEOON_FEATURE_EXPERIMENT_NOT_FOUND);
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 100, "off", false),
            HOIST_ERR_KAMELEOON_FEATURE_VARIATION_NOT_FOUND);
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 100, NULL, true), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_set_forced_variation(visitor, 101, NULL, true), HOIST_OK);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-B27; no client) */
TEST(a_web_pages_visitor_code_is_found_among_its_cookies) {
  hoist_text *code = hoist_kameleoon_visitor_code_generate();
  CHECK_INT(hoist_text_length(code), 16);
  hoist_text_free(code);
  CHECK(reads(hoist_kameleoon_visitor_code_in_cookies("a=1; kameleoonVisitorCode=abc%20d; b=2"), "abc d"));
  CHECK(reads(hoist_kameleoon_visitor_code_in_cookies("kameleoonVisitorCode=_js_abc"), "abc"));
  CHECK(reads(hoist_kameleoon_visitor_code_in_cookies("kameleoonVisitorCode="), ""));
  CHECK(reads(hoist_kameleoon_visitor_code_in_cookies("xkameleoonVisitorCode=a"), ""));
  CHECK(hoist_kameleoon_visitor_code_in_cookies(NULL) == NULL);
}

TEST(a_visitor_outlives_its_client) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_of(client, "visitor");
  hoist_client_free(client);
  CHECK(reads(hoist_kameleoon_visitor_code(visitor), "visitor"));
  CHECK_INT(add(visitor, hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE), true), HOIST_ERR_STATE);
  CHECK_INT(hoist_kameleoon_visitor_set_legal_consent(visitor, true), HOIST_ERR_STATE);
  hoist_kameleoon_visitor_free(visitor);
}

int main(void) {
  RUN(a_visitor_code_has_1_to_255_characters);
  RUN(the_clients_own_visitor_has_a_generated_code_unless_one_is_given);
  RUN(every_kind_of_data_says_what_it_was_made_with);
  RUN(data_is_read_from_its_json);
  RUN(what_names_nothing_makes_no_data);
  RUN(data_is_added_copied_and_none_of_it_where_one_is_missing);
  RUN(consent_has_three_states);
  RUN(variations_are_forced_by_a_configuration_and_simulated_by_a_cookie);
  RUN(a_web_pages_visitor_code_is_found_among_its_cookies);
  RUN(a_visitor_outlives_its_client);
  return check_summary();
}
