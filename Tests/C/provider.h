/* A provider plug-in for the C tests, which counts what is called and does what the test tells it to. */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <hoist/hoist.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

#define COUNT(place) __atomic_add_fetch(&(place), 1, __ATOMIC_SEQ_CST)
#define READ(place) __atomic_load_n(&(place), __ATOMIC_SEQ_CST)

/* The user data of one table; every instance is the table's own, so that tests need no list of them. */
typedef struct service {
  hoist_provider_host *host;
  int created, started, stopped, switched, refreshed, identified, flushed, forked, destroyed, released, inside, overlaps;
  int tracked, recorded, encoded, classified, sent_rows;
  int evaluated;
  bool refuses, publishes_nothing, keeps_replies, sticks_in_refresh, is_gate_open;
  bool answers_null_reply;
  int32_t chosen;         /* by evaluate */
  int32_t chosen_reason;
  hoist_status decision;  /* of evaluate */
  hoist_status encoding;  /* of encode */
  hoist_status verdict;   /* of classify */
  int64_t retry_after_ms; /* of classify */
  hoist_provider_reply *reply;
  int32_t http_status; /* of the network */
  char last[400];      /* what a member was told last */
} service;

static inline void enter(service *own) {
  if (COUNT(own->inside) > 1) COUNT(own->overlaps);
}
static inline void leave(service *own) { __atomic_sub_fetch(&own->inside, 1, __ATOMIC_SEQ_CST); }

