/* What a host asks a client, a configuration and a detail. */
#include <hoist/jansson.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

TEST(a_client_says_its_service_and_its_context) {
  hoist_client *client = host_client();
  CHECK_TEXT(hoist_client_provider(client), "unleash");
  CHECK(hoist_client_provider(NULL) == NULL && hoist_client_context(NULL) == NULL);
  hoist_context *given = hoist_context_new("user-1");
  CHECK_INT(hoist_context_set_string(given, "plan", "pro"), HOIST_OK);
  (void)hoist_client_identify(client, given, NULL, NULL);
  hoist_context_free(given);
  CHECK_INT(hoist_client_close(client, 5000), HOIST_OK);
  hoist_context *current = hoist_client_context(client);
  json_t *plan = hoist_context_get_jansson(current, "plan");
  CHECK_TEXT(hoist_context_get_targeting_key(current), "user-1");
  CHECK_TEXT(json_string_value(plan), "pro");
  json_decref(plan);
  hoist_context_free(current);
  hoist_client_free(client);
}

TEST(services_are_listed) {
  hoist_text *list = hoist_provider_list();
  json_t *values = hoist_provider_list_jansson();
  CHECK_TEXT(hoist_text_data(list), "[\"unleash\",\"optimizely\",\"launchdarkly\",\"flagship\",\"kameleoon\"]");
  CHECK_INT(json_array_size(values), 5);
  json_decref(values);
  hoist_text_free(list);
}

static int lines[5];

static void count_line(void *user_data, hoist_log_level level, const char *message, size_t length) {
  (void)user_data, (void)message, (void)length;
  if (level >= 0 && level < 5) __atomic_add_fetch(&lines[level], 1, __ATOMIC_SEQ_CST);
}

/* As Kameleoon's (KAM-71, KAM-72; ready). */
TEST(the_log_level_is_changed_while_a_client_runs) {
  hoist_config *config = host_config();
  hoist_logger logger = HOIST_LOGGER_INIT;
  logger.write = count_line;
  CHECK_INT(hoist_config_set_logger(config, &logger, NULL), HOIST_OK);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_client_log_level(client), HOIST_LOG_NONE);
  CHECK_INT(hoist_client_set_log_level(client, HOIST_LOG_DEBUG), HOIST_OK);
  CHECK_INT(hoist_client_log_level(client), HOIST_LOG_DEBUG);
  CHECK_INT(hoist_client_set_log_level(client, 5), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_set_log_level(client, -1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_set_log_level(NULL, HOIST_LOG_DEBUG), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_log_level(NULL), HOIST_LOG_NONE);
  CHECK_INT(hoist_client_log_level(client), HOIST_LOG_DEBUG);
  /* The end of a client is told at INFO. */
  CHECK_INT(hoist_client_close(client, 5000), HOIST_OK);
  int told = __atomic_load_n(&lines[HOIST_LOG_INFO], __ATOMIC_SEQ_CST);
  CHECK(told > 0);
  CHECK_INT(hoist_client_set_log_level(client, HOIST_LOG_ERROR), HOIST_OK);
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 5000), HOIST_OK);
  CHECK_INT(__atomic_load_n(&lines[HOIST_LOG_INFO], __ATOMIC_SEQ_CST), told);
  hoist_client_free(client);
}

