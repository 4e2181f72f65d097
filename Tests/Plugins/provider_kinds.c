/* A provider plug-in that misbehaves: on its lane, in `refresh`, and on evaluating threads, in `evaluate`. */
#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <stdint.h>
#include <string.h>

/* The table is registered before the case has its plug. */
static plug *current;
static hoist_provider_host *host;
static bool is_per_call;

static hoist_status create(void *user_data, hoist_provider_host *own_host, void **instance, char *message, size_t size) {
  static const hoist_flag_variation truth[] = {{sizeof(hoist_flag_variation), "off", "false"}, {sizeof(hoist_flag_variation), "on", "true"}};
  (void)user_data, (void)message, (void)size;
  host = own_host;
  *instance = current;
  hoist_flag flag = {.struct_size = sizeof flag, .key = "banner", .enabled = true, .is_decided_per_call = is_per_call,
                     .variations = truth, .variation_count = 2, .default_variation = 1};
  hoist_flag_set *set = hoist_flag_set_new();
  REQUIRE_STATUS(hoist_flag_set_add(set, &flag, NULL), HOIST_OK);
  REQUIRE_STATUS(hoist_provider_host_publish(host, set, NULL), HOIST_OK);
  hoist_flag_set_free(set);
  return hoist_provider_host_set_state(host, HOIST_CLIENT_READY, NULL);
}

static void refresh(void *instance) {
  plug *own = instance;
  plug_enter(own);
  if (own->fault == GARBAGE) {
    hoist_flag_variation variation = {sizeof variation, "\xff", "{"};
    hoist_flag flag = {.struct_size = sizeof flag, .key = "banner", .variations = &variation, .variation_count = SIZE_MAX};
    hoist_flag_set *set = hoist_flag_set_new();
    REQUIRE(hoist_flag_set_add(set, &flag, NULL) != HOIST_OK);
    hoist_flag_set_free(set);
    REQUIRE(hoist_provider_host_publish(host, NULL, NULL) != HOIST_OK);
    REQUIRE(hoist_provider_host_publish((hoist_provider_host *)(uintptr_t)4711, NULL, NULL) != HOIST_OK);
    REQUIRE(hoist_provider_host_set_state(host, 4711, "\xff") != HOIST_OK);
    REQUIRE(hoist_provider_host_record(host, "\xff", NULL, NULL, SIZE_MAX) != HOIST_OK);
    hoist_provider_host_log(host, 4711, "\xff");
    hoist_provider_host_log(host, HOIST_LOG_ERROR, "\xff\n");
    hoist_provider_reply_complete((hoist_provider_reply *)(uintptr_t)4711, 4711);
  }
  plug_leave(own);
}

static hoist_status evaluate(void *instance, hoist_provider_evaluation *evaluation) {
  plug *own = instance;
  plug_enter(own);
  if (own->fault == GARBAGE) evaluation->variation = INT32_MAX;
  plug_leave(own);
  return own->fault == FAIL ? HOIST_ERR_PLUGIN : HOIST_OK;
}

static hoist_status track(void *instance, const hoist_provider_event *event) {
  (void)instance;
  return hoist_provider_host_record(host, "events", NULL, event->key, strlen(event->key));
}

static hoist_status encode(void *instance, const hoist_provider_batch *batch, hoist_request_sink *sink) {
  hoist_http_request request = {.struct_size = sizeof request, .method = "POST", .url = "http://flags.example/"};
  (void)instance, (void)batch;
  return hoist_request_sink_set(sink, &request);
}

static void release(void *user_data) {
  (void)user_data;
  if (current) plug_release(current);
}

hoist_config *provider_config(void) {
  static const hoist_provider_pipeline pipeline = {.struct_size = sizeof pipeline, .name = "events"};
  const hoist_provider table = {.struct_size = sizeof table, .name = "faulty", .pipelines = &pipeline, .pipeline_count = 1,
                                .create = create, .refresh = refresh, .track = track, .evaluate = evaluate,
                                .encode = encode, .release = release};
  REQUIRE_STATUS(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_config *config = hoist_config_new("faulty");
  REQUIRE_STATUS(hoist_provider_unregister("faulty", NULL), HOIST_OK);
  return config;
}

static void install(plug *own, hoist_config *config) {
  (void)config;
  current = own;
}
static void install_per_call(plug *own, hoist_config *config) {
  install(own, config);
  own->sticks_once = true;
  is_per_call = true;
}
static void refresh_once(plug *own, hoist_client *client) {
  (void)own;
  REQUIRE_STATUS(hoist_client_refresh(client), HOIST_OK);
}

const kind provider_kinds[] = {{"provider", "provider", install, refresh_once},
                               {"provider_evaluate", "provider", install_per_call, evaluate_elsewhere},
                               {NULL, NULL, NULL, NULL}};
