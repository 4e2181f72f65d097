#include "commands.h"
#include "hoist_library.h"
#include "yggdrasil_library.h"

#include <pthread.h>
#include <stdio.h>

/* W6: recording an event with one property, into an empty and into a deep queue. */

enum { CALLS = 2000, DEEP = 100000 };

typedef struct {
    const hoist_library *api;
    hoist_client *client;
    hoist_context *context;
    int number;
    pthread_barrier_t *start;
    double took;
} job;

static void track(const job *self, int calls)
{
    hoist_event_property property = {sizeof property, "currency", HOIST_EVENT_TEXT, "EUR", 0, false};
    hoist_event event = {sizeof event, 19.9, true, &property, 1};
    for (int i = 0; i < calls; i++) {
        hoist_status status = self->api->hoist_client_track(self->client, "purchase", self->context, &event);
        if (status != HOIST_OK) die("hoist_client_track: %s", self->api->hoist_status_name(status));
    }
}

static void *timed_thread(void *pointer)
{
    job *self = pointer;
    pin(self->number);
    track(self, 16);
    pthread_barrier_wait(self->start);
    double before = wall_ns();
    track(self, CALLS);
    self->took = wall_ns() - before;
    return NULL;
}

static double one_thread(job *self)
{
    pin(0);
    track(self, 16);
    double before = thread_cpu_ns();
    track(self, CALLS);
    return (thread_cpu_ns() - before) / CALLS;
}

static double two_threads(job *self)
{
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 2);
    job second = *self;
    self->start = second.start = &start;
    second.number = 1;
    pthread_t thread;
    if (pthread_create(&thread, NULL, timed_thread, &second)) die("no second thread");
    timed_thread(self);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&start);
    return (self->took > second.took ? self->took : second.took) / CALLS;
}

static void report(const char *subject, int threads, int depth, const sample *values)
{
    record_begin("track");
    record_text("workload", "W6");
    record_text("subject", subject);
    record_number("threads", threads);
    record_number("depth", depth);
    record_sample(values);
    record_end();
}

/** A fresh client per run, so that the depth is what it says. */
static void measure_hoist(const options *given, bool is_launchdarkly, int threads, int depth)
{
    const hoist_library *api = hoist_load(given->where.hoist);
    sample values = {0};
    fprintf(stderr, "  W6%s, %d thread%s, %d events waiting\n", is_launchdarkly ? " of LaunchDarkly" : "", threads, threads > 1 ? "s" : "", depth);
    for (int run = 0; run < given->how.runs; run++) {
        char why[256];
        hoist_client *client = is_launchdarkly ? hoist_open_polling(api, given->where.url, 10)
                                               : hoist_open_tracking(api, given->folder, why);
        job self = {api, client, api->hoist_context_new("user-1"), 0, NULL, 0};
        if (!self.client) {
            record_begin("skipped");
            record_text("workload", "W6");
            record_text("why", why);
            record_end();
            return;
        }
        track(&self, depth);
        sample_add(&values, threads == 1 ? one_thread(&self) : two_threads(&self));
        api->hoist_client_close(self.client, 0);
        api->hoist_client_free(self.client);
    }
    report(is_launchdarkly ? "Hoist, LaunchDarkly" : "Hoist", threads, depth, &values);
}

/** The metric count of an evaluation: the only thing yggdrasil records. */
static void measure_yggdrasil(const options *given)
{
    const workload *what = workload_read(given->folder);
    const yggdrasil_library *api = yggdrasil_load(given->where.yggdrasil);
    void *engine = yggdrasil_engine_new(api, read_file(given->folder, "unleash.json", NULL));
    sample values = {0};
    pin(0);
    for (int run = 0; run < given->how.runs; run++) {
        double before = thread_cpu_ns();
        for (int i = 0; i < CALLS; i++)
            api->free_response(api->count_toggle(engine, what->flags[(size_t)i % what->flag_count].key, true));
        sample_add(&values, (thread_cpu_ns() - before) / CALLS);
    }
    report("yggdrasil, count only", 1, 0, &values);
}

int command_track(const options *given)
{
    if (given->where.hoist)
        for (int threads = 1; threads <= given->threads; threads++) {
            for (int is_launchdarkly = 0; is_launchdarkly < 2; is_launchdarkly++) {
                measure_hoist(given, is_launchdarkly, threads, 0);
                measure_hoist(given, is_launchdarkly, threads, DEEP);
            }
        }
    if (given->where.yggdrasil) measure_yggdrasil(given);
    return 0;
}
