/**
 * @file
 * Observers: notification of changes. Manual dispatch: notification on the host's own thread.
 */
#ifndef HOIST_OBSERVER_H
#define HOIST_OBSERVER_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The topic of a notification. */
typedef int32_t hoist_topic;
enum {
    HOIST_TOPIC_READY                 = 1,  /**< flags are there for the first time, wherever from: once
                                               per start; told at once when they already are */
    HOIST_TOPIC_CONFIGURATION_CHANGED = 2,  /**< other flags are served than before; keys: those that
                                               changed */
    HOIST_TOPIC_FLAG_CHANGED          = 3,  /**< one flag changed; keys: that one */
    HOIST_TOPIC_ERROR                 = 4,  /**< a fetch, a delivery, the store or a plug-in failed; once
                                               per failure */
    HOIST_TOPIC_STATE                 = 5,  /**< hoist_client_get_state() changed */
    HOIST_TOPIC_IMPRESSION            = 6,  /**< a flag with impression data was evaluated */
    HOIST_TOPIC_EVENTS_SENT           = 7,  /**< the service accepted recorded events or counts */
    HOIST_TOPIC_CONTEXT_CHANGED       = 8,  /**< the flags of a new current context are served: a read
                                               inside the callback sees them */
    HOIST_TOPIC_INITIALIZED           = 9,  /**< store and bootstrap have been read, whatever they held;
                                               as READY */
    HOIST_TOPIC_RECOVERED             = 10, /**< the first success after failures, of fetches and of
                                               deliveries alike */
    HOIST_TOPIC_UPDATED               = 11, /**< a fetch after the first brought an answer, changed or not */
    HOIST_TOPIC_FETCH_FAILED          = 12, /**< flags could not be fetched; ERROR tells of it too */
    HOIST_TOPIC_SEND_FAILED           = 13  /**< events could not be sent; ERROR tells of it too. With
                                               HOIST_ERR_REJECTED they are refused for good: keys are their ids,
                                               and the JSON has "queue", "reason", an array
                                               "recorded_at_unix_ms" and, of a batch that went out, "body_size" and
                                               its first 64 KiB: "body", or "body_base64" of what is no text */
    /* From 1000 on they are a service's own; its header has them. */
};

/** One piece of news. Valid only during the callback that receives it. */
typedef struct hoist_notification hoist_notification;

HOIST_API hoist_topic hoist_notification_topic(const hoist_notification *HOIST_NULLABLE notification);
/** One line for people: the cause of an error, the new state; "" when there is nothing to say. */
HOIST_API const char *HOIST_NULLABLE hoist_notification_message(const hoist_notification *HOIST_NULLABLE notification);
/** Status of what failed; HOIST_OK when nothing did. */
HOIST_API hoist_status hoist_notification_status(const hoist_notification *HOIST_NULLABLE notification);
/** Number of keys: of flags, or of events. */
HOIST_API size_t hoist_notification_key_count(const hoist_notification *HOIST_NULLABLE notification);
/** A key; NULL beyond the last. */
HOIST_API const char *HOIST_NULLABLE hoist_notification_key(const hoist_notification *HOIST_NULLABLE notification,
                                                            size_t index);
/** The vendor's own payload as JSON, e.g. of an impression; "null" when there is none. */
HOIST_API const char *HOIST_NULLABLE hoist_notification_json(const hoist_notification *HOIST_NULLABLE notification);

/**
 * An observer supplied by the host.
 *
 * Lifetime: the table is copied during the call that receives it. `user_data` belongs to Hoist from that call
 * on, whether it succeeds or not: `release` runs exactly once, after the last `notify` has returned.
 *
 * Threads: `notify` runs on the client's delivery lane, or inside hoist_client_dispatch(); never on two threads
 * at once for one client. It may call everything but hoist_client_close() and the calls that wait.
 */
typedef struct hoist_observer {
    size_t struct_size; /**< sizeof(hoist_observer) */
    void *HOIST_NULLABLE user_data;
    /** Required. */
    void (*HOIST_NULLABLE notify)(void *HOIST_NULLABLE user_data,
                                  const hoist_notification *HOIST_NONNULL notification);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_observer;

#define HOIST_OBSERVER_INIT { sizeof(hoist_observer), NULL, NULL, NULL }

/** Names one registration of one client; never 0, never used twice. */
typedef uint64_t hoist_token;

/**
 * Registers an observer, until hoist_client_unobserve() or hoist_client_free(): it outlives close and reopen.
 *
 * @param topic    What to be told of.
 * @param key      For FLAG_CHANGED and IMPRESSION: the one flag; NULL means all. Else ignored.
 * @param observer Copied.
 * @param token    NULL, or receives what hoist_client_unobserve() takes.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT, also for an observer without `notify`.
 */
HOIST_API hoist_status hoist_client_observe(hoist_client *HOIST_NULLABLE client, hoist_topic topic,
                                            const char *HOIST_NULLABLE key,
                                            const hoist_observer *HOIST_NULLABLE observer,
                                            hoist_token *HOIST_NULLABLE token);

/** Ends a registration, by this call or by a service's own: no new call begins afterwards. HOIST_ERR_NOT_FOUND for a token that
 *  is not in use. */
HOIST_API hoist_status hoist_client_unobserve(hoist_client *HOIST_NULLABLE client, hoist_token token);

/**
 * A descriptor that is readable while calls wait for hoist_client_dispatch(). Needs the property
 * `dispatch` = "manual". Belongs to the client: poll it, do not read or close it. -1 otherwise.
 */
HOIST_API int hoist_client_dispatch_fd(hoist_client *HOIST_NULLABLE client);

/**
 * Runs waiting observers, completions and log lines on the calling thread.
 *
 * @param limit Most calls to run; 0 means all that wait now.
 * @return How many ran.
 */
HOIST_API size_t hoist_client_dispatch(hoist_client *HOIST_NULLABLE client, size_t limit);

#ifdef __cplusplus
}
#endif
#endif
