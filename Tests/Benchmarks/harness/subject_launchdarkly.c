#include "hoist_library.h"
#include "subject.h"

#include <stdlib.h>

/* Variations of a LaunchDarkly client: a service has evaluated for the client's one context. Summaries are on. */

typedef struct {
    const hoist_library *api;
    hoist_client *client;
    hoist_view *view;
    const pair *pairs;
    size_t mask;
} state;

static bool is_on(const state *self, const char *key, bool fallback)
{
    return self->api->hoist_client_bool(self->client, key, NULL, fallback, NULL);
}

static const char *borrowed(const state *self, const char *key)
{
    return self->api->hoist_view_json(self->view, key, "", NULL);
}

static int copied(const state *self, const char *key, int (*read)(const char *))
{
    hoist_text *text = self->api->hoist_client_json(self->client, key, NULL, "\"\"", NULL);
    int result = read(self->api->hoist_text_data(text));
    self->api->hoist_text_free(text);
    return result;
}

static int first_byte(const char *text) { return (unsigned char)*text; }

#define LOOP(NAME, EXPRESSION)                                          \
    static uint64_t NAME(void *pointer, size_t first, size_t count)     \
    {                                                                   \
        state *self = pointer;                                          \
        uint64_t sum = 0;                                               \
        for (size_t i = first; i < first + count; i++) {                \
            const char *key = self->pairs[i & self->mask].key;          \
            sum += (uint64_t)(EXPRESSION);                              \
        }                                                               \
        return sum;                                                     \
    }

LOOP(loop_client, is_on(self, key, false))
LOOP(loop_view, self->api->hoist_view_bool(self->view, key, false))
LOOP(loop_borrowed, *borrowed(self, key))
LOOP(loop_copied, copied(self, key, first_byte))

/** An answer that follows the fallback is no answer. */
static int truth(bool with_false, bool with_true)
{
    return with_false != with_true ? ANSWER_ERROR : with_true ? ANSWER_ON : ANSWER_OFF;
}

static const char *key_of(const state *self, size_t index) { return self->pairs[index & self->mask].key; }

static int answer(void *pointer, size_t index)
{
    state *self = pointer;
    return truth(is_on(self, key_of(self, index), false), is_on(self, key_of(self, index), true));
}

static int answer_view(void *pointer, size_t index)
{
    state *self = pointer;
    return truth(self->api->hoist_view_bool(self->view, key_of(self, index), false),
                 self->api->hoist_view_bool(self->view, key_of(self, index), true));
}

static int answer_borrowed(void *pointer, size_t index)
{
    return answer_from_payload(borrowed(pointer, key_of(pointer, index)));
}

static int answer_copied(void *pointer, size_t index)
{
    return copied(pointer, key_of(pointer, index), answer_from_payload);
}

subject launchdarkly_subject_over(const libraries *where, const workload *what, int kind, hoist_client *client)
{
    state *self = malloc(sizeof *self);
    *self = (state){hoist_load(where->hoist), client, NULL, what->pairs[kind], what->pair_count[kind] - 1};
    return (subject){"Hoist", self, loop_client, answer, false};
}

size_t launchdarkly_subjects(const libraries *where, const workload *what, int kind, subject *out)
{
    static const workload *current;
    static hoist_client *client;
    if (!where->hoist) return 0;
    const hoist_library *api = hoist_load(where->hoist);
    if (current != what) {
        current = what;
        client = hoist_open_polling(api, where->url, what->flag_count);
    }
    out[0] = launchdarkly_subject_over(where, what, kind, client);
    state *self = out[0].state;
    self->view = api->hoist_view_new(client, NULL);
    if (kind == KIND_VARI) {
        out[0] = (subject){"Hoist", self, loop_borrowed, answer_borrowed, false};
        out[1] = (subject){"Hoist, copied", self, loop_copied, answer_copied, false};
    } else {
        out[1] = (subject){"Hoist, view", self, loop_view, answer_view, false};
    }
    return 2;
}
