#include "commands.h"
#include "hoist_library.h"

#include <stdio.h>
#include <string.h>

/* Evaluations of an online client, flushed: the runner compares what the loopback server was told. */

static hoist_client *open_unleash(const hoist_library *api, const char *url, size_t flag_count)
{
    char address[512];
    snprintf(address, sizeof address, "%s/unleash/%zu", url, flag_count);
    return hoist_open_url(api, address);
}

typedef struct {
    const char *name;
    hoist_client *(*open)(const hoist_library *api, const char *url, size_t flag_count);
    subject (*subject_over)(const libraries *where, const workload *what, int kind, hoist_client *client);
} engine;

static const engine engines[] = {{"unleash", open_unleash, hoist_subject_over},
                                 {"launchdarkly", hoist_open_polling, launchdarkly_subject_over},
                                 {"launchdarkly-server", hoist_open_rules, server_subject_over},
                                 {NULL, NULL, NULL}};

int command_count(const options *given)
{
    const workload *what = workload_read(given->folder);
    const hoist_library *api = hoist_load(given->where.hoist);
    const engine *of = engines;
    while (of->name && strcmp(given->subject, of->name)) of++;
    if (!of->name) die("no engine %s", given->subject);
    hoist_client *client = of->open(api, given->where.url, what->flag_count);
    const subject one = of->subject_over(&given->where, what, KIND_BOOL, client);
    one.loop(one.state, 0, what->pair_count[KIND_BOOL]);
    hoist_status status = api->hoist_client_flush(client, 10000);
    if (status != HOIST_OK) die("hoist_client_flush: %s", api->hoist_status_name(status));
    api->hoist_client_close(client, 10000);
    record_begin("count");
    record_number("evaluations", (double)what->pair_count[KIND_BOOL]);
    record_end();
    return 0;
}
