/* Flagship's client as a host meets it: the client of the whole process, starts and stops, the status and who is told of it.
 * The service is a transport of the test's own. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <hoist/flagship.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"
#include "told.h"

#define FILE_OF_NOTHING "{\"campaigns\":[]}"
#define PANIC "{\"panic\":true}"

static const char *served = FILE_OF_NOTHING;
static int served_status = 200, downloads, emotions;

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
  if (strstr(request->url, "/bucketing.json")) {
    downloads++;
    status = served_status;
    body = served;
  } else if (strstr(request->url, "/accountSettings.json")) {
    status = 200;
    body = "{\"accountSettings\":{\"eaiCollectEnabled\":true}}";
  } else if (strstr(request->url, "/emotionsai")) {
    emotions++;
  }
  pthread_mutex_unlock(&lock);
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static hoist_config *flagship(const char *mode) {
  hoist_config *config = host_flagship_config();
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  host_set(config, "online", "true");
  host_set(config, "mode", mode);
  host_set(config, "polling_interval", "1");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  serve(200, FILE_OF_NOTHING);
  return config;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  hoist_flagship_status status[16];
  int count, files, released;
} notes;

static void status_changed(void *user_data, hoist_flagship_status status) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  if (told->count < 16) told->status[told->count] = status;
  told->count++;
  pthread_mutex_unlock(&lock);
}

static void bucketing_changed(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->files++;
  pthread_mutex_unlock(&lock);
}

static void released(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->released++;
  pthread_mutex_unlock(&lock);
}

static hoist_flagship_listener listener(notes *told) {
  hoist_flagship_listener table = {sizeof table, told, status_changed, bucketing_changed, released};
  return table;
}

/* ---- Tests ------------------------------------------------------------------------------------------------- */

TEST(before_a_start_there_is_no_client) {
  CHECK(hoist_flagship_client() == NULL);
  CHECK_INT(hoist_flagship_sdk_status(NULL), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_stop(100), HOIST_OK);
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_NOT_INITIALIZED), "SDK_NOT_INITIALIZED");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_INITIALIZING), "SDK_INITIALIZING");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_INITIALIZED), "SDK_INITIALIZED");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_PANIC), "SDK_PANIC");
  CHECK_TEXT(hoist_flagship_status_name(7), "");
}

