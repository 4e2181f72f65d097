#define _POSIX_C_SOURCE 200809L
#include "kinds.h"
#include <stdint.h>
#include <string.h>

/* No status, and nothing that C would allow as a boolean, a text or a size. */
enum { NO_STATUS = 9999 };
static const char garbage[] = "\xff\xfe\0{]\r\nGARBAGE: \x01";

static hoist_status verdict(const plug *own) {
  return own->fault == FAIL ? HOIST_ERR_PLUGIN : own->fault == GARBAGE ? NO_STATUS : HOIST_OK;
}

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
  bool answers = own->fault == TWICE || own->fault == STUCK || own->fault == SLOW;
  for (int i = 0; i < 2 && answers; i++) hoist_bytes_sink_write(sink, "[]", 2);
  if (own->fault == GARBAGE) {
    REQUIRE_STATUS(hoist_bytes_sink_write(sink, garbage, sizeof garbage), HOIST_OK);
    REQUIRE(hoist_bytes_sink_write(sink, NULL, 7) != HOIST_OK);
    REQUIRE(hoist_bytes_sink_write(sink, garbage, SIZE_MAX) != HOIST_OK);
  }
  plug_leave(own);
  return own->fault == FAIL ? HOIST_ERR_IO : answers || own->fault == GARBAGE ? HOIST_OK : HOIST_ERR_NOT_FOUND;
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
  if (own->fault == GARBAGE) {
    hoist_event_row nameless = row, endless = row, of_no_size = row, of_others = row;
    nameless.id = NULL;
    endless.payload_size = SIZE_MAX;
    of_no_size.struct_size = 1;
    of_others.id = "another's", of_others.pipeline = garbage;
    REQUIRE(hoist_event_sink_add(sink, NULL) != HOIST_OK);
    REQUIRE(hoist_event_sink_add(sink, &nameless) != HOIST_OK);
    REQUIRE(hoist_event_sink_add(sink, &endless) != HOIST_OK);
    REQUIRE(hoist_event_sink_add(sink, &of_no_size) != HOIST_OK);
    (void)hoist_event_sink_add(sink, &of_others);
    row.payload = garbage, row.payload_size = sizeof garbage;
    (void)hoist_event_sink_add(sink, &row);
  }
  plug_leave(own);
  return own->fault == GARBAGE ? HOIST_OK : verdict(own);
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
static hoist_status replace(void *user_data, const char *key, const void *expected, size_t expected_size,
                            const void *value, size_t value_size, hoist_bytes_sink *sink) {
  (void)key, (void)expected, (void)expected_size, (void)value, (void)value_size;
  plug *own = user_data;
  plug_enter(own);
  if (own->fault == GARBAGE) REQUIRE_STATUS(hoist_bytes_sink_write(sink, garbage, sizeof garbage), HOIST_OK);
  plug_leave(own);
  return own->fault == GARBAGE ? HOIST_ERR_STATE : verdict(own);
}

