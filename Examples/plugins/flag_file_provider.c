/* A service of one's own: flags from a local file in the form of flagd's definitions, without targeting:
 *
 *     {"flags": {"banner": {"state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "on"}}}
 *
 * The file is watched. One that cannot be used is refused with the name of the flag, and the last good flags go on
 * serving. As a program it registers itself: flag_file_provider FILE. As a shared object it is loaded by others:
 *
 *     cc -shared -fPIC -o flag_file_provider.so flag_file_provider.c $(pkg-config --cflags --libs hoist jansson) */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_VARIANTS = 100 };

/* Everything but `host` belongs to the lane: members and callbacks come one at a time. */
typedef struct flag_file {
    hoist_provider_host *host;
    char *path;
    long long interval_ms;
    struct stat seen; /* as it was when it was read last */
    bool has_flags;
} flag_file;

/* ---- From the file to flags ---- */

static bool refuse(char *why, size_t size, const char *key, const char *what) {
    snprintf(why, size, "flag \"%.100s\" %s", key, what);
    return false;
}

static bool add_flag(hoist_flag_set *set, const char *key, json_t *json, char *why, size_t size) {
    const char *state = json_string_value(json_object_get(json, "state"));
    const char *wanted = json_string_value(json_object_get(json, "defaultVariant"));
    json_t *variants = json_object_get(json, "variants"), *metadata = json_object_get(json, "metadata");
    if (!state || (strcmp(state, "ENABLED") != 0 && strcmp(state, "DISABLED") != 0))
        return refuse(why, size, key, "has a state that is neither ENABLED nor DISABLED");
    if (!json_is_object(variants) || json_object_size(variants) == 0 || json_object_size(variants) > MAX_VARIANTS)
        return refuse(why, size, key, "has no variants, or too many");
    if (json_object_size(json_object_get(json, "targeting")) > 0)
        return refuse(why, size, key, "has targeting, which this provider does not evaluate");
    if (!wanted || !json_object_get(variants, wanted))
        return refuse(why, size, key, "has a defaultVariant that is none of its variants");

    hoist_flag_variation list[MAX_VARIANTS];
    hoist_flag flag = {.struct_size = sizeof flag, .key = key, .enabled = strcmp(state, "ENABLED") == 0, .variations = list};
    char *texts[MAX_VARIANTS], *about = json_is_object(metadata) ? json_dumps(metadata, 0) : NULL;
    const char *name;
    json_t *value;
    json_object_foreach(variants, name, value) {
        size_t index = flag.variation_count++;
        texts[index] = json_dumps(value, JSON_ENCODE_ANY);
        list[index] = (hoist_flag_variation){sizeof *list, name, texts[index]};
        if (strcmp(name, wanted) == 0) flag.default_variation = (int32_t)index;
    }
    flag.metadata = about;
    hoist_error *error = NULL;
    bool is_added = hoist_flag_set_add(set, &flag, &error) == HOIST_OK;
    if (!is_added) snprintf(why, size, "%s", hoist_error_message(error));
    hoist_error_free(error);
    for (size_t index = 0; index < flag.variation_count; index++) free(texts[index]);
    free(about);
    return is_added;
}

/* All of the file's flags or none. */
static bool publish_file(flag_file *own, char *why, size_t size) {
    json_error_t problem;
    json_t *root = json_load_file(own->path, JSON_REJECT_DUPLICATES, &problem), *flags = json_object_get(root, "flags");
    hoist_flag_set *set = hoist_flag_set_new();
    bool is_good = json_is_object(flags);
    if (!root) snprintf(why, size, "line %d: %s", problem.line, problem.text);
    else if (!is_good) snprintf(why, size, "it has no member \"flags\"");
    const char *key;
    json_t *flag;
    if (is_good) json_object_foreach(flags, key, flag) is_good = is_good && add_flag(set, key, flag, why, size);
    hoist_error *error = NULL;
    if (is_good && hoist_provider_host_publish(own->host, set, &error) != HOIST_OK) {
        snprintf(why, size, "%s", hoist_error_message(error));
        is_good = false;
    }
    hoist_error_free(error);
    hoist_flag_set_free(set);
    json_decref(root);
    return is_good;
}

