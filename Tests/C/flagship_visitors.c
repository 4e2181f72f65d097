/* Flagship's visitors as a host meets them: callbacks and their order, consent, experience continuity, contexts, a cache of
 * the host's own that answers, answers late, or never returns. The service is a transport of the test's own. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <hoist/flagship.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"
#include "told.h"

/* ---- A service in the process ------------------------------------------------------------------------------ */

#define CAMPAIGN                                                                                                       \
  "{\"campaigns\":[{\"id\":\"c1\",\"variationGroupId\":\"g1\",\"variation\":{\"id\":\"v1\",\"modifications\":"         \
  "{\"type\":\"JSON\",\"value\":{\"f\":\"x\"}}}}]}"
#define PANIC "{\"campaigns\":[],\"panic\":true}"

static const char *served = CAMPAIGN;
static int served_status = 200;
static int decisions;
static char last_body[2000];

static void serve(int status, const char *body) {
  pthread_mutex_lock(&lock);
  served = body;
  served_status = status;
  pthread_mutex_unlock(&lock);
}

static hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  const char *body = "";
  int status = 204;
  (void)user_data;
  pthread_mutex_lock(&lock);
  if (strstr(request->url, "/campaigns")) {
    size_t length = request->body_size < sizeof last_body - 1 ? request->body_size : sizeof last_body - 1;
    memcpy(last_body, request->body, length);
    last_body[length] = 0;
    decisions++;
    status = served_status;
    body = served;
  }
  pthread_mutex_unlock(&lock);
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static hoist_config *flagship(void) {
  hoist_config *config = host_flagship_config();
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  host_set(config, "online", "true");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  serve(200, CAMPAIGN);
  return config;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  char text[2000];
  int released, done;
} notes;

static void note(notes *told, const char *text) {
  pthread_mutex_lock(&lock);
  if (strlen(told->text) + strlen(text) + 2 < sizeof told->text) {
    strcat(told->text, text);
    strcat(told->text, " ");
  }
  pthread_mutex_unlock(&lock);
}

static bool tells(notes *told, const char *text) {
  bool same = false;
  int left;
  for (left = 10000; left > 0 && !same; left--) {
    pthread_mutex_lock(&lock);
    same = strcmp(told->text, text) == 0;
    pthread_mutex_unlock(&lock);
    if (!same) usleep(1000);
  }
  if (!same) printf("#   told \"%s\", expected \"%s\"\n", told->text, text);
  pthread_mutex_lock(&lock);
  told->text[0] = 0;
  pthread_mutex_unlock(&lock);
  return same;
}

static void fetch_changed(void *user_data, hoist_flagship_visitor *visitor, hoist_flagship_fetch_status status,
                          hoist_flagship_fetch_reason reason) {
  char line[100];
  (void)hoist_flagship_visitor_fetch_status(visitor);
  snprintf(line, sizeof line, "%s/%s", hoist_flagship_fetch_status_name(status), hoist_flagship_fetch_reason_name(reason));
  note((notes *)user_data, line);
}

static void fetch_required(void *user_data, hoist_flagship_visitor *visitor, hoist_flagship_fetch_reason reason) {
  (void)visitor;
  note((notes *)user_data, hoist_flagship_fetch_reason_newer_name(reason));
}

static void fetched(void *user_data, hoist_flagship_visitor *visitor) {
  (void)visitor;
  note((notes *)user_data, "fetched");
}

static void done(void *user_data, hoist_status status) {
  char line[40];
  snprintf(line, sizeof line, "done:%d", (int)status);
  note((notes *)user_data, line);
}

static void released(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->released++;
  pthread_mutex_unlock(&lock);
}

static hoist_flagship_visitor_options options_of(const char *id) {
  hoist_flagship_visitor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = id;
  options.has_consented = true;
  return options;
}

static hoist_flagship_visitor *visitor_of(hoist_client *client, const char *id, notes *told) {
  hoist_flagship_visitor_options options = options_of(id);
  hoist_flagship_visitor *visitor = NULL;
  if (told) {
    options.fetch_changed = fetch_changed;
    options.user_data = told;
    options.release = released;
  }
  if (hoist_flagship_visitor_new(client, &options, &visitor, NULL) != HOIST_OK) exit(70);
  return visitor;
}

