/* Contexts and values of LaunchDarkly in C (LD-71, LD-72, LD-83; no client). */
#include <hoist/launchdarkly.h>

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "host.h"

/* Whether a text is what it should be; frees it. */
static bool reads(hoist_text *text, const char *expected) {
  bool is_same = text && strcmp(hoist_text_data(text), expected) == 0;
  if (!is_same) printf("#   %s\n", hoist_text_data(text));
  hoist_text_free(text);
  return is_same;
}

/* Whether a value is what it should be; frees it. */
static bool is(hoist_launchdarkly_value *value, const char *json) {
  bool is_same = reads(hoist_launchdarkly_value_to_json(value), json);
  hoist_launchdarkly_value_free(value);
  return is_same;
}

static hoist_launchdarkly_value *value_of(const char *json) {
  return hoist_launchdarkly_value_from_json(json, strlen(json), NULL);
}

static hoist_launchdarkly_context *context_of(const char *json) {
  return hoist_launchdarkly_context_from_json(json, strlen(json), NULL);
}

static bool are_equal(const char *left, const char *right) {
  hoist_launchdarkly_value *one = value_of(left), *other = value_of(right);
  bool is_same = hoist_launchdarkly_value_equals(one, other);
  hoist_launchdarkly_value_free(one);
  hoist_launchdarkly_value_free(other);
  return is_same;
}

/* Whether a status is that, and the error names a word; frees the error. */
static bool refuses(hoist_status status, hoist_error *error, hoist_status expected, const char *word) {
  bool is_good = status == expected && hoist_error_status(error) == expected &&
                 strstr(hoist_error_message(error), word) != NULL;
  if (!is_good) printf("#   %d: %s\n", (int)status, hoist_error_message(error));
  hoist_error_free(error);
  return is_good;
}

TEST(values_are_equal_by_what_they_say) {
  CHECK(are_equal("1", "1.0"));
  CHECK(!are_equal("1", "true"));
  CHECK(!are_equal("0", "false"));
  CHECK(are_equal("{\"a\":1,\"b\":[null]}", "{\"b\":[null],\"a\":1e0}"));
  CHECK(!are_equal("[1,2]", "[2,1]"));
  CHECK(!hoist_launchdarkly_value_equals(NULL, NULL));
}

TEST(values_convert_only_within_their_kind) {
  hoist_launchdarkly_value *value = hoist_launchdarkly_value_new_number(-3.7);
  CHECK_INT(hoist_launchdarkly_value_kind(value), HOIST_LAUNCHDARKLY_NUMBER);
  CHECK_INT(hoist_launchdarkly_value_as_int64(value, 9), -3);
  CHECK(hoist_launchdarkly_value_as_double(value, 9) == -3.7);
  CHECK(hoist_launchdarkly_value_as_bool(value, true));
  CHECK(!hoist_launchdarkly_value_as_bool(value, false));
  CHECK_TEXT(hoist_launchdarkly_value_as_string(value), "");
  hoist_launchdarkly_value_free(value);
  value = hoist_launchdarkly_value_new_number(1e30);
  CHECK_INT(hoist_launchdarkly_value_as_int64(value, 9), 9);
  hoist_launchdarkly_value_free(value);
  CHECK(hoist_launchdarkly_value_new_number(NAN) == NULL);
  CHECK(hoist_launchdarkly_value_new_number(HUGE_VAL) == NULL);
  value = value_of("\"a\\u0000b\"");
  CHECK_TEXT(hoist_launchdarkly_value_as_string(value), "a");
  CHECK_INT(hoist_launchdarkly_value_string_length(value), 3);
  hoist_launchdarkly_value_free(value);
}

