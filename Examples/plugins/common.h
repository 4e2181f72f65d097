/* What the plug-in examples share: an offline client over the example's flags. */
#ifndef EXAMPLE_COMMON_H
#define EXAMPLE_COMMON_H

#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(hoist_status status, const char *what, hoist_error *error) {
    if (status == HOIST_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, hoist_status_name(status), hoist_error_message(error));
    exit(EXIT_FAILURE);
}

static inline void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    must(hoist_config_set(config, name, value, &error), name, error);
}

/* Definitions come from a file; nothing is sent unless the example goes online itself. */
static inline hoist_config *example_config(const char *features) {
    hoist_config *config = hoist_config_new("unleash");
    set(config, "mode", "backend");
    set(config, "online", "false");
    set(config, "bootstrap.file", features);
    set(config, "store", "none");
    return config;
}

static inline hoist_client *example_open(const hoist_config *config) {
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    must(hoist_client_open(config, &client, &error), "open", error);
    must(hoist_client_wait_ready(client, 5000), "wait_ready", NULL);
    return client;
}

#endif
