/* Provider plug-ins: what evaluations give, record and explain. */
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
  RUN(evaluations_are_recorded_and_explained);
  RUN(a_lent_context_is_read_and_copied);
  return check_summary();
}
