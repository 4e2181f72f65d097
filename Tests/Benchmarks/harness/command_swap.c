#include "commands.h"
#include "swapper.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* W8: the time of single rule evaluations, calm and while another thread swaps the configuration. */

/* A breath between swaps: without it an unfair lock keeps the readers out for seconds. */
enum { PAUSE_NS = 500000 };

typedef struct { const swapper *engine; atomic_bool stop; size_t swaps; } job;

static void *swap_until_stopped(void *pointer)
{
    job *self = pointer;
    pin(1);
    const struct timespec pause = {0, PAUSE_NS};
    for (; !atomic_load(&self->stop); self->swaps++) {
        self->engine->swap(self->engine->state);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/** What reading the clock twice costs: taken off each call. */
static uint64_t clock_cost(void)
{
    histogram costs = {0};
    for (int i = 0; i < 100000; i++) {
        double before = wall_ns();
        histogram_add(&costs, (uint64_t)(wall_ns() - before));
    }
    return (uint64_t)histogram_quantile(&costs, 0.5);
}

static volatile uint64_t sink; /* keeps the calls from being optimised away */

static void time_call(const subject *one, size_t index, uint64_t cost, histogram *times)
{
    double before = wall_ns();
    sink += one->loop(one->state, index, 1);
    uint64_t took = (uint64_t)(wall_ns() - before);
    histogram_add(times, took > cost ? took - cost : 0);
}

/**
 * Calls of the engine and of plain C in turn, so that both see the same machine. Every 64th answer is compared,
 * every 4096th call asks for a torn read. Returns wrong answers.
 */
static size_t read_for(double seconds, const swapper *engine, const subject *floor, histogram times[2])
{
    size_t wrong = 0;
    uint64_t cost = clock_cost();
    const subject *one = &engine->over;
    double end = wall_ns() + seconds * 1e9;
    for (size_t i = 0; i % 64 || wall_ns() < end; i++) {
        time_call(one, i, cost, &times[0]);
        time_call(floor, i, cost, &times[1]);
        if (i % 64 == 0) wrong += one->answer(one->state, i) != floor->answer(floor->state, i);
        if (i % 4096 == 0 && engine->is_torn) wrong += engine->is_torn(engine->state);
    }
    return wrong;
}

static void report(const workload *what, const char *name, const char *beside, const char *state,
                   const histogram *times, size_t swaps, size_t wrong)
{
    record_begin("latency");
    record_text("workload", "W8");
    record_text("subject", name);
    record_text("beside", beside);
    record_text("state", state);
    record_number("size", (double)what->flag_count);
    record_number("p50", histogram_quantile(times, 0.5));
    record_number("p99", histogram_quantile(times, 0.99));
    record_number("p999", histogram_quantile(times, 0.999));
    record_number("highest", (double)times->highest);
    record_number("calls", (double)times->count);
    record_number("swaps", (double)swaps);
    record_number("wrong", (double)wrong);
    record_end();
}

/** One phase: the engine's row and, under the same conditions, that of plain C. */
static void phase(const options *given, const workload *what, const swapper *engine, const subject *floor,
                  job *swaps)
{
    static histogram times[2];
    const char *name = engine->over.name, *state = swaps ? "swapping" : "calm";
    pthread_t thread;
    memset(times, 0, sizeof times);
    if (swaps && pthread_create(&thread, NULL, swap_until_stopped, swaps)) die("no second thread");
    size_t wrong = read_for(given->seconds, engine, floor, times);
    if (swaps) {
        atomic_store(&swaps->stop, true);
        pthread_join(thread, NULL);
    }
    report(what, name, name, state, &times[0], swaps ? swaps->swaps : 0, wrong);
    report(what, floor->name, name, state, &times[1], 0, 0);
    if (wrong) die("%s: %zu failed or torn reads, %s", name, wrong, state);
}

static void measure(const options *given, const workload *what, swapper engine, const subject *floor)
{
    fprintf(stderr, "  W8, %zu flags, %s\n", what->flag_count, engine.over.name);
    job swaps = {&engine, false, 0};
    pin(0);
    phase(given, what, &engine, floor, NULL);
    phase(given, what, &engine, floor, &swaps);
}

int command_swap(const options *given)
{
    const workload *what = workload_read(given->folder);
    subject made[MAX_SUBJECTS];
    const subject *floor = &made[floor_subjects(&given->where, what, KIND_RULE, made) - 1];
    if (given->where.hoist) measure(given, what, hoist_swapper(&given->where, what), floor);
    if (given->where.yggdrasil) measure(given, what, yggdrasil_swapper(&given->where, what), floor);
    return 0;
}
