/**
 * @file
 * Kameleoon: making visitors by site code, readiness, notifications about the service.
 *
 * What is kept for a whole site belongs to its client: that of hoist_client_open(), or, after hoist_kameleoon_create(), that of
 * hoist_kameleoon_visitor_client().
 */
#ifndef HOIST_KAMELEOON_LIFE_H
#define HOIST_KAMELEOON_LIFE_H

#include "../client.h"
#include "../config.h"
#include "../observer.h"
#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Sites of the process ================================================================================= */

/**
 * Makes a visitor of a site, as the vendor's factory does, without waiting for the service: the site is not ready yet. What an
 * earlier run has left of the visitor in the store is waited for, half a second at most, so that the first variation is the
 * same as before; with property `store` "none", and on a thread of Hoist's, the call returns at once.
 *
 * The first call for a site and environment opens a client for it, which all later calls share, whatever their
 * configuration says; a configuration that says something else is logged. Only `is_unique_identifier` is each visitor's
 * own. The client is shared as "kameleoon/SITE/ENVIRONMENT", see hoist_client_shared(), and lives until
 * hoist_kameleoon_forget(). Freeing the visitor does not end it.
 *
 * @param site_code    Wins over property `site_code`.
 * @param visitor_code 1 to 255 characters. NULL: property `visitor_code`, or one that is generated, kept in the store and used
 *                     again in later runs.
 * @param config       A configuration for "kameleoon", borrowed for the call. NULL: a configuration file is read if there is
 *                     one: that of environment variable HOIST_KAMELEOON_CONFIG, else `kameleoon-client-swift.plist` in the
 *                     working directory; see hoist_kameleoon_config_load_file().
 * @param visitor      Receives the visitor: owned by the caller; free with hoist_kameleoon_visitor_free(). NULL on failure.
 * @param error        NULL, or receives why it failed; free with hoist_error_free().
 * @return HOIST_ERR_KAMELEOON_SITE_CODE_IS_EMPTY, HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID; HOIST_ERR_ARGUMENT for NULL, text
 *         that is no UTF-8, and a configuration of another service; HOIST_ERR_CONFIG, HOIST_ERR_PARSE or HOIST_ERR_IO for a
 *         configuration or its file that cannot be used; HOIST_ERR_STATE when the site is being forgotten.
 */
