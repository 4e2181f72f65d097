/**
 * @file
 * The client: one service, one key, its life from open to free.
 */
#ifndef HOIST_CLIENT_H
#define HOIST_CLIENT_H

#include "config.h"
#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A running client. Thread-safe: any function, any thread, at any time before hoist_client_free().
 * Valid, and answering with fallbacks or its last flags, from open to free, closed or not.
 */
typedef struct hoist_client hoist_client;

/** The state of a client. */
typedef int32_t hoist_client_state;
enum {
    HOIST_CLIENT_NOT_READY   = 0, /**< open, no flags yet, nothing has failed */
    HOIST_CLIENT_READY       = 1, /**< flags are served, and the last word of the service was good */
    HOIST_CLIENT_STALE       = 2, /**< flags are served, from store, bootstrap or file, or the service's last word was a
                                       failure; attempts go on, or the client is offline */
    HOIST_CLIENT_ERROR       = 3, /**< no flags, and the last attempt failed, or the service has switched all flags off;
                                       attempts go on, at a pace that grows to property network.retry_max_ms */
    HOIST_CLIENT_FATAL       = 4, /**< attempts have stopped for good, with flags or without: hoist_client_refresh(),
                                       hoist_client_set_online() or hoist_client_reopen() start them again */
    HOIST_CLIENT_RECONCILING = 5, /**< a change of the context is under way */
    HOIST_CLIENT_CLOSED      = 6
};

/**
 * Checks the configuration, loads the shared objects that property plugins names (as hoist_config_load_plugin() does,
 * for this client alone), starts the client and returns at once; nothing has been fetched yet.
 *
 * @param config Borrowed for the call.
 * @param client Receives the client, to be freed with hoist_client_free(); NULL on failure.
 * @param error  NULL, or receives an error to free with hoist_error_free().
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_CONFIG with the property in the message, also
 *         for a plug-in of property plugins that cannot be loaded or made.
 */
