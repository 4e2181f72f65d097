/**
 * @file
 * Flagship's hits: what visitors do.
 */
#ifndef HOIST_FLAGSHIP_HITS_H
#define HOIST_FLAGSHIP_HITS_H

#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making ---------------------------------------------------------------------------------------------- */

/**
 * Something a visitor did: a screen, a page, a transaction, an item of one, an event. Made with what it cannot do without,
 * completed by setters, then sent any number of times, by any visitor. Thread-safe.
 *
 * Texts are UTF-8, ended by NUL, and copied. What is missing or wrong in what a hit was made with shows when it is sent.
 *
 * In a forked child a hit that another thread was at in that moment is lost: every call answers HOIST_ERR_ARGUMENT for it.
 */
typedef struct hoist_flagship_hit hoist_flagship_hit;

/** What an event is about. */
typedef int32_t hoist_flagship_category;
enum {
    HOIST_FLAGSHIP_ACTION_TRACKING = 0, /**< "Action Tracking" */
    HOIST_FLAGSHIP_USER_ENGAGEMENT = 1  /**< "User Engagement" */
};

/** A screen was seen. Owned by the caller; free with hoist_flagship_hit_free(). NULL for NULL and invalid UTF-8. */
HOIST_API hoist_flagship_hit *HOIST_NULLABLE hoist_flagship_hit_new_screen(const char *HOIST_NULLABLE location);
/** A page was seen. `location` is its URL, with scheme and host, or of a file. Otherwise as hoist_flagship_hit_new_screen(). */
HOIST_API hoist_flagship_hit *HOIST_NULLABLE hoist_flagship_hit_new_page(const char *HOIST_NULLABLE location);
/** Something was bought. `affiliation` is the name of the goal in the report. Otherwise as hoist_flagship_hit_new_screen(). */
HOIST_API hoist_flagship_hit *HOIST_NULLABLE
hoist_flagship_hit_new_transaction(const char *HOIST_NULLABLE transaction_id, const char *HOIST_NULLABLE affiliation);
/** One item of a transaction, to be sent after that. Otherwise as hoist_flagship_hit_new_screen(). */
HOIST_API hoist_flagship_hit *HOIST_NULLABLE hoist_flagship_hit_new_item(const char *HOIST_NULLABLE transaction_id,
                                                                         const char *HOIST_NULLABLE name,
                                                                         const char *HOIST_NULLABLE code);
/** Anything else that happened. `action` is the name of the goal in the report. Otherwise as
 *  hoist_flagship_hit_new_screen(); NULL for another category as well. */
HOIST_API hoist_flagship_hit *HOIST_NULLABLE hoist_flagship_hit_new_event(hoist_flagship_category category,
                                                                          const char *HOIST_NULLABLE action);
/** NULL is harmless. */
HOIST_API void hoist_flagship_hit_free(hoist_flagship_hit *HOIST_NULLABLE hit);

/* ---- Completing ------------------------------------------------------------------------------------------ */
/* Each sets one value in place of an earlier one, and returns HOIST_ERR_ARGUMENT, without effect, for NULL, invalid UTF-8, a
   number that is not finite, and a hit of a kind that has no such value. */

/** Of every hit. */
HOIST_API hoist_status hoist_flagship_hit_set_location(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                       const char *HOIST_NULLABLE location);
/** Of every hit: "192.0.2.1". */
HOIST_API hoist_status hoist_flagship_hit_set_user_ip(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                      const char *HOIST_NULLABLE address);
/** Of every hit: "1334x750". */
HOIST_API hoist_status hoist_flagship_hit_set_screen_resolution(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                                const char *HOIST_NULLABLE resolution);
/** Of every hit: "24-bit". */
HOIST_API hoist_status hoist_flagship_hit_set_screen_color_depth(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                                 const char *HOIST_NULLABLE depth);
/** Of every hit: "fr". */
HOIST_API hoist_status hoist_flagship_hit_set_user_language(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                            const char *HOIST_NULLABLE language);
/** Of every hit. */
HOIST_API hoist_status hoist_flagship_hit_set_session_number(hoist_flagship_hit *HOIST_NULLABLE hit, int64_t number);
/** Of every hit: taken, and not sent, as in the vendor's SDKs. */
HOIST_API hoist_status hoist_flagship_hit_set_current_session_timestamp(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                                        int64_t timestamp);
/** Of every hit: taken, and not sent, as in the vendor's SDKs. */
HOIST_API hoist_status hoist_flagship_hit_set_session_event_number(hoist_flagship_hit *HOIST_NULLABLE hit, int64_t number);

