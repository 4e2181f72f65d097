#include "commands.h"
#include "hoist_library.h"
#include "stream_service.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* W17: from a patch on the wire to the call of a LaunchDarkly client's observer. This process is the service as well,
   so that one clock reads both ends. Of W24 the same for rules, and for a whole set of them. */

enum { WARM_UP = 20, PATCHES = 400, PUTS = 5, PAUSE_US = 1000, LATE_SECONDS = 20 };

typedef struct { whole_set flags; int listening, stream; sem_t has_stream; } service;

static sem_t has_noticed;
static double noticed_at;

static void notice(double when)
{
    noticed_at = when;
    sem_post(&has_noticed);
}

static void wait_for(sem_t *what, const char *missing)
{
    struct timespec late;
    clock_gettime(CLOCK_REALTIME, &late);
    late.tv_sec += LATE_SECONDS;
    while (sem_timedwait(what, &late))
        if (errno != EINTR) die("%s", missing);
}

static void send_or_die(int stream, const char *text, size_t size)
{
    if (!send_all(stream, text, size)) die("the stream was closed");
}

/** Answers the first request with a stream of all flags; whatever else is sent, events above all, meets silence. */
static void *serve(void *pointer)
{
    service *self = pointer;
    self->stream = accept_stream(self->listening, &self->flags);
    if (self->stream < 0) die("no request for a stream");
    sem_post(&self->has_stream);
    return NULL;
}

static service *start_service(whole_set flags, char url[64])
{
    service *self = calloc(1, sizeof *self);
    pthread_t thread;
    self->flags = flags;
    sem_init(&self->has_stream, 0, 0);
    self->listening = listen_on_loopback(url);
    if (pthread_create(&thread, NULL, serve, self)) die("no thread for a service");
    pthread_detach(thread);
    return self;
}

static void report(const char *workload, const char *name, size_t flag_count, const histogram *times, double cpu)
{
    record_begin("notice");
    record_text("workload", workload);
    record_text("subject", name);
    record_number("size", (double)flag_count);
    record_number("p50", histogram_quantile(times, 0.5));
    record_number("p99", histogram_quantile(times, 0.99));
    record_number("highest", (double)times->highest);
    record_number("cpu", cpu);
    record_end();
}

/** Sends patches one at a time, each with the other value, and waits until each has been noticed. */
static void measure(const char *name, size_t flag_count, int stream)
{
    histogram times = {0};
    double cpu_before = 0;
    for (int i = 0; i < WARM_UP + PATCHES; i++) {
        if (i == WARM_UP) cpu_before = process_cpu_ns();
        char patch[256];
        int size = snprintf(patch, sizeof patch,
                            "event: patch\ndata: {\"key\":\"marker\",\"version\":%d,\"value\":%s,\"variation\":%d}\n\n",
                            100 + i, i % 2 ? "true" : "false", i % 2);
        double sent_at = wall_ns();
        send_or_die(stream, patch, (size_t)size);
        wait_for(&has_noticed, "a patch was never noticed");
        if (i >= WARM_UP) histogram_add(&times, (uint64_t)(noticed_at - sent_at));
        usleep(PAUSE_US);
    }
    report("W17", name, flag_count, &times, (process_cpu_ns() - cpu_before) / PATCHES);
}

/** The floor: a thread that waits at the socket and does nothing else. */
static void *read_bare(void *pointer)
{
    char bytes[4096];
    while (recv(*(int *)pointer, bytes, sizeof bytes, 0) > 0) notice(wall_ns());
    return NULL;
}

static void measure_floor(size_t flag_count)
{
    static int ends[2];
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&thread, NULL, read_bare, &ends[1])) die("no thread");
    measure("C, bare read", flag_count, ends[0]);
    close(ends[0]);
    pthread_join(thread, NULL);
}

static void changed(void *user_data, const hoist_launchdarkly_change *changes, size_t count)
{
    double now = wall_ns();
    (void)user_data;
    if (count != 1 || strcmp(changes->key, "marker")) die("%zu flags have changed, %s first", count, changes->key);
    notice(now);
}

