/* A service with LaunchDarkly where the program decides: rules by stream, any context, two million evaluations of a page's
 * visitors, counted for the service, and a rule that changes meanwhile.
 *
 *   launchdarkly_server SDK-KEY URL
 */
#include <hoist/hoist.h>
#include <hoist/launchdarkly.h>
#include <stdio.h>
#include <stdlib.h>

enum { VISITORS = 500, PAGES = 1000 };
static const char *const flags[] = {"dark-mode", "page-size", "checkout", "trial"};

static void fail(const char *what, hoist_error *error) {
    fprintf(stderr, "%s: %s\n", what, hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    if (hoist_config_set(config, name, value, &error) != HOIST_OK) fail(name, error);
}

static hoist_client *open_client(const char *sdk_key, const char *url) {
    hoist_config *config = hoist_config_new("launchdarkly");
    set(config, "mode", "server");
    set(config, "mobile_key", sdk_key);
    set(config, "stream_url", url);
    set(config, "base_url", url);
    set(config, "events_url", url);
    set(config, "store", "none");
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail("open", error);
    hoist_config_free(config);
    return client;
}

static hoist_context *make_visitor(int number) {
    char key[32];
    snprintf(key, sizeof key, "visitor-%03d", number);
    hoist_context *context = hoist_context_new(key);
    hoist_context_set_string(context, "plan", number % 3 ? "pro" : "free");
    return context;
}

static void changed(void *user_data, const hoist_notification *notification) {
    (void)user_data;
    (void)notification;
    puts("  dark-mode has other rules");
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s SDK-KEY URL\n", argv[0]);
        return 2;
    }
    hoist_client *client = open_client(argv[1], argv[2]);
    if (hoist_client_wait_ready(client, 5000) != HOIST_OK) return EXIT_FAILURE;

    hoist_context *visitors[VISITORS];
    for (int i = 0; i < VISITORS; i++) visitors[i] = make_visitor(i);

    /* Each page that is shown asks for four flags of its visitor: nothing is allocated, locked or sent meanwhile. */
    long dark = 0, large = 0, fresh = 0, first = 0;
    char text[16];
    for (int page = 0; page < PAGES; page++) {
        for (int i = 0; i < VISITORS; i++) {
            dark += hoist_client_bool(client, flags[0], visitors[i], false, NULL);
            large += hoist_client_double(client, flags[1], visitors[i], 0, NULL) > 20;
            hoist_client_string(client, flags[2], visitors[i], "none", text, sizeof text, NULL);
            fresh += text[0] == 'n';
            hoist_client_string(client, flags[3], visitors[i], "none", text, sizeof text, NULL);
            first += text[0] == 'a';
        }
    }
    printf("  %d pages: dark %ld, large %ld, new checkout %ld, trial a %ld\n", PAGES * VISITORS, dark, large, fresh, first);
    printf("  exposures: %s\n", hoist_status_name(hoist_client_flush(client, 30000)));

    hoist_observer observer = {sizeof observer, NULL, changed, NULL};
    hoist_client_observe(client, HOIST_TOPIC_FLAG_CHANGED, flags[0], &observer, NULL);
    puts("waiting");
    fflush(stdout);
    (void)getchar(); /* meanwhile the rules change */
    printf("  dark now: %d\n", hoist_client_bool(client, flags[0], visitors[0], true, NULL));

    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    hoist_client_track(client, "purchase", visitors[0], &purchase);
    hoist_status status = hoist_client_flush(client, 5000);
    printf("  events: %s\n", hoist_status_name(status));
    for (int i = 0; i < VISITORS; i++) hoist_context_free(visitors[i]);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
