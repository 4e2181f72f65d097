/* What the plug-in costs beside bare hiredis: bench PLUGIN SOCKET RUNS. Both take turns; of each row
 * the median is printed, in nanoseconds: NAME BARE PLUGIN. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <hiredis/hiredis.h>
#include <hoist/plugin.h>
#include <hoist/plugin_object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_UPS = 2000, EVENTS = 20000, BATCH = 1000, PEOPLE = 1000, MOST_RUNS = 64, PAYLOAD_BYTES = 300 };

static hoist_cache cache;
static redisContext *bare;
static const char *tag = "{hoist:bench}";
static char payload[PAYLOAD_BYTES + 1];
static long made;

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Of processor time, here and in the server: what a call takes where nothing else is to be done. */
static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    redisReply *told = redisCommand(bare, "INFO cpu");
    double server = 0;
    const char *names[] = {"used_cpu_sys:", "used_cpu_user:"};
    for (int i = 0; i < 2; i++) server += atof(strstr(told->str, names[i]) + strlen(names[i]));
    freeReplyObject(told);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec + server * 1e9;
}

static void forget_all(void) {
    freeReplyObject(redisCommand(bare, "FLUSHALL"));
}

/* ---- A person is looked up ---- */

static void keep_people(void) {
    forget_all();
    for (int person = 0; person < PEOPLE; person++) {
        char key[64];
        snprintf(key, sizeof key, "visitor:%d", person);
        require(cache.save(cache.user_data, key, payload, PAYLOAD_BYTES) == HOIST_OK, "not kept");
    }
}

static void look_up_bare(void) {
    for (int i = 0; i < LOOK_UPS; i++) {
        redisReply *reply = redisCommand(bare, "HGET %s:value:visitor:%d payload", tag, i % PEOPLE);
        require(reply && reply->type == REDIS_REPLY_STRING && reply->len == PAYLOAD_BYTES, "not found");
        freeReplyObject(reply);
    }
}

static size_t taken;

/* In front of the library's own. */
HOIST_API hoist_status hoist_bytes_sink_write(hoist_bytes_sink *sink, const void *bytes, size_t size) {
    (void)sink;
    (void)bytes;
    taken += size;
    return HOIST_OK;
}

static void look_up(void) {
    taken = 0;
    for (int i = 0; i < LOOK_UPS; i++) {
        char key[64];
        snprintf(key, sizeof key, "visitor:%d", i % PEOPLE);
        require(cache.load(cache.user_data, key, (hoist_bytes_sink *)&taken) == HOIST_OK, "not found");
    }
    require(taken == (size_t)LOOK_UPS * PAYLOAD_BYTES, "not all was found");
}

/* ---- Events are appended ---- */

static void append_bare(void) {
    for (int done = 0; done < EVENTS; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            long number = made++;
            redisAppendCommand(bare, "XADD %s:events * id 0123456789abcdef-%016lx pipeline hits subject p%d created %lld payload %b", tag,
                               number, (int)(number % PEOPLE), 1767225600000LL, payload, (size_t)PAYLOAD_BYTES);
        }
        for (int i = 0; i < BATCH; i++) {
            void *reply = NULL;
            require(redisGetReply(bare, &reply) == REDIS_OK && ((redisReply *)reply)->type == REDIS_REPLY_STRING, "not appended");
            freeReplyObject(reply);
        }
    }
}

static void append(void) {
    static char ids[BATCH][64], subjects[BATCH][16];
    hoist_event_row rows[BATCH];
    for (int done = 0; done < EVENTS; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            long number = made++;
            snprintf(ids[i], sizeof ids[i], "0123456789abcdef-%016lx", number);
            snprintf(subjects[i], sizeof subjects[i], "p%d", (int)(number % PEOPLE));
            hoist_event_row row = {sizeof row, ids[i], "hits", subjects[i], 1767225600000, payload, PAYLOAD_BYTES};
            rows[i] = row;
        }
        require(cache.put_events(cache.user_data, rows, BATCH, "owner", 3600000) == HOIST_OK, "not put");
    }
}

/* ---- Turns ---- */

static int by_size(const void *left, const void *right) {
    double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

static double median(double *all, int count) {
    qsort(all, (size_t)count, sizeof *all, by_size);
    return all[count / 2];
}

static double measured(void (*work)(void), int count) {
    double began = now_ns();
    work();
    return (now_ns() - began) / count;
}

static void compare(const char *name, void (*prepare)(void), void (*with_bare)(void), void (*with_plugin)(void), int count, int runs) {
    double bare_ns[MOST_RUNS], plugin_ns[MOST_RUNS];
    prepare();
    with_bare();
    with_plugin();
    for (int run = 0; run < runs; run++) {
        prepare();
        bare_ns[run] = measured(with_bare, count);
        prepare();
        plugin_ns[run] = measured(with_plugin, count);
    }
    printf("%s %.0f %.0f\n", name, median(bare_ns, runs), median(plugin_ns, runs));
}

int main(int argc, char **argv) {
    char options[512], message[256];
    require(argc == 4, "bench PLUGIN SOCKET RUNS");
    int runs = atoi(argv[3]);
    require(runs > 0 && runs <= MOST_RUNS, "runs");
    void *object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    require(object != NULL, "no plug-in");
    const hoist_plugin *(*entry)(uint32_t) = NULL;
    *(void **)&entry = dlsym(object, "hoist_plugin_entry");
    snprintf(options, sizeof options, "{\"socket\": \"%s\", \"scope\": \"bench\", \"max_events\": 0}", argv[2]);
    require(entry && entry(1)->create_cache(options, &cache, message, sizeof message) == HOIST_OK, "no cache");
    bare = redisConnectUnix(argv[2]);
    require(bare && !bare->err, "no connection");
    memset(payload, 'x', PAYLOAD_BYTES);
    compare("look-up", keep_people, look_up_bare, look_up, LOOK_UPS, runs);
    compare("append", forget_all, append_bare, append, EVENTS, runs);
    cache.release(cache.user_data);
    redisFree(bare);
    return 0;
}
