#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <string.h>

static hoist_status verdict(const plug *own) { return own->fault == FAIL ? HOIST_ERR_PLUGIN : HOIST_OK; }

/* ---- Logger: a service that fails gives it something to write ---- */

static void write_line(void *user_data, hoist_log_level level, const char *message, size_t length) {
  (void)level;
  plug_enter(user_data);
  REQUIRE(strlen(message) == length); /* also after a long sleep */
  plug_leave(user_data);
}

static void install_logger(plug *own, hoist_config *config) {
  own->network->status_of_fetches = 500;
  hoist_logger table = {sizeof table, own, write_line, plug_release};
  world_set(config, "log.level", "debug");
  REQUIRE_STATUS(hoist_config_set_logger(config, &table, NULL), HOIST_OK);
}

/* ---- Cache: holds nothing, takes everything ---- */

static hoist_status load(void *user_data, const char *key, hoist_bytes_sink *sink) {
  (void)key;
  plug *own = user_data;
  plug_enter(own);
  for (int i = 0; i < 2 && (own->fault == TWICE || own->fault == STUCK); i++) hoist_bytes_sink_write(sink, "[]", 2);
  plug_leave(own);
  return own->fault == FAIL ? HOIST_ERR_IO : own->fault == TWICE ? HOIST_OK : HOIST_ERR_NOT_FOUND;
}
static hoist_status behave(plug *own) {
  plug_enter(own);
  plug_leave(own);
  return verdict(own);
}
static hoist_status save(void *user_data, const char *key, const void *value, size_t size) {
  (void)key, (void)value, (void)size;
  return behave(user_data);
}
static hoist_status forget(void *user_data, const char *key) { return (void)key, behave(user_data); }
static hoist_status put_events(void *user_data, const hoist_event_row *rows, size_t count, const char *owner,
                               int64_t lease_ms) {
  (void)rows, (void)count, (void)owner, (void)lease_ms;
  return behave(user_data);
}
static hoist_status claim_events(void *user_data, const char *pipeline, size_t max_rows, size_t max_bytes,
                                 const char *owner, int64_t lease_ms, hoist_event_sink *sink) {
  (void)max_rows, (void)max_bytes, (void)owner, (void)lease_ms;
  plug *own = user_data;
  plug_enter(own);
  hoist_event_row row = {sizeof row, "one and the same", pipeline, "", 0, "{}", 2};
  for (int i = 0; i < 2 && own->fault == TWICE; i++) hoist_event_sink_add(sink, &row);
  plug_leave(own);
  return verdict(own);
}
static hoist_status remove_events(void *user_data, const char *const *ids, size_t count, const char *owner) {
  (void)ids, (void)count, (void)owner;
  return behave(user_data);
}
static hoist_status purge_events(void *user_data, const char *subject, const char *pipeline) {
  (void)subject, (void)pipeline;
  return behave(user_data);
}
static hoist_status renew_lease(void *user_data, const char *owner, int64_t lease_ms) {
  (void)owner, (void)lease_ms;
  return behave(user_data);
}

static void install_cache(plug *own, hoist_config *config) {
  hoist_cache table = {sizeof table, own,          load,          save,         forget,
                       put_events,   claim_events, remove_events, purge_events, renew_lease,
                       plug_release};
  REQUIRE_STATUS(hoist_config_set_cache(config, &table, NULL), HOIST_OK);
}

/* ---- Dispatcher ---- */

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
  (void)batch;
  plug *own = user_data;
  plug_enter(own);
  hoist_status status = HOIST_OK;
  switch (own->fault) {
  case LATE:
    pthread_mutex_lock(&own->lock);
    own->receipt = receipt;
    pthread_mutex_unlock(&own->lock);
    break;
  case FAIL: status = HOIST_ERR_PLUGIN; break;
  case TWICE:
    hoist_dispatch_receipt_complete(receipt, HOIST_OK);
    hoist_dispatch_receipt_complete(receipt, HOIST_ERR_NETWORK);
    break;
  case ANSWER_AND_FAIL: status = HOIST_ERR_PLUGIN; /* fall through */
  default: hoist_dispatch_receipt_complete(receipt, HOIST_OK);
  }
  plug_leave(own);
  return status;
}

static void install_dispatcher(plug *own, hoist_config *config) {
  hoist_dispatcher table = {sizeof table, own, dispatch, plug_release};
  REQUIRE_STATUS(hoist_config_set_dispatcher(config, &table, NULL), HOIST_OK);
}

static void record_and_flush(plug *own, hoist_client *client) {
  (void)own;
  REQUIRE_STATUS(hoist_client_wait_ready(client, 10000), HOIST_OK);
  REQUIRE(hoist_client_bool(client, "banner", NULL, false, NULL));
  (void)hoist_client_flush(client, 0);
}

