/**
 * @file
 * LaunchDarkly, in its words: contexts, identify, variations, observers, connection information.
 *
 * The client is a hoist_client opened from hoist_config_new("launchdarkly"). The service evaluates every flag for one
 * context and sends the results, by stream or when it is polled; calls are answered from these, without the network.
 * With property `mode` "server" it sends rules in their place, and the client decides each flag for any context: see
 * "The core's calls in mode server" below. What follows is of mode "client", the default, unless it says otherwise.
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
#include "launchdarkly/migration.h"
#include "launchdarkly/observe.h"
#include "launchdarkly/server.h"
#include "launchdarkly/stores.h"
#include "launchdarkly/test_data.h"
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
 * fetch.shared             refused: flags are of one context.
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

/* ---- The core's calls in mode server ---------------------------------------------------------------------- */

/*
 * properties               `mobile_key` is the environment's SDK key, which is a secret of servers. Defaults differ: addresses
 *                          (`base_url`, `stream_url`, `events_url`), polls every 30 s, 10,000 events, deliveries every 5 s.
 *                          Those that hoist_describe() has for one mode only are ignored in the other, with a warning.
 *                          `secondary_mobile_keys` is refused: open a client for each key.
 * READY                    rules have come from the service. Stored ones make a client STALE until then, and else those of
 *                          `bootstrap` or `bootstrap.file`, which need no SDK key. Files are read again when they change,
 *                          unless `bootstrap.reload` is false, until the service has spoken; one that cannot be read changes
 *                          nothing. With test data (launchdarkly/test_data.h) at once. Rules are stored for the next start as
 *                          they come. hoist_launchdarkly_is_initialized() is true once a whole set has come from the service,
 *                          in daemon mode once the store has been read.
 * hoist_client_bool() …    for the context of the call, else the current one, which property `context` and
 *                          hoist_client_identify() set. TARGETING_KEY_MISSING where there is neither, INVALID_CONTEXT for what
 *                          the service takes for none: no key is made here for a context, or a part, that lacks one.
 *                          PROVIDER_NOT_READY before there are rules. For segments that are too large for the rules a store
 *                          is asked, which an evaluation may wait for, and no other call: launchdarkly/stores.h. Without one
 *                          they are "not configured", and their own rules decide.
 * daemon_mode              rules come from a store of the host's alone: READY once it has been read, also where it is empty.
 *                          What it has otherwise is served as `rules_cache_ms` says. A store that fails is STALE or ERROR, and
 *                          is tried every 500 ms. An SDK key is needed for events only.
 * fetch.shared             of the processes over one store one streams, or polls, and the others serve the set that it keeps, as
 *                          the service's; their connection says that they poll, and environment ids that answers bring are
 *                          known to the one alone. None streams while the store is away. Where the service refuses the key, each
 *                          process leads in its turn, asks once and is FATAL. Refused beside a store of rules, which shares
 *                          them already.
 * hooks and plug-ins       hear of the context of the call, else of the client's; not for all flags and explanations.
 * hoist_client_identify()  records an identify event, also of an equal context, and asks nothing: every flag can be decided
 *                          at once. HOIST_ERR_ARGUMENT for a context that is none.
 * hoist_client_refresh()   one poll now, with a stream beside it. Without an SDK key `bootstrap.file` is read again, in daemon
 *                          mode the store.
 * hoist_client_track()     a custom event of the context of the call, else of the current one: the properties are its data,
 *                          the value is its metric; hoist_launchdarkly_track_for() takes data of any type. HOIST_ERR_ARGUMENT
 *                          where there is no context, or it is none; HOIST_ERR_REJECTED once the service has refused events
 *                          for good.
 * FLAG_CHANGED             flags whose rules may give other values, also because of a flag or a segment that they refer to.
 * deliveries               a failed one comes again after 1 s, then longer pauses, as in mode client; with `strict_vendor` it
 *                          is dropped after the second attempt. A status from 400 to 499 but 400, 408, 413 and 429 ends
 *                          events: FATAL, with a line that says so, until one of the calls that begin attempts again.
 *                          Flags go on.
 * attempts                 stop with such a status to the stream or a poll, 413 among them: FATAL, with the rules there are.
 *                          hoist_client_refresh(), hoist_client_set_online() and hoist_client_reopen() begin them again. With
 *                          property `retry_refused` they never stop, and come every 5 minutes. A message that cannot be read
 *                          changes nothing; its stream is closed, and another one is opened.
 * the vendor's calls       hoist_launchdarkly_track(), hoist_launchdarkly_flush(), hoist_launchdarkly_int_variation(),
 *                          hoist_launchdarkly_variation_decode(), those about details, and those about the connection are
 *                          for both modes. Those of launchdarkly/server.h and launchdarkly/migration.h are for this mode
 *                          alone: all flags' state, secure mode hash, observers of flags, migrations. The others have
 *                          HOIST_ERR_STATE, NULL, false or "null", and warn.
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
