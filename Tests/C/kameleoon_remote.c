/* What Kameleoon's service knows, as a host asks for it: visits, remote data, warehouse audiences, told or waited for, each
 * once. The service is a transport of the test's own. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define HOIST_DEPRECATED
#include <hoist/kameleoon.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"

/* ---- A service in the process ------------------------------------------------------------------------------ */

#define VISITS                                                                                                         \
  "{\"currentVisit\":{\"customDataEvents\":[{\"time\":1,\"data\":{\"index\":2,\"valuesCountMap\":{\"a\":1}}}],"        \
  "\"staticDataEvent\":{\"data\":{\"deviceType\":\"PHONE\"}}}}"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *served = VISITS;
static int served_status = 200;
static bool is_silent;
static char last_url[1000];
static hoist_http_exchange *silent[4];
static int silent_count;

static void serve(int status, const char *body) {
  pthread_mutex_lock(&lock);
  served = body;
  served_status = status;
  is_silent = body == NULL;
  pthread_mutex_unlock(&lock);
}

static hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  const char *body = "";
  int status = 204;
  bool keeps = false;
  (void)user_data;
  pthread_mutex_lock(&lock);
  if (strstr(request->url, "/visit/visitor") || strstr(request->url, "/map/map")) {
    snprintf(last_url, sizeof last_url, "%s", request->url);
    keeps = is_silent && silent_count < 4;
    if (keeps) silent[silent_count++] = exchange;
    status = served_status;
    body = served ? served : "";
  }
  pthread_mutex_unlock(&lock);
  if (keeps) return HOIST_OK;
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static hoist_client *client;

static hoist_client *kameleoon(void) {
  hoist_config *config = hoist_config_new("kameleoon");
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  host_set(config, "site_code", "site");
  host_set(config, "default_datafile", "{\"featureFlags\":[]}");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  serve(200, VISITS);
  return host_open(config);
}

static hoist_kameleoon_visitor *visitor_of(hoist_client *client, const char *code) {
  hoist_kameleoon_visitor *visitor = NULL;
  if (hoist_kameleoon_visitor_new(client, code, &visitor, NULL) != HOIST_OK) exit(70);
  return visitor;
}

static bool asked_for(const char *part) {
  bool asked;
  pthread_mutex_lock(&lock);
  asked = strstr(last_url, part) != NULL;
  pthread_mutex_unlock(&lock);
  return asked;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  hoist_kameleoon_visitor *visitor; /* asked again inside the callback, when there is one */
  int calls;
  hoist_status status, nested;
  size_t count;
  char text[200];
} notes;

static void take_json(notes *told, hoist_text *json) {
  snprintf(told->text, sizeof told->text, "%s", hoist_text_data(json));
  hoist_text_free(json);
}

static void data_done(void *user_data, hoist_status status, const hoist_kameleoon_data_list *data) {
  notes *told = (notes *)user_data;
  hoist_status nested = HOIST_OK;
  if (told->visitor) nested = hoist_kameleoon_visitor_get_remote_data_wait(told->visitor, NULL, 1000, NULL);
  pthread_mutex_lock(&lock);
  told->calls++;
  told->status = status;
  told->nested = nested;
  told->count = hoist_kameleoon_data_list_count(data);
  if (told->count) take_json(told, hoist_kameleoon_data_to_json(hoist_kameleoon_data_list_at(data, 0)));
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void remote_done(void *user_data, hoist_status status, const char *json, size_t length) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->calls++;
  told->status = status;
  told->count = length;
  snprintf(told->text, sizeof told->text, "%s", json);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* Waits for the call. */
static void settle(notes *told) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 20;
  pthread_mutex_lock(&lock);
  while (!told->calls && pthread_cond_timedwait(&changed, &lock, &limit) == 0) continue;
  pthread_mutex_unlock(&lock);
}

/* ---- Tests ------------------------------------------------------------------------------------------------- */

