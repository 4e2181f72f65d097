/* Kameleoon's sites as a host meets them: visitors by site code, readiness, observers, configuration files.
 * The service is a transport of the test's own. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <hoist/kameleoon.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"
#include "told.h"

static int fetches, service_status = 200;

static void service_is(int status) {
  pthread_mutex_lock(&lock);
  service_status = status;
  pthread_mutex_unlock(&lock);
}

static hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  const char *body = "";
  int status = 204;
  (void)user_data;
  pthread_mutex_lock(&lock);
  if (strstr(request->url, "/v3/")) {
    fetches++;
    status = service_status;
    body = "{\"dateModified\":7,\"featureFlags\":[]}";
  }
  pthread_mutex_unlock(&lock);
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

/* A configuration over the test's own service, which has no configuration yet. */
static hoist_config *site(const char *environment) {
  hoist_config *config = hoist_config_new("kameleoon");
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  if (environment) host_set(config, "environment", environment);
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  return config;
}

static hoist_kameleoon_visitor *made(const char *code, const char *environment, const char *visitor_code) {
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_config *config = site(environment);
  hoist_status status = hoist_kameleoon_create(code, visitor_code, config, &visitor, NULL);
  hoist_config_free(config);
  return status == HOIST_OK ? visitor : NULL;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  int readiness[4], count, requests, refused, updates, streamed, released;
  long long date;
} notes;

static void is_ready(void *user_data, bool ready) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  if (told->count < 4) told->readiness[told->count] = ready;
  told->count++;
  pthread_mutex_unlock(&lock);
}

static void updated(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->streamed++;
  pthread_mutex_unlock(&lock);
}

static void datafile_updated(void *user_data, hoist_kameleoon_update_source source, int64_t date) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  if (source == HOIST_KAMELEOON_UPDATE_POLLING) told->updates++;
  told->date = date;
  pthread_mutex_unlock(&lock);
}

static void request_ended(void *user_data, const hoist_kameleoon_request *request) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  if (request->kind == HOIST_KAMELEOON_REQUEST_DATAFILE && request->struct_size == sizeof *request) told->requests++;
  if (request->end == HOIST_KAMELEOON_REQUEST_REFUSED && request->status == 500 && !*request->reason) told->refused++;
  pthread_mutex_unlock(&lock);
}

static void released(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->released++;
  pthread_mutex_unlock(&lock);
}

/* ---- Tests ------------------------------------------------------------------------------------------------- */

