/* A program that knows nothing of its plug-in but the file: load FEATURES OBJECT [OPTIONS]. The service is away, so flags
 * come from the file of features, unless the plug-in brings another transport. */
#include "common.h"

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: load FEATURES OBJECT [OPTIONS]\n", stderr);
        return 2;
    }
    const char *features = argv[1], *object = argv[2], *options = argc > 3 ? argv[3] : NULL;
    hoist_error *error = NULL;
    hoist_text *offered = hoist_plugin_describe(object, &error);
    must(hoist_error_status(error), "describe", &error);
    printf("%s\n", hoist_text_data(offered));
    hoist_text_free(offered);

    hoist_config *config = example_config(features);
    set(config, "online", "true");
    set(config, "url", "http://127.0.0.1:9/api");
    set(config, "key", "default:production.secret");
    must(hoist_config_load_plugin(config, object, options, &error), "load_plugin", &error);
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    bool on = hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_client_bool(client, "no-such-flag", NULL, false, NULL);
    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
    hoist_client_flush(client, 5000); /* fails without a service; what is recorded is kept */
    hoist_client_close(client, 1000);
    hoist_client_free(client); /* the plug-in's `release` runs when its last call has returned */
    printf("banner is %s\n", on ? "on" : "off");
    return on ? EXIT_SUCCESS : EXIT_FAILURE;
}
