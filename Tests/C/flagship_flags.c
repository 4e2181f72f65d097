/* Flagship's flags as a host reads them: values and their types, live views, metadata, collections. Campaigns are decided in
 * the process, from a file of the test's own. */
#include <stdlib.h>
#include <unistd.h>

#include <hoist/flagship.h>

#include "check.h"
#include "host.h"

static const char *const campaigns =
    "{\"campaigns\":[{\"id\":\"c\",\"name\":\"Campaign\",\"type\":\"ab\",\"slug\":\"slug\",\"variationGroups\":[{\"id\":\"g\","
    "\"name\":\"Group\",\"targeting\":{\"targetingGroups\":[{\"targetings\":[{\"operator\":\"EQUALS\",\"key\":"
    "\"fs_all_users\",\"value\":\"\"}]}]},\"variations\":[{\"id\":\"v\",\"name\":\"Variation\",\"reference\":true,"
    "\"allocation\":100,\"modifications\":{\"type\":\"JSON\",\"value\":{\"yes\":true,\"whole\":42,\"real\":5.5,"
    "\"word\":\"green\",\"list\":[1,\"two\"],\"none\":null}}}]}]}]}";

static hoist_client *client;
static hoist_flagship_visitor *visitor;

static void open_client(void) {
  hoist_config *config = host_flagship_config();
  hoist_flagship_visitor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = "visitor";
  options.has_consented = false;
  host_set(config, "mode", "bucketing");
  host_set(config, "bucketing", campaigns);
  client = host_open(config);
  if (hoist_flagship_visitor_new(client, &options, &visitor, NULL) != HOIST_OK) exit(70);
  (void)hoist_client_wait_ready(client, 10000);
  if (hoist_flagship_visitor_fetch_wait(visitor, 10000) != HOIST_OK) exit(70);
}

static void close_client(void) {
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

/* Takes the text. */
static bool text_is(hoist_text *text, const char *expected) {
  bool same = text && strcmp(hoist_text_data(text), expected) == 0;
  if (!same) printf("#   text \"%s\"\n", text ? hoist_text_data(text) : "(null)");
  hoist_text_free(text);
  return same;
}

TEST(values_come_when_their_type_is_that_of_the_default) {
  bool truth = false;
  int64_t whole = 0;
  double real = 0;
  CHECK_INT(hoist_flagship_visitor_bool(visitor, "yes", false, false, &truth), HOIST_OK);
  CHECK(truth);
  CHECK_INT(hoist_flagship_visitor_int64(visitor, "whole", 7, false, &whole), HOIST_OK);
  CHECK_INT(whole, 42);
  CHECK_INT(hoist_flagship_visitor_double(visitor, "real", 7, false, &real), HOIST_OK);
  CHECK(real == 5.5);
  CHECK_INT(hoist_flagship_visitor_double(visitor, "whole", 7, false, &real), HOIST_ERR_FLAGSHIP_FLAG_TYPE);
  CHECK(real == 7);
  CHECK_INT(hoist_flagship_visitor_int64(visitor, "yes", 7, false, &whole), HOIST_ERR_FLAGSHIP_FLAG_TYPE);
  CHECK_INT(whole, 7);
  CHECK_INT(hoist_flagship_visitor_int64(visitor, "none", 8, false, &whole), HOIST_OK);
  CHECK_INT(whole, 8);
  CHECK_INT(hoist_flagship_visitor_int64(visitor, "other", 9, false, &whole), HOIST_ERR_NOT_FOUND);
  CHECK_INT(whole, 9);
}

TEST(texts_come_or_the_default) {
  hoist_text *text = NULL;
  CHECK_INT(hoist_flagship_visitor_string(visitor, "word", "red", false, &text), HOIST_OK);
  CHECK(text_is(text, "green"));
  CHECK_INT(hoist_flagship_visitor_string(visitor, "list", "red", false, &text), HOIST_ERR_FLAGSHIP_FLAG_TYPE);
  CHECK(text_is(text, "red"));
  CHECK_INT(hoist_flagship_visitor_string(visitor, "other", NULL, false, &text), HOIST_ERR_NOT_FOUND);
  CHECK(text_is(text, ""));
  CHECK_INT(hoist_flagship_visitor_json(visitor, "list", "[]", false, &text), HOIST_OK);
  CHECK(text_is(text, "[1,\"two\"]"));
  CHECK_INT(hoist_flagship_visitor_json(visitor, "list", "{}", false, &text), HOIST_ERR_FLAGSHIP_FLAG_TYPE);
  CHECK(text_is(text, "{}"));
  CHECK_INT(hoist_flagship_visitor_json(visitor, "other", NULL, false, &text), HOIST_ERR_NOT_FOUND);
  CHECK(text_is(text, "null"));
  CHECK_INT(hoist_flagship_visitor_json(visitor, "list", "[", false, &text), HOIST_ERR_PARSE);
  CHECK(text == NULL);
}

TEST(arguments_that_are_none_are_refused) {
  bool truth = false;
  hoist_text *text = NULL;
  CHECK_INT(hoist_flagship_visitor_bool(NULL, "yes", true, true, &truth), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_bool(visitor, NULL, true, true, &truth), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_bool(visitor, "\xff", true, true, &truth), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_bool(visitor, "yes", true, true, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_string(visitor, "word", "\xff", true, &text), HOIST_ERR_ARGUMENT);
  CHECK(hoist_flagship_visitor_flag(visitor, "\xff") == NULL);
  CHECK(!hoist_flagship_flag_exists(NULL));
  CHECK_INT(hoist_flagship_flag_status(NULL), HOIST_FLAGSHIP_FLAG_NOT_FOUND);
  CHECK(hoist_flagship_metadata_slug(NULL) == NULL);
  CHECK(hoist_flagship_flags_is_empty(NULL));
}

TEST(a_flag_is_a_live_view) {
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "word");
  hoist_flagship_flag *other = hoist_flagship_visitor_flag(visitor, "other");
  hoist_text *text = NULL;
  CHECK_TEXT(hoist_flagship_flag_key(flag), "word");
  CHECK(hoist_flagship_flag_exists(flag));
  CHECK(!hoist_flagship_flag_exists(other));
  CHECK_INT(hoist_flagship_flag_status(flag), HOIST_FLAGSHIP_FLAG_FETCHED);
  CHECK_INT(hoist_flagship_flag_status(other), HOIST_FLAGSHIP_FLAG_NOT_FOUND);
  CHECK_INT(hoist_flagship_flag_string(flag, "red", false, &text), HOIST_OK);
  CHECK(text_is(text, "green"));
  CHECK_INT(hoist_flagship_visitor_set_bool(visitor, "vip", true), HOIST_OK);
  CHECK_INT(hoist_flagship_flag_status(flag), HOIST_FLAGSHIP_FLAG_FETCH_REQUIRED);
  CHECK_TEXT(hoist_flagship_flag_state_name(HOIST_FLAGSHIP_FLAG_FETCH_REQUIRED), "FETCH_REQUIRED");
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 10000), HOIST_OK);
  CHECK_INT(hoist_flagship_flag_status(flag), HOIST_FLAGSHIP_FLAG_FETCHED);
  text = hoist_flagship_flag_explain(flag);
  CHECK(text && strstr(hoist_text_data(text), "\"key\":\"fs_all_users\""));
  hoist_text_free(text);
  hoist_flagship_flag_free(flag);
  hoist_flagship_flag_free(other);
}

