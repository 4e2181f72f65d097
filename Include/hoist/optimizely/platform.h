/**
 * @file
 * Optimizely's data platform (ODP): audience segments, events, the visitor id.
 */
#ifndef HOIST_OPTIMIZELY_PLATFORM_H
#define HOIST_OPTIMIZELY_PLATFORM_H

#include "user.h"
#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where the data platform is, the datafile says; property `odp.disable` turns all of it off. Segments are asked for by
 * hoist_optimizely_user_fetch_segments() only, and kept for `odp.segments_cache_timeout` seconds for
 * `odp.segments_cache_size` users. Events wait, at most 100 of them, until a datafile says where they go, and survive a
 * restart as `events.durability` says; a dispatcher of the host's gets them under the pipeline "odp".
 *
 * Property `vuid.enabled` gives this installation an anonymous visitor id: kept in the folder of the store, in the file
 * optimizely-vuid, for the clients of all SDK keys; with a cache plug-in, as the value "vuid"; without a store, each
 * client has its own. A client that does not set the property has none, and leaves it to those that do; one that sets it to
 * false deletes it when it opens, for all of them.
 */

/** What went wrong with it. */
enum {
    HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER = 1120, /**< the data platform does not know the user id */
    HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED      = 1121, /**< the message says why */
    HOIST_ERR_OPTIMIZELY_ODP_EVENT_FAILED           = 1122, /**< too many events wait, or this one is too large */
    HOIST_ERR_OPTIMIZELY_ODP_NOT_INTEGRATED         = 1123, /**< the datafile names no data platform */
    HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED            = 1124, /**< property odp.disable is true */
    HOIST_ERR_OPTIMIZELY_ODP_INVALID_DATA           = 1125, /**< a value that is no string, number, boolean or null */
    HOIST_ERR_OPTIMIZELY_ODP_INVALID_ACTION         = 1126  /**< the action is empty */
};

/** Options of one fetch of segments; they add up. */
enum {
    HOIST_OPTIMIZELY_IGNORE_SEGMENT_CACHE = 1, /**< neither reads nor writes what is kept */
    HOIST_OPTIMIZELY_RESET_SEGMENT_CACHE  = 2  /**< forgets first what is kept of everybody */
};

/**
 * Asks which of the segments that the datafile's audiences want the user is in; conditions on segments are about the
 * answer. While it is under way, and after it has failed, the user has none. Asked once, without retries, for
 * odp.segment_fetch_timeout_ms at most; no request is made where the answer is cached, or the datafile wants no
 * segments. Of several fetches for one user the one that began last counts.
 *
 * @param options HOIST_OPTIMIZELY_IGNORE_SEGMENT_CACHE and HOIST_OPTIMIZELY_RESET_SEGMENT_CACHE, or 0.
 * @param done    NULL: no callback. HOIST_OK, HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER,
 *                HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED (the log says why) or HOIST_ERR_CANCELLED.
 * @return HOIST_OK: `done` will be called. Anything else: it will not. HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED,
 *         HOIST_ERR_STATE after close, HOIST_ERR_OPTIMIZELY_SDK_NOT_READY when the client is gone.
 */
HOIST_API hoist_status hoist_optimizely_user_fetch_segments(hoist_optimizely_user *HOIST_NULLABLE user, uint32_t options,
                                                            hoist_done HOIST_NULLABLE done,
                                                            void *HOIST_NULLABLE user_data);
/**
 * hoist_optimizely_user_fetch_segments() that waits.
 *
 * @param timeout_ms Negative waits for the fetch's own limit.
 * @return What `done` would be told, or why it would not be called. HOIST_ERR_TIMEOUT: the fetch goes on.
 *         HOIST_ERR_STATE on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_optimizely_user_fetch_segments_wait(hoist_optimizely_user *HOIST_NULLABLE user,
                                                                 uint32_t options, int64_t timeout_ms,
                                                                 hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Whether the user is known to be in the segment. */
HOIST_API bool hoist_optimizely_user_is_qualified_for(const hoist_optimizely_user *HOIST_NULLABLE user,
                                                      const char *HOIST_NULLABLE segment);
/**
 * The user's segments as a JSON array. Free with hoist_text_free(). "null" when they were never fetched or set, and when the
 * last fetch is under way or has failed; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_optimizely_user_segments(const hoist_optimizely_user *HOIST_NULLABLE user);
/**
 * Sets the user's segments without a request.
 *
 * @param names Borrowed for the call; NULL with `count` 0: none were fetched.
 * @return HOIST_ERR_ARGUMENT for NULL or invalid UTF-8 among them, HOIST_ERR_LIMIT for more than 10 000.
 */
