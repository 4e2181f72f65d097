/* What a fleet shares in Redis: one machine records without a network, another sends it.
 *
 *   redis FEATURES PLUGIN OPTIONS             records a purchase, offline
 *   redis FEATURES PLUGIN OPTIONS URL KEY     is online, and delivers what waits, of all machines
 *
 * PLUGIN is the path of libhoist-redis.so, and OPTIONS are those of hoist/plugins/redis.h. */
#include "common.h"
#include <hoist/plugins/redis.h>

int main(int argc, char **argv) {
    if (argc != 4 && argc != 6) {
        fprintf(stderr, "usage: %s FEATURES PLUGIN OPTIONS [URL KEY]\n", argv[0]);
        return 2;
    }
    hoist_error *error = NULL;
    hoist_config *config = example_config(argv[1]);
    set(config, "app_name", "shop");
    must(hoist_config_load_plugin(config, argv[2], argv[3], &error), "load_plugin", &error);
    if (argc == 6) {
        set(config, "online", "true");
        set(config, "url", argv[4]);
        set(config, "key", argv[5]);
    }
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    if (argc == 6) {
        must(hoist_client_flush(client, 10000), "flush", NULL);
        printf("  delivered\n");
    } else {
        bool on = hoist_client_bool(client, "banner", NULL, false, NULL);
        hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
        must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
        printf("  banner is %s, a purchase is recorded\n", on ? "on" : "off");
    }
    /* Offline, what is left waits in Redis for the next one. */
    hoist_client_close(client, 5000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
