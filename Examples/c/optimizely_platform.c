/* Optimizely's data platform (ODP): a user is identified, the segments the user is in are fetched, a decision depends on
 * them, and an event tells the platform what happened. Then the same with a data platform of the host's own.
 *
 *   optimizely_platform SDK-KEY DATAFILE-URL EVENTS-URL
 */
#include <hoist/hoist.h>
#include <hoist/optimizely.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(hoist_status status, const char *what, hoist_error *error) {
    if (status == HOIST_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, hoist_status_name(status), hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    must(hoist_config_set(config, name, value, &error), name, error);
}

static hoist_client *open_client(char **argv, const hoist_optimizely_odp_manager *manager) {
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new("optimizely");
    set(config, "sdk_key", argv[1]);
    set(config, "datafile.url", argv[2]);
    set(config, "events.url.us", argv[3]);
    set(config, "store", "none");
    set(config, "vuid.enabled", "true"); /* an id of this installation: users are identified with it */
    if (manager) must(hoist_optimizely_config_set_odp_manager(config, manager, &error), "set_odp_manager", error);
    hoist_client *client = NULL;
    must(hoist_client_open(config, &client, &error), "open", error);
    hoist_config_free(config);
    must(hoist_client_wait_ready(client, 5000), "wait_ready", NULL);
    return client;
}

static void decide(hoist_optimizely_user *user, const char *when) {
    hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "search_ranking", 0);
    const char *rule = hoist_optimizely_decision_rule_key(decision);
    printf("  %s: rule %s, variables %s\n", when, *rule ? rule : "none", hoist_optimizely_decision_variables(decision));
    hoist_optimizely_decision_free(decision);
}

static void visit(hoist_client *client, const char *user_id) {
    hoist_error *error = NULL;
    /* A new user is identified to the data platform: its id beside the installation's. */
    hoist_optimizely_user *user = hoist_optimizely_user_new(client, user_id, NULL);
    decide(user, "before segments are known");

    must(hoist_optimizely_user_fetch_segments_wait(user, 0, 5000, &error), "fetch_segments", error);
    hoist_text *segments = hoist_optimizely_user_segments(user);
    printf("  %s is in %s; qualified for newsletter: %s\n", user_id, hoist_text_data(segments),
           hoist_optimizely_user_is_qualified_for(user, "newsletter") ? "yes" : "no");
    hoist_text_free(segments);
    decide(user, "with them");
    hoist_optimizely_user_free(user);

    char identifiers[128];
    snprintf(identifiers, sizeof identifiers, "{\"fs_user_id\":\"%s\"}", user_id);
    must(hoist_optimizely_send_odp_event(client, "shop", "bought", identifiers, "{\"price\":19.9,\"gift\":true}", &error),
         "send_odp_event", error);
    printf("  delivered: %s\n", hoist_status_name(hoist_client_flush(client, 5000)));
}

/* A data platform of our own. Its members run on a thread of the library's, one at a time, and may block. */
static hoist_status fetch(void *user_data, const char *user_id, uint32_t options, hoist_optimizely_segment_sink *sink) {
    (void)options;
    const char *regular = user_data;
    return strcmp(user_id, regular) == 0 ? hoist_optimizely_segment_sink_add(sink, "frequent_shoppers") : HOIST_OK;
}

static hoist_status take(void *user_data, const char *type, const char *action, const char *identifiers_json,
                         const char *data_json) {
    (void)user_data, (void)data_json;
    const char *known = strstr(identifiers_json, "fs_user_id");
    printf("  our platform gets %s/%s%s\n", type, action, known ? " of a known user" : "");
    return HOIST_OK;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s SDK-KEY DATAFILE-URL EVENTS-URL\n", argv[0]);
        return 2;
    }
    puts("the service's data platform:");
    hoist_client *client = open_client(argv, NULL);
    visit(client, "mia");
    hoist_client_close(client, 3000);
    hoist_client_free(client);

    puts("our own:");
    hoist_optimizely_odp_manager manager = {sizeof manager, "olga", fetch, take, NULL};
    client = open_client(argv, &manager);
    visit(client, "olga");
    hoist_client_close(client, 3000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
