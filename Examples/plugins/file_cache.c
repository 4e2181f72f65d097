/* A cache manager over two files that several processes share, values and events: the whole of the table but for `append`. Each
 * call holds the lock of a file, reads all of it, and puts a new one in its place. The options are the folder. */
#define _DEFAULT_SOURCE
#include "common.h"
#include <string.h>
#include <sys/file.h>
#include <time.h>

/* Texts end with a NUL. A value has an id and a payload only. What is leased until 0 has no owner. */
enum { ID, PIPELINE, SUBJECT, OWNER, PAYLOAD, PARTS };
typedef struct row { int64_t created_at, leased_until; size_t size[PARTS]; const char *part[PARTS]; } row;
typedef struct file { char path[256], *bytes; FILE *lock; row *rows; size_t count; } file;

static int64_t now_ms(void) {
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 : 0;
}
static void set_part(row *one, int part, const void *bytes, size_t size) { one->part[part] = bytes; one->size[part] = size; }
static void drop(file *own, row *old) { memmove(old, old + 1, (size_t)(own->rows + --own->count - old) * sizeof *old); }
static row *find(file *own, const char *id) {
    for (row *one = own->rows; one < own->rows + own->count; one++) if (strcmp(one->part[ID], id) == 0) return one;
    return NULL;
}
static bool is_held_by(const row *one, const char *owner) { return one->leased_until && strcmp(one->part[OWNER], owner) == 0; }
static file enter(const char *folder, const char *name, size_t more) { /* without `rows`: it cannot be done */
    file own = {.lock = NULL};
    char path[300];
    snprintf(own.path, sizeof own.path, "%s/%s", folder, name);
    snprintf(path, sizeof path, "%s.lock", own.path);
    own.lock = fopen(path, "a");
    if (!own.lock || flock(fileno(own.lock), LOCK_EX) != 0) return own; /* closing it gives the lock back */
    FILE *kept = fopen(own.path, "r");
    size_t size = kept && fseek(kept, 0, SEEK_END) == 0 ? (size_t)ftell(kept) : 0, at = 0;
    if ((own.bytes = malloc(size + 1))) own.rows = calloc(size / sizeof(row) + more + 1, sizeof(row));
    if (kept) rewind(kept);
    if (own.rows && kept && fread(own.bytes, 1, size, kept) != size) { free(own.rows); own.rows = NULL; }
    while (own.rows && at < size) {
        row *one = memcpy(&own.rows[own.count++], own.bytes + at, sizeof *one);
        at += sizeof *one;
        for (int part = 0; part < PARTS; at += one->size[part++] + 1) one->part[part] = own.bytes + at;
    }
    if (kept) fclose(kept);
    return own;
}
static hoist_status leave(file *own, bool is_changed, hoist_status status) {
    char path[300];
    snprintf(path, sizeof path, "%s.new", own->path);
    FILE *fresh = is_changed && own->rows ? fopen(path, "w") : NULL;
    for (size_t i = 0; fresh && i < own->count; i++) {
        fwrite(&own->rows[i], sizeof(row), 1, fresh);
        for (int part = 0; part < PARTS; part++) fwrite(own->rows[i].part[part], 1, own->rows[i].size[part], fresh), fputc(0, fresh);
    }
    bool has_failed = !own->rows || (is_changed && (!fresh || ferror(fresh)));
    if (fresh) has_failed = fclose(fresh) != 0 || has_failed || rename(path, own->path) != 0;
    free(own->bytes);
    free(own->rows);
    if (own->lock) fclose(own->lock);
    return has_failed ? HOIST_ERR_IO : status;
}
static hoist_status load(void *folder, const char *key, hoist_bytes_sink *sink) {
    file own = enter(folder, "values", 1);
    row *kept = find(&own, key);
    return leave(&own, false, kept ? hoist_bytes_sink_write(sink, kept->part[PAYLOAD], kept->size[PAYLOAD]) : HOIST_ERR_NOT_FOUND);
}
static hoist_status change(file *own, row *kept, const char *key, const void *value, size_t size) {
    if (!value && kept) drop(own, kept);
    if (value && !kept && own->rows) set_part(kept = &own->rows[own->count++], ID, key, strlen(key));
    if (value && kept) set_part(kept, PAYLOAD, value, size);
    return leave(own, true, HOIST_OK);
}
static hoist_status put_value(void *folder, const char *key, const void *value, size_t size) {
    file own = enter(folder, "values", 1);
    return change(&own, find(&own, key), key, value, size);
}
static hoist_status save(void *folder, const char *key, const void *value, size_t size) { return put_value(folder, key, value ? value : "", size); }
static hoist_status forget(void *folder, const char *key) { return put_value(folder, key, NULL, 0); }
static hoist_status replace(void *folder, const char *key, const void *expected, size_t expected_size, const void *value,
                            size_t value_size, hoist_bytes_sink *sink) {
    file own = enter(folder, "values", 1);
    row *kept = find(&own, key);
    bool is_same = kept && expected && kept->size[PAYLOAD] == expected_size && memcmp(kept->part[PAYLOAD], expected, expected_size) == 0;
    if (is_same || (!kept && !expected)) return change(&own, kept, key, value, value_size);
    if (kept) hoist_bytes_sink_write(sink, kept->part[PAYLOAD], kept->size[PAYLOAD]);
    return leave(&own, false, kept ? HOIST_ERR_STATE : HOIST_ERR_NOT_FOUND);
}
static hoist_status prolong(file *own, const char *owner, int64_t lease_ms) {
    int64_t until = lease_ms > 0 ? now_ms() + lease_ms : 0;
    for (size_t i = 0; i < own->count; i++) if (is_held_by(&own->rows[i], owner)) own->rows[i].leased_until = until;
    return leave(own, true, HOIST_OK);
}
static hoist_status put_events(void *folder, const hoist_event_row *rows, size_t count, const char *owner, int64_t lease_ms) {
    file own = enter(folder, "events", count);
    for (size_t i = 0; own.rows && i < count; i++) {
        const hoist_event_row *given = HOIST_AT(hoist_event_row, rows, i);
        row *target = find(&own, given->id);
        if (target && !is_held_by(target, owner)) continue;
        if (!target) target = &own.rows[own.count++];
        *target = (row){given->created_at_unix_ms, 1, {strlen(given->id), strlen(given->pipeline), strlen(given->subject), strlen(owner),
                        given->payload_size}, {given->id, given->pipeline, given->subject, owner, given->payload}};
    }
    return prolong(&own, owner, lease_ms);
}
static hoist_status claim_events(void *folder, const char *pipeline, size_t max_rows, size_t max_bytes, const char *owner,
                                 int64_t lease_ms, hoist_event_sink *sink) {
    file own = enter(folder, "events", 0);
    size_t left = max_bytes;
    for (row *oldest = own.rows; oldest && max_rows-- > 0;) {
        oldest = NULL;
        for (row *one = own.rows; one < own.rows + own.count; one++) {
            bool is_free = one->leased_until <= now_ms() && !is_held_by(one, owner) && strcmp(one->part[PIPELINE], pipeline) == 0;
            if (is_free && one->size[PAYLOAD] <= max_bytes && (!oldest || one->created_at < oldest->created_at)) oldest = one;
        }
        if (!oldest || oldest->size[PAYLOAD] > left) break;
        hoist_event_row told = {sizeof told, oldest->part[ID], pipeline, oldest->part[SUBJECT], oldest->created_at,
                                oldest->part[PAYLOAD], oldest->size[PAYLOAD]};
        if (hoist_event_sink_add(sink, &told) != HOIST_OK) break;
        left -= oldest->size[PAYLOAD];
        set_part(oldest, OWNER, owner, strlen(owner)), oldest->leased_until = 1;
    }
    return prolong(&own, owner, lease_ms);
}
static hoist_status renew_lease(void *folder, const char *owner, int64_t lease_ms) {
    file own = enter(folder, "events", 0);
    return prolong(&own, owner, lease_ms);
}
static hoist_status part_with(void *folder, const char *const *ids, size_t count, const char *owner, bool is_kept) {
    file own = enter(folder, "events", 0);
    for (row *old; count-- > 0;)
        if ((old = find(&own, ids[count])) && is_held_by(old, owner)) { if (is_kept) old->leased_until = 0; else drop(&own, old); }
    return leave(&own, true, HOIST_OK);
}
static hoist_status remove_events(void *folder, const char *const *ids, size_t count, const char *owner) { return part_with(folder, ids, count, owner, false); }
static hoist_status give_back_events(void *folder, const char *const *ids, size_t count, const char *owner) { return part_with(folder, ids, count, owner, true); }
static hoist_status purge_events(void *folder, const char *subject, const char *pipeline) {
    file own = enter(folder, "events", 0);
    for (row *one = own.rows; subject[0] && one < own.rows + own.count;)
        if (strcmp(one->part[SUBJECT], subject) == 0 && strcmp(one->part[PIPELINE], pipeline) == 0) drop(&own, one); else one++;
    return leave(&own, true, HOIST_OK);
}
static hoist_status create(const char *options, hoist_cache *table, char *message, size_t message_size) {
    char *folder = make(strlen(options) + 1, message, message_size);
    if (!folder) return HOIST_ERR_LIMIT; else strcpy(folder, options);
    *table = (hoist_cache){.struct_size = sizeof *table, .user_data = folder, .load = load, .save = save, .remove = forget,
                           .put_events = put_events, .claim_events = claim_events, .remove_events = remove_events, .release = free,
                           .purge_events = purge_events, .renew_lease = renew_lease, .replace = replace, .give_back_events = give_back_events};
    return HOIST_OK;
}
static const hoist_plugin plugin = {
    .struct_size = sizeof plugin, .abi_version = HOIST_PLUGIN_ABI, .name = "example file cache", .create_cache = create};
HOIST_PLUGIN_EXPORT const hoist_plugin *hoist_plugin_entry(uint32_t abi) { return abi == HOIST_PLUGIN_ABI ? &plugin : NULL; }
