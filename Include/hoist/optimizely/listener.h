/**
 * @file
 * Optimizely's notifications.
 */
#ifndef HOIST_OPTIMIZELY_LISTENER_H
#define HOIST_OPTIMIZELY_LISTENER_H

#include "../client.h"

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

/** Told on the client's delivery lane, one call at a time, or in manual dispatch, as observers are. */
typedef struct hoist_optimizely_listener {
    size_t struct_size; /**< sizeof(hoist_optimizely_listener) */
    void *HOIST_NULLABLE user_data;
    /** @param json Valid only during the call. */
    void (*HOIST_NULLABLE notify)(void *HOIST_NULLABLE user_data, hoist_optimizely_notification_kind kind,
                                  const char *HOIST_NONNULL json, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_optimizely_listener;

/**
 * Adds a listener. Events without a listener cost nothing.
 *
 * @param listener Copied, by the rules of plug-ins.
 * @param id       NULL, or receives what hoist_optimizely_remove_listener() takes: 1, 2, 3… for each client; 0 on failure.
 * @return HOIST_ERR_ARGUMENT for an unknown kind, HOIST_ERR_STATE after close, HOIST_ERR_LIMIT beyond 1,000 listeners,
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_optimizely_add_listener(hoist_client *HOIST_NULLABLE client,
                                                     hoist_optimizely_notification_kind kind,
                                                     const hoist_optimizely_listener *HOIST_NULLABLE listener,
                                                     int32_t *HOIST_NULLABLE id);
/** No call begins afterwards. False for an id that is not in use. */
HOIST_API bool hoist_optimizely_remove_listener(hoist_client *HOIST_NULLABLE client, int32_t id);
/** @param kind 0 for all. HOIST_ERR_ARGUMENT for an unknown kind. */
HOIST_API hoist_status hoist_optimizely_clear_listeners(hoist_client *HOIST_NULLABLE client,
                                                        hoist_optimizely_notification_kind kind);

#ifdef __cplusplus
}
#endif
#endif
