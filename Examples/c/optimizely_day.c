/* A service's day with Optimizely, against a server: decisions for visitors, impressions and conversions, a process
 * that is killed before anything was sent, and the next one, which sends it.
 *
 *   optimizely_day online  SDK-KEY DATAFILE-URL EVENTS-URL STORE-FOLDER
 *   optimizely_day record  …      decides, says "recorded", and waits to be killed
 *   optimizely_day deliver …      sends what is left of an earlier run
 */
#include <hoist/hoist.h>
#include <hoist/optimizely.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, hoist_error *error) {
    fprintf(stderr, "%s: %s\n", what, hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    if (hoist_config_set(config, name, value, &error) != HOIST_OK) fail(name, error);
}

static hoist_client *open_client(char **argv, bool sends) {
    hoist_config *config = hoist_config_new("optimizely");
    set(config, "sdk_key", argv[2]);
    set(config, "datafile.url", argv[3]);
    set(config, "events.url.us", argv[4]);
    set(config, "store.path", argv[5]);
    set(config, "events.durability", "immediate"); /* a call returns when its event outlives the process */
    if (!sends) set(config, "online", "false");
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail("open", error);
    hoist_config_free(config);
    hoist_status status = hoist_client_wait_ready(client, 5000);
    if (status != HOIST_OK) printf("  not ready: %s\n", hoist_status_name(status));
    return client;
}

static void decide(hoist_client *client, const char *user_id) {
    hoist_optimizely_user *user = hoist_optimizely_user_new(client, user_id, NULL);
    hoist_optimizely_user_set_string(user, "country", "de");
    hoist_optimizely_user_set_int64(user, "age", 30);
    hoist_optimizely_user_set_bool(user, "member", true);

    hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "checkout_flow", 0);
    const char *variation = hoist_optimizely_decision_variation_key(decision);
    printf("  %s: checkout_flow is %s, variation %s, variables %s\n", user_id,
           hoist_optimizely_decision_enabled(decision) ? "on" : "off", *variation ? variation : "none",
           hoist_optimizely_decision_variables(decision));
    hoist_optimizely_decision_free(decision);

    const char *tags = "{\"revenue\": 4200, \"category\": \"books\"}";
    hoist_error *error = NULL;
    if (hoist_optimizely_user_track(user, "purchase", tags, strlen(tags), &error) != HOIST_OK) fail("track", error);
    hoist_optimizely_user_free(user);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s online|record|deliver SDK-KEY DATAFILE-URL EVENTS-URL STORE-FOLDER\n", argv[0]);
        return 2;
    }
    bool records = strcmp(argv[1], "record") == 0;
    hoist_client *client = open_client(argv, !records);
    if (records) {
        decide(client, "ben");
        puts("recorded");
        fflush(stdout);
        (void)getchar(); /* never answered: the process is killed here */
    } else if (strcmp(argv[1], "online") == 0) {
        decide(client, "anna");
        decide(client, "carla");
    }
    printf("  delivered: %s\n", hoist_status_name(hoist_client_flush(client, 5000)));
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