static void install_cache(plug *own, hoist_config *config) {
  hoist_cache table = {.struct_size = sizeof table, .user_data = own, .load = load, .save = save, .remove = forget,
                       .replace = replace, .put_events = put_events, .claim_events = claim_events,
                       .remove_events = remove_events, .purge_events = purge_events, .renew_lease = renew_lease,
                       .release = plug_release};
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
  case GARBAGE:
    hoist_dispatch_receipt_complete(NULL, HOIST_OK);
    hoist_dispatch_receipt_answer(NULL, HOIST_OK, NULL);
    hoist_dispatch_receipt_answer(receipt, NO_STATUS, garbage);
    break;
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
  case GARBAGE: {
    const hoist_header nameless = {sizeof nameless, NULL, NULL}, smuggled = {sizeof smuggled, "X", "a\r\nb: c"};
    REQUIRE(hoist_http_exchange_respond(exchange, -5, NULL, 0, "", 0) != HOIST_OK);
    REQUIRE(hoist_http_exchange_respond(exchange, 200, NULL, 3, "", 0) != HOIST_OK);
    REQUIRE(hoist_http_exchange_respond(exchange, 200, &nameless, 1, "", 0) != HOIST_OK);
    REQUIRE(hoist_http_exchange_respond(exchange, 200, &smuggled, 1, "", 0) != HOIST_OK);
    REQUIRE(hoist_http_exchange_respond(exchange, 200, NULL, 0, NULL, 7) != HOIST_OK);
    REQUIRE(hoist_http_exchange_respond(exchange, 200, NULL, 0, garbage, SIZE_MAX) != HOIST_OK);
    REQUIRE_STATUS(hoist_http_exchange_respond(exchange, 200, NULL, 0, garbage, sizeof garbage), HOIST_OK);
    break;
  }
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
  if (own->fault == GARBAGE) {
    REQUIRE(hoist_header_sink_add(sink, NULL, NULL) != HOIST_OK);
    REQUIRE(hoist_header_sink_add(sink, "X-Token", garbage) != HOIST_OK);
    REQUIRE(hoist_header_sink_add(sink, "X-Token", "a\r\nb: c") != HOIST_OK);
    REQUIRE(hoist_header_sink_add(sink, "no name", "") != HOIST_OK);
  }
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

/* Nobody asks the plug-in before there are flags, nor a storage before it was given them: until then, once more. */
static void *evaluate(void *user_data) {
  plug *own = user_data;
  (void)hoist_client_wait_ready(own->client, 10000);
  /* A storage that tells of no flag has it off. */
  bool is_certain = own->fault != FAIL && own->fault != GARBAGE;
  do {
    REQUIRE(hoist_client_bool(own->client, "banner", NULL, true, NULL) || !is_certain);
    (void)hoist_client_bool(own->client, "picky", NULL, true, NULL);
  } while (!plug_has_entered(own));
  return NULL;
}

void evaluate_elsewhere(plug *own, hoist_client *client) {
  (void)client;
  has_evaluating_thread = pthread_create(&evaluating_thread, NULL, evaluate, own) == 0;
  REQUIRE(has_evaluating_thread);
}

void await_evaluating_thread(void) {
  if (has_evaluating_thread) pthread_join(evaluating_thread, NULL);
  has_evaluating_thread = false;
}

/* ---- Unleash: a strategy, and a storage of toggles whose `value` is asked at every evaluation ---- */

static bool is_enabled(void *user_data, const hoist_unleash_parameter *parameters, size_t count,
                       const hoist_context *context) {
  plug *own = user_data;
  (void)context;
  plug_enter(own);
  REQUIRE(count == 1 && strcmp(parameters[0].name, "mood") == 0 && strcmp(parameters[0].value, "good") == 0);
  plug_leave(own);
  return own->fault != FAIL;
}

static void install_strategy(plug *own, hoist_config *config) {
  hoist_unleash_strategy table = {sizeof table, own, is_enabled, plug_release};
  own->sticks_once = true;
  REQUIRE_STATUS(hoist_unleash_config_add_strategy(config, "custom", &table, NULL), HOIST_OK);
}

static void take_toggles(void *user_data, const hoist_unleash_toggle *toggles, size_t count) {
  plug_enter(user_data);
  REQUIRE(count == 1 && strcmp(toggles[0].name, "banner") == 0); /* also after a long sleep */
  plug_leave(user_data);
}
static void ignore_toggles(void *user_data, const hoist_unleash_toggle *toggles, size_t count) {
  (void)user_data, (void)toggles, (void)count;
}

static hoist_status hand_out(plug *own, const char *name, hoist_unleash_toggle_sink *sink) {
  hoist_unleash_toggle toggle = {sizeof toggle, "banner", true, false, NULL, false, -1, NULL, NULL};
  if (strcmp(name, "banner") != 0) return HOIST_ERR_NOT_FOUND;
  if (own->fault == GARBAGE) {
    hoist_unleash_toggle nameless = toggle, unreadable = toggle, of_no_size = toggle;
    nameless.name = NULL;
    unreadable.name = garbage;
    of_no_size.struct_size = 1;
    REQUIRE(hoist_unleash_toggle_sink_put(sink, NULL) != HOIST_OK);
    REQUIRE(hoist_unleash_toggle_sink_put(sink, &nameless) != HOIST_OK);
    REQUIRE(hoist_unleash_toggle_sink_put(sink, &unreadable) != HOIST_OK);
    REQUIRE(hoist_unleash_toggle_sink_put(sink, &of_no_size) != HOIST_OK);
    return NO_STATUS;
  }
  for (int i = 0; i < (own->fault == TWICE ? 2 : 1); i++)
    REQUIRE_STATUS(hoist_unleash_toggle_sink_put(sink, &toggle), HOIST_OK);
  return verdict(own);
}
static hoist_status find_toggle(void *user_data, const char *name, hoist_unleash_toggle_sink *sink) {
  plug_enter(user_data);
  hoist_status status = hand_out(user_data, name, sink);
  plug_leave(user_data);
  return status;
}
static hoist_status find_at_once(void *user_data, const char *name, hoist_unleash_toggle_sink *sink) {
  return hand_out(user_data, name, sink);
}

static void install_storage(plug *own, hoist_config *config) {
  hoist_unleash_storage table = {sizeof table, own, take_toggles, find_at_once, NULL, plug_release};
  REQUIRE_STATUS(hoist_unleash_config_set_storage(config, &table, NULL), HOIST_OK);
}
static void install_storage_value(plug *own, hoist_config *config) {
  hoist_unleash_storage table = {sizeof table, own, ignore_toggles, find_toggle, NULL, plug_release};
  own->sticks_once = true;
  REQUIRE_STATUS(hoist_unleash_config_set_storage(config, &table, NULL), HOIST_OK);
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
      {"logger", "backend", install_logger, NULL},
      {"cache", "backend", install_cache, NULL},
      {"dispatcher", "backend", install_dispatcher, record_and_flush},
      {"transport", "backend", install_transport, NULL},
      {"header_provider", "backend", install_header_provider, NULL},
      {"hook", "backend", install_hook, evaluate_elsewhere},
      {"unleash_strategy", "backend", install_strategy, evaluate_elsewhere},
      {"unleash_storage", "frontend", install_storage, NULL},
      {"unleash_storage_value", "frontend", install_storage_value, evaluate_elsewhere},
      {"observer", "backend", NULL, observe},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  }
  const kind *const others[] = {flagship_kinds, provider_kinds};
  for (size_t i = 0; i < 2; i++) {
    for (const kind *other = others[i]; other->name; other++) {
      if (strcmp(other->name, name) == 0) return other;
    }
  }
  return NULL;
}
