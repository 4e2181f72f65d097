/* The example provider, watched: provider_watch OBJECT FILE state | watch.
 *
 * "state" prints the client's state as soon as it is another than at first. "watch" prints the flag "odd", then every change and every state; a line on
 * its input prints the flag again, the end of the input ends it. */
#define _POSIX_C_SOURCE 200809L
#include <hoist/hoist.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static hoist_client *client;

static void require(hoist_status status, const char *what) {
  if (status == HOIST_OK) return;
  fprintf(stderr, "%s: %s\n", what, hoist_status_name(status));
  exit(1);
}

static void tell(void *user_data, const hoist_notification *news) {
  (void)user_data;
  if (hoist_notification_topic(news) == HOIST_TOPIC_STATE) {
    hoist_client_state state = hoist_client_get_state(client);
    if (state == HOIST_CLIENT_READY || state == HOIST_CLIENT_CLOSED) return;
    printf("state %d: %s\n", (int)state, hoist_notification_message(news));
  } else {
    printf("changed: %s\n", hoist_notification_key(news, 0));
  }
  fflush(stdout);
}

static void pause_briefly(void) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
}

static void print_state(void) {
  while (hoist_client_get_state(client) == HOIST_CLIENT_NOT_READY) pause_briefly();
  printf("state %d\n", (int)hoist_client_get_state(client));
}

static void show(void) {
  bool is_on = hoist_client_bool(client, "odd", NULL, false, NULL);
  printf("odd is %s, state %d\n", is_on ? "on" : "off", (int)hoist_client_get_state(client));
  fflush(stdout);
}

static void watch(void) {
  const hoist_observer observer = {.struct_size = sizeof observer, .notify = tell};
  require(hoist_client_wait_ready(client, 20000), "wait_ready");
  /* Flags are served a moment before the provider says that they are its service's. */
  while (hoist_client_get_state(client) != HOIST_CLIENT_READY) pause_briefly();
  show();
  require(hoist_client_observe(client, HOIST_TOPIC_STATE, NULL, &observer, NULL), "observe");
  require(hoist_client_observe(client, HOIST_TOPIC_CONFIGURATION_CHANGED, NULL, &observer, NULL), "observe");
  struct pollfd both[2] = {{hoist_client_dispatch_fd(client), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    char line[8];
    if (both[0].revents) (void)hoist_client_dispatch(client, 0);
    if (!both[1].revents) continue;
    if (read(STDIN_FILENO, line, sizeof line) <= 0) return;
    show();
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  bool watches = strcmp(argv[3], "watch") == 0;
  hoist_config *config = hoist_config_new("flag-file");
  require(hoist_config_load_plugin(config, argv[1], NULL, NULL), "load_plugin");
  require(hoist_config_set(config, "path", argv[2], NULL), "path");
  require(hoist_config_set(config, "interval_ms", watches ? "20" : "86400000", NULL), "interval_ms");
  require(hoist_config_set(config, "store", "none", NULL), "store");
  require(hoist_config_set(config, "log.level", watches ? "none" : "warning", NULL), "log.level");
  require(hoist_config_set(config, "dispatch", watches ? "manual" : "automatic", NULL), "dispatch");
  require(hoist_client_open(config, &client, NULL), "open");
  hoist_config_free(config);
  if (watches) watch();
  else print_state();
  hoist_status closed = hoist_client_close(client, 5000);
  hoist_client_free(client);
  return closed == HOIST_OK ? 0 : 1;
}
