/* A cache manager: configurations and events kept by the program itself, here in memory. A real one talks to a
 * database; members run one at a time for one client and may block. */
#include "common.h"
#include <string.h>

enum { SLOTS = 256 };

typedef struct entry {
    char *key;
    void *value;
    size_t size;
} entry;

typedef struct row {
    char *id, *pipeline, *subject, *owner;
    int64_t created_at;
    void *payload;
    size_t size;
} row;

typedef struct cache {
    entry entries[SLOTS];
    row rows[SLOTS];
    int loads, saves, puts, removals;
} cache;

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static entry *find(cache *own, const char *key) {
    for (int i = 0; i < SLOTS; i++) {
        if (own->entries[i].key && strcmp(own->entries[i].key, key) == 0) return &own->entries[i];
    }
    return NULL;
}

static hoist_status load(void *user_data, const char *key, hoist_bytes_sink *sink) {
    cache *own = user_data;
    own->loads++;
    entry *found = find(own, key);
    return found ? hoist_bytes_sink_write(sink, found->value, found->size) : HOIST_ERR_NOT_FOUND;
}

static hoist_status save(void *user_data, const char *key, const void *value, size_t size) {
    cache *own = user_data;
    own->saves++;
    entry *target = find(own, key);
    for (int i = 0; !target && i < SLOTS; i++) {
        if (!own->entries[i].key) target = &own->entries[i];
    }
    if (!target) return HOIST_ERR_LIMIT;
    void *copy = malloc(size ? size : 1);
    if (!copy) return HOIST_ERR_LIMIT;
    memcpy(copy, value, size);
    free(target->value);
    if (!target->key) target->key = copy_text(key);
    target->value = copy;
    target->size = size;
    return HOIST_OK;
}

static hoist_status forget(void *user_data, const char *key) {
    entry *found = find(user_data, key);
    if (!found) return HOIST_OK;
    free(found->key);
    free(found->value);
    memset(found, 0, sizeof *found);
    return HOIST_OK;
}

/* One process only, and one member at a time: a step of its own. A database does it in a transaction. */
static hoist_status replace(void *user_data, const char *key, const void *expected, size_t expected_size,
                            const void *value, size_t value_size, hoist_bytes_sink *sink) {
    entry *found = find(user_data, key);
    bool same = found && expected && found->size == expected_size && memcmp(found->value, expected, expected_size) == 0;
    if (found && !same) {
        hoist_status status = hoist_bytes_sink_write(sink, found->value, found->size);
        return status == HOIST_OK ? HOIST_ERR_STATE : status;
    }
    if (!found && expected) return HOIST_ERR_NOT_FOUND;
    return value ? save(user_data, key, value, value_size) : forget(user_data, key);
}

static void clear_row(row *old) {
    free(old->id);
    free(old->pipeline);
    free(old->subject);
    free(old->owner);
    free(old->payload);
    memset(old, 0, sizeof *old);
}

static hoist_status put_events(void *user_data, const hoist_event_row *rows, size_t count, const char *owner,
                               int64_t lease_ms) {
    cache *own = user_data;
    (void)lease_ms; /* one process only: nobody else claims */
    own->puts += (int)count;
    printf("%zu events put\n", count);
    for (size_t i = 0; i < count; i++) {
        const hoist_event_row *put = HOIST_AT(hoist_event_row, rows, i);
        row *target = NULL;
        for (int j = 0; j < SLOTS; j++) {
            if (own->rows[j].id && strcmp(own->rows[j].id, put->id) == 0) target = &own->rows[j];
            if (!target && !own->rows[j].id) target = &own->rows[j];
        }
        if (!target) return HOIST_ERR_LIMIT;
        clear_row(target);
        target->id = copy_text(put->id);
        target->pipeline = copy_text(put->pipeline);
        target->subject = copy_text(put->subject);
        target->owner = copy_text(owner);
        target->created_at = put->created_at_unix_ms;
        target->payload = malloc(put->payload_size + 1);
        if (target->payload) memcpy(target->payload, put->payload, put->payload_size);
        target->size = put->payload_size;
    }
    return HOIST_OK;
}

