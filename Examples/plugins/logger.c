/* A logger: log lines of a client in a file of the program's own, here stdout with a prefix. */
#include "common.h"

typedef struct journal {
    int lines;
    int released;
} journal;

/* One line at a time, on a lane of the client's: it may be slow. */
static void write_line(void *user_data, hoist_log_level level, const char *message, size_t length) {
    journal *own = user_data;
    own->lines++;
    printf("[level %d] %.*s\n", (int)level, (int)length, message);
}

static void release(void *user_data) { ((journal *)user_data)->released++; }

/* ---- As a shared object ---- */

static void end(void *user_data) { free(user_data); }

static hoist_status create(const char *options, hoist_logger *logger, char *message, size_t message_size) {
    (void)options;
    journal *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    *logger = (hoist_logger){sizeof *logger, own, write_line, end};
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example logger", .create_logger = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    static journal own; /* lives longer than the client */
    hoist_logger logger = {sizeof logger, &own, write_line, release};

    hoist_config *config = example_config(argc > 1 ? argv[1] : "features.json");
    hoist_error *error = NULL;
    must(hoist_config_set_logger(config, &logger, &error), "set_logger", &error);
    set(config, "log.level", "debug"); /* a healthy client has little to say at the level of a service that runs */

    hoist_client *client = NULL;
    must(hoist_client_open(config, &client, &error), "open", &error);
    hoist_config_free(config);
    hoist_client_wait_ready(client, 100);
    hoist_client_close(client, 1000); /* everything is written when it returns */
    hoist_client_free(client);

    printf("%d lines\n", own.lines);
    return own.lines > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
