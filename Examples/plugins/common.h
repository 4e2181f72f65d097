/* What the plug-in examples share: an offline client over the example's flags.
 *
 * Each example is a program that brings its plug-in along, and, as a shared object, a plug-in for other programs:
 *
 *     cc -shared -fPIC -o hook.so hook.c $(pkg-config --cflags --libs hoist)
 *     ./load features.json ./hook.so */
#ifndef EXAMPLE_COMMON_H
#define EXAMPLE_COMMON_H

#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>

/* Zeroed memory for what a create function makes; without any, the reason is in `message`. */
static inline void *make(size_t size, char *message, size_t message_size) {
    void *own = calloc(1, size);
    if (!own) snprintf(message, message_size, "out of memory");
    return own;
}

/* `error` points at where the call left its error, or is NULL. */
static inline void must(hoist_status status, const char *what, hoist_error *const *error) {
    if (status == HOIST_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, hoist_status_name(status), hoist_error_message(error ? *error : NULL));
    exit(EXIT_FAILURE);
}

static inline void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    must(hoist_config_set(config, name, value, &error), name, &error);
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
    must(hoist_client_open(config, &client, &error), "open", &error);
    must(hoist_client_wait_ready(client, 5000), "wait_ready", NULL);
    return client;
}

#endif
