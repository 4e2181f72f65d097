/* A service's day with LaunchDarkly: flags by stream, one that changes while the program runs, another context, and
 * the next run with the service gone.
 *
 *   launchdarkly_day MOBILE-KEY URL STORE-FOLDER
 */
#include <hoist/hoist.h>
#include <hoist/launchdarkly.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, hoist_error *error) {
    fprintf(stderr, "%s: %s\n", what, hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    if (hoist_config_set(config, name, value, &error) != HOIST_OK) fail(name, error);
}

static void changed(void *user_data, const hoist_notification *notification) {
    (void)notification;
    printf("  maintenance is %s\n", hoist_client_bool(user_data, "maintenance", NULL, false, NULL) ? "on" : "off");
    fflush(stdout);
}

static void read_banner(hoist_client *client, const char *whose) {
    char banner[64];
    hoist_client_string(client, "banner", NULL, "none", banner, sizeof banner, NULL);
    printf("  %s banner: %s\n", whose, banner);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s MOBILE-KEY URL STORE-FOLDER\n", argv[0]);
        return 2;
    }
    hoist_config *config = hoist_config_new("launchdarkly");
    set(config, "mobile_key", argv[1]);
    set(config, "stream_url", argv[2]);
    set(config, "base_url", argv[2]);
    set(config, "events_url", argv[2]);
    set(config, "store.path", argv[3]);
    set(config, "context", "{\"kind\": \"user\", \"key\": \"anna\", \"plan\": \"pro\"}");

    hoist_error *error = NULL;
    hoist_client *client = NULL;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail("open", error);
    hoist_config_free(config);
    hoist_status status = hoist_client_wait_ready(client, 2000);
    if (status != HOIST_OK) printf("  not ready (%s): what the last run knew serves\n", hoist_status_name(status));

    read_banner(client, "Anna's");
    printf("  maintenance is %s\n", hoist_client_bool(client, "maintenance", NULL, false, NULL) ? "on" : "off");
    fflush(stdout);
    hoist_observer observer = {sizeof observer, client, changed, NULL};
    hoist_token token;
    hoist_client_observe(client, HOIST_TOPIC_FLAG_CHANGED, "maintenance", &observer, &token);
    puts("waiting");
    fflush(stdout);
    (void)getchar(); /* meanwhile the flag may change */
    hoist_client_unobserve(client, token); /* to another context, what it gets is a change, too */

    hoist_context *acme = hoist_context_new("acme");
    hoist_context_set_string(acme, "kind", "org");
    status = hoist_client_identify_wait(client, acme, 2000);
    printf("  Acme is the context now: %s\n", hoist_status_name(status));
    hoist_context_free(acme);
    read_banner(client, "Acme's");

    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    hoist_client_track(client, "purchase", NULL, &purchase);
    status = hoist_client_flush(client, 5000);
    printf("  events: %s\n", hoist_status_name(status));
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
