#include "swapper.h"
#include "hoist_library.h"
#include "yggdrasil_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { const hoist_library *api; hoist_client *client; const char *marker; } hoist_state;

static bool marker(const hoist_state *self)
{
    return self->api->hoist_client_bool(self->client, self->marker, NULL, false, NULL);
}

/** Fetches the other document from the loopback server and waits until it answers. */
static void swap_hoist(void *pointer)
{
    hoist_state *self = pointer;
    bool before = marker(self);
    hoist_status status = self->api->hoist_client_refresh(self->client);
    if (status != HOIST_OK) die("hoist_client_refresh: %s", self->api->hoist_status_name(status));
    const struct timespec pause = {0, 50000};
    for (int waits = 0; marker(self) == before; waits++) {
        if (waits > 400000) die("hoist: the refreshed configuration never came into force");
        nanosleep(&pause, NULL);
    }
}

static bool is_torn_hoist(void *pointer)
{
    hoist_state *self = pointer;
    hoist_view *view = self->api->hoist_view_new(self->client, NULL);
    bool first = self->api->hoist_view_bool(view, "marker-first", false);
    nanosleep(&(struct timespec){0, 100000}, NULL); /* time for a swap to come between */
    bool last = self->api->hoist_view_bool(view, "marker-last", false);
    self->api->hoist_view_free(view);
    return first != last;
}

swapper hoist_swapper(const libraries *where, const workload *what)
{
    char url[512];
    snprintf(url, sizeof url, "%s/unleash/%zu", where->url, what->flag_count);
    hoist_state *self = malloc(sizeof *self);
    *self = (hoist_state){hoist_load(where->hoist), NULL, "marker-first"};
    self->client = hoist_open_url(self->api, url);
    return (swapper){hoist_subject_over(where, what, KIND_RULE, self->client), self, swap_hoist, is_torn_hoist};
}

swapper launchdarkly_swapper(const libraries *where, const workload *what)
{
    const hoist_library *api = hoist_load(where->hoist);
    hoist_state *self = malloc(sizeof *self);
    *self = (hoist_state){api, hoist_open_polling(api, where->url, what->flag_count), "marker"};
    return (swapper){launchdarkly_subject_over(where, what, KIND_BOOL, self->client), self, swap_hoist, NULL};
}

typedef struct { const yggdrasil_library *api; void *engine; char *documents[2]; unsigned next; } yggdrasil_state;

static void swap_yggdrasil(void *pointer)
{
    yggdrasil_state *self = pointer;
    yggdrasil_engine_swap(self->api, self->engine, self->documents[self->next++ % 2]);
}

swapper yggdrasil_swapper(const libraries *where, const workload *what)
{
    subject made[MAX_SUBJECTS];
    yggdrasil_subjects(where, what, KIND_RULE, made);
    yggdrasil_state *self = malloc(sizeof *self);
    *self = (yggdrasil_state){yggdrasil_load(where->yggdrasil), yggdrasil_engine_of(&made[0]),
                              {read_file(what->folder, "unleash-on.json", NULL),
                               read_file(what->folder, "unleash-off.json", NULL)}, 0};
    return (swapper){made[2], self, swap_yggdrasil, NULL};
}
