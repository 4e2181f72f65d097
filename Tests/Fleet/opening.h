/* How a host of these tests begins: what it is given, in its arguments, and the end of it where that is refused. */
#ifndef OPENING_H
#define OPENING_H

#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void need(hoist_status status, hoist_error *const *error) {
    if (status == HOIST_OK) return;
    fprintf(stderr, "%s\n", hoist_error_message(*error));
    exit(2);
}

static inline void set(hoist_config *config, const char *name, const char *value) {
    hoist_error *error = NULL;
    need(hoist_config_set(config, name, value, &error), &error);
}

/* Opens with NAME=VALUE …, NULL behind the last, and a plug-in, "" for none. Takes over `config`. */
static inline hoist_client *open_with(hoist_config *config, char **properties, const char *plugin, const char *options) {
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    for (; *properties; properties++) {
        char *value = strchr(*properties, '=');
        if (!value) exit(2);
        *value = 0;
        set(config, *properties, value + 1);
    }
    if (plugin[0]) need(hoist_config_load_plugin(config, plugin, options, &error), &error);
    need(hoist_client_open(config, &client, &error), &error);
    hoist_config_free(config);
    setvbuf(stdout, NULL, _IOLBF, 0);
    return client;
}

static inline void print_status(hoist_status status) { printf("%s\n", hoist_status_name(status)); }

/* The client's state, and its statistics. */
static inline void look(hoist_client *client) {
    hoist_text *statistics = hoist_client_statistics(client);
    printf("%d %s\n", (int)hoist_client_get_state(client), hoist_text_data(statistics));
    hoist_text_free(statistics);
}

#endif
