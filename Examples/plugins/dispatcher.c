/* An event dispatcher: recorded events go to the program's own queue in place of the vendor's service. */
#include "common.h"
#include <string.h>

typedef struct queue {
    int batches, attempts;
    bool saw_purchase;
    char first_id[64];
} queue;

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
    queue *own = user_data;
    own->attempts++;
    printf("%s: %zu events, %zu bytes, first id %s\n", batch->pipeline, batch->event_count, batch->body_size,
           batch->event_count ? batch->event_ids[0] : "-");
    if (own->attempts == 1) {
        /* The first attempt fails: the same events come again, with the same ids. */
        snprintf(own->first_id, sizeof own->first_id, "%s", batch->event_ids[0]);
        hoist_dispatch_receipt_complete(receipt, HOIST_ERR_NETWORK);
        return HOIST_OK;
    }
    own->batches++;
    own->saw_purchase = own->saw_purchase || strstr(batch->body, "purchase") != NULL;
    bool same = strcmp(own->first_id, batch->event_ids[0]) == 0;
    hoist_dispatch_receipt_complete(receipt, same ? HOIST_OK : HOIST_ERR_ARGUMENT);
    return HOIST_OK;
}

int main(int argc, char **argv) {
    static queue own;
    hoist_config *config = example_config(argc > 1 ? argv[1] : "features.json");
    hoist_dispatcher dispatcher = {sizeof dispatcher, &own, dispatch, NULL};
    hoist_error *error = NULL;
    must(hoist_config_set_dispatcher(config, &dispatcher, &error), "set_dispatcher", error);
    set(config, "online", "true");
    set(config, "url", "http://127.0.0.1:9/api"); /* nobody answers: flags come from the file */
    set(config, "disable_registration", "true");
    set(config, "key", "default:production.secret");
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
    hoist_status first = hoist_client_flush(client, 5000);  /* the dispatcher fails once */
    hoist_status second = hoist_client_flush(client, 5000); /* and takes it then */
    printf("flush: %s, then %s\n", hoist_status_name(first), hoist_status_name(second));

    hoist_client_close(client, 1000);
    hoist_client_free(client);
    bool good = second == HOIST_OK && own.batches >= 1 && own.saw_purchase;
    printf("%s\n", good ? "as expected" : "not as expected");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