static hoist_status claim_events(void *user_data, const char *pipeline, size_t max_rows, size_t max_bytes,
                                 const char *owner, int64_t lease_ms, hoist_event_sink *sink) {
    cache *own = user_data;
    (void)max_rows;
    (void)max_bytes; /* the sink refuses what is too much */
    (void)lease_ms;
    for (int i = 0; i < SLOTS; i++) {
        row *candidate = &own->rows[i];
        if (!candidate->id || candidate->owner || strcmp(candidate->pipeline, pipeline) != 0) continue;
        hoist_event_row told = {sizeof told,           candidate->id,      candidate->pipeline, candidate->subject,
                                candidate->created_at, candidate->payload, candidate->size};
        if (hoist_event_sink_add(sink, &told) != HOIST_OK) break;
        candidate->owner = copy_text(owner);
    }
    return HOIST_OK;
}

static hoist_status remove_events(void *user_data, const char *const *ids, size_t count, const char *owner) {
    cache *own = user_data;
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < SLOTS; j++) {
            row *candidate = &own->rows[j];
            if (!candidate->id || strcmp(candidate->id, ids[i]) != 0) continue;
            if (candidate->owner && strcmp(candidate->owner, owner) == 0) {
                clear_row(candidate);
                own->removals++;
            }
        }
    }
    return HOIST_OK;
}

static hoist_status purge_events(void *user_data, const char *subject, const char *pipeline) {
    cache *own = user_data;
    for (int i = 0; i < SLOTS; i++) {
        row *candidate = &own->rows[i];
        if (candidate->id && strcmp(candidate->subject, subject) == 0 && strcmp(candidate->pipeline, pipeline) == 0) {
            clear_row(candidate);
        }
    }
    return HOIST_OK;
}

static hoist_status renew_lease(void *user_data, const char *owner, int64_t lease_ms) {
    cache *own = user_data;
    for (int i = 0; lease_ms == 0 && i < SLOTS; i++) {
        row *candidate = &own->rows[i];
        if (!candidate->id || !candidate->owner || strcmp(candidate->owner, owner) != 0) continue;
        free(candidate->owner);
        candidate->owner = NULL;
    }
    return HOIST_OK;
}

static void clear(cache *own) {
    for (int i = 0; i < SLOTS; i++) {
        clear_row(&own->rows[i]);
        free(own->entries[i].key);
        free(own->entries[i].value);
    }
}

/* ---- As a shared object ---- */

static void end(void *user_data) {
    cache *own = user_data;
    clear(own);
    free(own);
}

/* By name: a later header may have more members. */
static hoist_cache members(cache *own) {
    return (hoist_cache){.struct_size = sizeof(hoist_cache), .user_data = own, .load = load, .save = save, .remove = forget,
                         .replace = replace, .put_events = put_events, .claim_events = claim_events,
                         .remove_events = remove_events, .purge_events = purge_events, .renew_lease = renew_lease};
}

static hoist_status create(const char *options, hoist_cache *table, char *message, size_t message_size) {
    (void)options;
    cache *own = make(sizeof *own, message, message_size);
    if (!own) return HOIST_ERR_LIMIT;
    *table = members(own);
    table->release = end;
    return HOIST_OK;
}

static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example cache", .create_cache = create};

HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t library_abi) {
    (void)library_abi;
    return &plugin;
}

/* ---- As a program ---- */

int main(int argc, char **argv) {
    static cache own;
    hoist_cache table = members(&own);
    hoist_config *config = example_config(argc > 1 ? argv[1] : "features.json");
    hoist_error *error = NULL;
    must(hoist_config_set_cache(config, &table, &error), "set_cache", &error);
    hoist_client *client = example_open(config);

    hoist_client_bool(client, "banner", NULL, false, NULL);
    hoist_event purchase = {sizeof purchase, 19.9, true, NULL, 0};
    must(hoist_client_track(client, "purchase", NULL, &purchase), "track", NULL);
    hoist_client_close(client, 2000); /* offline: what was recorded waits in the cache */
    hoist_client_free(client);
    hoist_config_free(config);

    int waiting = 0;
    for (int i = 0; i < SLOTS; i++) waiting += own.rows[i].id && !own.rows[i].owner;
    printf("%d loads, %d saves, %d events put, %d wait for the next run\n", own.loads, own.saves, own.puts, waiting);
    bool good = own.loads > 0 && own.puts > 0 && waiting > 0;
    clear(&own);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
