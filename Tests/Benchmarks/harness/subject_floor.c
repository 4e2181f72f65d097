#include "floor.h"
#include "subject.h"

#include <stdlib.h>

#define LOAD(name) api.name = (__typeof__(&name))library_symbol(library, #name)

static struct {
    __typeof__(&floor_new) floor_new;
    __typeof__(&floor_user_new) floor_user_new;
    __typeof__(&floor_empty) floor_empty;
    __typeof__(&floor_lookup) floor_lookup;
    __typeof__(&floor_counted) floor_counted;
    __typeof__(&floor_rule) floor_rule;
    __typeof__(&floor_variant) floor_variant;
} api;

typedef struct { floor_engine *engine; floor_user **users; const pair *pairs; size_t mask; } state;

static void load(const char *path)
{
    if (api.floor_new) return;
    void *library = library_open(path);
    LOAD(floor_new);
    LOAD(floor_user_new);
    LOAD(floor_empty);
    LOAD(floor_lookup);
    LOAD(floor_counted);
    LOAD(floor_rule);
    LOAD(floor_variant);
}

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

LOOP(loop_empty, api.floor_empty(self->engine, p->key))
LOOP(loop_lookup, api.floor_lookup(self->engine, p->key))
LOOP(loop_counted, api.floor_counted(self->engine, p->key))
LOOP(loop_rule, api.floor_rule(self->engine, p->key, self->users[p->user]))
LOOP(loop_variant, *api.floor_variant(self->engine, p->key, self->users[p->user]))
LOOP(loop_mix, p->kind == KIND_BOOL   ? api.floor_counted(self->engine, p->key)
               : p->kind == KIND_RULE ? api.floor_rule(self->engine, p->key, self->users[p->user])
                                      : *api.floor_variant(self->engine, p->key, self->users[p->user]))

static int answer(void *pointer, size_t index)
{
    state *self = pointer;
    const pair *p = &self->pairs[index & self->mask];
    if (p->kind == KIND_VARI) return answer_from_payload(api.floor_variant(self->engine, p->key, self->users[p->user]));
    return p->kind == KIND_RULE ? api.floor_rule(self->engine, p->key, self->users[p->user])
                                : api.floor_lookup(self->engine, p->key);
}

static state *over(floor_engine *engine, floor_user **users, const workload *what, int kind)
{
    state *self = malloc(sizeof *self);
    *self = (state){engine, users, what->pairs[kind], what->pair_count[kind] - 1};
    return self;
}

size_t floor_subjects(const libraries *where, const workload *what, int kind, subject *out)
{
    static const workload *current;
    static floor_engine *engine;
    static floor_user **users;
    load(where->floor);
    if (current != what) {
        current = what;
        engine = api.floor_new(what->flags, what->flag_count);
        users = calloc(what->user_count, sizeof *users);
        for (size_t i = 0; i < what->user_count; i++) users[i] = api.floor_user_new(&what->users[i]);
    }
    state *self = over(engine, users, what, kind);
    /* Calibration runs over the same flags whatever the table is about. */
    out[0] = (subject){"C empty call", over(engine, users, what, KIND_BOOL), loop_empty, NULL, false};
    out[1] = (subject){"C look-up", over(engine, users, what, KIND_BOOL), loop_lookup, NULL, false};
    out[2] = (subject){"C rule", over(engine, users, what, KIND_RULE), loop_rule, kind == KIND_RULE ? answer : NULL, true};
    if (kind == KIND_BOOL) out[3] = (subject){"C look-up, counted", self, loop_counted, answer, true};
    if (kind == KIND_VARI) out[3] = (subject){"C variant", self, loop_variant, answer, true};
    if (kind == KIND_MIX) out[3] = (subject){"C mix", self, loop_mix, answer, true};
    return kind == KIND_RULE ? 3 : 4;
}
