/* What every host that is to be killed does: open a client, tell what has happened, wait for what others left. */
#define _POSIX_C_SOURCE 200809L
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 20000, LEAVE_LIMIT_MS = 200 };

/* One write, so that a kill leaves whole lines. */
static void report(const char *what, const char *name) {
  char line[128];
  int length = snprintf(line, sizeof line, "%s %s\n", what, name);
  if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(5);
}

static inline long milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "host: %s\n", what);
  _exit(1);
}

/* PROPERTIES is a file for hoist_config_load_file(); `prepare` is NULL, or adds what a file cannot say. */
static inline hoist_client *open_prepared(const char *provider, const char *properties, void (*prepare)(hoist_config *)) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new(provider);
  hoist_client *client = NULL;
  if (prepare) prepare(config);
  if (hoist_config_load_file(config, properties, &error) != HOIST_OK ||
      hoist_client_open(config, &client, &error) != HOIST_OK)
    require(false, hoist_error_message(error));
  hoist_config_free(config);
  return client;
}

static inline hoist_client *open_client(const char *provider, const char *properties) {
  return open_prepared(provider, properties, NULL);
}

static inline void finish(hoist_client *client, const char *name) {
  require(hoist_client_close(client, LIMIT_MS) == HOIST_OK, "not closed in time");
  hoist_client_free(client);
  report("closed", name);
}

/* Where the service takes nothing: what is left stays in the store. */
static inline void leave(hoist_client *client, const char *name) {
  hoist_status status = hoist_client_close(client, LEAVE_LIMIT_MS);
  require(status == HOIST_OK || status == HOIST_ERR_TIMEOUT, "not closed");
  hoist_client_free(client);
  report("closed", name);
}

/* The number of a counter in the statistics. */
static inline long counter(hoist_client *client, const char *group, const char *name) {
  hoist_text *statistics = hoist_client_statistics(client);
  char key[64];
  snprintf(key, sizeof key, "\"%s\":{", group);
  const char *found = strstr(hoist_text_data(statistics), key);
  snprintf(key, sizeof key, "\"%s\":", name);
  found = found ? strstr(found, key) : NULL;
  long number = found ? strtol(found + strlen(key), NULL, 10) : -1;
  hoist_text_free(statistics);
  require(number >= 0, "no such counter");
  return number;
}

/* Delivers what others left, until so many records of a group of the statistics, or of two, have been delivered. */
static inline void inherit(hoist_client *client, int expected, const char *group, const char *other) {
  while (counter(client, group, "delivered") + (other ? counter(client, other, "delivered") : 0) < expected) {
    (void)hoist_client_flush(client, LIMIT_MS);
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* until the store has handed them over */
  }
}
