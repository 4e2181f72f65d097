#include "commands.h"
#include "hoist_library.h"
#include "patch_sender.h"
#include "swapper.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* W25: what a burst of patches on the stream of one LaunchDarkly client does to the rest of the process: to its forks, to the
   fetches of another client, and to the closing of that client itself. */

enum { BURST = 5000, LONG_BURST = 20000, ROUNDS = 20, CLOSES = 5, CLOSE_MS = 1000, LATE_SECONDS = 60, OTHER_FLAGS = 10, REST_US = 20000 };

typedef struct {
    const hoist_library *api;
    const workload *what;
    const char *subject;
    patch_sender sender;
    hoist_client *(*open)(const hoist_library *library, const char *url);
    hoist_client *client;
    hoist_context *context; /**< NULL where the flags are one context's */
    burst sent;             /**< the newest */
    swapper other;          /**< the second client */
} state;

static int64_t value_of(const state *self, uint32_t number)
{
    const char *key = self->what->flags[number % self->what->flag_count].key;
    return self->api->hoist_client_int64(self->client, key, self->context, -1, NULL);
}

static void begin(state *self, uint32_t count)
{
    self->sent = (burst){self->sent.first + self->sent.count, count};
    patch_sender_begin(&self->sender, self->sent);
}

static bool is_worked_off(const state *self)
{
    uint32_t last = self->sent.first + self->sent.count - 1;
    return value_of(self, last) == last;
}

static void finish(const state *self)
{
    if (!patch_sender_finish(&self->sender)) die("%s: the stream was closed during a burst", self->subject);
}

/** Each flag has the value of the last patch that was of it. Asked once: what is asked is counted for events. */
static void check(const state *self)
{
    uint32_t end = self->sent.first + self->sent.count;
    for (uint32_t number = end - (uint32_t)self->what->flag_count; number < end; number++)
        if (value_of(self, number) != number) die("%s: patch %u is not in force", self->subject, number);
}

static void fork_once(const state *self, histogram *times)
{
    (void)self;
    double before = wall_ns();
    pid_t process = fork();
    if (process == 0) _exit(0);
    histogram_add(times, (uint64_t)(wall_ns() - before));
    int status;
    if (process < 0 || waitpid(process, &status, 0) != process || status) die("a fork has failed");
}

static void fetch_once(const state *self, histogram *times)
{
    double before = wall_ns();
    self->other.swap(self->other.state);
    histogram_add(times, (uint64_t)(wall_ns() - before));
}

static void report(const state *self, const char *what, const char *when, const histogram *times)
{
    record_begin("burst");
    record_text("workload", "W25");
    record_text("subject", self->subject);
    record_text("case", what);
    record_text("state", when);
    record_number("size", (double)self->what->flag_count);
    record_number("count", (double)times->count);
    record_number("p50", histogram_quantile(times, 0.5));
    record_number("p99", histogram_quantile(times, 0.99));
    record_number("highest", (double)times->highest);
    record_end();
}

/** Does something again and again during bursts, and as often after each, when the stream is quiet. */
static void measure(state *self, const char *what, void (*once)(const state *, histogram *))
{
    static histogram times[2];
    memset(times, 0, sizeof times);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = times[0].count;
        double late = wall_ns() + LATE_SECONDS * 1e9;
        for (begin(self, BURST); !is_worked_off(self); once(self, &times[0]))
            if (wall_ns() > late) die("%s: a burst was never worked off", self->subject);
        finish(self);
        usleep(REST_US);
        for (uint64_t i = before; i < times[0].count; i++) once(self, &times[1]);
    }
    report(self, what, "burst", &times[0]);
    report(self, what, "calm", &times[1]);
}

static void open_client(state *self)
{
    self->client = self->open(self->api, self->sender.url);
}

static void close_client(state *self, int64_t timeout)
{
    hoist_status status = self->api->hoist_client_close(self->client, timeout);
    if (status != HOIST_OK && status != HOIST_ERR_TIMEOUT) die("hoist_client_close: %s", self->api->hoist_status_name(status));
}

/** With a burst that is longer than its client can work off meanwhile. */
static void measure_close(state *self)
{
    static histogram times;
    for (int round = 0; round < CLOSES; round++) {
        open_client(self);
        begin(self, LONG_BURST);
        while (value_of(self, self->sent.first) < self->sent.first) nanosleep(&(struct timespec){0, 100000}, NULL);
        double before = wall_ns();
        close_client(self, CLOSE_MS);
        histogram_add(&times, (uint64_t)(wall_ns() - before));
        if (is_worked_off(self)) die("%s: no patch was waiting when the client was closed", self->subject);
        patch_sender_finish(&self->sender);
        self->api->hoist_client_free(self->client);
    }
    report(self, "close", "burst", &times);
}

int command_burst(const options *given)
{
    const workload *what = workload_read(given->folder), other = {.flag_count = OTHER_FLAGS};
    bool of_rules = !strcmp(given->subject, "rules");
    whole_set set = whole_set_read(given->folder, of_rules ? "launchdarkly-rules.json" : "launchdarkly-on.json", of_rules);
    fprintf(stderr, "  W25, %s\n", given->subject);
    state self = {.what = what, .subject = of_rules ? "Hoist, rules" : "Hoist, values", .sent = {BURST, 0},
                  .sender = patch_sender_start(what, &set, of_rules)};
    self.api = hoist_load(given->where.hoist);
    self.open = of_rules ? hoist_open_rules_stream : hoist_open_stream;
    self.context = of_rules ? self.api->hoist_context_new("user-1") : NULL;
    self.other = hoist_swapper(&given->where, &other);
    open_client(&self);
    measure(&self, "fork", fork_once);
    measure(&self, "fetch", fetch_once);
    check(&self);
    close_client(&self, 0);
    self.api->hoist_client_free(self.client);
    measure_close(&self);
    return 0;
}
