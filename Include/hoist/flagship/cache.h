/**
 * @file
 * Flagship's caches, where the host keeps them itself.
 */
#ifndef HOIST_FLAGSHIP_CACHE_H
#define HOIST_FLAGSHIP_CACHE_H

#include "../config.h"
#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Visitors -------------------------------------------------------------------------------------------- */

/** A look-up that waits for its answer. Answered twice or too late, nothing happens. */
typedef struct hoist_flagship_visitor_lookup hoist_flagship_visitor_lookup;
/**
 * Answers a look-up, during the call or later, on any thread.
 * @param json What was cached under the id; copied. NULL: nothing.
 * @return HOIST_ERR_NOT_FOUND for a look-up that has ended, HOIST_ERR_ARGUMENT for what is not UTF-8, which counts as
 *         nothing.
 */
HOIST_API hoist_status hoist_flagship_visitor_lookup_reply(hoist_flagship_visitor_lookup *HOIST_NULLABLE lookup,
                                                           const char *HOIST_NULLABLE json, size_t length);

/**
 * Keeps visitors: their flags, for when the service cannot be asked, and their assignments, so that they are never assigned
 * anew. By default both are kept in the client's store. A member that is NULL does nothing.
 *
 * Called on a lane of its own, one call at a time; a call that takes too long is left to itself, and the SDK goes on without
 * it (property `visitor_cache.timeout_ms` for look-ups, two seconds for changes). Of changes that wait, the last one of each
 * visitor is made. Nothing is called after the client has closed. `release` runs when the client is freed.
 */
typedef struct hoist_flagship_visitor_cache {
    size_t struct_size; /**< sizeof(hoist_flagship_visitor_cache) */
    void *HOIST_NULLABLE user_data;
    /** After each fetch. `json` is the whole record, without a NUL that counts; all is valid only during the call. */
    void (*HOIST_NULLABLE cache)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL visitor_id,
                                 const char *HOIST_NONNULL json, size_t length);
    /** When a visitor is made: answered with hoist_flagship_visitor_lookup_reply(). */
    void (*HOIST_NULLABLE lookup)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL visitor_id,
                                  hoist_flagship_visitor_lookup *HOIST_NONNULL lookup);
    /** When a visitor has refused: nothing of it may be kept. */
    void (*HOIST_NULLABLE flush)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL visitor_id);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_flagship_visitor_cache;

#define HOIST_FLAGSHIP_VISITOR_CACHE_INIT { sizeof(hoist_flagship_visitor_cache), NULL, NULL, NULL, NULL, NULL }

/**
 * @param cache Copied. NULL: HOIST_ERR_ARGUMENT.
 * @return HOIST_ERR_UNSUPPORTED for a configuration of another service; `release` has run then.
 */
HOIST_API hoist_status
hoist_flagship_config_set_visitor_cache(hoist_config *HOIST_NULLABLE config,
                                        const hoist_flagship_visitor_cache *HOIST_NULLABLE cache,
                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Hits ------------------------------------------------------------------------------------------------ */

/** A look-up of all hits that waits for its answer. Answered twice or too late, nothing happens. */
typedef struct hoist_flagship_hit_lookup hoist_flagship_hit_lookup;
/**
 * Answers a look-up, during the call or later, on any thread.
 * @param json An object with the record of each hit under its id, as they were cached; copied. NULL: nothing.
 * @return HOIST_ERR_NOT_FOUND for a look-up that has ended, HOIST_ERR_ARGUMENT for what is not UTF-8, which counts as a
 *         failure.
 */
HOIST_API hoist_status hoist_flagship_hit_lookup_reply(hoist_flagship_hit_lookup *HOIST_NULLABLE lookup,
                                                       const char *HOIST_NULLABLE json, size_t length);

/**
 * Keeps hits and activates until the service has them, so that the end of the process does not lose them:
 * {"<id>":{"version":1,"data":{"visitorId":…,"anonymousId":… or null,"type":"SCREENVIEW","time":<seconds since 1970>,
 * "content":{…},"numberOfBytes":…}}}. By default they are kept in the client's store. A member that is NULL does nothing.
 *
 * Called on a lane of its own, one call at a time; a call that takes too long (property `hit_cache.timeout_ms` for look-ups,
 * two seconds for changes) is left to itself, and the SDK goes on without it. A change that failed is asked for again. With
 * continuous caching, `cache` is called as soon as a hit is sent and `flush` when its batch has arrived; with periodic caching
 * `cache` is called every 100 ms at most, and after a batch everything is flushed and the rest cached again. Hits that were
 * looked up are sent at once. `release` runs when the client is freed.
 */
typedef struct hoist_flagship_hit_cache {
    size_t struct_size; /**< sizeof(hoist_flagship_hit_cache) */
    void *HOIST_NULLABLE user_data;
    /** Keeps hits, in place of those of the same ids. `json` is valid only during the call. HOIST_OK; else it failed. */
    hoist_status (*HOIST_NULLABLE cache)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL json, size_t length);
    /** At the start, and after a visitor who had refused consents: answered with hoist_flagship_hit_lookup_reply(). Another
     *  status than HOIST_OK is a failure, and the answer. */
    hoist_status (*HOIST_NULLABLE lookup)(void *HOIST_NULLABLE user_data, hoist_flagship_hit_lookup *HOIST_NONNULL lookup);
    /** Forgets hits: they have arrived, are too old, or their visitor has refused. HOIST_OK; else it failed. */
    hoist_status (*HOIST_NULLABLE flush)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL const *HOIST_NONNULL ids,
                                         size_t count);
    /** Forgets every hit without exception. HOIST_OK; else it failed. */
    hoist_status (*HOIST_NULLABLE flush_all)(void *HOIST_NULLABLE user_data);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_flagship_hit_cache;

#define HOIST_FLAGSHIP_HIT_CACHE_INIT { sizeof(hoist_flagship_hit_cache), NULL, NULL, NULL, NULL, NULL, NULL }

/**
 * @param cache Copied. NULL: HOIST_ERR_ARGUMENT.
 * @return HOIST_ERR_UNSUPPORTED for a configuration of another service; `release` has run then.
 */
HOIST_API hoist_status hoist_flagship_config_set_hit_cache(hoist_config *HOIST_NULLABLE config,
                                                           const hoist_flagship_hit_cache *HOIST_NULLABLE cache,
                                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif
