#include "hoist_library.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

/* A LaunchDarkly client of mode server, which decides by rules itself. Its events are on. The pairs are those of
   bench/python_server.py: users of a part, as many as there are pairs. */

enum { PAIRS = 512 };

typedef struct {
    const hoist_library *api;
    hoist_client *client;
    hoist_context **contexts;
    pair pairs[PAIRS];
} state;

static bool is_on(const state *self, const pair *p, bool fallback)
{
    return self->api->hoist_client_bool(self->client, p->key, self->contexts[p->user], fallback, NULL);
}

static uint64_t loop(void *pointer, size_t first, size_t count)
{
    const state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) sum += is_on(self, &self->pairs[i % PAIRS], false);
    return sum;
}

/** An answer that follows the fallback is no answer. */
static int answer(void *pointer, size_t index)
{
    const state *self = pointer;
    const pair *p = &self->pairs[index % PAIRS];
    bool with_false = is_on(self, p, false);
    return with_false != is_on(self, p, true) ? ANSWER_ERROR : with_false ? ANSWER_ON : ANSWER_OFF;
}

static hoist_context *make_context(const hoist_library *api, const user *who)
{
    hoist_context *context = api->hoist_context_new(who->id);
    api->hoist_context_set_string(context, "country", who->country);
    api->hoist_context_set_string(context, "plan", who->plan);
    api->hoist_context_set_int64(context, "age", strtol(who->age, NULL, 10));
    return context;
}

static void choose_pairs(state *self, const workload *what)
{
    size_t count = 0;
    for (size_t i = 0; i < what->pair_count[KIND_MIX] && count < PAIRS; i++)
        if (what->pairs[KIND_MIX][i].user < PAIRS) self->pairs[count++] = what->pairs[KIND_MIX][i];
    if (count < PAIRS) die("W24: only %zu pairs", count);
}

subject server_subject_over(const libraries *where, const workload *what, int kind, hoist_client *client)
{
    (void)kind;
    state *self = malloc(sizeof *self);
    *self = (state){hoist_load(where->hoist), client, calloc(PAIRS, sizeof(hoist_context *)), {{0, NULL, 0}}};
    for (size_t i = 0; i < PAIRS; i++) self->contexts[i] = make_context(self->api, &what->users[i]);
    choose_pairs(self, what);
    return (subject){"Hoist", self, loop, answer, false};
}

size_t server_subjects(const libraries *where, const workload *what, subject *out)
{
    if (!where->hoist) return 0;
    hoist_client *client = hoist_open_rules(hoist_load(where->hoist), where->url, what->flag_count);
    *out = server_subject_over(where, what, KIND_MIX, client);
    size_t on = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        int found = answer(out->state, i);
        if (found == ANSWER_ERROR) die("W24: no answer for %s", ((state *)out->state)->pairs[i].key);
        on += found == ANSWER_ON;
    }
    if (on * 100 < PAIRS * 42 || on * 100 > PAIRS * 58) die("W24: %zu of %d are on: not half", on, PAIRS);
    return 1;
}
