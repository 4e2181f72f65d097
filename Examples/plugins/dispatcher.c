/* An event dispatcher: recorded events go to the program's own queue in place of the vendor's service. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <string.h>
#include <time.h>

typedef struct queue {
    int attempts, accepted;
    bool saw_purchase, came_again;
    char refused_id[64];
} queue;

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
    queue *own = user_data;
    own->attempts++;
    printf("%s: %zu events, %zu bytes, first id %s\n", batch->pipeline, batch->event_count, batch->body_size,
           batch->event_count ? batch->event_ids[0] : "-");
    if (own->attempts == 1) {
        /* The first attempt fails: the same events come again, with the same ids. */
        snprintf(own->refused_id, sizeof own->refused_id, "%s", batch->event_ids[0]);
        hoist_dispatch_receipt_complete(receipt, HOIST_ERR_NETWORK);
        return HOIST_OK;
    }
    own->accepted++;
    own->saw_purchase = own->saw_purchase || strstr(batch->body, "purchase") != NULL;
    own->came_again = own->came_again || strcmp(own->refused_id, batch->event_ids[0]) == 0;
    hoist_dispatch_receipt_complete(receipt, HOIST_OK); /* a real one completes when its queue has the batch */
    return HOIST_OK;
}

/* ---- As a shared object ---- */

static void end(void *user_data) { free(user_data); }

static hoist_status create(const char *options, hoist_dispatcher *dispatcher, char *message, size_t message_size) {
    (void)options;
    queue *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    *dispatcher = (hoist_dispatcher){sizeof *dispatcher, own, dispatch, end};
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example dispatcher", .create_dispatcher = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    static queue own;
    hoist_config *config = example_config(argc > 1 ? argv[1] : "features.json");
    hoist_dispatcher dispatcher = {sizeof dispatcher, &own, dispatch, NULL};
    hoist_error *error = NULL;
    must(hoist_config_set_dispatcher(config, &dispatcher, &error), "set_dispatcher", &error);
    set(config, "online", "true");
    set(config, "url", "http://127.0.0.1:9/api"); /* nobody answers: flags come from the file */
    set(config, "disable_registration", "true");
    set(config, "key", "default:production.secret");
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
    hoist_status status = HOIST_ERR_NETWORK; /* the dispatcher fails once: the batch comes again after a pause */
    for (int i = 0; i < 100 && status != HOIST_OK; i++) {
        status = hoist_client_flush(client, 5000);
        if (status != HOIST_OK) nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    printf("flush: %s\n", hoist_status_name(status));

    hoist_client_close(client, 1000);
    hoist_client_free(client);
    bool good = status == HOIST_OK && own.accepted == 2 && own.saw_purchase && own.came_again;
    printf("%s\n", good ? "as expected" : "not as expected");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
