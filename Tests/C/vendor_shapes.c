/* The services' headers have the same shapes: tables have initializers, JSON has a form for jansson. Contract 11. */
#define HOIST_DEPRECATED
#include <hoist/flagship.h>
#include <hoist/jansson.h>
#include <hoist/kameleoon.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>
#include <hoist/unleash.h>

#include "check.h"
#include "host.h"

/* Whether nothing but the size is set. */
#define EMPTY(type, init)                                                                  \
  static bool is_empty_##type(void) {                                                      \
    type table = init, bare;                                                               \
    memset(&bare, 0, sizeof bare);                                                         \
    bare.struct_size = sizeof bare;                                                        \
    return table.struct_size == sizeof table && memcmp(&table, &bare, sizeof table) == 0;  \
  }
#define EMPTY_TABLES(X)                                                                \
  X(hoist_flagship_hit_cache, HOIST_FLAGSHIP_HIT_CACHE_INIT)                           \
  X(hoist_flagship_observer, HOIST_FLAGSHIP_OBSERVER_INIT)                             \
  X(hoist_flagship_visitor_cache, HOIST_FLAGSHIP_VISITOR_CACHE_INIT)                   \
  X(hoist_kameleoon_observer, HOIST_KAMELEOON_OBSERVER_INIT)                           \
  X(hoist_launchdarkly_client_plugin, HOIST_LAUNCHDARKLY_CLIENT_PLUGIN_INIT)           \
  X(hoist_launchdarkly_hook, HOIST_LAUNCHDARKLY_HOOK_INIT)                             \
  X(hoist_launchdarkly_observer, HOIST_LAUNCHDARKLY_OBSERVER_INIT)                     \
  X(hoist_launchdarkly_plugin, HOIST_LAUNCHDARKLY_PLUGIN_INIT)                         \
  X(hoist_optimizely_observer, HOIST_OPTIMIZELY_OBSERVER_INIT)                         \
  X(hoist_optimizely_odp_manager, HOIST_OPTIMIZELY_ODP_MANAGER_INIT)                   \
  X(hoist_optimizely_plugin, HOIST_OPTIMIZELY_PLUGIN_INIT)                             \
  X(hoist_optimizely_profile_service, HOIST_OPTIMIZELY_PROFILE_SERVICE_INIT)           \
  X(hoist_unleash_plugin, HOIST_UNLEASH_PLUGIN_INIT)                                   \
  X(hoist_unleash_storage, HOIST_UNLEASH_STORAGE_INIT)                                 \
  X(hoist_unleash_strategy, HOIST_UNLEASH_STRATEGY_INIT)
EMPTY_TABLES(EMPTY)

TEST(every_table_has_an_initializer) {
#define CHECK_EMPTY(type, init) CHECK(is_empty_##type());
  EMPTY_TABLES(CHECK_EMPTY)
  /* Those with padding, and with a member that zero does not stand for. */
  hoist_unleash_toggle toggle = HOIST_UNLEASH_TOGGLE_INIT;
  CHECK(toggle.struct_size == sizeof toggle && !toggle.name && !toggle.enabled && !toggle.variant_name);
  CHECK_INT(toggle.variant_feature_enabled, HOIST_UNLEASH_ABSENT);
  hoist_flagship_visitor_options options = HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT;
  CHECK(options.struct_size == sizeof options && !options.id && !options.has_consented && !options.fetched && !options.release);
  CHECK_INT(options.instance, HOIST_FLAGSHIP_SHARED_INSTANCE);
  hoist_launchdarkly_connection connection = HOIST_LAUNCHDARKLY_CONNECTION_INIT;
  hoist_launchdarkly_data_source source = HOIST_LAUNCHDARKLY_DATA_SOURCE_INIT;
  CHECK(connection.struct_size == sizeof connection && !connection.has_failure && !*connection.text);
  CHECK(source.struct_size == sizeof source && !source.since_ms && !*source.error_message);
}

/* Whether a value says the same as a text; lets go of both. */
static bool same(json_t *value, hoist_text *text) {
  json_t *read = json_loads(hoist_text_data(text), JSON_DECODE_ANY, NULL);
  bool is_same = value && read && json_equal(value, read);
  if (!is_same) printf("#   of \"%s\"\n", hoist_text_data(text));
  json_decref(value);
  json_decref(read);
  hoist_text_free(text);
  return is_same;
}

