/* A host that decides and tracks, to be killed: optimizely_host PROPERTIES ROLE NAME COUNT. Every visitor has a name of
 * its own, NAME-i; its conversion is reported as soon as it is recorded.
 *
 *   run   records, delivers, records again, closes
 *   heir  delivers what others left, COUNT events */
#define _POSIX_C_SOURCE 200809L
#include <hoist/hoist.h>
#include <hoist/optimizely.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

/* One write, so that a kill leaves whole lines. */
static void report(const char *what, const char *name) {
  char line[128];
  int length = snprintf(line, sizeof line, "%s %s\n", what, name);
  if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(5);
}

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "host: %s\n", what);
  _exit(1);
}

static hoist_client *open_client(const char *properties) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("optimizely");
  hoist_client *client = NULL;
  if (hoist_config_load_file(config, properties, &error) != HOIST_OK ||
      hoist_client_open(config, &client, &error) != HOIST_OK)
    require(false, hoist_error_message(error));
  hoist_config_free(config);
  return client;
}

static void record(hoist_client *client, const char *name, int from, int to) {
  for (int number = from; number < to; number++) {
    char visitor[64];
    snprintf(visitor, sizeof visitor, "%s-%d", name, number);
    hoist_context *context = hoist_context_new(visitor);
    (void)hoist_client_bool(client, "banner", context, false, NULL);
    require(hoist_client_track(client, "purchase", context, NULL) == HOIST_OK, "not recorded");
    hoist_context_free(context);
    report("recorded", visitor);
  }
}

/* The number of a counter of the events. */
static long counter(hoist_client *client, const char *name) {
  hoist_text *statistics = hoist_client_statistics(client);
  char key[64];
  const char *found = strstr(hoist_text_data(statistics), "\"events\":{");
  snprintf(key, sizeof key, "\"%s\":", name);
  found = found ? strstr(found, key) : NULL;
  long number = found ? strtol(found + strlen(key), NULL, 10) : -1;
  hoist_text_free(statistics);
  require(number >= 0, "no such counter");
  return number;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const char *name = argv[3];
  int count = atoi(argv[4]);
  hoist_client *client = open_client(argv[1]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  if (strcmp(argv[2], "heir") == 0) {
    alarm(60);
    while (counter(client, "delivered") < count) {
      (void)hoist_client_flush(client, LIMIT_MS);
      nanosleep(&(struct timespec){0, 1000000}, NULL); /* until the store has handed them over */
    }
  } else {
    record(client, name, 0, count / 2);
    require(hoist_client_flush(client, LIMIT_MS) == HOIST_OK, "not flushed");
    record(client, name, count / 2, count);
  }
  require(hoist_client_close(client, LIMIT_MS) == HOIST_OK, "not closed in time");
  hoist_client_free(client);
  report("closed", name);
  return 0;
}
