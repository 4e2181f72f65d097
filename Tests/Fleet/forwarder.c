/* A host that forwards from Kafka, and does what it reads: forwarder URL KEY PLUGIN OPTIONS. Each line of its input has one in its
 * output.
 *
 *   figures       as JSON
 *   online N      0 or 1; the status
 *   stop MS       the status, the last figures, and the end */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <hoist/hoist.h>
#include <hoist/plugins/kafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef hoist_status (*start_call)(hoist_client *, const char *, hoist_kafka_forwarder **, char *, size_t);
typedef hoist_status (*figures_call)(hoist_kafka_forwarder *, hoist_kafka_figures *);
typedef hoist_status (*stop_call)(hoist_kafka_forwarder *, int64_t, hoist_kafka_figures *);

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(2);
}

static void *function(void *plugin, const char *name) {
    void *found = plugin ? dlsym(plugin, name) : NULL;
    if (!found) fail(dlerror());
    return found;
}

static hoist_client *open_client(const char *url, const char *key) {
    const char *const given[][2] = {{"mode", "backend"},     {"url", url},     {"key", key},
                                    {"app_name", "forward"}, {"store", "none"}, {"metrics_interval", "1"}};
    hoist_config *config = hoist_config_new("unleash");
    hoist_error *error = NULL;
    hoist_client *client = NULL;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (hoist_config_set(config, given[i][0], given[i][1], &error) != HOIST_OK) fail(hoist_error_message(error));
    if (hoist_client_open(config, &client, &error) != HOIST_OK) fail(hoist_error_message(error));
    hoist_config_free(config);
    return client;
}

static void print(const hoist_kafka_figures *told) {
    printf("{\"received\": %llu, \"accepted\": %llu, \"refused\": %llu, \"waiting\": %lld, \"lag\": %lld, \"partitions\": %lld}\n",
           (unsigned long long)told->received, (unsigned long long)told->accepted, (unsigned long long)told->refused,
           (long long)told->waiting, (long long)told->lag, (long long)told->partitions);
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    char line[256], message[512];
    hoist_kafka_figures figures = HOIST_KAFKA_FIGURES_INIT;
    hoist_kafka_forwarder *forwarder = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    void *plugin = dlopen(argv[3], RTLD_NOW);
    start_call start;
    figures_call look;
    stop_call stop;
    *(void **)&start = function(plugin, "hoist_kafka_forward_start");
    *(void **)&look = function(plugin, "hoist_kafka_forward_figures");
    *(void **)&stop = function(plugin, "hoist_kafka_forward_stop");
    hoist_client *client = open_client(argv[1], argv[2]);
    if (start(client, argv[4], &forwarder, message, sizeof message) != HOIST_OK) fail(message);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "online ", 7) == 0) {
            printf("%s\n", hoist_status_name(hoist_client_set_online(client, atoi(line + 7) != 0)));
        } else if (strncmp(line, "stop ", 5) == 0) {
            printf("%s\n", hoist_status_name(stop(forwarder, atoi(line + 5), &figures)));
            print(&figures);
            fprintf(stderr, "%s\n", figures.trouble);
            hoist_client_close(client, 0);
            hoist_client_free(client);
            return 0;
        } else {
            look(forwarder, &figures);
            print(&figures);
        }
    }
    return 1;
}
