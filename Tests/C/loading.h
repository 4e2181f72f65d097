/* Loading the object of objects/every_kind.c, and what it counts. */
#ifndef LOADING_H
#define LOADING_H

#include <dlfcn.h>
#include <hoist/unleash.h>
#include <time.h>

#include "check.h"
#include "host.h"
#include "objects/counts.h"

#define EVERY_KIND PLUGIN_FOLDER "/every_kind" PLUGIN_SUFFIX

static counts *told; /* by the object itself, which stays loaded */

static inline counts since(counts before) {
  counts now;
  for (int kind = 0; kind < KINDS; kind++) {
    now.of[kind].made = __atomic_load_n(&told->of[kind].made, __ATOMIC_SEQ_CST) - before.of[kind].made;
    now.of[kind].used = __atomic_load_n(&told->of[kind].used, __ATOMIC_SEQ_CST) - before.of[kind].used;
    now.of[kind].released = __atomic_load_n(&told->of[kind].released, __ATOMIC_SEQ_CST) - before.of[kind].released;
  }
  return now;
}
static inline counts so_far(void) {
  counts nothing;
  memset(&nothing, 0, sizeof nothing);
  return since(nothing);
}

/* Everything made is released, and nothing twice; `release` may run on a lane that ends by itself. */
static inline bool all_released(void) {
  for (int attempt = 0; attempt < 2000; attempt++) {
    bool is_done = true;
    counts now = so_far();
    for (int kind = 0; kind < KINDS; kind++) {
      if (now.of[kind].released > now.of[kind].made) return false;
      is_done = is_done && now.of[kind].released == now.of[kind].made;
    }
    if (is_done) return true;
    struct timespec pause = {0, 5 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  counts now = so_far();
  for (int kind = 0; kind < KINDS; kind++)
    printf("#   kind %d: made %d, released %d\n", kind, now.of[kind].made, now.of[kind].released);
  return false;
}

static inline int made_since(counts before) {
  int sum = 0;
  counts now = since(before);
  for (int kind = 0; kind < KINDS; kind++) sum += now.of[kind].made;
  return sum;
}

static inline hoist_config *config_of(const char *mode) {
  hoist_config *config = hoist_config_new("unleash");
  host_set(config, "mode", mode);
  host_set(config, "url",
           strcmp(mode, "backend") == 0 ? "http://flags.example/api" : "http://flags.example/api/frontend");
  host_set(config, "key", "test-key");
  host_set(config, "log.level", "debug");
  return config;
}

static inline bool loads(hoist_config *config, const char *options) {
  hoist_error *error = NULL;
  hoist_status status = hoist_config_load_plugin(config, EVERY_KIND, options, &error);
  if (status != HOIST_OK) printf("#   %s\n", hoist_error_message(error));
  hoist_error_free(error);
  return status == HOIST_OK;
}

/* Loads what must be refused, with this status, the path and these words in the message. */
static inline bool is_refused(hoist_config *config, const char *path, const char *options, hoist_status expected,
                              const char *words) {
  hoist_error *error = NULL;
  hoist_status status = hoist_config_load_plugin(config, path, options, &error);
  const char *message = hoist_error_message(error);
  bool is_good =
      status == expected && hoist_error_status(error) == status && strstr(message, path) && strstr(message, words);
  if (!is_good) printf("#   %s: %s\n", hoist_status_name(status), message);
  hoist_error_free(error);
  return is_good;
}

static inline hoist_client *client_of(const hoist_config *config) {
  hoist_client *client = NULL;
  hoist_error *error = NULL;
  if (hoist_client_open(config, &client, &error) != HOIST_OK) printf("#   %s\n", hoist_error_message(error));
  hoist_error_free(error);
  return client;
}

/* Makes the counters readable; Hoist's own loading does not know of it. */
static inline void *open_counters(void) {
  void *object = dlopen(EVERY_KIND, RTLD_NOW | RTLD_LOCAL);
  told = object ? (counts *)dlsym(object, "plugin_counts") : NULL;
  if (told) return object;
  fprintf(stderr, "%s\n", dlerror());
  exit(70);
}

#endif
