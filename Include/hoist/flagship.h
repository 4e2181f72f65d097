/**
 * @file
 * AB Tasty Flagship, in its words: visitors, contexts, flags, hits, caches.
 *
 * The client is a hoist_client opened from hoist_config_new("flagship"), for one environment: properties `env_id` and
 * `api_key`. Property `mode` says who assigns campaigns: the service, for each fetch of a visitor ("decision_api"), or
 * this library from a file with all campaigns ("bucketing"). What the vendor's SDKs keep for the whole process is a client
 * that is open and shared: hoist_client_share() gives it a name, hoist_client_shared() finds it by that.
 *
 * As the vendor's SDKs do, about two visitors in a thousand report how the client is set up when they fetch, without
 * anything of the visitor. Property `usage_tracking` = "false" ends that for a client, environment variable
 * HOIST_NO_USAGE_TRACKING=1 for the process.
 */
#ifndef HOIST_FLAGSHIP_H
#define HOIST_FLAGSHIP_H

#include "client.h"
#include "config.h"
#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The core's calls here -------------------------------------------------------------------------------- */

/*
 * READY                    decision_api: the flags of the current context are there; without a context, visitors can be
 *                          made, and details say TARGETING_KEY_MISSING. bucketing: the file is there. Stored ones make a
 *                          client STALE, and readable, until the service answers.
 * hoist_client_bool() …    bucketing: decided for the context given, without a history: that an assignment stays when
 *                          allocations change is the visitors' alone. Before the start and in panic, whichever visitor's
 *                          fetch has found out, every call gives its fallback, with PROVIDER_NOT_READY.
 * hoist_client_int64()     a number that is written without fraction and exponent; any other is TYPE_MISMATCH, and for
 *                          hoist_client_double() alone.
 * context of one call      the targeting key is the visitor's id, and NULL the shared visitor. decision_api: the service
 *                          decides, so another context than the current one gets the fallback, with INVALID_CONTEXT.
 *                          bucketing: it has what a visitor's context has: what Hoist sets (sdk_firstTimeInit is false), and
 *                          nothing that a visitor refuses.
 * hoist_client_identify()  the current context is that of the shared visitor, of which there is one. Another targeting key
 *                          is another visitor: the flags of the former one are dropped, and stored ones of the new one
 *                          are served at once. The same key changes the visitor's context, and its flags stay until the
 *                          new ones are there. HOIST_ERR_NETWORK when they cannot be fetched. The new visitor's consent is
 *                          its own: what the host has said of it to this client, a refusal that the store keeps, or else
 *                          property `has_consented`.
 * hoist_client_refresh()   decision_api: the current context's flags, now. bucketing: the file.
 * hoist_client_track()     an Event hit: its action is the key, its value a whole number from 0 on, or the event is refused
 *                          with HOIST_ERR_FLAGSHIP_HIT_INVALID. Properties `category` ("Action Tracking" or "User
 *                          Engagement", also with an underscore) and `label` are texts of the hit; any other one is refused
 *                          with HOIST_ERR_UNSUPPORTED. HOIST_ERR_FLAGSHIP_NO_CONSENT, _PANIC and _NOT_INITIALIZED: nothing is
 *                          recorded.
 *                          decision_api: HOIST_ERR_UNSUPPORTED for another context than the current one.
 * attempts                 never stop: a fetch that fails is tried again after pauses that grow up to property
 *                          `network.retry_max_ms`, and are no shorter than Retry-After; one that finds panic, after the
 *                          longest, or as soon as a fetch of another visitor finds that it is over. After one that
 *                          succeeds the service is asked again when the host wants it (decision_api), or after
 *                          `polling_interval` seconds (bucketing).
 * fetch.shared             bucketing: of the processes over one store one downloads the file. Refused in decision_api.
 * deliveries               a failed one comes again after about 1 s, then longer pauses up to property
 *                          `network.retry_max_ms`; meanwhile nothing else is sent.
 */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_FLAGSHIP_NOT_INITIALIZED = 1300, /**< not started, closed, or no bucketing file has come yet */
    HOIST_ERR_FLAGSHIP_PANIC           = 1301, /**< the service has switched everything off */
    HOIST_ERR_FLAGSHIP_NO_CONSENT      = 1302, /**< the visitor has not consented */
    HOIST_ERR_FLAGSHIP_FETCH_FAILED    = 1303, /**< no answer in time, or one that is none */
    HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED = 1304, /**< a context key is reserved, or a value of a wrong type */
    HOIST_ERR_FLAGSHIP_HIT_INVALID     = 1305, /**< a hit lacks something, or has a value that is refused */
    HOIST_ERR_FLAGSHIP_FLAG_TYPE       = 1306  /**< the flag's value is of another type than the default */
};

/** Name and version, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_version(void);

#ifdef __cplusplus
}
#endif

#include "flagship/cache.h"
#include "flagship/context.h"
#include "flagship/flags.h"
#include "flagship/hits.h"
#include "flagship/life.h"
#include "flagship/segments.h"
#include "flagship/visitor.h"

#endif
