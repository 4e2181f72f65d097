/* What tests of Flagship's visitors share: a service that is a transport of theirs, and what visitors tell. */
#ifndef FLAGSHIP_VISITORS_H
#define FLAGSHIP_VISITORS_H

#include <pthread.h>
#include <stdlib.h>
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

static inline void serve(int status, const char *body) {
  pthread_mutex_lock(&lock);
  served = body;
  served_status = status;
  pthread_mutex_unlock(&lock);
}

static inline hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
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

static inline hoist_config *flagship(void) {
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

static inline void note(notes *told, const char *text) {
  pthread_mutex_lock(&lock);
  if (strlen(told->text) + strlen(text) + 2 < sizeof told->text) {
    strcat(told->text, text);
    strcat(told->text, " ");
  }
  pthread_mutex_unlock(&lock);
}

static inline bool tells(notes *told, const char *text) {
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

static inline void fetch_changed(void *user_data, hoist_flagship_visitor *visitor, hoist_flagship_fetch_status status,
                          hoist_flagship_fetch_reason reason) {
  char line[100];
  (void)hoist_flagship_visitor_fetch_status(visitor);
  snprintf(line, sizeof line, "%s/%s", hoist_flagship_fetch_status_name(status), hoist_flagship_fetch_reason_name(reason));
  note((notes *)user_data, line);
}

static inline void fetch_required(void *user_data, hoist_flagship_visitor *visitor, hoist_flagship_fetch_reason reason) {
  (void)visitor;
  note((notes *)user_data, hoist_flagship_fetch_reason_newer_name(reason));
}

static inline void fetched(void *user_data, hoist_flagship_visitor *visitor) {
  (void)visitor;
  note((notes *)user_data, "fetched");
}

static inline void done(void *user_data, hoist_status status) {
  char line[40];
  snprintf(line, sizeof line, "done:%d", (int)status);
  note((notes *)user_data, line);
}

static inline void released(void *user_data) {
  pthread_mutex_lock(&lock);
  ((notes *)user_data)->released++;
  pthread_mutex_unlock(&lock);
}

static inline hoist_flagship_visitor_options options_of(const char *id) {
  hoist_flagship_visitor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = id;
  options.has_consented = true;
  return options;
}

static inline hoist_flagship_visitor *visitor_of(hoist_client *client, const char *id, notes *told) {
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

static inline bool reads(hoist_text *text, const char *expected) {
  bool same = expected ? strcmp(hoist_text_data(text), expected) == 0 : text == NULL;
  if (!same) printf("#   \"%s\", expected \"%s\"\n", hoist_text_data(text), expected ? expected : "(none)");
  hoist_text_free(text);
  return same;
}

static inline bool holds(hoist_text *text, const char *part) {
  bool found = strstr(hoist_text_data(text), part) != NULL;
  if (!found) printf("#   \"%s\" has no %s\n", hoist_text_data(text), part);
  hoist_text_free(text);
  return found;
}

#endif
