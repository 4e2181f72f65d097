/**
 * @file
 * LaunchDarkly for clients, in its words: contexts, identify, variations, observers, connection information.
 *
 * The client is a hoist_client opened from hoist_config_new("launchdarkly"). The service evaluates every flag for one
 * context and sends the results, by stream or when it is polled; calls are answered from these, without the network.
 *
 * What the vendor's SDKs find by get(environment) is a client that the program has shared, with hoist_client_share():
 * hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), environment). NULL before that and after close.
 */
#ifndef HOIST_LAUNCHDARKLY_H
#define HOIST_LAUNCHDARKLY_H

#include "client.h"
#include "config.h"
#include "context.h"
#include "launchdarkly/connection.h"
#include "launchdarkly/context.h"
#include "launchdarkly/events.h"
#include "launchdarkly/flags.h"
#include "launchdarkly/identify.h"
#include "launchdarkly/observe.h"
#include "launchdarkly/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The core's calls here -------------------------------------------------------------------------------- */

/*
 * READY                    the flags of the current context have come, or the service has confirmed stored ones. Stored ones
 *                          make a client STALE, and readable, until then. In polling mode the first poll waits for its
 *                          turn where stored flags were confirmed within the polling interval. hoist_client_wait_ready()
 *                          is about reads, and OK with stored flags, while hoist_launchdarkly_is_initialized() is about the
 *                          service, as in the vendor's SDKs: false until it has spoken or the client has been offline. With
 *                          flags of the service both are true at once.
 * hoist_client_bool() …    before there are flags the fallback, with PROVIDER_NOT_READY; the vendor's details say
 *                          FLAG_NOT_FOUND then, as its SDKs do.
 * hoist_client_int64()     a number with a fraction is TYPE_MISMATCH, as in every service; without the fraction it is what
 *                          hoist_launchdarkly_int_variation() gives, the vendor's intVariation.
 * contexts                 as launchdarkly/context.h says. One without a key, and a part without a key of a context of
 *                          several kinds, gets a key and is anonymous: as property `context`, from
 *                          hoist_context_from_json(), by a builder. hoist_launchdarkly_context_from_json() alone reads what
 *                          the service writes, where keys are never missing.
 * context of one call      the service evaluates, so another context than the current one gets the fallback, with
 *                          INVALID_CONTEXT.
 * hoist_client_identify()  drops the flags of the former context. Stored ones of the new one are served at once, also when
 *                          the service does not answer; else there are none until they come. Done when they have come or
 *                          are confirmed; offline at once, with HOIST_ERR_NETWORK where none are stored. Of several that
 *                          wait the newest is done, the others end with
 *                          HOIST_ERR_SUPERSEDED. An equal context is done at once, and is an
 *                          identify event all the same.
 * hoist_client_refresh()   one poll now, with a stream beside it. Offline and in the background nothing, unless the
 *                          property `enable_background_updates` is true.
 * hoist_client_track()     a custom event of the current context: the properties are its data, the value is its metric.
 *                          HOIST_ERR_UNSUPPORTED for another context.
 * deliveries               a failed one comes again after 1 s, then longer pauses up to property `network.retry_max_ms`,
 *                          under the same payload id, also by the next process. With 403 or 404 a payload is dropped.
 * background               flags are not kept fresh: STALE, unless `enable_background_updates` is true. Events are sent.
 * UPDATED                  each message of the stream and each poll, after the first, that brings or confirms flags.
 * attempts                 stop with 401 to a poll, the stream or events, and with every other status from 400 to 499 but
 *                          400, 408 and 429 to the stream: FATAL, with the flags there are. hoist_client_refresh(),
 *                          hoist_client_set_online() and hoist_client_reopen() begin them again; after the stream alone
 *                          was refused an identify and a return to the foreground, too. With property `retry_refused`
 *                          they never stop, and come every 5 minutes. After other failures the stream is opened again
 *                          with pauses that grow to 30 seconds, and polls go on at their interval. A message that cannot be
 *                          read changes no flag and leaves the stream open, STALE until the next one that can be read; before
 *                          the first flags the stream is opened again.
 */

/* ==== Life: starts, connection ============================================================================= */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED     = 1210, /**< 401: the mobile key is refused, the client has gone offline */
    HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN = 1211, /**< the service refuses the stream for good, e.g. with 403 or 404 */
    HOIST_ERR_LAUNCHDARKLY_SHED             = 1212, /**< a newer identify took the place of one that waited */
    HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED  = 1213  /**< the client had been started before */
};

/** Name and version as requests carry them in User-Agent, "HoistClient/0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_launchdarkly_version(void);

#ifdef __cplusplus
}
#endif
#endif