HOIST_API hoist_status hoist_optimizely_user_set_segments(hoist_optimizely_user *HOIST_NULLABLE user,
                                                          const char *HOIST_NULLABLE const *HOIST_NULLABLE names,
                                                          size_t count);

/**
 * Records an event for the data platform. Returns at once. The visitor id is added to the identifiers, when there is one;
 * FS_USER_ID and fs-user-id, in whatever case, become fs_user_id.
 *
 * @param type             NULL or "" for "fullstack". All texts are borrowed for the call.
 * @param action           Not empty.
 * @param identifiers_json NULL, or a JSON object of strings, NUL-terminated.
 * @param data_json        NULL, or a JSON object of strings, numbers, booleans and nulls, NUL-terminated.
 * @return HOIST_OK: it will be sent, perhaps after a restart. The first of these that holds: HOIST_ERR_STATE for a client
 *         that is closed, HOIST_ERR_OPTIMIZELY_ODP_NOT_ENABLED, _ODP_NOT_INTEGRATED, HOIST_ERR_PARSE for what is no such
 *         JSON, _ODP_INVALID_DATA, _ODP_INVALID_ACTION, _ODP_EVENT_FAILED.
 */
HOIST_API hoist_status hoist_optimizely_send_odp_event(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE type,
                                                       const char *HOIST_NULLABLE action,
                                                       const char *HOIST_NULLABLE identifiers_json,
                                                       const char *HOIST_NULLABLE data_json,
                                                       hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * The visitor id of this installation, 32 bytes that begin with "vuid_". Free with hoist_text_free(). Waits, right after
 * the client was opened, until the store has been read: milliseconds, at most 2 s, and not on a thread of Hoist's own.
 * "" when property vuid.enabled is false, or it is not known by then; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_vuid(const hoist_client *HOIST_NULLABLE client);

/** Takes the segments of one user from a data platform of the host's. Valid only during that call. */
typedef struct hoist_optimizely_segment_sink hoist_optimizely_segment_sink;
/**
 * Adds a segment that the user is in.
 *
 * @param name Copied. HOIST_ERR_ARGUMENT when it is NULL or not UTF-8, HOIST_ERR_LIMIT after 10 000 of them.
 */
HOIST_API hoist_status hoist_optimizely_segment_sink_add(hoist_optimizely_segment_sink *HOIST_NULLABLE sink,
                                                         const char *HOIST_NULLABLE name);

/**
 * A data platform of the host, in place of the service's.
 *
 * Threads: members run on a lane of their client's, one at a time, and may block; after odp.segment_fetch_timeout_ms or
 * odp.event_timeout_ms their result is ignored. None begins after the client has closed. They must not call
 * hoist_client_close(); other functions are allowed. All pointers are valid only during the call. Its part of the
 * datafile and the segment cache do not matter then; odp.disable does.
 */
typedef struct hoist_optimizely_odp_manager {
    size_t struct_size; /**< sizeof(hoist_optimizely_odp_manager) */
    void *HOIST_NULLABLE user_data;
    /**
     * Which segments a user is in; NULL: the service is asked.
     *
     * @param options Those of hoist_optimizely_user_fetch_segments().
     * @return HOIST_OK: what the sink got is the answer, nothing too. HOIST_ERR_OPTIMIZELY_INVALID_SEGMENT_IDENTIFIER is
     *         passed on; anything else becomes HOIST_ERR_OPTIMIZELY_FETCH_SEGMENTS_FAILED.
     */
    hoist_status (*HOIST_NULLABLE fetch_segments)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL user_id,
                                                  uint32_t options, hoist_optimizely_segment_sink *HOIST_NONNULL sink);
    /**
     * Takes an event, also those that the library makes: "client_initialized" and "identified". NULL: the service gets
     * them. hoist_client_flush() waits until it has taken what was sent before.
     *
     * @return HOIST_OK; anything else is logged, and the event forgotten.
     */
    hoist_status (*HOIST_NULLABLE send_event)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL type,
                                              const char *HOIST_NONNULL action, const char *HOIST_NONNULL identifiers_json,
                                              const char *HOIST_NONNULL data_json);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_odp_manager;

#define HOIST_OPTIMIZELY_ODP_MANAGER_INIT { sizeof(hoist_optimizely_odp_manager), NULL, NULL, NULL, NULL }

/**
 * Sets the data platform of clients that are opened with this configuration.
 *
 * @param manager Copied; `user_data` belongs to Hoist from that call on, also when it fails: `release` runs once.
 * @return HOIST_ERR_UNSUPPORTED for a configuration of another service.
 */
HOIST_API hoist_status hoist_optimizely_config_set_odp_manager(hoist_config *HOIST_NULLABLE config,
                                                               const hoist_optimizely_odp_manager *HOIST_NULLABLE manager,
                                                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif
