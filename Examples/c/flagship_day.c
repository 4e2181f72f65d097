/* A service's day with AB Tasty Flagship, against a server: flags of a bucketing file, flags that the service decides, a
 * visitor who takes its consent back, a process that is killed before its hits were sent, and the next one.
 *
 *   flagship_day bucketing ENVIRONMENT API-KEY DECISION-URL CDN-URL EVENTS-URL STORE-FOLDER
 *   flagship_day decisions …      flags decided by the service
 *   flagship_day consent   …      a visitor refuses
 *   flagship_day record    …      does something, says "recorded", and waits to be killed
 *   flagship_day deliver   …      sends what is left of an earlier run
 */
#include <hoist/flagship.h>
#include <hoist/hoist.h>
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

static hoist_client *open_client(char **argv) {
    hoist_config *config = hoist_config_new("flagship");
    set(config, "env_id", argv[2]);
    set(config, "api_key", argv[3]);
    set(config, "decision.url", argv[4]);
    set(config, "cdn.url", argv[5]);
    set(config, "events.url", argv[6]);
    set(config, "store.path", argv[7]);
    set(config, "hits.strategy", "continuous_caching"); /* each hit is in the store when the call returns: that is the default */
    set(config, "mode", strcmp(argv[1], "decisions") == 0 ? "decision_api" : "bucketing");
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail("open", error);
    hoist_config_free(config);
    hoist_status status = hoist_client_wait_ready(client, 5000);
    if (status != HOIST_OK) printf("  not ready: %s\n", hoist_status_name(status));
    return client;
}

static hoist_flagship_visitor *open_visitor(hoist_client *client, const char *id) {
    static const char context[] = "{\"vip\": true, \"age\": 31, \"sdk_country\": \"no\"}";
    hoist_flagship_visitor_options options = {0};
    options.struct_size = sizeof options;
    options.id = id;
    options.has_consented = true;
    options.instance = HOIST_FLAGSHIP_NEW_INSTANCE;
    options.context_json = context;
    options.context_json_length = sizeof context - 1;
    hoist_error *error = NULL;
    hoist_flagship_visitor *visitor = NULL;
    if (hoist_flagship_visitor_new(client, &options, &visitor, &error) != HOIST_OK) fail(id, error);
    return visitor;
}

static void send_purchase(hoist_flagship_visitor *visitor) {
    hoist_flagship_hit *screen = hoist_flagship_hit_new_screen("basket");
    hoist_flagship_hit *purchase = hoist_flagship_hit_new_transaction("T-17", "basket");
    hoist_flagship_hit_set_revenue(purchase, 99.95);
    hoist_flagship_hit_set_currency(purchase, "NOK");
    const hoist_flagship_hit *hits[] = {screen, purchase};
    for (size_t i = 0; i < 2; i++) {
        hoist_error *error = NULL;
        hoist_status status = hoist_flagship_visitor_send_hit(visitor, hits[i], &error);
        printf("  hit %zu: %s\n", i + 1, status == HOIST_OK ? "recorded" : hoist_error_message(error));
        hoist_error_free(error);
    }
    hoist_flagship_hit_free(screen);
    hoist_flagship_hit_free(purchase);
}

static void fetch(hoist_flagship_visitor *visitor) {
    hoist_text *id = hoist_flagship_visitor_id(visitor);
    hoist_status status = hoist_flagship_visitor_fetch_wait(visitor, 5000);
    printf("  %s: flags are %s (%s)\n", hoist_text_data(id), hoist_flagship_fetch_status_name(hoist_flagship_visitor_fetch_status(visitor)),
           hoist_status_name(status));
    hoist_text_free(id);
}

/* What the visitor gets. Reading the colour of the button counts it as one who has seen it. */
static void read_flags(hoist_flagship_visitor *visitor) {
    hoist_text *colour = NULL;
    int64_t items = 0;
    bool is_free = false;
    hoist_flagship_visitor_string(visitor, "button_colour", "grey", true, &colour);
    hoist_flagship_visitor_bool(visitor, "free_shipping", false, false, &is_free);
    hoist_status status = hoist_flagship_visitor_int64(visitor, "maximum_items", 5, false, &items);
    printf("  button_colour = %s, free_shipping = %s, maximum_items = %lld (%s)\n", hoist_text_data(colour),
           is_free ? "true" : "false", (long long)items, hoist_status_name(status));
    hoist_text_free(colour);

    hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "button_colour");
    hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
    printf("  button_colour is of campaign %s, variation %s\n", hoist_flagship_metadata_campaign_name(metadata),
           hoist_flagship_metadata_variation_name(metadata));
    hoist_flagship_metadata_free(metadata);
    hoist_flagship_flag_free(flag);
}

static void withdraw_consent(hoist_flagship_visitor *visitor) {
    fetch(visitor);
    send_purchase(visitor);
    hoist_flagship_visitor_set_consent(visitor, false);
    puts("  carla refuses");
    send_purchase(visitor);
    read_flags(visitor); /* flags are still served, and nobody is counted */
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: %s bucketing|decisions|consent|record|deliver ENVIRONMENT API-KEY DECISION-URL CDN-URL "
                        "EVENTS-URL STORE-FOLDER\n", argv[0]);
        return 2;
    }
    const char *mode = argv[1];
    hoist_client *client = open_client(argv);
    if (strcmp(mode, "consent") == 0) {
        hoist_flagship_visitor *carla = open_visitor(client, "carla");
        withdraw_consent(carla);
        hoist_flagship_visitor_free(carla);
    } else if (strcmp(mode, "deliver") != 0) {
        hoist_flagship_visitor *visitor = open_visitor(client, strcmp(mode, "record") == 0 ? "ben" : "anna");
        fetch(visitor);
        read_flags(visitor);
        send_purchase(visitor);
        if (strcmp(mode, "record") == 0) {
            puts("recorded");
            fflush(stdout);
            (void)getchar(); /* never answered: the process is killed here */
        }
        hoist_flagship_visitor_free(visitor);
    }
    printf("  delivered: %s\n", hoist_status_name(hoist_client_flush(client, 5000)));
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return EXIT_SUCCESS;
}
