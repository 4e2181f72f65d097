/* An HTTP transport: requests carried by the program itself, here answered from memory. A real one hands the request
 * to its own HTTP stack and finishes the exchange later, from any thread. */
#include "common.h"
#include <string.h>

typedef struct network {
    char *features;
    size_t size;
    int fetches, metrics, registrations;
} network;

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
    network *own = user_data;
    printf("%s %s\n", request->method, request->url);
    if (strstr(request->url, "/client/features")) {
        own->fetches++;
        hoist_header tag = {sizeof tag, "ETag", "\"1\""};
        hoist_http_exchange_respond(exchange, 200, &tag, 1, own->features, own->size);
    } else if (strstr(request->url, "/client/metrics")) {
        own->metrics++;
        hoist_http_exchange_respond(exchange, 202, NULL, 0, NULL, 0);
    } else if (strstr(request->url, "/client/register")) {
        own->registrations++;
        hoist_http_exchange_respond(exchange, 202, NULL, 0, NULL, 0);
    } else {
        hoist_http_exchange_fail(exchange, "no such place");
    }
    hoist_http_exchange_release(exchange);
    return HOIST_OK;
}

static bool read_features(network *own, const char *path) {
    enum { LIMIT = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    own->features = malloc(LIMIT);
    if (own->features) own->size = fread(own->features, 1, LIMIT, file);
    fclose(file);
    return own->size > 0;
}

/* ---- As a shared object: the options name the file to answer from. ---- */

static void end(void *user_data) {
    network *own = user_data;
    free(own->features);
    free(own);
}

static hoist_status create(const char *options, hoist_transport *transport, char *message, size_t message_size) {
    network *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    if (!read_features(own, options)) {
        snprintf(message, message_size, "the options name no file with features");
        free(own->features);
        free(own);
        return HOIST_ERR_ARGUMENT;
    }
    *transport = (hoist_transport){sizeof *transport, own, carry, end};
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example transport", .create_transport = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    static network own;
    if (!read_features(&own, argc > 1 ? argv[1] : "features.json")) return EXIT_FAILURE;

    hoist_config *config = hoist_config_new("unleash");
    set(config, "mode", "backend");
    set(config, "url", "http://flags.example/api");
    set(config, "key", "default:production.secret");
    set(config, "store", "none");
    hoist_transport transport = {sizeof transport, &own, carry, NULL};
    hoist_error *error = NULL;
    must(hoist_config_set_transport(config, &transport, &error), "set_transport", &error);
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    bool on = hoist_client_bool(client, "banner", NULL, false, NULL);
    must(hoist_client_flush(client, 5000), "flush", NULL);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    free(own.features);
    bool good = on && own.fetches == 1 && own.metrics == 1 && own.registrations == 1;
    printf("%s\n", good ? "as expected" : "not as expected");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