/* ---- Transport ---- */

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  plug *own = user_data;
  plug_enter(own);
  hoist_status status = HOIST_OK;
  bool keeps = false;
  switch (own->fault) {
  case LATE:
  case OVERDUE:
    pthread_mutex_lock(&own->lock);
    keeps = !own->exchange;
    if (keeps) own->exchange = exchange;
    pthread_mutex_unlock(&own->lock);
    if (!keeps) service_answer(own->network, request, exchange);
    break;
  case TWICE:
    service_answer(own->network, request, exchange);
    REQUIRE_STATUS(hoist_http_exchange_respond(exchange, 200, NULL, 0, "[]", 2), HOIST_ERR_STATE);
    REQUIRE_STATUS(hoist_http_exchange_fail(exchange, "changed my mind"), HOIST_ERR_STATE);
    REQUIRE(hoist_http_exchange_is_cancelled(exchange));
    break;
  case FAIL:
    plug_leave(own);
    return HOIST_ERR_PLUGIN;
  case ANSWER_AND_FAIL: status = HOIST_ERR_PLUGIN; /* fall through */
  default: service_answer(own->network, request, exchange);
  }
  if (!keeps) hoist_http_exchange_release(exchange);
  plug_leave(own);
  return status;
}

static void install_transport(plug *own, hoist_config *config) {
  hoist_transport table = {sizeof table, own, carry, plug_release};
  if (own->fault == OVERDUE) world_set(config, "network.timeout_ms", "50");
  REQUIRE_STATUS(hoist_config_set_transport(config, &table, NULL), HOIST_OK);
}

/* ---- Header provider ---- */

static hoist_status provide(void *user_data, const char *url, hoist_header_sink *sink) {
  plug *own = user_data;
  plug_enter(own);
  REQUIRE(strstr(url, "flags.example") != NULL);
  for (int i = 0; i < (own->fault == TWICE ? 2 : 1); i++) hoist_header_sink_add(sink, "X-Token", "fresh");
  plug_leave(own);
  return verdict(own);
}

static void install_header_provider(plug *own, hoist_config *config) {
  hoist_header_provider table = {sizeof table, own, provide, plug_release};
  REQUIRE_STATUS(hoist_config_set_header_provider(config, &table, NULL), HOIST_OK);
}

/* ---- Hook: on the evaluating thread, so another than the test's own evaluates ---- */

static pthread_t evaluating_thread;
static bool has_evaluating_thread;

static hoist_status before(void *user_data, const hoist_hook_call *call) { return (void)call, behave(user_data); }
static void after(void *user_data, const hoist_hook_call *call, const hoist_detail *detail) {
  (void)call, (void)detail;
  (void)behave(user_data);
}
static void finally(void *user_data, const hoist_hook_call *call) { (void)call, (void)behave(user_data); }

static void install_hook(plug *own, hoist_config *config) {
  hoist_hook table = {sizeof table, own, before, after, after, finally, plug_release};
  own->sticks_once = true;
  REQUIRE_STATUS(hoist_config_add_hook(config, &table, NULL), HOIST_OK);
}

static void *evaluate(void *client) {
  REQUIRE(hoist_client_bool(client, "banner", NULL, true, NULL));
  return NULL;
}

static void evaluate_elsewhere(plug *own, hoist_client *client) {
  (void)own;
  has_evaluating_thread = pthread_create(&evaluating_thread, NULL, evaluate, client) == 0;
  REQUIRE(has_evaluating_thread);
}

void await_evaluating_thread(void) {
  if (has_evaluating_thread) pthread_join(evaluating_thread, NULL);
  has_evaluating_thread = false;
}

/* ---- Observer ---- */

static void notify(void *user_data, const hoist_notification *notification) {
  plug_enter(user_data);
  REQUIRE(hoist_notification_topic(notification) == HOIST_TOPIC_READY); /* also after a long sleep */
  plug_leave(user_data);
}

static void observe(plug *own, hoist_client *client) {
  hoist_observer table = {sizeof table, own, notify, plug_release};
  REQUIRE_STATUS(hoist_client_observe(client, HOIST_TOPIC_READY, NULL, &table, NULL), HOIST_OK);
}

const kind *kind_named(const char *name) {
  static const kind kinds[] = {
      {"logger", install_logger, NULL},
      {"cache", install_cache, NULL},
      {"dispatcher", install_dispatcher, record_and_flush},
      {"transport", install_transport, NULL},
      {"header_provider", install_header_provider, NULL},
      {"hook", install_hook, evaluate_elsewhere},
      {"observer", NULL, observe},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  }
  return NULL;
}
