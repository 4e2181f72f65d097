/* The library as a host that loads it at run time sees it: nothing of it is in the process before. */
#ifndef LOADED_H
#define LOADED_H

#include <dlfcn.h>
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define LOADED_FUNCTIONS(use)                                                                                          \
  use(version) use(config_new) use(config_set) use(config_free) use(client_open) use(client_bool) use(client_close)    \
      use(client_free) use(context_new) use(context_free)

typedef struct loaded {
  void *handle;
#define LOADED_MEMBER(name) __typeof__(&hoist_##name) name;
  LOADED_FUNCTIONS(LOADED_MEMBER)
} loaded;

/* The path of the library to load. */
static inline const char *loaded_path(void) {
  const char *path = getenv("HOIST_LIBRARY");
  if (path) return path;
  fputs("HOIST_LIBRARY is not set\n", stderr);
  exit(70);
}

static inline loaded loaded_open(const char *path) {
  loaded library;
  memset(&library, 0, sizeof library);
  library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library.handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(70);
  }
  void *symbol;
#define LOADED_FIND(name)                                                                                              \
  symbol = dlsym(library.handle, "hoist_" #name);                                                                      \
  if (!symbol) {                                                                                                       \
    fprintf(stderr, "no symbol hoist_%s\n", #name);                                                                    \
    exit(70);                                                                                                          \
  }                                                                                                                    \
  memcpy(&library.name, &symbol, sizeof symbol);
  LOADED_FUNCTIONS(LOADED_FIND)
  return library;
}

static inline hoist_client *loaded_client(const loaded *library) {
  hoist_config *config = library->config_new("unleash");
  const char *const properties[][2] = {{"url", HOST_DEAD_URL},
                                       {"key", "test-key"},
                                       {"bootstrap", HOST_BOOTSTRAP},
                                       {"store", "none"},
                                       {"log.level", "none"}};
  for (size_t index = 0; index < sizeof properties / sizeof properties[0]; index++)
    (void)library->config_set(config, properties[index][0], properties[index][1], NULL);
  hoist_client *client = NULL;
  if (library->client_open(config, &client, NULL) != HOIST_OK) client = NULL;
  library->config_free(config);
  return client;
}

/* A client's whole life; true when the flag had its value. */
static inline bool loaded_use(const loaded *library) {
  hoist_client *client = loaded_client(library);
  if (!client) return false;
  hoist_context *context = library->context_new("user");
  bool value = library->client_bool(client, "on", context, false, NULL);
  library->context_free(context);
  library->client_close(client, 1000);
  library->client_free(client);
  return value;
}

#endif
