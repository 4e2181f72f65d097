/* An evaluation hook: counts evaluations and errors, as for a metrics system. */
#include "common.h"
#include <string.h>

typedef struct tally {
    int before, after, errors, finished;
} tally;

/* Hooks run on the evaluating thread: they must be quick, and guard what several threads share. */
static hoist_status before(void *user_data, const hoist_hook_call *call) {
    ((tally *)user_data)->before++;
    return strcmp(call->key, "forbidden") == 0 ? HOIST_ERR_STATE : HOIST_OK;
}
static void after(void *user_data, const hoist_hook_call *call, const hoist_detail *detail) {
    ((tally *)user_data)->after++;
    printf("%s is %s\n", call->key, hoist_detail_value(detail));
}
static void failed(void *user_data, const hoist_hook_call *call, const hoist_detail *detail) {
    ((tally *)user_data)->errors++;
    printf("%s failed: %s\n", call->key, hoist_detail_error_message(detail));
}
static void finally(void *user_data, const hoist_hook_call *call) {
    (void)call;
    ((tally *)user_data)->finished++;
}

/* ---- As a shared object ---- */

static void end(void *user_data) { free(user_data); }

static hoist_status create(const char *options, hoist_hook *hook, char *message, size_t message_size) {
    (void)options;
    tally *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    *hook = (hoist_hook){sizeof *hook, own, before, after, failed, finally, end};
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example hook", .create_hook = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    static tally own;
    hoist_hook hook = {sizeof hook, &own, before, after, failed, finally, NULL};
    hoist_config *config = example_config(argc > 1 ? argv[1] : "features.json");
    hoist_error *error = NULL;
    must(hoist_config_add_hook(config, &hook, &error), "add_hook", &error);
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_client_bool(client, "no-such-flag", NULL, false, NULL);
    bool refused = hoist_client_bool(client, "forbidden", NULL, true, NULL); /* the fallback */

    hoist_client_close(client, 1000);
    hoist_client_free(client);
    bool good = own.before == 3 && own.after == 1 && own.errors == 2 && own.finished == 3 && refused;
    printf("%s\n", good ? "as expected" : "not as expected");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
