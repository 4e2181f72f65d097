/* A client in LaunchDarkly's mode server over the plug-in: vendor_host PLUGIN OPTIONS [PROPERTY=VALUE …]. Each line of its input,
 * "FLAG USER", is answered with the value for that user, or "none"; the end of it closes. */
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set(hoist_config *config, char *property) {
    hoist_error *error = NULL;
    char *value = strchr(property, '=');
    *value++ = 0;
    if (hoist_config_set(config, property, value, &error) == HOIST_OK) return;
    fprintf(stderr, "%s\n", hoist_error_message(error));
    exit(2);
}

int main(int argc, char **argv) {
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    hoist_config *config = hoist_config_new("launchdarkly");
    char line[256], value[64], mode[] = "mode=server", store[] = "store=none";
    set(config, mode);
    set(config, store);
    for (int i = 3; i < argc; i++) set(config, argv[i]);
    if (hoist_config_load_plugin(config, argv[1], argv[2], &error) != HOIST_OK || hoist_client_open(config, &client, &error) != HOIST_OK ||
        hoist_client_wait_ready(client, 20000) != HOIST_OK) {
        fprintf(stderr, "%s\n", hoist_error_message(error));
        return 2;
    }
    hoist_config_free(config);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *user = strchr(line, ' ');
        *user++ = 0;
        hoist_context *context = hoist_context_new(user);
        hoist_client_string(client, line, context, "none", value, sizeof value, NULL);
        hoist_context_free(context);
        printf("%s\n", value);
    }
    hoist_client_close(client, 5000);
    hoist_client_free(client);
    return 0;
}
