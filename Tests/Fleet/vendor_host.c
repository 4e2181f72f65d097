/* A client in LaunchDarkly's mode server over the plug-in: vendor_host PLUGIN OPTIONS [PROPERTY=VALUE …]. Each line of its input,
 * "FLAG USER", is answered with the value for that user, or "none"; the end of it closes. */
#include "opening.h"

int main(int argc, char **argv) {
    hoist_config *config = hoist_config_new("launchdarkly");
    char line[256], value[64];
    if (argc < 3) return 2;
    set(config, "mode", "server");
    set(config, "store", "none");
    hoist_client *client = open_with(config, argv + 3, argv[1], argv[2]);
    if (hoist_client_wait_ready(client, 20000) != HOIST_OK) return 2;
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
