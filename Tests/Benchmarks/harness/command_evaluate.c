#include "commands.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>

/* One kind of flag, all subjects in turn, answers checked first. */

typedef enum { DECIDED, SERVED, BY_RULES } engine;
typedef struct { const char *title; int kind; engine engine; } table;

/* What is served is one context's values: LaunchDarkly's. By its rules mode server decides. */
static const table tables[] = {{"W1", KIND_BOOL, DECIDED}, {"W2", KIND_RULE, DECIDED},  {"W3", KIND_VARI, DECIDED},
                               {"W4", KIND_MIX, DECIDED},  {"W14", KIND_BOOL, SERVED}, {"W15", KIND_VARI, SERVED},
                               {"W24", KIND_RULE, BY_RULES}};

static bool is_wanted(const char *list, const char *title)
{
    size_t size = strlen(title);
    for (const char *at = list; (at = strstr(at, title)); at += size)
        if ((at == list || at[-1] == ',') && (!at[size] || at[size] == ',')) return true;
    return false;
}

/** The last row of the floor gives the expected answers. */
static size_t collect(const libraries *where, const workload *what, int kind, subject *subjects, const subject **expected)
{
    size_t count = floor_subjects(where, what, kind, subjects);
    *expected = &subjects[count - 1];
    count += hoist_subjects(where, what, kind, subjects + count);
    count += yggdrasil_subjects(where, what, kind, subjects + count);
    count += flipt_subjects(where, what, kind, subjects + count);
    return count;
}

static void check_served(const subject *one, const workload *what, int kind)
{
    for (size_t i = 0; i < what->pair_count[kind]; i++) {
        int answer = one->answer(one->state, i);
        bool is_right = kind == KIND_BOOL ? answer == ANSWER_ON : answer == ANSWER_A || answer == ANSWER_B;
        if (!is_right) die("%s: %s is %d", one->name, what->pairs[kind][i].key, answer);
    }
}

/** The floor finds a value and counts it, of whatever type it is. */
static size_t collect_served(const libraries *where, const workload *what, int kind, subject *subjects)
{
    size_t floor = floor_subjects(where, what, KIND_BOOL, subjects);
    size_t count = launchdarkly_subjects(where, what, kind, subjects + floor);
    for (size_t i = 0; i < count; i++) check_served(&subjects[floor + i], what, kind);
    return floor + count;
}

static void check_share(const char *name, const char *what, size_t hits, size_t of)
{
    if (of && (hits * 100 < of * 45 || hits * 100 > of * 55)) die("%s: %zu of %zu %s: not half", name, hits, of, what);
}

static void check(const subject *one, const subject *expected, const workload *what, int kind)
{
    size_t seen[4] = {0};
    for (size_t i = 0; i < what->pair_count[kind]; i++) {
        const pair *p = &what->pairs[kind][i];
        int answer = one->answer(one->state, i), wanted = expected->answer(expected->state, i);
        if (answer == ANSWER_ERROR) die("%s: no answer for %s", one->name, p->key);
        if (p->kind == KIND_BOOL && answer != ANSWER_ON) die("%s: %s is off", one->name, p->key);
        if (one->exact && answer != wanted)
            die("%s: %s for %s is %d, not %d", one->name, p->key, what->users[p->user].id, answer, wanted);
        if (p->kind != KIND_BOOL) seen[answer]++;
    }
    check_share(one->name, "rule flags on", seen[ANSWER_ON], seen[ANSWER_ON] + seen[ANSWER_OFF]);
    check_share(one->name, "variants a", seen[ANSWER_A], seen[ANSWER_A] + seen[ANSWER_B]);
}

static void report(const workload *what, const char *title, int threads, const subject *subjects, size_t count,
                   const sample *cpu, const sample *wall)
{
    for (size_t i = 0; i < count; i++) {
        record_begin("time");
        record_text("workload", title);
        record_text("subject", subjects[i].name);
        record_number("size", (double)what->flag_count);
        record_number("threads", threads);
        record_sample(threads == 1 ? &cpu[i] : &wall[i]);
        record_number("cpu_minimum", sample_minimum(&cpu[i]));
        record_number("wall_minimum", sample_minimum(&wall[i]));
        record_end();
    }
}

/** Whether the calibration rows held still. */
static bool is_calm(const sample *values, double limit)
{
    return sample_spread(&values[1]) <= limit && sample_spread(&values[2]) <= limit;
}

/** Subjects whose answers are right. */
static size_t prepare(const libraries *where, const workload *what, const table *one, subject *subjects)
{
    if (one->engine == SERVED) return collect_served(where, what, one->kind, subjects);
    if (one->engine == BY_RULES) {
        size_t floor = floor_subjects(where, what, one->kind, subjects);
        return floor + server_subjects(where, what, subjects + floor);
    }
    const subject *expected;
    size_t count = collect(where, what, one->kind, subjects, &expected);
    for (size_t i = 0; i < count; i++)
        if (subjects[i].answer) check(&subjects[i], expected, what, one->kind);
    return count;
}

int command_evaluate(const options *given)
{
    const workload *what = workload_read(given->folder);
    subject subjects[MAX_SUBJECTS];
    for (const table *one = tables; one < tables + sizeof tables / sizeof *tables; one++) {
        if (!is_wanted(given->only, one->title)) continue;
        size_t count = prepare(&given->where, what, one, subjects);
        for (int threads = 1; threads <= given->threads; threads++) {
            for (int attempt = 1;; attempt++) {
                fprintf(stderr, "  %s, %zu flags, %d thread%s%s\n", one->title, what->flag_count, threads,
                        threads > 1 ? "s" : "", attempt > 1 ? ", again: the calibration was restless" : "");
                sample cpu[MAX_SUBJECTS] = {0}, wall[MAX_SUBJECTS] = {0};
                if (threads == 1) time_in_turn(&given->how, subjects, count, cpu, wall);
                else time_two_threads(&given->how, subjects, count, cpu, wall);
                /* Wall time of a busy machine gets no better by waiting: one more try, then CPU time decides. */
                int attempts = threads == 1 || given->attempts < 2 ? given->attempts : 2;
                if (attempt < attempts && !is_calm(threads == 1 ? cpu : wall, given->spread_limit)) continue;
                report(what, one->title, threads, subjects, count, cpu, wall);
                break;
            }
        }
    }
    return 0;
}
