/* A host of a fleet that shares what one of it fetches: sharing_host SERVICE PLUGIN OPTIONS NAME=VALUE … Each line of its input has
 * one in its output.
 *
 *   look    the client's state, and its statistics
 *   close   the status, and the end */
#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const hoist_error *error) {
    fprintf(stderr, "%s\n", hoist_error_message(error));
    return 2;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    hoist_config *config = hoist_config_new(argv[1]);
    for (int i = 4; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value) return 2;
        *value++ = 0;
        if (hoist_config_set(config, argv[i], value, &error) != HOIST_OK) return refuse(error);
    }
    if (argv[2][0] && hoist_config_load_plugin(config, argv[2], argv[3], &error) != HOIST_OK) return refuse(error);
    if (hoist_client_open(config, &client, &error) != HOIST_OK) return refuse(error);
    hoist_config_free(config);
    setvbuf(stdout, NULL, _IOLBF, 0);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "look", 4) == 0) {
            hoist_text *statistics = hoist_client_statistics(client);
            printf("%d %s\n", (int)hoist_client_get_state(client), hoist_text_data(statistics));
            hoist_text_free(statistics);
        } else {
            printf("%s\n", hoist_status_name(hoist_client_close(client, 30000)));
            hoist_client_free(client);
            return 0;
        }
    }
    return 1;
}
