/* A plug-in of every kind in one shared object, which misbehaves on demand: the options "fail KIND" and "short KIND"
 * spoil one table, the environment variable PLUGIN_FAULT the descriptor itself. */
#include "counts.h"
#include <hoist/hoist.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>
#include <hoist/unleash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEATURES                                                                                                       \
  "{\"version\":2,\"features\":[{\"name\":\"picky\",\"type\":\"release\",\"enabled\":true,"                            \
  "\"strategies\":[{\"name\":\"custom\",\"parameters\":{}}]}]}"
#define TOGGLES                                                                                                        \
  "{\"toggles\":[{\"name\":\"banner\",\"enabled\":true,\"impressionData\":false,"                                      \
  "\"variant\":{\"name\":\"disabled\",\"enabled\":false}}]}"

#ifdef __cplusplus
extern "C" {
#endif
extern __attribute__((visibility("default"))) counts plugin_counts;
#ifdef __cplusplus
}
#endif
counts plugin_counts;

static kind_count *used(void *user_data) {
  kind_count *own = (kind_count *)user_data;
  __atomic_add_fetch(&own->used, 1, __ATOMIC_SEQ_CST);
  return own;
}
static void release(void *user_data) { __atomic_add_fetch(&((kind_count *)user_data)->released, 1, __ATOMIC_SEQ_CST); }

/* Whether the options say `verb` of this kind. */
static bool is_to(const char *options, const char *verb, const char *kind) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "%s %s", verb, kind);
  return strcmp(options, wanted) == 0;
}

/* The beginning and the end of every create function. */
#define MAKE_TABLE(place, type, kind, name, ...)                                                                             \
  do {                                                                                                                 \
    if (is_to(options, "fail", name)) {                                                                                \
      snprintf(message, message_size, "no %s today", name);                                                            \
      return HOIST_ERR_CONFIG;                                                                                         \
    }                                                                                                                  \
    if (is_to(options, "leave out", name) || is_to(options, "leave out", "all")) return HOIST_ERR_UNSUPPORTED;         \
    if (is_to(options, "fail silently", name)) return 4711;                                                            \
    if ((place)->struct_size != sizeof(type)) return HOIST_ERR_STATE;                                                  \
    type table = {sizeof(type), &plugin_counts.of[kind], __VA_ARGS__};                                                 \
    if (is_to(options, "short", name)) table.struct_size = 3;                                                          \
    *(place) = table;                                                                                                  \
    if (is_to(options, "newer", name)) { /* as if there were more members by now */                                    \
      memset((place) + 1, 0x5a, 64);                                                                                   \
      (place)->struct_size += 64;                                                                                      \
    }                                                                                                                  \
    __atomic_add_fetch(&plugin_counts.of[kind].made, 1, __ATOMIC_SEQ_CST);                                             \
    return HOIST_OK;                                                                                                   \
  } while (0)

#define MAKE(place, type, kind, name, ...) MAKE_TABLE(place, type, kind, name, __VA_ARGS__, release)

static void write_line(void *user_data, hoist_log_level level, const char *message, size_t length) {
  (void)level, (void)message, (void)length;
  used(user_data);
}
static hoist_status create_logger(const char *options, hoist_logger *logger, char *message, size_t message_size) {
  MAKE(logger, hoist_logger, LOGGER, "logger", write_line);
}

