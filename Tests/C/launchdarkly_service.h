/* What tests of LaunchDarkly clients share: a service that is a transport of theirs, polled every few milliseconds, and what
 * clients tell. */
#ifndef LAUNCHDARKLY_SERVICE_H
#define LAUNCHDARKLY_SERVICE_H

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <hoist/launchdarkly.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"
#include "told.h"

/* ---- A service in the process ------------------------------------------------------------------------------ */

static int served_value;

static inline void serve(int value) {
  pthread_mutex_lock(&lock);
  served_value = value;
  pthread_mutex_unlock(&lock);
}

static inline hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  char flags[200];
  int length, status = 200;
  (void)user_data;
  pthread_mutex_lock(&lock);
  length = snprintf(flags, sizeof flags, "{\"n\":{\"value\":%d,\"version\":%d},\"fixed\":{\"value\":true,\"version\":1}}",
                    served_value, served_value + 1);
  pthread_mutex_unlock(&lock);
  if (!strstr(request->url, "/msdk/evalx/")) {
    status = 202;
    length = 0;
  }
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, flags, (size_t)length);
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static inline hoist_config *polling(void) {
  hoist_config *config = host_launchdarkly_config();
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  host_set(config, "online", "true");
  host_set(config, "streaming_mode", "polling");
  host_set(config, "ignore_polling_minimum", "true");
  host_set(config, "flag_polling_interval_ms", "10");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  return config;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  hoist_client *client;
  hoist_token token;
  int calls, released, done, last_status, last_result, timed_out, inside;
  bool is_held, is_inside;
  size_t count;
  char last[64];
} notes;

static const notes nothing = {NULL, 0, 0, 0, 0, 0, 0, 0, 0, false, false, 0, ""};

static inline void identified(void *user_data, hoist_launchdarkly_identify_result result, hoist_status status) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->last_result = result;
  told->last_status = status;
  told->done++;
  pthread_mutex_unlock(&lock);
}

static inline void note_change(notes *told, const hoist_launchdarkly_change *changes, size_t count) {
  pthread_mutex_lock(&lock);
  told->count = count;
  snprintf(told->last, sizeof told->last, "%s %s>%s", changes[0].key, changes[0].old_value, changes[0].new_value);
  told->calls++;
  pthread_mutex_unlock(&lock);
}

static inline void changed(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  note_change((notes *)user_data, changes, count);
}

static inline void unchanged(void *user_data) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->calls++;
  pthread_mutex_unlock(&lock);
}

static inline void released(void *user_data) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->released++;
  pthread_mutex_unlock(&lock);
}

static inline hoist_launchdarkly_observer observer(notes *told) {
  hoist_launchdarkly_observer table = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
  table.user_data = told;
  table.changed = changed;
  table.unchanged = unchanged;
  table.release = released;
  return table;
}

#endif