static void measure_hoist(const options *given, size_t flag_count)
{
    const hoist_library *api = hoist_load(given->where.hoist);
    char url[64];
    service *source = start_service(whole_set_read(given->folder, "launchdarkly-on.json", false), url);
    hoist_client *client = hoist_open_stream(api, url);
    wait_for(&source->has_stream, "no stream was opened");
    hoist_launchdarkly_observer observer = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
    observer.changed = changed;
    hoist_status status = api->hoist_launchdarkly_observe_flag(client, "marker", &observer, NULL);
    if (status != HOIST_OK) die("hoist_launchdarkly_observe_flag: %s", api->hoist_status_name(status));
    measure("Hoist", flag_count, source->stream);
    api->hoist_client_close(client, 0);
    api->hoist_client_free(client);
}

static void rule_changed(void *user_data, const hoist_notification *notification)
{
    (void)user_data;
    (void)notification;
    notice(wall_ns());
}

/** One flag's rules, in another version and now on, now off. */
static void send_rules_of(const service *source, const char *key, int turn)
{
    static const char rule[] = "{\"id\":\"r\",\"variation\":0,\"clauses\":[{\"attribute\":\"country\",\"op\":\"in\",\"values\":[\"NL\"]}]}";
    char patch[1024];
    int size = snprintf(patch, sizeof patch,
                        "event: patch\ndata: {\"path\":\"/flags/%s\",\"data\":{\"key\":\"%s\",\"version\":%d,\"on\":%s,\"salt\":\"s\","
                        "\"variations\":[true,false],\"offVariation\":1,\"fallthrough\":{\"variation\":1},\"rules\":[%s,%s,%s]}}\n\n",
                        key, key, 100 + turn, turn % 2 ? "true" : "false", rule, rule, rule);
    send_or_die(source->stream, patch, (size_t)size);
}

/** Before each whole set one flag is changed, which the set changes back: so both are noticed. */
static void measure_rules(const service *source, const workload *what)
{
    const char *key = what->flags[0].key;
    histogram patches = {0}, puts = {0};
    double patch_cpu = 0, put_cpu = 0;
    for (int i = 0; i < WARM_UP + PATCHES + PUTS; i++) {
        bool is_put = i >= WARM_UP + PATCHES;
        double cpu_before = process_cpu_ns(), sent_at = wall_ns();
        send_rules_of(source, key, i);
        wait_for(&has_noticed, "a patch was never noticed");
        if (i >= WARM_UP && !is_put) {
            histogram_add(&patches, (uint64_t)(noticed_at - sent_at));
            patch_cpu += process_cpu_ns() - cpu_before;
        }
        usleep(PAUSE_US);
        if (!is_put) continue;
        cpu_before = process_cpu_ns(), sent_at = wall_ns();
        if (!send_put(source->stream, &source->flags)) die("the stream was closed");
        wait_for(&has_noticed, "a whole set was never noticed");
        histogram_add(&puts, (uint64_t)(noticed_at - sent_at));
        put_cpu += process_cpu_ns() - cpu_before;
    }
    report("W24", "Hoist, patch", what->flag_count, &patches, patch_cpu / PATCHES);
    report("W24", "Hoist, put", what->flag_count, &puts, put_cpu / PUTS);
}

int command_change(const options *given)
{
    const workload *what = workload_read(given->folder);
    const hoist_library *api = hoist_load(given->where.hoist);
    fprintf(stderr, "  W24, changes, %zu flags\n", what->flag_count);
    sem_init(&has_noticed, 0, 0);
    char url[64];
    service *source = start_service(whole_set_read(given->folder, "launchdarkly-rules.json", true), url);
    hoist_client *client = hoist_open_rules_stream(api, url);
    wait_for(&source->has_stream, "no stream was opened");
    hoist_observer observer = HOIST_OBSERVER_INIT;
    observer.notify = rule_changed;
    hoist_status status = api->hoist_client_observe(client, HOIST_TOPIC_FLAG_CHANGED, what->flags[0].key, &observer, NULL);
    if (status != HOIST_OK) die("hoist_client_observe: %s", api->hoist_status_name(status));
    measure_rules(source, what);
    api->hoist_client_close(client, 0);
    api->hoist_client_free(client);
    return 0;
}

int command_notice(const options *given)
{
    const workload *what = workload_read(given->folder);
    fprintf(stderr, "  W17, %zu flags\n", what->flag_count);
    sem_init(&has_noticed, 0, 0);
    measure_floor(what->flag_count);
    if (given->where.hoist) measure_hoist(given, what->flag_count);
    return 0;
}
