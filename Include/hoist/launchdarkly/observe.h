/**
 * @file
 * LaunchDarkly: observers of changed flags and of the connection's mode.
 */
#ifndef HOIST_LAUNCHDARKLY_OBSERVE_H
#define HOIST_LAUNCHDARKLY_OBSERVE_H

#include "../client.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The owner of observers: they end with it. One owner may have observers in several clients. Thread-safe.
 */
typedef struct hoist_launchdarkly_owner hoist_launchdarkly_owner;

/** Owned by the caller; free with hoist_launchdarkly_owner_free(). */
HOIST_API hoist_launchdarkly_owner *HOIST_NULLABLE hoist_launchdarkly_owner_new(void);
/**
 * Ends every observer of the owner. No call begins afterwards, not even one that is queued; one that is under way on
 * another thread goes on and is not waited for. An observer may free its own owner.
 */
HOIST_API void hoist_launchdarkly_owner_free(hoist_launchdarkly_owner *HOIST_NULLABLE owner);

/** How one flag has changed. Valid only during the callback. This structure never grows. */
typedef struct hoist_launchdarkly_change {
    const char *HOIST_NONNULL key;
    const char *HOIST_NULLABLE old_value; /**< JSON; NULL: there was no such flag */
    const char *HOIST_NULLABLE new_value; /**< JSON; NULL: there is no such flag any more */
} hoist_launchdarkly_change;

/**
 * Told on the client's delivery lane, one call at a time and in the order of the updates, or in manual dispatch. Every
 * function of Hoist may be called but those that wait. The observers of an update are fixed when it comes: later
 * changes of registrations do not matter for it. `release` runs after the last call, when no registration is left.
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
} hoist_launchdarkly_observer;

#define HOIST_LAUNCHDARKLY_OBSERVER_INIT { sizeof(hoist_launchdarkly_observer), NULL, NULL, NULL, NULL, NULL }

/*
 * Each of these registers one observer of one environment for one thing; the member for it is called. Several may be
 * registered for the same thing, and all are called. Closing the client ends all.
 *
 * client    The environment whose changes are told.
 * owner     Not NULL.
 * observer  Copied, by the rules of plug-ins: `release` runs also when the call fails.
 *
 * They return HOIST_ERR_ARGUMENT, HOIST_ERR_STATE after close, HOIST_ERR_LIMIT beyond 100,000 registrations,
 * HOIST_ERR_UNSUPPORTED for a client of another service.
 */

/** One flag: `changed` gets each of its changes. */
HOIST_API hoist_status hoist_launchdarkly_observe_flag(hoist_client *HOIST_NULLABLE client,
                                                       hoist_launchdarkly_owner *HOIST_NULLABLE owner,
                                                       const char *HOIST_NULLABLE key,
                                                       const hoist_launchdarkly_observer *HOIST_NULLABLE observer);
/**
 * Some flags: `changed` is called once for an update, with those of them that changed.
 * @param keys  `count` keys; borrowed for the call.
 * @param count 1 to 100000.
 */
HOIST_API hoist_status hoist_launchdarkly_observe_flags(hoist_client *HOIST_NULLABLE client,
                                                        hoist_launchdarkly_owner *HOIST_NULLABLE owner,
                                                        const char *HOIST_NULLABLE const *HOIST_NULLABLE keys,
                                                        size_t count,
                                                        const hoist_launchdarkly_observer *HOIST_NULLABLE observer);
/** All flags: `changed` is called once for an update. */
HOIST_API hoist_status hoist_launchdarkly_observe_all(hoist_client *HOIST_NULLABLE client,
                                                      hoist_launchdarkly_owner *HOIST_NULLABLE owner,
                                                      const hoist_launchdarkly_observer *HOIST_NULLABLE observer);
/** Updates that change nothing: `unchanged`. */
HOIST_API hoist_status hoist_launchdarkly_observe_unchanged(hoist_client *HOIST_NULLABLE client,
                                                            hoist_launchdarkly_owner *HOIST_NULLABLE owner,
                                                            const hoist_launchdarkly_observer *HOIST_NULLABLE observer);
/** Another mode of the connection than before: `connection_mode`. */
HOIST_API hoist_status hoist_launchdarkly_observe_connection_mode(
    hoist_client *HOIST_NULLABLE client, hoist_launchdarkly_owner *HOIST_NULLABLE owner,
    const hoist_launchdarkly_observer *HOIST_NULLABLE observer);
/**
 * Ends all observers of an owner in one environment, of every kind. Calls that are queued still run: see
 * hoist_launchdarkly_owner_free().
 */
HOIST_API hoist_status hoist_launchdarkly_stop_observing(hoist_client *HOIST_NULLABLE client,
                                                         hoist_launchdarkly_owner *HOIST_NULLABLE owner);

#ifdef __cplusplus
}
#endif
#endif
