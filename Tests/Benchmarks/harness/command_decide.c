#include "commands.h"
#include "hoist_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* W5 and W13: Optimizely's decide calls. Every flag has a test of two variations behind three conditions. */

typedef struct {
    const hoist_library *api;
    hoist_optimizely_user **users;
    const pair *pairs;
    size_t mask, flags;
    hoist_optimizely_options options;
} state;

/* What a program reads of a decision is part of the price. */
static uint64_t loop_decide(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const pair *p = &self->pairs[i & self->mask];
        hoist_optimizely_decision *decision =
            self->api->hoist_optimizely_user_decide(self->users[p->user], p->key, self->options);
        sum += self->api->hoist_optimizely_decision_enabled(decision);
        sum += (unsigned char)*self->api->hoist_optimizely_decision_variation_key(decision);
        sum += (unsigned char)*self->api->hoist_optimizely_decision_variables(decision);
        self->api->hoist_optimizely_decision_free(decision);
    }
    return sum;
}

static uint64_t loop_decide_all(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        hoist_optimizely_decisions *decisions =
            self->api->hoist_optimizely_user_decide_all(self->users[self->pairs[i & self->mask].user], self->options);
        sum += self->api->hoist_optimizely_decisions_count(decisions);
        self->api->hoist_optimizely_decisions_free(decisions);
    }
    return sum;
}

/** Everybody is in the test, about half of them in each variation, with the values of it. */
static void check(state *self)
{
    size_t treated = 0;
    for (size_t i = 0; i <= self->mask; i++) {
        const pair *p = &self->pairs[i];
        hoist_optimizely_decision *decision =
            self->api->hoist_optimizely_user_decide(self->users[p->user], p->key, self->options);
        const char *rule = self->api->hoist_optimizely_decision_rule_key(decision);
        const char *variation = self->api->hoist_optimizely_decision_variation_key(decision);
        if (strncmp(rule, "test-", 5) || !*variation) die("Optimizely: %s is not decided by its test", p->key);
        bool is_treated = !strcmp(variation, "treatment");
        if (is_treated != self->api->hoist_optimizely_decision_enabled(decision)) die("%s: %s", p->key, variation);
        const char *wanted = is_treated ? "\"limit\":20" : "\"limit\":10";
        if (!strstr(self->api->hoist_optimizely_decision_variables(decision), wanted)) die("%s: not %s", p->key, wanted);
        treated += is_treated;
        self->api->hoist_optimizely_decision_free(decision);
    }
    size_t decided = self->mask + 1;
    if (treated * 100 < decided * 42 || treated * 100 > decided * 58) die("%zu of %zu treated", treated, decided);
    hoist_optimizely_decisions *all = self->api->hoist_optimizely_user_decide_all(self->users[0], self->options);
    if (self->api->hoist_optimizely_decisions_count(all) != self->flags) die("not all flags are decided");
    self->api->hoist_optimizely_decisions_free(all);
}

static hoist_optimizely_user **make_users(const hoist_library *api, hoist_client *client, const workload *what)
{
    hoist_optimizely_user **users = calloc(what->user_count, sizeof *users);
    for (size_t i = 0; i < what->user_count; i++) {
        users[i] = api->hoist_optimizely_user_new(client, what->users[i].id, NULL);
        api->hoist_optimizely_user_set_string(users[i], "country", what->users[i].country);
        api->hoist_optimizely_user_set_string(users[i], "plan", what->users[i].plan);
        api->hoist_optimizely_user_set_int64(users[i], "age", atoi(what->users[i].age));
    }
    return users;
}

static state *make_state(const options *given, const workload *what, hoist_optimizely_options extra)
{
    const hoist_library *api = hoist_load(given->where.hoist);
    hoist_client *client = hoist_open_datafile(api, given->folder, "optimizely-rules.json");
    state *self = malloc(sizeof *self);
    *self = (state){api, make_users(api, client, what), what->pairs[KIND_RULE], what->pair_count[KIND_RULE] - 1,
                    what->flag_count, HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT | extra};
    check(self);
    self->options = extra;
    return self;
}

static void report(const char *workload_name, const char *what, size_t size, const sample *values)
{
    sample each = {0};
    for (size_t i = 0; i < values->count; i++) sample_add(&each, values->values[i] / 1000);
    record_begin("decide");
    record_text("workload", workload_name);
    record_text("subject", "Hoist, C");
    record_text("case", what);
    record_number("size", (double)size);
    record_sample(&each);
    record_end();
}

int command_decide(const options *given)
{
    static const struct { const char *name; hoist_optimizely_options options; } cases[] = {
        {"decide", HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT},
        {"decide, reasons", HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT | HOIST_OPTIMIZELY_INCLUDE_REASONS},
        {"decide, event", 0},
        {"decide, event, reasons", HOIST_OPTIMIZELY_INCLUDE_REASONS},
    };
    const workload *what = workload_read(given->folder);
    fprintf(stderr, "  W13, %zu flags\n", what->flag_count);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        subject one = {cases[i].name, make_state(given, what, cases[i].options), loop_decide, NULL, true};
        sample cpu = {0}, wall = {0};
        /* Events stay in memory: few calls are enough. */
        bool has_events = !(cases[i].options & HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT);
        plan how = {given->how.runs, has_events ? 4 : given->how.run_ms};
        time_in_turn(&how, &one, 1, &cpu, &wall);
        report("W13", cases[i].name, what->flag_count, &cpu);
    }
    if (what->flag_count > 1000) return 0;
    fprintf(stderr, "  W5, %zu flags\n", what->flag_count);
    subject all = {"decide all", make_state(given, what, cases[0].options), loop_decide_all, NULL, true};
    sample cpu = {0}, wall = {0};
    time_in_turn(&given->how, &all, 1, &cpu, &wall);
    report("W5", "decide all", what->flag_count, &cpu);
    return 0;
}