TEST(arrays_and_objects_are_built_and_taken_apart) {
  hoist_launchdarkly_value *object = hoist_launchdarkly_value_new_object();
  hoist_launchdarkly_value *list = hoist_launchdarkly_value_new_array();
  hoist_launchdarkly_value *text = hoist_launchdarkly_value_new_string("s");
  CHECK_INT(hoist_launchdarkly_value_append(list, text), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_append(list, list), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_set(object, "z", list), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_set(object, "a", text), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_append(object, text), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_value_set(list, "a", text), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_value_append(list, text), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_count(list), 3);
  CHECK_INT(hoist_launchdarkly_value_count(object), 2);
  CHECK_TEXT(hoist_launchdarkly_value_key_at(object, 1), "z");
  CHECK(hoist_launchdarkly_value_key_at(object, 2) == NULL);
  CHECK(hoist_launchdarkly_value_key_at(list, 0) == NULL);
  CHECK(is(hoist_launchdarkly_value_get(object, "z"), "[\"s\",[\"s\"]]"));
  CHECK(is(hoist_launchdarkly_value_at(list, 1), "[\"s\"]"));
  CHECK(is(hoist_launchdarkly_value_at(object, 0), "\"s\""));
  CHECK(hoist_launchdarkly_value_at(list, SIZE_MAX) == NULL);
  CHECK(hoist_launchdarkly_value_get(object, "nobody") == NULL);
  CHECK_INT(hoist_launchdarkly_value_remove(object, "z"), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_value_remove(object, "z"), HOIST_ERR_NOT_FOUND);
  CHECK(is(object, "{\"a\":\"s\"}"));
  hoist_launchdarkly_value_free(list);
  hoist_launchdarkly_value_free(text);
}

TEST(a_value_put_into_itself_ends_at_a_limit) {
  hoist_launchdarkly_value *list = hoist_launchdarkly_value_new_array();
  hoist_status status = HOIST_OK;
  for (int i = 0; i < 1000 && status == HOIST_OK; i++) status = hoist_launchdarkly_value_append(list, list);
  CHECK_INT(status, HOIST_ERR_LIMIT);
  hoist_launchdarkly_value_free(list);
}

TEST(deep_text_is_refused) {
  size_t depth = 200000;
  char *text = (char *)malloc(depth);
  CHECK(text != NULL);
  memset(text, '[', depth);
  hoist_error *error = NULL;
  CHECK(hoist_launchdarkly_value_from_json(text, depth, &error) == NULL);
  CHECK(refuses(hoist_error_status(error), error, HOIST_ERR_LIMIT, "deep"));
  CHECK(hoist_launchdarkly_context_from_json(text, depth, &error) == NULL);
  CHECK(refuses(hoist_error_status(error), error, HOIST_ERR_LIMIT, "deep"));
  free(text);
}

TEST(a_builder_makes_a_context) {
  hoist_launchdarkly_builder *builder = hoist_launchdarkly_builder_new("org", "k:1");
  hoist_launchdarkly_context *context = NULL;
  hoist_error *error = NULL;
  CHECK_INT(hoist_launchdarkly_builder_set_name(builder, "n"), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_set_string(builder, "city", "Graz"), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_set_bool(builder, "paid", true), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_set_number(builder, "seats", 3), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_set_json(builder, "address", "{\"zip\":8010}", 12, &error), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_add_private(builder, "/address/zip"), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_build(builder, &context, &error), HOIST_OK);
  hoist_launchdarkly_builder_free(builder);
  CHECK(reads(hoist_launchdarkly_context_to_json(context),
              "{\"_meta\":{\"privateAttributes\":[\"/address/zip\"]},\"address\":{\"zip\":8010},\"city\":\"Graz\","
              "\"key\":\"k:1\",\"kind\":\"org\",\"name\":\"n\",\"paid\":true,\"seats\":3}"));
  CHECK(reads(hoist_launchdarkly_context_redacted(context, NULL, 0, 0),
              "{\"address\":{},\"city\":\"Graz\",\"key\":\"k:1\",\"kind\":\"org\",\"name\":\"n\",\"paid\":true,"
              "\"seats\":3,\"_meta\":{\"redactedAttributes\":[\"/address/zip\"]}}"));
  CHECK_TEXT(hoist_launchdarkly_context_kind(context), "org");
  CHECK_TEXT(hoist_launchdarkly_context_key(context), "k:1");
  CHECK_TEXT(hoist_launchdarkly_context_fully_qualified_key(context), "org:k%3A1");
  CHECK(is(hoist_launchdarkly_context_get(context, "/address/zip"), "8010"));
  CHECK(hoist_launchdarkly_context_get(context, "/address/street") == NULL);
  hoist_launchdarkly_context_free(context);
}