static hoist_status load(void *user_data, const char *key, hoist_bytes_sink *sink) {
  (void)key, (void)sink;
  used(user_data);
  return HOIST_ERR_NOT_FOUND;
}
static hoist_status create_cache(const char *options, hoist_cache *cache, char *message, size_t message_size) {
  MAKE_TABLE(cache, hoist_cache, CACHE, "cache", load, NULL, NULL, NULL, NULL, NULL, NULL, NULL, release, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static hoist_status provide(void *user_data, const char *url, hoist_header_sink *sink) {
  (void)url;
  used(user_data);
  return hoist_header_sink_add(sink, "X-Loaded", "yes");
}
static hoist_status create_headers(const char *options, hoist_header_provider *provider, char *message,
                                   size_t message_size) {
  MAKE(provider, hoist_header_provider, HEADERS, "header_provider", provide);
}

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  bool has_header = false;
  for (size_t index = 0; index < request->header_count; index++)
    has_header = has_header || strcmp(HOIST_AT(hoist_header, request->headers, index)->name, "X-Loaded") == 0;
  if (has_header) used(user_data);
  const char *body = strstr(request->url, "/frontend") ? TOGGLES : FEATURES;
  /* A registration that fails gives the logger something to write. */
  int32_t status = strstr(request->url, "/register") ? 500 : strcmp(request->method, "GET") == 0 ? 200 : 202;
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}
static hoist_status create_transport(const char *options, hoist_transport *transport, char *message,
                                     size_t message_size) {
  MAKE(transport, hoist_transport, TRANSPORT, "transport", carry);
}

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
  (void)batch;
  used(user_data);
  hoist_dispatch_receipt_complete(receipt, HOIST_OK);
  return HOIST_OK;
}
static hoist_status create_dispatcher(const char *options, hoist_dispatcher *dispatcher, char *message,
                                      size_t message_size) {
  MAKE(dispatcher, hoist_dispatcher, DISPATCHER, "dispatcher", dispatch);
}

static hoist_status before(void *user_data, const hoist_hook_call *call) {
  (void)call;
  used(user_data);
  return HOIST_OK;
}
static hoist_status create_hook(const char *options, hoist_hook *hook, char *message, size_t message_size) {
  MAKE(hook, hoist_hook, HOOK, "hook", before, NULL, NULL, NULL);
}

static void set(void *user_data, const hoist_unleash_toggle *toggles, size_t count) {
  (void)toggles, (void)count;
  used(user_data);
}
static hoist_status value(void *user_data, const char *name, hoist_unleash_toggle_sink *sink) {
  (void)name, (void)sink;
  used(user_data);
  return HOIST_ERR_NOT_FOUND;
}
static hoist_status create_storage(const char *options, hoist_unleash_storage *storage, char *message,
                                   size_t message_size) {
  MAKE(storage, hoist_unleash_storage, STORAGE, "unleash_storage", set, value, NULL);
}

static bool is_enabled(void *user_data, const hoist_unleash_parameter *parameters, size_t count,
                       const hoist_context *context) {
  (void)parameters, (void)count, (void)context;
  used(user_data);
  return true;
}
static hoist_status create_strategy(const char *name, const char *options, hoist_unleash_strategy *strategy,
                                    char *message, size_t message_size) {
  if (strcmp(options, name) == 0) { /* fails with a message that fills its place and is no UTF-8 */
    memset(message, 0xff, message_size);
    return HOIST_ERR_LIMIT;
  }
  MAKE(strategy, hoist_unleash_strategy, STRATEGY, "unleash_strategy", is_enabled);
}

static hoist_status look_up(void *user_data, const char *user_id, hoist_optimizely_profile_sink *sink) {
  (void)user_id, (void)sink;
  used(user_data);
  return HOIST_ERR_NOT_FOUND;
}
static hoist_status create_profiles(const char *options, hoist_optimizely_profile_service *service, char *message,
                                    size_t message_size) {
  MAKE(service, hoist_optimizely_profile_service, PROFILES, "optimizely_profile_service", look_up, NULL);
}

static hoist_status fetch_segments(void *user_data, const char *user_id, uint32_t options,
                                   hoist_optimizely_segment_sink *sink) {
  (void)user_id, (void)options;
  used(user_data);
  return hoist_optimizely_segment_sink_add(sink, "regulars");
}
static hoist_status create_odp_manager(const char *options, hoist_optimizely_odp_manager *manager, char *message,
                                       size_t message_size) {
  MAKE(manager, hoist_optimizely_odp_manager, ODP, "optimizely_odp_manager", fetch_segments, NULL);
}