static inline bool eventually(const int *place, int wanted) {
  for (int attempt = 0; attempt < 4000; attempt++) {
    if (READ(*place) >= wanted) return true;
    struct timespec pause = {0, 5 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  printf("#   %d instead of %d\n", READ(*place), wanted);
  return false;
}

/* ---- Flags ---- */

static inline hoist_flag flag_of(const char *key, const hoist_flag_variation *variations, size_t count) {
  hoist_flag flag;
  memset(&flag, 0, sizeof flag);
  flag.struct_size = sizeof flag;
  flag.key = key;
  flag.enabled = true;
  flag.variations = variations;
  flag.variation_count = count;
  return flag;
}

static inline hoist_status add(hoist_flag_set *set, hoist_flag flag) { return hoist_flag_set_add(set, &flag, NULL); }

/* Flags of every type; "size" is decided per call, "seen" is recorded. */
static inline hoist_flag_set *some_flags_of_every_type(void) {
  static const hoist_flag_variation truth[] = {{sizeof(hoist_flag_variation), "off", "false"}, {sizeof(hoist_flag_variation), "on", "true"}};
  static const hoist_flag_variation sizes[] = {{sizeof(hoist_flag_variation), "small", "10"}, {sizeof(hoist_flag_variation), "large", "50"}, {sizeof(hoist_flag_variation), "half", "0.5"}};
  static const hoist_flag_variation others[] = {{sizeof(hoist_flag_variation), "text", "\"sky\""}, {sizeof(hoist_flag_variation), "json", " { \"a\" : [1] } "}, {sizeof(hoist_flag_variation), "whole", "3.0"}, {sizeof(hoist_flag_variation), "none", "null"}};
  hoist_flag_set *set = hoist_flag_set_new();
  hoist_flag flag = flag_of("on", truth, 2);
  flag.default_variation = 1;
  flag.metadata = "{ \"owner\" : \"web\" }";
  (void)add(set, flag);
  flag = flag_of("size", sizes, 3);
  flag.is_decided_per_call = true;
  (void)add(set, flag);
  flag = flag_of("seen", truth, 2);
  flag.is_recorded = true;
  flag.default_variation = 1;
  (void)add(set, flag);
  flag = flag_of("disabled", truth, 2);
  flag.enabled = false;
  (void)add(set, flag);
  static const char *const keys[] = {"text", "json", "whole", "none"};
  for (int index = 0; index < 4; index++) {
    flag = flag_of(keys[index], others, 4);
    flag.default_variation = index;
    (void)add(set, flag);
  }
  (void)add(set, flag_of("switch", NULL, 0));
  flag = flag_of("no default", truth, 2);
  flag.default_variation = -1;
  (void)add(set, flag);
  return set;
}

static inline hoist_status publish_some(service *own) {
  hoist_flag_set *set = some_flags_of_every_type();
  hoist_status status = hoist_provider_host_publish(READ(own->host), set, NULL);
  hoist_flag_set_free(set);
  return status;
}

/* ---- Members ---- */

static inline hoist_status service_create(void *user_data, hoist_provider_host *host, void **instance, char *message,
                                          size_t message_size) {
  service *own = (service *)user_data;
  enter(own);
  COUNT(own->created);
  __atomic_store_n(&own->host, host, __ATOMIC_SEQ_CST);
  *instance = own;
  leave(own);
  if (!own->refuses) return HOIST_OK;
  snprintf(message, message_size, "not today");
  return HOIST_ERR_NETWORK;
}
static inline void service_start(void *instance) {
  service *own = (service *)instance;
  enter(own);
  if (!own->publishes_nothing) {
    (void)publish_some(own);
    (void)hoist_provider_host_set_state(READ(own->host), HOIST_CLIENT_READY, "there");
  }
  COUNT(own->started);
  leave(own);
}
static inline void service_stop(void *instance) { COUNT(((service *)instance)->stopped); }
static inline void service_set_online(void *instance, bool is_online) {
  (void)is_online;
  COUNT(((service *)instance)->switched);
}
static inline void service_refresh(void *instance) {
  service *own = (service *)instance;
  enter(own);
  COUNT(own->refreshed);
  while (own->sticks_in_refresh && !READ(own->is_gate_open)) usleep(1000);
  leave(own);
}
static inline void service_reply(service *own, hoist_provider_reply *reply) {
  if (own->keeps_replies) __atomic_store_n(&own->reply, reply, __ATOMIC_SEQ_CST);
  else hoist_provider_reply_complete(reply, HOIST_OK);
  if (!own->keeps_replies) hoist_provider_reply_complete(reply, HOIST_ERR_NETWORK); /* the second counts for nothing */
}
static inline void service_identify(void *instance, const hoist_context *context, hoist_provider_reply *reply) {
  service *own = (service *)instance;
  const char *key = hoist_context_get_targeting_key(context);
  snprintf(own->last, sizeof own->last, "%s", key && key[0] ? key : "(none)");
  service_reply(own, reply);
  COUNT(own->identified);
}
static inline void service_flush(void *instance, hoist_provider_reply *reply) {
  service_reply((service *)instance, reply);
  COUNT(((service *)instance)->flushed);
}
static inline void service_forked(void *instance) { COUNT(((service *)instance)->forked); }

static inline hoist_status service_track(void *instance, const hoist_provider_event *event) {
  service *own = (service *)instance;
  const char *who = hoist_context_get_targeting_key(event->context);
  char line[200];
  snprintf(line, sizeof line, "%s %s %g %d", event->key, who && who[0] ? who : "nobody", event->value, (int)event->property_count);
  own->last[0] = 0;
  for (size_t index = 0; index < event->property_count; index++) {
    const hoist_event_property *one = HOIST_AT(hoist_event_property, event->properties, index);
    size_t length = strlen(own->last);
    bool is_text = one->type == HOIST_EVENT_TEXT || one->type == HOIST_EVENT_JSON;
    snprintf(own->last + length, sizeof own->last - length, "%s:%d=%s%g%s ", one->name, (int)one->type,
             is_text ? one->text : "", one->number, one->boolean ? "!" : "");
  }
  COUNT(own->tracked);
  return hoist_provider_host_record(READ(own->host), "events", who, line, strlen(line));
}
static inline hoist_status service_evaluate(void *instance, hoist_provider_evaluation *evaluation) {
  service *own = (service *)instance;
  hoist_attribute plan;
  plan.struct_size = sizeof plan;
  COUNT(own->evaluated);
  evaluation->variation = own->chosen;
  if (hoist_context_get(evaluation->context, "plan", &plan) == HOIST_OK && plan.type == HOIST_ATTRIBUTE_STRING &&
      strcmp(plan.text, "pro") == 0)
    evaluation->variation = 1;
  evaluation->reason = own->chosen_reason ? own->chosen_reason : HOIST_REASON_TARGETING_MATCH;
  return own->decision;
}
static inline void service_record(void *instance, const hoist_provider_evaluation *evaluation) {
  service *own = (service *)instance;
  snprintf(own->last, sizeof own->last, "%s %d %d", evaluation->key, (int)evaluation->variation, (int)evaluation->enabled);
  COUNT(own->recorded);
}
static inline hoist_status service_explain(void *instance, const hoist_provider_evaluation *evaluation,
                                           hoist_bytes_sink *sink) {
  (void)instance, (void)evaluation;
  return hoist_bytes_sink_write(sink, "{ \"rule\" : 1 }", 14);
}
static inline hoist_status service_encode(void *instance, const hoist_provider_batch *batch, hoist_request_sink *sink) {
  service *own = (service *)instance;
  enter(own);
  char body[1000];
  size_t length = 0;
  for (size_t index = 0; index < batch->row_count; index++) {
    length += (size_t)snprintf(body + length, sizeof body - length, "%.*s;", (int)HOIST_AT(hoist_event_row, batch->rows, index)->payload_size,
                               (const char *)HOIST_AT(hoist_event_row, batch->rows, index)->payload);
    if (length > 900) length = 900;
  }
  COUNT(own->encoded);
  hoist_http_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.method = "POST";
  request.url = "http://events.example/";
  request.body = body;
  request.body_size = length;
  if (own->encoding == HOIST_OK && hoist_request_sink_set(sink, &request) != HOIST_OK) own->overlaps = -1000;
  leave(own);
  return own->encoding;
}
static inline hoist_status service_classify(void *instance, const hoist_provider_batch *batch,
                                            const hoist_http_answer *answer, int64_t *retry_after_ms) {
  service *own = (service *)instance;
  COUNT(own->classified);
  *retry_after_ms = own->retry_after_ms;
  if (answer->status != HOIST_OK || answer->http_status != 200) return own->verdict;
  __atomic_add_fetch(&own->sent_rows, (int)batch->row_count, __ATOMIC_SEQ_CST);
  return HOIST_OK;
}
static inline void service_destroy(void *instance) { COUNT(((service *)instance)->destroyed); }
static inline void service_release(void *user_data) { COUNT(((service *)user_data)->released); }

static inline hoist_provider_pipeline pipeline_of(const char *name) {
  hoist_provider_pipeline pipeline;
  memset(&pipeline, 0, sizeof pipeline);
  pipeline.struct_size = sizeof pipeline;
  pipeline.name = name;
  pipeline.flush_interval_ms = 3600000;
  return pipeline;
}

static inline hoist_provider_property property_of(const char *name, hoist_property_type type, const char *value) {
  hoist_provider_property property;
  memset(&property, 0, sizeof property);
  property.struct_size = sizeof property;
  property.name = name;
  property.type = type;
  property.default_value = value;
  return property;
}

static inline hoist_provider table_of(service *own) {
  static hoist_provider_pipeline pipeline;
  static hoist_provider_property properties[2];
  pipeline = pipeline_of("events");
  properties[0] = property_of("address", HOIST_PROPERTY_TEXT, "here");
  properties[1] = property_of("token", HOIST_PROPERTY_SECRET, NULL);
  hoist_provider table;
  memset(&table, 0, sizeof table);
  table.struct_size = sizeof table;
  table.user_data = own;
  table.name = "own";
  table.properties = properties;
  table.property_count = 2;
  table.pipelines = &pipeline;
  table.pipeline_count = 1;
  table.create = service_create;
  table.start = service_start;
  table.stop = service_stop;
  table.set_online = service_set_online;
  table.refresh = service_refresh;
  table.identify = service_identify;
  table.flush = service_flush;
  table.forked = service_forked;
  table.track = service_track;
  table.evaluate = service_evaluate;
  table.record = service_record;
  table.explain = service_explain;
  table.encode = service_encode;
  table.classify = service_classify;
  table.destroy = service_destroy;
  table.release = service_release;
  return table;
}

static inline void service_begin(service *own) {
  memset(own, 0, sizeof *own);
  own->http_status = 200;
  own->verdict = HOIST_ERR_NETWORK;
}

/* ---- Clients ---- */

/* The network: a transport plug-in that answers at once. */
static inline hoist_status network_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  service *own = (service *)user_data;
  const char *body = strstr(request->url, "/flags") ? "the flags" : "";
  if (own->http_status == 0) (void)hoist_http_exchange_fail(exchange, "away");
  else (void)hoist_http_exchange_respond(exchange, own->http_status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static inline hoist_config *own_config(service *own) {
  hoist_config *config = hoist_config_new("own");
  hoist_transport transport = {sizeof transport, own, network_send, NULL};
  host_set(config, "store", "memory");
  host_set(config, "log.level", "none");
  (void)hoist_config_set_transport(config, &transport, NULL);
  return config;
}

/* Registers, opens, and waits for the start; the name is free again afterwards. */
static inline hoist_client *own_client(const hoist_provider *table) {
  service *own = (service *)table->user_data;
  hoist_error *error = NULL;
  if (hoist_provider_register(table, &error) != HOIST_OK) printf("#   %s\n", hoist_error_message(error));
  hoist_error_free(error);
  hoist_client *client = host_open(own_config(own));
  (void)hoist_provider_unregister("own", NULL);
  (void)eventually(&own->started, 1);
  return client;
}

/* An event of a value and a property of each type. */
static inline hoist_status track(hoist_client *client, const char *key, const char *who) {
  hoist_event_property properties[4] = {{sizeof *properties, "a", HOIST_EVENT_TEXT, "text", 0, false},
                                        {sizeof *properties, "b", HOIST_EVENT_NUMBER, NULL, 2, false},
                                        {sizeof *properties, "c", HOIST_EVENT_BOOL, NULL, 0, true},
                                        {sizeof *properties, "d", HOIST_EVENT_JSON, "[1,{\"e\":null}]", 0, false}};
  hoist_event event;
  memset(&event, 0, sizeof event);
  event.struct_size = sizeof event;
  event.value = 19.5;
  event.properties = properties;
  event.property_count = 4;
  hoist_context *context = hoist_context_new(who);
  hoist_status status = hoist_client_track(client, key, context, &event);
  hoist_context_free(context);
  return status;
}

/* Frees the client; everything has ended once. */
static inline bool ends_well(service *own, hoist_client *client) {
  hoist_client_free(client);
  return eventually(&own->released, 1) && READ(own->released) == 1 && READ(own->destroyed) == 1 && READ(own->overlaps) == 0;
}

#endif
