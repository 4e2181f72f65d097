#include "commands.h"
#include "flagship_visitors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* W18 and W19: Flagship's visitors in bucketing mode. Every campaign has three targetings, two variations and one flag. */

typedef struct {
    const hoist_library *api;
    hoist_client *client;
    hoist_flagship_visitor *visitors[VISITORS];
    hoist_context *contexts[VISITORS];
    const workload *what;
    const pair *pairs;
    size_t mask;
    bool exposed;
} state;

/* ---- W18 ------------------------------------------------------------------------------------------------- */

static void fetch(const state *self, hoist_flagship_visitor *visitor)
{
    hoist_status status = self->api->hoist_flagship_visitor_fetch_wait(visitor, -1);
    if (status != HOIST_OK) die("Flagship: not fetched: %s", self->api->hoist_status_name(status));
}

static uint64_t loop_fetch(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    for (size_t i = first; i < first + count; i++) fetch(self, self->visitors[i % VISITORS]);
    return count;
}

static uint64_t loop_new_visitor(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    for (size_t i = first; i < first + count; i++) {
        const char *id = self->what->users[i % VISITORS].id;
        hoist_flagship_visitor *visitor = flagship_visitor(self->api, self->client, id, self->contexts[i % VISITORS]);
        fetch(self, visitor);
        self->api->hoist_flagship_visitor_free(visitor);
    }
    return count;
}

/* ---- W19 ------------------------------------------------------------------------------------------------- */

static uint64_t loop_bool(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const pair *p = &self->pairs[i & self->mask];
        bool value = false;
        self->api->hoist_flagship_visitor_bool(self->visitors[p->user % VISITORS], p->key, false, self->exposed, &value);
        sum += value;
    }
    return sum;
}

static uint64_t loop_text(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const pair *p = &self->pairs[i & self->mask];
        hoist_text *text = NULL;
        self->api->hoist_flagship_visitor_string(self->visitors[p->user % VISITORS], p->key, "none", self->exposed, &text);
        sum += (unsigned char)*self->api->hoist_text_data(text);
        self->api->hoist_text_free(text);
    }
    return sum;
}

static uint64_t loop_json(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const pair *p = &self->pairs[i & self->mask];
        hoist_text *text = NULL;
        self->api->hoist_flagship_visitor_json(self->visitors[p->user % VISITORS], p->key, "{}", self->exposed, &text);
        sum += (unsigned char)self->api->hoist_text_data(text)[1];
        self->api->hoist_text_free(text);
    }
    return sum;
}

/* ---- Both ------------------------------------------------------------------------------------------------ */

/** Every flag is there, and about half of the bool ones are on. */
static void check(const state *self)
{
    size_t asked = 0, on = 0;
    for (size_t i = 0; i < VISITORS * self->what->flag_count; i++) {
        const flag *one = &self->what->flags[i / VISITORS];
        hoist_flagship_visitor *visitor = self->visitors[i % VISITORS];
        hoist_text *text = NULL;
        hoist_status status = self->api->hoist_flagship_visitor_json(visitor, one->key, NULL, false, &text);
        if (status != HOIST_OK) die("Flagship, %s: %s", one->key, self->api->hoist_status_name(status));
        if (one->kind == KIND_BOOL) {
            asked++;
            on += !strcmp(self->api->hoist_text_data(text), "true");
        }
        self->api->hoist_text_free(text);
    }
    if (on * 100 < asked * 40 || on * 100 > asked * 60) die("Flagship: %zu of %zu flags are on", on, asked);
}

/** An exposure for which there is no room would be quick for the wrong reason. */
static void check_exposures(const state *self, bool expected)
{
    hoist_text *text = self->api->hoist_client_statistics(self->client);
    const char *group = strstr(self->api->hoist_text_data(text), "\"activates\":{\"recorded\":");
    const char *dropped = group ? strstr(group, "\"dropped\":") : NULL;
    if (!dropped) die("Flagship: no statistics of exposures");
    bool is_recorded = strtoul(strchr(group, '{') + strlen("{\"recorded\":"), NULL, 10) > 0;
    if (is_recorded != expected || strtoul(dropped + strlen("\"dropped\":"), NULL, 10)) die("exposures: %.160s", group);
    self->api->hoist_text_free(text);
}

static state *make_state(const options *given, const workload *what)
{
    state *self = calloc(1, sizeof *self);
    self->api = hoist_load(given->where.hoist);
    self->client = hoist_open_campaigns(self->api, "continuous", given->folder, "");
    self->what = what;
    for (size_t i = 0; i < VISITORS; i++) {
        self->contexts[i] = flagship_context(self->api, &what->users[i]);
        self->visitors[i] = flagship_visitor(self->api, self->client, what->users[i].id, self->contexts[i]);
        fetch(self, self->visitors[i]);
    }
    check(self);
    return self;
}

static void measure(const plan *how, const char *workload_name, const char *what, state *self,
                    uint64_t (*loop)(void *, size_t, size_t))
{
    subject one = {what, self, loop, NULL, true};
    sample cpu = {0}, wall = {0};
    time_in_turn(how, &one, 1, &cpu, &wall);
    flagship_report(workload_name, what, self->what->flag_count, &cpu);
}

/** A fresh client for each kind of exposures, which its queue keeps. */
static void measure_reads(const options *given, const workload *what)
{
    static const struct { int kind; uint64_t (*loop)(void *, size_t, size_t); const char *names[2]; } reads[] = {
        {KIND_BOOL, loop_bool, {"bool", "bool, exposed"}},
        {KIND_RULE, loop_text, {"text", "text, exposed"}},
        {KIND_VARI, loop_json, {"JSON", "JSON, exposed"}},
    };
    fprintf(stderr, "  W19\n");
    for (int exposed = 0; exposed < 2; exposed++) {
        /* Exposures stay in memory, for which there is a limit: few calls are enough. */
        plan how = {given->how.runs, exposed ? 1 : given->how.run_ms};
        for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
            state *self = make_state(given, what);
            self->exposed = exposed;
            self->pairs = what->pairs[reads[i].kind];
            self->mask = what->pair_count[reads[i].kind] - 1;
            measure(&how, "W19", reads[i].names[exposed], self, reads[i].loop);
            check_exposures(self, exposed);
            self->api->hoist_client_close(self->client, 0);
        }
    }
}

int command_fetch(const options *given)
{
    const workload *what = workload_read(given->folder);
    if (strstr(given->only, "W18")) {
        state *self = make_state(given, what);
        fprintf(stderr, "  W18, %zu campaigns\n", what->flag_count);
        measure(&given->how, "W18", "fetched again", self, loop_fetch);
        measure(&given->how, "W18", "new visitor, fetched", self, loop_new_visitor);
    }
    if (strstr(given->only, "W19")) measure_reads(given, what);
    return 0;
}