/** Of a transaction: everything it brings, shipping and tax included. */
HOIST_API hoist_status hoist_flagship_hit_set_revenue(hoist_flagship_hit *HOIST_NULLABLE hit, double revenue);
/** Of a transaction. */
HOIST_API hoist_status hoist_flagship_hit_set_shipping(hoist_flagship_hit *HOIST_NULLABLE hit, double shipping);
/** Of a transaction. */
HOIST_API hoist_status hoist_flagship_hit_set_tax(hoist_flagship_hit *HOIST_NULLABLE hit, double tax);
/** Of a transaction: three capital letters of ISO 4217, "EUR"; another one shows when the hit is sent. */
HOIST_API hoist_status hoist_flagship_hit_set_currency(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                       const char *HOIST_NULLABLE currency);
/** Of a transaction. */
HOIST_API hoist_status hoist_flagship_hit_set_payment_method(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                             const char *HOIST_NULLABLE method);
/** Of a transaction. */
HOIST_API hoist_status hoist_flagship_hit_set_shipping_method(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                              const char *HOIST_NULLABLE method);
/** Of a transaction: a negative one shows when the hit is sent. */
HOIST_API hoist_status hoist_flagship_hit_set_item_count(hoist_flagship_hit *HOIST_NULLABLE hit, int64_t count);
/** Of a transaction. */
HOIST_API hoist_status hoist_flagship_hit_set_coupon_code(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                          const char *HOIST_NULLABLE code);

/** Of an item: for one. */
HOIST_API hoist_status hoist_flagship_hit_set_price(hoist_flagship_hit *HOIST_NULLABLE hit, double price);
/** Of an item: a negative one shows when the hit is sent. */
HOIST_API hoist_status hoist_flagship_hit_set_quantity(hoist_flagship_hit *HOIST_NULLABLE hit, int64_t quantity);
/** Of an item. */
HOIST_API hoist_status hoist_flagship_hit_set_category(hoist_flagship_hit *HOIST_NULLABLE hit,
                                                       const char *HOIST_NULLABLE category);

/** Of an event. */
HOIST_API hoist_status hoist_flagship_hit_set_label(hoist_flagship_hit *HOIST_NULLABLE hit, const char *HOIST_NULLABLE label);
/** Of an event: a negative one shows when the hit is sent. */
HOIST_API hoist_status hoist_flagship_hit_set_value(hoist_flagship_hit *HOIST_NULLABLE hit, int64_t value);

/* ---- Sending --------------------------------------------------------------------------------------------- */

/**
 * Records that the visitor did it. Hits are pooled and go out in batches: when the interval is over (property
 * `hits.batch_interval`) or the pool is full (`hits.pool_max_size`). Those that could not be delivered are kept, for up to
 * four hours, and go with a later batch, also in a later run. How hits are kept is property `hits.strategy`:
 * "continuous_caching" (each is stored before the call returns, for half a second at the longest, and at once on a thread of
 * Hoist's), "periodic_caching" (the pool is stored every 100 ms), "no_batching" (each is posted alone and at once).
 *
 * @param hit   Borrowed for the call; may be sent again.
 * @param error NULL, or receives why it was refused; free with hoist_error_free().
 * @return HOIST_ERR_FLAGSHIP_HIT_INVALID for a hit whose required values are empty, a page without a URL, a negative number
 *         of what is counted, or a currency that is none; HOIST_ERR_FLAGSHIP_NO_CONSENT;
 *         HOIST_ERR_FLAGSHIP_NOT_INITIALIZED; HOIST_ERR_FLAGSHIP_PANIC;
 *         HOIST_ERR_LIMIT when too many hits wait; HOIST_ERR_UNSAVED with "continuous_caching" when it was not stored in that
 *         time, or on a thread of Hoist's: it is taken, in memory, and is stored as soon as that can be done;
 *         HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_flagship_visitor_send_hit(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                       const hoist_flagship_hit *HOIST_NULLABLE hit,
                                                       hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif
