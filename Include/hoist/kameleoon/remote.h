/**
 * @file
 * What Kameleoon's service knows of a visitor, and what it keeps for a site: visits, remote data, warehouse audiences.
 *
 * Each call asks the service once, with an access token where properties `client_id` and `client_secret` are set. Calls
 * ending in `_wait` return when the answer is there, or their time is over; the others return at once and tell a
 * function, once if the call returns HOIST_OK: on the client's delivery lane, or in manual dispatch, or inside
 * hoist_client_close(). They tell
 * - HOIST_ERR_NETWORK when there is no answer, or one that means failure, or the client is offline;
 * - HOIST_ERR_TIMEOUT, HOIST_ERR_CANCELLED when the client closes;
 * - HOIST_ERR_NOT_FOUND when the service has nothing under that key;
 * - HOIST_ERR_PARSE when the answer cannot be read;
 * - HOIST_ERR_LIMIT when the answer is too long, or more than a thousand calls are under way.
 * What the service has told wrongly is left out element by element.
 */
#ifndef HOIST_KAMELEOON_REMOTE_H
#define HOIST_KAMELEOON_REMOTE_H

#include "data.h"
#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Data that the service has told ======================================================================= */

/** Data of a visitor, in order. Immutable. */
typedef struct hoist_kameleoon_data_list hoist_kameleoon_data_list;

/** How many there are. 0 for NULL. */
HOIST_API size_t hoist_kameleoon_data_list_count(const hoist_kameleoon_data_list *HOIST_NULLABLE list);
/**
 * One of them, from 0 on, e.g. for hoist_kameleoon_visitor_add_data(). NULL beyond the last one. Borrowed: valid until
 * hoist_kameleoon_data_list_free(), or during the callback that was given the list.
 */
HOIST_API const hoist_kameleoon_data *HOIST_NULLABLE hoist_kameleoon_data_list_at(
    const hoist_kameleoon_data_list *HOIST_NULLABLE list, size_t index);
/** Frees a list that a call handed out; NULL is harmless. Lists given to callbacks are Hoist's. */
HOIST_API void hoist_kameleoon_data_list_free(hoist_kameleoon_data_list *HOIST_NULLABLE list);

/**
 * Told of the end of a call.
 * @param status HOIST_OK, or why there are no data; see above.
 * @param data   Empty but for HOIST_OK. Valid only during the callback.
 */
typedef void (*hoist_kameleoon_data_done)(void *HOIST_NULLABLE user_data, hoist_status status,
                                          const hoist_kameleoon_data_list *HOIST_NONNULL data);

/* ==== Visits =============================================================================================== */

/** What is asked of a visitor's visits. Start from HOIST_KAMELEOON_FILTER_INIT. */
typedef struct hoist_kameleoon_filter {
    size_t struct_size;            /**< sizeof(hoist_kameleoon_filter) */
    int64_t previous_visit_amount; /**< visits before the current one, 1 to 25; others are brought there, with a warning */
    bool current_visit;
    bool custom_data;
    bool page_views;
    bool geolocation;
    bool device;
    bool browser;
    bool operating_system;
    bool conversions;
    bool experiments;
    bool personalization;
    bool kcs; /**< conversion scores, of the vendor's add-on for predictive targeting */
    bool cbs; /**< scores of contextual bandits, which then choose the variations of their experiments */
    /**
     * The code of the most recent visit becomes the one that the visitor is decided by, unless there is such a code already:
     * so the visitor gets the same variations on every device.
     */
    bool visitor_code;
} hoist_kameleoon_filter;

/** One previous visit and the current one, custom data, the visitor's code. */
#define HOIST_KAMELEOON_FILTER_INIT                                                                                      \
    { sizeof(hoist_kameleoon_filter), 1, true, true, false, false, false, false, false, false, false, false, false,    \
      false, true }

/**
 * Asks for a visitor's visits, and adds to the visitor what they tell, for targeting: what the visitor has already wins,
 * conversions are added and page views counted together. Custom data of scope "visitor" is sent with the next tracking
 * request. Call it before evaluating flags whose targeting looks at the history, or at other devices.
 *
 * @param filter     NULL for HOIST_KAMELEOON_FILTER_INIT. Borrowed for the call.
 * @param add_data   Whether the visitor gets the data; without, only the visitor's code is taken over.
 * @param timeout_ms Of the whole call; negative: property `default_timeout_millisecond`.
 * @param done       NULL, or told of the end: custom data, page views, device, browser, operating system, geolocation and
 *                   conversions. Visits, experiments, personalizations and scores are added and not told.
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_STATE when the client is closed or gone, HOIST_ERR_LIMIT.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_remote_visitor_data(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const hoist_kameleoon_filter *HOIST_NULLABLE filter, bool add_data,
    int64_t timeout_ms, hoist_kameleoon_data_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/**
 * The same with members of the filter one by one, the others as in HOIST_KAMELEOON_FILTER_INIT. The vendor has deprecated it: fill a
 * hoist_kameleoon_filter.
 */
