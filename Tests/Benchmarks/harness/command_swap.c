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

/** Every 64th call is checked against the floor, every 4096th asks for a torn read. Returns wrong answers. */
static size_t read_for(double seconds, const subject *one, const subject *expected, const swapper *engine,
                       histogram *times)
{
    static volatile uint64_t sink; /* keeps the calls from being optimised away */
    size_t wrong = 0;
    uint64_t cost = clock_cost();
    double end = wall_ns() + seconds * 1e9;
    for (size_t i = 0;; i++) {
        double before = wall_ns();
        sink += one->loop(one->state, i, 1);
        double after = wall_ns();
        uint64_t took = (uint64_t)(after - before);
        histogram_add(times, took > cost ? took - cost : 0);
        if (i % 64 == 0 && expected) wrong += one->answer(one->state, i) != expected->answer(expected->state, i);
        if (i % 4096 == 0 && engine && engine->is_torn) wrong += engine->is_torn(engine->state);
        if (after > end) break;
    }
    return wrong;
}

static void report(const workload *what, const char *name, const char *state, const histogram *times, size_t swaps,
                   size_t wrong)
{
    record_begin("latency");
    record_text("workload", "W8");
    record_text("subject", name);
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
    if (wrong) die("%s: %zu failed or torn reads while swapping", name, wrong);
}

static void measure(const options *given, const workload *what, const swapper *engine, const subject *expected)
{
    const char *name = engine->over.name;
    fprintf(stderr, "  W8, %zu flags, %s\n", what->flag_count, name);
    static histogram times;
    memset(&times, 0, sizeof times);
    pin(0);
    size_t wrong = read_for(given->seconds, &engine->over, expected, engine, &times);
    report(what, name, "calm", &times, 0, wrong);

    memset(&times, 0, sizeof times);
    job swaps = {engine, false, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, swap_until_stopped, &swaps)) die("no second thread");
    wrong = read_for(given->seconds, &engine->over, expected, engine, &times);
    atomic_store(&swaps.stop, true);
    pthread_join(thread, NULL);
    report(what, name, "swapping", &times, swaps.swaps, wrong);
}

int command_swap(const options *given)
{
    const workload *what = workload_read(given->folder);
    subject expected[MAX_SUBJECTS];
    const subject *floor = &expected[floor_subjects(&given->where, what, KIND_RULE, expected) - 1];
    static histogram times;
    pin(0);
    read_for(given->seconds, floor, NULL, NULL, &times);
    report(what, floor->name, "calm", &times, 0, 0);
    if (given->where.hoist) {
        swapper engine = hoist_swapper(&given->where, what);
        measure(given, what, &engine, floor);
    }
    if (given->where.yggdrasil) {
        swapper engine = yggdrasil_swapper(&given->where, what);
        measure(given, what, &engine, floor);
    }
    return 0;
}
