/* A host of a fleet that shares what one of it fetches: sharing_host SERVICE PLUGIN OPTIONS NAME=VALUE … Each line of its input has
 * one in its output.
 *
 *   look        the client's state, and its statistics
 *   visitor ID  the status of making a visitor of Flagship's who has consented
 *   consents    whether it has, still
 *   refuse      the status of its refusal
 *   on FLAG     whether that flag is on
 *   online      the status; likewise offline, background and foreground
 *   close       the status, and the end */
#include "opening.h"
#include <hoist/flagship.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>

static hoist_status make_visitor(hoist_client *client, const char *id, hoist_flagship_visitor **visitor) {
    hoist_flagship_visitor_options options = HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT;
    options.id = id;
    options.has_consented = true;
    return hoist_flagship_visitor_new(client, &options, visitor, NULL);
}

/* As the service has it. */
static hoist_status go_to_background(hoist_client *client, bool is_meant) {
    hoist_status status = hoist_launchdarkly_set_run_mode(client, is_meant ? HOIST_LAUNCHDARKLY_BACKGROUND : HOIST_LAUNCHDARKLY_FOREGROUND);
    return status == HOIST_ERR_UNSUPPORTED ? hoist_optimizely_set_active(client, !is_meant) : status;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    hoist_client *client = open_with(hoist_config_new(argv[1]), argv + 4, argv[2], argv[3]);
    hoist_flagship_visitor *visitor = NULL;
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "visitor ", 8) == 0) {
            print_status(make_visitor(client, line + 8, &visitor));
        } else if (strcmp(line, "consents") == 0) {
            printf("%d\n", hoist_flagship_visitor_has_consented(visitor));
        } else if (strcmp(line, "refuse") == 0) {
            print_status(hoist_flagship_visitor_set_consent(visitor, false));
        } else if (strncmp(line, "on ", 3) == 0) {
            printf("%d\n", hoist_client_bool(client, line + 3, NULL, false, NULL));
        } else if (strcmp(line, "online") == 0 || strcmp(line, "offline") == 0) {
            print_status(hoist_client_set_online(client, line[1] == 'n'));
        } else if (strcmp(line, "background") == 0 || strcmp(line, "foreground") == 0) {
            print_status(go_to_background(client, line[0] == 'b'));
        } else if (strcmp(line, "look") == 0) {
            look(client);
        } else {
            hoist_flagship_visitor_free(visitor);
            print_status(hoist_client_close(client, 30000));
            hoist_client_free(client);
            return 0;
        }
    }
    return 1;
}