/* (KAM-46 to KAM-52; ready) */
TEST(visits_are_told_and_added) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "v 1");
  notes told;
  hoist_kameleoon_filter filter = HOIST_KAMELEOON_FILTER_INIT;
  memset(&told, 0, sizeof told);
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data(visitor, NULL, true, -1, data_done, &told) == HOIST_OK);
  settle(&told);
  CHECK(told.calls == 1 && told.status == HOIST_OK && told.count == 1);
  CHECK(strstr(told.text, "\"index\":2,\"values\":[\"a\"]") != NULL);
  CHECK(asked_for("visitorCode=v%201&maxNumberPreviousVisits=1&version=0&staticData=true&currentVisit=true&customData=true"));
  CHECK(!asked_for("conversion"));

  memset(&told, 0, sizeof told);
  filter.previous_visit_amount = 7;
  filter.custom_data = false;
  filter.device = true;
  filter.kcs = true;
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data(visitor, &filter, false, 5000, data_done, &told) == HOIST_OK);
  settle(&told);
  CHECK(told.count == 2 && asked_for("maxNumberPreviousVisits=7&") && asked_for("kcs=true"));

  filter.struct_size = 3;
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data(visitor, &filter, false, -1, data_done, &told) == HOIST_ERR_ARGUMENT);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-54; ready) */
TEST(the_positional_form_asks_for_the_same) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "v");
  notes told;
  memset(&told, 0, sizeof told);
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data_of(visitor, 3, true, false, true, true, true, true, -1, data_done,
                                                           &told) == HOIST_OK);
  settle(&told);
  CHECK(told.calls == 1 && told.status == HOIST_OK);
  CHECK(asked_for("maxNumberPreviousVisits=3&version=0&staticData=true&currentVisit=true&conversion=true&geolocation=true"
                  "&experiment=true"));
  CHECK(!asked_for("customData"));
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-45, KAM-B04; ready, failing) */
TEST(remote_data_is_handed_over_as_it_is) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "v");
  hoist_text *json = NULL;
  notes told;
  memset(&told, 0, sizeof told);
  serve(200, "{ \"a\" : 1.0 }");
  CHECK(hoist_kameleoon_visitor_get_remote_data(visitor, "a b", -1, remote_done, &told) == HOIST_OK);
  settle(&told);
  CHECK(told.calls == 1 && told.status == HOIST_OK && told.count == 13 && strcmp(told.text, "{ \"a\" : 1.0 }") == 0);
  CHECK(asked_for("key=a%20b"));
  CHECK(hoist_kameleoon_visitor_get_remote_data_wait(visitor, NULL, -1, &json) == HOIST_OK);
  CHECK(strcmp(hoist_text_data(json), "{ \"a\" : 1.0 }") == 0 && asked_for("key=v"));
  hoist_text_free(json);
  serve(404, "");
  json = NULL;
  CHECK(hoist_kameleoon_visitor_get_remote_data_wait(visitor, "k", -1, &json) == HOIST_ERR_NOT_FOUND && !json);
  serve(403, "");
  CHECK(hoist_kameleoon_visitor_get_remote_data_wait(visitor, "k", -1, &json) == HOIST_OK && hoist_text_length(json) == 0);
  hoist_text_free(json);
  CHECK(hoist_kameleoon_visitor_get_remote_data(visitor, "\xff", -1, remote_done, &told) == HOIST_ERR_ARGUMENT);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-55, KAM-B04; ready, failing) */