TEST(metadata_say_where_a_value_came_from) {
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "word");
  hoist_flagship_flag *other = hoist_flagship_visitor_flag(visitor, "other");
  hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
  hoist_flagship_metadata *empty = hoist_flagship_flag_metadata(other);
  hoist_flagship_flag_free(flag);
  hoist_flagship_flag_free(other);
  CHECK_TEXT(hoist_flagship_metadata_campaign_id(metadata), "c");
  CHECK_TEXT(hoist_flagship_metadata_campaign_name(metadata), "Campaign");
  CHECK_TEXT(hoist_flagship_metadata_variation_group_id(metadata), "g");
  CHECK_TEXT(hoist_flagship_metadata_variation_group_name(metadata), "Group");
  CHECK_TEXT(hoist_flagship_metadata_variation_id(metadata), "v");
  CHECK_TEXT(hoist_flagship_metadata_variation_name(metadata), "Variation");
  CHECK(hoist_flagship_metadata_is_reference(metadata));
  CHECK_TEXT(hoist_flagship_metadata_campaign_type(metadata), "ab");
  CHECK_TEXT(hoist_flagship_metadata_slug(metadata), "slug");
  CHECK(text_is(hoist_flagship_metadata_to_json(metadata),
                "{\"campaignId\":\"c\",\"campaignName\":\"Campaign\",\"variationGroupId\":\"g\",\"variationGroupName\":"
                "\"Group\",\"variationId\":\"v\",\"variationName\":\"Variation\",\"isReference\":true,\"campaignType\":"
                "\"ab\",\"slug\":\"slug\"}"));
  CHECK_TEXT(hoist_flagship_metadata_variation_id(empty), "");
  CHECK(!hoist_flagship_metadata_is_reference(empty));
  hoist_flagship_metadata_free(metadata);
  hoist_flagship_metadata_free(empty);
}

static void each(void *user_data, const char *key, const hoist_flagship_flag *flag) {
  if (hoist_flagship_flag_exists(flag)) strcat((char *)user_data, key);
  strcat((char *)user_data, " ");
}

