/* A LaunchDarkly hook: tells how long each evaluation took.
 *
 *     launchdarkly_hook             with the hook as it stands here
 *     launchdarkly_hook OBJECT      with the one that a shared object brings, made of this file or another */
#include "common.h"
#include <hoist/launchdarkly.h>
#include <time.h>

/* What the first stage puts into `data` the second finds there, for this evaluation alone. */
static hoist_status before(void *user_data, const hoist_launchdarkly_evaluation_series *series, void **data) {
    (void)user_data, (void)series;
    clock_t *start = malloc(sizeof *start);
    if (!start) return HOIST_ERR_LIMIT;
    *start = clock();
    *data = start;
    return HOIST_OK;
}
static hoist_status after(void *user_data, const hoist_launchdarkly_evaluation_series *series, void *data,
                          const hoist_detail *detail) {
    (void)user_data;
    clock_t *start = data;
    double seconds = start ? (double)(clock() - *start) / CLOCKS_PER_SEC : 0;
    printf("%s of %s: %s, default %s, %.6f s\n", series->method, series->flag_key, hoist_detail_value(detail),
           series->default_value, seconds);
    free(start);
    return HOIST_OK;
}

/* ---- As a shared object ---- */

static hoist_status create(const char *options, hoist_launchdarkly_hook *hook, char *message, size_t message_size) {
    (void)options, (void)message, (void)message_size;
    *hook = (hoist_launchdarkly_hook){
        .struct_size = sizeof *hook, .name = "timer", .before_evaluation = before, .after_evaluation = after};
    return HOIST_OK;
}

static const hoist_launchdarkly_plugin offer = {.struct_size = sizeof offer, .create_hook = create};
static const hoist_plugin plugin = {.struct_size = sizeof plugin,
                                    .abi_version = HOIST_PLUGIN_ABI,
                                    .name = "example launchdarkly hook",
                                    .launchdarkly = &offer};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    hoist_error *error = NULL;
    hoist_config *config = hoist_config_new("launchdarkly");
    set(config, "mobile_key", "mob-example");
    set(config, "online", "false"); /* every flag is unknown, and nothing is sent */
    set(config, "store", "none");
    if (argc > 1) {
        must(hoist_config_load_plugin(config, argv[1], NULL, &error), "load_plugin", &error);
    } else {
        hoist_launchdarkly_hook hook = {
            .struct_size = sizeof hook, .name = "timer", .before_evaluation = before, .after_evaluation = after};
        must(hoist_launchdarkly_config_add_hook(config, &hook, &error), "add_hook", &error);
    }
    hoist_client *client = NULL;
    must(hoist_client_open(config, &client, &error), "open", &error);
    hoist_config_free(config);

    bool on = hoist_client_bool(client, "new-checkout", NULL, true, NULL); /* the fallback */
    int64_t limit = hoist_client_int64(client, "cart-limit", NULL, 20, NULL);

    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return on && limit == 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
