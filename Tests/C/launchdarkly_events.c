/* Events, hooks and plug-ins of LaunchDarkly clients. */
#include <hoist/launchdarkly.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host.h"

/* What hooks were told, in order; they run on this thread. */
static char told[4096];
static int released;

static void note(const char *who, const char *what, const char *text) {
  size_t length = strlen(told);
  snprintf(told + length, sizeof told - length, "%s%s %s%s%s", length ? "; " : "", who, what, *text ? " " : "", text);
}

static hoist_status before(void *user_data, const hoist_launchdarkly_evaluation_series *series, void **data) {
  char text[256];
  snprintf(text, sizeof text, "%s %s %s", series->flag_key, series->method, series->default_value);
  note((const char *)user_data, "before", *data ? "with data" : text);
  *data = user_data;
  return strcmp((const char *)user_data, "bad") == 0 ? HOIST_ERR_PLUGIN : HOIST_OK;
}
static hoist_status after(void *user_data, const hoist_launchdarkly_evaluation_series *series, void *data,
                          const hoist_detail *detail) {
  (void)series;
  note((const char *)user_data, "after", data == user_data ? "with data" : data ? "with wrong data" : "without data");
  return hoist_detail_value(detail) ? HOIST_OK : HOIST_ERR_ARGUMENT;
}
static void let_go(void *user_data) {
  (void)user_data;
  __atomic_add_fetch(&released, 1, __ATOMIC_SEQ_CST);
}

static hoist_launchdarkly_hook hook_of(const char *name) {
  hoist_launchdarkly_hook hook;
  memset(&hook, 0, sizeof hook);
  hook.struct_size = sizeof hook;
  hook.user_data = (void *)name;
  hook.name = name;
  hook.before_evaluation = before;
  hook.after_evaluation = after;
  hook.release = let_go;
  return hook;
}

/* Clients are freed on another thread of the library's: what they hold goes then. */
static bool all_released(int count) {
  for (int turn = 0; turn < 2000 && __atomic_load_n(&released, __ATOMIC_SEQ_CST) < count; turn++) {
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  return __atomic_load_n(&released, __ATOMIC_SEQ_CST) == count;
}

static void begin(void) {
  told[0] = 0;
  released = 0;
}

/* (LD-81; offline) */
TEST(hooks_run_in_order_and_in_reverse_with_their_own_data) {
  begin();
  hoist_config *config = host_launchdarkly_config();
  hoist_launchdarkly_hook one = hook_of("one"), bad = hook_of("bad");
  CHECK_INT(hoist_launchdarkly_config_add_hook(config, &one, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_config_add_hook(config, &bad, NULL), HOIST_OK);
  hoist_client *client = host_open(config);
  CHECK(hoist_client_bool(client, "nope", NULL, true, NULL));
  CHECK_TEXT(told, "one before nope boolVariation true; bad before nope boolVariation true; "
                   "bad after without data; one after with data");
  begin();
  hoist_detail *detail = NULL;
  CHECK_INT(hoist_client_int64(client, "nope", NULL, 7, &detail), 7);
  hoist_detail_free(detail);
  CHECK(strstr(told, "one before nope intVariationDetail 7") != NULL);
  hoist_client_free(client);
  CHECK(all_released(2));
}

/* (LD-81; no client) */
TEST(hooks_that_cannot_be_taken_are_released) {
  begin();
  hoist_config *config = host_launchdarkly_config();
  hoist_config *other = host_config();
  hoist_launchdarkly_hook hook = hook_of("one");
  hoist_error *error = NULL;
  CHECK_INT(hoist_launchdarkly_config_add_hook(other, &hook, &error), HOIST_ERR_UNSUPPORTED);
  CHECK_TEXT(hoist_error_message(error), "a LaunchDarkly hook is for launchdarkly only");
  hoist_error_free(error);
  CHECK_INT(hoist_launchdarkly_config_add_hook(NULL, &hook, NULL), HOIST_ERR_ARGUMENT);
  for (int count = 0; count < 64; count++) CHECK_INT(hoist_launchdarkly_config_add_hook(config, &hook, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_config_add_hook(config, &hook, NULL), HOIST_ERR_LIMIT);
  CHECK_INT(released, 3);
  hoist_config_free(config);
  hoist_config_free(other);
  CHECK_INT(released, 67);
}

static hoist_client *registered;
static hoist_status get_hooks(void *user_data, const hoist_launchdarkly_environment_metadata *environment,
                              hoist_launchdarkly_hook_sink *hooks) {
  note((const char *)user_data, "hooks for", environment->environment);
  hoist_launchdarkly_hook hook = hook_of("brought");
  return hoist_launchdarkly_hook_sink_add(hooks, &hook);
}
static hoist_status register_client(void *user_data, hoist_client *client,
                                    const hoist_launchdarkly_environment_metadata *environment) {
  note((const char *)user_data, "registered in", environment->environment);
  note((const char *)user_data, "by", environment->application_name ? environment->application_name : "nobody");
  registered = client;
  return HOIST_OK;
}

/* (LD-81, LD-88; offline) */
TEST(a_plugin_brings_hooks_and_gets_to_know_the_client) {
  begin();
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "application_name", "test");
  hoist_launchdarkly_client_plugin plugin;
  memset(&plugin, 0, sizeof plugin);
  plugin.struct_size = sizeof plugin;
  plugin.user_data = (void *)"plug-in";
  plugin.name = "plug-in";
  plugin.get_hooks = get_hooks;
  plugin.register_client = register_client;
  plugin.release = let_go;
  CHECK_INT(hoist_launchdarkly_config_add_plugin(config, &plugin, NULL), HOIST_OK);
  hoist_client *client = host_open(config);
  CHECK(registered == client);
  CHECK_TEXT(told, "plug-in hooks for default; plug-in registered in default; plug-in by test");
  begin();
  (void)hoist_client_bool(client, "nope", NULL, true, NULL);
  CHECK_TEXT(told, "brought before nope boolVariation true; brought after with data");
  hoist_client_free(client);
  CHECK(all_released(2));
}

/* (LD-40, LD-43, LD-44; offline, closed) */
TEST(events_that_cannot_be_taken_are_refused) {
  hoist_client *client = host_open(host_launchdarkly_config());
  double metric = 1.5, wrong = NAN;
  CHECK_INT(hoist_launchdarkly_track(NULL, "e", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_track(client, NULL, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_track(client, "\xff", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_track(client, "e", "{", NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_track(client, "e", NULL, &wrong), HOIST_ERR_ARGUMENT);
  hoist_context *somebody = hoist_context_new("somebody");
  CHECK_INT(hoist_launchdarkly_track_for(client, "e", somebody, NULL, NULL), HOIST_ERR_UNSUPPORTED);
  hoist_context_free(somebody);
  hoist_client *other = host_client();
  CHECK_INT(hoist_launchdarkly_track(other, "e", NULL, &metric), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_launchdarkly_flush(other), HOIST_ERR_UNSUPPORTED);
  hoist_client_free(other);
  CHECK_INT(hoist_launchdarkly_flush(NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_flush(client), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 5000) == HOIST_ERR_STATE, false);
  CHECK_INT(hoist_launchdarkly_track(client, "e", NULL, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_flush(client), HOIST_ERR_STATE);
  hoist_client_free(client);
}

int main(void) {
  RUN(hooks_run_in_order_and_in_reverse_with_their_own_data);
  RUN(hooks_that_cannot_be_taken_are_released);
  RUN(a_plugin_brings_hooks_and_gets_to_know_the_client);
  RUN(events_that_cannot_be_taken_are_refused);
  return check_summary();
}
