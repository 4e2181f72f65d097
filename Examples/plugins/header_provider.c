/* A header provider: a fresh token for every request. The transport only shows what would be sent. */
#include "common.h"
#include <string.h>

typedef struct vault {
    int tokens;
    char prefix[32], last[64];
} vault;

/* On a lane of the client's: it may ask a token service, and take its time. */
static hoist_status provide(void *user_data, const char *url, hoist_header_sink *sink) {
    vault *own = user_data;
    char token[64];
    snprintf(token, sizeof token, "%s-%d", own->prefix, ++own->tokens);
    printf("%s for %s\n", token, url);
    return hoist_header_sink_add(sink, "Authorization", token);
}

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
    vault *own = user_data;
    for (size_t i = 0; i < request->header_count; i++) {
        const hoist_header *header = HOIST_AT(hoist_header, request->headers, i);
        if (strcmp(header->name, "Authorization") == 0) {
            snprintf(own->last, sizeof own->last, "%s", header->value);
        }
    }
    const char *body = "{\"toggles\":[{\"name\":\"banner\",\"enabled\":true}]}";
    hoist_http_exchange_respond(exchange, 200, NULL, 0, body, strlen(body));
    hoist_http_exchange_release(exchange);
    return HOIST_OK;
}

/* ---- As a shared object: the options are how tokens begin. ---- */

static void end(void *user_data) { free(user_data); }

static hoist_status create(const char *options, hoist_header_provider *provider, char *message, size_t message_size) {
    vault *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    if (strlen(options) >= sizeof own->prefix) {
        snprintf(message, message_size, "a token's beginning has at most %zu bytes", sizeof own->prefix - 1);
        free(own);
        return HOIST_ERR_ARGUMENT;
    }
    snprintf(own->prefix, sizeof own->prefix, "%s", *options ? options : "token");
    *provider = (hoist_header_provider){sizeof *provider, own, provide, end};
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example header provider", .create_header_provider = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(void) {
    static vault own = {0, "token", ""};
    hoist_config *config = hoist_config_new("unleash");
    set(config, "url", "http://flags.example/api/frontend");
    set(config, "key", "unused");
    set(config, "store", "none");
    set(config, "disable_metrics", "true");
    hoist_header_provider provider = {sizeof provider, &own, provide, NULL};
    hoist_transport transport = {sizeof transport, &own, carry, NULL};
    hoist_error *error = NULL;
    must(hoist_config_set_header_provider(config, &provider, &error), "set_header_provider", &error);
    must(hoist_config_set_transport(config, &transport, &error), "set_transport", &error);
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    printf("banner is %s, fetched with %s\n", hoist_client_bool(client, "banner", NULL, false, NULL) ? "on" : "off", own.last);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return strcmp(own.last, "token-1") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
