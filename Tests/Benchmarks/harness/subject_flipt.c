#include "flipt_library.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Requests are made per pair before any clock starts. Flipt hashes in its own way: shares are checked, not answers. */
typedef struct {
    const flipt_library *api;
    void *engine;
    const pair *pairs;
    size_t mask;
    char **requests;
} state;

static char *call(const state *self, size_t index)
{
    const pair *p = &self->pairs[index & self->mask];
    const char *request = self->requests[index & self->mask];
    return p->kind == KIND_BOOL ? self->api->evaluate_boolean(self->engine, request)
                                : self->api->evaluate_variant(self->engine, request);
}

static uint64_t loop(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        char *answer = call(self, i);
        sum += (uint8_t)answer[12];
        self->api->destroy_string(answer);
    }
    return sum;
}

static int answer(void *pointer, size_t index)
{
    state *self = pointer;
    int kind = self->pairs[index & self->mask].kind;
    char *text = call(self, index);
    const char *name = strstr(text, "\"variant_key\":\"");
    bool is_first = name && name[strlen("\"variant_key\":\"")] == 'a';
    int result = !strstr(text, "\"success\"") ? ANSWER_ERROR
                 : kind == KIND_BOOL          ? (strstr(text, "\"enabled\":true") ? ANSWER_ON : ANSWER_OFF)
                 : !name                      ? ANSWER_ERROR
                 : kind == KIND_RULE          ? (is_first ? ANSWER_ON : ANSWER_OFF)
                                              : (is_first ? ANSWER_A : ANSWER_B);
    self->api->destroy_string(text);
    return result;
}

static char *request_text(const pair *p, const user *who)
{
    char *text = malloc(320);
    snprintf(text, 320,
             "{\"namespace_key\":\"default\",\"flag_key\":\"%s\",\"entity_id\":\"%s\","
             "\"context\":{\"country\":\"%s\",\"plan\":\"%s\",\"age\":\"%s\"}}",
             p->key, who->id, who->country, who->plan, who->age);
    return text;
}

size_t flipt_subjects(const libraries *where, const workload *what, int kind, subject *out)
{
    static const workload *current;
    static void *engine;
    if (!where->flipt) return 0;
    const flipt_library *api = flipt_load(where->flipt);
    if (current != what) {
        current = what;
        engine = flipt_engine_new(api, where->url, what->flag_count);
    }
    size_t count = what->pair_count[kind];
    state *self = malloc(sizeof *self);
    *self = (state){api, engine, what->pairs[kind], count - 1, calloc(count, sizeof(char *))};
    for (size_t i = 0; i < count; i++)
        self->requests[i] = request_text(&self->pairs[i], &what->users[self->pairs[i].user]);
    out[0] = (subject){"flipt JSON", self, loop, answer, false};
    return 1;
}
