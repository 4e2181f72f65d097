#include "commands.h"
#include "hoist_library.h"
#include "sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* W21 to W23: Kameleoon's visitors. Every flag has a rule of three conditions, then an experiment of two variations: who is
 * exposed to the rule is one hash, which variation another. */

enum {
    VISITORS = 64, /* that take turns: more would be about memory */
    DATA = 3,
    RULE_ID = 100000, EXPERIMENT_ID = 200000, /* and the number of the flag, as in ../bench/documents.py */
    FIRST = 1024,  /* calls of a run of which each has a visitor of its own */
    EVENTS = 500,  /* calls of a run that leaves something to be sent: it stays in memory */
};

typedef struct { char rule[56], experiment[56]; } hashed;

typedef struct {
    const hoist_library *api;
    hoist_client *client;
    hoist_kameleoon_visitor *visitors[VISITORS];
    hoist_kameleoon_data *data[VISITORS][DATA];
    hashed *texts;
    const workload *what;
    const pair *pairs;
    size_t mask;
    bool is_tracked;
} state;

static void expect(const state *self, hoist_status status, const char *what)
{
    if (status != HOIST_OK) die("Kameleoon: %s: %s", what, self->api->hoist_status_name(status));
}

static hoist_kameleoon_visitor *visitor(const state *self, const char *code, size_t number, bool is_tracked)
{
    hoist_kameleoon_visitor *made = NULL;
    expect(self, self->api->hoist_kameleoon_visitor_new(self->client, code, &made, NULL), "no visitor");
    const hoist_kameleoon_data *const *data = (const hoist_kameleoon_data *const *)self->data[number];
    expect(self, self->api->hoist_kameleoon_visitor_add_data(made, data, DATA, is_tracked), "no data");
    return made;
}

/* ---- W21 ------------------------------------------------------------------------------------------------- */

/* What a program reads of a variation is part of the price. */
static uint64_t decide(const state *self, hoist_kameleoon_visitor *visitor, const char *key)
{
    hoist_kameleoon_variation *variation = NULL;
    expect(self, self->api->hoist_kameleoon_visitor_variation(visitor, key, self->is_tracked, &variation), key);
    uint64_t sum = (unsigned char)*self->api->hoist_kameleoon_variation_key(variation);
    const hoist_kameleoon_variable *variable = self->api->hoist_kameleoon_variation_variable_at(variation, 0);
    sum += (unsigned char)*self->api->hoist_kameleoon_variable_json(variable);
    self->api->hoist_kameleoon_variation_free(variation);
    return sum;
}

static uint64_t loop_variation(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const pair *p = &self->pairs[i & self->mask];
        sum += decide(self, self->visitors[p->user % VISITORS], p->key);
    }
    return sum;
}

static uint64_t loop_hashes(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    double sum = 0;
    for (size_t i = first; i < first + count; i++) {
        const hashed *text = &self->texts[i & self->mask];
        sum += sha256_share(text->rule, strlen(text->rule)) + sha256_share(text->experiment, strlen(text->experiment));
    }
    return (uint64_t)sum;
}

/** The first call for a visitor, which has something to keep and to report; the visitors are made before the clock starts. */
static void measure_first(const state *self, int runs)
{
    static hoist_kameleoon_visitor *new_ones[FIRST];
    sample cpu = {0};
    for (int run = 0; run <= runs; run++) {
        for (size_t i = 0; i < FIRST; i++) {
            char code[64];
            snprintf(code, sizeof code, "first-%03d-%04zu", run, i);
            new_ones[i] = visitor(self, code, i % VISITORS, false);
        }
        double before = thread_cpu_ns();
        for (size_t i = 0; i < FIRST; i++) decide(self, new_ones[i], self->pairs[i & self->mask].key);
        if (run > 0) sample_add(&cpu, (thread_cpu_ns() - before) / FIRST);
        for (size_t i = 0; i < FIRST; i++) self->api->hoist_kameleoon_visitor_free(new_ones[i]);
    }
    record_case("kameleoon", "W21", "Hoist, C", "tracked, first of a visitor", self->what->flag_count, &cpu);
}

/* ---- W22 ------------------------------------------------------------------------------------------------- */

static uint64_t loop_variations(void *pointer, size_t first, size_t count)
{
    state *self = pointer;
    uint64_t sum = 0;
    for (size_t i = first; i < first + count; i++) {
        hoist_kameleoon_variations *all = NULL;
        expect(self, self->api->hoist_kameleoon_visitor_variations(
                         self->visitors[i % VISITORS], false, self->is_tracked, &all), "the variations");
        size_t found = self->api->hoist_kameleoon_variations_count(all);
        for (size_t place = 0; place < found; place++)
            sum += (unsigned char)*self->api->hoist_kameleoon_variation_key(self->api->hoist_kameleoon_variations_at(all, place));
        self->api->hoist_kameleoon_variations_free(all);
    }
    return sum;
}

/* ---- W23 ------------------------------------------------------------------------------------------------- */

static void tell(const state *self, size_t i)
{
    hoist_kameleoon_visitor *visitor = self->visitors[i % VISITORS];
    const char *plan = i & 64 ? "pro" : "free";
    hoist_kameleoon_data *datum = self->api->hoist_kameleoon_custom_data(1, &plan, 1);
    const hoist_kameleoon_data *list[1] = {datum};
    expect(self, self->api->hoist_kameleoon_visitor_add_data(visitor, list, 1, true), "no data");
    self->api->hoist_kameleoon_data_free(datum);
    expect(self, self->api->hoist_kameleoon_visitor_track_conversion(visitor, 17, 19.5, false, NULL, 0), "no conversion");
}