/* (KAM-09, KAM-10, KAM-11, KAM-13, KAM-73; before start) */
TEST(what_cannot_be_a_site_or_a_visitor_is_refused) {
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_error *error = NULL;
  hoist_config *config = site(NULL);
  CHECK_INT(hoist_kameleoon_create("", "user", config, &visitor, &error), HOIST_ERR_KAMELEOON_SITE_CODE_IS_EMPTY);
  CHECK(visitor == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_KAMELEOON_SITE_CODE_IS_EMPTY);
  hoist_error_free(error);
  CHECK_INT(hoist_kameleoon_create("s", "", config, &visitor, &error), HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID);
  CHECK(strstr(hoist_error_message(error), "255") != NULL);
  hoist_error_free(error);
  CHECK_INT(hoist_kameleoon_create(NULL, "u", config, &visitor, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_create("s", "u", config, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_create("s", "\xff", config, &visitor, NULL), HOIST_ERR_ARGUMENT);
  host_set(config, "data.url", "nowhere");
  CHECK_INT(hoist_kameleoon_create("s", "u", config, &visitor, &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "data.url") != NULL);
  hoist_error_free(error);
  hoist_config_free(config);
  config = host_config();
  CHECK_INT(hoist_kameleoon_create("s", "u", config, &visitor, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(config);
  CHECK_INT(hoist_kameleoon_forget("s", NULL, 0), HOIST_ERR_NOT_FOUND);
}

/* (KAM-12, KAM-14, KAM-B28; ready, closed) */
TEST(visitors_of_a_site_share_one_client_until_it_is_forgotten) {
  hoist_kameleoon_visitor *first = made("shared", NULL, "a"), *second = made("shared", "production", "b");
  hoist_kameleoon_visitor *elsewhere = made("shared", "staging", "a"), *generated = made("shared", NULL, NULL);
  hoist_client *client = hoist_kameleoon_visitor_client(first);
  CHECK(client != NULL);
  CHECK(hoist_kameleoon_visitor_client(second) == client);
  CHECK(hoist_kameleoon_visitor_client(generated) == client);
  CHECK(hoist_kameleoon_visitor_client(elsewhere) != client);
  CHECK(hoist_client_shared("kameleoon/shared/production") == client);
  CHECK_INT(hoist_client_share(NULL, "kameleoon/shared/production"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_share(client, "kameleoon/shared/staging"), HOIST_ERR_ARGUMENT);
  hoist_text *code = hoist_kameleoon_visitor_code(generated);
  CHECK_INT(strlen(hoist_text_data(code)), 16);
  hoist_text_free(code);
  CHECK_INT(hoist_kameleoon_wait_ready(client, 10000), HOIST_OK);
  CHECK(hoist_kameleoon_is_ready(client));
  hoist_kameleoon_visitor_free(second);
  hoist_kameleoon_visitor_free(generated);
  CHECK(hoist_kameleoon_is_ready(client));
  CHECK_INT(hoist_kameleoon_forget("shared", "", 5000), HOIST_OK);
  CHECK_INT(hoist_kameleoon_forget("shared", "production", 5000), HOIST_ERR_NOT_FOUND);
  CHECK(hoist_client_shared("kameleoon/shared/production") == NULL);
  /* Its handle was lent: it is whole, and closed for good. */
  CHECK_INT(hoist_client_get_state(client), HOIST_CLIENT_CLOSED);
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_ERR_STATE);
  CHECK(!hoist_kameleoon_is_ready(client));
  second = made("shared", NULL, "a");
  CHECK(second != NULL && hoist_kameleoon_visitor_client(second) != client);
  hoist_kameleoon_visitor_free(first);
  hoist_kameleoon_visitor_free(second);
  hoist_kameleoon_visitor_free(elsewhere);
  CHECK_INT(hoist_kameleoon_forget("shared", NULL, 5000), HOIST_OK);
  CHECK_INT(hoist_kameleoon_forget("shared", "staging", 5000), HOIST_OK);
  CHECK(hoist_kameleoon_visitor_client(NULL) == NULL);
}

/* (KAM-17, KAM-18, KAM-19, KAM-74, KAM-B04; failing, ready, closed) */
TEST(readiness_is_told_once) {
  static notes told;
  service_is(500);
  hoist_kameleoon_visitor *visitor = made("waiting", NULL, "a");
  hoist_client *client = hoist_kameleoon_visitor_client(visitor);
  CHECK(!hoist_kameleoon_is_ready(client));
  CHECK_INT(hoist_kameleoon_wait_ready(client, 20), HOIST_ERR_TIMEOUT);
  CHECK_INT(hoist_kameleoon_run_when_ready(client, 0, is_ready, &told), HOIST_OK);
  CHECK(reaches(&told.count, 1));
  CHECK_INT(told.readiness[0], 0);
  CHECK_INT(hoist_kameleoon_run_when_ready(client, -1, is_ready, &told), HOIST_OK);
  service_is(200);
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(reaches(&told.count, 2));
  CHECK_INT(told.readiness[1], 1);
  CHECK_INT(hoist_kameleoon_run_when_ready(client, 100, is_ready, &told), HOIST_OK);
  CHECK(reaches(&told.count, 3));
  CHECK_INT(told.readiness[2], 1);
  CHECK_INT(hoist_kameleoon_run_when_ready(client, 100, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_run_when_ready(NULL, 100, is_ready, &told), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_forget("waiting", NULL, 5000), HOIST_OK);
  CHECK_INT(hoist_kameleoon_run_when_ready(client, 100, is_ready, &told), HOIST_ERR_STATE);
  CHECK_INT(hoist_kameleoon_wait_ready(client, 100), HOIST_ERR_STATE);
  CHECK_INT(read_int(&told.count), 3);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-18; closing) */
TEST(who_waits_when_the_site_is_forgotten_is_told) {
  static notes told;
  service_is(500);
  hoist_kameleoon_visitor *visitor = made("closing", NULL, "a");
  CHECK_INT(hoist_kameleoon_run_when_ready(hoist_kameleoon_visitor_client(visitor), 60000, is_ready, &told), HOIST_OK);
  hoist_kameleoon_visitor_free(visitor);
  (void)hoist_kameleoon_forget("closing", NULL, 1000);
  CHECK_INT(read_int(&told.count), 1);
  CHECK_INT(told.readiness[0], 0);
  service_is(200);
}

/* (KAM-43, KAM-B23; failing, ready) */
TEST(observers_hear_of_requests_and_configurations) {
  static notes told, other;
  hoist_token token = 0, another = 0;
  hoist_kameleoon_observer table = {sizeof table, &told, updated, datafile_updated, request_ended, released};
  hoist_config *config = site(NULL);
  host_set(config, "site_code", "told");
  host_set(config, "online", "false");
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_kameleoon_observe(client, &table, &token), HOIST_OK);
  CHECK(token != 0);
  service_is(500);
  CHECK_INT(hoist_client_set_online(client, true), HOIST_OK);
  CHECK(reaches(&told.refused, 2));
  service_is(200);
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(reaches(&told.updates, 1));
  CHECK_INT(told.date, 7);
  CHECK(read_int(&told.requests) >= 3);
  CHECK_INT(read_int(&told.streamed), 0);
  table.user_data = &other;
  CHECK_INT(hoist_kameleoon_observe(client, &table, &another), HOIST_OK);
  CHECK(another != token);
  CHECK_INT(hoist_client_unobserve(client, token), HOIST_OK);
  CHECK_INT(hoist_client_unobserve(client, token), HOIST_ERR_NOT_FOUND);
  CHECK(reaches(&told.released, 1));
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(reaches(&other.requests, 1));
  CHECK_INT(read_int(&other.released), 0);
  hoist_client_free(client);
  CHECK(reaches(&other.released, 1));
  /* Let go of where it is refused, too. */
  table.user_data = &told;
  CHECK_INT(hoist_kameleoon_observe(NULL, &table, &token), HOIST_ERR_ARGUMENT);
  CHECK(reaches(&told.released, 2));
  client = host_client();
  CHECK_INT(hoist_kameleoon_observe(client, &table, &token), HOIST_ERR_UNSUPPORTED);
  CHECK(reaches(&told.released, 3));
  CHECK(token == 0);
  hoist_client_free(client);
}

/* Writes a file and gives its name. */
static const char *file_of(const char *content) {
  static char name[] = "/tmp/hoist-kameleoon-XXXXXX";
  memcpy(name + sizeof name - 7, "XXXXXX", 6);
  int descriptor = mkstemp(name);
  if (descriptor < 0 || write(descriptor, content, strlen(content)) != (ssize_t)strlen(content)) exit(70);
  (void)close(descriptor);
  return name;
}

/* (KAM-01; before start) */
TEST(configuration_files_are_property_lists_or_json) {
  hoist_config *config = hoist_config_new("kameleoon");
  hoist_error *error = NULL;
  const char *name = file_of("<plist version=\"1.0\"><dict><key>refresh_interval_minute</key><integer>15</integer>"
                             "<key>is_unique_identifier</key><true/></dict></plist>");
  CHECK_INT(hoist_kameleoon_config_load_file(config, name, NULL), HOIST_OK);
  (void)unlink(name);
  hoist_text *value = hoist_config_get(config, "refresh_interval_minute");
  CHECK_TEXT(hoist_text_data(value), "15");
  hoist_text_free(value);
  name = file_of("{\"environment\":\"staging\"}");
  CHECK_INT(hoist_kameleoon_config_load_file(config, name, NULL), HOIST_OK);
  (void)unlink(name);
  value = hoist_config_get(config, "environment");
  CHECK_TEXT(hoist_text_data(value), "staging");
  hoist_text_free(value);
  name = file_of("<plist><dict>\n<key>refresh_interval_minute</key>\n<string>soon</string></dict></plist>");
  CHECK_INT(hoist_kameleoon_config_load_file(config, name, &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "line 3: property \"refresh_interval_minute\"") != NULL);
  hoist_error_free(error);
  /* What is no dictionary of properties makes no visitor either. */
  CHECK_INT(setenv("HOIST_KAMELEOON_CONFIG", name, 1), 0);
  hoist_kameleoon_visitor *visitor = NULL;
  CHECK_INT(hoist_kameleoon_create("filed", "u", NULL, &visitor, &error), HOIST_ERR_CONFIG);
  hoist_error_free(error);
  (void)unlink(name);
  CHECK_INT(hoist_kameleoon_create("filed", "u", NULL, &visitor, NULL), HOIST_ERR_IO);
  name = file_of("<plist><dict><key>store</key><string>none</string><key>online</key><false/>"
                 "<key>environment</key><string>filed</string></dict></plist>");
  CHECK_INT(setenv("HOIST_KAMELEOON_CONFIG", name, 1), 0);
  CHECK_INT(hoist_kameleoon_create("filed", "u", NULL, &visitor, NULL), HOIST_OK);
  (void)unlink(name);
  CHECK_INT(unsetenv("HOIST_KAMELEOON_CONFIG"), 0);
  hoist_kameleoon_visitor_free(visitor);
  CHECK_INT(hoist_kameleoon_forget("filed", NULL, 5000), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_kameleoon_forget("filed", "filed", 5000), HOIST_OK);
  hoist_config_free(config);
  config = host_config();
  CHECK_INT(hoist_kameleoon_config_load_file(config, "/dev/null", NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_kameleoon_config_load_file(config, NULL, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(config);
}

int main(void) {
  RUN(what_cannot_be_a_site_or_a_visitor_is_refused);
  RUN(visitors_of_a_site_share_one_client_until_it_is_forgotten);
  RUN(readiness_is_told_once);
  RUN(who_waits_when_the_site_is_forgotten_is_told);
  RUN(observers_hear_of_requests_and_configurations);
  RUN(configuration_files_are_property_lists_or_json);
  return check_summary();
}
