/* What Kameleoon's visitors do, as a host meets it: conversions, flushes and audiences, delivered by a dispatcher of its own. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <hoist/kameleoon.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"

typedef struct shelf {
  pthread_mutex_t lock;
  char lines[16384]; /* of all requests, one a line, nonces left out */
  int requests;
  bool refuses;
} shelf;

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
  shelf *it = (shelf *)user_data;
  bool refuses;
  pthread_mutex_lock(&it->lock);
  refuses = it->refuses;
  if (!refuses && strcmp(batch->pipeline, "tracking") == 0) {
    size_t length = strlen(it->lines);
    snprintf(it->lines + length, sizeof it->lines - length, "%.*s\n", (int)batch->body_size, (const char *)batch->body);
    it->requests++;
  }
  pthread_mutex_unlock(&it->lock);
  hoist_dispatch_receipt_complete(receipt, refuses ? HOIST_ERR_NETWORK : HOIST_OK);
  return HOIST_OK;
}

static void begin(shelf *it) {
  memset(it, 0, sizeof *it);
  pthread_mutex_init(&it->lock, NULL);
}

static bool has(shelf *it, const char *text) {
  bool found;
  pthread_mutex_lock(&it->lock);
  found = strstr(it->lines, text) != NULL;
  pthread_mutex_unlock(&it->lock);
  return found;
}

/* Gives it some seconds. */
static bool comes(shelf *it, const char *text) {
  int turn;
  for (turn = 0; turn < 4000 && !has(it, text); turn++) usleep(5000);
  return has(it, text);
}

/* A client whose configuration is there, and whose service is this dispatcher. */
static hoist_client *client_with(shelf *it) {
  hoist_config *config = host_kameleoon_config();
  hoist_dispatcher dispatcher = {sizeof dispatcher, it, dispatch, NULL};
  host_set(config, "online", "true");
  host_set(config, "configuration.url", "http://127.0.0.1:1");
  host_set(config, "tracking_interval_millisecond", "100");
  if (hoist_config_set_dispatcher(config, &dispatcher, NULL) != HOIST_OK) exit(70);
  hoist_client *client = host_open(config);
  if (hoist_client_wait_ready(client, 20000) != HOIST_OK) exit(70);
  return client;
}

static hoist_kameleoon_visitor *visitor_of(hoist_client *client, const char *code) {
  hoist_kameleoon_visitor *visitor = NULL;
  if (hoist_kameleoon_visitor_new(client, code, &visitor, NULL) != HOIST_OK) exit(70);
  return visitor;
}

static void add(hoist_kameleoon_visitor *visitor, hoist_kameleoon_data *data) {
  const hoist_kameleoon_data *list[1] = {data};
  CHECK_INT(hoist_kameleoon_visitor_add_data(visitor, list, 1, true), HOIST_OK);
  hoist_kameleoon_data_free(data);
}

typedef struct told {
  pthread_mutex_t lock;
  int times;
  hoist_status status;
} told;

static void note(void *user_data, hoist_status status) {
  told *it = (told *)user_data;
  pthread_mutex_lock(&it->lock);
  it->times++;
  it->status = status;
  pthread_mutex_unlock(&it->lock);
}

static bool is_told(told *it, hoist_status status) {
  int turn, times = 0;
  for (turn = 0; turn < 4000 && times == 0; turn++) {
    pthread_mutex_lock(&it->lock);
    times = it->times;
    pthread_mutex_unlock(&it->lock);
    if (times == 0) usleep(5000);
  }
  return times == 1 && it->status == status;
}

/* (KAM-05, KAM-41, KAM-58, KAM-B08; ready) */
TEST(a_conversion_goes_with_the_next_interval_together_with_all_that_waits) {
  static shelf it;
  begin(&it);
  hoist_client *client = client_with(&it);
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  const char *values[2] = {"m1", "m2"};
  hoist_kameleoon_data *metadata = hoist_kameleoon_custom_data(5, values, 2);
  const hoist_kameleoon_data *list[1] = {metadata};
  add(visitor, hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE));
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 83023, 10, false, NULL, 0), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 3, 5.5, true, list, 1), HOIST_OK);
  hoist_kameleoon_data_free(metadata);
  CHECK(comes(&it, "eventType=conversion&goalId=3&revenue=5.5&negative=true&metadata=%7B%225%22%3A%5B%22m1%22%2C%22m2%22%5D%7D"
                   "&visitorCode=me\n"));
  CHECK(has(&it, "eventType=conversion&goalId=83023&revenue=10.0&negative=false&visitorCode=me\n"));
  CHECK(has(&it, "eventType=staticData&deviceType=PHONE&visitorCode=me\n"));
  CHECK_INT(it.requests, 1);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-42, KAM-59; ready) */
