/**
 * @file
 * LaunchDarkly: observers of changed flags, of the connection's mode, and of stores.
 */
#ifndef HOIST_LAUNCHDARKLY_OBSERVE_H
#define HOIST_LAUNCHDARKLY_OBSERVE_H

#include "../observer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How one flag has changed. Valid only during the callback. This structure never grows. */
typedef struct hoist_launchdarkly_change {
    const char *HOIST_NONNULL key;
    const char *HOIST_NONNULL old_value; /**< JSON; "": there was no such flag */
    const char *HOIST_NONNULL new_value; /**< JSON; "": there is no such flag any more */
} hoist_launchdarkly_change;

/**
 * An observer of changes. As hoist_observer: copied, `release` runs once, also when the call fails; told on the client's
 * delivery lane, one call at a time and in the order of the updates, or in manual dispatch. The observers of an update are
 * fixed when it comes; one that hoist_client_unobserve() has ended is not called any more, and may end itself.
 */
typedef struct hoist_launchdarkly_observer {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_observer) */
    void *HOIST_NULLABLE user_data;
    /** Of the flags asked for, those that an update has changed; another value or another variation is a change.
     *  @param count At least 1. */
    void (*HOIST_NULLABLE changed)(void *HOIST_NULLABLE user_data,
                                   const hoist_launchdarkly_change *HOIST_NONNULL changes, size_t count);
    /** An update has come that changed no flag at all. */
    void (*HOIST_NULLABLE unchanged)(void *HOIST_NULLABLE user_data);
    /** @param mode As in hoist_launchdarkly_connection_information(). */
    void (*HOIST_NULLABLE connection_mode)(void *HOIST_NULLABLE user_data, int32_t mode);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
    /** In mode server: flags that may have other values than before, each once; see hoist_launchdarkly_observe_flag_changes().
     *  @param keys  `count` keys, valid only during the callback.
     *  @param count At least 1. */
    void (*HOIST_NULLABLE rules_changed)(void *HOIST_NULLABLE user_data,
                                         const char *HOIST_NONNULL const *HOIST_NONNULL keys, size_t count);
    /** The store of big segments is known otherwise than before: see hoist_launchdarkly_big_segments_status. */
    void (*HOIST_NULLABLE big_segments_status)(void *HOIST_NULLABLE user_data, bool is_available, bool is_stale);
    /** The store of rules likewise: see hoist_launchdarkly_store_status. */
    void (*HOIST_NULLABLE store_status)(void *HOIST_NULLABLE user_data, bool is_available, bool is_stale);
} hoist_launchdarkly_observer;

#define HOIST_LAUNCHDARKLY_OBSERVER_INIT \
    { sizeof(hoist_launchdarkly_observer), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/*
 * Each of these registers one observer of one environment for one thing, until hoist_client_unobserve() of that environment
 * or hoist_client_free(); the member for it is called, and is required. Several may be registered for the same thing, and
 * all are called. What the vendor's SDKs call an owner is the host's list of tokens.
 *
 * client    The environment whose changes are told.
 * observer  Copied.
 * token     NULL, or receives what hoist_client_unobserve() takes; 0 on failure.
 *
 * They return HOIST_ERR_ARGUMENT, HOIST_ERR_LIMIT beyond 100,000 registrations, HOIST_ERR_UNSUPPORTED for a client of
 * another service; those of flags HOIST_ERR_STATE in mode server, where flags have no values of one context and there are
 * those of launchdarkly/server.h, and those of stores in mode client, which has none.
 */

/** One flag: `changed` gets each of its changes. */
HOIST_API hoist_status hoist_launchdarkly_observe_flag(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE key,
                                                       const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
                                                       hoist_token *HOIST_NULLABLE token);
/**
 * Some flags: `changed` is called once for an update, with those of them that changed.
 * @param keys  `count` keys; borrowed for the call.
 * @param count 1 to 100000.
 */
HOIST_API hoist_status hoist_launchdarkly_observe_flags(hoist_client *HOIST_NULLABLE client,
                                                        const char *HOIST_NULLABLE const *HOIST_NULLABLE keys,
                                                        size_t count,
                                                        const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
                                                        hoist_token *HOIST_NULLABLE token);
/** All flags: `changed` is called once for an update. */
HOIST_API hoist_status hoist_launchdarkly_observe_all(hoist_client *HOIST_NULLABLE client,
                                                      const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
                                                      hoist_token *HOIST_NULLABLE token);
/** Updates that change nothing: `unchanged`. */
HOIST_API hoist_status hoist_launchdarkly_observe_unchanged(hoist_client *HOIST_NULLABLE client,
                                                            const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
                                                            hoist_token *HOIST_NULLABLE token);
/** Another mode of the connection than before: `connection_mode`. */
HOIST_API hoist_status hoist_launchdarkly_observe_connection_mode(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
    hoist_token *HOIST_NULLABLE token);
/** Each change of either value of the store of big segments, after the first poll of it: `big_segments_status`. */
HOIST_API hoist_status hoist_launchdarkly_observe_big_segments_status(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
    hoist_token *HOIST_NULLABLE token);
/** Each change of either value of the store of rules: `store_status`. */
HOIST_API hoist_status hoist_launchdarkly_observe_store_status(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
    hoist_token *HOIST_NULLABLE token);

#ifdef __cplusplus
}
#endif
#endif
