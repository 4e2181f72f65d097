/**
 * @file
 * Optimizely's notifications, and who observes them.
 */
#ifndef HOIST_OPTIMIZELY_OBSERVER_H
#define HOIST_OPTIMIZELY_OBSERVER_H

#include "../observer.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The kinds of notifications, and their JSON. "attributes" is an object, "event" the request that reports it:
 * {"url":…,"body":{…}}, with this event alone.
 */
typedef int32_t hoist_optimizely_notification_kind;
enum {
    /** An impression with an experiment (or holdout) and a variation:
     *  {"experiment":{"id","key"},"userId","attributes","variation":{"id","key"},"event"} */
    HOIST_OPTIMIZELY_ACTIVATE = 1,
    /** A conversion: {"eventKey","userId","attributes","eventTags":{…},"event"} */
    HOIST_OPTIMIZELY_TRACK = 2,
    /** Another datafile is served: the datafile as it was sent */
    HOIST_OPTIMIZELY_DATAFILE_CHANGE = 3,
    /** A decision: {"type","userId","attributes","decisionInfo":{…}}. By type, decisionInfo has
     *  "flag" (decide): "flagKey", "enabled", "variables", "variationKey", "ruleKey", "reasons", "decisionEventDispatched",
     *  "experimentId", "variationId"; null where there is none.
     *  "ab-test", "feature-test" (activate, getVariationKey): "experimentKey", "variationKey".
     *  "feature" (isFeatureEnabled): "featureKey", "featureEnabled", "source" ("feature-test", "rollout", "holdout"),
     *  "sourceInfo" ({"experimentKey","variationKey"} or {}).
     *  "feature-variable": those, "variableKey", "variableType", "variableValue".
     *  "all-feature-variables": those of "feature", "variableValues". */
    HOIST_OPTIMIZELY_DECISION = 4,
    /** A request with events is about to be sent, also again: {"url","event":{…}} */
    HOIST_OPTIMIZELY_LOG_EVENT = 5
};

/**
 * An observer of notifications. As hoist_observer: copied, `release` runs once, also when the call fails; told on the
 * client's delivery lane, one call at a time, or in manual dispatch.
 */
typedef struct hoist_optimizely_observer {
    size_t struct_size; /**< sizeof(hoist_optimizely_observer) */
    void *HOIST_NULLABLE user_data;
    /** Required. @param json Valid only during the call. */
    void (*HOIST_NULLABLE notify)(void *HOIST_NULLABLE user_data, hoist_optimizely_notification_kind kind,
                                  const char *HOIST_NONNULL json, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_observer;

#define HOIST_OPTIMIZELY_OBSERVER_INIT { sizeof(hoist_optimizely_observer), NULL, NULL, NULL }

/**
 * Adds an observer, until hoist_client_unobserve() or hoist_client_free(). A kind without an observer costs nothing.
 *
 * @param token NULL, or receives what hoist_client_unobserve() takes; 0 on failure.
 * @return HOIST_ERR_ARGUMENT, also for an unknown kind; HOIST_ERR_LIMIT beyond 1,000 observers; HOIST_ERR_UNSUPPORTED for a
 *         client of another service.
 */
HOIST_API hoist_status hoist_optimizely_observe(hoist_client *HOIST_NULLABLE client,
                                                hoist_optimizely_notification_kind kind,
                                                const hoist_optimizely_observer *HOIST_NULLABLE observer,
                                                hoist_token *HOIST_NULLABLE token);
/** Ends all observers of a kind. @param kind 0 for all kinds. HOIST_ERR_ARGUMENT for an unknown one. */
HOIST_API hoist_status hoist_optimizely_unobserve_all(hoist_client *HOIST_NULLABLE client,
                                                      hoist_optimizely_notification_kind kind);

#ifdef __cplusplus
}
#endif
#endif
