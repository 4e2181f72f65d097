#include "commands.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>

/* W1 to W4: one kind of flag, all subjects in turn, answers checked first. */

static const char *const titles[KIND_COUNT] = {"W1", "W2", "W3", "W4"};

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

static void report(const workload *what, int kind, int threads, const subject *subjects, size_t count,
                   const sample *cpu, const sample *wall)
{
    for (size_t i = 0; i < count; i++) {
        record_begin("time");
        record_text("workload", titles[kind]);
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

int command_evaluate(const options *given)
{
    const workload *what = workload_read(given->folder);
    subject subjects[MAX_SUBJECTS];
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (!strstr(given->only, titles[kind])) continue;
        const subject *expected;
        size_t count = collect(&given->where, what, kind, subjects, &expected);
        for (size_t i = 0; i < count; i++)
            if (subjects[i].answer) check(&subjects[i], expected, what, kind);
        for (int threads = 1; threads <= given->threads; threads++) {
            for (int attempt = 1;; attempt++) {
                fprintf(stderr, "  %s, %zu flags, %d thread%s%s\n", titles[kind], what->flag_count, threads,
                        threads > 1 ? "s" : "", attempt > 1 ? ", again: the calibration was restless" : "");
                sample cpu[MAX_SUBJECTS] = {0}, wall[MAX_SUBJECTS] = {0};
                if (threads == 1) time_in_turn(&given->how, subjects, count, cpu, wall);
                else time_two_threads(&given->how, subjects, count, cpu, wall);
                /* Wall time of a busy machine gets no better by waiting: one more try, then CPU time decides. */
                int attempts = threads == 1 || given->attempts < 2 ? given->attempts : 2;
                if (attempt < attempts && !is_calm(threads == 1 ? cpu : wall, given->spread_limit)) continue;
                report(what, kind, threads, subjects, count, cpu, wall);
                break;
            }
        }
    }
    return 0;
}
