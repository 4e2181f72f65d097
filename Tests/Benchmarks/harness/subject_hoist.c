#include "hoist_library.h"
#include "subject.h"

#include <stdlib.h>

/* One context and one view per user, made before any clock starts. */
typedef struct {
    const hoist_library *api;
    hoist_client *client;
    const pair *pairs;
    size_t mask;
    hoist_context **contexts;
    hoist_view **views;
} state;

#define LOOP(NAME, EXPRESSION)                                          \
    static uint64_t NAME(void *pointer, size_t first, size_t count)     \
    {                                                                   \
        state *self = pointer;                                          \
        uint64_t sum = 0;                                               \
        for (size_t i = first; i < first + count; i++) {                \
            const pair *p = &self->pairs[i & self->mask];               \
            sum += (uint64_t)(EXPRESSION);                              \
        }                                                               \
        return sum;                                                     \
    }

static const char *borrowed(const state *self, const pair *p)
{
    return self->api->hoist_view_json(self->views[p->user], p->key, "", NULL);
}

static char copied(const state *self, const pair *p)
{
    hoist_text *text = self->api->hoist_client_json(self->client, p->key, self->contexts[p->user], "\"\"", NULL);
    char first = *self->api->hoist_text_data(text);
    self->api->hoist_text_free(text);
    return first;
}

static char through_new_view(const state *self, const pair *p)
{
    hoist_view *view = self->api->hoist_view_new(self->client, self->contexts[p->user]);
    char first = *self->api->hoist_view_json(view, p->key, "", NULL);
    self->api->hoist_view_free(view);
    return first;
}

static bool is_on(const state *self, const pair *p, bool fallback)
{
    return self->api->hoist_client_bool(self->client, p->key, self->contexts[p->user], fallback, NULL);
}

static bool is_on_in_view(const state *self, const pair *p, bool fallback)
{
    return self->api->hoist_view_bool(self->views[p->user], p->key, fallback);
}

LOOP(loop_client, is_on(self, p, false))
LOOP(loop_view, is_on_in_view(self, p, false))
LOOP(loop_borrowed, *borrowed(self, p))
LOOP(loop_copied, copied(self, p))
LOOP(loop_new_view, through_new_view(self, p))
LOOP(loop_mix, p->kind == KIND_VARI ? *borrowed(self, p) : is_on(self, p, false))

/** An answer that follows the fallback is no answer. */
static int truth(bool with_false, bool with_true)
{
    return with_false != with_true ? ANSWER_ERROR : with_true ? ANSWER_ON : ANSWER_OFF;
}

static int answer(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    if (p->kind == KIND_VARI) return answer_from_payload(borrowed(self, p));
    return truth(is_on(self, p, false), is_on(self, p, true));
}

static int answer_view(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    return truth(is_on_in_view(self, p, false), is_on_in_view(self, p, true));
}

static int answer_copied(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    hoist_text *text = self->api->hoist_client_json(self->client, p->key, self->contexts[p->user], "\"\"", NULL);
    int result = answer_from_payload(self->api->hoist_text_data(text));
    self->api->hoist_text_free(text);
    return result;
}

static hoist_context *make_context(const hoist_library *api, const user *who)
{
    hoist_context *context = api->hoist_context_new(who->id);
    api->hoist_context_set_string(context, "country", who->country);
    api->hoist_context_set_string(context, "plan", who->plan);
    api->hoist_context_set_string(context, "age", who->age);
    return context;
}

static hoist_context **make_contexts(const hoist_library *api, const workload *what)
{
    hoist_context **contexts = calloc(what->user_count, sizeof *contexts);
    for (size_t i = 0; i < what->user_count; i++) contexts[i] = make_context(api, &what->users[i]);
    return contexts;
}

static state *make_state(state shared, const workload *what, int kind)
{
    state *self = malloc(sizeof *self);
    *self = shared;
    self->pairs = what->pairs[kind];
    self->mask = what->pair_count[kind] - 1;
    return self;
}

subject hoist_subject_over(const libraries *where, const workload *what, int kind, hoist_client *client)
{
    const hoist_library *api = hoist_load(where->hoist);
    state shared = {api, client, NULL, 0, make_contexts(api, what), NULL};
    return (subject){"Hoist", make_state(shared, what, kind), loop_client, answer, true};
}

size_t hoist_subjects(const libraries *where, const workload *what, int kind, subject *out)
{
    static const workload *current;
    static state shared;
    if (!where->hoist) return 0;
    if (current != what) {
        current = what;
        const hoist_library *api = hoist_load(where->hoist);
        hoist_client *client = hoist_open_file(api, what->folder);
        shared = (state){api, client, NULL, 0, make_contexts(api, what), calloc(what->user_count, sizeof(hoist_view *))};
        for (size_t i = 0; i < what->user_count; i++) shared.views[i] = api->hoist_view_new(client, shared.contexts[i]);
    }
    state *self = make_state(shared, what, kind);
    if (kind == KIND_MIX) {
        out[0] = (subject){"Hoist", self, loop_mix, answer, true};
        return 1;
    }
    if (kind == KIND_VARI) {
        out[0] = (subject){"Hoist", self, loop_borrowed, answer, true};
        out[1] = (subject){"Hoist, copied", self, loop_copied, answer_copied, true};
        out[2] = (subject){"Hoist, view per call", self, loop_new_view, answer, true};
        return 3;
    }
    out[0] = (subject){"Hoist", self, loop_client, answer, true};
    out[1] = (subject){"Hoist, view", self, loop_view, answer_view, true};
    return 2;
}
