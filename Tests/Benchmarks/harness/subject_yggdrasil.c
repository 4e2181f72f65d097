#include "flat_message.h"
#include "subject.h"
#include "yggdrasil_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contexts (JSON) are made per user and messages (FlatBuffers) per pair, before any clock starts. */
typedef struct {
    const yggdrasil_library *api;
    void *engine;
    const pair *pairs;
    size_t mask;
    char **contexts;
    flat_message *messages;
} state;

static char *json_call(const state *self, const pair *p)
{
    const char *context = self->contexts[p->user];
    return p->kind == KIND_VARI ? self->api->check_variant(self->engine, p->key, context, "{}")
                                : self->api->check_enabled(self->engine, p->key, context, "{}");
}

static yggdrasil_buffer flat_call(const state *self, const pair *p, const flat_message *message)
{
    return p->kind == KIND_VARI ? self->api->flat_check_variant(self->engine, message->bytes, message->size)
                                : self->api->flat_check_enabled(self->engine, message->bytes, message->size);
}

static uint64_t loop_json(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        char *answer = json_call(self, &self->pairs[i & self->mask]);
        sum += (uint8_t)answer[20];
        self->api->free_response(answer);
    }
    return sum;
}

static uint64_t loop_json_counted(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    for (size_t i = first; i < first + count; i++) {
        self->api->free_response(json_call(self, &self->pairs[i & self->mask]));
        self->api->free_response(self->api->count_toggle(self->engine, self->pairs[i & self->mask].key, true));
    }
    return count;
}

static uint64_t loop_flat(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        yggdrasil_buffer answer = flat_call(self, &self->pairs[i & self->mask], &self->messages[i & self->mask]);
        sum += answer.bytes[answer.size - 1];
        self->api->flat_buf_free(answer);
    }
    return sum;
}

static int answer_json(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    char *text = json_call(self, p);
    int result = !strstr(text, "\"Ok\"")                ? ANSWER_ERROR
                 : p->kind == KIND_VARI                 ? answer_from_payload(text)
                 : strstr(text, "\"value\":true")       ? ANSWER_ON
                 : strstr(text, "\"value\":false")      ? ANSWER_OFF
                                                        : ANSWER_ERROR;
    self->api->free_response(text);
    return result;
}

/** Fields of the answers: Response 0 enabled, 2 has_enabled, 3 error; Variant 0 enabled, 3 name, 5 error. */
static int answer_flat(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    yggdrasil_buffer got = flat_call(self, p, &self->messages[index & self->mask]);
    const uint8_t *enabled = flat_field(got.bytes, got.size, 0);
    int result = enabled && *enabled ? ANSWER_ON : ANSWER_OFF;
    if (p->kind == KIND_VARI) {
        const char *name = flat_text(got.bytes, got.size, 3);
        bool is_error = result == ANSWER_OFF || !name || flat_field(got.bytes, got.size, 5);
        result = is_error ? ANSWER_ERROR : *name == 'a' ? ANSWER_A : ANSWER_B;
    } else if (flat_field(got.bytes, got.size, 3) || !flat_field(got.bytes, got.size, 2)) {
        result = ANSWER_ERROR;
    }
    self->api->flat_buf_free(got);
    return result;
}

void *yggdrasil_engine_of(const subject *one) { return ((state *)one->state)->engine; }

static char *context_text(const user *who)
{
    char *text = malloc(256);
    snprintf(text, 256, "{\"userId\":\"%s\",\"properties\":{\"country\":\"%s\",\"plan\":\"%s\",\"age\":\"%s\"}}", who->id,
             who->country, who->plan, who->age);
    return text;
}

size_t yggdrasil_subjects(const libraries *where, const workload *what, int kind, subject *out)
{
    static const workload *current;
    static void *engine;
    static char **contexts;
    if (!where->yggdrasil) return 0;
    const yggdrasil_library *api = yggdrasil_load(where->yggdrasil);
    if (current != what) {
        current = what;
        engine = yggdrasil_engine_new(api, read_file(what->folder, "unleash.json", NULL));
        contexts = calloc(what->user_count, sizeof *contexts);
        for (size_t i = 0; i < what->user_count; i++) contexts[i] = context_text(&what->users[i]);
    }
    size_t count = what->pair_count[kind];
    state *self = malloc(sizeof *self);
    *self = (state){api, engine, what->pairs[kind], count - 1, contexts, calloc(count, sizeof(flat_message))};
    for (size_t i = 0; i < count; i++)
        self->messages[i] = flat_message_new(self->pairs[i].key, &what->users[self->pairs[i].user]);
    out[0] = (subject){"yggdrasil JSON", self, loop_json, answer_json, true};
    out[1] = (subject){"yggdrasil JSON, counted", self, loop_json_counted, answer_json, true};
    out[2] = (subject){"yggdrasil flat, counted", self, loop_flat, answer_flat, true};
    return 3;
}
