/* A host of LaunchDarkly that does what it is told, line by line: launchdarkly_host PROPERTIES < LINES
 *
 *   identify KIND [KEY]   and waits; without a KEY for a generated one
 *   key                   of the current context
 *   value                 of flag "f"; -1 for none
 *   close
 *
 * What has been done is told in a line of its own before the next one is begun. */
#include "host_calls.h"
#include <hoist/launchdarkly.h>

static char current_key[64];

/* Contexts here have one key each. */
static hoist_status note_key(void *user_data, const hoist_launchdarkly_evaluation_series *series, void **data) {
  static const char before[] = "\"key\":\"";
  (void)user_data, (void)data;
  const char *found = strstr(series->context, before);
  require(found != NULL, "a context without a key");
  found += strlen(before);
  snprintf(current_key, sizeof current_key, "%.*s", (int)strcspn(found, "\""), found);
  return HOIST_OK;
}

static void add_hook(hoist_config *config) {
  hoist_launchdarkly_hook hook = HOIST_LAUNCHDARKLY_HOOK_INIT;
  hook.before_evaluation = note_key;
  require(hoist_launchdarkly_config_add_hook(config, &hook, NULL) == HOIST_OK, "no hook");
}

static void identify(hoist_client *client, const char *kind, const char *key) {
  hoist_launchdarkly_builder *builder = hoist_launchdarkly_builder_new(kind, key);
  hoist_launchdarkly_context *own = NULL;
  require(hoist_launchdarkly_builder_build(builder, &own, NULL) == HOIST_OK, "no context");
  hoist_context *context = hoist_launchdarkly_context_to_hoist(own);
  require(hoist_launchdarkly_identify_wait(client, context, LIMIT_MS, 0, NULL) == HOIST_OK, "not identified");
  report("identified", kind);
  hoist_context_free(context);
  hoist_launchdarkly_context_free(own);
  hoist_launchdarkly_builder_free(builder);
}

int main(int argc, char **argv) {
  char line[256], what[64], kind[64], key[64];
  if (argc != 2) return 2;
  alarm(300);
  hoist_client *client = open_prepared("launchdarkly", argv[1], add_hook);
  require(hoist_launchdarkly_start_wait(client, LIMIT_MS, NULL) == HOIST_OK, "not started");
  while (fgets(line, sizeof line, stdin)) {
    int words = sscanf(line, "%63s %63s %63s", what, kind, key);
    if (words < 1) continue;
    if (strcmp(what, "close") == 0) break;
    if (strcmp(what, "identify") == 0) {
      identify(client, kind, words == 3 ? key : NULL);
    } else {
      int64_t value = hoist_client_int64(client, "f", NULL, -1, NULL);
      snprintf(line, sizeof line, "%lld", (long long)value);
      bool is_value = strcmp(what, "value") == 0;
      require(is_value || strcmp(what, "key") == 0, "not understood");
      report(what, is_value ? line : current_key);
    }
  }
  finish(client, "host");
  return 0;
}