TEST(what_is_no_context_is_refused_by_name) {
  static const struct { const char *kind, *key; hoist_status status; const char *word; } cases[] = {
      {"kind", "k", HOIST_ERR_LAUNCHDARKLY_KIND_INVALID, "kind"},
      {"a b", "k", HOIST_ERR_LAUNCHDARKLY_KIND_INVALID, "a b"},
      {"multi", "k", HOIST_ERR_LAUNCHDARKLY_MULTI_BUILDER_REQUIRED, "multi"},
      {"org", "", HOIST_ERR_LAUNCHDARKLY_KEY_EMPTY, "org"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hoist_launchdarkly_builder *builder = hoist_launchdarkly_builder_new(cases[i].kind, cases[i].key);
    hoist_launchdarkly_context *context = (hoist_launchdarkly_context *)&cases;
    hoist_error *error = NULL;
    hoist_status status = hoist_launchdarkly_builder_build(builder, &context, &error);
    hoist_launchdarkly_builder_free(builder);
    CHECK(context == NULL);
    CHECK(refuses(status, error, cases[i].status, cases[i].word));
  }
  hoist_launchdarkly_builder *builder = hoist_launchdarkly_builder_new(NULL, "k");
  hoist_error *error = NULL;
  hoist_status status = hoist_launchdarkly_builder_set_json(builder, "anonymous", "3", 1, &error);
  CHECK(refuses(status, error, HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED, "anonymous"));
  status = hoist_launchdarkly_builder_set_json(builder, "city", "{", 1, &error);
  CHECK(refuses(status, error, HOIST_ERR_PARSE, "city"));
  CHECK_INT(hoist_launchdarkly_builder_set_number(builder, "x", NAN), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_builder_set_string(builder, "x", "\xff"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_builder_set_string(builder, "", "x"), HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED);
  CHECK(hoist_launchdarkly_builder_new("\xff", NULL) == NULL);
  hoist_launchdarkly_builder_free(builder);
}

TEST(several_contexts_become_one) {
  hoist_launchdarkly_multi *multi = hoist_launchdarkly_multi_new();
  hoist_launchdarkly_context *user = context_of("{\"kind\":\"user\",\"key\":\"a:b\"}");
  hoist_launchdarkly_context *org = context_of("{\"kind\":\"org\",\"key\":\"o\"}");
  hoist_launchdarkly_context *both = NULL, *again = NULL;
  hoist_error *error = NULL;
  hoist_status status = hoist_launchdarkly_multi_build(multi, &both, &error);
  CHECK(refuses(status, error, HOIST_ERR_LAUNCHDARKLY_MULTI_EMPTY, "multi"));
  CHECK_INT(hoist_launchdarkly_multi_add(multi, user), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_multi_add(multi, org), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_multi_build(multi, &both, NULL), HOIST_OK);
  CHECK(hoist_launchdarkly_context_is_multi(both));
  CHECK_TEXT(hoist_launchdarkly_context_key(both), "");
  CHECK_TEXT(hoist_launchdarkly_context_fully_qualified_key(both), "org:o:user:a%3Ab");
  CHECK(is(hoist_launchdarkly_context_keys(both), "{\"org\":\"o\",\"user\":\"a:b\"}"));
  hoist_launchdarkly_context *part = hoist_launchdarkly_context_part(both, "org");
  CHECK(hoist_launchdarkly_context_equals(part, org));
  CHECK(!hoist_launchdarkly_context_equals(part, user));
  CHECK(hoist_launchdarkly_context_part(both, "device") == NULL);
  CHECK_INT(hoist_launchdarkly_multi_add(multi, part), HOIST_OK);
  status = hoist_launchdarkly_multi_build(multi, &again, &error);
  CHECK(refuses(status, error, HOIST_ERR_LAUNCHDARKLY_KINDS_DUPLICATE, "org"));
  hoist_launchdarkly_multi_free(multi);
  hoist_launchdarkly_context_free(user);
  hoist_launchdarkly_context_free(org);
  hoist_launchdarkly_context_free(part);
  hoist_launchdarkly_context_free(both);
}

TEST(contexts_of_the_core_go_there_and_back) {
  hoist_context *core = hoist_context_new("k");
  CHECK_INT(hoist_context_set_string(core, "kind", "org"), HOIST_OK);
  CHECK_INT(hoist_context_set_json(core, "_meta", "{\"privateAttributes\":[\"a\"]}", 27), HOIST_OK);
  CHECK_INT(hoist_context_set_int64(core, "a", 1), HOIST_OK);
  hoist_launchdarkly_context *context = hoist_launchdarkly_context_from_hoist(core, NULL);
  CHECK(reads(hoist_launchdarkly_context_to_json(context),
              "{\"_meta\":{\"privateAttributes\":[\"a\"]},\"a\":1,\"key\":\"k\",\"kind\":\"org\"}"));
  hoist_context *back = hoist_launchdarkly_context_to_hoist(context);
  hoist_launchdarkly_context *again = hoist_launchdarkly_context_from_hoist(back, NULL);
  CHECK(hoist_launchdarkly_context_equals(context, again));
  CHECK_INT(hoist_context_set_bool(core, "name", true), HOIST_OK);
  hoist_error *error = NULL;
  CHECK(hoist_launchdarkly_context_from_hoist(core, &error) == NULL);
  CHECK(refuses(hoist_error_status(error), error, HOIST_ERR_LAUNCHDARKLY_ATTRIBUTE_REFUSED, "name"));
  hoist_context_free(core);
  hoist_context_free(back);
  hoist_launchdarkly_context_free(context);
  hoist_launchdarkly_context_free(again);
}

TEST(references_have_names_and_literals_a_spelling) {
  hoist_error *error = NULL;
  CHECK(is(hoist_launchdarkly_reference_names("/a~1b/c~0d", NULL), "[\"a/b\",\"c~d\"]"));
  CHECK(is(hoist_launchdarkly_reference_names("a~1b/c", NULL), "[\"a~1b/c\"]"));
  CHECK(hoist_launchdarkly_reference_names("/a//b", &error) == NULL);
  CHECK(refuses(hoist_error_status(error), error, HOIST_ERR_PARSE, "/a//b"));
  CHECK(hoist_launchdarkly_reference_names(NULL, &error) == NULL);
  CHECK(refuses(hoist_error_status(error), error, HOIST_ERR_ARGUMENT, "NULL"));
  CHECK(reads(hoist_launchdarkly_reference_literal("/address/street"), "/~1address~1street"));
  CHECK(reads(hoist_launchdarkly_reference_literal("a~b"), "a~b"));
  CHECK(hoist_launchdarkly_reference_literal("") == NULL);
}

int main(void) {
  RUN(values_are_equal_by_what_they_say);
  RUN(values_convert_only_within_their_kind);
  RUN(arrays_and_objects_are_built_and_taken_apart);
  RUN(a_value_put_into_itself_ends_at_a_limit);
  RUN(deep_text_is_refused);
  RUN(a_builder_makes_a_context);
  RUN(what_is_no_context_is_refused_by_name);
  RUN(several_contexts_become_one);
  RUN(contexts_of_the_core_go_there_and_back);
  RUN(references_have_names_and_literals_a_spelling);
  return check_summary();
}