/* (FS-01, FS-02, FS-05, FS-38; ready, closed, second client) */
TEST(one_client_serves_the_process) {
  hoist_config *config = flagship("decision_api");
  CHECK_INT(hoist_flagship_start("c1ndrd07m0300ro0jf20", "the-api-key", config, NULL), HOIST_OK);
  hoist_config_free(config);
  hoist_client *first = hoist_flagship_client();
  CHECK(first != NULL);
  CHECK_INT(hoist_client_wait_ready(first, 10000), HOIST_OK);
  CHECK_INT(hoist_flagship_sdk_status(NULL), HOIST_FLAGSHIP_INITIALIZED);
  CHECK_INT(hoist_flagship_sdk_status(first), HOIST_FLAGSHIP_INITIALIZED);

  config = flagship("bucketing");
  CHECK_INT(hoist_flagship_start("c1ndrd07m0300ro0jf20", "another-key", config, NULL), HOIST_OK);
  hoist_config_free(config);
  hoist_client *second = hoist_flagship_client();
  CHECK(second != NULL && second != first);
  CHECK_INT(hoist_client_wait_ready(second, 10000), HOIST_OK);
  /* Who still has the first one finds it closed, and whole. */
  CHECK_INT(hoist_client_get_state(first), HOIST_CLIENT_CLOSED);
  CHECK_INT(hoist_flagship_sdk_status(first), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK(!hoist_client_bool(first, "on", NULL, false, NULL));

  CHECK_INT(hoist_flagship_stop(5000), HOIST_OK);
  CHECK(hoist_flagship_client() == NULL);
  CHECK_INT(hoist_flagship_sdk_status(second), HOIST_FLAGSHIP_NOT_INITIALIZED);
}

/* (FS-02, FS-03, FS-04; closed, no client) */
TEST(a_start_without_environment_or_key_is_refused) {
  hoist_error *error = NULL;
  hoist_config *config = flagship("decision_api");
  CHECK_INT(hoist_flagship_start("c1ndrd07m0300ro0jf20", "the-api-key", config, NULL), HOIST_OK);
  CHECK_INT(hoist_flagship_start("", "the-api-key", config, &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "env_id") != NULL);
  hoist_error_free(error);
  CHECK_INT(hoist_flagship_sdk_status(NULL), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK(hoist_flagship_client() == NULL);
  error = NULL;
  CHECK_INT(hoist_flagship_start("c1ndrd07m0300ro0jf20", "", config, &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "api_key") != NULL);
  hoist_error_free(error);
  CHECK_INT(hoist_flagship_start(NULL, "k", config, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_start("e", NULL, config, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(config);
  config = host_config();
  CHECK_INT(hoist_flagship_start("e", "k", config, NULL), HOIST_ERR_ARGUMENT);
  hoist_config_free(config);
  CHECK(hoist_flagship_client() == NULL);
}

/* (FS-12, FS-39 to FS-43, FS-212; before start, starting, ready, panic, closed, reopened) */
TEST(the_listener_hears_each_status) {
  static notes told;
  hoist_config *config = flagship("bucketing");
  hoist_flagship_listener table = listener(&told);
  host_set(config, "autostart", "false");
  CHECK_INT(hoist_flagship_config_set_listener(config, &table, NULL), HOIST_OK);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_flagship_sdk_status(client), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_start_client(client), HOIST_OK);
  CHECK(reaches(&told.count, 2));
  serve(200, PANIC);
  CHECK(reaches(&told.count, 3));
  CHECK_INT(hoist_flagship_sdk_status(client), HOIST_FLAGSHIP_PANIC);
  serve(200, FILE_OF_NOTHING);
  CHECK(reaches(&told.count, 4));
  CHECK(reaches(&told.files, 3));
  CHECK_INT(hoist_client_close(client, 5000), HOIST_OK);
  CHECK_INT(read_int(&told.count), 5);
  CHECK_INT(told.status[0], HOIST_FLAGSHIP_INITIALIZING);
  CHECK_INT(told.status[1], HOIST_FLAGSHIP_INITIALIZED);
  CHECK_INT(told.status[2], HOIST_FLAGSHIP_PANIC);
  CHECK_INT(told.status[3], HOIST_FLAGSHIP_INITIALIZED);
  CHECK_INT(told.status[4], HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_collect_emotion(client, "{}", 2, NULL, NULL), HOIST_ERR_STATE);
  /* 5.8: it may be started again. */
  CHECK_INT(hoist_flagship_start_client(client), HOIST_OK);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
  CHECK_INT(read_int(&told.released), 1);
}

TEST(a_listener_is_let_go_of_where_it_is_refused) {
  static notes told;
  hoist_flagship_listener table = listener(&told);
  hoist_config *config = host_config();
  CHECK_INT(hoist_flagship_config_set_listener(config, &table, NULL), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(read_int(&told.released), 1);
  CHECK_INT(hoist_flagship_config_set_listener(NULL, &table, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(read_int(&told.released), 2);
  hoist_config_free(config);
}

TEST(other_services_have_no_flagship) {
  hoist_client *client = host_client();
  CHECK_INT(hoist_flagship_sdk_status(client), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_start_client(client), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_flagship_start_client(NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_flagship_collect_emotion(client, "{}", 2, NULL, NULL), HOIST_ERR_UNSUPPORTED);
  hoist_client_free(client);
}

static int emotion_status;

static void emotion_done(void *user_data, hoist_status status) {
  (void)user_data;
  pthread_mutex_lock(&lock);
  emotion_status = status == HOIST_OK ? 1 : 2;
  pthread_mutex_unlock(&lock);
}

/* (FS-207; ready) */
TEST(what_is_collected_for_the_emotion_score_is_sent) {
  hoist_config *config = flagship("decision_api");
  host_set(config, "emotion_score", "true");
  hoist_client *client = host_open(config);
  int left;
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  CHECK_INT(hoist_flagship_collect_emotion(client, "[]", 2, NULL, NULL), HOIST_ERR_PARSE);
  CHECK_INT(hoist_flagship_collect_emotion(client, NULL, 0, NULL, NULL), HOIST_ERR_ARGUMENT);
  /* The account's settings may still be on their way. */
  for (left = 1000; left > 0 && read_int(&emotions) == 0; left--) {
    CHECK_INT(hoist_flagship_collect_emotion(client, "{\"t\":\"VISITOREVENT\"}", 20, emotion_done, NULL), HOIST_OK);
    usleep(10000);
  }
  CHECK(reaches(&emotions, 1));
  CHECK(reaches(&emotion_status, 1));
  hoist_client_free(client);
}

int main(void) {
  RUN(before_a_start_there_is_no_client);
  RUN(one_client_serves_the_process);
  RUN(a_start_without_environment_or_key_is_refused);
  RUN(the_listener_hears_each_status);
  RUN(a_listener_is_let_go_of_where_it_is_refused);
  RUN(other_services_have_no_flagship);
  RUN(what_is_collected_for_the_emotion_score_is_sent);
  return check_summary();
}