HOIST_API HOIST_DEPRECATED hoist_status hoist_kameleoon_visitor_get_remote_visitor_data_of(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, int64_t previous_visit_amount, bool current_visit, bool custom_data,
    bool conversions, bool experiments, bool geolocation, bool add_data, int64_t timeout_ms,
    hoist_kameleoon_data_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/**
 * hoist_kameleoon_visitor_get_remote_visitor_data(), waiting for its end.
 * @param data NULL, or receives what `done` is told; NULL but for HOIST_OK. Owned by the caller; free with
 *             hoist_kameleoon_data_list_free().
 * @return As `done` is told, and HOIST_ERR_ARGUMENT, HOIST_ERR_STATE, also on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_remote_visitor_data_wait(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const hoist_kameleoon_filter *HOIST_NULLABLE filter, bool add_data,
    int64_t timeout_ms, hoist_kameleoon_data_list *HOIST_NULLABLE *HOIST_NULLABLE data);

/**
 * Adds an answer of the vendor's Data API about the visitor's visits that the host has already, from a service of its own or for
 * a test: `{"currentVisit":{…},"previousVisits":[…],"kcs":{…},"cbs":{…}}`. What it tells is added as by
 * hoist_kameleoon_visitor_get_remote_visitor_data() with everything in its filter. Waits as hoist_kameleoon_visitor_add_data().
 *
 * @param track Whether what the service is told then is sent: custom data of scope "visitor", and how many visits there were.
 * @param error NULL, or receives an error to free with hoist_error_free().
 * @return HOIST_ERR_ARGUMENT; HOIST_ERR_PARSE for what is no JSON object: nothing is added; HOIST_ERR_STATE after close, and without
 *         the client; HOIST_ERR_LIMIT and HOIST_ERR_UNSAVED as hoist_kameleoon_visitor_add_data().
 */
HOIST_API hoist_status hoist_kameleoon_visitor_add_remote_visitor_data(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                       const char *HOIST_NULLABLE json, size_t length,
                                                                       bool track,
                                                                       hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Remote data ========================================================================================== */

/**
 * Told of the end of hoist_kameleoon_visitor_get_remote_data().
 * @param json Remote data as the service keeps them, a NUL after them; "" when there are none, also with HOIST_OK. Valid
 *             only during the callback.
 */
typedef void (*hoist_kameleoon_remote_data_done)(void *HOIST_NULLABLE user_data, hoist_status status,
                                                 const char *HOIST_NONNULL json, size_t length);

/**
 * Asks for what the site keeps under a key with the vendor's Data API.
 *
 * @param key        NULL or empty for the visitor's code. Borrowed for the call.
 * @param timeout_ms Of the whole call; negative: property `default_timeout_millisecond`.
 * @param done       NULL, or told of the end.
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_STATE when the client is closed or gone, HOIST_ERR_LIMIT.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_remote_data(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key, int64_t timeout_ms,
    hoist_kameleoon_remote_data_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/**
 * hoist_kameleoon_visitor_get_remote_data(), waiting for its end.
 * @param json NULL, or receives the data, "" where there are none; NULL but for HOIST_OK. Owned by the caller; free with
 *             hoist_text_free().
 * @return As `done` is told, and HOIST_ERR_ARGUMENT, HOIST_ERR_STATE, also on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_remote_data_wait(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key, int64_t timeout_ms,
    hoist_text *HOIST_NULLABLE *HOIST_NULLABLE json);

/* ==== Warehouse audiences ================================================================================== */

/**
 * Asks which audiences of a data warehouse the visitor is in, and adds their names as values of a custom data: for
 * targeting, and sent as all custom data.
 *
 * @param warehouse_key     NULL or empty for the visitor's code. Borrowed for the call.
 * @param custom_data_index From 0 on.
 * @param timeout_ms        Of the whole call; negative: property `default_timeout_millisecond`.
 * @param done              NULL, or told of the end: the custom data.
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_STATE when the client is closed or gone, HOIST_ERR_LIMIT.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_warehouse_audience(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE warehouse_key, int64_t custom_data_index,
    int64_t timeout_ms, hoist_kameleoon_data_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/**
 * hoist_kameleoon_visitor_get_warehouse_audience(), waiting for its end.
 * @param data NULL, or receives the custom data alone; NULL but for HOIST_OK. Owned by the caller; free with
 *             hoist_kameleoon_data_list_free().
 * @return As `done` is told, and HOIST_ERR_ARGUMENT, HOIST_ERR_STATE, also on a thread of Hoist's own.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_get_warehouse_audience_wait(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE warehouse_key, int64_t custom_data_index,
    int64_t timeout_ms, hoist_kameleoon_data_list *HOIST_NULLABLE *HOIST_NULLABLE data);

#ifdef __cplusplus
}
#endif
#endif
