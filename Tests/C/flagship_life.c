/* Flagship's client as a host meets it: starts and stops, the status and who is told of it. The service is a transport of the
 * test's own. */
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

static hoist_flagship_observer observer(notes *told) {
  hoist_flagship_observer table = HOIST_FLAGSHIP_OBSERVER_INIT;
  table.user_data = told;
  table.sdk_status_changed = status_changed;
  table.bucketing_changed = bucketing_changed;
  table.release = released;
  return table;
}

/* ---- Tests ------------------------------------------------------------------------------------------------- */

TEST(statuses_have_the_vendors_names) {
  CHECK_INT(hoist_flagship_sdk_status(NULL), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_NOT_INITIALIZED), "SDK_NOT_INITIALIZED");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_INITIALIZING), "SDK_INITIALIZING");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_INITIALIZED), "SDK_INITIALIZED");
  CHECK_TEXT(hoist_flagship_status_name(HOIST_FLAGSHIP_PANIC), "SDK_PANIC");
  CHECK_TEXT(hoist_flagship_status_name(7), "");
}

/* (FS-02, FS-12, FS-39 to FS-43, FS-212; before start, starting, ready, panic, closed, reopened) */
TEST(observers_hear_each_status) {
  static notes told, other;
  hoist_token token = 0, another = 0;
  hoist_flagship_observer table = observer(&told), ended = observer(&other);
  hoist_config *config = flagship("bucketing");
  host_set(config, "autostart", "false");
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_flagship_observe(client, &table, &token), HOIST_OK);
  CHECK_INT(hoist_flagship_observe(client, &ended, &another), HOIST_OK);
  CHECK(token != 0 && another != 0 && token != another);
  CHECK_INT(hoist_client_unobserve(client, another), HOIST_OK);
  CHECK_INT(hoist_client_unobserve(client, another), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_flagship_sdk_status(client), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_start(client), HOIST_OK);
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
  /* 5.8: it may be started again, and its observers hear of that. */
  CHECK_INT(hoist_flagship_start(client), HOIST_OK);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  CHECK(reaches(&told.count, 6));
  CHECK_INT(read_int(&told.released), 0);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
  CHECK_INT(read_int(&told.released), 1);
  CHECK(other.count == 0 && other.files == 0 && other.released == 1);
}

TEST(an_observer_is_let_go_of_where_it_is_refused) {
  static notes told;
  hoist_token token = 1;
  hoist_flagship_observer table = observer(&told), without_functions = HOIST_FLAGSHIP_OBSERVER_INIT;
  hoist_client *client = host_client();
  CHECK_INT(hoist_flagship_observe(client, &table, &token), HOIST_ERR_UNSUPPORTED);
  CHECK(token == 0 && read_int(&told.released) == 1);
  CHECK_INT(hoist_flagship_observe(NULL, &table, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(read_int(&told.released), 2);
  hoist_client_free(client);
  client = host_open(flagship("decision_api"));
  without_functions.user_data = &told;
  without_functions.release = released;
  CHECK_INT(hoist_flagship_observe(client, &without_functions, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(read_int(&told.released), 3);
  CHECK_INT(hoist_flagship_observe(client, NULL, NULL), HOIST_ERR_ARGUMENT);
  hoist_client_free(client);
}

TEST(other_services_have_no_flagship) {
  hoist_client *client = host_client();
  CHECK_INT(hoist_flagship_sdk_status(client), HOIST_FLAGSHIP_NOT_INITIALIZED);
  CHECK_INT(hoist_flagship_start(client), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_flagship_start(NULL), HOIST_ERR_ARGUMENT);
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
  RUN(statuses_have_the_vendors_names);
  RUN(observers_hear_each_status);
  RUN(an_observer_is_let_go_of_where_it_is_refused);
  RUN(other_services_have_no_flagship);
  RUN(what_is_collected_for_the_emotion_score_is_sent);
  return check_summary();
}
