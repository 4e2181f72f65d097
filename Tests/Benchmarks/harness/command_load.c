#include "commands.h"
#include "flipt_library.h"
#include "hoist_library.h"
#include "swapper.h"
#include "yggdrasil_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* W7: reading a configuration. CPU time of the whole process, because engines read on threads of their own. */

typedef struct {
    const char *name;
    void (*load)(void *state);
    void (*tidy)(void *state); /**< outside the clock; may be NULL */
    void *state;
} loader;

enum { MAX_LOADERS = 8 };

typedef struct { void *(*parse)(const char *, size_t, size_t, void *); void (*free)(void *); char *text; size_t size; void *tree; } jansson_state;
typedef struct { const libraries *where; const workload *what; void *engine; } engine_state;

static void parse_jansson(void *pointer)
{
    jansson_state *self = pointer;
    self->tree = self->parse(self->text, self->size, 0, NULL);
}

static void tidy_jansson(void *pointer)
{
    jansson_state *self = pointer;
    if (self->tree) self->free(self->tree);
}

/** jansson reading the document into its tree: the floor of whoever uses it. Left out where it is not installed. */
static size_t add_jansson(const workload *what, loader *out)
{
    void *library = dlopen("libjansson.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    jansson_state *self = calloc(1, sizeof *self);
    self->parse = (void *(*)(const char *, size_t, size_t, void *))library_symbol(library, "json_loadb");
    self->free = (void (*)(void *))library_symbol(library, "json_delete");
    self->text = read_file(what->folder, "unleash.json", &self->size);
    *out = (loader){"jansson, tree only", parse_jansson, tidy_jansson, self};
    return 1;
}

static void open_hoist(void *pointer)
{
    engine_state *self = pointer;
    self->engine = hoist_open_file(hoist_load(self->where->hoist), self->what->folder);
}

static void tidy_hoist(void *pointer)
{
    const hoist_library *api = hoist_load(((engine_state *)pointer)->where->hoist);
    api->hoist_client_close(((engine_state *)pointer)->engine, 0);
    api->hoist_client_free(((engine_state *)pointer)->engine);
}

static void open_rules(void *pointer)
{
    engine_state *self = pointer;
    self->engine = hoist_open_datafile(hoist_load(self->where->hoist), self->what->folder, "optimizely-rules.json");
}

static void open_values(void *pointer)
{
    engine_state *self = pointer;
    self->engine = hoist_open_datafile(hoist_load(self->where->hoist), self->what->folder, "optimizely-values.json");
}

static void fetch_flipt(void *pointer)
{
    engine_state *self = pointer;
    self->engine = flipt_engine_new(flipt_load(self->where->flipt), self->where->url, self->what->flag_count);
}

static void tidy_flipt(void *pointer)
{
    flipt_load(((engine_state *)pointer)->where->flipt)->destroy_engine(((engine_state *)pointer)->engine);
}

static loader of_swapper(const char *name, swapper made)
{
    return (loader){name, made.swap, NULL, made.state};
}

static engine_state *make_state(const options *given, const workload *what)
{
    engine_state *self = calloc(1, sizeof *self);
    *self = (engine_state){&given->where, what, NULL};
    return self;
}

static size_t collect(const options *given, const workload *what, loader *out)
{
    size_t count = add_jansson(what, out);
    if (given->where.hoist) {
        out[count++] = (loader){"Hoist, open from file", open_hoist, tidy_hoist, make_state(given, what)};
        out[count++] = of_swapper("Hoist, fetch and swap", hoist_swapper(&given->where, what));
        out[count++] = (loader){"Hoist, datafile of rules", open_rules, tidy_hoist, make_state(given, what)};
        out[count++] = (loader){"Hoist, datafile of values", open_values, tidy_hoist, make_state(given, what)};
        out[count++] = of_swapper("Hoist, LaunchDarkly's values", launchdarkly_swapper(&given->where, what));
    }
    if (given->where.yggdrasil)
        out[count++] = of_swapper("yggdrasil, swap", yggdrasil_swapper(&given->where, what));
    if (given->where.flipt)
        out[count++] = (loader){"flipt, fetch and open", fetch_flipt, tidy_flipt, make_state(given, what)};
    return count;
}

int command_load(const options *given)
{
    const workload *what = workload_read(given->folder);
    loader loaders[MAX_LOADERS];
    size_t count = collect(given, what, loaders);
    sample cpu[MAX_LOADERS] = {0}, wall[MAX_LOADERS] = {0};
    fprintf(stderr, "  W7, %zu flags\n", what->flag_count);
    for (int run = -1; run < given->how.runs; run++) { /* run -1 warms up */
        for (size_t i = 0; i < count; i++) {
            double wall_before = wall_ns(), cpu_before = process_cpu_ns();
            loaders[i].load(loaders[i].state);
            double cpu_took = process_cpu_ns() - cpu_before, wall_took = wall_ns() - wall_before;
            if (loaders[i].tidy) loaders[i].tidy(loaders[i].state);
            if (run < 0) continue;
            sample_add(&cpu[i], cpu_took / 1e6);
            sample_add(&wall[i], wall_took / 1e6);
        }
    }
    for (size_t i = 0; i < count; i++) {
        record_begin("load");
        record_text("workload", "W7");
        record_text("subject", loaders[i].name);
        record_number("size", (double)what->flag_count);
        record_sample(&cpu[i]);
        record_number("wall_median", sample_median(&wall[i]));
        record_number("wall_minimum", sample_minimum(&wall[i]));
        record_end();
    }
    return 0;
}
