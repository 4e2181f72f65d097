/* Flagship's visitors as a host meets them: callbacks and their order, consent, experience continuity, contexts. */
#include "flagship_visitors.h"

/* ---- Fetching ---------------------------------------------------------------------------------------------- */

/* (FS-30, FS-36, FS-37, FS-45, FS-46, FS-50, FS-52 to FS-56; ready, failing, panic) */
TEST(a_fetch_is_told_in_order) {
  static notes told;
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor *visitor = visitor_of(client, "v", &told);
  CHECK_INT(hoist_flagship_visitor_fetch_status(visitor), HOIST_FLAGSHIP_FETCH_REQUIRED);
  CHECK_INT(hoist_flagship_visitor_fetch_reason(visitor), HOIST_FLAGSHIP_REASON_VISITOR_CREATE);
  CHECK_INT(hoist_flagship_visitor_fetch(visitor, done, &told), HOIST_OK);
  CHECK(tells(&told, "FETCHING/NONE FETCHED/NONE done:0 "));
  serve(500, "");
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_ERR_FLAGSHIP_FETCH_FAILED);
  CHECK(tells(&told, "FETCHING/NONE FETCH_REQUIRED/FETCH_ERROR "));
  serve(200, PANIC);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_ERR_FLAGSHIP_PANIC);
  CHECK(tells(&told, "FETCHING/NONE PANIC/NONE "));
  CHECK_INT(hoist_flagship_visitor_set_bool(visitor, "k", true), HOIST_ERR_FLAGSHIP_PANIC);
  serve(200, CAMPAIGN);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  CHECK(tells(&told, "FETCHING/NONE FETCHED/NONE "));
  hoist_client_free(client);
  hoist_flagship_visitor_free(visitor);
  CHECK(reaches(&told.released, 1));
}

/* (FS-205; ready) */
TEST(callbacks_of_newer_sdks_are_there_too) {
  static notes told;
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor_options options = options_of("v");
  hoist_flagship_visitor *visitor = NULL;
  options.fetch_required = fetch_required;
  options.fetched = fetched;
  options.user_data = &told;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_set_int64(visitor, "k", 1), HOIST_OK);
  CHECK(tells(&told, "fetched VISITOR_CONTEXT_UPDATED "));
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

/* ---- Ids and context --------------------------------------------------------------------------------------- */

/* (FS-35, FS-48, FS-49, FS-68 to FS-70; ready) */
TEST(a_visitor_is_known_and_anonymous_again) {
  static notes told;
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor *visitor = visitor_of(client, "anonymous", &told);
  CHECK(reads(hoist_flagship_visitor_anonymous_id(visitor), ""));
  CHECK_INT(hoist_flagship_visitor_authenticate(visitor, ""), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_authenticate(visitor, "known"), HOIST_OK);
  CHECK(reads(hoist_flagship_visitor_id(visitor), "known"));
  CHECK(reads(hoist_flagship_visitor_anonymous_id(visitor), "anonymous"));
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  pthread_mutex_lock(&lock);
  bool is_told = strstr(last_body, "\"known\"") && strstr(last_body, "\"anonymous\"");
  pthread_mutex_unlock(&lock);
  CHECK(is_told);
  CHECK_INT(hoist_flagship_visitor_unauthenticate(visitor), HOIST_OK);
  CHECK(reads(hoist_flagship_visitor_id(visitor), "anonymous"));
  CHECK(tells(&told, "FETCH_REQUIRED/AUTHENTICATE FETCHING/NONE FETCHED/NONE FETCH_REQUIRED/UNAUTHENTICATE "));
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

/* (FS-33, FS-59 to FS-63, FS-109 to FS-128, FS-200; ready) */
TEST(contexts_take_what_the_service_knows) {
  hoist_client *client = host_open(flagship());
  hoist_context *given = hoist_context_new("not looked at");
  hoist_flagship_visitor_options options = options_of("v");
  hoist_flagship_visitor *visitor = NULL;
  const char *json = "{\"b\":true,\"c\":[1],\"sdk_lat\":\"no\"}";
  CHECK_INT(hoist_context_set_string(given, "a", "x"), HOIST_OK);
  options.context = given;
  options.context_json = json;
  options.context_json_length = strlen(json);
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  CHECK(holds(hoist_flagship_visitor_context(visitor), "{\"a\":\"x\",\"b\":true,\"sdk_firstTimeInit\":"));
  CHECK(holds(hoist_flagship_visitor_context(visitor), "\"fs_all_users\":\"\",\"fs_users\":\"v\",\"fs_client\":\"hoist\""));
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, hoist_flagship_context_key_name(HOIST_FLAGSHIP_CONTEXT_LOCATION_CITY), "Lyon"),
            HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_set_int64(visitor, "sdk_lat", 45), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_set_double(visitor, "sdk_lat", 45.75), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_set_double(visitor, "sdk_versionCode", 7.5), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, "sdk_ip", "1.2.3"), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, "sdk_ip", "::1"), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, "fs_users", "w"), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, "", "w"), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_set_string(visitor, "k", NULL), HOIST_ERR_ARGUMENT);
  json = "{\"n\":7,\"o\":{},\"a\":null}";
  CHECK_INT(hoist_flagship_visitor_update_context_json(visitor, json, strlen(json)), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
  CHECK_INT(hoist_flagship_visitor_update_context_json(visitor, "[]", 2), HOIST_ERR_PARSE);
  CHECK(holds(hoist_flagship_visitor_context(visitor), "\"sdk_city\":\"Lyon\",\"sdk_lat\":45.75,\"sdk_ip\":\"::1\",\"n\":7"));
  CHECK_INT(hoist_flagship_visitor_update_context(visitor, given), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_clear_context(visitor), HOIST_OK);
  CHECK(holds(hoist_flagship_visitor_context(visitor), "{\"sdk_firstTimeInit\":"));
  hoist_context_free(given);
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

/* (FS-31, FS-32, FS-34; ready) */
TEST(one_visitor_is_shared) {
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor_options options = options_of("new");
  hoist_flagship_visitor *visitor = NULL, *shared = NULL;
  CHECK(!hoist_flagship_shared_visitor(client));
  options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  CHECK(!hoist_flagship_shared_visitor(client));
  hoist_flagship_visitor_free(visitor);
  CHECK_INT(hoist_flagship_visitor_new(client, NULL, &visitor, NULL), HOIST_OK);
  CHECK(hoist_flagship_visitor_has_consented(visitor));
  shared = hoist_flagship_shared_visitor(client);
  CHECK(shared == visitor);
  hoist_flagship_visitor_free(shared);
  hoist_flagship_visitor_free(visitor);
  shared = hoist_flagship_shared_visitor(client);
  CHECK(shared != NULL);
  hoist_flagship_visitor_free(shared);
  hoist_client_free(client);
}

/* ---- Handed over ------------------------------------------------------------------------------------------- */

TEST(flags_are_handed_over_as_json) {
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor *visitor = visitor_of(client, "v", NULL), *other = NULL;
  hoist_flagship_visitor_options options = options_of("v");
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  hoist_text *text = hoist_flagship_visitor_export(visitor);
  options.exported = hoist_text_data(text);
  options.exported_length = hoist_text_length(text);
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &other, NULL), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_fetch_reason(other), HOIST_FLAGSHIP_REASON_FETCHED_FROM_CACHE);
  CHECK(holds(hoist_flagship_visitor_export(other), "\"variationId\":\"v1\",\"variationName\":\"\",\"isReference\":false"));
  CHECK(holds(hoist_flagship_visitor_export(other), "\"flags\":{\"f\":\"x\"}}],\"assignationHistory\":{\"g1\":\"v1\"}}}"));
  hoist_text_free(text);
  hoist_flagship_visitor_free(other);
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