static void measure_events(const state *self, int runs)
{
    sample cpu = {0};
    for (int run = 0; run <= runs; run++) {
        double before = thread_cpu_ns();
        for (size_t i = 0; i < EVENTS; i++) tell(self, i);
        if (run > 0) sample_add(&cpu, (thread_cpu_ns() - before) / EVENTS);
    }
    record_case("kameleoon", "W23", "Hoist, C", "datum added, conversion tracked", self->what->flag_count, &cpu);
}

/* ---- All ------------------------------------------------------------------------------------------------- */

/** Every flag's experiment decides, and plain C comes to the same variations. */
static void check(const state *self)
{
    for (size_t i = 0; i <= self->mask; i++) {
        const pair *p = &self->pairs[i];
        hoist_kameleoon_variation *variation = NULL;
        expect(self, self->api->hoist_kameleoon_visitor_variation(
                         self->visitors[p->user % VISITORS], p->key, false, &variation), p->key);
        const char *key = self->api->hoist_kameleoon_variation_key(variation);
        const char *text = self->texts[i].experiment;
        const char *wanted = sha256_share(text, strlen(text)) <= 0.5 ? "a" : "b";
        if (self->api->hoist_kameleoon_variation_experiment_id(variation) < EXPERIMENT_ID || strcmp(key, wanted))
            die("Kameleoon: %s is \"%s\", not \"%s\"", p->key, key, wanted);
        self->api->hoist_kameleoon_variation_free(variation);
    }
}

/** An event for which there is no room would be quick for the wrong reason. */
static void check_events(const state *self, bool expected)
{
    hoist_text *text = self->api->hoist_client_statistics(self->client);
    const char *group = strstr(self->api->hoist_text_data(text), "\"tracking\":{\"recorded\":");
    const char *dropped = group ? strstr(group, "\"dropped\":") : NULL;
    if (!dropped) die("Kameleoon: no statistics of tracking");
    bool is_recorded = strtoul(group + strlen("\"tracking\":{\"recorded\":"), NULL, 10) > 0;
    if (is_recorded != expected || strtoul(dropped + strlen("\"dropped\":"), NULL, 10)) die("events: %.160s", group);
    self->api->hoist_text_free(text);
}

/** What is hashed for each pair: the visitor's code, and behind it the rule's or the experiment's id. */
static hashed *make_texts(const workload *what, const pair *pairs, size_t count)
{
    hashed *texts = calloc(count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        const char *code = what->users[pairs[i].user % VISITORS].id;
        size_t number = 0;
        while (strcmp(what->flags[number].key, pairs[i].key)) number++;
        snprintf(texts[i].rule, sizeof texts[i].rule, "%s%zu", code, RULE_ID + number);
        snprintf(texts[i].experiment, sizeof texts[i].experiment, "%s%zu", code, EXPERIMENT_ID + number);
    }
    return texts;
}

static state *make_state(const options *given, const workload *what)
{
    state *self = calloc(1, sizeof *self);
    self->api = hoist_load(given->where.hoist);
    self->client = hoist_open_site(self->api, given->folder);
    self->what = what;
    self->pairs = what->pairs[KIND_MIX];
    self->mask = 1023;
    self->texts = make_texts(what, self->pairs, self->mask + 1);
    for (size_t i = 0; i < VISITORS; i++) {
        const user *who = &what->users[i];
        const char *values[DATA] = {who->country, who->plan, who->age};
        for (int index = 0; index < DATA; index++)
            self->data[i][index] = self->api->hoist_kameleoon_custom_data(index, &values[index], 1);
        self->visitors[i] = visitor(self, who->id, i, false);
    }
    check(self);
    return self;
}

static void measure(const options *given, const char *workload_name, const char *what, state *self,
                    uint64_t (*loop)(void *, size_t, size_t), bool has_floor)
{
    subject both[2] = {{"Hoist, C", self, loop, NULL, true}, {"C, SHA-256 twice", self, loop_hashes, NULL, true}};
    size_t count = has_floor ? 2 : 1;
    sample cpu[2] = {0}, wall[2] = {0};
    time_in_turn(&given->how, both, count, cpu, wall);
    for (size_t i = 0; i < count; i++)
        record_case("kameleoon", workload_name, both[i].name, what, self->what->flag_count, &cpu[i]);
}

int command_variation(const options *given)
{
    const workload *what = workload_read(given->folder);
    static const char *const names[2] = {"untracked", "tracked"};
    for (int tracked = 0; tracked < 2; tracked++) {
        state *self = make_state(given, what);
        self->is_tracked = tracked;
        fprintf(stderr, "  %s, %zu flags, %s\n", given->only, what->flag_count, names[tracked]);
        if (strstr(given->only, "W21")) measure(given, "W21", names[tracked], self, loop_variation, true);
        if (strstr(given->only, "W21") && tracked) measure_first(self, given->how.runs);
        if (strstr(given->only, "W22")) measure(given, "W22", names[tracked], self, loop_variations, false);
        if (strstr(given->only, "W21") || strstr(given->only, "W22")) check_events(self, tracked);
        if (strstr(given->only, "W23") && tracked) {
            measure_events(self, given->how.runs);
            check_events(self, true);
        }
        self->api->hoist_client_close(self->client, 0);
    }
    return 0;
}
