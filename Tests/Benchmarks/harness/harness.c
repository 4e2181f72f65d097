/** @file The benchmark harness: `harness COMMAND NAME=VALUE…`. Started by ../run, which knows the values. */
#include "commands.h"
#include "hoist_library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *value_of(char **arguments, const char *name, const char *fallback)
{
    size_t size = strlen(name);
    for (; *arguments; arguments++)
        if (!strncmp(*arguments, name, size) && (*arguments)[size] == '=') return *arguments + size + 1;
    return fallback;
}

static double number_of(char **arguments, const char *name, const char *fallback)
{
    return strtod(value_of(arguments, name, fallback), NULL);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; int (*run)(const options *); } commands[] = {
        {"evaluate", command_evaluate}, {"track", command_track}, {"load", command_load}, {"count", command_count},
        {"swap", command_swap},         {"memory", command_memory}, {"start", command_start}, {"decide", command_decide},
        {"notice", command_notice}, {"change", command_change}, {"burst", command_burst}, {"fetch", command_fetch}, {"hit", command_hit}, {"variation", command_variation}};
    options given = {
        .where = {value_of(arguments, "floor", NULL), value_of(arguments, "hoist", NULL),
                  value_of(arguments, "yggdrasil", NULL), value_of(arguments, "flipt", NULL),
                  value_of(arguments, "url", "http://127.0.0.1:9")},
        .folder = value_of(arguments, "folder", NULL),
        .only = value_of(arguments, "only", ""),
        .subject = value_of(arguments, "subject", ""),
        .store = value_of(arguments, "store", ""),
        .how = {(int)number_of(arguments, "runs", "11"), number_of(arguments, "run_ms", "40")},
        .threads = (int)number_of(arguments, "threads", "1"),
        .attempts = (int)number_of(arguments, "attempts", "3"),
        .spread_limit = number_of(arguments, "spread", "0.25"),
        .seconds = number_of(arguments, "seconds", "2"),
    };
    const char *clients = value_of(arguments, "clients", NULL);
    if (given.where.hoist && !clients) die("hoist needs clients=…");
    if (clients) hoist_set_clients(clients, given.where.url);
    if (count < 2 || !given.folder) die("usage: harness COMMAND folder=… NAME=VALUE…");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(arguments[1], commands[i].name)) continue;
        int status = commands[i].run(&given);
        _exit(status); /* engines of other people need not survive exit handlers */
    }
    die("no command %s", arguments[1]);
}
