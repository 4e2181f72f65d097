/**
 * @file
 * AB Tasty Flagship: the SDK's status and its listener, starts, the client of the whole process.
 */
#ifndef HOIST_FLAGSHIP_LIFE_H
#define HOIST_FLAGSHIP_LIFE_H

#include "../client.h"
#include "../config.h"

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
 * The SDK's status. HOIST_FLAGSHIP_NOT_INITIALIZED for a client of another service.
 * @param client NULL for the process's client.
 */
HOIST_API hoist_flagship_status hoist_flagship_sdk_status(hoist_client *HOIST_NULLABLE client);
/** The vendor's name of a status, e.g. "SDK_INITIALIZED"; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_status_name(hoist_flagship_status status);

/**
 * Told of what concerns a client as a whole. Copied, by the rules of plug-ins: `release` runs once, after the last call,
 * also when the call that takes the table fails. Told on the client's delivery lane, one call at a time, never while Hoist
 * holds a lock, or in manual dispatch. Every function of Hoist may be called but those that wait.
 */
typedef struct hoist_flagship_listener {
    size_t struct_size; /**< sizeof(hoist_flagship_listener) */
    void *HOIST_NULLABLE user_data;
    /** The status has changed; never called with the one before again. */
    void (*HOIST_NULLABLE sdk_status_changed)(void *HOIST_NULLABLE user_data, hoist_flagship_status status);
    /** Another bucketing file has come from the service and is used by the next fetch of each visitor. */
    void (*HOIST_NULLABLE bucketing_changed)(void *HOIST_NULLABLE user_data);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_flagship_listener;

#define HOIST_FLAGSHIP_LISTENER_INIT { sizeof(hoist_flagship_listener), NULL, NULL, NULL, NULL }

/**
 * Takes the listener of clients that are opened from this configuration; a second one replaces the first.
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_UNSUPPORTED for a configuration of another service.
 */
HOIST_API hoist_status hoist_flagship_config_set_listener(hoist_config *HOIST_NULLABLE config,
                                                          const hoist_flagship_listener *HOIST_NULLABLE listener,
                                                          hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Starts =============================================================================================== */

/**
 * Starts a client that was opened with property `autostart` = "false", or was closed by hoist_client_close(), which drops its
 * observers. Returns at once. A client that runs stays as it is: HOIST_OK.
 * @return HOIST_ERR_ARGUMENT for NULL, HOIST_ERR_UNSUPPORTED for a client of another service, HOIST_ERR_STATE while it closes.
 */
HOIST_API hoist_status hoist_flagship_start_client(hoist_client *HOIST_NULLABLE client);

/**
 * Opens the client of the whole process. One that is there already is closed first, within two seconds; what it could not
 * send is kept in its store. Returns as soon as that is over; it waits for nothing of the new client.
 *
 * @param env_id  Borrowed for the call. An empty one is refused: no client runs afterwards, and the error is logged.
 * @param api_key Borrowed for the call. An empty one is refused likewise.
 * @param config  More properties and plug-ins, from hoist_config_new("flagship"); copied, stays the caller's. NULL for none.
 * @param error   NULL, or receives what was wrong.
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_CONFIG; HOIST_ERR_STATE on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_flagship_start(const char *HOIST_NULLABLE env_id, const char *HOIST_NULLABLE api_key,
                                            const hoist_config *HOIST_NULLABLE config,
                                            hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * The client of the whole process; NULL before the first start. Borrowed for as long as the process lives: after another
 * start, or hoist_flagship_stop(), it is closed and answers with fallbacks. It is not to be freed; each start so costs a few
 * kilobytes for good.
 */
HOIST_API hoist_client *HOIST_NULLABLE hoist_flagship_client(void);
/**
 * Closes the client of the whole process, as hoist_client_close() does; hoist_flagship_client() is NULL afterwards. HOIST_OK
 * when there is none.
 */
HOIST_API hoist_status hoist_flagship_stop(int64_t timeout_ms);

#ifdef __cplusplus
}
#endif
#endif
