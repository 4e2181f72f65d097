/**
 * @file
 * AB Tasty Flagship: the SDK's status, who observes a client as a whole, starts.
 */
#ifndef HOIST_FLAGSHIP_LIFE_H
#define HOIST_FLAGSHIP_LIFE_H

#include "../client.h"
#include "../observer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Status =============================================================================================== */

/** The state of the SDK. */
typedef int32_t hoist_flagship_status;
enum {
    HOIST_FLAGSHIP_NOT_INITIALIZED = 0, /**< not started, or closed */
    HOIST_FLAGSHIP_INITIALIZING    = 1, /**< the first bucketing file is being downloaded */
    HOIST_FLAGSHIP_INITIALIZED     = 2,
    HOIST_FLAGSHIP_PANIC           = 3  /**< switched off by the service, but for fetching, which finds out when that is over */
};

/**
 * The SDK's status. HOIST_FLAGSHIP_NOT_INITIALIZED for NULL and a client of another service.
 */
HOIST_API hoist_flagship_status hoist_flagship_sdk_status(hoist_client *HOIST_NULLABLE client);
/** The vendor's name of a status, e.g. "SDK_INITIALIZED"; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_status_name(hoist_flagship_status status);

/**
 * An observer of what concerns a client as a whole. As hoist_observer: copied, `release` runs once, also when the call fails;
 * told on the client's delivery lane, one call at a time, or in manual dispatch. At least one of the others is required.
 */
typedef struct hoist_flagship_observer {
    size_t struct_size; /**< sizeof(hoist_flagship_observer) */
    void *HOIST_NULLABLE user_data;
    /** The status has changed; never called with the one before again. */
    void (*HOIST_NULLABLE sdk_status_changed)(void *HOIST_NULLABLE user_data, hoist_flagship_status status);
    /** Another bucketing file has come from the service and is used by the next fetch of each visitor. */
    void (*HOIST_NULLABLE bucketing_changed)(void *HOIST_NULLABLE user_data);
    /**
     * The service has an exposure of a flag, by hoist_flagship_flag_expose() or by reading its value, made while there is
     * such an observer: also one that could not be delivered at first, and one of an earlier run. Both as they were when the
     * flag was exposed, as JSON, ended by NUL; valid only during the callback.
     * @param visitor {"id":…,"anonymousId":… or null,"context":{…}}
     * @param flag    {"key":…,"value":…,"defaultValue":…,"metadata":{"campaignId":…,"campaignName":…,"variationGroupId":…,
     *                "variationGroupName":…,"variationId":…,"variationName":…,"isReference":…,"campaignType":…,"slug":…}};
     *                without `defaultValue` where none was named.
     */
    void (*HOIST_NULLABLE exposed)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL visitor,
                                   const char *HOIST_NONNULL flag);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_flagship_observer;

#define HOIST_FLAGSHIP_OBSERVER_INIT { sizeof(hoist_flagship_observer), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds an observer, until hoist_client_unobserve() or hoist_client_free(). Who wants to miss nothing opens the client with
 * property `autostart` = "false" and starts it afterwards.
 *
 * @param token NULL, or receives what hoist_client_unobserve() takes; 0 on failure.
 * @return HOIST_ERR_ARGUMENT; HOIST_ERR_LIMIT beyond 1,000 observers; HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_flagship_observe(hoist_client *HOIST_NULLABLE client,
                                              const hoist_flagship_observer *HOIST_NULLABLE observer,
                                              hoist_token *HOIST_NULLABLE token);

/* ==== Starts =============================================================================================== */

/**
 * Starts a client that was opened with property `autostart` = "false", or was closed by hoist_client_close(). Returns at once.
 * A client that runs stays as it is: HOIST_OK.
 * @return HOIST_ERR_ARGUMENT for NULL, HOIST_ERR_UNSUPPORTED for a client of another service, HOIST_ERR_STATE while it closes.
 */
HOIST_API hoist_status hoist_flagship_start(hoist_client *HOIST_NULLABLE client);

#ifdef __cplusplus
}
#endif
#endif
