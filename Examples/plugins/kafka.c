/* What a client records goes to Kafka in place of the service.
 *
 *   kafka FEATURES PLUGIN OPTIONS     looks a flag up, records a purchase, and waits until the brokers have both
 *
 * PLUGIN is the path of libhoist-kafka.so, and OPTIONS are those of hoist/plugins/kafka.h. */
#include "common.h"
#include <hoist/plugins/kafka.h>

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s FEATURES PLUGIN OPTIONS\n", argv[0]);
        return 2;
    }
    hoist_error *error = NULL;
    hoist_config *config = example_config(argv[1]);
    must(hoist_config_load_plugin(config, argv[2], argv[3], &error), "load_plugin", &error);
    set(config, "online", "true");
    set(config, "url", "http://127.0.0.1:9/api"); /* nothing answers there: flags come from the file */
    set(config, "disable_registration", "true");
    set(config, "key", "default:production.secret");
    set(config, "log.level", "none");
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    bool on = hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
    must(hoist_client_flush(client, 10000), "flush", NULL);
    printf("  banner is %s, a purchase is recorded, and the brokers have it\n", on ? "on" : "off");
    hoist_client_close(client, 5000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