HOIST_API hoist_status hoist_kameleoon_create(const char *HOIST_NULLABLE site_code, const char *HOIST_NULLABLE visitor_code,
                                              const hoist_config *HOIST_NULLABLE config,
                                              hoist_kameleoon_visitor *HOIST_NULLABLE *HOIST_NULLABLE visitor,
                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * Closes the client that hoist_kameleoon_create() has opened for a site, for good and within the limit: what is recorded is sent
 * first. Its visitors are not ready any more. A later hoist_kameleoon_create() opens another one.
 *
 * @param environment NULL and "": the one of the sites without, "production".
 * @param timeout_ms  As for hoist_client_close().
 * @return HOIST_ERR_NOT_FOUND when there is none; HOIST_ERR_TIMEOUT when something was still under way; HOIST_ERR_ARGUMENT;
 *         HOIST_ERR_STATE on a thread of Hoist's.
 */
HOIST_API hoist_status hoist_kameleoon_forget(const char *HOIST_NULLABLE site_code, const char *HOIST_NULLABLE environment,
                                              int64_t timeout_ms);
/**
 * The client of a visitor. Borrowed: valid as long as that of hoist_client_open() is, and forever for one that
 * hoist_kameleoon_create() has opened; that one must not be freed. NULL for NULL, and when the client is gone.
 */
HOIST_API hoist_client *HOIST_NULLABLE
hoist_kameleoon_visitor_client(const hoist_kameleoon_visitor *HOIST_NULLABLE visitor);

/**
 * Sets properties from a file: JSON, or an XML property list, whose root is a dictionary. Its keys are names of properties, e.g.
 * `refresh_interval_minute`. All are set or none.
 * @param error NULL, or receives why it failed: the message names the key, and the line of what is no JSON or no property list.
 * @return HOIST_ERR_IO; HOIST_ERR_PARSE; HOIST_ERR_CONFIG for a key that is no property, or a value that it does not take;
 *         HOIST_ERR_ARGUMENT; HOIST_ERR_UNSUPPORTED for a configuration of another service.
 */
HOIST_API hoist_status hoist_kameleoon_config_load_file(hoist_config *HOIST_NULLABLE config, const char *HOIST_NULLABLE path,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Readiness ============================================================================================ */

/** Whether there is a configuration; it stays true. false for NULL, after close, and for a client of another service. */
HOIST_API bool hoist_kameleoon_is_ready(const hoist_client *HOIST_NULLABLE client);

/** Whether the client was ready in time. Called once, as hoist_done is. With property `ready.fails_fast`: false also when a fetch
 *  has failed. */
typedef void (*hoist_kameleoon_ready)(void *HOIST_NULLABLE user_data, bool is_ready);
/**
 * Calls back as soon as the client is ready, or with false when the time is over first, or when the client closes: then the
 * visitor gets the reference variation, whatever comes later. Never called inside this call.
 *
 * @param timeout_ms Negative: no limit. 0 decides at once.
 * @return HOIST_OK: `done` will be called. HOIST_ERR_ARGUMENT for NULL; HOIST_ERR_STATE after close, HOIST_ERR_LIMIT when too
 *         many calls are under way, HOIST_ERR_UNSUPPORTED for a client of another service; then it will not.
 */
HOIST_API hoist_status hoist_kameleoon_run_when_ready(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms,
                                                      hoist_kameleoon_ready HOIST_NULLABLE done,
                                                      void *HOIST_NULLABLE user_data);
/**
 * The same, waiting.
 * @return HOIST_OK when ready; HOIST_ERR_TIMEOUT; HOIST_ERR_NETWORK when a fetch has failed and property `ready.fails_fast` is
 *         set; HOIST_ERR_CANCELLED when the client closes meanwhile; HOIST_ERR_STATE after close and on a thread of Hoist's;
 *         HOIST_ERR_ARGUMENT, HOIST_ERR_UNSUPPORTED.
 */
HOIST_API hoist_status hoist_kameleoon_wait_ready(hoist_client *HOIST_NULLABLE client, int64_t timeout_ms);

/* ==== Notifications about the service ========================================================================== */

/** What a request was for. */
typedef int32_t hoist_kameleoon_request_kind;
enum {
    HOIST_KAMELEOON_REQUEST_DATAFILE            = 0,
    HOIST_KAMELEOON_REQUEST_TRACKING            = 1,
    HOIST_KAMELEOON_REQUEST_REMOTE_VISITOR_DATA = 2,
    HOIST_KAMELEOON_REQUEST_REMOTE_DATA         = 3,
    HOIST_KAMELEOON_REQUEST_ACCESS_TOKEN        = 4
};

/** How an attempt ended. */
typedef int32_t hoist_kameleoon_request_end;
enum {
    HOIST_KAMELEOON_REQUEST_SUCCEEDED = 0,
    HOIST_KAMELEOON_REQUEST_REFUSED   = 1, /**< the answer's status is no success */
    HOIST_KAMELEOON_REQUEST_NO_ANSWER = 2,
    HOIST_KAMELEOON_REQUEST_CANCELLED = 3  /**< called off, or out of time */
};

/** One attempt at a request. Valid only during the call. */
typedef struct hoist_kameleoon_request {
    size_t struct_size;
    hoist_kameleoon_request_kind kind;
    hoist_kameleoon_request_end end;
    int32_t status; /**< of the answer; 0 without one */
    int64_t duration_ms;
    const char *HOIST_NONNULL reason; /**< why there was no answer; "" for none */
} hoist_kameleoon_request;

/** What brought a configuration. */
typedef int32_t hoist_kameleoon_update_source;
enum {
    HOIST_KAMELEOON_UPDATE_POLLING   = 0,
    HOIST_KAMELEOON_UPDATE_STREAMING = 1
};

/**
 * An observer of requests and configurations. As hoist_observer: copied, `release` runs once, also when the call fails; told
 * on the client's delivery lane, one call at a time, or in manual dispatch. At least one of the others is required.
 */
typedef struct hoist_kameleoon_observer {
    size_t struct_size; /**< sizeof(hoist_kameleoon_observer) */
    void *HOIST_NULLABLE user_data;
    /** A real-time event has brought a new configuration, also one that was missed while there was no connection. */
    void (*HOIST_NULLABLE configuration_updated)(void *HOIST_NULLABLE user_data);
    /** A new configuration has come from the service, however, also the first one. `date_modified_ms` is Unix time, 0 when the
     *  configuration has none. */
    void (*HOIST_NULLABLE datafile_updated)(void *HOIST_NULLABLE user_data, hoist_kameleoon_update_source source,
                                            int64_t date_modified_ms);
    /** An attempt at a request has ended. */
    void (*HOIST_NULLABLE request_ended)(void *HOIST_NULLABLE user_data, const hoist_kameleoon_request *HOIST_NONNULL request);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_kameleoon_observer;

#define HOIST_KAMELEOON_OBSERVER_INIT { sizeof(hoist_kameleoon_observer), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds an observer, until hoist_client_unobserve() or hoist_client_free().
 *
 * @param token NULL, or receives what hoist_client_unobserve() takes; 0 on failure.
 * @return HOIST_ERR_ARGUMENT; HOIST_ERR_LIMIT beyond 1,000 observers; HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_kameleoon_observe(hoist_client *HOIST_NULLABLE client,
                                               const hoist_kameleoon_observer *HOIST_NULLABLE observer,
                                               hoist_token *HOIST_NULLABLE token);

#ifdef __cplusplus
}
#endif
#endif