static json_t *made(const char *text) { return json_loads(text, JSON_DECODE_ANY, NULL); }

TEST(unleash_speaks_jansson) {
  hoist_client *client = host_client();
  json_t *document = made("{\"toggles\":[{\"name\":\"a\",\"enabled\":true}]}"), *user = made("{\"userId\":7}");
  hoist_error *error = NULL;
  hoist_unleash_bootstrap *bootstrap = hoist_unleash_bootstrap_from_jansson(document, NULL);
  hoist_context *context = hoist_unleash_context_from_jansson(user, NULL);
  CHECK(bootstrap != NULL && context != NULL);
  hoist_unleash_bootstrap_free(bootstrap);
  hoist_context_free(context);
  CHECK(hoist_unleash_bootstrap_from_jansson(user, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_PARSE);
  hoist_error_free(error);
  CHECK(hoist_unleash_bootstrap_from_jansson(NULL, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_ARGUMENT);
  hoist_error_free(error);
  CHECK(same(hoist_unleash_context_jansson(client), hoist_unleash_context(client)));
  CHECK(same(hoist_unleash_list_toggles_jansson(client), hoist_unleash_list_toggles(client)));
  json_decref(document);
  json_decref(user);
  hoist_client_free(client);
}

TEST(optimizely_speaks_jansson) {
  hoist_client *client = host_optimizely_client(), *empty = host_client();
  hoist_context *user = hoist_context_new("user");
  hoist_optimizely_user *one = hoist_optimizely_user_new(client, "user", NULL);
  json_t *tags = made("{\"revenue\":5}"), *datafile = made(HOST_DATAFILE), *value = NULL;
  CHECK(same(hoist_optimizely_datafile_jansson(client), hoist_optimizely_datafile(client)));
  CHECK(same(hoist_optimizely_config_to_jansson(client), hoist_optimizely_config_to_json(client)));
  CHECK(same(hoist_optimizely_enabled_features_jansson(client, user), hoist_optimizely_enabled_features(client, user)));
  CHECK(same(hoist_optimizely_feature_variables_jansson(client, "on", user), hoist_optimizely_feature_variables(client, "on", user)));
  CHECK(same(hoist_optimizely_user_segments_jansson(one), hoist_optimizely_user_segments(one)));
  CHECK(same(hoist_optimizely_user_explain_jansson(one, "on"), hoist_optimizely_user_explain(one, "on")));
  CHECK_INT(hoist_optimizely_feature_jansson(client, "on", "nobody", user, &value), HOIST_ERR_OPTIMIZELY_VARIABLE_KEY_INVALID);
  CHECK(value == NULL);
  CHECK_INT(hoist_optimizely_feature_bool(client, "nobody", "color", user, NULL), HOIST_ERR_OPTIMIZELY_FEATURE_KEY_INVALID);
  CHECK_INT(hoist_optimizely_activate(client, "nobody", user, NULL), HOIST_ERR_OPTIMIZELY_EXPERIMENT_KEY_INVALID);
  CHECK_INT(hoist_optimizely_track_jansson(client, "buy", user, tags, NULL), HOIST_OK);
  CHECK_INT(hoist_optimizely_start_with_datafile_jansson(client, tags, 0, NULL), HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID);
  CHECK_INT(hoist_optimizely_start_with_datafile_jansson(client, datafile, HOIST_OPTIMIZELY_NO_BACKGROUND_FETCH, NULL), HOIST_OK);
  CHECK_INT(hoist_optimizely_save_datafile_jansson(client, datafile, NULL), HOIST_ERR_UNSUPPORTED); /* no SDK key */
  CHECK(hoist_optimizely_saved_datafile_jansson(client) == NULL && hoist_optimizely_datafile_jansson(empty) == NULL);
  CHECK_INT(hoist_optimizely_profile_sink_put_jansson(NULL, tags), HOIST_ERR_ARGUMENT);
  json_decref(tags);
  json_decref(datafile);
  hoist_optimizely_user_free(one);
  hoist_context_free(user);
  hoist_client_free(client);
  hoist_client_free(empty);
}

static bool decoded(const json_t *value, void *user_data) {
  *(json_int_t *)user_data = json_integer_value(value);
  return json_is_integer(value);
}

TEST(launchdarkly_speaks_jansson) {
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "autostart", "false");
  hoist_client *client = host_open(config);
  hoist_launchdarkly_builder *builder = hoist_launchdarkly_builder_new("org", "k");
  hoist_launchdarkly_context *built = NULL;
  hoist_detail *detail = NULL;
  json_t *object = made("{\"kind\":\"org\",\"key\":\"k\",\"a\":[1,null]}"), *list = made("[1,null]");
  json_int_t number = -1;
  const char *hidden[] = {"a"};
  hoist_launchdarkly_context *context = hoist_launchdarkly_context_from_jansson(object, NULL);
  hoist_launchdarkly_value *value = hoist_launchdarkly_value_from_jansson(list, NULL);
  CHECK_INT(hoist_launchdarkly_start_wait(client, 10000, NULL), HOIST_OK); /* offline: at once, without flags */
  CHECK(same(hoist_launchdarkly_context_to_jansson(context), hoist_launchdarkly_context_to_json(context)));
  CHECK(same(hoist_launchdarkly_value_to_jansson(value), hoist_launchdarkly_value_to_json(value)));
  CHECK(same(hoist_launchdarkly_context_redacted_jansson(context, hidden, 1, 0), hoist_launchdarkly_context_redacted(context, hidden, 1, 0)));
  CHECK_INT(hoist_launchdarkly_builder_set_jansson(builder, "a", list, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_builder_build(builder, &built, NULL), HOIST_OK);
  CHECK(hoist_launchdarkly_context_equals(context, built));
  CHECK(same(hoist_launchdarkly_all_flags_jansson(client), hoist_launchdarkly_all_flags(client)));
  CHECK_INT(hoist_launchdarkly_track_jansson(client, "bought", list, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_track_jansson(client, "bought", NULL, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_track_for_jansson(client, "bought", NULL, list, NULL), HOIST_OK);
  CHECK(!hoist_launchdarkly_variation_decode_jansson(client, "nobody", decoded, &number, list, &detail));
  CHECK_INT(number, -1);
  CHECK_TEXT(hoist_launchdarkly_detail_error_kind(detail), "FLAG_NOT_FOUND");
  CHECK(same(hoist_launchdarkly_detail_reason_jansson(detail), hoist_launchdarkly_detail_reason(detail)));
  hoist_detail_free(detail);
  hoist_launchdarkly_value_free(value);
  hoist_launchdarkly_context_free(built);
  hoist_launchdarkly_context_free(context);
  hoist_launchdarkly_builder_free(builder);
  json_decref(object);
  json_decref(list);
  hoist_client_free(client);
}

TEST(flagship_speaks_jansson) {
  hoist_client *client = host_flagship_client();
  hoist_flagship_visitor *visitor = NULL;
  json_t *object = made("{\"vip\":true}"), *list = made("[1]"), *value = NULL;
  CHECK_INT(hoist_flagship_visitor_new(client, NULL, &visitor, NULL), HOIST_OK);
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "nobody");
  hoist_flagship_flags *flags = hoist_flagship_visitor_flags(visitor);
  hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
  CHECK_INT(hoist_flagship_visitor_update_context_jansson(visitor, list), HOIST_ERR_PARSE);
  CHECK_INT(hoist_flagship_visitor_update_context_jansson(visitor, object), HOIST_OK);
  CHECK(same(hoist_flagship_visitor_context_jansson(visitor), hoist_flagship_visitor_context(visitor)));
  CHECK(same(hoist_flagship_visitor_export_jansson(visitor), hoist_flagship_visitor_export(visitor)));
  CHECK(same(hoist_flagship_flag_explain_jansson(flag), hoist_flagship_flag_explain(flag)));
  CHECK(same(hoist_flagship_metadata_to_jansson(metadata), hoist_flagship_metadata_to_json(metadata)));
  CHECK(hoist_flagship_flags_to_jansson(flags) == NULL); /* "" where there are none */
  CHECK_INT(hoist_flagship_visitor_jansson(visitor, "nobody", list, false, &value), HOIST_ERR_NOT_FOUND);
  CHECK(json_equal(value, list));
  json_decref(value);
  CHECK_INT(hoist_flagship_flag_jansson(flag, NULL, false, &value), HOIST_ERR_NOT_FOUND);
  CHECK(json_is_null(value));
  json_decref(value);
  CHECK_INT(hoist_flagship_collect_emotion_jansson(client, list, NULL, NULL), HOIST_ERR_PARSE);
  CHECK_INT(hoist_flagship_visitor_lookup_reply_jansson(NULL, object), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_flagship_hit_lookup_reply_jansson(NULL, NULL), HOIST_ERR_NOT_FOUND);
  hoist_flagship_metadata_free(metadata);
  hoist_flagship_flags_free(flags);
  hoist_flagship_flag_free(flag);
  hoist_flagship_visitor_free(visitor);
  json_decref(object);
  json_decref(list);
  hoist_client_free(client);
}

TEST(kameleoon_speaks_jansson) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_kameleoon_variation *variation = NULL;
  hoist_error *error = NULL;
  json_t *object = made("{\"type\":\"Device\",\"device\":\"PHONE\"}"), *list = made("[]"), *value = NULL;
  hoist_kameleoon_data *data = hoist_kameleoon_data_from_jansson(object, NULL);
  const hoist_kameleoon_data *all[] = {data};
  CHECK_INT(hoist_kameleoon_visitor_new(client, "v", &visitor, NULL), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_add_data(visitor, all, 1, false), HOIST_OK);
  CHECK(same(hoist_kameleoon_data_to_jansson(data), hoist_kameleoon_data_to_json(data)));
  CHECK(hoist_kameleoon_data_from_jansson(list, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_PARSE);
  hoist_error_free(error);
  CHECK(same(hoist_kameleoon_feature_list_jansson(client, NULL), hoist_kameleoon_feature_list(client, NULL)));
  CHECK(same(hoist_kameleoon_datafile_jansson(client, NULL), hoist_kameleoon_datafile(client, NULL)));
  CHECK(same(hoist_kameleoon_visitor_active_feature_list_jansson(visitor, NULL),
             hoist_kameleoon_visitor_active_feature_list(visitor, NULL)));
  CHECK(same(hoist_kameleoon_feature_variation_variables_jansson(client, "on", "blue", NULL),
             hoist_kameleoon_feature_variation_variables(client, "on", "blue", NULL)));
  CHECK(hoist_kameleoon_feature_variation_variables_jansson(client, "nobody", "blue", &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND);
  hoist_error_free(error);
  CHECK(same(hoist_kameleoon_visitor_explain_jansson(visitor, "on"), hoist_kameleoon_visitor_explain(visitor, "on")));
  json_t *visits = json_pack("{s:[{s:I}]}", "previousVisits", "timeStarted", (json_int_t)1);
  CHECK_INT(hoist_kameleoon_visitor_add_remote_visitor_data_jansson(visitor, visits, false, NULL), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_add_remote_visitor_data(visitor, "[]", 2, false, NULL), HOIST_ERR_PARSE);
  json_decref(visits);
  CHECK_INT(hoist_kameleoon_visitor_variation(visitor, "on", false, &variation), HOIST_OK);
  CHECK(same(hoist_kameleoon_variation_to_jansson(variation), hoist_kameleoon_variation_to_json(variation)));
  value = hoist_kameleoon_variable_jansson(hoist_kameleoon_variation_variable(variation, "color"));
  CHECK_TEXT(json_string_value(value), "blue");
  json_decref(value);
  CHECK(hoist_kameleoon_visitor_get_remote_data_wait_jansson(visitor, NULL, 0, &value) != HOIST_OK && value == NULL);
  hoist_kameleoon_variation_free(variation);
  hoist_kameleoon_data_free(data);
  hoist_kameleoon_visitor_free(visitor);
  json_decref(object);
  json_decref(list);
  hoist_client_free(client);
}

int main(void) {
  RUN(every_table_has_an_initializer);
  RUN(unleash_speaks_jansson);
  RUN(optimizely_speaks_jansson);
  RUN(launchdarkly_speaks_jansson);
  RUN(flagship_speaks_jansson);
  RUN(kameleoon_speaks_jansson);
  return check_summary();
}
