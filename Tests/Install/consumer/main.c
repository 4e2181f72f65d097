/* A program of somebody else's: a flag's value without network and without an account. */
#include <hoist/hoist.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("unleash");
  hoist_config_set(config, "url", "http://127.0.0.1:1/api/frontend", NULL);
  hoist_config_set(config, "key", "none", NULL);
  hoist_config_set(config, "store", "none", NULL);
  hoist_config_set(config, "log.level", "none", NULL);
  hoist_config_set(config, "bootstrap", "{\"toggles\":[{\"name\":\"hello\",\"enabled\":true}]}", NULL);

  hoist_client *client = NULL;
  if (hoist_client_open(config, &client, &error) != HOIST_OK) {
    fprintf(stderr, "%s\n", hoist_error_message(error));
    hoist_error_free(error);
    hoist_config_free(config);
    return 1;
  }
  printf("hoist %s: hello is %s\n", hoist_version(),
         hoist_client_bool(client, "hello", NULL, false, NULL) ? "on" : "off");
  hoist_client_close(client, 1000);
  hoist_client_free(client);
  hoist_config_free(config);
  return 0;
}