static void read_file(flag_file *own) {
    char why[400], line[600];
    if (publish_file(own, why, sizeof why)) {
        own->has_flags = true;
        hoist_provider_host_set_state(own->host, HOIST_CLIENT_READY, "flags read");
        return;
    }
    snprintf(line, sizeof line, "the flags of %.150s are not used: %s", own->path, why);
    hoist_provider_host_set_state(own->host, own->has_flags ? HOIST_CLIENT_STALE : HOIST_CLIENT_ERROR, line);
}

/* ---- The life of a client ---- */

static bool has_changed(flag_file *own) {
    struct stat now;
    if (stat(own->path, &now) != 0) memset(&now, 0, sizeof now);
    bool is_same = now.st_ino == own->seen.st_ino && now.st_size == own->seen.st_size &&
                   now.st_mtim.tv_sec == own->seen.st_mtim.tv_sec && now.st_mtim.tv_nsec == own->seen.st_mtim.tv_nsec;
    own->seen = now; /* from before it is read, so that a later change is seen */
    return !is_same;
}

static void look_again(void *user_data) {
    flag_file *own = user_data;
    if (has_changed(own)) read_file(own);
    hoist_provider_host_schedule(own->host, own->interval_ms, look_again, own, NULL);
}

static void start(void *instance) {
    memset(&((flag_file *)instance)->seen, 0xff, sizeof(struct stat)); /* whatever is there is new */
    look_again(instance);
}
static void refresh(void *instance) {
    (void)has_changed(instance);
    read_file(instance);
}

static char *copy_of(hoist_text *text) {
    char *copy = malloc(hoist_text_length(text) + 1);
    if (copy) strcpy(copy, hoist_text_data(text));
    hoist_text_free(text);
    return copy;
}

static hoist_status create_file(void *user_data, hoist_provider_host *host, void **instance, char *message, size_t size) {
    (void)user_data;
    flag_file *own = make(sizeof *own, message, size);
    if (!own) return HOIST_ERR_LIMIT;
    own->host = host;
    own->path = copy_of(hoist_provider_host_property(host, "path"));
    char *interval = copy_of(hoist_provider_host_property(host, "interval_ms"));
    own->interval_ms = interval ? atoll(interval) : 1000;
    free(interval);
    *instance = own;
    return HOIST_OK;
}
static void destroy(void *instance) {
    free(((flag_file *)instance)->path);
    free(instance);
}

static const hoist_provider_property properties[] = {
    {.struct_size = sizeof(hoist_provider_property), .name = "path", .type = HOIST_PROPERTY_TEXT, .is_required = true,
     .is_identity = true, .help = "File with the flags."},
    {.struct_size = sizeof(hoist_provider_property), .name = "interval_ms", .type = HOIST_PROPERTY_INT64,
     .default_value = "1000", .minimum = 10, .maximum = 86400000, .help = "Milliseconds between looks at the file."},
};

static hoist_provider table(void) {
    return (hoist_provider){.struct_size = sizeof(hoist_provider), .name = "flag-file", .properties = properties,
                            .property_count = sizeof properties / sizeof properties[0], .create = create_file,
                            .start = start, .refresh = refresh, .destroy = destroy};
}

/* ---- As a shared object ---- */

static hoist_status create(const char *options, hoist_provider *provider, char *message, size_t message_size) {
    (void)options, (void)message, (void)message_size;
    *provider = table();
    return HOIST_OK;
}

static const hoist_plugin plugin = {.struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI,
                                    .name = "example flag file provider", .provider_name = "flag-file",
                                    .create_provider = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    hoist_error *error = NULL;
    hoist_provider provider = table();
    must(hoist_provider_register(&provider, &error), "register", &error);

    hoist_config *config = hoist_config_new("flag-file");
    set(config, "path", argc > 1 ? argv[1] : "flags.json");
    set(config, "store", "none");
    hoist_client *client = example_open(config);
    hoist_config_free(config);

    hoist_detail *detail = NULL;
    bool on = hoist_client_bool(client, "banner", NULL, false, &detail);
    printf("banner is %s: %s, variation %s\n", on ? "on" : "off", hoist_detail_reason(detail), hoist_detail_variation(detail));
    hoist_detail_free(detail);
    char greeting[40];
    hoist_client_string(client, "greeting", NULL, "hello", greeting, sizeof greeting, NULL);
    printf("greeting is \"%s\"\n", greeting);
    hoist_client_close(client, 1000);
    hoist_client_free(client);
    return on ? EXIT_SUCCESS : EXIT_FAILURE;
}
