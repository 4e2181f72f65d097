#include "commands.h"
#include "hoist_library.h"

#include <stdio.h>

/* Evaluations of an online client, flushed: the runner compares what the loopback server was told. */

int command_count(const options *given)
{
    const workload *what = workload_read(given->folder);
    const hoist_library *api = hoist_load(given->where.hoist);
    char url[512];
    snprintf(url, sizeof url, "%s/unleash/%zu", given->where.url, what->flag_count);
    hoist_client *client = hoist_open_url(api, url);
    const subject one = hoist_subject_over(&given->where, what, KIND_BOOL, client);
    one.loop(one.state, 0, what->pair_count[KIND_BOOL]);
    hoist_status status = api->hoist_client_flush(client, 10000);
    if (status != HOIST_OK) die("hoist_client_flush: %s", api->hoist_status_name(status));
    api->hoist_client_close(client, 10000);
    record_begin("count");
    record_number("evaluations", (double)what->pair_count[KIND_BOOL]);
    record_end();
    return 0;
}
