#include "commands.h"
#include "flagship_visitors.h"

#include <stdio.h>
#include <string.h>

/* W20: recording a hit of Flagship's, made and sent, as hits are kept; wall time, as storing is another thread's work. */

/** Hits of a run; fewer where each is stored before the call returns. */
enum { HITS = 500, HITS_STORED = 40 };

static void send(const hoist_library *api, hoist_flagship_visitor *visitor)
{
    hoist_flagship_hit *hit = api->hoist_flagship_hit_new_event(HOIST_FLAGSHIP_ACTION_TRACKING, "basket");
    api->hoist_flagship_hit_set_label(hit, "blue");
    api->hoist_flagship_hit_set_value(hit, 19);
    hoist_status status = api->hoist_flagship_visitor_send_hit(visitor, hit, NULL);
    if (status != HOIST_OK) die("Flagship: no hit is sent: %s", api->hoist_status_name(status));
    api->hoist_flagship_hit_free(hit);
}

static void measure(const options *given, const workload *what, const char *purpose, int hits)
{
    const hoist_library *api = hoist_load(given->where.hoist);
    char store[4096];
    snprintf(store, sizeof store, "%s/%s", given->store, purpose);
    hoist_client *client = hoist_open_campaigns(api, purpose, given->folder, store);
    hoist_flagship_visitor *visitor =
        flagship_visitor(api, client, what->users[0].id, flagship_context(api, &what->users[0]));
    sample wall = {0};
    fprintf(stderr, "  W20, %s\n", purpose);
    for (int run = 0; run <= given->how.runs; run++) {
        double before = wall_ns();
        for (int i = 0; i < hits; i++) send(api, visitor);
        if (run > 0) sample_add(&wall, (wall_ns() - before) / hits);
    }
    flagship_report("W20", purpose, what->flag_count, &wall);
    api->hoist_flagship_visitor_free(visitor);
    api->hoist_client_close(client, 0);
    api->hoist_client_free(client);
}

int command_hit(const options *given)
{
    const workload *what = workload_read(given->folder);
    measure(given, what, "continuous", HITS);
    measure(given, what, "periodic", HITS);
    measure(given, what, "continuous, stored", HITS_STORED);
    measure(given, what, "periodic, stored", HITS);
    return 0;
}