TEST(a_property_is_unset) {
  hoist_error *error = NULL;
  hoist_config *config = host_config(), *nobody = hoist_config_new("nobody");
  CHECK_INT(hoist_config_unset(config, "url", &error), HOIST_OK);
  CHECK_INT(hoist_config_unset(config, "url", &error), HOIST_OK);
  hoist_text *value = hoist_config_get(config, "url");
  CHECK_TEXT(hoist_text_data(value), "");
  hoist_text_free(value);
  CHECK_INT(hoist_config_set(config, "dispatch", "manual", NULL), HOIST_OK);
  CHECK_INT(hoist_config_unset(config, "dispatch", NULL), HOIST_OK);
  value = hoist_config_get(config, "dispatch");
  CHECK(value != NULL && strcmp(hoist_text_data(value), "manual") != 0);
  hoist_text_free(value);
  CHECK_INT(hoist_config_unset(config, "urll", &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "\"urll\"") != NULL);
  hoist_error_free(error);
  CHECK_INT(hoist_config_unset(nobody, "url", NULL), HOIST_ERR_CONFIG);
  CHECK_INT(hoist_config_unset(NULL, "url", NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_config_unset(config, NULL, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(nobody);
  hoist_config_free(config);
}

static const char *value_of(hoist_detail *detail) {
  static char text[100];
  snprintf(text, sizeof text, "%s", hoist_detail_value(detail));
  hoist_detail_free(detail);
  return text;
}

/* What the call has returned, also where that is the fallback. */
TEST(a_detail_says_what_was_returned) {
  hoist_client *client = host_client();
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_detail *detail = NULL;
  char buffer[8];
  CHECK(hoist_client_bool(client, "on", NULL, false, &detail));
  CHECK_TEXT(value_of(detail), "true");
  CHECK(hoist_client_bool(client, "nope", NULL, true, &detail));
  CHECK_TEXT(value_of(detail), "true");
  CHECK_INT(hoist_client_int64(client, "nope", NULL, -7, &detail), -7);
  CHECK_TEXT(value_of(detail), "-7");
  CHECK(fabs(hoist_client_double(client, "on", NULL, 0.5, &detail) - 0.5) < 1e-9);
  CHECK_TEXT(value_of(detail), "0.5");
  CHECK_INT(hoist_client_string(client, "nope", NULL, "se\"a", buffer, sizeof buffer, &detail), 4);
  CHECK_TEXT(value_of(detail), "\"se\\\"a\"");
  CHECK_INT(hoist_client_string(client, "nope", NULL, NULL, buffer, sizeof buffer, &detail), 0);
  CHECK_TEXT(value_of(detail), "\"\"");
  hoist_text_free(hoist_client_json(client, "nope", NULL, "{\"a\": [1]}", &detail));
  CHECK_TEXT(value_of(detail), "{\"a\":[1]}");
  hoist_text_free(hoist_client_json(client, "nope", NULL, NULL, &detail));
  CHECK_TEXT(value_of(detail), "null");
  CHECK_INT(hoist_client_evaluate(client, "nope", NULL, &detail), HOIST_OK);
  CHECK_TEXT(value_of(detail), "null");
  hoist_client_free(client);
}

TEST(a_details_value_is_read_as_a_type) {
  hoist_client *client = host_client();
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_detail *detail = NULL;
  char buffer[8];
  size_t length = 9;
  (void)hoist_client_bool(client, "on", NULL, false, &detail);
  CHECK(hoist_detail_bool(detail, false));
  CHECK_INT(hoist_detail_int64(detail, -1), -1);
  CHECK_TEXT(hoist_detail_string(detail, "else", &length), "else");
  CHECK_INT(length, 4);
  hoist_detail_free(detail);
  (void)hoist_client_string(client, "on", NULL, "", buffer, sizeof buffer, &detail);
  CHECK_TEXT(hoist_detail_string(detail, "else", &length), "sky");
  CHECK_INT(length, 3);
  CHECK(hoist_detail_bool(detail, true) && !hoist_detail_bool(detail, false));
  hoist_detail_free(detail);
  (void)hoist_client_int64(client, "nope", NULL, INT64_MIN, &detail);
  CHECK_INT(hoist_detail_int64(detail, 1), INT64_MIN);
  CHECK(hoist_detail_double(detail, 1) < -9e18);
  hoist_detail_free(detail);
  (void)hoist_client_double(client, "nope", NULL, 0.5, &detail);
  CHECK(fabs(hoist_detail_double(detail, 1) - 0.5) < 1e-9);
  CHECK_INT(hoist_detail_int64(detail, 3), 3);
  hoist_detail_free(detail);
  CHECK(hoist_detail_bool(NULL, true) && hoist_detail_int64(NULL, 4) == 4 && hoist_detail_double(NULL, 2) > 1);
  CHECK(hoist_detail_string(NULL, NULL, &length) == NULL);
  CHECK_INT(length, 0);
  hoist_client_free(client);
}

TEST(a_view_gives_jansson_values) {
  hoist_client *client = host_client();
  hoist_view *view = hoist_view_new(client, NULL);
  json_t *fallback = json_pack("{s:i}", "a", 1);
  json_t *value = hoist_view_json_jansson(view, "nope", fallback);
  CHECK(value == fallback);
  json_decref(value);
  CHECK(hoist_view_json_jansson(view, "nope", NULL) == NULL);
  json_decref(fallback);
  hoist_view_free(view);
  hoist_client_free(client);
}

/* "" is what has no value; NULL is for NULL. */
TEST(texts_without_a_value_are_empty) {
  hoist_context *nobody = hoist_context_new(NULL);
  CHECK_TEXT(hoist_context_get_targeting_key(nobody), "");
  hoist_context_free(nobody);
  CHECK(hoist_context_get_targeting_key(NULL) == NULL && hoist_text_data(NULL) == NULL);
  CHECK(hoist_error_message(NULL) == NULL && hoist_notification_message(NULL) == NULL);
  CHECK(hoist_notification_key(NULL, 0) == NULL && hoist_notification_json(NULL) == NULL);
  CHECK(hoist_detail_key(NULL) == NULL && hoist_detail_variation(NULL) == NULL && hoist_detail_value(NULL) == NULL);
  CHECK(hoist_detail_reason(NULL) == NULL && hoist_detail_error_code(NULL) == NULL);
  CHECK(hoist_detail_error_message(NULL) == NULL && hoist_detail_metadata(NULL) == NULL);
  CHECK(hoist_detail_explanation(NULL) == NULL);
  hoist_client *client = host_client();
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_evaluate(client, "on", NULL, &detail), HOIST_OK);
  CHECK_TEXT(hoist_detail_error_code(detail), "");
  CHECK_TEXT(hoist_detail_error_message(detail), "");
  hoist_detail_free(detail);
  hoist_client_free(client);
}

static int released;

static void count_release(void *user_data) { __atomic_add_fetch((int *)user_data, 1, __ATOMIC_SEQ_CST); }
static void ignore(void *user_data, const hoist_notification *notification) { (void)user_data, (void)notification; }

TEST(an_observer_without_a_function_is_refused_and_released) {
  hoist_client *client = host_client();
  hoist_observer observer = HOIST_OBSERVER_INIT;
  hoist_token token = 7;
  observer.user_data = &released;
  observer.release = count_release;
  CHECK_INT(hoist_client_observe(client, HOIST_TOPIC_STATE, NULL, &observer, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(token, 0);
  CHECK_INT(released, 1);
  hoist_client_free(client);
}

/* Every header's tables reach as far as `release`, so that it runs whatever their size says. */
TEST(tables_of_a_wrong_size_are_released) {
  const size_t sizes[] = {0, 1, 7, sizeof(size_t), SIZE_MAX};
  hoist_client *client = host_client();
  hoist_config *config = host_config();
  for (size_t index = 0; index < sizeof sizes / sizeof sizes[0]; index++) {
    hoist_observer observer = {sizes[index], &released, ignore, count_release};
    hoist_cache cache = HOIST_CACHE_INIT;
    cache.struct_size = sizes[index];
    cache.user_data = &released;
    cache.release = count_release;
    released = 0;
    CHECK_INT(hoist_client_observe(client, HOIST_TOPIC_STATE, NULL, &observer, NULL), HOIST_ERR_ARGUMENT);
    CHECK_INT(released, 1);
    CHECK_INT(hoist_config_set_cache(config, &cache, NULL), HOIST_ERR_ARGUMENT);
    CHECK_INT(released, 2);
  }
  hoist_config_free(config);
  hoist_client_free(client);
}

int main(void) {
  RUN(a_client_says_its_service_and_its_context);
  RUN(services_are_listed);
  RUN(the_log_level_is_changed_while_a_client_runs);
  RUN(a_property_is_unset);
  RUN(a_detail_says_what_was_returned);
  RUN(a_details_value_is_read_as_a_type);
  RUN(a_view_gives_jansson_values);
  RUN(texts_without_a_value_are_empty);
  RUN(an_observer_without_a_function_is_refused_and_released);
  RUN(tables_of_a_wrong_size_are_released);
  return check_summary();
}
