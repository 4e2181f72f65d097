/**
 * @file
 * How a LaunchDarkly client is connected, and whether its program is in the foreground.
 */
#ifndef HOIST_LAUNCHDARKLY_CONNECTION_H
#define HOIST_LAUNCHDARKLY_CONNECTION_H

#include "../client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How flags arrive now. */
typedef int32_t hoist_launchdarkly_connection_mode;
enum {
    HOIST_LAUNCHDARKLY_CONNECTION_OFFLINE      = 0, /**< nothing arrives: offline, or the service has refused the stream */
    HOIST_LAUNCHDARKLY_CONNECTION_ESTABLISHING = 1, /**< the stream is being opened, for the first time or again */
    HOIST_LAUNCHDARKLY_CONNECTION_STREAMING    = 2,
    HOIST_LAUNCHDARKLY_CONNECTION_POLLING      = 3
};

/** What went wrong last. */
typedef int32_t hoist_launchdarkly_failure_reason;
enum {
    HOIST_LAUNCHDARKLY_FAILURE_NONE         = 0,
    HOIST_LAUNCHDARKLY_FAILURE_UNAUTHORIZED = 1, /**< the mobile key is refused */
    HOIST_LAUNCHDARKLY_FAILURE_HTTP_ERROR   = 2, /**< a poll or a delivery was answered with `code` */
    HOIST_LAUNCHDARKLY_FAILURE_UNKNOWN      = 3  /**< no answer, or one that cannot be read; see `text` */
};

/** Connection information. Start from HOIST_LAUNCHDARKLY_CONNECTION_INIT. Times are milliseconds since 1970. */
typedef struct hoist_launchdarkly_connection {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_connection) */
    hoist_launchdarkly_connection_mode mode;
    hoist_launchdarkly_failure_reason reason; /**< stays when the connection has come back */
    int32_t code;          /**< status of an HTTP error, else 0 */
    bool has_validity;     /**< false while a stream keeps flags up to date, and before they ever were */
    bool has_failure;
    int64_t validity_ms;   /**< when flags were last known to be up to date; also in an earlier run */
    int64_t failure_ms;    /**< when a connection last failed; also in an earlier run */
    char text[200];        /**< what an unknown error said, cut between characters; "" for other reasons. Ends with a NUL */
} hoist_launchdarkly_connection;

#define HOIST_LAUNCHDARKLY_CONNECTION_INIT { sizeof(hoist_launchdarkly_connection), 0, 0, 0, false, false, 0, 0, {0} }

/**
 * getConnectionInformation. Does not wait.
 * @return HOIST_ERR_ARGUMENT for NULL and a bad struct_size, HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_connection_information(hoist_client *HOIST_NULLABLE client,
                                                                 hoist_launchdarkly_connection *HOIST_NULLABLE information);

/** The state of the data source of flags. */
typedef int32_t hoist_launchdarkly_data_source_state;
enum {
    HOIST_LAUNCHDARKLY_DATA_SOURCE_INITIALIZING = 0, /**< online, and nothing has come yet */
    HOIST_LAUNCHDARKLY_DATA_SOURCE_VALID        = 1,
    HOIST_LAUNCHDARKLY_DATA_SOURCE_INTERRUPTED  = 2, /**< flags have come, then a failure; it is tried again */
    HOIST_LAUNCHDARKLY_DATA_SOURCE_OFFLINE      = 3,
    HOIST_LAUNCHDARKLY_DATA_SOURCE_SHUT_DOWN    = 4  /**< closed, or refused for good: nothing is tried again by itself */
};

typedef int32_t hoist_launchdarkly_error_kind;
enum {
    HOIST_LAUNCHDARKLY_ERROR_NONE         = 0,
    HOIST_LAUNCHDARKLY_ERROR_UNKNOWN      = 1,
    HOIST_LAUNCHDARKLY_ERROR_NETWORK      = 2, /**< no answer */
    HOIST_LAUNCHDARKLY_ERROR_RESPONSE     = 3, /**< an answer with `error_status` */
    HOIST_LAUNCHDARKLY_ERROR_INVALID_DATA = 4  /**< data that cannot be read */
};

/** Status of the data source. Start from HOIST_LAUNCHDARKLY_DATA_SOURCE_INIT. Times are milliseconds since 1970. */
typedef struct hoist_launchdarkly_data_source {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_data_source) */
    hoist_launchdarkly_data_source_state state;
    hoist_launchdarkly_error_kind error_kind; /**< of the last error, which stays when flags arrive again */
    int32_t error_status;                     /**< 0 when none came */
    int64_t since_ms;                         /**< when the state was entered */
    int64_t error_ms;                         /**< 0 without an error */
    char error_message[200];                  /**< one line, cut between characters; "" without an error. Ends with a NUL */
} hoist_launchdarkly_data_source;

#define HOIST_LAUNCHDARKLY_DATA_SOURCE_INIT { sizeof(hoist_launchdarkly_data_source), 0, 0, 0, 0, 0, {0} }

/** As hoist_launchdarkly_connection_information(), in the terms of the vendor's other clients. */
HOIST_API hoist_status hoist_launchdarkly_data_source_status(hoist_client *HOIST_NULLABLE client,
                                                             hoist_launchdarkly_data_source *HOIST_NULLABLE status);

typedef int32_t hoist_launchdarkly_run_mode;
enum {
    HOIST_LAUNCHDARKLY_FOREGROUND = 0,
    /** Flags are not kept fresh unless property `enable_background_updates` is true; polls are then as far apart as
     *  `background_flag_polling_interval_ms` says. Diagnostics pause. */
    HOIST_LAUNCHDARKLY_BACKGROUND = 1
};

/**
 * Tells all environments of the client that its program has gone to the background or come back. Returns at once. On
 * coming back the client goes online at once, unless it was set offline, or the service has refused the mobile key:
 * that is tried again when the client is set online or refreshed.
 * @return HOIST_ERR_ARGUMENT for NULL and an unknown mode, HOIST_ERR_UNSUPPORTED for a client of another service,
 *         HOIST_ERR_STATE for a closed one, and in mode server.
 */
HOIST_API hoist_status hoist_launchdarkly_set_run_mode(hoist_client *HOIST_NULLABLE client,
                                                       hoist_launchdarkly_run_mode mode);

#ifdef __cplusplus
}
#endif
#endif