static hoist_status before_evaluation(void *user_data, const hoist_launchdarkly_evaluation_series *series, void **data) {
  (void)series, (void)data;
  used(user_data);
  return HOIST_OK;
}
static hoist_status create_launchdarkly_hook(const char *options, hoist_launchdarkly_hook *hook, char *message,
                                             size_t message_size) {
  MAKE(hook, hoist_launchdarkly_hook, LAUNCHDARKLY_HOOK, "launchdarkly_hook", "every kind", before_evaluation, NULL,
       NULL, NULL, NULL);
}

/* Stores of LaunchDarkly's mode server; the first has no whole set. */
static hoist_status no_items(void *user_data, hoist_launchdarkly_item_kind kind, hoist_launchdarkly_item_sink *sink) {
  (void)user_data, (void)kind, (void)sink;
  return HOIST_OK;
}
static hoist_status not_filled(void *user_data, bool *is_initialized) {
  (void)user_data;
  *is_initialized = false;
  return HOIST_OK;
}
static hoist_status create_rules(const char *options, hoist_launchdarkly_store *store, char *message, size_t message_size) {
  (void)options, (void)message, (void)message_size;
  store->all = no_items;
  store->initialized = not_filled;
  return HOIST_OK;
}
static hoist_status create_big_segments(const char *options, hoist_launchdarkly_big_segments *store, char *message,
                                        size_t message_size) {
  (void)options, (void)store, (void)message, (void)message_size;
  return HOIST_OK;
}