static bool reads(hoist_text *text, const char *expected) {
  bool same = expected ? strcmp(hoist_text_data(text), expected) == 0 : text == NULL;
  if (!same) printf("#   \"%s\", expected \"%s\"\n", hoist_text_data(text), expected ? expected : "(none)");
  hoist_text_free(text);
  return same;
}

static bool holds(hoist_text *text, const char *part) {
  bool found = strstr(hoist_text_data(text), part) != NULL;
  if (!found) printf("#   \"%s\" has no %s\n", hoist_text_data(text), part);
  hoist_text_free(text);
  return found;
}

/* ---- Fetching ---------------------------------------------------------------------------------------------- */

/* FS-30, FS-36, FS-37, FS-45, FS-46, FS-50, FS-52 to FS-56 */
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

/* FS-205 */
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

/* FS-35, FS-48, FS-49, FS-68 to FS-70 */
TEST(a_visitor_is_known_and_anonymous_again) {
  static notes told;
  hoist_client *client = host_open(flagship());
  hoist_flagship_visitor *visitor = visitor_of(client, "anonymous", &told);
  CHECK(reads(hoist_flagship_visitor_anonymous_id(visitor), NULL));
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

/* FS-33, FS-59 to FS-63, FS-109 to FS-128, FS-200 */
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
  CHECK_INT(hoist_flagship_visitor_set_double(visitor, "sdk_lat", 45.75), HOIST_OK);
  CHECK_INT(hoist_flagship_visitor_set_int64(visitor, "sdk_lat", 45), HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED);
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

/* FS-31, FS-32, FS-34 */
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

/* ---- A cache of the host's --------------------------------------------------------------------------------- */

static const char *cached = NULL;
static int is_late, is_stuck;
static hoist_flagship_visitor_lookup *late_lookup;

static void cache_cache(void *user_data, const char *visitor_id, const char *json, size_t length) {
  char line[100];
  snprintf(line, sizeof line, "cache:%s:%d", visitor_id, length == strlen(json) && strstr(json, "\"f\":\"x\"") != NULL);
  note((notes *)user_data, line);
}

static void cache_lookup(void *user_data, const char *visitor_id, hoist_flagship_visitor_lookup *lookup) {
  char line[100];
  snprintf(line, sizeof line, "lookup:%s", visitor_id);
  note((notes *)user_data, line);
  if (read_int(&is_stuck)) {
    for (;;) pause();
  }
  if (read_int(&is_late)) {
    pthread_mutex_lock(&lock);
    late_lookup = lookup;
    pthread_mutex_unlock(&lock);
    return;
  }
  (void)hoist_flagship_visitor_lookup_reply(lookup, cached, cached ? strlen(cached) : 0);
  (void)hoist_flagship_visitor_lookup_reply(lookup, "twice", 5);
}

static void cache_flush(void *user_data, const char *visitor_id) {
  char line[100];
  snprintf(line, sizeof line, "flush:%s", visitor_id);
  note((notes *)user_data, line);
}

static hoist_client *caching(notes *told) {
  hoist_config *config = flagship();
  hoist_flagship_visitor_cache cache = {sizeof cache, told, cache_cache, cache_lookup, cache_flush, released};
  set_int(&is_late, false);
  set_int(&is_stuck, false);
  if (hoist_flagship_config_set_visitor_cache(config, &cache, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

#define RECORD(flags)                                                                                                  \
  "{\"version\":1,\"data\":{\"visitorId\":\"v\",\"campaigns\":[{\"campaignId\":\"c1\",\"variationGroupId\":\"g1\","    \
  "\"variationId\":\"v1\",\"flags\":" flags "}],\"assignationHistory\":{\"g1\":\"v1\"}}}"

/* FS-22, FS-51, FS-66, FS-100, FS-102 to FS-104 */
TEST(a_cache_of_the_hosts_is_asked_filled_and_emptied) {
  static notes told, heard;
  cached = RECORD("{\"f\":\"old\"}");
  hoist_client *client = caching(&told);
  hoist_flagship_visitor *visitor = visitor_of(client, "v", &heard);
  CHECK(tells(&told, "lookup:v "));
  CHECK(tells(&heard, "FETCH_REQUIRED/FETCHED_FROM_CACHE "));
  CHECK(holds(hoist_flagship_visitor_export(visitor), "\"flags\":{\"f\":\"old\"}"));
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  CHECK(tells(&told, "cache:v:1 "));
  CHECK_INT(hoist_flagship_visitor_set_consent(visitor, false), HOIST_OK);
  CHECK(tells(&told, "flush:v "));
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  hoist_flagship_visitor_free(visitor);
  hoist_flagship_visitor_options options = options_of("w");
  options.has_consented = false;
  CHECK_INT(hoist_flagship_visitor_new(client, &options, &visitor, NULL), HOIST_OK);
  CHECK(tells(&told, "flush:w "));
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The visitor's patience may end a moment before the look-up's own. */
static bool has_given_up(hoist_client *client) {
  bool is_over = false;
  int left;
  for (left = 10000; left > 0 && !is_over; left--) {
    hoist_text *statistics = hoist_client_statistics(client);
    is_over = strstr(hoist_text_data(statistics), "\"given_up\":1") != NULL;
    hoist_text_free(statistics);
    if (!is_over) usleep(1000);
  }
  return is_over;
}

/* FS-23, FS-24: 200 ms, also when the look-up never returns; what comes later is nobody's. */
TEST(a_look_up_that_never_ends_holds_nobody_up) {
  static notes told;
  cached = NULL;
  hoist_client *client = caching(&told);
  set_int(&is_late, true);
  double start = seconds();
  hoist_flagship_visitor *visitor = visitor_of(client, "v", NULL);
  CHECK(seconds() - start >= 0.15 && seconds() - start < 5);
  CHECK_INT(hoist_flagship_visitor_fetch_reason(visitor), HOIST_FLAGSHIP_REASON_VISITOR_CREATE);
  CHECK(has_given_up(client));
  pthread_mutex_lock(&lock);
  hoist_flagship_visitor_lookup *late = late_lookup;
  pthread_mutex_unlock(&lock);
  CHECK_INT(hoist_flagship_visitor_lookup_reply(late, "{}", 2), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_flagship_visitor_lookup_reply(NULL, "{}", 2), HOIST_ERR_NOT_FOUND);
  hoist_flagship_visitor_free(visitor);
  set_int(&is_late, false);
  set_int(&is_stuck, true);
  start = seconds();
  visitor = visitor_of(client, "w", NULL);
  CHECK(seconds() - start < 5);
  CHECK_INT(hoist_flagship_visitor_fetch_wait(visitor, 5000), HOIST_OK);
  hoist_flagship_visitor_free(visitor);
  hoist_client_free(client);
}

TEST(garbage_in_the_cache_is_nothing) {
  static const char *const garbage[] = {"", "{", "[]", "null", "{\"version\":2,\"data\":{}}", "{\"version\":1}", "\xff\xfe"};
  static notes told;
  size_t index;
  for (index = 0; index < sizeof garbage / sizeof garbage[0]; index++) {
    cached = garbage[index];
    hoist_client *client = caching(&told);
    hoist_flagship_visitor *visitor = visitor_of(client, "v", NULL);
    CHECK_INT(hoist_flagship_visitor_fetch_reason(visitor), HOIST_FLAGSHIP_REASON_VISITOR_CREATE);
    hoist_flagship_visitor_free(visitor);
    hoist_client_free(client);
  }
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
  RUN(a_cache_of_the_hosts_is_asked_filled_and_emptied);
  RUN(a_look_up_that_never_ends_holds_nobody_up);
  RUN(garbage_in_the_cache_is_nothing);
  RUN(flags_are_handed_over_as_json);
  RUN(release_runs_once_whatever_is_wrong);
  RUN(visitors_outlive_their_client_under_way);
  return check_summary();
}
