/* A host over the plug-in, which does what it reads: host URL KEY PLUGIN OPTIONS [PROPERTY=VALUE …]; without a plug-in where that is
 * empty. Each line of its input has one in its output.
 *
 *   evaluate N    asks for a flag so many times
 *   track NAME    records an event of this name; the status
 *   flush         waits until the service has all; the status
 *   fork NAME     a child does as of track, flush and close; the gravest status
 *   look          the client's statistics
 *   close         the status, and the end */
#define _POSIX_C_SOURCE 200809L
#include "opening.h"
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 30000 };

static hoist_client *open_client(char **arguments) {
    hoist_config *config = hoist_config_new("unleash");
    set(config, "mode", "backend");
    set(config, "url", arguments[0]);
    set(config, "key", arguments[1]);
    set(config, "app_name", "shop");
    set(config, "store", "none");
    set(config, "events.durability", "immediate");
    return open_with(config, arguments + 4, arguments[2], arguments[3]);
}

static hoist_status track(hoist_client *client, const char *name) {
    hoist_event_property property = {sizeof property, "event", HOIST_EVENT_TEXT, name, 0, false};
    hoist_event event = {sizeof event, 0, false, &property, 1};
    return hoist_client_track(client, "recorded", NULL, &event);
}

static hoist_status in_child(hoist_client *client, const char *name) {
    pid_t child = fork();
    if (child == 0) {
        hoist_status status = track(client, name);
        if (status == HOIST_OK) status = hoist_client_flush(client, LIMIT_MS);
        if (status == HOIST_OK) status = hoist_client_close(client, LIMIT_MS);
        hoist_client_free(client);
        _exit(status);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : HOIST_ERR_PLUGIN;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    char line[256];
    hoist_client *client = open_client(argv + 1);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        hoist_status status = HOIST_OK;
        if (strncmp(line, "evaluate ", 9) == 0) {
            for (int left = atoi(line + 9); left > 0; left--) (void)hoist_client_bool(client, "switch", NULL, false, NULL);
        } else if (strncmp(line, "track ", 6) == 0) {
            status = track(client, line + 6);
        } else if (strncmp(line, "fork ", 5) == 0) {
            status = in_child(client, line + 5);
        } else if (strcmp(line, "look") == 0) {
            hoist_text *statistics = hoist_client_statistics(client);
            printf("%s\n", hoist_text_data(statistics));
            hoist_text_free(statistics);
            continue;
        } else if (strcmp(line, "flush") == 0) {
            status = hoist_client_flush(client, LIMIT_MS);
        } else {
            status = hoist_client_close(client, LIMIT_MS);
            hoist_client_free(client);
            print_status(status);
            return 0;
        }
        print_status(status);
    }
    return 1;
}