static hoist_status make_instance(void *user_data, hoist_provider_host *host, void **instance, char *message, size_t size) {
  (void)message, (void)size;
  *instance = used(user_data);
  static const hoist_flag_variation truth[] = {{sizeof(hoist_flag_variation), "off", "false"}, {sizeof(hoist_flag_variation), "on", "true"}};
  hoist_flag flag = {sizeof flag, "on", true, false, false, truth, 2, 1, NULL};
  hoist_flag_set *set = hoist_flag_set_new();
  hoist_status status = hoist_flag_set_add(set, &flag, NULL);
  if (status == HOIST_OK) status = hoist_provider_host_publish(host, set, NULL);
  hoist_flag_set_free(set);
  return status == HOIST_OK ? hoist_provider_host_set_state(host, HOIST_CLIENT_READY, NULL) : status;
}
static hoist_status create_provider(const char *options, hoist_provider *provider, char *message, size_t message_size) {
  const char *other = is_to(options, "misname", "provider") ? "another" : NULL;
  MAKE(provider, hoist_provider, PROVIDER, "provider", other, NULL, 0, NULL, 0, make_instance, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static const char *const names[] = {"custom", "second", NULL};
static const char *const same_names[] = {"custom", "custom", NULL};
static const char *const empty_name[] = {"custom", "", NULL};

static const hoist_unleash_plugin unleash = {sizeof unleash, create_storage, names, create_strategy};
static const hoist_unleash_plugin unleash_twice = {sizeof unleash, NULL, same_names, create_strategy};
static const hoist_unleash_plugin unleash_empty = {sizeof unleash, NULL, empty_name, create_strategy};
static const hoist_unleash_plugin unleash_unmade = {sizeof unleash, NULL, names, NULL};
static const hoist_unleash_plugin unleash_short = {3, create_storage, names, create_strategy};
static const hoist_optimizely_plugin optimizely = {sizeof optimizely, create_profiles, create_odp_manager};
static const hoist_launchdarkly_plugin launchdarkly = {sizeof launchdarkly, create_launchdarkly_hook, NULL, NULL};
static const hoist_launchdarkly_plugin stores = {sizeof stores, NULL, create_rules, create_big_segments};
static const hoist_optimizely_plugin optimizely_short = {3, create_profiles, NULL};

#define DESCRIBED(size, version, name, unleash)                                                                        \
  {                                                                                                                    \
    size, version, name, "1.2", create_logger, create_cache, create_headers, create_transport, create_dispatcher,      \
        create_hook, unleash, &optimizely, &launchdarkly, "every-kind", create_provider                                \
  }
#define NOTHING NULL, NULL, NULL, NULL, NULL, NULL

static const hoist_plugin good = DESCRIBED(sizeof good, HOIST_PLUGIN_ABI, "every kind", &unleash);
static const struct faulty {
  const char *fault;
  hoist_plugin plugin;
} faulty[] = {
    {"newer", DESCRIBED(sizeof good, HOIST_PLUGIN_ABI + 1, "newer", &unleash)},
    {"older", DESCRIBED(sizeof good, HOIST_PLUGIN_ABI - 1, "older", &unleash)},
    {"short", DESCRIBED(sizeof(size_t) * 2, HOIST_PLUGIN_ABI, "short", &unleash)},
    {"tiny", DESCRIBED(3, HOIST_PLUGIN_ABI, "tiny", &unleash)},
    {"absurd", DESCRIBED((size_t)-1, HOIST_PLUGIN_ABI, "absurd", &unleash)},
    {"nameless", DESCRIBED(sizeof good, HOIST_PLUGIN_ABI, NULL, &unleash)},
    {"garbled", DESCRIBED(sizeof good, HOIST_PLUGIN_ABI, "\xff\xfe", &unleash)},
    {"from a shorter header", DESCRIBED(offsetof(hoist_plugin, create_cache), HOIST_PLUGIN_ABI, "early", &unleash)},
    {"cut in a member", DESCRIBED(offsetof(hoist_plugin, create_cache) + 5, HOIST_PLUGIN_ABI, "cut", &unleash)},
    {"empty", {sizeof good, HOIST_PLUGIN_ABI, "empty", NULL, NOTHING, NULL, NULL, NULL, NULL, NULL}},
    {"hook only", {sizeof good, HOIST_PLUGIN_ABI, "hook", NULL, NULL, NULL, NULL, NULL, NULL, create_hook, NULL, NULL, NULL, NULL, NULL}},
    {"strategies only", {sizeof good, HOIST_PLUGIN_ABI, "strategies", NULL, NOTHING, &unleash, NULL, NULL, NULL, NULL}},
    {"same strategies", {sizeof good, HOIST_PLUGIN_ABI, "twice", NULL, NOTHING, &unleash_twice, NULL, NULL, NULL, NULL}},
    {"empty strategy", {sizeof good, HOIST_PLUGIN_ABI, "no name", NULL, NOTHING, &unleash_empty, NULL, NULL, NULL, NULL}},
    {"strategies unmade", {sizeof good, HOIST_PLUGIN_ABI, "unmade", NULL, NOTHING, &unleash_unmade, NULL, NULL, NULL, NULL}},
    {"stores", {sizeof good, HOIST_PLUGIN_ABI, "stores", NULL, NOTHING, NULL, NULL, &stores, NULL, NULL}},
    {"optimizely short", {sizeof good, HOIST_PLUGIN_ABI, "short", NULL, NOTHING, NULL, &optimizely_short, NULL, NULL, NULL}},
    {"unleash short", {sizeof good, HOIST_PLUGIN_ABI, "short", NULL, NOTHING, &unleash_short, NULL, NULL, NULL, NULL}},
};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
  const char *fault = getenv("PLUGIN_FAULT");
  if (library_abi != HOIST_PLUGIN_ABI) return NULL;
  if (!fault) return &good;
  for (size_t index = 0; index < sizeof faulty / sizeof faulty[0]; index++)
    if (strcmp(faulty[index].fault, fault) == 0) return &faulty[index].plugin;
  return NULL;
}