TEST(an_instant_flush_says_what_came_of_it) {
  static shelf it;
  static told first = {PTHREAD_MUTEX_INITIALIZER, 0, 0}, second = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
  begin(&it);
  hoist_client *client = client_with(&it);
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  add(visitor, hoist_kameleoon_page_view("https://example.com/", "home", NULL, 0));
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, true, note, &first), HOIST_OK);
  CHECK(is_told(&first, HOIST_OK));
  CHECK(has(&it, "eventType=page&href=https%3A%2F%2Fexample.com%2F&title=home&visitorCode=me\n"));
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, false, note, &second), HOIST_OK);
  CHECK(is_told(&second, HOIST_OK));
  CHECK(has(&it, "eventType=activity&visitorCode=me\n"));
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, true, NULL, NULL), HOIST_OK);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-58, KAM-B12; ready, closing) */
TEST(audiences_are_evaluated_and_what_waits_is_sent_by_closing) {
  static shelf it;
  begin(&it);
  hoist_client *client = client_with(&it);
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  CHECK_INT(hoist_kameleoon_visitor_evaluate_audiences(visitor), HOIST_OK);
  add(visitor, hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_TABLET));
  hoist_kameleoon_visitor_free(visitor);
  CHECK_INT(hoist_client_close(client, 10000), HOIST_OK);
  CHECK(has(&it, "eventType=staticData&deviceType=TABLET&visitorCode=me\n"));
  hoist_client_free(client);
}

/* (KAM-41, KAM-59; failing, closing, closed, handle outlives client) */
TEST(a_flush_that_cannot_be_sent_is_told_of_when_the_client_closes) {
  static shelf it;
  static told once = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
  begin(&it);
  it.refuses = true;
  hoist_client *client = client_with(&it);
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 0, false, NULL, 0), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, true, note, &once), HOIST_OK);
  (void)hoist_client_close(client, 100);
  CHECK(is_told(&once, HOIST_ERR_CANCELLED));
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, true, note, &once), HOIST_ERR_STATE);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 0, false, NULL, 0), HOIST_ERR_STATE);
  CHECK_INT(hoist_kameleoon_visitor_evaluate_audiences(visitor), HOIST_ERR_STATE);
  hoist_client_free(client);
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, false, NULL, NULL), HOIST_ERR_STATE);
  hoist_kameleoon_visitor_free(visitor);
}

/* (KAM-15, KAM-41, KAM-59; offline) */
TEST(without_a_configuration_nothing_is_tracked) {
  hoist_config *config = hoist_config_new("kameleoon");
  host_set(config, "site_code", "a8st4f59bj");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  hoist_client *client = host_open(config);
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 0, false, NULL, 0), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  CHECK_INT(hoist_kameleoon_visitor_flush(visitor, true, NULL, NULL), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  CHECK_INT(hoist_kameleoon_visitor_evaluate_audiences(visitor), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  CHECK_INT(hoist_client_track(client, "12", NULL, NULL), HOIST_ERR_KAMELEOON_SDK_NOT_READY);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-41, KAM-B08; offline) */
TEST(what_is_no_conversion_is_refused) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = visitor_of(client, "me");
  hoist_kameleoon_data *device = hoist_kameleoon_device(HOIST_KAMELEOON_DEVICE_PHONE);
  hoist_kameleoon_data *custom = hoist_kameleoon_custom_data(1, NULL, 0);
  const hoist_kameleoon_data *wrong[2] = {custom, device}, *missing[1] = {NULL}, *many[101];
  int i;
  for (i = 0; i < 101; i++) many[i] = custom;
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, NAN, false, NULL, 0), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, INFINITY, false, NULL, 0), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 1, false, wrong, 2), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 1, false, missing, 1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 1, false, NULL, 1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 1, false, many, 101), HOIST_ERR_LIMIT);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(visitor, 1, 1, false, many, 100), HOIST_OK);
  CHECK_INT(hoist_kameleoon_visitor_track_conversion(NULL, 1, 1, false, NULL, 0), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_flush(NULL, true, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_kameleoon_visitor_evaluate_audiences(NULL), HOIST_ERR_ARGUMENT);
  hoist_kameleoon_data_free(device);
  hoist_kameleoon_data_free(custom);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
}

/* (KAM-41; ready) */
TEST(the_cores_events_are_conversions) {
  static shelf it;
  begin(&it);
  hoist_client *client = client_with(&it);
  hoist_context *somebody = hoist_context_new("somebody");
  hoist_event event;
  memset(&event, 0, sizeof event);
  event.struct_size = sizeof event;
  event.value = 2.5;
  CHECK_INT(hoist_client_track(client, "77", somebody, &event), HOIST_OK);
  CHECK_INT(hoist_client_track(client, "purchase", somebody, NULL), HOIST_ERR_ARGUMENT);
  CHECK(comes(&it, "eventType=conversion&goalId=77&revenue=2.5&negative=false&visitorCode=somebody\n"));
  hoist_context_free(somebody);
  hoist_client_free(client);
}

int main(void) {
  RUN(a_conversion_goes_with_the_next_interval_together_with_all_that_waits);
  RUN(an_instant_flush_says_what_came_of_it);
  RUN(audiences_are_evaluated_and_what_waits_is_sent_by_closing);
  RUN(a_flush_that_cannot_be_sent_is_told_of_when_the_client_closes);
  RUN(without_a_configuration_nothing_is_tracked);
  RUN(what_is_no_conversion_is_refused);
  RUN(the_cores_events_are_conversions);
  return check_summary();
}
