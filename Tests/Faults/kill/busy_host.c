/* A host that evaluates and tracks for a second, whatever its client can do: busy_host SERVICE PROPERTIES */
#include "host_calls.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  alarm(60);
  hoist_client *client = open_client(argv[1], argv[2]);
  require(hoist_client_wait_ready(client, LIMIT_MS) == HOIST_OK, "not ready");
  for (long begun = milliseconds_now(); milliseconds_now() - begun < 1000;) {
    (void)hoist_client_bool(client, "banner", NULL, false, NULL);
    (void)hoist_client_track(client, "purchase", NULL, NULL);
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  (void)hoist_client_close(client, LEAVE_LIMIT_MS);
  hoist_client_free(client);
  return 0;
}