static bool takes_word(void *user_data, const char *key, const hoist_flagship_flag *flag) {
  (void)user_data;
  return hoist_flagship_flag_exists(flag) && strcmp(key, "word") == 0;
}

TEST(collections_have_the_flags_in_order) {
  hoist_flagship_flags *flags = hoist_flagship_visitor_flags(visitor);
  hoist_flagship_flags *some = hoist_flagship_flags_filter(flags, takes_word, NULL);
  hoist_flagship_flags *none;
  hoist_flagship_flag *flag = hoist_flagship_flags_get(flags, "whole");
  hoist_flagship_metadata *metadata = hoist_flagship_flags_metadata_at(flags, 1);
  char seen[200] = "";
  hoist_text *json;
  CHECK_INT(hoist_flagship_flags_count(flags), 6);
  CHECK(!hoist_flagship_flags_is_empty(flags));
  CHECK_TEXT(hoist_flagship_flags_key_at(flags, 1), "whole");
  CHECK(hoist_flagship_flags_key_at(flags, 6) == NULL);
  CHECK(hoist_flagship_flags_metadata_at(flags, (size_t)-1) == NULL);
  CHECK_TEXT(hoist_flagship_metadata_variation_id(metadata), "v");
  hoist_flagship_metadata_free(metadata);
  hoist_flagship_flags_for_each(flags, each, seen);
  CHECK_TEXT(seen, "yes whole real word list none ");
  CHECK_INT(hoist_flagship_flags_count(some), 1);
  json = hoist_flagship_flags_to_json(some);
  CHECK(strstr(hoist_text_data(json), "\"key\":\"word\",\"hex\":\"7b2276223a22677265656e227d\"}]"));
  hoist_text_free(json);
  CHECK_INT(hoist_flagship_flags_set(some, "word", flag), HOIST_OK);
  CHECK_INT(hoist_flagship_flags_set(some, "more", flag), HOIST_OK);
  CHECK_INT(hoist_flagship_flags_count(some), 2);
  hoist_flagship_flag_free(flag);
  flag = hoist_flagship_flags_get(some, "word");
  CHECK_TEXT(hoist_flagship_flag_key(flag), "whole");
  hoist_flagship_flag_free(flag);
  flag = hoist_flagship_flags_get(some, "list");
  CHECK(!hoist_flagship_flag_exists(flag));
  hoist_flagship_flag_free(flag);
  none = hoist_flagship_flags_filter(some, takes_word, NULL);
  hoist_flagship_flags_free(some);
  hoist_flagship_flags_free(flags);
  CHECK(text_is(hoist_flagship_flags_to_json(NULL) ? NULL : hoist_flagship_flags_to_json(none),
                "[{\"campaignId\":\"c\",\"campaignName\":\"Campaign\",\"variationGroupId\":\"g\",\"variationGroupName\":"
                "\"Group\",\"variationId\":\"v\",\"variationName\":\"Variation\",\"isReference\":true,\"campaignType\":"
                "\"ab\",\"slug\":\"slug\",\"key\":\"word\",\"hex\":\"7b2276223a34327d\"}]"));
  hoist_flagship_flags_free(none);
}

TEST(flags_outlive_visitor_and_client) {
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "word");
  hoist_flagship_flags *flags = hoist_flagship_visitor_flags(visitor);
  hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
  int64_t whole = 0;
  int left;
  close_client();
  /* A client that is freed ends a moment later. */
  for (left = 10000; left > 0 && hoist_flagship_flag_exists(flag); left--) usleep(1000);
  CHECK(!hoist_flagship_flag_exists(flag));
  CHECK_INT(hoist_flagship_flag_int64(flag, 5, true, &whole), HOIST_ERR_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(whole, 5);
  CHECK_INT(hoist_flagship_flag_expose(flag), HOIST_ERR_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_flags_expose_all(flags), HOIST_ERR_FLAGSHIP_NOT_INITIALIZED);
  CHECK_TEXT(hoist_flagship_metadata_campaign_id(metadata), "c");
  CHECK(text_is(hoist_flagship_flags_to_json(flags), ""));
  hoist_flagship_metadata_free(metadata);
  hoist_flagship_flags_free(flags);
  hoist_flagship_flag_free(flag);
}

int main(void) {
  open_client();
  RUN(values_come_when_their_type_is_that_of_the_default);
  RUN(texts_come_or_the_default);
  RUN(arguments_that_are_none_are_refused);
  RUN(a_flag_is_a_live_view);
  RUN(metadata_say_where_a_value_came_from);
  RUN(collections_have_the_flags_in_order);
  RUN(flags_outlive_visitor_and_client);
  return check_summary();
}