/* ---- What goes wrong --------------------------------------------------------------------------------------- */

TEST(release_runs_once_whatever_is_wrong) {
  static notes told;
  hoist_flagship_visitor *visitor = NULL;
  hoist_error *error = NULL;
  hoist_client *client = host_open(flagship());
  hoist_client *foreign = host_client();
  hoist_flagship_visitor_options options = options_of("v");
  options.user_data = &told;
  options.release = released;
  CHECK_INT(hoist_flagship_visitor_new(NULL, &options, &visitor, &error), HOIST_ERR_ARGUMENT);
  hoist_error_free(error);
  CHECK_INT(hoist_flagship_visitor_new(client, &options, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_visitor_new(foreign, &options, &visitor, NULL), HOIST_ERR_UNSUPPORTED);
  options.id = "\xff";
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_ERR_ARGUMENT);
  options.id = "v";
  options.instance = 7;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_ERR_ARGUMENT);
  options.instance = 0;
  options.context_json = "[]";
  options.context_json_length = 2;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_ERR_PARSE);
  CHECK(!visitor);
  CHECK_INT(told.released, 6);
  hoist_client_free(client);
  hoist_client_free(foreign);
}

/* A visitor may outlive its client, on any thread. */
static void *use(void *argument) {
  hoist_flagship_visitor *visitor = (hoist_flagship_visitor *)argument;
  int turn;
  for (turn = 0; turn < 300; turn++) {
    (void)hoist_flagship_visitor_set_int64(visitor, "k", turn);
    (void)hoist_flagship_visitor_fetch(visitor, NULL, NULL);
    (void)hoist_flagship_visitor_set_consent(visitor, turn % 2 == 0);
    (void)hoist_flagship_visitor_authenticate(visitor, turn % 3 ? "a" : "b");
    (void)hoist_flagship_visitor_unauthenticate(visitor);
    hoist_text_free(hoist_flagship_visitor_export(visitor));
  }
  return NULL;
}

/* (FS-39; closing, handle outlives client) */
TEST(visitors_outlive_their_client_under_way) {
  static notes told;
  pthread_t threads[4];
  size_t index;
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor *visitor = visitor_of(client, "v", &told);
  for (index = 0; index < 4; index++) CHECK_INT(pthread_create(&threads[index], NULL, use, visitor), 0);
  usleep(20000);
  CHECK_INT(hoist_client_close(client, 2000) == HOIST_ERR_STATE, 0);
  hoist_client_free(client);
  for (index = 0; index < 4; index++) CHECK_INT(pthread_join(threads[index], NULL), 0);
  CHECK_INT(hoist_flagship_visitor_fetch(visitor, NULL, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_flagship_visitor_set_int64(visitor, "k", 1), HOIST_ERR_FLAGSHIP_NOT_INITIALIZED);
  hoist_flagship_visitor_free(visitor);
  CHECK(reaches(&told.released, 1));
}

int main(void) {
  RUN(a_fetch_is_told_in_order);
  RUN(callbacks_of_newer_sdks_are_there_too);
  RUN(a_visitor_is_known_and_anonymous_again);
  RUN(contexts_take_what_the_service_knows);
  RUN(one_visitor_is_shared);
  RUN(flags_are_handed_over_as_json);
  RUN(release_runs_once_whatever_is_wrong);
  RUN(visitors_outlive_their_client_under_way);
  return check_summary();
}
