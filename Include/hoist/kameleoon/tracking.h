/**
 * @file
 * What Kameleoon's visitors do, and when it is sent.
 *
 * Data of a visitor, variations that it got, audiences and conversions wait until the visitor is due: after an
 * evaluation that is tracked, a conversion, hoist_kameleoon_visitor_flush() and
 * hoist_kameleoon_visitor_evaluate_audiences(). At each interval (property `tracking_interval_millisecond`: 1000 ms
 * unless set, 100 to 5000) one request takes what waits of all visitors that are due. What could not be delivered is
 * tried again, in this run and in later ones, however long it takes, and every datum keeps its nonce, by which the service
 * knows one that it has already. Three things are dropped, each counted: what comes when there is no room left (property
 * `events.capacity`), which that call says with HOIST_ERR_LIMIT; what the service refuses again and again, which the log and
 * hoist_client_flush() say; and what has waited too long for consent. How much the death of the process may cost is property
 * `events.durability`.
 *
 * Where the site requires consent and the visitor has not given it, only conversions and the variations of delivery
 * rules are sent; the rest is held back until it has. What is recorded of visitors without consent has a room of its own,
 * property `events.consent_capacity`, and holds up no other event: when that is full, what comes for it is refused with
 * HOIST_ERR_LIMIT, and older than `data_expiration_interval_minute`, or 30 days, it is forgotten. Other clients and processes on
 * the store are asked before each attempt whether a visitor has refused there; while a cache manager of the host's cannot be
 * asked, nothing of a visitor is sent who may have refused.
 * hoist_client_flush() and hoist_client_close() send what may be sent of all visitors.
 */
#ifndef HOIST_KAMELEOON_TRACKING_H
#define HOIST_KAMELEOON_TRACKING_H

#include "../client.h"
#include "data.h"
#include "visitor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Records that the visitor has reached a goal, and has everything of it sent with the next tracking request. Never waits for
 * the network.
 *
 * @param revenue  0 for none; a number that is not finite is refused.
 * @param negative Takes a conversion back.
 * @param metadata `count` custom data, each copied; may be NULL when `count` is 0. Of several with one index the first counts;
 *                 those whose name the configuration does not have are left out.
 * @return HOIST_OK when it is recorded, and with `events.durability` "immediate" stored; HOIST_ERR_UNSAVED when it should be and
 *         is not: the store fails, or half a second is over; it is recorded in memory, and stored as soon as the store works;
 *         HOIST_ERR_KAMELEOON_SDK_NOT_READY before the first configuration; HOIST_ERR_STATE after close and when the client has
 *         been freed; HOIST_ERR_LIMIT for more than 100 metadata, and when there is no room for it: then it is dropped and
 *         counted; HOIST_ERR_ARGUMENT for NULL, for what is no custom data, and for such a revenue.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_track_conversion(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, int64_t goal_id, double revenue, bool negative,
    const hoist_kameleoon_data *HOIST_NULLABLE const *HOIST_NULLABLE metadata, size_t count);

/**
 * Has everything of the visitor sent that has not been. A visitor with nothing to send is reported as active. What had
 * no room when it was recorded is gone: that call has returned HOIST_ERR_LIMIT.
 *
 * @param instant   false: with the next tracking request; true: now, in a request of its own.
 * @param done      NULL, or called exactly once: HOIST_OK when the service has it, also when there was nothing to send;
 *                  HOIST_ERR_NETWORK when it could not be delivered now, also offline, and is kept; HOIST_ERR_REJECTED when
 *                  the service has refused something of it for good, which is dropped; HOIST_ERR_LIMIT when more than a
 *                  million visitors are due: it is kept, and goes when the visitor is due again; HOIST_ERR_CANCELLED when the
 *                  client closes first.
 * @param user_data Handed to `done`.
 * @return HOIST_OK: `done` will be called. Anything else, it will not: HOIST_ERR_KAMELEOON_SDK_NOT_READY before the first
 *         configuration; HOIST_ERR_STATE after close and when the client has been freed; HOIST_ERR_LIMIT when too many wait;
 *         HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_flush(hoist_kameleoon_visitor *HOIST_NULLABLE visitor, bool instant,
                                                     hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);

/**
 * Finds out which of the audiences that the site follows the visitor belongs to, and reports them with the next tracking
 * request.
 *
 * @return HOIST_ERR_KAMELEOON_SDK_NOT_READY before the first configuration; HOIST_ERR_STATE after close and when the client has
 *         been freed; HOIST_ERR_LIMIT when there is no room for all of them; HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_kameleoon_visitor_evaluate_audiences(hoist_kameleoon_visitor *HOIST_NULLABLE visitor);

#ifdef __cplusplus
}
#endif
#endif
