/* A service's day with Unleash, against a server: flags in both modes, tracked events, metrics, a restart with the
 * network gone.
 *
 *   service MODE URL KEY STORE-FOLDER
 *
 * MODE is frontend or backend; offline-frontend and offline-backend are the next run, served from the store.
 */
#include <hoist/hoist.h>
#include <hoist/unleash.h>
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

static hoist_context *shopper(void) {
    hoist_context *user = hoist_context_new("user-42");
    hoist_context_set_string(user, "country", "NO");
    hoist_context_set_string(user, "plan", "pro");
    hoist_context_set_int64(user, "age", 30);
    return user;
}

static void told(void *user_data, const hoist_notification *notification) {
    (void)user_data;
    printf("  event: impression of %s\n", hoist_notification_key(notification, 0));
}

static void read_flags(hoist_client *client, const hoist_context *user) {
    printf("  new-checkout is %s\n", hoist_client_bool(client, "new-checkout", user, false, NULL) ? "on" : "off");
    hoist_unleash_variant *variant = hoist_unleash_get_variant(client, "banner", user);
    printf("  banner: %s %s\n", hoist_unleash_variant_name(variant), hoist_unleash_variant_payload_value(variant));
    hoist_unleash_variant_free(variant);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: %s [offline-]frontend|backend URL KEY STORE-FOLDER\n", argv[0]);
        return 2;
    }
    bool is_offline = strncmp(argv[1], "offline-", 8) == 0;
    const char *mode = is_offline ? argv[1] + 8 : argv[1];

    hoist_config *config = hoist_config_new("unleash");
    set(config, "mode", mode);
    set(config, "url", argv[2]);
    set(config, "key", argv[3]);
    set(config, "app_name", "shop");
    set(config, "store.path", argv[4]);
    if (is_offline) set(config, "online", "false");

    hoist_error *error = NULL;
    hoist_client *client = NULL;
    hoist_context *user = shopper();
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail("open", error);
    hoist_config_free(config);

    hoist_observer observer = {sizeof observer, NULL, told, NULL};
    hoist_client_observe(client, HOIST_TOPIC_IMPRESSION, NULL, &observer, NULL);

    /* In frontend mode the server evaluates: it must know for whom. */
    hoist_status status = strcmp(mode, "frontend") == 0 ? hoist_client_identify_wait(client, user, 5000)
                                                         : hoist_client_wait_ready(client, 5000);
    if (status != HOIST_OK) printf("  not ready (%s): fallbacks serve\n", hoist_status_name(status));
    const hoist_context *asked = strcmp(mode, "frontend") == 0 ? NULL : user;
    read_flags(client, asked);

    hoist_event_property basket = {.struct_size = sizeof basket, .name = "basket", .text = "books"};
    hoist_event purchase = {sizeof purchase, 19.9, true, &basket, 1};
    hoist_client_track(client, "purchase", asked, &purchase);

    if (!is_offline) printf("  delivered: %s\n", hoist_status_name(hoist_client_flush(client, 5000)));
    hoist_text *statistics = hoist_client_statistics(client);
    printf("  statistics: %s\n", hoist_text_data(statistics));
    hoist_text_free(statistics);

    printf("  closed: %s\n", hoist_status_name(hoist_client_close(client, 3000)));
    hoist_context_free(user);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