HOIST_API HOIST_MUST_CHECK hoist_status hoist_client_open(const hoist_config *HOIST_NULLABLE config,
                                                          hoist_client *HOIST_NULLABLE *HOIST_NULLABLE client,
                                                          hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Waits until the client has flags: HOIST_OK exactly when a read of a flag, at once, on this thread, sees flags.
 *
 * @param timeout_ms Longest wait; 0 only asks; negative waits without limit.
 * @return HOIST_OK; HOIST_ERR_TIMEOUT: go on, fallbacks serve; HOIST_ERR_NETWORK when the client is FATAL
 *         without flags;
 *         HOIST_ERR_CANCELLED when it was closed meanwhile; HOIST_ERR_STATE on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_client_wait_ready(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms);

/** What it was opened with: hoist_config_new()'s `provider`. Borrowed: valid until hoist_client_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_client_provider(const hoist_client *HOIST_NULLABLE client);

/**
 * A copy of the client's current context, as it was given and completed; owned by the caller; free with
 * hoist_context_free(). NULL for NULL, and when there is none.
 */
HOIST_API hoist_context *HOIST_NULLABLE hoist_client_context(hoist_client *HOIST_NULLABLE client);

/**
 * Which lines are written from now on: those of this level and of the graver ones; at first as the property `log.level`
 * says. All environments of a client have one level.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT for NULL and for other numbers.
 */
HOIST_API hoist_status hoist_client_set_log_level(hoist_client *HOIST_NULLABLE client, hoist_log_level level);
/** HOIST_LOG_NONE for NULL. */
HOIST_API hoist_log_level hoist_client_log_level(const hoist_client *HOIST_NULLABLE client);

/** The client's state now; HOIST_CLIENT_CLOSED for NULL. */
HOIST_API hoist_client_state hoist_client_get_state(const hoist_client *HOIST_NULLABLE client);

/**
 * Called once when an asynchronous call is done, on the client's delivery lane; or inside the call that closes or
 * frees the client, on its thread, when that comes first (with HOIST_ERR_CANCELLED, unless it was done already).
 */
typedef void (*hoist_done)(void *HOIST_NULLABLE user_data, hoist_status status);

/**
 * Changes the client's current context. Where the service evaluates, the flags of the new context are
 * fetched: the client is RECONCILING meanwhile, and serves the former flags or none, as the service's header says. Flags of
 * the new context that an earlier run has stored are served at once. A context equal to the current one is done at once,
 * with HOIST_OK and without a request.
 *
 * @param context   Copied. NULL means an empty context.
 * @param done      NULL, or called exactly once: HOIST_OK when the flags of this context are there,
 *                  HOIST_ERR_SUPERSEDED when a newer context took its place, HOIST_ERR_NETWORK,
 *                  HOIST_ERR_CANCELLED.
 * @param user_data Handed to `done`.
 * @return HOIST_OK: `done` will be called. Anything else: it will not.
 */
HOIST_API hoist_status hoist_client_identify(hoist_client *HOIST_NULLABLE client,
                                             const hoist_context *HOIST_NULLABLE context,
                                             hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/** hoist_client_identify() that waits; HOIST_ERR_TIMEOUT leaves the change going on in the background. */
HOIST_API hoist_status hoist_client_identify_wait(hoist_client *HOIST_NULLABLE client,
                                                  const hoist_context *HOIST_NULLABLE context, int64_t timeout_ms);

/**
 * Switches all network use off or on. Offline, flags stay readable and events are kept. Back online the client fetches at
 * once, also where attempts had stopped.
 */
HOIST_API hoist_status hoist_client_set_online(hoist_client *HOIST_NULLABLE client, bool online);
HOIST_API bool hoist_client_is_online(const hoist_client *HOIST_NULLABLE client);

/**
 * Fetches now, whatever the mode and the interval say, and does not wait: the configuration, or the flags of the current
 * context where the service evaluates. Attempts that had stopped go on from there.
 */
HOIST_API hoist_status hoist_client_refresh(hoist_client *HOIST_NULLABLE client);

/**
 * Sends what is recorded, and what earlier runs and processes that died have left in the store, and waits for the service's
 * answers; then until the store knows of them, so that no later run sends the same again.
 *
 * A pause after a failure is cut short by it, unless the service has asked for that pause (Retry-After).
 *
 * @return HOIST_OK when all that was recorded before has been accepted; HOIST_ERR_REJECTED when the service has refused
 *         something for good since the last flush, which a warning in the log names; HOIST_ERR_TIMEOUT;
 *         HOIST_ERR_NETWORK when something was not accepted, and is kept and tried again, and when the store, which
 *         has worked before, fails to say what earlier runs have left; HOIST_ERR_STATE on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_client_flush(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms);

/**
 * Counters of the client as a JSON object of groups, each an object of numbers. They count from open on, but for
 * waiting, in_flight, oldest_ms, stuck, held, open and queued_visitors, which tell of now.
 *
 *   events     what is recorded and sent to the service: recorded, waiting, in_flight, delivered, dropped (no room, too
 *              large), rejected (refused by the service for good), expired (too old), purged (forgotten on request),
 *              retried (attempts after the first), adopted (taken over from processes that ended, or that leave theirs to
 *              others), unsaved (told as HOIST_ERR_UNSAVED), forwarded (left in the store for another process to send: property
 *              events.delivery), oldest_ms (age of the oldest that waits or is in flight),
 *              summary_overflow (LaunchDarkly's alone: evaluations that a summary had no room for)
 *   metrics    Unleash's usage counts, in buckets: recorded, waiting, in_flight, delivered, dropped, rejected, expired,
 *              purged, retried, adopted, unsaved, forwarded, oldest_ms, impact_dropped (impact metrics of unknown
 *              names or beyond limits), unknown_overflow (evaluations of unknown flags beyond those told apart)
 *   odp        Optimizely's data platform, unless it is off: recorded, waiting, in_flight, delivered, dropped, rejected,
 *              expired, purged (the project has no data platform any more), retried, adopted, unsaved, forwarded,
 *              oldest_ms
 *   profiles   Optimizely's users, unless a service of the host's or none keeps them: held, forgotten (no room)
 *   hits       Flagship's hits: recorded, waiting, in_flight, delivered, dropped, rejected, expired (after four hours),
 *              purged (consent was withdrawn), retried, adopted, unsaved, forwarded, oldest_ms, duplicates (within
 *              property hits.deduplication_ms)
 *   activates  Flagship's exposures: recorded, waiting, in_flight, delivered, dropped, rejected, expired, purged, retried,
 *              adopted, unsaved, forwarded, oldest_ms, duplicates
 *   visitor_cache  Flagship's visitors, in the store or a cache of the host's: written, lookups, found, given_up (took too
 *              long), dropped (changes that were not made), stuck
 *   telemetry  Flagship's reports of use and trouble: sent, dropped
 *   visitors   Kameleoon's visitors: written (to the store), found (there), open
 *   tracking   Kameleoon's events: recorded, waiting, in_flight, delivered, dropped, rejected, expired, purged, retried,
 *              adopted, unsaved, forwarded, oldest_ms, queued_visitors (due for the next
 *              request), dropped_visitors (no room in that queue)
 *   provider   a provider plug-in's calls: calls, waiting, refused (no room, or closed), stuck (1 while one does not
 *              return), reported (those that did not return in time), late (returned after that), wrong_answers (of
 *              evaluate); its pipelines are groups of their own, as events
 *   store      written (values), failures, refused (calls not made: the cache manager is stuck or pauses), given_up
 *              (what was never written), ignored (rows not believed), stuck (calls that have not returned), heard (looks because
 *              of what others have announced)
 *   shared_fetch  with property fetch.shared: leads (1 in the process that fetches for all), alone (1 while the store is
 *              away), read (from the store), written (for the others), refused (another led by then)
 *   forwarded  batches of hoist_client_forward(), once there was one: accepted, rejected (some of it), returned (with any other
 *              result), waiting
 *   observers  delivered, dropped (no room), waiting
 *   plugins    answered, expired (no answer in time), set_aside (threads left behind), late (returned after that)
 *   evaluations  too_costly (rules that cost more than an evaluation may: the fallback was given)
 *   snapshots  waiting (replaced flags that are still read), counts_lost (replaced flags whose counts were given up)
 *
 * @return Owned by the caller; free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_client_statistics(hoist_client *HOIST_NULLABLE client);

/**
 * Flushes and stops within the limit: what fails is tried again until it is over, unless the client is offline. After it
 * returns no new host call begins; one that is still running inside the host is detached, and its table's `release` runs
 * when it returns. May be called again. What the service has refused is not left: hoist_client_flush() and a warning tell.
 *
 * @param timeout_ms Longest wait; 0 stops without flushing, negative waits without limit.
 * @return HOIST_OK; HOIST_ERR_TIMEOUT when something is left or lost, or was still under way: what the store holds by then
 *         is kept for the next run, as after a crash; HOIST_ERR_STATE on a thread of Hoist's own: nothing was done.
 */
HOIST_API hoist_status hoist_client_close(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms);

/**
 * Starts a closed client again, with the configuration it was opened with; its observers are told of the new start.
 * HOIST_ERR_STATE when it is not closed, and when its owner has freed it, see hoist_client_shared().
 */
HOIST_API hoist_status hoist_client_reopen(hoist_client *HOIST_NULLABLE client,
                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/**
 * Closes without waiting if need be, and frees; NULL is harmless. The handle is gone afterwards, and with it the names it was
 * shared by; but see hoist_client_shared().
 */
HOIST_API void hoist_client_free(hoist_client *HOIST_NULLABLE client);

/* ---- What other processes have recorded --------------------------------------------------------------------- */

/**
 * A batch of recorded events in the service's own words, as the dispatcher of the process that has recorded them was given it:
 * see hoist_dispatch_batch in plugin.h. Borrowed for the call.
 */
typedef struct hoist_forward_batch {
    size_t struct_size;                  /**< sizeof(hoist_forward_batch) */
    const char *HOIST_NULLABLE service;  /**< as the dispatcher was told, and so are the next four */
    const char *HOIST_NULLABLE pipeline;
    const char *HOIST_NULLABLE method;
    const char *HOIST_NULLABLE path;
    const char *HOIST_NULLABLE key_hash;
    const char *HOIST_NULLABLE id;       /**< the same for the same batch, e.g. the ids of its events: services that know payloads
                                              by an id get one that is made of it */
    const void *HOIST_NULLABLE body;
    size_t body_size;                    /**< bytes; 64 MiB at most */
} hoist_forward_batch;

#define HOIST_FORWARD_BATCH_INIT { sizeof(hoist_forward_batch), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

/** What became of a batch. Valid only during the callback. */
typedef struct hoist_forward_result {
    size_t struct_size;
    /** HOIST_OK: the service has accepted it. HOIST_ERR_REJECTED: it has refused some of it for good. HOIST_ERR_ARGUMENT: it is
     *  none of this client's: of another service, key, pipeline or path. HOIST_ERR_UNSUPPORTED: only the process that has
     *  recorded it can send it. HOIST_ERR_NETWORK: not now, to be given again. HOIST_ERR_CANCELLED: the client was closed, and
     *  it is not known whether the service has it. */
    hoist_status status;
    const char *HOIST_NONNULL message;   /**< why, in one line; "" for HOIST_OK */
    /** With HOIST_ERR_REJECTED what was refused, without the rest, as a body of its own; else NULL. */
    const void *HOIST_NULLABLE refused;
    size_t refused_size;
} hoist_forward_result;

/** Called once for each batch, where and when hoist_done would be. */
typedef void (*hoist_forwarded)(void *HOIST_NULLABLE user_data, const hoist_forward_result *HOIST_NONNULL result);

/**
 * Delivers a batch that another process has recorded: with this client's address, key and headers, and as its own, again and
 * again, with pauses that grow and as long as the service asks for, and slowly while it refuses the key or knows no such address.
 * What the service refuses as a whole is divided until the bad part stands alone, where its form allows that (not with
 * Unleash). It is kept in memory alone: a host forgets what it has of the batch when the service has accepted it. Nothing
 * goes while the client is offline.
 *
 * A host stops giving batches, waits for the results, and then closes the client: what is under way when it closes is given up.
 *
 * @param done      Not NULL. Called exactly once when this returns HOIST_OK, except in a forked child: what is under way is the
 *                  parent's.
 * @param user_data Handed to `done`.
 * @return HOIST_OK: `done` will be called. Anything else: it will not. HOIST_ERR_ARGUMENT; HOIST_ERR_LIMIT: 1,000 batches, or
 *         32 MiB of them, are under way, or `done` is owed too often: give it again when one has ended; HOIST_ERR_STATE after close.
 */
HOIST_API HOIST_MUST_CHECK hoist_status hoist_client_forward(hoist_client *HOIST_NULLABLE client,
                                                             const hoist_forward_batch *HOIST_NULLABLE batch,
                                                             hoist_forwarded HOIST_NULLABLE done,
                                                             void *HOIST_NULLABLE user_data);

/* ---- One client for the whole process ---------------------------------------------------------------------- */

/**
 * Lets the whole process find a client by a name, for programs whose parts cannot hand it on. It stays its owner's, who
 * closes and frees it; it has the name until it is freed, also closed and opened again, until another one is given it, or
 * until it is taken back. It may have several names, and each environment of a client its own. A forked child has the names
 * of its parent.
 *
 * @param client NULL takes the name back.
 * @param name   1 to 255 bytes without "/": names with one are those of the services, which a host neither gives nor takes
 *               back, but finds. Another client that has the name loses it, and goes on otherwise. Borrowed for the call.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_NOT_FOUND when a name is taken back that no client has; HOIST_ERR_STATE for a
 *         client that its owner has freed.
 */
HOIST_API hoist_status hoist_client_share(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name);

/**
 * The client that a name stands for. Borrowed for as long as the process lives, and not to be freed by who only found it: a
 * client that was given out here stays in memory when its owner frees it, closed for good, answering with fallbacks, and told
 * of nothing. It costs what a closed client costs, and its plug-ins' `release` does not run.
 *
 * @return NULL when there is none, and while it is closed.
 */
HOIST_API hoist_client *HOIST_NULLABLE hoist_client_shared(const char *HOIST_NULLABLE name);

#ifdef __cplusplus
}
#endif
#endif