TEST(audiences_become_a_custom_data) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "v");
  hoist_kameleoon_data_list *data = NULL;
  notes told;
  hoist_text *json;
  memset(&told, 0, sizeof told);
  serve(200, "{\"warehouseAudiences\":{\"one\":1,\"two\":2}}");
  CHECK(hoist_kameleoon_visitor_get_warehouse_audience(visitor, "user 7", 10, -1, data_done, &told) == HOIST_OK);
  settle(&told);
  CHECK(told.status == HOIST_OK && told.count == 1 && asked_for("key=user%207"));
  CHECK(strstr(told.text, "\"index\":10,\"values\":[\"one\",\"two\"]") != NULL);
  CHECK(hoist_kameleoon_visitor_get_warehouse_audience_wait(visitor, NULL, 11, -1, &data) == HOIST_OK);
  CHECK(hoist_kameleoon_data_list_count(data) == 1 && hoist_kameleoon_data_list_at(data, 1) == NULL);
  json = hoist_kameleoon_data_to_json(hoist_kameleoon_data_list_at(data, 0));
  CHECK(strstr(hoist_text_data(json), "\"index\":11") != NULL);
  hoist_text_free(json);
  hoist_kameleoon_data_list_free(data);
  CHECK(hoist_kameleoon_visitor_get_warehouse_audience(visitor, NULL, -1, -1, data_done, &told) == HOIST_ERR_ARGUMENT);
  serve(500, "");
  CHECK(hoist_kameleoon_visitor_get_warehouse_audience_wait(visitor, NULL, 11, -1, &data) == HOIST_ERR_NETWORK && !data);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-46, KAM-74, KAM-B04; ready, failing) */
TEST(what_is_waited_for_is_handed_out) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "waits");
  hoist_kameleoon_data_list *data = NULL;
  notes told;
  memset(&told, 0, sizeof told);
  serve(200, VISITS);
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data_wait(visitor, NULL, true, 5000, &data) == HOIST_OK);
  CHECK(hoist_kameleoon_data_list_count(data) == 1);
  hoist_kameleoon_data_list_free(data);
  serve(200, "[]");
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data_wait(visitor, NULL, true, 5000, &data) == HOIST_ERR_PARSE && !data);
  serve(200, NULL);
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data_wait(visitor, NULL, true, 50, &data) == HOIST_ERR_TIMEOUT && !data);

  /* Inside a callback nobody can wait. */
  serve(200, VISITS);
  told.visitor = visitor;
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data(visitor, NULL, true, -1, data_done, &told) == HOIST_OK);
  settle(&told);
  CHECK(told.calls == 1 && told.nested == HOIST_ERR_STATE);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-74, KAM-B04; closing, closed, handle outlives client) */
TEST(closing_tells_who_waits) {
  hoist_kameleoon_visitor *visitor = visitor_of(client, "v");
  notes visits, remote;
  memset(&visits, 0, sizeof visits);
  memset(&remote, 0, sizeof remote);
  serve(200, NULL);
  CHECK(hoist_kameleoon_visitor_get_remote_visitor_data(visitor, NULL, true, 60000, data_done, &visits) == HOIST_OK);
  CHECK(hoist_kameleoon_visitor_get_remote_data(visitor, NULL, 60000, remote_done, &remote) == HOIST_OK);
  (void)hoist_client_close(client, 2000);
  CHECK(visits.calls == 1 && visits.status == HOIST_ERR_CANCELLED && visits.count == 0);
  CHECK(remote.calls == 1 && remote.status == HOIST_ERR_CANCELLED && remote.text[0] == 0 && remote.count == 0);
  CHECK(hoist_kameleoon_visitor_get_remote_data(visitor, NULL, -1, remote_done, &remote) == HOIST_ERR_STATE);
  CHECK(hoist_kameleoon_visitor_get_remote_data_wait(visitor, NULL, 0, NULL) == HOIST_ERR_STATE);
  CHECK(visits.calls == 1 && remote.calls == 1);
  hoist_client_free(client);
  CHECK(hoist_kameleoon_visitor_get_remote_data(visitor, NULL, 0, NULL, NULL) == HOIST_ERR_STATE);
  hoist_kameleoon_visitor_free(visitor);
}

int main(void) {
  client = kameleoon();
  RUN(visits_are_told_and_added);
  RUN(the_positional_form_asks_for_the_same);
  RUN(remote_data_is_handed_over_as_it_is);
  RUN(audiences_become_a_custom_data);
  RUN(what_is_waited_for_is_handed_out);
  RUN(closing_tells_who_waits);
  while (silent_count > 0) hoist_http_exchange_release(silent[--silent_count]);
  return check_summary();
}
