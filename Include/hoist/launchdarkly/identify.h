/**
 * @file
 * LaunchDarkly: starting, going online and offline, and changing the context flags are evaluated for.
 */
#ifndef HOIST_LAUNCHDARKLY_IDENTIFY_H
#define HOIST_LAUNCHDARKLY_IDENTIFY_H

#include "../client.h"
#include "../context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A client is one or more environments: that of property `mobile_key`, which is called "default", and those of
 * `secondary_mobile_keys`. Start, online and offline, identify, flush, close and reopen act on all of them, on whichever
 * they are called. Completions run on the delivery lane or in manual dispatch, or inside hoist_client_close(), once each
 * if the call returned HOIST_OK; otherwise they do not run.
 */

/* ---- Start ---------------------------------------------------------------------------------------------- */

/**
 * How a start ended.
 * @param timed_out Whether the wait ended first; the start goes on.
 * @param status    HOIST_OK: the flags of all environments have come or are confirmed, or the client is offline.
 *                  HOIST_ERR_TIMEOUT with timed_out. HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED,
 *                  HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN: what an earlier run has left is served.
 *                  HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED, HOIST_ERR_CANCELLED (the client closes).
 */
typedef void (*hoist_launchdarkly_started)(void *HOIST_NULLABLE user_data, bool timed_out, hoist_status status);

/**
 * Starts a client that was opened, or opened again, with property `autostart` false.
 *
 * @param wait_ms   The longest time until `done`, in milliseconds; negative: no limit. More than 15000 is warned of.
 * @param done      NULL, or told how it ended.
 * @param user_data Handed to `done`.
 * @return HOIST_ERR_STATE after close and in mode server, HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_start(hoist_client *HOIST_NULLABLE client, int64_t wait_ms,
                                                hoist_launchdarkly_started HOIST_NULLABLE done,
                                                void *HOIST_NULLABLE user_data);
/**
 * The same, waiting for its end.
 * @param timed_out NULL, or receives whether the wait ended first.
 * @return The status that `done` would get; HOIST_ERR_STATE also on a thread of Hoist's.
 */
HOIST_API hoist_status hoist_launchdarkly_start_wait(hoist_client *HOIST_NULLABLE client, int64_t wait_ms,
                                                     bool *HOIST_NULLABLE timed_out);

/**
 * Whether this environment has been started and has talked to the service about flags, or has been offline. Stays true
 * when the context changes. Stored flags alone, with which hoist_client_wait_ready() is OK, do not make it true. In mode
 * server whether a whole set of rules has come from the service.
 */
HOIST_API bool hoist_launchdarkly_is_initialized(hoist_client *HOIST_NULLABLE client);

/* ---- Online and offline ---------------------------------------------------------------------------------- */

/**
 * Whether this environment is online now: not so before its start, while a repeated try to go online is held back, without
 * a mobile key, after the service has refused the key (401), and in the background unless that is allowed.
 */
HOIST_API bool hoist_launchdarkly_is_online(hoist_client *HOIST_NULLABLE client);

/**
 * Goes online or offline. Offline, flags are served and events are recorded, and nothing is sent.
 *
 * The first two tries to go online within a second or so proceed at once, counting start and identify; more of them are held
 * back for growing times up to a minute, and only the newest goes on. Going offline is never held back.
 *
 * @param done      NULL, or called with HOIST_OK when the flags have come or are confirmed, when the client is offline or
 *                  has to stay offline, or when a newer call took this one's place; else as for a start.
 * @param user_data Handed to `done`.
 * @return HOIST_ERR_STATE after close and in mode server, HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_set_online(hoist_client *HOIST_NULLABLE client, bool online,
                                                     hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/* ---- Identify -------------------------------------------------------------------------------------------- */

/** How an identify ended. */
typedef int32_t hoist_launchdarkly_identify_result;
enum {
    HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE = 0, /**< the flags of the context are served, or the client is offline */
    HOIST_LAUNCHDARKLY_IDENTIFY_ERROR    = 1, /**< the status says why */
    HOIST_LAUNCHDARKLY_IDENTIFY_SHED     = 2, /**< a newer one took its place before it began */
    HOIST_LAUNCHDARKLY_IDENTIFY_TIMEOUT  = 3  /**< it goes on */
};

/** Options of an identify, to be added up. */
enum {
    /** Never give way to a newer one. */
    HOIST_LAUNCHDARKLY_UNSHEDDABLE = 1,
    /** Until its flags come, serves the former context's flags as the new one's. By default: what is cached of the
     *  new context, or else no flag. */
    HOIST_LAUNCHDARKLY_USE_CACHE_NO = 2,
    /** The same where nothing is cached of the new context. */
    HOIST_LAUNCHDARKLY_USE_CACHE_IF_AVAILABLE = 4
};

typedef void (*hoist_launchdarkly_identified)(void *HOIST_NULLABLE user_data, hoist_launchdarkly_identify_result result,
                                              hoist_status status);

/**
 * Makes another context the current one of all environments.
 *
 * One change goes on at a time. Of those that wait behind it, one that may be shed gives way to a newer one. The context
 * and its flags change in one step; observers are told of what changes. A context that equals the current one is done at
 * once, and is an identify event all the same.
 *
 * @param context    Copied. NULL: an anonymous user.
 * @param timeout_ms After these milliseconds `done` is called at the latest, with TIMEOUT, and the change goes on; negative:
 *                   no limit. More than 15000 is warned of.
 * @param options    0, or HOIST_LAUNCHDARKLY_UNSHEDDABLE and one of HOIST_LAUNCHDARKLY_USE_CACHE_….
 * @param done       NULL, or told how it ended.
 * @param user_data  Handed to `done`.
 * @return HOIST_ERR_ARGUMENT for an unknown option, HOIST_ERR_STATE after close and in mode server, HOIST_ERR_LIMIT when
 *         too many calls are under way, HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_identify(hoist_client *HOIST_NULLABLE client,
                                                   const hoist_context *HOIST_NULLABLE context, int64_t timeout_ms,
                                                   uint32_t options, hoist_launchdarkly_identified HOIST_NULLABLE done,
                                                   void *HOIST_NULLABLE user_data);
/**
 * The same, waiting for its end.
 * @param result NULL, or receives how it ended: ERROR where it could not begin.
 * @return The status that `done` would get; HOIST_ERR_STATE also on a thread of Hoist's.
 */
HOIST_API hoist_status hoist_launchdarkly_identify_wait(hoist_client *HOIST_NULLABLE client,
                                                        const hoist_context *HOIST_NULLABLE context, int64_t timeout_ms,
                                                        uint32_t options,
                                                        hoist_launchdarkly_identify_result *HOIST_NULLABLE result);

/* ---- Environments ---------------------------------------------------------------------------------------- */

/**
 * The client of another environment: flags, observers and events of its own, with the same context.
 *
 * @param client Any environment's.
 * @param name   A name of `secondary_mobile_keys`; "default" or NULL: the one of `mobile_key`.
 * @return Borrowed: valid until hoist_client_free() of the client that hoist_client_open() gave, which is the one of
 *         "default" itself; freeing another one has no effect. NULL for an unknown name, after close, in mode
 *         server, and for a client of another service.
 */
HOIST_API hoist_client *HOIST_NULLABLE hoist_launchdarkly_environment(hoist_client *HOIST_NULLABLE client,
                                                                      const char *HOIST_NULLABLE name);

#ifdef __cplusplus
}
#endif
#endif
